//! Models that decide by the numbers in tensors, written as the messages advise: what reads is a function with `#[fx::wrap]`.
//! Each gives what the original gives, in a graph of one size, of all sizes, and compiled.

use candle_core::{D, DType, Module, Result, Tensor};
use candle_nn::Linear;
use fx::{GraphModule, TraceError, Tracer};

use crate::support::{is_same, linear, tensor};

/// What came of a model, as a line.
macro_rules! report {
    ($name:ident, $make:expr) => {{
        let model = $make;
        let tracer = Tracer::new().input("x", DType::F32, (2, 6, 4)).dynamic("x", 0, "batch").dynamic("x", 1, "n");
        let concrete = fx::trace(&model, (&tensor(&[2, 6, 4]),));
        let compiled = fx::compile($make);
        reported(stringify!($name), &|x| model.forward(x), concrete, tracer.trace(&model), &|x| compiled.forward(x))
    }};
}

fn reported(
    name: &str,
    original: &dyn Fn(&Tensor) -> Result<Tensor>,
    concrete: std::result::Result<GraphModule, TraceError>,
    dynamic: std::result::Result<GraphModule, TraceError>,
    compiled: &dyn Fn(&Tensor) -> Result<Tensor>,
) -> String {
    let concrete = concrete.unwrap_or_else(|error| panic!("{name}: {error}"));
    // Other numbers of the same shape.
    let other = (tensor(&[2, 6, 4]) * -1.5).unwrap();
    assert!(is_same(&original(&other).unwrap(), &concrete.forward(&[&other]).unwrap()), "{name}: {}", concrete.graph());
    for (batch, rows) in [(2, 6), (1, 1), (3, 5), (4, 17), (1, 64), (2, 300)] {
        for scale in [1.0, -2.0] {
            let x = (tensor(&[batch, rows, 4]) * scale).unwrap();
            let expected = original(&x).unwrap();
            assert!(is_same(&expected, &compiled(&x).unwrap()), "{name}, compiled, at {batch}, {rows}");
            let Ok(module) = &dynamic else { continue };
            module.check().unwrap();
            let found = module.forward(&[&x]).unwrap();
            assert!(is_same(&expected, &found), "{name} at {batch}, {rows}:\n{}", module.graph());
        }
    }
    dynamic.map_or_else(|error| format!("{name}: {error}"), |_| format!("{name}: exact"))
}

/// Reads one number, and branches.
#[fx::wrap(pure)]
fn calmed(x: &Tensor) -> Result<Tensor> {
    if x.max_all()?.to_scalar::<f32>()? > 0.9 { x / 2.0 } else { x.relu() }
}

#[fx::module]
struct Calm;

#[fx::module]
impl Module for Calm {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (batch, rows, width) = calmed(x)?.dims3()?;
        calmed(x)?.reshape((batch * rows, width))?.exp()
    }
}

/// The weight of each expert for each token.
#[fx::wrap(pure)]
fn route(scores: &Tensor, chosen: usize) -> Result<Tensor> {
    let rows = scores.to_vec2::<f32>()?.into_iter().map(|row| {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        let kept = |(at, score): (usize, &f32)| if order[..chosen].contains(&at) { *score } else { 0. };
        row.iter().enumerate().map(kept).collect::<Vec<f32>>()
    });
    let rows: Vec<f32> = rows.flatten().collect();
    Tensor::from_vec(rows, scores.dims(), scores.device())
}

#[fx::module]
struct Experts {
    router: Linear,
    experts: Vec<Linear>,
}

#[fx::module]
impl Module for Experts {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (batch, rows, width) = x.dims3()?;
        let x = x.reshape((batch * rows, width))?;
        let weights = route(&candle_nn::ops::softmax(&self.router.forward(&x)?, D::Minus1)?, 2)?;
        let mut sum = x.zeros_like()?;
        for i in 0..weights.dim(1)? {
            sum = (sum + self.experts[i].forward(&x)?.broadcast_mul(&weights.narrow(1, i, 1)?)?)?;
        }
        sum.reshape((batch, rows, width))
    }
}

/// A loop over a size, each round of which needs the one before.
#[fx::wrap(pure)]
fn scanned(x: &Tensor, decay: f64) -> Result<Tensor> {
    let (mut all, mut state) = (Vec::new(), x.narrow(1, 0, 1)?.zeros_like()?);
    for at in 0..x.dim(1)? {
        state = ((state * decay)? + x.narrow(1, at, 1)?)?;
        all.push(state.clone());
    }
    Tensor::cat(&all, 1)
}

#[fx::module]
struct Recurrent {
    out: Linear,
}

#[fx::module]
impl Module for Recurrent {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let states = scanned(&x.tanh()?, 0.5)?;
        let last = states.dim(1)? - 1;
        self.out.forward(&states.narrow(1, last, 1)?.squeeze(1)?)
    }
}

/// Two tensors, one of them of integers.
#[fx::wrap(pure)]
fn best(x: &Tensor, among: &[usize]) -> Result<(Tensor, Tensor)> {
    let rows = x.to_vec3::<f32>()?;
    let best = |row: &Vec<f32>| among.iter().copied().max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0);
    let at: Vec<u32> = rows.iter().flatten().map(|row| best(row) as u32).collect();
    let values: Vec<f32> = rows.iter().flatten().map(|row| row[best(row)]).collect();
    let shape = (x.dim(0)?, x.dim(1)?, 1);
    Ok((Tensor::from_vec(values, shape, x.device())?, Tensor::from_vec(at, shape, x.device())?))
}

#[fx::module]
struct Best;

#[fx::module]
impl Module for Best {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (values, at) = best(x, &[0, 1, 3])?;
        let (_, rows, _) = at.dims3()?;
        x.gather(&at, 2)?.broadcast_sub(&values)? + rows as f64
    }
}

/// How many rows there are depends on the numbers.
#[fx::wrap(pure)]
fn positive(x: &Tensor) -> Result<Tensor> {
    let numbers = x.flatten_all()?.to_vec1::<f32>()?;
    let kept: Vec<f32> = numbers.into_iter().filter(|x| *x > 0.5).collect();
    let count = kept.len();
    Tensor::from_vec(kept, count, x.device())
}

#[fx::module]
struct Positive;

#[fx::module]
impl Module for Positive {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        positive(x)?.sum_all()
    }
}

/// May change something, for all that is known.
#[fx::wrap]
fn unsaid(x: &Tensor) -> Result<Tensor> {
    let largest = x.max_all()?.to_scalar::<f32>()?;
    x / f64::from(largest.abs().max(1.0))
}

#[fx::module]
struct Unsaid;

#[fx::module]
impl Module for Unsaid {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        unsaid(x)?.exp()
    }
}

#[fx::module]
struct UnsaidAndAsked;

#[fx::module]
impl Module for UnsaidAndAsked {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = unsaid(x)?;
        y.narrow(1, 0, y.dim(1)?.min(3))
    }
}

/// Reads by a conversion, which no attribute sees in the source.
#[fx::module]
struct Converted;

#[fx::module(specialize)]
impl Module for Converted {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let all = Vec::<f32>::try_from(&x.flatten_all()?)?;
        let first: f32 = x.flatten_all()?.get(0)?.try_into()?;
        let mean = f64::from(f32::try_from(x.mean_all()?)?);
        ((x * mean)? + f64::from(first))? / all.len() as f64
    }
}

#[test]
fn what_reads_is_one_node_at_all_sizes() {
    let lines = [
        report!(Calm, Calm),
        report!(Experts, Experts { router: linear(4, 3), experts: vec![linear(4, 4), linear(4, 4), linear(4, 4)] }),
        report!(Recurrent, Recurrent { out: linear(4, 2) }),
        report!(Best, Best),
        report!(Positive, Positive),
        report!(Unsaid, Unsaid),
        report!(UnsaidAndAsked, UnsaidAndAsked),
    ];
    insta::assert_snapshot!(lines.join("\n"));
}

/// Where it is not allowed, the capture says so; where it is, what was read is baked in.
#[test]
fn conversions_read_too() {
    let x = tensor(&[2, 6, 4]);
    let error = fx::trace(&Converted, (&x,)).unwrap_err().to_string();
    assert!(error.contains("`try_from` reads the data of a tensor") && error.contains("data.rs:"), "{error}");
    let module = Tracer::new().specialize(true).trace_examples(&Converted, (&x,)).unwrap();
    assert!(is_same(&Converted.forward(&x).unwrap(), &module.forward(&[&x]).unwrap()));
}
