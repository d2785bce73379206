//! V13: every expression is over the sizes that the graph follows, with the values they had at the capture, and every
//! size is read from inputs.
//!
//! Invariant: a graph without expressions is looked through once, and nothing is allocated for it.

use std::sync::Arc;

use super::super::dynamic::{Dynamic, SizeOf};
use super::super::node::NodeId;
use super::super::target::Op;
use super::{Verifier, VerifyError};
use crate::value::{Fact, Sizes, SymInt};

impl Verifier<'_> {
    pub(super) fn check_dynamic(&mut self) {
        let graph = self.graph;
        let none = Dynamic::default();
        let dynamic = graph.dynamic().unwrap_or(&none);
        if dynamic.sizes.len() > Dynamic::MAX_SIZES {
            let (most, found) = (Dynamic::MAX_SIZES, dynamic.sizes.len());
            return self.size(None, format!("a graph follows at most {most} sizes, and this one {found}"));
        }
        let hints: Sizes = dynamic.sizes.iter().map(|size| (size.name.clone(), size.hint)).collect();
        self.check_sizes(dynamic);
        for guard in &dynamic.guards {
            let mut why = None;
            for side in [&guard.left, &guard.right] {
                side.for_each_int(&mut |of| why = why.take().or_else(|| wrong(of, &hints)));
            }
            let why = why.or_else(|| {
                let held = guard.relation.holds(guard.left.hint(), guard.right.hint());
                (!held).then(|| format!("`{guard}` does not hold for {hints}, the sizes of the capture"))
            });
            if let Some(why) = why {
                self.size(None, why);
            }
        }
        for (id, node) in graph.nodes.iter() {
            let Some(node) = node else { continue };
            let mut found = None;
            let mut check = |expression: &SymInt| {
                if found.is_none() {
                    found = wrong(expression, &hints);
                }
            };
            node.arguments().for_each(|argument| argument.for_each_expression(&mut check));
            node.meta().fact.for_each_expression(&mut check);
            if found.is_none() && !node.meta().fact.has_shapes_of_extents() {
                found = Some(format!("`{}` was of another shape at the capture than is said", node.meta().fact));
            }
            if let Some(why) = found {
                self.size(Some(id), why);
            }
        }
    }

    fn check_sizes(&mut self, dynamic: &Dynamic) {
        for (i, size) in dynamic.sizes.iter().enumerate() {
            let name = &size.name;
            if !Dynamic::is_legal_name(name) {
                self.size(None, format!("`{}` cannot be the name of a size", name.escape_debug()));
            }
            if dynamic.sizes[..i].iter().any(|other| other.name == *name) {
                self.size(None, format!("two sizes are called `{name}`"));
            }
            if size.places.is_empty() {
                self.size(None, format!("nothing says what the size `{name}` is"));
            }
            for place in &size.places {
                self.check_place(name, size.hint, *place);
            }
        }
    }

    fn check_place(&mut self, name: &Arc<str>, hint: i64, place: SizeOf) {
        let input = place.input();
        let Some(node) = self.graph.try_node(input).filter(|node| node.op() == Op::Placeholder) else {
            return self.size(None, format!("the size `{name}` is read from a node that is no input any more"));
        };
        let is = match (place, &node.meta().fact) {
            (SizeOf::Extent(_, axis), Fact::Tensor(fact)) => match fact.dims().get(axis) {
                Some(&dim) => i64::try_from(dim).ok(),
                None => {
                    return self
                        .size(Some(input), format!("the size `{name}` is dimension {axis}, which is not there"));
                }
            },
            (SizeOf::Value(_), Fact::SymInt(expression)) => Some(expression.hint()),
            // What is not known cannot be wrong.
            (_, Fact::Unknown) => return,
            _ => None,
        };
        if is != Some(hint) {
            self.size(
                Some(input),
                format!("the size `{name}` was {hint} at the capture, but this input says otherwise"),
            );
        }
    }

    fn size(&mut self, id: Option<NodeId>, why: String) {
        let place = self.place_of(id);
        self.errors.push(VerifyError::Size { place, why });
    }
}

/// What is wrong with an expression.
fn wrong(expression: &SymInt, hints: &Sizes) -> Option<String> {
    match expression.evaluate(hints) {
        Ok(value) if value == expression.hint() => None,
        Ok(value) => Some(format!(
            "`{expression}` is said to have been {} at the capture, but is {value} for {hints}",
            expression.hint()
        )),
        Err(error) => Some(format!("`{expression}` cannot be worked out: {error}")),
    }
}
