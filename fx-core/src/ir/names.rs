//! [`Names`]: the names of nodes, given by the rules of torch.fx's namespace carried over to Rust.
//!
//! A candidate that is free is taken as it is. Otherwise a number is counted up: `relu`, `relu_1`, `relu_2`. What Rust
//! does not allow as the name of a variable is made legal (`foo.bar` → `foo_bar`, `3d` → `_3d`) or numbered (`type` →
//! `type_1`). Counters never go back, so that giving a name takes constant time whatever names came before.
//!
//! Invariant: every name given is a legal Rust identifier, can be the name of a variable, and is given once: the name
//! of an erased node stays taken.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::raw_entry_v1::{RawEntryApiV1, RawEntryMut};

use super::node::NodeId;
use super::target::Target;

/// A number of more digits is part of the name.
const MOST_DIGITS: usize = 9;

#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    // Keeps hashes, so that growing touches no text, and lookups can be continued by index.
    table: IndexMap<Arc<str>, Entry, foldhash::fast::RandomState>,
    text: String,
}

/// What is known of a text: who has it as a name, whether anybody has or had, and how far `text_1`, `text_2`, … are
/// counted. Packed into eight bytes, because there is one for each node.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    owner: Option<NodeId>,
    counter_and_taken: u32,
}

const TAKEN: u32 = 1 << 31;

impl Entry {
    fn is_taken(self) -> bool {
        self.counter_and_taken & TAKEN != 0
    }

    fn counter(self) -> u32 {
        self.counter_and_taken & !TAKEN
    }

    fn take(&mut self, owner: NodeId) {
        self.owner = Some(owner);
        self.counter_and_taken |= TAKEN;
    }

    fn count_to(&mut self, number: u32) {
        self.counter_and_taken = self.counter_and_taken & TAKEN | self.counter().max(number);
    }
}

impl Names {
    /// Gives `owner` a name that is as close to the candidate as can be.
    pub(super) fn give(&mut self, candidate: &str, owner: NodeId) -> Arc<str> {
        let candidate = legal(candidate);
        let (base, number) = split(&candidate);
        let base_index = self.index(base);
        if let Some(number) = number {
            if let Some(name) = self.take(&candidate, owner) {
                self.table[base_index].count_to(number);
                return name;
            }
        } else if !is_reserved(base)
            && let Some(name) = self.take_at(base_index, owner)
        {
            return name;
        }
        let mut number = self.table[base_index].counter();
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        text.push_str(base);
        text.push('_');
        let prefix = text.len();
        let name = loop {
            number += 1;
            text.truncate(prefix);
            push_number(&mut text, number);
            if let Some(name) = self.take(&text, owner) {
                break name;
            }
        };
        self.table[base_index].count_to(number);
        self.text = text;
        name
    }

    /// The node with this name.
    pub(super) fn owner(&self, name: &str) -> Option<NodeId> {
        self.table.get(name)?.owner
    }

    /// The node is gone or has another name; its old one stays taken.
    pub(super) fn release(&mut self, name: &str) {
        if let Some(entry) = self.table.get_mut(name) {
            entry.owner = None;
        }
    }

    /// Takes a name that is free.
    fn take(&mut self, name: &str, owner: NodeId) -> Option<Arc<str>> {
        let index = self.index(name);
        self.take_at(index, owner)
    }

    fn take_at(&mut self, index: usize, owner: NodeId) -> Option<Arc<str>> {
        let (name, entry) = self.table.get_index_mut(index)?;
        if entry.is_taken() {
            return None;
        }
        entry.take(owner);
        Some(name.clone())
    }

    /// Where a text is in the table; it is put there if need be.
    fn index(&mut self, text: &str) -> usize {
        match self.table.raw_entry_mut_v1().from_key(text) {
            RawEntryMut::Occupied(entry) => entry.index(),
            RawEntryMut::Vacant(entry) => {
                let index = entry.index();
                entry.insert(text.into(), Entry::default());
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
    text.extend(digits[start..].iter().map(|&digit| char::from(digit)));
}

/// What a node is called unless it is given a name: after its target, in snake case.
pub(super) fn candidate(target: &Target) -> Cow<'_, str> {
    snake_case(match target {
        Target::Placeholder(name) => name,
        Target::GetAttr(path) | Target::CallModule(path) => path.as_str(),
        // Its last segment; a search for one character is faster than one for `::`.
        Target::CallFunction(op) | Target::CallMethod(op) => op.name.rsplit(':').next().unwrap_or(op.name),
        Target::Output => "output",
    })
}

/// torch.fx's snake case: an underscore only between a small and a capital letter. `PascalCase` → `pascal_case`,
/// `Conv2D` → `conv2d`.
fn snake_case(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
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

/// Every run of characters that Rust does not allow becomes one underscore.
fn legal(candidate: &str) -> Cow<'_, str> {
    if is_identifier(candidate) {
        return candidate.into();
    }
    let mut text = String::with_capacity(candidate.len() + 1);
    if candidate.chars().next().is_some_and(|c| is_continue(c) && !is_start(c)) {
        text.push('_');
    }
    let mut last = "";
    for (i, part) in candidate.split(|c| !is_continue(c)).enumerate() {
        // Parts inside a run are empty.
        if i > 0 && (i == 1 || !last.is_empty()) {
            text.push('_');
        }
        text.push_str(part);
        last = part;
    }
    if text.is_empty() { "_unnamed".into() } else { text.into() }
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

/// Whether Rust accepts this as the name of a variable.
#[must_use]
pub fn is_legal_name(name: &str) -> bool {
    is_identifier(name) && !is_reserved(name)
}

/// Whether Rust reads this as one identifier or keyword.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_start) && chars.all(is_continue)
}

/// Whether an identifier can start with a character.
pub(crate) fn is_start(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic() || !c.is_ascii() && unicode_ident::is_xid_start(c)
}

/// Whether a character can stand in an identifier, though perhaps not first.
pub(crate) fn is_continue(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii() && unicode_ident::is_xid_continue(c)
}

/// Keywords of every edition, and the patterns of the prelude that no variable can shadow.
fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "_" | "abstract"
            | "as"
            | "async"
            | "await"
            | "become"
            | "box"
            | "break"
            | "const"
            | "continue"
            | "crate"
            | "do"
            | "dyn"
            | "else"
            | "enum"
            | "extern"
            | "false"
            | "final"
            | "fn"
            | "for"
            | "gen"
            | "if"
            | "impl"
            | "in"
            | "let"
            | "loop"
            | "macro"
            | "match"
            | "mod"
            | "move"
            | "mut"
            | "override"
            | "priv"
            | "pub"
            | "ref"
            | "return"
            | "self"
            | "Self"
            | "static"
            | "struct"
            | "super"
            | "trait"
            | "true"
            | "try"
            | "type"
            | "typeof"
            | "unsafe"
            | "unsized"
            | "use"
            | "virtual"
            | "where"
            | "while"
            | "yield"
            | "None"
            | "Some"
            | "Ok"
            | "Err"
    )
}

#[cfg(test)]
mod tests {
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
        ]);
    }

    #[test]
    fn targets_are_snake_cased() {
        for (target, expected) in [
            ("PascalCase", "pascal_case"),
            ("ALL_CAPS", "all_caps"),
            ("Conv2D", "conv2d"),
            ("encoder.layers.0", "encoder.layers.0"),
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
