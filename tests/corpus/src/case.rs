//! One model with one way to capture it: builds the original and the annotated copy, captures the copy, and compares.
//!
//! Invariant: a case passes only if the copy itself and its graph both give the original's result to the last bit, on
//! inputs the capture has not seen, and the original's results are finite numbers that change with the inputs.

use std::error::Error;
use std::time::{Duration, Instant};

use candle::Tensor;
use candle_nn::VarBuilder;
use fx::GraphModule;

use crate::difference::{difference, is_finite, Difference};
use crate::weights;

/// What a case can fail with.
pub type Failure = Box<dyn Error + Send + Sync>;

/// Seed of the weights, of the inputs for the capture, and of those it is compared on.
const WEIGHTS: u64 = 1;
const EXAMPLE: u64 = 2;
const FRESH: [u64; 2] = [3, 4];

/// A model in one of its two forms.
pub struct Side<M> {
    /// Makes it from weights.
    pub build: fn(VarBuilder<'static>) -> candle::Result<M>,
    /// Runs it on inputs.
    pub call: fn(&M, &[Tensor]) -> candle::Result<Tensor>,
}

/// A model as it is in candle-transformers and as annotated copy.
pub struct Family<O, C> {
    /// The model's module.
    pub model: &'static str,
    /// candle-transformers' own.
    pub original: Side<O>,
    /// The annotated copy.
    pub copy: Side<C>,
}

/// Something to capture and compare.
pub struct Case {
    /// The model's module.
    pub model: &'static str,
    /// What is special about this case.
    pub name: &'static str,
    run: Box<dyn Fn() -> Result<Report, Failure> + std::panic::RefUnwindSafe>,
    captured: Box<dyn Fn() -> Result<Captured, Failure> + std::panic::RefUnwindSafe>,
}

/// The graph of a case, and inputs that it was not captured with.
pub struct Captured {
    /// The graph.
    pub graph: GraphModule,
    /// The inputs of each run.
    pub inputs: Vec<Vec<Tensor>>,
}

/// What came of a case that was captured and ran.
#[derive(Debug, Clone)]
pub struct Report {
    /// Nodes of the graph.
    pub nodes: usize,
    /// How long the capture took.
    pub capture: Duration,
    /// The largest difference between the graph's result and the original's.
    pub difference: Difference,
}

impl Report {
    /// Whether the graph computes what the original does, to the last bit.
    pub fn is_equal(&self) -> bool {
        self.difference == Difference::None
    }
}

impl<O: 'static, C: 'static> Family<O, C> {
    /// A case: inputs of fixed shapes made from a seed, and how to capture the copy, given inputs to do it with.
    pub fn case(
        &self,
        name: &'static str,
        inputs: fn(u64) -> candle::Result<Vec<Tensor>>,
        capture: fn(&C, &[Tensor]) -> Result<GraphModule, Failure>,
    ) -> Case {
        let (build_original, call_original) = (self.original.build, self.original.call);
        let (build_copy, call_copy) = (self.copy.build, self.copy.call);
        let run = move || {
            let original = build_original(weights::var_builder(WEIGHTS))?;
            let copy = build_copy(weights::var_builder(WEIGHTS))?;
            let example = inputs(EXAMPLE)?;
            let mut last =
                call_original(&original, &example).map_err(|error| format!("the original fails: {error}"))?;
            let start = Instant::now();
            let graph = capture(&copy, &example)?;
            let capture = start.elapsed();
            graph.check()?;

            let mut report = Report { nodes: graph.graph().len(), capture, difference: Difference::None };
            for seed in FRESH {
                let inputs = inputs(seed)?;
                let wanted = call_original(&original, &inputs)?;
                if !is_finite(&wanted)? || difference(&wanted, &last)? == Difference::None {
                    return Err("the original's result is not finite or always the same, which compares nothing".into());
                }
                let eager = difference(&call_copy(&copy, &inputs)?, &wanted)?;
                if eager != Difference::None {
                    return Err(format!("the copy, run without a graph, is not the original: {eager:?}").into());
                }
                report.difference = larger(report.difference, difference(&graph.forward(&inputs)?, &wanted)?);
                last = wanted;
            }
            Ok(report)
        };
        let captured = move || {
            let copy = build_copy(weights::var_builder(WEIGHTS))?;
            let graph = capture(&copy, &inputs(EXAMPLE)?)?;
            Ok(Captured { graph, inputs: FRESH.into_iter().map(inputs).collect::<Result<_, _>>()? })
        };
        Case { model: self.model, name, run: Box::new(run), captured: Box::new(captured) }
    }
}

impl Case {
    /// Builds, captures and compares.
    ///
    /// # Errors
    ///
    /// If anything on the way fails, a panic included: one model must not keep the others from being tried.
    pub fn run(&self) -> Result<Report, Failure> {
        caught(&*self.run)
    }

    /// Builds and captures only.
    ///
    /// # Errors
    ///
    /// As [`Case::run`].
    pub fn capture(&self) -> Result<Captured, Failure> {
        caught(&*self.captured)
    }
}

/// Calls a function that may panic.
fn caught<T>(run: &(dyn Fn() -> Result<T, Failure> + std::panic::RefUnwindSafe)) -> Result<T, Failure> {
    std::panic::catch_unwind(run).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panicked: {}", message.unwrap_or_default()).into())
    })
}

fn larger(a: Difference, b: Difference) -> Difference {
    match (a, b) {
        (Difference::Kind(text), _) | (_, Difference::Kind(text)) => Difference::Kind(text),
        (Difference::Values(a), Difference::Values(b)) => Difference::Values(a.max(b)),
        (Difference::None, other) | (other, Difference::None) => other,
    }
}
