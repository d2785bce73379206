//! Voxtral: its encoder of sound, and its Llama.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            voxtral: "text",
            build: |weights| {
                let config = decoder::<voxtral::VoxtralLlamaConfig>("{}")?;
                let cache = voxtral::VoxtralLlamaCache::new(true, DType::F32, &config, &Device::Cpu)?;
                Ok((voxtral::VoxtralLlama::load(weights, &config)?, cache))
            },
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x| model.0.forward(&x[0], 0, &mut model.1),
        },
        case! {
            voxtral: "encoder",
            build: |weights| {
                let config = voxtral::VoxtralEncoderConfig {
                    hidden_size: 32,
                    intermediate_size: 48,
                    num_hidden_layers: 2,
                    num_attention_heads: 4,
                    num_key_value_heads: 4,
                    head_dim: 8,
                    num_mel_bins: 16,
                    max_source_positions: 10,
                    ..Default::default()
                };
                voxtral::VoxtralEncoder::new(&config, weights)
            },
            inputs: |at| Ok([at.uniform((at.batch, 16, 20))?]),
            call: |model, x| model.forward(&x[0]),
        },
    ]
}
