//! [`ModulePath`]: where a module, parameter or buffer is in the tree of the captured model.
//!
//! Invariant: the root is the empty path, and is the only path without text.

use std::fmt;
use std::sync::Arc;

/// A dotted path, `encoder.layers.0.query`. Cloning it copies no text.
///
/// ```
/// # use fx_core::ir::ModulePath;
/// let layer = ModulePath::new("encoder.layers.0");
/// assert_eq!(layer.child("weight").as_str(), "encoder.layers.0.weight");
/// assert_eq!(layer.parent().unwrap().as_str(), "encoder.layers");
/// assert!(ModulePath::new("").is_root());
/// ```
///
/// The segments are the names of Rust's fields, with numbers for the elements of lists, so they are the names that a
/// checkpoint of the model has, if the model loads its weights under the names of its fields.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ModulePath(Option<Arc<str>>);

impl ModulePath {
    /// The captured model itself.
    pub const ROOT: Self = Self(None);

    /// The path with this text; the root if it is empty.
    ///
    /// The text is taken as it is: no segment is checked.
    #[must_use]
    pub fn new(path: impl AsRef<str> + Into<Arc<str>>) -> Self {
        Self((!path.as_ref().is_empty()).then(|| path.into()))
    }

    /// Its text, empty for the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or("")
    }

    /// Whether this is the captured model itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_none()
    }

    /// The path of what is called `name` inside.
    ///
    /// `name` may have dots, and is then several steps down.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        match &self.0 {
            None => Self::new(name),
            Some(path) => Self(Some(format!("{path}.{name}").into())),
        }
    }

    /// The path of what is at `inner` inside.
    #[must_use]
    pub fn join(&self, inner: &Self) -> Self {
        match (&self.0, &inner.0) {
            (None, _) => inner.clone(),
            (_, None) => self.clone(),
            (Some(_), Some(inner)) => self.child(inner),
        }
    }

    /// How many modules can be inside of each other: what holds a path is not looked for deeper.
    pub const MAX_DEPTH: usize = 1024;

    /// Where in a text the paths end that it leads through, the longest first, and at most [`ModulePath::MAX_DEPTH`] parts
    /// long, because a text can have any number of parts, and each of these paths may have to be looked for.
    pub(crate) fn ends_of_parts(text: &str) -> impl Iterator<Item = usize> {
        let mut ends: Vec<usize> = text.match_indices('.').map(|(end, _)| end).take(Self::MAX_DEPTH).collect();
        std::iter::from_fn(move || ends.pop())
    }

    /// The path of what this is inside of; none for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.as_deref().map(|path| path.rsplit_once('.').map_or(Self::ROOT, |(parent, _)| Self::new(parent)))
    }

    /// The last segment, its own name; none for the root.
    #[must_use]
    pub fn last(&self) -> Option<&str> {
        self.segments().next_back()
    }

    /// The names from the root down.
    ///
    /// None of the root has any.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.iter().flat_map(|path| path.split('.'))
    }
}

impl From<&str> for ModulePath {
    fn from(path: &str) -> Self {
        Self::new(path)
    }
}

impl From<String> for ModulePath {
    fn from(path: String) -> Self {
        Self::new(path)
    }
}

impl fmt::Display for ModulePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ModulePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_and_parents() {
        let path = ModulePath::ROOT.child("encoder").child("0").child("query");
        assert_eq!(path.as_str(), "encoder.0.query");
        assert_eq!(path.last(), Some("query"));
        assert_eq!(path.segments().collect::<Vec<_>>(), ["encoder", "0", "query"]);
        assert_eq!(path.parent(), Some("encoder.0".into()));
        assert_eq!(ModulePath::from("encoder").parent(), Some(ModulePath::ROOT));
        assert_eq!(ModulePath::from(""), ModulePath::ROOT);
    }

    #[test]
    fn the_root_has_no_segments() {
        assert_eq!(ModulePath::ROOT.segments().count(), 0);
        assert_eq!((ModulePath::ROOT.parent(), ModulePath::ROOT.last()), (None, None));
        assert_eq!(ModulePath::ROOT.child("x"), "x".into());
    }
}
