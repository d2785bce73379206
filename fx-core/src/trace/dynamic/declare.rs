//! What was declared to differ from run to run.
//!
//! Invariant: names of sizes can be read back from the text of a graph.

use super::error::DynamicError;
use crate::ir::Dynamic;
use crate::text::parse_size;
use crate::trace::TraceError;
use crate::trace::probe::{Declared, Dimension, Scalar, word};
use crate::value::SymInt;

impl Declared {
    /// Whether everything is the same in all runs.
    pub(crate) fn is_empty(&self) -> bool {
        self.dimensions.is_empty() && self.scalars.is_empty()
    }

    pub(crate) fn add_dimension(&mut self, input: String, axis: usize, size: &str) -> Result<(), TraceError> {
        let bad = |reason: String| DynamicError::BadSize { size: size.to_owned(), reason };
        let parsed: SymInt = parse_size(size).map_err(bad)?;
        if parsed.as_int().is_some() {
            return Err(bad("it is the same in all runs".to_owned()).into());
        }
        if self.dimensions.iter().any(|other| other.input == input && other.axis == axis) {
            return Err(bad(format!("dimension {axis} of `{input}` is declared twice")).into());
        }
        self.dimensions.push(Dimension { input, axis, size: parsed });
        Ok(())
    }

    pub(crate) fn add_scalar(&mut self, name: String) -> Result<(), TraceError> {
        let scalar = Scalar::new(name);
        if !Dynamic::is_legal_name(&scalar.size) {
            let reason = "it means something else in the text of a graph; call the parameter something else".to_owned();
            return Err(DynamicError::BadSize { size: scalar.path, reason }.into());
        }
        if !self.scalars.iter().any(|known| known.path == scalar.path) {
            self.scalars.push(scalar);
        }
        Ok(())
    }

    /// The same where integers of one name that have other values are other sizes, called by the whole path of the first:
    /// the counters of layers that do not count alike.
    pub(super) fn told_apart(&self, value: &dyn Fn(&str) -> Option<i64>) -> Self {
        let mut declared = self.clone();
        for (i, scalar) in self.scalars.iter().enumerate() {
            let alike = |other: &&Scalar| other.size == scalar.size && value(&other.path) == value(&scalar.path);
            if self.scalars.iter().filter(|other| other.size == scalar.size).all(|other| alike(&other)) {
                continue;
            }
            let first = self.scalars.iter().find(alike).unwrap_or(scalar);
            let name = word(&first.path);
            let is_free = self.names().iter().all(|known| **known != *name) || !first.path.contains('.');
            if is_free && Dynamic::is_legal_name(&name) {
                declared.scalars[i].size = name.into();
            }
        }
        declared
    }

    /// The names of the sizes, in the order in which they were declared: integers, then dimensions.
    pub(crate) fn names(&self) -> Vec<std::sync::Arc<str>> {
        let mut names: Vec<std::sync::Arc<str>> = Vec::new();
        let of_dimensions = self.dimensions.iter().filter_map(|dimension| dimension.size.as_symbol());
        for name in self.scalars.iter().map(|scalar| &scalar.size).chain(of_dimensions) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}
