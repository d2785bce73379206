//! [`Dynamic`]: which sizes a graph follows, where each is read from, and when the graph is the one to run.
//!
//! Invariant: it is made of nodes that were in the graph when it was set. That they are inputs, that every expression in
//! the graph is over these sizes, and that numbers kept beside expressions are theirs, [`Graph::verify`] checks.

use std::fmt;
use std::sync::Arc;

use super::graph::Graph;
use super::meta::Source;
use super::node::NodeId;
use crate::value::{Relation, SymNumber};

/// The sizes that a graph follows. Arguments and facts name them in expressions
/// ([`SymInt`](crate::value::SymInt)).
///
/// Captures write it for what [`Tracer::dynamic`](crate::trace::Tracer::dynamic) declares. Each run reads the sizes off
/// its inputs, checks the guards, and works out every argument that follows them.
///
/// ```
/// use fx_core::ir::{Dynamic, Graph, Guard, Size, SizeOf};
/// use fx_core::ops::shape::narrow;
/// use fx_core::value::{Relation, SymInt};
///
/// let mut graph = Graph::new("first_half");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let seq = SymInt::symbol("seq", 8);
/// let half = fx_core::value::SymInt::binary(fx_core::value::SymOp::Div, &seq, &2.into())?;
/// let y = cursor.call(&narrow::OP, [x.into()], [("dim".into(), 0.into()), ("start".into(), 0.into()), ("len".into(), half.into())])?;
/// cursor.output(y);
/// graph.set_dynamic(Some(Dynamic {
///     sizes: vec![Size { name: "seq".into(), hint: 8, places: vec![SizeOf::Extent(x, 0)] }],
///     guards: vec![Guard { left: seq.into(), relation: Relation::Ge, right: 2.into(), source: None }],
/// }));
/// graph.verify()?;
/// assert_eq!(graph.node_line(y), "%narrow = call_method narrow(%x, dim = 0, start = 0, len = seq / 2)");
/// assert_eq!(graph.dynamic().unwrap().guards[0].to_string(), "seq >= 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dynamic {
    /// The sizes, each with a name of its own.
    pub sizes: Vec<Size>,
    /// What has to hold of them: where one does not, the original takes another way than this graph.
    pub guards: Vec<Guard>,
}

/// A size that differs from run to run. It is not negative: a run in which it would be is refused.
///
/// It is a number of elements, or the value of an integer input. Expressions name it by
/// [`SymInt::symbol`](crate::value::SymInt::symbol).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Size {
    /// Its name, a plain word.
    pub name: Arc<str>,
    /// What it was at the capture.
    pub hint: i64,
    /// Where it is read from. The first place gives it; all others have to say the same.
    pub places: Vec<SizeOf>,
}

/// Where a size is read from.
///
/// The node is a placeholder: rule V13.
///
/// Several places of one size have to agree, which each run checks
/// ([`RunError::SizesDiffer`](crate::interp::RunError)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SizeOf {
    /// A dimension of a tensor input, the outermost is 0.
    Extent(NodeId, usize),
    /// An input that is an integer.
    Value(NodeId),
}

impl SizeOf {
    /// The input.
    #[must_use]
    pub fn input(self) -> NodeId {
        match self {
            Self::Extent(input, _) | Self::Value(input) => input,
        }
    }

    /// The same of another input.
    #[must_use]
    pub fn of(self, input: NodeId) -> Self {
        match self {
            Self::Extent(_, axis) => Self::Extent(input, axis),
            Self::Value(_) => Self::Value(input),
        }
    }
}

/// A condition on sizes that held at the capture and has to hold in every run.
///
/// A run at sizes for which one is false is refused with [`RunError::Guard`](crate::interp::RunError::Guard): the model
/// itself would have taken another way there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// Left side.
    pub left: SymNumber,
    /// How the sides compare.
    pub relation: Relation,
    /// Right side.
    pub right: SymNumber,
    /// Where the model compares them; none if it is what the capture was tried at.
    pub source: Option<Source>,
}

/// `seq + past <= 32`.
impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.relation, self.right)
    }
}

impl Dynamic {
    /// The size of this name.
    ///
    /// None if the graph does not follow one.
    #[must_use]
    pub fn size(&self, name: &str) -> Option<&Size> {
        self.sizes.iter().find(|size| *size.name == *name)
    }

    /// How many sizes a graph can follow. They are searched by name, so a text must not have any number of them.
    pub const MAX_SIZES: usize = 256;

    /// Whether a word can be the name of a size: a plain word that means nothing else in the text of a graph.
    ///
    /// ```
    /// use fx_core::ir::Dynamic;
    ///
    /// assert!(Dynamic::is_legal_name("batch"));
    /// // A dtype, a function of expressions, and no word.
    /// assert!(!["f32", "min", "2nd"].into_iter().any(Dynamic::is_legal_name));
    /// ```
    #[must_use]
    pub fn is_legal_name(name: &str) -> bool {
        const WORDS: [&str; 11] = ["none", "true", "false", "inf", "nan", "cpu", "cuda", "metal", "min", "max", "data"];
        super::identifier::is_identifier(name)
            && !WORDS.contains(&name)
            && crate::value::dtype_from_name(name).is_none()
    }

    /// The same in terms of what the inputs became. A size that is read from none of them any more is left out; whatever
    /// still names it breaks V13.
    #[must_use]
    pub(crate) fn mapped(&self, map: &mut dyn FnMut(NodeId) -> Option<NodeId>) -> Self {
        let sizes = self.sizes.iter().map(|size| {
            let places = size.places.iter().filter_map(|place| Some(place.of(map(place.input())?)));
            Size { places: places.collect(), ..size.clone() }
        });
        Self { sizes: sizes.filter(|size| !size.places.is_empty()).collect(), guards: self.guards.clone() }
    }
}

impl Graph {
    /// The sizes that the graph follows; none if it is of one size.
    #[must_use]
    pub fn dynamic(&self) -> Option<&Dynamic> {
        self.dynamic.as_deref()
    }

    /// Says which sizes the graph follows. As with a signature, the inputs can be erased; [`Graph::verify`] then reports
    /// V13.
    ///
    /// None makes it a graph of one size; expressions that are left then break V13.
    ///
    /// # Panics
    ///
    /// If a size is read from a node that was erased or is of another graph.
    #[track_caller]
    pub fn set_dynamic(&mut self, dynamic: Option<Dynamic>) {
        for size in dynamic.iter().flat_map(|dynamic| &dynamic.sizes) {
            size.places.iter().for_each(|place| self.expect(place.input()));
        }
        self.dynamic = dynamic.map(Box::new);
        self.revision += 1;
    }
}
