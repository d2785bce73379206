//! Running a graph module by its plan.
//!
//! Invariant: per node, besides candle's own work: no allocation but for structures, and no look-up by name.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use candle_core::Tensor;
use smallvec::SmallVec;

use crate::ir::{Argument, Graph, Node, NodeId};
use crate::module::inputs::{default_input, input_names, parameter};
use crate::module::{GraphModule, State};
use crate::ops::Args;
use crate::ops::candle_error::{panicked, reason};
use crate::value::{Fact, Sizes, Value};

use super::error::{NodeError, RunError};
use super::plan::{Call, Operand, Plan, Structure, no_value};
use super::processing::{of_slot, process_inputs, process_outputs};
use super::sizes::{check_guards, sizes_of};

impl GraphModule {
    /// Runs the graph on tensors, one per placeholder, and returns its one tensor: `module.forward(&[&x, &mask])`.
    ///
    /// A graph with a [signature](Graph::signature) takes one for each parameter. Of a graph that returns several
    /// values or none, use [`GraphModule::run`].
    ///
    /// ```
    /// use candle_core::{Device, Tensor};
    /// use fx_core::{interp::RunError, trace::Tracer};
    ///
    /// let module = Tracer::new().trace_fn(|inputs| &inputs.tensor("x")? + &inputs.tensor("y")?)?;
    /// let one = Tensor::new(&[1f32], &Device::Cpu)?;
    /// assert_eq!(module.forward(&[&one, &one])?.to_vec1::<f32>()?, [2.0]);
    /// assert!(matches!(module.forward(&[&one]), Err(RunError::InputCount { expected: 2, found: 1, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`RunError`]: names the node that candle refused, with shapes and the line of the original source.
    pub fn forward<T: AsRef<Tensor>>(&self, inputs: &[T]) -> Result<Tensor, RunError> {
        let inputs: Vec<Value> = inputs.iter().map(|tensor| Value::from(tensor.as_ref())).collect();
        match self.run(&inputs)? {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(RunError::NotOneTensor { found: format!("a {}", other.kind()) }),
        }
    }

    /// Runs the graph on values, one per placeholder, and returns what it returns. The last ones can be left out if
    /// they have defaults ([`DEFAULT_INPUT`](crate::module::DEFAULT_INPUT)). A graph that has a signature
    /// ([`Graph::signature`]) takes one value for each of its parameters instead.
    ///
    /// A graph with state ([`Graph::state`]) starts from the state that this module holds, and leaves the new one there.
    /// If it fails, the state stays as it was. Runs of one module at the same time start from the same state, and the
    /// last one leaves its own: to run several sequences, give each a state, [`GraphModule::run_with_state`].
    ///
    /// Inputs are shared, never copied, and left as they are; tensors that the graph makes are freed after their last
    /// use.
    ///
    /// # Errors
    /// [`RunError`]: names the node that candle refused, with shapes and the line of the original source.
    pub fn run(&self, inputs: &[Value]) -> Result<Value, RunError> {
        if self.graph().signature().is_none() {
            return self.run_placeholders(inputs);
        }
        if self.graph().state().is_empty() {
            return self.run_processed(&mut State::new(), inputs);
        }
        let mut state = self.state();
        let result = self.run_processed(&mut state, inputs)?;
        self.set_state(state);
        Ok(result)
    }

    /// [`GraphModule::run`] in a state that the caller keeps, instead of the one that this module holds: the state is read,
    /// and is changed when the run has succeeded.
    ///
    /// The state of this module is neither read nor changed.
    ///
    /// # Errors
    /// As [`GraphModule::run`]; also when the graph has as a constant what is in the state.
    pub fn run_with_state(&self, state: &mut State, inputs: &[Value]) -> Result<Value, RunError> {
        self.expect_no_constants(state)?;
        self.run_processed(state, inputs)
    }

    fn run_processed(&self, state: &mut State, inputs: &[Value]) -> Result<Value, RunError> {
        let graph = self.graph();
        let output = self.run_placeholders(&process_inputs(graph, state, inputs)?);
        Ok(process_outputs(graph, state, output.map_err(|error| of_slot(graph, error))?))
    }

    /// Whether the graph is for these inputs and the state that the module holds: they have the shapes and dtypes that it was
    /// captured for, and its guards hold.
    ///
    /// Nothing runs. A call that it accepts can still fail: candle may refuse what depends on data.
    ///
    /// # Errors
    /// Why it is not, as [`GraphModule::run`] would say.
    pub fn accepts(&self, inputs: &[Value]) -> Result<(), RunError> {
        self.accepts_with_state(&self.state(), inputs)
    }

    /// [`GraphModule::accepts`] in a state that the caller keeps.
    ///
    /// # Errors
    /// Why it is not, as [`GraphModule::run_with_state`] would say.
    pub fn accepts_with_state(&self, state: &State, inputs: &[Value]) -> Result<(), RunError> {
        let graph = self.graph();
        let mut values = process_inputs(graph, state, inputs)?;
        let defaults = missing_inputs(graph, values.len())?;
        values.extend(defaults.into_iter().cloned());
        let sizes = sizes_of(graph, graph.placeholders().zip(&values))?;
        for (id, value) in graph.placeholders().zip(&values) {
            check_input(graph.node(id), value, &sizes)?;
        }
        check_guards(graph, &sizes)
    }

    /// [`GraphModule::run`] on values given by the names of the parameters, in any order. Those with defaults, and those
    /// that were specialised to a value, can be left out.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use fx_core::trace::Tracer;
    ///
    /// let module = Tracer::new().trace_fn(|inputs| &inputs.tensor("x")? - &inputs.tensor("y")?)?;
    /// let (x, y) = (Tensor::new(3f32, &Device::Cpu)?, Tensor::new(1f32, &Device::Cpu)?);
    /// let difference = module.run_named(&[("y", y.into()), ("x", x.into())])?;
    /// assert_eq!(difference.as_tensor().unwrap().to_scalar::<f32>()?, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`GraphModule::run`]; also when a name is unknown, given twice, or missing.
    pub fn run_named(&self, inputs: &[(&str, Value)]) -> Result<Value, RunError> {
        let graph = self.graph();
        // The names in order, each with what it is if it is not given.
        let parameters: Vec<(&str, Option<Value>)> = match graph.signature() {
            Some(signature) => {
                signature.parameters.iter().map(|(name, made_of)| (&**name, made_of.to_value())).collect()
            }
            None => graph
                .placeholders()
                .map(|id| (parameter(graph.node(id)), default_input(graph.node(id)).cloned()))
                .collect(),
        };
        let names = || parameters.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let known: HashSet<&str> = parameters.iter().map(|(name, _)| *name).collect();
        let mut given: HashMap<&str, &Value> = HashMap::new();
        for (name, value) in inputs {
            if !known.contains(name) {
                return Err(RunError::UnknownInput { name: (*name).to_owned(), names: names() });
            }
            if given.insert(name, value).is_some() {
                return Err(RunError::TwiceGiven { name: (*name).to_owned() });
            }
        }
        let each = parameters.iter().map(|(name, default)| match (given.get(name), default) {
            (Some(value), _) => Ok((*value).clone()),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => Err(RunError::MissingInput { name: (*name).to_owned(), names: names() }),
        });
        self.run(&each.collect::<Result<Vec<_>, _>>()?)
    }

    /// Runs the graph on one value per placeholder, whatever its signature.
    pub(super) fn run_placeholders(&self, inputs: &[Value]) -> Result<Value, RunError> {
        let plan = Plan::of(self)?;
        let defaults = missing_inputs(self.graph(), inputs.len())?;
        let each = inputs.iter().chain(defaults.iter().copied());
        plan.run(self.graph(), each)
    }
}

impl Plan {
    /// Runs the graph that this plan is of on one value per placeholder.
    fn run<'v>(&self, graph: &Graph, inputs: impl Iterator<Item = &'v Value>) -> Result<Value, RunError> {
        let mut slots: Vec<Value> = vec![Value::None; self.slots];
        let inputs: SmallVec<[&Value; 8]> = inputs.collect();
        let sizes = sizes_of(graph, graph.placeholders().zip(inputs.iter().copied()))?;
        for ((id, slot), value) in graph.placeholders().zip(&self.inputs).zip(inputs) {
            check_input(graph.node(id), value, &sizes)?;
            check_depth(graph, value)?;
            if let Some(slot) = slot {
                slots[*slot as usize] = value.clone();
            }
        }
        check_guards(graph, &sizes)?;
        for (argument, slot, user) in &self.symbolic {
            let value = argument.evaluate(&sizes).map_err(|why| no_value(graph, *user, why))?;
            slots[*slot as usize] = value.unwrap_or_default();
        }
        let at = Cell::new(0);
        // A call only reads values, and makes a new one: nothing is left half done.
        let ran = catch_unwind(AssertUnwindSafe(|| self.run_steps(graph, &sizes, &mut slots, &at)));
        match ran.unwrap_or_else(|payload| Err(Box::new(panicked(payload).into()))).map_err(|error| *error) {
            Err(RunError::Candle(error)) => {
                let (step, operands) = (&self.steps[at.get()], self.operands_of(at.get()));
                let values: Vec<Value> = operands.iter().map(|operand| self.value(*operand, &slots)).collect();
                let arguments = described(&values.iter().collect::<Vec<_>>());
                return Err(explained(graph, step.node, Failed { error, arguments }));
            }
            ran => ran?,
        }
        let output = match self.output {
            // Nothing else reads it.
            Operand::Slot(slot) => std::mem::take(&mut slots[slot as usize]),
            output => self.value(output, &slots),
        };
        check_depth(graph, &output)?;
        Ok(output)
    }

    /// Runs all steps; `at` is the one that is running.
    fn run_steps(
        &self,
        graph: &Graph,
        sizes: &Sizes,
        slots: &mut [Value],
        at: &Cell<usize>,
    ) -> Result<(), Box<RunError>> {
        let (mut operands_start, mut cleared_start) = (0, 0);
        for (i, step) in self.steps.iter().enumerate() {
            at.set(i);
            let (operands_end, cleared_end) = (step.operands_end as usize, step.cleared_end as usize);
            let operands = &self.operands[operands_start..operands_end];
            let result = match operands {
                _ if step.has_structures => self.call_with_structures(&step.call, operands, slots),
                [a] => call(&step.call, &[self.at(*a, slots)]),
                [a, b] => call(&step.call, &[self.at(*a, slots), self.at(*b, slots)]),
                [a, b, c] => call(&step.call, &[self.at(*a, slots), self.at(*b, slots), self.at(*c, slots)]),
                operands => {
                    let values: SmallVec<[&Value; 8]> =
                        operands.iter().map(|operand| self.at(*operand, slots)).collect();
                    call(&step.call, &values)
                }
            };
            match result {
                Ok(value) => {
                    if step.is_relied_on {
                        check_result(graph, step.node, &value, sizes)?;
                    }
                    slots[step.result as usize] = value;
                }
                Err(error) => return Err(Box::new(error.into())),
            }
            for slot in &self.cleared[cleared_start..cleared_end] {
                slots[*slot as usize] = Value::None;
            }
            (operands_start, cleared_start) = (operands_end, cleared_end);
        }
        Ok(())
    }

    /// The operands of a step.
    fn operands_of(&self, step: usize) -> &[Operand] {
        let start = step.checked_sub(1).map_or(0, |before| self.steps[before].operands_end as usize);
        &self.operands[start..self.steps[step].operands_end as usize]
    }

    /// Structures are put together first, so that the arguments can be references.
    #[cold]
    #[inline(never)]
    fn call_with_structures(&self, callee: &Call, operands: &[Operand], slots: &[Value]) -> candle_core::Result<Value> {
        let is_structure = |operand: &&Operand| matches!(operand, Operand::Structure(_));
        let built: SmallVec<[Value; 2]> =
            operands.iter().filter(is_structure).map(|operand| self.value(*operand, slots)).collect();
        let mut next_built = built.iter();
        let each = operands.iter().map(|operand| match operand {
            Operand::Structure(_) => next_built.next().unwrap_or(&Value::None),
            operand => self.at(*operand, slots),
        });
        let values: SmallVec<[&Value; 6]> = each.collect();
        call(callee, &values)
    }

    /// Where an operand is that needs not be put together.
    fn at<'v>(&'v self, operand: Operand, slots: &'v [Value]) -> &'v Value {
        match operand {
            Operand::Slot(slot) => &slots[slot as usize],
            Operand::Constant(constant) => &self.constants[constant as usize],
            Operand::Structure(_) => &Value::None,
        }
    }

    /// The value of an operand.
    fn value(&self, operand: Operand, slots: &[Value]) -> Value {
        let each = |items: &[Operand]| items.iter().map(|item| self.value(*item, slots)).collect();
        let Operand::Structure(index) = operand else {
            return self.at(operand, slots).clone();
        };
        match &self.structures[index as usize] {
            Structure::List(items) => Value::List(each(items)),
            Structure::Tuple(items) => Value::Tuple(each(items)),
            Structure::Struct(name, fields) => {
                let fields = fields.iter().map(|(field, item)| (field.clone(), self.value(*item, slots)));
                Value::Struct(name.clone(), fields.collect())
            }
        }
    }
}

#[inline]
fn call(callee: &Call, values: &[&Value]) -> candle_core::Result<Value> {
    match callee {
        Call::Op(op) => (op.eval)(Args { op, values }),
        Call::Layer(layer) => layer.call(values),
        Call::Graph(child) => child.1.run(child.0.graph(), values.iter().copied()).map_err(candle_core::Error::from),
    }
}

/// What went wrong in a step.
pub(super) struct Failed {
    pub(super) error: candle_core::Error,
    /// The arguments, with shapes.
    pub(super) arguments: String,
}

/// The error of a node.
pub(super) fn explained(graph: &Graph, id: NodeId, failed: Failed) -> RunError {
    let node = graph.node(id);
    let at = node.meta().source.as_ref().map_or_else(String::new, |source| format!("\n  at {source}"));
    RunError::Node(Box::new(NodeError {
        node: node.name().to_owned(),
        line: graph.node_line(id),
        reason: reason(&failed.error),
        arguments: failed.arguments,
        at,
        cause: failed.error,
    }))
}

/// Values as messages have them, with shapes.
pub(super) fn described(values: &[&Value]) -> String {
    let mut text = String::new();
    for value in values {
        let separator = if text.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{}", Fact::of(value));
    }
    text
}

/// A graph holds for the shapes and dtypes it was captured at: numbers made of them are baked in.
pub(super) fn check_input(placeholder: &Node, value: &Value, sizes: &Sizes) -> Result<(), RunError> {
    let expected = &placeholder.meta().fact;
    if !matches!(expected, Fact::Tensor(_) | Fact::SymInt(_)) || expected.holds_of(value, sizes) {
        return Ok(());
    }
    let (input, found) = (placeholder.name().to_owned(), Fact::of(value).to_string());
    if expected.is_symbolic() {
        return Err(RunError::OtherStructure { input, expected: format!("{expected} for {sizes}"), found });
    }
    Err(RunError::OtherInput { input, expected: expected.to_string(), found })
}

/// Graphs that call each other can wrap a value again and again; what is nested deep cannot even be dropped.
pub(super) fn check_depth(graph: &Graph, value: &Value) -> Result<(), RunError> {
    if value.is_deeper_than(Argument::MAX_DEPTH) {
        return Err(RunError::ValueTooDeep { graph: graph.name().to_owned() });
    }
    Ok(())
}

/// What follows may hold for the result that the call had at the capture only.
#[cold]
#[inline(never)]
pub(super) fn check_result(graph: &Graph, id: NodeId, value: &Value, sizes: &Sizes) -> Result<(), Box<RunError>> {
    let expected = &graph.node(id).meta().fact;
    if expected.holds_of(value, sizes) {
        return Ok(());
    }
    let (line, found) = (graph.node_line(id), Fact::of(value).to_string());
    Err(Box::new(RunError::OtherResult { line, expected: expected.to_string(), found }))
}

/// The defaults of the placeholders after the first `given`; an error if they do not have any, or are not as many.
pub(super) fn missing_inputs(graph: &Graph, given: usize) -> Result<Vec<&Value>, RunError> {
    let mut placeholders = graph.placeholders();
    let taken = placeholders.by_ref().take(given).count();
    let defaults: Option<Vec<&Value>> = placeholders.map(|id| default_input(graph.node(id))).collect();
    match defaults {
        Some(defaults) if taken == given => Ok(defaults),
        _ => {
            let expected = graph.placeholders().count();
            Err(RunError::InputCount { expected, names: input_names(graph), found: given })
        }
    }
}
