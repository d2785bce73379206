//! [`GraphModule::load_with`].
//!
//! Invariant: everything that can be wrong is found before a module is made.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candle_core::safetensors::BufferedSafetensors;
use candle_core::{DType, Tensor, Var};

use super::super::attributes::{Attribute, Attributes};
use super::super::graph_module::GraphModule;
use super::super::held_state::{Kept, State};
use super::super::layer::LayerState;
use super::super::layer_table::{LayerKind, LayerTable};
use super::error::LoadModuleError;
use super::save::tensors_path;
use crate::ir::{Fields, ModulePath};
use crate::ops::OpTable;
use crate::text::ParseError;
use crate::text::file::{AttributeText, ModuleText, StoredTensor, read_modules};
use crate::text::state::{StateText, StateTexts, read_state_file};
use crate::value::{Device, TensorFact, Value};

impl GraphModule {
    /// Loads a module that [`GraphModule::save`] wrote, with operations and layers of the caller's own: functions
    /// recorded whole by `#[fx::wrap]`, and layers that implement [`LayerModule`](super::super::LayerModule).
    ///
    /// A function with `#[fx::wrap]` is given by `fx::op_of!`, with the path of the module where it is written:
    ///
    /// ```rs
    /// let ops = OpTable::builtin().clone().with(&[fx::op_of!(routing::top_k)]);
    /// let module = GraphModule::load_with("model.fx", &ops, LayerTable::builtin(), &Device::Cpu)?;
    /// ```
    ///
    /// All tensors are put on `device`. A device that the graph names is kept if this program has it; an accelerator that
    /// it does not have is replaced by `device`.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is damaged, names an operation or a layer that is not in the tables, or if the two
    /// files do not fit each other: a tensor is missing, of another dtype or shape, or named by nothing.
    pub fn load_with(
        path: impl AsRef<Path>,
        ops: &OpTable,
        layers: &LayerTable,
        device: &candle_core::Device,
    ) -> Result<Self, LoadModuleError> {
        let path = path.as_ref();
        let files = Files::read(path)?;
        let modules = files.parsed(read_modules(&files.text, ops, &Device(device.clone())))?;
        let tensors = files.tensors(&needed(&modules), device)?;
        // A module names only modules after it.
        let mut loaded: HashMap<usize, Arc<Self>> = HashMap::new();
        for (number, module) in modules.into_iter().enumerate().rev() {
            let attributes = attributes(&module, layers, &tensors, &loaded)?;
            let (class_name, module_state) = (module.class_name, module.state);
            let mut module = Self::from_parts(module.graph.into_owned(), attributes);
            module.set_class_name(class_name);
            if let Some((now, initial)) = &module_state {
                module.set_kept(Kept::at(tensors.state(now)?, tensors.state(initial)?));
            }
            if number == 0 {
                module.check().map_err(|source| LoadModuleError::Check { file: path.to_owned(), source })?;
                return Ok(module);
            }
            loaded.insert(number, Arc::new(module));
        }
        Err(unreadable(path, std::io::Error::other("there is no module in it")))
    }
}

impl State {
    /// Loads a state that [`State::save`] wrote. All tensors are put on `device`.
    ///
    /// Whether it fits a graph is seen when that runs with it
    /// ([`GraphModule::set_state`](super::super::GraphModule::set_state)).
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is damaged, or if the two files do not fit each other.
    pub fn load(path: impl AsRef<Path>, device: &candle_core::Device) -> Result<Self, LoadModuleError> {
        let files = Files::read(path.as_ref())?;
        let states = files.parsed(read_state_file(&files.text, &Device(device.clone())))?;
        let mut needed = Vec::new();
        needed_by_state(&states, &mut needed);
        files.tensors(&needed, device)?.state(&states)
    }
}

/// The two files that something was saved in: the text, which is read, and the tensors beside it.
struct Files<'p> {
    path: &'p Path,
    tensors_path: PathBuf,
    text: String,
}

impl<'p> Files<'p> {
    fn read(path: &'p Path) -> Result<Self, LoadModuleError> {
        let tensors_path = tensors_path(path).map_err(|reason| unreadable(path, std::io::Error::other(reason)))?;
        let text = std::fs::read_to_string(path).map_err(|source| unreadable(path, source))?;
        Ok(Self { path, tensors_path, text })
    }

    /// What the text says, or where it is wrong.
    fn parsed<T>(&self, read: Result<T, ParseError>) -> Result<T, LoadModuleError> {
        read.map_err(|source| LoadModuleError::Parse { file: self.path.to_owned(), source: Box::new(source) })
    }

    fn tensors(
        &self,
        needed: &[(String, &StoredTensor)],
        device: &candle_core::Device,
    ) -> Result<Tensors, LoadModuleError> {
        let bytes = std::fs::read(&self.tensors_path).map_err(|source| unreadable(&self.tensors_path, source))?;
        Tensors::load(needed, &self.tensors_path, bytes, device)
    }
}

fn unreadable(file: &Path, source: std::io::Error) -> LoadModuleError {
    LoadModuleError::Io { file: file.to_owned(), source }
}

/// The tensors that modules name, with the paths where they are.
fn needed<'m>(modules: &'m [ModuleText<'_>]) -> Vec<(String, &'m StoredTensor)> {
    let mut needed = Vec::new();
    for module in modules {
        for (path, attribute) in &module.attributes {
            match attribute {
                AttributeText::Tensor(stored) => needed.push((path.to_string(), stored)),
                AttributeText::Layer { tensors, .. } => {
                    needed.extend(tensors.iter().map(|(name, stored)| (path.child(name).to_string(), stored)));
                }
                AttributeText::Module(_) => {}
            }
        }
        if let Some((now, initial)) = &module.state {
            needed_by_state(now, &mut needed);
            needed_by_state(initial, &mut needed);
        }
    }
    needed
}

fn needed_by_state<'s>(states: &'s StateTexts, needed: &mut Vec<(String, &'s StoredTensor)>) {
    for (name, value) in states {
        value.for_each_tensor(&mut |stored| needed.push((name.to_string(), stored)));
    }
}

fn attributes(
    module: &ModuleText<'_>,
    layers: &LayerTable,
    tensors: &Tensors,
    loaded: &HashMap<usize, Arc<GraphModule>>,
) -> Result<Attributes, LoadModuleError> {
    let mut attributes = Attributes::new();
    for (path, text) in &module.attributes {
        let attribute = match text {
            AttributeText::Tensor(stored) => Attribute::Tensor(tensors.get(path.as_str(), stored)?),
            AttributeText::Layer { layer: (type_name, options), tensors: stored } => {
                let kind = layers.get(type_name).ok_or_else(|| LoadModuleError::UnknownLayer {
                    path: path.clone(),
                    type_name: type_name.to_string(),
                })?;
                layer(path, kind, options, stored, tensors)?
            }
            // The reader has made sure that it is there.
            AttributeText::Module(number) => Attribute::Module(loaded[number].clone()),
        };
        if attributes.insert(path.clone(), attribute).is_some() {
            return Err(LoadModuleError::Twice { path: path.clone() });
        }
    }
    Ok(attributes)
}

fn layer(
    path: &ModulePath,
    kind: &'static LayerKind,
    options: &Fields,
    stored: &[(String, StoredTensor)],
    tensors: &Tensors,
) -> Result<Attribute, LoadModuleError> {
    let fail = |reason: String| LoadModuleError::Layer { path: path.clone(), type_name: kind.name.to_owned(), reason };
    let mut state = LayerState { options: Vec::new(), tensors: Vec::new() };
    for (name, value) in options {
        let known = kind.options.iter().find(|known| ***known == **name);
        let known = known.ok_or_else(|| fail(format!("it has no setting `{name}`")))?;
        if state.options.iter().any(|(given, _)| given == known) {
            return Err(fail(format!("the setting `{name}` is given twice")));
        }
        state.options.push((known, value.to_value().unwrap_or(Value::None)));
    }
    for (name, stored) in stored {
        let known = kind.tensor_name(name).ok_or_else(|| fail(format!("it has no tensor `{name}`")))?;
        if state.tensors.iter().any(|(given, _)| *given == known) {
            return Err(fail(format!("the tensor `{name}` is given twice")));
        }
        state.tensors.push((known, tensors.get(path.child(name).as_str(), stored)?));
    }
    (kind.make)(&state).map(Attribute::Layer).map_err(|error| fail(error.to_string()))
}

/// The tensors of a file, each as it is used: as a variable, as a plain tensor, or as both on one storage.
struct Tensors {
    file: PathBuf,
    by_key: HashMap<String, Tensor>,
}

impl Tensors {
    fn load(
        needed: &[(String, &StoredTensor)],
        file: &Path,
        bytes: Vec<u8>,
        device: &candle_core::Device,
    ) -> Result<Self, LoadModuleError> {
        let corrupt =
            |error: candle_core::Error| LoadModuleError::Corrupt { file: file.to_owned(), reason: error.to_string() };
        let source = BufferedSafetensors::new(bytes).map_err(corrupt)?;
        let there = source.tensors();
        let facts: HashMap<&str, String> = there
            .iter()
            .map(|(key, view)| {
                let fact = match DType::try_from(view.dtype()) {
                    Ok(dtype) => TensorFact::new(view.shape(), dtype).to_string(),
                    Err(_) => format!("{:?}{:?}", view.dtype(), view.shape()),
                };
                (key.as_str(), fact)
            })
            .collect();
        for (path, stored) in needed {
            let (key, expected) = (stored.key.clone(), stored.fact.to_string());
            match facts.get(stored.key.as_str()) {
                None => {
                    return Err(LoadModuleError::MissingTensor { path: path.clone(), key, file: file.to_owned() });
                }
                Some(found) if *found != expected => {
                    return Err(LoadModuleError::WrongTensor { key, expected, found: found.clone() });
                }
                Some(_) => {}
            }
        }
        let named: HashSet<&str> = needed.iter().map(|(_, stored)| stored.key.as_str()).collect();
        let mut extra: Vec<String> =
            facts.keys().filter(|key| !named.contains(*key)).map(ToString::to_string).collect();
        if !extra.is_empty() {
            extra.sort();
            extra.truncate(8);
            return Err(LoadModuleError::ExtraTensors { file: file.to_owned(), keys: extra });
        }
        let mut by_key: HashMap<String, Tensor> = HashMap::new();
        for (_, stored) in needed {
            let key = &stored.key;
            let failed =
                |error: candle_core::Error| LoadModuleError::Tensor { key: key.clone(), reason: error.to_string() };
            let known = match by_key.get(key) {
                Some(known) => known.clone(),
                None => source.load(key, device).map_err(failed)?,
            };
            let known = if stored.is_variable { Var::from_tensor(&known).map_err(failed)?.into_inner() } else { known };
            by_key.insert(key.clone(), known);
        }
        Ok(Self { file: file.to_owned(), by_key })
    }

    /// The state that a text has.
    fn state(&self, texts: &StateTexts) -> Result<State, LoadModuleError> {
        let mut state = State::new();
        for (name, text) in texts {
            state.set(name, self.value(name, text)?);
        }
        Ok(state)
    }

    fn value(&self, name: &str, text: &StateText) -> Result<Value, LoadModuleError> {
        let each = |items: &[StateText]| items.iter().map(|item| self.value(name, item)).collect::<Result<_, _>>();
        Ok(match text {
            StateText::Tensor(stored) => Value::Tensor(self.get(name, stored)?),
            StateText::Plain(plain) => plain.to_value().unwrap_or_default(),
            StateText::List(items) => Value::List(each(items)?),
            StateText::Tuple(items) => Value::Tuple(each(items)?),
            StateText::Struct(of, fields) => {
                let fields = fields.iter().map(|(field, item)| Ok((field.clone(), self.value(name, item)?)));
                Value::Struct(of.clone(), fields.collect::<Result<_, LoadModuleError>>()?)
            }
        })
    }

    fn get(&self, path: &str, stored: &StoredTensor) -> Result<Tensor, LoadModuleError> {
        match self.by_key.get(&stored.key) {
            Some(tensor) if stored.is_variable => Ok(tensor.clone()),
            Some(tensor) => Ok(tensor.detach()),
            None => {
                let (path, key, file) = (path.to_owned(), stored.key.clone(), self.file.clone());
                Err(LoadModuleError::MissingTensor { path, key, file })
            }
        }
    }
}
