//! The child graphs of a module, each once however many paths lead to it: listing, comparing and editing them.
//!
//! Invariant: nothing here takes longer than the graphs and the places that hold them are many; one child at several
//! places is one child there afterwards; nothing recurses, however deep graphs are nested.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use crate::ir::{Graph, ModulePath};

use super::attributes::{Attribute, Attributes};
use super::graph_module::GraphModule;

/// A child graph, and where it is first held.
pub(super) struct Held<'m> {
    pub(super) module: &'m Arc<GraphModule>,
    /// The number of the graph that holds it in the same list; none for the root.
    holder: Option<usize>,
    path: &'m ModulePath,
    /// How many graphs it is inside of, on the longest way.
    pub(super) depth: usize,
}

/// The whole path of a child graph in such a list.
pub(super) fn path_of(held: &[Held<'_>], number: usize) -> ModulePath {
    let (mut segments, mut next) = (Vec::new(), Some(number));
    while let Some(number) = next {
        segments.push(held[number].path.as_str());
        next = held[number].holder;
    }
    segments.reverse();
    ModulePath::new(segments.join("."))
}

/// A child graph that is being edited.
struct Part {
    module: GraphModule,
    /// What others hold too, of which `module` is a copy.
    original: Option<Arc<GraphModule>>,
    /// Where it holds children: the place among its attributes, and the number of the child.
    places: Vec<(usize, usize)>,
}

impl GraphModule {
    /// How many paths a list of all of them has at most, such as [`GraphModule::state_dict`]. Graphs that share graphs that
    /// share graphs have exponentially many.
    pub const MAX_PATHS: usize = 1 << 20;

    /// Whether everything in this module can be listed under each of its paths.
    pub(super) fn can_list_every_path(&self) -> bool {
        let held = self.held_graphs();
        let numbers: HashMap<*const Self, usize> =
            held.iter().enumerate().map(|(number, held)| (Arc::as_ptr(held.module), number)).collect();
        // On how many ways each child is reached; those that hold it come before it.
        let mut ways = vec![0_usize; held.len()];
        for (_, child) in modules_in(self.attributes()) {
            ways[numbers[&Arc::as_ptr(child)]] += 1;
        }
        let mut paths = self.attributes().len();
        for (holder, Held { module, .. }) in held.iter().enumerate() {
            let here = ways[holder];
            paths = paths.saturating_add(module.attributes().len().saturating_mul(here));
            for (_, child) in modules_in(module.attributes()) {
                let way = &mut ways[numbers[&Arc::as_ptr(child)]];
                *way = way.saturating_add(here);
            }
        }
        paths <= Self::MAX_PATHS
    }

    /// Whether its graph and its child graphs read like those of another, whichever of them are one.
    pub(crate) fn reads_like(&self, other: &Self) -> bool {
        let (mut seen, mut pending) = (HashSet::new(), vec![(self, other)]);
        while let Some((a, b)) = pending.pop() {
            if std::ptr::eq(a, b) || !seen.insert((std::ptr::from_ref(a), std::ptr::from_ref(b))) {
                continue;
            }
            let paths = |module: &Self| module.children().map(|(path, _)| path.clone()).collect::<Vec<_>>();
            if a.graph().to_string() != b.graph().to_string() || paths(a) != paths(b) {
                return false;
            }
            pending.extend(a.children().zip(b.children()).map(|((_, a), (_, b))| (a, b)));
        }
        true
    }

    /// All child graphs, those inside of others too, each once and after all that hold it.
    pub(super) fn held_graphs(&self) -> Vec<Held<'_>> {
        // Depth first: a graph is done after all that it holds.
        let (mut done, mut seen) = (Vec::new(), HashSet::new());
        let mut pending: Vec<(&Arc<Self>, bool)> =
            modules_in(self.attributes()).map(|(_, child)| (child, false)).collect();
        while let Some((module, is_left)) = pending.pop() {
            if is_left {
                done.push(module);
            } else if seen.insert(Arc::as_ptr(module)) {
                pending.push((module, true));
                pending.extend(modules_in(module.attributes()).map(|(_, child)| (child, false)));
            }
        }
        done.reverse();
        let numbers: HashMap<*const Self, usize> =
            done.iter().enumerate().map(|(number, module)| (Arc::as_ptr(module), number)).collect();
        let mut places: Vec<Option<(Option<usize>, &ModulePath)>> = vec![None; done.len()];
        let mut depths = vec![0; done.len()];
        for (path, child) in modules_in(self.attributes()) {
            let number = numbers[&Arc::as_ptr(child)];
            places[number].get_or_insert((None, path));
            depths[number] = 1;
        }
        for (holder, &module) in done.iter().enumerate() {
            for (path, child) in modules_in(module.attributes()) {
                let number = numbers[&Arc::as_ptr(child)];
                places[number].get_or_insert((Some(holder), path));
                depths[number] = depths[number].max(depths[holder] + 1);
            }
        }
        let each = done.into_iter().zip(places).zip(depths);
        let held = each.filter_map(|((module, place), depth)| {
            let (holder, path) = place?;
            Some(Held { module, holder, path, depth })
        });
        held.collect()
    }

    /// Has `edit` change each child graph once, those that a graph holds before it, and this one last. It says whether
    /// it changed anything; a child that others hold too and in which nothing was changed stays theirs.
    ///
    /// If `edit` panics, the rest is left as it was, all is put together again, and the panic goes on.
    pub(crate) fn edit_each(&mut self, edit: &mut dyn FnMut(&mut Self) -> bool) -> bool {
        let held = self.held_graphs();
        let numbers: HashMap<*const Self, usize> =
            held.iter().enumerate().map(|(number, held)| (Arc::as_ptr(held.module), number)).collect();
        drop(held);
        // Taken apart from the outside, so that a child that nobody else holds is edited and not copied.
        let hole = Arc::new(Self::from_parts(Graph::new(""), Attributes::new()));
        let mut taken: Vec<Option<Arc<Self>>> = vec![None; numbers.len()];
        let root_places = take_children(self, &numbers, &hole, &mut taken);
        let mut parts: Vec<Part> = Vec::with_capacity(taken.len());
        for number in 0..taken.len() {
            let Some(module) = taken[number].take() else { continue };
            let (mut module, original) = match Arc::try_unwrap(module) {
                Ok(module) => (module, None),
                Err(shared) => (Self::clone(&shared), Some(shared)),
            };
            let places = take_children(&mut module, &numbers, &hole, &mut taken);
            parts.push(Part { module, original, places });
        }
        let mut panic = None;
        let mut edited = |module: &mut Self| {
            panic.is_none()
                && catch_unwind(AssertUnwindSafe(|| edit(module))).unwrap_or_else(|payload| {
                    panic = Some(payload);
                    true
                })
        };
        // Each with whether something was changed in it; from the last number on.
        let mut done: Vec<(Arc<Self>, bool)> = Vec::with_capacity(parts.len());
        let count = parts.len();
        let put_back = |module: &mut Self, places: &[(usize, usize)], done: &[(Arc<Self>, bool)]| {
            let mut changed = false;
            for &(place, number) in places {
                let (child, is_changed) = &done[count - 1 - number];
                changed |= is_changed;
                if let Some(Attribute::Module(held)) = module.attributes_mut().at_mut(place) {
                    *held = child.clone();
                }
            }
            changed
        };
        while let Some(Part { mut module, original, places }) = parts.pop() {
            let mut changed = put_back(&mut module, &places, &done);
            changed |= edited(&mut module);
            done.push(match original {
                Some(original) if !changed => (original, false),
                _ => (Arc::new(module), changed),
            });
        }
        let mut changed = put_back(self, &root_places, &done);
        changed |= edited(self);
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
        changed
    }

    /// A clone whose edits the hooks of its graphs are told of, those of child graphs too: to be worked on, and then to
    /// take its place. Hooks of a child that others hold too stay with that.
    pub(crate) fn clone_with_hooks(&self) -> Self {
        let hooked = self.hooked();
        let mut clone = self.clone();
        self.share_hooks(&hooked, &mut clone);
        clone
    }

    /// Has the hooks of its graphs told of those of another module from now on: one of the same child graphs, that takes
    /// its place. Hooks of a child that others hold too stay with that.
    pub(super) fn share_all_hooks_with(&self, other: &mut Self) {
        self.share_hooks(&self.hooked(), other);
    }

    /// Which child graphs have hooks and are held by this module only; numbers as in [`GraphModule::held_graphs`].
    fn hooked(&self) -> Vec<bool> {
        let held = self.held_graphs();
        if held.iter().all(|held| !held.module.graph().has_hooks()) {
            return Vec::new();
        }
        // Plans hold the graphs that they are of, too.
        self.plan.clear();
        held.iter().for_each(|held| held.module.plan.clear());
        let mut places: HashMap<*const Self, usize> = HashMap::new();
        let mut count = |attributes| {
            modules_in(attributes).for_each(|(_, child)| *places.entry(Arc::as_ptr(child)).or_default() += 1);
        };
        count(self.attributes());
        held.iter().for_each(|held| count(held.module.attributes()));
        // What is inside of a child that others hold is theirs as well.
        let mut shared: HashSet<*const Self> = HashSet::new();
        let mut hooked = Vec::with_capacity(held.len());
        for Held { module, .. } in &held {
            let at = Arc::as_ptr(module);
            if shared.contains(&at) || Arc::strong_count(module) > places[&at] {
                shared.extend(modules_in(module.attributes()).map(|(_, child)| Arc::as_ptr(child)));
                hooked.push(false);
            } else {
                hooked.push(module.graph().has_hooks());
            }
        }
        hooked
    }

    fn share_hooks(&self, hooked: &[bool], other: &mut Self) {
        if self.graph().has_hooks() {
            self.graph().share_hooks_with(other.graph_mut());
        }
        if !hooked.contains(&true) {
            return;
        }
        let mut originals = self.graphs_to_edit().zip(hooked.iter().rev());
        other.edit_each(&mut |module| match originals.next() {
            Some((original, true)) => {
                original.share_hooks_with(module.graph_mut());
                true
            }
            _ => false,
        });
    }

    /// The child graphs, each once, in the order in which [`GraphModule::edit_each`] comes to them.
    pub(crate) fn graphs_to_edit(&self) -> impl Iterator<Item = &Graph> {
        self.held_graphs().into_iter().rev().map(|held| held.module.graph())
    }
}

fn modules_in(attributes: &Attributes) -> impl Iterator<Item = (&ModulePath, &Arc<GraphModule>)> {
    attributes.iter().filter_map(|(path, attribute)| match attribute {
        Attribute::Module(child) => Some((path, child)),
        _ => None,
    })
}

/// Takes the children out of a graph, and says where they were.
fn take_children(
    module: &mut GraphModule,
    numbers: &HashMap<*const GraphModule, usize>,
    hole: &Arc<GraphModule>,
    taken: &mut [Option<Arc<GraphModule>>],
) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (place, (_, attribute)) in module.attributes_mut().iter_mut().enumerate() {
        if let Attribute::Module(held) = attribute
            && let Some(&number) = numbers.get(&Arc::as_ptr(held))
        {
            let child = std::mem::replace(held, hole.clone());
            taken[number].get_or_insert(child);
            places.push((place, number));
        }
    }
    places
}
