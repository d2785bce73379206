//! [`Node`]: one step of a graph, and what is remembered about it.
//!
//! Invariant: a node is read through methods and changed only through its [`Graph`](super::Graph), which keeps users,
//! names and order true.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;
use smol_str::SmolStr;

use super::argument::Argument;
use super::meta::Meta;
use super::target::{Op, Target};

crate::entity::entity! {
    /// Names a node of one graph. Never given out again after the node is erased.
    ///
    /// It is a number of four bytes, copied freely, and compared by the order in which nodes were created; where a node
    /// stands in the program, [`Graph::is_before`](super::Graph::is_before) says.
    pub struct NodeId
}

/// One step of a graph.
///
/// A node is read here, and changed through its [`Graph`](super::Graph), which keeps users, names and order right.
///
/// ```
/// use fx_core::ir::{Argument, Graph, Op};
/// use fx_core::ops::elementwise::clamp;
///
/// let mut graph = Graph::new("g");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let limits = [("min".into(), 0.0.into()), ("max".into(), 6.0.into())];
/// let y = cursor.call(&clamp::OP, [x.into()], limits)?;
///
/// let node = graph.node(y);
/// assert_eq!((node.name(), node.op(), node.target().to_string().as_str()), ("clamp", Op::CallMethod, "clamp"));
/// assert_eq!(node.args(), [Argument::Node(x)]);
/// assert_eq!(node.kwarg("max"), Some(&Argument::Float(6.0)));
/// assert_eq!(node.all_input_nodes().collect::<Vec<_>>(), [x]);
/// # Ok::<(), fx_core::ir::BindError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Node {
    pub(super) name: SmolStr,
    pub(super) target: Target,
    pub(super) args: Box<[Argument]>,
    pub(super) kwargs: Box<[(Keyword, Argument)]>,
    pub(super) meta: Meta,
}

impl Node {
    /// The opcode.
    ///
    /// It follows from the [target](Node::target).
    #[must_use]
    pub fn op(&self) -> Op {
        self.target.op()
    }

    /// What it does.
    ///
    /// Which input, attribute, operation, layer or child graph, or that it is the output.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Its name: unique in the graph and a legal Rust identifier.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Arguments by position.
    ///
    /// Of operations those that are, or can be, tensors, and lists of them, the receiver of a method first; of layers
    /// the input; of child graphs one for each placeholder; of the output its one value.
    #[must_use]
    pub fn args(&self) -> &[Argument] {
        &self.args
    }

    /// Arguments by name; those of an operation in the order of its parameters.
    ///
    /// Of operations everything that cannot be a tensor; of layers the options, such as `train`.
    #[must_use]
    pub fn kwargs(&self) -> &[(Keyword, Argument)] {
        &self.kwargs
    }

    /// The argument called `name` among the arguments by name.
    ///
    /// None if it is given by position, or not at all. Whatever way it is given,
    /// [`Graph::normalized_arguments`](super::Graph::normalized_arguments) has it by name.
    #[must_use]
    pub fn kwarg(&self, name: &str) -> Option<&Argument> {
        self.kwargs.iter().find_map(|(keyword, argument)| (&**keyword == name).then_some(argument))
    }

    /// All arguments, those by position first.
    pub fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.args.iter().chain(self.kwargs.iter().map(|(_, argument)| argument))
    }

    /// The nodes it reads, in the order of first use, each once.
    ///
    /// Also those inside of lists, tuples and structures. It is torch.fx's `all_input_nodes`.
    pub fn all_input_nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        let mut inputs = SmallVec::<[NodeId; 4]>::new();
        self.for_each_use(&mut |id| inputs.push(id));
        distinct(&mut inputs);
        inputs.into_iter()
    }

    /// What is remembered about it.
    ///
    /// [`Graph::meta_mut`](super::Graph::meta_mut) changes it.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Calls `visit` with each node it reads, as often as it reads it.
    pub(super) fn for_each_use(&self, visit: &mut impl FnMut(NodeId)) {
        for argument in self.arguments() {
            argument.for_each_node(visit);
        }
    }

    /// The part of an argument at this place: number of the argument, those by position first, then of the part in it, and
    /// so on.
    pub(super) fn argument_at(&mut self, place: &[u32]) -> Option<&mut Argument> {
        let (first, inside) = place.split_first()?;
        let (first, by_position) = (*first as usize, self.args.len());
        let argument = match first.checked_sub(by_position) {
            None => self.args.get_mut(first),
            Some(by_name) => self.kwargs.get_mut(by_name).map(|(_, argument)| argument),
        };
        inside.iter().try_fold(argument?, |argument, part| argument.part_mut(*part as usize))
    }

    pub(super) fn arguments_mut(&mut self) -> impl Iterator<Item = &mut Argument> {
        self.args.iter_mut().chain(self.kwargs.iter_mut().map(|(_, argument)| argument))
    }
}

/// Removes repeats and keeps the order, in linear time when there are many.
fn distinct(ids: &mut SmallVec<[NodeId; 4]>) {
    if ids.len() <= 16 {
        let mut kept = 0;
        for i in 0..ids.len() {
            if !ids[..kept].contains(&ids[i]) {
                ids[kept] = ids[i];
                kept += 1;
            }
        }
        ids.truncate(kept);
    } else {
        let mut seen = std::collections::HashSet::with_capacity(ids.len());
        ids.retain(|id| seen.insert(*id));
    }
}

/// Name of an argument. The parameters of operations have static names; others, read from a text, are shared.
///
/// It is read as a `str`, and equal to one of the same text.
///
/// ```
/// use fx_core::ir::Keyword;
///
/// let known = Keyword::from("dim");
/// assert_eq!((known.len(), known == Keyword::shared(String::from("dim")), known == "dim"), (3, true, true));
/// ```
#[derive(Clone)]
pub struct Keyword(Name);

#[derive(Clone)]
enum Name {
    Static(&'static str),
    // One pointer, so that a keyword is no larger than a `&str`.
    Shared(Arc<String>),
}

impl Keyword {
    /// A name that is not known before the program runs.
    #[must_use]
    pub fn shared(name: impl Into<String>) -> Self {
        Self(Name::Shared(Arc::new(name.into())))
    }
}

impl From<&'static str> for Keyword {
    fn from(name: &'static str) -> Self {
        Self(Name::Static(name))
    }
}

impl Deref for Keyword {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Name::Static(name) => name,
            Name::Shared(name) => name,
        }
    }
}

impl PartialEq for Keyword {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Keyword {}

impl PartialEq<str> for Keyword {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Keyword {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl std::hash::Hash for Keyword {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_is_no_larger_than_a_str_and_equal_by_text() {
        assert_eq!(size_of::<Keyword>(), 16);
        assert_eq!(Keyword::from("min"), Keyword::shared("min"));
        assert_eq!(Keyword::shared("min"), "min");
    }

    #[test]
    fn a_node_is_small() {
        println!("Argument {}, Meta {}, Node {}", size_of::<Argument>(), size_of::<Meta>(), size_of::<Node>());
        assert!(size_of::<Argument>() <= 24);
        assert!(size_of::<Node>() <= 176);
        assert_eq!(size_of::<Option<Node>>(), size_of::<Node>());
    }
}
