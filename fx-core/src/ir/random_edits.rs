//! The random editor: seeded sequences of edits, after which everything that edits keep is computed anew and compared.
//!
//! Invariant: an edit here is legal for the graph, though what it makes is not always a graph that [`Graph::verify`]
//! accepts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::samples::{ADD, CLAMP, RELU, add, my_module, relu};
use super::{
    Argument, Dynamic, Edit, Graph, Node, NodeId, NodeMap, Op, Signature, Size, SizeOf, StateSlot, Target, Walk,
    is_legal_name,
};
use crate::ops::OpTable;
use crate::value::SymInt;

/// Compared after every edit: this many sequences of this many edits.
const SHORT: (u64, usize) = (40, 250);
/// Compared after every batch: this many sequences of this many batches of edits.
const LONG: (u64, usize, usize) = (4, 60, 200);
/// Sequences add nodes faster than they erase them; beyond this many, only erasing goes on.
const MOST: usize = 400;

const SET_SIGNATURE: usize = 17;
const COPY: usize = 23;
const SET_DYNAMIC: usize = 28;

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
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// What a graph is as its hooks were told.
#[derive(Default)]
struct Told {
    names: HashMap<NodeId, String>,
    replaced: usize,
}

/// Has the hooks of a graph write down what they are told, and check it.
fn told_of(graph: &mut Graph) -> Arc<Mutex<Told>> {
    let names = graph.nodes().map(|(id, node)| (id, node.name().to_owned())).collect();
    let told = Arc::new(Mutex::new(Told { names, replaced: 0 }));
    let log = told.clone();
    graph.register_hook(move |graph, edit| {
        let mut told = log.lock().unwrap_or_else(PoisonError::into_inner);
        match edit {
            Edit::Create { node } => {
                assert_eq!(told.names.insert(node, graph.node(node).name().to_owned()), None, "it was not there");
            }
            Edit::Erase { node } => {
                assert_eq!(graph.user_count(node), 0);
                assert_eq!(told.names.remove(&node).as_deref(), Some(graph.node(node).name()));
            }
            Edit::Replace { old, new, user } => {
                assert!(graph.users(old).any(|found| found == user) && graph.contains(new));
                told.replaced += 1;
            }
            Edit::Rename { node, old } => {
                let name = graph.node(node).name().to_owned();
                assert!(graph.node_named(old).is_none());
                assert_eq!(told.names.insert(node, name).as_deref(), Some(old));
            }
        }
    });
    told
}

/// One edit of any kind, which is returned, and how many uses it says to have replaced.
fn edit(graph: &mut Graph, random: &mut Random) -> (usize, usize) {
    let mut replaced = 0;
    if graph.is_empty() {
        graph.at_end().placeholder("x");
        return (0, 0);
    }
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    let mut any = {
        let mut random = Random(random.below(usize::MAX) as u64);
        move || ids[random.below(ids.len())]
    };
    let kind = if graph.len() > MOST { 20 + random.below(4) } else { random.below(32) };
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
        7 => replaced = graph.replace_all_uses_with(any(), any()).len(),
        8 => {
            let mut coin = Random(random.below(1000) as u64);
            replaced = graph.replace_uses_where(any(), any(), |_| coin.below(2) == 0).len();
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
            let slot = |(name, reads)| StateSlot { name, reads: (reads, Argument::None).into() };
            let state: Vec<StateSlot> =
                parameters.split_off(random.below(parameters.len() + 1)).into_iter().map(slot).collect();
            parameters.push(("n".into(), 3.into()));
            graph.set_signature(Some(Signature { parameters: parameters.into(), state: state.into() }));
        }
        18 => {
            let id = any();
            let (input, new) = (graph.node(id).all_input_nodes().next().unwrap_or(id), any());
            replaced = usize::from(input != new && graph.users(input).any(|user| user == id));
            graph.replace_input_with(id, input, new);
            assert!(input == new || graph.users(input).all(|user| user != id));
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
        SET_DYNAMIC => {
            let place = |id| [SizeOf::Extent(id, 0), SizeOf::Value(id)];
            let places: Vec<SizeOf> = graph.placeholders().take(3).flat_map(place).collect();
            let size = Size { name: "n".into(), hint: 3, places };
            graph.set_dynamic(Some(Dynamic { sizes: vec![size], guards: Vec::new() }));
        }
        29 => {
            let n = SymInt::symbol("n", 3);
            let range = Argument::range(Some(n.clone()), None);
            _ = graph.inserting_after(any()).call_module("sized", [n.into(), range, any().into()], []);
        }
        // A copy of a node beside it, which reads what the node reads.
        30 => {
            let (from, id) = (graph.clone(), any());
            let mut map: NodeMap = from.nodes().map(|(id, _)| (id, id)).collect();
            let copy = graph.inserting_before(any()).node_copy(&from, id, &mut map);
            assert_eq!(map.get(id), Some(copy));
            assert!(
                graph.node(copy).arguments().eq(from.node(id).arguments())
                    || graph.users(copy).any(|user| user == copy)
            );
        }
        31 => {
            let [new, old] = [any(), any()];
            graph.record_origin(new, old, "edit");
            _ = graph.propagate_meta(old, new);
        }
        24 => _ = graph.at_end().call(&CLAMP, [any().into()], [("max".into(), 1.into()), ("min".into(), 0.into())]),
        _ => {
            for _ in 0..6 {
                let id = any();
                if graph.contains(id) {
                    let is_read = graph.user_count(id) > 0;
                    assert_eq!(graph.erase_node(id).is_err(), is_read);
                    assert_eq!(graph.contains(id), is_read);
                }
            }
        }
    }
    (kind, replaced)
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
    let mut told = told_of(&mut graph);
    for _ in 0..batches {
        for _ in 0..edits {
            let (name, signature) = (graph.name().to_owned(), graph.signature().cloned());
            let (dynamic, revision) = (graph.dynamic().cloned(), graph.revision());
            let (kind, replaced) = edit(&mut graph, &mut random);
            if graph.name() != name {
                // Another graph now, with names of its own.
                graph.set_name(format!("{name}'"));
                named.clear();
            }
            if !graph.has_hooks() {
                // A copy or a clone, of which nobody is told.
                told = told_of(&mut graph);
                continue;
            }
            assert!(graph.revision() >= revision);
            if signature.is_some() && kind != SET_SIGNATURE {
                assert_eq!(graph.signature(), signature.as_ref());
            }
            if dynamic.is_some() && kind != SET_DYNAMIC {
                assert_eq!(graph.dynamic(), dynamic.as_ref());
            }
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            assert_eq!(std::mem::take(&mut told.replaced), replaced, "seed {seed}: hooks are told of each use");
        }
        compare(&graph, &mut named);
        let told = told.lock().unwrap_or_else(PoisonError::into_inner);
        let now: HashMap<NodeId, String> = graph.nodes().map(|(id, node)| (id, node.name().to_owned())).collect();
        assert_eq!(told.names, now, "seed {seed}: hooks know the nodes and their names");
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
    // A signature, and sizes, may name inputs that were erased, and then no text can.
    let is_whole = |graph: &Graph| {
        let mut is_whole = true;
        graph.signature().into_iter().for_each(|of| of.for_each_node(&mut |id| is_whole &= graph.contains(id)));
        let places = graph.dynamic().into_iter().flat_map(|of| &of.sizes).flat_map(|size| &size.places);
        is_whole && places.into_iter().all(|place| graph.contains(place.input())) && graph.dynamic().is_some()
    };
    if is_whole(&graph) {
        let text = graph.to_text().expect("it can be written");
        let read = Graph::parse(&text, &OpTable::builtin().clone().with(&[&ADD, &CLAMP, &RELU]));
        let read = read.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_well_formed(&read);
        assert_eq!(read.to_text(), Ok(text));
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
