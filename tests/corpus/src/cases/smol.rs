//! SmolLM 3: every second layer has no positions.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        smol: "prefill",
        build: |weights| smol::smollm3::ModelForCausalLM::new(&decoder(r#"{ "no_rope_layer_interval": 2 }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
