//! One model with one way to call it: builds the original and the annotated copy, captures the copy, and compares.
//!
//! Invariant: a case passes only if the copy itself and its graph both give the original's result to the last bit, on
//! inputs the capture has not seen, and the original's results are finite numbers that change with the inputs. Every run
//! begins with a model that was just built, so that no run sees the caches of another.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use candle::Tensor;
use candle_nn::VarBuilder;
use fx::symbolic::Tensor as Proxy;
use fx::{Compiled, GraphModule, Traceable, Tracer, Value};

use crate::difference::{difference, is_finite, Difference};
use crate::dynamic::{dynamic, for_all_sizes, Dynamic};
use crate::flat::Flat;
use crate::inputs::At;
use crate::later::{self, Call, Called, Later, Tensors};
use crate::readers::{self, Readers, Reads};
use crate::told::{self, Hidden, Tell};
use crate::weights;

/// What a case can fail with.
pub type Failure = Box<dyn Error + Send + Sync>;

/// Seed of the weights, of the inputs for the capture, and of those it is compared on.
const WEIGHTS: u64 = 1;
const EXAMPLE: u64 = 2;
const FRESH: [u64; 2] = [3, 5];

pub(crate) type Inputs = Box<dyn Fn(&At) -> candle::Result<Vec<Tensor>> + Send + Sync>;
/// Makes calls one after the other, of a model that was just built.
pub(crate) type Run = Box<dyn Fn(&[Call]) -> candle::Result<Vec<Tensors>> + Send + Sync>;
pub(crate) type Capture = Box<dyn Fn(Tracer<'_>, usize) -> Result<GraphModule, Failure> + Send + Sync>;
/// A model that was just built, to be captured when it is called.
pub(crate) type Compile = Box<dyn Fn(&Reads) -> candle::Result<Box<dyn Called>> + Send + Sync>;

/// The result of the first call.
pub(crate) fn first(run: &Run, inputs: &[Tensor]) -> candle::Result<Tensors> {
    Ok(run(&[Call::first(inputs)])?.swap_remove(0))
}

/// Something to capture and compare.
pub struct Case {
    /// The model's module.
    pub model: &'static str,
    /// What is special about this case.
    pub name: &'static str,
    inputs: Inputs,
    original: Run,
    copy: Run,
    capture: Capture,
    /// None of a model that keeps nothing.
    later: Option<later::Plan>,
    /// What hidden layers compute, by the name of their type.
    told: Vec<(&'static str, Tell)>,
}

/// The graph of a case, and inputs to run it on.
pub struct Captured {
    /// The graph.
    pub graph: GraphModule,
    /// The inputs of each run: not those of the capture, unless data that the model read of them is baked in.
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
    /// Whether a capture without data gives the same graph; else why not.
    pub without_data: Result<(), String>,
    /// What the model did that a graph cannot.
    pub reads: Reads,
    /// Which sizes may vary in one graph.
    pub dynamic: Dynamic,
    /// What comes of the calls after the first.
    pub later: Later,
}

impl Report {
    /// Whether the graph computes what the original does, to the last bit.
    pub fn is_equal(&self) -> bool {
        self.difference == Difference::None
    }
}

/// How a model is made from weights; [`case!`](crate::cases) writes it.
pub struct Built<B>(B);

impl<M: 'static, B: Fn(VarBuilder<'static>) -> candle::Result<M> + Clone + Send + Sync + 'static> Built<B> {
    /// A model that is made so.
    pub fn by(build: B) -> Self {
        Self(build)
    }

    /// Runs a model that was just built.
    pub fn run<R: Flat>(
        &self,
        call: impl Fn(&mut M, &[Tensor], usize) -> candle::Result<R> + Send + Sync + 'static,
    ) -> Run {
        let build = self.0.clone();
        Box::new(move |calls| {
            let mut model = build(weights::var_builder(WEIGHTS))?;
            calls.iter().map(|made| Ok(Tensors::of(call(&mut model, &made.inputs, made.position)?))).collect()
        })
    }

    /// A call of such a model, as it is: so that a closure's parameters have types.
    pub fn called<R, F: Fn(&mut M, &[Tensor], usize) -> candle::Result<R>>(&self, call: F) -> F {
        call
    }

    /// Compiles a model that was just built, by the same call of it and of its mirror.
    pub fn compile<R: Flat, S: fx::ToOutput>(
        &self,
        original: impl Fn(&mut M, &[Tensor], usize) -> candle::Result<R> + Clone + Send + Sync + 'static,
        symbolic: impl Fn(&mut M::Symbolic, &[Proxy], usize) -> candle::Result<S> + Clone + Send + Sync + 'static,
    ) -> Compile
    where
        M: Traceable<Symbolic: 'static>,
    {
        let build = self.0.clone();
        Box::new(move |reads| {
            let (original, symbolic, reads) = (original.clone(), symbolic.clone(), reads.clone());
            let compiled: Compiled<M, (Vec<Tensor>, usize), Tensors> = Compiled::of(
                build(weights::var_builder(WEIGHTS))?,
                &["x", "position"],
                move |model, (x, position): (Vec<Tensor>, usize)| Ok(Tensors::of(original(model, &x, position)?)),
                move |mirror, inputs| {
                    let x: Vec<Proxy> = inputs.take("x", "Vec<Tensor>")?;
                    let position: usize = inputs.take("position", "usize")?;
                    let returned = symbolic(mirror, &x, position);
                    inputs.finish(returned)
                },
            );
            Ok(Box::new(compiled.configure(move |tracer| reads.tracer(tracer))) as Box<dyn Called>)
        })
    }

    /// Captures a model that was just built.
    pub fn capture<R: fx::ToOutput>(
        &self,
        call: impl Fn(&mut M::Symbolic, &[Proxy], usize) -> candle::Result<R> + Send + Sync + 'static,
    ) -> Capture
    where
        M: Traceable<Symbolic: 'static>,
    {
        let build = self.0.clone();
        Box::new(move |tracer, inputs| {
            // Behind an `Arc`, so that modules that nobody can clone can be called whole.
            let model = Arc::new(build(weights::var_builder(WEIGHTS))?);
            let graph = tracer.trace_with(&model, |mirror, given| {
                let inputs: Vec<_> = (0..inputs).map(|i| given.tensor(&input(i))).collect::<candle::Result<_>>()?;
                match Arc::get_mut(mirror) {
                    Some(mirror) => call(mirror, &inputs, 0),
                    None => candle::bail!("the mirror of the model is shared"),
                }
            });
            Ok(graph?)
        })
    }
}

/// Captures a model while a function builds it of these weights.
pub fn built<M, R: fx::ToOutput>(
    weights: impl Fn(VarBuilder<'static>) -> VarBuilder<'static> + Send + Sync + 'static,
    build: impl Fn(fx::symbolic::VarBuilder<'static>) -> candle::Result<M> + Send + Sync + 'static,
    call: impl Fn(&mut M, &[Proxy], usize) -> candle::Result<R> + Send + Sync + 'static,
) -> Capture {
    Box::new(move |tracer, inputs| {
        let weights = weights(weights::var_builder(WEIGHTS));
        let graph = tracer.trace_fn(|given| {
            let mut model = build(given.var_builder(&weights))?;
            let inputs: Vec<_> = (0..inputs).map(|i| given.tensor(&input(i))).collect::<candle::Result<_>>()?;
            call(&mut model, &inputs, 0)
        });
        Ok(graph?)
    })
}

/// Name of an input.
pub(crate) fn input(i: usize) -> String {
    format!("x{i}")
}

impl Case {
    /// A case of its parts.
    pub fn new<const N: usize>(
        model: &'static str,
        name: &'static str,
        inputs: impl Fn(&At) -> candle::Result<[Tensor; N]> + Send + Sync + 'static,
        original: Run,
        copy: Run,
        capture: Capture,
    ) -> Self {
        let inputs = Box::new(move |at: &At| Ok(inputs(at)?.to_vec()));
        Self { model, name, inputs, original, copy, capture, later: None, told: Vec::new() }
    }

    /// The same, called again and again.
    #[must_use]
    pub fn later(self, plan: later::Plan) -> Self {
        Self { later: Some(plan), ..self }
    }

    /// Says what a layer computes that shows nobody what it is made of, so that the model can be written.
    #[must_use]
    pub fn telling(
        mut self,
        layer: &'static str,
        tell: impl Fn(&Hidden) -> Result<GraphModule, Failure> + Send + Sync + 'static,
    ) -> Self {
        self.told.push((layer, Box::new(tell)));
        self
    }

    /// Puts what was told in place of the layers.
    fn tell(&self, mut captured: Captured) -> Result<Captured, Failure> {
        for (layer, tell) in &self.told {
            let inputs = captured.inputs.first().ok_or("no inputs")?;
            told::tell(&mut captured.graph, layer, &weights::var_builder(WEIGHTS), tell, inputs)?;
        }
        Ok(captured)
    }

    /// Builds, captures and compares.
    ///
    /// # Errors
    ///
    /// If anything on the way fails, a panic included: one model must not keep the others from being tried.
    pub fn run(&self) -> Result<Report, Failure> {
        caught(|| self.try_run())
    }

    /// Builds and captures only, a graph that calls no module of the model's crate.
    ///
    /// # Errors
    ///
    /// As [`Case::run`].
    pub fn captured(&self) -> Result<Captured, Failure> {
        caught(|| {
            let trial: Vec<_> = (self.inputs)(&At::new(FRESH[0]))?.into_iter().map(Value::from).collect();
            let example = (self.inputs)(&At::new(EXAMPLE))?;
            let (mut graph, reads) = self.graph(Readers::BakedIn, &example, &trial)?;
            if reads != Reads::None {
                let example: Vec<Value> = example.into_iter().map(Value::from).collect();
                readers::bake_in(&mut graph, &example)?;
                graph.reset_state();
            }
            let seeds: &[u64] = if reads == Reads::None { &FRESH } else { &[EXAMPLE] };
            let inputs = seeds.iter().map(|seed| (self.inputs)(&At::new(*seed))).collect::<candle::Result<_>>()?;
            self.tell(Captured { graph, inputs })
        })
    }

    /// The same for all sizes that the inputs can have, with inputs of other sizes; none if they have none, or if data that
    /// the model reads would be baked in.
    ///
    /// # Errors
    ///
    /// As [`Case::run`].
    pub fn captured_for_all_sizes(&self) -> Result<Option<Captured>, Failure> {
        caught(|| {
            let captured = for_all_sizes(Readers::BakedIn, &self.inputs, &self.original, &self.capture)?.1;
            captured.map(|captured| self.tell(captured)).transpose()
        })
    }

    /// Captures, running on these inputs, and tries the graph on others.
    fn graph(&self, readers: Readers, example: &[Tensor], trial: &[Value]) -> Result<(GraphModule, Reads), Failure> {
        readers::capture(readers, trial, |specialize, rules| {
            let examples = example.iter().enumerate();
            let tracer =
                examples.fold(rules.tracer(specialize), |tracer, (i, tensor)| tracer.example(input(i), tensor));
            (self.capture)(tracer, example.len())
        })
    }

    fn try_run(&self) -> Result<Report, Failure> {
        let example = (self.inputs)(&At::new(EXAMPLE))?;
        let mut last = first(&self.original, &example).map_err(|error| format!("the original fails: {error}"))?;

        let trial: Vec<_> = (self.inputs)(&At::new(FRESH[0]))?.into_iter().map(Value::from).collect();
        let start = Instant::now();
        let (graph, reads) = self.graph(Readers::Whole, &example, &trial)?;
        let capture = start.elapsed();
        graph.check()?;

        let mut report = Report {
            nodes: graph.graph().len(),
            capture,
            difference: Difference::None,
            without_data: self.without_data(&example, &trial, &graph),
            later: self.later_calls(&graph, &reads)?,
            reads,
            dynamic: dynamic(&self.inputs, &self.original, &self.capture)?,
        };
        for seed in FRESH {
            let inputs = (self.inputs)(&At::new(seed))?;
            let wanted = first(&self.original, &inputs)?;
            check_meaning(&wanted, &last)?;
            let eager = differences(&first(&self.copy, &inputs)?, &wanted)?;
            if eager != Difference::None {
                return Err(format!("the copy, run without a graph, is not the original: {eager}").into());
            }
            let values: Vec<Value> = inputs.into_iter().map(Value::from).collect();
            // The original is a new one for each run.
            graph.reset_state();
            let result = graph.run(&values)?;
            let got = Tensors::of_value(&result);
            report.difference = report.difference.larger(differences(&got, &wanted)?);
            last = wanted;
        }
        Ok(report)
    }

    /// What comes of the calls after the first.
    fn later_calls(&self, graph: &GraphModule, reads: &Reads) -> Result<Later, Failure> {
        match &self.later {
            None => Ok(Later::KeepsNothing),
            Some(plan) => later::later(plan, &self.inputs, &self.original, graph, reads),
        }
    }

    /// Captures again, this time told no more than shapes.
    fn without_data(&self, example: &[Tensor], trial: &[Value], wanted: &GraphModule) -> Result<(), String> {
        let (graph, _) = readers::capture(Readers::Whole, trial, |specialize, rules| {
            let inputs = example.iter().enumerate();
            let tracer = inputs.fold(rules.tracer(specialize), |tracer, (i, tensor)| {
                tracer.input(input(i), tensor.dtype(), tensor.shape())
            });
            (self.capture)(tracer, example.len())
        })
        .map_err(|error| error.to_string())?;
        if graph.graph().len() != wanted.graph().len() {
            return Err(format!("{} nodes", graph.graph().len()));
        }
        // What is known of values beside their shapes is in the comments.
        let code = |line: &str| line.split("//").next().unwrap_or_default().trim().to_owned();
        let (got, wanted) = (graph.graph().to_string(), wanted.graph().to_string());
        let lines = got.lines().map(code).zip(wanted.lines().map(code));
        match lines.into_iter().find(|(got, wanted)| got != wanted) {
            Some((got, wanted)) => Err(format!("`{got}` in place of `{wanted}`")),
            None => Ok(()),
        }
    }
}

/// What a function gives that may panic. Everything that a run changes is made in it.
pub(crate) fn caught<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panicked: {}", message.unwrap_or_default()).into())
    })
}

/// That a comparison with these results says something.
fn check_meaning(results: &Tensors, last: &Tensors) -> Result<(), Failure> {
    check_finite(results)?;
    if differences(results, last)? == Difference::None {
        return Err("the original's result is always the same, which compares nothing".into());
    }
    Ok(())
}

/// That all numbers are finite.
pub(crate) fn check_finite(results: &Tensors) -> Result<(), Failure> {
    for tensor in &results.0 {
        if !is_finite(tensor)? {
            return Err("the original's result is not finite, which compares nothing".into());
        }
    }
    Ok(())
}

/// The largest difference between the parts of two results.
pub(crate) fn differences(Tensors(got): &Tensors, Tensors(wanted): &Tensors) -> candle::Result<Difference> {
    if got.len() != wanted.len() {
        return Ok(Difference::Kind(format!("{} tensors instead of {}", got.len(), wanted.len())));
    }
    let mut largest = Difference::None;
    for (got, wanted) in got.iter().zip(wanted) {
        largest = largest.larger(difference(got, wanted)?);
    }
    Ok(largest)
}
