//! A function body on its way into a twin: the user's tokens, with a few things changed.
//!
//! - Types that are written down are mapped ([`Types`]).
//! - The impl's own name becomes `Self`; variants, of it and of other enums, become the mirror's (`variants.rs`).
//! - Calls of helper functions are lifted, calls of candle's functions by bare name redirected (`calls.rs`).
//! - Literals and patterns of other structs are made those of their mirrors (`literals.rs`).
//! - In a function that builds a model, calls with weights, and of layers' constructors (`weights.rs`).
//! - Comparisons are noted, for guards (`compare.rs`, `decisions.rs`), and floats that are made whole (`rounding.rs`).

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, Parser};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Block, Expr, ExprCall, ExprPath, ExprRepeat, FieldValue, ImplItem, Item, ItemImpl, Local, Macro, Pat, Path,
    Signature, Stmt, Type,
};

use super::arguments::{Arguments, Matches, OF_EXPRESSIONS};
use super::bindings::Bindings;
use super::fallbacks::{Fallbacks, Written};
use super::literals::Aliases;
use super::types::{Types, Unshadow};
use super::weights::{self, Weights};
use super::{calls, compare, conditions, decisions, literals, rounding, variants};
use crate::known::Known;
use crate::mirror::SCOPE_FIELD;
use crate::paths::Paths;

/// Rewrites one function's body.
pub(crate) struct Body<'a> {
    pub(super) types: Types<'a>,
    pub(super) paths: &'a Paths,
    /// Names bound in the function, anywhere: parameters, variables, closure parameters.
    pub(super) bound: BTreeSet<String>,
    /// Those that are bound more than once.
    bound_again: BTreeSet<String>,
    /// The methods of the impl that have a twin.
    twinned: Vec<String>,
    /// The type that the impl is of, and the constants that it declares.
    of: Option<(Type, Vec<String>)>,
    /// Where the types of literals and patterns are asked for, in code that is always compiled.
    pub(super) known: Option<&'a Known>,
    /// The functions of the impl, without `self`, that have no twin.
    untwinned: Vec<String>,
    /// Type aliases the patterns and literals need.
    pub(crate) aliases: Aliases,
    /// The generated names that are used.
    pub(crate) fallbacks: Fallbacks,
    /// The variables that are weights, in a function that builds a model.
    weights: Option<Weights>,
    /// Names that `use` declares in the function: an alias outside of it cannot see them.
    pub(super) imported: BTreeSet<String>,
}

impl<'a> Body<'a> {
    /// `twinned` are the methods of the impl that have a twin; a free function has none.
    pub(crate) fn new(types: &Types<'a>, sig: &Signature, block: &Block, twinned: &[Ident], paths: &'a Paths) -> Self {
        let mut bindings = Bindings::default();
        bindings.visit_signature(sig);
        bindings.visit_block(block);
        Body {
            types: types.with_locals(bindings.types),
            paths,
            known: types.known(),
            bound: bindings.values,
            bound_again: bindings.again,
            twinned: twinned.iter().map(ToString::to_string).collect(),
            of: None,
            untwinned: Vec::new(),
            aliases: Aliases::default(),
            fallbacks: Fallbacks::default(),
            weights: None,
            imported: bindings.imported,
        }
    }

    /// The same, of a method of an impl.
    pub(crate) fn of_impl(mut self, item: &ItemImpl) -> Self {
        let constants = item.items.iter().filter_map(|member| match member {
            ImplItem::Const(constant) => Some(constant.ident.to_string()),
            _ => None,
        });
        let functions = item.items.iter().filter_map(|member| match member {
            ImplItem::Fn(method) if method.sig.receiver().is_none() => Some(method.sig.ident.to_string()),
            _ => None,
        });
        self.untwinned = functions.filter(|name| !self.twinned.contains(name)).collect();
        let mut ty = (*item.self_ty).clone();
        Unshadow(self.paths).visit_type_mut(&mut ty);
        self.of = Some((ty, constants.collect()));
        self
    }

    /// What was met is compiled only where this holds.
    pub(super) fn only_where(&mut self, holds: &TokenStream) {
        self.fallbacks.only_where(holds);
        self.aliases.only_where(holds);
    }

    /// Visits what may be compiled only where something holds.
    fn under(&mut self, holds: Option<TokenStream>, visit: impl FnOnce(&mut Self)) {
        let Some(holds) = holds else { return visit(self) };
        let (known, fallbacks) = (self.known.take(), std::mem::take(&mut self.fallbacks));
        let aliases = std::mem::take(&mut self.aliases);
        visit(self);
        self.only_where(&holds);
        self.known = known;
        let inside = (std::mem::replace(&mut self.fallbacks, fallbacks), std::mem::replace(&mut self.aliases, aliases));
        self.fallbacks.extend(inside.0);
        self.aliases.extend(inside.1);
    }

    /// `Self::EPS` of another impl, which is the original's.
    fn original_constant(&self, path: &Path) -> Option<Expr> {
        let (ty, constants) = self.of.as_ref()?;
        let mut segments = path.segments.iter();
        let (head, name) = (segments.next()?, &segments.next()?.ident);
        let is_constant = |text: &str| {
            text.starts_with(|first: char| first.is_ascii_uppercase())
                && !text.contains(|letter: char| letter.is_lowercase())
        };
        let text = name.to_string();
        let elsewhere = path.segments.len() == 2
            && head.ident == "Self"
            && text.len() > 1
            && is_constant(&text)
            && !constants.contains(&text);
        elsewhere.then(|| syn::parse_quote_spanned!(name.span()=> <#ty>::#name))
    }

    /// `Self::empty()`, which has no twin: what the original's makes is lifted.
    fn original_function(&self, call: &ExprCall) -> Option<Expr> {
        let (Expr::Path(path), Some((ty, _)), None) = (&*call.func, &self.of, &self.weights) else { return None };
        let [head, name] = [path.path.segments.first()?, path.path.segments.get(1)?].map(|segment| &segment.ident);
        if path.path.segments.len() != 2 || head != "Self" || !self.untwinned.contains(&name.to_string()) {
            return None;
        }
        let (args, span) = (&call.args, name.span());
        let original: Expr = syn::parse_quote_spanned!(span=> <#ty>::#name(#args));
        Some(calls::lift(&original, self.paths))
    }

    /// The same, of a function that builds a part of a model, of this signature and body.
    pub(crate) fn of_builder(mut self, sig: &Signature, block: &Block) -> Self {
        self.weights = Some(Weights::of(sig, block));
        self
    }

    /// A call in a function that builds a model, if it means something else there.
    fn built(&mut self, call: &mut ExprCall) -> Option<Expr> {
        let weights = self.weights.as_ref()?;
        if let Some((position, borrows)) = weights.argument(call) {
            call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            let owner = calls::owner(&call.func, self);
            return Some(weights::lend(call.clone(), position, borrows, owner, self.paths));
        }
        if weights::redirect_made(&mut call.func, self.paths) {
            call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            return Some(Expr::Call(call.clone()));
        }
        if calls::is_helper(&call.func, self)
            && let Expr::Path(path) = &mut *call.func
            && path.path.get_ident().is_some_and(|name| !self.imported.contains(&name.to_string()))
        {
            self.fallbacks.redirect_function(&mut path.path);
        }
        None
    }

    /// The scope of a value of the impl's type that is made here: where its weights are, in a function that builds it of
    /// them, else nowhere in the model.
    pub(super) fn made_scope(&self) -> TokenStream {
        let scope = self.paths.scope();
        match self.types.own_name().filter(|_| self.weights.is_some()) {
            Some(own) => {
                let own = own.unraw().to_string();
                quote!(#scope::built(#own))
            }
            None => quote!(#scope::detached()),
        }
    }

    /// Whether a function of a type is one of the impl's own that has a twin.
    pub(super) fn is_twinned(&self, ty: &Ident, function: &Ident) -> bool {
        self.types.own_name().is_some_and(|own| own == ty) && self.twinned.contains(&function.to_string())
    }

    /// Whether an expression is `Self`, or the impl's own type by its name.
    fn names_own_type(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        let own = self.types.own_name().is_some_and(|own| path.path.is_ident(own));
        path.qself.is_none() && (own || path.path.is_ident("Self"))
    }

    /// Makes the variant of another enum that of its mirror, and says whether it is one.
    pub(super) fn redirect(&mut self, path: &mut Path, written: Written) -> bool {
        let (types, imported) = (&self.types, &self.imported);
        self.fallbacks.redirect(path, written, |name| types.is_kept(name) || imported.contains(&name.to_string()))
    }

    /// Makes what a tuple struct's values are made by, or the value of a unit struct, that of the mirror if it can be one.
    fn redirect_tuple(&mut self, value: &mut Expr) -> bool {
        let Expr::Path(ExprPath { qself: None, path, .. }) = value else { return false };
        let (types, imported, bound) = (&self.types, &self.imported, &self.bound);
        let kept = |name: &Ident| {
            let text = name.to_string();
            let own = types.own_name().is_some_and(|own| own == name);
            own || types.is_kept(name) || imported.contains(&text) || bound.contains(&text)
        };
        self.fallbacks.redirect_tuple(path, kept)
    }

    /// Makes the tuple struct of a pattern that of the mirror, if it has one in this module.
    fn redirect_pattern(&mut self, path: &mut Path) -> bool {
        let (types, imported, bound) = (&self.types, &self.imported, &self.bound);
        let kept = |name: &Ident| {
            let text = name.to_string();
            types.is_kept(name) || imported.contains(&text) || bound.contains(&text)
        };
        self.fallbacks.redirect_pattern(path, kept)
    }

    /// Makes a variant in a pattern that of the mirror. Whether it is one, and then whether it is the impl's own.
    fn rewrite_variant(&mut self, path: &mut Path, written: Written) -> Option<bool> {
        self.rewrite_own(path);
        let has_fields = matches!(written, Written::Opened);
        if variants::is_own(path) || (has_fields && variants::is_own_with_fields(path)) {
            return Some(true);
        }
        let opened = matches!(written, Written::Opened) && literals::rewrite_variant(path, self);
        (opened || self.redirect(path, written)).then_some(false)
    }

    /// Makes a path that is a value, or a function that is called, that of the symbolic world.
    fn rewrite_value(&mut self, expr: &mut Expr, written: Written) {
        let Expr::Path(path) = expr else {
            return self.visit_expr_mut(expr);
        };
        visit_mut::visit_expr_path_mut(self, path);
        self.rewrite_own(&mut path.path);
        if path.qself.is_none() {
            let other = variants::own_value(&path.path, self).or_else(|| self.original_constant(&path.path));
            if let Some(other) = other {
                *expr = other;
                return;
            }
            self.redirect(&mut path.path, written);
        }
        calls::redirect_bare(path, self);
    }

    /// The same of what is called.
    fn rewrite_called(&mut self, func: &mut Expr) {
        if let Expr::Path(path) = func {
            self.rewrite_own(&mut path.path);
            if path.qself.is_none() && variants::is_own_with_fields(&path.path) {
                *func = variants::own_function(&path.path, self);
                return;
            }
        }
        self.rewrite_value(func, Written::Called);
    }

    /// `matches!` as the `match` that it is, if its pattern compares with integers.
    fn matches(&mut self, call: &Macro) -> Option<Expr> {
        let mut matches = Matches::parse.parse2(call.tokens.clone()).ok()?;
        let span = call.path.segments[0].ident.span();
        let arm = compare::noting_arm(std::iter::once(&matches.pat), span, self.paths)?;
        matches.visit(self);
        let Matches { expr, pat, guard } = &matches;
        let guard = guard.as_ref().map(|guard| quote::quote!(if #guard));
        Some(syn::parse_quote!(match #expr { #arm #pat #guard => true, _ => false }))
    }

    /// `Block::Big` becomes `Self::Big`; `Block::new`, which has no twin, stays.
    fn rewrite_own(&self, path: &mut Path) {
        let Some(own) = self.types.own_name() else {
            return;
        };
        let Some(head) = path.segments.first() else {
            return;
        };
        if path.leading_colon.is_some() || head.ident != *own {
            return;
        }
        if let Some(next) = path.segments.get(1) {
            let name = next.ident.to_string();
            if name.starts_with(|first: char| first.is_lowercase()) && !self.twinned.contains(&name) {
                return;
            }
        }
        let span = head.ident.span();
        let head = path.segments.first_mut().expect("it has a first segment");
        head.ident = Ident::new("Self", span);
        head.arguments = syn::PathArguments::None;
    }
}

impl VisitMut for Body<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Call(ExprCall { func, args, .. }) if calls::is_custom_op_of_tensor(func) => {
                if let Expr::Path(path) = &mut **func
                    && let Some(method) = path.path.segments.last_mut()
                {
                    calls::keep_custom_op(&mut method.ident, args, self);
                }
            }
            Expr::Call(call) if decisions::is_decision_of(call) => {
                // Its path is of std's.
                call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
                if let Some(note) = decisions::noted_of(call, self.paths) {
                    *expr = syn::parse_quote!({ #note #expr });
                }
            }
            Expr::Call(call) => {
                if let Some(replacement) = self.built(call) {
                    *expr = replacement;
                    return;
                }
                call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
                calls::find_moe(&mut call.func);
                calls::find_transformers(&mut call.func, self.paths);
                calls::call_original(call);
                if let Some(original) = self.original_function(call) {
                    *expr = original;
                } else if let Some(checked) = calls::make_layer(call, self) {
                    *expr = checked;
                } else if calls::is_helper(&call.func, self) {
                    *expr = calls::lift(expr, self.paths);
                } else if !calls::redirect_call(call, self) {
                    // A tuple struct's mirror has its scope last; one that a twin builds is nowhere in the model.
                    if self.names_own_type(&call.func) {
                        let scope = self.made_scope();
                        call.args.push(syn::parse_quote!(#scope));
                        call.func = syn::parse_quote_spanned!(call.func.span()=> Self);
                    } else {
                        let is_variant = calls::is_variant(&call.func, true, self);
                        let is_made = is_variant || self.redirect_tuple(&mut call.func);
                        self.rewrite_called(&mut call.func);
                        if is_made {
                            *expr = calls::lift(expr, self.paths);
                        }
                    }
                }
            }
            Expr::MethodCall(call) if calls::is_of_activation(call) => {
                call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
                *expr = calls::call_activation(call, self.paths);
            }
            Expr::MethodCall(call) if calls::is_custom_op(&call.method) => {
                self.visit_expr_mut(&mut call.receiver);
                calls::keep_custom_op(&mut call.method, &mut call.args, self);
            }
            Expr::MethodCall(call) if decisions::is_decision(call) => {
                visit_mut::visit_expr_method_call_mut(self, call);
                if let Some(note) = decisions::noted(call, self.paths) {
                    *expr = syn::parse_quote!({ #note #expr });
                }
            }
            Expr::MethodCall(call) if rounding::is_rounding(call) => {
                visit_mut::visit_expr_method_call_mut(self, call);
                if let Some(noted) = rounding::noted(call, self.paths) {
                    *expr = noted;
                }
            }
            Expr::Cast(cast) => {
                visit_mut::visit_expr_cast_mut(self, cast);
                if let Some(noted) = rounding::noted_cast(cast, self.paths) {
                    *expr = noted;
                }
            }
            Expr::Path(_) => {
                let is_made = calls::is_variant(expr, false, self) || self.redirect_tuple(expr);
                if is_made || !calls::redirect_method(expr, self) {
                    self.rewrite_value(expr, Written::Value);
                }
                // The value of a unit struct, whose mirror has a scope.
                if matches!(expr, Expr::Path(path) if path.path.is_ident("Self")) {
                    let (field, scope) = (format_ident!("{}", SCOPE_FIELD), self.made_scope());
                    *expr = syn::parse_quote!(Self { #field: #scope });
                } else if is_made {
                    *expr = calls::lift(expr, self.paths);
                }
            }
            Expr::Struct(literal) => {
                visit_mut::visit_expr_struct_mut(self, literal);
                self.rewrite_own(&mut literal.path);
                let variant = variants::literal(literal, self);
                if let Some(replacement) = variant.or_else(|| literals::rewrite_literal(literal, self)) {
                    *expr = replacement;
                }
            }
            Expr::Binary(binary) => {
                visit_mut::visit_expr_binary_mut(self, binary);
                if let Some(noted) = compare::noted(binary, self.paths) {
                    *expr = noted;
                }
            }
            Expr::Match(matched) => {
                visit_mut::visit_expr_match_mut(self, matched);
                let span = matched.match_token.span;
                let arm = compare::noting_arm(matched.arms.iter().map(|arm| &arm.pat), span, self.paths);
                matched.arms.splice(0..0, arm);
            }
            Expr::If(conditional) => {
                visit_mut::visit_expr_if_mut(self, conditional);
                if let Some(matched) = compare::matched(conditional, self.paths) {
                    *expr = matched;
                }
            }
            Expr::Macro(call) if call.mac.path.is_ident("matches") => match self.matches(&call.mac) {
                Some(matched) => *expr = matched,
                None => visit_mut::visit_expr_macro_mut(self, call),
            },
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        self.under(conditions::of_statement(statement), |body| visit_mut::visit_stmt_mut(body, statement));
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        self.under(conditions::of(&arm.attrs), |body| visit_mut::visit_arm_mut(body, arm));
    }

    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        self.under(conditions::of(&field.attrs), |body| visit_mut::visit_field_value_mut(body, field));
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        if self.weights.is_some() {
            weights::name_made(local, self.paths);
        }
        // In `let mask = mask(3)?` the second one is not the variable, if there is no other of that name.
        let own = match &local.pat {
            Pat::Ident(pat) => Some(pat.ident.to_string()).filter(|name| !self.bound_again.contains(name)),
            _ => None,
        };
        let removed = own.filter(|name| self.bound.remove(name));
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.bound.extend(removed);
        self.visit_pat_mut(&mut local.pat);
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        visit_mut::visit_pat_mut(self, pat);
        match pat {
            Pat::Struct(pattern) => {
                if self.rewrite_variant(&mut pattern.path, Written::Opened).is_some() {
                    literals::open(pattern);
                } else {
                    literals::rewrite_pattern(pattern, self);
                }
            }
            Pat::TupleStruct(pattern) => match self.rewrite_variant(&mut pattern.path, Written::Opened) {
                Some(own) => variants::leave_out_scope(&mut pattern.elems, own),
                None if pattern.path.is_ident("Self") => variants::leave_out_scope(&mut pattern.elems, true),
                None if self.redirect_pattern(&mut pattern.path) => {
                    variants::leave_out_scope(&mut pattern.elems, false);
                }
                None => {}
            },
            Pat::Path(pattern) => {
                let is_variant = self.rewrite_variant(&mut pattern.path, Written::Pattern).is_some();
                if is_variant || pattern.path.is_ident("Self") {
                    let path = &pattern.path;
                    *pat = syn::parse_quote!(#path { .. });
                }
            }
            _ => {}
        }
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        self.types.map(ty);
    }

    fn visit_expr_repeat_mut(&mut self, array: &mut ExprRepeat) {
        // How long it is is a constant, of which nothing is noted.
        self.visit_expr_mut(&mut array.expr);
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        // A function in a function is in the twin's scope like its surroundings; other items mean what they say.
        if let Item::Fn(item) = item {
            visit_mut::visit_item_fn_mut(self, item);
        }
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        let Some(name) = call.path.segments.last().map(|segment| segment.ident.to_string()) else {
            return;
        };
        let rewritten = if OF_EXPRESSIONS.contains(&name.as_str()) {
            Arguments::parse.parse2(call.tokens.clone()).ok().map(|mut arguments| {
                arguments.0.iter_mut().for_each(|expr| self.visit_expr_mut(expr));
                arguments.write()
            })
        } else if name == "matches" {
            Matches::parse.parse2(call.tokens.clone()).ok().map(|mut matches| {
                matches.visit(self);
                matches.write()
            })
        } else {
            None
        };
        // What does not parse goes through as it is: the shadowed names in it still mean the right things.
        if let Some(tokens) = rewritten {
            call.tokens = tokens;
        }
    }
}
