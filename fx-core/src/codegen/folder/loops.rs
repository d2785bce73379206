//! [`Loop`]: rounds of the same items, each on the next element of a list and on what the round before made.
//!
//! Invariant: a loop computes what its rounds compute one by one, and holds no memory longer.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use super::super::format::TAB;
use super::super::place::Place;
use super::super::source::Statement;
use super::bind::block;
use super::body::{Bodies, Writer};
use super::flow::Input;
use super::holder::Member;
use super::naming::one_of;
use super::pieces::piece;
use super::program::value_type;
use super::region::{Item, LONGEST_ROUND};
use super::slots::{Step, Way};
use super::unit::Unit;
use super::words::Fresh;
use crate::ir::{ModulePath, NodeId, Target};

/// Rounds of the same items.
pub(super) struct Loop {
    /// All items of all rounds.
    pub(super) items: Range<usize>,
    /// How many a round has.
    pub(super) period: usize,
    /// What the first round is on.
    pub(super) initial: NodeId,
    /// What the first round makes for the next.
    pub(super) made: NodeId,
    /// What the last round makes.
    pub(super) result: NodeId,
    /// Whether what the first round is on is read by nothing after the loop, and becomes its variable.
    pub(super) takes_over: bool,
    /// What the elements of the lists are called that it goes through, with the list and its first element.
    pub(super) elements: Vec<(usize, usize, Ident)>,
}

impl Loop {
    pub(super) fn rounds(&self) -> usize {
        self.items.len() / self.period
    }

    /// The items of the first round.
    pub(super) fn first(&self) -> Range<usize> {
        self.items.start..self.items.start + self.period
    }
}

/// What is known of the rounds so far.
struct Rounds<'u> {
    unit: &'u Unit<'u>,
    items: &'u [Item],
    start: usize,
    period: usize,
    /// The round that made each value, and what the first round made in its place.
    made: HashMap<NodeId, (usize, NodeId)>,
    /// What the first round is on, and what it makes for the next.
    carried: Option<(NodeId, NodeId)>,
    /// What every round reads.
    shared: HashSet<NodeId>,
}

impl Bodies<'_> {
    /// The loops of a region. `last_items` are the items that read each value last, `inlined` those that are written into the
    /// next.
    pub(super) fn loops(
        &self,
        at: (usize, usize),
        last_items: &HashMap<NodeId, usize>,
        inlined: &[bool],
        fresh: &mut Fresh,
    ) -> Vec<Loop> {
        let (count, mut found, mut start) = (inlined.len(), Vec::new(), 0);
        while start < count {
            match self.loop_from(at, last_items, inlined, start) {
                Some(mut next) => {
                    start = next.items.end;
                    next.elements = self.elements(at, &next, fresh);
                    found.push(next);
                }
                None => start += 1,
            }
        }
        found
    }

    /// The list and the place in it of what an item calls, if that is an element of a list.
    pub(super) fn element(&self, (number, region): (usize, usize), item: Item) -> Option<(usize, usize)> {
        let unit = &self.program.units[number];
        let holder = unit.holders.of(&unit.region(region).path);
        let called = match item {
            Item::Call(inner) => Member::Holder(unit.holders.of(&unit.region(inner).path)),
            Item::Step(id) => match unit.graph().node(id).target() {
                Target::CallModule(path) => Member::Leaf(path.clone()),
                _ => return None,
            },
        };
        match unit.holders.way(holder, &called)?.as_slice() {
            [member] => self.naming.element(self.program, number, holder, member),
            _ => None,
        }
    }

    /// What the value is called that goes round in a loop: as the function that is called calls it.
    pub(super) fn passed_on(&self, number: usize, unit: &Unit<'_>, item: Item) -> String {
        let Item::Call(inner) = item else { return "x".to_owned() };
        let ty = self.program.type_of[number][unit.holders.of(&unit.region(inner).path)];
        let parameters = &self.naming.types[ty].functions[&self.program.function_of[number][inner]].parameters;
        let values = unit.flow.inputs[inner].iter().zip(parameters);
        let mut values = values.filter(|(input, _)| matches!(input, Input::Value(_)));
        values.next().map_or_else(|| "x".to_owned(), |(_, name)| name.to_string().trim_start_matches("r#").to_owned())
    }

    /// The lists that a loop goes through.
    fn elements(&self, at: (usize, usize), of: &Loop, fresh: &mut Fresh) -> Vec<(usize, usize, Ident)> {
        let unit = &self.program.units[at.0];
        let ty = self.program.type_of[at.0][unit.holders.of(&unit.region(at.1).path)];
        let mut found = Vec::<(usize, usize, Ident)>::new();
        for item in &unit.region(at.1).items[of.first()] {
            if let Some((list, first)) = self.element(at, *item)
                && !found.iter().any(|(known, ..)| *known == list)
            {
                let name = one_of(&self.naming.types[ty].fields[list].name.to_string());
                found.push((list, first, fresh.take(&name)));
            }
        }
        found
    }

    fn loop_from(
        &self,
        at: (usize, usize),
        last_items: &HashMap<NodeId, usize>,
        inlined: &[bool],
        start: usize,
    ) -> Option<Loop> {
        let unit = &self.program.units[at.0];
        let items = &unit.region(at.1).items;
        let (list, first) = self.element(at, items[start])?;
        let is_next = |period: &usize| {
            items.get(start + period).is_some_and(|item| self.element(at, *item) == Some((list, first + 1)))
        };
        let period = (1..=LONGEST_ROUND).find(is_next)?;
        let mut firsts: HashMap<usize, usize> = HashMap::new();
        let elements = items[start..start + period].iter().filter_map(|item| self.element(at, *item));
        if !elements.into_iter().all(|(list, element)| *firsts.entry(list).or_insert(element) == element) {
            return None;
        }
        let has_steps = items[start..start + period].iter().any(|item| matches!(item, Item::Step(_)));
        if self.explain && has_steps {
            // An error names one node.
            return None;
        }
        let (made, shared) = (HashMap::new(), HashSet::new());
        let mut rounds = Rounds { unit, items, start, period, made, carried: None, shared };
        rounds.add(0);
        let mut count = 1;
        while start + (count + 1) * period <= items.len() {
            let is_like = (0..period).all(|k| {
                let (base, item) = (start + k, start + count * period + k);
                let next = |(list, element)| (list, element + count);
                inlined[base] == inlined[item]
                    && self.element(at, items[base]).map(next) == self.element(at, items[item])
                    && self.are_alike(at.0, items[base], items[item], count)
                    && rounds.reads_as_base(base, item, count)
            });
            if !is_like || !rounds.is_left(count - 1, last_items) {
                break;
            }
            rounds.add(count);
            count += 1;
            if count == 2 && !rounds.is_chain() {
                return None;
            }
        }
        // What the last makes besides must not be read after it.
        while count > 1 && !rounds.is_over(count - 1, last_items) {
            count -= 1;
        }
        let (initial, made) = rounds.carried.filter(|_| count > 1)?;
        let place = (start..start + period).find_map(|item| {
            let position = unit.made(items[item]).iter().position(|id| *id == made)?;
            Some((item, position))
        });
        let (item, position) = place?;
        let result = unit.made(items[item + (count - 1) * period])[position];
        let items = start..start + count * period;
        let takes_over = last_items.get(&initial).is_some_and(|last| items.contains(last));
        Some(Loop { items, period, initial, made, result, takes_over, elements: Vec::new() })
    }

    /// Whether an item of a round does what that of the first does, but for what it reads and which elements of lists it calls.
    fn are_alike(&self, number: usize, base: Item, item: Item, round: usize) -> bool {
        let unit = &self.program.units[number];
        match (base, item) {
            (Item::Call(base), Item::Call(item)) => {
                let (old, new) = (&unit.flow.inputs[base], &unit.flow.inputs[item]);
                let holder = |region: usize| unit.holders.of(&unit.region(region).path);
                let type_of = |region| self.program.type_of[number][holder(region)];
                self.program.function_of[number][base] == self.program.function_of[number][item]
                    && type_of(base) == type_of(item)
                    && old.len() == new.len()
                    && old.iter().zip(new).all(|(old, new)| match (old, new) {
                        (Input::Value(_), Input::Value(_)) => true,
                        (Input::State(old), Input::State(new)) => is_further(old, new, round),
                        (old, new) => old == new,
                    })
            }
            (Item::Step(base), Item::Step(item)) => {
                let (old, new) = (unit.graph().node(base), unit.graph().node(item));
                let is_same = match (old.target(), new.target()) {
                    // Which element it is was asked before.
                    (Target::CallModule(_), Target::CallModule(_)) => true,
                    (old, new) => old == new,
                };
                let shapes = old
                    .arguments()
                    .zip(new.arguments())
                    .all(|(old, new)| old.map_nodes(&mut |_| base) == new.map_nodes(&mut |_| base));
                let types = value_type(unit, base) == value_type(unit, item);
                is_same
                    && types
                    && shapes
                    && old.args().len() == new.args().len()
                    && old.kwargs().len() == new.kwargs().len()
            }
            _ => false,
        }
    }
}

impl Rounds<'_> {
    /// Notes what a round makes.
    fn add(&mut self, round: usize) {
        for k in 0..self.period {
            let base = self.unit.made(self.items[self.start + k]);
            let made = self.unit.made(self.items[self.start + round * self.period + k]);
            self.made.extend(made.into_iter().zip(base).map(|(made, base)| (made, (round, base))));
        }
    }

    /// The values that an item reads, in order.
    fn reads(&self, item: usize) -> Vec<NodeId> {
        match self.items[item] {
            Item::Step(id) => {
                let mut reads = Vec::new();
                let arguments = self.unit.graph().node(id).arguments();
                arguments.for_each(|argument| argument.for_each_node(&mut |id| reads.push(id)));
                reads
            }
            Item::Call(inner) => {
                let inputs = self.unit.flow.inputs[inner].iter();
                let values = inputs.filter_map(|input| match input {
                    Input::Value(id) => Some(*id),
                    _ => None,
                });
                values.collect()
            }
        }
    }

    /// Whether an item of a round reads what that of the first round reads, in its own round or of the round before.
    fn reads_as_base(&mut self, base: usize, item: usize, round: usize) -> bool {
        // What the round itself has made so far is not noted yet.
        let own: HashMap<NodeId, NodeId> = (self.start + round * self.period..item)
            .zip(self.start..)
            .flat_map(|(item, base)| self.unit.made(self.items[item]).into_iter().zip(self.unit.made(self.items[base])))
            .collect();
        let (old, new) = (self.reads(base), self.reads(item));
        old.len() == new.len()
            && old.into_iter().zip(new).all(|(old, new)| {
                if let Some(place) = own.get(&new) {
                    return *place == old;
                }
                match self.made.get(&new) {
                    Some((before, place)) if *before + 1 == round && !self.made.contains_key(&old) => {
                        *self.carried.get_or_insert((old, *place)) == (old, *place)
                    }
                    Some(_) => false,
                    None => {
                        self.shared.insert(old);
                        let is_carried = self.carried.is_some_and(|(initial, _)| initial == old);
                        !is_carried && (old == new || self.is_same_attribute(old, new))
                    }
                }
            })
    }

    fn is_same_attribute(&self, one: NodeId, other: NodeId) -> bool {
        let graph = self.unit.graph();
        let target = |id| match graph.node(id).target() {
            Target::GetAttr(path) => Some(path),
            _ => None,
        };
        target(one).is_some_and(|path| Some(path) == target(other))
    }

    /// Whether the first two rounds are a chain: one value goes from the first to the second, nothing else reads what the
    /// first is on, and nobody reads that after its successor is made by itself.
    fn is_chain(&self) -> bool {
        let Some((initial, made)) = self.carried else { return false };
        let round = self.start..self.start + self.period;
        let Some(maker) = round.clone().find(|item| self.unit.made(self.items[*item]).contains(&made)) else {
            return false;
        };
        let is_alone = self.unit.made(self.items[maker]).len() == 1;
        let is_read_later = (maker + 1..round.end).any(|item| self.reads(item).contains(&initial));
        let is_held = matches!(self.unit.graph().node(initial).target(), Target::GetAttr(_));
        is_alone && !is_held && !is_read_later && !self.shared.contains(&initial)
    }

    /// Whether what a round made is read in it and the next alone, and by the next only what is handed on.
    fn is_left(&self, round: usize, last_items: &HashMap<NodeId, usize>) -> bool {
        self.is_within(round, last_items, self.start + (round + 2) * self.period)
    }

    /// Whether what a round made is read in it alone, but for what is handed on.
    fn is_over(&self, round: usize, last_items: &HashMap<NodeId, usize>) -> bool {
        self.is_within(round, last_items, usize::MAX)
    }

    fn is_within(&self, round: usize, last_items: &HashMap<NodeId, usize>, handed_on: usize) -> bool {
        let end = self.start + (round + 1) * self.period;
        let carried = self.carried.map(|(_, made)| made);
        (0..self.period).all(|k| {
            let base = self.unit.made(self.items[self.start + k]);
            let made = self.unit.made(self.items[self.start + round * self.period + k]);
            made.into_iter().zip(base).all(|(id, base)| match last_items.get(&id) {
                None => true,
                Some(last) if Some(base) == carried => *last < handed_on || handed_on == usize::MAX,
                Some(last) => *last < end,
            })
        })
    }
}

/// A list that a loop goes through, by the name of an element in the loop.
struct Through {
    elements: TokenStream,
    name: Ident,
}

impl Writer<'_, '_> {
    /// Writes a loop.
    pub(super) fn write_loop(&mut self, of: &Loop) {
        let unit = self.unit;
        let items = &unit.region(self.region).items;
        let (name, node) = (self.view.names.of(of.made), self.node_of(of.items.start));
        let (from, is_reference) = (self.view.names.of(of.initial), self.view.names.is_reference(of.initial));
        if of.takes_over && !is_reference {
            self.last_items.remove(&of.initial);
        } else {
            self.push(node, &format!("let mut {name} ="), &quote!(#from.clone()), ";");
        }
        let modules = self.view.modules.clone();
        let (lists, places) = self.lists(of);
        let pieces = self.pieces(of);
        let Some((Through { elements, name: first }, others)) = lists.split_first() else { return };
        let others = others.iter().map(|Through { elements, name }| (quote!(&#elements), name));
        let others = others.chain(pieces.iter().map(|(_, Through { elements, name })| (elements.clone(), name)));
        let others: Vec<(TokenStream, &Ident)> = others.collect();
        let head = if others.is_empty() { quote!(&#elements) } else { quote!(#elements.iter()) };
        let (head, pattern) =
            others.into_iter().fold((head, first.to_string()), |(head, pattern), (elements, name)| {
                (quote!(#head.zip(#elements)), format!("({pattern}, {name})"))
            });
        let state: Vec<_> = pieces.into_iter().map(|(way, through)| (way, lent(&through.name))).collect();
        let handed = state.len();
        self.view.state.splice(0..0, state);
        self.view.names.give(of.initial, name, false);
        let outer = std::mem::take(&mut self.statements);
        (self.indent, self.assigned) = (self.indent + TAB, Some(of.made));
        let mut start = of.items.start;
        for i in of.first() {
            if self.write_inlined(i) {
                continue;
            }
            self.write_item(items[i]);
            // What is left goes with the round.
            if i + 1 < of.first().end {
                self.drop_after(start..i + 1);
            }
            start = i + 1;
        }
        (self.indent, self.assigned) = (self.indent - TAB, None);
        let body = std::mem::replace(&mut self.statements, outer);
        self.view.names.give(of.initial, from, is_reference);
        self.view.state.drain(..handed);
        self.view.modules = modules;
        places.into_iter().for_each(|(path, place)| self.view.places.give(path, place));
        for item in &items[of.items.clone()] {
            for id in unit.made(*item).into_iter().filter(|id| *id != of.result) {
                self.last_items.remove(&id);
            }
        }
        let lines = body.iter().flat_map(|statement| statement.code.lines());
        let body: String = lines.map(|line| format!("    {line}\n")).collect();
        let code = format!("{}\n{body}}}", block(&format!("for {pattern} in"), &head, self.indent));
        self.statements.push(Statement { node, code });
    }

    /// The lists of the struct that a loop goes through, whose elements have names from here on; and where the layers were that
    /// now do.
    fn lists(&mut self, of: &Loop) -> (Vec<Through>, Vec<(ModulePath, Place)>) {
        let (unit, at) = (self.unit, (self.unit_number, self.region));
        let ty = self.bodies.program.type_of[at.0][unit.holders.of(&unit.region(at.1).path)];
        let through = of.elements.iter().map(|(list, first, name)| {
            let list = &self.bodies.naming.types[ty].fields[*list];
            let (field, len) = (&list.name, list.members.len());
            Through { elements: part(quote!(self.#field), *first, of.rounds(), len), name: name.clone() }
        });
        let (through, mut places) = (through.collect(), Vec::new());
        for item in &unit.region(at.1).items[of.first()] {
            let Some((list, _)) = self.bodies.element(at, *item) else { continue };
            let Some((.., name)) = of.elements.iter().find(|(known, ..)| *known == list) else { continue };
            match item {
                Item::Call(inner) => {
                    self.view.modules.insert(unit.holders.of(&unit.region(*inner).path), lent(name));
                }
                Item::Step(id) => {
                    let Target::CallModule(path) = unit.graph().node(*id).target() else { continue };
                    let (tokens, is_reference) = (self.view.places.of(path), self.view.places.is_lent(path));
                    places.push((path.clone(), Place { tokens, is_reference }));
                    self.view.places.give(path.clone(), lent(name));
                }
            }
        }
        (through, places)
    }

    /// The pieces of the state that the calls of a loop are handed: the element that the first round is on, and its list.
    fn pieces(&mut self, of: &Loop) -> Vec<(Way, Through)> {
        let (unit, mut found) = (self.unit, Vec::<(Way, Through)>::new());
        let (Some(slots), items) = (&unit.slots, &unit.region(self.region).items) else { return found };
        let calls = of.first().filter_map(|i| match (items[i], items[i + of.period]) {
            (Item::Call(first), Item::Call(second)) => Some((first, second)),
            _ => None,
        });
        let inputs = calls.flat_map(|(first, second)| unit.flow.inputs[first].iter().zip(&unit.flow.inputs[second]));
        for (input, next) in inputs {
            let (Input::State(way), Input::State(next)) = (input, next) else { continue };
            let Some(at) = way.iter().zip(next).position(|(one, other)| one != other) else { continue };
            let (element, Step::Element(first)) = (&way[..=at], &way[at]) else { continue };
            if found.iter().any(|(known, _)| known == element) {
                continue;
            }
            let Place { tokens, is_reference } = piece(&self.view.state, &way[..at]);
            let count = slots.count(&way[..at]);
            let is_whole = (*first, of.rounds()) == (0, count);
            let list = part(tokens, *first, of.rounds(), count);
            let elements = if is_whole && is_reference { quote!(#list.iter_mut()) } else { quote!(&mut #list) };
            // Inside of the loop, one of its pieces is the state.
            let word = slots.word(element);
            let name = match &self.copy {
                Some(copy) if *copy == word => copy.clone(),
                _ => self.fresh.take(&word),
            };
            found.push((element.to_vec(), Through { elements, name }));
        }
        found
    }
}

/// The elements of a list that a loop goes through.
fn part(list: TokenStream, first: usize, rounds: usize, len: usize) -> TokenStream {
    if (first, rounds) == (0, len) {
        return list;
    }
    let (from, to) = (Literal::usize_unsuffixed(first), Literal::usize_unsuffixed(first + rounds));
    quote!(#list[#from..#to])
}

/// Where a name is that of a reference.
fn lent(name: &Ident) -> Place {
    Place { tokens: name.to_token_stream(), is_reference: true }
}

/// Whether a piece of the state is of an element so many further in the same list.
fn is_further(base: &[Step], next: &[Step], by: usize) -> bool {
    let mut differing = base.iter().zip(next).filter(|(one, other)| one != other);
    let is_element = match differing.next() {
        Some((Step::Element(base), Step::Element(next))) => *next == *base + by,
        _ => false,
    };
    is_element && differing.next().is_none() && base.len() == next.len()
}
