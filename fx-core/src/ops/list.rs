//! The parts of a value of several.
//!
//! Invariant: what has parts is a `Vec` or an array in Rust, never a tuple, so that one expression fits all.

use candle_core::DType::{F32, U32};

use crate::value::Value::Int;

use super::infer::part;
use super::sample::{tensor, values};

macro_rules! list {
    ($with:ident) => {
        $with! { list:
            /// One of several values, by its position.
            function getitem(items: List, index: Size) -> Tensor {
                candle: items[index].clone(),
                infer: part(items, index),
                effect: Pure,
                samples: [
                    [values([tensor(F32, 2), tensor(U32, 3)]), Int(1)], [values([values([tensor(F32, 2)])]), Int(0)],
                    [values([tensor(F32, 2)]), Int(1)], [tensor(F32, 2), Int(0)],
                ],
            }
        }
    };
}
list!(define);
pub(crate) use list;
