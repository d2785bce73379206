//! Every form of model that the attribute accepts, captured in every way, equal to the original to the last bit.

use std::collections::HashMap;
use std::sync::Arc;

use candle_core::{D, DType, Device, IndexOp, Result, Tensor};
use candle_nn::{Activation, Conv2d, Embedding, LayerNorm, Linear, Module, ModuleT};
use fx::{GraphModule, Tracer, Value};

fn tensor(shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let data: Vec<f32> = (0..count).map(|i| ((i as f32) * 0.37).sin()).collect();
    Tensor::from_vec(data, shape, &Device::Cpu).unwrap()
}

fn linear(from: usize, to: usize) -> Linear {
    Linear::new(tensor(&[to, from]), Some(tensor(&[to])))
}

fn bits(tensor: &Tensor) -> Vec<u32> {
    let data = tensor.to_dtype(DType::F32).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
    data.into_iter().map(f32::to_bits).collect()
}

#[track_caller]
fn assert_same(expected: &Tensor, found: &Tensor) {
    assert_eq!(expected.dims(), found.dims());
    assert_eq!(bits(expected), bits(found));
}

#[track_caller]
fn assert_runs(module: &GraphModule, inputs: &[&Tensor], expected: &Tensor) {
    module.check().unwrap();
    assert_same(expected, &module.forward(inputs).unwrap());
}

// ── The module of the torch.fx documentation ───────────────────────────────────────────────────────────────────────

#[fx::module]
struct MyModule {
    param: Tensor,
    linear: Linear,
}

#[fx::module]
impl Module for MyModule {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(&(x + &self.param)?)?.clamp(0.0, 1.0)
    }
}

#[test]
fn captured_in_every_way() {
    let model = MyModule { param: tensor(&[3, 4]), linear: linear(4, 5) };
    let x = tensor(&[3, 4]);
    let expected = model.forward(&x).unwrap();
    for module in [
        fx::symbolic_trace(&model).unwrap(),
        fx::trace(&model, (&x,)).unwrap(),
        Tracer::new().input("x", DType::F32, (3, 4)).trace(&model).unwrap(),
        Tracer::new().example("x", &x).trace(&model).unwrap(),
    ] {
        assert_runs(&module, &[&x], &expected);
        assert_eq!(module.graph().len(), 6, "{}", module.graph());
    }
    let module = Tracer::new().input("x", DType::F32, (3, 4)).trace(&model).unwrap();
    insta::assert_snapshot!(module.graph());
    insta::assert_snapshot!(module.graph().print_tabular());
    insta::assert_snapshot!(module.code());
}

// ── Containers, options, enums, helpers ────────────────────────────────────────────────────────────────────────────

#[fx::constant]
#[derive(Clone)]
struct Config {
    heads: usize,
    scale: f64,
}

#[fx::module]
enum Mixer {
    Dense(Linear),
    Gated { up: Linear, gate: Linear },
    None,
}

#[fx::module]
impl Module for Mixer {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        match self {
            Mixer::Dense(linear) => xs.apply(linear),
            Self::Gated { up, gate } => xs.apply(up)? * candle_nn::ops::sigmoid(&xs.apply(gate)?)?,
            Mixer::None => Ok(xs.clone()),
        }
    }
}

#[fx::module]
fn rotate_half(xs: &Tensor) -> Result<Tensor> {
    let last = xs.dim(D::Minus1)?;
    let first = xs.narrow(D::Minus1, 0, last / 2)?;
    let second = xs.narrow(D::Minus1, last / 2, last - last / 2)?;
    Tensor::cat(&[&second.neg()?, &first], D::Minus1)
}

/// Knows nothing of fx.
fn causal_mask(len: usize, device: &Device) -> Result<Tensor> {
    let mask: Vec<u8> = (0..len).flat_map(|i| (0..len).map(move |j| u8::from(j > i))).collect();
    Tensor::from_slice(&mask, (len, len), device)
}

#[fx::module]
struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Option<Linear>,
    norm: LayerNorm,
    config: Config,
}

#[fx::module]
impl Attention {
    fn new(width: usize, heads: usize) -> Self {
        let scale = 1.0 / ((width / heads) as f64).sqrt();
        Self {
            query: linear(width, width),
            key: linear(width, width),
            value: linear(width, width),
            out: Some(linear(width, width)),
            norm: LayerNorm::new(tensor(&[width]), tensor(&[width]), 1e-5),
            config: Config { heads, scale },
        }
    }

    fn split(&self, xs: &Tensor) -> Result<Tensor> {
        let (batch, len, width) = xs.dims3()?;
        xs.reshape((batch, len, self.config.heads, width / self.config.heads))?.transpose(1, 2)?.contiguous()
    }

    fn forward(&self, xs: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
        let normed = xs.apply(&self.norm)?;
        let query = rotate_half(&self.split(&normed.apply(&self.query)?)?)?;
        let key = rotate_half(&self.split(&normed.apply(&self.key)?)?)?;
        let value = self.split(&normed.apply(&self.value)?)?;
        let scores = (query.matmul(&key.t()?)? * self.config.scale)?;
        let len = scores.dim(2)?;
        let mask = match mask {
            Some(mask) => mask.clone(),
            None => causal_mask(len, xs.device())?,
        };
        let mask = mask.broadcast_as(scores.shape())?;
        let hidden = Tensor::new(f32::NEG_INFINITY, xs.device())?.broadcast_as(scores.shape().dims())?;
        let scores = mask.where_cond(&hidden, &scores)?;
        let weights = candle_nn::ops::softmax_last_dim(&scores)?;
        let mixed = weights.matmul(&value)?.transpose(1, 2)?.flatten_from(2)?;
        mixed.apply(&self.out.as_ref())
    }
}

#[fx::module]
struct Block {
    attention: Attention,
    mixers: Vec<Mixer>,
    act: Activation,
}

#[fx::module]
impl Block {
    fn forward(&self, xs: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
        let mut xs = (xs + self.attention.forward(xs, mask))?;
        for mixer in self.mixers.iter() {
            xs = (&xs + mixer.forward(&xs)?.apply(&self.act)?)?;
        }
        Ok(xs)
    }
}

fn block() -> Block {
    let mixers = vec![Mixer::Dense(linear(8, 8)), Mixer::Gated { up: linear(8, 8), gate: linear(8, 8) }, Mixer::None];
    Block { attention: Attention::new(8, 2), mixers, act: Activation::Silu }
}

#[test]
fn containers_options_enums_helpers() {
    let model = block();
    let x = tensor(&[2, 3, 8]);
    let expected = model.forward(&x, None).unwrap();
    assert_runs(&fx::trace(&model, (&x, None::<&Tensor>)).unwrap(), &[&x], &expected);
    let module = Tracer::new().input("xs", DType::F32, (2, 3, 8)).trace(&model).unwrap();
    assert_runs(&module, &[&x], &expected);
    insta::assert_snapshot!(module.graph());
    insta::assert_snapshot!(module.code());

    let mask = causal_mask(3, &Device::Cpu).unwrap().ones_like().unwrap().zeros_like().unwrap();
    let expected = model.forward(&x, Some(&mask)).unwrap();
    let module = fx::trace(&model, (&x, Some(&mask))).unwrap();
    assert_eq!(module.graph().placeholders().count(), 2);
    assert_runs(&module, &[&x, &mask], &expected);
}

// ── Results of every form ──────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct Outputs {
    logits: Tensor,
    hidden: Vec<Tensor>,
}

#[fx::module]
struct Heads {
    first: Linear,
    second: Linear,
}

#[fx::module]
impl Heads {
    fn pair(&self, x: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
        Ok((self.first.forward(x)?, Some(self.second.forward(x)?)))
    }

    fn parts(&self, x: &Tensor) -> Result<Vec<Tensor>> {
        self.first.forward(x)?.chunk(2, 1)
    }

    fn forward(&self, x: &Tensor) -> Result<Outputs> {
        let (logits, second) = self.pair(x)?;
        let mut hidden = self.parts(x)?;
        hidden.extend(second);
        Ok(Outputs { logits, hidden })
    }
}

#[test]
fn results_of_every_form() {
    let model = Heads { first: linear(4, 6), second: linear(4, 2) };
    let x = tensor(&[3, 4]);
    let expected = model.forward(&x).unwrap();
    let module = fx::trace(&model, (&x,)).unwrap();
    let Value::Struct(name, fields) = module.run(&[Value::from(&x)]).unwrap() else { panic!("not a struct") };
    assert_eq!((&*name, &*fields[0].0, &*fields[1].0), ("Outputs", "logits", "hidden"));
    assert_same(&expected.logits, fields[0].1.as_tensor().unwrap());
    let hidden = fields[1].1.tensors();
    assert_eq!(hidden.len(), 3);
    expected.hidden.iter().zip(hidden).for_each(|(expected, found)| assert_same(expected, found));
    insta::assert_snapshot!(module.code());

    let pair = Tracer::new().trace_with(&model, |model, inputs| model.pair(&inputs.tensor("x")?)).unwrap();
    let Value::Tuple(parts) = pair.run(&[Value::from(&x)]).unwrap() else { panic!("not a tuple") };
    assert_same(&model.pair(&x).unwrap().0, parts[0].as_tensor().unwrap());

    let parts = Tracer::new().example("x", &x).trace_with(&model, |model, inputs| model.parts(&inputs.tensor("x")?));
    assert_eq!(parts.unwrap().run(&[Value::from(&x)]).unwrap().tensors().len(), 2);
}

// ── State, maps, shared parts, generic wrappers ────────────────────────────────────────────────────────────────────

#[fx::module]
struct Cache {
    seen: Vec<Option<(Tensor, Tensor)>>,
    masks: HashMap<(usize, usize), Tensor>,
    device: Device,
}

#[fx::module]
impl Cache {
    fn mask(&mut self, len: usize) -> Result<Tensor> {
        if let Some(mask) = self.masks.get(&(len, len)) {
            return Ok(mask.clone());
        }
        let mask = causal_mask(len, &self.device)?;
        self.masks.insert((len, len), mask.clone());
        Ok(mask)
    }
}

#[fx::module]
struct Residual<M: Module> {
    inner: M,
    scale: f64,
}

#[fx::module]
impl<M: Module> Module for Residual<M> {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        xs + (self.inner.forward(xs)? * self.scale)?
    }
}

#[fx::module]
struct Decoder {
    embedding: Arc<Embedding>,
    layers: Vec<Residual<Linear>>,
}

#[fx::module]
impl Decoder {
    fn forward(&self, ids: &Tensor, position: usize, cache: &mut Cache) -> Result<Tensor> {
        let (_batch, len) = ids.dims2()?;
        let mut xs = self.embedding.forward(ids)?;
        for (i, layer) in self.layers.iter().enumerate() {
            let key = layer.forward(&xs)?;
            let value = (&key * (position as f64 + 1.0))?;
            let (key, value) = match &cache.seen[i] {
                Some((keys, values)) => (Tensor::cat(&[keys, &key], 1)?, Tensor::cat(&[values, &value], 1)?),
                None => (key, value),
            };
            cache.seen[i] = Some((key.clone(), value.clone()));
            xs = (key + value)?;
        }
        if len > 1 {
            let mask = cache.mask(len)?.to_dtype(DType::F32)?;
            xs = mask.broadcast_matmul(&xs.i((.., ..len, ..))?)?;
        }
        xs.i((.., len - 1, ..))?.contiguous()?.matmul(&self.embedding.embeddings().t()?)
    }
}

#[test]
fn caches_are_mirrored_and_left_alone() {
    let layer = || Residual { inner: linear(4, 4), scale: 0.5 };
    let model = Decoder { embedding: Arc::new(Embedding::new(tensor(&[10, 4]), 4)), layers: vec![layer(), layer()] };
    let ids = Tensor::new(&[[1u32, 2, 3]], &Device::Cpu).unwrap();
    let empty = || Cache { seen: vec![None, None], masks: HashMap::new(), device: Device::Cpu };
    let (mut used, cache) = (empty(), empty());
    let expected = model.forward(&ids, 0, &mut used).unwrap();
    let module = fx::trace(&model, (&ids, 0usize, &cache)).unwrap();
    assert_runs(&module, &[&ids], &expected);
    assert!(cache.masks.is_empty() && cache.seen.iter().all(Option::is_none));

    // A second step, from the state that the first left: its tensors are inputs of the graph.
    let expected =
        model.forward(&ids, 3, &mut Cache { seen: used.seen.clone(), masks: HashMap::new(), device: Device::Cpu });
    let module =
        Tracer::new().example("ids", &ids).concrete_arg("position", 3).concrete_arg("cache", &used).trace(&model);
    assert_runs(&module.unwrap(), &[&ids], &expected.unwrap());
}

// ── Functions recorded whole, functions named like candle's ────────────────────────────────────────────────────────

#[fx::wrap]
fn route(x: &Tensor, keep: usize) -> Result<(Tensor, Tensor)> {
    // Reads data: only possible where there is some.
    let largest = x.max_all()?.to_scalar::<f32>()?;
    Ok(((x / largest as f64)?, x.narrow(0, 0, keep)?))
}

/// Not candle's.
#[fx::module]
fn silu(x: &Tensor) -> Result<Tensor> {
    x * 3.0
}

#[fx::module]
struct Router {
    gate: Linear,
}

#[fx::module]
impl ModuleT for Router {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let (scaled, kept) = route(&self.gate.forward(x)?, 1)?;
        let x = scaled.broadcast_add(&kept)?;
        if train { Ok(x) } else { silu(&x) }
    }
}

#[test]
fn functions_recorded_whole() {
    let model = Router { gate: linear(4, 4) };
    let x = tensor(&[2, 4]);
    for train in [false, true] {
        let expected = model.forward_t(&x, train).unwrap();
        let module = fx::trace(&model, (&x, train)).unwrap();
        assert_runs(&module, &[&x], &expected);
        let module = Tracer::new().concrete_arg("train", train).trace(&model).unwrap();
        assert_runs(&module, &[&x], &expected);
        if !train {
            insta::assert_snapshot!(module.code());
        }
    }
}

// ── Layers of the user's own, called whole ─────────────────────────────────────────────────────────────────────────

#[derive(Clone)]
struct Closed(f64);

impl Module for Closed {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        xs * self.0
    }
}

#[fx::module]
struct WithLeaf {
    conv: Conv2d,
    #[fx(leaf)]
    closed: Closed,
}

#[fx::module]
impl Module for WithLeaf {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        self.closed.forward(&self.conv.forward(xs)?)
    }
}

#[test]
fn layers_of_the_users_own() {
    let model = WithLeaf { conv: Conv2d::new(tensor(&[2, 3, 3, 3]), None, Default::default()), closed: Closed(2.0) };
    let x = tensor(&[1, 3, 5, 5]);
    let expected = model.forward(&x).unwrap();
    assert_runs(&fx::symbolic_trace(&model).unwrap(), &[&x], &expected);
}

// ── A field and an argument of one name ────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct Table {
    rows: Tensor,
    linear: Linear,
}

#[fx::module]
struct Lookup {
    table: Table,
}

#[fx::module]
impl Lookup {
    fn forward(&self, x: &Tensor, table: &Table) -> Result<Tensor> {
        let x = x.broadcast_add(&self.table.rows)?.broadcast_mul(&table.rows)?;
        table.linear.forward(&self.table.linear.forward(&x)?)
    }
}

#[test]
fn a_field_and_an_argument_of_one_name() {
    let table = |bias: f64| Table { rows: (tensor(&[4]) + bias).unwrap(), linear: linear(4, 4) };
    let (model, given) = (Lookup { table: table(0.0) }, table(1.0));
    let x = tensor(&[2, 4]);
    let expected = model.forward(&x, &given).unwrap();
    let module = Tracer::new().example("x", &x).concrete_arg("table", &given).trace(&model).unwrap();
    assert_runs(&module, &[&x], &expected);
}
