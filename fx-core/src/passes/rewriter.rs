//! [`replace_pattern`]: puts one small graph in place of another, wherever that occurs.
//!
//! Everything is done on a copy of the graph, which takes the place of the original at the end: a rewrite that fails
//! leaves the module as it was. A match sees what earlier matches were replaced by. The replacement comes before the
//! first reader of what the match returns, or after the last returned node if nothing reads it; where an input of the
//! match is computed only after that, the readers in between are moved behind. Calls with effects, or that draw random
//! numbers, keep their order: where they could not, nothing is replaced.
//!
//! Invariant: what is put in knows where it came from: source line and modules of the match, one step of provenance
//! for each node that it replaces, and facts that follow from its inputs.

use std::sync::Arc;

use super::matcher::{InternalMatch, NodesMap, SubgraphMatcher, TooAmbiguous};
use super::pass::{Fuel, Pass, PassFailure};
use super::pattern::{IntoPattern, Pattern, PatternError};
use super::sequence::Sequence;
use super::splice::{Installed, Replaced, Spliced, splice};
use super::{facts, held};
use crate::ir::{Graph, NodeId};
use crate::module::infer_sizes::Inference;
use crate::module::{Attributes, GraphModule};

/// One place where a pattern was replaced.
///
/// Ids are of the graph after the rewrite; those of nodes that are gone are not used again.
#[derive(Debug, Clone)]
pub struct ReplacedPattern {
    /// The node that stood for the pattern's first anchor; it is gone.
    pub anchor: NodeId,
    /// What stood for each node of the pattern.
    pub nodes_map: NodesMap,
    /// The nodes that were added.
    pub replacements: Vec<NodeId>,
}

/// Why a pattern was not replaced. The module is as it was.
///
/// The message shows the node and what was to be put there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// Pattern or replacement is none.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The pattern fits in too many ways.
    #[error(transparent)]
    TooAmbiguous(#[from] TooAmbiguous),
    /// Pattern and replacement take different numbers of inputs.
    #[error("the pattern takes {expected} inputs, but the replacement takes {found}")]
    Inputs {
        /// How many the pattern takes.
        expected: usize,
        /// How many the replacement takes.
        found: usize,
    },
    /// Pattern and replacement return different numbers of values.
    #[error("the pattern returns {expected} values, but the replacement returns {found}")]
    Results {
        /// How many the pattern returns.
        expected: usize,
        /// How many the replacement returns.
        found: usize,
    },
    /// The replacement uses an input that the pattern does not.
    #[error("the replacement uses its input {input}, but nothing in the pattern says what that stands for")]
    Unbound {
        /// Number of the input, from 0.
        input: usize,
    },
    /// The replacement returns what stands for an input, and that is no node.
    #[error("the replacement of %{node} returns an input for which a literal stands, and a literal has no readers")]
    LiteralResult {
        /// The node that would be replaced.
        node: String,
    },
    /// The replacement names a layer or tensor that it does not bring, and the module does not have.
    #[error("the replacement names `{path}`, which neither it nor the module has")]
    MissingAttribute {
        /// The path.
        path: String,
    },
    /// What stands for an input makes an argument that is nested too deep.
    #[error("an argument would be nested too deep in {line}")]
    TooDeep {
        /// The node of the replacement.
        line: String,
    },
    /// The replacement does not take what the match gives it, or what reads the match does not take its result.
    #[error("{line}\n  does not take what it is given after the replacement of %{anchor}: {reason}")]
    Refused {
        /// The node as the graph prints it.
        line: String,
        /// The node that stood for the first anchor.
        anchor: String,
        /// The reason.
        reason: String,
    },
    /// The callback that makes replacements failed.
    #[error("no replacement for %{anchor}: {source}")]
    Callback {
        /// The node that stood for the first anchor.
        anchor: String,
        /// The callback's own error.
        source: PassFailure,
    },
}

/// Accepts or refuses a match: the match, the graph it is in, and the pattern's graph.
///
/// A closure is one. It is asked about each match in the graph as it was before any was replaced.
pub type MatchFilter<'f> = dyn FnMut(&InternalMatch, &Graph, &Graph) -> bool + 'f;

type Callback<'f> = dyn FnMut(&InternalMatch, &Graph) -> Result<Pattern, PassFailure> + 'f;

enum Replacement<'f> {
    Fixed(Box<Pattern>),
    Made(Box<Callback<'f>>),
}

/// Replaces a pattern wherever it occurs, and returns the places: torch.fx's `replace_pattern`.
///
/// Both can be functions of proxies, graphs or graph modules. Layers and tensors of the replacement come along under
/// fresh paths; what no node names any more goes.
///
/// ```
/// use fx_core::passes::{pattern, replace_pattern};
/// use fx_core::trace::Tracer;
///
/// let mut module = Tracer::new().trace_fn(|inputs| {
///     let (x, w) = (inputs.tensor("x")?, inputs.tensor("w")?);
///     x.matmul(&w)?.relu()
/// })?;
/// let found = replace_pattern(
///     &mut module,
///     pattern(|[x, w]| x.matmul(&w)?.relu())?,
///     pattern(|[x, w]| x.matmul(&w)?.gelu())?,
/// )?;
/// assert_eq!(found.len(), 1);
/// assert!(module.graph().to_string().contains("gelu"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The module is copied first, so that a rewrite that fails leaves it as it was.
///
/// # Errors
///
/// If pattern and replacement do not fit each other or the graph; the module is then as it was.
pub fn replace_pattern<K, L>(
    module: &mut GraphModule,
    pattern: impl IntoPattern<K>,
    replacement: impl IntoPattern<L>,
) -> Result<Vec<ReplacedPattern>, RewriteError> {
    PatternRewriter::new(pattern)?.replacement(replacement)?.apply(module)
}

/// [`replace_pattern`] in the places that a filter accepts, with literals of any value if asked for.
///
/// What else can be chosen is in [`PatternRewriter`].
///
/// torch.fx's `replace_pattern_with_filters`.
///
/// # Errors
///
/// As [`replace_pattern`].
pub fn replace_pattern_with_filters<K, L>(
    module: &mut GraphModule,
    pattern: impl IntoPattern<K>,
    replacement: impl IntoPattern<L>,
    filter: impl FnMut(&InternalMatch, &Graph, &Graph) -> bool,
    ignore_literals: bool,
) -> Result<Vec<ReplacedPattern>, RewriteError> {
    let rewriter = PatternRewriter::new(pattern)?.replacement(replacement)?.filter(filter);
    rewriter.matching(|matcher| matcher.ignore_literals(ignore_literals)).apply(module)
}

/// A pattern, what to put in its place, and where. It is a [`Pass`].
///
/// ```
/// use fx_core::ir::Argument;
/// use fx_core::passes::{PatternRewriter, pattern};
/// use fx_core::trace::Tracer;
///
/// let mut module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.clamp(0.0, 6.0)?.clamp(-1.0, 1.0))?;
/// // Limits are literals of any value here; only a clamp from zero is replaced.
/// let mut rewriter = PatternRewriter::new(pattern(|[x]| x.clamp(0.0, 1.0))?)?
///     .matching(|matcher| matcher.ignore_literals(true))
///     .filter(|found, graph, _| graph.node(found.anchors[0]).kwarg("min") == Some(&Argument::Float(0.0)))
///     .replacement(pattern(|[x]| x.relu())?)?;
/// assert_eq!(rewriter.apply(&mut module)?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct PatternRewriter<'f> {
    name: Arc<str>,
    matcher: SubgraphMatcher,
    replacement: Option<Replacement<'f>>,
    filters: Vec<Box<MatchFilter<'f>>>,
}

impl<'f> PatternRewriter<'f> {
    /// Looks for this pattern. Without a replacement nothing is replaced.
    ///
    /// # Errors
    ///
    /// If it is not a pattern.
    pub fn new<K>(pattern: impl IntoPattern<K>) -> Result<Self, PatternError> {
        let matcher = SubgraphMatcher::new(pattern.into_pattern()?)?;
        Ok(Self { name: "replace_pattern".into(), matcher, replacement: None, filters: Vec::new() })
    }

    /// Says in the provenance of new nodes that this made them.
    ///
    /// It is [`Origin::pass`](crate::ir::Origin); `replace_pattern` unless said otherwise.
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// Changes how the pattern is looked for: literals, names of nodes, budget.
    pub fn matching(mut self, change: impl FnOnce(SubgraphMatcher) -> SubgraphMatcher) -> Self {
        // Of two matches that overlap, only one can be taken away.
        self.matcher = change(self.matcher).keep_overlapping(false);
        self
    }

    /// Replaces only where this accepts it, too.
    ///
    /// All filters have to.
    pub fn filter(mut self, filter: impl FnMut(&InternalMatch, &Graph, &Graph) -> bool + 'f) -> Self {
        self.filters.push(Box::new(filter));
        self
    }

    /// What comes in place of the pattern.
    ///
    /// # Errors
    ///
    /// If it cannot be captured, or takes or returns another number of values than the pattern.
    pub fn replacement<K>(mut self, replacement: impl IntoPattern<K>) -> Result<Self, RewriteError> {
        let replacement = replacement.into_pattern()?;
        fits(self.matcher.pattern(), &replacement)?;
        self.replacement = Some(Replacement::Fixed(Box::new(replacement)));
        Ok(self)
    }

    /// Makes the replacement of each match: torch.fx's `replacement_callback`.
    ///
    /// What it returns is checked as a fixed replacement is.
    ///
    /// ```
    /// use fx_core::passes::{PatternError, PatternRewriter, pattern};
    /// use fx_core::trace::Tracer;
    ///
    /// // Twice the power, whatever it is.
    /// let mut module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.powf(1.5))?;
    /// let rewriter = PatternRewriter::new(pattern(|[x]| x.powf(1.0))?)?
    ///     .matching(|matcher| matcher.ignore_literals(true))
    ///     .callback(|found, graph| -> Result<_, PatternError> {
    ///         let e = graph.node(found.anchors[0]).kwarg("e").and_then(|e| e.to_value());
    ///         let Some(fx_core::value::Value::Float(e)) = e else { return pattern(|[x]| x.powf(1.0)) };
    ///         pattern(move |[x]| x.powf(2.0 * e))
    ///     });
    /// assert_eq!(rewriter.apply(&mut module)?.len(), 1);
    /// assert!(module.graph().to_string().contains("e = 3.0"), "{}", module.graph());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn callback<E: Into<PassFailure>>(
        mut self,
        mut make: impl FnMut(&InternalMatch, &Graph) -> Result<Pattern, E> + 'f,
    ) -> Self {
        let make = move |found: &InternalMatch, graph: &Graph| make(found, graph).map_err(Into::into);
        self.replacement = Some(Replacement::Made(Box::new(make)));
        self
    }

    /// Replaces the pattern wherever it occurs and is not filtered out.
    ///
    /// As a pass, in a [`PassManager`](super::PassManager), it does the same, as far as its fuel goes.
    ///
    /// # Errors
    ///
    /// As [`replace_pattern`].
    pub fn apply(mut self, module: &mut GraphModule) -> Result<Vec<ReplacedPattern>, RewriteError> {
        self.rewrite(module, &mut Fuel::unlimited())
    }

    fn rewrite(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<Vec<ReplacedPattern>, RewriteError> {
        let Self { name, matcher, replacement, filters } = self;
        let Some(replacement) = replacement else { return Ok(Vec::new()) };
        let mut found = matcher.matches(module)?;
        let before = module.graph();
        found.retain(|one| filters.iter_mut().all(|accepts| accepts(one, before, matcher.pattern().graph())));
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let (mut graph, mut attributes) = (before.clone(), module.attributes().clone());
        before.share_hooks_with(&mut graph);
        let mut work = Work {
            pass: name,
            pattern: matcher.pattern(),
            graph: &mut graph,
            attributes: &mut attributes,
            replaced: Replaced::default(),
            sequence: Sequence::of(before, Some(module.attributes())),
            changed: Vec::new(),
            inference: Inference::of(before),
        };
        let done = work.replace(before, found, replacement, fuel)?;
        held::drop_stale(&held::named(before), &graph, &mut attributes);
        module.set_parts(graph, attributes);
        Ok(done)
    }
}

/// A copy of the graph and its attributes that is being rewritten, and what is known about the rewrite so far.
struct Work<'w> {
    pass: &'w Arc<str>,
    pattern: &'w Pattern,
    graph: &'w mut Graph,
    attributes: &'w mut Attributes,
    /// What became of nodes that were returned by matches.
    replaced: Replaced,
    /// The calls that have to keep their order.
    sequence: Sequence,
    /// Nodes whose facts differ from those of what they replace.
    changed: Vec<NodeId>,
    inference: Inference,
}

impl Work<'_> {
    fn replace(
        &mut self,
        before: &Graph,
        found: Vec<InternalMatch>,
        replacement: &mut Replacement<'_>,
        fuel: &mut Fuel,
    ) -> Result<Vec<ReplacedPattern>, RewriteError> {
        let mut done = Vec::with_capacity(found.len());
        let mut installed = Installed::default();
        for one in found {
            if !fuel.take() {
                break;
            }
            let (made, mut of_this);
            let (replacement, installed) = match replacement {
                Replacement::Fixed(fixed) => (&**fixed, &mut installed),
                Replacement::Made(make) => {
                    made = make(&one, before).map_err(|source| {
                        let anchor = before.node(one.anchors[0]).name().to_owned();
                        RewriteError::Callback { anchor, source }
                    })?;
                    fits(self.pattern, &made)?;
                    of_this = Installed::default();
                    (&made, &mut of_this)
                }
            };
            let (graph, attributes) = (&mut *self.graph, &mut *self.attributes);
            let (sequence, inference) = (&mut self.sequence, &mut self.inference);
            let spliced = splice(
                self.pass,
                graph,
                attributes,
                &one,
                replacement,
                installed,
                &self.replaced,
                sequence,
                inference,
            )?;
            let Some(Spliced { added, results }) = spliced else { continue };
            self.finish(&one, &results);
            done.push(ReplacedPattern { anchor: one.anchors[0], nodes_map: one.nodes_map, replacements: added });
        }
        self.changed.retain(|&id| self.graph.contains(id));
        let propagated = facts::propagate(self.graph, self.attributes, &mut self.inference, &self.changed);
        propagated.map_err(|(id, error)| RewriteError::Refused {
            line: self.graph.node_line(id),
            anchor: done.first().map_or_else(String::new, |one| before.node(one.anchor).name().to_owned()),
            reason: error.0,
        })?;
        Ok(done)
    }

    /// Lets readers of the match read the replacement, and takes the match away.
    fn finish(&mut self, one: &InternalMatch, results: &[NodeId]) {
        for (&old, &new) in one.returning_nodes.iter().zip(results) {
            if self.replaced.contains_key(&old) {
                continue;
            }
            self.graph.replace_all_uses_with(old, new);
            if self.graph.node(old).meta().fact != self.graph.node(new).meta().fact {
                self.changed.push(new);
            }
            self.replaced.insert(old, new);
        }
        // Readers come after what they read, and the pattern's nodes are in order of their definition.
        for &node in one.inner.iter().rev() {
            if self.graph.user_count(node) == 0 && self.graph.erase_node(node).is_err() {
                debug_assert!(false, "a node without readers can be erased");
            }
        }
    }
}

/// Checks that a replacement takes and returns as many values as the pattern, and uses only what the pattern binds.
fn fits(pattern: &Pattern, replacement: &Pattern) -> Result<(), RewriteError> {
    let (ours, theirs) = (pattern.inputs(), replacement.inputs());
    if ours.len() != theirs.len() {
        return Err(RewriteError::Inputs { expected: ours.len(), found: theirs.len() });
    }
    let (expected, found) = (pattern.returned().count(), replacement.returned().count());
    if expected != found {
        return Err(RewriteError::Results { expected, found });
    }
    let is_used = |graph: &Graph, id: NodeId| graph.user_count(id) > 0;
    let mut pairs = ours.iter().zip(&theirs);
    match pairs.position(|(&a, &b)| !is_used(pattern.graph(), a) && is_used(replacement.graph(), b)) {
        Some(input) => Err(RewriteError::Unbound { input }),
        None => Ok(()),
    }
}

impl Pass for PatternRewriter<'_> {
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
        Ok(!self.rewrite(module, fuel)?.is_empty())
    }
}
