//! Granite reading a prompt, with a cache as a `&mut` parameter.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        granite: "prefill",
        build: |weights| {
            let config = decoder::<granite::GraniteConfig>("{}")?.into_config(false);
            let cache = granite::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
            Ok((granite::Granite::load(weights, &config)?, cache))
        },
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.0.forward(&x[0], position, &mut model.1),
    }]
}
