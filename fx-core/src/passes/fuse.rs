//! Making child graphs of groups of nodes.
//!
//! Everything is done on a copy. Each group becomes one call, put where its last node was; sorting the graph then
//! brings everything into order, and finds the groups that cannot become one. Calls with effects, or that draw random
//! numbers, are sorted as if each read the one before.
//!
//! Invariant: a fused module computes what it computed before, node by node, and has the same effects in the same order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::held;
use super::sequence::Sequence;
use crate::entity::SecondaryMap;
use crate::ir::{
    Argument, BindError, Cycle, Dynamic, Graph, Keyword, Meta, ModulePath, NodeId, Op, Origin, Size, SizeOf, Target,
};
use crate::module::{Attributes, CheckErrors, GraphModule};
use crate::ops::PART;
use crate::value::{Fact, SymInt};

/// Groups of nodes that cannot become child graphs. The module is as it was.
///
/// It names the group, and the nodes that stand against it.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FuseError {
    /// A node is in two groups, or twice in one.
    #[error("%{node} is in group {first} and in group {second}: groups must not overlap")]
    Overlap {
        /// The node.
        node: String,
        /// Number of a group, from 0.
        first: usize,
        /// Number of the other, or the same.
        second: usize,
    },
    /// A group has no nodes.
    #[error("group {group} is empty")]
    Empty {
        /// Its number, from 0.
        group: usize,
    },
    /// A node that is not in the graph, or is no call.
    #[error("group {group} has {node}, but only calls of this graph can be fused")]
    NotACall {
        /// Number of the group, from 0.
        group: usize,
        /// The node.
        node: String,
    },
    /// A path leads out of a group and back into it.
    #[error("a group cannot become one node: a path leads out of it and back in; {0}")]
    Cycle(Cycle),
    /// Calls with effects, or that draw random numbers, would run in another order.
    #[error(
        "a group cannot become one node: calls with effects, and random ones, keep their order, and of {} each would \
         have to run before the others",
        listed(nodes)
    )]
    Order {
        /// Names of nodes, or of groups, none of which can be the first.
        nodes: Vec<String>,
    },
    /// A call does not fit its operation: the graph is not correct.
    #[error("{reason}\n  in {line}")]
    Call {
        /// The node as the graph prints it.
        line: String,
        /// Why.
        reason: BindError,
    },
    /// A child graph is not correct.
    #[error("the child graph of a group is not correct: {0}")]
    Child(CheckErrors),
}

fn listed(nodes: &[String]) -> String {
    let names: Vec<String> = nodes.iter().map(|name| format!("%{name}")).collect();
    names.join(", ")
}

/// Makes a child graph of each group, under its name; returns the calls.
pub(super) fn fuse(module: &mut GraphModule, groups: &[(String, &[NodeId])]) -> Result<Vec<NodeId>, FuseError> {
    let group_of = validate(module.graph(), groups)?;
    let (mut graph, mut attributes) = (module.graph().clone(), module.attributes().clone());
    module.graph().share_hooks_with(&mut graph);
    let fused = groups.iter().enumerate().map(|(number, (name, _))| {
        let nodes = ordered(module.graph(), groups[number].1);
        fuse_one(&mut graph, &mut attributes, name, &nodes, |id| group_of[id] == Some(number))
    });
    let calls = fused.collect::<Result<Vec<NodeId>, FuseError>>()?;
    let sequence = Sequence::of(module.graph(), Some(module.attributes()));
    let mut kept = HashMap::new();
    let mut last = None;
    for (id, _) in module.graph().nodes().filter(|&(id, _)| sequence.contains(id)) {
        let unit = group_of[id].map_or(id, |group| calls[group]);
        if let Some(last) = last.filter(|&last| last != unit)
            && kept.insert(last, unit).is_some()
        {
            // It had to be left for another before, and was come back to.
            return Err(out_of_order(&mut graph, &[last, unit]));
        }
        last = Some(unit);
    }
    if let Some(last) = last.filter(|last| kept.contains_key(last)) {
        return Err(out_of_order(&mut graph, &[last, kept[&last]]));
    }
    if let Err(cycle) = graph.stable_topological_sort_keeping(&kept) {
        return Err(out_of_order(&mut graph, &cycle.nodes));
    }
    held::drop_stale(&held::named(module.graph()), &graph, &mut attributes);
    module.set_parts(graph, attributes);
    Ok(calls)
}

/// Why nodes cannot be sorted: because they read each other, or else because of their effects.
fn out_of_order(graph: &mut Graph, nodes: &[NodeId]) -> FuseError {
    match graph.stable_topological_sort() {
        Err(cycle) => FuseError::Cycle(cycle),
        Ok(()) => FuseError::Order { nodes: nodes.iter().map(|&id| graph.node(id).name().to_owned()).collect() },
    }
}

fn validate(graph: &Graph, groups: &[(String, &[NodeId])]) -> Result<SecondaryMap<NodeId, Option<usize>>, FuseError> {
    let mut group_of = SecondaryMap::<NodeId, Option<usize>>::new();
    for (group, (_, nodes)) in groups.iter().enumerate() {
        if nodes.is_empty() {
            return Err(FuseError::Empty { group });
        }
        for &id in *nodes {
            let is_call = |op: Op| matches!(op, Op::CallFunction | Op::CallMethod | Op::CallModule);
            match graph.try_node(id) {
                Some(node) if is_call(node.op()) => {}
                Some(_) => return Err(FuseError::NotACall { group, node: format!("`{}`", graph.node_line(id)) }),
                None => return Err(FuseError::NotACall { group, node: format!("{id:?}") }),
            }
            if let Some(first) = group_of[id].replace(group) {
                return Err(FuseError::Overlap { node: graph.node(id).name().to_owned(), first, second: group });
            }
        }
    }
    Ok(group_of)
}

/// Nodes in program order.
fn ordered(graph: &Graph, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable_by(|&a, &b| graph.is_before(b, a).cmp(&graph.is_before(a, b)));
    nodes
}

fn fuse_one(
    graph: &mut Graph,
    attributes: &mut Attributes,
    name: &str,
    nodes: &[NodeId],
    is_inside: impl Fn(NodeId) -> bool,
) -> Result<NodeId, FuseError> {
    let path = attributes.free_path(&ModulePath::new(name), None);
    // Inputs in order of first use, reads of attributes apart.
    let (mut inputs, mut reads) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for &id in nodes {
        for input in graph.node(id).all_input_nodes() {
            if !is_inside(input) && seen.insert(input) {
                if graph.node(input).op() == Op::GetAttr { reads.push(input) } else { inputs.push(input) }
            }
        }
    }
    let outputs: Vec<NodeId> =
        nodes.iter().copied().filter(|&id| graph.users(id).any(|user| !is_inside(user))).collect();

    let mut inside = Graph::new(name);
    // Not a map beside every node of the graph: there can be many small groups.
    let mut map = HashMap::new();
    for &input in &inputs {
        let placeholder = inside.at_end().placeholder(graph.node(input).name());
        *inside.meta_mut(placeholder) = graph.node(input).meta().clone();
        map.insert(input, placeholder);
    }
    let sizes = own_sizes(graph, &mut inside, inputs.iter().chain(&reads).chain(nodes));
    let mut own = Attributes::new();
    for &id in reads.iter().chain(nodes) {
        let node = graph.node(id);
        let mapped = |argument: &Argument| argument.map_nodes(&mut |id| map.get(&id).copied().unwrap_or(id));
        let args: Vec<Argument> = node.args().iter().map(mapped).collect();
        let kwargs: Vec<_> = node.kwargs().iter().map(|(name, argument)| (name.clone(), mapped(argument))).collect();
        let copy = inside.at_end().create_node(node.target().clone(), args, kwargs, Some(node.name()));
        let copy = copy.map_err(|error| FuseError::Call { line: graph.node_line(id), reason: error })?;
        *inside.meta_mut(copy) = node.meta().clone();
        map.insert(id, copy);
        if let Some(held) = graph.node(id).target().path()
            && let Some(attribute) = attributes.fetch(held)
        {
            own.insert(held.clone(), attribute);
        }
    }
    let results: Vec<Argument> = outputs.iter().filter_map(|id| map.get(id)).map(|&id| Argument::Node(id)).collect();
    let single = results.len() == 1;
    let result = if single { results[0].clone() } else { Argument::Tuple(results.into()) };
    inside.at_end().output(result);
    let made = GraphModule::new(inside, own).map_err(FuseError::Child)?;
    attributes.insert(path.clone(), made);

    let last = nodes[nodes.len() - 1];
    let meta = outer_meta(graph, nodes);
    let args: Vec<Argument> = inputs.iter().map(|&id| id.into()).chain(sizes).collect();
    let call = graph.inserting_after(last).call_module(path, args, []);
    *graph.meta_mut(call) = meta;
    if single {
        graph.meta_mut(call).fact = graph.node(outputs[0]).meta().fact.clone();
        replace_outside(graph, outputs[0], call, &is_inside);
    } else {
        let facts: Vec<Fact> = outputs.iter().map(|&id| graph.node(id).meta().fact.clone()).collect();
        if facts.iter().any(|fact| !fact.is_unknown()) {
            graph.meta_mut(call).fact = Fact::Tuple(facts);
        }
        let mut after = call;
        for (index, &old) in outputs.iter().enumerate() {
            let part = part(graph, after, call, index);
            *graph.meta_mut(part) = graph.node(old).meta().clone();
            replace_outside(graph, old, part, &is_inside);
            after = part;
        }
    }
    for &id in nodes.iter().rev().chain(&reads) {
        if graph.user_count(id) == 0 && graph.erase_node(id).is_err() {
            debug_assert!(false, "a node without readers can be erased");
        }
    }
    Ok(call)
}

/// The sizes that some nodes follow, as inputs of the child graph that are integers; what the call gives for them.
fn own_sizes<'n>(graph: &Graph, inside: &mut Graph, nodes: impl Iterator<Item = &'n NodeId>) -> Vec<Argument> {
    let Some(dynamic) = graph.dynamic() else { return Vec::new() };
    let mut used = HashSet::new();
    for &id in nodes {
        let node = graph.node(id);
        let mut add = |of: &SymInt| of.for_each_symbol(&mut |name| _ = used.insert(name.clone()));
        node.arguments().for_each(|argument| argument.for_each_expression(&mut add));
        node.meta().fact.for_each_expression(&mut add);
    }
    let (mut sizes, mut given) = (Vec::new(), Vec::new());
    for size in dynamic.sizes.iter().filter(|size| used.contains(&size.name)) {
        let symbol = SymInt::symbol(size.name.clone(), size.hint);
        let input = inside.at_end().placeholder(&size.name);
        inside.meta_mut(input).fact = Fact::SymInt(symbol.clone());
        sizes.push(Size { places: vec![SizeOf::Value(input)], ..size.clone() });
        given.push(symbol.into());
    }
    if !sizes.is_empty() {
        inside.set_dynamic(Some(Dynamic { sizes, guards: Vec::new() }));
    }
    given
}

fn replace_outside(graph: &mut Graph, old: NodeId, new: NodeId, is_inside: &impl Fn(NodeId) -> bool) {
    graph.replace_uses_where(old, new, |user| !is_inside(user));
}

/// One of the results of a call, as a node of its own.
fn part(graph: &mut Graph, after: NodeId, call: NodeId, index: usize) -> NodeId {
    let (mut args, mut kwargs) = (Vec::new(), Vec::<(Keyword, Argument)>::new());
    for (param, argument) in PART.params.iter().zip([call.into(), Argument::from(index)]) {
        if param.positional { args.push(argument) } else { kwargs.push((param.name.into(), argument)) }
    }
    graph.inserting_after(after).call(&PART, args, kwargs).expect("the operation takes a list and a position")
}

/// What the call remembers of the nodes it stands for.
fn outer_meta(graph: &Graph, nodes: &[NodeId]) -> Meta {
    let first = graph.node(nodes[0]).meta();
    let mut meta = Meta::recorded(first.source.clone(), first.module.clone());
    let (pass, name): (Arc<str>, Arc<str>) = ("fuse".into(), graph.name().into());
    for &id in nodes {
        meta.add_origin(Origin { pass: pass.clone(), node: graph.node(id).name().into(), graph: name.clone() });
    }
    meta
}

/// Makes a child graph of each part of a model: torch.fx's `split_module`. `part` says to which part a call belongs, or
/// that it stays outside.
///
/// Parts are called `submod_0`, `submod_1`, … after their numbers, and are called in an order in which each comes
/// after those it needs; otherwise program order is kept.
///
/// ```
/// use fx_core::passes::split_module;
/// use fx_core::trace::Tracer;
///
/// let module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.relu()?.exp()?.tanh()?.neg())?;
/// let mut count = 0;
/// let split = split_module(&module, |_, _| {
///     count += 1;
///     Some(count / 3)
/// })?;
/// assert_eq!(
///     split.graph().nodes().map(|(_, node)| node.name()).collect::<Vec<_>>(),
///     ["x", "submod_0", "submod_1", "output"],
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If parts need each other in a ring. A call with effects, or that draws random numbers, counts as needing the one
/// before: their order is kept.
pub fn split_module(
    module: &GraphModule,
    mut part: impl FnMut(&Graph, NodeId) -> Option<usize>,
) -> Result<GraphModule, FuseError> {
    let graph = module.graph();
    let mut parts: indexmap::IndexMap<usize, Vec<NodeId>> = indexmap::IndexMap::new();
    for (id, node) in graph.nodes() {
        if !matches!(node.target(), Target::Placeholder(_) | Target::GetAttr(_) | Target::Output)
            && let Some(part) = part(graph, id)
        {
            parts.entry(part).or_default().push(id);
        }
    }
    let groups: Vec<(String, &[NodeId])> =
        parts.iter().map(|(part, nodes)| (format!("submod_{part}"), &**nodes)).collect();
    let mut split = module.clone();
    fuse(&mut split, &groups)?;
    Ok(split)
}
