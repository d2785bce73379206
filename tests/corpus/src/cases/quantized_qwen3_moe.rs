//! Qwen 3 of a GGUF file, with perceptrons that are no mixtures: those run on CUDA only.

use super::prelude::*;
use crate::gguf::{llama_cpp, read, Up};

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_qwen3_moe: "prefill",
        build: |_| read(llama_cpp("qwen3moe", Up::Alone, &[])?, |content, reader| {
            quantized_qwen3_moe::GGUFQWenMoE::from_gguf(content, reader, &Device::Cpu, DType::F32)
        }),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
