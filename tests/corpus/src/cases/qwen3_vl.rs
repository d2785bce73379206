//! Qwen 3 VL reading text, and an image in it.

use super::prelude::*;

const CONFIG: &str = r#"{
    "text_config": {
        "head_dim": 8, "vocab_size": 60, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_act": "silu", "max_position_embeddings": 32,
        "rms_norm_eps": 1e-5, "tie_word_embeddings": false, "rope_theta": 10000.0
    },
    "vision_config": {
        "depth": 1, "hidden_size": 24, "out_hidden_size": 32, "intermediate_size": 40, "num_heads": 3,
        "patch_size": 4, "spatial_merge_size": 2, "temporal_patch_size": 2, "num_position_embeddings": 16,
        "deepstack_visual_indexes": [0]
    },
    "image_token_id": 50, "video_token_id": 51, "vision_start_token_id": 52, "vision_end_token_id": 53
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            qwen3_vl: "prefill",
            build: |weights| qwen3_vl::Qwen3VLModel::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x, position| model.forward(
                &x[0],
                None,
                None,
                None,
                None,
                vec![x[0].dim(1)?; x[0].dim(0)?],
                vec![],
                vec![],
                &vec![position; x[0].dim(0)?],
            ),
        },
        case! {
            qwen3_vl: "image and text",
            build: |weights| qwen3_vl::Qwen3VLModel::new(&config(CONFIG)?, weights),
            inputs: |at| {
                let grid = Tensor::new(&[[1u32, 4, 4]], &Device::Cpu)?;
                Ok([at.ids(50, (1, at.seq + 4))?, at.uniform((16, 96))?, grid])
            },
            call: |model, x| model.forward(
                &x[0],
                Some(x[1].clone()),
                None,
                Some(x[2].clone()),
                None,
                vec![x[0].dim(1)?],
                vec![vec![(1, 5)]],
                vec![],
                &[0],
            ),
        },
    ]
}
