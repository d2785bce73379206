//! Based: a convolution, linear attention and attention in a sliding window.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "n_embd": 32, "n_inner": 64, "n_layer": 3, "n_head": 4, "layer_norm_epsilon": 1e-5,
    "alt_mixer_layers": [1], "alt_mixer_2_layers": [2],
    "alt_mixer": { "num_heads": 4, "feature_dim": 4, "feature_map": { "input_dim": 4 } },
    "alt_mixer_2": { "num_heads": 4, "window_size": 8 }
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        based: "prefill",
        build: |weights| based::Model::new(&config(CONFIG)?, weights),
        inputs: |at| Ok([at.ids(60, (1, at.seq))?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
