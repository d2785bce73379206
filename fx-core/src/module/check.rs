//! Checking a module: its graph, that everything it names is there, and the same of its child graphs.
//!
//! Invariant: everything that is wrong is told at once, each with the path of the graph it is in; a child that
//! has several paths is checked once, and told of under the first.

use std::cmp::Ordering;

use crate::ir::{ModulePath, Target, VerifyErrors};

use super::attributes::{Attribute, MissingAttribute};
use super::graph_module::GraphModule;
use super::inputs::{BindInputsError, bind_inputs};
use super::shared::path_of;

/// What is wrong with a graph module.
///
/// Faults of child graphs are found as well, each with the path of its graph.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CheckErrors {
    /// The graph is not well formed.
    #[error(transparent)]
    Graph(#[from] VerifyErrors),
    /// Nodes name what the module does not have.
    #[error("{}", .0.iter().map(|(line, error)| format!("{error}\n  in {line}")).collect::<Vec<_>>().join("\n"))]
    Attributes(Vec<(String, MissingAttribute)>),
    /// Nodes call child graphs with arguments that these do not take.
    #[error("{}", .0.iter().map(|(line, error)| format!("{error}\n  in {line}")).collect::<Vec<_>>().join("\n"))]
    Calls(Vec<(String, BindInputsError)>),
    /// Paths lead to two things: one that the module holds there, and another inside of the child graph or layer on the
    /// way.
    #[error("{}", .0.iter().map(|path| format!(
        "`{path}` is held twice: by the module itself, and, another, inside of what it holds on the way there; take one \
         away (`attributes_mut`)"
    )).collect::<Vec<_>>().join("\n"))]
    Twice(Vec<ModulePath>),
    /// Child graphs are wrong, or more than one of these.
    #[error("{}", .0.iter().map(|(path, errors)| described(path, errors)).collect::<Vec<_>>().join("\n"))]
    Several(Vec<(ModulePath, CheckErrors)>),
    /// Graphs are nested deeper than [`GraphModule::MAX_DEPTH`].
    #[error("graphs are nested more than {} deep", GraphModule::MAX_DEPTH)]
    TooDeep,
}

fn described(path: &ModulePath, errors: &CheckErrors) -> String {
    if path.is_root() { errors.to_string() } else { format!("in the graph at `{path}`: {errors}") }
}

impl GraphModule {
    /// Checks the graph, that everything it names is there, and that its child graphs take what they are called with
    /// and are correct themselves.
    ///
    /// ```
    /// # use fx_core::{ir::Graph, module::{Attributes, GraphModule}};
    /// let mut graph = Graph::new("model");
    /// let mut cursor = graph.at_end();
    /// let x = cursor.placeholder("x");
    /// let y = cursor.call_module("block", [x.into()], []);
    /// cursor.output(y);
    /// let error = GraphModule::new(graph, Attributes::new()).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "`block` should be a layer or a graph, but is absent\n  in %block = call_module block(%x)"
    /// );
    /// ```
    ///
    /// A graph that is not well formed is not asked for more: its own faults come first
    /// ([`Graph::verify`](crate::ir::Graph::verify)). Nothing is changed and nothing runs.
    ///
    /// # Errors
    /// Everything that is wrong, at once.
    pub fn check(&self) -> Result<(), CheckErrors> {
        let mut found = Vec::new();
        self.check_alone(&|| ModulePath::ROOT, &mut found);
        let held = self.held_graphs();
        for (number, child) in held.iter().enumerate() {
            match child.depth.cmp(&(Self::MAX_DEPTH + 1)) {
                Ordering::Less => child.module.check_alone(&|| path_of(&held, number), &mut found),
                Ordering::Equal => found.push((path_of(&held, number), CheckErrors::TooDeep)),
                Ordering::Greater => {}
            }
        }
        match (found.pop(), found.is_empty()) {
            (None, _) => Ok(()),
            (Some((path, errors)), true) if path.is_root() => Err(errors),
            (Some(last), _) => {
                found.push(last);
                Err(CheckErrors::Several(found))
            }
        }
    }

    /// Checks this graph, and not its children. `at` says where it is, which takes time, if something is wrong.
    fn check_alone(&self, at: &dyn Fn() -> ModulePath, found: &mut Vec<(ModulePath, CheckErrors)>) {
        match self.graph().verify() {
            Err(errors) => found.push((at(), CheckErrors::Graph(errors))),
            // Only a graph that is well formed can be asked for more.
            Ok(()) => self.check_names(at, found),
        }
        let twice = self.attributes().held_twice();
        if !twice.is_empty() {
            found.push((at(), CheckErrors::Twice(twice)));
        }
    }

    fn check_names(&self, at: &dyn Fn() -> ModulePath, found: &mut Vec<(ModulePath, CheckErrors)>) {
        let (mut missing, mut calls) = (Vec::new(), Vec::new());
        for (id, node) in self.graph().nodes() {
            let line = || self.graph().node_line(id);
            match node.target() {
                Target::GetAttr(path) => {
                    missing.extend(self.attributes().tensor(path).err().map(|error| (line(), error)));
                }
                Target::CallModule(path) => match self.attributes().callee(path) {
                    Ok(Attribute::Module(child)) => {
                        calls.extend(
                            bind_inputs(child.graph(), node.args(), node.kwargs()).err().map(|error| (line(), error)),
                        );
                    }
                    Ok(_) => {}
                    Err(error) => missing.push((line(), error)),
                },
                _ => {}
            }
        }
        if !missing.is_empty() {
            found.push((at(), CheckErrors::Attributes(missing)));
        }
        if !calls.is_empty() {
            found.push((at(), CheckErrors::Calls(calls)));
        }
    }
}
