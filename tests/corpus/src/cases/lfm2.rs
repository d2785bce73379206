//! LFM 2: a layer of short convolution, then one of attention.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        lfm2: "prefill",
        build: |weights| {
            let config = decoder::<lfm2::Lfm2Config>(
                r#"{ "layer_types": ["conv", "full_attention"], "norm_eps": 1e-5, "conv_l_cache": 3, "block_multiple_of": 8 }"#,
            )?;
            let config = config.into_config(false);
            let cache = lfm2::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
            Ok((lfm2::Model::new(&config, weights)?, cache))
        },
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.0.forward(&x[0], position, &mut model.1),
    }]
}
