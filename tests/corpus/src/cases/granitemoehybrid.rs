//! Granite 4 with attention layers and a shared expert.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        granitemoehybrid: "prefill",
        build: |weights| {
            let config = decoder::<granitemoehybrid::GraniteMoeHybridConfig>(
                r#"{ "layer_types": ["attention", "attention"], "shared_intermediate_size": 48, "logits_scaling": 8.0,
                     "residual_multiplier": 0.2, "embedding_multiplier": 12.0, "attention_multiplier": 0.3 }"#,
            )?;
            let config = config.into_config(false);
            let cache = granitemoehybrid::GraniteMoeHybridCache::new(true, DType::F32, &config, &Device::Cpu)?;
            Ok((granitemoehybrid::GraniteMoeHybrid::load(weights, &config)?, cache))
        },
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.0.forward(&x[0], position, &mut model.1),
    }]
}
