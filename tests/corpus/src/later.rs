//! Calls of one model after the first: what it keeps from call to call, its graphs keep too.
//!
//! The annotated copy is compiled ([`fx::compile`](mod@fx::compile)) and called as the original is: a prompt, and then a token at a
//! time; or always the same kind of input, where that is how the model is called. Invariant: calls count as captured only if
//! graphs answered every one of them, with the original's result to the last bit.

use std::fmt;

use candle::Tensor;
use fx::compile::{Refusal, Stats};
use fx::ops::from_value::FromValue;
use fx::{Compiled, GraphModule, Traceable, Value};

use crate::case::{caught, check_finite, differences, Compile, Failure, Inputs, Run};
use crate::difference::Difference;
use crate::flat::Flat;
use crate::inputs::At;
use crate::readers::Reads;
use crate::table::one_line;

/// Seed of the first call's inputs.
const SEED: u64 = 11;
/// The first call is followed by so many: the second and third are captured, one for all lengths of what is kept; the last is
/// answered by the graph that there is.
const LATER: usize = 3;

/// One call: its inputs, and how many tokens the model has read before.
#[derive(Debug, Clone)]
pub struct Call {
    pub(crate) inputs: Vec<Tensor>,
    pub(crate) position: usize,
}

impl Call {
    /// Of a model that has read nothing.
    pub fn first(inputs: &[Tensor]) -> Self {
        Self { inputs: inputs.to_vec(), position: 0 }
    }
}

/// The tensors of a result, in order.
#[derive(Debug, Clone)]
pub struct Tensors(pub(crate) Vec<Tensor>);

impl Tensors {
    /// Of what a model returned.
    pub fn of(returned: impl Flat) -> Self {
        let mut tensors = Vec::new();
        returned.flat(&mut tensors);
        Self(tensors)
    }

    /// Of what a graph returned.
    pub fn of_value(value: &Value) -> Self {
        Self(value.tensors().into_iter().cloned().collect())
    }
}

impl FromValue<'_> for Tensors {
    const EXPECTED: &'static str = "any result";

    fn from_value(value: &Value) -> Option<Self> {
        Some(Self::of_value(value))
    }
}

/// A compiled model, whatever its type.
pub trait Called {
    /// Calls it.
    ///
    /// # Errors
    ///
    /// The model's own.
    fn call(&self, call: &Call) -> candle::Result<Tensors>;

    /// What has happened so far, and why calls were not answered by graphs.
    fn stats(&self) -> (Stats, Vec<Refusal>);
}

impl<M: Traceable> Called for Compiled<M, (Vec<Tensor>, usize), Tensors> {
    fn call(&self, call: &Call) -> candle::Result<Tensors> {
        self.call((call.inputs.clone(), call.position))
    }

    fn stats(&self) -> (Stats, Vec<Refusal>) {
        (self.stats(), self.refusals())
    }
}

/// How a case is called after the first time.
pub struct Plan {
    compile: Compile,
    has_position: bool,
    given: Option<(usize, Inputs)>,
}

impl Plan {
    /// Of a model, and the parameter of its call that says where it is, if it has one.
    pub fn new(compile: Compile, position: &[&str]) -> Self {
        Self { compile, has_position: !position.is_empty(), given: None }
    }

    /// With these inputs, after a first call that reads so many tokens.
    #[must_use]
    pub fn given<const N: usize>(
        self,
        (position, inputs): (usize, impl Fn(&At) -> candle::Result<[Tensor; N]> + Send + Sync + 'static),
    ) -> Self {
        Self { given: Some((position, Box::new(move |at: &At| Ok(inputs(at)?.to_vec())))), ..self }
    }

    /// The ways in which the model may be called, the likeliest first.
    fn ways(&self, inputs: &Inputs) -> candle::Result<Vec<Vec<Call>>> {
        let at = |call: usize| At::new(SEED + call as u64);
        let At { batch, seq, .. } = at(0);
        let first = Call::first(&inputs(&at(0))?);
        // Each call reads `step` tokens more.
        let way = |start: usize, step: usize, inputs: &dyn Fn(At) -> candle::Result<Vec<Tensor>>| {
            let later = (1..=LATER).map(|call| {
                let position = if self.has_position { start + step * (call - 1) } else { 0 };
                Ok(Call { inputs: inputs(at(call))?, position })
            });
            std::iter::once(Ok(first.clone())).chain(later).collect::<candle::Result<Vec<_>>>()
        };
        if let Some((start, given)) = &self.given {
            return Ok(vec![way(*start, 1, &|at| given(&at))?]);
        }
        let token = |at: At| inputs(&at.sizes(batch, 1));
        let shapes = |tensors: &[Tensor]| tensors.iter().map(|tensor| tensor.dims().to_vec()).collect::<Vec<_>>();
        match token(at(1)) {
            Ok(one) if shapes(&one) != shapes(&first.inputs) => {
                Ok(vec![way(seq, 1, &token)?, way(seq, seq, &|at| inputs(&at))?])
            }
            _ => Ok(vec![way(1, 1, &|at| inputs(&at))?]),
        }
    }
}

/// What came of the calls after the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Later {
    /// The model keeps nothing: each call is a first one.
    KeepsNothing,
    /// Graphs answered all calls.
    Answered {
        /// How many calls.
        calls: usize,
        /// How many graphs it took.
        graphs: usize,
    },
    /// The original itself cannot be called so, in words.
    OriginalFails(String),
    /// Graphs did not answer all calls, in words.
    Refused(String),
}

impl fmt::Display for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeepsNothing => f.write_str("-"),
            Self::Answered { calls, graphs: 1 } => write!(f, "{calls} by 1 graph"),
            Self::Answered { calls, graphs } => write!(f, "{calls} by {graphs} graphs"),
            Self::OriginalFails(reason) => write!(f, "the original fails: {}", one_line(reason)),
            Self::Refused(reason) => write!(f, "no: {}", one_line(reason)),
        }
    }
}

/// Calls the original and a compiled copy again and again, and compares. `graph` is that of a first call.
pub(crate) fn later(
    plan: &Plan,
    inputs: &Inputs,
    original: &Run,
    graph: &GraphModule,
    reads: &Reads,
) -> Result<Later, Failure> {
    let mut failure = None;
    for calls in plan.ways(inputs)? {
        // One that panics cannot be called so either.
        let wanted = match caught(|| Ok(original(&calls)?)) {
            Ok(wanted) => wanted,
            Err(error) => {
                failure.get_or_insert(error.to_string());
                continue;
            }
        };
        wanted.iter().try_for_each(check_finite)?;
        if graph.graph().state().is_empty() {
            return keeps_nothing(&calls, &wanted, original);
        }
        return answered(&calls, &wanted, &*(plan.compile)(reads)?);
    }
    match failure {
        Some(_) if graph.graph().state().is_empty() => Ok(Later::KeepsNothing),
        failure => Ok(Later::OriginalFails(failure.unwrap_or_default())),
    }
}

/// A model whose graph keeps nothing gives at each call what it gives at a first one.
fn keeps_nothing(calls: &[Call], wanted: &[Tensors], original: &Run) -> Result<Later, Failure> {
    for (call, wanted) in calls.iter().zip(wanted) {
        let alone = original(std::slice::from_ref(call))?.swap_remove(0);
        if differences(&alone, wanted)? != Difference::None {
            return Ok(Later::Refused("the original keeps something that the graph does not".to_owned()));
        }
    }
    Ok(Later::KeepsNothing)
}

fn answered(calls: &[Call], wanted: &[Tensors], compiled: &dyn Called) -> Result<Later, Failure> {
    for (i, (call, wanted)) in calls.iter().zip(wanted).enumerate() {
        let got = compiled.call(call).map_err(|error| format!("call {}: {error}", i + 1))?;
        let difference = differences(&got, wanted)?;
        if difference != Difference::None {
            return Ok(Later::Refused(format!("call {} differs by {difference}", i + 1)));
        }
    }
    let (stats, refusals) = compiled.stats();
    if stats.original_runs == 0 {
        return Ok(Later::Answered { calls: calls.len(), graphs: stats.captures });
    }
    let reason = refusals.last().map_or_else(|| format!("{stats:?}"), ToString::to_string);
    Ok(Later::Refused(format!("{} of {} calls by graphs: {reason}", stats.graph_runs, calls.len())))
}
