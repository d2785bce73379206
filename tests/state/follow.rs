//! The comparison of a model over several calls with the graphs of its calls.

use candle_core::Tensor;
use fx::interp::Execution;
use fx::{GraphModule, State, Value};

use crate::support::assert_same;

/// Runs one call in three ways from the same state, and compares all of them.
#[track_caller]
pub(crate) fn assert_step(expected: &Tensor, graph: &GraphModule, state: &mut State, inputs: &[Value]) {
    let own = graph.run(inputs).unwrap_or_else(|error| panic!("{error}\n{}", graph.graph()));
    assert_same(expected, own.as_tensor().unwrap());
    let mut by_node = state.clone();
    let found = Execution::new(graph).with_state(&mut by_node).run(&mut (), inputs);
    assert_same(expected, found.unwrap_or_else(|error| panic!("{error}")).as_tensor().unwrap());
    let found = graph.run_with_state(state, inputs).unwrap_or_else(|error| panic!("{error}\n{}", graph.graph()));
    assert_same(expected, found.as_tensor().unwrap());
    assert_eq!(state.to_string(), by_node.to_string());
}

/// Calls a model once for each input, and the graph of each call on one state: all results are equal. Gives the graphs and
/// the state that they leave.
macro_rules! assert_follows {
    ($model:expr, [$($x:expr),* $(,)?]) => {{
        #[allow(unused_mut, reason = "not all models need it")]
        let mut model = $model;
        let mut state = fx::State::new();
        let mut graphs = Vec::new();
        for x in [$($x),*] {
            let graph = fx::Tracer::new().with_state(&state).trace_examples(&model, (&x,));
            let graph = graph.unwrap_or_else(|error| panic!("not captured: {error}"));
            if let Err(error) = graph.check() {
                panic!("{error}\n{}", graph.graph());
            }
            let text = graph.graph().to_text().unwrap();
            let read = text.parse::<fx::Graph>().unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(read.to_text().unwrap(), text);
            if graphs.is_empty() {
                state = graph.state();
            }
            let expected = model.forward(&x).unwrap();
            crate::follow::assert_step(&expected, &graph, &mut state, &[fx::Value::from(&x)]);
            graphs.push(graph);
        }
        (graphs, state)
    }};
}
