//! [`Summary`]: a model as a table of its modules, in the manner of torchinfo: shapes, parameters, multiply-accumulates.
//!
//! | file | holds |
//! |---|---|
//! | `row` | what is known of a module, and of all |
//! | `collect` | the rows of a graph and its child graphs |
//! | `parameters` | which tensors are parameters, each once |
//! | `show` | the table as text |
//!
//! Invariant: nothing runs and nothing is guessed: what is not known is shown as `?` and counted apart.

mod collect;
mod parameters;
mod row;
mod show;

use crate::module::{GraphModule, RefusedNode};
use crate::value::Fact;

pub use row::{RowKind, SummaryRow, Totals};

/// The modules of a model in the order in which they run, and what they cost.
///
/// Rows are the modules whose `forward` was entered, the layers that are called whole, and the operations that multiply and
/// add up (`matmul`). Each stands below the module it is in.
///
/// **Parameters** are the variables of the model ([`candle_core::Var`]). If it has none, because its weights were loaded to
/// be run, they are the weights of [`fx::meta`](crate::meta); and else the tensors of its layers, and the
/// floating-point tensors of its own that the graph reads. What a layer calls a buffer (`running_mean`) and constants of
/// the graph are never parameters. A tensor counts once, in the first row that has it, however many paths lead to it.
/// Those that are variables can be trained.
///
/// **MACs** are the multiplications of products of matrices and of convolutions, at the shapes that the nodes have, once for
/// each call: `out · in` for each row that a linear layer sees, `kernel · in / groups` for each element of a
/// convolution's result, `n · m · k` for a product of matrices. Adding a bias, norms, activations, pooling and all else
/// that is done element by element or only added up counts nothing.
///
/// **Memory**: the inputs, the parameters and the buffers, and the results of all calls, each counted as if it had memory of
/// its own, which is what training keeps.
///
/// ```
/// # use candle_core::{DType, Device};
/// # use fx_core::trace::Tracer;
/// let vb = fx_core::meta::var_builder(DType::F32, &Device::Cpu);
/// let model = (candle_nn::linear(8, 32, vb.pp("up"))?, candle_nn::linear_no_bias(32, 8, vb.pp("down"))?);
/// let module = Tracer::new().input("x", DType::F32, (2, 5, 8)).trace_with(&model, |(up, down), inputs| {
///     down.forward(&up.forward(&inputs.tensor("x")?)?.relu()?)
/// })?;
/// let summary = module.summary();
/// assert_eq!(summary.totals().parameters, 8 * 32 + 32 + 32 * 8);
/// assert_eq!(summary.totals().macs, 2 * 5 * (8 * 32 + 32 * 8));
/// println!("{summary}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Summary {
    rows: Vec<SummaryRow>,
    totals: Totals,
    depth: usize,
}

impl Summary {
    /// The rows; the first is the model itself.
    ///
    /// They are in the order in which modules run, each followed by those below it.
    #[must_use]
    pub fn rows(&self) -> &[SummaryRow] {
        &self.rows
    }

    /// The rows that stand directly or indirectly below row `index`.
    ///
    /// Empty of an operation, and of a number that no row has.
    #[must_use]
    pub fn below(&self, index: usize) -> &[SummaryRow] {
        self.rows.get(index).and_then(|row| self.rows.get(index + 1..row.end)).unwrap_or_default()
    }

    /// The first row of the module at this path.
    ///
    /// Operations have no path of their own, and are not found.
    #[must_use]
    pub fn row(&self, path: &str) -> Option<&SummaryRow> {
        self.rows.iter().find(|row| row.path.as_str() == path && row.kind != RowKind::Operation)
    }

    /// Of all rows together.
    ///
    /// They do not depend on how deep the table is shown.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The same, shown so many levels deep: what is further down is counted in the row that stands for it. 0 shows the
    /// model as one row.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }
}

impl GraphModule {
    /// The table of its modules, at the shapes that its nodes have: those it was captured at.
    ///
    /// A graph that was captured without shapes has none to show; [`GraphModule::summary_for`] gives them.
    ///
    /// It takes time in proportion to the nodes, and runs nothing.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let (rows, totals) = collect::collect(self);
        Summary { rows, totals, depth: usize::MAX }
    }

    /// The table of its modules if this is known of its inputs, one fact for each placeholder.
    ///
    /// # Errors
    /// When a node in it would be refused.
    pub fn summary_for(&self, inputs: &[&Fact]) -> Result<Summary, RefusedNode> {
        Ok(self.with_inputs(inputs.iter().map(|fact| (*fact).clone()))?.summary())
    }

    /// The same graph as if it had been captured with these inputs.
    fn with_inputs(&self, inputs: impl IntoIterator<Item = Fact>) -> Result<Self, RefusedNode> {
        let mut module = self.clone();
        let placeholders: Vec<_> = module.graph().placeholders().collect();
        for (id, fact) in placeholders.into_iter().zip(inputs) {
            module.graph_mut().meta_mut(id).fact = fact;
        }
        module.infer_facts()?;
        Ok(module)
    }
}
