//! [`Occurrences`]: where in its arguments a node that reads many others reads each of them.
//!
//! A node is searched for the input that is replaced in it. One that reads thousands of others would be searched as often
//! as one of them is replaced; so when it is searched for the second time, it is written down where its inputs are, and
//! replacing all of them, one after the other, takes linear time.
//!
//! Invariant: what is written down of a node is where its arguments have which input now. Whoever changes arguments in
//! another way than here has it forgotten first.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use smallvec::SmallVec;

use super::argument::Argument;
use super::node::{Node, NodeId};

/// A node that reads no more than this is searched each time.
const FEW: usize = 32;

/// Number of an argument, those by position first, then of a part in it, of a part in that, and so on.
type Place = SmallVec<[u32; 4]>;
type Index = HashMap<NodeId, SmallVec<[Place; 1]>, foldhash::fast::RandomState>;

/// Of nodes that were searched before; of those that were searched twice with their index.
#[derive(Debug, Default)]
pub(super) struct Occurrences(HashMap<NodeId, Option<Index>, foldhash::fast::RandomState>);

/// A clone of a graph searches for itself.
impl Clone for Occurrences {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Occurrences {
    /// Makes the node `id` read `new` wherever it reads `old`.
    pub(super) fn replace(&mut self, id: NodeId, node: &mut Node, old: NodeId, new: NodeId) {
        if !self.0.is_empty()
            && let Some(Some(index)) = self.0.get_mut(&id)
        {
            let Some(places) = index.remove(&old) else { return };
            for place in &places {
                match node.argument_at(place) {
                    Some(argument) => *argument = Argument::Node(new),
                    None => debug_assert!(false, "arguments are as they were written down"),
                }
            }
            index.entry(new).or_default().extend(places);
            return;
        }
        let mut reads = 0;
        for argument in node.arguments_mut() {
            argument.for_each_node_mut(&mut |input| {
                reads += 1;
                if *input == old {
                    *input = new;
                }
            });
        }
        if reads > FEW {
            match self.0.entry(id) {
                Entry::Vacant(entry) => drop(entry.insert(None)),
                Entry::Occupied(mut entry) => drop(entry.insert(Some(index_of(node)))),
            }
        }
    }

    /// The arguments of a node are about to change.
    pub(super) fn forget(&mut self, id: NodeId) {
        if !self.0.is_empty() {
            self.0.remove(&id);
        }
    }

    /// What is written down of a node: each input with its places.
    #[cfg(test)]
    pub(super) fn of(&self, id: NodeId) -> Option<&Index> {
        self.0.get(&id)?.as_ref()
    }
}

/// Where a node reads what.
fn index_of(node: &Node) -> Index {
    let (mut index, mut place) = (Index::default(), Place::new());
    for (number, argument) in node.arguments().enumerate() {
        write_down(number, argument, &mut place, &mut index);
    }
    index
}

/// Arguments are nested no deeper than [`Argument::MAX_DEPTH`].
fn write_down(number: usize, argument: &Argument, place: &mut Place, index: &mut Index) {
    place.push(number as u32);
    if let Some(input) = argument.as_node() {
        index.entry(input).or_default().push(place.clone());
    } else {
        for (number, part) in argument.parts().enumerate() {
            write_down(number, part, place, index);
        }
    }
    place.pop();
}

#[cfg(test)]
mod tests {
    use super::super::graph::Graph;
    use super::super::random_edits::{Random, assert_well_formed};
    use super::*;

    /// Inputs and places in order.
    fn sorted(index: &Index) -> Vec<(NodeId, Vec<Place>)> {
        let mut all: Vec<(NodeId, Vec<Place>)> = index.iter().map(|(id, places)| (*id, places.to_vec())).collect();
        all.iter_mut().for_each(|(_, places)| places.sort());
        all.sort();
        all
    }

    /// Replaces inputs of a node at random, most of them several times, and changes its arguments in between.
    #[test]
    fn inputs_of_large_nodes_are_replaced_as_in_small_ones() {
        for seed in 0..20 {
            let mut random = Random(seed);
            let mut graph = Graph::new("g");
            let mut cursor = graph.at_end();
            let inputs: Vec<NodeId> = (0..60).map(|i| cursor.placeholder(&format!("x{i}"))).collect();
            let mut any = |count: usize| -> Vec<Argument> {
                (0..count).map(|_| inputs[random.below(inputs.len())].into()).collect()
            };
            let nested = Argument::structure("S", [("f".into(), Argument::List(any(30).into()))]);
            let tuple = Argument::from((any(20), 1, nested));
            let mut args = any(10);
            args.extend([tuple, Argument::None]);
            let hub = cursor.call_module("hub", args, [("k".into(), any(5).into())]);
            for step in 0..300 {
                if step % 97 == 96 {
                    graph.update_arg(hub, random.below(10), inputs[random.below(inputs.len())]);
                }
                let [old, new] = [0; 2].map(|_| inputs[random.below(inputs.len())]);
                let mapped = |argument: &Argument| argument.map_nodes(&mut |id| if id == old { new } else { id });
                let expected: Vec<Argument> = graph.node(hub).arguments().map(mapped).collect();
                graph.replace_input_with(hub, old, new);
                assert!(graph.node(hub).arguments().eq(&expected), "seed {seed}, step {step}");
                if let Some(index) = graph.occurrences.of(hub) {
                    assert_eq!(sorted(index), sorted(&index_of(graph.node(hub))), "seed {seed}, step {step}");
                }
            }
            assert!(graph.occurrences.of(hub).is_some(), "it was written down");
            assert_well_formed(&graph);
            graph.erase_node(hub).expect("nobody reads it");
            assert!(graph.occurrences.of(hub).is_none(), "it is forgotten");
        }
    }
}
