//! What is known of the values of nodes that a pass made or changed.
//!
//! Invariant: a fact written here is what the operation or layer makes of the facts of its arguments, so that the graph
//! stays correct by rule V9.

use smallvec::SmallVec;

use crate::entity::SecondaryMap;
use crate::ir::{Graph, NodeId, Target};
use crate::module::infer_sizes::Inference;
use crate::module::{Attribute, Attributes};
use crate::ops::InferError;
use crate::value::Fact;

/// What follows of a node's value from what is known of its arguments; unknown where they are.
///
/// # Errors
///
/// If the operation or layer does not take such arguments.
pub(super) fn infer(
    graph: &Graph,
    attributes: &Attributes,
    inference: &mut Inference,
    id: NodeId,
) -> Result<Fact, InferError> {
    let node = graph.node(id);
    let mut fact_of = |input: NodeId| graph.node(input).meta().fact.clone();
    match node.target() {
        Target::Placeholder(_) | Target::Output => Ok(node.meta().fact.clone()),
        Target::CallModule(path) if let Ok(Attribute::Module(child)) = attributes.callee(path) => {
            let facts: SmallVec<[Fact; 4]> = node.arguments().map(|argument| argument.fact(&mut fact_of)).collect();
            Ok(result_of(child.graph(), &facts))
        }
        target => inference.call(attributes, target, node.args(), node.kwargs(), &mut fact_of),
    }
}

/// What is known of the result of a child graph, if it was made for just such inputs.
fn result_of(child: &Graph, inputs: &[Fact]) -> Fact {
    let fact_of = |id: NodeId| child.node(id).meta().fact.clone();
    let is_made_for = child.placeholders().map(fact_of).eq(inputs.iter().cloned());
    let result = child.output_node().and_then(|output| child.node(output).args().first());
    match result {
        Some(result) if is_made_for => result.fact(&mut |id| fact_of(id)),
        _ => Fact::Unknown,
    }
}

/// Computes anew what is known of everything that depends on these nodes, whose facts have changed.
///
/// # Errors
///
/// The first node that does not take what its arguments have become.
pub(super) fn propagate(
    graph: &mut Graph,
    attributes: &Attributes,
    inference: &mut Inference,
    changed: &[NodeId],
) -> Result<(), (NodeId, InferError)> {
    let mut stale = SecondaryMap::<NodeId, bool>::new();
    let mark = |graph: &Graph, stale: &mut SecondaryMap<NodeId, bool>, id: NodeId| {
        graph.users(id).for_each(|user| stale[user] = true);
    };
    changed.iter().for_each(|&id| mark(graph, &mut stale, id));
    let mut next = changed.iter().copied().reduce(|a, b| if graph.is_before(b, a) { b } else { a });
    while let Some(id) = next {
        if stale[id] {
            let fact = infer(graph, attributes, inference, id).map_err(|error| (id, error))?;
            if fact != graph.node(id).meta().fact {
                graph.meta_mut(id).fact = fact;
                mark(graph, &mut stale, id);
            }
        }
        next = graph.next(id);
    }
    Ok(())
}
