//! [`LayerModule`]: a layer that a graph calls whole, as one `call_module` node.
//!
//! Invariant: a layer is described here without naming any; each layer's own description is in `leaf/`.

use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::graph_module::GraphModule;
use crate::ir::{Argument, Keyword};
use crate::ops::{Effect, InferError};
use crate::value::{Fact, Value};

/// How a layer is called: the method, and the names of its arguments after the first.
///
/// The input is the first argument, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Called {
    /// `forward` or `forward_t`.
    pub method: &'static str,
    /// Names of the arguments after the input, written by name in the graph: `train`.
    pub options: &'static [&'static str],
}

impl Called {
    /// What a layer's input is called: as in candle's `Module::forward(&self, xs)`.
    pub const INPUT: &'static str = "xs";
    /// `layer.forward(x)`.
    pub const FORWARD: Self = Self { method: "forward", options: &[] };
    /// `layer.forward_t(x, train)`.
    pub const FORWARD_T: Self = Self { method: "forward_t", options: &["train"] };

    /// The names of all its arguments in their order: [`Called::INPUT`], then the options.
    ///
    /// ```
    /// # use fx_core::module::Called;
    /// assert_eq!(Called::FORWARD_T.parameters().collect::<Vec<_>>(), ["xs", "train"]);
    /// ```
    pub fn parameters(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(Self::INPUT).chain(self.options.iter().copied())
    }

    /// The option of this name in a call with these arguments, given by name or by position.
    ///
    /// None if it is not given.
    #[must_use]
    pub fn option<'a>(
        &self,
        name: &str,
        args: &'a [Argument],
        kwargs: &'a [(Keyword, Argument)],
    ) -> Option<&'a Argument> {
        let by_name = kwargs.iter().find_map(|(keyword, argument)| (&**keyword == name).then_some(argument));
        by_name.or_else(|| args.get(1 + self.options.iter().position(|option| *option == name)?))
    }

    /// Whether a call with these arguments may run as in training: it is told to, or only a run says whether it is.
    ///
    /// A layer without the option `train` never does.
    #[must_use]
    pub fn may_train(&self, args: &[Argument], kwargs: &[(Keyword, Argument)]) -> bool {
        !matches!(self.option(Self::FORWARD_T.options[0], args, kwargs), None | Some(Argument::Bool(false)))
    }
}

/// What a layer is made of: enough to build it again, move it to another device, or write it as source.
///
/// What [`LayerModule::state`] tells and [`LayerModule::rebuild`] takes. Both lists are in the order that the layer
/// declares, and what is absent, such as a bias, is left out.
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use fx_core::{module::LayerState, value::Value};
///
/// let weight = Tensor::ones(3, DType::F32, &Device::Cpu)?;
/// let state = LayerState { options: vec![("eps", Value::Float(1e-5))], tensors: vec![("weight", weight)] };
/// assert_eq!(state.option::<f64>("eps")?, 1e-5);
/// assert_eq!(state.tensor::<Tensor>("weight")?.dims(), [3]);
/// // A tensor that the layer can do without, and one that it cannot.
/// assert!(state.tensor::<Option<Tensor>>("bias")?.is_none());
/// assert!(state.tensor::<Tensor>("bias").is_err());
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LayerState {
    /// Its settings by name, plain data in order of declaration: `eps`, `stride`.
    pub options: Vec<(&'static str, Value)>,
    /// Its tensors by name, as they are called in a state dict: `weight`, `bias`, `running_mean`.
    pub tensors: Vec<(&'static str, Tensor)>,
}

/// How a tensor of a layer is got from outside, as Rust.
///
/// Generated code uses it where a model reads the tensor of a layer that it also calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartSource {
    /// A closure from the layer to the tensor: `|layer| layer.weight().clone()`.
    pub get: &'static str,
    /// Whether it gives an `Option`.
    pub is_optional: bool,
}

/// How a layer is written in a program that depends on candle alone; what is called is the method of its
/// [`LayerModule::called`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerSource {
    /// Its type, by its whole path: `candle_nn::Linear`.
    pub type_name: String,
    /// A Rust expression that makes it of the tensors of `vb`, a `VarBuilder`: `candle_nn::linear(3, 5, vb)?`. It asks for
    /// them by the names that [`LayerModule::state`] gives them.
    pub make: String,
    /// The trait that has the called method, by its whole path; none if the type has it.
    pub called_by: Option<&'static str>,
}

/// A layer that a graph calls whole.
///
/// The layers of candle_nn and of fx-nn are ones, and a program can have its own:
///
/// ```
/// use std::sync::Arc;
/// use candle_core::{Device, Result, Tensor, bail};
/// use fx_core::ir::Graph;
/// use fx_core::module::{Attributes, Called, GraphModule, LayerModule};
/// use fx_core::{ops::InferError, value::{Fact, Value}};
///
/// struct Scale(f64);
///
/// impl LayerModule for Scale {
///     fn type_name(&self) -> &str {
///         "Scale"
///     }
///     fn called(&self) -> Called {
///         Called { method: "forward", options: &[] }
///     }
///     fn call(&self, args: &[&Value]) -> Result<Value> {
///         match args {
///             [Value::Tensor(x)] => Ok(Value::Tensor((x * self.0)?)),
///             _ => bail!("`Scale` takes one tensor"),
///         }
///     }
///     fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError> {
///         Ok(facts.first().map_or(Fact::Unknown, |x| (*x).clone()))
///     }
/// }
///
/// let mut graph = Graph::new("g");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let y = cursor.call_module("scale", [x.into()], []);
/// cursor.output(y);
/// let layer: Arc<dyn LayerModule> = Arc::new(Scale(2.0));
/// let module = GraphModule::new(graph, Attributes::from_iter([("scale", layer)]))?;
/// let y = module.forward(&[Tensor::new(3f32, &Device::Cpu)?])?;
/// assert_eq!(y.to_scalar::<f32>()?, 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait LayerModule: Send + Sync {
    /// Name of its type, `Linear`.
    ///
    /// Two layers of one name are of one kind: patterns compare by it, files and tables show it.
    fn type_name(&self) -> &str;

    /// How it is called.
    ///
    /// The graph's calls have the input by position and each of the options by name.
    fn called(&self) -> Called;

    /// Runs it on candle: the input, then the options.
    ///
    /// `args` are as [`LayerModule::called`] says, without those at the end that a call leaves out. A panic in it is an
    /// error of the run.
    ///
    /// # Errors
    /// Whatever candle refuses.
    fn call(&self, args: &[&Value]) -> Result<Value>;

    /// Shape and dtype of its result.
    ///
    /// `facts` are those of the arguments, in the same order; [`Fact::Unknown`] where nothing can be said.
    ///
    /// # Errors
    /// What candle would refuse.
    fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError>;

    /// What a call with these arguments does besides computing its result: whether it may go if nobody reads it, and
    /// whether two equal ones may become one. Unless a layer says otherwise, a call is pure if the layer tells its state
    /// and is not called as in training; any other changes something.
    fn effect(&self, args: &[Argument], kwargs: &[(Keyword, Argument)]) -> Effect {
        match self.state() {
            Some(_) if !self.called().may_train(args, kwargs) => Effect::Pure,
            _ => Effect::Changes,
        }
    }

    /// How user code gets a tensor of the layer that it reads by this name; none if there is no such tensor.
    fn part(&self, name: &str) -> Option<PartSource> {
        let _ = name;
        None
    }

    /// What it is made of; none if it does not tell (a closure, a user's own layer).
    ///
    /// What tells it can be saved, moved, converted, compared and merged.
    fn state(&self) -> Option<LayerState> {
        None
    }

    /// How it is written in a program of its own; none if it cannot be.
    fn source(&self) -> Option<LayerSource> {
        None
    }

    /// The layer of candle's that computes the same bits when it is called on what is known here, if there is one: what it
    /// is written as in a program that depends on candle alone.
    fn in_candle(&self, facts: &[&Fact]) -> Option<Arc<dyn LayerModule>> {
        let _ = facts;
        None
    }

    /// What it computes when it is called on what is known here, as a graph whose attributes are its tensors by their
    /// names, and whose inputs are the tensors that it is called on; none if it does not tell, or not of such a call.
    ///
    /// # Errors
    /// Whatever keeps it from being captured.
    fn entered(&self, facts: &[&Fact]) -> Option<Result<GraphModule>> {
        let _ = facts;
        None
    }

    /// Which of its tensors are no parameters, by name: `running_mean`.
    fn buffers(&self) -> &'static [&'static str] {
        &[]
    }

    /// How many numbers the tensor of this name holds: a byte of a quantized matrix holds several, or a part of one.
    fn numbers(&self, name: &str, tensor: &Tensor) -> usize {
        let _ = name;
        tensor.elem_count()
    }

    /// Multiply-accumulates of a call, of what is known of its arguments and its result; none if that is not known. Those
    /// of products of matrices and of convolutions count, as for operations ([`OpDef::macs`](crate::ops::OpDef::macs)).
    fn macs(&self, facts: &[&Fact], result: &Fact) -> Option<u64> {
        let (_, _) = (facts, result);
        None
    }

    /// What its user can do instead of saving it, where it does not tell what it is made of; part of the error's sentence.
    fn instead_of_saving(&self) -> &'static str {
        "implement `LayerModule::state` for it, and load it by a `LayerTable` that has it"
    }

    /// A layer of the same type made of this.
    ///
    /// # Errors
    /// When a setting or tensor is missing or not of the right kind, or the layer cannot be made again.
    fn rebuild(&self, state: &LayerState) -> Result<Arc<dyn LayerModule>> {
        let _ = state;
        candle_core::bail!("a layer of type {} cannot be made again", self.type_name())
    }
}
