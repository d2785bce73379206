//! Putting a copy of a replacement into a graph, at the place of one match.
//!
//! Invariant: copies come after everything they read and before everything that reads what they replace, and calls with
//! effects keep their order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::facts;
use super::matcher::InternalMatch;
use super::pattern::Pattern;
use super::rewriter::RewriteError;
use super::sequence::Sequence;
use crate::entity::SecondaryMap;
use crate::ir::{Argument, Graph, Keyword, Meta, ModulePath, NodeId, Op, Origin, Target};
use crate::module::Attributes;
use crate::module::infer_sizes::Inference;

/// Under which paths the layers and tensors of a replacement are in the module, and the nodes that read its tensors.
#[derive(Default)]
pub(super) struct Installed(HashMap<ModulePath, ModulePath>);

/// What was put in.
pub(super) struct Spliced {
    /// The new nodes, in order.
    pub(super) added: Vec<NodeId>,
    /// What the replacement returns.
    pub(super) results: Vec<NodeId>,
}

/// What became of the nodes that matches returned.
pub(super) type Replaced = HashMap<NodeId, NodeId, foldhash::fast::RandomState>;

/// Copies a replacement to the place of a match; nothing if earlier replacements left no place for it.
#[expect(clippy::too_many_arguments, reason = "each is borrowed from another owner")]
pub(super) fn splice(
    pass: &Arc<str>,
    graph: &mut Graph,
    attributes: &mut Attributes,
    one: &InternalMatch,
    replacement: &Pattern,
    installed: &mut Installed,
    replaced: &Replaced,
    sequence: &mut Sequence,
    inference: &mut Inference,
) -> Result<Option<Spliced>, RewriteError> {
    let inputs: Vec<Option<Argument>> = one
        .placeholder_nodes
        .iter()
        .map(|input| Some(input.as_ref()?.map_nodes(&mut |id| resolve(replaced, id))))
        .collect();
    let Ok(at) = place(graph, one, &inputs, sequence) else { return Ok(None) };
    let meta = inherited(pass, graph, one);
    let inside = replacement.graph();
    let mut map = SecondaryMap::<NodeId, Option<Argument>>::new();
    for (placeholder, input) in inside.placeholders().zip(inputs) {
        map[placeholder] = input;
    }
    let mut added = Vec::new();
    for (id, node) in inside.nodes() {
        if matches!(node.op(), Op::Placeholder | Op::Output) {
            continue;
        }
        let too_deep = || RewriteError::TooDeep { line: inside.node_line(id) };
        let mapped = |argument: &Argument| {
            let mapped = argument.try_map_nodes(&mut |id| map[id].clone());
            mapped.filter(|mapped| !mapped.is_deeper_than(Argument::MAX_DEPTH)).ok_or_else(too_deep)
        };
        let args = node.args().iter().map(mapped).collect::<Result<Vec<_>, _>>()?;
        let kwargs = node.kwargs().iter().map(|(keyword, argument)| Ok((keyword.clone(), mapped(argument)?)));
        let kwargs = kwargs.collect::<Result<Vec<(Keyword, Argument)>, RewriteError>>()?;
        let target = match node.target() {
            Target::GetAttr(path) => Target::GetAttr(install(attributes, replacement, path, installed)?),
            Target::CallModule(path) => Target::CallModule(install(attributes, replacement, path, installed)?),
            other => other.clone(),
        };
        let mut cursor = match at {
            Some(at) => graph.inserting_before(at),
            None => graph.at_end(),
        };
        let refused = |line: String, reason: String, graph: &Graph| RewriteError::Refused {
            line,
            anchor: graph.node(one.anchors[0]).name().to_owned(),
            reason,
        };
        let new = match cursor.create_node(target, args, kwargs, None) {
            Ok(new) => new,
            Err(error) => return Err(refused(inside.node_line(id), error.to_string(), graph)),
        };
        *graph.meta_mut(new) = meta.clone();
        match facts::infer(graph, attributes, inference, new) {
            Ok(fact) => graph.meta_mut(new).fact = fact,
            Err(error) => return Err(refused(graph.node_line(new), error.0, graph)),
        }
        map[id] = Some(Argument::Node(new));
        added.push(new);
    }
    let mut results = Vec::with_capacity(one.returning_nodes.len());
    for (id, &old) in replacement.returned().zip(&one.returning_nodes) {
        match map[id].as_ref().and_then(Argument::as_node) {
            Some(new) => results.push(new),
            None => return Err(RewriteError::LiteralResult { node: graph.node(old).name().to_owned() }),
        }
    }
    sequence.replace(&one.inner, &added, graph, attributes);
    Ok(Some(Spliced { added, results }))
}

/// What became of a node; of what it became, too.
fn resolve(replaced: &Replaced, mut id: NodeId) -> NodeId {
    while let Some(&next) = replaced.get(&id) {
        id = next;
    }
    id
}

/// There is no place for a replacement: what reads it has to come before what it reads.
struct NoPlace;

/// The node that the replacement comes before; none at the end.
fn place(
    graph: &mut Graph,
    one: &InternalMatch,
    inputs: &[Option<Argument>],
    sequence: &Sequence,
) -> Result<Option<NodeId>, NoPlace> {
    let earlier = |graph: &Graph, a: NodeId, b: NodeId| if graph.is_before(b, a) { b } else { a };
    let later = |graph: &Graph, a: NodeId, b: NodeId| if graph.is_before(a, b) { b } else { a };
    let inside = |id: NodeId| one.inner.contains(&id);
    // A call with effects counts as reading the one before.
    let (before, after) = sequence.around(&one.inner);
    let data_readers = || one.returning_nodes.iter().flat_map(|&id| graph.users(id)).filter(|&user| !inside(user));
    let readers = || data_readers().chain(after);
    let first_reader = readers().reduce(|a, b| earlier(graph, a, b));
    let mut last_input: Option<NodeId> = before;
    for input in inputs.iter().flatten() {
        input.for_each_node(&mut |id| last_input = Some(last_input.map_or(id, |last| later(graph, last, id))));
    }
    let Some(first_reader) = first_reader else {
        let last = one.returning_nodes.iter().copied().reduce(|a, b| later(graph, a, b));
        return Ok(last.and_then(|last| graph.next(last)));
    };
    let Some(last_input) = last_input.filter(|&last| !graph.is_before(last, first_reader)) else {
        return Ok(Some(first_reader));
    };
    // Whatever reads the match and comes before the last input moves behind it. None of it is read by an input: the
    // match could not become one node then. Only where earlier matches became one, too, that can be so nevertheless.
    let mut needed: HashSet<NodeId> = before.into_iter().collect();
    inputs.iter().flatten().for_each(|input| input.for_each_node(&mut |id| needed.extend([id])));
    let mut moving: Vec<NodeId> = Vec::new();
    let mut seen = HashSet::new();
    let mut pending: Vec<NodeId> = readers().filter(|&user| !graph.is_before(last_input, user)).collect();
    while let Some(id) = pending.pop() {
        if needed.contains(&id) {
            return Err(NoPlace);
        }
        if seen.insert(id) {
            moving.push(id);
            let readers = graph.users(id).chain(sequence.next(id));
            pending.extend(readers.filter(|&user| !inside(user) && !graph.is_before(last_input, user)));
        }
    }
    moving.sort_unstable_by(|&a, &b| graph.is_before(b, a).cmp(&graph.is_before(a, b)));
    let mut after = last_input;
    for &id in &moving {
        graph.append(after, id);
        after = id;
    }
    Ok(moving.first().copied().or_else(|| graph.next(last_input)))
}

/// What new nodes remember of the match.
fn inherited(pass: &Arc<str>, graph: &Graph, one: &InternalMatch) -> Meta {
    let anchor = graph.node(one.anchors[0]).meta();
    let mut meta = Meta::recorded(anchor.source.clone(), anchor.module.clone());
    for (key, value) in anchor.annotations() {
        meta.annotate(key.clone(), value.clone());
    }
    anchor.from().iter().for_each(|origin| meta.add_origin(origin.clone()));
    for &id in one.inner.iter().filter(|&&id| graph.node(id).op() != Op::GetAttr) {
        meta.add_origin(Origin { pass: pass.clone(), node: graph.node(id).name().into(), graph: graph.name().into() });
    }
    meta
}

/// The path under which the module has a layer or tensor of the replacement; put there now if it was not yet.
fn install(
    attributes: &mut Attributes,
    replacement: &Pattern,
    path: &ModulePath,
    installed: &mut Installed,
) -> Result<ModulePath, RewriteError> {
    if let Some(held) = installed.0.get(path) {
        return Ok(held.clone());
    }
    let missing = || RewriteError::MissingAttribute { path: path.to_string() };
    let Some(own) = replacement.attributes() else {
        // A bare graph names what the module has.
        return if attributes.fetch(path).is_some() { Ok(path.clone()) } else { Err(missing()) };
    };
    let attribute = own.fetch(path).ok_or_else(missing)?;
    let held = attributes.free_path(path, None);
    attributes.insert(held.clone(), attribute);
    installed.0.insert(path.clone(), held.clone());
    Ok(held)
}
