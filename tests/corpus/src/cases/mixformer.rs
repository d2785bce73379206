//! Phi 1.5: attention and perceptron beside each other.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "n_positions": 32, "n_embd": 32, "n_layer": 2, "n_inner": null, "n_head": 4, "rotary_dim": 4,
    "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "tie_word_embeddings": false,
    "pad_vocab_size_multiple": 8
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            mixformer: "prefill",
            build: |weights| mixformer::MixFormerSequentialForCausalLM::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x| model.forward(&x[0]),
        },
        case! {
            mixformer: "second version",
            build: |weights| mixformer::MixFormerSequentialForCausalLM::new_v2(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x| model.forward(&x[0]),
        },
    ]
}
