//! Calls in the twin of a function that builds a model: those with weights, and those that make layers of tensors.
//!
//! What is weights is told by names: parameters of type `VarBuilder`, and variables that are set to one of its methods
//! that give another (`let vb = vb.pp("stages")`). What a function does with them, rustc decides (`fx-core`'s
//! `trace/callee.rs`).
//!
//! Invariant: arguments are evaluated once, in the order in which they are written.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::VisitMut;
use syn::{
    Block, Expr, ExprCall, ExprPath, FnArg, Local, Pat, PatType, Path, Signature, Type, parse_quote,
    parse_quote_spanned,
};

use super::layers;
use super::types::{Unshadow, is_weights};
use crate::paths::Paths;

/// Methods of a `VarBuilder` that give another one.
const GIVES_WEIGHTS: &[&str] = &[
    "pp",
    "push_prefix",
    "set_prefix",
    "root",
    "clone",
    "to_dtype",
    "set_dtype",
    "set_device",
    "rename_f",
    "to_owned",
];

/// The variables of a function that are weights, and whether each only borrows them.
#[derive(Default)]
pub(super) struct Weights(BTreeMap<String, bool>);

impl Weights {
    pub(super) fn of(sig: &Signature, block: &Block) -> Self {
        let mut weights = Weights::default();
        for input in &sig.inputs {
            if let FnArg::Typed(input) = input {
                weights.typed(input);
            }
        }
        // A variable may be set to one that stands further up, so one pass in order of the source is enough.
        weights.visit_block(block);
        weights
    }

    fn typed(&mut self, typed: &PatType) {
        let (owned, borrows) = match &*typed.ty {
            Type::Reference(reference) => (&*reference.elem, true),
            owned => (owned, false),
        };
        if let (Pat::Ident(pat), Type::Path(path)) = (&*typed.pat, owned)
            && is_weights(&path.path)
        {
            self.0.insert(pat.ident.to_string(), borrows);
        }
    }

    /// Whether an expression is weights, and if so, borrowed ones.
    fn kind(&self, expr: &Expr) -> Option<bool> {
        match expr {
            Expr::Path(path) => self.0.get(&path.path.get_ident()?.to_string()).copied(),
            Expr::Reference(reference) => self.kind(&reference.expr).map(|_| true),
            Expr::MethodCall(call) => {
                let gives = GIVES_WEIGHTS.iter().any(|name| call.method == name);
                self.kind(&call.receiver).filter(|_| gives).map(|_| false)
            }
            Expr::Paren(paren) => self.kind(&paren.expr),
            Expr::Group(group) => self.kind(&group.expr),
            _ => None,
        }
    }

    /// Which argument of a call is weights, and whether it borrows them. What is called is a function by name, or one of
    /// several: `if bias { linear } else { linear_no_bias }(…)`.
    pub(super) fn argument(&self, call: &ExprCall) -> Option<(usize, bool)> {
        match &*call.func {
            Expr::Path(path) => {
                let last = path.path.segments.last()?.ident.to_string();
                if last.starts_with(|first: char| first.is_uppercase()) {
                    return None;
                }
            }
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Paren(_) | Expr::Group(_) => {}
            _ => return None,
        }
        let mut kinds = call.args.iter().map(|arg| self.kind(arg)).enumerate();
        kinds.find_map(|(position, kind)| Some((position, kind?)))
    }
}

impl<'ast> Visit<'ast> for Weights {
    fn visit_local(&mut self, local: &'ast Local) {
        visit::visit_local(self, local);
        let pat = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pat => pat,
        };
        if let (Pat::Ident(pat), Some(init)) = (pat, &local.init)
            && let Some(borrows) = self.kind(&init.expr)
        {
            self.0.insert(pat.ident.to_string(), borrows);
        }
    }

    fn visit_pat_type(&mut self, typed: &'ast PatType) {
        self.typed(typed);
    }
}

/// A call whose argument `position` is weights. `owner` is the type that the function is of, if it may have a twin.
pub(super) fn lend(mut call: ExprCall, position: usize, borrows: bool, owner: Option<Path>, paths: &Paths) -> Expr {
    let span = call.func.span().resolved_at(Span::mixed_site());
    let [callee, kind, place, value, types] =
        ["__fx_callee", "__fx_kind", "__fx_place", "__fx_value", "__fx_types"].map(|name| Ident::new(name, span));
    let (runtime, weights) = (paths.private("callee"), paths.symbolic("VarBuilder"));
    let each = (0..call.args.len()).map(|index| match (index == position, borrows) {
        (false, _) => quote!(_),
        (true, false) => quote!(#weights<'static>),
        (true, true) => quote!(&#weights<'static>),
    });
    let each = quote!(::core::marker::PhantomData::<(#(#each,)*)>);
    let lent = &call.args[position];
    call.args[position] = parse_quote!(#kind.lend(#lent, &mut #place));
    let function = std::mem::replace(&mut *call.func, parse_quote!((*#callee)));
    let function = match owner {
        Some(owner) => twin_or(&function, owner, &types, position, paths),
        None => quote!(&(#function)),
    };
    // What is not written of the types follows from the function that is called in the end.
    parse_quote_spanned! {span=>
        match #each {
            #types => match #function {
                #callee => {
                    use #runtime::{TakesReal as _, TakesSymbolic as _};
                    let mut #place = ::core::option::Option::None;
                    let #kind = (&#runtime::Callee::<_, _, #position>::of(#callee, #types)).__fx_kind();
                    match #call {
                        #value => #kind.mirror(#value, #place),
                    }
                }
            },
        }
    }
}

/// A reference to the twin of a function of this type, if its mirror has it, else to the function: `<Mirror>::new` means the
/// mirror's own, because a function of a type comes before one of a trait.
fn twin_or(function: &Expr, mut owner: Path, types: &Ident, position: usize, paths: &Paths) -> TokenStream {
    let method = match function {
        Expr::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
        _ => None,
    };
    // candle's own types, which in a twin's scope have been replaced.
    Unshadow(paths).visit_path_mut(&mut owner);
    let (runtime, traceable) = (paths.private("callee"), paths.traceable());
    let span = function.span().resolved_at(Span::mixed_site());
    let [twin, real, fallback, any] =
        ["__fx_twin", "__fx_real", "__FxNoTwin", "__FxAny"].map(|name| Ident::new(name, span));
    quote_spanned! {span=>
        match &#function {
            #real => {
                use #runtime::{HasNoTwin as _, HasTwin as _};
                trait #fallback { fn #method(_: #runtime::NoTwin) {} }
                impl<#any: ?Sized> #fallback for #any {}
                match &<<#owner as #traceable>::Symbolic>::#method {
                    #twin => {
                        (&#runtime::Choice::<_, _, _, #position>::of(#twin, #real, #types)).__fx_choose(#twin, #real)
                    }
                }
            }
        }
    }
}

/// Makes `Conv2d::new` the constructor of the mirror, if the function is one of a layer's.
pub(super) fn redirect_made(func: &mut Expr, paths: &Paths) -> bool {
    let Expr::Path(ExprPath { qself: None, path, .. }) = func else { return false };
    let count = path.segments.len();
    if count < 2 || !layers::builds(&path.segments[count - 2].ident, &path.segments[count - 1].ident) {
        return false;
    }
    let Some(function) = path.segments.pop() else { return false };
    path.segments.pop_punct();
    // candle's own, which in a twin's scope has been replaced.
    let span = path.span();
    let mut layer = path.clone();
    Unshadow(paths).visit_path_mut(&mut layer);
    let traceable = paths.traceable();
    *func = parse_quote_spanned!(span=> <<#layer as #traceable>::Symbolic>::#function);
    true
}

/// `let conv = Conv2d::new(…)` makes a layer of that name.
pub(super) fn name_made(local: &mut Local, paths: &Paths) {
    let pat = match &local.pat {
        Pat::Type(typed) => &*typed.pat,
        pat => pat,
    };
    let (Pat::Ident(pat), Some(init)) = (pat, &mut local.init) else { return };
    let mut made = &*init.expr;
    while let Expr::Try(tried) = made {
        made = &tried.expr;
    }
    let Expr::Call(call) = made else { return };
    if !redirect_made(&mut call.func.clone(), paths) {
        return;
    }
    let (callee, name, expr) = (paths.private("callee"), pat.ident.unraw().to_string(), &init.expr);
    let guard = Ident::new("__fx_named", Span::mixed_site());
    init.expr = parse_quote!({
        let #guard = #callee::named(#name);
        #expr
    });
}
