//! [`Checks`]: the statements that read the sizes of a run, and refuse inputs and states that the graph does not hold for.
//!
//! Invariant: what the interpreter refuses is refused before the first step.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::ir::{Argument, Graph, Guard, NodeId, SizeOf};
use crate::ops::kind::Kind;
use crate::value::{Fact, Relation, SymInt, SymNumber, Value};

use super::super::format::TAB;
use super::super::identifier::identifier;
use super::super::literal::literal;
use super::super::names::Names;
use super::super::size::{comparison, expression};
use super::super::source::Statement;
use super::bind::{Found, FoundAt, List, code, escaped, numbered, refused, text};
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
        // Which list of the state each is in.
        let mut list_of: HashMap<NodeId, usize> = HashMap::new();
        for (number, list) in self.found.lists.iter().enumerate() {
            list_of.extend(list.elements.iter().flat_map(IndexMap::keys).map(|id| (*id, number)));
        }
        let mut done: HashSet<usize> = HashSet::new();
        for id in graph.placeholders() {
            match list_of.get(&id) {
                Some(number) if !done.insert(*number) => {}
                Some(number) => self.check_list(&self.found.lists[*number], with_shapes),
                None => {
                    let mut statements = Vec::new();
                    self.check(id, with_shapes, None, &mut statements);
                    self.statements.extend(statements);
                }
            }
        }
        let guards = graph.dynamic().map_or(&[][..], |dynamic| &dynamic.guards);
        // The bounds of a size are one check, where the first of them stands.
        let mut bounds: HashMap<&Arc<str>, Bounds> = HashMap::new();
        for (i, guard) in guards.iter().enumerate() {
            if let Some((size, bound)) = bound(guard) {
                let of = bounds.entry(size).or_default();
                match bound {
                    Bound::Least(least) => _ = of.least.get_or_insert((i, least)),
                    Bound::Most(most) => _ = of.most.get_or_insert((i, most)),
                }
            }
        }
        for (i, guard) in guards.iter().enumerate() {
            let of = bound(guard).and_then(|(size, _)| bounds[size].least.zip(bounds[size].most).map(|of| (size, of)));
            match of.filter(|(_, (least, most))| [least.0, most.0].contains(&i)) {
                Some((size, (least, most))) if i == least.0.min(most.0) => {
                    self.statements.push(check_bounds(size, least.1, most.1));
                }
                Some(_) => {}
                None => self.statements.push(check_guard(guard)),
            }
        }
    }

    /// Reads the sizes that something is made of.
    fn read_sizes(&mut self, used: &HashSet<Arc<str>>) {
        let sizes = self.graph.dynamic().map_or(&[][..], |dynamic| &dynamic.sizes);
        for size in sizes.iter().filter(|size| used.contains(&size.name)) {
            let (name, Some(place)) = (identifier(&size.name), size.places.first()) else { continue };
            let value = match place {
                SizeOf::Extent(input, axis) => {
                    let (input, axis) = (self.place(*input), Literal::usize_unsuffixed(*axis));
                    quote!(#input.dim(#axis)?)
                }
                SizeOf::Value(input) => match self.found.by_node.get(input) {
                    Some(found) if name != found.place.to_string() => found.place.clone(),
                    _ => continue,
                },
            };
            let code = written(&format!("let {name} ="), &value, ";", INDENT);
            self.statements.push(Statement { node: Some(place.input()), code });
        }
    }

    /// A placeholder by its name, or where it was found.
    fn place(&self, id: NodeId) -> TokenStream {
        match (self.names.try_of(id), self.found.by_node.get(&id)) {
            (None, Some(found)) => found.place.clone(),
            (name, _) => name.to_token_stream(),
        }
    }

    /// Checks the elements of a list, in a loop if they are alike.
    fn check_list(&mut self, list: &List, with_shapes: bool) {
        let each = list.elements.iter().map(|element| {
            let (fresh, mut statements) = (self.fresh.clone(), Vec::new());
            element.keys().for_each(|id| self.check(*id, with_shapes, Some(element), &mut statements));
            *self.fresh = fresh;
            statements
        });
        let each: Vec<Vec<Statement>> = each.collect();
        if each.windows(2).all(|two| two[0].iter().map(code).eq(two[1].iter().map(code))) {
            let first = each.first().filter(|first| !first.is_empty());
            self.statements.extend(first.map(|first| list.each(first)));
            return;
        }
        for element in &list.elements {
            let mut statements = Vec::new();
            element.keys().for_each(|id| self.check(*id, with_shapes, None, &mut statements));
            self.statements.extend(statements);
        }
    }

    /// Checks a placeholder, in the round of a loop if it was found in that.
    fn check(
        &mut self,
        id: NodeId,
        with_shapes: bool,
        element: Option<&IndexMap<NodeId, Found>>,
        statements: &mut Vec<Statement>,
    ) {
        let found = element.unwrap_or(&self.found.by_node).get(&id);
        let indent = if element.is_some() { INDENT + TAB } else { INDENT };
        // One that a size is read from is what it is; in a loop, one of them.
        let compared = if element.is_some() { followed(self.graph, id) } else { compared(self.graph, id) };
        if let (Some(of), Some(found)) = (compared, found) {
            let name = self.fresh.take(&snake(&found.said));
            let code = written(&format!("let {name} ="), &found.place, ";", indent);
            statements.push(Statement { node: Some(id), code });
            let expected = text(&expression(&of));
            let sizes = sizes_in(&[&of]);
            let message = format!(
                "{} should be `{}`, where {sizes}, but is {{{name}}}",
                escaped(&found.called()),
                escaped(&of.to_string())
            );
            let code = refused(&format!("{name} != {expected}"), &message, indent);
            statements.push(Statement { node: Some(id), code });
        }
        let Fact::Tensor(fact) = &self.graph.node(id).meta().fact else { return };
        if !with_shapes {
            return;
        }
        let dims: Vec<TokenStream> = match fact.extents() {
            Some(extents) => extents.iter().map(expression).collect(),
            None => fact.dims().iter().map(|dim| Literal::usize_unsuffixed(*dim).into_token_stream()).collect(),
        };
        let dtype = literal(&Value::DType(fact.dtype), Kind::DType, None);
        let tensor = match (self.names.try_of(id), found) {
            (None, Some(Found { place, .. })) if element.is_some() && syn::parse2::<Ident>(place.clone()).is_ok() => {
                place.clone()
            }
            (None, Some(Found { place, .. })) => quote!(&#place),
            (name, _) => name.to_token_stream(),
        };
        let check = match found {
            Some(found) if found.is_state => {
                self.helpers.insert("expect_state");
                let slot = numbered(&found.said, element.is_some());
                quote!(expect_state(#slot, #tensor, #dtype, &[#(#dims),*])?)
            }
            _ => {
                self.helpers.insert("expect");
                let name = self.graph.node(id).name();
                quote!(expect(#name, #tensor, #dtype, &[#(#dims),*])?)
            }
        };
        statements.push(Statement { node: Some(id), code: written("", &check, ";", indent) });
    }
}

/// The indentation of the statements of a function.
const INDENT: usize = 8;

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

/// The bounds of a size, each with the number of its guard.
#[derive(Default)]
struct Bounds {
    least: Option<(usize, i64)>,
    most: Option<(usize, i64)>,
}

/// A bound of a size, which is in reach itself.
enum Bound {
    Least(i64),
    Most(i64),
}

/// The size and its bound, of a guard that is what the capture was tried at and no more.
fn bound(guard: &Guard) -> Option<(&Arc<str>, Bound)> {
    let (SymNumber::Int(size), SymNumber::Int(number)) = (&guard.left, &guard.right) else { return None };
    let (size, number) = (size.as_symbol()?, number.as_int().filter(|number| *number >= 0)?);
    let bound = match guard.relation {
        Relation::Ge => Bound::Least(number),
        Relation::Gt => Bound::Least(number.checked_add(1)?),
        Relation::Le => Bound::Most(number),
        Relation::Lt => Bound::Most(number.checked_sub(1)?),
        Relation::Eq | Relation::Ne => return None,
    };
    guard.source.is_none().then_some((size, bound))
}

/// The statement that refuses a size beyond its bounds.
fn check_bounds(size: &Arc<str>, least: i64, most: i64) -> Statement {
    let name = identifier(size);
    let (from, to) = (Literal::i64_unsuffixed(least), Literal::i64_unsuffixed(most));
    let message =
        format!("the model takes another way unless `{least} <= {size} <= {most}`, and here {size} = {{{size}}}");
    Statement::new(refused(&text(&quote!(!(#from..=#to).contains(&#name))), &message, INDENT))
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
    Statement::new(refused(&otherwise, &message, INDENT))
}
