//! [`Attributes`]: what a graph's paths lead to: tensors, layers, and child graphs with attributes of their own.
//!
//! Invariant: iteration is in order of first use, so that everything printed or saved from it is deterministic.

use std::fmt;
use std::sync::Arc;

use candle_core::Tensor;
use indexmap::IndexMap;

use crate::ir::ModulePath;

use super::graph_module::GraphModule;
use super::layer::LayerModule;

/// What a path leads to.
///
/// ```
/// # use candle_core::{DType, Device, Tensor};
/// # use fx_core::{ir::ModulePath, module::{Attribute, Attributes}};
/// let weight = Tensor::zeros(3, DType::F32, &Device::Cpu)?;
/// let attributes = Attributes::from_iter([("head.weight", weight)]);
/// let found = attributes.fetch(&ModulePath::new("head.weight"));
/// assert!(matches!(found, Some(Attribute::Tensor(tensor)) if tensor.dims() == [3]));
/// # Ok::<(), candle_core::Error>(())
/// ```
///
/// A tensor, a layer behind an `Arc`, and a graph module become one by `into`.
#[derive(Clone)]
pub enum Attribute {
    /// A parameter, a buffer or a constant.
    Tensor(Tensor),
    /// A layer that is called whole.
    Layer(Arc<dyn LayerModule>),
    /// A graph with its own attributes, called like a layer. Shared until one of its holders changes it.
    Module(Arc<GraphModule>),
}

impl Attribute {
    /// Whether this is the same thing, not only an equal one. Tensors are if they show the same part of one storage.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tensor(a), Self::Tensor(b)) => {
                let place = |tensor: &Tensor| {
                    let (storage, layout) = tensor.storage_and_layout();
                    (std::ptr::from_ref(&*storage).addr(), layout.clone())
                };
                a.id() == b.id() || place(a) == place(b)
            }
            (Self::Layer(a), Self::Layer(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
            (Self::Module(a), Self::Module(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl From<Tensor> for Attribute {
    fn from(tensor: Tensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl From<Arc<dyn LayerModule>> for Attribute {
    fn from(layer: Arc<dyn LayerModule>) -> Self {
        Self::Layer(layer)
    }
}

impl From<GraphModule> for Attribute {
    fn from(module: GraphModule) -> Self {
        Self::Module(Arc::new(module))
    }
}

impl From<Arc<GraphModule>> for Attribute {
    fn from(module: Arc<GraphModule>) -> Self {
        Self::Module(module)
    }
}

/// For messages: `a tensor`, `a layer of type Linear`, `the graph block`.
impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(_) => f.write_str("a tensor"),
            Self::Layer(layer) => write!(f, "a layer of type {}", layer.type_name()),
            Self::Module(module) => write!(f, "the graph {}", module.graph().name()),
        }
    }
}

impl fmt::Debug for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(tensor) => write!(f, "Tensor({:?}, {:?})", tensor.shape(), tensor.dtype()),
            Self::Layer(layer) => f.write_str(layer.type_name()),
            Self::Module(module) => module.graph().fmt(f),
        }
    }
}

/// What paths of tensors begin with that no module of the captured model holds, as in torch.fx: `_tensor_constant0`.
pub const CONSTANT: &str = "_tensor_constant";

/// The path of a node leads to nothing, or to something of another kind.
///
/// [`GraphModule::check`](super::GraphModule::check) finds all of them before a run does.
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

/// The tensors, layers and child graphs of a graph module, by path.
///
/// A path leads into child graphs, and into the tensors of layers that tell them
/// ([`LayerModule::state`]): `block.linear.weight`.
///
/// They keep the order in which they were put there, in which they are listed, printed and saved.
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use fx_core::ir::ModulePath;
/// use fx_core::module::{Attribute, Attributes};
///
/// let zeros = |size: usize| Tensor::zeros(size, DType::F32, &Device::Cpu);
/// let mut attributes = Attributes::new();
/// attributes.insert("head.weight", zeros(3)?);
/// attributes.insert("head.bias", zeros(2)?);
/// assert!(attributes.insert("head.bias", zeros(3)?).is_some());
/// attributes.retain(|path, _| path.as_str() != "head.weight");
/// assert_eq!(attributes.tensor(&ModulePath::new("head.bias"))?.dims(), [3]);
///
/// let error = attributes.layer(&ModulePath::new("head.bias")).err().expect("that is a tensor");
/// assert_eq!(error.to_string(), "`head.bias` should be a layer, but is a tensor");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// Puts a tensor, layer or graph at a path, in place of what was there.
    ///
    /// That is returned. It takes the place in the order of what it replaces; else it is the last.
    pub fn insert(&mut self, path: impl Into<ModulePath>, attribute: impl Into<Attribute>) -> Option<Attribute> {
        self.by_path.insert(path.into(), attribute.into())
    }

    /// Takes away what is at a path; the others keep their order.
    ///
    /// It is returned; none if nothing was held at exactly this path.
    pub fn remove(&mut self, path: &ModulePath) -> Option<Attribute> {
        self.by_path.shift_remove(path)
    }

    /// Keeps only what `keep` accepts.
    pub fn retain(&mut self, mut keep: impl FnMut(&ModulePath, &Attribute) -> bool) {
        self.by_path.retain(|path, attribute| keep(path, attribute));
    }

    /// What is held at exactly this path; [`Attributes::fetch`] also looks into children.
    #[must_use]
    pub fn get(&self, path: &ModulePath) -> Option<&Attribute> {
        self.by_path.get(path)
    }

    /// What is held at exactly this path, to be changed.
    ///
    /// A child graph that others hold too is copied before it is changed, by [`Arc::make_mut`];
    /// [`GraphModule::child_mut`](super::GraphModule::child_mut) does it.
    pub fn get_mut(&mut self, path: &ModulePath) -> Option<&mut Attribute> {
        self.by_path.get_mut(path)
    }

    /// Whether something is held at exactly this path.
    #[must_use]
    pub fn contains(&self, path: &ModulePath) -> bool {
        self.by_path.contains_key(path)
    }

    /// The path itself if there is nothing at it, or what is to be there already; else with the first number after it of
    /// which that is true.
    pub(crate) fn free_path(&self, path: &ModulePath, or_has: Option<&Attribute>) -> ModulePath {
        let (mut free, mut count) = (path.clone(), 0);
        while self.fetch(&free).is_some_and(|there| or_has.is_none_or(|attribute| !there.is_same(attribute))) {
            count += 1;
            free = ModulePath::new(format!("{path}_{count}"));
        }
        free
    }

    /// How many there are, without those of children.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_path.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// What a path leads to: what is held there, or what is there inside the child graph or layer on the way.
    ///
    /// Of a layer that does not tell its tensors nothing is found. The tensor or pointer is cloned, no data is.
    #[must_use]
    pub fn fetch(&self, path: &ModulePath) -> Option<Attribute> {
        let (mut attributes, mut path) = (self, path.clone());
        loop {
            if let Some(found) = attributes.get(&path) {
                return Some(found.clone());
            }
            let (on_the_way, rest) = attributes.holder(&path)?;
            match on_the_way {
                Attribute::Module(module) => (attributes, path) = (module.attributes(), rest),
                Attribute::Layer(layer) => {
                    let tensors = layer.state()?.tensors;
                    let mut named = tensors.into_iter().filter(|(name, _)| *name == rest.as_str());
                    return named.next().map(|(_, tensor)| Attribute::Tensor(tensor));
                }
                Attribute::Tensor(_) => return None,
            }
        }
    }

    /// The child graph or layer that a path leads through, and the rest of the path inside.
    pub(super) fn holder(&self, path: &ModulePath) -> Option<(&Attribute, ModulePath)> {
        let text = path.as_str();
        ModulePath::ends_of_parts(text).find_map(|end| {
            let held = self.get(&ModulePath::new(&text[..end]))?;
            (!matches!(held, Attribute::Tensor(_))).then(|| (held, ModulePath::new(&text[end + 1..])))
        })
    }

    /// The paths of what is held here while another thing is inside of the child graph or layer on the way.
    pub(super) fn held_twice(&self) -> Vec<ModulePath> {
        let is_twice = |path: &ModulePath, attribute: &Attribute| {
            let inside = match self.holder(path) {
                Some((Attribute::Module(child), rest)) => child.attributes().fetch(&rest),
                Some((layer, rest)) => {
                    Self::from_iter([("layer", layer.clone())]).fetch(&ModulePath::new(format!("layer.{rest}")))
                }
                None => None,
            };
            inside.is_some_and(|inside| !attribute.is_same(&inside))
        };
        self.iter().filter(|(path, attribute)| is_twice(path, attribute)).map(|(path, _)| path.clone()).collect()
    }

    /// The tensor that a path leads to.
    ///
    /// # Errors
    /// When there is none.
    pub fn tensor(&self, path: &ModulePath) -> Result<Tensor, MissingAttribute> {
        match self.fetch(path) {
            Some(Attribute::Tensor(tensor)) => Ok(tensor),
            other => Err(missing(path, "a tensor", other)),
        }
    }

    /// The layer that a path leads to.
    ///
    /// # Errors
    /// When there is none.
    pub fn layer(&self, path: &ModulePath) -> Result<Arc<dyn LayerModule>, MissingAttribute> {
        match self.fetch(path) {
            Some(Attribute::Layer(layer)) => Ok(layer),
            other => Err(missing(path, "a layer", other)),
        }
    }

    /// What a `call_module` node of this path calls.
    ///
    /// # Errors
    /// When there is neither a layer nor a graph.
    pub fn callee(&self, path: &ModulePath) -> Result<Attribute, MissingAttribute> {
        match self.fetch(path) {
            Some(callee @ (Attribute::Layer(_) | Attribute::Module(_))) => Ok(callee),
            other => Err(missing(path, "a layer or a graph", other)),
        }
    }

    /// What is held at a place in the order of first use, to be changed.
    pub(super) fn at_mut(&mut self, place: usize) -> Option<&mut Attribute> {
        self.by_path.get_index_mut(place).map(|(_, attribute)| attribute)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&ModulePath, &mut Attribute)> {
        self.by_path.iter_mut()
    }

    /// Everything, in order of first use.
    ///
    /// Only what is held here, not what is inside of children and layers.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&ModulePath, &Attribute)> + ExactSizeIterator {
        self.by_path.iter()
    }
}

/// A chain of child graphs is as deep as a program makes it, so it is not dropped by recursion.
impl Drop for Attributes {
    fn drop(&mut self) {
        let mut pending: Vec<Attribute> = self.by_path.drain(..).map(|(_, attribute)| attribute).collect();
        while let Some(attribute) = pending.pop() {
            if let Attribute::Module(module) = attribute
                && let Some(mut module) = Arc::into_inner(module)
            {
                pending.extend(module.take_attributes().by_path.drain(..).map(|(_, attribute)| attribute));
            }
        }
    }
}

impl<P: Into<ModulePath>, A: Into<Attribute>> FromIterator<(P, A)> for Attributes {
    fn from_iter<I: IntoIterator<Item = (P, A)>>(items: I) -> Self {
        let by_path = items.into_iter().map(|(path, attribute)| (path.into(), attribute.into()));
        Self { by_path: by_path.collect() }
    }
}

fn missing(path: &ModulePath, expected: &'static str, found: Option<Attribute>) -> MissingAttribute {
    let found = found.map_or_else(|| "absent".to_owned(), |attribute| attribute.to_string());
    MissingAttribute { path: path.clone(), expected, found }
}
