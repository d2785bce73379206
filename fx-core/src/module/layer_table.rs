//! [`LayerTable`]: layers by the names of their types, for whoever builds a module from a file.
//!
//! Invariant: a layer is found by the name of its type, and each is there once; of two, the later one counts, so that a
//! user's own layer can replace a built-in one. Which layers are built in is said in `leaf/`.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use candle_core::{Result, Tensor};
use indexmap::IndexMap;

use super::layer::{LayerModule, LayerState};
use crate::ops::FromValue;

/// A kind of layer that can be made from its [`LayerState`].
///
/// What a [`LayerTable`] holds: a `static` for each kind.
pub struct LayerKind {
    /// Name of the type, what [`LayerModule::type_name`] returns.
    pub name: &'static str,
    /// Names of the settings.
    pub options: &'static [&'static str],
    /// Names of the tensors, those too that not every such layer has. One that ends with `*` stands for all that begin like
    /// it: `layers.*` of a layer that has as many layers inside as its settings say.
    pub tensors: &'static [&'static str],
    /// Makes a layer.
    pub make: fn(&LayerState) -> Result<Arc<dyn LayerModule>>,
}

impl LayerKind {
    /// The name of a tensor that such a layer can have.
    ///
    /// As it is called in [`LayerState::tensors`]; none if such a layer has no tensor of that name.
    #[must_use]
    pub fn tensor_name(&self, name: &str) -> Option<&'static str> {
        let known = self.tensors.iter().find(|known| match known.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => **known == name,
        })?;
        Some(if known.ends_with('*') { kept_name(name) } else { known })
    }
}

/// A name that stays until the program ends, kept once however often it is asked for: names of tensors that follow from
/// settings.
#[must_use]
pub fn kept_name(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.into());
    names.insert(kept);
    kept
}

/// Kinds of layers by name, in order.
///
/// ```
/// use fx_core::module::LayerTable;
///
/// let table = LayerTable::builtin();
/// assert_eq!(table.get("Linear").map(|linear| linear.tensors), Some(&["weight", "bias"][..]));
/// assert!(table.get("MyLayer").is_none());
/// ```
///
/// [`GraphModule::load_with`](super::GraphModule::load_with) looks up in one the layers that a file names.
/// [`LayerTable::builtin`] has those of candle_nn; `fx::nn::layer_table` adds those of torch.nn.
#[derive(Clone, Default)]
pub struct LayerTable {
    kinds: IndexMap<&'static str, &'static LayerKind>,
}

impl LayerTable {
    /// No layers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// These layers as well.
    ///
    /// Of two of one name, the later one counts.
    #[must_use]
    pub fn with(mut self, kinds: &[&'static LayerKind]) -> Self {
        self.kinds.extend(kinds.iter().map(|&kind| (kind.name, kind)));
        self
    }

    /// The layers whose type has this name.
    ///
    /// As [`LayerModule::type_name`] gives it: `Linear`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static LayerKind> {
        self.kinds.get(name).copied()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'static LayerKind> + '_ {
        self.kinds.values().copied()
    }
}

impl std::fmt::Debug for LayerTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.kinds.keys()).finish()
    }
}

/// A tensor of a layer, or one that it may have.
///
/// It is what [`LayerState::tensor`] can be asked for: a `Tensor`, or an `Option<Tensor>`.
pub trait LayerTensor: Sized {
    /// The tensor, if there is one.
    fn given(self) -> Option<Tensor>;

    /// What the layer gets, if this is there.
    ///
    /// # Errors
    /// When the layer needs one.
    fn wanted(found: Option<&Tensor>, name: &str) -> Result<Self>;
}

impl LayerTensor for Tensor {
    fn given(self) -> Option<Tensor> {
        Some(self)
    }

    fn wanted(found: Option<&Tensor>, name: &str) -> Result<Self> {
        match found {
            Some(tensor) => Ok(tensor.clone()),
            None => candle_core::bail!("the tensor `{name}` is missing"),
        }
    }
}

impl LayerTensor for Option<Tensor> {
    fn given(self) -> Option<Tensor> {
        self
    }

    fn wanted(found: Option<&Tensor>, _: &str) -> Result<Self> {
        Ok(found.cloned())
    }
}

impl LayerState {
    /// The setting of this name.
    ///
    /// As any type that an argument can be read as ([`FromValue`]).
    ///
    /// # Errors
    /// When it is missing or of another kind.
    pub fn option<'v, T: FromValue<'v>>(&'v self, name: &str) -> Result<T> {
        let Some((_, value)) = self.options.iter().find(|(found, _)| *found == name) else {
            candle_core::bail!("the setting `{name}` is missing");
        };
        T::from_value(value).ok_or_else(|| {
            let (expected, found) = (T::EXPECTED, value.kind());
            candle_core::Error::Msg(format!("the setting `{name}` should be {expected}, but is {found} ({value})"))
        })
    }

    /// The tensor of this name: a `Tensor`, or an `Option<Tensor>` that the layer can do without.
    ///
    /// # Errors
    /// When it is missing.
    pub fn tensor<T: LayerTensor>(&self, name: &str) -> Result<T> {
        T::wanted(self.tensors.iter().find_map(|(found, tensor)| (*found == name).then_some(tensor)), name)
    }
}
