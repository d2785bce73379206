//! Models of torch.nn's layers, which candle does not have: written as candle's layers, or as what they compute.

use candle::{DType, Result, Tensor};
use corpus::case::{Captured, Failure};
use corpus::weights::{uniform, var_builder};
use fx::nn;

#[allow(dead_code, unreachable_pub, reason = "it is a program besides")]
#[rustfmt::skip] // It is laid out by the edition of its own package.
#[path = "../../../../examples/resnet18.rs"]
mod example;

fn captured(
    graph: fx::GraphModule,
    inputs: impl Fn(u64) -> Result<Vec<Tensor>>,
) -> std::result::Result<Captured, Failure> {
    Ok(Captured { graph, inputs: vec![inputs(2)?, inputs(3)?] })
}

/// torchvision's ResNet-18, of the examples.
pub(crate) fn resnet18() -> std::result::Result<Captured, Failure> {
    let model = example::ResNet::resnet18(10, var_builder(1))?;
    let tracer = fx::Tracer::new().input("x", DType::F32, (1, 3, 64, 64)).concrete_arg("train", false);
    captured(tracer.trace(&model)?, |seed| Ok(vec![uniform(seed, (1, 3, 64, 64))?]))
}

/// Layers of each family on images, some with settings that candle's layers do not have; one is called twice.
pub(crate) fn images() -> std::result::Result<Captured, Failure> {
    let vb = var_builder(4);
    let padded = nn::Conv2dConfig::default().padding((1, 2)).padding_mode(nn::PaddingMode::Circular);
    let grouped = nn::Conv2dConfig::default().groups(2usize).dilation(2).padding(2);
    let first = (
        nn::Conv2d::new(4, 6, (3, 5), padded, vb.pp("padded"))?,
        nn::Conv2d::new(6, 6, 3, grouped, vb.pp("grouped"))?,
        nn::GroupNorm::new(3, 6, Default::default(), vb.pp("norm"))?,
    );
    let second = (
        nn::BatchNorm2d::new(6, Default::default(), vb.pp("batch"))?,
        nn::MaxPool2d::new(2, Default::default())?,
        nn::PReLU::new(Default::default(), vb.pp("prelu"))?,
        nn::AdaptiveAvgPool2d::new((3, 2)),
    );
    let tracer = fx::Tracer::new().input("x", DType::F32, (2, 4, 9, 9));
    let graph =
        tracer.trace_with(&(first, second), |((padded, grouped, norm), (batch, pool, prelu, average)), inputs| {
            let x = padded.forward(&inputs.tensor("x")?)?;
            let x = grouped.forward(&grouped.forward(&x)?)?;
            let x = batch.forward_t(&norm.forward(&x)?, false)?;
            average.forward(&prelu.forward(&pool.forward(&x)?)?)
        })?;
    captured(graph, |seed| Ok(vec![uniform(seed, (2, 4, 9, 9))?]))
}

/// The same of sequences.
pub(crate) fn sequences() -> std::result::Result<Captured, Failure> {
    let vb = var_builder(5);
    let first = (
        nn::Embedding::new(60, 8, Default::default(), vb.pp("embedding"))?,
        nn::LayerNorm::new([8], Default::default(), vb.pp("norm"))?,
        nn::Linear::new(8, 12, Default::default(), vb.pp("up"))?,
    );
    let second = (
        nn::GELU::default(),
        nn::Linear::new(12, 8, Default::default(), vb.pp("down"))?,
        nn::Bilinear::new(8, 8, 5, Default::default(), vb.pp("both"))?,
        nn::Softmax::new(Some(-1)),
    );
    let tracer = fx::Tracer::new().input("x", DType::U32, (2, 7));
    let graph =
        tracer.trace_with(&(first, second), |((embedding, norm, up), (gelu, down, both, softmax)), inputs| {
            let x = norm.forward(&embedding.forward(&inputs.tensor("x")?)?)?;
            let y = down.forward(&gelu.forward(&up.forward(&x)?)?)?;
            let rows = up.forward(&y.flatten_to(1)?)?;
            Ok::<_, candle::Error>((softmax.forward(&both.forward(&x, &y)?)?, rows))
        })?;
    captured(graph, |seed| Ok(vec![corpus::weights::ids(seed, 60, (2, 7))?]))
}
