//! [`Pattern`]: a small graph that is looked for, or put in place of what was found.
//!
//! Invariant: a pattern has an output, every node of it is needed for that output, and the output is made of calls.

use std::sync::Arc;

use crate::ir::{Argument, Graph, NodeId, Op};
use crate::module::{Attributes, GraphModule};
use crate::trace::{Inputs, Output, OutputBuilder, Proxy, ToOutput, TraceError, Tracer};

/// Name of the structure that a pattern returns its [`Names`] as.
const NAMES: &str = "fx::passes::Names";

/// A small graph that is looked for, or put in place of what was found.
///
/// ```
/// use fx_core::passes::{IntoPattern, Pattern, Proxy, pattern};
///
/// // Three ways to the same pattern.
/// let short = pattern(|[x, w]| x.matmul(&w)?.relu())?;
/// let closure = (|x: &Proxy, w: &Proxy| x.matmul(w)?.relu()).into_pattern()?;
/// let graph = closure.graph().clone().into_pattern()?;
/// let nodes = |one: &Pattern| one.graph().nodes().map(|(_, node)| node.name().to_owned()).collect::<Vec<_>>();
/// assert_eq!(nodes(&short), nodes(&graph));
/// # Ok::<(), fx_core::passes::PatternError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    graph: Graph,
    attributes: Option<Attributes>,
    result: Argument,
    names: Vec<(Arc<str>, NodeId)>,
}

/// Something that cannot be a pattern or a replacement.
///
/// A replacement may be of nothing but inputs; what is looked for may not.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// The function could not be captured.
    #[error("the pattern cannot be captured: {0}")]
    Trace(#[from] TraceError),
    /// The graph has no output.
    #[error("the pattern `{graph}` has no output")]
    NoOutput {
        /// Name of the pattern's graph.
        graph: String,
    },
    /// The output reads no node, or the graph has no calls: it would match everywhere.
    #[error("the pattern `{graph}` is empty: it should return what it computes of its inputs")]
    Empty {
        /// Name of the pattern's graph.
        graph: String,
    },
    /// A node that nothing reads.
    #[error("the pattern computes what it does not return:\n    {line}\n  return it, or leave it out")]
    DeadCode {
        /// The node as the graph prints it.
        line: String,
    },
    /// An input that is returned as it is.
    #[error(
        "the pattern returns its input %{input} as it is, which would match everywhere: return only what it computes"
    )]
    ReturnsInput {
        /// The input.
        input: String,
    },
}

impl Pattern {
    /// A graph and what it names. A graph without attributes names layers by path.
    fn new(graph: Graph, attributes: Option<Attributes>) -> Result<Self, PatternError> {
        let name = || graph.name().to_owned();
        let output = graph.output_node().ok_or_else(|| PatternError::NoOutput { graph: name() })?;
        let returned = graph.node(output).args().first().ok_or_else(|| PatternError::NoOutput { graph: name() })?;
        let (result, names) = split(returned);
        Ok(Self { attributes, result, names, graph })
    }

    /// The same, if it can be looked for.
    pub(super) fn to_be_found(&self) -> Result<(), PatternError> {
        let mut returned = Vec::new();
        self.result.for_each_node(&mut |id| returned.push(id));
        if returned.is_empty() || self.graph.nodes().all(|(_, node)| matches!(node.op(), Op::Placeholder | Op::Output))
        {
            return Err(PatternError::Empty { graph: self.graph.name().to_owned() });
        }
        if let Some(&input) = returned.iter().find(|&&id| self.graph.node(id).op() == Op::Placeholder) {
            return Err(PatternError::ReturnsInput { input: self.graph.node(input).name().to_owned() });
        }
        let is_dead = |id: NodeId| match self.graph.node(id).op() {
            Op::Placeholder | Op::Output => false,
            _ => self.graph.users(id).all(|user| Some(user) == self.graph.output_node()) && !returned.contains(&id),
        };
        match self.graph.nodes().find(|&(id, _)| is_dead(id)) {
            Some((id, _)) => Err(PatternError::DeadCode { line: self.graph.node_line(id) }),
            None => Ok(()),
        }
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The tensors and layers that it names; none if it is a bare graph.
    ///
    /// Without them, calls of layers are compared by path.
    #[must_use]
    pub fn attributes(&self) -> Option<&Attributes> {
        self.attributes.as_ref()
    }

    /// What it returns, without the names.
    ///
    /// A node, or a tuple or list of several.
    #[must_use]
    pub fn result(&self) -> &Argument {
        &self.result
    }

    /// The nodes that it returns, as often as it returns them.
    pub fn returned(&self) -> impl Iterator<Item = NodeId> + use<> {
        let mut nodes = Vec::new();
        self.result.for_each_node(&mut |id| nodes.push(id));
        nodes.into_iter()
    }

    /// The nodes that it gives names to.
    #[must_use]
    pub fn names(&self) -> &[(Arc<str>, NodeId)] {
        &self.names
    }

    /// Its inputs, in order.
    #[must_use]
    pub fn inputs(&self) -> Vec<NodeId> {
        self.graph.placeholders().collect()
    }
}

/// What a pattern returns, and the names it gives to nodes.
fn split(returned: &Argument) -> (Argument, Vec<(Arc<str>, NodeId)>) {
    let named = |argument: &Argument| match argument {
        Argument::Struct(structure) if *structure.0 == *NAMES => {
            let named = structure.1.iter().filter_map(|(name, item)| Some((name.clone(), item.as_node()?)));
            Some(named.collect())
        }
        _ => None,
    };
    match returned {
        Argument::Tuple(items) if items.len() > 1 => match items.last().and_then(named) {
            Some(names) if items.len() == 2 => (items[0].clone(), names),
            Some(names) => (Argument::Tuple(items[..items.len() - 1].into()), names),
            None => (returned.clone(), Vec::new()),
        },
        _ => (returned.clone(), Vec::new()),
    }
}

/// Names that a pattern gives to nodes, returned after its results: torch.fx's `SubgraphMatcherWithNameNodeMap`.
///
/// ```
/// use fx_core::passes::{Names, pattern};
///
/// let pattern = pattern(|[x, w]| {
///     let product = x.matmul(&w)?;
///     candle_core::Result::Ok((product.relu()?, Names::new([("product", product)])))
/// })?;
/// assert_eq!(&*pattern.names()[0].0, "product");
/// # Ok::<(), fx_core::passes::PatternError>(())
/// ```
///
/// They are found as [`InternalMatch::name_node_map`](super::InternalMatch), and are no results.
#[derive(Debug, Clone)]
pub struct Names(Vec<(String, Proxy)>);

impl Names {
    /// These names of these nodes.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = (N, Proxy)>) -> Self {
        Self(names.into_iter().map(|(name, proxy)| (name.into(), proxy)).collect())
    }
}

impl ToOutput for Names {
    fn to_output(&self, out: &mut OutputBuilder) -> candle_core::Result<Output> {
        let fields = self.0.iter().map(|(name, proxy)| Ok((name.as_str(), proxy.to_output(out)?)));
        let fields = fields.collect::<candle_core::Result<Vec<_>>>()?;
        Ok(out.structure(NAMES, fields))
    }
}

/// Whatever can be a pattern or a replacement: a function or closure of one to eight proxies
/// (`|x: &Proxy, w: &Proxy|`), a [`Graph`], a [`GraphModule`], or a [`Pattern`].
///
/// `K` tells the kinds apart and is never written.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a function of proxies nor a graph",
    note = "write the types of a closure's parameters, `|x: &Proxy, w: &Proxy| x.matmul(w)`",
    note = "or use `fx::passes::pattern`, which takes closures without types"
)]
pub trait IntoPattern<K> {
    /// As a pattern.
    ///
    /// # Errors
    ///
    /// If it cannot be captured, or if the graph has no output.
    fn into_pattern(self) -> Result<Pattern, PatternError>;
}

impl IntoPattern<Graph> for Graph {
    fn into_pattern(self) -> Result<Pattern, PatternError> {
        Pattern::new(self, None)
    }
}

impl IntoPattern<Graph> for &Graph {
    fn into_pattern(self) -> Result<Pattern, PatternError> {
        Pattern::new(self.clone(), None)
    }
}

impl IntoPattern<GraphModule> for &GraphModule {
    fn into_pattern(self) -> Result<Pattern, PatternError> {
        Pattern::new(self.graph().clone(), Some(self.attributes().clone()))
    }
}

impl IntoPattern<GraphModule> for GraphModule {
    fn into_pattern(self) -> Result<Pattern, PatternError> {
        (&self).into_pattern()
    }
}

impl IntoPattern<Self> for Pattern {
    fn into_pattern(self) -> Result<Pattern, PatternError> {
        Ok(self)
    }
}

impl IntoPattern<Pattern> for &Pattern {
    fn into_pattern(self) -> Result<Pattern, PatternError> {
        Ok(self.clone())
    }
}

macro_rules! functions {
    ($($($x:ident)+;)*) => {$(
        impl<F, R> IntoPattern<fn($(functions!(@proxy $x)),+) -> R> for F
        where
            F: FnOnce($(functions!(@proxy $x)),+) -> R,
            R: ToOutput,
        {
            fn into_pattern(self) -> Result<Pattern, PatternError> {
                capture(|inputs| {
                    $(let $x = inputs.tensor(stringify!($x))?;)+
                    let returned = self($(&$x),+);
                    inputs.finish(returned)
                })
            }
        }
    )*};
    (@proxy $x:ident) => { &Proxy };
}
functions! {
    x0; x0 x1; x0 x1 x2; x0 x1 x2 x3; x0 x1 x2 x3 x4; x0 x1 x2 x3 x4 x5; x0 x1 x2 x3 x4 x5 x6; x0 x1 x2 x3 x4 x5 x6 x7;
}

/// A pattern of any number of inputs, whose types need not be written: `pattern(|[x, w]| x.matmul(&w)?.relu())`.
///
/// Its inputs stand for anything: nodes, literals, lists. What it must return, and what matches what, is said at
/// [`SubgraphMatcher`](super::SubgraphMatcher).
///
/// ```
/// use fx_core::passes::pattern;
///
/// let scaled = pattern(|[x, w]| x.matmul(&w)? * 0.5)?;
/// assert_eq!((scaled.inputs().len(), scaled.graph().len()), (2, 5));
/// # Ok::<(), fx_core::passes::PatternError>(())
/// ```
///
/// # Errors
///
/// If the function cannot be captured.
pub fn pattern<const N: usize, R: ToOutput>(function: impl FnOnce([Proxy; N]) -> R) -> Result<Pattern, PatternError> {
    capture(|inputs| {
        let proxies = (0..N).map(|i| inputs.tensor(&format!("x{i}"))).collect::<candle_core::Result<Vec<_>>>()?;
        let proxies: [Proxy; N] =
            proxies.try_into().map_err(|_| candle_core::Error::Msg("as many as asked for".into()))?;
        let returned = function(proxies);
        inputs.finish(returned)
    })
}

fn capture(function: impl FnOnce(&mut Inputs<'_>) -> candle_core::Result<Output>) -> Result<Pattern, PatternError> {
    let module = Tracer::new().name("pattern").trace_outputs(function)?;
    module.into_pattern()
}
