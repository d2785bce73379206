//! Parler-TTS: the decoder, which reads codes and attends to a description.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "max_position_embeddings": 32, "num_hidden_layers": 2, "ffn_dim": 48, "num_attention_heads": 4,
    "num_key_value_heads": 4, "num_cross_attention_key_value_heads": 2, "activation_function": "gelu",
    "hidden_size": 32, "scale_embedding": false, "num_codebooks": 2, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2, "tie_word_embeddings": false, "rope_embeddings": false, "rope_theta": 10000.0
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        parler_tts: "decoder",
        build: |weights| parler_tts::Decoder::new(&config(CONFIG)?, weights),
        inputs: |at| Ok([at.ids(60, (1, 2, at.seq))?, at.uniform((1, 5, 32))?]),
        call: |model, x| model.forward(&x[0], None, None, &x[1], None, 0),
    }]
}
