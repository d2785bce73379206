//! The text of a state: what a graph keeps from one run to the next, with its tensors in the file beside.
//!
//! ```text
//! state {
//!     cache.kvs: [(tensor f32[1, 4, 7, 8] "cache.kvs", tensor f32[1, 4, 7, 8] "cache.kvs#2"), none],
//!     pos: 7,
//! }
//! ```
//!
//! Invariant: as that of saved modules: no tensor, only the name of each.

use std::fmt::Write;
use std::sync::Arc;

use super::error::{ParseError, ParseErrorKind};
use super::file::{File, StoredTensor, VERSION, write_stored};
use super::lex::{Lexer, Result};
use super::read::Reader;
use super::write_meta::put;
use crate::ir::line::{is_dotted, is_rust_path, write_argument, write_word};
use crate::ir::{Argument, Graph, is_identifier};
use crate::ops::OpTable;
use crate::value::Device;

/// A value of a state.
#[derive(Debug)]
pub(crate) enum StateText {
    Tensor(StoredTensor),
    Plain(Argument),
    List(Vec<StateText>),
    Tuple(Vec<StateText>),
    Struct(Arc<str>, Vec<(Arc<str>, StateText)>),
}

/// The values of a state by name.
pub(crate) type StateTexts = Vec<(Arc<str>, StateText)>;

impl StateText {
    /// Calls `visit` with each tensor in it.
    pub(crate) fn for_each_tensor<'s>(&'s self, visit: &mut dyn FnMut(&'s StoredTensor)) {
        match self {
            Self::Tensor(stored) => visit(stored),
            Self::Plain(_) => {}
            Self::List(items) | Self::Tuple(items) => items.iter().for_each(|item| item.for_each_tensor(visit)),
            Self::Struct(_, fields) => fields.iter().for_each(|(_, item)| item.for_each_tensor(visit)),
        }
    }
}

/// Writes a state alone.
pub(crate) fn write_state_file(state: &StateTexts) -> String {
    let mut out = format!("fx {VERSION}\n\n");
    write_states("state", state, &mut out);
    out
}

/// Reads a state alone.
pub(crate) fn read_state_file(text: &str, substitute: &Device) -> std::result::Result<StateTexts, ParseError> {
    let mut file = File { lexer: Lexer::new(text), ops: OpTable::builtin(), substitute };
    let read =
        file.version().and_then(|()| file.states("state")).and_then(|states| match (states, file.lexer.peek()) {
            (Some(states), None) => Ok(states),
            (None, _) => Err(file.lexer.expected("`state`")),
            (_, Some(_)) => Err(file.lexer.expected("nothing after the state")),
        });
    read.map_err(|fault| fault.place(text))
}

/// Writes `state { … }`.
pub(super) fn write_states(word: &str, states: &StateTexts, out: &mut String) {
    put(writeln!(out, "{word} {{"));
    for (name, value) in states {
        out.push_str("    ");
        put(write_word(name, is_dotted(name), out));
        out.push_str(": ");
        write_value(value, out);
        out.push_str(",\n");
    }
    out.push_str("}\n");
}

fn write_value(value: &StateText, out: &mut String) {
    match value {
        StateText::Tensor(stored) => write_stored(stored, out),
        // There are no nodes in it.
        StateText::Plain(plain) => put(write_argument(&Graph::new(""), plain, out)),
        StateText::List(items) => write_items("[", items, "]", out),
        StateText::Tuple(items) => write_items("(", items, ")", out),
        StateText::Struct(name, fields) => {
            put(write_word(name, is_rust_path(name), out));
            out.push_str(" { ");
            for (field, item) in fields {
                put(write_word(field, is_identifier(field), out));
                out.push_str(": ");
                write_value(item, out);
                out.push_str(", ");
            }
            out.push('}');
        }
    }
}

fn write_items(open: &str, items: &[StateText], close: &str, out: &mut String) {
    out.push_str(open);
    for (i, item) in items.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        write_value(item, out);
    }
    out.push_str(close);
}

impl File<'_, '_> {
    /// `state { … }`, if it comes next.
    pub(super) fn states(&mut self, word: &str) -> Result<Option<StateTexts>> {
        if !self.lexer.eat_word(word) {
            return Ok(None);
        }
        self.lexer.expect("{", "`{`")?;
        let mut states = Vec::new();
        while !self.lexer.eat("}") {
            let name = self.lexer.dotted("a path or `}`")?.into();
            self.lexer.expect(":", "`:`")?;
            states.push((name, self.state_value(Argument::MAX_DEPTH)?));
            if !self.lexer.eat(",") {
                self.lexer.expect("}", "`,` or `}`")?;
                break;
            }
        }
        Ok(Some(states))
    }

    fn state_value(&mut self, room: usize) -> Result<StateText> {
        self.lexer.peek();
        let start = self.lexer.at;
        let Some(room) = room.checked_sub(1) else {
            return Err(self.lexer.fault(start, ParseErrorKind::TooDeep(Argument::MAX_DEPTH)));
        };
        if self.lexer.eat("[") {
            return Ok(StateText::List(self.state_items("]", room)?));
        }
        if self.lexer.eat("(") {
            return Ok(StateText::Tuple(self.state_items(")", room)?));
        }
        let mut ahead = self.lexer;
        if ahead.eat_word("tensor") || ahead.eat_word("variable") {
            return Ok(StateText::Tensor(self.stored()?));
        }
        let name = match ahead.peek() {
            Some(b'"') => Some(ahead.string()?),
            _ => ahead.rust_path().map(str::to_owned),
        };
        match name {
            Some(name) if ahead.eat("{") => {
                self.lexer = ahead;
                let mut fields = Vec::new();
                while !self.lexer.eat("}") {
                    let field = self.lexer.name("a field or `}`")?.into();
                    self.lexer.expect(":", "`:`")?;
                    fields.push((field, self.state_value(room)?));
                    if !self.lexer.eat(",") {
                        self.lexer.expect("}", "`,` or `}`")?;
                        break;
                    }
                }
                Ok(StateText::Struct(name.into(), fields))
            }
            _ => {
                let mut reader = Reader::new(&mut self.lexer, self.ops, Some(self.substitute));
                Ok(StateText::Plain(reader.plain_argument()?))
            }
        }
    }

    fn state_items(&mut self, end: &'static str, room: usize) -> Result<Vec<StateText>> {
        let mut items = Vec::new();
        while !self.lexer.eat(end) {
            items.push(self.state_value(room)?);
            if !self.lexer.eat(",") {
                self.lexer.expect(end, if end == "]" { "`,` or `]`" } else { "`,` or `)`" })?;
                break;
            }
        }
        Ok(items)
    }
}
