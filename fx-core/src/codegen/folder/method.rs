//! The function of a graph alone: what [`GraphModule::code`] shows.
//!
//! It is called as the crate's is, with the parameters and the state of the original, and its calls are written as there;
//! but it names what the model holds by the model's own paths, and has a statement for each step.
//!
//! Invariant: one statement per call, in program order; a value is dropped after the statement that reads it last.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use quote::quote;

use super::super::call::{Calls, Sources};
use super::super::device;
use super::super::names::Names;
use super::super::place::Places;
use super::super::source::{Code, Statement};
use super::body::{ending, is_candle, written};
use super::cells::Cells;
use super::interface::{Interface, Role};
use super::lines::Lines;
use super::slots::Slots;
use super::structure::Structures;
use super::words::{Fresh, camel};
use crate::ir::{Argument, Graph, NodeId, Op};
use crate::module::GraphModule;

/// The indentation of statements.
const INDENT: usize = 8;

/// The function of a graph.
pub(in crate::codegen) struct Method {
    /// The lines before the statements.
    head: Lines,
    /// A call, then drops of what it was the last to read.
    pub(in crate::codegen) statements: Vec<Statement>,
    /// The value of the function.
    result: Statement,
}

impl Method {
    pub(in crate::codegen) fn new(module: &GraphModule) -> Self {
        let (graph, mut types) = (module.graph(), Fresh::types());
        let type_name = types.take_type(&camel(module.class_name()));
        // A state that no Rust type holds is shown as more inputs and outputs.
        let shown = Structures { is_shown: true, ..Structures::default() };
        let slots = Some(module).filter(|_| !graph.state().is_empty());
        let slots = slots.map(|module| Slots::new(module, shown, false).map(Rc::new)).transpose();
        let interface = slots
            .and_then(|slots| Interface::new(module, slots, Role::Shown, &mut types, &[]))
            .or_else(|_| Interface::new(module, None, Role::Child, &mut types, &[]));
        let operations = graph.nodes().filter_map(|(_, node)| node.target().operation());
        let crates = operations.filter(|op| op.source.is_empty()).filter_map(|op| op.name.split("::").next());
        let sizes = graph.dynamic().into_iter().flat_map(|dynamic| dynamic.sizes.iter().map(|size| &*size.name));
        // All of the state is read and written here.
        let cells = Cells::default();
        let (mut fresh, mut names) = (Fresh::values(crates.chain(sizes)), Names::default());
        let mut statements = match &interface {
            Ok(interface) => interface.bind(graph, &cells, &mut fresh, &mut names, &mut BTreeSet::new()),
            Err(_) => Vec::new(),
        };
        let last_reads = last_reads(graph);
        for (id, node) in graph.nodes() {
            if is_call(node.op()) {
                names.give(id, fresh.take(node.name()), false);
            }
        }
        let (places, sources) = (Places::new(graph, module.attributes()), Sources::default());
        let attributes = module.attributes();
        let inputs = Some(graph.placeholders()).filter(|_| device::is_one(graph, attributes));
        let device_of = inputs.and_then(|inputs| device::asked(graph, &names, inputs));
        let calls = Calls { graph, attributes, names: &names, places: &places, sources: &sources, device_of };
        // The last step may be what the function gives.
        let last = graph.nodes().rev().find(|(_, node)| is_call(node.op())).map(|(id, _)| id);
        let is_given = |id: &NodeId| graph.result_and_written() == Some((&Argument::Node(*id), &[]));
        let tail = last.filter(is_given);
        for (id, _) in graph.nodes().filter(|(id, node)| is_call(node.op()) && Some(*id) != tail) {
            // Kept for what it does: a result that nothing reads has no name, and goes at once.
            let is_read = graph.users(id).next().is_some();
            let name = if is_read { names.of(id).to_string() } else { "_".to_owned() };
            let code = written(&format!("let {name} ="), &calls.expression(id), ";", INDENT);
            statements.push(Statement { node: Some(id), code });
            let dropped = last_reads.get(&id).into_iter().flatten();
            statements.extend(
                dropped.map(|value| Statement { node: Some(id), code: format!("drop({});", names.of(*value)) }),
            );
        }
        let (parameters, returned, left, value) = match &interface {
            Ok(interface) => {
                let (left, value) = interface.value(&calls, &cells, None, &mut fresh);
                (interface.parameters(), interface.returned(), left, value)
            }
            Err(_) => (Vec::new(), "()".to_owned(), Vec::new(), quote!(())),
        };
        statements.extend(left);
        let keeps = interface.is_ok_and(|interface| interface.kept().is_some());
        let receiver = if keeps { "&mut self" } else { "&self" }.to_owned();
        let parameters: Vec<String> = std::iter::once(receiver).chain(parameters).collect();
        let mut head = Lines::default();
        head.push(format!("impl {type_name} {{"));
        head.signature("    pub fn forward(", &parameters, &returned);
        let (node, value) = match tail {
            Some(id) => (Some(id), ending(calls.expression(id), is_candle(graph, id))),
            None => (graph.output_node(), quote!(Ok(#value))),
        };
        let result = Statement { node, code: written("", &value, "", INDENT) };
        Self { head, statements, result }
    }

    /// The source, with these statements.
    pub(in crate::codegen) fn code(self, graph: &Graph, mut statements: Vec<Statement>, comments: bool) -> Code {
        let (mut lines, mut code) = (self.head, Code::default());
        statements.push(self.result);
        lines.body(graph, &statements, comments, &|id| id);
        lines.push("    }");
        lines.push("}");
        lines.write_to(&mut code);
        code
    }
}

fn is_call(op: Op) -> bool {
    matches!(op, Op::CallFunction | Op::CallMethod | Op::CallModule)
}

/// For each call, the values that it is the last to read.
fn last_reads(graph: &Graph) -> HashMap<NodeId, Vec<NodeId>> {
    let (mut last, mut seen) = (HashMap::<NodeId, Vec<NodeId>>::new(), HashSet::new());
    for (id, node) in graph.nodes().rev() {
        for input in node.all_input_nodes() {
            if seen.insert(input) && is_call(graph.node(input).op()) && node.op() != Op::Output {
                last.entry(id).or_default().push(input);
            }
        }
    }
    last
}
