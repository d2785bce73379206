//! PaddleOCR-VL: text, and an image.

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
    vec![
        case! {
            paddleocr_vl: "prefill",
            build: |weights| paddleocr_vl::PaddleOCRVLModel::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x, position| model.forward(&x[0], None, None, position),
        },
        case! {
            paddleocr_vl: "image",
            build: |weights| paddleocr_vl::PaddleOCRVLModel::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.uniform((1, 3, 32, 32))?, Tensor::new(&[[1u32, 4, 4]], &Device::Cpu)?]),
            call: |model, x| model.encode_image(&x[0], &x[1]),
        },
        case! {
            paddleocr_vl: "image and text",
            build: |weights| paddleocr_vl::PaddleOCRVLModel::new(&config(CONFIG)?, weights),
            inputs: |at| {
                let words = |count| at.ids(50, (1, count));
                let text = Tensor::cat(&[words(2)?, Tensor::full(50u32, (1, 4), &Device::Cpu)?, words(at.seq)?], 1)?;
                Ok([text, at.uniform((1, 3, 32, 32))?, Tensor::new(&[[1u32, 4, 4]], &Device::Cpu)?])
            },
            call: |model, x| model.forward(&x[0], Some(&x[1]), Some(&x[2]), 0),
        },
    ]
}
