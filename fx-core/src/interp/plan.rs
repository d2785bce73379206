//! [`Plan`]: what running a graph needs, worked out once per revision of the graph.
//!
//! Invariant: every operand of a step is a constant, or a slot filled by an earlier step and not yet cleared. A slot is
//! used again as soon as its value is not needed any more, so there are as many as there are values alive at once.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::entity::EntityRef;
use crate::ir::{Argument, Graph, Node, NodeId, Target, bind};
use crate::module::infer::infer_call;
use crate::module::inputs::{Input, bind_inputs};
use crate::module::normalize::layer_arguments;
use crate::module::{Attribute, Attributes, GraphModule, LayerModule};
use crate::ops::{OpRef, ResultKind};
use crate::value::{Fact, SymError, Value};

use super::error::RunError;

/// Where an operand comes from: a number in one of the plan's lists, so that steps are small and lie side by side.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand {
    /// An input, or the result of an earlier step.
    Slot(u32),
    /// Known from the start, attributes too: in [`Plan::constants`].
    Constant(u32),
    /// Put together of others before the call: in [`Plan::structures`].
    Structure(u32),
}

/// Several operands as one.
#[derive(Debug)]
pub(super) enum Structure {
    List(Vec<Operand>),
    Tuple(Vec<Operand>),
    Struct(Arc<str>, Vec<(Arc<str>, Operand)>),
}

/// What a step calls.
pub(super) enum Call {
    Op(OpRef),
    Layer(Arc<dyn LayerModule>),
    Graph(Box<(Arc<GraphModule>, Arc<Plan>)>),
}

/// One call. Its operands and the slots it clears are the next ones in the plan's lists, up to these ends.
pub(super) struct Step {
    pub(super) node: NodeId,
    /// The slot of its result.
    pub(super) result: u32,
    pub(super) operands_end: u32,
    /// The end of the slots that nothing reads after this step, its result's own among them if nothing reads it.
    pub(super) cleared_end: u32,
    pub(super) has_structures: bool,
    /// Whether only running it tells what its result is, so that the capture relied on the result it had then.
    pub(super) is_relied_on: bool,
    pub(super) call: Call,
}

/// What running a graph needs.
pub(crate) struct Plan {
    /// The slot of each input; none if nothing reads it.
    pub(super) inputs: Vec<Option<u32>>,
    pub(super) constants: Vec<Value>,
    pub(super) structures: Vec<Structure>,
    pub(super) operands: Vec<Operand>,
    pub(super) cleared: Vec<u32>,
    pub(super) steps: Vec<Step>,
    pub(super) output: Operand,
    /// What follows the sizes of a run, worked out before the first step, its slot, and the first node that reads it; each
    /// argument once.
    pub(super) symbolic: Vec<(Argument, u32, NodeId)>,
    /// Number of slots.
    pub(super) slots: usize,
    /// How deep graphs are nested in this one.
    depth: usize,
}

impl Plan {
    pub(super) fn of(module: &GraphModule) -> Result<Arc<Self>, RunError> {
        Self::nested(module, 0)
    }

    fn nested(module: &GraphModule, depth: usize) -> Result<Arc<Self>, RunError> {
        if depth > GraphModule::MAX_DEPTH {
            return Err(RunError::TooDeep);
        }
        let plan = module.plan.get(module.graph().revision(), || Self::new(module, depth))?;
        // A plan that was there may have been made when it was not as deep in others.
        if depth + plan.depth > GraphModule::MAX_DEPTH { Err(RunError::TooDeep) } else { Ok(plan) }
    }

    fn new(module: &GraphModule, depth: usize) -> Result<Self, RunError> {
        let graph = module.graph();
        let mut planner = Planner::new(graph);
        let (mut steps, mut output, mut deepest) = (Vec::new(), None, 0);
        // All inputs are there before the first step, so none gets a slot that a step has used before, wherever it stands.
        let slot = |id| planner.last_use(id).is_some().then(|| planner.take_slot());
        let inputs: Vec<Option<u32>> = graph.placeholders().map(slot).collect();
        let mut in_order = inputs.iter();
        for (id, node) in graph.nodes() {
            let call = match node.target() {
                Target::Placeholder(_) => {
                    planner.places[id.index()] = in_order.next().copied().flatten().map(Operand::Slot);
                    continue;
                }
                Target::GetAttr(path) => {
                    let value = Value::Tensor(module.attributes().tensor(path)?);
                    planner.places[id.index()] = Some(Operand::Constant(pushed(&mut planner.constants, value)));
                    continue;
                }
                Target::Output => {
                    let argument = node.args().first().unwrap_or(&Argument::None);
                    output = Some(planner.operand(id, argument)?);
                    continue;
                }
                Target::CallFunction(op) | Target::CallMethod(op) => Call::Op(op),
                Target::CallModule(path) => match module.attributes().callee(path)? {
                    Attribute::Module(child) => {
                        let plan = Self::nested(&child, depth + 1)?;
                        deepest = deepest.max(plan.depth + 1);
                        Call::Graph(Box::new((child, plan)))
                    }
                    Attribute::Layer(layer) => Call::Layer(layer),
                    Attribute::Tensor(_) => unreachable!("a tensor is no callee"),
                },
            };
            let has_structures = planner.push_operands(id, node, &call)?;
            let result = planner.release_and_take(id, node);
            let (operands_end, cleared_end) = (planner.operands.len() as u32, planner.cleared.len() as u32);
            let is_relied_on = is_relied_on(graph, module.attributes(), node);
            steps.push(Step { node: id, result, operands_end, cleared_end, has_structures, is_relied_on, call });
        }
        let Planner { slots, constants, structures, operands, cleared, symbolic, .. } = planner;
        let symbolic = symbolic.into_iter().map(|(argument, (slot, user))| (argument, slot, user)).collect();
        let output = output.ok_or(RunError::NoOutput)?;
        let slots = slots as usize;
        Ok(Self { inputs, constants, structures, operands, cleared, steps, output, symbolic, slots, depth: deepest })
    }
}

/// Whether a call gave something at the capture that no rule foretells. Sizes of it may be baked into what follows.
pub(super) fn is_relied_on(graph: &Graph, attributes: &Attributes, node: &Node) -> bool {
    let may_be = !node.meta().fact.is_unknown()
        && match node.target() {
            Target::CallFunction(op) | Target::CallMethod(op) => {
                matches!(op.result, ResultKind::Any | ResultKind::BareAny)
            }
            Target::CallModule(path) => matches!(attributes.callee(path), Ok(Attribute::Layer(_))),
            Target::Placeholder(_) | Target::GetAttr(_) | Target::Output => false,
        };
    if !may_be {
        return false;
    }
    let mut fact_of = |id| graph.try_node(id).map_or(Fact::Unknown, |node| node.meta().fact.clone());
    let inferred = infer_call(attributes, node.target(), node.args(), node.kwargs(), &mut fact_of);
    inferred.is_ok_and(|inferred| inferred.is_unknown())
}

/// A plan in the making.
struct Planner<'g> {
    graph: &'g Graph,
    /// By node: where its value is.
    places: Vec<Option<Operand>>,
    /// By node: the last that reads it.
    last_uses: Vec<Option<NodeId>>,
    /// Number of slots.
    slots: u32,
    free: Vec<u32>,
    constants: Vec<Value>,
    structures: Vec<Structure>,
    operands: Vec<Operand>,
    cleared: Vec<u32>,
    /// The slots of what follows the sizes of a run; nothing else is ever stored there.
    symbolic: IndexMap<Argument, (u32, NodeId)>,
}

impl<'g> Planner<'g> {
    fn new(graph: &'g Graph) -> Self {
        let count = graph.nodes().map(|(id, _)| id.index() + 1).max().unwrap_or(0);
        let mut last_uses = vec![None; count];
        for (id, node) in graph.nodes() {
            for input in node.all_input_nodes().filter(|input| input.index() < count) {
                last_uses[input.index()] = Some(id);
            }
        }
        Self {
            graph,
            places: vec![None; count],
            last_uses,
            slots: 0,
            free: Vec::new(),
            constants: Vec::new(),
            structures: Vec::new(),
            operands: Vec::new(),
            cleared: Vec::new(),
            symbolic: IndexMap::new(),
        }
    }

    fn last_use(&self, id: NodeId) -> Option<NodeId> {
        self.last_uses[id.index()]
    }

    fn take_slot(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        })
    }

    /// Frees the slots that the node is the last to read, and gives it one for its result. A call has its result before
    /// it is stored, so it can be stored over one of the inputs.
    fn release_and_take(&mut self, id: NodeId, node: &Node) -> u32 {
        let first_cleared = self.cleared.len();
        for input in node.all_input_nodes() {
            if let (Some(Operand::Slot(slot)), true) = (self.places[input.index()], self.last_use(input) == Some(id)) {
                self.free.push(slot);
                self.cleared.push(slot);
            }
        }
        let result = self.take_slot();
        // Storing the result clears what was there.
        if self.cleared.len() > first_cleared && self.cleared.last() == Some(&result) {
            self.cleared.pop();
        }
        if self.last_use(id).is_none() {
            self.free.push(result);
            self.cleared.push(result);
        }
        self.places[id.index()] = Some(Operand::Slot(result));
        result
    }

    /// Adds the arguments of a call in the order of its parameters, and says whether some are structures.
    fn push_operands(&mut self, id: NodeId, node: &'g Node, call: &Call) -> Result<bool, RunError> {
        let first = self.operands.len();
        match call {
            Call::Op(op) => {
                let bound = bind(op, node.args(), node.kwargs());
                for argument in
                    bound.map_err(|reason| RunError::Arguments { line: self.graph.node_line(id), reason })?
                {
                    let operand = self.operand(id, argument)?;
                    self.operands.push(operand);
                }
            }
            Call::Layer(layer) => {
                for argument in layer_arguments(&**layer, node.args(), node.kwargs()) {
                    let operand = self.operand(id, argument)?;
                    self.operands.push(operand);
                }
            }
            Call::Graph(child) => {
                let inputs = bind_inputs(child.0.graph(), node.args(), node.kwargs());
                let inputs = inputs.map_err(|reason| RunError::Inputs { line: self.graph.node_line(id), reason })?;
                for input in inputs {
                    let operand = match input {
                        Input::Given(argument) => self.operand(id, argument)?,
                        Input::Default(value) => Operand::Constant(pushed(&mut self.constants, value.clone())),
                    };
                    self.operands.push(operand);
                }
            }
        }
        Ok(self.operands[first..].iter().any(|operand| matches!(operand, Operand::Structure(_))))
    }

    fn operand(&mut self, user: NodeId, argument: &Argument) -> Result<Operand, RunError> {
        let structure = match argument {
            Argument::Node(id) => return self.place(user, *id),
            argument if argument.is_symbolic() && !argument.has_nodes() => {
                if let Some((slot, _)) = self.symbolic.get(argument) {
                    return Ok(Operand::Slot(*slot));
                }
                let slot = self.slots;
                self.slots += 1;
                self.symbolic.insert(argument.clone(), (slot, user));
                return Ok(Operand::Slot(slot));
            }
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

    fn place(&self, user: NodeId, id: NodeId) -> Result<Operand, RunError> {
        self.places.get(id.index()).copied().flatten().ok_or_else(|| not_computed(self.graph, user, id))
    }
}

/// The error of a node that reads a value which is not there.
pub(super) fn not_computed(graph: &Graph, user: NodeId, id: NodeId) -> RunError {
    let input = graph.try_node(id).map_or("?", Node::name).to_owned();
    RunError::NotComputed { line: graph.node_line(user), input }
}

/// The error of a node with an argument that has no value at the sizes of a run.
pub(super) fn no_value(graph: &Graph, user: NodeId, reason: SymError) -> RunError {
    RunError::NoValue { line: graph.node_line(user), reason }
}

/// Puts an item at the end of a list; its number.
fn pushed<T>(list: &mut Vec<T>, item: T) -> u32 {
    list.push(item);
    (list.len() - 1) as u32
}
