//! Llama of a GGUF file.

use super::prelude::*;
use crate::gguf::{llama_cpp, read, Up};

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_llama: "prefill",
        build: |_| read(llama_cpp("llama", Up::Alone, &[])?, |content, reader| {
            quantized_llama::ModelWeights::from_gguf(content, reader, &Device::Cpu)
        }),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
