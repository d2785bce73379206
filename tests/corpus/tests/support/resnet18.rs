//! ResNet-18 in torchvision's structure and names, on candle_nn's layers.

use candle::{Module, ModuleT, Result, Tensor, D};
use candle_nn::{BatchNorm, Conv2d, Conv2dConfig, Linear, VarBuilder};

#[fx::module]
struct Downsample {
    conv: Conv2d,
    norm: BatchNorm,
}

#[fx::module]
impl ModuleT for Downsample {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        self.norm.forward_t(&self.conv.forward(x)?, train)
    }
}

#[fx::module]
struct BasicBlock {
    conv1: Conv2d,
    bn1: BatchNorm,
    conv2: Conv2d,
    bn2: BatchNorm,
    downsample: Option<Downsample>,
}

impl BasicBlock {
    fn new(from: usize, to: usize, stride: usize, vb: VarBuilder) -> Result<Self> {
        let conv = |from, size, stride, padding, vb| {
            let config = Conv2dConfig { stride, padding, ..Default::default() };
            candle_nn::conv2d_no_bias(from, to, size, config, vb)
        };
        let downsample = if stride != 1 || from != to {
            let vb = vb.pp("downsample");
            let (conv, norm) =
                (conv(from, 1, stride, 0, vb.pp("conv"))?, candle_nn::batch_norm(to, 1e-5, vb.pp("norm"))?);
            Some(Downsample { conv, norm })
        } else {
            None
        };
        Ok(Self {
            conv1: conv(from, 3, stride, 1, vb.pp("conv1"))?,
            bn1: candle_nn::batch_norm(to, 1e-5, vb.pp("bn1"))?,
            conv2: conv(to, 3, 1, 1, vb.pp("conv2"))?,
            bn2: candle_nn::batch_norm(to, 1e-5, vb.pp("bn2"))?,
            downsample,
        })
    }
}

#[fx::module]
impl ModuleT for BasicBlock {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let out = self.conv1.forward(x)?;
        let out = self.bn1.forward_t(&out, train)?.relu()?;
        let out = self.conv2.forward(&out)?;
        let out = self.bn2.forward_t(&out, train)?;
        let identity = match &self.downsample {
            Some(downsample) => downsample.forward_t(x, train)?,
            None => x.clone(),
        };
        (out + identity)?.relu()
    }
}

/// The network.
#[fx::module]
pub(crate) struct ResNet {
    conv1: Conv2d,
    bn1: BatchNorm,
    layer1: Vec<BasicBlock>,
    layer2: Vec<BasicBlock>,
    layer3: Vec<BasicBlock>,
    layer4: Vec<BasicBlock>,
    fc: Linear,
}

impl ResNet {
    /// With two blocks in each of the four layers.
    pub(crate) fn resnet18(classes: usize, vb: VarBuilder) -> Result<Self> {
        let layer = |from, to, stride, vb: VarBuilder| {
            let first = BasicBlock::new(from, to, stride, vb.pp(0))?;
            Ok::<_, candle::Error>(vec![first, BasicBlock::new(to, to, 1, vb.pp(1))?])
        };
        let stem = Conv2dConfig { stride: 2, padding: 3, ..Default::default() };
        Ok(Self {
            conv1: candle_nn::conv2d_no_bias(3, 64, 7, stem, vb.pp("conv1"))?,
            bn1: candle_nn::batch_norm(64, 1e-5, vb.pp("bn1"))?,
            layer1: layer(64, 64, 1, vb.pp("layer1"))?,
            layer2: layer(64, 128, 2, vb.pp("layer2"))?,
            layer3: layer(128, 256, 2, vb.pp("layer3"))?,
            layer4: layer(256, 512, 2, vb.pp("layer4"))?,
            fc: candle_nn::linear(512, classes, vb.pp("fc"))?,
        })
    }
}

#[fx::module]
impl ModuleT for ResNet {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let x = self.conv1.forward(x)?;
        let x = self.bn1.forward_t(&x, train)?.relu()?;
        // A border of zeros is as good as one of the least number, because no value is below zero here.
        let mut x = x.pad_with_zeros(2, 1, 1)?.pad_with_zeros(3, 1, 1)?.max_pool2d_with_stride(3, 2)?;
        for layer in [&self.layer1, &self.layer2, &self.layer3, &self.layer4] {
            for block in layer {
                x = block.forward_t(&x, train)?;
            }
        }
        self.fc.forward(&x.mean(D::Minus1)?.mean(D::Minus1)?)
    }
}
