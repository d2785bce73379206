//! The parts of a value of several.
//!
//! It is what a graph does with the results of a call that gives several.
//!
//! Invariant: the parts of a `Vec` and of a tuple are taken by the same operation; generated code writes a tuple's as
//! fields.

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
                    [values([tensor(F32, 2), tensor(U32, 3)]), Int(1)],
                    [values([tensor(F32, 2)]), Int(1)], [tensor(F32, 2), Int(0)],
                ],
            }
        }
    };
}
// Recorded as the parts of a result are taken: there is no candle function of this name.
list!(define);
