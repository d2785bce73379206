//! [`Lexer`]: the tokens of the text form.
//!
//! What a token is depends on where it is expected (`layers.0` is a path after `get_attr`, and a number is one only in
//! an argument), so the reader asks for the token it needs.
//!
//! Invariant: every byte is looked at a bounded number of times, whatever the text is.

use std::borrow::Cow;

use super::error::{Fault, ParseErrorKind};
use crate::ir::{is_continue, is_start};

/// What went wrong; boxed, because it is rare.
pub(crate) type Result<T> = std::result::Result<T, Box<Fault>>;

/// A place in a text.
#[derive(Clone, Copy)]
pub(crate) struct Lexer<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
}

/// A number as it is written.
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

impl<'t> Lexer<'t> {
    /// The start of a text; a byte order mark is no part of it.
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips space and comments, and returns the byte that comes then.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.byte()? {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.rest().starts_with("//") => {
                    self.at = self.rest().find('\n').map_or(self.text.len(), |end| self.at + end);
                }
                byte => {
                    let c = if byte.is_ascii() { None } else { self.rest().chars().next() };
                    match c.filter(|c| c.is_whitespace()) {
                        Some(space) => self.at += space.len_utf8(),
                        None => return Some(byte),
                    }
                }
            }
        }
    }

    /// Steps over this, if it comes next.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Steps over this, which has to come next.
    pub(crate) fn expect(&mut self, token: &'static str, expected: &'static str) -> Result<()> {
        if self.eat(token) { Ok(()) } else { Err(self.expected(expected)) }
    }

    /// Steps over this word, if it comes next.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let mut ahead = *self;
        let found = ahead.word() == Some(word);
        if found {
            *self = ahead;
        }
        found
    }

    /// What comes next is not what should.
    #[cold]
    pub(crate) fn expected(&mut self, expected: &'static str) -> Box<Fault> {
        self.peek();
        let (found, len) = self.next_token();
        Fault::new(self.at, len, ParseErrorKind::Expected { expected, found })
    }

    /// This is wrong with what was between `start` and here.
    #[cold]
    pub(crate) fn fault(&self, start: usize, kind: ParseErrorKind) -> Box<Fault> {
        Fault::new(start, self.at.saturating_sub(start), kind)
    }

    /// What comes next, as a message names it, and how long it is.
    fn next_token(&self) -> (String, usize) {
        let Some(first) = self.rest().chars().next() else { return ("the end of the text".into(), 0) };
        if first == '"' {
            return ("a string".into(), 1);
        }
        let ahead = &self.rest()[first.len_utf8()..];
        let more = if is_continue(first) || matches!(first, '%' | '#' | '-') {
            ahead.find(|c| !is_continue(c)).unwrap_or(ahead.len())
        } else {
            0
        };
        let len = first.len_utf8() + more;
        let token: String = self.rest()[..len].chars().take(40).collect();
        let (token, dots) = (token.escape_debug(), if len > 160 { "…" } else { "" });
        (format!("`{token}{dots}`"), len)
    }

    /// The characters from here on that are of a kind.
    pub(super) fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let c = if byte.is_ascii() { char::from(byte) } else { self.rest().chars().next().unwrap_or('\0') };
            if !is_part(c) {
                break;
            }
            self.at += c.len_utf8();
        }
        &self.text[start..self.at]
    }

    /// A word, if one comes next.
    pub(crate) fn word(&mut self) -> Option<&'t str> {
        self.peek()?;
        self.rest().chars().next().filter(|&c| is_start(c))?;
        Some(self.take_while(is_continue))
    }

    /// Digits without a sign, if they come next.
    pub(crate) fn digits(&mut self) -> Option<&'t str> {
        self.peek()?.is_ascii_digit().then(|| self.take_while(|c| c.is_ascii_digit()))
    }

    /// `%name`, without the mark.
    pub(crate) fn node(&mut self) -> Result<&'t str> {
        let start = self.at;
        if self.eat("%") {
            if self.rest().starts_with(is_start) {
                return Ok(self.take_while(is_continue));
            }
            self.at = start;
        }
        Err(self.expected("a node, like `%x`"))
    }

    /// A word or a string.
    pub(crate) fn name(&mut self, expected: &'static str) -> Result<Cow<'t, str>> {
        match self.peek() {
            Some(b'"') => self.string().map(Cow::Owned),
            _ => self.word().map(Cow::Borrowed).ok_or_else(|| self.expected(expected)),
        }
    }

    /// `candle_nn::ops::softmax`, if one comes next.
    pub(crate) fn rust_path(&mut self) -> Option<&'t str> {
        self.peek()?;
        let start = self.at;
        self.word()?;
        while let Some(after) = self.rest().strip_prefix("::") {
            if !after.starts_with(is_start) {
                break;
            }
            self.at += 2;
            self.take_while(is_continue);
        }
        Some(&self.text[start..self.at])
    }

    /// `encoder.layers.0` or a string.
    pub(crate) fn dotted(&mut self, expected: &'static str) -> Result<Cow<'t, str>> {
        if self.peek() == Some(b'"') {
            return self.string().map(Cow::Owned);
        }
        let start = self.at;
        loop {
            if self.take_while(is_continue).is_empty() {
                return Err(self.expected(expected));
            }
            if !self.rest().starts_with('.') {
                return Ok(Cow::Borrowed(&self.text[start..self.at]));
            }
            self.at += 1;
        }
    }

    /// A string with its escapes undone.
    pub(crate) fn string(&mut self) -> Result<String> {
        if self.peek() != Some(b'"') {
            return Err(self.expected("a string"));
        }
        let start = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            let plain = self.rest();
            let end = plain.find(['"', '\\']).unwrap_or(plain.len());
            string.push_str(&plain[..end]);
            self.at += end;
            match self.byte() {
                None => {
                    let kind = ParseErrorKind::Invalid("this string does not end".into());
                    return Err(Fault::new(start, 1, kind).hint("close it with `\"`".to_owned()));
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(_) => string.push(self.escape()?),
            }
        }
    }

    /// The character that `\n`, `\"`, `\u{…}` stands for.
    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 1;
        let c = match self.byte() {
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'0') => '\0',
            Some(c @ (b'"' | b'\'' | b'\\')) => char::from(c),
            Some(b'u') => return self.unicode(start),
            _ => {
                let kind = ParseErrorKind::Invalid("there is no such escape".into());
                let hint =
                    "strings have \\\" \\' \\\\ \\n \\r \\t \\0 and \\u{…}; a plain `\\` is written `\\\\`".to_owned();
                return Err(Fault::new(start, 1, kind).hint(hint));
            }
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode(&mut self, start: usize) -> Result<char> {
        self.at += 1;
        let hex = self.rest().strip_prefix('{').map_or("", |rest| {
            let end = rest.bytes().take(7).position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(0);
            &rest[..end]
        });
        self.at += hex.len() + 1;
        let c = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
        match c.filter(|_| self.byte() == Some(b'}')) {
            Some(c) => {
                self.at += 1;
                Ok(c)
            }
            None => {
                let kind = ParseErrorKind::Invalid("this is no character".into());
                let hint = "write its number in one to six hexadecimal digits: \\u{e9}".to_owned();
                Err(Fault::new(start, 2, kind).hint(hint))
            }
        }
    }

    /// A number with its sign, if one comes next. Neither `inf` nor `nan` is one, but `-inf` is.
    pub(super) fn number(&mut self) -> Result<Option<Number>> {
        self.peek();
        let start = self.at;
        if self.byte() == Some(b'-') {
            self.at += 1;
            if self.rest().starts_with("inf") {
                self.at += 3;
                return Ok(Some(Number::Float(f64::NEG_INFINITY)));
            }
        }
        if !self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at = start;
            return Ok(None);
        }
        self.take_while(|c| c.is_ascii_digit());
        let rest = self.rest().as_bytes();
        let is_digit = |index: usize| rest.get(index).is_some_and(u8::is_ascii_digit);
        let mut is_float = false;
        if rest.first() == Some(&b'.') && is_digit(1) {
            is_float = true;
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
        }
        let rest = self.rest().as_bytes();
        let is_digit = |index: usize| rest.get(index).is_some_and(u8::is_ascii_digit);
        if rest.first() == Some(&b'e') && (is_digit(1) || rest.get(1) == Some(&b'-') && is_digit(2)) {
            is_float = true;
            self.at += 2;
            self.take_while(|c| c.is_ascii_digit());
        }
        let text = &self.text[start..self.at];
        let (number, into) = if is_float {
            (text.parse().ok().filter(|float: &f64| float.is_finite()).map(Number::Float), "an f64")
        } else {
            (text.parse().ok().map(Number::Int), "an i64")
        };
        match number {
            Some(number) => Ok(Some(number)),
            None => Err(self.fault(start, ParseErrorKind::Number { text: shortened(text), into })),
        }
    }
}

/// The beginning of a text that may be long.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
