//! Phi-2 of a GGUF file.

use candle::quantized::gguf_file::Value;

use super::prelude::*;
use crate::gguf::{llama_cpp, read, Up};

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_phi: "prefill",
        build: |_| read(llama_cpp("phi2", Up::Alone, &[("phi2.attention.head_count_kv", Value::U32(4))])?, |content, reader| {
            quantized_phi::ModelWeights::from_gguf(content, reader, &Device::Cpu)
        }),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
