//! How a function reads the pieces of the state that it is handed, and how it leaves them.
//!
//! Invariant: what can be wrong with a piece was refused before the first step.

use std::collections::{BTreeSet, HashSet};

use quote::quote;

use super::super::call::Calls;
use super::super::names::Names;
use super::super::place::Place;
use super::super::source::Statement;
use super::bind::{Binder, FoundAt, text};
use super::body::written;
use super::cells::{Cell, along};
use super::slots::{Step, Way};
use super::structure::{Reads, Structures, Ty};
use super::unit::Unit;
use super::words::Fresh;
use crate::ir::NodeId;

/// Where a piece of the state is, by where others are.
pub(super) fn piece(known: &[(Way, Place)], way: &[Step]) -> Place {
    let around = known.iter().find_map(|(around, place)| Some((place, way.strip_prefix(around.as_slice())?)));
    match around {
        Some((place, [])) => place.clone(),
        Some((place, rest)) => Place { tokens: along(place.tokens.clone(), rest), is_reference: false },
        None => Place { tokens: quote!(self), is_reference: true },
    }
}

impl Unit<'_> {
    /// The statements that take a cell apart, which is at this place, and the names of what is in it.
    pub(super) fn read(&self, cell: &Cell, place: &Place, names: &mut Names, fresh: &mut Fresh) -> Vec<Statement> {
        let Some(slots) = &self.slots else { return Vec::new() };
        let graph = self.graph();
        let mut read: HashSet<NodeId> = HashSet::new();
        cell.reads.for_each_node(&mut |id| {
            if graph.users(id).next().is_some() {
                read.insert(id);
            }
        });
        let (mut statements, mut found, mut helpers) = (Vec::new(), FoundAt::default(), BTreeSet::new());
        let word = slots.word(&cell.way);
        let own = &place.tokens;
        let (tokens, said) = match (place.is_reference, &cell.ty) {
            (true, Ty::Tensor) => (quote!(*#own), format!("old_{word}")),
            (true, Ty::Option(_)) => (quote!(*#own), word),
            _ => (own.clone(), word),
        };
        let mut binder = Binder {
            graph,
            fresh,
            names,
            helpers: &mut helpers,
            statements: &mut statements,
            structures: &slots.structures,
            is_named: &|id| read.contains(&id),
            is_state: true,
            is_checked: true,
            is_element: false,
            found: &mut found,
        };
        binder.bind(&cell.reads, &cell.ty, &tokens, false, &said);
        statements
    }

    /// The statement that leaves a cell to the next call.
    pub(super) fn leave(
        &self,
        cell: &Cell,
        place: &Place,
        calls: &Calls<'_>,
        structures: &Structures,
        reads: &mut Reads,
    ) -> Statement {
        let tokens = &place.tokens;
        let place = if place.is_reference { quote!(*#tokens) } else { tokens.clone() };
        let value = structures.value(calls, &cell.writes, &cell.ty, reads);
        let code = written(&format!("{} =", text(&place)), &value, ";", 8);
        Statement { node: self.graph().output_node(), code }
    }
}
