//! LFM2 of a GGUF file: a convolution, then attention.

use candle::quantized::gguf_file::Value;

use super::prelude::*;
use crate::gguf::{llama_cpp, read, Up};

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_lfm2: "prefill",
        build: |_| read(llama_cpp("lfm2", Up::Alone, &[("lfm2.attention.head_count_kv", Value::Array(vec![Value::U32(0), Value::U32(2)]))])?, |content, reader| {
            quantized_lfm2::ModelWeights::from_gguf(content, reader, &Device::Cpu)
        }),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
