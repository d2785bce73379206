//! [`PassManager`]: runs passes in order, checks the module after each, and undoes everything when one fails.
//!
//! Invariant: the module is changed only when all passes have succeeded. What a pass writes into a `candle_core::Var`
//! stays: a copy of a module shares its weights.

use std::sync::Arc;

use super::pass::{Fuel, Pass, PassFailure};
use crate::module::{CheckErrors, GraphModule};

/// Runs passes in order.
///
/// ```
/// use fx_core::passes::{CommonSubexpressions, PassManager, PatternRewriter, pattern};
/// use fx_core::trace::Tracer;
///
/// let mut module = Tracer::new().trace_fn(|inputs| {
///     let x = inputs.tensor("x")?;
///     (x.relu()?.relu()? + x.relu()?)?.relu()
/// })?;
/// let once = PatternRewriter::new(pattern(|[x]| x.relu()?.relu())?)?.replacement(pattern(|[x]| x.relu())?)?;
/// let report = PassManager::new()
///     .pass("relu once", once)
///     .pass("cse", CommonSubexpressions::new())
///     .before("cse", "relu once")
///     .steps(10)
///     .run(&mut module)?;
/// assert!(report.changed);
/// assert_eq!(report.passes[0].0.as_ref(), "cse");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct PassManager<'p> {
    passes: Vec<(Arc<str>, Box<dyn Pass + 'p>)>,
    constraints: Vec<(Arc<str>, Arc<str>)>,
    steps: usize,
    verify: bool,
    fuel: Option<usize>,
}

/// What passes did.
///
/// `rewrites` is what passes asked their [`Fuel`] for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Whether any changed the module.
    pub changed: bool,
    /// How often all of them ran.
    pub steps: usize,
    /// How many rewrites they did.
    pub rewrites: usize,
    /// The passes in the order in which they ran, and in how many steps each changed the module.
    pub passes: Vec<(Arc<str>, usize)>,
}

/// Why the module was not changed.
///
/// It names the pass and the step. The module is as it was before the first pass.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManagerError {
    /// A pass failed.
    #[error("pass `{pass}` failed in step {step}: {source}")]
    Failed {
        /// Its name.
        pass: Arc<str>,
        /// The step, from 1.
        step: usize,
        /// Its own error.
        source: PassFailure,
    },
    /// The module was not correct before the first pass.
    #[error("the module is not correct before any pass: {0}")]
    Before(CheckErrors),
    /// The module was not correct after a pass.
    #[error("pass `{pass}` broke the module in step {step}: {errors}")]
    Broken {
        /// Its name.
        pass: Arc<str>,
        /// The step, from 1.
        step: usize,
        /// What is wrong.
        errors: CheckErrors,
    },
    /// Two passes have one name.
    #[error("there are two passes called `{0}`")]
    Repeated(Arc<str>),
    /// A constraint is about a pass that is not there.
    #[error("a constraint names pass `{0}`, which is not there")]
    Unknown(Arc<str>),
    /// The constraints contradict each other.
    #[error("each of the passes `{}` has to come before another of them", .0.join("`, `"))]
    Cycle(Vec<String>),
}

impl Default for PassManager<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'p> PassManager<'p> {
    /// No passes, one step, checked after each pass.
    pub fn new() -> Self {
        Self { passes: Vec::new(), constraints: Vec::new(), steps: 1, verify: true, fuel: None }
    }

    /// Adds a pass.
    ///
    /// Its name is for constraints, errors and the report; no two may have one.
    pub fn pass(mut self, name: impl Into<Arc<str>>, pass: impl Pass + 'p) -> Self {
        self.passes.push((name.into(), Box::new(pass)));
        self
    }

    /// The pass `first` runs before `second`. Passes that no constraint is about stay in the order they were added in.
    ///
    /// Whether both are there is seen when it runs ([`PassManager::order`]).
    pub fn before(mut self, first: impl Into<Arc<str>>, second: impl Into<Arc<str>>) -> Self {
        self.constraints.push((first.into(), second.into()));
        self
    }

    /// Runs all passes again until nothing changes, at most so often.
    ///
    /// With 0 nothing runs; the default is 1.
    pub fn steps(mut self, most: usize) -> Self {
        self.steps = most;
        self
    }

    /// Whether the module is checked before the first pass and after each.
    ///
    /// By default it is ([`GraphModule::check`]). Without, what a pass breaks is found later, or not at all.
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }

    /// Stops after so many rewrites: run with fewer and fewer to find the one that is wrong.
    ///
    /// Passes that do not ask their [`Fuel`] are not stopped.
    pub fn stop_after(mut self, rewrites: usize) -> Self {
        self.fuel = Some(rewrites);
        self
    }

    /// The names of the passes in the order in which they run.
    ///
    /// # Errors
    ///
    /// If there are two of one name, or if the constraints name others or contradict each other.
    pub fn order(&self) -> Result<Vec<Arc<str>>, ManagerError> {
        Ok(self.sorted()?.into_iter().map(|at| self.passes[at].0.clone()).collect())
    }

    /// Runs the passes.
    ///
    /// Passes work on a copy that shares the weights, which takes the module's place at the end.
    ///
    /// # Errors
    ///
    /// If a pass fails or breaks the module, which is then as it was before all of them; except for the numbers in a
    /// [`candle_core::Var`], which are shared with the copy that passes work on: what a pass has written there, as
    /// [`GraphModule::load_state_dict`] does, stays.
    pub fn run(&mut self, module: &mut GraphModule) -> Result<Report, ManagerError> {
        let order = self.sorted()?;
        if self.verify {
            module.check().map_err(ManagerError::Before)?;
        }
        let mut fuel = self.fuel.map_or_else(Fuel::unlimited, Fuel::new);
        let mut work = module.clone_with_hooks();
        let report = self.run_on(&mut work, &order, &mut fuel)?;
        *module = work;
        Ok(report)
    }

    fn run_on(&mut self, work: &mut GraphModule, order: &[usize], fuel: &mut Fuel) -> Result<Report, ManagerError> {
        let mut report = Report {
            changed: false,
            steps: 0,
            rewrites: 0,
            passes: order.iter().map(|&at| (self.passes[at].0.clone(), 0)).collect(),
        };
        let mut again = true;
        while again && report.steps < self.steps {
            report.steps += 1;
            again = false;
            for (&at, (_, changes)) in order.iter().zip(&mut report.passes) {
                let (name, pass) = &mut self.passes[at];
                let step = report.steps;
                let failed = |source| ManagerError::Failed { pass: name.clone(), step, source };
                let revision = work.graph().revision();
                // A pass that says it changed nothing is not trusted: what it did may not even show in the revision of
                // this graph, because it changed attributes or child graphs, or put in another graph.
                let changed = pass.run(work, fuel).map_err(failed)? | (work.graph().revision() != revision);
                if self.verify {
                    work.check().map_err(|errors| ManagerError::Broken { pass: name.clone(), step, errors })?;
                }
                *changes += usize::from(changed);
                again |= changed;
            }
            report.changed |= again;
        }
        report.rewrites = fuel.used();
        Ok(report)
    }

    /// Places of the passes in an order that keeps the constraints, and otherwise the order they were added in.
    fn sorted(&self) -> Result<Vec<usize>, ManagerError> {
        let mut places = std::collections::HashMap::new();
        for (at, (name, _)) in self.passes.iter().enumerate() {
            if places.insert(name.clone(), at).is_some() {
                return Err(ManagerError::Repeated(name.clone()));
            }
        }
        let place = |name: &Arc<str>| places.get(name).copied().ok_or_else(|| ManagerError::Unknown(name.clone()));
        let mut after = vec![Vec::new(); self.passes.len()];
        let mut waiting = vec![0usize; self.passes.len()];
        for (first, second) in &self.constraints {
            let (first, second) = (place(first)?, place(second)?);
            after[first].push(second);
            waiting[second] += 1;
        }
        let mut ready: std::collections::BTreeSet<usize> =
            (0..self.passes.len()).filter(|&at| waiting[at] == 0).collect();
        let mut order = Vec::with_capacity(self.passes.len());
        while let Some(at) = ready.pop_first() {
            order.push(at);
            for &next in &after[at] {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    ready.insert(next);
                }
            }
        }
        if order.len() == self.passes.len() {
            return Ok(order);
        }
        let stuck = (0..self.passes.len()).filter(|&at| waiting[at] > 0).map(|at| self.passes[at].0.to_string());
        Err(ManagerError::Cycle(stuck.collect()))
    }
}
