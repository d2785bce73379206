//! Operations that make a tensor from nothing but numbers.

use candle_core::DType::{self, F32, U32};
use candle_core::{Shape, Tensor};

use crate::value::{Device, Fact, Value};

use super::infer::Inferred;

/// A tensor of this shape and dtype.
fn created(shape: impl Into<Shape>, dtype: DType) -> Inferred {
    Ok(Fact::tensor(shape, dtype))
}

/// As many numbers as there are from `start` on, one apart, below `end`.
fn counted(start: f64, end: f64, dtype: DType) -> Inferred {
    created((end - start).max(0.0).ceil() as usize, dtype)
}

fn shape(dims: &[i64]) -> Value {
    Value::Tuple(dims.iter().map(|&dim| Value::Int(dim)).collect())
}

fn cpu() -> Value {
    Value::Device(Device(candle_core::Device::Cpu))
}

macro_rules! create {
    ($with:ident) => {
        $with! { create:
            /// Zeros.
            function zeros in Tensor (shape: Shape, dtype: DType, device: Device) -> Tensor {
                candle: Tensor::zeros(shape, dtype, device)?,
                infer: created(shape, dtype),
                effect: Pure,
                samples: [[shape(&[2, 3]), Value::DType(F32), cpu()]],
            }
            /// `start`, `start + 1`, … as long as they are below `end`.
            function arange in Tensor (start: Number, end: Number, dtype: DType, device: Device) -> Tensor {
                numbers: dtype(start, end),
                candle: Tensor::arange(start, end, device)?,
                infer: counted(start, end, dtype),
                effect: Pure,
                samples: [[Value::Int(0), Value::Int(5), Value::DType(U32), cpu()]],
            }
        }
    };
}
create!(define);
pub(crate) use create;
