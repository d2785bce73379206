//! Forms in which sizes that differ from run to run reach a graph: each graph gives what the original gives at every size,
//! or refuses the size, or the capture is refused.

use candle_core::{DType, Device, IndexOp, Module, Result, Tensor};
use fx::{GraphModule, TraceError, Tracer, Value};

use crate::support::{assert_same, linear, tensor};

/// Captured for all batches and lengths of `[batch, seq, 4]`.
macro_rules! captured {
    ($model:expr) => {
        Tracer::new().input("x", DType::F32, (2, 7, 4)).dynamic("x", 0, "batch").dynamic("x", 1, "seq").trace(&$model)
    };
}

const SIZES: [(usize, usize); 9] = [(2, 7), (1, 1), (3, 12), (1, 8), (5, 1), (2, 64), (17, 3), (0, 7), (2, 301)];

/// Runs the graph at many sizes; gives those at which it refuses to run.
#[track_caller]
fn refused(module: &GraphModule, original: impl Fn(&Tensor) -> Result<Tensor>) -> Vec<(usize, usize)> {
    refused_with(module, &[], original)
}

/// The same of a graph that calls functions of these descriptions.
#[track_caller]
fn refused_with(
    module: &GraphModule,
    ops: &[fx::OpRef],
    original: impl Fn(&Tensor) -> Result<Tensor>,
) -> Vec<(usize, usize)> {
    module.check().unwrap_or_else(|error| panic!("{error}\n{}", module.graph()));
    let text = module.graph().to_text().unwrap();
    let table = fx::ops::OpTable::builtin().clone().with(ops);
    let read = fx::Graph::parse(&text, &table).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read.to_text().unwrap(), text);
    let mut refused = Vec::new();
    for (batch, seq) in SIZES {
        let x = tensor(&[batch, seq, 4]);
        match module.forward(&[&x]) {
            Ok(found) => assert_same(&original(&x).unwrap(), &found),
            Err(_) => refused.push((batch, seq)),
        }
    }
    refused
}

macro_rules! model {
    ($name:ident, |$x:ident| $body:block) => {
        #[fx::module]
        struct $name;

        #[fx::module]
        impl Module for $name {
            fn forward(&self, $x: &Tensor) -> Result<Tensor> $body
        }
    };
}

#[fx::module]
struct Attention {
    query: candle_nn::Linear,
    heads: usize,
}

#[fx::module]
impl Module for Attention {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (batch, seq, width) = x.dims3()?;
        let size = width / self.heads;
        let q = self.query.forward(x)?.reshape((batch, seq, self.heads, size))?.transpose(1, 2)?.contiguous()?;
        let scores = (q.matmul(&q.t()?)? / (size as f64).sqrt())?;
        let mask: Vec<f32> =
            (0..seq).flat_map(|i| (0..seq).map(move |j| if j > i { f32::NEG_INFINITY } else { 0. })).collect();
        let scores =
            if seq <= 1 { scores } else { scores.broadcast_add(&Tensor::from_vec(mask, (seq, seq), x.device())?)? };
        let positions = Tensor::from_vec((0..seq as u32).collect::<Vec<u32>>(), (1, seq, 1), x.device())?;
        let weights = candle_nn::ops::softmax_last_dim(&scores)?;
        let y = weights.matmul(&q)?.transpose(1, 2)?.reshape((batch * seq, width))?.reshape((batch, seq, width))?;
        y.broadcast_add(&positions.to_dtype(x.dtype())?)?.i((.., ..seq.div_ceil(2), ..))?.contiguous()
    }
}

#[test]
fn attention_follows_batch_and_length() {
    let model = Attention { query: linear(4, 4), heads: 2 };
    let module = captured!(model).unwrap_or_else(|error| panic!("{error}"));
    // At one position the model goes another way; candle multiplies no matrices of no batch.
    let refused = refused(&module, |x| model.forward(x));
    assert_eq!(refused, [(1, 1), (5, 1), (0, 7)]);
    assert!(model.forward(&tensor(&[0, 7, 4])).is_err());
    let error = module.forward(&[tensor(&[1, 1, 4])]).unwrap_err().to_string();
    assert!(error.contains("`seq > 1`") && error.contains("seq = 1") && error.contains("dynamic.rs:"), "{error}");
    insta::assert_snapshot!(module.graph().to_string());
}

model!(Odd, |x| { if x.dim(1)? % 2 == 0 { x.relu() } else { x.neg() } });
model!(Limited, |x| {
    let n = x.dim(1)?.min(40);
    x.narrow(1, 0, n)
});
model!(Matched, |x| {
    match x.dims() {
        [_, 1 | 3, _] => x.relu(),
        [_, 8..=12, 4] => x.neg(),
        _ => x.exp(),
    }
});
model!(Matches, |x| { if matches!(x.dims3()?, (1, _, _)) { x.relu() } else { x.exp() } });
model!(Flag, |x| {
    let long = x.dim(1)? > 60;
    let y = x.exp()?;
    if long && y.dim(0)? != 4 { y.sqrt() } else { Ok(y) }
});

#[test]
fn where_the_model_takes_another_way_the_graph_refuses() {
    let odd = |&(_, seq): &(usize, usize)| seq % 2 == 0;
    assert_eq!(
        refused(&captured!(Odd).unwrap(), |x| Odd.forward(x)),
        SIZES.iter().filter(|s| odd(s)).copied().collect::<Vec<_>>()
    );
    assert_eq!(refused(&captured!(Limited).unwrap(), |x| Limited.forward(x)), []);
    assert_eq!(
        refused(&captured!(Matched).unwrap(), |x| Matched.forward(x)),
        [(1, 1), (3, 12), (1, 8), (5, 1), (2, 64), (17, 3), (2, 301)]
    );
    assert_eq!(refused(&captured!(Matches).unwrap(), |x| Matches.forward(x)), [(1, 1), (1, 8)]);
    assert_eq!(refused(&captured!(Flag).unwrap(), |x| Flag.forward(x)), [(2, 64), (2, 301)]);
}

fn halved_or_not(n: usize) -> usize {
    if n > 1000 { n / 2 } else { n }
}

fn is_even(n: usize) -> bool {
    n.is_multiple_of(2)
}

model!(HiddenNumber, |x| {
    let n = halved_or_not(x.dim(1)?);
    x.narrow(1, 0, n)
});
model!(HiddenBranch, |x| { if is_even(x.dim(1)?) { x.relu() } else { x.neg() } });
model!(PowerOfTwo, |x| {
    let n = x.dim(1)?.next_power_of_two();
    x.pad_with_zeros(1, 0, n - x.dim(1)?)
});
model!(Unrolled, |x| {
    let mut y = x.narrow(1, 0, 1)?;
    for i in 1..x.dim(1)? {
        y = (y + x.narrow(1, i, 1)?)?;
    }
    Ok(y)
});

#[test]
fn what_is_not_seen_is_refused_when_it_is_captured() {
    for captured in [captured!(HiddenNumber), captured!(HiddenBranch), captured!(PowerOfTwo), captured!(Unrolled)] {
        match captured {
            Err(TraceError::Dynamic(error)) => assert!(error.to_string().contains("dynamic.rs:"), "{error}"),
            Err(error) => panic!("{error}"),
            Ok(module) => panic!("{}", module.graph()),
        }
    }
}

#[fx::module]
struct Positions;

#[fx::module]
impl Positions {
    fn forward(&self, x: &Tensor, past: usize, mask: Option<&Tensor>) -> Result<Tensor> {
        let (_, seq, _) = x.dims3()?;
        let table = Tensor::arange(0f32, 300f32, x.device())?;
        let y = x.broadcast_add(&table.narrow(0, past, seq)?.reshape((1, seq, 1))?)?;
        match mask {
            Some(mask) => y.broadcast_add(&mask.reshape((1, seq + past, 1))?.narrow(1, past, seq)?),
            None => Ok(y),
        }
    }
}

#[test]
fn integer_parameters_are_inputs() {
    let captured = Tracer::new()
        .input("x", DType::F32, (1, 3, 4))
        .input("mask", DType::F32, 8)
        .concrete_arg("past", 5usize)
        .dynamic("x", 1, "seq")
        .dynamic("mask", 0, "seq + past")
        .dynamic_arg("past")
        .trace(&Positions)
        .unwrap_or_else(|error| panic!("{error}"));
    captured.check().unwrap();
    for (seq, past) in [(3, 5), (1, 0), (1, 299), (7, 2), (20, 280)] {
        let (x, mask) = (tensor(&[1, seq, 4]), tensor(&[seq + past]));
        let found = captured.run(&[x.clone().into(), Value::Int(past as i64), mask.clone().into()]);
        let found = found.unwrap_or_else(|error| panic!("{error}\n{}", captured.graph()));
        assert_same(&Positions.forward(&x, past, Some(&mask)).unwrap(), found.as_tensor().unwrap());
    }
    let (x, mask) = (tensor(&[1, 3, 4]), tensor(&[9]));
    let error = captured.run(&[x.into(), Value::Int(5), mask.into()]).unwrap_err().to_string();
    assert!(error.contains("`mask`") && error.contains("seq + past"), "{error}");
}

#[test]
fn what_cannot_be_declared_is_refused() {
    let x = || Tracer::new().input("x", DType::F32, (2, 7, 4));
    let errors = [
        x().dynamic("y", 0, "batch").trace(&Odd),
        x().dynamic("x", 3, "batch").trace(&Odd),
        x().dynamic("x", 0, "f32").trace(&Odd),
        x().dynamic("x", 0, "batch +").trace(&Odd),
        x().dynamic("x", 0, "n").dynamic("x", 1, "n").trace(&Odd),
        x().dynamic("x", 0, "n + 1").trace(&Odd),
        x().dynamic("x", 1, "seq").size_range("seq", 8..=9).trace(&Odd),
        Tracer::new().input("x", DType::F32, (2, 1, 4)).dynamic("x", 1, "seq").trace(&OnlyOne),
    ];
    let messages = errors.map(|captured| match captured {
        Err(error) => error.to_string(),
        Ok(module) => panic!("{}", module.graph()),
    });
    insta::assert_snapshot!(messages.join("\n\n"));
}

model!(OnlyOne, |x| { if x.dim(1)? == 1 { x.relu() } else { x.neg() } });

#[test]
fn a_graph_of_all_sizes_says_what_two_inputs_disagree_on() {
    let captured = Tracer::new()
        .input("x", DType::F32, (2, 4))
        .input("y", DType::F32, (2, 4))
        .dynamic("x", 0, "batch")
        .dynamic("y", 0, "batch")
        .trace_fn(|inputs| inputs.tensor("x")? + inputs.tensor("y")?)
        .unwrap();
    let error = captured.forward(&[tensor(&[3, 4]), tensor(&[4, 4])]).unwrap_err();
    assert_eq!(error.to_string(), "`batch` is 3 by dimension 0 of input `x`, but 4 by dimension 0 of input `y`");
    assert!(captured.forward(&[tensor(&[3, 5]), tensor(&[3, 5])]).is_err());
    let same = captured.forward(&[tensor(&[9, 4]), tensor(&[9, 4])]).unwrap();
    assert_eq!(same.dims(), [9, 4]);
    assert_eq!(Device::Cpu.location(), same.device().location());
}

/// Adds what a window of `width` sees; built on the host in a way that is no known family.
#[fx::module]
fn banded(rows: usize, width: usize, device: &Device) -> Result<Tensor> {
    let seen = |i: usize, j: usize| if i.abs_diff(j) < width { 1f32 } else { 0.25 };
    let data: Vec<f32> = (0..rows).flat_map(|i| (0..rows).map(move |j| seen(i, j))).collect();
    Tensor::from_vec(data, (rows, rows), device)
}

#[fx::module]
fn steps(count: usize) -> Result<(Tensor, Tensor)> {
    let each = |by: u32| (0..count as u32).map(move |i| (i * i * by) % 7).collect::<Vec<u32>>();
    Ok((Tensor::new(each(1), &Device::Cpu)?, Tensor::new(each(3), &Device::Cpu)?))
}

model!(Banded, |x| {
    let seq = x.dim(1)?;
    let (first, second) = steps(seq)?;
    let added = (first + second)?.to_dtype(DType::F32)?.reshape((seq, 1))?;
    banded(seq, 3, x.device())?.broadcast_as((x.dim(0)?, seq, seq))?.matmul(x)?.broadcast_add(&added)
});

#[test]
fn annotated_helpers_are_called_again_at_every_size() {
    let module = captured!(Banded).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(refused_with(&module, &[fx::op_of!(banded), fx::op_of!(steps)], |x| Banded.forward(x)), []);
    let text = module.graph().to_string();
    assert!(text.contains("banded(rows = seq, width = 3, device = cpu)"), "{text}");
    // At one size it stays a constant.
    let fixed = fx::trace(&Banded, (&tensor(&[2, 7, 4]),)).unwrap();
    assert!(!fixed.graph().to_string().contains("rows ="), "{}", fixed.graph());
}

/// Adds how often it was called.
#[fx::module]
#[derive(Default)]
struct Counting {
    calls: std::sync::Mutex<Option<Tensor>>,
}

#[fx::module]
impl Module for Counting {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut calls = self.calls.lock().expect("nobody panicked");
        let counted = match &*calls {
            Some(calls) => (calls + 1.0)?,
            None => x.ones_like()?,
        };
        let y = (x + &counted)?;
        *calls = Some(counted);
        Ok(y)
    }
}

#[test]
fn a_compiled_model_gives_what_the_model_gives() {
    let attention = || Attention { query: linear(4, 4), heads: 2 };
    let (original, compiled) = (attention(), fx::compile(attention()));
    for (batch, seq) in SIZES.into_iter().filter(|(batch, _)| *batch > 0) {
        let x = tensor(&[batch, seq, 4]);
        assert_same(&original.forward(&x).unwrap(), &compiled.forward(&x).unwrap());
    }
    // The first size, then all sizes, then those of one position.
    assert!((3..=5).contains(&compiled.graphs().len()), "{:?}", compiled.graphs());
    let compiled = fx::compile(Counting::default());
    let (original, x) = (Counting::default(), tensor(&[2, 3, 4]));
    for _ in 0..3 {
        assert_same(&original.forward(&x).unwrap(), &compiled.forward(&x).unwrap());
    }
    let compiled = fx::compile(Unrolled);
    for (batch, seq) in SIZES.into_iter().filter(|(batch, _)| *batch > 0) {
        let x = tensor(&[batch, seq, 4]);
        assert_same(&Unrolled.forward(&x).unwrap(), &compiled.forward(&x).unwrap());
    }
}
