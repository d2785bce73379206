//! Gemma 3: layers with a rotating cache beside layers with a growing one.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        gemma3: "prefill",
        build: |weights| gemma3::Model::new(false, &decoder(r#"{ "query_pre_attn_scalar": 8, "rope_local_base_freq": 10000.0, "sliding_window_pattern": 2, "num_key_value_heads": 1 }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
