//! Reading what nodes are given, and what is known of values: arguments and facts.
//!
//! Invariant: recursion is as deep as arguments may be nested, never deeper.

use candle_core::{DType, Shape};

use super::error::ParseErrorKind;
use super::lex::{Number, Result, shortened};
use super::read::Reader;
use crate::ir::{Argument, Fields};
use crate::value::{Fact, SymFloat, SymInt, SymNumber, SymOp, TensorFact, Value, dtype_from_name};

const AN_ARGUMENT: &str = "an argument: a node, a number, a string, a list, …";

impl Reader<'_, '_, '_> {
    /// An argument that is nested at most `room` deep.
    pub(super) fn argument(&mut self, room: usize) -> Result<Argument> {
        let first = self.argument_alone(room)?;
        let left = match first {
            Argument::Int(int) if !self.hints.is_empty() => int.into(),
            Argument::Int(int) if self.lexer.eat("..") => return self.range(Some(int.into()), room),
            Argument::Float(float) if !self.hints.is_empty() => SymFloat::from(float).into(),
            Argument::SymInt(expression) => expression.into(),
            Argument::SymFloat(float) => float.into(),
            other => return Ok(other),
        };
        Ok(match self.operations(left, 1, room)? {
            SymNumber::Int(int) if self.lexer.eat("..") => self.range(Some(int), room)?,
            SymNumber::Int(int) => int.into(),
            SymNumber::Float(float) => float.into(),
        })
    }

    /// An argument without the operations and the range that may come behind a number.
    pub(super) fn argument_alone(&mut self, room: usize) -> Result<Argument> {
        let first = self.lexer.peek();
        let start = self.lexer.at;
        Ok(match first {
            Some(b'%') => Argument::Node(self.node()?),
            Some(b'[') => {
                let room = self.open(room)?;
                Argument::List(self.items("]", room)?.0)
            }
            Some(b'(') => {
                let room = self.open(room)?;
                let (mut items, ends_with_comma) = self.items(")", room)?;
                if let (
                    [Argument::Int(_) | Argument::Float(_) | Argument::SymInt(_) | Argument::SymFloat(_)],
                    false,
                    false,
                ) = (&*items, ends_with_comma, self.hints.is_empty())
                {
                    return Ok(std::mem::take(&mut items[0]));
                }
                if items.len() == 1 && !ends_with_comma {
                    let kind = ParseErrorKind::Invalid("this is neither a tuple nor an argument".into());
                    let hint = "a tuple of one is written `(x,)`".to_owned();
                    return Err(self.lexer.fault(start, kind).hint(hint));
                }
                Argument::Tuple(items)
            }
            Some(b'"') => {
                let text = self.lexer.string()?;
                if self.lexer.peek() == Some(b'{') { self.structure(&text, room)? } else { Argument::Str(text.into()) }
            }
            Some(b'.') => {
                self.lexer.expect("..", AN_ARGUMENT)?;
                self.range(None, room)?
            }
            _ => match self.lexer.number()? {
                Some(Number::Int(int)) => Argument::Int(int),
                Some(Number::Float(float)) => Argument::Float(float),
                None => match self.lexer.rust_path() {
                    Some(word) if self.lexer.peek() == Some(b'{') => self.structure(word, room)?,
                    Some("min") if self.is_call() => self.smaller_or_larger(SymOp::Min, room)?.into(),
                    Some("max") if self.is_call() => self.smaller_or_larger(SymOp::Max, room)?.into(),
                    Some(word) if self.is_call() => self.float_function(start, word, room)?.into(),
                    Some(word) => self.constant(start, word)?,
                    None => return Err(self.lexer.expected(AN_ARGUMENT)),
                },
            },
        })
    }

    /// Steps over a bracket, and says how deep it can be nested inside.
    fn open(&mut self, room: usize) -> Result<usize> {
        let start = self.lexer.at;
        self.lexer.at += 1;
        room.checked_sub(1).ok_or_else(|| self.lexer.fault(start, ParseErrorKind::TooDeep(Argument::MAX_DEPTH)))
    }

    /// The items of a list or tuple, and whether a comma came last.
    fn items(&mut self, end: &'static str, room: usize) -> Result<(Box<[Argument]>, bool)> {
        let mut items = Vec::new();
        while !self.lexer.eat(end) {
            items.push(self.argument(room)?);
            if !self.lexer.eat(",") {
                self.lexer.expect(end, if end == "]" { "`,` or `]`" } else { "`,` or `)`" })?;
                return Ok((items.into(), false));
            }
        }
        Ok((items.into(), true))
    }

    /// `Out { logits: %x }`, behind the name.
    fn structure(&mut self, name: &str, room: usize) -> Result<Argument> {
        let room = self.open(room)?;
        let mut fields = Vec::new();
        while !self.lexer.eat("}") {
            let field = self.lexer.name("a field or `}`")?;
            self.lexer.expect(":", "`:`")?;
            fields.push((field.into(), self.argument(room)?));
            if !self.lexer.eat(",") {
                self.lexer.expect("}", "`,` or `}`")?;
                break;
            }
        }
        Ok(Argument::structure(name, Fields::from(fields)))
    }

    /// Whether sizes are known and a parenthesis comes next.
    fn is_call(&mut self) -> bool {
        !self.hints.is_empty() && self.lexer.peek() == Some(b'(')
    }

    /// A range, behind the dots.
    fn range(&mut self, start: Option<SymInt>, room: usize) -> Result<Argument> {
        let mut ahead = *self.lexer;
        // A size is not called: behind an output, `state (` begins what is written to the state.
        let is_size = ahead.word().is_some_and(|word| match matches!(word, "min" | "max") {
            true => true,
            false => self.hint(word).is_some() && ahead.peek() != Some(b'('),
        });
        let begins =
            !self.hints.is_empty() && (is_size || matches!(self.lexer.peek(), Some(b'(' | b'-' | b'0'..=b'9')));
        let stop = if begins { Some(self.expression(room)?) } else { self.range_end()?.map(SymInt::from) };
        Ok(Argument::range(start, stop))
    }

    fn range_end(&mut self) -> Result<Option<i64>> {
        let before = *self.lexer;
        match self.lexer.number()? {
            None => Ok(None),
            Some(Number::Int(int)) => Ok(Some(int)),
            Some(Number::Float(_)) => {
                *self.lexer = before;
                Err(self.lexer.expected("an integer"))
            }
        }
    }

    /// A word that stands for itself.
    fn constant(&mut self, start: usize, word: &str) -> Result<Argument> {
        Ok(match word {
            "none" => Argument::None,
            "true" => true.into(),
            "false" => false.into(),
            "inf" => f64::INFINITY.into(),
            "nan" => self.nan(start)?.into(),
            "cpu" => candle_core::Device::Cpu.into(),
            "cuda" | "metal" => {
                self.lexer.expect(":", "`:` and the number of the device")?;
                let Some(ordinal) = self.lexer.digits() else {
                    return Err(self.lexer.expected("the number of the device"));
                };
                Argument::Device(Box::new(self.device(start, word, ordinal)?))
            }
            word => match (dtype_from_name(word), self.hint(word)) {
                (Some(dtype), _) => dtype.into(),
                (None, Some(hint)) => Argument::SymInt(SymInt::symbol(word, hint)),
                (None, None) => {
                    let hint = match word {
                        "None" | "null" => "an absent argument is written `none`".into(),
                        "True" | "False" => format!("it is written `{}`", word.to_lowercase()),
                        word => format!("a node is written `%{0}`, text is written `\"{0}\"`", shortened(word)),
                    };
                    self.lexer.at = start;
                    return Err(self.lexer.expected(AN_ARGUMENT).hint(hint));
                }
            },
        })
    }

    /// `nan` or `nan:0x7ff8000000000001`, behind the word.
    fn nan(&mut self, start: usize) -> Result<f64> {
        if !self.lexer.text[self.lexer.at..].starts_with(":0x") {
            return Ok(f64::NAN);
        }
        self.lexer.at += ":0x".len();
        let hex = self.lexer.take_while(|c| c.is_ascii_hexdigit());
        let bits = u64::from_str_radix(hex, 16).ok().map(f64::from_bits);
        bits.filter(|float| float.is_nan())
            .ok_or_else(|| self.lexer.fault(start, ParseErrorKind::Invalid("these are not the bits of a NaN".into())))
    }

    /// What is known of a value.
    pub(super) fn fact(&mut self) -> Result<Fact> {
        self.fact_in(Argument::MAX_DEPTH)
    }

    fn fact_in(&mut self, room: usize) -> Result<Fact> {
        Ok(match self.lexer.peek() {
            Some(b'?') => {
                self.lexer.at += 1;
                Fact::Unknown
            }
            Some(b'[') => {
                let room = self.open(room)?;
                Fact::List(self.facts("]", room)?)
            }
            Some(b'(') => {
                let inside = self.open(room)?;
                let facts = self.facts(")", inside)?;
                match &*facts {
                    // `(n + 1) * 2` begins like a tuple of one.
                    [Fact::SymInt(int)] if matches!(self.lexer.peek(), Some(b'+' | b'-' | b'*' | b'/' | b'%')) => {
                        match self.operations(int.clone().into(), 1, room)? {
                            SymNumber::Int(int) => int
                                .as_int()
                                .map_or_else(|| Fact::SymInt(int.clone()), |int| Fact::Data(Value::Int(int))),
                            SymNumber::Float(_) => return Err(self.lexer.expected("an integer")),
                        }
                    }
                    _ => Fact::Tuple(facts),
                }
            }
            _ => {
                let mut ahead = *self.lexer;
                let word = ahead.word();
                match (word, ahead.peek()) {
                    (Some(word), Some(b'[')) if dtype_from_name(word).is_some() => {
                        self.lexer.at = ahead.at + 1;
                        match dtype_from_name(word) {
                            Some(dtype) if self.hints.is_empty() => Fact::tensor(self.shape()?, dtype),
                            Some(dtype) => self.symbolic_shape(dtype)?,
                            None => Fact::Unknown,
                        }
                    }
                    (Some("data"), Some(b'[' | b'(')) => {
                        *self.lexer = ahead;
                        self.data(room)?
                    }
                    _ => self.data(room)?,
                }
            }
        })
    }

    fn facts(&mut self, end: &'static str, room: usize) -> Result<Vec<Fact>> {
        let mut facts = Vec::new();
        while !self.lexer.eat(end) {
            facts.push(self.fact_in(room)?);
            if !self.lexer.eat(",") {
                self.lexer.expect(end, if end == "]" { "`,` or `]`" } else { "`,` or `)`" })?;
                break;
            }
        }
        Ok(facts)
    }

    /// Plain data, known exactly.
    fn data(&mut self, room: usize) -> Result<Fact> {
        let before = *self.lexer;
        if !self.hints.is_empty()
            && let Argument::SymInt(expression) = self.argument(room)?
        {
            return Ok(Fact::SymInt(expression));
        }
        *self.lexer = before;
        Ok(Fact::Data(self.value(room)?))
    }

    /// An argument without nodes.
    pub(super) fn plain_argument(&mut self) -> Result<Argument> {
        let mut ahead = *self.lexer;
        self.value(Argument::MAX_DEPTH)?;
        std::mem::swap(self.lexer, &mut ahead);
        self.argument(Argument::MAX_DEPTH)
    }

    /// A value without tensors.
    pub(super) fn value(&mut self, room: usize) -> Result<Value> {
        self.lexer.peek();
        let start = self.lexer.at;
        let argument = self.argument(room)?;
        argument.to_value().ok_or_else(|| {
            self.lexer.fault(start, ParseErrorKind::Invalid("a value that is known cannot be that of a node".into()))
        })
    }

    /// The extents of a tensor, behind the `[`.
    fn shape(&mut self) -> Result<Shape> {
        self.lexer.peek();
        let start = self.lexer.at;
        let mut dims = Vec::new();
        while !self.lexer.eat("]") {
            self.lexer.peek();
            let start = self.lexer.at;
            let Some(digits) = self.lexer.digits() else { return Err(self.lexer.expected("an extent or `]`")) };
            let Ok(dim) = digits.parse::<usize>() else {
                let kind = ParseErrorKind::Number { text: shortened(digits), into: "a usize" };
                return Err(self.lexer.fault(start, kind));
            };
            dims.push(dim);
            if !self.lexer.eat(",") {
                self.lexer.expect("]", "`,` or `]`")?;
                break;
            }
        }
        self.counted(start, dims)
    }

    /// The extents of a tensor that follow sizes, behind the `[`.
    fn symbolic_shape(&mut self, dtype: DType) -> Result<Fact> {
        self.lexer.peek();
        let start = self.lexer.at;
        let mut extents = Vec::new();
        while !self.lexer.eat("]") {
            extents.push(self.expression(Argument::MAX_DEPTH)?);
            if !self.lexer.eat(",") {
                self.lexer.expect("]", "`,` or `]`")?;
                break;
            }
        }
        let fact = TensorFact::symbolic(extents, dtype).ok_or_else(|| {
            let kind = ParseErrorKind::Invalid("an extent is negative at the sizes of the capture".into());
            self.lexer.fault(start, kind)
        })?;
        self.counted(start, fact.dims().to_vec())?;
        Ok(Fact::Tensor(fact))
    }

    /// A shape of these extents, unless they are too many elements.
    fn counted(&self, start: usize, dims: Vec<usize>) -> Result<Shape> {
        // Candle multiplies them without looking.
        if dims.iter().try_fold(1usize, |count, &dim| count.checked_mul(dim.max(1))).is_none() {
            let kind = ParseErrorKind::Invalid("no tensor has so many elements".into());
            return Err(self.lexer.fault(start, kind));
        }
        Ok(Shape::from(dims))
    }
}
