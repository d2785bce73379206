//! Running a graph module by its plan.
//!
//! Invariant: per node, besides candle's own work: no allocation but for structures, and no look-up by name.

use std::fmt::Write as _;

use candle_core::Tensor;
use smallvec::SmallVec;

use crate::ir::{Graph, Node};
use crate::module::GraphModule;
use crate::ops::Args;
use crate::ops::candle_error::reason;
use crate::value::{Fact, Value};

use super::error::RunError;
use super::plan::{Call, Operand, Plan, Step, Structure};

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

    /// Runs the graph on values, one per placeholder, and returns what it returns.
    ///
    /// # Errors
    /// [`RunError`]: names the node that candle refused, with shapes and the line of the original source.
    pub fn run(&self, inputs: &[Value]) -> Result<Value, RunError> {
        let plan = self.plan.get(self.graph().revision(), || Plan::new(self.graph(), self.attributes()))?;
        if inputs.len() != plan.inputs.len() {
            return Err(input_count(self.graph(), inputs.len()));
        }
        for (id, value) in self.graph().placeholders().zip(inputs) {
            check_input(self.graph().node(id), value)?;
        }
        let mut slots: Vec<Value> = vec![Value::None; plan.slots];
        for (slot, value) in plan.inputs.iter().zip(inputs) {
            slots[*slot as usize] = value.clone();
        }
        for (slot, value) in &plan.attributes {
            slots[*slot as usize] = value.clone();
        }
        for step in &plan.steps {
            let result = step.run(&plan, &slots).map_err(|failed| (*failed).explain(self.graph(), step))?;
            slots[step.result as usize] = result;
            for slot in &step.cleared {
                slots[*slot as usize] = Value::None;
            }
        }
        Ok(plan.value(plan.output, &slots))
    }
}

impl Step {
    fn run(&self, plan: &Plan, slots: &[Value]) -> Result<Value, Box<Failed>> {
        // Structures are put together first, so that the arguments can be references.
        let mut built: SmallVec<[Value; 1]> = SmallVec::new();
        for operand in &self.operands {
            if let Operand::Structure(_) = operand {
                built.push(plan.value(*operand, slots));
            }
        }
        let mut next_built = built.iter();
        let mut values: SmallVec<[&Value; 8]> = SmallVec::new();
        for operand in &self.operands {
            match operand {
                Operand::Slot(slot) => values.push(&slots[*slot as usize]),
                Operand::Constant(constant) => values.push(&plan.constants[*constant as usize]),
                Operand::Structure(_) => values.extend(next_built.next()),
            }
        }
        let result = match &self.call {
            Call::Op(op) => (op.eval)(Args { op, values: &values }),
            Call::Layer(layer) => layer.call(&values),
        };
        result.map_err(|error| Box::new(Failed { error, arguments: described(&values) }))
    }
}

impl Plan {
    /// The value of an operand.
    fn value(&self, operand: Operand, slots: &[Value]) -> Value {
        let each = |items: &[Operand]| items.iter().map(|item| self.value(*item, slots)).collect();
        match operand {
            Operand::Slot(slot) => slots[slot as usize].clone(),
            Operand::Constant(constant) => self.constants[constant as usize].clone(),
            Operand::Structure(index) => match &self.structures[index as usize] {
                Structure::List(items) => Value::List(each(items)),
                Structure::Tuple(items) => Value::Tuple(each(items)),
                Structure::Struct(name, fields) => {
                    let fields = fields.iter().map(|(field, item)| (field.clone(), self.value(*item, slots)));
                    Value::Struct(name.clone(), fields.collect())
                }
            },
        }
    }
}

/// What went wrong in a step.
struct Failed {
    error: candle_core::Error,
    arguments: String,
}

impl Failed {
    fn explain(self, graph: &Graph, step: &Step) -> RunError {
        let node = graph.node(step.node);
        let at = node.meta().source.as_ref().map_or_else(String::new, |source| format!("\n  at {source}"));
        RunError::Node {
            node: node.name().to_owned(),
            line: graph.node_line(step.node),
            reason: reason(&self.error),
            arguments: self.arguments,
            at,
        }
    }
}

fn described(values: &[&Value]) -> String {
    let mut text = String::new();
    for value in values {
        let separator = if text.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{}", Fact::of(value));
    }
    text
}

/// A graph holds for the shapes and dtypes it was captured at: numbers made of them are baked in.
fn check_input(placeholder: &Node, value: &Value) -> Result<(), RunError> {
    let (Fact::Tensor(expected), Value::Tensor(tensor)) = (&placeholder.meta().fact, value) else {
        return Ok(());
    };
    if expected.shape == *tensor.shape() && expected.dtype == tensor.dtype() {
        return Ok(());
    }
    let (input, found) = (placeholder.name().to_owned(), Fact::of(value).to_string());
    Err(RunError::OtherInput { input, expected: expected.to_string(), found })
}

fn input_count(graph: &Graph, found: usize) -> RunError {
    let names: Vec<&str> = graph.placeholders().map(|id| graph.node(id).name()).collect();
    RunError::InputCount { expected: names.len(), names: names.join(", "), found }
}
