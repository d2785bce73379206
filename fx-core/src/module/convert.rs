//! Other tensors for the same module: moving to a device, converting to a dtype, and replacing tensors in general.
//!
//! Invariant: what was one tensor, layer or child graph under several paths stays one; if anything fails, the module is
//! left as it was.

use std::collections::HashMap;
use std::sync::Arc;

use candle_core::{DType, Device, Tensor, TensorId, Var};

use crate::ir::{Argument, Graph, ModulePath, NodeId};
use crate::ops::candle_error::reason;
use crate::value::Fact;

use super::attributes::{Attribute, Attributes};
use super::graph_module::GraphModule;
use super::held_state::{Kept, State};
use super::infer::RefusedNode;
use super::inputs::{DEFAULT_INPUT, default_input, parameter};
use super::layer::{LayerModule, LayerState};

/// Why a module was not converted. It is left as it was.
///
/// It says which tensor, layer or node it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// candle refuses to convert a tensor, or a layer refuses the converted ones.
    #[error("cannot convert `{path}`: {reason}")]
    Tensor {
        /// Where it is.
        path: ModulePath,
        /// Why.
        reason: String,
    },
    /// A layer does not tell what it is made of.
    #[error(
        "cannot convert `{path}`: a layer of type {type_name} does not tell its tensors; implement `LayerModule::state` \
         and `LayerModule::rebuild`, or replace the layer first (`set_attribute`)"
    )]
    Opaque {
        /// Where it is.
        path: ModulePath,
        /// Name of its type.
        type_name: String,
    },
    /// Not a type of floating-point numbers.
    #[error("weights cannot be converted to {0:?}, which is no floating-point type")]
    NotFloat(DType),
    /// A node would not run any more, mostly because a dtype is written in the graph.
    #[error("the converted graph would not run; write another dtype into the graph first\n{0}")]
    Refused(#[from] RefusedNode),
    /// Graphs are nested deeper than [`GraphModule::MAX_DEPTH`].
    #[error("graphs are nested more than {} deep", GraphModule::MAX_DEPTH)]
    TooDeep,
}

impl GraphModule {
    /// Moves all tensors to a device, those of layers and child graphs too. Devices that are written in the graph
    /// (`zeros(…, device = cpu)`) become that device. A variable becomes another variable.
    ///
    /// State moves along, the one now and the one at the capture; what was shared with other modules is not any more.
    ///
    /// # Errors
    /// When a tensor cannot be moved or a layer cannot be made again; nothing is changed then.
    pub fn to_device(&mut self, device: &Device) -> Result<(), ConvertError> {
        let moved = |tensor: &Tensor| -> candle_core::Result<Option<Tensor>> {
            if tensor.device().same_device(device) {
                Ok(None)
            } else {
                kept_variable(tensor, tensor.to_device(device)?).map(Some)
            }
        };
        let mut moved = Mapper::new(&moved, Opaque::Refuse, &|module| {
            move_graph(module.graph_mut(), device);
            Ok(())
        })
        .module(self, &ModulePath::ROOT, 0)?;
        self.share_all_hooks_with(&mut moved);
        *self = moved;
        Ok(())
    }

    /// Converts all floating-point tensors to another floating-point type, those of layers and child graphs too; integers
    /// stay. The graph then takes floating-point inputs of that type; what is known of its nodes is worked out anew. A
    /// variable becomes another variable. A dtype that is written in the graph (`to_dtype(…, dtype = f32)`) stays.
    ///
    /// State is converted along.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use fx_core::trace::Tracer;
    ///
    /// let weight = Tensor::ones(3, DType::F32, &Device::Cpu)?;
    /// let mut module = Tracer::new()
    ///     .input("x", DType::F32, 3)
    ///     .trace_with(&(weight.clone(),), |(weight,), inputs| inputs.tensor("x")?.mul(weight))?;
    /// module.to_dtype(DType::F16)?;
    /// let y = module.forward(&[Tensor::ones(3, DType::F16, &Device::Cpu)?])?;
    /// assert_eq!(y.dtype(), DType::F16);
    /// assert!(module.forward(&[weight]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a tensor cannot be converted, a layer cannot be made again, or a node would refuse the new type; nothing is
    /// changed then.
    pub fn to_dtype(&mut self, dtype: DType) -> Result<(), ConvertError> {
        if !dtype.is_float() {
            return Err(ConvertError::NotFloat(dtype));
        }
        let converted = |tensor: &Tensor| -> candle_core::Result<Option<Tensor>> {
            if !tensor.dtype().is_float() || tensor.dtype() == dtype {
                return Ok(None);
            }
            kept_variable(tensor, tensor.to_dtype(dtype)?).map(Some)
        };
        let mut converted = Mapper::new(&converted, Opaque::Refuse, &|module| {
            let placeholders: Vec<NodeId> = module.graph().placeholders().collect();
            for id in placeholders {
                set_float_dtype(&mut module.graph_mut().meta_mut(id).fact, dtype);
            }
            Ok(module.infer_facts()?)
        })
        .module(self, &ModulePath::ROOT, 0)?;
        self.share_all_hooks_with(&mut converted);
        *self = converted;
        Ok(())
    }
}

/// Makes all floats that a fact speaks of, also inside lists, floats of this dtype.
fn set_float_dtype(fact: &mut Fact, dtype: DType) {
    match fact {
        Fact::Tensor(fact) if fact.dtype.is_float() => fact.dtype = dtype,
        // Lists are nested as deep as values can be.
        Fact::List(facts) | Fact::Tuple(facts) => facts.iter_mut().for_each(|fact| set_float_dtype(fact, dtype)),
        _ => {}
    }
}

/// A tensor made of another is a variable if that is one, and stands alone: no gradients flow back to the other.
fn kept_variable(from: &Tensor, to: Tensor) -> candle_core::Result<Tensor> {
    Ok(if from.is_variable() { Var::from_tensor(&to.detach())?.into_inner() } else { to.detach() })
}

fn move_graph(graph: &mut Graph, device: &Device) {
    let has_device =
        |id: &NodeId| graph.node(*id).kwargs().iter().any(|(_, argument)| matches!(argument, Argument::Device(_)));
    let calls: Vec<NodeId> = graph.nodes().map(|(id, _)| id).filter(has_device).collect();
    for id in calls {
        let kwargs = graph.node(id).kwargs().iter().map(|(keyword, argument)| match argument {
            Argument::Device(_) => (keyword.clone(), Argument::from(device)),
            other => (keyword.clone(), other.clone()),
        });
        let kwargs: Box<[_]> = kwargs.collect();
        graph.set_kwargs(id, kwargs);
    }
}

/// What happens to layers that do not tell what they are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opaque {
    Refuse,
    Leave,
}

type MapTensor<'f> = &'f dyn Fn(&Tensor) -> candle_core::Result<Option<Tensor>>;
type Finish<'f> = &'f dyn Fn(&mut GraphModule) -> Result<(), ConvertError>;

/// Makes a module with other tensors.
pub(super) struct Mapper<'f> {
    /// What a tensor becomes; none if it stays.
    map: MapTensor<'f>,
    opaque: Opaque,
    /// What is done to each graph in the end.
    finish: Finish<'f>,
    tensors: HashMap<TensorId, Tensor>,
    layers: Vec<(Arc<dyn LayerModule>, Arc<dyn LayerModule>)>,
    layer_places: HashMap<*const (), usize>,
    children: HashMap<*const GraphModule, Arc<GraphModule>>,
}

impl<'f> Mapper<'f> {
    pub(super) fn new(map: MapTensor<'f>, opaque: Opaque, finish: Finish<'f>) -> Self {
        let (tensors, layers, layer_places, children) = Default::default();
        Self { map, opaque, finish, tensors, layers, layer_places, children }
    }

    pub(super) fn module(
        &mut self,
        module: &GraphModule,
        path: &ModulePath,
        depth: usize,
    ) -> Result<GraphModule, ConvertError> {
        if depth > GraphModule::MAX_DEPTH {
            return Err(ConvertError::TooDeep);
        }
        let mut attributes = Attributes::new();
        for (held, attribute) in module.attributes().iter() {
            let full = path.join(held);
            let mapped = match attribute {
                Attribute::Tensor(tensor) => Attribute::Tensor(self.tensor(tensor, &full)?),
                Attribute::Layer(layer) => Attribute::Layer(self.layer(layer, &full)?),
                Attribute::Module(child) => {
                    let at = Arc::as_ptr(child);
                    if !self.children.contains_key(&at) {
                        let mapped = Arc::new(self.module(child, &full, depth + 1)?);
                        self.children.insert(at, mapped);
                    }
                    Attribute::Module(self.children[&at].clone())
                }
            };
            attributes.insert(held.clone(), mapped);
        }
        let mut mapped = GraphModule::from_parts(module.graph().clone(), attributes);
        mapped.set_class_name(module.class_name());
        mapped.training = module.training;
        let mut state = |state: &State| state.map_tensors(&mut |name, tensor| self.tensor(tensor, &path.child(name)));
        let kept = Kept::at(state(&module.state())?, state(module.kept.initial())?);
        mapped.set_kept(kept);
        self.defaults(&mut mapped, path)?;
        (self.finish)(&mut mapped)?;
        Ok(mapped)
    }

    /// What inputs are that are not given is of the other tensors, too.
    fn defaults(&mut self, module: &mut GraphModule, path: &ModulePath) -> Result<(), ConvertError> {
        let graph = module.graph();
        let defaults = graph.placeholders().filter_map(|id| Some((id, default_input(graph.node(id))?.clone())));
        for (id, default) in defaults.collect::<Vec<_>>() {
            let path = path.child(parameter(module.graph().node(id)));
            let mapped = default.map_tensors(&mut |tensor: &Tensor| self.tensor(tensor, &path))?;
            module.graph_mut().meta_mut(id).annotate(DEFAULT_INPUT, mapped);
        }
        Ok(())
    }

    fn tensor(&mut self, tensor: &Tensor, path: &ModulePath) -> Result<Tensor, ConvertError> {
        if let Some(mapped) = self.tensors.get(&tensor.id()) {
            return Ok(mapped.clone());
        }
        let mapped = (self.map)(tensor).map_err(|error| refused(path, &error))?.unwrap_or_else(|| tensor.clone());
        self.tensors.insert(tensor.id(), mapped.clone());
        Ok(mapped)
    }

    fn layer(&mut self, layer: &Arc<dyn LayerModule>, path: &ModulePath) -> Result<Arc<dyn LayerModule>, ConvertError> {
        let at = Arc::as_ptr(layer).cast::<()>();
        if let Some(place) = self.layer_places.get(&at) {
            // Layers without size can be at one address.
            if self.layers[*place].0.type_name() == layer.type_name() {
                return Ok(self.layers[*place].1.clone());
            }
        }
        let mapped = match layer.state() {
            Some(state) => self.rebuilt(layer, state, path)?,
            None if self.opaque == Opaque::Leave => layer.clone(),
            None => {
                return Err(ConvertError::Opaque { path: path.clone(), type_name: layer.type_name().to_owned() });
            }
        };
        self.layer_places.insert(at, self.layers.len());
        self.layers.push((layer.clone(), mapped.clone()));
        Ok(mapped)
    }

    fn rebuilt(
        &mut self,
        layer: &Arc<dyn LayerModule>,
        state: LayerState,
        path: &ModulePath,
    ) -> Result<Arc<dyn LayerModule>, ConvertError> {
        let mut changed = false;
        let tensors = state.tensors.into_iter().map(|(name, tensor)| {
            let mapped = self.tensor(&tensor, &path.child(name))?;
            changed |= mapped.id() != tensor.id();
            Ok((name, mapped))
        });
        let tensors = tensors.collect::<Result<Vec<_>, ConvertError>>()?;
        if !changed {
            return Ok(layer.clone());
        }
        let state = LayerState { options: state.options, tensors };
        layer.rebuild(&state).map_err(|error| refused(path, &error))
    }
}

fn refused(path: &ModulePath, error: &candle_core::Error) -> ConvertError {
    ConvertError::Tensor { path: path.clone(), reason: reason(error) }
}
