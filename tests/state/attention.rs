//! An attention with a cache of keys and values, as most decoders have it.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{Linear, Module};
use fx::interp::Transformer;
use fx::{GraphModule, RunError, State, Tracer, Value};

use crate::support::{assert_same, linear, tensor};

#[fx::module]
#[derive(Debug, Clone)]
pub(crate) struct Attention {
    query: Linear,
    key: Linear,
    kv_cache: Option<(Tensor, Tensor)>,
}

#[fx::module]
impl Attention {
    pub(crate) fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let (q, k) = (self.query.forward(x)?, self.key.forward(x)?);
        let v = k.tanh()?;
        let (k, v) = match &self.kv_cache {
            None => (k, v),
            Some((past_k, past_v)) => (Tensor::cat(&[past_k, &k], 1)?, Tensor::cat(&[past_v, &v], 1)?),
        };
        self.kv_cache = Some((k.clone(), v.clone()));
        candle_nn::ops::softmax_last_dim(&q.matmul(&k.t()?)?)?.matmul(&v)
    }

    #[allow(dead_code, reason = "models have it")]
    fn clear_kv_cache(&mut self) {
        self.kv_cache = None;
    }
}

#[fx::module]
#[derive(Debug, Clone)]
pub(crate) struct Decoder {
    pub(crate) layers: Vec<Attention>,
}

#[fx::module]
impl Decoder {
    pub(crate) fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for layer in self.layers.iter_mut() {
            x = (layer.forward(&x)? + &x)?;
        }
        Ok(x)
    }
}

pub(crate) fn attention() -> Attention {
    Attention { query: linear(4, 4), key: linear(4, 4), kv_cache: None }
}

pub(crate) fn decoder() -> Decoder {
    Decoder { layers: vec![attention(), attention()] }
}

fn prompt() -> Tensor {
    tensor(&[1, 3, 4])
}

fn token() -> Tensor {
    tensor(&[1, 1, 4])
}

/// The graph of the first call and that of the second, and the model after the first.
fn two_graphs() -> (GraphModule, GraphModule, Attention) {
    let mut model = attention();
    let first = fx::trace(&model, (&prompt(),)).unwrap();
    model.forward(&prompt()).unwrap();
    let second = fx::trace(&model, (&token(),)).unwrap();
    (first, second, model)
}

#[test]
fn every_call_is_followed() {
    assert_follows!(attention(), [prompt(), token(), token(), tensor(&[1, 2, 4])]);
    let (graphs, state) = assert_follows!(decoder(), [prompt(), token(), token()]);
    assert_eq!(graphs[1].graph().state().len(), 2);
    assert_eq!(state.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["layers.0.kv_cache", "layers.1.kv_cache"]);
}

#[test]
fn the_graph_shows_its_state() {
    let (first, second, _) = two_graphs();
    insta::assert_snapshot!(format!("{}\n{}\n{}", first.graph(), second.graph(), second.code()));
}

#[test]
fn a_graph_of_another_moment_is_refused_and_the_state_stays() {
    let (first, second, _) = two_graphs();
    let mut errors = Vec::new();
    first.forward(&[&prompt()]).unwrap();
    let after = first.state();
    errors.push(first.forward(&[&prompt()]).unwrap_err().to_string());
    assert_eq!(first.state(), after);
    // The prompt was of three.
    second.forward(&[&token()]).unwrap();
    errors.push(second.forward(&[&token()]).unwrap_err().to_string());
    let mut state = State::new();
    errors.push(second.run_with_state(&mut state, &[Value::from(&token())]).unwrap_err().to_string());
    state.set("kv_cache", Value::Tuple(vec![Value::None, Value::Int(1)]));
    errors.push(second.run_with_state(&mut state, &[Value::from(&token())]).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n\n"));
}

#[test]
fn a_failing_run_leaves_the_state_as_it_was() {
    let (_, second, _) = two_graphs();
    let before = second.state();
    let wrong = tensor(&[1, 1, 4]).to_dtype(DType::F64).unwrap();
    assert!(second.run(&[Value::from(&wrong)]).is_err());
    assert!(matches!(second.run(&[]), Err(RunError::InputCount { expected: 1, .. })));
    assert_eq!(second.state(), before);
}

#[test]
fn the_state_is_reset_swapped_and_cloned() {
    let (first, second, mut model) = two_graphs();
    let expected = model.forward(&token()).unwrap();
    let clone = second.clone();
    let before = second.state();
    assert_same(&expected, &second.forward(&[&token()]).unwrap());
    // A clone has its own.
    assert_eq!(clone.state(), before);
    let after = second.set_state(before.clone());
    assert_ne!(after, before);
    assert_same(&expected, &second.forward(&[&token()]).unwrap());
    second.reset_state();
    assert_eq!(second.state(), before);
    first.forward(&[&prompt()]).unwrap();
    first.reset_state();
    first.forward(&[&prompt()]).unwrap();
}

#[test]
fn two_graphs_share_one_state() {
    let (first, mut second, mut model) = two_graphs();
    second.share_state(&first).unwrap();
    for _ in 0..3 {
        first.forward(&[&prompt()]).unwrap();
        let (_, _, mut again) = two_graphs();
        assert_same(&again.forward(&token()).unwrap(), &second.forward(&[&token()]).unwrap());
        first.reset_state();
    }
    model.clear_kv_cache();
}

#[test]
fn what_others_change_cannot_be_a_constant() {
    let (first, _, model) = two_graphs();
    // Only reads the cache.
    let peek = |tracer: Tracer<'_>| {
        tracer.trace_with(&model, |model, inputs| {
            let (k, _) = model.kv_cache.clone().ok_or_else(|| candle_core::Error::Msg("empty".into()))?;
            inputs.tensor("x")?.broadcast_add(&k.sum_keepdim(1)?)
        })
    };
    let mut constant = peek(Tracer::new()).unwrap();
    assert!(constant.graph().state().is_empty());
    let error = constant.share_state(&first).unwrap_err();
    insta::assert_snapshot!(error.to_string());
    let error = constant.run_with_state(&mut first.state(), &[Value::from(&token())]).unwrap_err();
    assert!(matches!(error, RunError::Constant(_)), "{error}");

    let mut reads = peek(Tracer::new().with_state(&first.state())).unwrap();
    reads.share_state(&first).unwrap();
    first.forward(&[&prompt()]).unwrap();
    assert_same(&constant.forward(&[&token()]).unwrap(), &reads.forward(&[&token()]).unwrap());
    assert_eq!(reads.graph().state().len(), 1);
}

#[test]
fn passes_and_transformers_keep_the_state() {
    struct Same;
    impl Transformer for Same {}
    let (_, second, mut model) = two_graphs();
    let expected = model.forward(&token()).unwrap();
    let mut optimized = second.clone();
    fx::passes::PassManager::new()
        .pass("cse", fx::passes::CommonSubexpressions::default())
        .pass("fold", fx::passes::ConstantFolding::default())
        .pass("dead", fx::passes::DeadCode::default())
        .run(&mut optimized)
        .unwrap();
    let split = second.clone();
    fx::passes::split_module(&split, |graph, id| Some(usize::from(graph.node(id).name().contains("cat")))).ok();
    for other in [&Same.transform(&second).unwrap(), &optimized, &split] {
        other.check().unwrap();
        assert_eq!(other.graph().state().len(), 1, "{}", other.graph());
        assert_same(&expected, &other.forward(&[&token()]).unwrap());
        assert_ne!(other.state(), second.state());
        other.reset_state();
        assert_eq!(other.state(), second.state());
    }
}

#[test]
fn the_state_is_converted_with_the_weights() {
    let (_, second, _) = two_graphs();
    let mut half = second.clone();
    half.to_dtype(DType::F64).unwrap();
    half.to_device(&Device::Cpu).unwrap();
    let y = half.forward(&[&token().to_dtype(DType::F64).unwrap()]).unwrap();
    assert_eq!(y.dtype(), DType::F64);
    for (_, value) in half.state().iter() {
        assert!(value.tensors().iter().all(|tensor| tensor.dtype() == DType::F64));
    }
    half.reset_state();
    half.forward(&[&token().to_dtype(DType::F64).unwrap()]).unwrap();
    second.forward(&[&token()]).unwrap();
}
