//! [`SubgraphMatcher`]: where a pattern occurs in a graph.
//!
//! A pattern is found from its *anchors*, the returned nodes that nothing else in the pattern reads. From a node that
//! could be an anchor, both graphs are walked backwards together; there is no choice on the way, so a pattern of one
//! anchor takes time linear in graph × pattern. Candidates for further anchors are found forwards from what is matched
//! already. Where several fit, they are tried in turn, at most [`SubgraphMatcher::budget`] of them for one match: there
//! are patterns of unconnected parts that fit in more ways than there is time for.
//!
//! What matches what is said at [`SubgraphMatcher`].
//!
//! Invariant: nothing here changes a graph, and nothing recurses over one.

use std::cell::RefCell;
use std::sync::Arc;

use indexmap::IndexMap;

use super::closed::{forms_cycle, leak};
use super::mismatch::{Attempted, Mismatch, Why};
use super::pattern::{Pattern, PatternError};
use super::route::{Route, routes};
use super::sequence::Sequence;
use super::unify::Unifier;
use crate::ir::{Argument, Graph, NodeId, Op, Target};
use crate::module::{Attributes, GraphModule};

/// What became of the nodes of a pattern.
///
/// By the pattern's nodes; of inputs it can be any argument.
pub type NodesMap = IndexMap<NodeId, Argument, foldhash::fast::RandomState>;

/// One place where a pattern occurs.
///
/// What [`SubgraphMatcher::matches`] gives, and filters and callbacks of [`PatternRewriter`](super::PatternRewriter)
/// are shown.
#[derive(Debug, Clone)]
pub struct InternalMatch {
    /// The nodes that stand for the pattern's anchors.
    pub anchors: Vec<NodeId>,
    /// What stands for each node of the pattern: a node, or for an input anything.
    pub nodes_map: NodesMap,
    /// What stands for the pattern's inputs, in order; none for an input that the pattern does not use.
    pub placeholder_nodes: Vec<Option<Argument>>,
    /// The nodes that stand for what the pattern returns, as often as it returns them.
    pub returning_nodes: Vec<NodeId>,
    /// What stands for the nodes that the pattern gives names to.
    pub name_node_map: IndexMap<Arc<str>, Argument>,
    /// The nodes that stand for calls and attributes of the pattern, which a rewrite takes away.
    pub inner: Vec<NodeId>,
}

/// A pattern fits in more ways than were to be tried.
///
/// It is an error, and no matches are given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the pattern fits in too many ways: {budget} were tried around %{node}; connect its parts through a common input, \
     or allow more with `budget`"
)]
pub struct TooAmbiguous {
    /// How many were tried.
    pub budget: usize,
    /// The node that stood for the first anchor.
    pub node: String,
}

/// Finds the places where a pattern occurs.
///
/// ```
/// use fx_core::passes::{SubgraphMatcher, pattern};
/// use fx_core::trace::Tracer;
///
/// let module = Tracer::new().trace_fn(|inputs| {
///     let (x, w) = (inputs.tensor("x")?, inputs.tensor("w")?);
///     x.matmul(&w)?.relu()?.matmul(&w)?.relu()
/// })?;
/// let matcher = SubgraphMatcher::new(pattern(|[x, w]| x.matmul(&w)?.relu())?)?;
/// assert_eq!(matcher.matches(&module)?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// | in a pattern | matches |
/// |---|---|
/// | input | anything, also a literal or a list; the same input the same thing; never a part of the match itself |
/// | call of an operation | a call of that operation |
/// | `get_attr` | a `get_attr` of a tensor |
/// | `call_module` | a call of a layer of the same type and settings, or of a graph of the same text |
/// | literal | a literal of the same type and value |
///
/// A pattern that is a bare graph has no layers: its calls of modules match by path. Settings are compared where both
/// layers tell them.
///
/// What is computed inside of a match has no readers outside, unless the pattern returns it. Attributes can have other
/// readers: reading them has no effect. A match that could not become one node, because a path leads out of it and back
/// in, is none; a call with effects, or that draws random numbers, counts as reading the one before.
///
/// Of matches that overlap, the first in program order counts.
#[derive(Debug, Clone)]
pub struct SubgraphMatcher {
    pattern: Pattern,
    anchors: Vec<NodeId>,
    routes: Vec<Option<Route>>,
    match_output: bool,
    match_placeholder: bool,
    keep_overlapping: bool,
    ignore_literals: bool,
    node_name: String,
    budget: usize,
}

impl SubgraphMatcher {
    /// A matcher of this pattern.
    ///
    /// # Errors
    ///
    /// If the pattern is empty, computes what it does not return, or returns an input.
    pub fn new(pattern: Pattern) -> Result<Self, PatternError> {
        pattern.to_be_found()?;
        let graph = pattern.graph();
        let output = graph.output_node();
        let mut anchors: Vec<NodeId> = Vec::new();
        for id in pattern.returned() {
            if !anchors.contains(&id) && graph.users(id).all(|user| Some(user) == output) {
                anchors.push(id);
            }
        }
        let routes = routes(graph, &mut anchors);
        Ok(Self {
            pattern,
            anchors,
            routes,
            match_output: false,
            match_placeholder: false,
            keep_overlapping: false,
            ignore_literals: false,
            node_name: String::new(),
            budget: 10_000,
        })
    }

    /// The pattern.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Whether what the pattern returns has to be what the graph returns.
    ///
    /// Off unless said otherwise.
    #[must_use]
    pub fn match_output(mut self, on: bool) -> Self {
        self.match_output = on;
        self
    }

    /// Whether inputs of the pattern match inputs of the graph only.
    ///
    /// Off unless said otherwise: inputs match anything.
    #[must_use]
    pub fn match_placeholder(mut self, on: bool) -> Self {
        self.match_placeholder = on;
        self
    }

    /// Whether matches that overlap earlier ones are given as well.
    ///
    /// Off unless said otherwise. A rewriter never has them.
    #[must_use]
    pub fn keep_overlapping(mut self, on: bool) -> Self {
        self.keep_overlapping = on;
        self
    }

    /// Whether literals, and settings of layers, match whatever their values.
    ///
    /// Off unless said otherwise.
    #[must_use]
    pub fn ignore_literals(mut self, on: bool) -> Self {
        self.ignore_literals = on;
        self
    }

    /// Anchors are looked for among nodes with this text in their names only.
    ///
    /// An empty text, as at first, leaves none out.
    #[must_use]
    pub fn node_name(mut self, text: impl Into<String>) -> Self {
        self.node_name = text.into();
        self
    }

    /// How many candidates for anchors are tried around each candidate for the first.
    ///
    /// 10,000 unless said otherwise. Only patterns of parts that share no input need many.
    #[must_use]
    pub fn budget(mut self, budget: usize) -> Self {
        self.budget = budget;
        self
    }

    /// The places where the pattern occurs, in program order of the first anchor.
    ///
    /// Empty if it does not occur; [`SubgraphMatcher::explain`] says why.
    ///
    /// # Errors
    ///
    /// If it fits in more ways than [`SubgraphMatcher::budget`] allows.
    pub fn matches(&self, module: &GraphModule) -> Result<Vec<InternalMatch>, TooAmbiguous> {
        self.search(module.graph(), Some(module.attributes()), &mut |_| {})
    }

    /// [`SubgraphMatcher::matches`] in a graph without attributes: layers are compared by path.
    ///
    /// # Errors
    ///
    /// As [`SubgraphMatcher::matches`].
    pub fn matches_graph(&self, graph: &Graph) -> Result<Vec<InternalMatch>, TooAmbiguous> {
        self.search(graph, None, &mut |_| {})
    }

    /// Why the pattern does not occur: of the places where most of it fits, the node that does not. None if it occurs.
    ///
    /// ```
    /// use fx_core::passes::{SubgraphMatcher, pattern};
    /// use fx_core::trace::Tracer;
    ///
    /// let module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.clamp(0.0, 6.0))?;
    /// let matcher = SubgraphMatcher::new(pattern(|[x]| x.clamp(0.0, 1.0))?)?;
    /// let why = matcher.explain(&module).expect("a reason").to_string();
    /// assert!(why.contains("expected `max = 1.0`, found `max = 6.0`"), "{why}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn explain(&self, module: &GraphModule) -> Option<Mismatch> {
        let nearest: RefCell<Option<Attempted>> = RefCell::new(None);
        let found = self.search(module.graph(), Some(module.attributes()), &mut |attempted| {
            let mut nearest = nearest.borrow_mut();
            if nearest.as_ref().is_none_or(|best| attempted.fitted > best.fitted) {
                *nearest = Some(attempted);
            }
        });
        match found {
            Ok(found) if !found.is_empty() => return None,
            Err(error) => return Some(Mismatch::ambiguous(&error)),
            Ok(_) => {}
        }
        Some(match nearest.into_inner() {
            Some(attempted) => Mismatch::new(&self.pattern, module.graph(), &attempted),
            None => {
                let index = Index::new(self, module.graph());
                let absent = self.anchors[index.absent().unwrap_or(0)];
                Mismatch::no_candidate(&self.pattern, module.graph(), absent, &self.node_name)
            }
        })
    }

    fn search(
        &self,
        graph: &Graph,
        attributes: Option<&Attributes>,
        failed: &mut dyn FnMut(Attempted),
    ) -> Result<Vec<InternalMatch>, TooAmbiguous> {
        let index = Index::new(self, graph);
        if index.absent().is_some() {
            return Ok(Vec::new());
        }
        let mut unifier = Unifier::new(&self.pattern, graph, attributes, self.ignore_literals, self.match_placeholder);
        let sequence = Sequence::of(graph, attributes);
        let mut found = Vec::new();
        for &first in &index.0[0] {
            if self.search_from(first, graph, &index, &sequence, &mut unifier, failed)? {
                let one = self.matched(&unifier);
                if !self.keep_overlapping {
                    let kept = one.inner.iter().filter(|&&id| graph.node(id).op() != Op::GetAttr);
                    kept.for_each(|&id| unifier.taken[id] = true);
                }
                found.push(one);
            }
            unifier.undo(0);
        }
        Ok(found)
    }

    /// Tries the ways in which the pattern fits when `first` is its first anchor; the first that does stays unified.
    fn search_from(
        &self,
        first: NodeId,
        graph: &Graph,
        index: &Index,
        sequence: &Sequence,
        unifier: &mut Unifier<'_>,
        failed: &mut dyn FnMut(Attempted),
    ) -> Result<bool, TooAmbiguous> {
        struct Level {
            candidates: Vec<NodeId>,
            next: usize,
            mark: usize,
        }
        let mut tried = 0;
        let mut levels = vec![Level { candidates: vec![first], next: 0, mark: 0 }];
        while let Some(level) = levels.last_mut() {
            unifier.undo(level.mark);
            let Some(&candidate) = level.candidates.get(level.next) else {
                levels.pop();
                continue;
            };
            level.next += 1;
            tried += 1;
            if tried > self.budget.max(1) {
                return Err(TooAmbiguous { budget: self.budget, node: graph.node(first).name().to_owned() });
            }
            let depth = levels.len();
            let anchor = self.anchors[depth - 1];
            let fits = match unifier.unify(anchor, candidate) {
                Err(why) => Err(why),
                Ok(()) if depth == self.anchors.len() => self.check(graph, sequence, unifier),
                Ok(()) => Ok(()),
            };
            match fits {
                Err(why) => failed(Attempted { fitted: unifier.fitted(), why }),
                Ok(()) if depth == self.anchors.len() => return Ok(true),
                Ok(()) => {
                    let candidates = match &self.routes[depth] {
                        Some(route) => route.follow(&self.pattern, graph, unifier),
                        None => None,
                    };
                    let mut candidates = candidates.unwrap_or_else(|| index.0[depth].clone());
                    candidates.retain(|&id| graph.node(id).name().contains(&*self.node_name));
                    levels.push(Level { candidates, next: 0, mark: unifier.mark() });
                }
            }
        }
        Ok(false)
    }

    /// The rules about a match as a whole.
    fn check(&self, graph: &Graph, sequence: &Sequence, unifier: &Unifier<'_>) -> Result<(), Why> {
        unifier.check_inputs()?;
        let returned: Vec<NodeId> = self.pattern.returned().collect();
        leak(&returned, graph, unifier)?;
        if self.match_output {
            let output = graph.output_node().and_then(|output| Some((output, graph.node(output).args().first()?)));
            let (output, value) = output.ok_or(Why::NoOutput)?;
            if !unifier.is(self.pattern.result(), value) {
                return Err(Why::NotTheOutput { output });
            }
        }
        forms_cycle(graph, unifier, sequence)
    }

    fn matched(&self, unifier: &Unifier<'_>) -> InternalMatch {
        let node_of = |id: NodeId| unifier.get(id).and_then(Argument::as_node);
        let mut nodes_map: NodesMap = IndexMap::default();
        for (id, _) in self.pattern.graph().nodes() {
            if let Some(argument) = unifier.get(id) {
                nodes_map.insert(id, argument.clone());
            }
        }
        InternalMatch {
            anchors: self.anchors.iter().filter_map(|&id| node_of(id)).collect(),
            placeholder_nodes: self.pattern.graph().placeholders().map(|id| unifier.get(id).cloned()).collect(),
            returning_nodes: self.pattern.returned().filter_map(node_of).collect(),
            name_node_map: self
                .pattern
                .names()
                .iter()
                .filter_map(|(name, id)| Some((name.clone(), unifier.get(*id)?.clone())))
                .collect(),
            inner: nodes_map
                .iter()
                .filter(|(id, _)| self.pattern.graph().node(**id).op() != Op::Placeholder)
                .filter_map(|(_, argument)| argument.as_node())
                .collect(),
            nodes_map,
        }
    }
}

/// The nodes of a graph that could be each anchor of a pattern, in program order.
struct Index(Vec<Vec<NodeId>>);

impl Index {
    fn new(matcher: &SubgraphMatcher, graph: &Graph) -> Self {
        let of = |&anchor: &NodeId| {
            let target = matcher.pattern.graph().node(anchor).target();
            let nodes = graph.find_nodes(target.op(), target.operation().map(|_| target));
            nodes.filter(|&id| graph.node(id).name().contains(&*matcher.node_name)).collect()
        };
        Self(matcher.anchors.iter().map(of).collect())
    }

    /// The place of the first anchor that nothing in the graph could stand for.
    fn absent(&self) -> Option<usize> {
        self.0.iter().position(Vec::is_empty)
    }
}

/// Whether a node with the second target could stand for one with the first, as far as targets tell.
pub(super) fn could_be(pattern: &Target, target: &Target) -> bool {
    match (pattern, target) {
        (Target::GetAttr(_), Target::GetAttr(_)) | (Target::CallModule(_), Target::CallModule(_)) => true,
        _ => pattern == target,
    }
}
