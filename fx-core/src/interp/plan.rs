//! [`Plan`]: what running a graph needs, worked out once per revision of the graph.
//!
//! Invariant: every operand of a step is a constant, or a slot filled by an earlier step and not yet cleared.

use std::sync::Arc;

use crate::entity::EntityRef;
use crate::ir::{Argument, Graph, NodeId, Target};
use crate::module::{Attributes, LayerModule};
use crate::ops::OpRef;
use crate::value::Value;

use super::error::RunError;

/// Where an operand comes from.
#[derive(Debug)]
pub(crate) enum Operand {
    /// The result of an earlier step, or an input.
    Slot(u32),
    /// Known from the start.
    Constant(Value),
    /// A structure with results in it, put together before the call.
    Built(Build),
}

/// A structure of operands.
#[derive(Debug)]
pub(crate) enum Build {
    List(Vec<Operand>),
    Tuple(Vec<Operand>),
    Struct(Arc<str>, Vec<(Arc<str>, Operand)>),
}

/// What a step calls.
pub(crate) enum Call {
    Op(OpRef),
    Layer(Arc<dyn LayerModule>),
}

/// One call.
pub(crate) struct Step {
    pub(crate) node: NodeId,
    pub(crate) call: Call,
    pub(crate) operands: Box<[Operand]>,
    pub(crate) result: u32,
    /// Slots that nothing reads after this step.
    pub(crate) cleared: Box<[u32]>,
}

/// What running a graph needs.
pub(crate) struct Plan {
    /// Values that are there before the first step: one per placeholder first, then attributes.
    pub(crate) inputs: Vec<u32>,
    pub(crate) attributes: Vec<(u32, Value)>,
    pub(crate) steps: Vec<Step>,
    pub(crate) output: Operand,
    /// Inputs that no step reads.
    pub(crate) slots: usize,
}

/// Numbers the values of a graph.
struct Slots {
    of: Vec<u32>,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Slots {
    fn fill(&mut self, id: NodeId) -> u32 {
        let slot = self.next;
        self.next += 1;
        if self.of.len() <= id.index() {
            self.of.resize(id.index() + 1, NONE);
        }
        self.of[id.index()] = slot;
        slot
    }

    fn get(&self, id: NodeId) -> Option<u32> {
        self.of.get(id.index()).copied().filter(|&slot| slot != NONE)
    }
}

impl Plan {
    pub(crate) fn new(graph: &Graph, attributes: &Attributes) -> Result<Self, RunError> {
        let mut slots = Slots { of: Vec::new(), next: 0 };
        let mut plan = Self {
            inputs: Vec::new(),
            attributes: Vec::new(),
            steps: Vec::new(),
            output: Operand::Constant(Value::None),
            slots: 0,
        };
        let mut has_output = false;
        for (id, node) in graph.nodes() {
            let call = match node.target() {
                Target::Placeholder(_) => {
                    plan.inputs.push(slots.fill(id));
                    continue;
                }
                Target::GetAttr(path) => {
                    let tensor = attributes.tensor(path)?.clone();
                    plan.attributes.push((slots.fill(id), Value::Tensor(tensor)));
                    continue;
                }
                Target::Output => {
                    if let Some(argument) = node.args().first() {
                        plan.output = operand(graph, &slots, id, argument)?;
                    }
                    has_output = true;
                    continue;
                }
                Target::CallFunction(op) | Target::CallMethod(op) => Call::Op(op),
                Target::CallModule(path) => Call::Layer(attributes.layer(path)?.clone()),
            };
            let operands = operands(graph, &slots, id, &call)?;
            let result = slots.fill(id);
            plan.steps.push(Step { node: id, call, operands, result, cleared: Box::default() });
        }
        if !has_output {
            return Err(RunError::NoOutput);
        }
        plan.slots = slots.next as usize;
        plan.clear_after_last_use();
        Ok(plan)
    }

    /// Notes for each step which slots it is the last to read. Attributes stay: the module owns them anyway.
    fn clear_after_last_use(&mut self) {
        let mut live = vec![false; self.slots];
        for (slot, _) in &self.attributes {
            live[*slot as usize] = true;
        }
        self.output.for_each_slot(&mut |slot| live[slot as usize] = true);
        for step in self.steps.iter_mut().rev() {
            let mut cleared = Vec::new();
            let mut visit = |slot: u32| {
                if !std::mem::replace(&mut live[slot as usize], true) {
                    cleared.push(slot);
                }
            };
            // A result that nothing reads goes at once.
            visit(step.result);
            step.operands.iter().for_each(|operand| operand.for_each_slot(&mut visit));
            step.cleared = cleared.into();
        }
    }
}

impl Operand {
    /// Visits the slots it reads.
    fn for_each_slot(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Self::Slot(slot) => visit(*slot),
            Self::Constant(_) => {}
            Self::Built(Build::List(items) | Build::Tuple(items)) => {
                items.iter().for_each(|item| item.for_each_slot(visit))
            }
            Self::Built(Build::Struct(_, fields)) => fields.iter().for_each(|(_, item)| item.for_each_slot(visit)),
        }
    }
}

/// The arguments of a call in the order of its parameters.
fn operands(graph: &Graph, slots: &Slots, id: NodeId, call: &Call) -> Result<Box<[Operand]>, RunError> {
    let node = graph.node(id);
    let mut positional = node.args().iter();
    let Call::Op(op) = call else {
        let kwargs = node.kwargs().iter().map(|(_, argument)| argument);
        return positional.chain(kwargs).map(|argument| operand(graph, slots, id, argument)).collect();
    };
    let ordered = op.params.iter().filter_map(|param| {
        if param.positional {
            positional.next()
        } else {
            node.kwargs().iter().find(|(name, _)| *name == param.name).map(|(_, argument)| argument)
        }
    });
    ordered.map(|argument| operand(graph, slots, id, argument)).collect()
}

fn operand(graph: &Graph, slots: &Slots, user: NodeId, argument: &Argument) -> Result<Operand, RunError> {
    if let Some(value) = argument.to_value() {
        return Ok(Operand::Constant(value));
    }
    let each =
        |items: &[Argument]| items.iter().map(|item| operand(graph, slots, user, item)).collect::<Result<Vec<_>, _>>();
    Ok(match argument {
        Argument::Node(id) => match slots.get(*id) {
            Some(slot) => Operand::Slot(slot),
            None => {
                let input = graph.try_node(*id).map_or("?", |node| node.name()).to_owned();
                return Err(RunError::NotComputed { line: graph.node_line(user), input });
            }
        },
        Argument::List(items) => Operand::Built(Build::List(each(items)?)),
        Argument::Tuple(items) => Operand::Built(Build::Tuple(each(items)?)),
        Argument::Struct(structure) => {
            let (name, fields) = &**structure;
            let fields = fields.iter().map(|(field, value)| Ok((field.clone(), operand(graph, slots, user, value)?)));
            Operand::Built(Build::Struct(name.clone(), fields.collect::<Result<_, RunError>>()?))
        }
        // Everything else holds no node and became a constant above.
        _ => Operand::Constant(Value::None),
    })
}
