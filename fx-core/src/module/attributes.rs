//! [`Attributes`]: what a graph's paths lead to.
//!
//! Invariant: iteration is in order of first use, so that everything printed or saved from it is deterministic.

use std::fmt;
use std::sync::Arc;

use candle_core::Tensor;
use indexmap::IndexMap;

use crate::ir::ModulePath;

use super::layer::LayerModule;

/// What a path leads to.
#[derive(Clone)]
pub enum Attribute {
    /// A parameter, a buffer or a constant.
    Tensor(Tensor),
    /// A layer that is called whole.
    Layer(Arc<dyn LayerModule>),
}

impl fmt::Debug for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(tensor) => write!(f, "Tensor({:?}, {:?})", tensor.shape(), tensor.dtype()),
            Self::Layer(layer) => f.write_str(layer.type_name()),
        }
    }
}

/// The path of a node leads to nothing, or to something of another kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` should be {expected}, but is {found}")]
pub struct MissingAttribute {
    /// The path.
    pub path: ModulePath,
    /// What the node needs there: `a tensor` or `a layer`.
    pub expected: &'static str,
    /// What is there.
    pub found: String,
}

/// The tensors and layers of a graph module, by path.
#[derive(Debug, Clone, Default)]
pub struct Attributes {
    by_path: IndexMap<ModulePath, Attribute>,
}

impl Attributes {
    /// No attributes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a tensor or layer at a path, in place of what was there.
    pub fn insert(&mut self, path: ModulePath, attribute: Attribute) -> Option<Attribute> {
        self.by_path.insert(path, attribute)
    }

    /// What is at a path.
    #[must_use]
    pub fn get(&self, path: &ModulePath) -> Option<&Attribute> {
        self.by_path.get(path)
    }

    /// Whether something is at a path.
    #[must_use]
    pub fn contains(&self, path: &ModulePath) -> bool {
        self.by_path.contains_key(path)
    }

    /// The tensor at a path.
    ///
    /// # Errors
    /// When there is none.
    pub fn tensor(&self, path: &ModulePath) -> Result<&Tensor, MissingAttribute> {
        match self.get(path) {
            Some(Attribute::Tensor(tensor)) => Ok(tensor),
            other => Err(missing(path, "a tensor", other)),
        }
    }

    /// The layer at a path.
    ///
    /// # Errors
    /// When there is none.
    pub fn layer(&self, path: &ModulePath) -> Result<&Arc<dyn LayerModule>, MissingAttribute> {
        match self.get(path) {
            Some(Attribute::Layer(layer)) => Ok(layer),
            other => Err(missing(path, "a layer", other)),
        }
    }

    /// Takes away everything whose path is not accepted.
    pub fn retain(&mut self, mut accept: impl FnMut(&ModulePath) -> bool) {
        self.by_path.retain(|path, _| accept(path));
    }

    /// Everything, in order of first use.
    pub fn iter(&self) -> impl Iterator<Item = (&ModulePath, &Attribute)> {
        self.by_path.iter()
    }
}

fn missing(path: &ModulePath, expected: &'static str, found: Option<&Attribute>) -> MissingAttribute {
    let found = match found {
        None => "absent".to_owned(),
        Some(Attribute::Tensor(_)) => "a tensor".to_owned(),
        Some(Attribute::Layer(layer)) => format!("a layer of type {}", layer.type_name()),
    };
    MissingAttribute { path: path.clone(), expected, found }
}
