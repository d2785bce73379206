//! A capture for all sizes: the model is captured at several, and everything that differs becomes an expression.
//!
//! | file | holds |
//! |---|---|
//! | `error` | why a model is not captured for all sizes |
//! | `declare` | what was declared: dimensions and integers |
//! | `domain` | which sizes the model is tried at, and between which limits it works |
//! | `agree` | the graphs of all sizes as one, number by number |
//! | `host` | tensors that the model builds from sizes on the host |
//! | `guards` | the comparisons that the model made, as conditions on sizes |
//!
//! Invariant: the graph is that of every size it was tried at; a size at which it is not is refused by a guard, or the
//! capture is.

mod agree;
mod declare;
mod domain;
mod error;
mod guards;
mod host;

pub use error::DynamicError;

use crate::ir::{Dynamic, Op, Size, SizeOf};
use crate::value::{Fact, Fitter, Sizes, Value};

use super::error::TraceError;
use super::probe::{Declared, Probe};
use super::recording::Recording;
use agree::Stop;
use domain::Domain;

/// Captures at one probe.
pub(super) type Record<'r> = dyn FnMut(&Probe<'_>) -> Result<Recording, TraceError> + 'r;

/// How often a capture at one more size can be asked for.
const ROUNDS: usize = 48;

/// Captures at several sizes, and makes one graph of it.
pub(super) fn capture(declared: &Declared, record: &mut Record<'_>) -> Result<Recording, TraceError> {
    let base = record(&Probe { declared, sizes: None })?;
    let sizes = sizes_of(declared, &base)?;
    let mut domain = Domain::explore(declared, record, base, sizes)?;
    for _ in 0..ROUNDS {
        let mut fitter = Fitter::new(domain.points(), domain.classes().to_vec());
        fitter.exclude(domain.outside());
        declared.dimensions.iter().for_each(|dimension| fitter.expect(&dimension.size));
        match agree::unified(&domain, &mut fitter) {
            Ok(unified) => return finished(declared, domain, unified),
            Err(Stop::Error(error)) => return Err(TraceError::Dynamic(error)),
            Err(Stop::Unclear(name, size)) => domain.try_one(record, &name, size),
        }
    }
    Err(DynamicError::Unclear { rounds: ROUNDS }.into())
}

/// The sizes of the first capture.
fn sizes_of(declared: &Declared, base: &Recording) -> Result<Sizes, TraceError> {
    let mut sizes = Sizes::default();
    for scalar in &declared.scalars {
        let value = input(base, scalar).map(|(_, fact)| fact);
        let Some(Fact::Data(Value::Int(value))) = value else {
            return Err(DynamicError::NoSuchInput { input: scalar.clone() }.into());
        };
        sizes.insert(&scalar.as_str().into(), *value);
    }
    let extent = |dimension: &super::probe::Dimension| {
        let Some((_, fact)) = input(base, &dimension.input) else {
            return Err(TraceError::from(DynamicError::NoSuchInput { input: dimension.input.clone() }));
        };
        let extent = fact.as_tensor().and_then(|fact| fact.dims().get(dimension.axis).copied());
        let extent = extent.and_then(|extent| i64::try_from(extent).ok());
        extent.ok_or_else(|| {
            let (input, found) = (dimension.input.clone(), fact.to_string());
            DynamicError::NoSuchDimension { input, axis: dimension.axis, found }.into()
        })
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

/// An input by the name of its parameter.
fn input<'r>(recording: &'r Recording, name: &str) -> Option<(crate::ir::NodeId, &'r Fact)> {
    let graph = &recording.graph;
    let id = graph.placeholders().find(|id| {
        let node = graph.node(*id);
        node.op() == Op::Placeholder && crate::module::inputs::parameter(node) == name
    })?;
    Some((id, &graph.node(id).meta().fact))
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
        for scalar in declared.scalars.iter().filter(|scalar| **scalar == *class.name) {
            places.extend(input(&recording, scalar).map(|(id, _)| SizeOf::Value(id)));
        }
        for dimension in &declared.dimensions {
            if dimension.size.as_symbol() == Some(&class.name) {
                places.extend(input(&recording, &dimension.input).map(|(id, _)| SizeOf::Extent(id, dimension.axis)));
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
