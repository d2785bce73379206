//! Rust's operators on tensors and numbers.

use candle_core::DType::F32;

use crate::value::Value::Float;

use super::infer::operator;
use super::sample::tensor;

macro_rules! operators {
    ($with:ident) => {
        $with! { operators:
            /// The sum of two tensors of one shape, or of a tensor and a number.
            operator add(lhs: Operand, rhs: Operand) -> Tensor {
                candle: (lhs + rhs)?,
                infer: operator(lhs, rhs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F32, 3), Float(0.5)],
                    [Float(0.5), tensor(F32, 3)], [tensor(F32, (2, 3)), tensor(F32, 3)]],
            }
            /// The difference of two tensors of one shape, or of a tensor and a number.
            operator sub(lhs: Operand, rhs: Operand) -> Tensor {
                candle: (lhs - rhs)?,
                infer: operator(lhs, rhs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F32, 3), Float(0.5)],
                    [Float(0.5), tensor(F32, 3)], [tensor(F32, (2, 3)), tensor(F32, 3)]],
            }
            /// The product of two tensors of one shape, or of a tensor and a number.
            operator mul(lhs: Operand, rhs: Operand) -> Tensor {
                candle: (lhs * rhs)?,
                infer: operator(lhs, rhs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F32, 3), Float(0.5)],
                    [Float(0.5), tensor(F32, 3)], [tensor(F32, (2, 3)), tensor(F32, 3)]],
            }
            /// The quotient of two tensors of one shape, or of a tensor and a number.
            operator div(lhs: Operand, rhs: Operand) -> Tensor {
                candle: (lhs / rhs)?,
                infer: operator(lhs, rhs),
                effect: Pure,
                samples: [[tensor(F32, (2, 3)), tensor(F32, (2, 3))], [tensor(F32, 3), Float(0.5)],
                    [Float(0.5), tensor(F32, 3)], [tensor(F32, (2, 3)), tensor(F32, 3)]],
            }
        }
    };
}
operators!(define);
pub(crate) use operators;
