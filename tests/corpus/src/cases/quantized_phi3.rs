//! Phi-3 of a GGUF file.

use super::prelude::*;
use crate::gguf::{llama_cpp, read, Up};

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        quantized_phi3: "prefill",
        build: |_| read(llama_cpp("phi3", Up::WithGate, &[])?, |content, reader| {
            quantized_phi3::ModelWeights::from_gguf(false, content, reader, &Device::Cpu)
        }),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
