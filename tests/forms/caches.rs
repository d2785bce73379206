//! candle's caches, recurrent layers and quantized tensors as fields and arguments, in the words of the models that have
//! them.

use std::sync::{Arc, Mutex};

use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Result, StreamTensor, Tensor};
use candle_nn::kv_cache::{ConcatKvCache, KvCache};
use candle_nn::{LSTM, LSTMConfig, Linear, Module, VarBuilder};
use fx::Tracer;

use crate::support::{assert_returns, linear, tensor};

#[fx::module]
#[derive(Debug, Clone)]
enum AnyCache {
    Normal(candle_nn::kv_cache::KvCache),
    Rotating(candle_nn::kv_cache::RotatingKvCache),
}

#[fx::module]
struct Attention {
    query: Linear,
    key: Linear,
    cache: AnyCache,
    kept: ConcatKvCache,
    shared: Arc<Mutex<KvCache>>,
}

#[fx::module]
impl Attention {
    fn forward(&mut self, x: &Tensor, offset: usize) -> Result<Tensor> {
        let (q, k) = (self.query.forward(x)?, self.key.forward(x)?);
        if offset == 0 {
            self.reset();
        }
        let (k, v) = match &mut self.cache {
            AnyCache::Normal(cache) => cache.append(&k.contiguous()?, &q.contiguous()?)?,
            AnyCache::Rotating(cache) => cache.append(&k.contiguous()?, &q.contiguous()?)?,
        };
        let (k, v) = self.kept.append(&k, &v)?;
        let mut shared = self.shared.lock().unwrap();
        let (more, _) = shared.append(&q.contiguous()?, &q.contiguous()?)?;
        let scores = (q.matmul(&k.t()?)? * (1.0 / shared.current_seq_len() as f64))?;
        let weights = candle_nn::ops::softmax_last_dim(&scores)?;
        weights.matmul(&v)?.broadcast_add(&more.mean_keepdim(1)?)
    }

    fn reset(&mut self) {
        match &mut self.cache {
            AnyCache::Normal(cache) => cache.reset(),
            AnyCache::Rotating(cache) => cache.reset(),
        }
        self.kept.reset();
    }
}

fn attention(rotating: bool, steps: &[usize]) -> Attention {
    let cache = if rotating {
        AnyCache::Rotating(candle_nn::kv_cache::RotatingKvCache::new(1, 4))
    } else {
        AnyCache::Normal(KvCache::new(1, 4))
    };
    let shared = Arc::new(Mutex::new(KvCache::new(1, 8)));
    let mut model = Attention { query: linear(4, 4), key: linear(4, 4), cache, kept: ConcatKvCache::new(1), shared };
    for (offset, &len) in steps.iter().enumerate() {
        model.forward(&tensor(&[2, len, 4]), offset).unwrap();
    }
    model
}

#[test]
fn caches_before_and_after_the_first_step() {
    for rotating in [false, true] {
        for steps in [&[][..], &[3], &[3, 1], &[2, 1, 1, 1, 1]] {
            for offset in [0, 7] {
                let x = tensor(&[2, 3, 4]);
                let expected = attention(rotating, steps).forward(&x, offset).unwrap();
                let model = attention(rotating, steps);
                assert_returns(&[&expected], fx::trace(&model, (&x, offset)), &[&x]);
                let from_shape = Tracer::new().input("x", DType::F32, (2, 3, 4)).concrete_arg("offset", offset);
                assert_returns(&[&expected], from_shape.trace(&model), &[&x]);
            }
        }
    }
}

#[fx::module]
struct ByArgument {
    key: Linear,
}

#[fx::module]
impl ByArgument {
    fn forward(&self, x: &Tensor, cache: &mut KvCache) -> Result<Tensor> {
        let k = self.key.forward(x)?;
        let (k, v) = cache.append(&k, &x.neg()?)?;
        let mut fresh = candle_nn::kv_cache::KvCache::new(1, 2);
        let (again, _) = fresh.append(&k, &v)?;
        k.broadcast_add(&v)?.broadcast_mul(&again)
    }
}

#[test]
fn a_cache_as_an_argument_and_a_cache_made_in_a_forward() {
    let (model, x) = (ByArgument { key: linear(4, 4) }, tensor(&[2, 3, 4]));
    let cache = || {
        let mut cache = KvCache::new(1, 2);
        cache.append(&x, &x).unwrap();
        cache
    };
    let expected = model.forward(&x, &mut cache()).unwrap();
    let given = cache();
    assert_returns(&[&expected], fx::trace(&model, (&x, &given)), &[&x]);
    assert_eq!(given.current_seq_len(), 3);
}

#[fx::module]
struct Recurrent {
    layers: Vec<LSTM>,
}

#[fx::module]
impl Module for Recurrent {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        use candle_nn::RNN;
        let xs = x.t()?;
        let residual = &xs;
        let mut xs = xs.clone();
        for layer in self.layers.iter() {
            let states = layer.seq(&xs)?;
            xs = layer.states_to_tensor(&states)?;
        }
        (xs + residual)?.t()
    }
}

#[test]
fn recurrent_layers() {
    let vb = VarBuilder::zeros(DType::F32, &Device::Cpu);
    let layer = || LSTM::new(4, 4, LSTMConfig::default(), vb.clone()).unwrap();
    assert_captured!(Recurrent { layers: vec![layer(), layer()] }, tensor(&[2, 4, 3]));
}

#[fx::module]
struct QuantizedByHand {
    weight: Arc<QTensor>,
    owned: QTensor,
}

#[fx::module]
impl QuantizedByHand {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let weight = self.weight.dequantize(x.device())?;
        let owned = self.owned.dequantize(&Device::Cpu)?;
        x.matmul(&weight.t()?)?.broadcast_add(&owned.sum_all()?)
    }
}

#[test]
fn quantized_tensors() {
    let weight = || QTensor::quantize(&tensor(&[6, 64]), GgmlDType::Q8_0).unwrap();
    let model = QuantizedByHand { weight: Arc::new(weight()), owned: weight() };
    assert_captured_in_every_way!(model, tensor(&[2, 64]));
}

#[fx::module]
struct Streaming {
    held: StreamTensor,
}

#[fx::module]
impl Streaming {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let all = self.held.cat2(&x.clone().into(), 1)?;
        let (first, rest) = all.split(1, 2)?;
        self.held = rest;
        match first.as_option() {
            Some(first) => first.neg(),
            None => x.zeros_like(),
        }
    }
}

#[test]
fn streams() {
    let model = || Streaming { held: tensor(&[1, 1]).into() };
    let x = tensor(&[1, 3]);
    let expected = model().forward(&x).unwrap();
    assert_returns(&[&expected], fx::trace(&model(), (&x,)), &[&x]);
}
