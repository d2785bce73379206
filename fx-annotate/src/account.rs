//! What was left alone, and why: what a person looks at who wonders where a capture ends.
//!
//! Invariant: only what is about tensors is told of.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// An item without an attribute, or with one that leaves it out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    /// The file, relative to the crate's root.
    pub path: PathBuf,
    /// Its line there.
    pub line: usize,
    /// What it is, as ``fn `sample` ``.
    pub item: String,
    /// Why, as a sentence about it.
    pub reason: String,
}

/// The list, with one line for each reason of a file.
pub(super) fn write(left: &[Left], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if left.is_empty() {
        return Ok(());
    }
    write!(f, "\nleft alone: {}", left.len())?;
    let mut reasons: BTreeMap<_, Vec<&Left>> = BTreeMap::new();
    for one in left {
        reasons.entry((&one.path, &one.reason)).or_default().push(one);
    }
    for ((path, reason), items) in reasons {
        let items: Vec<String> = items.iter().map(|one| format!("{} (line {})", one.item, one.line)).collect();
        write!(f, "\n  {}: {}: {reason}", path.display(), items.join(", "))?;
    }
    Ok(())
}
