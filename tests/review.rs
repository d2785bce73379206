//! How a project reviews its captured models: the graph, the code, and what a pass changes in it, as snapshots.
//!
//! The page `docs/REVIEWING.md` says how to read them. A change of the model, of a pass or of fx shows up as a change of a
//! `.snap` file, which is accepted or not like any other change.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{LayerNorm, Linear, Module, VarBuilder, layer_norm, linear, linear_no_bias};
use fx::passes::pattern;
use fx::{GraphModule, Tracer};

/// One block of a transformer, pre-norm, one head.
#[fx::module]
struct Block {
    norm: LayerNorm,
    qkv: Linear,
    out: Linear,
    mlp_norm: LayerNorm,
    up: Linear,
    down: Linear,
}

impl Block {
    fn new(size: usize, vb: VarBuilder<'_>) -> Result<Self> {
        Ok(Self {
            norm: layer_norm(size, 1e-5, vb.pp("norm"))?,
            qkv: linear_no_bias(size, 3 * size, vb.pp("qkv"))?,
            out: linear(size, size, vb.pp("out"))?,
            mlp_norm: layer_norm(size, 1e-5, vb.pp("mlp_norm"))?,
            up: linear(size, 4 * size, vb.pp("up"))?,
            down: linear(4 * size, size, vb.pp("down"))?,
        })
    }
}

#[fx::module]
impl Module for Block {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let qkv = self.qkv.forward(&self.norm.forward(x)?)?.chunk(3, 2)?;
        let scores = (qkv[0].matmul(&qkv[1].t()?)? / (qkv[0].dim(2)? as f64).sqrt())?;
        let scores = candle_nn::ops::softmax(&scores, 2)?;
        let x = (x + self.out.forward(&scores.matmul(&qkv[2])?)?)?;
        let hidden = self.up.forward(&self.mlp_norm.forward(&x)?)?;
        let hidden = (&hidden * candle_nn::ops::sigmoid(&(&hidden * 1.702)?)?)?;
        &x + self.down.forward(&hidden)?
    }
}

fn captured() -> GraphModule {
    let block = Block::new(8, VarBuilder::zeros(DType::F32, &Device::Cpu)).expect("zeros have every shape");
    Tracer::new().input("x", DType::F32, (2, 5, 8)).trace(&block).expect("it is captured")
}

#[test]
fn graph() {
    insta::assert_snapshot!(captured().graph());
}

#[test]
fn code() {
    insta::assert_snapshot!(captured().code());
}

#[test]
fn what_the_pass_changes() {
    let mut module = captured();
    let before = module.code();
    // `x * sigmoid(1.702 x)` is how some models write GELU.
    let found = pattern(|[x]| &x * candle_nn_sigmoid(&(&x * 1.702)?)?).expect("it is captured");
    let put = pattern(|[x]| x.gelu()).expect("it is captured");
    let replaced = fx::replace_pattern(&mut module, found, put).expect("it fits");
    assert_eq!(replaced.len(), 1);
    module.check().expect("what a pass leaves is a graph");
    let after = module.code();
    insta::assert_snapshot!(similar::TextDiff::from_lines(&before, &after).unified_diff().context_radius(2));
}

/// candle's function on the values of patterns.
fn candle_nn_sigmoid(x: &fx::Proxy) -> Result<fx::Proxy> {
    fx::symbolic::candle_nn::ops::sigmoid(x)
}
