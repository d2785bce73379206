//! Recurrent layers: captured runs and steps give what candle's own layer gives, to the last bit.

use std::collections::HashMap;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::rnn::Direction;
use candle_nn::{GRU, GRUConfig, LSTM, LSTMConfig, RNN, VarBuilder};
use fx_core::module::{GraphModule, LayerModule};
use fx_core::trace::{TraceError, Tracer};
use fx_core::value::Value;

fn numbers(dims: &[usize]) -> Tensor {
    let count: usize = dims.iter().product();
    let data: Vec<f32> = (0..count).map(|i| (i as f32 * 0.61).sin()).collect();
    Tensor::from_vec(data, dims, &Device::Cpu).expect("as many numbers")
}

fn weights(gates: usize) -> VarBuilder<'static> {
    let mut tensors = HashMap::new();
    for end in ["", "_reverse"] {
        tensors.insert(format!("weight_ih_l0{end}"), numbers(&[gates * 5, 3]));
        tensors.insert(format!("weight_hh_l0{end}"), numbers(&[gates * 5, 5]));
        tensors.insert(format!("bias_ih_l0{end}"), numbers(&[gates * 5]));
        tensors.insert(format!("bias_hh_l0{end}"), numbers(&[gates * 5]));
    }
    VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu)
}

fn lstms() -> Vec<LSTM> {
    let backward = LSTMConfig { direction: Direction::Backward, ..LSTMConfig::default() };
    let configs = [LSTMConfig::default(), LSTMConfig::default_no_bias(), backward];
    configs.map(|config| LSTM::new(3, 5, config, weights(4)).expect("all weights")).into()
}

fn grus() -> Vec<GRU> {
    let configs = [GRUConfig::default(), GRUConfig::default_no_bias()];
    configs.map(|config| GRU::new(3, 5, config, weights(3)).expect("all weights")).into()
}

fn bits(tensor: &Tensor) -> (Vec<usize>, Vec<u32>) {
    let data = tensor.flatten_all().and_then(|data| data.to_vec1::<f32>()).expect("numbers");
    (tensor.dims().to_vec(), data.into_iter().map(f32::to_bits).collect())
}

fn assert_returns(expected: &[Tensor], module: &GraphModule, x: &Tensor) {
    module.check().unwrap_or_else(|errors| panic!("{errors}\n{}", module.graph()));
    let value = module.run(&[Value::from(x)]).unwrap_or_else(|error| panic!("{error}\n{}", module.graph()));
    let (Value::List(values) | Value::Tuple(values)) = &value else { panic!("a list, not {value:?}") };
    let found: Vec<&Tensor> = values.iter().filter_map(Value::as_tensor).collect();
    assert_eq!(expected.len(), found.len());
    for (expected, found) in expected.iter().zip(found) {
        assert_eq!(bits(expected), bits(found), "{}", module.graph());
    }
}

fn tracers(x: &Tensor) -> [Tracer<'_>; 2] {
    [Tracer::new().example("x", x), Tracer::new().input("x", x.dtype(), x.shape())]
}

/// Runs over sequences and single steps, in the words of candle's trait, for both worlds.
macro_rules! run {
    ($layer:expr, $x:expr, $h:ident) => {{
        let (layer, x) = ($layer, $x);
        let states = layer.seq(&x)?;
        let continued = layer.seq_init(&x, &states[1])?;
        let stepped = layer.step(&x.narrow(1, 0, 1)?.squeeze(1)?, &continued[0])?;
        let zero = layer.zero_state(2)?;
        Ok(vec![
            layer.states_to_tensor(&states)?,
            layer.states_to_tensor(&continued)?,
            stepped.$h.clone(),
            stepped.h().neg()?,
            zero.$h.clone(),
        ])
    }};
}

#[test]
fn runs_and_steps_of_an_lstm() {
    for layer in lstms() {
        for len in [2, 7] {
            let (x, other) = (numbers(&[2, len, 3]), numbers(&[2, len, 3]).neg().expect("numbers"));
            let run = |x: &Tensor| -> Result<Vec<Tensor>> { run!(&layer, x, c) };
            for tracer in tracers(&x) {
                let module = tracer
                    .trace_with(&(layer.clone(),), |(layer,), inputs| -> Result<Vec<_>> {
                        run!(&*layer, inputs.tensor("x")?, c)
                    })
                    .expect("captured");
                assert_returns(&run(&x).expect("candle runs it"), &module, &x);
                assert_returns(&run(&other).expect("candle runs it"), &module, &other);
            }
        }
    }
}

#[test]
fn runs_and_steps_of_a_gru() {
    for layer in grus() {
        for len in [2, 7] {
            let (x, other) = (numbers(&[2, len, 3]), numbers(&[2, len, 3]).neg().expect("numbers"));
            let run = |x: &Tensor| -> Result<Vec<Tensor>> { run!(&layer, x, h) };
            for tracer in tracers(&x) {
                let module = tracer
                    .trace_with(&(layer.clone(),), |(layer,), inputs| -> Result<Vec<_>> {
                        run!(&*layer, inputs.tensor("x")?, h)
                    })
                    .expect("captured");
                assert_returns(&run(&x).expect("candle runs it"), &module, &x);
                assert_returns(&run(&other).expect("candle runs it"), &module, &other);
            }
        }
    }
}

#[test]
fn a_state_of_the_model() {
    let (layer, x) = (lstms().remove(0), numbers(&[2, 3]));
    let state = candle_nn::rnn::LSTMState::new(numbers(&[2, 5]), numbers(&[2, 5]).neg().expect("numbers"));
    let expected = layer.step(&x, &state).expect("candle runs it");
    let module = Tracer::new()
        .input("x", DType::F32, (2, 3))
        .trace_with(&(layer, state), |(layer, state), inputs| {
            let state = layer.step(&inputs.tensor("x")?, state)?;
            Ok::<_, candle_core::Error>(vec![state.h, state.c])
        })
        .expect("captured");
    assert_returns(&[expected.h, expected.c], &module, &x);
    assert!(module.tensor("1.h").is_some() && module.tensor("1.c").is_some());
}

#[test]
fn what_the_layer_refuses_is_refused() {
    for shape in [&[2, 7, 4][..], &[2, 3], &[1, 2, 7, 3]] {
        let x = numbers(shape);
        for tracer in tracers(&x) {
            let captured = tracer.trace_with(&(lstms().remove(0),), |(layer,), inputs| {
                let states = layer.seq(&inputs.tensor("x")?)?;
                layer.states_to_tensor(&states)
            });
            assert!(captured.is_err(), "{shape:?}");
        }
    }
}

#[test]
fn a_length_that_is_not_known_is_asked_for() {
    let captured = Tracer::new().trace_with(&(lstms().remove(0),), |(layer,), inputs| {
        let states = layer.seq(&inputs.tensor("x")?)?;
        layer.states_to_tensor(&states)
    });
    let error = captured.expect_err("the shape is not known");
    assert!(matches!(error, TraceError::Unknown { .. }), "{error}");
}

#[test]
fn a_graph_of_a_run_reads_like_the_code() {
    let module = Tracer::new()
        .input("x", DType::F32, (1, 2, 3))
        .trace_with(&(lstms().remove(0),), |(layer,), inputs| {
            let states = layer.seq(&inputs.tensor("x")?)?;
            layer.states_to_tensor(&states)
        })
        .expect("captured");
    insta::assert_snapshot!(module.graph().to_string());
}

#[test]
fn a_layer_tells_its_name_and_how_it_is_called() {
    let module = Tracer::new()
        .input("x", DType::F32, (1, 2, 3))
        .trace_with(&(grus().remove(0),), |(layer,), inputs| {
            assert!(format!("{:?}", layer.config()).contains("w_ih_init"));
            let states = layer.seq(&inputs.tensor("x")?)?;
            layer.states_to_tensor(&states)
        })
        .expect("captured");
    let mut layers = module.attributes().iter().filter_map(|(_, attribute)| match attribute {
        fx_core::module::Attribute::Layer(layer) => Some(layer),
        _ => None,
    });
    let layer: &dyn LayerModule = &**layers.next().expect("the layer");
    assert_eq!((layer.type_name(), layer.called().method, layer.called().options), ("GRU", "seq_init", &["h"][..]));
}
