//! [`Place`]: where in a module a graph is that runs node by node, and who looks on at the run.
//!
//! Invariant: observers are told of a node of a child graph between what they are told of the node that calls it. What an
//! observer itself runs is not looked on at.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::ir::ModulePath;
use crate::module::GraphModule;
use crate::value::Value;

use super::error::RunError;
use super::execution::{Execution, Observer};
use super::interpreter::Running;

/// The observers of a run.
#[derive(Default)]
pub(super) struct Observers<'o>(RefCell<Vec<&'o mut dyn Observer>>);

impl<'o> Observers<'o> {
    pub(super) fn push(&mut self, observer: &'o mut dyn Observer) {
        self.0.get_mut().push(observer);
    }
}

/// [`Observers`], whatever they borrow.
pub(super) trait Watch {
    /// Whether there are any.
    fn is_there(&self) -> bool;
    /// A node is about to run.
    fn before(&self, at: Running<'_>);
    /// A node has run.
    fn after(&self, at: Running<'_>, value: &Value);
}

impl Watch for Observers<'_> {
    fn is_there(&self) -> bool {
        self.0.try_borrow().is_ok_and(|observers| !observers.is_empty())
    }

    fn before(&self, at: Running<'_>) {
        if let Ok(mut observers) = self.0.try_borrow_mut() {
            observers.iter_mut().for_each(|observer| observer.before(at));
        }
    }

    fn after(&self, at: Running<'_>, value: &Value) {
        if let Ok(mut observers) = self.0.try_borrow_mut() {
            observers.iter_mut().for_each(|observer| observer.after(at, value));
        }
    }
}

/// Where a graph is that runs.
pub(super) struct Place<'r> {
    /// Its path in the module that runs.
    pub(super) path: ModulePath,
    /// The path with the numbers of repeated calls: `block@1`.
    pub(super) name: String,
    /// How many graphs it is inside of.
    pub(super) depth: usize,
    pub(super) watch: &'r dyn Watch,
    /// How often each child was called from here.
    calls: RefCell<HashMap<ModulePath, u32>>,
}

impl<'r> Place<'r> {
    /// Of the module that runs.
    pub(super) fn root(watch: &'r dyn Watch) -> Self {
        Self { path: ModulePath::ROOT, name: String::new(), depth: 0, watch, calls: RefCell::default() }
    }

    /// Runs a child graph that is called from here: by its plan, or node by node if somebody looks on.
    pub(super) fn run(&self, path: &ModulePath, child: &GraphModule, args: Vec<Value>) -> Result<Value, RunError> {
        if !self.watch.is_there() {
            return child.run_placeholders(&args);
        }
        if self.depth == GraphModule::MAX_DEPTH {
            return Err(RunError::TooDeep);
        }
        let inside = self.enter(path);
        Execution::new(child).without_processing().run_at(&mut (), args, &inside)
    }

    fn enter(&self, path: &ModulePath) -> Self {
        let mut calls = self.calls.borrow_mut();
        let call = calls.entry(path.clone()).and_modify(|call| *call += 1).or_default();
        let mut name = self.name.clone();
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(path.as_str());
        if *call > 0 {
            name.push_str(&format!("@{call}"));
        }
        Self { path: self.path.join(path), name, depth: self.depth + 1, watch: self.watch, calls: RefCell::default() }
    }
}
