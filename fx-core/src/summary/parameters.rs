//! Which tensors are parameters and which are buffers, each counted where it is met first.
//!
//! Invariant: a tensor that is met again, under another path or as another view of the same numbers, counts nothing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use candle_core::Tensor;

use crate::ir::ModulePath;
use crate::meta::is_meta;
use crate::module::{CONSTANT, GraphModule, LayerModule};

use super::row::{SummaryRow, Totals};

/// How a model marks its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marked {
    /// They are variables.
    Variables,
    /// They are weights without memory.
    Meta,
    /// In no way.
    Not,
}

/// The tensors that were met.
pub(super) struct Parameters {
    marked: Marked,
    /// By where their numbers are: storage, first number, how many.
    seen: HashSet<(usize, usize, usize)>,
    /// Layers, by where they are, and whether they have parameters.
    layers: HashMap<usize, bool>,
    /// What is looked at stays, so that nothing else comes to stand in its place.
    kept: Vec<Tensor>,
}

/// Whose tensor it is.
enum Role {
    Parameter,
    Buffer,
}

impl Parameters {
    pub(super) fn of(module: &GraphModule) -> Self {
        let mut marked = Marked::Not;
        let state = module.state_dict();
        for (_, tensor) in &state {
            if tensor.is_variable() {
                marked = Marked::Variables;
                break;
            }
            if is_meta(tensor) {
                marked = Marked::Meta;
            }
        }
        Self { marked, seen: HashSet::new(), layers: HashMap::new(), kept: Vec::new() }
    }

    /// Adds the tensors of a layer to its row.
    pub(super) fn layer(&mut self, layer: &Arc<dyn LayerModule>, row: &mut SummaryRow, totals: &mut Totals) {
        let place = Arc::as_ptr(layer).cast::<()>().addr();
        if let Some(&has_some) = self.layers.get(&place) {
            row.shares = has_some;
            return;
        }
        let Some(state) = layer.state() else {
            self.layers.insert(place, false);
            row.parameters = None;
            totals.untold += 1;
            return;
        };
        for (name, tensor) in state.tensors {
            let role = if layer.buffers().contains(&name) { Role::Buffer } else { Role::Parameter };
            let numbers = layer.numbers(name, &tensor);
            self.add(tensor, numbers, role, row, totals);
        }
        self.layers.insert(place, row.shares || row.parameters != Some(0));
    }

    /// Adds a tensor that the graph reads by itself to the row it is read in.
    pub(super) fn tensor(&mut self, path: &ModulePath, tensor: Tensor, row: &mut SummaryRow, totals: &mut Totals) {
        let constant = path.last().is_some_and(|name| name.starts_with(CONSTANT));
        let is_parameter = match self.marked {
            Marked::Variables => tensor.is_variable(),
            Marked::Meta => is_meta(&tensor),
            Marked::Not => tensor.dtype().is_float() && !constant,
        };
        let (numbers, role) = (tensor.elem_count(), if is_parameter { Role::Parameter } else { Role::Buffer });
        self.add(tensor, numbers, role, row, totals);
    }

    fn add(&mut self, tensor: Tensor, numbers: usize, role: Role, row: &mut SummaryRow, totals: &mut Totals) {
        let key = {
            let (storage, layout) = tensor.storage_and_layout();
            (std::ptr::from_ref(&*storage).addr(), layout.start_offset(), tensor.elem_count())
        };
        let is_new = self.seen.insert(key);
        let count = u64::try_from(numbers).unwrap_or(u64::MAX);
        let bytes = tensor.elem_count().saturating_mul(tensor.dtype().size_in_bytes());
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        match role {
            Role::Parameter if !is_new => row.shares = true,
            Role::Buffer if !is_new => {}
            Role::Parameter => {
                row.parameters = row.parameters.map(|sum| sum.saturating_add(count));
                totals.parameters = totals.parameters.saturating_add(count);
                totals.parameter_bytes = totals.parameter_bytes.saturating_add(bytes);
                if tensor.is_variable() {
                    row.trainable = row.trainable.saturating_add(count);
                    totals.trainable = totals.trainable.saturating_add(count);
                }
            }
            Role::Buffer => {
                row.buffers = row.buffers.saturating_add(count);
                totals.buffers = totals.buffers.saturating_add(count);
                totals.buffer_bytes = totals.buffer_bytes.saturating_add(bytes);
            }
        }
        self.kept.push(tensor);
    }
}
