//! [`Signature`]: how a graph is called, where that is not one value for each placeholder; and its state, what it reads
//! of the run before and leaves to the next.
//!
//! What a run writes to the state stands in the output, `(result, (written, …))`, one for each slot, so that edits of
//! nodes keep it right.
//!
//! Invariant: a signature is made of nodes that were in the graph when it was set, and of plain data. That it names each
//! placeholder once and nothing else, [`Graph::verify`] checks, because edits pass through other states.

use std::sync::Arc;

use super::argument::Argument;
use super::graph::Graph;
use super::node::NodeId;
use super::target::Op;

/// How a graph is called: its parameters, each made of placeholders and of the values it was specialised to.
///
/// A parameter that is a list of tensors has a list of placeholders; a number that was baked in is that number. This is
/// torch.fx's input spec of a pytree: `hs = [%hs_0, %hs_1], n = 3`.
///
/// Without one, a graph takes one value for each placeholder. It is written behind the inputs in the text form: `graph
/// g(%hs_0, %hs_1) takes (hs = [%hs_0, %hs_1], n = 3)`.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use fx_core::ir::{Graph, Signature};
/// use fx_core::module::{Attributes, GraphModule};
/// use fx_core::{ops::elementwise::add, value::Value};
///
/// let mut graph = Graph::new("sum");
/// let mut cursor = graph.at_end();
/// let (a, b) = (cursor.placeholder("hs_0"), cursor.placeholder("hs_1"));
/// let y = cursor.call(&add::OP, [a.into(), b.into()], [])?;
/// cursor.output(y);
/// let parameters = [("hs".into(), [a, b].into()), ("n".into(), 3.into())];
/// graph.set_signature(Some(Signature { parameters: parameters.into(), ..Signature::default() }));
///
/// let module = GraphModule::new(graph, Attributes::new())?;
/// let one = Value::from(Tensor::new(1f32, &Device::Cpu)?);
/// let hs = Value::List(vec![one.clone(), one]);
/// // With the number that it was specialised to, or without it; not with another.
/// assert!(module.run(&[hs.clone(), Value::Int(3)]).is_ok() && module.run(&[hs.clone()]).is_ok());
/// assert!(module.run(&[hs, Value::Int(4)]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    /// The parameters in order: the name, and what it is made of.
    pub parameters: Box<[(Arc<str>, Argument)]>,
    /// The state in order, which callers do not give and do not get: the module that holds the graph keeps it.
    pub state: Box<[StateSlot]>,
}

/// A part of the state of a graph: something that the captured model keeps from one call to the next.
///
/// What a run writes to it stands in the output; the values themselves are a [`State`](crate::module::State).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateSlot {
    /// The path to it in the model, or in the argument that it is a part of: `layers.0.kv_cache`, `cache.kvs`.
    pub name: Arc<str>,
    /// What it must be for the graph to run: placeholders for the tensors in it, and plain data that the capture has
    /// relied on. `none` is an `Option` that was empty.
    pub reads: Argument,
}

impl Signature {
    /// Calls `visit` with each node in it, in order, as often as it occurs.
    pub fn for_each_node(&self, visit: &mut impl FnMut(NodeId)) {
        self.parameters.iter().for_each(|(_, made_of)| made_of.for_each_node(visit));
        self.state.iter().for_each(|slot| slot.reads.for_each_node(visit));
    }

    pub(crate) fn for_each_node_mut(&mut self, visit: &mut impl FnMut(&mut NodeId)) {
        self.parameters.iter_mut().for_each(|(_, made_of)| made_of.for_each_node_mut(visit));
        self.state.iter_mut().for_each(|slot| slot.reads.for_each_node_mut(visit));
    }

    /// The same in terms of the inputs of another graph, if `map` gives one for each node, and no others are there.
    pub(crate) fn of_copy(&self, to: &Graph, map: impl Fn(NodeId) -> Option<NodeId>) -> Option<Self> {
        let (mut copy, mut named, mut fits) = (self.clone(), 0, true);
        copy.for_each_node_mut(&mut |id| {
            let new = map(*id).filter(|&new| to.try_node(new).is_some_and(|node| node.op() == Op::Placeholder));
            fits &= new.is_some();
            named += 1;
            *id = new.unwrap_or(*id);
        });
        (fits && named == to.placeholders().len()).then_some(copy)
    }

    /// Takes apart what the output reads: the result, and what is written to each slot. None if it is not made so.
    #[must_use]
    pub fn written<'a>(&self, output: &'a Argument) -> Option<(&'a Argument, &'a [Argument])> {
        if self.state.is_empty() {
            return Some((output, &[]));
        }
        match output {
            Argument::Tuple(parts) => match &**parts {
                [result, Argument::Tuple(written)] if written.len() == self.state.len() => Some((result, written)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Graph {
    /// How the graph is called, where that is not one value for each placeholder in order.
    ///
    /// A capture sets it where a parameter is made of several inputs or of plain data, and where there is state.
    #[must_use]
    pub fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// Says how the graph is called; none is one value for each placeholder in order.
    ///
    /// A signature is no user of the placeholders: replacing their uses leaves it as it is, and they can be erased. It
    /// then names what is no more, which [`Graph::verify`] reports as V11 until another is set; ids are not used again,
    /// so it never comes to mean another node.
    ///
    /// # Panics
    ///
    /// If a node in it was erased or is of another graph; if a parameter is nested deeper than [`Argument::MAX_DEPTH`].
    #[track_caller]
    pub fn set_signature(&mut self, signature: Option<Signature>) {
        if let Some(signature) = &signature {
            let reads = signature.state.iter().map(|slot| &slot.reads);
            for made_of in signature.parameters.iter().map(|(_, made_of)| made_of).chain(reads) {
                self.expect_arguments(std::slice::from_ref(made_of), &[]);
            }
        }
        self.signature = signature;
        self.revision += 1;
    }

    /// The parts of the state, in order; none if the graph computes the same each time.
    ///
    /// One [`StateSlot`] for each field of the model, or part of an argument, that a call changes. The module that
    /// holds the graph keeps the values: [`GraphModule::state`](crate::module::GraphModule::state).
    #[must_use]
    pub fn state(&self) -> &[StateSlot] {
        self.signature.as_ref().map_or(&[], |signature| &signature.state)
    }

    /// What the graph returns, and what it writes to each part of its state. None if it has no output, or one that is
    /// not made so.
    #[must_use]
    pub fn result_and_written(&self) -> Option<(&Argument, &[Argument])> {
        let output = self.node(self.output_node()?).args().first()?;
        match &self.signature {
            Some(signature) => signature.written(output),
            None => Some((output, &[])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::NodeMap;
    use super::super::samples::{add, my_module};
    use super::*;

    /// Two inputs, called as one list, and a number.
    fn of_a_list() -> Graph {
        let mut graph = Graph::new("g");
        let mut cursor = graph.at_end();
        let [a, b] = ["a", "b"].map(|name| cursor.placeholder(name));
        let sum = add(&mut cursor, a, b);
        cursor.output(sum);
        let parameters = [("xs".into(), [a, b].into()), ("n".into(), 3.into())];
        graph.set_signature(Some(Signature { parameters: parameters.into(), ..Signature::default() }));
        graph
    }

    #[test]
    fn a_signature_is_checked_and_counts_as_a_change() {
        let mut graph = of_a_list();
        assert_eq!(graph.verify(), Ok(()));
        assert_eq!(graph.clone().signature(), graph.signature());
        let revision = graph.revision();
        graph.set_signature(None);
        assert!(graph.revision() > revision && graph.signature().is_none());
        assert_eq!(graph.verify(), Ok(()));
    }

    #[test]
    fn a_signature_is_copied_with_all_of_its_inputs() {
        let from = of_a_list();
        let mut graph = Graph::new("copy");
        // Ids differ from those of the original.
        let other = graph.at_end().get_attr("other");
        let mut map = NodeMap::new();
        graph.at_start().graph_copy(&from, &mut map);
        graph.erase_node(other).unwrap();
        let mut named = Vec::new();
        graph.signature().expect("it came along").for_each_node(&mut |id| named.push(graph.node(id).name()));
        assert_eq!(named, ["a", "b"]);

        // Inlined, or beside other inputs, it would not be this graph's.
        let mut outer = my_module();
        let x = outer.first().unwrap();
        let mut map = from.placeholders().map(|input| (input, x)).collect();
        outer.at_end().graph_copy(&from, &mut map);
        assert_eq!(outer.signature(), None);
        outer.inserting_after(x).graph_copy(&from, &mut NodeMap::new());
        assert_eq!(outer.signature(), None);
        // And one that is there stays.
        let before = graph.signature().cloned();
        graph.at_start().graph_copy(&from, &mut NodeMap::new());
        assert_eq!(graph.signature().cloned(), before);
    }

    #[test]
    #[should_panic(expected = "node 5 is not in graph `g`")]
    fn a_signature_names_nodes_of_its_graph() {
        let parameters = [("x".into(), my_module().last().unwrap().into())];
        Graph::new("g").set_signature(Some(Signature { parameters: parameters.into(), ..Signature::default() }));
    }
}
