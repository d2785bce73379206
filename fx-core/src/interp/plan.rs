//! [`Plan`]: what running a graph needs, worked out once per revision of the graph.
//!
//! Invariant: every operand of a step is a constant, or a slot filled by an earlier step and not yet cleared.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::entity::EntityRef;
use crate::ir::{Argument, Graph, NodeId, Target};
use crate::module::{Attributes, LayerModule};
use crate::ops::OpRef;
use crate::value::Value;

use super::error::RunError;

/// Where an operand comes from: a number in one of the plan's lists, so that steps are small and lie side by side.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operand {
    /// The result of an earlier step, an input or an attribute.
    Slot(u32),
    /// Known from the start: in [`Plan::constants`].
    Constant(u32),
    /// Put together of others before the call: in [`Plan::structures`].
    Structure(u32),
}

/// Several operands as one.
#[derive(Debug)]
pub(crate) enum Structure {
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
    pub(crate) operands: SmallVec<[Operand; 4]>,
    pub(crate) result: u32,
    /// Slots that nothing reads after this step.
    pub(crate) cleared: SmallVec<[u32; 4]>,
}

/// What running a graph needs.
pub(crate) struct Plan {
    /// Slots of the inputs, in order.
    pub(crate) inputs: Vec<u32>,
    /// Slots of the attributes, with their tensors.
    pub(crate) attributes: Vec<(u32, Value)>,
    pub(crate) constants: Vec<Value>,
    pub(crate) structures: Vec<Structure>,
    pub(crate) steps: Vec<Step>,
    pub(crate) output: Operand,
    /// Number of slots.
    pub(crate) slots: usize,
}

impl Plan {
    pub(crate) fn new(graph: &Graph, attributes: &Attributes) -> Result<Self, RunError> {
        let mut planner = Planner { graph, slots: Vec::new(), next: 0, constants: Vec::new(), structures: Vec::new() };
        let (mut inputs, mut held, mut steps, mut output) = (Vec::new(), Vec::new(), Vec::new(), None);
        for (id, node) in graph.nodes() {
            let call = match node.target() {
                Target::Placeholder(_) => {
                    inputs.push(planner.fill(id));
                    continue;
                }
                Target::GetAttr(path) => {
                    let tensor = attributes.tensor(path)?.clone();
                    held.push((planner.fill(id), Value::Tensor(tensor)));
                    continue;
                }
                Target::Output => {
                    let argument = node.args().first().unwrap_or(&Argument::None);
                    output = Some(planner.operand(id, argument)?);
                    continue;
                }
                Target::CallFunction(op) | Target::CallMethod(op) => Call::Op(op),
                Target::CallModule(path) => Call::Layer(attributes.layer(path)?.clone()),
            };
            let operands = planner.operands(id, &call)?;
            let result = planner.fill(id);
            steps.push(Step { node: id, call, operands, result, cleared: SmallVec::new() });
        }
        let Planner { next, constants, structures, .. } = planner;
        let output = output.ok_or(RunError::NoOutput)?;
        let mut plan = Self { inputs, attributes: held, constants, structures, steps, output, slots: next as usize };
        plan.clear_after_last_use();
        Ok(plan)
    }

    /// Notes for each step which slots it is the last to read. Attributes stay: the module owns them anyway.
    fn clear_after_last_use(&mut self) {
        let mut live = vec![false; self.slots];
        for (slot, _) in &self.attributes {
            live[*slot as usize] = true;
        }
        let structures = &self.structures;
        self.output.for_each_slot(structures, &mut |slot| live[slot as usize] = true);
        for step in self.steps.iter_mut().rev() {
            let Step { operands, result, cleared, .. } = step;
            let mut visit = |slot: u32| {
                if !std::mem::replace(&mut live[slot as usize], true) {
                    cleared.push(slot);
                }
            };
            // A result that nothing reads goes at once.
            visit(*result);
            operands.iter().for_each(|operand| operand.for_each_slot(structures, &mut visit));
        }
    }
}

impl Operand {
    /// Visits the slots it reads.
    fn for_each_slot(self, structures: &[Structure], visit: &mut dyn FnMut(u32)) {
        match self {
            Self::Slot(slot) => visit(slot),
            Self::Constant(_) => {}
            Self::Structure(index) => match &structures[index as usize] {
                Structure::List(items) | Structure::Tuple(items) => {
                    items.iter().for_each(|item| item.for_each_slot(structures, visit));
                }
                Structure::Struct(_, fields) => {
                    fields.iter().for_each(|(_, item)| item.for_each_slot(structures, visit));
                }
            },
        }
    }
}

/// A plan in the making.
struct Planner<'g> {
    graph: &'g Graph,
    /// By node; [`NONE`] where there is none.
    slots: Vec<u32>,
    next: u32,
    constants: Vec<Value>,
    structures: Vec<Structure>,
}

const NONE: u32 = u32::MAX;

impl Planner<'_> {
    fn fill(&mut self, id: NodeId) -> u32 {
        let slot = self.next;
        self.next += 1;
        if self.slots.len() <= id.index() {
            self.slots.resize(id.index() + 1, NONE);
        }
        self.slots[id.index()] = slot;
        slot
    }

    /// The arguments of a call in the order of its parameters.
    fn operands(&mut self, id: NodeId, call: &Call) -> Result<SmallVec<[Operand; 4]>, RunError> {
        let graph = self.graph;
        let node = graph.node(id);
        let mut positional = node.args().iter();
        let Call::Op(op) = call else {
            let kwargs = node.kwargs().iter().map(|(_, argument)| argument);
            return positional.chain(kwargs).map(|argument| self.operand(id, argument)).collect();
        };
        let ordered = op
            .params
            .iter()
            .filter_map(|param| if param.positional { positional.next() } else { node.kwarg(param.name) });
        ordered.map(|argument| self.operand(id, argument)).collect()
    }

    fn operand(&mut self, user: NodeId, argument: &Argument) -> Result<Operand, RunError> {
        let structure = match argument {
            Argument::Node(id) => return self.slot(user, *id).map(Operand::Slot),
            argument => match (argument.to_value(), argument) {
                (Some(value), _) => return Ok(Operand::Constant(pushed(&mut self.constants, value))),
                (None, Argument::List(items)) => Structure::List(self.each(user, items)?),
                (None, Argument::Struct(structure)) => {
                    let (name, fields) = &**structure;
                    let fields = fields.iter().map(|(field, value)| Ok((field.clone(), self.operand(user, value)?)));
                    Structure::Struct(name.clone(), fields.collect::<Result<_, RunError>>()?)
                }
                (None, other) => {
                    // What is left holds nodes and has no names: a tuple.
                    let items = other.parts().map(|item| self.operand(user, item));
                    Structure::Tuple(items.collect::<Result<_, _>>()?)
                }
            },
        };
        Ok(Operand::Structure(pushed(&mut self.structures, structure)))
    }

    fn each(&mut self, user: NodeId, items: &[Argument]) -> Result<Vec<Operand>, RunError> {
        items.iter().map(|item| self.operand(user, item)).collect()
    }

    fn slot(&self, user: NodeId, id: NodeId) -> Result<u32, RunError> {
        match self.slots.get(id.index()) {
            Some(&slot) if slot != NONE => Ok(slot),
            _ => {
                let input = self.graph.try_node(id).map_or("?", |node| node.name()).to_owned();
                Err(RunError::NotComputed { line: self.graph.node_line(user), input })
            }
        }
    }
}

/// Puts an item at the end of a list; its number.
fn pushed<T>(list: &mut Vec<T>, item: T) -> u32 {
    list.push(item);
    (list.len() - 1) as u32
}
