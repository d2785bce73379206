//! Capture a model, look at it, run it, write it back as Rust, and rewrite it with a pass of ten lines.
//!
//! `cargo run --release --example quickstart`

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{Linear, Module};
use fx::ops::elementwise::{gelu, relu};
use fx::{GraphModule, OpRef};

#[fx::module]
struct MyModule {
    param: Tensor,
    linear: Linear,
}

#[fx::module]
impl Module for MyModule {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(&(x + &self.param)?)?.clamp(0.0, 1.0)
    }
}

#[fx::module]
struct Mlp {
    up: Linear,
    down: Linear,
}

#[fx::module]
impl Module for Mlp {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.up.forward(x)?.gelu()?.apply(&self.down)
    }
}

/// A pass: every call of the operation `from` becomes a call of `to`.
fn swap(module: &mut GraphModule, from: OpRef, to: OpRef) -> std::result::Result<usize, Box<dyn std::error::Error>> {
    let graph = module.graph_mut();
    let mut swapped = 0;
    for old in graph.calls(from) {
        let args = graph.node(old).args().to_vec();
        let new = graph.inserting_before(old).call(to, args, [])?;
        graph.replace_all_uses_with(old, new);
        graph.erase_node(old)?;
        swapped += 1;
    }
    Ok(swapped)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let device = Device::Cpu;
    let normal = |shape: &[usize]| Tensor::randn(0f32, 1f32, shape, &device);

    let model = MyModule { param: normal(&[3, 4])?, linear: Linear::new(normal(&[5, 4])?, Some(normal(&[5])?)) };
    let captured = fx::symbolic_trace(&model)?;
    println!("{}", captured.graph());
    println!("{}", captured.graph().print_tabular());
    println!("{}", captured.code());

    let x = normal(&[3, 4])?;
    let (original, again) = (model.forward(&x)?, captured.forward(&[x])?);
    let difference = (original - again)?.abs()?.max_all()?.to_scalar::<f32>()?;
    println!("largest difference between the model and its graph: {difference}\n");

    let mlp = Mlp { up: Linear::new(normal(&[16, 4])?, None), down: Linear::new(normal(&[4, 16])?, None) };
    let mut module = fx::Tracer::new().input("x", DType::F32, (2, 4)).trace(&mlp)?;
    let before = module.code();
    let swapped = swap(&mut module, &gelu::OP, &relu::OP)?;
    module.check()?;
    println!("swapped {swapped} activation:");
    print!("{}", similar::TextDiff::from_lines(&before, &module.code()).unified_diff().context_radius(9));
    Ok(())
}
