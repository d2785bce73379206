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
    use std::process::Command;

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

    #[test]
    fn the_program_is_built_of_candle_alone() {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args([
            "tree",
            "--package",
            "build-time",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--offline",
        ]);
        let tree = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs");
        let packages = String::from_utf8_lossy(&tree.stdout);
        let of_capture = |name: &str| name.starts_with("candle-fx") || name.starts_with("classifier");
        let found: Vec<&str> = packages.lines().filter(|line| of_capture(line)).collect();
        assert!(packages.contains("candle-core v"), "{}", String::from_utf8_lossy(&tree.stderr));
        assert!(found.is_empty(), "{found:?}");
    }
}
