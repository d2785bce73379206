//! Whisper: encoder of a spectrum, decoder of text; and of quantized matrices.

use super::prelude::*;
use crate::gguf::quantized;

const CONFIG: &str = r#"{
    "num_mel_bins": 16, "max_source_positions": 16, "d_model": 32, "encoder_attention_heads": 4, "encoder_layers": 2,
    "vocab_size": 60, "max_target_positions": 16, "decoder_attention_heads": 4, "decoder_layers": 2
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            whisper: "encoder and decoder",
            build: |weights| whisper::model::Whisper::load(&weights, config(CONFIG)?),
            inputs: |at| Ok([at.uniform((at.batch, 16, 20))?, at.tokens()?]),
            call: |model, x, position| {
                let states = model.encoder.forward(&x[0], true)?;
                let states = model.decoder.forward(&x[1], &states, position == 0)?;
                model.decoder.final_linear(&states)
            },
            later: (7, |at| Ok([at.uniform((at.batch, 16, 20))?, at.ids(60, (at.batch, 8))?])),
        },
        case! {
            whisper: "quantized",
            build: |_| quantized(|weights| whisper::quantized_model::Whisper::load(&weights, config(CONFIG)?)),
            inputs: |at| Ok([at.uniform((at.batch, 16, 20))?, at.tokens()?]),
            call: |model, x, position| {
                let states = model.encoder.forward(&x[0], true)?;
                let states = model.decoder.forward(&x[1], &states, position == 0)?;
                model.decoder.final_linear(&states)
            },
            later: (7, |at| Ok([at.uniform((at.batch, 16, 20))?, at.ids(60, (at.batch, 8))?])),
        },
    ]
}
