//! Qwen 3 of a GGUF file.

use candle::quantized::gguf_file::Value;

use super::prelude::*;
use crate::gguf::{llama_cpp, read, Up};

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_qwen3: "prefill",
        build: |_| read(llama_cpp("qwen3", Up::Alone, &[("general.dtype", Value::U32(0))])?, |content, reader| {
            quantized_qwen3::ModelWeights::from_gguf(content, reader, &Device::Cpu)
        }),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
