//! [`Interpreter`]: running a graph node by node, with a hook for each opcode.
//!
//! Invariant: without overrides it does what [`GraphModule::run`] does.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::ir::{Argument, Graph, ModulePath, Node, NodeId, Target, by_parameter};
use crate::module::inputs::{Input, bind_inputs};
use crate::module::normalize::layer_arguments;
use crate::module::{Attribute, Attributes, GraphModule};
use crate::ops::candle_error::caught;
use crate::ops::{Args, OpRef};
use crate::value::{Sizes, Value};

use super::environment::Environment;
use super::error::RunError;
use super::execution::Execution;
use super::place::Place;
use super::plan::{is_relied_on, no_value, not_computed};
use super::run::{check_input, check_result};

/// The arguments of a call, in the order of its parameters: values of nodes as they are, and what was put together.
///
/// A value of a node is borrowed, what is put together of several is owned.
pub type Fetched<'r> = SmallVec<[Cow<'r, Value>; 4]>;

/// Runs graphs node by node. Each hook can be overridden: to compute something else, or to look on.
///
/// The default hooks do what the graph says. A hook gets the node as [`Running`], which leads to the graph, the
/// attributes and the values of other nodes. Errors of candle and [`RunError`]s are passed on with `?`; what goes wrong is
/// reported with the node and its line.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use fx_core::interp::{Interpreter, RunError, Running};
/// use fx_core::{ops::OpRef, value::Value};
///
/// /// Computes every method twice.
/// struct Twice;
///
/// impl Interpreter for Twice {
///     fn call_method(&mut self, at: Running<'_>, op: OpRef, args: &[&Value]) -> Result<Value, RunError> {
///         let once = at.call(op, args)?;
///         at.call(op, &[&once])
///     }
/// }
///
/// let module = fx_core::trace::Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.sqrt())?;
/// let x = Tensor::new(&[16f32], &Device::Cpu)?;
/// let result = Twice.run(&module, &[x.into()])?;
/// assert_eq!(result.as_tensor().unwrap().to_vec1::<f32>()?, [2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Interpreter {
    /// Runs one node: calls the hook for its opcode.
    ///
    /// Overridden, it sees every node: whatever it returns is the node's value.
    ///
    /// # Errors
    /// What the hook refuses.
    fn run_node(&mut self, at: Running<'_>) -> Result<Value, RunError> {
        at.dispatch(self)
    }

    /// The value of an input: what was given for it.
    ///
    /// By default it is checked against what is known of the input, and cloned, which copies no data.
    ///
    /// # Errors
    /// When the graph was not captured for such a value.
    fn placeholder(&mut self, at: Running<'_>, name: &str, given: &Value) -> Result<Value, RunError> {
        let _ = name;
        check_input(at.node(), given, at.sizes())?;
        Ok(given.clone())
    }

    /// The value of a parameter, buffer or constant.
    ///
    /// By default the attribute's tensor itself, no copy.
    ///
    /// # Errors
    /// When there is no tensor at this path.
    fn get_attr(&mut self, at: Running<'_>, path: &ModulePath) -> Result<Value, RunError> {
        Ok(Value::Tensor(at.attributes().tensor(path)?))
    }

    /// The value of a call of a function or operator, whose arguments are in the order of its parameters.
    ///
    /// [`Running::call`] is what the default does.
    ///
    /// # Errors
    /// What candle refuses.
    fn call_function(&mut self, at: Running<'_>, op: OpRef, args: &[&Value]) -> Result<Value, RunError> {
        at.as_captured(at.call(op, args)?)
    }

    /// The value of a call of a method, the receiver first.
    ///
    /// As [`Interpreter::call_function`].
    ///
    /// # Errors
    /// What candle refuses.
    fn call_method(&mut self, at: Running<'_>, op: OpRef, args: &[&Value]) -> Result<Value, RunError> {
        at.as_captured(at.call(op, args)?)
    }

    /// The value of a call of a layer (arguments by position, then its options) or of a child graph (one argument for each
    /// of its placeholders).
    ///
    /// [`Running::call_module`] is what the default does.
    ///
    /// # Errors
    /// What the layer or graph refuses, or that there is none at this path.
    fn call_module(&mut self, at: Running<'_>, path: &ModulePath, args: &[&Value]) -> Result<Value, RunError> {
        at.as_captured(at.call_module(path, args)?)
    }

    /// The result of the graph.
    ///
    /// Structures of nodes are put together in `value` already. With state it is `(result, (written, …))`.
    ///
    /// # Errors
    /// None by default.
    fn output(&mut self, at: Running<'_>, value: Value) -> Result<Value, RunError> {
        let _ = at;
        Ok(value)
    }

    /// Runs a module, with defaults for everything that [`Execution`] can be asked for.
    ///
    /// # Errors
    /// [`RunError`], as [`GraphModule::run`].
    fn run(&mut self, module: &GraphModule, inputs: &[Value]) -> Result<Value, RunError> {
        Execution::new(module).run(self, inputs)
    }

    /// Runs a module on inputs that it takes out of the list, so that each is freed after its last use: torch.fx's
    /// `boxed_run`. A wrong number of inputs is refused first and leaves the list as it is.
    ///
    /// # Errors
    /// [`RunError`], as [`GraphModule::run`].
    fn boxed_run(&mut self, module: &GraphModule, inputs: &mut Vec<Value>) -> Result<Value, RunError> {
        Execution::new(module).boxed_run(self, inputs)
    }
}

/// Does what the graph says, with no override: `Execution::new(&module).run(&mut (), &inputs)`.
impl Interpreter for () {}

/// The node that is being run, and what can be asked then.
///
/// It is small and copied freely; hooks and observers get one.
#[derive(Clone, Copy)]
pub struct Running<'r> {
    pub(super) graph: &'r Graph,
    pub(super) attributes: &'r Attributes,
    pub(super) values: &'r Environment,
    pub(super) sizes: &'r Sizes,
    pub(super) id: NodeId,
    /// What was given for it, if it is a placeholder.
    pub(super) given: Option<&'r Value>,
    pub(super) place: &'r Place<'r>,
}

impl<'r> Running<'r> {
    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &'r Graph {
        self.graph
    }

    /// The tensors, layers and child graphs.
    ///
    /// Of the graph that the node is in; [`Running::fetch_attr`] looks up one path.
    #[must_use]
    pub fn attributes(&self) -> &'r Attributes {
        self.attributes
    }

    /// The sizes of this run that the graph follows.
    ///
    /// Empty if the graph is of one size.
    #[must_use]
    pub fn sizes(&self) -> &'r Sizes {
        self.sizes
    }

    /// The node's id.
    #[must_use]
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// The node.
    #[must_use]
    pub fn node(&self) -> &'r Node {
        self.graph.node(self.id)
    }

    /// Where the graph is in the module that runs: the root, or the path of a child graph that is looked into.
    #[must_use]
    pub fn path(&self) -> &'r ModulePath {
        &self.place.path
    }

    /// The name of the node after the path of its graph: `relu` in the module that runs, `block.relu` in its child graph
    /// `block`, and `block@1.relu` there when `block` is called for the second time, as torch.fx writes repeated calls.
    #[must_use]
    pub fn qualified_name(&self) -> Cow<'r, str> {
        let name = self.node().name();
        if self.place.depth == 0 { Cow::Borrowed(name) } else { Cow::Owned(format!("{}.{name}", self.place.name)) }
    }

    /// How many graphs the node is inside of; 0 in the module that runs.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.place.depth
    }

    /// The value of another node of the graph, if it was computed and is still there.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Option<&'r Value> {
        self.values.get(id)
    }

    /// What a path of the module leads to.
    ///
    /// Also inside of child graphs and layers; none if there is nothing.
    #[must_use]
    pub fn fetch_attr(&self, path: &ModulePath) -> Option<Attribute> {
        self.attributes.fetch(path)
    }

    /// The arguments of the node in the order of its parameters, with the values of the nodes in them.
    ///
    /// They are what the hook for the node's opcode is given.
    ///
    /// # Errors
    /// When a value is not there, or the node calls a child graph with other inputs than that takes.
    pub fn fetch_args(&self) -> Result<Fetched<'r>, RunError> {
        let node = self.node();
        match node.target() {
            Target::CallFunction(op) | Target::CallMethod(op) => {
                by_parameter(op, node.args(), node.kwargs()).map(|(_, argument)| self.fetch(argument)).collect()
            }
            Target::CallModule(path) => {
                let child = match self.fetch_attr(path) {
                    Some(Attribute::Module(child)) => child,
                    Some(Attribute::Layer(layer)) => {
                        let arguments = layer_arguments(&*layer, node.args(), node.kwargs());
                        return arguments.into_iter().map(|argument| self.fetch(argument)).collect();
                    }
                    _ => return node.arguments().map(|argument| self.fetch(argument)).collect(),
                };
                let line = || self.graph.node_line(self.id);
                let inputs = bind_inputs(child.graph(), node.args(), node.kwargs())
                    .map_err(|reason| RunError::Inputs { line: line(), reason })?;
                let each = inputs.into_iter().map(|input| match input {
                    Input::Given(argument) => self.fetch_owned(argument).map(Cow::Owned),
                    Input::Default(value) => Ok(Cow::Owned(value.clone())),
                });
                each.collect()
            }
            _ => node.arguments().map(|argument| self.fetch(argument)).collect(),
        }
    }

    /// An argument with the values of the nodes in it: torch.fx's `map_nodes_to_values`.
    ///
    /// Expressions are worked out for the sizes of this run.
    ///
    /// # Errors
    /// When a value is not there.
    pub fn fetch(&self, argument: &Argument) -> Result<Cow<'r, Value>, RunError> {
        match argument {
            Argument::Node(id) => {
                self.value(*id).map(Cow::Borrowed).ok_or_else(|| not_computed(self.graph, self.id, *id))
            }
            other => self.fetch_owned(other).map(Cow::Owned),
        }
    }

    fn fetch_owned(&self, argument: &Argument) -> Result<Value, RunError> {
        let each =
            |items: &[Argument]| items.iter().map(|item| self.fetch_owned(item)).collect::<Result<Vec<_>, RunError>>();
        match argument {
            Argument::Node(_) => self.fetch(argument).map(Cow::into_owned),
            Argument::List(items) => Ok(Value::List(each(items)?)),
            Argument::Tuple(items) => Ok(Value::Tuple(each(items)?)),
            Argument::Struct(structure) => {
                let fields = structure.1.iter().map(|(name, item)| Ok((name.clone(), self.fetch_owned(item)?)));
                Ok(Value::Struct(structure.0.clone(), fields.collect::<Result<_, RunError>>()?))
            }
            plain => plain
                .evaluate(self.sizes)
                .map(Option::unwrap_or_default)
                .map_err(|why| no_value(self.graph, self.id, why)),
        }
    }

    /// Runs the node by the interpreter's hook for its opcode.
    ///
    /// # Errors
    /// What the hook refuses, or that an argument is not there.
    pub fn dispatch(self, interpreter: &mut (impl Interpreter + ?Sized)) -> Result<Value, RunError> {
        let node = self.node();
        match node.target() {
            Target::Placeholder(name) => interpreter.placeholder(self, name, self.given.unwrap_or(&Value::None)),
            Target::GetAttr(path) => interpreter.get_attr(self, path),
            Target::Output => {
                let value = self.fetch(node.args().first().unwrap_or(&Argument::None))?;
                interpreter.output(self, value.into_owned())
            }
            call => {
                let args = self.fetch_args()?;
                let args: SmallVec<[&Value; 6]> = args.iter().map(AsRef::as_ref).collect();
                match call {
                    Target::CallFunction(op) => interpreter.call_function(self, op, &args),
                    Target::CallMethod(op) => interpreter.call_method(self, op, &args),
                    Target::CallModule(path) => interpreter.call_module(self, path, &args),
                    Target::Placeholder(_) | Target::GetAttr(_) | Target::Output => Ok(Value::None),
                }
            }
        }
    }

    /// Calls an operation on candle, with one argument for each of its parameters.
    ///
    /// A panic of the operation is an error. Whatever operation is called, it is this node that errors name.
    ///
    /// # Errors
    /// What candle refuses.
    pub fn call(&self, op: OpRef, args: &[&Value]) -> Result<Value, RunError> {
        Ok(caught(|| (op.eval)(Args { op, values: args }))?)
    }

    /// The result of the node's call, if it is what it was at the capture. Only where nothing but running a call tells what
    /// it gives is this asked: what follows was recorded for the shape that it gave then. The default hooks ask it.
    ///
    /// What a hook computes instead of the call goes through it if what follows was recorded for the original's shapes.
    ///
    /// # Errors
    /// [`RunError::OtherResult`].
    pub fn as_captured(&self, value: Value) -> Result<Value, RunError> {
        match check_result(self.graph, self.id, &value, self.sizes) {
            Err(error) if is_relied_on(self.graph, self.attributes, self.node()) => Err(*error),
            _ => Ok(value),
        }
    }

    /// Calls a layer or child graph of the module. A child graph runs as it is, without the hooks of the interpreter that
    /// calls it; observers are told of its nodes.
    ///
    /// # Errors
    /// What the layer or graph refuses, or that there is none at this path.
    pub fn call_module(&self, path: &ModulePath, args: &[&Value]) -> Result<Value, RunError> {
        match self.attributes.callee(path)? {
            Attribute::Layer(layer) => Ok(caught(|| layer.call(args))?),
            Attribute::Module(child) => {
                let args: Vec<Value> = args.iter().map(|value| (*value).clone()).collect();
                Ok(self.place.run(path, &child, args).map_err(candle_core::Error::from)?)
            }
            Attribute::Tensor(_) => Ok(Value::None),
        }
    }
}
