//! The random editor: seeded sequences of edits, after which everything that edits keep is computed anew and compared.
//!
//! Invariant: an edit here is legal for the graph, though what it makes is not always a graph that [`Graph::verify`]
//! accepts.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::samples::{ADD, CLAMP, RELU, add, my_module, relu};
use super::{Argument, Graph, Node, NodeId, NodeMap, Op, Signature, Target, Walk, is_legal_name};

/// Compared after every edit: this many sequences of this many edits.
const SHORT: (u64, usize) = (40, 250);
/// Compared after every batch: this many sequences of this many batches of edits.
const LONG: (u64, usize, usize) = (4, 60, 200);
/// Sequences add nodes faster than they erase them; beyond this many, only erasing goes on.
const MOST: usize = 400;

const SET_SIGNATURE: usize = 17;
const COPY: usize = 23;

/// Recomputes everything that edits keep, from scratch: order, users, names, the table by target.
#[track_caller]
pub(super) fn assert_well_formed(graph: &Graph) {
    let forward: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    let mut backward: Vec<NodeId> = graph.nodes().rev().map(|(id, _)| id).collect();
    backward.reverse();
    assert_eq!(forward, backward, "the order is the same both ways");
    assert_eq!(forward.len(), graph.len());
    assert_eq!(forward.iter().copied().collect::<HashSet<_>>().len(), graph.len(), "every node comes once");
    for pair in forward.windows(2) {
        assert_eq!((graph.next(pair[0]), graph.prev(pair[1])), (Some(pair[1]), Some(pair[0])));
        assert!(graph.is_before(pair[0], pair[1]) && !graph.is_before(pair[1], pair[0]));
    }
    for (mut walk, first) in [(Walk::forward(), forward.first()), (Walk::backward(), forward.last())] {
        assert_eq!(walk.next(graph).as_ref(), first);
        assert_eq!(std::iter::from_fn(|| walk.next(graph)).count(), graph.len().saturating_sub(1));
    }

    let mut users: BTreeMap<NodeId, BTreeMap<NodeId, u32>> = BTreeMap::new();
    let mut names = HashSet::new();
    for (id, node) in graph.nodes() {
        node.for_each_use(&mut |input| *users.entry(input).or_default().entry(id).or_default() += 1);
        assert!(is_legal_name(node.name()) && names.insert(node.name()), "{}", node.name());
        assert_eq!(graph.node_named(node.name()), Some(id));
    }
    for &id in &forward {
        let expected = users.remove(&id).unwrap_or_default();
        let found: Vec<NodeId> = graph.users(id).collect();
        assert_eq!(found.len(), expected.len(), "users of %{}", graph.node(id).name());
        assert_eq!(graph.user_count(id), expected.len());
        let found: BTreeMap<NodeId, u32> = found.iter().map(|&user| (user, graph.users[id].times(user))).collect();
        assert_eq!(found, expected, "users of %{}", graph.node(id).name());
    }
    assert!(users.is_empty(), "arguments name nodes of the graph");

    let mut by_target: HashMap<Target, Vec<NodeId>> = HashMap::new();
    for (id, node) in graph.nodes() {
        by_target.entry(node.target().clone()).or_default().push(id);
    }
    for (target, expected) in &by_target {
        assert_eq!(graph.find_nodes(target.op(), Some(target)).collect::<Vec<_>>(), *expected, "{target}");
    }
    for op in Op::ALL {
        let expected: Vec<NodeId> = graph.nodes().filter(|(_, node)| node.op() == op).map(|(id, _)| id).collect();
        assert_eq!(graph.find_nodes(op, None).collect::<Vec<_>>(), expected, "{op}");
    }
}

/// A small generator of numbers; the same in every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// One edit of any kind, which is returned.
fn edit(graph: &mut Graph, random: &mut Random) -> usize {
    if graph.is_empty() {
        graph.at_end().placeholder("x");
        return 0;
    }
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    let mut any = {
        let mut random = Random(random.below(usize::MAX) as u64);
        move || ids[random.below(ids.len())]
    };
    let kind = if graph.len() > MOST { 20 + random.below(4) } else { random.below(28) };
    match kind {
        0 => _ = graph.at_start().placeholder("x"),
        1 => _ = graph.at_end().get_attr("layers.0.weight"),
        2 => _ = add(&mut graph.inserting_before(any()), any(), any()),
        3 => _ = relu(&mut graph.inserting_after(any()), any()),
        4 => {
            let items: Vec<Argument> = (0..random.below(5)).map(|_| any().into()).collect();
            let path = ["m", "n", "m.0"][random.below(3)];
            graph.inserting_after(any()).call_module(path, [items.into(), any().into()], [("k".into(), any().into())]);
        }
        5 => {
            let (id, args): (_, Vec<Argument>) = (any(), (0..random.below(4)).map(|_| any().into()).collect());
            graph.set_args(id, args);
        }
        6 => graph.set_kwargs(any(), [("k".into(), any().into())]),
        7 => _ = graph.replace_all_uses_with(any(), any()),
        8 => {
            let mut coin = Random(random.below(1000) as u64);
            graph.replace_uses_where(any(), any(), |_| coin.below(2) == 0);
        }
        9 => graph.prepend(any(), any()),
        10 => graph.append(any(), any()),
        11 => _ = graph.rename(any(), ["add", "x", "relu_3", "type"][random.below(4)]),
        12 => _ = graph.set_call(any(), Target::CallFunction(&ADD), [any().into(), any().into()], []),
        13 => _ = graph.set_target(any(), Target::GetAttr(format!("p{}", random.below(200)).into())),
        14 => _ = graph.set_target(any(), Target::CallMethod(&RELU)),
        15 => {
            let id = any();
            match graph.node(id).args().len() {
                0 => graph.insert_arg(id, 0, any()),
                count => _ = graph.update_arg(id, random.below(count), [any(), any()]),
            }
        }
        16 => _ = graph.update_kwarg(any(), ["k", "min", "max"][random.below(3)], any()),
        SET_SIGNATURE => {
            let mut parameters: Vec<_> =
                graph.placeholders().map(|id| (graph.node(id).name().into(), id.into())).collect();
            parameters.push(("n".into(), 3.into()));
            graph.set_signature(Some(Signature { parameters: parameters.into() }));
        }
        18 => {
            let id = any();
            let input = graph.node(id).all_input_nodes().next();
            graph.replace_input_with(id, input.unwrap_or(id), any());
        }
        19 => {
            let from = my_module();
            let map = &mut [(from.first().expect("an input"), any())].into_iter().collect();
            graph.inserting_before(any()).graph_copy(&from, map);
        }
        20 if random.below(8) == 0 => _ = graph.eliminate_dead_code(None),
        21 if random.below(8) == 0 => {
            let before = graph.to_string();
            match graph.stable_topological_sort() {
                Ok(()) => {
                    let errors = graph.verify().err().map_or(Vec::new(), |errors| errors.0);
                    assert!(errors.iter().all(|error| error.rule() != "V4"), "{errors:?}");
                }
                Err(cycle) => {
                    assert_eq!(graph.to_string(), before);
                    let next = cycle.nodes.iter().cycle().skip(1);
                    for (&id, &input) in cycle.nodes.iter().zip(next) {
                        assert!(graph.node(id).all_input_nodes().any(|found| found == input), "{cycle}");
                    }
                }
            }
        }
        22 => {
            let mut walk = if random.below(2) == 0 { Walk::forward() } else { Walk::backward() };
            while let Some(id) = walk.next(graph) {
                assert!(graph.contains(id));
                if random.below(16) == 0 {
                    _ = graph.erase_node(id);
                }
            }
        }
        COPY if random.below(64) == 0 => *graph = copied(graph),
        25 => {
            let (at, moved) = (any(), [any(), any(), any()]);
            let mut cursor = if random.below(4) == 0 { graph.at_end() } else { graph.inserting_before(at) };
            moved.into_iter().for_each(|id| cursor.move_here(id));
        }
        24 => _ = graph.at_end().call(&CLAMP, [any().into()], [("max".into(), 1.into()), ("min".into(), 0.into())]),
        _ => {
            for _ in 0..6 {
                let id = any();
                if graph.contains(id) {
                    assert_eq!(graph.erase_node(id).is_ok(), !graph.contains(id));
                }
            }
        }
    }
    kind
}

/// A copy, node by node, if the graph is in order, otherwise a clone.
fn copied(graph: &Graph) -> Graph {
    let mut sorted = graph.clone();
    if sorted.stable_topological_sort().is_err() || sorted.output_node().is_none() {
        return sorted;
    }
    let mut copy = Graph::new("copy");
    let output = copy.at_end().graph_copy(&sorted, &mut NodeMap::new());
    copy.at_end().output(output.unwrap_or_default());
    assert_eq!(copy.len(), sorted.len());
    copy
}

/// What must hold after edits, with who had which name before.
fn compare(graph: &Graph, named: &mut HashMap<String, NodeId>) {
    assert_well_formed(graph);
    for (id, node) in graph.nodes() {
        let node: &Node = node;
        assert_eq!(*named.entry(node.name().to_owned()).or_insert(id), id, "%{} was another node", node.name());
    }
}

fn run(seed: u64, batches: usize, edits: usize) {
    let mut random = Random(seed);
    let mut graph = my_module();
    if seed.is_multiple_of(2) {
        assert_eq!(graph.find_nodes(Op::GetAttr, None).len(), 1, "the table is made before the first edit");
    }
    let mut named = HashMap::new();
    for _ in 0..batches {
        for _ in 0..edits {
            let (name, signature) = (graph.name().to_owned(), graph.signature().cloned());
            let kind = edit(&mut graph, &mut random);
            if graph.name() != name {
                // Another graph now, with names of its own.
                graph.set_name(format!("{name}'"));
                named.clear();
            } else if signature.is_some() && kind != SET_SIGNATURE {
                assert_eq!(graph.signature(), signature.as_ref());
            }
        }
        compare(&graph, &mut named);
    }
    let clone = graph.clone();
    assert_well_formed(&clone);
    assert_eq!((clone.to_string(), clone.signature()), (graph.to_string(), graph.signature()));
    // Whatever is wrong with it now, the structures that edits keep are right.
    if let Err(errors) = graph.verify() {
        for error in errors.0 {
            assert!(!["V1", "V2", "V3", "V5", "V10", "V12"].contains(&error.rule()), "seed {seed}: {error}");
        }
    }
}

#[test]
fn after_each_edit_everything_is_as_computed_anew() {
    (0..SHORT.0).for_each(|seed| run(seed, SHORT.1, 1));
}

#[test]
fn after_tens_of_thousands_of_edits_everything_is_as_computed_anew() {
    (0..LONG.0).for_each(|seed| run(1000 + seed, LONG.1, LONG.2));
}
