//! What a call returns, turned into a [`Value`].
//!
//! Invariant: the structure of the Rust value is kept: vectors become lists, tuples tuples.

use candle_core::{DType, Result, Tensor};

use crate::value::Value;

use super::candle_error::candle_error;

use super::kind::Part;

/// A result of a candle expression or of a user's function.
///
/// Tensors, numbers, flags, text, options, lists and tuples, and a `Result` of these.
///
/// ```
/// use fx_core::{ops::IntoValue, value::Value};
///
/// assert_eq!((3_usize, true).into_value()?, Value::Tuple(vec![Value::Int(3), Value::Bool(true)]));
/// assert!(candle_core::Result::<i64>::Err(candle_core::Error::Msg("no".into())).into_value().is_err());
/// # Ok::<(), candle_core::Error>(())
/// ```
pub trait IntoValue {
    /// Whether it may be an error instead.
    const FALLIBLE: bool = false;

    /// As a value.
    ///
    /// # Errors
    /// When the call itself failed.
    fn into_value(self) -> Result<Value>;
}

impl<T: IntoValue, E: Into<Box<dyn std::error::Error + Send + Sync>>> IntoValue for std::result::Result<T, E> {
    const FALLIBLE: bool = true;

    fn into_value(self) -> Result<Value> {
        self.map_err(candle_error)?.into_value()
    }
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn into_value(self) -> Result<Value> {
        self.into_iter().map(IntoValue::into_value).collect::<Result<_>>().map(Value::List)
    }
}

impl<T: IntoValue, const N: usize> IntoValue for [T; N] {
    fn into_value(self) -> Result<Value> {
        Vec::from(self).into_value()
    }
}

impl<T: IntoValue> IntoValue for Option<T> {
    fn into_value(self) -> Result<Value> {
        self.map_or(Ok(Value::None), IntoValue::into_value)
    }
}

impl IntoValue for Part<'_> {
    fn into_value(self) -> Result<Value> {
        match self.0 {
            Some(part) => Ok(part.clone()),
            None => candle_core::bail!("there is no such item"),
        }
    }
}

macro_rules! into_value {
    ($($type:ty, $value:ident => $result:expr;)*) => {$(
        impl IntoValue for $type {
            fn into_value(self) -> Result<Value> {
                let $value = self;
                Ok($result)
            }
        }
    )*};
    (tuples: $(($($name:ident)+))*) => {$(
        impl<$($name: IntoValue),+> IntoValue for ($($name,)+) {
            #[allow(non_snake_case, reason = "the parts are named after their types")]
            fn into_value(self) -> Result<Value> {
                let ($($name,)+) = self;
                Ok(Value::Tuple(vec![$($name.into_value()?),+]))
            }
        }
    )*};
}
into_value! {
    Value, value => value;
    Tensor, tensor => Value::Tensor(tensor);
    bool, flag => Value::Bool(flag);
    usize, size => Value::Int(i64::try_from(size).map_err(candle_core::Error::wrap)?);
    u8, int => Value::Int(int.into());
    u32, int => Value::Int(int.into());
    i32, int => Value::Int(int.into());
    i64, int => Value::Int(int);
    f32, float => Value::Float(float.into());
    f64, float => Value::Float(float);
    DType, dtype => Value::DType(dtype);
    String, text => Value::Str(text.into());
    (), _unit => Value::Tuple(Vec::new());
}
into_value! { tuples: (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }
