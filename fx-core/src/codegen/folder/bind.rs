//! [`Binder`]: the statements that take parameters and the state apart.
//!
//! Invariant: what has another structure than at the capture, or another value where the capture relied on it, is refused.

use std::collections::{BTreeSet, HashMap, HashSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::ir::{Argument, Graph, NodeId};
use crate::ops::kind::Kind;
use crate::value::{Fact, Value};

use super::super::format::{condition, one_line, one_line_tokens};
use super::super::literal::literal;
use super::super::names::Names;
use super::super::source::Statement;
use super::body::written;
use super::structure::{Structures, Ty, member};
use super::words::{Fresh, snake};

/// Takes a parameter apart.
pub(super) struct Binder<'b> {
    pub(super) graph: &'b Graph,
    pub(super) fresh: &'b mut Fresh,
    pub(super) names: &'b mut Names,
    pub(super) helpers: &'b mut BTreeSet<&'static str>,
    pub(super) statements: &'b mut Vec<Statement>,
    pub(super) structures: &'b Structures,
    /// What needs a name.
    pub(super) read: &'b HashSet<NodeId>,
    /// Whether it is the state that is taken apart, and not a parameter.
    pub(super) is_state: bool,
    pub(super) found: &'b mut FoundAt,
}

/// Where placeholders were found.
pub(super) type FoundAt = HashMap<NodeId, Found>;

/// Where a placeholder was found.
pub(super) struct Found {
    /// As Rust.
    pub(super) place: TokenStream,
    /// As messages say it.
    pub(super) said: String,
    pub(super) is_state: bool,
}

impl Found {
    /// What messages call it.
    pub(super) fn called(&self) -> String {
        called(&self.said, self.is_state)
    }
}

/// What messages call a part of an input or of the state.
fn called(said: &str, is_state: bool) -> String {
    format!("{}`{said}`", if is_state { "state " } else { "" })
}

impl Binder<'_> {
    /// What a place is made of; `said` is what it is called in messages.
    pub(super) fn bind(&mut self, made_of: &Argument, ty: &Ty, place: &TokenStream, is_reference: bool, said: &str) {
        if let Argument::Node(id) = made_of
            && !matches!(ty, Ty::Option(_))
        {
            let (place, said) = (place.clone(), said.to_owned());
            self.found.insert(*id, Found { place, said, is_state: self.is_state });
        }
        match (made_of, ty) {
            // It is read as a size.
            (Argument::Node(id), Ty::Data(_)) => {
                if let Ok(name) = syn::parse2::<Ident>(place.clone()) {
                    self.names.give(*id, name, true);
                }
            }
            (Argument::Node(id), ty) if !matches!(ty, Ty::Option(_)) => {
                let node = self.graph.node(*id);
                if is_reference && let Ok(name) = syn::parse2::<Ident>(place.clone()) {
                    return self.names.give(*id, name, true);
                }
                if !self.read.contains(id) {
                    return;
                }
                let name = self.fresh.take(&snake(node.name()));
                self.statements.push(Statement {
                    node: Some(*id),
                    code: written(&format!("let {name} ="), &quote!(&#place), ";", 8),
                });
                self.names.give(*id, name, true);
            }
            (Argument::None, Ty::Option(_) | Ty::Nothing) => {
                let but = if self.is_state { ", but is present" } else { "" };
                let message =
                    format!("{} should be absent, as it was at the capture{but}", called(said, self.is_state));
                self.refuse(&format!("{}.is_some()", text(place)), &escaped(&message));
            }
            (made_of, Ty::Option(inner)) => {
                let name = self.fresh.take(&snake(said));
                let message = match self.is_state {
                    false => format!("`{said}` is missing"),
                    true => {
                        let expected = match made_of.fact(&mut |id| self.graph.node(id).meta().fact.clone()) {
                            Fact::Unknown => "present".to_owned(),
                            fact => fact.to_string(),
                        };
                        format!("{} should be {expected}, as at the capture, but is absent", called(said, true))
                    }
                };
                let message = escaped(&message);
                let place = if is_reference { text(place) } else { format!("&{}", text(place)) };
                let code = format!("let Some({name}) = {place} else {{\n{}}};", bail(&message));
                self.statements.push(Statement::new(code));
                // Plain data is compared and copied.
                match **inner {
                    Ty::Data(_) | Ty::Count => self.bind(made_of, inner, &quote!(*#name), false, said),
                    _ => self.bind(made_of, inner, &name.to_token_stream(), true, said),
                }
            }
            (Argument::List(items), Ty::List(ty)) => {
                self.helpers.insert("check_len");
                let len = Literal::usize_unsuffixed(items.len());
                let check = quote!(check_len(#said, #place.len(), #len)?);
                self.statements.push(Statement::new(written("", &check, ";", 8)));
                for (i, item) in items.iter().enumerate() {
                    let index = Literal::usize_unsuffixed(i);
                    self.bind(item, ty, &quote!(#place[#index]), false, &format!("{said}[{i}]"));
                }
            }
            (Argument::List(items) | Argument::Tuple(items), Ty::Tuple(types)) => {
                for (i, (item, ty)) in items.iter().zip(types).enumerate() {
                    let index = Literal::usize_unsuffixed(i);
                    self.bind(item, ty, &quote!(#place.#index), false, &format!("{said}.{i}"));
                }
            }
            (Argument::Struct(structure), Ty::Struct(name)) => {
                let fields = self.structures.fields.get(name).cloned().unwrap_or_default();
                for ((field, item), (_, ty)) in structure.1.iter().zip(fields) {
                    let member = member(field);
                    self.bind(item, &ty, &quote!(#place.#member), false, &format!("{said}.{field}"));
                }
            }
            (constant, Ty::Data(_) | Ty::Count) => {
                let Some(value) = constant.to_value() else { return };
                let differs = |found: &str| match &value {
                    Value::Bool(true) => format!("!{found}"),
                    Value::Bool(false) => found.to_owned(),
                    value => format!("{found} != {}", literal(value, Kind::Any, None)),
                };
                let place = if is_reference { format!("*{}", text(place)) } else { text(place) };
                let mut message =
                    format!("{} should be {value}, as it was at the capture", called(said, self.is_state));
                message = escaped(&message);
                if !self.is_state {
                    return self.refuse(&differs(&place), &message);
                }
                let found = self.fresh.take(&snake(said));
                let value = syn::parse_str(&place).map_or_else(|_| quote!(#place), |place: syn::Expr| quote!(#place));
                self.statements.push(Statement::new(written(&format!("let {found} ="), &value, ";", 8)));
                self.refuse(&differs(&found.to_string()), &format!("{message}, but is {{{found}:?}}"));
            }
            _ => {}
        }
    }

    fn refuse(&mut self, when: &str, message: &str) {
        self.statements.push(Statement::new(refused(when, message)));
    }
}

/// The lines that end a function with an error under a condition.
pub(super) fn refused(when: &str, message: &str) -> String {
    let start = match syn::parse_str(when) {
        Ok(when) => condition(&when, 8).replace("\n        ", "\n"),
        Err(_) => format!("if {when} {{"),
    };
    format!("{start}\n{}}}", bail(message))
}

/// A text that is written as it is by `format!`.
pub(super) fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// The lines that end a function with an error, one level inside of it.
pub(super) fn bail(message: &str) -> String {
    let code = written("", &quote!(candle_core::bail!(#message)), ";", 12);
    code.lines().map(|line| format!("    {line}\n")).collect()
}

/// An expression as it is written.
pub(super) fn text(place: &TokenStream) -> String {
    syn::parse2(place.clone()).map_or_else(|_| one_line_tokens(place), |place| one_line(&place))
}
