//! [`TracerRules`]: where a capture asks what to do, torch.fx's methods of `Tracer` that people override.
//!
//! Invariant: a rule sees what goes into the graph before it does; with no rules, nothing is asked.

use std::panic::Location;
use std::sync::{Arc, Mutex, PoisonError};

use crate::ir::{Argument, Keyword, ModulePath, ModuleStack, Target};
use crate::value::{Fact, Value};

/// What a capture asks, with torch.fx's answers as defaults. Given to [`Tracer::with`](super::Tracer::with).
///
/// A capture owns its rules; rules that gather something are shared with it as an `Arc<Mutex<…>>`. They may not use the
/// tensors of the capture that asks them.
///
/// An `Err` ends the capture with that reason, as [`TraceError::Vetoed`](super::TraceError::Vetoed).
///
/// Shapes of parameters are plain numbers in every capture: torch.fx's `param_shapes_constant` is always on. Layers of
/// libraries are called whole unless a rule says otherwise; containers of std are entered.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use candle_core::DType;
/// use fx_core::trace::{NewNode, Tracer, TracerRules};
///
/// /// Counts the calls of each operation.
/// #[derive(Default)]
/// struct Count(Vec<String>);
///
/// impl TracerRules for Count {
///     fn create_node(&mut self, node: &mut NewNode<'_>) -> Result<(), String> {
///         self.0.extend(node.target().operation().map(|op| op.name.to_owned()));
///         Ok(())
///     }
/// }
///
/// let count = Arc::new(Mutex::new(Count::default()));
/// Tracer::new()
///     .with(count.clone())
///     .input("x", DType::F32, (2, 3))
///     .trace_fn(|inputs| inputs.tensor("x")?.relu()?.neg())?;
/// assert_eq!(count.lock().unwrap().0, ["relu", "neg"]);
/// # Ok::<(), fx_core::trace::TraceError>(())
/// ```
#[allow(unused_variables, reason = "the names document the parameters")]
pub trait TracerRules: Send {
    /// Whether calls of this annotated module are one node each. Asked once for each module of the model, when the
    /// capture begins, with the name of its type and its path; not for the captured model itself.
    ///
    /// The graph then calls the module's own `forward` or `forward_t`, whichever the model calls. It owns a copy of the
    /// module where that is `Clone + Send + Sync`; else the model must stand behind an `Arc` or `Rc`. A method that
    /// takes `&mut self` cannot be called so, and ends the capture with
    /// [`TraceError::NotWhole`](super::TraceError::NotWhole); so does a closure that is built in the capture, whose type
    /// is the function that builds it, with [`TraceError::BuiltNotWhole`](super::TraceError::BuiltNotWhole).
    /// An enum and the module that its variant holds can have the same path, and differ by the names of their types.
    fn is_leaf_module(&self, type_name: &str, qualname: &str) -> bool {
        false
    }

    /// Whether calls of this function with `#[fx::module]` are one node each that runs the original, as torch.fx's
    /// `autowrap_functions` and `autowrap_modules` have it. Asked at every call, with the function's path:
    /// `my_crate::attention::repeat_kv`, so that `path.starts_with("my_crate::attention::")` is a whole module.
    ///
    /// A function that takes what a graph cannot pass, or returns what it cannot give back, ends the capture with
    /// [`TraceError::FunctionNotWhole`](super::TraceError::FunctionNotWhole) or
    /// [`TraceError::NotRecordable`](super::TraceError::NotRecordable). A graph with such calls is saved and loaded as one
    /// of functions with `#[fx::wrap]` is, by `fx::op_of!`.
    fn is_leaf_function(&self, path: &str) -> bool {
        false
    }

    /// Whether calls of this layer of a library are one node each, as torch.fx has it for torch.nn's. Asked at every call,
    /// with the name of its type, `nn.ReLU`, and its path. What the layer computes is recorded instead if it tells
    /// (`Layer::THROUGH`); one that does not is one node all the same. All layers of fx-nn do, in training too, with those
    /// inside of them asked for by themselves: `encoder.layers.0.self_attn`. What a layer keeps from call to call, as
    /// running statistics, is state of the graph then. Of candle_nn's layers, none do.
    fn is_leaf_layer(&self, type_name: &str, qualname: &str) -> bool {
        true
    }

    /// Told of every call of a module before it happens: a library's layer, or an annotated module.
    ///
    /// It is how calls are counted, logged or forbidden; what is recorded stays the same.
    ///
    /// # Errors
    /// What ends the capture.
    fn call_module(&mut self, call: &ModuleCall<'_>) -> Result<(), String> {
        Ok(())
    }

    /// What the graph stores in place of an argument. The capture itself goes on with the original, so this must mean the
    /// same.
    ///
    /// As torch.fx's `create_arg`; by default the argument itself.
    ///
    /// # Errors
    /// What ends the capture.
    fn create_arg(&mut self, argument: Argument) -> Result<Argument, String> {
        Ok(argument)
    }

    /// Sees every node before it is added, the output included, and can name it or leave annotations on it.
    ///
    /// # Errors
    /// What ends the capture: the node is not to be in a graph.
    fn create_node(&mut self, node: &mut NewNode<'_>) -> Result<(), String> {
        Ok(())
    }

    /// Where the graph looks for a module, parameter or buffer that is at this path of the model.
    ///
    /// As torch.fx's `path_of_module`; by default that path. Two things at one path are told apart by a number.
    fn path_of_module(&self, path: &ModulePath) -> ModulePath {
        path.clone()
    }
}

/// A call of a module.
///
/// What [`TracerRules::call_module`] is told.
#[derive(Debug, Clone, Copy)]
pub struct ModuleCall<'a> {
    /// Name of its type; of a closure, of the function that built it.
    pub type_name: &'a str,
    /// Where it is.
    pub path: &'a ModulePath,
    /// How often it was called before.
    pub call: u32,
    /// Whether the call is one node.
    pub leaf: bool,
}

/// A node that is about to be added.
///
/// What [`TracerRules::create_node`] sees: all but the name and the annotations is settled.
pub struct NewNode<'a> {
    pub(super) target: &'a Target,
    pub(super) args: &'a [Argument],
    pub(super) kwargs: &'a [(Keyword, Argument)],
    pub(super) fact: &'a Fact,
    pub(super) module: &'a ModuleStack,
    pub(super) source: Option<&'static Location<'static>>,
    pub(super) name: Option<String>,
    pub(super) annotations: Vec<(Arc<str>, Value)>,
}

impl NewNode<'_> {
    /// What it does.
    #[must_use]
    pub fn target(&self) -> &Target {
        self.target
    }

    /// Its positional arguments.
    #[must_use]
    pub fn args(&self) -> &[Argument] {
        self.args
    }

    /// Its arguments by name.
    #[must_use]
    pub fn kwargs(&self) -> &[(Keyword, Argument)] {
        self.kwargs
    }

    /// What is known of its value.
    ///
    /// [`Fact::Unknown`] in a capture that knows no shapes.
    #[must_use]
    pub fn fact(&self) -> &Fact {
        self.fact
    }

    /// The modules it is recorded in.
    #[must_use]
    pub fn module(&self) -> &ModuleStack {
        self.module
    }

    /// The user's line, for calls.
    ///
    /// None for inputs, attributes and the output.
    #[must_use]
    pub fn source(&self) -> Option<&'static Location<'static>> {
        self.source
    }

    /// Asks for a name. Where it is taken, the node gets it with a number.
    ///
    /// What Rust does not allow as a name is made legal.
    pub fn rename(&mut self, name: impl Into<String>) {
        self.name = Some(name.into());
    }

    /// Keeps something with the node, see [`Meta::annotate`](crate::ir::Meta::annotate).
    pub fn annotate(&mut self, key: impl Into<Arc<str>>, value: Value) {
        self.annotations.push((key.into(), value));
    }
}

/// Rules that are looked at again after the capture.
impl<R: TracerRules> TracerRules for Arc<Mutex<R>> {
    fn is_leaf_module(&self, type_name: &str, qualname: &str) -> bool {
        self.lock().unwrap_or_else(PoisonError::into_inner).is_leaf_module(type_name, qualname)
    }

    fn is_leaf_function(&self, path: &str) -> bool {
        self.lock().unwrap_or_else(PoisonError::into_inner).is_leaf_function(path)
    }

    fn is_leaf_layer(&self, type_name: &str, qualname: &str) -> bool {
        self.lock().unwrap_or_else(PoisonError::into_inner).is_leaf_layer(type_name, qualname)
    }

    fn call_module(&mut self, call: &ModuleCall<'_>) -> Result<(), String> {
        self.lock().unwrap_or_else(PoisonError::into_inner).call_module(call)
    }

    fn create_arg(&mut self, argument: Argument) -> Result<Argument, String> {
        self.lock().unwrap_or_else(PoisonError::into_inner).create_arg(argument)
    }

    fn create_node(&mut self, node: &mut NewNode<'_>) -> Result<(), String> {
        self.lock().unwrap_or_else(PoisonError::into_inner).create_node(node)
    }

    fn path_of_module(&self, path: &ModulePath) -> ModulePath {
        self.lock().unwrap_or_else(PoisonError::into_inner).path_of_module(path)
    }
}
