//! Running a graph module by its plan.
//!
//! Invariant: per node, besides candle's own work: no allocation but for structures, and no look-up by name.

use std::fmt::Write as _;

use candle_core::Tensor;
use smallvec::SmallVec;

use crate::ir::{Graph, Node, NodeId};
use crate::module::GraphModule;
use crate::module::inputs::{default_input, input_names};
use crate::ops::Args;
use crate::ops::candle_error::{caught, reason};
use crate::value::{Fact, Value};

use super::error::{NodeError, RunError};
use super::plan::{Call, Operand, Plan, Structure};
use super::processing::{process_inputs, process_outputs};

impl GraphModule {
    /// Runs the graph on tensors, one per placeholder, and returns its one tensor: `module.forward(&[&x, &mask])`.
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
    /// # Errors
    /// [`RunError`]: names the node that candle refused, with shapes and the line of the original source.
    pub fn run(&self, inputs: &[Value]) -> Result<Value, RunError> {
        if self.graph().signature().is_none() {
            return self.run_placeholders(inputs);
        }
        let result = self.run_placeholders(&process_inputs(self.graph(), inputs)?)?;
        Ok(process_outputs(self.graph(), result))
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
        for ((id, slot), value) in graph.placeholders().zip(&self.inputs).zip(inputs) {
            check_input(graph.node(id), value)?;
            if let Some(slot) = slot {
                slots[*slot as usize] = value.clone();
            }
        }
        let (mut operands_start, mut cleared_start) = (0, 0);
        for step in &self.steps {
            let (operands_end, cleared_end) = (step.operands_end as usize, step.cleared_end as usize);
            let operands = &self.operands[operands_start..operands_end];
            let result = if step.has_structures {
                self.call_with_structures(&step.call, operands, &slots)
            } else {
                let values: SmallVec<[&Value; 6]> = operands.iter().map(|operand| self.at(*operand, &slots)).collect();
                call(&step.call, &values)
            };
            slots[step.result as usize] = result.map_err(|failed| explained(graph, step.node, *failed))?;
            for slot in &self.cleared[cleared_start..cleared_end] {
                slots[*slot as usize] = Value::None;
            }
            (operands_start, cleared_start) = (operands_end, cleared_end);
        }
        Ok(match self.output {
            // Nothing else reads it.
            Operand::Slot(slot) => std::mem::take(&mut slots[slot as usize]),
            output => self.value(output, &slots),
        })
    }

    /// Structures are put together first, so that the arguments can be references.
    #[cold]
    #[inline(never)]
    fn call_with_structures(&self, callee: &Call, operands: &[Operand], slots: &[Value]) -> Result<Value, Box<Failed>> {
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

fn call(callee: &Call, values: &[&Value]) -> Result<Value, Box<Failed>> {
    let result = match callee {
        Call::Op(op) => caught(|| (op.eval)(Args { op, values })),
        Call::Layer(layer) => caught(|| layer.call(values)),
        Call::Graph(child) => child.1.run(child.0.graph(), values.iter().copied()).map_err(candle_core::Error::from),
    };
    result.map_err(|error| Box::new(Failed { error, arguments: described(values) }))
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
pub(super) fn check_input(placeholder: &Node, value: &Value) -> Result<(), RunError> {
    let Fact::Tensor(expected) = &placeholder.meta().fact else { return Ok(()) };
    if let Value::Tensor(tensor) = value
        && expected.shape == *tensor.shape()
        && expected.dtype == tensor.dtype()
    {
        return Ok(());
    }
    let (input, found) = (placeholder.name().to_owned(), Fact::of(value).to_string());
    Err(RunError::OtherInput { input, expected: expected.to_string(), found })
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
