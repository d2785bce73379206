//! Reading the sizes that a graph follows, and expressions over them.
//!
//! Invariant: an expression is read with the value it had at the capture; one that has none, or is nested too deep, is an
//! error.

use super::error::{Fault, ParseErrorKind};
use super::lex::{Lexer, Number, Result, shortened};
use super::read::Reader;
use crate::ir::{Argument, Dynamic, Guard, Size, SizeOf};
use crate::ops::OpTable;
use crate::value::{FloatFunction, FloatOp, Relation, SymError, SymFloat, SymInt, SymNumber, SymOp};

impl Reader<'_, '_, '_> {
    /// `<batch: 2 = %x[0] = %mask[0], past: 0 = %past>`, if it comes next.
    pub(super) fn sizes(&mut self) -> Result<Option<Dynamic>> {
        if !self.lexer.eat("<") {
            return Ok(None);
        }
        let mut dynamic = Dynamic::default();
        while !self.lexer.eat(">") {
            self.lexer.peek();
            let start = self.lexer.at;
            let Some(name) = self.lexer.word() else { return Err(self.lexer.expected("the name of a size or `>`")) };
            if !Dynamic::is_legal_name(name) {
                let kind = ParseErrorKind::Invalid(format!("`{}` cannot be the name of a size", shortened(name)));
                return Err(self.lexer.fault(start, kind));
            }
            if dynamic.sizes.len() == Dynamic::MAX_SIZES {
                let why = format!("a graph follows at most {} sizes", Dynamic::MAX_SIZES);
                return Err(self.lexer.fault(start, ParseErrorKind::Invalid(why)));
            }
            if self.hint(name).is_some() {
                return Err(self.lexer.fault(start, ParseErrorKind::Invalid("two sizes have this name".into())));
            }
            self.lexer.expect(":", "`:` and what the size was at the capture")?;
            let Some(Number::Int(hint)) = self.lexer.number()? else { return Err(self.lexer.expected("an integer")) };
            let mut places = Vec::new();
            while self.lexer.eat("=") {
                let input = self.node()?;
                places.push(match self.lexer.eat("[") {
                    false => SizeOf::Value(input),
                    true => {
                        let axis = self.axis()?;
                        self.lexer.expect("]", "`]`")?;
                        SizeOf::Extent(input, axis)
                    }
                });
            }
            self.hints.push((name.into(), hint));
            dynamic.sizes.push(Size { name: name.into(), hint, places });
            if !self.lexer.eat(",") {
                self.lexer.expect(">", "`,` or `>`")?;
                break;
            }
        }
        Ok(Some(dynamic))
    }

    fn axis(&mut self) -> Result<usize> {
        self.lexer.peek();
        let start = self.lexer.at;
        let Some(digits) = self.lexer.digits() else { return Err(self.lexer.expected("the number of a dimension")) };
        digits.parse().map_err(|_| {
            let kind = ParseErrorKind::Number { text: shortened(digits), into: "a usize" };
            self.lexer.fault(start, kind)
        })
    }

    /// `where (seq <= 32 at "model.rs":10, …)`, if it comes next.
    pub(super) fn guards(&mut self) -> Result<Vec<Guard>> {
        let mut guards = Vec::new();
        if !self.lexer.eat_word("where") {
            return Ok(guards);
        }
        self.lexer.expect("(", "`(` and the guards")?;
        while !self.lexer.eat(")") {
            let left = self.number_expression(Argument::MAX_DEPTH)?;
            // Those of two characters come before their beginnings.
            let Some(relation) = Relation::ALL.into_iter().find(|relation| self.lexer.eat(relation.as_str())) else {
                return Err(self.lexer.expected("`==`, `!=`, `<`, `<=`, `>` or `>=`"));
            };
            let right = self.number_expression(Argument::MAX_DEPTH)?;
            let source = if self.lexer.eat_word("at") { Some(self.source()?) } else { None };
            guards.push(Guard { left, relation, right, source });
            if !self.lexer.eat(",") {
                self.lexer.expect(")", "`,` or `)`")?;
                break;
            }
        }
        Ok(guards)
    }

    /// What a size was at the capture, if there is one of this name.
    pub(super) fn hint(&self, name: &str) -> Option<i64> {
        self.hints.iter().find_map(|(known, hint)| (**known == *name).then_some(*hint))
    }

    /// An expression that is an integer, and nested at most `room` deep.
    pub(super) fn expression(&mut self, room: usize) -> Result<SymInt> {
        self.lexer.peek();
        let start = self.lexer.at;
        match self.number_expression(room)? {
            SymNumber::Int(int) => Ok(int),
            SymNumber::Float(_) => {
                self.lexer.at = start;
                Err(self.lexer.expected("an integer, a size, or an expression of both"))
            }
        }
    }

    /// An expression that is a float, and nested at most `room` deep.
    fn float_expression(&mut self, room: usize) -> Result<SymFloat> {
        self.lexer.peek();
        let start = self.lexer.at;
        match self.number_expression(room)? {
            SymNumber::Float(float) => Ok(float),
            SymNumber::Int(_) => {
                self.lexer.at = start;
                Err(self.lexer.expected("a float").hint("of an integer `n` it is `f64(n)`".to_owned()))
            }
        }
    }

    /// An expression that is nested at most `room` deep.
    fn number_expression(&mut self, room: usize) -> Result<SymNumber> {
        let left = self.operand(room)?;
        self.operations(left, 1, room)
    }

    fn operand(&mut self, room: usize) -> Result<SymNumber> {
        self.lexer.peek();
        let start = self.lexer.at;
        match self.argument_alone(room)? {
            Argument::Int(int) => Ok(int.into()),
            Argument::Float(float) => Ok(SymFloat::from(float).into()),
            Argument::SymInt(expression) => Ok(expression.into()),
            Argument::SymFloat(float) => Ok(float.into()),
            _ => {
                self.lexer.at = start;
                Err(self.lexer.expected("a number, a size, or an expression of both"))
            }
        }
    }

    /// `f64(n)`, `sqrt(x)` or `pow(x, y)`, behind the name.
    pub(super) fn float_function(&mut self, start: usize, word: &str, room: usize) -> Result<SymFloat> {
        let function = FloatFunction::ALL.into_iter().find(|function| function.as_str() == word);
        let op = FloatOp::ALL.into_iter().find(|op| op.rank().is_none() && op.as_str() == word);
        if word != "f64" && function.is_none() && op.is_none() {
            self.lexer.at = start;
            return Err(self
                .lexer
                .expected("a function of numbers: `f64`, `f32`, `sqrt`, `ln`, `pow`, `min` or `max`"));
        }
        let Some(room) = room.checked_sub(1) else {
            return Err(self.lexer.fault(start, ParseErrorKind::TooDeep(Argument::MAX_DEPTH)));
        };
        self.lexer.expect("(", "`(`")?;
        let made = match (function, op) {
            (Some(function), _) => SymFloat::function(function, &self.float_expression(room)?),
            (None, Some(op)) => {
                let base = self.float_expression(room)?;
                self.lexer.expect(",", "`,`")?;
                SymFloat::binary(op, &base, &self.float_expression(room)?)
            }
            (None, None) => Ok(SymFloat::of_int(&self.expression(room)?)),
        };
        self.lexer.expect(")", "`)`")?;
        made.map_err(|error| self.no_value(start, &error))
    }

    fn no_value(&self, start: usize, error: &SymError) -> Box<Fault> {
        self.lexer.fault(start, ParseErrorKind::Invalid(error.to_string()))
    }

    /// `min(a, b)`, behind the name.
    pub(super) fn smaller_or_larger(&mut self, op: SymOp, room: usize) -> Result<SymInt> {
        let start = self.lexer.at;
        let too_deep = |reader: &Self| reader.lexer.fault(start, ParseErrorKind::TooDeep(Argument::MAX_DEPTH));
        let room = room.checked_sub(1).ok_or_else(|| too_deep(self))?;
        self.lexer.expect("(", "`(`")?;
        let left = self.expression(room)?;
        self.lexer.expect(",", "`,`")?;
        let right = self.expression(room)?;
        self.lexer.expect(")", "`)`")?;
        SymInt::binary(op, &left, &right).map_err(|error| self.no_value(start, &error))
    }

    /// What is done with a number that was read: operations that bind as `rank` or tighter.
    pub(super) fn operations(&mut self, mut left: SymNumber, rank: u8, room: usize) -> Result<SymNumber> {
        loop {
            let next = self.lexer.peek();
            let start = self.lexer.at;
            let op = SymOp::ALL.into_iter().find(|op| {
                op.rank().is_some_and(|found| found >= rank)
                    && next.is_some_and(|next| op.as_str().as_bytes() == [next])
            });
            let Some((op, found)) = op.and_then(|op| Some((op, op.rank()?))) else { return Ok(left) };
            self.lexer.at += 1;
            let Some(room) = room.checked_sub(1) else {
                return Err(self.lexer.fault(start, ParseErrorKind::TooDeep(Argument::MAX_DEPTH)));
            };
            let right = self.operand(room)?;
            let right = self.operations(right, found + 1, room)?;
            left = self.combined(start, op, &left, &right)?;
        }
    }

    fn combined(&self, start: usize, op: SymOp, left: &SymNumber, right: &SymNumber) -> Result<SymNumber> {
        let of_floats = FloatOp::ALL.into_iter().find(|float| float.rank().is_some() && float.as_str() == op.as_str());
        match (left, right, of_floats) {
            (SymNumber::Int(left), SymNumber::Int(right), _) => SymInt::binary(op, left, right).map(SymNumber::from),
            (SymNumber::Float(left), SymNumber::Float(right), Some(op)) => {
                SymFloat::binary(op, left, right).map(SymNumber::from)
            }
            _ => {
                let kind = ParseErrorKind::Invalid(format!("`{}` is not of two numbers of one kind", op.as_str()));
                let hint = "of an integer `n` the float is `f64(n)`".to_owned();
                return Err(self.lexer.fault(start, kind).hint(hint));
            }
        }
        .map_err(|error| self.no_value(start, &error))
    }
}

/// An expression of sizes that are not known yet: each word is one.
pub(crate) fn parse_size(text: &str) -> std::result::Result<SymInt, String> {
    let mut lexer = Lexer::new(text);
    let mut reader = Reader::new(&mut lexer, OpTable::builtin(), None);
    let mut words = Lexer::new(text);
    while words.at < text.len() {
        match words.word() {
            Some("min" | "max") => {}
            Some(word) if !Dynamic::is_legal_name(word) => {
                return Err(format!("`{}` cannot be the name of a size", shortened(word)));
            }
            Some(word) if reader.hint(word).is_some() => {}
            Some(_) if reader.hints.len() == Dynamic::MAX_SIZES => {
                return Err(format!("it names more than {} sizes", Dynamic::MAX_SIZES));
            }
            // A value at which nothing is divided by 0.
            Some(word) => reader.hints.push((word.into(), 1 << 20)),
            None => words.at += words.text[words.at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    if reader.hints.is_empty() {
        return Err("it is neither a name nor an expression over names".to_owned());
    }
    let read = reader.expression(Argument::MAX_DEPTH);
    let rest = lexer.peek();
    match (read, rest) {
        (Ok(expression), None) => Ok(expression),
        (Ok(_), Some(_)) => Err("something comes behind the expression".to_owned()),
        (Err(fault), _) => Err(fault.place(text).to_string()),
    }
}
