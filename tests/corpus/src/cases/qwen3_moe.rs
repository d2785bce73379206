//! Qwen 3 with experts: each token goes to two of four.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        qwen3_moe: "prefill",
        build: |weights| qwen3_moe::ModelForCausalLM::new(&decoder(r#"{ "decoder_sparse_step": 1, "moe_intermediate_size": 16, "num_experts_per_tok": 2, "num_experts": 4, "norm_topk_prob": true }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
