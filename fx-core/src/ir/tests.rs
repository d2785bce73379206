//! What holds of graphs after any edit.

use super::random_edits::assert_well_formed;
use super::samples::{ADD, CLAMP, RELU, SOFTMAX, add, my_module, relu};
use super::{Argument, Graph, ModulePath, ModuleStack, Node, NodeId, NodeMap, Op, Source, Target};

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
    assert_eq!(graph.node(ids[2]).all_input_nodes().collect::<Vec<_>>(), ids[..2]);
    assert_eq!(graph.users(ids[0]).collect::<Vec<_>>(), [ids[2]]);
    assert_eq!(graph.placeholders().collect::<Vec<_>>(), [ids[0]]);
    assert_eq!(graph.find_nodes(Op::CallModule, None).collect::<Vec<_>>(), [ids[3]]);
    assert_eq!(graph.calls(&ADD).collect::<Vec<_>>(), [ids[2]]);
    assert_eq!((graph.output_node(), graph.last()), (Some(ids[5]), Some(ids[5])));
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
        assert_eq!(graph.node(id).all_input_nodes().collect::<Vec<_>>(), [b, a]);
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
    assert_eq!(graph.replace_all_uses_with(ids[2], relu), [ids[3]]);
    assert_eq!(graph.node_line(relu), "%relu = call_method relu(%add)");
    assert_eq!(graph.node_line(ids[3]), "%linear = call_module linear(%relu)");
    assert_eq!(graph.replace_uses_where(ids[2], ids[0], |_| false), []);
    assert_eq!(graph.replace_all_uses_with(ids[2], ids[2]), []);
    graph.replace_input_with(relu, ids[2], ids[0]);
    assert_eq!(graph.user_count(ids[2]), 0);
    assert_well_formed(&graph);
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn only_unused_nodes_are_erased() {
    let mut graph = my_module();
    let ids = ids(&graph);
    let error = graph.erase_node(ids[0]).expect_err("it is used");
    assert_eq!(error.to_string(), "cannot erase %x: it is used by %add");
    for _ in 0..20 {
        relu(&mut graph.at_end(), ids[0]);
    }
    let error = graph.erase_node(ids[0]).expect_err("it is used").to_string();
    assert!(error.ends_with("%relu_5, %relu_6, 13 more"), "{error}");

    graph.set_args(ids[5], [ids[0].into()]);
    assert_eq!(graph.erase_node(ids[4]), Ok(()));
    assert_eq!(graph.erase_node(ids[3]), Ok(()));
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
    graph.erase_node(last).unwrap();
    graph.at_end().placeholder("x");
    _ = graph.node(last);
}

#[test]
#[should_panic(expected = "node 5 is not in graph `g`")]
fn a_node_of_another_graph_is_no_argument() {
    let other = my_module();
    Graph::new("g").at_end().output(other.output_node().unwrap());
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
        graph.prepend(id, id);
        graph.append(id, id);
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
    graph.prepend(ids[1], ids[0]);
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
            cursor.replace_all_uses_with(id, relu);
            cursor.erase_node(id).unwrap();
        }
    }
    assert_eq!(cursor.next(), None);
    let last = cursor.graph().nodes().nth(3).map(|(id, _)| id).unwrap();
    relu(&mut cursor, last);
    assert_eq!(names(&graph, ids(&graph)), ["x", "param", "add", "linear", "relu", "relu_1", "output"]);

    let ids = ids(&graph);
    let mut cursor = graph.inserting_before(ids[5]);
    cursor.erase_node(ids[5]).unwrap();
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
        value = graph.at_end().graph_copy(&from, &mut map).expect("it has an output");
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
    Graph::new("g").at_end().node_copy(&from, ids(&from)[2], &mut NodeMap::new());
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
    graph.at_end().graph_copy(&from, &mut NodeMap::new());
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
    copied.at_end().graph_copy(&graph, &mut NodeMap::new());
    assert_eq!(copied.len(), COUNT + 1);

    // From one hub to another, then everything away: from the front, where users are removed first to last.
    let hub = copy.inserting_after(first).get_attr("hub");
    assert_eq!(copy.replace_all_uses_with(first, hub).len(), COUNT);
    for id in ids(&copy) {
        copy.set_args(id, []);
    }
    for id in ids(&copy) {
        copy.erase_node(id).expect("nothing is used");
    }
    assert!(copy.is_empty());

    // Always at the same place.
    for _ in 0..COUNT {
        graph.inserting_after(first).get_attr("p");
    }
    assert_eq!(graph.verify(), Ok(()));
}
