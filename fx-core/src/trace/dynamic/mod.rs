//! A capture for all sizes: the model is captured at several, and everything that differs becomes an expression.
//!
//! | file | holds |
//! |---|---|
//! | `error` | why a model is not captured for all sizes |
//! | `declare` | what was declared: dimensions and integers |
//! | `domain` | which sizes the model is tried at, and between which limits it works; `domain/joint` those that differ in several |
//! | `agree` | the graphs of all sizes as one, number by number |
//! | `exact` | at which sizes quotients are exact |
//! | `host` | tensors that the model builds from sizes on the host |
//! | `guards` | the comparisons that the model made, as conditions on sizes |
//!
//! Invariant: the graph is that of every size it was tried at; a size at which it is not is refused by a guard, or the
//! capture is.

mod agree;
mod declare;
mod domain;
mod error;
mod exact;
mod guards;
mod host;

pub use error::DynamicError;
pub(super) use host::bits;

use crate::ir::{Dynamic, Guard, Op, Size, SizeOf};
use crate::value::{Fact, Fitter, Sizes, SymNumber, Value};

use super::error::TraceError;
use super::probe::{Declared, Probe, Scalar};
use super::recording::Recording;
use agree::Stop;
use domain::Domain;

/// Captures at one probe.
pub(super) type Record<'r> = dyn FnMut(&Probe<'_>) -> Result<Recording, TraceError> + 'r;

/// Says whether it does not matter what the model remembers in maps, if it is called at these sizes, the last as it was given.
pub(super) type OnlyRemembers<'r> = dyn FnMut(&Recording, &[Probe<'_>]) -> bool + 'r;

/// So many calls of other sizes are made before one that has to be as without them.
const CALLS: usize = 8;
/// How often a capture at one more size can be asked for.
const ROUNDS: usize = 48;
/// How often captures can be asked for where quotients are exact: others may be found then.
const EXACT: usize = 4;

/// Captures at several sizes, and makes one graph of it.
pub(super) fn capture(
    given: &Declared,
    record: &mut Record<'_>,
    only_remembers: &mut OnlyRemembers<'_>,
) -> Result<Recording, TraceError> {
    let base = record(&Probe { declared: given, sizes: None })?;
    let declared = &given.told_apart(&|path| scalar(&base, path));
    let sizes = sizes_of(declared, &base)?;
    let mut domain = Domain::explore(declared, record, base, sizes)?;
    let mut unclear = None;
    if !domain.base().memos.is_empty() {
        let others = domain.nearest(CALLS).into_iter().map(Some);
        let probes: Vec<Probe<'_>> = others.chain([None]).map(|sizes| Probe { declared, sizes }).collect();
        if !only_remembers(domain.base(), &probes) {
            return capture(given, record, only_remembers);
        }
    }
    let mut asked = 0;
    for _ in 0..ROUNDS {
        let mut fitter = Fitter::new(domain.points(), domain.classes().to_vec());
        fitter.exclude(domain.outside());
        declared.dimensions.iter().for_each(|dimension| fitter.expect(&dimension.size));
        match agree::unified(&domain, &mut fitter) {
            Ok(unified) => {
                // Where floats are made whole in sight, guards say when that is exact.
                let is_of_floats = |guard: &Guard| matches!(guard.left, SymNumber::Float(_));
                let are_guarded = !unified.misses_bounds && unified.guards.iter().any(is_of_floats);
                let untried = if are_guarded || asked == EXACT { Vec::new() } else { exact::untried(&domain, &fitter) };
                if untried.is_empty() {
                    return finished(declared, domain, unified);
                }
                asked += 1;
                untried.into_iter().for_each(|sizes| domain.try_sizes(record, sizes));
            }
            Err(Stop::Error(_)) if domain.go_by_causes(record) => {}
            Err(Stop::Error(error)) => return Err(TraceError::Dynamic(error)),
            Err(Stop::Unclear(name, size, reason)) => {
                domain.try_one(record, &name, size);
                unclear = Some(reason);
            }
        }
    }
    let reason = unclear.unwrap_or_else(|| Box::new(DynamicError::NotCorrect("nothing was found".to_owned())));
    Err(DynamicError::Unclear { rounds: ROUNDS, reason }.into())
}

/// The sizes of the first capture.
fn sizes_of(declared: &Declared, base: &Recording) -> Result<Sizes, TraceError> {
    let mut sizes = Sizes::default();
    for Scalar { path, size } in &declared.scalars {
        let Some(found) = scalar(base, path) else {
            return Err(DynamicError::NoSuchInput { input: path.clone() }.into());
        };
        if let Some(known) = sizes.insert(size, found).filter(|known| *known != found) {
            return Err(DynamicError::OtherExtent { size: size.to_string(), known, input: path.clone(), found }.into());
        }
    }
    let extent = |dimension: &super::probe::Dimension| -> Result<i64, TraceError> {
        let mut known = None;
        for (_, fact) in inputs(base, dimension) {
            let extent = fact.as_tensor().and_then(|fact| fact.dims().get(dimension.axis).copied());
            let extent = extent.and_then(|extent| i64::try_from(extent).ok()).ok_or_else(|| {
                let (input, found) = (dimension.input.clone(), fact.to_string());
                DynamicError::NoSuchDimension { input, axis: dimension.axis, found }
            })?;
            if let Some(known) = known.replace(extent).filter(|known| *known != extent) {
                let (size, input) = (dimension.size.to_string(), dimension.input.clone());
                return Err(DynamicError::OtherExtent { size, known, input, found: extent }.into());
            }
        }
        known.ok_or_else(|| DynamicError::NoSuchInput { input: dimension.input.clone() }.into())
    };
    // Names first, then what is made of them.
    for dimension in &declared.dimensions {
        if let Some(name) = dimension.size.as_symbol() {
            let found = extent(dimension)?;
            if let Some(known) = sizes.insert(name, found).filter(|known| *known != found) {
                let input = dimension.input.clone();
                return Err(DynamicError::OtherExtent { size: name.to_string(), known, input, found }.into());
            }
        }
    }
    for dimension in &declared.dimensions {
        let (found, size) = (extent(dimension)?, &dimension.size);
        let known = size.evaluate(&sizes).map_err(|error| DynamicError::BadSize {
            size: size.to_string(),
            reason: format!("{error}; declare a dimension or an integer parameter that is it alone"),
        })?;
        if known != found {
            let input = dimension.input.clone();
            return Err(DynamicError::OtherExtent { size: size.to_string(), known, input, found }.into());
        }
    }
    Ok(sizes)
}

/// The value of an integer.
fn scalar(recording: &Recording, path: &str) -> Option<i64> {
    match input(recording, path) {
        Some((_, Fact::Data(Value::Int(value)))) => Some(*value),
        _ => None,
    }
}

/// An input by the name of its parameter, or by the path of what it stands for.
fn input<'r>(recording: &'r Recording, name: &str) -> Option<(crate::ir::NodeId, &'r Fact)> {
    let graph = &recording.graph;
    let of_state = recording.of_state.iter().find(|(path, _)| path == name);
    if let Some((_, id)) = of_state {
        return Some((*id, &graph.node(*id).meta().fact));
    }
    let id = graph.placeholders().find(|id| {
        let node = graph.node(*id);
        node.op() == Op::Placeholder && crate::module::inputs::parameter(node) == name
    })?;
    Some((id, &graph.node(id).meta().fact))
}

/// The inputs that a dimension is of: that of its name, or those that stand for tensors of the model at its path.
fn inputs<'r>(recording: &'r Recording, dimension: &super::probe::Dimension) -> Vec<(crate::ir::NodeId, &'r Fact)> {
    let mut found: Vec<_> = input(recording, &dimension.input).into_iter().collect();
    for (_, id) in recording.of_state.iter().filter(|(path, _)| dimension.is_of(path)) {
        if !found.iter().any(|(known, _)| known == id) {
            found.push((*id, &recording.graph.node(*id).meta().fact));
        }
    }
    found
}

/// The graph with its sizes and guards.
fn finished(declared: &Declared, domain: Domain, unified: agree::Unified) -> Result<Recording, TraceError> {
    let classes = domain.classes().to_vec();
    let hints = domain.base_sizes().clone();
    let mut guards = unified.guards;
    domain.limits(&mut guards);
    let mut recording = domain.into_base();
    for (id, args, kwargs) in unified.arguments {
        recording.graph.set_args(id, args);
        recording.graph.set_kwargs(id, kwargs);
    }
    for (id, fact) in unified.facts {
        recording.graph.meta_mut(id).fact = fact;
    }
    for (id, recipe) in unified.tensors {
        host::install(&mut recording, id, &recipe)?;
    }
    let sizes = classes.iter().map(|class| {
        let mut places = Vec::new();
        for scalar in declared.scalars.iter().filter(|scalar| scalar.size == class.name) {
            places.extend(input(&recording, &scalar.path).map(|(id, _)| SizeOf::Value(id)));
        }
        for dimension in &declared.dimensions {
            if dimension.size.as_symbol() == Some(&class.name) {
                let inputs = inputs(&recording, dimension).into_iter();
                places.extend(inputs.map(|(id, _)| SizeOf::Extent(id, dimension.axis)));
            }
        }
        Size { name: class.name.clone(), hint: hints.get(&class.name).unwrap_or_default(), places }
    });
    let dynamic = Dynamic { sizes: sizes.collect(), guards };
    let signature = recording.signature.take();
    recording.graph.set_signature(signature);
    recording.graph.set_dynamic(Some(dynamic));
    recording.graph.verify().map_err(|errors| DynamicError::NotCorrect(errors.to_string()))?;
    Ok(recording)
}
