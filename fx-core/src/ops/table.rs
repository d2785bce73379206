//! [`OpTable`]: operations by name, for whoever reads a graph's text.
//!
//! Invariant: an operation is found by how its call is written and its name, and each such pair is there once; of two,
//! the later one counts, so that a user's own operation can replace a built-in one.

use std::sync::LazyLock;

use indexmap::IndexMap;

use super::def::{CallKind, OpRef};

/// The files of operations: the one list that a new file enters.
const FILES: &[&[OpRef]] = &[
    super::operators::ALL,
    super::list::ALL,
    super::elementwise::ALL,
    super::compare::ALL,
    super::reduce::ALL,
    super::linalg::ALL,
    super::shape::ALL,
    super::index::ALL,
    super::create::ALL,
    super::random::ALL,
    super::conv::ALL,
    super::pool::ALL,
    super::nn::ALL,
    super::attention::ALL,
    super::loss::ALL,
    super::rotary::ALL,
];

static BUILTIN: LazyLock<OpTable> =
    LazyLock::new(|| FILES.iter().fold(OpTable { ops: IndexMap::new() }, |table, file| table.with(file)));

/// Operations by name, in order.
///
/// [`Graph::parse`](crate::ir::Graph::parse) and [`GraphModule::load_with`](crate::module::GraphModule::load_with) look
/// up in one what a text calls. A method and a function can have one name, so both are the key.
#[derive(Debug, Clone)]
pub struct OpTable {
    ops: IndexMap<(CallKind, &'static str), OpRef>,
}

impl OpTable {
    /// The operations that this crate describes.
    #[must_use]
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// These operations as well.
    ///
    /// ```
    /// use fx_core::ops::{CallKind, OpDef, OpTable};
    ///
    /// static OURS: OpDef = OpDef::wrapped("ours", &[], |_| candle_core::bail!("never called"));
    /// let table = OpTable::builtin().clone().with(&[&OURS]);
    /// assert_eq!(table.get(CallKind::Function, "ours"), Some(&OURS));
    /// assert_eq!(OpTable::builtin().get(CallKind::Function, "ours"), None);
    /// ```
    #[must_use]
    pub fn with(mut self, ops: &[OpRef]) -> Self {
        self.ops.extend(ops.iter().map(|&op| ((op.kind, op.name), op)));
        self
    }

    /// The operation of this name whose call is written so.
    ///
    /// None if there is none, or if it is written in the other way.
    #[must_use]
    pub fn get(&self, kind: CallKind, name: &str) -> Option<OpRef> {
        self.ops.get(&Key(kind, name)).copied()
    }

    /// All operations, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = OpRef> + '_ {
        self.ops.values().copied()
    }
}

/// A key of any lifetime, to look one up.
#[derive(Hash)]
struct Key<'a>(CallKind, &'a str);

impl indexmap::Equivalent<(CallKind, &'static str)> for Key<'_> {
    fn equivalent(&self, key: &(CallKind, &'static str)) -> bool {
        (self.0, self.1) == *key
    }
}

/// The built-in operations, file by file.
#[cfg(test)]
pub(super) fn files() -> impl Iterator<Item = OpRef> {
    FILES.iter().flat_map(|file| file.iter().copied())
}
