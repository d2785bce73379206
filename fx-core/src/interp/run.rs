//! Running a graph module by its plan.
//!
//! Invariant: per node, besides candle's own work: no allocation but for structures, and no look-up by name.

use std::fmt::Write as _;

use candle_core::Tensor;
use smallvec::SmallVec;

use crate::ir::Graph;
use crate::module::GraphModule;
use crate::ops::Args;
use crate::ops::candle_error::reason;
use crate::value::{Fact, Value};

use super::error::RunError;
use super::plan::{Build, Call, Operand, Plan, Step};

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
        let mut slots: Vec<Value> = vec![Value::None; plan.slots];
        for (slot, value) in plan.inputs.iter().zip(inputs) {
            slots[*slot as usize] = value.clone();
        }
        for (slot, value) in &plan.attributes {
            slots[*slot as usize] = value.clone();
        }
        for step in &plan.steps {
            let result = step.run(&slots).map_err(|(error, facts)| failed(self.graph(), step, &error, &facts))?;
            slots[step.result as usize] = result;
            for slot in &step.cleared {
                slots[*slot as usize] = Value::None;
            }
        }
        Ok(plan.output.value(&slots))
    }
}

impl Step {
    fn run(&self, slots: &[Value]) -> Result<Value, (candle_core::Error, String)> {
        let mut built: SmallVec<[Value; 1]> = SmallVec::new();
        for operand in &self.operands {
            if let Operand::Built(_) = operand {
                built.push(operand.value(slots));
            }
        }
        let mut next_built = built.iter();
        let mut values: SmallVec<[&Value; 8]> = SmallVec::new();
        for operand in &self.operands {
            match operand {
                Operand::Slot(slot) => values.push(&slots[*slot as usize]),
                Operand::Constant(value) => values.push(value),
                Operand::Built(_) => values.extend(next_built.next()),
            }
        }
        let result = match &self.call {
            Call::Op(op) => (op.eval)(Args { op, values: &values }),
            Call::Layer(layer) => layer.call(&values),
        };
        result.map_err(|error| (error, described(&values)))
    }
}

impl Operand {
    fn value(&self, slots: &[Value]) -> Value {
        let each = |items: &[Operand]| items.iter().map(|item| item.value(slots)).collect();
        match self {
            Self::Slot(slot) => slots[*slot as usize].clone(),
            Self::Constant(value) => value.clone(),
            Self::Built(Build::List(items)) => Value::List(each(items)),
            Self::Built(Build::Tuple(items)) => Value::Tuple(each(items)),
            Self::Built(Build::Struct(name, fields)) => {
                let fields = fields.iter().map(|(field, item)| (field.clone(), item.value(slots)));
                Value::Struct(name.clone(), fields.collect())
            }
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

fn failed(graph: &Graph, step: &Step, error: &candle_core::Error, arguments: &str) -> RunError {
    let node = graph.node(step.node);
    let at = node.meta().source.as_ref().map_or_else(String::new, |source| format!("\n  at {source}"));
    RunError::Node {
        node: node.name().to_owned(),
        line: graph.node_line(step.node),
        reason: reason(error),
        arguments: arguments.to_owned(),
        at,
    }
}

fn input_count(graph: &Graph, found: usize) -> RunError {
    let names: Vec<&str> = graph.placeholders().map(|id| graph.node(id).name()).collect();
    RunError::InputCount { expected: names.len(), names: names.join(", "), found }
}
