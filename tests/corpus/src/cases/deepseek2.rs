//! DeepSeek 2: latent attention, and experts of which each token goes to two.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        deepseek2: "prefill",
        build: |weights| deepseek2::DeepSeekV2::new(
            &decoder(
                r#"{ "moe_intermediate_size": 16, "n_shared_experts": 1, "n_routed_experts": 4, "num_experts_per_tok": 2,
                     "first_k_dense_replace": 1, "q_lora_rank": null, "qk_rope_head_dim": 4, "kv_lora_rank": 8,
                     "v_head_dim": 8, "qk_nope_head_dim": 8, "n_group": 1, "topk_group": 1, "rope_scaling": null }"#,
            )?,
            weights,
        ),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
