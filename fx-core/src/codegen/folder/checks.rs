//! [`Checks`]: the statements that read the sizes of a run, and refuse inputs and states that the graph does not hold for.
//!
//! Invariant: what the interpreter refuses is refused before the first step.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::ir::{Argument, Graph, Guard, NodeId, SizeOf};
use crate::ops::kind::Kind;
use crate::value::{Fact, SymInt, Value};

use super::super::identifier::identifier;
use super::super::literal::literal;
use super::super::names::Names;
use super::super::size::{comparison, expression};
use super::super::source::Statement;
use super::bind::{FoundAt, escaped, refused, text};
use super::body::written;
use super::structure::followed;
use super::words::{Fresh, snake};

/// What a model checks, by where its inputs were found.
pub(super) struct Checks<'c> {
    pub(super) graph: &'c Graph,
    pub(super) names: &'c Names,
    pub(super) fresh: &'c mut Fresh,
    pub(super) helpers: &'c mut BTreeSet<&'static str>,
    pub(super) found: &'c FoundAt,
    pub(super) statements: &'c mut Vec<Statement>,
}

impl Checks<'_> {
    /// Writes all of them, those of types and shapes if they are wanted.
    pub(super) fn write(mut self, used: &HashSet<Arc<str>>, with_shapes: bool) {
        let graph = self.graph;
        self.read_sizes(used);
        for id in graph.placeholders() {
            self.check_number(id);
            if with_shapes {
                self.check_tensor(id);
            }
        }
        let guards = graph.dynamic().map_or(&[][..], |dynamic| &dynamic.guards);
        self.statements.extend(guards.iter().map(check_guard));
    }

    /// Reads the sizes that something is made of.
    fn read_sizes(&mut self, used: &HashSet<Arc<str>>) {
        let sizes = self.graph.dynamic().map_or(&[][..], |dynamic| &dynamic.sizes);
        for size in sizes.iter().filter(|size| used.contains(&size.name)) {
            let (name, Some(place)) = (identifier(&size.name), size.places.first()) else { continue };
            let value = match place {
                SizeOf::Extent(input, axis) => {
                    let (input, axis) = (self.names.of(*input), Literal::usize_unsuffixed(*axis));
                    quote!(#input.dim(#axis)?)
                }
                SizeOf::Value(input) => match self.found.get(input) {
                    Some(found) if name != found.place.to_string() => found.place.clone(),
                    _ => continue,
                },
            };
            let code = written(&format!("let {name} ="), &value, ";", 8);
            self.statements.push(Statement { node: Some(place.input()), code });
        }
    }

    /// An integer that is no size by itself has to be what it was made of.
    fn check_number(&mut self, id: NodeId) {
        let (Some(of), Some(found)) = (compared(self.graph, id), self.found.get(&id)) else { return };
        let name = self.fresh.take(&snake(&found.said));
        let code = written(&format!("let {name} ="), &found.place, ";", 8);
        self.statements.push(Statement { node: Some(id), code });
        let expected = text(&expression(&of));
        let sizes = sizes_in(&[&of]);
        let message = format!(
            "{} should be `{}`, where {sizes}, but is {{{name}}}",
            escaped(&found.called()),
            escaped(&of.to_string())
        );
        let code = refused(&format!("{name} != {expected}"), &message);
        self.statements.push(Statement { node: Some(id), code });
    }

    fn check_tensor(&mut self, id: NodeId) {
        let Fact::Tensor(fact) = &self.graph.node(id).meta().fact else { return };
        let dims: Vec<TokenStream> = match fact.extents() {
            Some(extents) => extents.iter().map(expression).collect(),
            None => fact.dims().iter().map(|dim| Literal::usize_unsuffixed(*dim).into_token_stream()).collect(),
        };
        let (tensor, dtype) = (self.names.of(id), literal(&Value::DType(fact.dtype), Kind::DType, None));
        let check = match self.found.get(&id) {
            Some(found) if found.is_state => {
                self.helpers.insert("expect_state");
                let slot = &found.said;
                quote!(expect_state(#slot, #tensor, #dtype, &[#(#dims),*])?)
            }
            _ => {
                self.helpers.insert("expect");
                let name = self.graph.node(id).name();
                quote!(expect(#name, #tensor, #dtype, &[#(#dims),*])?)
            }
        };
        self.statements.push(Statement { node: Some(id), code: written("", &check, ";", 8) });
    }
}

/// What an integer input is compared with; none if it is what a size is read from.
fn compared(graph: &Graph, id: NodeId) -> Option<SymInt> {
    let of = followed(graph, id)?;
    let size = of.as_symbol().and_then(|name| graph.dynamic()?.size(name));
    let is_first = size.is_some_and(|size| size.places.first() == Some(&SizeOf::Value(id)));
    (!is_first).then_some(of)
}

/// The sizes that the function of a graph names.
pub(super) fn used_sizes(graph: &Graph) -> HashSet<Arc<str>> {
    let mut used = HashSet::new();
    let mut note = |of: &SymInt| {
        of.for_each_symbol(&mut |name| {
            if !used.contains(name) {
                used.insert(name.clone());
            }
        });
    };
    if graph.dynamic().is_none() {
        return HashSet::new();
    }
    for (_, node) in graph.nodes() {
        node.arguments().for_each(|argument: &Argument| argument.for_each_expression(&mut note));
        node.all_input_nodes().filter_map(|id| followed(graph, id)).for_each(|of| note(&of));
    }
    for id in graph.placeholders() {
        if let Fact::Tensor(fact) = &graph.node(id).meta().fact {
            fact.extents().into_iter().flatten().for_each(&mut note);
        }
        compared(graph, id).iter().for_each(&mut note);
    }
    for guard in graph.dynamic().map_or(&[][..], |dynamic| &dynamic.guards) {
        guard.left.for_each_int(&mut note);
        guard.right.for_each_int(&mut note);
    }
    used
}

/// Whether the function of a graph names an integer input.
pub(super) fn is_number_used(graph: &Graph, id: NodeId, used: &HashSet<Arc<str>>) -> bool {
    let is_size = |of: SymInt| of.as_symbol().is_some_and(|name| used.contains(name));
    compared(graph, id).is_some() || followed(graph, id).is_some_and(is_size)
}

/// `batch = {batch}, seq = {seq}`.
fn sizes_in(expressions: &[&SymInt]) -> String {
    let mut sizes: Vec<Arc<str>> = Vec::new();
    for of in expressions {
        of.for_each_symbol(&mut |name| {
            if !sizes.contains(name) {
                sizes.push(name.clone());
            }
        });
    }
    sizes.iter().map(|name| format!("{name} = {{{name}}}")).collect::<Vec<_>>().join(", ")
}

/// The statement that refuses sizes at which the original takes another way than the graph.
fn check_guard(guard: &Guard) -> Statement {
    let mut sides = Vec::new();
    guard.left.for_each_int(&mut |of| sides.push(of.clone()));
    guard.right.for_each_int(&mut |of| sides.push(of.clone()));
    let found = sizes_in(&sides.iter().collect::<Vec<_>>());
    let at = guard.source.as_ref().map(|source| format!(" ({})", escaped(&source.to_string()))).unwrap_or_default();
    let message = format!("the model takes another way unless `{}`{at}, and here {found}", escaped(&guard.to_string()));
    let otherwise = text(&comparison(&guard.left, guard.relation.negated(), &guard.right));
    Statement::new(refused(&otherwise, &message))
}
