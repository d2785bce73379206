//! What holds of graphs after any edit.

use std::collections::{BTreeMap, HashSet};

use super::samples::{ADD, CLAMP, RELU, SOFTMAX, add, my_module, relu};
use super::{Argument, Graph, ModulePath, ModuleStack, Node, NodeId, NodeMap, Op, Source, Target, is_legal_name};

/// Recomputes everything that edits keep, from scratch: order, users, names.
#[track_caller]
fn assert_well_formed(graph: &Graph) {
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
}

/// A small generator of numbers; the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// One edit of any kind, legal for the graph though not always for [`Graph::verify`].
fn edit(graph: &mut Graph, random: &mut Random) {
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    let mut any = {
        let seed = random.below(usize::MAX);
        let mut random = Random(seed as u64);
        move || ids[random.below(ids.len())]
    };
    if graph.is_empty() {
        graph.at_end().placeholder("x");
        return;
    }
    match random.below(14) {
        0 => _ = graph.at_start().placeholder("x"),
        1 => _ = graph.at_end().get_attr("layers.0.weight"),
        2 => _ = add(&mut graph.inserting_before(any()), any(), any()),
        3 => _ = relu(&mut graph.inserting_after(any()), any()),
        4 => {
            let items: Vec<Argument> = (0..random.below(5)).map(|_| any().into()).collect();
            graph.inserting_after(any()).call_module("m", [items.into(), any().into()], [("k".into(), any().into())]);
        }
        5 => {
            let (id, args): (_, Vec<Argument>) = (any(), (0..random.below(4)).map(|_| any().into()).collect());
            graph.set_args(id, args);
        }
        6 => graph.set_kwargs(any(), [("k".into(), any().into())]),
        7 => _ = graph.replace_all_uses(any(), any()),
        8 => {
            let mut coin = Random(random.below(1000) as u64);
            graph.replace_uses_where(any(), any(), |_| coin.below(2) == 0);
        }
        9 => graph.move_before(any(), any()),
        10 => graph.move_after(any(), any()),
        11 => _ = graph.rename(any(), "add"),
        12 => _ = graph.set_call(any(), Target::CallFunction(&ADD), [any().into(), any().into()], []),
        _ => {
            for _ in 0..3 {
                let id = any();
                if graph.contains(id) {
                    assert_eq!(graph.erase(id).is_ok(), !graph.contains(id));
                }
            }
        }
    }
}

#[test]
fn any_sequence_of_edits_keeps_graphs_well_formed() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let mut graph = my_module();
        for _ in 0..250 {
            edit(&mut graph, &mut random);
            assert_well_formed(&graph);
        }
        assert_well_formed(&graph.clone());
        assert_eq!(graph.clone().to_string(), graph.to_string());
        // Whatever is wrong with it now, the structures that edits keep are right.
        if let Err(errors) = graph.verify() {
            for error in errors.0 {
                assert!(!["V1", "V2", "V3", "V5", "V10"].contains(&error.rule()), "seed {seed}: {error}");
            }
        }
    }
}

fn ids(graph: &Graph) -> Vec<NodeId> {
    graph.nodes().map(|(id, _)| id).collect()
}

fn names(graph: &Graph, ids: impl IntoIterator<Item = NodeId>) -> Vec<&str> {
    ids.into_iter().map(|id| graph.node(id).name()).collect()
}

#[test]
fn nodes_are_created_in_order_and_before_the_output() {
    let mut graph = my_module();
    let ids = ids(&graph);
    let mut cursor = graph.inserting_after(ids[0]);
    let neg = relu(&mut cursor, ids[0]);
    let tanh = relu(&mut cursor, neg);
    relu(&mut graph.inserting_before(ids[3]), tanh);
    relu(&mut graph.at_end(), tanh);
    relu(&mut graph.inserting_after(ids[5]), tanh);
    graph.at_start().placeholder("mask");
    let expected =
        ["mask", "x", "relu", "relu_1", "param", "add", "relu_2", "linear", "clamp", "relu_3", "relu_4", "output"];
    assert_eq!(names(&graph, graph.nodes().map(|(id, _)| id)), expected);
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn reading() {
    let graph = my_module();
    let ids = ids(&graph);
    let clamp = graph.node(ids[4]);
    assert_eq!((clamp.op(), clamp.name(), clamp.args().len()), (Op::CallMethod, "clamp", 1));
    assert_eq!((clamp.kwarg("max"), clamp.kwarg("mid")), (Some(&1.0.into()), None));
    assert_eq!(graph.node(ids[2]).inputs().collect::<Vec<_>>(), ids[..2]);
    assert_eq!(graph.users(ids[0]).collect::<Vec<_>>(), [ids[2]]);
    assert_eq!(graph.placeholders().collect::<Vec<_>>(), [ids[0]]);
    assert_eq!(graph.find_nodes(Op::CallModule).collect::<Vec<_>>(), [ids[3]]);
    assert_eq!(graph.calls(&ADD).collect::<Vec<_>>(), [ids[2]]);
    assert_eq!((graph.output(), graph.last()), (Some(ids[5]), Some(ids[5])));
    assert_eq!(graph.node_named("linear"), Some(ids[3]));
    assert_eq!(graph.nodes().len(), 6);
    assert_eq!(format!("{graph:?}"), "Graph(my_module, 6 nodes)");
    let mut nodes = graph.nodes();
    nodes.next();
    nodes.next_back();
    assert_eq!(nodes.len(), 4);
    assert_eq!(nodes.rev().count(), 4);
}

#[test]
fn inputs_come_once_in_the_order_of_first_use() {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let [a, b] = ["a", "b"].map(|name| cursor.placeholder(name));
    let few = cursor.call_module("m", [b.into(), [a, b].into()], [("k".into(), a.into())]);
    let many =
        cursor.call_module("m", [(0..100).map(|i| if i % 2 == 0 { b } else { a }).collect::<Vec<_>>().into()], []);
    for id in [few, many] {
        assert_eq!(graph.node(id).inputs().collect::<Vec<_>>(), [b, a]);
    }
    assert_eq!(graph.users[b].times(many), 50);
}

/// torch.fx: `x + x` is one user, three operations are three users.
#[test]
fn a_node_is_one_user_however_often_it_uses_another() {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let sum = add(&mut cursor, x, x);
    assert_eq!(graph.users(x).collect::<Vec<_>>(), [sum]);
    let mut cursor = graph.at_end();
    let others = [relu(&mut cursor, x), relu(&mut cursor, x)];
    assert_eq!(graph.users(x).collect::<Vec<_>>(), [sum, others[0], others[1]]);
}

#[test]
fn uses_are_replaced_but_for_the_node_that_takes_over() {
    let mut graph = my_module();
    let ids = ids(&graph);
    let relu = relu(&mut graph.inserting_after(ids[2]), ids[2]);
    assert_eq!(graph.replace_all_uses(ids[2], relu), 1);
    assert_eq!(graph.node_line(relu), "%relu = call_method relu(%add)");
    assert_eq!(graph.node_line(ids[3]), "%linear = call_module linear(%relu)");
    assert_eq!(graph.replace_uses_where(ids[2], ids[0], |_| false), 0);
    assert_eq!(graph.replace_all_uses(ids[2], ids[2]), 0);
    graph.replace_input(relu, ids[2], ids[0]);
    assert_eq!(graph.user_count(ids[2]), 0);
    assert_well_formed(&graph);
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn only_unused_nodes_are_erased() {
    let mut graph = my_module();
    let ids = ids(&graph);
    let error = graph.erase(ids[0]).expect_err("it is used");
    assert_eq!(error.to_string(), "cannot erase %x: it is used by %add");
    for _ in 0..20 {
        relu(&mut graph.at_end(), ids[0]);
    }
    let error = graph.erase(ids[0]).expect_err("it is used").to_string();
    assert!(error.ends_with("%relu_5, %relu_6, 13 more"), "{error}");

    graph.set_args(ids[5], [ids[0].into()]);
    assert_eq!(graph.erase(ids[4]), Ok(()));
    assert_eq!(graph.erase(ids[3]), Ok(()));
    assert!(graph.try_node(ids[4]).is_none() && !graph.contains(ids[3]));
    assert_eq!(graph.user_count(ids[2]), 0);
    assert_eq!(graph.node_named("clamp"), None);
    let clamp = graph.at_end().create_node(Target::CallModule("clamp".into()), [], [], None).unwrap();
    assert_eq!(graph.node(clamp).name(), "clamp_1");
    assert_well_formed(&graph);
}

#[test]
#[should_panic(expected = "node 3 was erased from graph `g`")]
fn an_erased_node_is_no_other() {
    let mut graph = Graph::new("g");
    let mut last = None;
    for _ in 0..4 {
        last = Some(graph.at_end().placeholder("x"));
    }
    let last = last.expect("four were made");
    graph.erase(last).unwrap();
    graph.at_end().placeholder("x");
    _ = graph.node(last);
}

#[test]
#[should_panic(expected = "node 5 is not in graph `g`")]
fn a_node_of_another_graph_is_no_argument() {
    let other = my_module();
    Graph::new("g").at_end().output(other.output().unwrap());
}

#[test]
#[should_panic(expected = "nested more than 128 deep")]
fn arguments_are_not_nested_without_end() {
    let mut argument = Argument::from(1);
    for _ in 0..=Argument::MAX_DEPTH {
        argument = [argument].into();
    }
    Graph::new("g").at_end().output(argument);
}

#[test]
fn moving_a_node_beside_itself_changes_nothing() {
    let mut graph = my_module();
    let (before, revision) = (graph.to_string(), graph.revision());
    for id in ids(&graph) {
        graph.move_before(id, id);
        graph.move_after(id, id);
    }
    assert_eq!((graph.to_string(), graph.revision()), (before, revision));
}

#[test]
fn targets_and_calls_are_checked_when_they_are_set() {
    let mut graph = my_module();
    let ids = ids(&graph);
    let before = graph.to_string();
    assert!(graph.set_target(ids[4], Target::CallMethod(&RELU)).is_err());
    assert!(graph.set_call(ids[4], Target::CallMethod(&CLAMP), [], []).is_err());
    assert!(graph.at_end().call_function(&CLAMP, [ids[0].into()], []).is_err());
    assert!(graph.at_end().call(&SOFTMAX, [ids[0].into()], []).is_err());
    assert_eq!(graph.to_string(), before);

    graph.set_call(ids[4], Target::CallMethod(&RELU), [ids[3].into()], []).unwrap();
    graph.set_target(ids[3], Target::CallModule("other".into())).unwrap();
    // Arguments by name go into the order of the parameters.
    graph.at_end().call(&CLAMP, [ids[0].into()], [("max".into(), 2.into()), ("min".into(), 1.into())]).unwrap();
    assert_eq!(graph.node_line(ids[4]), "%clamp = call_method relu(%linear)");
    assert!(graph.to_string().contains("%clamp_1 = call_method clamp(%x, min = 1, max = 2)"));
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn renaming_keeps_names_unique() {
    let mut graph = my_module();
    let ids = ids(&graph);
    assert_eq!(graph.rename(ids[2], "sum"), "sum");
    assert_eq!(graph.rename(ids[3], "sum"), "sum_1");
    assert_eq!(graph.rename(ids[3], "sum_1"), "sum_1");
    assert_eq!(graph.rename(ids[4], "match"), "match_1");
    assert_eq!(graph.node_named("add"), None);
    assert_well_formed(&graph);
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn the_revision_rises_with_every_change_of_the_computation() {
    let mut graph = my_module();
    let ids = ids(&graph);
    let mut last = graph.revision();
    let mut rises = |graph: &Graph| std::mem::replace(&mut last, graph.revision()) < graph.revision();
    graph.meta_mut(ids[0]).module = ModuleStack::ROOT.enter("m", "M", 0);
    assert!(!rises(&graph));
    graph.set_args(ids[3], [ids[0].into()]);
    assert!(rises(&graph));
    graph.move_before(ids[0], ids[1]);
    assert!(rises(&graph));
    graph.rename(ids[0], "y");
    assert!(rises(&graph));
    relu(&mut graph.at_end(), ids[0]);
    assert!(rises(&graph));
}

#[test]
fn nodes_remember_where_the_cursor_put_them() {
    let mut graph = Graph::new("g");
    let inside = ModuleStack::ROOT.enter("encoder.0", "Layer", 0);
    let mut cursor = graph.at_end().with_source(std::panic::Location::caller()).with_module(inside);
    let x = cursor.placeholder("x");
    let meta = graph.node(x).meta();
    assert_eq!(meta.module.path(), &ModulePath::from("encoder.0"));
    assert!(meta.source.as_ref().is_some_and(|source| source.file().ends_with("tests.rs") && source.line() > 1));
}

/// Walks and edits: what torch.fx's iteration over a live list is for.
#[test]
fn a_cursor_walks_while_it_edits() {
    let mut graph = my_module();
    let mut cursor = graph.at_start();
    while let Some(id) = cursor.advance() {
        let node: &Node = cursor.graph().node(id);
        if node.op() == Op::CallMethod {
            let args = node.args().to_vec();
            let relu = cursor.call_method(&RELU, args, []).unwrap();
            cursor.replace_all_uses(id, relu);
            cursor.erase(id).unwrap();
        }
    }
    assert_eq!(cursor.next(), None);
    let last = cursor.graph().nodes().nth(3).map(|(id, _)| id).unwrap();
    relu(&mut cursor, last);
    assert_eq!(names(&graph, ids(&graph)), ["x", "param", "add", "linear", "relu", "relu_1", "output"]);

    let ids = ids(&graph);
    let mut cursor = graph.inserting_before(ids[5]);
    cursor.erase(ids[5]).unwrap();
    assert_eq!(cursor.next(), Some(ids[6]));
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn copies_keep_names_and_what_is_remembered() {
    let mut from = my_module();
    let add = ids(&from)[2];
    from.meta_mut(add).source = Some(Source::text("model.rs", 10));

    // Twice into one graph, the second after the first: composition.
    let mut graph = Graph::new("twice");
    let x = graph.at_end().placeholder("x");
    let mut value = Argument::from(x);
    for _ in 0..2 {
        let mut map: NodeMap = [(ids(&from)[0], value.as_node().unwrap())].into_iter().collect();
        value = graph.at_end().copy_graph(&from, &mut map).expect("it has an output");
        assert_eq!(graph.node(map.get(add).unwrap()).meta().source, Some(Source::text("model.rs", 10)));
    }
    graph.at_end().output(value);
    assert_eq!(
        names(&graph, ids(&graph)),
        ["x", "param", "add", "linear", "clamp", "param_1", "add_1", "linear_1", "clamp_1", "output"]
    );
    assert_eq!(graph.node_line(graph.node_named("add_1").unwrap()), "%add_1 = call_function add(%clamp, %param_1)");
    assert_well_formed(&graph);
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
#[should_panic(expected = "%x of graph `my_module` is used, but was not copied")]
fn a_copy_needs_its_inputs() {
    let from = my_module();
    Graph::new("g").at_end().copy(&from, ids(&from)[2], &mut NodeMap::new());
}

/// torch.fx: a copied graph keeps its names, and what is added has others.
#[test]
fn names_stay_unique_after_copying() {
    let mut from = Graph::new("g");
    let mut cursor = from.at_end();
    let x = cursor.placeholder("x");
    for name in ["foo_1_1", "foo_1"] {
        cursor.create_node(Target::CallModule("foo".into()), [x.into()], [], Some(name)).unwrap();
    }
    let mut graph = Graph::new("g");
    graph.at_end().copy_graph(&from, &mut NodeMap::new());
    let x = graph.first().unwrap();
    graph.at_end().call_module("foo", [x.into()], []);
    graph.at_end().call_module("foo", [x.into()], []);
    assert_eq!(names(&graph, ids(&graph)), ["x", "foo_1_1", "foo_1", "foo", "foo_2"]);
}

/// A deep chain and a wide fan; recursion or quadratic time would be noticed here.
#[test]
fn large_graphs() {
    const COUNT: usize = 50_000;
    let mut graph = Graph::new("large");
    let mut cursor = graph.at_end();
    let first = cursor.placeholder("x");
    let mut x = first;
    for _ in 0..COUNT {
        x = add(&mut cursor, x, first);
    }
    cursor.output(x);
    assert_eq!((graph.len(), graph.user_count(first)), (COUNT + 2, COUNT));
    assert_eq!(graph.verify(), Ok(()));

    let mut copy = graph.clone();
    assert_eq!(copy.verify(), Ok(()));
    let mut copied = Graph::new("copied");
    copied.at_end().copy_graph(&graph, &mut NodeMap::new());
    assert_eq!(copied.len(), COUNT + 1);

    // From one hub to another, then everything away: from the front, where users are removed first to last.
    let hub = copy.inserting_after(first).get_attr("hub");
    assert_eq!(copy.replace_all_uses(first, hub), COUNT);
    for id in ids(&copy) {
        copy.set_args(id, []);
    }
    for id in ids(&copy) {
        copy.erase(id).expect("nothing is used");
    }
    assert!(copy.is_empty());

    // Always at the same place.
    for _ in 0..COUNT {
        graph.inserting_after(first).get_attr("p");
    }
    assert_eq!(graph.verify(), Ok(()));
}
