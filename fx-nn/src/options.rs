//! Options of layers: what a layer's constructor takes by name in torch.nn, with torch's defaults.
//!
//! Invariant: an option that is written into a graph and read back is the same.

use candle_core::{Result, Tensor};
use candle_nn::VarBuilder;
use fx_core::module::LayerState;
use fx_core::ops::{FromValue, IntoValue};
use fx_core::value::Value;

/// One extent for each spatial dimension; a single number stands for all of them.
///
/// ```
/// use fx_nn::Size;
/// assert_eq!(Size::<2>::from(3), Size([3, 3]));
/// assert_eq!(Size::<2>::from((3, 5)), Size([3, 5]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size<const N: usize>(pub [usize; N]);

impl<const N: usize> From<usize> for Size<N> {
    fn from(size: usize) -> Self {
        Self([size; N])
    }
}

impl<const N: usize> From<[usize; N]> for Size<N> {
    fn from(sizes: [usize; N]) -> Self {
        Self(sizes)
    }
}

impl From<(usize, usize)> for Size<2> {
    fn from((height, width): (usize, usize)) -> Self {
        Self([height, width])
    }
}

impl<const N: usize> IntoValue for Size<N> {
    fn into_value(self) -> Result<Value> {
        self.0.into_value()
    }
}

impl<'v, const N: usize> FromValue<'v> for Size<N> {
    const EXPECTED: &'static str = "one size for each dimension";

    fn from_value(value: &'v Value) -> Option<Self> {
        match value {
            Value::Int(size) => usize::try_from(*size).ok().map(Self::from),
            value => <[usize; N]>::from_value(value).map(Self),
        }
    }
}

/// As torch prints it: one number, or several in parentheses.
impl<const N: usize> std::fmt::Display for Size<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&tuple(&self.0))
    }
}

/// Numbers as Python prints a tuple: `(3,)`, `(3, 5)`.
pub(crate) fn tuple<T: std::fmt::Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    match items.as_slice() {
        [one] => format!("({one},)"),
        several => format!("({})", several.join(", ")),
    }
}

/// A number as Python prints it: `1.0`, `1e-05`.
pub(crate) fn float(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) && value.is_finite() {
        let text = format!("{value:e}");
        return match text.split_once("e-") {
            Some((digits, exponent)) => format!("{digits}e-{exponent:0>2}"),
            None => text.replace('e', "e+"),
        };
    }
    format!("{value:?}")
}

/// A flag as Python prints it.
pub(crate) fn flag(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// A builder of the tensors of a layer's state.
pub(crate) fn builder(state: &LayerState) -> VarBuilder<'static> {
    let tensors: std::collections::HashMap<String, Tensor> =
        state.tensors.iter().map(|(name, tensor)| ((*name).to_owned(), tensor.clone())).collect();
    let first = state.tensors.iter().map(|(_, tensor)| tensor).find(|tensor| tensor.dtype().is_float());
    let (dtype, device) = first.map_or((candle_core::DType::F32, candle_core::Device::Cpu), |tensor| {
        (tensor.dtype(), tensor.device().clone())
    });
    VarBuilder::from_tensors(tensors, dtype, &device)
}

/// Declares the options of a layer: a struct with torch's defaults, and a method for each option that sets it.
macro_rules! options {
    (
        $(#[$doc:meta])*
        $name:ident $([const $generic:ident])? {
            $($(#[$field_doc:meta])* $field:ident: $type:ty = $default:expr),* $(,)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name $(<const $generic: usize>)? {
            $($(#[$field_doc])* pub $field: $type),*
        }

        impl $(<const $generic: usize>)? Default for $name $(<$generic>)? {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        impl $(<const $generic: usize>)? $name $(<$generic>)? {
            $(
                $(#[$field_doc])*
                #[must_use]
                pub fn $field(mut self, $field: impl Into<$type>) -> Self {
                    self.$field = $field.into();
                    self
                }
            )*

            /// The names of the options.
            #[allow(dead_code, reason = "not every layer can be made again")]
            pub(crate) const NAMES: &'static [&'static str] = &[$(stringify!($field)),*];

            /// By name, for the state of the layer.
            #[allow(dead_code, reason = "not every layer can be made again")]
            pub(crate) fn state(&self) -> candle_core::Result<Vec<(&'static str, fx_core::value::Value)>> {
                Ok(vec![$((stringify!($field), fx_core::ops::IntoValue::into_value(self.$field.clone())?)),*])
            }

            /// From the state of a layer.
            #[allow(dead_code, reason = "not every layer can be made again")]
            pub(crate) fn restored(state: &fx_core::module::LayerState) -> candle_core::Result<Self> {
                Ok(Self { $($field: state.option(stringify!($field))?),* })
            }
        }
    };
}
pub(crate) use options;

/// Declares an option that is one of several words, written in graphs as torch writes it.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant),*
        }

        impl $name {
            /// torch's word for it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = candle_core::Error;

            fn from_str(word: &str) -> candle_core::Result<Self> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => candle_core::bail!("`{word}` should be one of {:?}", [$($word),*]),
                }
            }
        }

        impl fx_core::ops::IntoValue for $name {
            fn into_value(self) -> candle_core::Result<fx_core::value::Value> {
                self.as_str().to_owned().into_value()
            }
        }

        impl<'v> fx_core::ops::FromValue<'v> for $name {
            const EXPECTED: &'static str = concat!("one of" $(, " `", $word, "`")*);

            fn from_value(value: &'v fx_core::value::Value) -> Option<Self> {
                <&str as fx_core::ops::FromValue>::from_value(value)?.parse().ok()
            }
        }
    };
}
pub(crate) use words;
