//! [`Slots`]: what a model keeps, as the fields of its struct `State`: what equal layers keep is one list.
//!
//! A graph has a slot for each field that a call changes, `layers.0.kv_cache`. Slots whose paths differ in one number are
//! elements of a list, if they have one type; what a layer keeps at several paths is a struct.
//!
//! Invariant: each slot is in one part; what a part reads, writes and begins with is of its type.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use proc_macro2::Ident;

use crate::ir::{Argument, Graph};
use crate::module::GraphModule;
use crate::value::Value;

use super::super::identifier::identifier;
use super::error::FolderError;
use super::naming::{is_index, one_of};
use super::structure::{Structures, Ty};
use super::words::{Fresh, snake};

/// The way to a piece of the state, from the struct `State` down.
pub(super) type Way = Vec<Step>;

/// A step of a way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Step {
    /// To a field.
    Field(Arc<str>),
    /// To an element of a list.
    Element(usize),
}

/// The state of a graph.
#[derive(Default)]
pub(super) struct Slots {
    pub(super) parts: Vec<Part>,
    /// The structures that it is made of.
    pub(super) structures: Structures,
}

/// A field of `State`.
pub(super) struct Part {
    pub(super) name: Ident,
    /// The path in the captured model, of a list that of what holds its elements.
    pub(super) path: Arc<str>,
    /// The numbers that its elements have there, if it is a list of several slots.
    pub(super) numbers: Vec<usize>,
    pub(super) reads: Argument,
    pub(super) writes: Argument,
    pub(super) initial: Value,
    pub(super) ty: Ty,
}

/// A slot of the graph.
struct Slot {
    name: Arc<str>,
    reads: Argument,
    writes: Argument,
    initial: Value,
    ty: Ty,
}

/// The slots of one element of a list, each with its path in there.
struct Row<'s> {
    number: usize,
    slots: Vec<(&'s str, &'s Slot)>,
}

impl Slots {
    /// The state of a module. `are_grouped` says whether what equal layers keep becomes a list.
    pub(super) fn new(
        module: &GraphModule,
        mut structures: Structures,
        are_grouped: bool,
    ) -> Result<Self, FolderError> {
        let graph = module.graph();
        let slots = slots(module, &mut structures)?;
        let mut slots_of = Self { parts: Vec::new(), structures };
        let lists = if are_grouped { lists(&slots) } else { Vec::new() };
        let starts: HashMap<&str, usize> =
            lists.iter().enumerate().map(|(i, (_, rows))| (&*rows[0].slots[0].1.name, i)).collect();
        let mut fresh = Fresh::default();
        let mut done: HashSet<&str> = HashSet::new();
        for slot in &slots {
            if done.contains(&*slot.name) {
                continue;
            }
            if let Some((before, rows)) = starts.get(&*slot.name).map(|list| &lists[*list])
                && let Some(part) = slots_of.list(graph, before, rows, &mut fresh)
            {
                done.extend(rows.iter().flat_map(|row| &row.slots).map(|(_, slot)| &*slot.name));
                slots_of.parts.push(part);
                continue;
            }
            let Slot { name: path, reads, writes, initial, ty } = slot;
            let (reads, writes, initial, ty) = (reads.clone(), writes.clone(), initial.clone(), ty.clone());
            let (name, path) = (fresh.take(&field_name(path)), path.clone());
            slots_of.parts.push(Part { name, path, numbers: Vec::new(), reads, writes, initial, ty });
        }
        slots_of.find_defaults();
        Ok(slots_of)
    }

    /// Finds the structures that always begin as Rust's own defaults.
    fn find_defaults(&mut self) {
        let mut others: HashSet<&Arc<str>> = HashSet::new();
        let mut pending: Vec<&Value> = self.parts.iter().map(|part| &part.initial).collect();
        let mut found: HashMap<&Arc<str>, HashSet<&Arc<str>>> = HashMap::new();
        while let Some(value) = pending.pop() {
            match value {
                Value::List(items) | Value::Tuple(items) => pending.extend(items),
                Value::Struct(name, fields) => {
                    let inside = found.entry(name).or_default();
                    inside.extend(fields.iter().filter_map(|(_, value)| match value {
                        Value::Struct(name, _) => Some(name),
                        _ => None,
                    }));
                    if !is_default(value) {
                        others.insert(name);
                    }
                    pending.extend(fields.iter().map(|(_, value)| value));
                }
                _ => {}
            }
        }
        // One that holds another which does not is none either.
        while let Some(name) = found
            .iter()
            .find(|(name, inside)| !others.contains(*name) && inside.iter().any(|inside| others.contains(inside)))
            .map(|(name, _)| *name)
        {
            others.insert(name);
        }
        let defaults = found.keys().filter(|name| !others.contains(*name)).map(|name| Arc::clone(name)).collect();
        self.structures.defaults = defaults;
    }

    /// The part that is made of the slots of a list; none if they have no type together.
    fn list(&mut self, graph: &Graph, before: &str, rows: &[Row<'_>], fresh: &mut Fresh) -> Option<Part> {
        let fields: Vec<&str> = rows[0].slots.iter().map(|(after, _)| *after).collect();
        let names: HashSet<String> = fields.iter().map(|field| snake(field)).collect();
        if names.len() < fields.len() {
            return None;
        }
        let word = |path: &str| path.rsplit('.').find(|word| !is_index(word)).map(|word| one_of(&snake(word)));
        let mut structures = self.structures.clone();
        let mut key = format!("{} state", word(before).unwrap_or_else(|| "part".to_owned()));
        let mut count = 1;
        while structures.rows.contains_key(key.as_str()) {
            count += 1;
            key.truncate(key.find(" state").unwrap_or(0));
            key.push_str(&format!(" state {count}"));
        }
        let key: Arc<str> = key.into();
        let is_plain = fields == [""];
        let element = |row: &Row<'_>, of: &dyn Fn(&Slot) -> Argument| match row.slots.as_slice() {
            [(_, slot)] if is_plain => of(slot),
            slots => {
                let fields: Vec<_> = slots.iter().map(|(after, slot)| ((*after).into(), of(slot))).collect();
                Argument::structure(key.clone(), fields)
            }
        };
        let reads: Vec<_> = rows.iter().map(|row| element(row, &|slot| slot.reads.clone())).collect();
        let writes: Vec<_> = rows.iter().map(|row| element(row, &|slot| slot.writes.clone())).collect();
        let initial = rows.iter().map(|row| match row.slots.as_slice() {
            [(_, slot)] if is_plain => slot.initial.clone(),
            slots => {
                let fields = slots.iter().map(|(after, slot)| ((*after).into(), slot.initial.clone()));
                Value::Struct(key.clone(), fields.collect())
            }
        });
        let (reads, writes) = (Argument::List(reads.into()), Argument::List(writes.into()));
        let initial = Value::List(initial.collect());
        if !is_plain {
            structures.rows.insert(key.clone(), before.into());
        }
        let ty = typed(graph, &mut structures, &reads, &writes, &initial, before).ok()?;
        self.structures = structures;
        let name = match before.split('.').all(is_index) || before.is_empty() {
            true => format!("{}s", word(fields[0]).unwrap_or_else(|| "part".to_owned())),
            false => field_name(before),
        };
        let numbers = rows.iter().map(|row| row.number).collect();
        Some(Part { name: fresh.take(&name), path: before.into(), numbers, reads, writes, initial, ty })
    }

    /// The type of a piece.
    pub(super) fn type_at(&self, way: &[Step]) -> Ty {
        let Some((Step::Field(first), rest)) = way.split_first() else { return Ty::Unknown };
        let part = self.parts.iter().find(|part| part.name == *identifier(first).to_string());
        let first = part.map_or(Ty::Unknown, |part| part.ty.clone());
        rest.iter().fold(first, |ty, step| match (ty, step) {
            (Ty::List(item), Step::Element(_)) => *item,
            (Ty::Struct(name), Step::Field(field)) => {
                let fields = self.structures.fields.get(&name).map_or(&[][..], Vec::as_slice);
                fields.iter().find(|(other, _)| other == field).map_or(Ty::Unknown, |(_, ty)| ty.clone())
            }
            _ => Ty::Unknown,
        })
    }

    /// How many elements a list has.
    pub(super) fn count(&self, way: &[Step]) -> usize {
        let Some((Step::Field(first), rest)) = way.split_first() else { return 0 };
        let part = self.parts.iter().find(|part| part.name == *identifier(first).to_string());
        let found = rest.iter().fold(part.map(|part| &part.reads), |at, step| match (at?, step) {
            (Argument::List(items), Step::Element(element)) => items.get(*element),
            (Argument::Struct(structure), Step::Field(field)) => {
                structure.1.iter().find(|(other, _)| other == field).map(|(_, value)| value)
            }
            _ => None,
        });
        found.map_or(0, |list| list.parts().count())
    }

    /// What a piece is called where it is handed to a function.
    pub(super) fn word(&self, way: &[Step]) -> String {
        let is_row = |ty: &Ty| matches!(ty, Ty::Struct(name) if self.structures.rows.contains_key(name));
        match self.type_at(way) {
            ty if is_row(&ty) => return "state".to_owned(),
            Ty::List(item) if is_row(&item) => return "states".to_owned(),
            _ => {}
        }
        let field = way.iter().rev().find_map(|step| match step {
            Step::Field(field) => Some(field),
            Step::Element(_) => None,
        });
        let word = field.and_then(|field| field.rsplit('.').find(|word| !is_index(word)));
        let word = snake(word.unwrap_or("state"));
        if matches!(way.last(), Some(Step::Element(_))) { one_of(&word) } else { word }
    }
}

/// Whether a value is that of Rust's own `Default`.
pub(super) fn is_default(value: &Value) -> bool {
    match value {
        Value::None | Value::Bool(false) | Value::Int(0) => true,
        Value::Float(float) => float.to_bits() == 0,
        Value::Struct(_, fields) => fields.iter().all(|(_, value)| is_default(value)),
        _ => false,
    }
}

/// The path of an element of a list.
pub(super) fn element_path(list: &str, number: &str) -> String {
    if list.is_empty() { number.to_owned() } else { format!("{list}.{number}") }
}

/// The slots of a graph, each with its type.
fn slots(module: &GraphModule, structures: &mut Structures) -> Result<Vec<Slot>, FolderError> {
    let graph = module.graph();
    let refused = |slot: &str, reason: String| FolderError::State {
        slot: slot.to_owned(),
        graph: graph.name().to_owned(),
        reason,
    };
    let written = graph.result_and_written().map_or(&[][..], |(_, written)| written);
    let each = graph.state().iter().enumerate().map(|(i, slot)| {
        let Some(writes) = written.get(i) else {
            let reason = "the output is not `(result, (written, …))`; `graph.verify()` says more";
            return Err(refused(&slot.name, reason.to_owned()));
        };
        let initial = module.kept().initial().put_together(&slot.name, &slot.reads);
        let ty = typed(graph, structures, &slot.reads, writes, &initial, &slot.name).map_err(|error| match error {
            FolderError::Mixed { found, .. } => {
                let reason = "no Rust type has both what is read and what is written, ";
                let remedy = "; run the graph by `GraphModule::run`, or keep both as one type in the model";
                refused(&slot.name, format!("{reason}{found}{remedy}"))
            }
            other => other,
        })?;
        Ok(Slot { name: slot.name.clone(), reads: slot.reads.clone(), writes: writes.clone(), initial, ty })
    });
    each.collect()
}

/// The type of what is read, of what is written, and of what was there at the capture.
fn typed(
    graph: &Graph,
    structures: &mut Structures,
    reads: &Argument,
    writes: &Argument,
    initial: &Value,
    said: &str,
) -> Result<Ty, FolderError> {
    let reads = structures.of(graph, reads, said)?;
    let writes = structures.of(graph, writes, said)?;
    let ty = structures.both(reads, writes, said)?;
    structures.with_value(ty, initial, said)
}

/// The slots that are elements of lists: what is before the numbers, and what has each number.
fn lists(slots: &[Slot]) -> Vec<(&str, Vec<Row<'_>>)> {
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    for (before, _, after) in slots.iter().flat_map(|slot| around_numbers(&slot.name)) {
        *counts.entry((before, after)).or_default() += 1;
    }
    // Of several numbers in a path, the one that most elements differ in; of those, the first.
    let mut rows: IndexMap<(&str, usize), Row<'_>> = IndexMap::new();
    for slot in slots {
        let found = around_numbers(&slot.name).rev().max_by_key(|(before, _, after)| counts[&(*before, *after)]);
        if let Some((before, number, after)) = found {
            let row = rows.entry((before, number)).or_insert_with(|| Row { number, slots: Vec::new() });
            row.slots.push((after, slot));
        }
    }
    let mut lists: IndexMap<(&str, String), Vec<Row<'_>>> = IndexMap::new();
    for ((before, _), row) in rows {
        let types: String = row.slots.iter().map(|(after, slot)| format!("{after}: {:?}; ", slot.ty)).collect();
        lists.entry((before, types)).or_default().push(row);
    }
    let several = lists.into_iter().filter(|(_, rows)| rows.len() > 1);
    several.map(|((before, _), rows)| (before, rows)).collect()
}

/// The numbers in a path, each with what is before and after it.
fn around_numbers(path: &str) -> impl DoubleEndedIterator<Item = (&str, usize, &str)> {
    let mut start = 0;
    let segments: Vec<(usize, &str)> = path
        .split('.')
        .map(|segment| {
            let at = start;
            start += segment.len() + 1;
            (at, segment)
        })
        .collect();
    segments.into_iter().filter(|(_, segment)| is_index(segment)).filter_map(move |(at, segment)| {
        let before = path[..at].strip_suffix('.').unwrap_or_default();
        let rest = &path[at + segment.len()..];
        Some((before, segment.parse().ok()?, rest.strip_prefix('.').unwrap_or_default()))
    })
}

/// The name of the field of a path. The numbers that a path begins with say nothing if there is more.
fn field_name(path: &str) -> String {
    let words: Vec<&str> = path.split('.').skip_while(|word| is_index(word)).collect();
    let name = if words.is_empty() { snake(path) } else { snake(&words.join(".")) };
    if name.starts_with(|first: char| first.is_ascii_digit() || first == '_') {
        format!("slot_{}", name.trim_start_matches('_'))
    } else {
        name
    }
}
