//! Rust's operators on tensors and numbers.
//!
//! The result has the shape and dtype of the tensor. Two tensors have one shape and dtype: nothing broadcasts.
//!
//! Invariant: one side is a tensor.

use candle_core::DType::{BF16, F16, F32, F64, I64, U32};

use crate::value::Value::{Float, Int};

use super::infer::{operator, quotient};
use super::sample::{positive, tensor};

macro_rules! operators {
    ($with:ident) => {
        $with! { operators:
            /// The sum of two tensors of one shape, or of a tensor and a number.
            operator add(lhs: Operand, rhs: Operand) -> Tensor {
                candle: (lhs + rhs)?,
                infer: operator(lhs, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F32, 3), Float(0.5)],
                    [tensor(BF16, 3), Int(2)], [Float(0.5), tensor(F16, 3)], [Int(2), positive(F64, 3)],
                    [tensor(U32, 3), Int(2)], [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(F64, 3)],
                    [tensor(F32, 3), Float(f64::from_bits(0xfff8_0000_0000_0000))],
                    [tensor(F64, 3), Float(f64::from_bits(0x7ff8_0000_0000_0007))], [Int(1), Int(2)],
                ],
            }
            /// The difference of two tensors of one shape, or of a tensor and a number.
            operator sub(lhs: Operand, rhs: Operand) -> Tensor {
                candle: (lhs - rhs)?,
                infer: operator(lhs, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F32, 3), Float(0.5)],
                    [tensor(BF16, 3), Int(2)], [Float(0.5), tensor(F16, 3)], [Int(2), positive(F64, 3)],
                    [tensor(I64, 3), Int(2)], [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(F64, 3)],
                    [Int(1), Int(2)],
                ],
            }
            /// The product of two tensors of one shape, or of a tensor and a number.
            operator mul(lhs: Operand, rhs: Operand) -> Tensor {
                candle: (lhs * rhs)?,
                infer: operator(lhs, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F32, 3), Float(0.5)],
                    [tensor(BF16, 3), Int(2)], [Float(0.5), tensor(F16, 3)], [Int(2), positive(F64, 3)],
                    [tensor(U32, 3), Int(2)], [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(F64, 3)],
                    [Int(1), Int(2)],
                ],
            }
            /// The quotient of two tensors of one shape, or of a tensor and a number.
            operator div(lhs: Operand, rhs: Operand) -> Tensor {
                candle: (lhs / rhs)?,
                infer: quotient(lhs, rhs),
                effect: Pure,
                samples: [
                    [tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F32, 3), Float(0.5)],
                    [tensor(BF16, 3), Int(2)], [Float(0.5), tensor(F16, 3)], [Int(2), positive(F64, 3)],
                    [tensor(U32, 3), Int(2)], [tensor(F32, (2, 3)), tensor(F32, 3)], [tensor(F32, 3), tensor(F64, 3)],
                    [Int(1), Int(2)], [Int(1), tensor(U32, 3)],
                ],
            }
        }
    };
}
operators!(define);
pub(crate) use operators;
