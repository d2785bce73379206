//! How plain data is written in graphs and read back: dtypes by their short names, floats in full.
//!
//! Invariant: reading what was written gives the same bits.

use std::fmt;

use candle_core::DType;

/// Short name of a dtype as the graph's text writes it, `f32`.
///
/// candle's own: `u8`, `u32`, `i16`, `i32`, `i64`, `bf16`, `f16`, `f32`, `f64`, …. [`dtype_from_name`] reads it.
#[must_use]
pub fn dtype_name(dtype: DType) -> &'static str {
    dtype.as_str()
}

/// The dtype with this short name, if there is one.
///
/// ```
/// use candle_core::DType;
/// use fx_core::value::{dtype_from_name, dtype_name};
///
/// assert_eq!(dtype_from_name(dtype_name(DType::BF16)), Some(DType::BF16));
/// assert_eq!(dtype_from_name("float"), None);
/// ```
#[must_use]
pub fn dtype_from_name(name: &str) -> Option<DType> {
    name.parse().ok()
}

/// A float written so that it is recognised as one and reads back to the same bits: `1.0`, `1e-12`, `inf`, `nan`, and
/// `nan:0x7ff8000000000001` for a NaN of other bits than Rust's.
///
/// ```
/// use fx_core::value::Decimal;
///
/// let written = [1.0, 1e-12, f64::NEG_INFINITY, -0.0].map(|float| Decimal(float).to_string());
/// assert_eq!(written, ["1.0", "1e-12", "-inf", "-0.0"]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Decimal(pub f64);

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `{:?}` is the shortest text that reads back to the same f64, and always has a point or an exponent.
        let Self(value) = *self;
        if value.is_nan() && value.to_bits() != f64::NAN.to_bits() {
            write!(f, "nan:{:#x}", value.to_bits())
        } else if value.is_nan() {
            f.write_str("nan")
        } else if value.is_infinite() {
            f.write_str(if value < 0.0 { "-inf" } else { "inf" })
        } else {
            write!(f, "{value:?}")
        }
    }
}
