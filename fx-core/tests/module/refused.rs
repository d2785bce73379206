//! What is refused when a graph runs: inputs of another kind, arguments that an operation does not take, and calls that
//! candle gives up on.

use candle_core::{DType, Device, Tensor};
use fx_core::interp::RunError;
use fx_core::module::{Attributes, GraphModule};
use fx_core::trace::Tracer;
use fx_core::value::Value;

use crate::support::{chain, op, tensor};

fn doubled() -> GraphModule {
    let traced = Tracer::new().input("x", DType::F32, 2).trace_fn(|inputs| {
        let x = inputs.tensor("x")?;
        &x + &x
    });
    traced.expect("captured")
}

#[test]
fn a_number_is_no_tensor() {
    for value in [Value::Int(3), Value::Float(0.5), Value::None, Value::List(vec![tensor(&[1.0, 2.0]).into()])] {
        let error = doubled().run(&[value]).expect_err("not a tensor");
        assert!(matches!(&error, RunError::OtherInput { input, .. } if input == "x"), "{error}");
    }
    assert!(doubled().run(&[tensor(&[1.0, 2.0]).into()]).is_ok());
}

#[test]
fn arguments_that_the_operation_does_not_take() {
    let mut module = doubled();
    let (x, add) = (module.graph().node_named("x").expect("x"), module.graph().node_named("add").expect("add"));
    module.graph_mut().set_args(add, [x.into(), x.into(), x.into()]);
    let error = module.run(&[tensor(&[1.0, 2.0]).into()]).expect_err("one argument too many");
    assert!(error.to_string().contains("takes 2 arguments by position, but got 3"), "{error}");

    let mut graph = chain("clamped", &["neg"]);
    let neg = graph.node_named("neg").expect("neg");
    let limits = [("min".into(), 0.0.into()), ("max".into(), 1.0.into())];
    let clamp = graph.at_end().call(op("clamp"), [neg.into()], limits).expect("fits");
    graph.set_kwargs(clamp, [("max".into(), 1.0.into())]);
    let module = {
        let output = graph.output_node().expect("an output");
        graph.set_args(output, [clamp.into()]);
        let mut module = GraphModule::new(chain("clamped", &[]), Attributes::new()).expect("correct");
        *module.graph_mut() = graph;
        module
    };
    let error = module.run(&[tensor(&[1.0]).into()]).expect_err("an argument is missing");
    assert!(error.to_string().contains("argument `min` is missing"), "{error}");
}

/// candle panics on float functions of integers; the graph says which node it was.
#[test]
fn what_candle_gives_up_on() {
    let module = GraphModule::new(chain("given_up", &["neg", "exp"]), Attributes::new()).expect("correct");
    let integers = Tensor::new(&[1u32, 2], &Device::Cpu).expect("a small tensor");
    let Err(RunError::Node(error)) = module.run(&[integers.to_dtype(DType::U32).expect("is that").into()]) else {
        panic!("an error of a node")
    };
    assert!(["neg", "exp"].contains(&error.node.as_str()), "{error}");
    assert!(error.reason.starts_with("it panicked: "), "{error}");
    assert!(error.arguments.contains("u32[2]"), "{error}");
}
