//! Captures the classifier, fuses its activation, and leaves it as source: `$OUT_DIR/model.rs` and its weights.

use std::process::ExitCode;

use candle_core::{DType, Device};
use candle_nn::VarBuilder;
use classifier::{Classifier, swish};
use fx::Tracer;
use fx::build::{Emit, run};
use fx::passes::pattern;

const CHECKPOINT: &str = "classifier.safetensors";

fn main() -> ExitCode {
    run(|| {
        let checkpoint = std::fs::read(CHECKPOINT).map_err(|error| format!("{CHECKPOINT}: {error}"))?;
        let weights = VarBuilder::from_buffered_safetensors(checkpoint, DType::F32, &Device::Cpu)?;
        let model = Classifier::new(&weights)?;
        let mut module = Tracer::new().input("x", DType::F32, (4, Classifier::FEATURES)).trace(&model)?;
        fx::replace_pattern(&mut module, pattern(|[x]| swish(&x))?, pattern(|[x]| x.silu())?)?;
        Emit::new("model").module(&module).watch(CHECKPOINT).write()?;
        Ok(())
    })
}
