//! A program with a model that was captured, fused and written as source when it was built.
//!
//! `cargo run --release` in this directory. `cargo tree --edges normal` shows candle, and nothing of fx.

use candle_core::{Device, Result, Tensor};

/// What the build script left.
mod model {
    include!(concat!(env!("OUT_DIR"), "/model.rs"));
}

/// Reads the weights, which were left beside the source.
fn load(device: &Device) -> Result<model::Classifier> {
    model::Classifier::load(concat!(env!("OUT_DIR"), "/model.safetensors"), device)
}

fn main() -> Result<()> {
    let device = Device::Cpu;
    let x = Tensor::arange(0f32, 32f32, &device)?.reshape((4, 8))?.sin()?;
    println!("{}", load(&device)?.forward(&x)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use candle_core::DType;
    use candle_nn::{Module, VarBuilder};

    use super::*;

    #[test]
    fn it_is_the_classifier_but_for_the_fused_activation() -> Result<()> {
        let device = Device::Cpu;
        let x = Tensor::randn(0f32, 1f32, (4, 8), &device)?;
        let weights =
            VarBuilder::from_buffered_safetensors(std::fs::read("classifier.safetensors")?, DType::F32, &device)?;
        let expected = classifier::Classifier::new(&weights)?.forward(&x)?;
        let found = load(&device)?.forward(&x)?;
        assert!((found - expected)?.abs()?.max_all()?.to_scalar::<f32>()? < 1e-6);
        let source = include_str!(concat!(env!("OUT_DIR"), "/model.rs"));
        assert!(source.contains(".silu()?") && !source.contains("sigmoid"), "{source}");
        Ok(())
    }
}
