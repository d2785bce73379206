//! [`GraphModule::save`].
//!
//! Invariant: the two files are replaced together, after both were written.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::attributes::Attribute;
use super::super::graph_module::GraphModule;
use super::super::held_state::State;
use super::super::layer::{LayerModule, LayerState};
use super::error::SaveError;
use super::replace::{Replacement, put_in_place};
use super::tensors::TensorPool;
use crate::ir::{Argument, ModulePath};
use crate::text::file::{AttributeText, ModuleText, write_modules};
use crate::text::state::{StateTexts, write_state_file};

impl GraphModule {
    /// Saves the module as two files: `model.fx`, the text of the graph with everything that is remembered about its
    /// nodes and the settings of its layers, and beside it `model.safetensors`, its tensors.
    ///
    /// A tensor that is at several paths, or in several layers, is stored once and is one tensor again after
    /// [`GraphModule::load`]. Variables stay variables. A part of a tensor (`narrow`, `t`) that is held besides the
    /// whole is stored by itself.
    ///
    /// # Errors
    ///
    /// If the module is not correct; if a layer does not tell what it is made of (a closure, a user's own layer); if a
    /// tensor is kept with a node or has a dtype that candle cannot write; if a file cannot be written. The files that
    /// were there are then as they were.
    ///
    /// ```
    /// use candle_core::{Device, Tensor};
    /// use fx_core::ir::Graph;
    /// use fx_core::module::{Attribute, Attributes, GraphModule};
    ///
    /// let graph: Graph = "graph model(%x) { %w = get_attr w() %y = call_function add(%x, %w) output %y }".parse()?;
    /// let mut attributes = Attributes::new();
    /// attributes.insert("w", Attribute::Tensor(Tensor::new(&[1f32, 2.0], &Device::Cpu)?));
    /// let module = GraphModule::new(graph, attributes)?;
    ///
    /// let file = std::env::temp_dir().join("fx_core_save_example.fx");
    /// module.save(&file)?;
    /// let loaded = GraphModule::load(&file, &Device::Cpu)?;
    /// assert_eq!(loaded.to_string(), module.to_string());
    /// # std::fs::remove_file(file.with_extension("safetensors"))?;
    /// # std::fs::remove_file(file)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        self.check()?;
        // A name that is none is refused before anything is done.
        tensors_path(path).map_err(|reason| SaveError::Name { file: path.to_owned(), reason })?;
        let mut saving = Saving::default();
        let modules = saving.modules(self)?;
        let text = write_modules(&modules)?;
        write_both(path, &text, saving.pool)
    }
}

impl State {
    /// Saves the state by itself, as two files like those of a module: `session.fx`, and `session.safetensors` beside it.
    ///
    /// # Errors
    ///
    /// If a tensor has a dtype that candle cannot write; if a file cannot be written. The files that were there are then
    /// as they were.
    ///
    /// ```
    /// use candle_core::{Device, Tensor};
    /// use fx_core::{module::State, value::Value};
    ///
    /// let mut state = State::new();
    /// state.set("keys", Tensor::new(&[1f32, 2.0], &Device::Cpu)?);
    /// state.set("pos", Value::Int(2));
    /// let file = std::env::temp_dir().join("fx_core_state_example.fx");
    /// state.save(&file)?;
    /// assert_eq!(State::load(&file, &Device::Cpu)?.to_string(), state.to_string());
    /// # std::fs::remove_file(file.with_extension("safetensors"))?;
    /// # std::fs::remove_file(file)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let mut pool = TensorPool::default();
        let text = write_state_file(&pool.store_state(self)?);
        write_both(path.as_ref(), &text, pool)
    }
}

/// Puts the text and the tensors in place.
fn write_both(path: &Path, text: &str, pool: TensorPool) -> Result<(), SaveError> {
    let tensors_path = tensors_path(path).map_err(|reason| SaveError::Name { file: path.to_owned(), reason })?;
    let io = |file: &Path| {
        let file = file.to_owned();
        move |source| SaveError::Io { file, source }
    };
    let (text_file, tensors_file) = (Replacement::of(path), Replacement::of(&tensors_path));
    std::fs::write(text_file.path(), text).map_err(io(path))?;
    candle_core::safetensors::save(&pool.into_tensors(), tensors_file.path())
        .map_err(|error| io(&tensors_path)(std::io::Error::other(error.to_string())))?;
    put_in_place(&[&tensors_file, &text_file]).map_err(|(file, source)| SaveError::Io { file, source })
}

/// The file of the tensors that goes with a file of text.
pub(super) fn tensors_path(path: &Path) -> Result<PathBuf, &'static str> {
    let tensors = path.with_extension("safetensors");
    if path.file_name().is_none() {
        return Err("it names no file");
    }
    if tensors == path {
        return Err("this is the name of the file of the tensors; call it `.fx`");
    }
    Ok(tensors)
}

/// A module that is being saved.
#[derive(Default)]
struct Saving {
    pool: TensorPool,
    /// What layers are made of. A layer at two paths is asked once, so that its tensors are stored once.
    states: HashMap<*const (), (Arc<dyn LayerModule>, LayerState)>,
}

impl Saving {
    /// The module and all inside of it, each once, and before those that it has.
    fn modules<'m>(&mut self, root: &'m GraphModule) -> Result<Vec<ModuleText<'m>>, SaveError> {
        let held = root.held_graphs();
        let order: Vec<&GraphModule> = std::iter::once(root).chain(held.iter().map(|held| &**held.module)).collect();
        let numbers: HashMap<*const GraphModule, usize> =
            order.iter().enumerate().map(|(number, &module)| (std::ptr::from_ref(module), number)).collect();
        let mut modules = Vec::with_capacity(order.len());
        for module in order {
            let mut attributes = Vec::new();
            for (path, attribute) in module.attributes().iter() {
                let text = match attribute {
                    Attribute::Tensor(tensor) => AttributeText::Tensor(self.pool.store(path.as_str(), tensor)?),
                    Attribute::Layer(layer) => self.layer(path, layer)?,
                    Attribute::Module(child) => AttributeText::Module(numbers[&Arc::as_ptr(child)]),
                };
                attributes.push((path.clone(), text));
            }
            modules.push(ModuleText {
                class_name: module.class_name().into(),
                graph: Cow::Borrowed(module.graph()),
                attributes,
                state: self.states(module)?,
            });
        }
        Ok(modules)
    }

    /// The state of a graph, if it has one.
    fn states(&mut self, module: &GraphModule) -> Result<Option<(StateTexts, StateTexts)>, SaveError> {
        if module.graph().state().is_empty() {
            return Ok(None);
        }
        Ok(Some((self.pool.store_state(&module.state())?, self.pool.store_state(module.kept().initial())?)))
    }

    fn layer(&mut self, path: &ModulePath, layer: &Arc<dyn LayerModule>) -> Result<AttributeText, SaveError> {
        let type_name = || layer.type_name().to_owned();
        let (_, state) = match self.states.entry(Arc::as_ptr(layer).cast::<()>()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let state = layer.state();
                let state = state.ok_or_else(|| SaveError::Layer {
                    path: path.clone(),
                    type_name: type_name(),
                    instead: layer.instead_of_saving(),
                })?;
                place.insert((layer.clone(), state))
            }
        };
        let mut options = Vec::new();
        for (name, value) in &state.options {
            let argument = Argument::from_value(value);
            let argument = argument.filter(|argument| !argument.is_deeper_than(Argument::MAX_DEPTH - 1));
            options.push((
                (*name).into(),
                argument.ok_or_else(|| SaveError::Option {
                    path: path.clone(),
                    type_name: type_name(),
                    option: name,
                })?,
            ));
        }
        let mut tensors = Vec::new();
        for (name, tensor) in &state.tensors {
            tensors.push(((*name).to_owned(), self.pool.store(path.child(name).as_str(), tensor)?));
        }
        Ok(AttributeText::Layer { layer: (type_name().into(), options.into()), tensors })
    }
}
