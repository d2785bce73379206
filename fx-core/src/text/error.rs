//! [`ParseError`]: where and why a text is not a graph.
//!
//! Invariant: an error holds a bounded piece of the text, however long its lines are.

use std::fmt;

/// A text that is not a graph, with the place and what to do.
///
/// ```
/// # use fx_core::ir::Graph;
/// let error = "graph f(%x) {\n    output %y\n}".parse::<Graph>().unwrap_err();
/// assert_eq!((error.line, error.column), (2, 12));
/// assert_eq!(
///     error.to_string(),
///     "\
/// line 2, column 12: no node is called %y
///   |
/// 2 |     output %y
///   |            ^^
///   = help: did you mean %x?"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("line {line}, column {column}: {kind}\n{excerpt}{}", Help(hint.as_deref(), *line))]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// What to do about it, where that can be guessed.
    pub hint: Option<String>,
    /// The line, or the part of it around the place, with a mark below.
    pub excerpt: String,
}

/// What is wrong with a text.
///
/// The message of a [`ParseError`] has the line with a caret below it, and what could stand there.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParseErrorKind {
    /// Something else should be here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What should be here.
        expected: &'static str,
        /// What is here.
        found: String,
    },
    /// An operation that is not in the table.
    #[error("there is no {kind} `{name}`")]
    UnknownOperation {
        /// `function` or `method`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// A node that is nowhere in the text.
    #[error("no node is called %{0}")]
    UnknownNode(String),
    /// A second node of the same name.
    #[error("%{name} is defined twice: first in line {first}")]
    Twice {
        /// The name.
        name: String,
        /// Where it was first defined.
        first: usize,
    },
    /// A name that Rust does not allow for a variable.
    #[error("`{0}` cannot be the name of a node, because Rust does not allow a variable of that name")]
    IllegalName(String),
    /// Nested deeper than graphs can hold.
    #[error("nested more than {0} deep")]
    TooDeep(usize),
    /// A number that its type does not hold.
    #[error("{text} does not fit into {into}")]
    Number {
        /// The number, or its beginning.
        text: String,
        /// The type.
        into: &'static str,
    },
    /// A device that this program cannot use.
    #[error("the device {name} cannot be used: {reason}")]
    Device {
        /// The device.
        name: String,
        /// candle's reason.
        reason: String,
    },
    /// Any other thing that cannot be.
    #[error("{0}")]
    Invalid(String),
}

/// An error before its place is looked up: byte offsets of what it is about.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) len: usize,
    pub(crate) kind: ParseErrorKind,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(at: usize, len: usize, kind: ParseErrorKind) -> Box<Self> {
        Box::new(Self { at, len, kind, hint: None })
    }

    pub(crate) fn hint(mut self: Box<Self>, hint: impl Into<Option<String>>) -> Box<Self> {
        self.hint = hint.into();
        self
    }

    /// The error, with its place in the text.
    pub(crate) fn place(self, text: &str) -> ParseError {
        let at = self.at.min(text.len());
        let line = line_of(text, at);
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let column = text[start..at].chars().count() + 1;
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let excerpt = excerpt(line, &text[start..at], &text[at..end], self.len);
        ParseError { line, column, kind: self.kind, hint: self.hint, excerpt }
    }
}

/// Number of the line that holds this byte.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// So much of a line is shown before and after the place.
const SHOWN: usize = 60;

fn excerpt(line: usize, before: &str, after: &str, len: usize) -> String {
    let number = line.to_string();
    let skipped = before.chars().count().saturating_sub(SHOWN);
    let mut shown: String = if skipped > 0 { "…".into() } else { String::new() };
    shown.extend(before.chars().skip(skipped).map(visible));
    let column = shown.chars().count();
    let mut rest = after.trim_end_matches('\r').chars();
    shown.extend(rest.by_ref().take(SHOWN).map(visible));
    if rest.next().is_some() {
        shown.push('…');
    }
    let marked = after.bytes().take(len).filter(|byte| byte & 0xc0 != 0x80).count().clamp(1, SHOWN);
    let (gutter, shown) = (" ".repeat(number.len()), shown.trim_end());
    format!("{gutter} |\n{number} | {shown}\n{gutter} | {}{}", " ".repeat(column), "^".repeat(marked))
}

/// One column for each character, whatever it would do to a terminal.
fn visible(c: char) -> char {
    if c == '\t' {
        ' '
    } else if c.is_control() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}') {
        char::REPLACEMENT_CHARACTER
    } else {
        c
    }
}

struct Help<'a>(Option<&'a str>, usize);

impl fmt::Display for Help<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(hint) => write!(f, "\n{} = help: {hint}", " ".repeat(self.1.to_string().len())),
            None => Ok(()),
        }
    }
}

/// The names closest to a wrong one, the best first; none if nothing is close.
pub(crate) fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    // A longer name is no slip of the finger, and would take long.
    if wrong.len() > 64 {
        return Vec::new();
    }
    let allowed = wrong.chars().count().div_ceil(3).max(1);
    let mut close: Vec<(usize, &str)> = names
        .filter(|name| name.len() <= 96)
        .filter_map(|name| {
            let last = name.rsplit("::").next().unwrap_or(name);
            let distance = distance(wrong, name).min(distance(wrong, last));
            (distance <= allowed).then_some((distance, name))
        })
        .collect();
    close.sort();
    close.dedup();
    close.into_iter().map(|(_, name)| name).take(most).collect()
}

/// How many characters have to be put in, left out or replaced.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
