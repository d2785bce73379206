//! ResNet-18 with torch.nn's layers, in torchvision's structure and names: its checkpoints load by name.
//!
//! `cargo run --release --example resnet18 [checkpoint.safetensors]`
//!
//! [torchvision.models.resnet18](https://docs.pytorch.org/vision/main/models/generated/torchvision.models.resnet18.html)

use candle_core::{DType, Device, Module, ModuleT, Result, Tensor};
use candle_nn::{VarBuilder, VarMap};
use fx::nn::{
    AdaptiveAvgPool2d, BatchNorm2d, Conv2d, Conv2dConfig, Linear, MaxPool2d, MaxPoolConfig, ReLU, Sequential, Size,
};

/// Two convolutions and what goes past them.
#[fx::module]
#[derive(Debug)]
pub struct BasicBlock {
    conv1: Conv2d,
    bn1: BatchNorm2d,
    relu: ReLU,
    conv2: Conv2d,
    bn2: BatchNorm2d,
    downsample: Option<Sequential>,
}

impl BasicBlock {
    fn new(inplanes: usize, planes: usize, stride: usize, vb: VarBuilder) -> Result<Self> {
        let conv3x3 = |from, stride: usize, name| {
            let config = Conv2dConfig::default().stride(stride).padding(1).bias(false);
            Conv2d::new(from, planes, 3, config, vb.pp(name))
        };
        let downsample = if stride != 1 || inplanes != planes {
            let vb = vb.pp("downsample");
            let config = Conv2dConfig::default().stride(stride).bias(false);
            let conv = Conv2d::new(inplanes, planes, 1, config, vb.pp(0))?;
            Some(Sequential::new().push(conv).push(BatchNorm2d::new(planes, Default::default(), vb.pp(1))?))
        } else {
            None
        };
        Ok(Self {
            conv1: conv3x3(inplanes, stride, "conv1")?,
            bn1: BatchNorm2d::new(planes, Default::default(), vb.pp("bn1"))?,
            relu: ReLU::new(),
            conv2: conv3x3(planes, 1, "conv2")?,
            bn2: BatchNorm2d::new(planes, Default::default(), vb.pp("bn2"))?,
            downsample,
        })
    }
}

#[fx::module]
impl ModuleT for BasicBlock {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let out = self.conv1.forward(x)?;
        let out = self.bn1.forward_t(&out, train)?;
        let out = self.relu.forward(&out)?;
        let out = self.conv2.forward(&out)?;
        let out = self.bn2.forward_t(&out, train)?;
        let identity = match &self.downsample {
            Some(downsample) => downsample.forward_t(x, train)?,
            None => x.clone(),
        };
        let out = (out + identity)?;
        self.relu.forward(&out)
    }
}

/// The network, from `(N, 3, height, width)` to `(N, classes)`.
#[fx::module]
#[derive(Debug)]
pub struct ResNet {
    conv1: Conv2d,
    bn1: BatchNorm2d,
    relu: ReLU,
    maxpool: MaxPool2d,
    layer1: Sequential,
    layer2: Sequential,
    layer3: Sequential,
    layer4: Sequential,
    avgpool: AdaptiveAvgPool2d,
    fc: Linear,
}

impl ResNet {
    /// With two blocks in each of the four layers.
    ///
    /// # Errors
    /// When the builder has a tensor of another shape, or none.
    pub fn resnet18(num_classes: usize, vb: VarBuilder) -> Result<Self> {
        let layer = |inplanes, planes, stride, name| {
            let vb = vb.pp(name);
            let first = BasicBlock::new(inplanes, planes, stride, vb.pp(0))?;
            Ok::<_, candle_core::Error>(Sequential::new().push(first).push(BasicBlock::new(
                planes,
                planes,
                1,
                vb.pp(1),
            )?))
        };
        let stem = Conv2dConfig::default().stride(2).padding(3).bias(false);
        let pool = MaxPoolConfig::default().stride(Size([2, 2])).padding(1);
        Ok(Self {
            conv1: Conv2d::new(3, 64, 7, stem, vb.pp("conv1"))?,
            bn1: BatchNorm2d::new(64, Default::default(), vb.pp("bn1"))?,
            relu: ReLU::new(),
            maxpool: MaxPool2d::new(3, pool)?,
            layer1: layer(64, 64, 1, "layer1")?,
            layer2: layer(64, 128, 2, "layer2")?,
            layer3: layer(128, 256, 2, "layer3")?,
            layer4: layer(256, 512, 2, "layer4")?,
            avgpool: AdaptiveAvgPool2d::new(1),
            fc: Linear::new(512, num_classes, Default::default(), vb.pp("fc"))?,
        })
    }
}

#[fx::module]
impl ModuleT for ResNet {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        let x = self.conv1.forward(x)?;
        let x = self.bn1.forward_t(&x, train)?;
        let x = self.relu.forward(&x)?;
        let x = self.maxpool.forward(&x)?;
        let x = self.layer1.forward_t(&x, train)?;
        let x = self.layer2.forward_t(&x, train)?;
        let x = self.layer3.forward_t(&x, train)?;
        let x = self.layer4.forward_t(&x, train)?;
        let x = self.avgpool.forward(&x)?;
        let x = fx::nn::flatten(&x, 1, -1)?;
        self.fc.forward(&x)
    }
}

#[allow(dead_code, reason = "tests use the model alone")]
fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let device = Device::Cpu;
    let vars = VarMap::new();
    let vb = match std::env::args().nth(1) {
        Some(path) => VarBuilder::from_buffered_safetensors(std::fs::read(path)?, DType::F32, &device)?,
        None => VarBuilder::from_varmap(&vars, DType::F32, &device),
    };
    let model = ResNet::resnet18(1000, vb)?;
    let module =
        fx::Tracer::new().input("x", DType::F32, (1, 3, 224, 224)).concrete_arg("train", false).trace(&model)?;
    println!("{}", module.graph());
    println!("{}", module.summary().depth(1));

    let x = Tensor::randn(0f32, 1f32, (1, 3, 224, 224), &device)?;
    let (original, again) = (model.forward_t(&x, false)?, module.forward(&[x])?);
    let difference = (original - again)?.abs()?.max_all()?.to_scalar::<f32>()?;
    println!("largest difference between the model and its graph: {difference}");
    Ok(())
}
