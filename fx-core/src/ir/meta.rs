//! [`Meta`]: what is remembered about a node besides what it computes.
//!
//! Invariant: copying a node copies all of this; what few nodes have takes no room on the others.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use super::module_stack::ModuleStack;
use crate::value::{Fact, Value};

/// What is remembered about a node besides what it computes. Copying a node copies this.
///
/// ```
/// # use fx_core::{ir::{Graph, Source}, value::Value};
/// let mut graph = Graph::new("g");
/// let x = graph.at_end().placeholder("x");
/// let meta = graph.meta_mut(x);
/// meta.source = Some(Source::text("model.rs", 7));
/// meta.annotate("stage", Value::Int(1));
///
/// let copy = graph.clone();
/// let meta = copy.node(x).meta();
/// assert_eq!(meta.annotation("stage"), Some(&Value::Int(1)));
/// assert_eq!(meta.source.as_ref().unwrap().to_string(), "model.rs:7");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Meta {
    /// What is known of its value before it runs.
    pub fact: Fact,
    /// Where the user wrote it.
    pub source: Option<Source>,
    /// The modules whose `forward` it was recorded in, torch.fx's `nn_module_stack`.
    pub module: ModuleStack,
    // Few nodes have any.
    rare: Option<Box<Rare>>,
}

#[derive(Debug, Clone, Default)]
struct Rare {
    note: Option<Box<str>>,
    from: Vec<Origin>,
    annotations: Vec<(Arc<str>, Value)>,
}

/// What made a node out of which other: one step of its provenance, torch.fx's `from_node`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Name of the pass, or of whatever made it.
    pub pass: Arc<str>,
    /// Name that the node had before, or of the one it replaces.
    pub node: Arc<str>,
    /// Name of that node's graph.
    pub graph: Arc<str>,
}

impl Meta {
    /// Of a node that is recorded there, inside those modules.
    #[must_use]
    pub fn recorded(source: Option<Source>, module: ModuleStack) -> Self {
        Self { source, module, ..Self::default() }
    }

    /// Whether nothing is remembered.
    ///
    /// [`Graph::propagate_meta`](super::Graph::propagate_meta) writes only then.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { fact, source, module, rare } = self;
        let rare_is_empty = |rare: &Rare| rare.note.is_none() && rare.from.is_empty() && rare.annotations.is_empty();
        fact.is_unknown()
            && source.is_none()
            && *module == ModuleStack::ROOT
            && rare.as_deref().is_none_or(rare_is_empty)
    }

    /// What a reader of the graph should know besides.
    ///
    /// Captures note which reads of data they have baked in. One node has one note; it is text for people.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.rare.as_ref()?.note.as_deref()
    }

    /// Says what a reader of the graph should know besides.
    ///
    /// In place of what was noted before.
    pub fn set_note(&mut self, note: impl Into<Box<str>>) {
        self.rare.get_or_insert_default().note = Some(note.into());
    }

    /// The steps by which it came to be, the oldest first.
    ///
    /// Passes and transformers add a step to each node that they make;
    /// [`Graph::record_origin`](super::Graph::record_origin) does it for yours.
    #[must_use]
    pub fn from(&self) -> &[Origin] {
        self.rare.as_ref().map_or(&[], |rare| &rare.from)
    }

    /// Adds a step to how it came to be.
    pub fn add_origin(&mut self, origin: Origin) {
        self.rare.get_or_insert_default().from.push(origin);
    }

    /// What users keep with the node, in the order in which it was first put there: torch.fx's `meta["custom"]`.
    ///
    /// Values are of any kind; a graph with tensors in them cannot be written as text
    /// ([`Graph::to_text`](super::Graph::to_text)).
    #[must_use]
    pub fn annotations(&self) -> &[(Arc<str>, Value)] {
        self.rare.as_ref().map_or(&[], |rare| &rare.annotations)
    }

    /// What a user keeps with the node under this key.
    ///
    /// None if there is nothing under it.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&Value> {
        self.annotations().iter().find_map(|(found, value)| (**found == *key).then_some(value))
    }

    /// Keeps something with the node, in place of what was there under this key, which is returned.
    ///
    /// Copies of the node take it along, files too. One key has a meaning:
    /// [`DEFAULT_INPUT`](crate::module::DEFAULT_INPUT), of placeholders.
    pub fn annotate(&mut self, key: impl Into<Arc<str>>, value: Value) -> Option<Value> {
        let (key, annotations) = (key.into(), &mut self.rare.get_or_insert_default().annotations);
        match annotations.iter_mut().find(|(found, _)| *found == key) {
            Some((_, there)) => Some(std::mem::replace(there, value)),
            None => {
                annotations.push((key, value));
                None
            }
        }
    }

    /// Keeps something under a key that is not there yet, which the caller knows.
    pub(crate) fn add_annotation(&mut self, key: impl Into<Arc<str>>, value: Value) {
        self.rare.get_or_insert_default().annotations.push((key.into(), value));
    }
}

/// Where the user wrote something.
///
/// It is shown as `file:line`. A location is one by `into`: `Source::from(std::panic::Location::caller())`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Source {
    /// In the program that is running.
    Code(&'static Location<'static>),
    /// In a text that was read: file and line.
    Text(Arc<(String, u32)>),
}

impl Source {
    /// In the file and line of a text that was read.
    #[must_use]
    pub fn text(file: impl Into<String>, line: u32) -> Self {
        Self::Text(Arc::new((file.into(), line)))
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &str {
        match self {
            Self::Code(location) => location.file(),
            Self::Text(place) => &place.0,
        }
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        match self {
            Self::Code(location) => location.line(),
            Self::Text(place) => place.1,
        }
    }
}

impl From<&'static Location<'static>> for Source {
    fn from(location: &'static Location<'static>) -> Self {
        Self::Code(location)
    }
}

/// `src/model.rs:10`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file(), self.line())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({self})")
    }
}
