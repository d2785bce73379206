//! Captures a case once for all sizes of its inputs, and runs the graph at sizes the capture was not told of.
//!
//! Which axes have which size is found by asking for inputs of other sizes. Invariant: a size counts as dynamic only if the
//! graph gives the original's results to the last bit at every other size tried.

use std::fmt;
use std::ops::RangeInclusive;

use candle::Tensor;
use fx::Value;

use crate::case::{differences, first, input, Capture, Captured, Failure, Inputs, Run};
use crate::difference::Difference;
use crate::inputs::At;
use crate::later::Tensors;
use crate::readers::{self, Readers};
use crate::table::one_line;

/// Seed of the inputs.
const SEED: u64 = 5;
/// Batches and lengths that the graph is run at.
const RUNS: [(usize, usize); 3] = [(1, 5), (3, 4), (5, 11)];

/// What came of a capture for all sizes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dynamic {
    /// The sizes that may vary in one graph.
    pub sizes: Vec<&'static str>,
    /// Why others that the inputs have may not.
    pub reason: Option<String>,
}

impl fmt::Display for Dynamic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self.sizes.join(", ");
        match &self.reason {
            None if self.sizes.is_empty() => f.write_str("-"),
            None => f.write_str(&sizes),
            Some(reason) if self.sizes.is_empty() => write!(f, "none: {}", one_line(reason)),
            Some(reason) => write!(f, "{sizes}; not all: {}", one_line(reason)),
        }
    }
}

/// A size of the inputs, and where it is: input and axis.
struct Size {
    name: &'static str,
    /// Models do something else for sequences of one token: that is another graph.
    range: RangeInclusive<usize>,
    axes: Vec<(usize, usize)>,
}

/// Tries all sizes at once, and each alone if that fails.
pub(crate) fn dynamic(inputs: &Inputs, original: &Run, capture: &Capture) -> Result<Dynamic, Failure> {
    Ok(for_all_sizes(Readers::Whole, inputs, original, capture)?.0)
}

/// The same, with the graph that is for these sizes and inputs of other sizes, if there are any.
pub(crate) fn for_all_sizes(
    readers: Readers,
    inputs: &Inputs,
    original: &Run,
    capture: &Capture,
) -> Result<(Dynamic, Option<Captured>), Failure> {
    let example = inputs(&At::new(SEED))?;
    let sizes = sizes(inputs, &example);
    let all: Vec<_> = sizes.iter().collect();
    let failure = match attempt(readers, inputs, original, capture, &example, &all) {
        Ok(captured) => {
            let sizes = all.iter().map(|size| size.name).collect();
            return Ok((Dynamic { sizes, reason: None }, captured));
        }
        Err(failure) => failure,
    };
    let alone = sizes.iter().filter(|_| sizes.len() > 1);
    let works = |size: &Size| {
        attempt(readers, inputs, original, capture, &example, &[size]).ok().map(|captured| (size.name, captured))
    };
    let (sizes, captured) =
        alone.filter_map(works).next().map_or((Vec::new(), None), |(name, captured)| (vec![name], captured));
    Ok((Dynamic { sizes, reason: Some(failure.to_string()) }, captured))
}

/// The sizes that the inputs have.
fn sizes(inputs: &Inputs, example: &[Tensor]) -> Vec<Size> {
    let At { batch, seq, .. } = At::new(SEED);
    let others =
        [("batch", 1..=8, (batch, batch + 1), (batch + 1, seq)), ("seq", 2..=12, (seq, seq + 2), (batch, seq + 2))];
    let mut sizes = Vec::new();
    for (name, range, (from, to), (batch, seq)) in others {
        // What cannot be made at another size has none.
        let Ok(other) = inputs(&At::new(SEED).sizes(batch, seq)) else { continue };
        let mut axes = Vec::new();
        for (i, (tensor, other)) in example.iter().zip(&other).enumerate() {
            let pairs = tensor.dims().iter().zip(other.dims()).enumerate();
            axes.extend(pairs.filter(|(_, sizes)| *sizes == (&from, &to)).map(|(axis, _)| (i, axis)));
        }
        if !axes.is_empty() {
            sizes.push(Size { name, range, axes });
        }
    }
    sizes
}

fn attempt(
    readers: Readers,
    inputs: &Inputs,
    original: &Run,
    capture: &Capture,
    example: &[Tensor],
    sizes: &[&Size],
) -> Result<Option<Captured>, Failure> {
    if sizes.is_empty() {
        return Ok(None);
    }
    let mut runs = Vec::with_capacity(RUNS.len());
    let trial: Vec<_> = inputs(&At::new(SEED + 1))?.into_iter().map(Value::from).collect();
    let (graph, _) = readers::capture(readers, &trial, |specialize, rules| {
        let mut tracer = rules.tracer(specialize);
        for (i, tensor) in example.iter().enumerate() {
            tracer = tracer.input(input(i), tensor.dtype(), tensor.shape());
        }
        for size in sizes {
            for &(i, axis) in &size.axes {
                tracer = tracer.dynamic(input(i), axis, size.name);
            }
            tracer = tracer.size_range(size.name, size.range.clone());
        }
        capture(tracer, example.len())
    })?;
    graph.check()?;
    let varies = |name| sizes.iter().any(|size| size.name == name);
    for (seed, (batch, seq)) in (SEED + 1..).zip(RUNS) {
        let at = At::new(seed);
        let sizes = (if varies("batch") { batch } else { at.batch }, if varies("seq") { seq } else { at.seq });
        let inputs = inputs(&at.sizes(sizes.0, sizes.1))?;
        let at = |reason| format!("at batch {}, sequence {}: {reason}", sizes.0, sizes.1);
        let wanted = first(original, &inputs).map_err(|error| at(format!("the original fails: {error}")))?;
        let values: Vec<_> = inputs.iter().map(Value::from).collect();
        runs.push(inputs);
        graph.reset_state();
        let result = graph.run(&values).map_err(|error| at(error.to_string()))?;
        match differences(&Tensors::of_value(&result), &wanted)? {
            Difference::None => {}
            difference => return Err(at(format!("differs by {difference}")).into()),
        }
    }
    Ok(Some(Captured { graph, inputs: runs }))
}
