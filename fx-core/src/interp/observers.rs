//! Observers that are of use to many: the values of nodes by name, and the time each took.
//!
//! Invariant: looking on changes nothing.

use std::fmt;
use std::time::{Duration, Instant};

use indexmap::IndexMap;

use crate::value::Value;

use super::execution::Observer;
use super::interpreter::Running;

/// Which nodes are meant.
type Filter = Box<dyn FnMut(Running<'_>) -> bool>;

/// Keeps the values of nodes by name: what forward hooks are used for in PyTorch. Those of child graphs have the path in
/// front ([`Running::qualified_name`]).
///
/// ```
/// use candle_core::{Device, Tensor};
/// use fx_core::{interp::{Activations, Execution}, trace::Tracer};
///
/// let module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.sqr()?.exp())?;
/// let mut activations = Activations::only(|at| at.node().name() == "sqr");
/// let x = Tensor::new(&[3f32], &Device::Cpu)?;
/// Execution::new(&module).observe(&mut activations).run(&mut (), &[x.into()])?;
/// let sqr = activations.get("sqr").and_then(|value| value.as_tensor()).unwrap();
/// assert_eq!(sqr.to_vec1::<f32>()?, [9.0]);
/// assert_eq!(activations.iter().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Activations {
    filter: Option<Filter>,
    values: IndexMap<String, Value>,
}

impl Activations {
    /// Of every node.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Of the nodes that the filter accepts.
    ///
    /// It is asked after each node, about nodes of child graphs too.
    #[must_use]
    pub fn only(filter: impl FnMut(Running<'_>) -> bool + 'static) -> Self {
        Self { filter: Some(Box::new(filter)), values: IndexMap::new() }
    }

    /// The value of a node in the last run, `relu`, or `block.relu` in a child graph.
    ///
    /// None if it was not kept. Of a node that ran several times, as in a child graph that is called again, each run
    /// has a name of its own ([`Running::qualified_name`]).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// All values, in the order in which they were first computed.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.values.iter().map(|(name, value)| (&**name, value))
    }

    /// The values, taken out.
    ///
    /// In the order in which they were first computed.
    #[must_use]
    pub fn into_values(self) -> Vec<(String, Value)> {
        self.values.into_iter().collect()
    }
}

impl Observer for Activations {
    fn after(&mut self, at: Running<'_>, value: &Value) {
        if self.filter.as_mut().is_none_or(|filter| filter(at)) {
            self.values.insert(at.qualified_name().into_owned(), value.clone());
        }
    }
}

/// Measures how long each node takes, summed over the runs it looks on at. Nodes of child graphs have the path in front
/// ([`Running::qualified_name`]); their times are parts of that of the call.
///
/// On a GPU calls return before they are done; what is measured is then the time to start them.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use fx_core::{interp::{Execution, Profiler}, trace::Tracer};
///
/// let module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.sqr()?.exp())?;
/// let mut profiler = Profiler::new();
/// let x = Tensor::new(&[3f32], &Device::Cpu)?;
/// Execution::new(&module).observe(&mut profiler).run(&mut (), &[x.into()])?;
/// let names: Vec<&str> = profiler.times().map(|(name, _)| name).collect();
/// assert_eq!(names, ["x", "sqr", "exp", "output"]);
/// println!("{profiler}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Profiler {
    /// When those began that are running: a call of a child graph, and what runs in it.
    started: Vec<Instant>,
    times: IndexMap<String, Timed>,
}

#[derive(Debug, Default)]
struct Timed {
    sum: Duration,
    /// Whether it is part of the time of another.
    is_inside: bool,
}

impl Profiler {
    /// Nothing measured yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How long each node took, in the order in which they began; a call of a child graph, then what is inside of it.
    ///
    /// Of a node that ran several times the sum.
    pub fn times(&self) -> impl ExactSizeIterator<Item = (&str, Duration)> {
        self.times.iter().map(|(name, time)| (&**name, time.sum))
    }

    /// How long all of them took, those inside of child graphs as part of the calls.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.times.values().filter(|time| !time.is_inside).map(|time| time.sum).sum()
    }
}

impl Observer for Profiler {
    fn before(&mut self, at: Running<'_>) {
        // What a run that failed left.
        self.started.truncate(at.depth());
        let name = at.qualified_name();
        if !self.times.contains_key(&*name) {
            let time = Timed { sum: Duration::ZERO, is_inside: at.depth() > 0 };
            self.times.insert(name.into_owned(), time);
        }
        self.started.push(Instant::now());
    }

    fn after(&mut self, at: Running<'_>, _: &Value) {
        let time = self.started.pop().map(|started| started.elapsed()).unwrap_or_default();
        if let Some(timed) = self.times.get_mut(&*at.qualified_name()) {
            timed.sum += time;
        }
    }
}

/// A line for each node, the slowest first: microseconds, share of all, name. Shares of nodes inside of child graphs are
/// parts of those of the calls.
impl fmt::Display for Profiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut times: Vec<(&str, Duration)> = self.times().collect();
        times.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        let total = self.total().as_secs_f64().max(f64::MIN_POSITIVE);
        writeln!(f, "{:>12} {:>6}  node", "us", "%")?;
        for (name, time) in times {
            let seconds = time.as_secs_f64();
            writeln!(f, "{:>12.1} {:>6.1}  {name}", seconds * 1e6, 100.0 * seconds / total)?;
        }
        Ok(())
    }
}
