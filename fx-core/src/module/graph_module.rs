//! [`GraphModule`]: a graph together with the tensors and layers that it names.
//!
//! Invariant: reading never changes it; what is derived from the graph (the plan it runs by) is made anew after an edit.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::Tensor;

use crate::ir::{Graph, ModulePath, NodeId, Target, VerifyErrors};

use super::attributes::{Attribute, Attributes, MissingAttribute};

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

    fn forget(&mut self) {
        *self.made.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A graph together with the tensors and layers that it names. It runs like the model it was captured from.
pub struct GraphModule {
    graph: Graph,
    attributes: Attributes,
    pub(crate) plan: Derived,
}

/// What is wrong with a graph module.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CheckErrors {
    /// The graph is not well formed.
    #[error(transparent)]
    Graph(#[from] VerifyErrors),
    /// Nodes name what the module does not have.
    #[error("{}", .0.iter().map(|(line, error)| format!("{error}\n  in {line}")).collect::<Vec<_>>().join("\n"))]
    Attributes(Vec<(String, MissingAttribute)>),
}

impl GraphModule {
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
        Self { graph, attributes, plan: Derived::default() }
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The graph, to be edited.
    pub fn graph_mut(&mut self) -> &mut Graph {
        self.plan.forget();
        &mut self.graph
    }

    /// The tensors and layers, by path.
    #[must_use]
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Puts a tensor or layer at a path, in place of what was there.
    pub fn set_attribute(&mut self, path: ModulePath, attribute: Attribute) -> Option<Attribute> {
        self.plan.forget();
        self.attributes.insert(path, attribute)
    }

    /// Puts another graph and what it names in place of both.
    pub(crate) fn set_parts(&mut self, graph: Graph, attributes: Attributes) {
        self.plan.forget();
        self.graph = graph;
        self.attributes = attributes;
    }

    /// Puts other tensors and layers in place of all.
    pub(crate) fn set_attributes(&mut self, attributes: Attributes) {
        self.plan.forget();
        self.attributes = attributes;
    }

    /// The tensor at a path.
    #[must_use]
    pub fn tensor(&self, path: &str) -> Option<&Tensor> {
        self.attributes.tensor(&ModulePath::new(path)).ok()
    }

    /// Checks the graph, and that everything it names is there.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub fn check(&self) -> Result<(), CheckErrors> {
        self.graph.verify()?;
        let missing: Vec<_> =
            self.graph.nodes().filter_map(|(id, _)| Some((self.graph.node_line(id), self.missing(id)?))).collect();
        if missing.is_empty() { Ok(()) } else { Err(CheckErrors::Attributes(missing)) }
    }

    fn missing(&self, id: NodeId) -> Option<MissingAttribute> {
        match self.graph.node(id).target() {
            Target::GetAttr(path) => self.attributes.tensor(path).err(),
            Target::CallModule(path) => self.attributes.layer(path).err(),
            _ => None,
        }
    }
}

impl Clone for GraphModule {
    fn clone(&self) -> Self {
        Self::from_parts(self.graph.clone(), self.attributes.clone())
    }
}

impl fmt::Debug for GraphModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphModule").field("graph", &self.graph.name()).field("attributes", &self.attributes).finish()
    }
}

impl fmt::Display for GraphModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.graph.fmt(f)
    }
}
