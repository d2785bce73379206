//! PaddleOCR-VL: text after an image.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vision_config": {
        "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 1, "num_attention_heads": 3, "image_size": 32,
        "patch_size": 8
    },
    "vocab_size": 60, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 32, "head_dim": 8, "image_token_id": 50,
    "rope_scaling": { "mrope_section": [1, 1, 2] }
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        paddleocr_vl: "prefill",
        build: |weights| paddleocr_vl::PaddleOCRVLModel::new(&config(CONFIG)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x| model.forward(&x[0], None, None, 0),
    }]
}
