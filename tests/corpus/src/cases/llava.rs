//! LLaVA: features of an image, and its Llama on embeddings.

use super::prelude::*;

const CONFIG: &str = r#"{
    "architectures": [], "bos_token_id": 1, "eos_token_id": 2, "hidden_size": 32, "image_aspect_ratio": "pad",
    "image_crop_resolution": 32, "image_grid_pinpoints": [[32, 32]], "image_split_resolution": 32,
    "intermediate_size": 48, "max_position_embeddings": 32, "mm_hidden_size": 24, "mm_patch_merge_type": "flat",
    "mm_projector_type": "mlp2x_gelu", "mm_use_im_start_end": false, "mm_vision_select_feature": "patch",
    "mm_vision_select_layer": -2, "model_type": "llava", "num_attention_heads": 4, "num_hidden_layers": 2,
    "num_key_value_heads": 2, "pad_token_id": 0, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "torch_dtype": "float32",
    "use_cache": true, "vocab_size": 60
}"#;

/// The layers that project, which their constructor's twin sees.
fn projector(hidden: &Hidden) -> Result<fx::GraphModule, Failure> {
    hidden.capture(|given, x| {
        let weights = given.var_builder(&hidden.weights);
        let projector = fx::Symbolic::<crate::copies::llava::llava::MMProjector>::load(&weights, &config(CONFIG)?)?;
        projector.forward(&x[0])
    })
}

/// The small tower of images, of the copy's type or of the original's.
macro_rules! tower {
    ($clip:ident) => {
        $clip::vision_model::ClipVisionConfig {
            embed_dim: 24,
            intermediate_size: 40,
            num_hidden_layers: 2,
            num_attention_heads: 3,
            projection_dim: 16,
            image_size: 32,
            patch_size: 8,
            ..$clip::vision_model::ClipVisionConfig::vit_base_patch32()
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            llava with clip: "image",
            build: |weights| llava::LLaVA::load(weights, &config(CONFIG)?, Some(tower!(clip))),
            inputs: |at| Ok([at.uniform((at.batch, 3, 32, 32))?]),
            call: |model, x| model.encode_images(&x[0]),
        }
        .telling("Sequential", projector),
        case! {
            llava with clip, llama: "embeddings",
            build: |weights| {
                let config = config::<llava::config::LLaVAConfig>(CONFIG)?;
                let cache = llama::Cache::new(true, DType::F32, &config.to_llama_config(), &Device::Cpu)?;
                Ok((llava::LLaVA::load(weights, &config, Some(tower!(clip)))?, cache))
            },
            inputs: |at| Ok([at.uniform((at.batch, at.seq, 32))?]),
            call: |model, x, position| model.0.forward(&x[0], position, &mut model.1),
        },
    ]
}
