//! Decoding what is known of arguments, for `infer:` rules.
//!
//! Invariant: a rule runs only when something is known of every argument.

use std::borrow::Cow;

use candle_core::{DType, Shape};

use crate::value::{Fact, TensorFact, Value};

use super::def::Facts;
use super::from_value::FromValue;
use super::infer::InferError;
use super::kind::{Axes, Axis, HoledShape, IndexItem, Pair};

/// Something that a rule can be given of an argument: what is known of a tensor, or plain data.
pub trait FromFact<'v>: Sized {
    /// The fact as this type; `Ok(None)` if nothing is known.
    ///
    /// # Errors
    /// The kind that was expected, if the fact is of another.
    fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str>;
}

impl<'v> Facts<'v> {
    /// What is known of argument `index`; `Ok(None)` if nothing is.
    ///
    /// # Errors
    /// When the call has no such argument or it is of another kind.
    pub fn get<T: FromFact<'v>>(&self, index: usize) -> Result<Option<T>, InferError> {
        let param = self.op.params.get(index).map_or("?", |param| param.name);
        let Some(fact) = self.facts.get(index) else {
            return Err(InferError(format!("{}: argument `{param}` is missing", self.op.name)));
        };
        T::from_fact(fact).map_err(|expected| {
            InferError(format!("{}: argument `{param}` should be {expected}, but is {fact}", self.op.name))
        })
    }
}

impl<'v> FromFact<'v> for &'v TensorFact {
    fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str> {
        match fact {
            Fact::Unknown => Ok(None),
            Fact::Tensor(tensor) => Ok(Some(tensor)),
            _ => Err("a tensor"),
        }
    }
}

impl<'v> FromFact<'v> for Option<&'v TensorFact> {
    fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str> {
        match fact {
            Fact::Data(Value::None) => Ok(Some(None)),
            fact => Ok(<&TensorFact>::from_fact(fact)?.map(Some)),
        }
    }
}

impl<'v> FromFact<'v> for Vec<&'v TensorFact> {
    fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str> {
        match fact {
            Fact::Unknown => Ok(None),
            Fact::List(items) | Fact::Tuple(items) => items.iter().map(<&TensorFact>::from_fact).collect(),
            _ => Err("tensors"),
        }
    }
}

impl<'v> FromFact<'v> for &'v Fact {
    fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str> {
        Ok((!fact.is_unknown()).then_some(fact))
    }
}

/// What is known of a tensor or a number.
///
/// What a rule sees of a parameter that takes either.
#[derive(Debug, Clone, Copy)]
pub enum OperandFact<'v> {
    /// A tensor.
    Tensor(&'v TensorFact),
    /// A number.
    Number,
}

impl<'v> FromFact<'v> for OperandFact<'v> {
    fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str> {
        match fact {
            Fact::Unknown => Ok(None),
            Fact::Tensor(tensor) => Ok(Some(Self::Tensor(tensor))),
            Fact::Data(Value::Int(_) | Value::Float(_)) => Ok(Some(Self::Number)),
            _ => Err("a tensor or a number"),
        }
    }
}

/// What is known of one item of an index.
///
/// As [`IndexItem`], before it exists.
#[derive(Debug, Clone, Copy)]
pub enum IndexFact<'v> {
    /// One element.
    At(usize),
    /// A range.
    Range(usize, Option<usize>),
    /// A tensor of indices.
    Tensor(&'v TensorFact),
}

const INDEX: &str = <IndexItem<'static> as FromValue<'static>>::EXPECTED;

impl IndexFact<'_> {
    fn of(value: &Value) -> Result<Self, &'static str> {
        match IndexItem::from_value(value).ok_or(INDEX)? {
            IndexItem::At(index) => Ok(Self::At(index)),
            IndexItem::Range(start, stop) => Ok(Self::Range(start, stop)),
            IndexItem::Tensor(_) => Err(INDEX),
        }
    }
}

impl<'v> FromFact<'v> for IndexFact<'v> {
    fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str> {
        match fact {
            Fact::Unknown => Ok(None),
            Fact::Tensor(tensor) => Ok(Some(Self::Tensor(tensor))),
            Fact::Data(value) => Self::of(value).map(Some),
            Fact::List(_) | Fact::Tuple(_) | Fact::SymInt(_) => Err(INDEX),
        }
    }
}

impl<'v> FromFact<'v> for Vec<IndexFact<'v>> {
    fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str> {
        match fact {
            Fact::List(items) | Fact::Tuple(items) => items.iter().map(IndexFact::from_fact).collect(),
            Fact::Data(Value::List(items) | Value::Tuple(items)) => {
                items.iter().map(|item| IndexFact::of(item).map(Some)).collect()
            }
            fact => Ok(IndexFact::from_fact(fact)?.map(|item| vec![item])),
        }
    }
}

macro_rules! from_data {
    ($($type:ty),* $(,)?) => {$(
        impl<'v> FromFact<'v> for $type {
            fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str> {
                match fact {
                    Fact::Unknown => Ok(None),
                    Fact::Data(value) => {
                        <$type>::from_value(value).map(Some).ok_or(<$type as FromValue<'v>>::EXPECTED)
                    }
                    _ => Err(<$type as FromValue<'v>>::EXPECTED),
                }
            }
        }
    )*};
    // Data of several parts may also come as a list of facts of each.
    (lists: $($type:ty),* $(,)?) => {$(
        impl<'v> FromFact<'v> for $type {
            fn from_fact(fact: &'v Fact) -> Result<Option<Self>, &'static str> {
                let Some(value) = data(fact)? else { return Ok(None) };
                <$type>::from_value(&value).map(Some).ok_or(<$type as FromValue<'_>>::EXPECTED)
            }
        }
    )*};
}
from_data!(bool, usize, i32, i64, f64, f32, Option<f32>, DType, &'v candle_core::Device);
from_data!(lists: Axis, Axes, Shape, HoledShape, Pair, Vec<usize>, Vec<std::ops::Range<usize>>);

/// The plain data of a fact, or `None` if some of it is unknown.
fn data(fact: &Fact) -> Result<Option<Cow<'_, Value>>, &'static str> {
    match fact {
        Fact::Unknown => Ok(None),
        Fact::Data(value) => Ok(Some(Cow::Borrowed(value))),
        Fact::Tensor(_) => Err("plain data"),
        Fact::SymInt(expression) => Ok(Some(Cow::Owned(Value::Int(expression.hint())))),
        Fact::List(items) | Fact::Tuple(items) => {
            let mut values = Vec::with_capacity(items.len());
            for item in items {
                match item {
                    Fact::Data(value) => values.push(value.clone()),
                    Fact::SymInt(expression) => values.push(Value::Int(expression.hint())),
                    Fact::Unknown => return Ok(None),
                    _ => return Err("plain data"),
                }
            }
            Ok(Some(Cow::Owned(Value::Tuple(values))))
        }
    }
}
