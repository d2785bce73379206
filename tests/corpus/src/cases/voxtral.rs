//! Voxtral: its encoder of sound, and its Llama.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        voxtral: "text",
        build: |weights| {
            let config = decoder::<voxtral::VoxtralLlamaConfig>("{}")?;
            let cache = voxtral::VoxtralLlamaCache::new(true, DType::F32, &config, &Device::Cpu)?;
            Ok((voxtral::VoxtralLlama::load(weights, &config)?, cache))
        },
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x| model.0.forward(&x[0], 0, &mut model.1),
    }]
}
