//! What a twin declares because its body says a name, where the code that says it is compiled.
//!
//! `#[cfg(feature = "cuda")] { fused(Activation::Gelu) }` names what need not exist without the feature, so what is declared for
//! `Activation` stands under the same condition.
//!
//! Invariant: a name is declared wherever code that uses it is compiled, and nowhere else.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, Meta, Stmt};

use crate::attributes::cfgs;

/// When code is compiled.
enum Condition {
    Always,
    /// Where one of these holds.
    Any(Vec<TokenStream>),
}

/// Names that are declared, each with what it stands for.
pub(super) struct Declared<K, V>(BTreeMap<K, (V, Condition)>);

impl<K, V> Default for Declared<K, V> {
    fn default() -> Self {
        Declared(BTreeMap::new())
    }
}

impl<K: Ord, V> Declared<K, V> {
    pub(super) fn insert(&mut self, name: K, value: V) {
        self.0.insert(name, (value, Condition::Always));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn extend(&mut self, other: Self) {
        for (name, (value, condition)) in other.0 {
            match self.0.entry(name) {
                Entry::Vacant(entry) => drop(entry.insert((value, condition))),
                Entry::Occupied(mut entry) => match (&mut entry.get_mut().1, condition) {
                    (Condition::Any(known), Condition::Any(others)) => known.extend(others),
                    (known, Condition::Always) => *known = Condition::Always,
                    (Condition::Always, _) => {}
                },
            }
        }
    }

    /// All of them were met in code that is compiled only where this holds.
    pub(super) fn only_where(&mut self, holds: &TokenStream) {
        for (_, condition) in self.0.values_mut() {
            *condition = Condition::Any(match condition {
                Condition::Always => vec![holds.clone()],
                Condition::Any(others) => others.iter().map(|other| quote!(all(#holds, #other))).collect(),
            });
        }
    }

    /// Each with the attribute that says when it is declared.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V, TokenStream)> {
        self.0.iter().map(|(name, (value, condition))| {
            let attribute = match condition {
                Condition::Always => TokenStream::new(),
                Condition::Any(any) => quote!(#[cfg(any(#(#any),*))]),
            };
            (name, value, attribute)
        })
    }
}

/// When what has these attributes is compiled, if they say so.
pub(super) fn of(attributes: &[Attribute]) -> Option<TokenStream> {
    let predicates = cfgs(attributes).into_iter().filter_map(|attribute| match &attribute.meta {
        Meta::List(list) => Some(&list.tokens),
        _ => None,
    });
    let predicates: Vec<&TokenStream> = predicates.collect();
    (!predicates.is_empty()).then(|| quote!(all(#(#predicates),*)))
}

/// When a statement is compiled, if it says so.
pub(super) fn of_statement(statement: &Stmt) -> Option<TokenStream> {
    match statement {
        Stmt::Local(local) => of(&local.attrs),
        Stmt::Macro(call) => of(&call.attrs),
        Stmt::Expr(expr, _) => of(attributes(expr)),
        Stmt::Item(_) => None,
    }
}

/// The attributes of an expression that can be a statement with some.
fn attributes(expr: &Expr) -> &[Attribute] {
    macro_rules! attributes {
        ($($kind:ident)*) => {
            match expr {
                $(Expr::$kind(expr) => &expr.attrs,)*
                _ => &[],
            }
        };
    }
    attributes! {
        Assign Binary Block Break Call Continue ForLoop If Let Loop Macro Match MethodCall Return Struct Try Tuple Unsafe While
    }
}
