//! What a correct graph is, rule by rule, and [`Graph::verify`], which checks all of them in one run.
//!
//! The rules are listed at [`VerifyError`].
//!
//! Invariant: verifying takes linear time, changes nothing, and never panics, however broken the graph is.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use smallvec::SmallVec;

use super::argument::Argument;
use super::bind::{self, Bound};
use super::graph::Graph;
use super::identifier::is_legal_name;
use super::line::write_node;
use super::node::{Node, NodeId};
use super::target::{Op, Target};
use crate::entity::{EntityRef, SecondaryMap};
use crate::value::Fact;

mod dynamic;
mod error;
#[cfg(test)]
mod tests;

pub use error::{Place, VerifyError, VerifyErrors};

impl Graph {
    /// Checks everything that makes a graph correct: torch.fx's `lint`. What needs the model, V8, is checked by the
    /// module that holds the graph.
    ///
    /// The rules, V1 to V14, are listed at [`VerifyError`]. It takes linear time and changes nothing. A graph that is
    /// being built or edited may break some of them on the way; what is handed on should break none.
    ///
    /// # Errors
    ///
    /// Every fault, each with its rule, the node as text and the user's source line.
    #[doc(alias = "lint")]
    pub fn verify(&self) -> Result<(), VerifyErrors> {
        let mut verifier = Verifier::new(self);
        verifier.walk();
        verifier.check_users();
        verifier.check_signature();
        verifier.check_table();
        verifier.check_dynamic();
        if verifier.errors.is_empty() { Ok(()) } else { Err(VerifyErrors(verifier.errors)) }
    }
}

struct Verifier<'g> {
    graph: &'g Graph,
    errors: Vec<VerifyError>,
    /// Nodes that the walk has passed.
    passed: SecondaryMap<NodeId, bool>,
    /// How many users a node has by the arguments, and whether each is recorded as it should be.
    users: SecondaryMap<NodeId, (u32, bool)>,
    /// How many nodes there are by opcode.
    by_op: [usize; Op::ALL.len()],
    /// Scratch: the inputs of a node, as often as it uses them.
    inputs: Vec<NodeId>,
}

impl<'g> Verifier<'g> {
    fn new(graph: &'g Graph) -> Self {
        let count = graph.nodes.len();
        Self {
            graph,
            errors: Vec::new(),
            passed: SecondaryMap::with_capacity(count, false),
            users: SecondaryMap::with_capacity(count, (0, true)),
            by_op: [0; Op::ALL.len()],
            inputs: Vec::new(),
        }
    }

    /// V1 and V2, and for each node on the way the rules about nodes.
    fn walk(&mut self) {
        let layout = &self.graph.layout;
        let (mut before, mut next, mut count, mut only_placeholders) = (None, layout.first(), 0, true);
        while let Some(id) = next {
            let Some(node) = self.graph.try_node(id) else {
                self.links(before, format!("an erased node, {}, comes next in the order", id.index()));
                break;
            };
            if self.passed[id] {
                self.links(Some(id), "the order comes back to this node".into());
                break;
            }
            if layout.prev(id) != before {
                self.links(Some(id), "its link back is not to the node before".into());
            }
            let labels = (before.map_or(0, |before| layout.label(before)), layout.label(id));
            if labels.0 >= labels.1 {
                let place = self.place(id);
                self.errors.push(VerifyError::Labels { place, label: labels.1, before: labels.0 });
            }
            self.check_inputs(id, node);
            self.passed[id] = true;
            self.count_target(id, node);
            self.check_name(id, node);
            self.check_position(id, node, only_placeholders);
            if let Some(bound) = self.check_arguments(id, node) {
                self.check_fact(id, node, &bound);
            }
            only_placeholders &= node.op() == Op::Placeholder;
            count += 1;
            before = Some(id);
            next = layout.next(id);
        }
        if layout.last() != before {
            self.links(before, "the order ends here, but another node is said to be the last".into());
        }
        for (id, node) in self.graph.nodes.iter() {
            if let Some(node) = node
                && !self.passed[id]
            {
                self.links(Some(id), "the order does not reach this node".into());
                self.count_uses(id, node);
                self.count_target(id, node);
            }
        }
        if layout.len() != count {
            self.links(None, format!("{count} nodes are in the order, but {} are counted", layout.len()));
        }
        match self.by_op[Op::Output as usize] {
            0 => self.position(None, "there is no output".into()),
            1 => {}
            count => self.position(None, format!("there are {count} outputs")),
        }
    }

    /// V4 and V10.
    fn check_inputs(&mut self, id: NodeId, node: &Node) {
        self.count_uses(id, node);
        let (graph, passed) = (self.graph, &self.passed);
        if self.inputs.iter().all(|&input| passed[input] && graph.contains(input)) {
            return;
        }
        let (mut late, mut erased) = (Vec::new(), Vec::new());
        for input in node.all_input_nodes() {
            match graph.try_node(input) {
                None => erased.push(format!("node {}", input.index())),
                Some(input_node) if !passed[input] => late.push(format!("%{}", input_node.name())),
                Some(_) => {}
            }
        }
        if !late.is_empty() {
            let place = self.place(id);
            self.errors.push(VerifyError::UsedBeforeDefined { place, inputs: late });
        }
        if !erased.is_empty() {
            let place = self.place(id);
            self.errors.push(VerifyError::Erased { place, inputs: erased });
        }
    }

    /// Counts a node as a user of its inputs, and compares with what is recorded.
    fn count_uses(&mut self, id: NodeId, node: &Node) {
        let Self { graph, inputs, users, .. } = self;
        inputs.clear();
        node.for_each_use(&mut |input| inputs.push(input));
        inputs.sort_unstable();
        for uses in inputs.chunk_by(PartialEq::eq) {
            let input = uses[0];
            if graph.contains(input) {
                let (count, is_right) = &mut users[input];
                *count += 1;
                *is_right &= graph.users[input].times(id) as usize == uses.len();
            }
        }
    }

    /// V3.
    fn check_users(&mut self) {
        let is_wrong = |id| {
            let (count, is_right) = self.users[id];
            !is_right || self.graph.users[id].len() != count as usize
        };
        let live = || self.graph.nodes.iter().filter_map(|(id, node)| Some((id, node.as_ref()?)));
        let mut expected: HashMap<NodeId, Vec<(NodeId, u32)>> =
            live().filter(|&(id, _)| is_wrong(id)).map(|(id, _)| (id, Vec::new())).collect();
        if expected.is_empty() {
            return;
        }
        for (id, node) in live() {
            node.for_each_use(&mut |input| {
                if let Some(users) = expected.get_mut(&input) {
                    match users.last_mut() {
                        Some((user, times)) if *user == id => *times += 1,
                        _ => users.push((id, 1)),
                    }
                }
            });
        }
        for (id, _) in live() {
            if let Some(expected) = expected.get(&id) {
                let users = &self.graph.users[id];
                let recorded: Vec<_> = users.iter().map(|user| (user, users.times(user))).collect();
                let (recorded, expected) = (self.list_users(&recorded), self.list_users(expected));
                let place = self.place(id);
                self.errors.push(VerifyError::Users { place, recorded, expected });
            }
        }
    }

    fn list_users(&self, users: &[(NodeId, u32)]) -> String {
        let name = |&(user, times): &(NodeId, u32)| match self.graph.try_node(user) {
            Some(node) => format!("%{} ({times})", node.name()),
            None => format!("erased node {} ({times})", user.index()),
        };
        let mut names: Vec<String> = users.iter().take(8).map(name).collect();
        if users.len() > names.len() {
            names.push(format!("{} more", users.len() - names.len()));
        }
        if names.is_empty() { "none".into() } else { names.join(", ") }
    }

    /// V11 and V13.
    fn check_signature(&mut self) {
        let graph = self.graph;
        let Some(signature) = graph.signature() else { return };
        let mut parameters = HashSet::new();
        for (name, _) in &signature.parameters {
            if !parameters.insert(name) {
                self.signature(None, format!("two parameters of the signature are called `{name}`"));
            }
        }
        let mut slots = HashSet::new();
        for slot in &signature.state {
            if !slots.insert(&slot.name) {
                self.signature(None, format!("two parts of the state are called `{}`", slot.name));
            }
        }
        if let Some(output) = graph.output_node()
            && graph.result_and_written().is_none()
        {
            let (place, count) = (self.place(output), signature.state.len());
            let why = format!("the output should be the result and what is written to the {count} parts of the state");
            self.errors.push(VerifyError::State { place, why });
        }
        let mut named = SecondaryMap::with_capacity(graph.nodes.len(), false);
        signature.for_each_node(&mut |id| match graph.try_node(id) {
            None => self.signature(None, format!("the signature names node {}, which was erased", id.index())),
            Some(node) if node.op() != Op::Placeholder => {
                self.signature(Some(id), format!("the signature names %{}, which is no placeholder", node.name()));
            }
            Some(node) if named[id] => {
                self.signature(Some(id), format!("the signature names %{} more than once", node.name()));
            }
            Some(_) => named[id] = true,
        });
        let is_input = |node: &Option<Node>| node.as_ref().is_some_and(|node| node.op() == Op::Placeholder);
        for (id, _) in graph.nodes.iter().filter(|&(id, node)| is_input(node) && !named[id]) {
            self.signature(Some(id), "the signature does not name this placeholder".into());
        }
    }

    /// V12.
    fn check_table(&mut self) {
        let by_target = &self.graph.by_target;
        let counted = Op::ALL.map(|op| by_target.count(op));
        let why = if counted != self.by_op {
            format!("there are {:?} nodes by opcode, but {counted:?} are counted", self.by_op)
        } else if by_target.listed().is_some_and(|listed| listed != counted.iter().sum::<usize>()) {
            "more nodes can be found than there are".into()
        } else {
            return;
        };
        let place = self.place_of(None);
        self.errors.push(VerifyError::Table { place, why });
    }

    /// Counts a node by its opcode, and checks that it is found by its target.
    fn count_target(&mut self, id: NodeId, node: &Node) {
        self.by_op[node.op() as usize] += 1;
        if !self.graph.by_target.lists(id, node.target()) {
            let place = self.place(id);
            self.errors.push(VerifyError::Table { place, why: "the node is not found by its target".into() });
        }
    }

    /// V5.
    fn check_name(&mut self, id: NodeId, node: &Node) {
        let why = if !is_legal_name(node.name()) {
            format!("`{}` cannot be the name of a variable", node.name())
        } else if self.graph.names.owner(node.name()) != Some(id) {
            format!("`{}` is the name of another node", node.name())
        } else {
            return;
        };
        let place = self.place(id);
        self.errors.push(VerifyError::Name { place, why });
    }

    /// V6.
    fn check_position(&mut self, id: NodeId, node: &Node, only_placeholders: bool) {
        match node.op() {
            Op::Placeholder if !only_placeholders => {
                self.position(Some(id), "a placeholder comes after other nodes".into());
            }
            Op::Output if self.graph.layout.next(id).is_some() => {
                self.position(Some(id), "the output is not the last node".into());
            }
            _ => {}
        }
    }

    /// V7. Gives the arguments of an operation that fit it.
    fn check_arguments<'n>(&mut self, id: NodeId, node: &'n Node) -> Option<Bound<'n>> {
        let why = match node.target() {
            Target::CallFunction(op) | Target::CallMethod(op) => {
                match bind::check_opcode(node.target()).and_then(|()| bind::bind(op, node.args(), node.kwargs())) {
                    Ok(bound) => return Some(bound),
                    Err(error) => error.to_string(),
                }
            }
            Target::Placeholder(_) | Target::GetAttr(_) if node.arguments().next().is_some() => {
                format!("a {} has no arguments", node.op())
            }
            Target::Output if node.args().len() != 1 || !node.kwargs().is_empty() => {
                "an output has one argument, by position".into()
            }
            Target::CallModule(_) => match bind::repeated(node.kwargs()) {
                None => return None,
                Some(keyword) => format!("argument `{keyword}` is given twice"),
            },
            _ => return None,
        };
        let place = self.place(id);
        self.errors.push(VerifyError::Arguments { place, why });
        None
    }

    /// V9, of a call with these arguments.
    fn check_fact(&mut self, id: NodeId, node: &Node, bound: &[&Argument]) {
        let Some(op) = node.target().operation() else { return };
        let mut facts = SmallVec::<[Cow<'_, Fact>; 4]>::new();
        for argument in bound {
            match self.fact_of(argument) {
                Some(fact) => facts.push(fact),
                None => return,
            }
        }
        let facts: SmallVec<[&Fact; 4]> = facts.iter().map(AsRef::as_ref).collect();
        let stored = &node.meta().fact;
        let why = match (op.infer)(crate::ops::Facts { op, facts: &facts }) {
            Err(error) => format!("the operation does not take these arguments: {error}"),
            Ok(Fact::Unknown) => return,
            Ok(_) if stored.is_unknown() => return,
            Ok(inferred) if inferred.agrees_with(stored) => return,
            Ok(inferred) => format!("the value is said to be {stored}, but is {inferred}"),
        };
        let place = self.place(id);
        self.errors.push(VerifyError::Fact { place, why });
    }

    /// What is known of an argument, if all of it is.
    fn fact_of(&self, argument: &Argument) -> Option<Cow<'g, Fact>> {
        if let Argument::Node(id) = argument {
            return Some(&self.graph.try_node(*id)?.meta().fact).filter(|fact| is_known(fact)).map(Cow::Borrowed);
        }
        let fact =
            argument.fact(&mut |id| self.graph.try_node(id).map_or(Fact::Unknown, |node| node.meta.fact.clone()));
        is_known(&fact).then_some(Cow::Owned(fact))
    }

    fn links(&mut self, id: Option<NodeId>, why: String) {
        let place = self.place_of(id);
        self.errors.push(VerifyError::Links { place, why });
    }

    fn position(&mut self, id: Option<NodeId>, why: String) {
        let place = self.place_of(id);
        self.errors.push(VerifyError::Position { place, why });
    }

    fn signature(&mut self, id: Option<NodeId>, why: String) {
        let place = self.place_of(id);
        self.errors.push(VerifyError::Signature { place, why });
    }

    fn place(&self, id: NodeId) -> Place {
        self.place_of(Some(id))
    }

    fn place_of(&self, node: Option<NodeId>) -> Place {
        let Some(id) = node else {
            return Place { node, line: format!("graph {}", self.graph.name()), source: None };
        };
        let mut line = String::new();
        write_node(self.graph, id, &mut line).expect("a string takes everything");
        Place { node, line, source: self.graph.node(id).meta().source.clone() }
    }
}

/// Whether nothing in it is unknown.
fn is_known(fact: &Fact) -> bool {
    match fact {
        Fact::Unknown => false,
        Fact::List(items) | Fact::Tuple(items) => items.iter().all(is_known),
        Fact::Tensor(_) | Fact::Data(_) | Fact::SymInt(_) => true,
    }
}
