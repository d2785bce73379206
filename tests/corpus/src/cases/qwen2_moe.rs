//! Qwen 2 with experts: each token goes to two of four, and to a shared one.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        qwen2_moe: "prefill",
        build: |weights| qwen2_moe::Model::new(&decoder(r#"{ "shared_expert_intermediate_size": 16, "decoder_sparse_step": 1, "moe_intermediate_size": 16, "num_experts_per_tok": 2, "num_experts": 4, "norm_topk_prob": true }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
