//! [`Interface`]: how the function of a graph is called: with the parameters and the result of the original, made of lists,
//! tuples and structures.
//!
//! Invariant: `process_outputs(graph(process_inputs(x))) == f(x)`, as in the interpreter: parameters that are wholly
//! constants are left out, and what has another structure than at the capture is refused.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use candle_core::Tensor;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use crate::ir::{Argument, Graph, NodeId, Op, SizeOf};
use crate::module::GraphModule;
use crate::module::inputs::parameter;
use crate::value::SymInt;

use super::super::call::Calls;
use super::super::identifier::identifier;
use super::super::names::Names;
use super::super::source::Statement;
use super::bind::{Binder, FoundAt, text};
use super::body::written;
use super::cells::Cells;
use super::checks::{Checks, is_number_used, used_sizes};
use super::error::FolderError;
use super::kept::Kept;
use super::slots::{Part, Slots};
use super::structure::{Reads, Structures, Ty, followed};
use super::words::{Fresh, camel, snake};

/// What the function of a graph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// That of the model, which checks what it is called with.
    Model,
    /// The same, shown by itself: shapes of inputs are not checked, and types are those of the captured model.
    Shown,
    /// One that another graph calls, with one value for each placeholder.
    Child,
}

/// How the function of a graph is called.
pub(super) struct Interface {
    parameters: Vec<Parameter>,
    output: Argument,
    result: Ty,
    structures: Structures,
    kept: Option<Kept>,
    /// The values that a step or a check reads.
    read: HashSet<NodeId>,
    /// The sizes that are named.
    sizes: HashSet<Arc<str>>,
    role: Role,
}

struct Parameter {
    name: Ident,
    made_of: Argument,
    ty: Ty,
}

impl Interface {
    /// How a graph is called, which keeps this. `weights` are the names that the tensors of the state cannot have.
    pub(super) fn new(
        module: &GraphModule,
        slots: Option<Rc<Slots>>,
        role: Role,
        types: &mut Fresh,
        weights: &[(String, Tensor)],
    ) -> Result<Self, FolderError> {
        let (graph, is_model) = (module.graph(), role != Role::Child);
        let mut structures = slots.as_ref().map_or_else(Structures::default, |slots| slots.structures.clone());
        structures.is_shown = role == Role::Shown;
        let mut read: HashSet<NodeId> = graph.nodes().flat_map(|(_, node)| node.all_input_nodes()).collect();
        let sizes = used_sizes(graph);
        if is_model {
            let is_checked = |id| role == Role::Model && graph.node(id).meta().fact.as_tensor().is_some();
            read.extend(graph.placeholders().filter(|id| is_checked(*id) || is_number_used(graph, *id, &sizes)));
            // What a size is read from.
            let places = graph.dynamic().into_iter().flat_map(|dynamic| &dynamic.sizes);
            let used = places.filter(|size| sizes.contains(&size.name));
            read.extend(used.filter_map(|size| size.places.first()).map(|place| SizeOf::input(*place)));
        }
        // Sizes have their names for themselves, but for an input that is one.
        let mut fresh = Fresh::values(sizes.iter().map(|size| &**size));
        let signature = graph.signature().filter(|_| is_model);
        let made_of: Vec<(String, Argument)> = match signature {
            Some(signature) => {
                let open = signature.parameters.iter().filter(|(_, made_of)| made_of.to_value().is_none());
                open.map(|(name, made_of)| (name.to_string(), made_of.clone())).collect()
            }
            None => graph.placeholders().map(|id| (parameter(graph.node(id)).to_owned(), Argument::Node(id))).collect(),
        };
        let mut parameters = Vec::new();
        for (name, made_of) in made_of {
            let ty = structures.of(graph, &made_of, &name)?;
            // A name that says that nothing reads it.
            let is_read = match &made_of {
                Argument::Node(id) => read.contains(id),
                _ => true,
            };
            let size = made_of.as_node().and_then(|id| followed(graph, id));
            let name = match size.as_ref().and_then(SymInt::as_symbol).filter(|size| sizes.contains(*size)) {
                Some(size) if **size == *name => identifier(size),
                _ if is_read => fresh.take(&snake(&name)),
                _ => fresh.take(&format!("_{}", snake(&name))),
            };
            parameters.push(Parameter { name, made_of, ty });
        }
        let kept = slots.map(|slots| Kept::new(slots, types, weights));
        // Who calls a child gets what it keeps, too.
        let whole = graph.output_node().and_then(|output| graph.node(output).args().first());
        let result = graph.result_and_written().map(|(result, _)| result);
        let output = if is_model { result } else { whole }.cloned().unwrap_or_default();
        let result = structures.of(graph, &output, "the result")?;
        for name in structures.fields.keys() {
            structures.names.insert(name.clone(), types.take_type(&camel(&name.replace("::", "_"))));
        }
        Ok(Self { parameters, output, result, structures, kept, read, sizes, role })
    }

    /// The parameters as Rust.
    pub(super) fn parameters(&self) -> Vec<String> {
        let each = self.parameters.iter().map(|Parameter { name, ty, .. }| match ty {
            Ty::List(item) => format!("{name}: &[{}]", self.structures.text(item)),
            Ty::Data(of) => format!("{name}: {of}"),
            ty => format!("{name}: &{}", self.structures.text(ty)),
        });
        each.collect()
    }

    /// The type of the result.
    pub(super) fn returned(&self) -> String {
        self.structures.text(&self.result)
    }

    /// The structures.
    pub(super) fn structures(&self) -> &Structures {
        &self.structures
    }

    /// The state, if the graph has one.
    pub(super) fn kept(&self) -> Option<&Kept> {
        self.kept.as_ref()
    }

    /// The statements that take the parameters and the state apart, and the names of the placeholders.
    pub(super) fn bind(
        &self,
        graph: &Graph,
        cells: &Cells,
        fresh: &mut Fresh,
        names: &mut Names,
        helpers: &mut BTreeSet<&'static str>,
    ) -> Vec<Statement> {
        let mut statements = Vec::new();
        for Parameter { name, .. } in &self.parameters {
            let _ = fresh.take(name.to_string().trim_start_matches("r#"));
        }
        let mut found = FoundAt::default();
        let mut binder = Binder {
            graph,
            fresh,
            names,
            helpers,
            statements: &mut statements,
            structures: &self.structures,
            is_named: &|id| self.read.contains(&id) && !cells.is_unnamed(id),
            is_state: false,
            is_checked: false,
            is_element: false,
            found: &mut found,
        };
        for Parameter { name, made_of, ty } in &self.parameters {
            binder.bind(made_of, ty, &name.to_token_stream(), true, &name.to_string());
        }
        binder.is_state = true;
        for Part { name, path, reads, ty, .. } in self.kept.iter().flat_map(|kept| &kept.slots.parts) {
            binder.bind(reads, ty, &quote!(self.state.#name), false, path);
        }
        if self.role != Role::Child {
            let checks = Checks { graph, names, fresh, helpers, found: &found, statements: &mut statements };
            checks.write(&self.sizes, self.role == Role::Model);
        }
        statements
    }

    /// The value that the function gives, after the statements that leave the state to the next call. `copy` is the state
    /// that functions have changed already.
    pub(super) fn value(
        &self,
        calls: &Calls<'_>,
        cells: &Cells,
        copy: Option<&Ident>,
        fresh: &mut Fresh,
    ) -> (Vec<Statement>, TokenStream) {
        let node = calls.graph.output_node();
        let mut reads = Reads::new();
        let output = node.and_then(|output| calls.graph.node(output).args().first());
        let own = copy.is_some().then(|| cells.of(0).filter(|cell| !cell.stays()).map(|cell| &cell.writes));
        let given = match own {
            Some(own) => own.chain([&self.output]).collect(),
            None => Vec::from_iter(output),
        };
        given.iter().for_each(|given| given.for_each_node(&mut |id| *reads.entry(id).or_insert(0) += 1));
        let result = |reads: &mut Reads| self.structures.value(calls, &self.output, &self.result, reads);
        let Some(kept) = &self.kept else { return (Vec::new(), result(&mut reads)) };
        let mut statements = Vec::new();
        // What is a part of the old state is taken before that goes.
        let mut is_input = false;
        self.output.for_each_node(&mut |id| is_input |= calls.graph.node(id).op() == Op::Placeholder);
        let before = is_input.then(|| {
            let (name, value) = (fresh.take("result"), result(&mut reads));
            statements.push(Statement { node, code: written(&format!("let {name} ="), &value, ";", 8) });
            name.into_token_stream()
        });
        for (place, value) in kept.left(&self.structures, calls, cells, copy, &mut reads) {
            statements.push(Statement { node, code: written(&format!("{} =", text(&place)), &value, ";", 8) });
        }
        let value = before.unwrap_or_else(|| result(&mut reads));
        (statements, value)
    }
}
