//! TrOCR: an image encoder and a text decoder.

use super::prelude::*;

const IMAGE: &str = r#"{
    "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40, "hidden_act": "gelu",
    "layer_norm_eps": 1e-12, "image_size": 32, "patch_size": 8, "num_channels": 3, "qkv_bias": false
}"#;

const TEXT: &str = r#"{
    "vocab_size": 60, "d_model": 32, "cross_attention_hidden_size": 24, "decoder_layers": 2,
    "decoder_attention_heads": 4, "decoder_ffn_dim": 48, "activation_function": "gelu", "max_position_embeddings": 32,
    "dropout": 0.1, "attention_dropout": 0.0, "activation_dropout": 0.0, "decoder_start_token_id": 2, "init_std": 0.02,
    "decoder_layerdrop": 0.0, "use_cache": true, "scale_embedding": false, "pad_token_id": 1, "bos_token_id": 0,
    "eos_token_id": 2, "use_learned_position_embeddings": true, "tie_word_embeddings": false
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        trocr: "encoder and decoder",
        build: |weights| trocr::TrOCRModel::new(&config(IMAGE)?, &config(TEXT)?, weights),
        inputs: |at| Ok([at.uniform((1, 3, 32, 32))?, at.ids(60, (1, 1))?]),
        call: |model, x, position| {
            let states = model.encoder().forward(&x[0])?;
            model.decode(&x[1], &states, position)
        },
    }]
}
