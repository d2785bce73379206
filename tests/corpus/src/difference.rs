//! Compares two tensors to the last bit, and says how far apart they are.

use candle::{DType, Result, Tensor};

/// How two tensors differ.
#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// Same shape, same type, same bits.
    None,
    /// Same shape and type; the largest distance between two elements.
    Values(f64),
    /// They are not of the same kind, in words.
    Kind(String),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::None => f.write_str("0"),
            Self::Values(distance) => write!(f, "{distance:e}"),
            Self::Kind(text) => f.write_str(text),
        }
    }
}

impl Difference {
    /// The larger of two.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        match (self, other) {
            (Self::Kind(text), _) | (_, Self::Kind(text)) => Self::Kind(text),
            (Self::Values(a), Self::Values(b)) => Self::Values(a.max(b)),
            (Self::None, other) | (other, Self::None) => other,
        }
    }
}

/// Compares a result with the one that is wanted.
///
/// # Errors
///
/// If candle cannot read the tensors.
pub fn difference(got: &Tensor, wanted: &Tensor) -> Result<Difference> {
    let kind = |tensor: &Tensor| format!("{:?} of {:?}", tensor.dims(), tensor.dtype());
    if got.shape() != wanted.shape() || got.dtype() != wanted.dtype() {
        return Ok(Difference::Kind(format!("{} instead of {}", kind(got), kind(wanted))));
    }
    if bits(got)? == bits(wanted)? {
        return Ok(Difference::None);
    }
    let pairs = values(got)?.into_iter().zip(values(wanted)?);
    // A distance to a value that is not a number is as large as can be.
    let distance = |(a, b): (f64, f64)| {
        if a == b {
            0.
        } else if (a - b).is_nan() {
            f64::INFINITY
        } else {
            (a - b).abs()
        }
    };
    Ok(Difference::Values(pairs.map(distance).fold(0., f64::max)))
}

/// Whether all elements are finite numbers.
///
/// # Errors
///
/// If candle cannot read the tensor.
pub fn is_finite(tensor: &Tensor) -> Result<bool> {
    Ok(values(tensor)?.iter().all(|value| value.is_finite()))
}

fn values(tensor: &Tensor) -> Result<Vec<f64>> {
    tensor.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

fn bits(tensor: &Tensor) -> Result<Vec<u64>> {
    let flat = tensor.flatten_all()?;
    if flat.dtype() == DType::F64 {
        return Ok(flat.to_vec1::<f64>()?.into_iter().map(f64::to_bits).collect());
    }
    if flat.dtype().is_float() {
        // Exact for all smaller floats.
        let values = flat.to_dtype(DType::F32)?.to_vec1::<f32>()?;
        return Ok(values.into_iter().map(|value| u64::from(value.to_bits())).collect());
    }
    Ok(flat.to_dtype(DType::I64)?.to_vec1::<i64>()?.into_iter().map(|value| value as u64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle::Device;

    #[test]
    fn zeros_of_different_sign_differ() -> Result<()> {
        let tensor = |value: f32| Tensor::new(&[value], &Device::Cpu);
        assert_eq!(difference(&tensor(0.)?, &tensor(0.)?)?, Difference::None);
        assert_eq!(difference(&tensor(0.)?, &tensor(-0.)?)?, Difference::Values(0.));
        assert_eq!(difference(&tensor(1.)?, &tensor(1.5)?)?, Difference::Values(0.5));
        assert_eq!(difference(&tensor(1.)?, &tensor(f32::NAN)?)?, Difference::Values(f64::INFINITY));
        assert_eq!(
            difference(&tensor(1.)?, &Tensor::new(&[1f64, 2.], &Device::Cpu)?)?,
            Difference::Kind("[1] of F32 instead of [2] of F64".into())
        );
        Ok(())
    }
}
