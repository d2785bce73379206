//! The sizes of a run: read from its inputs, and compared with what the graph holds for.
//!
//! Invariant: a graph that follows sizes runs only where each size is one thing and every guard holds.

use crate::entity::SecondaryMap;
use crate::ir::{Graph, NodeId, SizeOf};
use crate::value::{Fact, Sizes, Value};

use super::error::RunError;

/// The sizes that a graph follows, if these are the values of its inputs.
pub(super) fn sizes_of<'v>(
    graph: &Graph,
    inputs: impl IntoIterator<Item = (NodeId, &'v Value)>,
) -> Result<Sizes, RunError> {
    let mut sizes = Sizes::default();
    let Some(dynamic) = graph.dynamic() else { return Ok(sizes) };
    let mut values = SecondaryMap::<NodeId, Option<&Value>>::new();
    inputs.into_iter().for_each(|(input, value)| values[input] = Some(value));
    for size in &dynamic.sizes {
        let mut first: Option<SizeOf> = None;
        for &place in &size.places {
            let Some(node) = graph.try_node(place.input()) else {
                return Err(RunError::GoneInput { what: size.name.to_string() });
            };
            let value = values[place.input()].unwrap_or(&Value::None);
            let found = match (place, value) {
                (SizeOf::Extent(_, axis), Value::Tensor(tensor)) => {
                    tensor.dims().get(axis).and_then(|&dim| i64::try_from(dim).ok())
                }
                (SizeOf::Value(_), Value::Int(int)) => Some(*int),
                _ => None,
            };
            let Some(found) = found else {
                let expected = match (&node.meta().fact, place) {
                    (Fact::Unknown, SizeOf::Extent(_, axis)) => format!("a tensor with a dimension {axis}"),
                    (Fact::SymInt(_) | Fact::Unknown, _) => "an integer".to_owned(),
                    (fact, _) => fact.to_string(),
                };
                let input = node.name().to_owned();
                return Err(RunError::OtherInput { input, expected, found: Fact::of(value).to_string() });
            };
            if found < 0 {
                return Err(RunError::Guard {
                    guard: format!("`{} >= 0`", size.name),
                    values: format!("{} = {found}", size.name),
                    at: "\n  a size is not negative; leave it out of the sizes of the graph (`dynamic_arg`)".to_owned(),
                });
            }
            match (sizes.insert(&size.name, found), first) {
                (Some(known), Some(first)) if known != found => {
                    return Err(RunError::SizesDiffer {
                        size: size.name.to_string(),
                        first: known,
                        first_place: described(graph, first),
                        second: found,
                        second_place: described(graph, place),
                    });
                }
                _ => first = first.or(Some(place)),
            }
        }
    }
    Ok(sizes)
}

/// Refuses sizes at which the original takes another way than the graph.
pub(super) fn check_guards(graph: &Graph, sizes: &Sizes) -> Result<(), RunError> {
    for guard in graph.dynamic().map_or(&[][..], |dynamic| &dynamic.guards) {
        let (left, right) = (guard.left.evaluate(sizes)?, guard.right.evaluate(sizes)?);
        if guard.relation.holds(left, right) {
            continue;
        }
        let values = if guard.left.as_symbol().is_some() && guard.right.as_int().is_some() {
            sizes.to_string()
        } else {
            format!("{left} {} {right} ({sizes})", guard.relation.negated())
        };
        let at = match &guard.source {
            Some(source) => format!(
                "\n  at {source}\n  the model takes another way there than the graph does; capture it at such sizes, too"
            ),
            None => "\n  the capture was not tried at such sizes; give an example or a range that has them".to_owned(),
        };
        return Err(RunError::Guard { guard: format!("`{guard}`"), values, at });
    }
    Ok(())
}

/// `dimension 1 of input x`.
fn described(graph: &Graph, place: SizeOf) -> String {
    let name = graph.node(place.input()).name();
    match place {
        SizeOf::Extent(_, axis) => format!("dimension {axis} of input `{name}`"),
        SizeOf::Value(_) => format!("input `{name}`"),
    }
}
