//! [`Names`]: the names of nodes, given by the rules of torch.fx's namespace carried over to Rust.
//!
//! A candidate that is free is taken as it is. Otherwise a number is counted up: `relu`, `relu_1`, `relu_2`. What Rust
//! does not allow as the name of a variable is made legal (`foo.bar` → `foo_bar`, `3d` → `_3d`) or numbered (`type` →
//! `type_1`). Counters never go back, so that giving a name takes constant time whatever names came before.
//!
//! Invariant: every name given is a legal Rust identifier, can be the name of a variable, and is given once: the name of
//! an erased node stays taken.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::node::NodeId;
use super::target::Target;

/// A number of more digits is part of the name.
const MOST_DIGITS: usize = 9;

#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    table: HashMap<Arc<str>, Entry>,
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
        let entry = self.entry(&candidate);
        if !entry.is_taken() && (number.is_some() || !is_reserved(&candidate)) {
            if let Some(number) = number {
                self.count_to(base, number);
            }
            return self.take(&candidate, owner);
        }
        let mut number = if number.is_some() { self.entry(base).counter() } else { entry.counter() };
        let mut text = std::mem::take(&mut self.text);
        loop {
            number += 1;
            text.clear();
            write!(text, "{base}_{number}").expect("a string takes everything");
            if !self.entry(&text).is_taken() {
                break;
            }
        }
        self.count_to(base, number);
        let name = self.take(&text, owner);
        self.text = text;
        name
    }

    /// The node with this name.
    pub(super) fn owner(&self, name: &str) -> Option<NodeId> {
        self.entry(name).owner
    }

    /// The node is gone or has another name; its old one stays taken.
    pub(super) fn release(&mut self, name: &str) {
        if let Some(entry) = self.table.get_mut(name) {
            entry.owner = None;
        }
    }

    fn entry(&self, text: &str) -> Entry {
        self.table.get(text).copied().unwrap_or_default()
    }

    fn take(&mut self, text: &str, owner: NodeId) -> Arc<str> {
        let name: Arc<str> = text.into();
        self.table.entry(name.clone()).or_default().take(owner);
        name
    }

    fn count_to(&mut self, base: &str, number: u32) {
        match self.table.get_mut(base) {
            Some(entry) => entry.count_to(number),
            None => self.table.entry(base.into()).or_default().count_to(number),
        }
    }
}

/// What a node is called unless it is given a name: after its target, in snake case.
pub(super) fn candidate(target: &Target) -> Cow<'_, str> {
    snake_case(match target {
        Target::Placeholder(name) => name,
        Target::GetAttr(path) | Target::CallModule(path) => path.as_str(),
        Target::CallFunction(op) | Target::CallMethod(op) => op.short_name(),
        Target::Output => "output",
    })
}

/// torch.fx's snake case: an underscore only between a small and a capital letter. `PascalCase` → `pascal_case`,
/// `Conv2D` → `conv2d`.
fn snake_case(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_uppercase) {
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
    let mut in_run = false;
    for c in candidate.chars() {
        let is_allowed = unicode_ident::is_xid_continue(c);
        if is_allowed {
            if text.is_empty() && !is_start(c) {
                text.push('_');
            }
            text.push(c);
        } else if !in_run {
            text.push('_');
        }
        in_run = !is_allowed;
    }
    if text.is_empty() { "_unnamed".into() } else { text.into() }
}

/// `add_5` is `add` and 5.
fn split(name: &str) -> (&str, Option<u32>) {
    if let Some((base, digits)) = name.rsplit_once('_')
        && (1..=MOST_DIGITS).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(number) = digits.parse()
    {
        return (base, Some(number));
    }
    (name, None)
}

/// Whether Rust accepts this as the name of a variable.
#[must_use]
pub fn is_legal_name(name: &str) -> bool {
    is_identifier(name) && !is_reserved(name)
}

/// Whether Rust reads this as one identifier or keyword.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_start) && chars.all(unicode_ident::is_xid_continue)
}

fn is_start(c: char) -> bool {
    c == '_' || unicode_ident::is_xid_start(c)
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
        const COUNT: usize = 100_000;
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
