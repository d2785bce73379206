//! Row 68, second half: the partitioner, the fuser and what it refuses, `split_module`.

use candle_core::{Device, Result, Tensor};
use fx_core::ir::{Graph, NodeId, Op};
use fx_core::module::GraphModule;
use fx_core::ops::operators;
use fx_core::passes::{FuseError, Partition, Partitioner, split_module};
use fx_core::trace::{Inputs, ToOutput, Tracer};
use fx_core::value::Value;

fn captured<R: ToOutput>(function: impl Fn(&mut Inputs<'_>) -> R) -> GraphModule {
    Tracer::new().name("model").trace_fn(function).unwrap()
}

/// Additions are supported, as in torch.fx's tests.
fn is_add(graph: &Graph, id: NodeId) -> bool {
    graph.node(id).target().operation() == Some(&operators::add::OP)
}

fn names(graph: &Graph, partitions: &[Partition]) -> Vec<Vec<String>> {
    let name = |&id: &NodeId| graph.node(id).name().to_owned();
    partitions.iter().map(|one| one.nodes.iter().map(name).collect()).collect()
}

fn run(module: &GraphModule) -> Vec<f32> {
    let inputs: Vec<Value> = module
        .graph()
        .placeholders()
        .enumerate()
        .map(|(i, _)| Tensor::new(&[i as f32 + 0.25, -1.5], &Device::Cpu).unwrap().into())
        .collect();
    let value = module.run(&inputs).unwrap();
    value.tensors().iter().flat_map(|tensor| tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap()).collect()
}

/// Proposes, fuses, and compares the results.
#[track_caller]
fn expect(partitioner: &Partitioner<'_>, module: &GraphModule, groups: &[&[&str]]) {
    assert_eq!(names(module.graph(), &partitioner.propose(module.graph())), groups);
    let mut fused = module.clone();
    assert_eq!(partitioner.partition_and_fuse(&mut fused).unwrap().len(), groups.len());
    fused.check().unwrap();
    assert_eq!(fused.graph().find_nodes(Op::CallModule, None).len(), groups.len());
    assert_eq!(run(module), run(&fused));
}

#[test]
fn row_68_partitioner_chains_and_branches() {
    let add = || Partitioner::new(is_add);
    // All of one kind, in a row.
    let chain = captured(|inputs| {
        let (a, b) = (inputs.tensor("a")?, inputs.tensor("b")?);
        ((&a + &b)? + &a)? + b
    });
    expect(&add(), &chain, &[&["add", "add_1", "add_2"]]);
    // What is not supported parts them.
    let parted = captured(|inputs| {
        let (a, b) = (inputs.tensor("a")?, inputs.tensor("b")?);
        let first = ((&a + &b)? + &a)?;
        let middle = first.relu()?;
        (middle + &a)? + b
    });
    expect(&add(), &parted, &[&["add", "add_1"], &["add_2", "add_3"]]);
    // A way around it: the node after it needs the group and what the group leads to.
    let around = captured(|inputs| {
        let (a, b) = (inputs.tensor("a")?, inputs.tensor("b")?);
        let first = (&a + &b)?;
        let second = (&first + &a)?;
        (first.relu()? + second)? + b
    });
    expect(&add(), &around, &[&["add", "add_1"], &["add_2", "add_3"]]);
}

#[test]
fn row_68_partitioner_horizontal_fusion() {
    let apart = captured(|inputs| {
        let (a, b) = (inputs.tensor("a")?, inputs.tensor("b")?);
        let left = ((&a + &b)? + &b)?;
        let right = ((&b + &a)? + &a)?;
        Result::Ok((left, right))
    });
    expect(&Partitioner::new(is_add), &apart, &[&["add", "add_1", "add_2", "add_3"]]);
    let kept_apart = Partitioner::new(is_add).skip_horizontal_fusion(true);
    expect(&kept_apart, &apart, &[&["add", "add_1"], &["add_2", "add_3"]]);
}

#[test]
fn row_68_partitioner_single_nodes() {
    let single = captured(|inputs| (inputs.tensor("a")? + inputs.tensor("b")?)?.relu());
    expect(&Partitioner::new(is_add), &single, &[]);
    expect(&Partitioner::new(is_add).allows_single_node_partition(true), &single, &[&["add"]]);
    // What does not compute does not count.
    let module = captured(|inputs| (inputs.tensor("a")? + inputs.tensor("b")?)?.contiguous());
    expect(&Partitioner::new(|_, _| true), &module, &[&["add", "contiguous"]]);
    let free = Partitioner::new(|_, _| true).non_compute(|graph, id| graph.node(id).name() == "contiguous");
    expect(&free, &module, &[]);
}

#[test]
fn row_68_partitioner_nothing_and_everything() {
    let module = captured(|inputs| inputs.tensor("a")?.relu()?.exp());
    expect(&Partitioner::new(|_, _| false), &module, &[]);
    expect(&Partitioner::new(|_, _| true), &module, &[&["relu", "exp"]]);
    let empty = captured(|inputs| inputs.tensor("a"));
    expect(&Partitioner::new(|_, _| true), &empty, &[]);
}

#[test]
fn row_68_partitioner_independent_outputs() {
    // What comes before all supported nodes does not part those after it from others.
    let module = captured(|inputs| {
        let (a, b) = (inputs.tensor("a")?, inputs.tensor("b")?);
        let late = ((a.relu()? + &b)? + &b)?;
        let early = ((&b + &b)? + &a)?;
        Result::Ok((late, early))
    });
    expect(&Partitioner::new(is_add), &module, &[&["add", "add_1", "add_2", "add_3"]]);
}

#[test]
fn row_68_partitioner_gives_the_same_each_time() {
    let module = captured(|inputs| {
        let (a, b) = (inputs.tensor("a")?, inputs.tensor("b")?);
        let sums: Result<Vec<_>> = (0..20).map(|i| if i % 3 == 0 { a.relu()? + &b } else { &a + &b }).collect();
        sums
    });
    let proposed = || Partitioner::new(is_add).skip_horizontal_fusion(true).propose(module.graph());
    assert!((0..5).all(|_| proposed() == proposed()));
}

fn four() -> (GraphModule, [NodeId; 4]) {
    let module = captured(|inputs| inputs.tensor("a")?.relu()?.exp()?.tanh()?.neg());
    let id = |name| module.graph().node_named(name).unwrap();
    let ids = [id("relu"), id("exp"), id("tanh"), id("neg")];
    (module, ids)
}

#[track_caller]
fn refused(groups: &[&[usize]]) -> FuseError {
    let (mut module, ids) = four();
    let before = module.to_string();
    let groups: Vec<Partition> = groups.iter().map(|group| group.iter().map(|&i| ids[i]).collect()).collect();
    let error = Partitioner::new(|_, _| true).fuse_partitions(&mut module, &groups).unwrap_err();
    assert_eq!(module.to_string(), before);
    error
}

#[test]
fn row_68_fuser_must_fail_overlap() {
    let error = refused(&[&[0, 1], &[1, 2]]);
    assert_eq!(error.to_string(), "%exp is in group 0 and in group 1: groups must not overlap");
    assert!(matches!(refused(&[&[0, 0]]), FuseError::Overlap { first: 0, second: 0, .. }));
}

#[test]
fn row_68_fuser_must_fail_cycle() {
    assert!(matches!(refused(&[&[0, 2]]), FuseError::Cycle(_)));
    // Each is fine alone; together they need each other.
    assert!(matches!(refused(&[&[0, 2], &[1, 3]]), FuseError::Cycle(_)));
    assert!(matches!(refused(&[&[]]), FuseError::Empty { group: 0 }));
    let (mut module, _) = four();
    let input = module.graph().placeholders().collect::<Partition>();
    let error = Partitioner::new(|_, _| true).fuse_partitions(&mut module, &[input]).unwrap_err();
    assert_eq!(error.to_string(), "group 0 has `%a = placeholder a()`, but only calls of this graph can be fused");
}

#[test]
fn row_68_split_module_keeps_order() {
    let (module, _) = four();
    let split = split_module(&module, |graph, id| Some(usize::from(graph.node(id).name() > "p"))).unwrap_err();
    assert!(matches!(split, FuseError::Cycle(_)), "relu and tanh are after p, exp and neg before");
    let split = split_module(&module, |graph, id| match graph.node(id).name() {
        "relu" | "exp" => Some(1),
        "tanh" => Some(0),
        _ => None,
    })
    .unwrap();
    let names: Vec<&str> = split.graph().nodes().map(|(_, node)| node.name()).collect();
    assert_eq!(names, ["a", "submod_1", "submod_0", "neg", "output"]);
    assert_eq!(run(&module), run(&split));
}
