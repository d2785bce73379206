//! GLM-4 of a GGUF file.

use super::prelude::*;
use crate::gguf::{llama_cpp, read, Up};

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_glm4: "prefill",
        build: |_| read(llama_cpp("glm4", Up::WithGate, &[])?, |content, reader| {
            quantized_glm4::ModelWeights::from_gguf(content, reader, &Device::Cpu, DType::F32)
        }),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
