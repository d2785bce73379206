//! Large graphs: nothing recurses, and nothing takes more than linear time.

use fx_core::ir::{Argument, Graph, NodeId};
use fx_core::module::{Attributes, GraphModule};
use fx_core::ops::{OpRef, elementwise};
use fx_core::passes::{
    CommonSubexpressions, DeadCode, Fuel, Partitioner, Pass, Proxy, SubgraphMatcher, pattern, replace_pattern,
    split_module,
};

/// A chain that calls the operations in turn.
fn chain(length: usize, ops: &[OpRef]) -> GraphModule {
    let mut graph = Graph::new("chain");
    let mut cursor = graph.at_end();
    let mut x: NodeId = cursor.placeholder("x");
    for i in 0..length {
        x = cursor.call(ops[i % ops.len()], [Argument::Node(x)], []).unwrap();
    }
    cursor.output(x);
    GraphModule::new(graph, Attributes::new()).unwrap()
}

const RELU: OpRef = &elementwise::relu::OP;
const EXP: OpRef = &elementwise::exp::OP;
const TANH: OpRef = &elementwise::tanh::OP;

#[test]
fn fifty_thousand_matches_in_a_chain() {
    let mut module = chain(100_000, &[RELU, EXP]);
    let replaced = replace_pattern(&mut module, |x: &Proxy| x.relu()?.exp(), |x: &Proxy| x.tanh()).unwrap();
    assert_eq!((replaced.len(), module.graph().len()), (50_000, 50_002));
    module.check().unwrap();
}

#[test]
fn an_identity_in_a_chain() {
    let mut module = chain(50_000, &[RELU]);
    let itself = pattern(|[x]| candle_core::Result::Ok(x)).unwrap();
    let replaced = replace_pattern(&mut module, |x: &Proxy| x.relu(), itself).unwrap();
    assert_eq!((replaced.len(), module.graph().len()), (50_000, 2));
    module.check().unwrap();
}

#[test]
fn a_long_pattern() {
    let long = |x: &Proxy| {
        let mut x = x.tanh()?;
        for _ in 0..1_000 {
            x = x.relu()?;
        }
        candle_core::Result::Ok(x)
    };
    let mut module = chain(4_000, &[RELU]);
    let matcher = SubgraphMatcher::new(fx_core::passes::IntoPattern::into_pattern(long).unwrap()).unwrap();
    // It nearly fits everywhere; that is found out by walking to its start each time, no more.
    assert_eq!(matcher.matches(&chain(2_000, &[RELU])).unwrap().len(), 0);
    let relus = pattern(|[x]| {
        let mut x = x;
        for _ in 0..1_000 {
            x = x.relu()?;
        }
        candle_core::Result::Ok(x)
    });
    let replaced = replace_pattern(&mut module, relus.unwrap(), |x: &Proxy| x.tanh()).unwrap();
    assert_eq!((replaced.len(), module.graph().len()), (4, 6));
}

#[test]
fn equal_calls_of_one_input() {
    let mut graph = Graph::new("wide");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let calls: Vec<NodeId> = (0..100_000).map(|_| cursor.call(RELU, [x.into()], []).unwrap()).collect();
    cursor.output(calls);
    let mut module = GraphModule::new(graph, Attributes::new()).unwrap();
    assert!(CommonSubexpressions::new().run(&mut module, &mut Fuel::unlimited()).unwrap());
    assert_eq!(module.graph().len(), 3);
}

/// One node reads what all matches return.
#[test]
fn matches_that_one_node_reads() {
    let mut graph = Graph::new("star");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let calls: Vec<NodeId> = (0..40_000).map(|_| cursor.call(RELU, [x.into()], []).unwrap()).collect();
    cursor.output(Argument::from((calls, x)));
    let module = GraphModule::new(graph, Attributes::new()).unwrap();
    let mut replaced = module.clone();
    let found = replace_pattern(&mut replaced, |x: &Proxy| x.relu(), |x: &Proxy| x.tanh()).unwrap();
    assert_eq!((found.len(), replaced.graph().calls(TANH).len(), replaced.graph().len()), (40_000, 40_000, 40_002));
    replaced.check().unwrap();
    // Each call a child graph of its own, and all of them one.
    let mut count = 0;
    let split = split_module(&module, |_, _| {
        count += 1;
        Some(count)
    });
    let split = split.unwrap();
    assert_eq!((split.graph().len(), split.children().count()), (40_002, 40_000));
    split.check().unwrap();
    let mut fused = module;
    let is_call = |graph: &Graph, id| graph.node(id).target().operation() == Some(RELU);
    Partitioner::new(is_call).partition_and_fuse(&mut fused).unwrap();
    assert_eq!(fused.children().count(), 1);
    fused.check().unwrap();
}

#[test]
fn groups_of_a_long_chain() {
    let mut module = chain(30_000, &[RELU, EXP, TANH]);
    let partitioner = Partitioner::new(|graph, id| graph.node(id).target().operation() != Some(TANH));
    assert_eq!(partitioner.propose(module.graph()).len(), 10_000);
    assert_eq!(partitioner.partition_and_fuse(&mut module).unwrap().len(), 10_000);
    assert_eq!(module.graph().len(), 20_002);
    module.check().unwrap();
}

#[test]
fn dead_chains() {
    let mut module = chain(50_000, &[RELU, EXP]);
    let graph = module.graph_mut();
    let (x, output) = (graph.placeholders().next().unwrap(), graph.output_node().unwrap());
    graph.set_args(output, [Argument::Node(x)]);
    assert!(DeadCode::new().run(&mut module, &mut Fuel::unlimited()).unwrap());
    assert_eq!(module.graph().len(), 2);
}
