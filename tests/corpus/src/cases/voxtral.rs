//! Voxtral: its encoder of sound, its Llama, and both together.

use super::prelude::*;

/// The small encoder, of the copy's type or of the original's.
macro_rules! sound {
    ($voxtral:ident, $inner:literal) => {
        $voxtral::VoxtralEncoderConfig {
            hidden_size: 32,
            intermediate_size: $inner,
            num_hidden_layers: 2,
            num_attention_heads: 4,
            num_key_value_heads: 4,
            head_dim: 8,
            num_mel_bins: 16,
            max_source_positions: 10,
            ..Default::default()
        }
    };
}

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
            call: |model, x, position| model.0.forward(&x[0], position, &mut model.1),
        },
        case! {
            voxtral: "encoder",
            build: |weights| {
                let config = sound!(voxtral, 48);
                voxtral::VoxtralEncoder::new(&config, weights)
            },
            inputs: |at| Ok([at.uniform((at.batch, 16, 20))?]),
            call: |model, x| model.forward(&x[0]),
        },
        case! {
            voxtral: "sound and text",
            build: |weights| {
                let text = decoder::<voxtral::VoxtralLlamaConfig>("{}")?;
                let cache = voxtral::VoxtralCache::new(true, DType::F32, &text, &Device::Cpu)?;
                let config = voxtral::VoxtralConfig {
                    audio_config: sound!(voxtral, 64),
                    text_config: text,
                    audio_token_id: 59,
                    projector_hidden_act: "gelu".to_owned(),
                };
                Ok((voxtral::VoxtralForConditionalGeneration::new(&config, weights)?, cache))
            },
            inputs: |at| {
                let words = |count| at.ids(59, (1, count));
                let text = Tensor::cat(&[words(1)?, Tensor::full(59u32, (1, 5), &Device::Cpu)?, words(at.seq)?], 1)?;
                Ok([text, at.uniform((1, 16, 20))?])
            },
            call: |model, x, position| model.0.forward(&x[0], Some(&x[1]), &mut model.1, position),
            later: (13, |at| Ok([at.ids(59, (1, 1))?, at.uniform((1, 16, 20))?])),
        },
    ]
}
