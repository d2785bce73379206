//! [`Inference`]: what is known of calls at all sizes that a graph follows.
//!
//! The rules of operations and layers know numbers, not expressions. So in a graph that follows sizes a rule is asked at
//! several of them, and what it says is written as an expression of the sizes ([`Fitter`]).
//!
//! Invariant: what is inferred holds at every size that was asked about; what follows no expression is unknown, never what
//! it is at one of them.

use std::collections::HashSet;

use crate::ir::{Argument, Dynamic, Graph, Keyword, NodeId, Target};
use crate::ops::InferError;
use crate::value::{Fact, Fit, Fitter, SizeClass, Sizes, SymInt};

use super::attributes::Attributes;
use super::infer::{Place, Results, infer_in, number_at};

/// How far from what they were at the capture sizes are tried, the first ones that the guards allow.
const STEPS: [i64; 17] = [1, 100, 3, 17, 1000, 8, 16, 14, 28, 32, 64, -1, -2, 2, 5, 7, 256];
/// How many values of one size are tried.
const EACH: usize = 6;
/// At how many sizes besides those of the capture a rule is asked.
const POINTS: usize = 10;
/// With fewer an expression could be an accident.
const LEAST: usize = 4;

/// What is known of calls in one graph.
pub(crate) struct Inference(Option<AtSizes>);

struct AtSizes {
    /// The sizes at which rules are asked, those of the capture first.
    points: Vec<Sizes>,
    /// Whether there are enough of them to tell expressions apart.
    is_enough: bool,
    fitter: Fitter,
    /// What the fitter was told to expect.
    expected: HashSet<SymInt>,
}

impl Inference {
    /// Of calls in this graph; where its inputs are known to be of one size, at that.
    pub(crate) fn of(graph: &Graph) -> Self {
        Self(graph.dynamic().filter(|dynamic| !dynamic.sizes.is_empty()).map(|dynamic| AtSizes::of(graph, dynamic)))
    }

    /// What is known of the value of a node that does this; unknown for a placeholder.
    ///
    /// # Errors
    /// When the call would be refused at the sizes of the capture.
    pub(crate) fn call(
        &mut self,
        attributes: &Attributes,
        target: &Target,
        args: &[Argument],
        kwargs: &[(Keyword, Argument)],
        fact_of: &mut dyn FnMut(NodeId) -> Fact,
    ) -> Result<Fact, InferError> {
        self.call_in(attributes, target, args, kwargs, &mut Results::default(), fact_of)
    }

    /// The same, of a module that does not change meanwhile.
    pub(super) fn call_in(
        &mut self,
        attributes: &Attributes,
        target: &Target,
        args: &[Argument],
        kwargs: &[(Keyword, Argument)],
        results: &mut Results,
        fact_of: &mut dyn FnMut(NodeId) -> Fact,
    ) -> Result<Fact, InferError> {
        let Some(at) = &mut self.0 else {
            let place = Place { attributes, sizes: None, depth: 0 };
            return infer_in(place, target, args, kwargs, results, fact_of);
        };
        let mut infer = |sizes: &Sizes, fact_of: &mut dyn FnMut(NodeId) -> Fact| {
            let place = Place { attributes, sizes: Some(sizes), depth: 0 };
            infer_in(place, target, args, kwargs, results, &mut |id| fact_of(id).at(sizes))
        };
        let first = infer(&at.points[0], fact_of)?;
        if first.is_unknown() || !at.expect(args, kwargs, fact_of) {
            return Ok(first);
        }
        let others = at.points[1..].iter().map(|sizes| infer(sizes, fact_of));
        let Ok(mut rows) = others.collect::<Result<Vec<Fact>, InferError>>() else { return Ok(Fact::Unknown) };
        rows.insert(0, first);
        Ok(at.agreed(&rows))
    }
}

impl AtSizes {
    fn of(graph: &Graph, dynamic: &Dynamic) -> Self {
        let choices: Vec<Vec<i64>> = dynamic
            .sizes
            .iter()
            .map(|size| {
                let given = size.places.iter().find_map(|place| {
                    let fact = &graph.try_node(place.input())?.meta().fact;
                    number_at(*place, fact).filter(|_| !fact.is_symbolic())
                });
                given.map_or_else(Vec::new, |given| vec![given])
            })
            .collect();
        let base: Vec<i64> =
            dynamic.sizes.iter().zip(&choices).map(|(size, fixed)| *fixed.first().unwrap_or(&size.hint)).collect();
        let is_fixed: Vec<bool> = choices.iter().map(|fixed| !fixed.is_empty()).collect();
        let points = points(dynamic, &base, &is_fixed);
        let classes = dynamic.sizes.iter().map(|size| SizeClass { name: size.name.clone(), smallest: 0, step: 1 });
        let is_enough = points.len() > LEAST || is_fixed.iter().all(|fixed| *fixed);
        let fitter = Fitter::new(points.clone(), classes.collect());
        Self { points, is_enough, fitter, expected: HashSet::new() }
    }

    /// Expects what follows sizes in the arguments, and says whether there is anything.
    fn expect(
        &mut self,
        args: &[Argument],
        kwargs: &[(Keyword, Argument)],
        fact_of: &mut dyn FnMut(NodeId) -> Fact,
    ) -> bool {
        let mut is_symbolic = false;
        let mut expect = |expression: &SymInt| {
            is_symbolic = true;
            if !self.expected.contains(expression) {
                self.expected.insert(expression.clone());
                self.fitter.expect(expression);
            }
        };
        for argument in args.iter().chain(kwargs.iter().map(|(_, argument)| argument)) {
            argument.for_each_expression(&mut expect);
            argument.for_each_node(&mut |id| fact_of(id).for_each_expression(&mut expect));
        }
        is_symbolic
    }

    /// What holds at all sizes, if this is known at those that were tried.
    fn agreed(&mut self, rows: &[Fact]) -> Fact {
        if !self.is_enough {
            return Fact::Unknown;
        }
        let fitter = &mut self.fitter;
        let mut number = |_: &str, row: &[i64]| match fitter.fit(row) {
            Fit::Is(expression) => Ok(expression),
            Fit::Unclear(..) | Fit::No => Err(()),
        };
        let rows: Vec<&Fact> = rows.iter().collect();
        Fact::of_all(&rows, &mut number, &|_| ()).unwrap_or_default()
    }
}

/// Sizes at which the graph runs: `base`, and others at which all that are not fixed are changed.
fn points(dynamic: &Dynamic, base: &[i64], is_fixed: &[bool]) -> Vec<Sizes> {
    let at = |values: &[i64]| -> Sizes {
        dynamic.sizes.iter().zip(values).map(|(size, value)| (size.name.clone(), *value)).collect()
    };
    let runs = |sizes: &Sizes| {
        dynamic.guards.iter().all(|guard| match (guard.left.evaluate(sizes), guard.right.evaluate(sizes)) {
            (Ok(left), Ok(right)) => guard.relation.holds(left, right),
            _ => false,
        })
    };
    let choices: Vec<Vec<i64>> = (0..base.len())
        .map(|i| {
            let changed = |step: &i64| {
                let mut values = base.to_vec();
                values[i] = base[i].checked_add(*step).filter(|value| *value >= 0)?;
                runs(&at(&values)).then_some(values[i])
            };
            if is_fixed[i] { Vec::new() } else { STEPS.iter().filter_map(changed).take(EACH).collect() }
        })
        .collect();
    let joint = (0..POINTS * 6).filter_map(|k| {
        // Sizes that were equal at the capture are not equal here.
        let value = |i: usize| match choices[i].len() {
            0 => base[i],
            count => choices[i][(k + i + k / count * (i + 1)) % count],
        };
        let sizes = at(&(0..base.len()).map(value).collect::<Vec<_>>());
        runs(&sizes).then_some(sizes)
    });
    let mut points = vec![at(base)];
    for sizes in joint {
        if points.len() <= POINTS && !points.contains(&sizes) {
            points.push(sizes);
        }
    }
    points
}
