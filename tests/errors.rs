//! What cannot be captured or run says what, where, and what to write instead. Messages are reviewed whole.

#![allow(dead_code, reason = "the models are only captured, never run")]

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{Linear, Module};
use fx::Tracer;

fn tensor(shape: &[usize]) -> Tensor {
    Tensor::zeros(shape, DType::F32, &Device::Cpu).unwrap()
}

#[fx::module]
struct Model {
    linear: Linear,
    limit: f64,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)?.matmul(&x.t()?)
    }

    fn reads_data(&self, x: &Tensor) -> Result<Tensor> {
        if x.max_all()?.to_scalar::<f32>()? > 0.5 { x.relu() } else { Ok(x.clone()) }
    }

    fn asks_for_the_shape(&self, x: &Tensor, other: &Tensor) -> Result<Tensor> {
        let both = (x + other)?;
        let (rows, _) = both.dims2()?;
        both.narrow(0, 0, rows - 1)
    }

    fn asks_for_the_dtype(&self, x: &Tensor) -> Result<Tensor> {
        x.to_dtype(x.dtype())
    }

    fn fails(&self, x: &Tensor) -> Result<Tensor> {
        if x.rank() > 1 {
            candle_core::bail!("only vectors, not rank {}", x.rank());
        }
        Ok(x.clone())
    }

    fn panics(&self, x: &Tensor) -> Result<Tensor> {
        let names = ["x"];
        x * names[x.rank()].len() as f64
    }
}

#[fx::module]
struct Positional {
    table: Tensor,
}

#[fx::module]
impl Positional {
    fn forward(&self, x: &Tensor, offset: usize, scale: Option<f64>) -> Result<Tensor> {
        let rows = self.table.narrow(0, offset, 1)?;
        x.broadcast_add(&rows)? * scale.unwrap_or(1.0)
    }
}

/// Nobody sees what is in its row.
#[fx::module]
struct Hides {
    row: candle_nn::Sequential,
}

#[fx::module]
impl Hides {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.row.forward(x)?.relu()?;
        let (rows, _) = x.dims2()?;
        x.narrow(0, 0, rows - 1)
    }
}

fn model() -> Model {
    Model { linear: Linear::new(tensor(&[2, 3]), None), limit: 0.5 }
}

#[track_caller]
fn message<T>(result: std::result::Result<T, fx::TraceError>) -> String {
    match result {
        Ok(_) => panic!("this should have been refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn refused_while_recording() {
    let model = model();
    assert!(model.limit > 0.0);
    let x = tensor(&[4, 5]);
    insta::assert_snapshot!(message(fx::trace(&model, (&x,))));
    insta::assert_snapshot!(message(Tracer::new().input("x", DType::F32, (4, 3)).trace(&model)));
}

#[test]
fn reading_data() {
    let (model, x) = (model(), tensor(&[4, 3]));
    let reads = |tracer: Tracer<'_>| tracer.trace_with(&model, |model, inputs| model.reads_data(&inputs.tensor("x")?));
    insta::assert_snapshot!(message(reads(Tracer::new())));
    insta::assert_snapshot!(message(reads(Tracer::new().input("x", DType::F32, (4, 3)))));
    insta::assert_snapshot!(message(reads(Tracer::new().example("x", &x))));
    let baked = reads(Tracer::new().example("x", &x).specialize(true)).unwrap();
    insta::assert_snapshot!(baked.graph());
}

#[test]
fn a_shape_of_too_many_elements() {
    let tracer = Tracer::new().input("x", DType::F32, (usize::MAX, 2));
    insta::assert_snapshot!(tracer.trace(&model()).unwrap_err());
}

#[test]
fn unknown_shapes() {
    let model = model();
    let shape = Tracer::new().trace_with(&model, |model, inputs| {
        let (x, other) = (inputs.tensor("x")?, inputs.tensor("other")?);
        model.asks_for_the_shape(&x, &other)
    });
    insta::assert_snapshot!(message(shape));
    let dtype = Tracer::new().trace_with(&model, |model, inputs| model.asks_for_the_dtype(&inputs.tensor("x")?));
    insta::assert_snapshot!(message(dtype));
    let row = candle_nn::seq().add(Linear::new(tensor(&[3, 3]), None)).add_fn(|x| x.relu());
    let hidden = Tracer::new().input("x", DType::F32, (2, 3)).trace(&std::rc::Rc::new(Hides { row }));
    insta::assert_snapshot!(message(hidden));
}

#[test]
fn arguments() {
    let model = Positional { table: tensor(&[4, 3]) };
    let x = tensor(&[2, 3]);
    insta::assert_snapshot!(message(fx::symbolic_trace(&model)));
    insta::assert_snapshot!(message(Tracer::new().concrete_arg("offset", "first").trace(&model)));
    insta::assert_snapshot!(message(fx::trace(&model, (&x,))));
    insta::assert_snapshot!(message(fx::trace(&model, (&x, 0usize, None::<f64>, 3usize))));
    insta::assert_snapshot!(message(Tracer::new().concrete_arg("offset", 0).concrete_arg("ofset", 0).trace(&model)));
    let given = Tracer::new().concrete_arg("offset", 1).concrete_arg("scale", 2.0).trace(&model).unwrap();
    assert_eq!(given.forward(&[x]).unwrap().dims(), [2, 3]);
}

#[test]
fn the_models_own_errors() {
    let (model, x) = (model(), tensor(&[4, 3]));
    let fails = Tracer::new().example("x", &x).trace_with(&model, |model, inputs| model.fails(&inputs.tensor("x")?));
    insta::assert_snapshot!(message(fails));
    let panics = Tracer::new().example("x", &x).trace_with(&model, |model, inputs| model.panics(&inputs.tensor("x")?));
    insta::assert_snapshot!(message(panics));
}

#[test]
fn running() {
    let model = model();
    let module = fx::symbolic_trace(&model).unwrap();
    insta::assert_snapshot!(module.forward::<Tensor>(&[]).unwrap_err());
    insta::assert_snapshot!(module.forward(&[tensor(&[4, 7])]).unwrap_err());
}
