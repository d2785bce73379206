//! What candle tells of its types in their debug text only.
//!
//! Invariant: numbers are read from such a text exactly, because Rust writes them so that they can be.

use std::fmt::Debug;
use std::str::FromStr;

use candle_core::{DType, Result};

use crate::value::dtype_from_name;

/// A number or flag among the fields of a structure.
pub(super) fn debug_field<T: FromStr>(structure: &impl Debug, field: &str) -> Option<T> {
    let text = format!("{structure:?}");
    let value = text.split(&format!(" {field}: ")).nth(1)?;
    let end = value.find([',', ' ', '}', ')']).unwrap_or(value.len());
    value[..end].parse().ok()
}

/// The dtype of a tensor among the fields of a structure, of which candle writes `Tensor[dims 4; f32]`.
pub(super) fn debug_dtype(structure: &impl Debug, field: &str) -> Option<DType> {
    let text = format!("{structure:?}");
    let tensor = text.split(&format!(" {field}: Tensor[")).nth(1)?.split("; ").nth(1)?;
    let end = tensor.find([',', ']'])?;
    dtype_from_name(&tensor[..end])
}

/// The one of these that has this debug text.
pub(super) fn named<T: Debug>(name: &str, all: impl IntoIterator<Item = T>) -> Result<T> {
    let mut names = Vec::new();
    for one in all {
        let found = format!("{one:?}");
        if found == name {
            return Ok(one);
        }
        names.push(found);
    }
    candle_core::bail!("`{name}` is none of {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_to_the_bit() {
        for p in [0.0, 0.1, 1.0 / 3.0, f32::MIN_POSITIVE, 1e-45, 0.999_999_94] {
            let read: Option<f32> = debug_field(&candle_nn::Dropout::new(p), "drop_p");
            assert_eq!(read.map(f32::to_bits), Some(p.to_bits()));
        }
        assert_eq!(debug_field::<f32>(&candle_nn::Dropout::new(0.5), "p"), None);
    }

    #[test]
    fn dtypes_are_read_whatever_the_size() {
        for (channels, dtype) in [(1, DType::F32), (4, DType::BF16), (3000, DType::F64)] {
            let tensor = || candle_core::Tensor::ones(channels, dtype, &candle_core::Device::Cpu).expect("small");
            let layer = candle_nn::GroupNorm::new(tensor(), tensor(), channels, 1, 1e-5).expect("one group");
            assert_eq!(debug_dtype(&layer, "weight"), Some(dtype));
            assert_eq!(debug_dtype(&layer, "bias"), Some(dtype));
            assert_eq!(debug_dtype(&layer, "other"), None);
        }
    }
}
