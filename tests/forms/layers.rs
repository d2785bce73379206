//! candle's own layers as fields: convolutions, norms, dropout, closures, quantized weights.

use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Result, Tensor};
use candle_nn::{
    Activation, BatchNorm, Conv1d, Conv2d, Conv2dConfig, ConvTranspose2d, Dropout, Embedding, Func, GroupNorm,
    LayerNorm, Linear, Module, ModuleT, PReLU, RmsNorm,
};
use fx::Tracer;

use crate::support::{assert_returns, linear, tensor};

#[fx::module]
struct ManyLayers {
    conv: Conv2d,
    batch_norm: BatchNorm,
    group_norm: GroupNorm,
    prelu: PReLU,
    transposed: ConvTranspose2d,
    dropout: Dropout,
    embedding: Embedding,
    linear: Linear,
    layer_norm: LayerNorm,
    rms_norm: RmsNorm,
    closure: Func<'static>,
    conv1d: Conv1d,
}

#[fx::module]
impl ModuleT for ManyLayers {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let x = x.apply(&self.conv)?;
        let x = x.apply_t(&self.batch_norm, train)?;
        let x = self.batch_norm.forward_t(&x, false)?;
        let x = self.group_norm.forward(&x)?;
        let x = x.apply(&self.prelu)?;
        let x = self.transposed.forward(&x)?;
        let x = self.dropout.forward(&x, train)?;
        let x = x.apply_t(&self.dropout, false)?;
        let x = x.avg_pool2d(2)?.max_pool2d_with_stride(2, 1)?.upsample_nearest2d(4, 4)?;
        let x = x.flatten(2, 3)?.narrow(2, 0, 4)?.contiguous()?;
        let x = x.apply(&self.linear)?.apply(&self.layer_norm)?.apply(&self.rms_norm)?;
        let weight = self.linear.weight().t()?;
        let x = x.broadcast_matmul(&weight)?;
        let x = match self.linear.bias() {
            Some(bias) => x.broadcast_add(bias)?,
            None => x,
        };
        let x = self.closure.forward(&x)?;
        let x = self.conv1d.forward(&x)?;
        let embeddings = self.embedding.embeddings().narrow(0, 0, 4)?;
        x.broadcast_matmul(&embeddings.t()?)
    }
}

fn many_layers() -> ManyLayers {
    let four = || tensor(&[4]);
    ManyLayers {
        conv: Conv2d::new(tensor(&[4, 3, 3, 3]), None, Conv2dConfig { padding: 1, ..Default::default() }),
        batch_norm: BatchNorm::new(4, four(), four().abs().unwrap(), four(), four(), 1e-5).unwrap(),
        group_norm: GroupNorm::new(four(), four(), 4, 2, 1e-5).unwrap(),
        prelu: PReLU::new(four(), false),
        transposed: ConvTranspose2d::new(tensor(&[4, 4, 3, 3]), None, Default::default()),
        dropout: Dropout::new(0.5),
        embedding: Embedding::new(tensor(&[10, 4]), 4),
        linear: linear(4, 4),
        layer_norm: LayerNorm::new(four(), four(), 1e-5),
        rms_norm: RmsNorm::new(four(), 1e-5),
        closure: Func::new(|x: &Tensor| x * 3.0),
        conv1d: Conv1d::new(tensor(&[4, 4, 1]), None, Default::default()),
    }
}

#[test]
fn every_layer_in_evaluation() {
    let model = many_layers();
    let x = tensor(&[2, 3, 6, 6]);
    let expected = model.forward_t(&x, false).unwrap();
    assert_returns(&[&expected], fx::trace(&model, (&x, false)), &[&x]);
    let from_shape = Tracer::new().input("x", DType::F32, (2, 3, 6, 6)).concrete_arg("train", false);
    assert_returns(&[&expected], from_shape.trace(&model), &[&x]);
}

#[test]
fn every_layer_in_training() {
    let x = tensor(&[2, 3, 6, 6]);
    let module = fx::trace(&many_layers(), (&x, true)).unwrap();
    module.check().unwrap();
    let expected = many_layers().forward_t(&x, true).unwrap();
    assert_eq!(expected.dims(), module.forward(&[x]).unwrap().dims());
}

#[fx::module]
struct Quantized {
    quantized: QMatMul,
    linear: Linear,
}

#[fx::module]
impl Module for Quantized {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(&self.quantized.forward(x)?.apply(&Activation::Relu)?)
    }
}

#[test]
fn quantized_weights() {
    let weight = QTensor::quantize(&tensor(&[32, 64]), GgmlDType::Q4_0).unwrap();
    let model = Quantized { quantized: QMatMul::from_arc(Arc::new(weight)).unwrap(), linear: linear(32, 4) };
    assert_captured_in_every_way!(model, tensor(&[2, 64]));
}

#[fx::module]
struct WithVariable {
    variable: candle_core::Var,
}

#[fx::module]
impl WithVariable {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x + self.variable.as_tensor()
    }
}

#[test]
fn a_variable() {
    let variable = candle_core::Var::from_tensor(&tensor(&[2, 4])).unwrap();
    assert_captured_in_every_way!(WithVariable { variable }, tensor(&[2, 4]));
}
