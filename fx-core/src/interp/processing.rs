//! Calling a graph as the original was called: its parameters made of lists, structures and constants, and its state,
//! become one value for each placeholder; of what it gives, the state is taken.
//!
//! Invariant: `process_outputs(graph(process_inputs(x))) == f(x)`, however the graph is run.

use std::sync::Arc;

use crate::entity::SecondaryMap;
use crate::ir::{Argument, Graph, NodeId, StateSlot};
use crate::module::State;
use crate::value::{Fact, Value};

use super::error::RunError;

/// The values of the placeholders, in order, if the graph is called with these values of its parameters
/// ([`Graph::signature`]) in this state, empty for a graph without one. Parameters that are wholly constants may be left
/// out, all of them together. Without a signature the inputs are those values.
///
/// With [`process_outputs`] it is the law of every way of running:
/// `process_outputs(graph(process_inputs(x))) == f(x)`. [`GraphModule::run`](crate::module::GraphModule::run) and
/// [`Execution`](super::Execution) do both; who runs a graph otherwise, by
/// [`Execution::without_processing`](super::Execution::without_processing), calls them.
///
/// # Errors
/// When there are too many or too few, when one has another structure than at the capture, when one differs from the
/// value it was specialised to, or when the state is another than at the capture.
pub fn process_inputs(graph: &Graph, state: &State, inputs: &[Value]) -> Result<Vec<Value>, RunError> {
    let Some(signature) = graph.signature() else {
        return Ok(inputs.to_vec());
    };
    let parameters = &signature.parameters;
    let is_open = |parameter: &&(Arc<str>, Argument)| parameter.1.to_value().is_none();
    let bound: Vec<&(Arc<str>, Argument)> = if inputs.len() == parameters.len() {
        parameters.iter().collect()
    } else {
        parameters.iter().filter(is_open).collect()
    };
    if bound.len() != inputs.len() {
        let names = parameters.iter().map(|(name, _)| &**name).collect::<Vec<_>>().join(", ");
        return Err(RunError::InputCount { expected: parameters.len(), names, found: inputs.len() });
    }
    let mut values = SecondaryMap::<NodeId, Option<Value>>::new();
    for ((name, made_of), value) in bound.into_iter().zip(inputs) {
        flatten(name, made_of, value, &mut |id, value| values[id] = Some(value.clone()))?;
    }
    for slot in &signature.state {
        let mut missing = None;
        let value = state.put_together(&slot.name, &slot.reads);
        flatten(&slot.name, &slot.reads, &value, &mut |id, value| {
            if *value == Value::None {
                missing.get_or_insert(id);
            }
            values[id] = Some(value.clone());
        })
        .map_err(|error| of_state(graph, slot, error))?;
        if let Some(id) = missing {
            let Some(node) = graph.try_node(id) else {
                return Err(RunError::GoneInput { what: slot.name.to_string() });
            };
            let expected = match &node.meta().fact {
                Fact::Unknown => "a tensor".to_owned(),
                known => known.to_string(),
            };
            return Err(RunError::OtherState { slot: slot.name.to_string(), expected, found: "none".to_owned() });
        }
    }
    let each = graph.placeholders().map(|id| {
        let missing = || RunError::OtherStructure {
            input: graph.node(id).name().to_owned(),
            expected: "part of a parameter".to_owned(),
            found: "in none".to_owned(),
        };
        values[id].take().ok_or_else(missing)
    });
    each.collect()
}

/// The result as the original returned it; what the run has left to the next goes into the state.
///
/// Of a graph without state the output is the result.
#[must_use]
pub fn process_outputs(graph: &Graph, state: &mut State, output: Value) -> Value {
    let slots = graph.state();
    if slots.is_empty() {
        return output;
    }
    match output {
        Value::Tuple(mut parts) if parts.len() == 2 => {
            let (written, result) = (parts.pop(), parts.pop());
            if let Some(Value::Tuple(written)) = written {
                slots.iter().zip(written).for_each(|(slot, value)| state.set(&slot.name, value));
            }
            result.unwrap_or_default()
        }
        other => other,
    }
}

/// An error of what stands for the state, as one of the state.
fn of_state(graph: &Graph, slot: &StateSlot, error: RunError) -> RunError {
    match error {
        RunError::OtherStructure { input, found, .. } if input == *slot.name => {
            let fact_of = |id| graph.try_node(id).map_or(Fact::Unknown, |node| node.meta().fact.clone());
            let fact = slot.reads.fact(&mut { fact_of });
            RunError::OtherState { slot: input, expected: fact.to_string(), found }
        }
        RunError::OtherStructure { input, expected, found } | RunError::Specialised { input, expected, found } => {
            RunError::OtherState { slot: input, expected, found }
        }
        other => other,
    }
}

/// An error of an input that stands for a part of the state, as one of that.
pub(super) fn of_slot(graph: &Graph, error: RunError) -> RunError {
    let RunError::OtherInput { input, expected, found } = error else { return error };
    let Some(id) = graph.node_named(&input) else { return RunError::OtherInput { input, expected, found } };
    let is_read = |slot: &&StateSlot| {
        let mut is_read = false;
        slot.reads.for_each_node(&mut |node| is_read |= node == id);
        is_read
    };
    match graph.state().iter().find(is_read) {
        Some(slot) => RunError::OtherState { slot: format!("{} (%{input})", slot.name), expected, found },
        None => RunError::OtherInput { input, expected, found },
    }
}

/// Finds the values of the placeholders that a parameter is made of.
fn flatten(
    path: &str,
    made_of: &Argument,
    value: &Value,
    found: &mut dyn FnMut(NodeId, &Value),
) -> Result<(), RunError> {
    let other = |expected: String| RunError::OtherStructure {
        input: path.to_owned(),
        expected,
        found: Fact::of(value).to_string(),
    };
    match (made_of, value) {
        (Argument::Node(id), value) => {
            found(*id, value);
            Ok(())
        }
        (Argument::List(parts) | Argument::Tuple(parts), Value::List(items) | Value::Tuple(items)) => {
            if parts.len() != items.len() {
                return Err(other(format!("{} values", parts.len())));
            }
            for (i, (part, item)) in parts.iter().zip(items).enumerate() {
                flatten(&format!("{path}[{i}]"), part, item, found)?;
            }
            Ok(())
        }
        (Argument::Struct(structure), Value::Struct(name, fields)) => {
            let (expected, parts) = &**structure;
            let is_same = parts.iter().map(|(name, _)| name).eq(fields.iter().map(|(name, _)| name));
            if expected != name || !is_same {
                return Err(other(format!("a {expected} with the fields it was captured with")));
            }
            for ((field, part), (_, item)) in parts.iter().zip(fields) {
                flatten(&format!("{path}.{field}"), part, item, found)?;
            }
            Ok(())
        }
        (constant, value) => match constant.to_value() {
            Some(expected) if expected == *value => Ok(()),
            Some(expected) => Err(RunError::Specialised {
                input: path.to_owned(),
                expected: expected.to_string(),
                found: value.to_string(),
            }),
            None => Err(other("a list, tuple or structure".to_owned())),
        },
    }
}
