//! Every way of running a graph gives the same, on random graphs and on long ones.

use candle_core::Tensor;
use fx_core::interp::{Execution, Interpreter, Transformer};
use fx_core::ir::{Argument, Graph, NodeId};
use fx_core::module::{Attributes, GraphModule};
use fx_core::value::Value;

use crate::support::{Scale, chain, module, op, plus, tensor};

struct Copy;
impl Transformer for Copy {}

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn pick(&mut self, ids: &[NodeId]) -> NodeId {
        // Mostly recent values, so that others end early.
        let back = if self.below(4) == 0 { self.below(ids.len()) } else { self.below(ids.len().min(3)) };
        ids[ids.len() - 1 - back]
    }
}

fn random_module(seed: u64) -> GraphModule {
    let random = &mut Random(seed);
    let mut graph = Graph::new("random");
    let mut cursor = graph.at_end();
    let mut ids: Vec<NodeId> = ["a", "b", "c"].map(|name| cursor.placeholder(name)).into();
    ids.push(cursor.get_attr("w"));
    for _ in 0..random.below(40) {
        let (x, y) = (random.pick(&ids), random.pick(&ids));
        let id = match random.below(6) {
            0 => cursor.call(op("neg"), [x.into()], []),
            1 => cursor.call(op("tanh"), [x.into()], []),
            2 => cursor.call(plus(), [x.into(), y.into()], []),
            3 => cursor.call(plus(), [x.into(), Argument::Float(0.5)], []),
            4 => Ok(cursor.call_module("scale", [x.into()], [("train".into(), true.into())])),
            _ => Ok(cursor.call_module("child", [], [("y".into(), x.into()), ("x".into(), y.into())])),
        };
        ids.push(id.expect("arguments that fit"));
    }
    let result: Vec<NodeId> = (0..random.below(4)).map(|_| random.pick(&ids)).collect();
    cursor.output(Argument::from((random.pick(&ids), result, 3)));

    let mut inner = Graph::new("child");
    let mut cursor = inner.at_end();
    let [x, y] = ["x", "y"].map(|name| cursor.placeholder(name));
    let difference = cursor.call(op("sub"), [x.into(), y.into()], []).expect("two tensors");
    cursor.output(difference);
    let attributes: [(&str, fx_core::module::Attribute); 3] = [
        ("w", tensor(&[0.25, -0.5]).into()),
        ("scale", Scale::layer(&tensor(&[0.5])).into()),
        ("child", module(inner, Attributes::new()).into()),
    ];
    GraphModule::from_map(graph, attributes).unwrap_or_else(|error| panic!("{error}"))
}

fn bits(value: &Value) -> Vec<Vec<u32>> {
    let floats = |tensor: &&Tensor| tensor.to_vec1::<f32>().expect("floats").into_iter().map(f32::to_bits).collect();
    value.tensors().iter().map(floats).collect()
}

#[test]
fn random_graphs_run_the_same_in_every_way() {
    let inputs: Vec<Value> = [[1.0, 2.0], [0.1, -0.2], [3.0, 0.0]].map(|values| tensor(&values).into()).into();
    for seed in 0..300 {
        let module = random_module(seed);
        let mut kept = Execution::new(&module).keep_values();
        let expected = kept.run(&mut (), &inputs).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let copy = Copy.transform(&module).expect("a copy");
        assert_eq!(copy.to_string(), module.to_string(), "seed {seed}");
        let mut boxed = inputs.clone();
        let results =
            [module.run(&inputs), ().run(&module, &inputs), copy.run(&inputs), ().boxed_run(&module, &mut boxed)];
        for result in results {
            let result = result.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert_eq!(bits(&result), bits(&expected), "seed {seed}\n{module}");
        }
        // Twice, and after an edit: the plan is made anew.
        assert_eq!(bits(&module.run(&inputs).expect("it runs")), bits(&expected));
        let (mut edited, output) = (module.clone(), module.graph().output_node().expect("an output"));
        let first = edited.graph().placeholders().next().expect("an input");
        edited.graph_mut().set_args(output, [first.into()]);
        edited.eliminate_dead_code();
        assert_eq!(edited.run(&inputs).expect("it runs"), inputs[0]);
    }
}

#[test]
fn long_chains_run_in_every_way() {
    let length = 20_000;
    let long = module(chain("long", &vec!["neg"; length]), Attributes::new());
    let x = [Value::from(tensor(&[1.0]))];
    let copy = Copy.transform(&long).expect("a copy");
    for result in [long.run(&x), ().run(&long, &x), copy.run(&x)] {
        assert_eq!(bits(&result.expect("it runs")), [[1f32.to_bits()]]);
    }
    let mut known = copy;
    known.infer_facts().expect("nothing is refused");
    assert!(known.eliminate_dead_code().is_empty());
    assert_eq!(known.graph().len(), length + 2);
}
