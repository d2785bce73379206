//! Find `x.matmul(w).relu()` in a captured model, put one layer's call in its place, and show what changed in the code.
//!
//! `cargo run --release --example fuse`

use candle_core::{Device, Result, Tensor};
use candle_nn::Module;
use fx::passes::{CommonSubexpressions, DeadCode, PassManager, PatternRewriter, pattern};

#[fx::module]
struct Mlp {
    up: Tensor,
    down: Tensor,
}

#[fx::module]
impl Module for Mlp {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let hidden = x.matmul(&self.up)?.relu()?;
        let again = x.matmul(&self.up)?.relu()?;
        (hidden + again)?.matmul(&self.down)?.relu()
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let normal = |shape: &[usize]| Tensor::randn(0f32, 1f32, shape, &Device::Cpu);
    let model = Mlp { up: normal(&[4, 16])?, down: normal(&[16, 4])? };
    let x = normal(&[2, 4])?;
    let mut module = fx::trace(&model, (&x,))?;
    let before = module.code();

    // `relu(x w)` is `maximum(x w, 0)`; a backend would put its own fused operation here.
    let fused = PatternRewriter::new(pattern(|[x, w]| x.matmul(&w)?.relu())?)?
        .name("fuse_matmul_relu")
        .replacement(pattern(|[x, w]| x.matmul(&w)?.maximum(0.0))?)?;
    let report = PassManager::new()
        .pass("fuse", fused)
        .pass("cse", CommonSubexpressions::new())
        .pass("dead_code", DeadCode::new())
        .before("cse", "fuse")
        .run(&mut module)?;

    println!("{} rewrites:", report.rewrites);
    print!("{}", similar::TextDiff::from_lines(&before, &module.code()).unified_diff().context_radius(20));
    let difference = (model.forward(&x)? - module.forward(&[&x])?)?.abs()?.max_all()?.to_scalar::<f32>()?;
    println!("largest difference between the model and the rewritten graph: {difference}");
    Ok(())
}
