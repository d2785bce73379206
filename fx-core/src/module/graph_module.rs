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
/// stay its own. Variables ([`candle_core::Var`]) are weights, so training one trains the other.
pub struct GraphModule {
    graph: Graph,
    attributes: Attributes,
    pub(super) class_name: Arc<str>,
    pub(super) training: bool,
    pub(crate) plan: Derived,
}

impl GraphModule {
    /// How deep graphs can be nested in each other: each level of a run takes a piece of the stack.
    pub const MAX_DEPTH: usize = 64;

    /// A graph and what it names.
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
        Self { graph, attributes, class_name, training, plan: Derived::default() }
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph, to be edited. The next run works out anew how to run it: torch.fx's `recompile` is never needed.
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
    pub fn set_attribute(&mut self, path: impl Into<ModulePath>, attribute: impl Into<Attribute>) -> Option<Attribute> {
        self.attributes_mut().insert(path, attribute)
    }

    /// The tensor that a path leads to.
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
        Self { graph, attributes, class_name, training: self.training, plan: Derived::default() }
    }
}

impl fmt::Debug for GraphModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphModule").field("graph", &self.graph.name()).field("attributes", &self.attributes).finish()
    }
}
