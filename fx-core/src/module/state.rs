//! The state of a module: its tensors by path, saved, loaded, and trained.
//!
//! A tensor that is a variable ([`candle_core::Var`]) is a parameter: it can be trained, and gradients flow to it. Every
//! other tensor is a buffer. candle has no other mark, and a model whose weights are not variables cannot be trained.
//!
//! Invariant: loading changes everything or nothing; what was one tensor under several paths stays one.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use candle_core::{Device, Tensor, TensorId, Var};
use candle_nn::VarMap;

use crate::ir::ModulePath;
use crate::value::{Fact, Value};

use super::attributes::Attribute;
use super::convert::{ConvertError, Mapper, Opaque};
use super::graph_module::GraphModule;

/// Which names of a state that was loaded were not used, and which tensors it had no name for.
///
/// Both lists are empty after a strict load that succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loaded {
    /// Tensors of the module that were not among those given; they are as they were.
    pub missing: Vec<ModulePath>,
    /// Names that the module does not have.
    pub unexpected: Vec<ModulePath>,
}

/// Why a state was not loaded. The module is left as it was.
///
/// All names and shapes that do not fit are in one message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The names or shapes are not those of the module; everything at once.
    #[error("the state does not fit the module{}", mismatches(loaded, shapes))]
    Mismatch {
        /// Names that are missing or unexpected; both empty unless loading is strict.
        loaded: Loaded,
        /// Tensors of another shape: path, shape in the module, shape given.
        shapes: Vec<(ModulePath, String, String)>,
    },
    /// A layer could not be made of the new tensors.
    #[error(transparent)]
    Convert(#[from] ConvertError),
    /// candle cannot read the file, or convert a tensor.
    #[error(transparent)]
    Candle(#[from] candle_core::Error),
}

fn mismatches(loaded: &Loaded, shapes: &[(ModulePath, String, String)]) -> String {
    let missing = loaded.missing.iter().map(|path| format!("\n  `{path}` is missing"));
    let unexpected = loaded.unexpected.iter().map(|path| format!("\n  `{path}` is not in the module"));
    let shapes =
        shapes.iter().map(|(path, expected, found)| format!("\n  `{path}` is {expected}, but {found} was given"));
    missing.chain(unexpected).chain(shapes).collect()
}

impl GraphModule {
    /// Every tensor by path, those of layers (`linear.weight`) and of child graphs (`block.linear.weight`) too, in order
    /// of first use. A tensor that has several paths comes several times. A layer that does not tell its tensors
    /// ([`LayerModule::state`](super::LayerModule::state)) adds none.
    ///
    /// Where graphs share graphs that share graphs, there are exponentially many paths. If everything together has more
    /// than [`GraphModule::MAX_PATHS`], what a child graph holds comes under the first path of that only; loading
    /// accepts every path.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use fx_core::trace::{Module, Tracer};
    ///
    /// let linear = candle_nn::Linear::new(Tensor::ones((2, 3), DType::F32, &Device::Cpu)?, None);
    /// let mut module = Tracer::new().trace_with(&(linear,), |(linear,), inputs| linear.forward(&inputs.tensor("x")?))?;
    /// let paths: Vec<String> = module.state_dict().into_iter().map(|(path, _)| path.to_string()).collect();
    /// assert_eq!(paths, ["0.weight"]);
    ///
    /// let loaded = module.load_state_dict([("0.weight", Tensor::zeros((2, 3), DType::F32, &Device::Cpu)?)], true)?;
    /// assert!(loaded.missing.is_empty() && loaded.unexpected.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn state_dict(&self) -> Vec<(ModulePath, Tensor)> {
        self.tensors(self.can_list_every_path())
    }

    /// Every tensor by path; of child graphs at several places under each of their paths, or under the first.
    fn tensors(&self, under_every_path: bool) -> Vec<(ModulePath, Tensor)> {
        let (mut found, mut seen, mut entered) = (Vec::new(), HashSet::new(), HashSet::new());
        let mut pending = vec![(ModulePath::ROOT, self.attributes().iter())];
        while let Some((prefix, rest)) = pending.last_mut() {
            let Some((path, attribute)) = rest.next() else {
                pending.pop();
                continue;
            };
            let full = prefix.join(path);
            match attribute {
                Attribute::Tensor(tensor) if seen.insert(full.clone()) => found.push((full, tensor.clone())),
                Attribute::Tensor(_) => {}
                Attribute::Layer(layer) => {
                    for (name, tensor) in layer.state().map_or_else(Vec::new, |state| state.tensors) {
                        let path = full.child(name);
                        if seen.insert(path.clone()) {
                            found.push((path, tensor));
                        }
                    }
                }
                Attribute::Module(child) => {
                    if under_every_path || entered.insert(Arc::as_ptr(child)) {
                        pending.push((full, child.attributes().iter()));
                    }
                }
            }
        }
        found
    }

    /// The variables by path: what training changes. One that has several paths comes once, under the first.
    ///
    /// Empty if the model's weights are no variables: candle's `VarMap` makes them so, a `VarBuilder` of a file does
    /// not. Those of layers and child graphs are among them, and gradients of a run flow to them.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor, Var};
    /// use fx_core::trace::Tracer;
    ///
    /// let weight = Var::ones(3, DType::F32, &Device::Cpu)?;
    /// let module = Tracer::new().trace_with(&(weight,), |(weight,), inputs| inputs.tensor("x")?.mul(weight)?.sum_all())?;
    /// let loss = module.forward(&[Tensor::new(&[1f32, 2.0, 3.0], &Device::Cpu)?])?;
    ///
    /// let (path, weight) = &module.named_parameters()[0];
    /// let gradient = loss.backward()?.get(weight.as_tensor()).cloned().expect("the loss depends on it");
    /// assert_eq!((path.as_str(), gradient.to_vec1::<f32>()?), ("0", vec![1.0, 2.0, 3.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn named_parameters(&self) -> Vec<(ModulePath, Var)> {
        let variables = self.distinct().filter(|(_, tensor)| tensor.is_variable());
        variables.filter_map(|(path, tensor)| Some((path, Var::from_tensor(&tensor).ok()?))).collect()
    }

    /// The tensors that are no variables, by path. One that has several paths comes once, under the first.
    ///
    /// Running statistics, constants of the graph, and all weights of a model that is not to be trained.
    #[must_use]
    pub fn named_buffers(&self) -> Vec<(ModulePath, Tensor)> {
        self.distinct().filter(|(_, tensor)| !tensor.is_variable()).collect()
    }

    fn distinct(&self) -> impl Iterator<Item = (ModulePath, Tensor)> {
        let mut seen = HashSet::new();
        self.tensors(false).into_iter().filter(move |(_, tensor)| seen.insert(tensor.id()))
    }

    /// Takes over these tensors, by path. A variable keeps its identity and gets the new content, so that whatever shares
    /// it (clones of this module, an optimizer) sees it; another tensor is replaced. Dtypes and devices stay those of
    /// the module. Tied tensors stay tied, and the name of one of them is enough.
    ///
    /// # Errors
    /// When a shape differs, or, if `strict`, when tensors are missing or unexpected: all of that at once, and nothing
    /// is changed.
    pub fn load_state_dict<P: Into<ModulePath>>(
        &mut self,
        state: impl IntoIterator<Item = (P, Tensor)>,
        strict: bool,
    ) -> Result<Loaded, LoadError> {
        let mut given: HashMap<ModulePath, Tensor> = HashMap::new();
        let mut order = Vec::new();
        for (path, tensor) in state {
            let path = path.into();
            if given.insert(path.clone(), tensor).is_none() {
                order.push(path);
            }
        }
        let every = self.can_list_every_path();
        let mut own = self.tensors(every);
        if !every {
            let listed: HashSet<ModulePath> = own.iter().map(|(path, _)| path.clone()).collect();
            let others = order.iter().filter(|path| !listed.contains(path));
            own.extend(others.filter_map(|path| Some((path.clone(), self.attributes().tensor(path).ok()?))));
        }
        let (mut new, mut shapes, mut missing) = (HashMap::<TensorId, Tensor>::new(), Vec::new(), Vec::new());
        for (path, tensor) in &own {
            match given.remove(path) {
                None => missing.push((path.clone(), tensor.id())),
                Some(other) if other.shape() != tensor.shape() => {
                    let text = |tensor: &Tensor| Fact::of(&Value::from(tensor)).to_string();
                    shapes.push((path.clone(), text(tensor), text(&other)));
                }
                Some(other) => {
                    let other = other.to_device(tensor.device())?.to_dtype(tensor.dtype())?.detach();
                    new.insert(tensor.id(), other);
                }
            }
        }
        // Paths of tied tensors are not missing if one of them is given.
        let missing = missing.into_iter().filter(|(_, id)| !new.contains_key(id)).map(|(path, _)| path).collect();
        let unexpected = order.into_iter().filter(|path| given.contains_key(path)).collect();
        let loaded = Loaded { missing, unexpected };
        let is_complete = loaded.missing.is_empty() && loaded.unexpected.is_empty();
        if !shapes.is_empty() || (strict && !is_complete) {
            let loaded = if strict { loaded } else { Loaded::default() };
            return Err(LoadError::Mismatch { loaded, shapes });
        }
        let replaced = |tensor: &Tensor| Ok(new.get(&tensor.id()).filter(|_| !tensor.is_variable()).cloned());
        let mut module = Mapper::new(&replaced, Opaque::Leave, &|_| Ok(())).module(self, &ModulePath::ROOT, 0)?;
        // Everything that can fail comes before the first variable is changed.
        let mut variables = Vec::new();
        for (_, tensor) in own.iter().filter(|(_, tensor)| tensor.is_variable()) {
            if let Some(other) = new.remove(&tensor.id())
                && other.id() != tensor.id()
            {
                // A copy, because a variable cannot be set to a part of itself.
                variables.push((Var::from_tensor(tensor)?, other.copy()?));
            }
        }
        for (variable, new) in variables {
            variable.set(&new)?;
        }
        self.share_all_hooks_with(&mut module);
        *self = module;
        Ok(loaded)
    }

    /// Writes the state to a safetensors file, tied tensors under each of their paths. What was at the path stays there
    /// until the new file is complete.
    ///
    /// Weights only: a whole module is saved by [`GraphModule::save`].
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_state(&self, path: impl AsRef<Path>) -> candle_core::Result<()> {
        let path = path.as_ref();
        let state: HashMap<String, Tensor> =
            self.state_dict().into_iter().map(|(path, tensor)| (path.to_string(), tensor)).collect();
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".unfinished");
        let written = candle_core::safetensors::save(&state, &unfinished)
            .and_then(|()| std::fs::rename(&unfinished, path).map_err(candle_core::Error::from));
        if written.is_err() {
            // It may not even be there.
            let _ = std::fs::remove_file(&unfinished);
        }
        written
    }

    /// [`GraphModule::load_state_dict`] of a safetensors file.
    ///
    /// The file is read to the CPU; each tensor then goes to where the module's is.
    ///
    /// # Errors
    /// When the file cannot be read, or does not fit.
    pub fn load_state(&mut self, path: impl AsRef<Path>, strict: bool) -> Result<Loaded, LoadError> {
        self.load_state_dict(candle_core::safetensors::load(path, &Device::Cpu)?, strict)
    }

    /// The module's parameters as candle's [`VarMap`], for an optimizer or to be saved: the same variables, each once
    /// ([`GraphModule::named_parameters`]), so training them trains the module.
    #[must_use]
    pub fn var_map(&self) -> VarMap {
        let map = VarMap::new();
        let named = self.named_parameters().into_iter().map(|(path, var)| (path.to_string(), var));
        map.data().lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(named);
        map
    }

    /// [`GraphModule::load_state_dict`] of candle's [`VarMap`].
    ///
    /// Names are those that its variables were made under.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn load_var_map(&mut self, map: &VarMap, strict: bool) -> Result<Loaded, LoadError> {
        let state: Vec<(String, Tensor)> = {
            let data = map.data().lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            data.iter().map(|(name, var)| (name.clone(), var.as_tensor().clone())).collect()
        };
        self.load_state_dict(state, strict)
    }
}
