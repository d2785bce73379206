//! [`Naming`]: what types, fields, functions and parameters are called, and which members are elements of a list.
//!
//! Invariant: names follow from the model alone, so that the same module gives the same text.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::super::identifier::identifier;
use super::flow::{Input, last_word};
use super::holder::Member;
use super::program::Program;
use super::unit::{LeafKind, Unit};
use super::words::{Fresh, camel, snake, without_number};
use crate::ir::{ModulePath, NodeId, Op, Target};

/// The names of a program.
pub(super) struct Naming {
    /// By type.
    pub(super) types: Vec<TypeNames>,
}

/// The names of a type.
pub(super) struct TypeNames {
    pub(super) name: Ident,
    pub(super) fields: Vec<Field>,
    /// Where each member is, by its path in the struct.
    access: HashMap<(bool, String), (usize, Option<usize>)>,
    /// By number.
    pub(super) functions: HashMap<usize, FunctionNames>,
    /// The parameters of `new` before the weights.
    pub(super) sizes: Vec<Ident>,
}

/// A field: one member, or a list of equal ones.
pub(super) struct Field {
    pub(super) name: Ident,
    /// The members, with their paths in the struct and their places among its members.
    pub(super) members: Vec<(String, Member, usize)>,
    /// What is before and after the number of each element, if it is a list.
    pub(super) list: Option<(String, String)>,
}

/// The names of a function.
pub(super) struct FunctionNames {
    pub(super) name: Ident,
    pub(super) parameters: Vec<Ident>,
}

impl Naming {
    /// Names a program whose model has this name; other types get names that were not given yet.
    pub(super) fn new(program: &Program<'_>, model: Ident, types: &mut Fresh) -> Self {
        let mut names: Vec<Option<Ident>> = vec![None; program.types.len()];
        let last = program.types.len().saturating_sub(1);
        for (ty, given) in program.types.iter().zip(&mut names).take(last) {
            let (unit, holder) = ty.instances[0];
            let unit = &program.units[unit];
            let name = match &unit.holders.all[holder].type_name {
                Some(name) => camel(name),
                None => camel(unit.module.class_name()),
            };
            *given = Some(types.take_type(&name));
        }
        let values = Fresh::values(heads(program));
        let mut naming = Self { types: Vec::new() };
        for (number, name) in names.into_iter().enumerate() {
            let name = name.unwrap_or_else(|| model.clone());
            let mut named = TypeNames {
                name,
                fields: Vec::new(),
                access: HashMap::new(),
                functions: HashMap::new(),
                sizes: Vec::new(),
            };
            naming.name_fields(program, number, &mut named);
            name_functions(program, number, &values, &mut named);
            naming.types.push(named);
        }
        naming
    }

    fn name_fields(&self, program: &Program<'_>, number: usize, named: &mut TypeNames) {
        let (unit_number, holder) = program.types[number].instances[0];
        let unit = &program.units[unit_number];
        // Members of equal kind whose paths differ in their last number alone.
        let paths = || unit.holders.all[holder].members.iter().map(|member| unit.holders.relative(holder, member));
        // How many members are below each part of a path: one alone is named by the part.
        let mut below: HashMap<String, usize> = HashMap::new();
        for path in paths() {
            for (end, _) in path.match_indices('.').chain([(path.len(), "")]) {
                *below.entry(path[..end].to_owned()).or_default() += 1;
            }
        }
        let short = |path: &str| {
            let mut ends = path.match_indices('.').map(|(end, _)| &path[..end]);
            let alone = ends.find(|part| below[*part] == 1 && !is_index(part.rsplit('.').next().unwrap_or(part)));
            alone.unwrap_or(path).to_owned()
        };
        let members: Vec<(String, Member, Option<String>)> = unit.holders.all[holder]
            .members
            .iter()
            .enumerate()
            .map(|(i, member)| {
                let path = unit.holders.relative(holder, member);
                let key = around_number(&path).map(|list| {
                    format!("{list:?} {} {:?}", program.member_text(unit_number, member), program.sizes[number].of(i))
                });
                (path, member.clone(), key)
            })
            .collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (_, _, key) in &members {
            if let Some(key) = key {
                *counts.entry(key).or_default() += 1;
            }
        }
        let mut lists: HashMap<&str, usize> = HashMap::new();
        let mut fresh = Fresh::default();
        if holder == 0 {
            // The model has fields for its state.
            ["state", "initial_state"].into_iter().for_each(|taken| drop(fresh.take(taken)));
        }
        for (place, (path, member, key)) in members.iter().enumerate() {
            let list = key.as_deref().filter(|key| counts[key] > 1);
            let kind = self.kind(program, unit_number, member);
            let found = list.and_then(|list| lists.get(list).copied());
            let field = match (found, list) {
                (Some(field), _) => field,
                (None, Some(key)) => {
                    let (before, after) = around_number(path).unwrap_or_default();
                    let name = match (before.as_str(), after.as_str()) {
                        ("", _) => format!("{}s", kind.trim_end_matches('s')),
                        (before, "") => field_name(before, &kind),
                        // Of an element with one thing in it.
                        (before, _) if below[&path[..path.len() - after.len()]] == 1 => field_name(before, &kind),
                        (before, after) => field_name(&format!("{before}.{after}"), &kind),
                    };
                    lists.insert(key, named.fields.len());
                    named.fields.push(Field {
                        name: fresh.take(&name),
                        members: Vec::new(),
                        list: Some((before, after)),
                    });
                    named.fields.len() - 1
                }
                (None, None) => {
                    let name = fresh.take(&field_name(&short(path), &kind));
                    named.fields.push(Field { name, members: Vec::new(), list: None });
                    named.fields.len() - 1
                }
            };
            let members = &mut named.fields[field].members;
            // Two members can have one path: a layer that is called whole here and entered there.
            named.access.insert(access_key(path, member), (field, list.map(|_| members.len())));
            members.push((path.clone(), member.clone(), place));
        }
        let mut fresh = Fresh::values(std::iter::once("i"));
        for parameter in 0..program.sizes[number].count() {
            let member = program.sizes[number].first_member(parameter);
            let field =
                named.fields.iter().find(|field| field.members.iter().any(|(_, _, place)| Some(*place) == member));
            let name =
                field.map_or_else(|| "size".to_owned(), |field| format!("{}_size", snake(&field.name.to_string())));
            named.sizes.push(fresh.take(&name));
        }
    }

    /// What kind of thing a member is, as a word.
    fn kind(&self, program: &Program<'_>, unit: usize, member: &Member) -> String {
        let of = &program.units[unit];
        match member {
            Member::Holder(holder) => snake(&self.types[program.type_of[unit][*holder]].name.to_string()),
            Member::Leaf(path) => match of.leaves.get(path).map(|leaf| &leaf.kind) {
                Some(LeafKind::Layer { type_name, .. }) => snake(type_name.rsplit("::").next().unwrap_or(type_name)),
                Some(LeafKind::Graph(child)) => snake(&self.types[program.type_of_unit(*child)].name.to_string()),
                _ => "tensor".to_owned(),
            },
        }
    }

    /// The type of a member, as Rust.
    pub(super) fn member_type(&self, program: &Program<'_>, unit: usize, member: &Member) -> TokenStream {
        let name = match member {
            Member::Holder(holder) => &self.types[program.type_of[unit][*holder]].name,
            Member::Leaf(path) => match program.units[unit].leaves.get(path).map(|leaf| &leaf.kind) {
                Some(LeafKind::Layer { type_name, .. }) => return type_name.parse().unwrap_or_default(),
                Some(LeafKind::Graph(child)) => &self.types[program.type_of_unit(*child)].name,
                _ => return quote!(Tensor),
            },
        };
        quote!(#name)
    }

    /// The place of a member, from a struct of this unit down.
    pub(super) fn place(&self, program: &Program<'_>, unit: usize, from: usize, way: &[Member]) -> TokenStream {
        let (mut place, mut holder) = (quote!(self), from);
        for member in way {
            let path = program.units[unit].holders.relative(holder, member);
            let names = &self.types[program.type_of[unit][holder]];
            if let Some((field, element)) = names.access.get(&access_key(&path, member)) {
                let field = &names.fields[*field].name;
                place = quote!(#place.#field);
                if let Some(element) = element.map(proc_macro2::Literal::usize_unsuffixed) {
                    place = quote!(#place[#element]);
                }
            }
            if let Member::Holder(inner) = member {
                holder = *inner;
            }
        }
        place
    }

    /// The list and the place in it of what a struct holds directly.
    pub(super) fn element(
        &self,
        program: &Program<'_>,
        unit: usize,
        from: usize,
        member: &Member,
    ) -> Option<(usize, usize)> {
        let path = program.units[unit].holders.relative(from, member);
        let (field, element) = self.types[program.type_of[unit][from]].access.get(&access_key(&path, member))?;
        Some((*field, (*element)?))
    }
}

/// What a member is found by.
fn access_key(path: &str, member: &Member) -> (bool, String) {
    (matches!(member, Member::Holder(_)), path.to_owned())
}

/// What is before and after the last number of a path: `layers` and `.inner` of `layers.0.inner`.
pub(super) fn around_number(path: &str) -> Option<(String, String)> {
    let segments: Vec<&str> = path.split('.').collect();
    let at = segments.iter().rposition(|segment| is_index(segment))?;
    let after: String = segments[at + 1..].iter().map(|segment| format!(".{segment}")).collect();
    Some((segments[..at].join("."), after))
}

/// A number as Rust writes it.
pub(super) fn is_index(text: &str) -> bool {
    text.parse::<usize>().is_ok_and(|index| index.to_string() == text)
}

/// The name of the field of a path.
fn field_name(path: &str, kind: &str) -> String {
    let name = snake(path);
    let name = match name.trim_start_matches('_') {
        "" => name,
        trimmed => trimmed.to_owned(),
    };
    if path.is_empty() {
        kind.to_owned()
    } else if name.starts_with(|first: char| first.is_ascii_digit()) {
        format!("{kind}_{name}")
    } else {
        name
    }
}

/// Names the functions of a type and their parameters.
fn name_functions(program: &Program<'_>, number: usize, values: &Fresh, named: &mut TypeNames) {
    let mut fresh = Fresh::default();
    ["new", "load"].into_iter().for_each(|taken| drop(fresh.take(taken)));
    for (function, regions) in &program.types[number].functions {
        let (unit, region) = regions[0];
        let base = if program.units[unit].region(region).is_part { "part" } else { "forward" };
        let name = fresh.take(base);
        let mut values = values.clone();
        let inputs = &program.units[unit].flow.inputs[region];
        let count = inputs.len();
        let is_only = inputs.iter().filter(|input| matches!(input, Input::Value(_))).count() == 1;
        let mut others = ["x", "y", "z"].into_iter().cycle();
        let parameters = (0..count).map(|position| {
            if let Some(Input::Size(size)) = inputs.get(position) {
                return identifier(size);
            }
            // One that all calls agree on.
            let mut candidates =
                regions.iter().map(|(unit, region)| input_name(program, *unit, *region, position, is_only));
            let first = candidates.next().flatten();
            match first.filter(|first| candidates.all(|other| other.as_ref() == Some(first))) {
                Some(name) => values.take(&name),
                None => values.take(others.next().unwrap_or("x")),
            }
        });
        let parameters = parameters.collect();
        named.functions.insert(*function, FunctionNames { name, parameters });
    }
}

/// What a parameter could be called, by what is passed in one call. The only value of a function is not called after the
/// operation that made it, which says nothing in there.
fn input_name(program: &Program<'_>, unit: usize, region: usize, position: usize, is_only: bool) -> Option<String> {
    let unit = &program.units[unit];
    match unit.flow.inputs[region].get(position)? {
        Input::Value(id) => {
            let outside = unit.region(region).parent.unwrap_or(0);
            let is_input = unit.graph().node(*id).op() == Op::Placeholder;
            (!is_only || is_input || giver(unit, outside, *id).is_some()).then(|| value_name(unit, outside, *id))
        }
        Input::Size(size) => Some(size.to_string()),
        Input::State(way) => unit.slots.as_ref().map(|slots| slots.word(way)),
        Input::Held(member) => {
            let word = last_word(unit.holders.path(member)).map(|word| field_name(word, "tensor"));
            word.or_else(|| match member {
                Member::Holder(holder) => unit.holders.all[*holder].type_name.as_deref().map(snake),
                Member::Leaf(_) => None,
            })
        }
    }
}

/// What a value is called in a region.
pub(super) fn value_name(unit: &Unit<'_>, region: usize, id: NodeId) -> String {
    let node = unit.graph().node(id);
    if node.op() == Op::Placeholder {
        return snake(node.name());
    }
    let word = giver(unit, region, id).and_then(|path| {
        let words: Vec<&str> = path.segments().collect();
        let last = words.iter().rposition(|word| !is_index(word))?;
        // An element is named after its list; what a wrapper holds, after the wrapper.
        let is_element = last + 1 < words.len();
        let word = if words[last] == "inner" && last > 0 && !is_index(words[last - 1]) {
            words[last - 1]
        } else {
            words[last]
        };
        Some(if is_element { one_of(&snake(word)) } else { snake(word) })
    });
    word.unwrap_or_else(|| snake(without_number(node.name())))
}

/// Whether a value has the name that a call of this layer gives it.
fn is_named_after(name: &str, path: &ModulePath) -> bool {
    let name = snake(without_number(name));
    name.trim_start_matches('_') == snake(path.as_str()).trim_start_matches('_')
}

/// The module or layer whose call in a region gives a value, if it is the result of one.
pub(super) fn giver<'u>(unit: &'u Unit<'_>, region: usize, id: NodeId) -> Option<&'u ModulePath> {
    let node = unit.graph().node(id);
    let made = unit.regions.number[id].map(|number| unit.regions.region_of[number as usize]);
    let mut by = made.filter(|made| *made != region);
    while let Some(inner) = by
        && let Some(parent) = unit.region(inner).parent.filter(|parent| *parent != region)
    {
        by = Some(parent);
    }
    match by {
        Some(inner) if !unit.region(inner).is_part && unit.flow.outputs[inner].len() == 1 => {
            Some(&unit.region(inner).path)
        }
        // Made elsewhere, it was called there.
        Some(inner) if unit.region(inner).parent != Some(region) => None,
        _ => match node.target() {
            // A name that would begin with a number has something before it.
            Target::CallModule(path) if is_named_after(node.name(), path) => Some(path),
            _ => None,
        },
    }
}

/// What values cannot be called: the crates of the functions that are called, and the sizes.
pub(super) fn heads<'p>(program: &'p Program<'_>) -> impl Iterator<Item = &'p str> {
    let nodes = program.units.iter().flat_map(|unit| unit.graph().nodes());
    let operations = nodes.filter_map(|(_, node)| node.target().operation());
    let crates = operations.filter(|op| op.source.is_empty()).filter_map(|op| op.name.split("::").next());
    let dynamic = program.units.iter().filter_map(|unit| unit.graph().dynamic());
    crates.chain(dynamic.flat_map(|dynamic| dynamic.sizes.iter().map(|size| &*size.name)))
}

/// The word for one of several.
pub(super) fn one_of(name: &str) -> String {
    let name = name.trim_start_matches("r#");
    match name.strip_suffix('s') {
        Some(one) if one.len() > 1 && !one.ends_with('s') => one.to_owned(),
        _ => name.to_owned(),
    }
}
