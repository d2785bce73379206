//! [`Unifier`]: what stands for what while a pattern is compared with a graph, and how it is taken back.
//!
//! Invariant: a node of the graph stands for at most one call of the pattern, and taking back leaves what was before.

use std::collections::HashMap;

use super::matcher::could_be;
use super::mismatch::Why;
use super::pattern::Pattern;
use crate::entity::SecondaryMap;
use crate::ir::{Argument, Graph, Node, NodeId, Op, Target};
use crate::module::{Attribute, Attributes, LayerModule};

/// What stands for the nodes of a pattern.
pub(super) struct Unifier<'a> {
    pattern: &'a Pattern,
    graph: &'a Graph,
    attributes: Option<&'a Attributes>,
    ignore_literals: bool,
    match_placeholder: bool,
    bound: SecondaryMap<NodeId, Option<Argument>>,
    /// The nodes of the pattern that something stands for, in the order in which they were found.
    trail: Vec<NodeId>,
    /// Calls and attributes of the pattern, and what stands for each.
    nodes: Vec<(NodeId, NodeId)>,
    stands_for: HashMap<NodeId, NodeId, foldhash::fast::RandomState>,
    /// Nodes that are part of an earlier match.
    pub(super) taken: SecondaryMap<NodeId, bool>,
    /// Scratch: what is still to be compared.
    pending: Vec<(NodeId, NodeId)>,
}

impl<'a> Unifier<'a> {
    pub(super) fn new(
        pattern: &'a Pattern,
        graph: &'a Graph,
        attributes: Option<&'a Attributes>,
        ignore_literals: bool,
        match_placeholder: bool,
    ) -> Self {
        Self {
            pattern,
            graph,
            attributes,
            ignore_literals,
            match_placeholder,
            bound: SecondaryMap::new(),
            trail: Vec::new(),
            nodes: Vec::new(),
            stands_for: HashMap::default(),
            taken: SecondaryMap::new(),
            pending: Vec::new(),
        }
    }

    /// What stands for a node of the pattern.
    pub(super) fn get(&self, pattern: NodeId) -> Option<&Argument> {
        self.bound_ref(pattern)
    }

    fn bound_ref(&self, pattern: NodeId) -> Option<&Argument> {
        self.bound[pattern].as_ref()
    }

    /// Calls and attributes of the pattern, and the nodes that stand for them.
    pub(super) fn nodes(&self) -> &[(NodeId, NodeId)] {
        &self.nodes
    }

    /// Whether the node of the graph stands for a call or attribute of the pattern.
    pub(super) fn is_inner(&self, node: NodeId) -> bool {
        self.stands_for.contains_key(&node)
    }

    /// How much of the pattern fits.
    pub(super) fn fitted(&self) -> usize {
        self.trail.len()
    }

    /// What [`Unifier::undo`] goes back to.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes back what was found after the mark.
    pub(super) fn undo(&mut self, mark: usize) {
        for pattern in self.trail.drain(mark..) {
            if let Some(Argument::Node(node)) = self.bound[pattern].take()
                && self.stands_for.get(&node) == Some(&pattern)
            {
                self.stands_for.remove(&node);
                self.nodes.pop();
            }
        }
    }

    /// Lets a node stand for a node of the pattern, and what they read for each other.
    pub(super) fn unify(&mut self, pattern: NodeId, node: NodeId) -> Result<(), Why> {
        let mut pending = std::mem::take(&mut self.pending);
        pending.clear();
        pending.push((pattern, node));
        let mut outcome = Ok(());
        while let Some((pattern, node)) = pending.pop() {
            outcome = self.compare(pattern, node, &mut pending);
            if outcome.is_err() {
                break;
            }
        }
        self.pending = pending;
        outcome
    }

    fn compare(&mut self, pattern: NodeId, node: NodeId, pending: &mut Vec<(NodeId, NodeId)>) -> Result<(), Why> {
        if let Some(bound) = &self.bound[pattern] {
            let same = *bound == Argument::Node(node);
            return if same { Ok(()) } else { Err(Why::Another { pattern, found: Argument::Node(node) }) };
        }
        let (wanted, found) = (self.pattern.graph().node(pattern), self.graph.node(node));
        if wanted.op() == Op::Placeholder {
            return self.bind_input(pattern, Argument::Node(node));
        }
        if let Some(&other) = self.stands_for.get(&node) {
            return Err(Why::StandsForTwo { pattern, other, node });
        }
        self.compare_targets(pattern, wanted, node, found)?;
        if self.taken[node] {
            return Err(Why::Overlaps { pattern, node });
        }
        let (args, kwargs) = ((wanted.args(), found.args()), (wanted.kwargs(), found.kwargs()));
        let names_agree = kwargs.0.iter().zip(kwargs.1).all(|(wanted, found)| wanted.0 == found.0);
        if args.0.len() != args.1.len() || kwargs.0.len() != kwargs.1.len() || !names_agree {
            return Err(Why::Arguments { pattern, node });
        }
        self.bound[pattern] = Some(Argument::Node(node));
        self.trail.push(pattern);
        self.nodes.push((pattern, node));
        self.stands_for.insert(node, pattern);
        for (position, (wanted, found)) in wanted.arguments().zip(found.arguments()).enumerate() {
            self.compare_arguments(pattern, node, position, wanted, found, pending)?;
        }
        Ok(())
    }

    /// Recurses over nested lists, never over the graph.
    fn compare_arguments(
        &mut self,
        pattern: NodeId,
        node: NodeId,
        position: usize,
        wanted: &Argument,
        found: &Argument,
        pending: &mut Vec<(NodeId, NodeId)>,
    ) -> Result<(), Why> {
        let differs = || Err(Why::Argument { pattern, node, position });
        match (wanted, found) {
            (Argument::Node(wanted), Argument::Node(found)) => pending.push((*wanted, *found)),
            (Argument::Node(wanted), _) => {
                if self.pattern.graph().node(*wanted).op() != Op::Placeholder {
                    return differs();
                }
                self.bind_input(*wanted, found.clone())?;
            }
            (_, Argument::Node(_)) => return differs(),
            (Argument::List(_), Argument::List(_))
            | (Argument::Tuple(_), Argument::Tuple(_))
            | (Argument::Struct(_), Argument::Struct(_)) => {
                let same_name = match (wanted, found) {
                    (Argument::Struct(a), Argument::Struct(b)) => {
                        a.0 == b.0 && a.1.iter().map(|(name, _)| name).eq(b.1.iter().map(|(name, _)| name))
                    }
                    _ => true,
                };
                if self.ignore_literals && !wanted.has_nodes() && !found.has_nodes() {
                    return Ok(());
                }
                if !same_name || wanted.parts().count() != found.parts().count() {
                    return differs();
                }
                for (wanted, found) in wanted.parts().zip(found.parts()) {
                    self.compare_arguments(pattern, node, position, wanted, found, pending)?;
                }
            }
            _ if self.ignore_literals && !wanted.has_nodes() && !found.has_nodes() => {}
            _ if wanted == found => {}
            _ => return differs(),
        }
        Ok(())
    }

    fn bind_input(&mut self, pattern: NodeId, found: Argument) -> Result<(), Why> {
        if self.match_placeholder {
            let is_input = |id: NodeId| self.graph.node(id).op() == Op::Placeholder;
            if !found.as_node().is_some_and(is_input) {
                return Err(Why::NotAnInput { pattern, found });
            }
        }
        match &self.bound[pattern] {
            Some(bound) if *bound == found => Ok(()),
            Some(_) => Err(Why::Another { pattern, found }),
            None => {
                self.bound[pattern] = Some(found);
                self.trail.push(pattern);
                Ok(())
            }
        }
    }

    /// What stands for an input is not itself a part of the match: it would be taken away, and read afterwards.
    pub(super) fn check_inputs(&self) -> Result<(), Why> {
        for &pattern in &self.trail {
            if self.pattern.graph().node(pattern).op() == Op::Placeholder
                && let Some(bound) = self.bound_ref(pattern)
            {
                let mut inner = None;
                bound.for_each_node(&mut |id| inner = inner.or(self.is_inner(id).then_some(id)));
                if let Some(node) = inner {
                    return Err(Why::InputInside { pattern, node });
                }
            }
        }
        Ok(())
    }

    /// Whether what stands for an argument of the pattern is that argument. Recurses over nested lists.
    pub(super) fn is(&self, wanted: &Argument, found: &Argument) -> bool {
        match (wanted, found) {
            (Argument::Node(wanted), _) => self.bound_ref(*wanted) == Some(found),
            (Argument::List(_), Argument::List(_))
            | (Argument::Tuple(_), Argument::Tuple(_))
            | (Argument::Struct(_), Argument::Struct(_)) => {
                wanted.parts().count() == found.parts().count()
                    && wanted.parts().zip(found.parts()).all(|(wanted, found)| self.is(wanted, found))
            }
            _ => wanted == found,
        }
    }

    fn compare_targets(&self, pattern: NodeId, wanted: &Node, node: NodeId, found: &Node) -> Result<(), Why> {
        let fits = could_be(wanted.target(), found.target())
            && match (wanted.target(), found.target()) {
                (Target::CallModule(wanted), Target::CallModule(found)) => {
                    match (self.pattern.attributes(), self.attributes) {
                        (Some(ours), Some(theirs)) => match (ours.callee(wanted), theirs.callee(found)) {
                            (Ok(Attribute::Layer(wanted)), Ok(Attribute::Layer(found))) => {
                                self.same_layer(&*wanted, &*found)
                            }
                            (Ok(Attribute::Module(wanted)), Ok(Attribute::Module(found))) => wanted.reads_like(&found),
                            _ => false,
                        },
                        _ => wanted == found,
                    }
                }
                (Target::GetAttr(_), Target::GetAttr(path)) => {
                    self.attributes.is_none_or(|found| found.tensor(path).is_ok())
                }
                _ => true,
            };
        if fits { Ok(()) } else { Err(Why::Target { pattern, node }) }
    }

    fn same_layer(&self, wanted: &dyn LayerModule, found: &dyn LayerModule) -> bool {
        let settings = || match (wanted.state(), found.state()) {
            (Some(wanted), Some(found)) => wanted.options == found.options,
            _ => true,
        };
        wanted.type_name() == found.type_name()
            && wanted.called() == found.called()
            && (self.ignore_literals || settings())
    }
}
