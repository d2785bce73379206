//! [`Pass`]: something that changes a graph module in place, and [`Fuel`], how much of it may.
//!
//! Invariant: a pass asks its fuel before each rewrite, so that stopping it anywhere leaves a correct graph.

use std::error::Error;

use crate::module::GraphModule;

/// Why a pass failed.
///
/// Any error that can be sent between threads: `?` makes one of it.
pub type PassFailure = Box<dyn Error + Send + Sync>;

/// Something that changes a graph module in place.
///
/// A closure that returns whether it changed anything is a pass of one rewrite:
///
/// ```
/// use fx_core::module::GraphModule;
/// use fx_core::passes::{Fuel, Pass, PassFailure};
/// use fx_core::trace::Tracer;
///
/// let mut rename = |module: &mut GraphModule| -> Result<bool, PassFailure> {
///     module.graph_mut().set_name("renamed");
///     Ok(true)
/// };
/// let mut module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.relu())?;
/// assert!(rename.run(&mut module, &mut Fuel::unlimited())?);
/// # Ok::<(), PassFailure>(())
/// ```
///
/// A pass that does several rewrites implements the trait, and asks for each:
///
/// ```
/// use fx_core::module::GraphModule;
/// use fx_core::ops::{OpRef, elementwise::{gelu, relu}};
/// use fx_core::passes::{Fuel, Pass, PassFailure, PassManager};
/// use fx_core::trace::Tracer;
///
/// /// Calls another operation in place of one.
/// struct Swap { from: OpRef, to: OpRef }
///
/// impl Pass for Swap {
///     fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
///         let (graph, mut changed) = (module.graph_mut(), false);
///         for old in graph.calls(self.from) {
///             if !fuel.take() {
///                 break;
///             }
///             let args = graph.node(old).args().to_vec();
///             let new = graph.inserting_before(old).call(self.to, args, [])?;
///             graph.replace_all_uses_with(old, new);
///             graph.erase_node(old)?;
///             changed = true;
///         }
///         Ok(changed)
///     }
/// }
///
/// let mut module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.gelu()?.exp()?.gelu())?;
/// let swap = Swap { from: &gelu::OP, to: &relu::OP };
/// let report = PassManager::new().pass("swap", swap).stop_after(1).run(&mut module)?;
/// assert_eq!((report.rewrites, module.graph().calls(&gelu::OP).len()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Pass {
    /// Changes the module, and says whether it did. Asks `fuel` before each rewrite.
    ///
    /// # Errors
    ///
    /// Its own. What it has changed by then is undone by the [`PassManager`](super::PassManager).
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure>;
}

impl<F, E> Pass for F
where
    F: FnMut(&mut GraphModule) -> Result<bool, E>,
    E: Into<PassFailure>,
{
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
        if fuel.take() { self(module).map_err(Into::into) } else { Ok(false) }
    }
}

/// How many rewrites may still be done. Running with less and less finds the rewrite that is wrong.
///
/// [`PassManager::stop_after`](super::PassManager::stop_after) hands one to all its passes.
#[derive(Debug, Clone)]
pub struct Fuel {
    limit: Option<usize>,
    used: usize,
}

impl Fuel {
    /// As many rewrites as there is something to rewrite.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { limit: None, used: 0 }
    }

    /// So many rewrites and no more: with fewer and fewer, the one that is wrong is found.
    ///
    /// ```
    /// # use fx_core::passes::Fuel;
    /// let mut fuel = Fuel::new(1);
    /// assert_eq!((fuel.take(), fuel.take()), (true, false));
    /// ```
    #[must_use]
    pub fn new(rewrites: usize) -> Self {
        Self { limit: Some(rewrites), used: 0 }
    }

    /// Whether another rewrite may be done; it counts as done.
    ///
    /// Ask right before a rewrite that will be done: it counts.
    pub fn take(&mut self) -> bool {
        let left = self.limit.is_none_or(|limit| self.used < limit);
        self.used += usize::from(left);
        left
    }

    /// How many were done.
    ///
    /// Those that were refused do not count.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used
    }
}
