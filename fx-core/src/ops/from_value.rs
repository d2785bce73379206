//! Decoding arguments, for `candle:` expressions.
//!
//! Invariant: an argument of the wrong kind is an error that names operation and parameter, never a panic.

use candle_core::{DType, Error, Result, Shape, Tensor};
use candle_nn::attention::AttnMask;

use crate::value::Value;

use super::def::Args;
use super::kind::{Axes, Axis, HoledShape, Index, IndexItem, Items, Operand, Pair};

/// Something that an argument can be decoded into.
///
/// Tensors, numbers, flags, text, options, lists and tuples. It is how operations read their arguments, and
/// [`Compiled::call`](crate::compile::Compiled::call) the result of a graph.
///
/// ```
/// use fx_core::{ops::FromValue, value::Value};
///
/// assert_eq!(i64::from_value(&Value::Int(-1)), Some(-1));
/// // An extent is not negative.
/// assert_eq!(usize::from_value(&Value::Int(-1)), None);
/// assert_eq!(Option::<i64>::from_value(&Value::None), Some(None));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a function with `#[fx::wrap]`",
    note = "a graph gives tensors (`Tensor`, `&Tensor`), numbers, flags, text, dtypes, devices, and options, lists and tuples of them"
)]
pub trait FromValue<'v>: Sized {
    /// What it is called in messages.
    const EXPECTED: &'static str;
    /// The value as this type, or `None` if it is something else.
    fn from_value(value: &'v Value) -> Option<Self>;
}

impl<'v> Args<'v> {
    /// Argument `index`, decoded.
    ///
    /// # Errors
    /// When the call has no such argument or it is of another kind; the message names operation and parameter.
    pub fn get<T: FromValue<'v>>(&self, index: usize) -> Result<T> {
        let param = self.op.params.get(index).map_or("?", |param| param.name);
        let Some(value) = self.values.get(index) else {
            return Err(Error::Msg(format!("{}: argument `{param}` is missing", self.op.name)).bt());
        };
        T::from_value(value).ok_or_else(|| {
            let (op, expected, found) = (self.op.name, T::EXPECTED, value.kind());
            Error::Msg(format!("{op}: argument `{param}` should be {expected}, but is {found} `{value}`")).bt()
        })
    }
}

macro_rules! from_value {
    ($($type:ty, $expected:literal, $value:ident => $($pattern:pat => $result:expr),+;)*) => {$(
        impl<'v> FromValue<'v> for $type {
            const EXPECTED: &'static str = $expected;
            #[allow(unreachable_patterns, reason = "some accept every value")]
            fn from_value($value: &'v Value) -> Option<Self> {
                match $value {
                    $($pattern => $result,)+
                    _ => None,
                }
            }
        }
    )*};
}

from_value! {
    &'v Tensor, "a tensor", value => Value::Tensor(tensor) => Some(tensor);
    Tensor, "a tensor", value => Value::Tensor(tensor) => Some(tensor.clone());
    bool, "a flag", value => Value::Bool(flag) => Some(*flag);
    usize, "a size", value => Value::Int(size) => usize::try_from(*size).ok();
    u8, "a small integer", value => Value::Int(int) => u8::try_from(*int).ok();
    u16, "a small integer", value => Value::Int(int) => u16::try_from(*int).ok();
    u64, "a non-negative integer", value => Value::Int(int) => u64::try_from(*int).ok();
    i8, "a small integer", value => Value::Int(int) => i8::try_from(*int).ok();
    i16, "a small integer", value => Value::Int(int) => i16::try_from(*int).ok();
    isize, "an integer", value => Value::Int(int) => isize::try_from(*int).ok();
    u32, "a non-negative integer", value => Value::Int(int) => u32::try_from(*int).ok();
    i32, "an integer", value => Value::Int(int) => i32::try_from(*int).ok();
    i64, "an integer", value => Value::Int(int) => Some(*int);
    f64, "a number", value => Value::Float(float) => Some(*float), Value::Int(int) => Some(*int as f64);
    f32, "a number", value => Value::Float(float) => Some(*float as f32), Value::Int(int) => Some(*int as f32);
    DType, "a dtype", value => Value::DType(dtype) => Some(*dtype);
    &'v candle_core::Device, "a device", value => Value::Device(device) => Some(&device.0);
    candle_core::Device, "a device", value => Value::Device(device) => Some(device.0.clone());
    &'v str, "text", value => Value::Str(text) => Some(text);
    String, "text", value => Value::Str(text) => Some(text.to_string());
    &'v Value, "a value", value => value => Some(value);
}

impl<'v, T: FromValue<'v>> FromValue<'v> for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn from_value(value: &'v Value) -> Option<Self> {
        match value {
            Value::None => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

impl<'v, T: FromValue<'v>> FromValue<'v> for Vec<T> {
    const EXPECTED: &'static str = "a list";
    fn from_value(value: &'v Value) -> Option<Self> {
        match value {
            Value::List(items) | Value::Tuple(items) => items.iter().map(T::from_value).collect(),
            _ => None,
        }
    }
}

impl<'v, T: FromValue<'v>, const N: usize> FromValue<'v> for [T; N] {
    const EXPECTED: &'static str = "a list of a fixed length";
    fn from_value(value: &'v Value) -> Option<Self> {
        Vec::from_value(value)?.try_into().ok()
    }
}

macro_rules! from_tuples {
    ($(($($name:ident)+))*) => {$(
        impl<'v, $($name: FromValue<'v>),+> FromValue<'v> for ($($name,)+) {
            const EXPECTED: &'static str = "a tuple";
            #[allow(non_snake_case, reason = "the parts are named after their types")]
            fn from_value(value: &'v Value) -> Option<Self> {
                let Value::Tuple(items) = value else { return None };
                let mut items = items.iter();
                $(let $name = $name::from_value(items.next()?)?;)+
                items.next().is_none().then_some(($($name,)+))
            }
        }
    )*};
}
from_tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

from_value! {
    Axis, "an axis", value => Value::Int(axis) => Some(Axis(*axis));
    Axes, "axes", value => Value::Int(axis) => Some(Axes(vec![Axis(*axis)])),
        Value::List(items) | Value::Tuple(items) => items.iter().map(Axis::from_value).collect::<Option<_>>().map(Axes);
    Shape, "a shape", value => Value::Int(dim) => Some(Shape::from(usize::try_from(*dim).ok()?)),
        Value::List(items) | Value::Tuple(items) =>
            items.iter().map(usize::from_value).collect::<Option<Vec<_>>>().map(Shape::from);
    HoledShape, "a shape", value => Value::Int(dim) => Some(HoledShape(vec![*dim])),
        Value::List(items) | Value::Tuple(items) => items.iter().map(i64::from_value).collect::<Option<_>>().map(HoledShape);
    Pair, "one or two sizes", value => Value::Int(size) => usize::try_from(*size).ok().map(|size| Pair(size, size)),
        Value::List(items) | Value::Tuple(items) => match items.as_slice() {
            [first, second] => Some(Pair(usize::from_value(first)?, usize::from_value(second)?)),
            _ => None,
        };
    AttnMask, "no mask, a number of positions or a tensor", value => Value::None => Some(AttnMask::None),
        Value::Int(offset) => usize::try_from(*offset).ok().map(AttnMask::causal_with_offset),
        Value::Tensor(mask) => Some(AttnMask::Mask(mask.clone()));
    Operand<'v>, "a tensor or a number", value => Value::Tensor(tensor) => Some(Operand::Tensor(tensor)),
        Value::Float(float) => Some(Operand::Float(*float)),
        Value::Int(int) => Some(Operand::Int(*int));
    IndexItem<'v>, "an index, a range or a tensor of indices", value =>
        Value::Int(index) => usize::try_from(*index).ok().map(IndexItem::At),
        Value::Range(start, stop) => Some(IndexItem::Range(
            usize::try_from(start.unwrap_or(0)).ok()?,
            match stop { Some(stop) => Some(usize::try_from(*stop).ok()?), None => None },
        )),
        Value::Tensor(tensor) => Some(IndexItem::Tensor(tensor));
    Items<'v>, "a list", value => Value::List(items) | Value::Tuple(items) => Some(Items::new(items));
    Index<'v>, "an index", value =>
        Value::List(items) | Value::Tuple(items) => items.iter().map(IndexItem::from_value).collect::<Option<_>>().map(Index),
        value => IndexItem::from_value(value).map(|item| Index(vec![item]));
    std::ops::Range<usize>, "a range", value =>
        Value::Range(start, Some(stop)) => Some(usize::try_from(start.unwrap_or(0)).ok()?..usize::try_from(*stop).ok()?);
}
