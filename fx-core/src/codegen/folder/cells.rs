//! [`Cells`]: which function reads each piece of the state, and leaves it to the next call.
//!
//! A piece that only one call of a module reads and writes, as a layer its cache, is handed to the function of that call,
//! as `&mut`. All others are read before the first step and written after the last.
//!
//! Invariant: no piece is in two cells, and nothing outside of a cell's function reads what was in it.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::ir::{Argument, Graph, NodeId, Op};

use super::region::Regions;
use super::slots::{Slots, Step, Way};
use super::structure::{Structures, Ty, member};

/// A piece of the state that is read and written as one.
pub(super) struct Cell {
    pub(super) way: Way,
    pub(super) reads: Argument,
    pub(super) writes: Argument,
    pub(super) ty: Ty,
    /// The region whose function reads and writes it.
    pub(super) region: usize,
}

impl Cell {
    /// Whether a run leaves it as it was.
    pub(super) fn stays(&self) -> bool {
        self.reads == self.writes
    }
}

/// The pieces of the state of a graph.
#[derive(Default)]
pub(super) struct Cells {
    pub(super) all: Vec<Cell>,
    /// Those of each region's function, by number.
    of: HashMap<usize, Vec<usize>>,
    /// What each region's function is handed: a cell, or what is around several.
    handed: HashMap<usize, Vec<Way>>,
    /// The values that are returned, or written where the graph ends.
    returned: HashSet<NodeId>,
    /// The inputs of the graph that its own function needs no names for, with the region whose function takes them from the
    /// state; none for those that nothing reads.
    unnamed: HashMap<NodeId, Option<usize>>,
}

impl Cells {
    /// Takes the state of a graph apart; none if it has none, or if who calls it keeps it.
    pub(super) fn new(graph: &Graph, regions: &Regions, slots: Option<&Slots>) -> Self {
        let mut cells = Self::default();
        for part in slots.iter().flat_map(|slots| &slots.parts) {
            let way = vec![Step::Field(part.name.to_string().trim_start_matches("r#").into())];
            let structures = slots.map(|slots| &slots.structures);
            cells.take_apart(structures, way, &part.reads, &part.writes, &part.ty);
        }
        cells.find_regions(graph, regions);
        let result = graph.result_and_written().map(|(result, _)| result);
        let output = graph.output_node().and_then(|output| graph.node(output).args().first());
        let returned = if cells.are_handed() { result } else { output };
        if let Some(returned) = returned {
            returned.for_each_node(&mut |id| _ = cells.returned.insert(id));
        }
        let Self { all, of, handed, returned, unnamed } = &mut cells;
        let has_inner = all.iter().any(|cell| cell.region != 0);
        for (number, cell) in all.iter().enumerate() {
            of.entry(cell.region).or_default().push(number);
            if cell.region != 0 {
                cell.reads.for_each_node(&mut |id| _ = unnamed.insert(id, Some(cell.region)));
            } else if has_inner && !cell.stays() {
                cell.writes.for_each_node(&mut |id| _ = returned.insert(id));
            }
            let mut around = Some(cell.region);
            while let Some(region) = around.filter(|region| *region != 0) {
                let handed = handed.entry(region).or_default();
                match handed.iter_mut().find(|way| way[0] == cell.way[0]) {
                    Some(way) => {
                        let common = way.iter().zip(&cell.way).take_while(|(one, other)| one == other).count();
                        way.truncate(common);
                    }
                    None => handed.push(cell.way.clone()),
                }
                around = regions.all[region].parent;
            }
        }
        // What is neither read nor changed.
        let is_read = |id: NodeId| graph.users(id).any(|user| graph.node(user).op() != Op::Output);
        for cell in all.iter().filter(|cell| has_inner && cell.region == 0 && cell.stays()) {
            cell.reads.for_each_node(&mut |id| {
                if !is_read(id) && !returned.contains(&id) {
                    unnamed.insert(id, None);
                }
            });
        }
        cells
    }

    /// The pieces of a part: elements of lists, and fields of what has lists in it.
    fn take_apart(&mut self, structures: Option<&Structures>, way: Way, reads: &Argument, writes: &Argument, ty: &Ty) {
        let below = |step: Step| way.iter().cloned().chain([step]).collect::<Way>();
        match (reads, writes, ty) {
            (Argument::List(reads), Argument::List(writes), Ty::List(item)) if reads.len() == writes.len() => {
                for (i, (reads, writes)) in reads.iter().zip(writes).enumerate() {
                    self.take_apart(structures, below(Step::Element(i)), reads, writes, item);
                }
            }
            (Argument::Struct(read), Argument::Struct(written), Ty::Struct(name))
                if read.0 == written.0 && structures.is_some_and(|known| known.has_lists(name)) =>
            {
                let types = structures.and_then(|known| known.fields.get(name)).map_or(&[][..], Vec::as_slice);
                for (((field, reads), (_, writes)), (_, ty)) in read.1.iter().zip(&written.1).zip(types) {
                    self.take_apart(structures, below(Step::Field(field.clone())), reads, writes, ty);
                }
            }
            _ => {
                let (reads, writes, ty) = (reads.clone(), writes.clone(), ty.clone());
                self.all.push(Cell { way, reads, writes, ty, region: 0 });
            }
        }
    }

    /// Finds the innermost region in which everything is that a cell is about.
    fn find_regions(&mut self, graph: &Graph, regions: &Regions) {
        let mut cell_of: HashMap<NodeId, usize> = HashMap::new();
        for (number, cell) in self.all.iter().enumerate() {
            cell.reads.for_each_node(&mut |id| _ = cell_of.insert(id, number));
        }
        let mut found: Vec<Option<usize>> = vec![None; self.all.len()];
        let mut is_in = |cell: usize, region: usize| {
            found[cell] = Some(found[cell].map_or(region, |found| regions.around_both(found, region)));
        };
        for (number, id) in regions.steps.iter().enumerate() {
            for input in graph.node(*id).all_input_nodes() {
                if let Some(cell) = cell_of.get(&input) {
                    is_in(*cell, regions.region_of[number]);
                }
            }
        }
        if let Some((result, _)) = graph.result_and_written() {
            result.for_each_node(&mut |id| _ = cell_of.get(&id).map(|cell| is_in(*cell, 0)));
        }
        for (number, cell) in self.all.iter().enumerate() {
            cell.writes.for_each_node(&mut |id| match (regions.number[id], cell_of.get(&id)) {
                (Some(step), _) => is_in(number, regions.region_of[step as usize]),
                (None, Some(own)) if *own == number => {}
                (None, other) => {
                    other.iter().for_each(|other| is_in(**other, 0));
                    is_in(number, 0);
                }
            });
        }
        for (cell, region) in self.all.iter_mut().zip(found) {
            cell.region = region.unwrap_or(0);
        }
    }

    /// Whether other functions than that of the graph have cells.
    pub(super) fn are_handed(&self) -> bool {
        self.all.iter().any(|cell| cell.region != 0)
    }

    /// The cells that a region's function reads and writes.
    pub(super) fn of(&self, region: usize) -> impl Iterator<Item = &Cell> {
        self.of.get(&region).into_iter().flatten().map(|number| &self.all[*number])
    }

    /// What a region's function is handed.
    pub(super) fn handed(&self, region: usize) -> &[Way] {
        self.handed.get(&region).map_or(&[], Vec::as_slice)
    }

    /// Whether the graph's own function gives a value or writes it to the state.
    pub(super) fn is_returned(&self, id: NodeId) -> bool {
        self.returned.contains(&id)
    }

    /// The values that the graph's own function gives or writes to the state.
    pub(super) fn returned(&self) -> impl Iterator<Item = NodeId> {
        self.returned.iter().copied()
    }

    /// Whether the graph's own function needs no name for an input.
    pub(super) fn is_unnamed(&self, id: NodeId) -> bool {
        self.unnamed.contains_key(&id)
    }

    /// Whether a region's function takes an input of the graph from the state that it is handed.
    pub(super) fn is_taken_by(&self, region: usize, id: NodeId) -> bool {
        self.unnamed.get(&id) == Some(&Some(region))
    }
}

/// Where a way leads to from a place.
pub(super) fn along(place: TokenStream, way: &[Step]) -> TokenStream {
    way.iter().fold(place, |place, step| match step {
        Step::Field(field) => {
            let member = member(field);
            quote!(#place.#member)
        }
        Step::Element(element) => {
            let element = Literal::usize_unsuffixed(*element);
            quote!(#place[#element])
        }
    })
}
