//! OLMo: normalisation without weights, clipped projections.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        olmo: "prefill",
        build: |weights| olmo::Model::new(&decoder(r#"{ "clip_qkv": 1.0 }"#)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
