//! Names of values that are other forms of others: a query that was reshaped is still the query.
//!
//! Invariant: a value has the name of what it is a form of only if that has one of the model's.

use super::super::names::Names;
use super::body::{Bodies, PENDING};
use super::naming::{giver, value_name};
use super::unit::Unit;
use super::words::{snake, without_number};
use crate::ir::NodeId;

/// How many steps a value is looked for that another one is a form of.
const LONGEST_FORM: usize = 16;

impl Bodies<'_> {
    /// What the value of a step is called. One that is another form of something with a name of the model's keeps that.
    pub(super) fn form_name(&self, unit: &Unit<'_>, region: usize, names: &Names, id: NodeId) -> String {
        let graph = unit.graph();
        let before = |id: &NodeId| {
            let node = graph.node(*id);
            let is_form = node.target().operation().is_some_and(|op| self.views.is_form(op));
            let mut inputs = node.all_input_nodes();
            inputs.next().filter(|_| is_form && inputs.next().is_none())
        };
        let mut forms = std::iter::successors(before(&id), before).take(LONGEST_FORM);
        let is_known = |id: &NodeId| names.is_reference(*id) || giver(unit, region, *id).is_some();
        let name = forms.find(is_known).and_then(|id| names.try_of(id)).filter(|name| name != PENDING);
        match name {
            Some(name) => snake(without_number(name.to_string().trim_start_matches("r#"))),
            None => value_name(unit, region, id),
        }
    }
}
