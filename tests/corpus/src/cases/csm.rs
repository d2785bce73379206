//! CSM: its small Llama, on embeddings.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        csm: "prefill",
        build: |weights| csm::LlamaModel::new(&csm::LlamaConfig::from_flavor(csm::Flavor::Llama100M), weights),
        inputs: |at| Ok([at.uniform((at.batch, at.seq, 1024))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
