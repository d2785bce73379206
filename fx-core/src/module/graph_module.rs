//! [`GraphModule`]: a graph together with the tensors, layers and child graphs that it names.
//!
//! Invariant: reading never changes it; what is derived from the graph (the plan it runs by) is made anew after an edit.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::Tensor;

use crate::ir::{Graph, ModulePath};

use super::attributes::{Attribute, Attributes};
use super::check::CheckErrors;
use super::held_state::Kept;

/// What a later stage derived from a graph (the plan it runs by), kept until the graph changes.
#[derive(Default)]
pub(crate) struct Derived {
    made: Mutex<Option<(u64, Arc<dyn Any + Send + Sync>)>>,
}

impl Derived {
    /// What was derived from the graph at this revision, made now if it was not yet.
    pub(crate) fn get<T: Any + Send + Sync, E>(
        &self,
        revision: u64,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, derived)) = &*made
            && *at == revision
            && let Ok(derived) = derived.clone().downcast()
        {
            return Ok(derived);
        }
        let derived = Arc::new(make()?);
        *made = Some((revision, derived.clone()));
        Ok(derived)
    }

    /// Forgets it; who needs it makes it anew.
    pub(super) fn clear(&self) {
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn forget(&mut self) {
        *self.made.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A graph together with the tensors, layers and child graphs that it names. It runs like the model it was captured
/// from.
///
/// A clone shares the weights and nothing else: edits of its graph, of its tree of attributes or of its child graphs
/// stay its own, and so does its state ([`GraphModule::state`]). Variables ([`candle_core::Var`]) are weights, so training one trains the other.
///
/// Captures make one ([`Tracer`](crate::trace::Tracer)), files give one back ([`GraphModule::load`]), and
/// [`GraphModule::new`] makes one of parts:
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use fx_core::ir::Graph;
/// use fx_core::module::{Attributes, GraphModule};
///
/// let graph: Graph = "graph shifted(%x) { %shift = get_attr shift() %y = call_function add(%x, %shift) output %y }".parse()?;
/// let shift = Tensor::new(&[1f32, 2.0], &Device::Cpu)?;
/// let mut module = GraphModule::new(graph, Attributes::from_iter([("shift", shift)]))?;
/// let x = Tensor::zeros(2, DType::F32, &Device::Cpu)?;
/// assert_eq!(module.forward(&[&x])?.to_vec1::<f32>()?, [1.0, 2.0]);
///
/// // Another tensor at the path; the graph is as it was.
/// module.set_attribute("shift", Tensor::new(&[5f32, 5.0], &Device::Cpu)?);
/// assert_eq!(module.forward(&[&x])?.to_vec1::<f32>()?, [5.0, 5.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// | its methods | are for |
/// |---|---|
/// | `graph`, `graph_mut`, `attributes`, `set_attribute`, `tensor` | looking and editing |
/// | `check`, `infer_facts`, `normalized_arguments` | what is right, what is known |
/// | `forward`, `run`, `run_named`, `accepts` | running |
/// | `state`, `set_state`, `reset_state`, `share_state`, `run_with_state` | what is kept between runs |
/// | `children`, `child_mut`, `add_submodule`, `named_modules`, … | the tree of modules |
/// | `named_parameters`, `var_map`, `state_dict`, `load_state_dict`, … | weights |
/// | `train`, `eval`, `to_device`, `to_dtype` | mode, device and dtype |
/// | `eliminate_dead_code`, `delete_all_unused_submodules` | what is not needed |
/// | `save`, `load`, `code`, `to_folder`, `summary` | files, source, tables |
///
/// It is `Send` and `Sync`, and runs take `&self`.
pub struct GraphModule {
    graph: Graph,
    attributes: Attributes,
    pub(super) class_name: Arc<str>,
    pub(super) training: bool,
    pub(super) kept: Kept,
    pub(crate) plan: Derived,
}

impl GraphModule {
    /// How deep graphs can be nested in each other: each level of a run takes a piece of the stack.
    pub const MAX_DEPTH: usize = 64;

    /// A graph and what it names.
    ///
    /// Attributes that the graph does not name are kept; [`GraphModule::from_map`] leaves them out.
    ///
    /// # Errors
    /// When the graph is not well formed, or names something that is not there.
    pub fn new(graph: Graph, attributes: Attributes) -> Result<Self, CheckErrors> {
        let module = Self::from_parts(graph, attributes);
        module.check()?;
        Ok(module)
    }

    pub(crate) fn from_parts(graph: Graph, attributes: Attributes) -> Self {
        let training = super::mode::is_training(&graph, &attributes);
        let class_name = super::class_name::of_graph(graph.name());
        Self { graph, attributes, class_name, training, kept: Kept::default(), plan: Derived::default() }
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph, to be edited. The next run works out anew how to run it: torch.fx's `recompile` is never needed.
    ///
    /// Edits may pass through states that are not correct. [`GraphModule::check`] says whether the outcome is; a run of
    /// a graph that is not fails.
    pub fn graph_mut(&mut self) -> &mut Graph {
        self.plan.forget();
        &mut self.graph
    }

    /// The tensors, layers and child graphs, by path.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// The tensors, layers and child graphs, to be changed.
    ///
    /// As after an edit of the graph, the next run works out anew how to run it.
    pub fn attributes_mut(&mut self) -> &mut Attributes {
        self.plan.forget();
        &mut self.attributes
    }

    /// The graph, to be edited, and what it names.
    pub(crate) fn graph_and_attributes(&mut self) -> (&mut Graph, &Attributes) {
        self.plan.forget();
        (&mut self.graph, &self.attributes)
    }

    /// Puts another graph and what it names in place of both.
    pub(crate) fn set_parts(&mut self, graph: Graph, attributes: Attributes) {
        self.plan.forget();
        self.graph = graph;
        self.attributes = attributes;
    }

    /// Puts a tensor, layer or graph at a path, in place of what was there.
    ///
    /// What was there is returned. No node is added: [`Cursor::get_attr`](crate::ir::Cursor::get_attr) and
    /// [`Cursor::call_module`](crate::ir::Cursor::call_module) refer to it. Where a child graph or layer that is held
    /// here has something else at that path, [`GraphModule::check`] says so.
    pub fn set_attribute(&mut self, path: impl Into<ModulePath>, attribute: impl Into<Attribute>) -> Option<Attribute> {
        self.attributes_mut().insert(path, attribute)
    }

    /// The tensor that a path leads to.
    ///
    /// Also one inside of a child graph, and one that a layer tells. None if there is none, or something else.
    #[must_use]
    pub fn tensor(&self, path: &str) -> Option<Tensor> {
        self.attributes.tensor(&ModulePath::new(path)).ok()
    }

    pub(crate) fn set_training_flag(&mut self, training: bool) {
        self.training = training;
    }

    pub(super) fn take_attributes(&mut self) -> Attributes {
        std::mem::take(self.attributes_mut())
    }
}

impl Clone for GraphModule {
    fn clone(&self) -> Self {
        let (graph, attributes, class_name) = (self.graph.clone(), self.attributes.clone(), self.class_name.clone());
        let (training, kept) = (self.training, self.kept.clone());
        Self { graph, attributes, class_name, training, kept, plan: Derived::default() }
    }
}

impl fmt::Debug for GraphModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphModule").field("graph", &self.graph.name()).field("attributes", &self.attributes).finish()
    }
}
