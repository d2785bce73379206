//! [`Execution`]: a run node by node, and what can be asked of it.
//!
//! Invariant: a value is dropped after its last use, unless values are to be kept; a node that has a value from the start
//! is not run.

use std::collections::{HashSet, VecDeque};

use crate::entity::SecondaryMap;
use crate::ir::{Graph, NodeId, Op};
use crate::module::inputs::default_input;
use crate::module::{Attributes, GraphModule, State};
use crate::value::{Sizes, Value};

use super::environment::Environment;
use super::error::RunError;
use super::interpreter::{Interpreter, Running};
use super::place::{Observers, Place};
use super::processing::{of_slot, process_inputs, process_outputs};
use super::run::{Failed, check_depth, described, explained, missing_inputs};
use super::sizes::{check_guards, sizes_of};

/// Looks on while a graph runs: before and after each node. Several can look on at one run.
///
/// A child graph that a node calls is looked into: between `before` and `after` of the call come those of the child's
/// nodes. [`Running::path`] and [`Running::qualified_name`] tell them from others of the same name; a layer has no nodes.
/// Hooks of an [`Interpreter`] are of one graph, as in torch.fx: what `call_module` calls runs as it is.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use fx_core::interp::{Execution, Observer, Running};
/// use fx_core::{ir::Graph, module::{Attributes, GraphModule}, trace::Tracer, value::Value};
///
/// #[derive(Default)]
/// struct Log(Vec<String>);
///
/// impl Observer for Log {
///     fn after(&mut self, at: Running<'_>, _: &Value) {
///         self.0.push(at.qualified_name().into_owned());
///     }
/// }
///
/// let block = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.sqr())?;
/// let mut graph = Graph::new("model");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let once = cursor.call_module("block", [x.into()], []);
/// let twice = cursor.call_module("block", [once.into()], []);
/// cursor.output(twice);
/// let module = GraphModule::new(graph, Attributes::from_iter([("block", block)]))?;
///
/// let mut log = Log::default();
/// Execution::new(&module).observe(&mut log).run(&mut (), &[Tensor::new(3f32, &Device::Cpu)?.into()])?;
/// assert_eq!(
///     log.0,
///     [
///         "x", "block.x", "block.sqr", "block.output", "block", "block@1.x", "block@1.sqr", "block@1.output",
///         "block_1", "output",
///     ]
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer {
    /// A node is about to run.
    ///
    /// Its arguments are there ([`Running::fetch_args`]).
    fn before(&mut self, at: Running<'_>) {
        let _ = at;
    }

    /// A node has run.
    ///
    /// `value` is its result. Not told of a node that failed.
    fn after(&mut self, at: Running<'_>, value: &Value) {
        let _ = (at, value);
    }
}

/// A run of a graph, node by node, by an [`Interpreter`].
///
/// ```
/// use candle_core::{Device, Tensor};
/// use fx_core::{interp::Execution, trace::Tracer, value::Value};
///
/// let module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.sqr()?.exp())?;
/// let x = Tensor::new(&[1f32], &Device::Cpu)?;
///
/// // A value that is there is not computed: what the rest makes of it.
/// let sqr = module.graph().node_named("sqr").unwrap();
/// let mut run = Execution::new(&module).with_value(sqr, Value::from(x.zeros_like()?)).keep_values();
/// let result = run.run(&mut (), &[x.into()])?;
/// assert_eq!(result.as_tensor().unwrap().to_vec1::<f32>()?, [1.0]);
/// assert!(run.value(sqr).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It can run again, on other inputs and by another interpreter; the values to be looked at are those of the last run.
pub struct Execution<'r> {
    nodes: Nodes<'r>,
    /// Apart from what a run changes, so that they are there whatever way a run ends.
    observers: Observers<'r>,
}

/// What is run, and how far it has come.
struct Nodes<'r> {
    graph: &'r Graph,
    attributes: &'r Attributes,
    start: Vec<(NodeId, Value)>,
    values: Environment,
    keeps: bool,
    processes: bool,
    state: StateOf<'r>,
    sizes: Sizes,
}

/// Whose state a run starts from and leaves.
enum StateOf<'r> {
    Module(&'r GraphModule),
    Given(&'r mut State),
    Nobody,
}

impl<'r> Execution<'r> {
    /// Of a module. With state, it starts from the state that the module holds, and leaves the new one there.
    ///
    /// What is asked of it besides is said by the methods below, in any order.
    #[must_use]
    pub fn new(module: &'r GraphModule) -> Self {
        let mut execution = Self::of(module.graph(), module.attributes());
        execution.nodes.state = StateOf::Module(module);
        execution
    }

    /// Of any graph with these attributes. One with state needs [`Execution::with_state`].
    #[must_use]
    pub fn of(graph: &'r Graph, attributes: &'r Attributes) -> Self {
        let (start, values, sizes) = Default::default();
        let state = StateOf::Nobody;
        let nodes = Nodes { graph, attributes, start, values, keeps: false, processes: true, state, sizes };
        Self { nodes, observers: Observers::default() }
    }

    /// It starts from this state, and leaves the new one there if it succeeds.
    ///
    /// Needed for a graph with state that no module holds; in a module's run it takes the place of the module's.
    #[must_use]
    pub fn with_state(mut self, state: &'r mut State) -> Self {
        self.nodes.state = StateOf::Given(state);
        self
    }

    /// A node has this value from the start, and is not run. A placeholder that has one takes no input;
    /// with a signature, whose parameters can be made of several placeholders, all inputs are given and those of it unused.
    ///
    /// This is how a part of a graph is run. What comes before the node is computed all the same, unless it has a value
    /// too.
    #[must_use]
    pub fn with_value(mut self, id: NodeId, value: impl Into<Value>) -> Self {
        self.nodes.start.push((id, value.into()));
        self
    }

    /// Values stay after their last use, to be looked at after the run: torch.fx's `garbage_collect_values=False`.
    ///
    /// All of them are in memory then, as in training.
    #[must_use]
    pub fn keep_values(mut self) -> Self {
        self.nodes.keeps = true;
        self
    }

    /// Inputs are one value for each placeholder even if the graph has a signature, and with state the result is
    /// `(result, (written, …))`: torch.fx's `enable_io_processing=False`.
    #[must_use]
    pub fn without_processing(mut self) -> Self {
        self.nodes.processes = false;
        self
    }

    /// This observer looks on, also at the nodes of child graphs.
    ///
    /// They are told in the order in which they were added.
    #[must_use]
    pub fn observe(mut self, observer: &'r mut dyn Observer) -> Self {
        self.observers.push(observer);
        self
    }

    /// The value of a node after a run: of the output, and of every node if values are kept.
    ///
    /// None before a run. After one that failed, what was computed until then, as far as values are kept.
    #[must_use]
    pub fn value(&self, id: NodeId) -> Option<&Value> {
        self.nodes.values.get(id)
    }

    /// The values that are there after a run, in program order.
    pub fn values(&self) -> impl Iterator<Item = (NodeId, &Value)> {
        self.nodes.graph.nodes().filter_map(|(id, _)| Some((id, self.nodes.values.get(id)?)))
    }

    /// Runs the graph and returns its result; [`Value::None`] if it has no output.
    ///
    /// A run that fails leaves the state as it was.
    ///
    /// # Errors
    /// [`RunError`], as [`GraphModule::run`].
    pub fn run(&mut self, interpreter: &mut (impl Interpreter + ?Sized), inputs: &[Value]) -> Result<Value, RunError> {
        let mut state = self.nodes.state_now();
        let inputs = self.nodes.processed(&state, inputs)?;
        self.nodes.run(interpreter, &mut state, inputs, &Place::root(&self.observers))
    }

    /// [`Execution::run`] on inputs that it takes out of the list, so that each is freed after its last use. A wrong
    /// number of inputs is refused first and leaves the list as it is.
    ///
    /// # Errors
    /// [`RunError`], as [`GraphModule::run`].
    pub fn boxed_run(
        &mut self,
        interpreter: &mut (impl Interpreter + ?Sized),
        inputs: &mut Vec<Value>,
    ) -> Result<Value, RunError> {
        let mut state = self.nodes.state_now();
        let processed = self.nodes.processed(&state, inputs)?;
        inputs.clear();
        self.nodes.run(interpreter, &mut state, processed, &Place::root(&self.observers))
    }

    /// Runs a graph that is called from another, on one value for each placeholder.
    pub(super) fn run_at(
        &mut self,
        interpreter: &mut (impl Interpreter + ?Sized),
        inputs: Vec<Value>,
        place: &Place<'_>,
    ) -> Result<Value, RunError> {
        let mut state = self.nodes.state_now();
        let processed = self.nodes.processed(&state, &inputs)?;
        drop(inputs);
        self.nodes.run(interpreter, &mut state, processed, place)
    }
}

impl Nodes<'_> {
    fn state_now(&self) -> State {
        match &self.state {
            _ if !self.processes || self.graph.state().is_empty() => State::new(),
            StateOf::Module(module) => module.state(),
            StateOf::Given(state) => State::clone(state),
            StateOf::Nobody => State::new(),
        }
    }

    /// One value for each placeholder that has none from the start.
    fn processed(&self, state: &State, inputs: &[Value]) -> Result<VecDeque<Value>, RunError> {
        if self.processes && self.graph.signature().is_some() {
            return Ok(process_inputs(self.graph, state, inputs)?.into());
        }
        if self.start.is_empty() {
            let defaults = missing_inputs(self.graph, inputs.len())?;
            return Ok(inputs.iter().chain(defaults).cloned().collect());
        }
        // Placeholders with a value take no input; of the others the last ones may have defaults.
        let given: HashSet<NodeId> = self.start.iter().map(|(given, _)| *given).collect();
        let open: Vec<NodeId> = self.graph.placeholders().filter(|id| !given.contains(id)).collect();
        let missing = open.get(inputs.len()..).unwrap_or_default();
        let defaults: Option<Vec<&Value>> = missing.iter().map(|id| default_input(self.graph.node(*id))).collect();
        match defaults {
            Some(defaults) if inputs.len() <= open.len() => Ok(inputs.iter().chain(defaults).cloned().collect()),
            _ => {
                let names: Vec<&str> = open.iter().map(|id| self.graph.node(*id).name()).collect();
                Err(RunError::InputCount { expected: open.len(), names: names.join(", "), found: inputs.len() })
            }
        }
    }

    fn run(
        &mut self,
        interpreter: &mut (impl Interpreter + ?Sized),
        state: &mut State,
        mut inputs: VecDeque<Value>,
        place: &Place<'_>,
    ) -> Result<Value, RunError> {
        self.values = Environment::default();
        for (id, value) in &self.start {
            self.values.insert(*id, value.clone());
        }
        // With a signature every placeholder has an input, also one that has a value from the start.
        let gives_all = self.processes && self.graph.signature().is_some();
        let graph = self.graph;
        inputs.iter().try_for_each(|value| check_depth(graph, value))?;
        self.sizes = {
            // In the order in which they are taken below.
            let mut given = inputs.iter();
            let known = graph.placeholders().filter_map(|id| {
                let there = self.values.get(id);
                let taken = if there.is_none() || gives_all { given.next() } else { None };
                Some((id, there.or(taken)?))
            });
            sizes_of(graph, known)?
        };
        check_guards(graph, &self.sizes)?;
        let mut last_uses = SecondaryMap::<NodeId, Option<NodeId>>::new();
        if !self.keeps {
            for (id, node) in self.graph.nodes() {
                node.all_input_nodes().for_each(|input| last_uses[input] = Some(id));
            }
        }
        for (id, node) in graph.nodes() {
            let is_there = self.values.get(id).is_some();
            let is_input = node.op() == Op::Placeholder;
            let given = if is_input && (!is_there || gives_all) { inputs.pop_front() } else { None };
            if !is_there {
                let value =
                    self.run_one(interpreter, id, given.as_ref(), place).map_err(|error| of_slot(graph, error))?;
                drop(given);
                self.values.insert(id, value);
            }
            if node.op() == Op::Output {
                let value = self.values.get(id).cloned().unwrap_or_default();
                check_depth(graph, &value)?;
                self.collect(id, &last_uses);
                return Ok(if self.processes { self.left(state, value) } else { value });
            }
            if !self.keeps {
                self.collect(id, &last_uses);
                if last_uses[id].is_none() {
                    self.values.remove(id);
                }
            }
        }
        Ok(Value::None)
    }

    /// The result of a run; the new state goes to where the old one came from.
    fn left(&mut self, state: &mut State, output: Value) -> Value {
        let result = process_outputs(self.graph, state, output);
        match &mut self.state {
            _ if self.graph.state().is_empty() => {}
            StateOf::Module(module) => drop(module.set_state(std::mem::take(state))),
            StateOf::Given(given) => **given = std::mem::take(state),
            StateOf::Nobody => {}
        }
        result
    }

    fn run_one(
        &mut self,
        interpreter: &mut (impl Interpreter + ?Sized),
        id: NodeId,
        given: Option<&Value>,
        place: &Place<'_>,
    ) -> Result<Value, RunError> {
        let (graph, attributes) = (self.graph, self.attributes);
        let at = Running { graph, attributes, values: &self.values, sizes: &self.sizes, id, given, place };
        place.watch.before(at);
        let value = interpreter.run_node(at).map_err(|error| with_node(at, error))?;
        place.watch.after(at, &value);
        Ok(value)
    }

    /// Drops the values that this node is the last to use.
    fn collect(&mut self, id: NodeId, last_uses: &SecondaryMap<NodeId, Option<NodeId>>) {
        if self.keeps {
            return;
        }
        for input in self.graph.node(id).all_input_nodes() {
            if last_uses[input] == Some(id) {
                self.values.remove(input);
            }
        }
    }
}

/// An error of candle with the node it happened in. Errors that say where they are stay as they are.
fn with_node(at: Running<'_>, error: RunError) -> RunError {
    match error {
        RunError::Candle(error) => {
            let arguments = match at.fetch_args() {
                Ok(args) => described(&args.iter().map(AsRef::as_ref).collect::<Vec<_>>()),
                Err(_) => "nothing that can be shown".to_owned(),
            };
            explained(at.graph(), at.id(), Failed { error, arguments })
        }
        other => other,
    }
}
