//! State: what a capture has changed becomes inputs and outputs of the graph.
//!
//! The tensors that were there before were attributes of the model, or placeholders of an argument. They become inputs
//! after those of the user, as torch.export does with buffers that are changed; what is there afterwards is written to the
//! state by the output.
//!
//! Invariant: a graph that changes nothing is as it was recorded.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashSet};

use crate::entity::SecondaryMap;
use crate::ir::{Argument, ModulePath, ModuleStack, NodeId, Op, StateSlot, Target};
use crate::module::{Attribute, State as Values};
use crate::ops::Effect;
use crate::value::{Fact, Value};

use super::error::TraceError;
use super::held::{Change, Differences, Held, Leaf, Memo};
use super::probe::Declared;
use super::proxy::Proxy;
use super::session::{New, State};

/// What a mirror held before the capture, and what it holds after it.
pub(super) struct Watched {
    /// Its path: empty for the model, its name for an argument.
    pub(super) name: String,
    pub(super) before: Held,
    pub(super) after: Held,
}

/// The state of a graph.
#[derive(Default)]
pub(super) struct Carried {
    pub(super) slots: Vec<StateSlot>,
    pub(super) written: Vec<Argument>,
    /// What there was before the capture.
    pub(super) initial: Values,
    /// Names of the arguments that are state, and no parameters.
    pub(super) arguments: Vec<String>,
    /// The inputs that stand for tensors of the state, by their paths.
    pub(super) inputs: Vec<(String, NodeId)>,
    /// The maps that are no state.
    pub(super) memos: Vec<Memo>,
}

/// What the runs of one capture find out about maps.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Whether what is added to a map is state even if it does not depend on inputs.
    pub(crate) is_state: Cell<bool>,
    /// The maps of which it does not matter what is in them: the model is captured as if they were empty, so that it does the same
    /// for a size that it remembers as for others.
    pub(crate) forgotten: RefCell<Vec<String>>,
}

/// Which paths are state even if the capture does not change what is there: these, what is above and below them.
#[derive(Clone, Copy)]
pub(crate) struct IsState<'p> {
    /// What the user says.
    pub(crate) named: &'p BTreeSet<String>,
    /// Tensors and integers of the model that differ from run to run. Inputs have such names, too.
    pub(crate) sized: &'p Declared,
    pub(crate) memory: &'p Memory,
}

impl IsState<'_> {
    /// Whether what is at this path is an integer that differs from run to run.
    fn is_integer(&self, path: &str) -> bool {
        self.sized.scalars.iter().any(|scalar| scalar.path == path)
    }

    /// Whether something at this path, below it or above it differs in size from run to run.
    fn is_sized(&self, path: &str) -> bool {
        let leads_to =
            |scalar: &str| scalar == path || scalar.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        self.sized.dimensions.iter().any(|dimension| dimension.leads_to(path))
            || self.sized.scalars.iter().any(|scalar| leads_to(&scalar.path))
    }
}

/// Whether a path is one of these, below one of them, or above one.
fn is_under(paths: &BTreeSet<String>, path: &str) -> bool {
    let mut above = path.match_indices('.').map(|(end, _)| &path[..end]).chain([path]);
    let below = format!("{path}.");
    above.any(|path| paths.contains(path))
        || paths.range(below.clone()..).next().is_some_and(|next| next.starts_with(&below))
}

/// Makes what has changed the state of the graph; `is_state` says what else is state.
pub(super) fn carry(state: &mut State, watched: &[Watched], is_state: &IsState<'_>) -> Result<Carried, TraceError> {
    let mut carried = Carried::default();
    let mut names = HashSet::new();
    let mut changes = Vec::new();
    for watched in watched {
        let (found, memos) = compare(state, watched, is_state);
        carried.memos.extend(memos);
        if !found.is_empty() && !watched.name.is_empty() {
            carried.arguments.push(watched.name.clone());
        }
        for mut change in found {
            // A field and an argument may have one name.
            let name = change.name.clone();
            let mut count = 0;
            while !names.insert(change.name.clone()) {
                count += 1;
                change.name = format!("{name}_{count}");
            }
            changes.push(change);
        }
    }
    let opaque = |change: &Change| TraceError::OpaqueState { path: change.name.clone() };
    // What is written comes first: something that was there before may be written to another place.
    for change in &changes {
        let written = change.after.argument(&change.name, &mut |_, leaf| match leaf {
            Leaf::Tensor(proxy) => Argument::Node(proxy.node_in(state)),
            Leaf::Data(data) => data.clone(),
        });
        carried.written.push(written.ok_or_else(|| opaque(change))?);
    }
    let inputs = own_inputs(state, &carried.arguments, watched);
    let mut last = state.graph.placeholders().rfind(|id| !inputs.contains(id));
    let mut lifted = HashSet::new();
    for change in changes {
        let reads = change.before.argument(&change.name, &mut |path, leaf| {
            let id = match leaf {
                Leaf::Tensor(proxy) => lift(state, proxy, &mut last, &mut lifted),
                Leaf::Data(Argument::Int(int)) if is_state.is_integer(path) => number(state, path, *int, &mut last),
                Leaf::Data(data) => return data.clone(),
            };
            carried.inputs.push((path.to_owned(), id));
            Argument::Node(id)
        });
        let reads = reads.ok_or_else(|| opaque(&change))?;
        carried.initial.set(&change.name, change.before.value());
        carried.slots.push(StateSlot { name: change.name.into(), reads });
    }
    // What is an input now is no attribute. All at once, because each goes over all that there are.
    if !lifted.is_empty() {
        let is_lifted = |held: &Attribute| matches!(held, Attribute::Tensor(_));
        state.attributes.retain(|path, held| !(lifted.contains(path) && is_lifted(held)));
    }
    Ok(carried)
}

fn compare(state: &State, watched: &Watched, is_state: &IsState<'_>) -> (Vec<Change>, Vec<Memo>) {
    let IsState { named, sized: _, memory } = *is_state;
    let depends = std::cell::OnceCell::new();
    let is_constant = |held: &Held| {
        let depends = depends.get_or_init(|| depends_on_run(state, watched));
        let mut is_constant = !memory.is_state.get();
        held.for_each_tensor(&mut |proxy| is_constant &= proxy.known_node().is_none_or(|node| !depends[node]));
        is_constant
    };
    let mut is_input = false;
    watched.before.for_each_tensor(&mut |proxy| is_input |= proxy.input_node().is_some());
    let is_state = |path: &str| is_under(named, path) || (!is_input && is_state.is_sized(path));
    let mut differences =
        Differences { is_state: &is_state, is_constant: &is_constant, found: Vec::new(), memos: Vec::new() };
    if is_input {
        // The placeholders of an argument are all of the parameter or all of the state.
        differences.one(&watched.name, &watched.before, &watched.after);
    } else {
        differences.compare(&watched.name, &watched.before, &watched.after);
    }
    (differences.found, differences.memos)
}

/// Which nodes depend on inputs, on what the mirror held and holds no more, or on chance.
fn depends_on_run(state: &State, watched: &Watched) -> SecondaryMap<NodeId, bool> {
    let mut depends = SecondaryMap::<NodeId, bool>::new();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    watched.before.for_each_tensor(&mut |proxy| before.push(proxy.clone()));
    watched.after.for_each_tensor(&mut |proxy| after.push(proxy.clone()));
    let stays: HashSet<Option<NodeId>> = after.iter().map(Proxy::known_node).collect();
    for node in before.iter().filter_map(Proxy::known_node).filter(|node| !stays.contains(&Some(*node))) {
        depends[node] = true;
    }
    for (id, node) in state.graph.nodes() {
        let by_itself = match node.target() {
            Target::Placeholder(_) => true,
            Target::CallFunction(op) | Target::CallMethod(op) => op.effect != Effect::Pure,
            _ => false,
        };
        let reads = node.all_input_nodes().any(|input| depends[input]);
        depends[id] |= by_itself || reads;
    }
    depends
}

/// The placeholders of arguments that are state.
fn own_inputs(state: &State, arguments: &[String], watched: &[Watched]) -> HashSet<NodeId> {
    let mut inputs = HashSet::new();
    for watched in watched.iter().filter(|watched| arguments.contains(&watched.name)) {
        watched.before.for_each_tensor(&mut |proxy| {
            let is_placeholder = |id: &NodeId| state.graph.node(*id).op() == Op::Placeholder;
            inputs.extend(proxy.input_node().filter(is_placeholder));
        });
    }
    inputs
}

/// Makes a tensor that was there before an input of the graph, after those that there are; `lifted` gets the path of the
/// attribute that it was.
fn lift(state: &mut State, proxy: &Proxy, last: &mut Option<NodeId>, lifted: &mut HashSet<ModulePath>) -> NodeId {
    let id = proxy.node_in(state);
    let node = state.graph.node(id);
    if let Target::GetAttr(path) = node.target() {
        let (path, name) = (path.clone(), node.name().to_owned());
        lifted.insert(path);
        // Neither has arguments, so that it always fits.
        let _ = state.graph.set_target(id, Target::Placeholder(name.into()));
        let meta = state.graph.meta_mut(id);
        meta.module = ModuleStack::ROOT;
    }
    place(state, id, last);
    id
}

/// An integer that differs from run to run, as an input.
fn number(state: &mut State, path: &str, int: i64, last: &mut Option<NodeId>) -> NodeId {
    let name = path.replace('.', "_");
    let target = Target::Placeholder(name.as_str().into());
    let module = Some(ModuleStack::ROOT);
    let id = state.add_or_note(New { name: Some(name), fact: Fact::Data(Value::Int(int)), module, ..New::of(target) });
    place(state, id, last);
    id
}

/// Puts an input after those that there are.
fn place(state: &mut State, id: NodeId, last: &mut Option<NodeId>) {
    match (*last, state.graph.first()) {
        (Some(last), _) => state.graph.append(last, id),
        (None, Some(first)) => state.graph.prepend(first, id),
        (None, None) => {}
    }
    *last = Some(id);
}
