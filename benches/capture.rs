//! What capture and running cost per node: chains of additions on four elements, so that candle's own work is small.
//!
//! `cargo bench --bench capture` prints figures; nothing is asserted.

use std::time::{Duration, Instant};

use candle_core::{DType, Device, Result, Tensor};
use fx::{GraphModule, Proxy, Tracer};

const LENGTHS: [usize; 3] = [1_000, 100_000, 1_000_000];

fn chain(x: &Proxy, length: usize) -> Result<Proxy> {
    let mut x = x.clone();
    for _ in 0..length {
        x = (x + 1.0)?;
    }
    Ok(x)
}

fn captured(length: usize) -> GraphModule {
    let tracer = Tracer::new().input("x", DType::F32, 4);
    let module = tracer.trace_fn(|inputs| chain(&inputs.tensor("x")?, length));
    module.expect("a chain of additions can be captured")
}

/// The fastest of three.
fn fastest<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut once = || {
        let start = Instant::now();
        let result = run();
        (start.elapsed(), result)
    };
    let mut best = once();
    for _ in 0..2 {
        let next = once();
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

fn main() -> Result<()> {
    println!("{:>9} {:>12} {:>14} {:>10} {:>10}", "nodes", "capture ns", "first run ns", "run ns", "candle ns");
    for length in LENGTHS {
        let per_node = |time: Duration| time.as_nanos() as f64 / length as f64;
        let (capture, module) = fastest(|| captured(length));
        let x = Tensor::zeros(4, DType::F32, &Device::Cpu)?;
        let start = Instant::now();
        module.forward(&[&x])?;
        let first = start.elapsed();
        let (run, _) = fastest(|| module.forward(&[&x]));
        let (candle, _) = fastest(|| -> Result<Tensor> {
            let mut y = x.clone();
            for _ in 0..length {
                y = (y + 1.0)?;
            }
            Ok(y)
        });
        let [capture, first, run, candle] = [capture, first, run, candle].map(per_node);
        println!("{length:>9} {capture:>12.0} {first:>14.0} {run:>10.0} {candle:>10.0}");
    }
    Ok(())
}
