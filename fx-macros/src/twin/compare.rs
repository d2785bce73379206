//! Comparisons in a twin: noted when the model is captured at several sizes, so that they become guards.
//!
//! Whether what is compared are integers only rustc knows; the traits of `compare` in the runtime crate choose by autoref.
//! A `match` gets a first arm that notes what its patterns compare with, and never matches; an `if let` whose pattern compares
//! becomes such a `match`.
//!
//! Invariant: what is written here has the span of the comparison, so that guards name the user's line.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Arm, BinOp, Expr, ExprBinary, ExprIf, ExprLet, ExprLit, ExprMatch, Lit, Local, Pat, RangeLimits, Stmt, UnOp,
    parse_quote, parse_quote_spanned,
};

use crate::paths::Paths;

/// What the left side of a comparison is called.
const LEFT: &str = "__fx_left";

/// The comparison, noted; none if it is another operation.
pub(super) fn noted(binary: &ExprBinary, paths: &Paths) -> Option<Expr> {
    let relation = match binary.op {
        BinOp::Eq(_) => "Eq",
        BinOp::Ne(_) => "Ne",
        BinOp::Lt(_) => "Lt",
        BinOp::Le(_) => "Le",
        BinOp::Gt(_) => "Gt",
        BinOp::Ge(_) => "Ge",
        _ => return None,
    };
    // The user's own span: a guard names this line.
    let span = binary.op.span();
    let ident = |name: &str| Ident::new(name, span);
    let (left, right, result) = (ident(LEFT), ident("__fx_right"), ident("__fx_result"));
    let (compare, relation) = (paths.private("compare"), ident(relation));
    let ExprBinary { left: a, op, right: b, .. } = binary;
    Some(parse_quote_spanned! {span=>
        match (&(#a), &(#b)) {
            (#left, #right) => {
                use #compare::{NoteIntegers as _, NoteNothing as _};
                let #result = *#left #op *#right;
                (&#compare::Compared(#left, #right)).__fx_note(#compare::Relation::#relation, #result)
            }
        }
    })
}

/// Notes how the parts of a condition come out of which it is not seen what they compare: calls and variables. Comparisons are
/// noted already, and are another expression by now.
pub(super) fn note_conditions(condition: &mut Expr, paths: &Paths) {
    match condition {
        Expr::Binary(ExprBinary { left, op: BinOp::And(_) | BinOp::Or(_), right, .. }) => {
            note_conditions(left, paths);
            note_conditions(right, paths);
        }
        Expr::Unary(not) if matches!(not.op, UnOp::Not(_)) => note_conditions(&mut not.expr, paths),
        Expr::Paren(paren) => note_conditions(&mut paren.expr, paths),
        // What a helper gives is lifted by a `match`.
        Expr::Match(matched) if is_noted(matched) => {}
        Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Path(_)
        | Expr::Field(_)
        | Expr::Macro(_)
        | Expr::Block(_)
        | Expr::Match(_) => {
            let compare = paths.private("compare");
            // rustc tells a wrong type of it as it does in the original, so that it is told once.
            *condition = parse_quote_spanned! {condition.span()=> {
                if #condition { #compare::condition(true) } else { #compare::condition(false) }
            }};
        }
        _ => {}
    }
}

/// Whether it is a comparison as [`noted`] writes it.
fn is_noted(matched: &ExprMatch) -> bool {
    let pattern = matched.arms.first().map(|arm| &arm.pat);
    matches!(pattern, Some(Pat::Tuple(sides)) if matches!(sides.elems.first(), Some(Pat::Ident(left)) if left.ident == LEFT))
}

/// The arm that notes what patterns compare with; none if they compare with no integers.
pub(super) fn noting_arm<'p>(patterns: impl Iterator<Item = &'p Pat>, span: Span, paths: &Paths) -> Option<Arm> {
    let mut literals = Vec::new();
    for pattern in patterns {
        collect(pattern, &mut Vec::new(), &mut literals);
    }
    literals.dedup();
    if literals.is_empty() {
        return None;
    }
    let (matched, compare) = (Ident::new("__fx_matched", span), paths.private("compare"));
    let literals = literals.iter().map(|Literal { place, relation, value }| {
        let (relation, value) = (Ident::new(relation, span), value.written(span, &compare));
        let place = place.iter().map(|index| proc_macro2::Literal::isize_unsuffixed(*index));
        quote!((&[#(#place),*], #compare::Relation::#relation, #value))
    });
    let literals: Vec<TokenStream> = literals.collect();
    let note = quote_spanned! {span=>
        {
            #[allow(unused_imports)]
            use #compare::{ConstantInteger as _, NoteMatch as _, NoteNoMatch as _, OtherConstant as _};
            (&#compare::Matched(#matched)).__fx_note(&[#(#literals),*])
        }
    };
    Some(parse_quote! { ref #matched if #note => ::core::unreachable!(), })
}

/// An `if let` as the `match` that it is, if its pattern compares with integers.
pub(super) fn matched(conditional: &ExprIf, paths: &Paths) -> Option<Expr> {
    let Expr::Let(ExprLet { pat, expr, .. }) = &*conditional.cond else { return None };
    let arm = noting_arm(std::iter::once(&**pat), conditional.if_token.span, paths)?;
    let (attrs, then) = (&conditional.attrs, &conditional.then_branch);
    let otherwise = conditional.else_branch.as_ref().map_or_else(|| quote!({}), |(_, otherwise)| quote!(#otherwise));
    Some(parse_quote!(#(#attrs)* match #expr { #arm #pat => #then, _ => #otherwise }))
}

/// What notes what the pattern of a `let … else` compares with: a statement before it, of what can be looked at twice; of what
/// cannot, the value is looked at on its way.
pub(super) fn note_let_else(local: &mut Local, paths: &Paths) -> Option<Stmt> {
    let init = local.init.as_mut().filter(|init| init.diverge.is_some())?;
    let span = local.let_token.span;
    let arm = noting_arm(std::iter::once(&local.pat), span, paths)?;
    let value = &init.expr;
    if super::decisions::can_be_repeated(value) {
        return Some(parse_quote_spanned!(span=> match #value { #arm _ => {} }));
    }
    // Not of what is lent: a value that only `let` lets live longer would be gone.
    let is_value = match &**value {
        Expr::Tuple(tuple) => !tuple.elems.iter().any(|part| matches!(part, Expr::Reference(_))),
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Try(_) | Expr::Binary(_) | Expr::Match(_) | Expr::Block(_) => true,
        _ => false,
    };
    if is_value {
        let looked = Ident::new("__fx_value", span);
        *init.expr = parse_quote_spanned! {span=>
            match #value { #looked => { match #looked { #arm _ => {} } #looked } }
        };
    }
    None
}

/// An integer that a pattern compares with, and where in the value.
#[derive(PartialEq)]
struct Literal {
    place: Vec<isize>,
    relation: &'static str,
    value: Value,
}

enum Value {
    Number(i64),
    /// A constant, which may be an integer.
    Constant(syn::Path),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Constant(a), Self::Constant(b)) => quote!(#a).to_string() == quote!(#b).to_string(),
            _ => false,
        }
    }
}

impl Value {
    fn written(&self, span: Span, compare: &TokenStream) -> TokenStream {
        match self {
            Self::Number(number) => {
                let number = proc_macro2::Literal::i64_unsuffixed(*number);
                quote!(::core::option::Option::Some(#number))
            }
            Self::Constant(path) => quote_spanned!(span=> (&#compare::Constant(&#path)).__fx_integer()),
        }
    }
}

fn collect(pattern: &Pat, place: &mut Vec<isize>, literals: &mut Vec<Literal>) {
    let mut add = |relation, value: Option<Value>| {
        literals.extend(value.map(|value| Literal { place: place.clone(), relation, value }));
    };
    match pattern {
        Pat::Lit(literal) => add("Eq", literal_value(literal).map(Value::Number)),
        Pat::Path(path) if path.qself.is_none() => add("Eq", constant(&path.path)),
        Pat::Range(range) => {
            add("Ge", range.start.as_deref().and_then(integer));
            let is_closed = matches!(range.limits, RangeLimits::Closed(_));
            add(if is_closed { "Le" } else { "Lt" }, range.end.as_deref().and_then(integer));
        }
        Pat::Or(or) => or.cases.iter().for_each(|case| collect(case, place, literals)),
        Pat::Paren(paren) => collect(&paren.pat, place, literals),
        Pat::Reference(reference) => collect(&reference.pat, place, literals),
        Pat::Type(typed) => collect(&typed.pat, place, literals),
        Pat::Guard(guarded) => collect(&guarded.pat, place, literals),
        Pat::Ident(ident) => {
            if let Some((_, inner)) = &ident.subpat {
                collect(inner, place, literals);
            } else if ident.by_ref.is_none() && ident.mutability.is_none() {
                add("Eq", constant(&ident.ident.clone().into()));
            }
        }
        Pat::Tuple(tuple) => parts(tuple.elems.iter().collect(), false, place, literals),
        // The only part of `Some(3)`.
        Pat::TupleStruct(some) if some.path.is_ident("Some") => {
            parts(some.elems.iter().collect(), false, place, literals)
        }
        Pat::Slice(slice) => parts(slice.elems.iter().collect(), true, place, literals),
        _ => {}
    }
}

/// The parts of a tuple or slice. Behind a `..` those of a slice are counted from its end; how long a tuple is is not
/// known here.
fn parts(parts: Vec<&Pat>, is_slice: bool, place: &mut Vec<isize>, literals: &mut Vec<Literal>) {
    let is_rest = |pattern: &Pat| match pattern {
        Pat::Rest(_) => true,
        Pat::Ident(ident) => ident.subpat.as_ref().is_some_and(|(_, inner)| matches!(**inner, Pat::Rest(_))),
        _ => false,
    };
    let rest = parts.iter().position(|part| is_rest(part));
    let count = parts.len() as isize;
    for (i, part) in parts.iter().enumerate() {
        let index = match rest {
            Some(rest) if i == rest => continue,
            Some(rest) if i > rest && is_slice => i as isize - count,
            Some(rest) if i > rest => continue,
            _ => i as isize,
        };
        place.push(index);
        collect(part, place, literals);
        place.pop();
    }
}

fn literal_value(literal: &ExprLit) -> Option<i64> {
    match &literal.lit {
        Lit::Int(int) => int.base10_parse().ok(),
        _ => None,
    }
}

/// A constant, as far as its name tells: `LIMIT`, `Self::N`. A name of one letter alone can be a variable, `[B, T, C]`.
fn constant(path: &syn::Path) -> Option<Value> {
    let name = path.segments.last()?.ident.to_string();
    let is_constant = name.contains(char::is_uppercase) && !name.contains(char::is_lowercase);
    (is_constant && (path.segments.len() > 1 || name.len() > 1)).then(|| Value::Constant(path.clone()))
}

fn integer(expr: &Expr) -> Option<Value> {
    match expr {
        Expr::Lit(literal) => literal_value(literal).map(Value::Number),
        Expr::Path(path) if path.qself.is_none() => constant(&path.path),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match integer(&unary.expr)? {
            Value::Number(number) => number.checked_neg().map(Value::Number),
            Value::Constant(_) => None,
        },
        Expr::Paren(paren) => integer(&paren.expr),
        Expr::Group(group) => integer(&group.expr),
        _ => None,
    }
}
