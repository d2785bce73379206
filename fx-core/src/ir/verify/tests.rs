//! One test for each rule: a correct graph, broken in one way.

use candle_core::DType;
use insta::assert_snapshot;

use super::super::samples::{RELU, add, my_module, relu};
use super::super::{Argument, Dynamic, Graph, Guard, NodeId, Op, Signature, Size, SizeOf, Source, StateSlot, Target};
use crate::value::{Fact, Relation, SymInt, TensorFact};

fn faults<const N: usize>(faults: [String; N]) -> String {
    faults.join("\n\n")
}

/// The nodes of [`my_module`] in order: x, param, add, linear, clamp, output.
fn broken(change: impl FnOnce(&mut Graph, &[NodeId])) -> String {
    let mut graph = my_module();
    assert_eq!(graph.verify(), Ok(()));
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    graph.meta_mut(ids[2]).source = Some(Source::text("src/model.rs", 10));
    change(&mut graph, &ids);
    let errors = graph.verify().expect_err("the graph was broken");
    assert!(errors.0.iter().all(|error| error.to_string().starts_with(&format!("{}: ", error.rule()))));
    errors.to_string()
}

/// Takes a node out of the arena, and leaves its place in the order.
fn take(graph: &mut Graph, id: NodeId) {
    if let Some(node) = graph.nodes[id].take() {
        graph.by_target.remove(id, &node.target);
    }
}

#[test]
fn v1_links() {
    assert_snapshot!(faults([
        broken(|graph, ids| graph.layout.link_mut(ids[2]).prev = Some(ids[0])),
        broken(|graph, ids| graph.layout.link_mut(ids[4]).next = Some(ids[2])),
        broken(|graph, ids| graph.layout.link_mut(ids[4]).next = None),
        broken(|graph, ids| take(graph, ids[5])),
    ]));
}

#[test]
fn v2_labels() {
    assert_snapshot!(faults([broken(|graph, ids| graph.layout.link_mut(ids[2]).label = 7),]));
}

#[test]
fn v3_users() {
    assert_snapshot!(faults([
        broken(|graph, ids| graph.users[ids[0]].remove(ids[2], 1)),
        broken(|graph, ids| graph.users[ids[0]].add(ids[2], 1)),
        broken(|graph, ids| graph.users[ids[0]].add(ids[3], 1)),
    ]));
}

#[test]
fn v4_used_before_defined() {
    assert_snapshot!(faults([
        broken(|graph, ids| graph.append(ids[4], ids[2])),
        broken(|graph, ids| graph.set_args(ids[2], [ids[2].into(), ids[4].into()])),
    ]));
}

#[test]
fn v5_names() {
    let rename = |name: &'static str| {
        move |graph: &mut Graph, ids: &[NodeId]| {
            if let Some(node) = &mut graph.nodes[ids[2]] {
                node.name = name.into();
            }
        }
    };
    assert_snapshot!(faults([broken(rename("x")), broken(rename("type")), broken(rename("two words")),]));
}

#[test]
fn v6_positions() {
    assert_snapshot!(faults([
        broken(|graph, _| _ = graph.at_end().placeholder("late")),
        broken(|graph, ids| graph.prepend(ids[4], ids[5])),
        broken(|graph, ids| graph.erase_node(ids[5]).unwrap()),
        broken(|graph, ids| _ = graph.at_end().output(ids[4])),
    ]));
}

#[test]
fn v7_arguments() {
    let twice = [("a".into(), 1.into()), ("a".into(), 2.into())];
    assert_snapshot!(faults([
        broken(|graph, ids| graph.set_args(ids[2], [ids[0].into()])),
        broken(|graph, ids| graph.set_kwargs(ids[4], [("mid".into(), 1.into())])),
        broken(|graph, ids| graph.set_args(ids[0], [1.into()])),
        broken(|graph, ids| graph.set_args(ids[5], [])),
        broken(|graph, ids| graph.set_kwargs(ids[3], twice)),
        broken(|graph, ids| {
            if let Some(node) = &mut graph.nodes[ids[4]] {
                node.kwargs = [].into();
            }
            graph.retarget(ids[4], Target::CallFunction(&RELU));
        }),
    ]));
}

#[test]
fn v9_facts() {
    let fact = |dims: &[usize], dtype| Fact::tensor(dims, dtype);
    let known = |graph: &mut Graph, ids: &[NodeId], dtype| {
        for &id in &ids[..2] {
            graph.meta_mut(id).fact = fact(&[3, 4], dtype);
        }
    };
    assert_snapshot!(faults([
        broken(|graph, ids| {
            known(graph, ids, DType::F32);
            graph.meta_mut(ids[2]).fact = fact(&[3, 1], DType::F32);
        }),
        broken(|graph, ids| known(graph, ids, DType::U8)),
    ]));

    // Nothing follows from what is not known.
    let mut graph = my_module();
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    graph.meta_mut(ids[0]).fact = fact(&[3, 4], DType::F32);
    graph.meta_mut(ids[2]).fact = fact(&[1], DType::F32);
    assert_eq!(graph.verify(), Ok(()));
}

#[test]
fn v10_erased_nodes() {
    assert_snapshot!(faults([broken(|graph, ids| {
        if let Some(node) = &mut graph.nodes[ids[3]] {
            node.args = [Argument::from([Argument::from(ids[1])])].into();
        }
        graph.layout.remove(ids[1]);
        take(graph, ids[1]);
    }),]));
}

#[test]
fn v11_signatures() {
    let parameter = |name: &str, made_of: Argument| (name.into(), made_of);
    let signature = |parameters: Vec<_>| Some(Signature { parameters: parameters.into(), ..Signature::default() });
    assert_snapshot!(faults([
        broken(|graph, _| graph.set_signature(signature(vec![parameter("n", 3.into())]))),
        broken(|graph, ids| {
            let (x, add) = (ids[0].into(), [Argument::from(ids[0]), ids[2].into()].into());
            graph.set_signature(signature(vec![parameter("x", x), parameter("x", add)]));
        }),
        broken(|graph, ids| {
            let mask = graph.at_start().placeholder("mask");
            graph.set_signature(signature(vec![parameter("xs", [ids[0], mask].into())]));
            graph.erase_node(mask).unwrap();
        }),
        broken(|graph, ids| {
            graph.set_signature(signature(vec![parameter("x", ids[0].into())]));
            graph.at_start().placeholder("mask");
        }),
    ]));
}

#[test]
fn v14_state() {
    let with = |names: &[&str], reads: Argument| {
        let state = names.iter().map(|&name| StateSlot { name: name.into(), reads: reads.clone() }).collect();
        move |graph: &mut Graph, ids: &[NodeId]| {
            let parameters = [("x".into(), ids[0].into())].into();
            graph.set_signature(Some(Signature { parameters, state }));
        }
    };
    assert_snapshot!(faults([
        // The output is the result alone.
        broken(|graph, ids| with(&["cache"], 3.into())(graph, ids)),
        // Two of one name, and an input in two places.
        broken(|graph, ids| with(&["cache", "cache"], ids[0].into())(graph, ids)),
    ]));
    // Correct, and written for people to see.
    let mut graph = Graph::new("counts");
    let mut cursor = graph.at_end();
    let [x, held] = ["x", "held"].map(|name| cursor.placeholder(name));
    let sum = add(&mut cursor, x, held);
    cursor.output(Argument::from((x, (sum, 4))));
    let slot = |name: &str, reads: Argument| StateSlot { name: name.into(), reads };
    let (parameters, state) = ([("x".into(), x.into())].into(), [slot("sum", held.into()), slot("n", 3.into())].into());
    graph.set_signature(Some(Signature { parameters, state }));
    assert_eq!(graph.verify(), Ok(()));
    let text = graph.to_string();
    assert_eq!(text.parse::<Graph>().expect("it reads back").to_string(), text);
    assert_snapshot!(text);
    assert_eq!(graph.result_and_written(), Some((&x.into(), &[sum.into(), 4.into()][..])));
}

#[test]
fn v12_nodes_by_target() {
    assert_snapshot!(faults([
        broken(|graph, ids| graph.by_target.add(ids[2], &Target::Output)),
        broken(|graph, ids| {
            assert_eq!(graph.find_nodes(Op::GetAttr, None).len(), 1);
            if let Some(node) = &mut graph.nodes[ids[1]] {
                node.target = Target::GetAttr("other".into());
            }
        }),
    ]));
}

/// Linear, and without recursion, also when everything is wrong.
#[test]
fn every_fault_is_reported() {
    let mut graph = Graph::new("chain");
    let mut cursor = graph.at_end();
    let first = cursor.placeholder("x");
    let mut x = first;
    for _ in 0..20_000 {
        x = relu(&mut cursor, x);
    }
    cursor.output(x);
    assert_eq!(graph.verify(), Ok(()));
    // One node that everything uses, at the end.
    let hub = add(&mut graph.at_end(), first, first);
    let users: Vec<NodeId> = graph.nodes().map(|(id, _)| id).filter(|&id| id != first && id != hub).collect();
    for &user in &users {
        graph.set_args(user, [hub.into()]);
    }
    let errors = graph.verify().expect_err("everything is used before it is defined").0;
    assert_eq!(errors.len(), 20_000);
    assert!(errors.iter().all(|error| error.rule() == "V4"));
}

#[test]
fn v13_sizes() {
    let sized = |change: fn(&mut Graph, NodeId, &mut Dynamic)| {
        broken(|graph, ids| {
            graph.meta_mut(ids[0]).fact = Fact::tensor((3, 4), DType::F32);
            let size = Size { name: "rows".into(), hint: 3, places: vec![SizeOf::Extent(ids[0], 0)] };
            let mut dynamic = Dynamic { sizes: vec![size], guards: Vec::new() };
            change(graph, ids[4], &mut dynamic);
            graph.set_dynamic(Some(dynamic));
        })
    };
    let rows = || SymInt::symbol("rows", 3);
    let guard = |relation| Guard { left: rows().into(), relation, right: 3.into(), source: None };
    assert_snapshot!(faults([
        sized(|graph, id, dynamic| {
            graph.set_kwargs(id, [("min".into(), SymInt::symbol("columns", 3).into()), ("max".into(), 9.into())]);
            dynamic.sizes[0].places.clear();
        }),
        sized(|graph, id, _| {
            graph.set_kwargs(id, [("min".into(), SymInt::symbol("rows", 4).into()), ("max".into(), 9.into())]);
        }),
        sized(|_, id, dynamic| dynamic.sizes[0].places.push(SizeOf::Value(id))),
        sized(|_, _, dynamic| dynamic.sizes[0].hint = 5),
        sized(|graph, id, _| {
            let mut fact = TensorFact::symbolic([SymInt::symbol("rows", 3)], DType::F32).expect("it has rows");
            fact.shape = (3, 4).into();
            graph.meta_mut(id).fact = Fact::List(vec![Fact::Tensor(fact)]);
        }),
        sized(|_, _, dynamic| {
            let mut again = dynamic.sizes[0].clone();
            again.places[0] = SizeOf::Extent(again.places[0].input(), 2);
            dynamic.sizes.push(again);
        }),
        broken(|graph, ids| {
            let size = Size { name: "f32".into(), hint: 3, places: vec![SizeOf::Extent(ids[0], 0)] };
            let guards = vec![guard(Relation::Lt), guard(Relation::Le)];
            graph.set_dynamic(Some(Dynamic { sizes: vec![size], guards }));
        }),
    ]));
}
