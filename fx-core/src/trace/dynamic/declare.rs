//! What was declared to differ from run to run.
//!
//! Invariant: names of sizes can be read back from the text of a graph.

use super::error::DynamicError;
use crate::ir::Dynamic;
use crate::text::parse_size;
use crate::trace::TraceError;
use crate::trace::probe::{Declared, Dimension};
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
        if !Dynamic::is_legal_name(&name) {
            let reason = "it means something else in the text of a graph; call the parameter something else".to_owned();
            return Err(DynamicError::BadSize { size: name, reason }.into());
        }
        if !self.scalars.contains(&name) {
            self.scalars.push(name);
        }
        Ok(())
    }

    /// The names of the sizes, in the order in which they were declared: integers, then dimensions.
    pub(crate) fn names(&self) -> Vec<std::sync::Arc<str>> {
        let mut names: Vec<std::sync::Arc<str>> = self.scalars.iter().map(|name| name.as_str().into()).collect();
        for dimension in &self.dimensions {
            if let Some(name) = dimension.size.as_symbol()
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        names
    }
}
