//! Qwen 2 of a GGUF file.

use super::prelude::*;
use crate::gguf::{llama_cpp, read, Up};

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_qwen2: "prefill",
        build: |_| read(llama_cpp("qwen2", Up::Alone, &[])?, |content, reader| {
            quantized_qwen2::ModelWeights::from_gguf(content, reader, &Device::Cpu)
        }),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
