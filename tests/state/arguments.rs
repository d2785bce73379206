//! State that callers hand in: `&mut` parameters, and parameters with cells inside.

use std::cell::RefCell;

use candle_core::{DType, Result, Tensor};
use candle_nn::{Linear, Module};
use fx::{State, Tracer, Value};

use crate::follow::assert_step;
use crate::support::{linear, tensor};

/// As llama's: what changes, what is remembered, and what stays.
#[fx::module]
#[derive(Debug, Clone)]
struct Cache {
    masks: std::collections::HashMap<usize, Tensor>,
    kvs: Vec<Option<(Tensor, Tensor)>>,
    cos: Tensor,
    use_kv_cache: bool,
}

#[fx::module]
impl Cache {
    fn mask(&mut self, t: usize, like: &Tensor) -> Result<Tensor> {
        if let Some(mask) = self.masks.get(&t) {
            return Ok(mask.clone());
        }
        let mask = Tensor::full(0.25f32, (t, t), like.device())?;
        self.masks.insert(t, mask.clone());
        Ok(mask)
    }
}

#[fx::module]
struct Model {
    layers: Vec<Linear>,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor, index_pos: usize, cache: &mut Cache) -> Result<Tensor> {
        let mut x = x.broadcast_mul(&cache.cos.narrow(0, index_pos, x.dim(1)?)?)?;
        let mask = cache.mask(x.dim(1)?, &x)?;
        for (i, layer) in self.layers.iter().enumerate() {
            let mut k = layer.forward(&x)?;
            if cache.use_kv_cache {
                if let Some((past, _)) = &cache.kvs[i] {
                    k = Tensor::cat(&[past, &k], 1)?;
                }
                cache.kvs[i] = Some((k.clone(), k.neg()?));
            }
            x = (mask.matmul(&x.squeeze(0)?)?.unsqueeze(0)? + k.mean_keepdim(1)?.broadcast_as(x.shape())?)?;
        }
        Ok(x)
    }
}

fn model() -> Model {
    Model { layers: vec![linear(4, 4), linear(4, 4)] }
}

fn cache() -> Cache {
    Cache { masks: Default::default(), kvs: vec![None; 2], cos: tensor(&[8, 4]), use_kv_cache: true }
}

#[test]
fn a_cache_parameter_is_state_under_its_name() {
    let (model, mut original, mut state) = (model(), cache(), None::<State>);
    let mut index_pos = 0;
    let mut printed = Vec::new();
    for len in [3, 1, 1] {
        let x = tensor(&[1, len, 4]);
        let tracer = state.iter().fold(Tracer::new(), |tracer, state| tracer.with_state(state));
        let graph = tracer.trace_examples(&model, (&x, index_pos, &original)).unwrap();
        graph.check().unwrap();
        let abstracted = Tracer::new()
            .input("x", DType::F32, (1, len, 4))
            .concrete_arg("index_pos", index_pos)
            .concrete_arg("cache", &original)
            .trace(&model)
            .unwrap();
        assert_eq!(abstracted.graph().state(), graph.graph().state());
        let mut now = state.unwrap_or_else(|| graph.state());
        let expected = model.forward(&x, index_pos, &mut original).unwrap();
        assert_step(&expected, &graph, &mut now, &[Value::from(&x)]);
        abstracted.forward(&[&x]).unwrap();
        printed.push(graph.graph().to_string());
        state = Some(now);
        index_pos += len;
    }
    insta::assert_snapshot!(format!("{}\n{}", printed[1], state.unwrap()));
}

#[test]
fn a_cache_that_is_off_is_no_state() {
    let off = Cache { use_kv_cache: false, ..cache() };
    let graph = fx::trace(&model(), (&tensor(&[1, 2, 4]), 0usize, &off)).unwrap();
    assert!(graph.graph().state().is_empty() && graph.state().is_empty());
}

#[fx::module]
struct Plain;

#[fx::module]
impl Plain {
    fn forward(
        &self,
        x: &Tensor,
        hidden: &mut Tensor,
        kv: &mut Option<(Tensor, Tensor)>,
        pos: &mut usize,
        seen: &RefCell<Vec<Tensor>>,
        scale: &Tensor,
    ) -> Result<Tensor> {
        *hidden = ((&*hidden + x)? * scale)?;
        let y = match kv {
            Some((k, v)) => ((&*hidden * &*k)? + &*v)?,
            None => hidden.clone(),
        };
        *kv = Some((y.clone(), x.clone()));
        *pos += 1;
        seen.borrow_mut().push(y.clone());
        y * *pos as f64
    }
}

#[test]
fn tensors_and_numbers_as_parameters_to_be_changed() {
    let (x, scale) = (tensor(&[2]), tensor(&[2]));
    let (mut hidden, mut kv, mut pos, seen) = (tensor(&[2]), None, 0usize, RefCell::new(vec![]));
    let mut state = None::<State>;
    let mut printed = Vec::new();
    for _ in 0..3 {
        let graph = fx::trace(&Plain, (&x, &hidden, &kv, pos, &seen, &scale)).unwrap();
        graph.check().unwrap_or_else(|error| panic!("{error}\n{}", graph.graph()));
        let mut now = state.unwrap_or_else(|| graph.state());
        let expected = Plain.forward(&x, &mut hidden, &mut kv, &mut pos, &seen, &scale).unwrap();
        assert_step(&expected, &graph, &mut now, &[Value::from(&x), Value::from(&scale)]);
        printed.push(graph.graph().to_string());
        state = Some(now);
    }
    insta::assert_snapshot!(printed[1]);
}

#[test]
fn an_abstract_capture_has_no_value_to_begin_with() {
    let graph = Tracer::new()
        .input("x", DType::F32, 2)
        .input("hidden", DType::F32, 2)
        .input("scale", DType::F32, 2)
        .concrete_arg("kv", None::<(Tensor, Tensor)>)
        .concrete_arg("pos", 0)
        .concrete_arg("seen", &RefCell::new(Vec::<Tensor>::new()))
        .trace(&Plain)
        .unwrap();
    let inputs = [Value::from(&tensor(&[2])), Value::from(&tensor(&[2]))];
    insta::assert_snapshot!(graph.run(&inputs).unwrap_err().to_string());
    let mut state = graph.state();
    state.set("hidden", tensor(&[2]));
    let (mut hidden, mut kv, mut pos, seen) = (tensor(&[2]), None, 0usize, RefCell::new(vec![]));
    let expected = Plain.forward(&tensor(&[2]), &mut hidden, &mut kv, &mut pos, &seen, &tensor(&[2])).unwrap();
    let found = graph.run_with_state(&mut state, &inputs).unwrap();
    crate::support::assert_same(&expected, found.as_tensor().unwrap());
}
