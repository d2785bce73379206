//! Moondream: an image encoder and Phi.

use super::prelude::*;

const CONFIG: &str = r#"{
    "phi_config": {
        "vocab_size": 60, "n_positions": 32, "n_embd": 32, "n_layer": 2, "n_inner": null, "n_head": 4, "rotary_dim": 4,
        "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "tie_word_embeddings": false,
        "pad_vocab_size_multiple": 8
    },
    "vision_config": {
        "image_embedding_dim": 1152, "model_dim": 32, "hidden_dim": 48, "hidden_features": 40, "embed_len": 4,
        "embed_dim": 1152, "num_blocks": 1, "num_heads": 16, "act": "gelu_pytorch_tanh"
    }
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            moondream: "image",
            build: |weights| moondream::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.uniform((1, 3, 28, 28))?]),
            call: |model, x| model.vision_encoder().forward(&x[0]),
        },
        case! {
            moondream: "prompt",
            build: |weights| moondream::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x| model.text_model().forward(&x[0]),
        },
    ]
}
