//! Whether a model only remembers what it adds to a map: a mask for each size is the same whether it is made or found, a count
//! is another each time. Which of the two it is shows when the model is called with other memories: those that the first call
//! left, those that calls of other sizes left, and none.
//!
//! What does not depend on inputs is compared by its value where the host has it, and otherwise by how it is computed.
//!
//! Invariant: two calls are alike if what they compute of their inputs, what they return and what they keep besides is the same,
//! node by node.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use crate::entity::EntityRef;
use crate::interp::{Constants, constant};
use crate::ir::{Argument, Graph, Keyword, ModulePath, Node, NodeId, Target};
use crate::module::{Attributes, CONSTANT};
use crate::ops::Effect;
use crate::value::Value;

use super::dynamic::bits;
use super::held::{Held, Memo};
use super::session::Session;

/// Calls that were recorded one after the other on one mirror.
pub(super) struct Calls {
    session: Arc<Session>,
    pub(super) calls: Vec<Called>,
}

/// One of them.
pub(super) struct Called {
    session: Arc<Session>,
    /// Its nodes, among those of the session.
    nodes: Range<usize>,
    /// What it returned.
    output: Argument,
    /// What the model held after it.
    held: Held,
}

impl Calls {
    pub(super) fn new(session: Arc<Session>) -> Self {
        Self { session, calls: Vec::new() }
    }

    /// One more, which has just returned.
    pub(super) fn add(&mut self, output: Argument, held: Held) {
        let before = self.calls.last().map_or(0, |called| called.nodes.end);
        let nodes = before..self.session.state().graph.nodes().count();
        self.calls.push(Called { session: self.session.clone(), nodes, output, held });
    }
}

impl Drop for Calls {
    /// Nothing is recorded any more, whoever still has a proxy.
    fn drop(&mut self) {
        let _ = self.session.state().close();
    }
}

/// Whether two calls computed the same, of one mirror or of two; what is in these maps may have been found or made.
pub(super) fn is_alike(one: Option<&Called>, other: Option<&Called>, memos: &[Memo]) -> bool {
    let mut classes = HashMap::new();
    let mut steps = |called: &Called| {
        let state = called.session.state();
        let (graph, attributes) = (&state.graph, &state.attributes);
        Keys { graph, attributes, memos, classes: &mut classes, places: HashMap::new() }.call(called)
    };
    one.map(&mut steps) == other.map(steps)
}

/// Whether the maps of a model have the same keys and plain data after both calls.
pub(super) fn remembers_as_much(first: &Called, second: &Called) -> bool {
    first.held.remembered() == second.held.remembered()
}

/// Whether the plain data that a model remembers was the same after both calls.
pub(super) fn remembers_alike(first: &Called, second: &Called) -> bool {
    let data = |called: &Called| {
        let remembered = called.held.remembered().into_iter();
        remembered.filter_map(|(path, data)| Some((path, data?.clone()))).collect::<Vec<_>>()
    };
    data(first) == data(second)
}

/// A node without its place: what it calls, and with which arguments.
type Step = (Target, Vec<Argument>, Vec<(Keyword, Argument)>);

/// What a call computes of its inputs, what it returns, and what the model keeps besides maps.
#[derive(PartialEq)]
struct Steps {
    steps: Vec<Step>,
    output: Argument,
    kept: Vec<(String, Argument)>,
}

/// What nodes are called in the comparison.
struct Keys<'k> {
    graph: &'k Graph,
    attributes: &'k Attributes,
    memos: &'k [Memo],
    /// What is the same in every call, by what it is.
    classes: &'k mut HashMap<String, usize>,
    places: HashMap<NodeId, Key>,
}

/// The place of what an earlier call made of its inputs: it is none of this one's steps.
const EARLIER: usize = 1 << 29;

#[derive(Clone, Copy)]
enum Key {
    /// The how manieth step of its call.
    Step(usize),
    /// Something that is the same in every call.
    Constant(usize),
}

impl Keys<'_> {
    fn call(mut self, called: &Called) -> Steps {
        let (mut steps, mut known) = (Vec::new(), Constants::default());
        for (place, (id, node)) in self.graph.nodes().take(called.nodes.end).enumerate() {
            let depends = match node.target() {
                Target::Placeholder(_) => true,
                Target::CallFunction(op) | Target::CallMethod(op) => op.effect != Effect::Pure,
                _ => false,
            };
            let is_step = |id| matches!(self.places.get(&id), Some(Key::Step(_)));
            if !depends && !node.all_input_nodes().any(is_step) {
                let class = self.class(id, node, &mut known);
                self.places.insert(id, Key::Constant(class));
            } else if called.nodes.contains(&place) {
                self.places.insert(id, Key::Step(steps.len()));
                // Names of inputs are not taken twice.
                let target = match node.target() {
                    Target::Placeholder(_) => Target::Output,
                    other => other.clone(),
                };
                let args = node.args().iter().map(|argument| self.mapped(argument)).collect();
                let kwargs = node.kwargs().iter().map(|(name, argument)| (name.clone(), self.mapped(argument)));
                steps.push((target, args, kwargs.collect()));
            } else {
                self.places.insert(id, Key::Step(EARLIER));
            }
        }
        let mut kept = Vec::new();
        called.held.for_each_leaf("", false, &mut |path, leaf, is_memo| {
            if !is_memo {
                kept.push((path, self.leaf(leaf)));
            }
        });
        Steps { steps, output: self.mapped(&called.output), kept }
    }

    fn mapped(&self, argument: &Argument) -> Argument {
        argument.map_nodes(&mut |id| NodeId::new(self.key(id)))
    }

    fn key(&self, id: NodeId) -> usize {
        match self.places.get(&id) {
            Some(Key::Step(place)) => 2 * place,
            Some(Key::Constant(class)) => 2 * class + 1,
            None => 2 * EARLIER,
        }
    }

    /// What a model keeps, in the names of the comparison.
    fn leaf(&self, leaf: &Held) -> Argument {
        match leaf {
            Held::Data(data) => data.clone(),
            Held::Text(text) => Argument::Str(text.clone()),
            Held::Layer(layer) => layer.told().map_or(Argument::None, Argument::Str),
            Held::Tensor(proxy) => match (proxy.held_at(), proxy.known_node()) {
                (Some(path), _) if !self.is_by_value(path) => Argument::Str(path.as_str().into()),
                (_, Some(node)) => Argument::Node(NodeId::new(self.key(node))),
                (_, None) => Argument::None,
            },
            Held::Opaque | Held::List(_) | Held::Tuple(_) | Held::Struct(_) => Argument::None,
        }
    }

    /// What a node is that is the same in every call.
    fn class(&mut self, id: NodeId, node: &Node, known: &mut Constants) -> usize {
        /// A larger value is not made to be compared.
        const MOST_BYTES: usize = 64 << 20;
        let value = match node.target() {
            Target::GetAttr(path) if self.is_by_value(path) => self.attributes.tensor(path).ok().map(Value::Tensor),
            Target::GetAttr(_) => None,
            _ => constant(self.graph, id, known, MOST_BYTES),
        };
        let told = match &value {
            Some(Value::Tensor(tensor)) => bits(tensor).map(|bits| {
                let mut hasher = DefaultHasher::new();
                bits.hash(&mut hasher);
                format!("{:?} {:?} #{:x}", tensor.dtype(), tensor.dims(), hasher.finish())
            }),
            _ => None,
        };
        let told = told.unwrap_or_else(|| {
            let args: Vec<Argument> = node.args().iter().map(|argument| self.mapped(argument)).collect();
            let kwargs = node.kwargs().iter().map(|(name, argument)| (name, self.mapped(argument)));
            format!("{:?} {args:?} {:?}", node.target(), kwargs.collect::<Vec<_>>())
        });
        known.extend(value.map(|value| (id, value)));
        let next = self.classes.len();
        *self.classes.entry(told).or_insert(next)
    }

    /// Whether an attribute may be the other call's under another path: the host made it, or a map remembers it.
    fn is_by_value(&self, path: &ModulePath) -> bool {
        let is_below = |memo: &Memo| path.as_str().strip_prefix(&*memo.path).is_some_and(|rest| rest.starts_with('.'));
        path.as_str().starts_with(CONSTANT) || self.memos.iter().any(is_below)
    }
}
