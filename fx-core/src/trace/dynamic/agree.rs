//! The graphs of all sizes as one: node by node the same, but for numbers, which become expressions.
//!
//! Invariant: nothing is taken over from one graph that is not so in all of them.

use std::sync::Arc;

use super::domain::Domain;
use super::error::DynamicError;
use super::guards;
use super::host::{self, Recipe};
use crate::ir::{Argument, Fields, Graph, Guard, Keyword, NodeId, Target};
use crate::trace::notes::{Causes, Comparison, Notes, OtherRounds};
use crate::trace::recording::Recording;
use crate::value::{Decimal, Fact, Fit, Fitter, FloatFit, Number, Sizes, SymFloat, SymInt};

/// Why the graphs are not one yet, or never.
pub(super) enum Stop {
    /// A capture at this size would tell expressions apart; else there is this error.
    Unclear(Arc<str>, i64, Box<DynamicError>),
    Error(Box<DynamicError>),
}

impl Stop {
    pub(super) fn error(error: DynamicError) -> Self {
        Self::Error(Box::new(error))
    }
}

/// Arguments by position.
type Positional = Box<[Argument]>;

/// Arguments by name.
type Named = Box<[(Keyword, Argument)]>;

/// What of the first graph becomes something else.
pub(super) struct Unified {
    pub(super) arguments: Vec<(NodeId, Positional, Named)>,
    pub(super) facts: Vec<(NodeId, Fact)>,
    pub(super) tensors: Vec<(NodeId, Recipe)>,
    pub(super) guards: Vec<Guard>,
    /// Whether a float is made whole of which it is not known what it follows.
    pub(super) misses_bounds: bool,
}

/// The expression of a row of numbers, or the error of the first of them that differs from the first.
pub(super) fn fitted(
    fitter: &mut Fitter,
    row: &[i64],
    error: impl FnOnce(usize) -> DynamicError,
) -> Result<SymInt, Stop> {
    let second = || row.iter().position(|value| *value != row[0]).unwrap_or_default();
    match fitter.fit(row) {
        Fit::Is(expression) => Ok(expression),
        Fit::Unclear(name, size) => Err(Stop::Unclear(name, size, Box::new(error(second())))),
        Fit::No => Err(Stop::error(error(second()))),
    }
}

/// The same of floats.
pub(super) fn fitted_float(
    fitter: &mut Fitter,
    row: &[f64],
    error: impl FnOnce(usize) -> DynamicError,
) -> Result<SymFloat, Stop> {
    let second = || row.iter().position(|value| value.to_bits() != row[0].to_bits()).unwrap_or_default();
    match fitter.fit_float(row) {
        FloatFit::Is(expression) => Ok(expression),
        FloatFit::Unclear(name, size) => Err(Stop::Unclear(name, size, Box::new(error(second())))),
        FloatFit::No => Err(Stop::error(error(second()))),
    }
}

/// Makes one of all graphs.
pub(super) fn unified(domain: &Domain<'_>, fitter: &mut Fitter) -> Result<Unified, Stop> {
    let base = &domain.base().graph;
    let others: Vec<(&Sizes, &Graph)> = domain.same().map(|(sizes, recording)| (sizes, &recording.graph)).collect();
    let agreement = Agreement { domain, base, others };
    agreement.check_nodes()?;
    let (arguments, facts, tensors) = Default::default();
    let mut unified = Unified { arguments, facts, tensors, guards: Vec::new(), misses_bounds: false };
    for (id, node) in base.nodes() {
        let nodes: Vec<_> = agreement.others.iter().map(|(_, graph)| graph.node(id)).collect();
        let facts: Vec<&Fact> =
            std::iter::once(&node.meta().fact).chain(nodes.iter().map(|node| &node.meta().fact)).collect();
        if facts.iter().any(|fact| *fact != facts[0]) {
            let fact = agreement.fact(fitter, id, &facts)?;
            unified.facts.push((id, fact));
        }
        let is_same = nodes.iter().all(|other| other.arguments().eq(node.arguments()));
        if is_same {
            continue;
        }
        let mut row = |index: usize, what: &str, of: &Argument| {
            let rows = nodes.iter().filter_map(|other| other.arguments().nth(index));
            let rows: Vec<&Argument> = std::iter::once(of).chain(rows).collect();
            agreement.argument(fitter, id, what, &rows)
        };
        let args: Vec<Argument> = node
            .args()
            .iter()
            .enumerate()
            .map(|(i, argument)| row(i, &format!("argument {}", i + 1), argument))
            .collect::<Result<_, _>>()?;
        let kwargs: Vec<(Keyword, Argument)> = node
            .kwargs()
            .iter()
            .enumerate()
            .map(|(i, (name, argument))| Ok((name.clone(), row(args.len() + i, &format!("`{name}`"), argument)?)))
            .collect::<Result<_, Stop>>()?;
        unified.arguments.push((id, args.into(), kwargs.into()));
    }
    // What is compared follows from what was found in the graph.
    (unified.guards, unified.misses_bounds) = guards::of(domain, fitter)?;
    // Tensors last: they cost the most, and all else may ask for one more size.
    for (id, node) in base.nodes() {
        if let Target::GetAttr(path) = node.target()
            && let Some(recipe) = host::recipe(domain, fitter, id, path)?
        {
            unified.tensors.push((id, recipe));
        }
    }
    Ok(unified)
}

struct Agreement<'g> {
    domain: &'g Domain<'g>,
    base: &'g Graph,
    others: Vec<(&'g Sizes, &'g Graph)>,
}

impl Agreement<'_> {
    /// All graphs have the same nodes, by target and by the names and number of their arguments.
    fn check_nodes(&self) -> Result<(), Stop> {
        let other = self.domain.same().find(|(_, other)| first_difference(self.base, &other.graph).is_some());
        other.map_or(Ok(()), |(sizes, other)| Err(other_graph(self.domain, sizes, other)))
    }

    /// The error of something that differs and follows no expression.
    fn not_fitted(&self, id: NodeId, what: &str, second: usize, written: &dyn Fn(usize) -> String) -> DynamicError {
        let other = second.checked_sub(1).and_then(|second| self.others.get(second));
        DynamicError::NotFitted {
            what: what.to_owned(),
            first: written(0),
            base: self.domain.base_sizes().to_string(),
            second: written(second),
            other: other.map_or_else(String::new, |(sizes, _)| sizes.to_string()),
            line: self.base.node_line(id),
            at: at(self.base, id),
        }
    }

    fn number(&self, fitter: &mut Fitter, id: NodeId, what: &str, row: &[i64]) -> Result<SymInt, Stop> {
        fitted(fitter, row, |second| self.not_fitted(id, what, second, &|at| row[at].to_string()))
    }

    fn argument(&self, fitter: &mut Fitter, id: NodeId, what: &str, rows: &[&Argument]) -> Result<Argument, Stop> {
        let first = rows[0];
        if rows.iter().all(|argument| *argument == first) {
            return Ok(first.clone());
        }
        let differ = || {
            let second = rows.iter().position(|argument| *argument != first).unwrap_or_default();
            let written = |at: usize| crate::ir::line::argument_text(self.base, rows[at]);
            Stop::error(self.not_fitted(id, what, second, &written))
        };
        match first {
            Argument::Int(_) => {
                let row: Option<Vec<i64>> = rows
                    .iter()
                    .map(|argument| match argument {
                        Argument::Int(int) => Some(*int),
                        _ => None,
                    })
                    .collect();
                Ok(self.number(fitter, id, what, &row.ok_or_else(differ)?)?.into())
            }
            Argument::Float(_) => {
                let row: Option<Vec<f64>> = rows
                    .iter()
                    .map(|argument| match argument {
                        Argument::Float(float) => Some(*float),
                        _ => None,
                    })
                    .collect();
                let row = row.ok_or_else(differ)?;
                let error = |second| self.not_fitted(id, what, second, &|at| Decimal(row[at]).to_string());
                Ok(fitted_float(fitter, &row, error)?.into())
            }
            Argument::Range(_) => {
                let ranges: Option<Vec<(Option<i64>, Option<i64>)>> = rows
                    .iter()
                    .map(|argument| match argument {
                        Argument::Range(range) => Some(**range),
                        _ => None,
                    })
                    .collect();
                let ranges = ranges.ok_or_else(differ)?;
                let starts: Vec<Option<i64>> = ranges.iter().map(|range| range.0).collect();
                let stops: Vec<Option<i64>> = ranges.iter().map(|range| range.1).collect();
                // A range from 0 is written without a start.
                let start = match starts.iter().all(Option::is_none) {
                    true => None,
                    false => {
                        let row: Vec<i64> = starts.iter().map(|start| start.unwrap_or(0)).collect();
                        Some(self.number(fitter, id, what, &row)?)
                    }
                };
                let stop = match stops.iter().copied().collect::<Option<Vec<i64>>>() {
                    Some(row) => Some(self.number(fitter, id, what, &row)?),
                    None if stops.iter().all(Option::is_none) => None,
                    None => return Err(differ()),
                };
                Ok(Argument::range(start, stop))
            }
            Argument::List(items) | Argument::Tuple(items) => {
                if rows.iter().any(|argument| std::mem::discriminant(*argument) != std::mem::discriminant(first)) {
                    return Err(differ());
                }
                let items: Vec<Argument> = self.parts(fitter, id, what, rows, items.len(), &differ)?;
                Ok(if matches!(first, Argument::List(_)) {
                    Argument::List(items.into())
                } else {
                    Argument::Tuple(items.into())
                })
            }
            Argument::Struct(structure) => {
                let names = |argument: &Argument| match argument {
                    Argument::Struct(other) => {
                        Some((other.0.clone(), other.1.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()))
                    }
                    _ => None,
                };
                if rows.iter().any(|argument| names(argument) != names(first)) {
                    return Err(differ());
                }
                let items = self.parts(fitter, id, what, rows, structure.1.len(), &differ)?;
                let fields: Fields = structure.1.iter().map(|(name, _)| name.clone()).zip(items).collect();
                Ok(Argument::structure(structure.0.clone(), fields))
            }
            _ => Err(differ()),
        }
    }

    fn parts(
        &self,
        fitter: &mut Fitter,
        id: NodeId,
        what: &str,
        rows: &[&Argument],
        len: usize,
        differ: &dyn Fn() -> Stop,
    ) -> Result<Vec<Argument>, Stop> {
        if rows.iter().any(|argument| argument.parts().count() != len) {
            return Err(differ());
        }
        (0..len)
            .map(|i| {
                let rows: Vec<&Argument> = rows.iter().filter_map(|argument| argument.parts().nth(i)).collect();
                self.argument(fitter, id, what, &rows)
            })
            .collect()
    }

    fn fact(&self, fitter: &mut Fitter, id: NodeId, rows: &[&Fact]) -> Result<Fact, Stop> {
        let differ = |rows: &[&Fact]| {
            let second = rows.iter().position(|fact| *fact != rows[0]).unwrap_or_default();
            Stop::error(self.not_fitted(id, "the value", second, &|at| rows[at].to_string()))
        };
        Fact::of_all(rows, &mut |what, row| self.number(fitter, id, what, row), &differ)
    }
}

/// The first node of which another graph has another, by target and by the names and number of its arguments.
pub(super) fn first_difference(base: &Graph, other: &Graph) -> Option<NodeId> {
    let mut theirs = other.nodes();
    for (id, node) in base.nodes() {
        let is_same = theirs.next().is_some_and(|(other_id, other)| {
            other_id == id
                && other.target() == node.target()
                && other.args().len() == node.args().len()
                && other.kwargs().iter().map(|(name, _)| name).eq(node.kwargs().iter().map(|(name, _)| name))
        });
        if !is_same {
            return Some(id);
        }
    }
    theirs.next().map(|(id, _)| id)
}

/// Whether another graph has the same nodes, and as many dimensions and parts of each result.
pub(super) fn is_alike(base: &Graph, other: &Graph) -> bool {
    let parts = |fact: &Fact| match fact {
        Fact::Tensor(fact) => Some(fact.rank()),
        Fact::List(items) | Fact::Tuple(items) => Some(items.len()),
        _ => None,
    };
    let has_as_many =
        |(id, node): (NodeId, &crate::ir::Node)| parts(&node.meta().fact) == parts(&other.node(id).meta().fact);
    first_difference(base, other).is_none() && base.nodes().all(has_as_many)
}

/// The error of a graph that is another, where no guard says so.
pub(super) fn other_graph(domain: &Domain<'_>, sizes: &Sizes, other: &Recording) -> Stop {
    Stop::error(other_nodes(domain, sizes, other))
}

/// The same, for those who do not stop.
pub(super) fn other_nodes(domain: &Domain<'_>, sizes: &Sizes, recording: &Recording) -> DynamicError {
    let (base, other) = (&domain.base().graph, &recording.graph);
    let id = first_difference(base, other);
    let line = |graph: &Graph| match id.filter(|id| graph.contains(*id)) {
        Some(id) => graph.node_line(id),
        None => "nothing".to_owned(),
    };
    let place = |graph: &Graph| id.map_or_else(String::new, |id| at(graph, id));
    let (because, because_at) = because(&domain.base().notes, &recording.notes)
        .or_else(|| Some((counted(base, other, id?)?, String::new())))
        .unwrap_or_else(|| (UNSEEN.to_owned(), String::new()));
    DynamicError::OtherGraph {
        base: domain.base_sizes().to_string(),
        other: sizes.to_string(),
        because,
        because_at,
        here: line(base),
        here_at: place(base),
        there: line(other),
        there_at: place(other),
    }
}

/// What is known of why two runs recorded other graphs, and where, as a clause of its own line.
fn because(ours: &Notes, theirs: &Notes) -> Option<(String, String)> {
    let Causes { comparison, condition, rounds } = ours.causes(theirs);
    if let Some(OtherRounds { at, what, ours, theirs, .. }) = rounds {
        return Some((what.told((ours, "here"), (theirs, "there")), format!("\n  at {at}")));
    }
    if let Some((place, index)) = comparison {
        let one = place.first[index];
        let there = theirs.same_place(place).and_then(|there| there.first.get(index)).unwrap_or(&one);
        let written = |one: &Comparison| format!("`{} {} {}`", one.left, place.relation, one.right);
        let text = format!("it decides by {} here and {} there", written(&one), written(there));
        return Some((text, format!("\n  at {}", place.at)));
    }
    let (place, index) = condition?;
    let holds = place.first[index].left == Number::Int(1);
    let (here, there) = if holds { ("holds", "does not") } else { ("does not hold", "does") };
    let text = format!(
        "a condition {here} here and {there} there, and nobody sees what it compares; written as a comparison of numbers, or in \
         a function with `#[fx::module]`, it is a guard"
    );
    Some((text, format!("\n  at {}", place.at)))
}

/// What is said where nothing is known.
const UNSEEN: &str =
    "nothing was seen that decides it, so a function without an attribute may; with `#[fx::module]` it is seen";

/// Where one of two graphs goes on with calls that the other has fewer of, how many there are.
fn counted(ours: &Graph, theirs: &Graph, id: NodeId) -> Option<String> {
    let calls = |graph: &Graph, target: &Target| graph.nodes().filter(|(_, node)| node.target() == target).count();
    let differs = |graph: &Graph| {
        let target = graph.try_node(id)?.target();
        let (ours, theirs) = (calls(ours, target), calls(theirs, target));
        let text =
            || format!("`{target}` is called {ours} times here and {theirs} times there, as by a loop over a size");
        (ours != theirs && ours.min(theirs) > 0 && target.operation().is_some()).then(text)
    };
    differs(theirs).or_else(|| differs(ours))
}

/// Where a node was written, as a clause of its own line: a constant, where it is read first.
pub(super) fn at(graph: &Graph, id: NodeId) -> String {
    let source = |id: NodeId| graph.try_node(id).and_then(|node| node.meta().source.as_ref());
    let of_reader = || graph.contains(id).then(|| graph.users(id).find_map(source)).flatten();
    source(id).or_else(of_reader).map_or_else(String::new, |source| format!("\n  at {source}"))
}
