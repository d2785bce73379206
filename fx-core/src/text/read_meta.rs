//! Reading what is remembered about a node: the clause `@{ … }`, and the modules that it names.
//!
//! Invariant: a module is declared before it is named, inside of one that was declared before it, and not too deep.

use std::collections::HashSet;

use super::error::{ParseErrorKind, nearest};
use super::lex::Result;
use super::read::Reader;
use super::{MAX_MODULES, write_meta::KEYS};
use crate::ir::{Argument, Meta, ModuleStack, Origin, Source};
use crate::value::Fact;

/// The modules that were declared, each with its depth.
#[derive(Default)]
pub(super) struct Stacks(Vec<(ModuleStack, usize)>);

impl Reader<'_, '_, '_> {
    /// `#2 = encoder.layers.0@1: Layer in #1`.
    pub(super) fn stack(&mut self) -> Result<()> {
        self.lexer.peek();
        let start = self.lexer.at;
        self.lexer.expect("#", "`#`")?;
        let next = self.stacks.0.len() + 1;
        if self.lexer.digits().and_then(|digits| digits.parse().ok()) != Some(next) {
            let kind = ParseErrorKind::Invalid(format!("modules are numbered in order, and this should be #{next}"));
            return Err(self.lexer.fault(start, kind));
        }
        self.lexer.expect("=", "`=`")?;
        let path = self.lexer.dotted("the path of a module")?;
        let call = if self.lexer.eat("@") { self.u32("how often it had been called")? } else { 0 };
        self.lexer.expect(":", "`:` and the type of the module")?;
        let type_name = match self.lexer.rust_path() {
            Some(path) => path.into(),
            None => self.lexer.name("the type of the module")?,
        };
        let (outer, depth) = if self.lexer.eat_word("in") { self.stack_number()? } else { Default::default() };
        if depth >= MAX_MODULES {
            return Err(self.lexer.fault(start, ParseErrorKind::TooDeep(MAX_MODULES)));
        }
        self.stacks.0.push((outer.enter(&*path, type_name, call), depth + 1));
        Ok(())
    }

    /// `#2`.
    fn stack_number(&mut self) -> Result<(ModuleStack, usize)> {
        self.lexer.peek();
        let start = self.lexer.at;
        self.lexer.expect("#", "the number of a module, like `#1`")?;
        let number = self.lexer.digits().and_then(|digits| digits.parse::<usize>().ok());
        let known = number.and_then(|number| self.stacks.0.get(number.checked_sub(1)?));
        known.cloned().ok_or_else(|| {
            let kind = ParseErrorKind::Invalid("no module before has this number".into());
            self.lexer.fault(start, kind).hint("declare it first: `#1 = encoder: Encoder`".to_owned())
        })
    }

    fn u32(&mut self, expected: &'static str) -> Result<u32> {
        self.lexer.peek();
        let start = self.lexer.at;
        let Some(digits) = self.lexer.digits() else { return Err(self.lexer.expected(expected)) };
        digits.parse().map_err(|_| {
            let kind = ParseErrorKind::Number { text: super::lex::shortened(digits), into: "a u32" };
            self.lexer.fault(start, kind)
        })
    }

    /// `@{ … }`, if it comes next.
    pub(super) fn clause(&mut self, meta: &mut Meta) -> Result<()> {
        if self.lexer.peek() != Some(b'@') {
            return Ok(());
        }
        self.lexer.at += 1;
        self.lexer.expect("{", "`{`")?;
        let mut seen = Vec::new();
        while !self.lexer.eat("}") {
            self.lexer.peek();
            let start = self.lexer.at;
            let key = self.lexer.word().unwrap_or_default();
            if !KEYS.contains(&key) {
                self.lexer.at = start;
                let hint = nearest(key, KEYS.into_iter(), 1).first().map(|key| format!("did you mean `{key}`?"));
                return Err(self.lexer.expected("`fact`, `in`, `at`, `from`, `note`, `custom` or `}`").hint(hint));
            }
            if seen.contains(&key) || key == "fact" && meta.fact != Fact::Unknown {
                return Err(self.lexer.fault(start, ParseErrorKind::Invalid(format!("`{key}` is given twice"))));
            }
            seen.push(key);
            self.lexer.expect(":", "`:`")?;
            self.entry(key, meta)?;
            if !self.lexer.eat(",") {
                self.lexer.expect("}", "`,` or `}`")?;
                break;
            }
        }
        Ok(())
    }

    fn entry(&mut self, key: &str, meta: &mut Meta) -> Result<()> {
        match key {
            "fact" => meta.fact = self.fact()?,
            "in" => meta.module = self.stack_number()?.0,
            "at" => meta.source = Some(self.source()?),
            "note" => meta.set_note(self.lexer.string()?),
            "from" => self.origins(meta)?,
            _ => self.annotations(meta)?,
        }
        Ok(())
    }

    /// `"src/model.rs":10`. Neighbours often share it.
    pub(super) fn source(&mut self) -> Result<Source> {
        let file = self.lexer.string()?;
        self.lexer.expect(":", "`:` and the line")?;
        let line = self.u32("the line")?;
        match &self.source {
            Some(last) if last.line() == line && last.file() == file => Ok(last.clone()),
            _ => Ok(self.source.insert(Source::text(file, line)).clone()),
        }
    }

    /// `[fuse: conv of resnet]`.
    fn origins(&mut self, meta: &mut Meta) -> Result<()> {
        self.lexer.expect("[", "`[`")?;
        while !self.lexer.eat("]") {
            let pass = self.lexer.name("the name of a pass or `]`")?.into();
            self.lexer.expect(":", "`:` and the node before the pass")?;
            let node = self.lexer.name("the name of a node")?.into();
            if !self.lexer.eat_word("of") {
                return Err(self.lexer.expected("`of` and the name of the graph"));
            }
            let graph = self.lexer.name("the name of the graph")?.into();
            meta.add_origin(Origin { pass, node, graph });
            if !self.lexer.eat(",") {
                self.lexer.expect("]", "`,` or `]`")?;
                break;
            }
        }
        Ok(())
    }

    /// `{ key: 1, "another key": [2] }`.
    fn annotations(&mut self, meta: &mut Meta) -> Result<()> {
        self.lexer.expect("{", "`{`")?;
        let mut keys = HashSet::new();
        while !self.lexer.eat("}") {
            self.lexer.peek();
            let start = self.lexer.at;
            let key = self.lexer.name("a key or `}`")?;
            let after = self.lexer.at;
            self.lexer.expect(":", "`:`")?;
            let value = self.value(Argument::MAX_DEPTH)?;
            if !keys.insert(key.clone()) {
                self.lexer.at = after;
                return Err(self.lexer.fault(start, ParseErrorKind::Invalid("this key is given twice".into())));
            }
            meta.add_annotation(&*key, value);
            if !self.lexer.eat(",") {
                self.lexer.expect("}", "`,` or `}`")?;
                break;
            }
        }
        Ok(())
    }
}
