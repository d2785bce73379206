//! [`Program`]: the types and methods of the generated program: what is equal is there once.
//!
//! Two functions are equal if their text is, with values named by their numbers and what is held by its path in the
//! struct; two structs if they hold equal things under equal paths, whatever their sizes, and have equal functions. Texts
//! are keys of a hash table, so the time is linear in the length of all texts.
//!
//! Invariant: an instance of a type can stand for any other of it: only the weights differ.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::ir::{ModulePath, NodeId, Target};
use crate::module::inputs::{Input as Bound, bind_inputs};
use crate::module::{Attribute, GraphModule};

use super::super::call::{Calls, Sources};
use super::super::literal::literal;
use super::super::names::Names;
use super::super::place::Place;
use super::error::FolderError;
use super::flow::Input;
use super::holder::Member;
use super::pieces::piece;
use super::region::Item;
use super::sizes::{Sizes, without_sizes};
use super::slots::{Slots, Way};
use super::structure::{Reads, Structures, Ty};
use super::unit::{LeafKind, Unit};
use super::words::Fresh;
use crate::ops::kind::Kind;

/// Everything that is written.
pub(super) struct Program<'m> {
    /// The graphs, each after its children; the last is the model.
    pub(super) units: Vec<Unit<'m>>,
    /// The types, each after those that it holds; the last is the model.
    pub(super) types: Vec<Type>,
    /// The type of each struct of each unit.
    pub(super) type_of: Vec<Vec<usize>>,
    /// The number of each region's function; equal ones have one.
    pub(super) function_of: Vec<Vec<usize>>,
    /// The numbers by which the structs of each type differ.
    pub(super) sizes: Vec<Sizes>,
    pub(super) sources: Sources,
}

/// A struct with its functions.
pub(super) struct Type {
    /// The structs that are of it, by unit and number, in program order.
    pub(super) instances: Vec<(usize, usize)>,
    /// Its functions by their numbers, each with the regions that it is, by unit and number.
    pub(super) functions: IndexMap<usize, Vec<(usize, usize)>>,
}

impl<'m> Program<'m> {
    pub(super) fn new(module: &'m GraphModule, supplied: &dyn Fn(&str) -> bool) -> Result<Self, FolderError> {
        let mut program = Self {
            units: Vec::new(),
            types: Vec::new(),
            type_of: Vec::new(),
            function_of: Vec::new(),
            sizes: Vec::new(),
            sources: Sources::default(),
        };
        program.add(module, supplied, 0, &mut HashMap::new())?;
        program.find_functions();
        program.find_types();
        for ty in 0..program.types.len() {
            let sizes = Sizes::new(&program, ty);
            program.sizes.push(sizes);
        }
        Ok(program)
    }

    /// Adds a graph after its children; the number of its unit.
    fn add(
        &mut self,
        module: &'m GraphModule,
        supplied: &dyn Fn(&str) -> bool,
        depth: usize,
        added: &mut HashMap<*const GraphModule, usize>,
    ) -> Result<usize, FolderError> {
        if let Some(unit) = added.get(&std::ptr::from_ref(module)) {
            return Ok(*unit);
        }
        if depth > GraphModule::MAX_DEPTH {
            return Err(FolderError::TooDeep);
        }
        if module.graph().output_node().is_none() {
            return Err(FolderError::NoOutput { graph: module.graph().name().to_owned() });
        }
        // Who calls another graph gives it what it keeps, and gets it back.
        let is_kept = depth == 0 && !module.graph().state().is_empty();
        let slots = is_kept.then(|| Slots::new(module, Structures::default(), true)).transpose()?;
        let mut children: HashMap<ModulePath, usize> = HashMap::new();
        for (_, node) in module.graph().nodes() {
            let Target::CallModule(path) = node.target() else { continue };
            if let Some(child) = child(module, path) {
                children.insert(path.clone(), self.add(child, supplied, depth + 1, added)?);
            }
        }
        let unit = Unit::new(module, slots, &children, supplied)?;
        self.units.push(unit);
        added.insert(module, self.units.len() - 1);
        Ok(self.units.len() - 1)
    }

    /// The expression of a step, with the `?` that it needs.
    pub(super) fn step(
        &self,
        unit: &Unit<'_>,
        calls: &Calls<'_>,
        id: NodeId,
        graph_method: &dyn Fn(usize) -> TokenStream,
    ) -> TokenStream {
        let node = unit.graph().node(id);
        if let Target::CallModule(path) = node.target()
            && let Some(LeafKind::Graph(child)) = unit.leaves.get(path).map(|leaf| &leaf.kind)
        {
            let (place, method) = (calls.places.of(path), graph_method(*child));
            let bound = bind_inputs(self.units[*child].graph(), node.args(), node.kwargs()).unwrap_or_default();
            let arguments = bound.iter().map(|input| match input {
                Bound::Given(argument) => calls.passed(argument),
                Bound::Default(value) => literal(value, Kind::Any, None),
            });
            return quote!(#place.#method(#(#arguments),*)?);
        }
        calls.expression(id)
    }

    /// Gives each region the number of its function.
    fn find_functions(&mut self) {
        let mut known: HashMap<String, usize> = HashMap::new();
        for unit in 0..self.units.len() {
            self.function_of.push(vec![usize::MAX; self.units[unit].regions.all.len()]);
            for region in self.units[unit].regions.inner_first() {
                let text = self.function_text(unit, region);
                let next = known.len();
                self.function_of[unit][region] = *known.entry(text).or_insert(next);
            }
        }
    }

    /// A function as a key.
    fn function_text(&self, number: usize, region: usize) -> String {
        let unit = &self.units[number];
        let mut names = Names::default();
        let mut text = String::new();
        let (mut handed, mut state) = (HashMap::<&Member, TokenStream>::new(), Vec::new());
        for (i, input) in unit.flow.inputs[region].iter().enumerate() {
            let name = format_ident!("a{i}");
            match input {
                Input::Value(id) => {
                    text.push_str(&format!("{name}: {}, ", value_type(unit, *id)));
                    names.give(*id, name, true);
                }
                Input::Held(member) => {
                    text.push_str(&format!("{name}: {}, ", self.leaf_text(unit, member, false)));
                    handed.insert(member, quote!(#name));
                }
                // Sizes have one name everywhere.
                Input::Size(size) => text.push_str(&format!("size {size}, ")),
                Input::State(way) => {
                    text.push_str(&format!("{name}: {:?}, ", unit.slots.as_ref().map(|slots| slots.type_at(way))));
                    state.push((way.clone(), Place { tokens: quote!(#name), is_reference: true }));
                }
            }
        }
        if region == 0 {
            // Of one graph; its inputs are what it is called with.
            text.push_str(&format!("graph {number}, "));
            for (i, id) in unit.graph().placeholders().enumerate() {
                names.give(id, format_ident!("p{i}"), true);
            }
            state.push((Way::new(), Place { tokens: quote!(state), is_reference: false }));
        }
        for (i, id) in unit.locals(region).enumerate() {
            names.give(id, format_ident!("v{i}"), false);
        }
        let holder = unit.holders.of(&unit.region(region).path);
        let place = |way: &[Member]| {
            let path = way.last().map(|member| unit.holders.relative(holder, member)).unwrap_or_default();
            quote!(self[#path])
        };
        let cells = || unit.cells.of(region).filter(|_| region != 0);
        let mut fresh = Fresh::default();
        for cell in cells() {
            let statements = unit.read(cell, &piece(&state, &cell.way), &mut names, &mut fresh);
            statements.iter().for_each(|statement| text.push_str(&statement.code));
        }
        let view = unit.view(region, names, &place, &|member| handed.get(member).cloned(), state);
        let calls = unit.calls(&view, &self.sources);
        for item in &unit.region(region).items {
            match item {
                Item::Step(id) => {
                    let method = |child: usize| format!("graph{child}").parse().unwrap_or_default();
                    let expression = self.step(unit, &calls, *id, &method);
                    text.push_str(&format!("{} = {expression}; ", view.names.of(*id)));
                }
                Item::Call(inner) => {
                    for id in &unit.flow.outputs[*inner] {
                        text.push_str(&format!("{} ", view.names.of(*id)));
                    }
                    let method = format_ident!("f{}", self.function_of[number][*inner]);
                    text.push_str(&format!("= {}; ", unit.call(&calls, &view, *inner, &quote!(#method))));
                }
            }
        }
        for id in &unit.flow.outputs[region] {
            text.push_str(&format!("{}: {} ", view.names.of(*id), value_type(unit, *id)));
        }
        if let Some(slots) = &unit.slots {
            for cell in cells().filter(|cell| !cell.stays()) {
                let place = piece(&view.state, &cell.way);
                text.push_str(&unit.leave(cell, &place, &calls, &slots.structures, &mut Reads::new()).code);
            }
        }
        text
    }

    /// What is held, as a key: with its settings except whole numbers, or only its type.
    fn leaf_text(&self, unit: &Unit<'_>, member: &Member, in_full: bool) -> String {
        let path = match member {
            Member::Leaf(path) => path,
            // Which module it is decides the type of the parameter.
            Member::Holder(holder) => return format!("module {holder} of {:p}", unit.module),
        };
        let Some(leaf) = unit.leaves.get(path) else { return String::new() };
        let tensors = leaf.tensors.iter().map(|(_, tensor)| format!(" {:?} {:?}", tensor.rank(), tensor.dtype()));
        match &leaf.kind {
            LeafKind::Graph(child) => format!("graph {child}"),
            LeafKind::Tensor if !in_full => "Tensor".to_owned(),
            LeafKind::Layer { type_name, .. } if !in_full => type_name.clone(),
            LeafKind::Tensor => format!("Tensor{}", tensors.collect::<String>()),
            LeafKind::Layer { make, .. } => {
                let make = without_sizes(make.parse().unwrap_or_default());
                format!("{make}{}", tensors.collect::<String>())
            }
        }
    }

    /// Gives each struct its type.
    fn find_types(&mut self) {
        let mut known: HashMap<String, usize> = HashMap::new();
        for number in 0..self.units.len() {
            let unit = &self.units[number];
            self.type_of.push(vec![usize::MAX; unit.holders.all.len()]);
            let mut regions: Vec<Vec<usize>> = vec![Vec::new(); unit.holders.all.len()];
            for (region, of) in unit.regions.all.iter().enumerate() {
                regions[unit.holders.of(&of.path)].push(region);
            }
            for holder in unit.holders.inner_first() {
                let mut text = if holder == 0 { format!("graph {number}; ") } else { String::new() };
                text.push_str(unit.holders.all[holder].type_name.as_deref().unwrap_or_default());
                for member in &unit.holders.all[holder].members {
                    let path = unit.holders.relative(holder, member);
                    text.push_str(&format!("; {path:?}: {}", self.member_text(number, member)));
                }
                let mut functions: IndexMap<usize, Vec<(usize, usize)>> = IndexMap::new();
                for region in &regions[holder] {
                    functions.entry(self.function_of[number][*region]).or_default().push((number, *region));
                }
                functions.keys().for_each(|function| text.push_str(&format!("; f{function}")));
                let next = self.types.len();
                let found = *known.entry(text).or_insert(next);
                if found == next {
                    self.types.push(Type { instances: vec![(number, holder)], functions });
                } else {
                    self.types[found].instances.push((number, holder));
                    for (function, regions) in functions {
                        self.types[found].functions.entry(function).or_default().extend(regions);
                    }
                }
                self.type_of[number][holder] = found;
            }
        }
    }

    /// What a struct holds, as a key: two members of equal ones can be elements of one list.
    pub(super) fn member_text(&self, unit: usize, member: &Member) -> String {
        match member {
            Member::Holder(holder) => format!("type {}", self.type_of[unit][*holder]),
            leaf => self.leaf_text(&self.units[unit], leaf, true),
        }
    }

    /// The type of a child graph.
    pub(super) fn type_of_unit(&self, unit: usize) -> usize {
        self.type_of[unit][0]
    }
}

/// The child graph at a path.
fn child<'m>(module: &'m GraphModule, path: &ModulePath) -> Option<&'m GraphModule> {
    match module.attributes().get(path) {
        Some(Attribute::Module(child)) => Some(Arc::as_ref(child)),
        _ => None,
    }
}

/// The Rust type of a value.
pub(super) fn value_type(unit: &Unit<'_>, id: NodeId) -> String {
    Structures::default().text(&Ty::of_node(unit.graph().node(id)))
}
