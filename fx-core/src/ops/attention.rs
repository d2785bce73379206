//! Attention by one kernel on the CPU, of `candle_nn::attention`.
//!
//! Invariant: parameters have candle's names. Its type parameter is the tensors' dtype, which here is `f32`.

use candle_core::DType::{F32, F64};

use crate::value::Value::{self, Float, Int};

use super::infer::nn::attended_on_cpu;
use super::sample::tensor;

macro_rules! attention {
    ($with:ident) => {
        $with! { attention:
            /// Softmax of the scaled products of queries and keys, times the values; `(batch, positions, heads, size)` each,
            /// with the heads before the positions in the result.
            function flash_attn in candle_nn::attention (q: Tensor, k: Tensor, v: Tensor, softmax_scale: Single, attn_mask: Mask, max_bias: OptSingle, softcap: OptSingle) -> Tensor {
                candle: candle_nn::attention::flash_attn::<f32>(q, k, v, softmax_scale, attn_mask, max_bias, softcap)?,
                infer: attended_on_cpu([q, k, v], attn_mask, softcap),
                effect: Pure,
                samples: [
                    [tensor(F32, (1, 3, 4, 8)), tensor(F32, (1, 5, 2, 8)), tensor(F32, (1, 5, 2, 8)), Float(0.5), Int(2), Value::None, Value::None],
                    [tensor(F32, (2, 3, 4, 8)), tensor(F32, (2, 3, 4, 8)), tensor(F32, (2, 3, 4, 8)), Float(0.5), Int(0), Value::None, Value::None],
                    [tensor(F32, (1, 3, 4, 8)), tensor(F32, (1, 3, 4, 8)), tensor(F32, (1, 3, 4, 8)), Float(0.5), Value::None, Value::None, Float(30.0)],
                    [tensor(F32, (3, 4, 8)), tensor(F32, (3, 4, 8)), tensor(F32, (3, 4, 8)), Float(0.5), Int(0), Value::None, Value::None],
                    [tensor(F64, (1, 3, 4, 8)), tensor(F64, (1, 3, 4, 8)), tensor(F64, (1, 3, 4, 8)), Float(0.5), Int(0), Value::None, Value::None],
                ],
            }
        }
    };
}
// Recorded by a function with candle's type parameter, `trace/functions.rs`.
attention!(define);
