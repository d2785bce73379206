//! [`Names`]: the names of nodes, given by the rules of torch.fx's namespace carried over to Rust.
//!
//! A candidate that is free is taken as it is. Otherwise a number is counted up: `relu`, `relu_1`, `relu_2`. What Rust
//! does not allow as the name of a variable is made legal (`foo.bar` → `foo_bar`, `3d` → `_3d`) or numbered (`type` →
//! `type_1`). Counters never go back, so that giving a name takes constant time whatever names came before.
//!
//! Invariant: every name given is a legal Rust identifier, can be the name of a variable, and is given once: the name
//! of an erased node stays taken.

use std::borrow::Cow;
use std::collections::HashMap;

use indexmap::IndexMap;
use indexmap::map::raw_entry_v1::{RawEntryApiV1, RawEntryMut};
use smol_str::SmolStr;

use super::identifier::{is_reserved, legal};
use super::node::NodeId;
use super::target::Target;
use crate::ops::OpRef;

/// A number of more digits is part of the name.
const MOST_DIGITS: usize = 9;
const LARGEST: u32 = 999_999_999;
/// Numbers up to this are kept in a list whatever others there are.
const FEW: usize = 64;

/// Names are kept by what stands before their number, `relu` for `relu_7`, and then by the number. So the many names of
/// one base take a few bytes each, and finding one touches little memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    bases: IndexMap<SmolStr, Base, foldhash::fast::RandomState>,
    /// What calls of each operation ask for, because most nodes are calls of few operations.
    of_ops: HashMap<OpRef, Wish, foldhash::fast::RandomState>,
    text: String,
}

/// What a candidate asks for.
#[derive(Debug, Clone, Copy)]
struct Wish {
    /// The base whose numbers are counted where the candidate itself cannot be given.
    base: usize,
    /// The number in the candidate; 0 where there is none.
    number: u32,
    first: First,
}

/// What is tried first.
#[derive(Debug, Clone, Copy)]
enum First {
    /// This text, as it is.
    Text(usize),
    /// The number of the base.
    Number,
    /// Nothing: the candidate cannot be the name of a variable.
    Nothing,
}

/// A text that is a name, or names without their number.
#[derive(Debug, Clone, Default)]
struct Base {
    /// Of the text itself as a name.
    own: Slot,
    /// How far its numbers are counted.
    counter: u32,
    numbered: Option<Box<Numbered>>,
}

/// Who has a name. What is not free was given once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Slot {
    #[default]
    Free,
    Released,
    Owned(NodeId),
}

/// The names of one base, by number.
#[derive(Debug, Clone, Default)]
struct Numbered {
    /// Of the numbers from 0 on; about as many as were given.
    first: Vec<Slot>,
    /// How many of the first are not free.
    taken: usize,
    /// Of large numbers that were given when there were few.
    others: HashMap<u32, Slot>,
}

impl Slot {
    fn owner(self) -> Option<NodeId> {
        match self {
            Self::Owned(id) => Some(id),
            Self::Free | Self::Released => None,
        }
    }

    /// Takes a name if it is free.
    fn take(&mut self, owner: NodeId) -> bool {
        let is_free = *self == Self::Free;
        if is_free {
            *self = Self::Owned(owner);
        }
        is_free
    }
}

impl Numbered {
    fn get(&self, number: u32) -> Slot {
        let first = || self.first.get(number as usize).copied().unwrap_or_default();
        if self.others.is_empty() { first() } else { self.others.get(&number).copied().unwrap_or_else(first) }
    }

    fn take(&mut self, number: u32, owner: NodeId) -> bool {
        let index = number as usize;
        if !self.others.is_empty() && self.others.contains_key(&number) {
            return false;
        }
        if index >= self.first.len() {
            if index >= 2 * self.taken + FEW {
                self.others.insert(number, Slot::Owned(owner));
                return true;
            }
            self.first.resize(index + 1, Slot::Free);
        }
        let took = self.first[index].take(owner);
        self.taken += usize::from(took);
        took
    }

    fn release(&mut self, number: u32) {
        if let Some(slot) = self.others.get_mut(&number) {
            *slot = Slot::Released;
        } else if let Some(slot) = self.first.get_mut(number as usize) {
            *slot = Slot::Released;
        }
    }
}

impl Names {
    /// Gives `owner` a name that is as close to the candidate as can be.
    pub(super) fn give(&mut self, candidate: &str, owner: NodeId) -> SmolStr {
        let candidate = legal(candidate);
        let wish = self.wish(&candidate);
        self.grant(wish, Some(&candidate), owner)
    }

    /// Gives `owner` a name after what it does.
    pub(super) fn give_after(&mut self, target: &Target, owner: NodeId) -> SmolStr {
        let Some(op) = target.operation() else { return self.give(&candidate(target), owner) };
        let wish = match self.of_ops.get(op) {
            Some(wish) => *wish,
            None => {
                let wish = self.wish(&legal(&candidate(target)));
                *self.of_ops.entry(op).or_insert(wish)
            }
        };
        self.grant(wish, None, owner)
    }

    /// What a legal candidate asks for.
    fn wish(&mut self, candidate: &str) -> Wish {
        let (base, number) = split(candidate);
        let first = match number {
            Some(number) if is_plain(candidate, base, number) => First::Number,
            Some(_) => First::Text(self.index(candidate)),
            None if is_reserved(base) => First::Nothing,
            None => First::Text(self.index(base)),
        };
        Wish { base: self.index(base), number: number.unwrap_or(0), first }
    }

    fn grant(&mut self, wish: Wish, candidate: Option<&str>, owner: NodeId) -> SmolStr {
        let Wish { base, number, first } = wish;
        let first = match first {
            First::Text(index) => self.take(index, owner),
            First::Number if self.take_number(base, number, owner) => {
                Some(candidate.map_or_else(|| self.numbered(base, number), SmolStr::new))
            }
            First::Number | First::Nothing => None,
        };
        let counter = self.bases[base].counter;
        let (name, counter) = match first {
            Some(name) => (name, counter.max(number)),
            None => self.count_on(base, counter, owner),
        };
        self.bases[base].counter = counter;
        name
    }

    /// Takes the next number of a base that is free, and says which it is.
    fn count_on(&mut self, base: usize, mut number: u32, owner: NodeId) -> (SmolStr, u32) {
        loop {
            number += 1;
            if number > LARGEST {
                // Somebody asked for the last number there is: from now on it is a part of the name.
                let text = self.numbered(base, number);
                let index = self.index(&text);
                if let Some(name) = self.take(index, owner) {
                    return (name, number);
                }
            } else if self.take_number(base, number, owner) {
                return (self.numbered(base, number), number);
            }
        }
    }

    /// The node with this name.
    pub(super) fn owner(&self, name: &str) -> Option<NodeId> {
        match split(name) {
            (base, Some(number)) if is_plain(name, base, number) => {
                self.bases.get(base)?.numbered.as_ref()?.get(number).owner()
            }
            _ => self.bases.get(name)?.own.owner(),
        }
    }

    /// The node is gone or has another name; its old one stays taken.
    pub(super) fn release(&mut self, name: &str) {
        match split(name) {
            (base, Some(number)) if is_plain(name, base, number) => {
                if let Some(Base { numbered: Some(numbered), .. }) = self.bases.get_mut(base) {
                    numbered.release(number);
                }
            }
            _ => {
                if let Some(base) = self.bases.get_mut(name) {
                    base.own = Slot::Released;
                }
            }
        }
    }

    /// Takes a name as a text of its own, if it is free.
    fn take(&mut self, index: usize, owner: NodeId) -> Option<SmolStr> {
        let (text, base) = self.bases.get_index_mut(index)?;
        base.own.take(owner).then(|| text.clone())
    }

    /// Takes a number of a base, if it is free.
    fn take_number(&mut self, base: usize, number: u32, owner: NodeId) -> bool {
        self.bases[base].numbered.get_or_insert_default().take(number, owner)
    }

    /// The name of a base and a number.
    fn numbered(&mut self, base: usize, number: u32) -> SmolStr {
        let Self { bases, text, .. } = self;
        text.clear();
        text.push_str(bases.get_index(base).map_or("", |(base, _)| base));
        text.push('_');
        push_number(text, number);
        SmolStr::new(text)
    }

    /// Where a text is in the table; it is put there if need be.
    fn index(&mut self, text: &str) -> usize {
        match self.bases.raw_entry_mut_v1().from_key(text) {
            RawEntryMut::Occupied(entry) => entry.index(),
            RawEntryMut::Vacant(entry) => {
                let index = entry.index();
                entry.insert(text.into(), Base::default());
                index
            }
        }
    }
}

/// Appends a number in decimal digits.
fn push_number(text: &mut String, number: u32) {
    let mut digits = [0; 10];
    let mut left = number;
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    text.push_str(std::str::from_utf8(&digits[start..]).unwrap_or_default());
}

/// What a node is called unless it is given a name: after its target, in snake case and without the underscores around
/// a name like `__init__`.
fn candidate(target: &Target) -> Cow<'_, str> {
    let name = match target {
        Target::Placeholder(name) => name,
        Target::GetAttr(path) | Target::CallModule(path) => path.as_str(),
        // Its last segment; a search for one character is faster than one for `::`.
        Target::CallFunction(op) | Target::CallMethod(op) => op.name.rsplit(':').next().unwrap_or(op.name),
        Target::Output => "output",
    };
    let inner = name.strip_prefix("__").and_then(|name| name.strip_suffix("__"));
    snake_case(inner.filter(|inner| !inner.is_empty()).unwrap_or(name))
}

/// torch.fx's snake case: an underscore only between a small and a capital letter. `PascalCase` → `pascal_case`,
/// `Conv2D` → `conv2d`.
fn snake_case(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().fold(false, |any, byte| any | byte.is_ascii_uppercase()) {
        return text.into();
    }
    let mut snake = String::with_capacity(text.len() + 4);
    let mut after_small = false;
    for c in text.chars() {
        if after_small && c.is_ascii_uppercase() {
            snake.push('_');
        }
        after_small = c.is_ascii_lowercase();
        snake.extend(c.to_lowercase());
    }
    snake.into()
}

/// `add_5` is `add` and 5.
fn split(name: &str) -> (&str, Option<u32>) {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name[base.len()..];
    match base.strip_suffix('_') {
        Some(base) if (1..=MOST_DIGITS).contains(&digits.len()) => (base, digits.parse().ok()),
        _ => (name, None),
    }
}

/// Whether a name is its base and its number without zeros before it: `x_7`, not `x_007`, which is another name.
fn is_plain(name: &str, base: &str, number: u32) -> bool {
    let digits = &name[base.len() + 1..];
    number == 0 && digits.len() == 1 || !digits.starts_with('0')
}

#[cfg(test)]
mod tests {
    use super::super::is_legal_name;
    use super::*;
    use crate::entity::EntityRef;

    fn check(table: &[(&str, &str)]) {
        let mut names = Names::default();
        for (i, (candidate, expected)) in table.iter().enumerate() {
            let name = names.give(candidate, NodeId::new(i));
            assert_eq!(&*name, *expected, "for {candidate:?}, row {i}");
            assert!(is_legal_name(&name));
            assert_eq!(names.owner(&name), Some(NodeId::new(i)));
        }
    }

    /// torch.fx's own table, with Rust's keywords in place of Python's.
    #[test]
    fn names_are_given_as_torch_fx_gives_them() {
        check(&[
            ("relu", "relu"),
            ("relu", "relu_1"),
            ("relu_1", "relu_2"),
            ("match", "match_1"),
            ("type", "type_1"),
            ("PascalCase", "PascalCase"),
            ("ALL_CAPS", "ALL_CAPS"),
            ("Conv2D", "Conv2D"),
            ("foo.bar", "foo_bar"),
            ("3d", "_3d"),
            ("a-b", "a_b"),
            ("relu", "relu_3"),
            ("add_5", "add_5"),
            ("add", "add"),
            ("add", "add_6"),
            ("struct", "struct_1"),
            ("struct", "struct_2"),
            ("class", "class"),
            ("None", "None_1"),
        ]);
    }

    #[test]
    fn hard_candidates() {
        check(&[
            ("", "_unnamed"),
            ("", "_unnamed_1"),
            ("_", "__1"),
            ("..", "__2"),
            ("self", "self_1"),
            ("Self", "Self_1"),
            ("r#type", "r_type"),
            ("größe", "größe"),
            ("größe", "größe_1"),
            // Rust compares identifiers by their composed form.
            ("e\u{301}", "é"),
            ("\u{e9}", "é_1"),
            ("\u{212b}", "Å"),
            ("重み.0", "重み_0"),
            ("a🦀🦀b", "a_b"),
            ("a_--_b", "a___b"),
            ("--4--", "_4_"),
            ("-.-", "__3"),
            ("_1", "_1"),
            ("_1", "_2"),
            ("x_007", "x_007"),
            ("x_007", "x_8"),
            ("x_99999999999999999999", "x_99999999999999999999"),
            ("x_99999999999999999999", "x_99999999999999999999_1"),
            ("foo_1_1", "foo_1_1"),
            ("foo_1", "foo_1"),
            ("foo_1", "foo_2"),
            ("foo_1_1", "foo_1_2"),
            ("y_0", "y_0"),
            ("y_00", "y_00"),
            ("y_0", "y_1"),
            ("y_00", "y_2"),
            ("z_999999999", "z_999999999"),
            ("z", "z"),
            ("z", "z_1000000000"),
            ("z_1000000000", "z_1000000000_1"),
            ("z", "z_1000000001"),
            ("w_5000", "w_5000"),
            ("w_4999", "w_4999"),
            ("w_5000", "w_5001"),
            ("w_5001", "w_5002"),
        ]);
    }

    #[test]
    fn targets_are_snake_cased() {
        for (target, expected) in [
            ("PascalCase", "pascal_case"),
            ("ALL_CAPS", "all_caps"),
            ("Conv2D", "conv2d"),
            ("encoder.layers.0", "encoder.layers.0"),
            ("layerNorm.HTTPServer", "layer_norm.httpserver"),
            ("__getitem__", "getitem"),
            ("____", "____"),
            ("__a", "__a"),
            ("fooÄBar", "fooäbar"),
        ] {
            assert_eq!(candidate(&Target::CallModule(target.into())), expected);
        }
    }

    #[test]
    fn a_name_is_never_given_twice() {
        let mut names = Names::default();
        let name = names.give("x", NodeId::new(0));
        names.release(&name);
        assert_eq!(names.owner("x"), None);
        assert_eq!(&*names.give("x", NodeId::new(1)), "x_1");
        for candidate in ["x_5", "x_5000", "x_05"] {
            assert_eq!(&*names.give(candidate, NodeId::new(2)), candidate);
            names.release(candidate);
            assert_eq!(names.owner(candidate), None);
            assert_ne!(&*names.give(candidate, NodeId::new(3)), candidate);
        }
    }

    #[test]
    fn large_numbers_take_no_memory() {
        let mut names = Names::default();
        for power in 0..30 {
            names.give(&format!("x_{}", 1_u32 << power), NodeId::new(power));
        }
        let numbered = names.bases["x"].numbered.as_ref().expect("there are numbers");
        assert!(numbered.first.len() + numbered.others.len() < 300);
        assert_eq!(names.owner("x_1048576"), Some(NodeId::new(20)));
    }

    /// Series that make counters start anew in torch.fx. Quadratic time would be noticed here: seconds become hours.
    #[test]
    fn hostile_series_take_linear_time() {
        const COUNT: usize = 30_000;
        let mut names = Names::default();
        let mut give = |candidate: &str| names.give(candidate, NodeId::new(0));
        give("add_500000");
        for i in 0..COUNT {
            give("add");
            give("add_1");
            give(&format!("add_{}", 400_000 - i));
            give("add_1_1");
            give("fn");
        }
        assert_eq!(&*give("fn"), format!("fn_{}", COUNT + 1));
    }
}
