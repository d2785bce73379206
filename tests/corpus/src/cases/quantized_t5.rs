//! T5 of quantized matrices.

use super::prelude::*;
use crate::gguf::quantized;

const CONFIG: &str = r#"{
    "vocab_size": 60, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4,
    "relative_attention_num_buckets": 8, "relative_attention_max_distance": 16, "dropout_rate": 0.1,
    "layer_norm_epsilon": 1e-6, "initializer_factor": 1.0, "feed_forward_proj": "gated-gelu",
    "tie_word_embeddings": false, "is_encoder_decoder": true, "pad_token_id": 0, "eos_token_id": 1
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            quantized_t5: "encoder",
            build: |_| quantized(|weights| quantized_t5::T5EncoderModel::load(weights, &config(CONFIG)?)),
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x| model.forward(&x[0]),
        },
        case! {
            quantized_t5: "encoder and decoder",
            build: |_| quantized(|weights| quantized_t5::T5ForConditionalGeneration::load(weights, &config(CONFIG)?)),
            inputs: |at| Ok([at.tokens()?, at.ids(60, (at.batch, 5))?]),
            call: |model, x| model.forward(&x[0], &x[1]),
            later: (5, |at| Ok([at.tokens()?, at.ids(60, (at.batch, 1))?])),
        },
    ]
}
