//! SNAC: codes of a sound at three rates, and the sound of codes.

use super::prelude::*;

const CONFIG: &str = r#"{
    "sampling_rate": 2000, "encoder_dim": 8, "encoder_rates": [2, 4], "decoder_dim": 32, "decoder_rates": [4, 2],
    "attn_window_size": null, "codebook_size": 16, "codebook_dim": 4, "vq_strides": [4, 2, 1], "noise": false,
    "depthwise": false
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            snac: "encoder",
            build: |weights| snac::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([(at.uniform((at.batch, 1, 64))? * 100.)?]),
            call: |model, x| model.encode(&x[0]),
        },
        case! {
            snac: "decoder",
            build: |weights| snac::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.ids(16, (at.batch, 2))?, at.ids(16, (at.batch, 4))?, at.ids(16, (at.batch, 8))?]),
            call: |model, x| model.decode(&[&x[0], &x[1], &x[2]]),
        },
    ]
}
