//! Parler-TTS: the decoder, which reads codes and attends to a description, and with it what reads description and prompt.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "max_position_embeddings": 32, "num_hidden_layers": 2, "ffn_dim": 48, "num_attention_heads": 4,
    "num_key_value_heads": 4, "num_cross_attention_key_value_heads": 2, "activation_function": "gelu",
    "hidden_size": 32, "scale_embedding": false, "num_codebooks": 2, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2, "tie_word_embeddings": false, "rope_embeddings": false, "rope_theta": 10000.0
}"#;

const TEXT: &str = r#"{
    "vocab_size": 60, "d_model": 24, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 3,
    "relative_attention_num_buckets": 8, "dropout_rate": 0.1, "layer_norm_epsilon": 1e-6, "initializer_factor": 1.0,
    "feed_forward_proj": "gated-gelu", "is_encoder_decoder": true, "pad_token_id": 0, "eos_token_id": 1,
    "use_cache": false
}"#;

const SOUND: &str = r#"{
    "num_codebooks": 2, "model_bitrate": 8, "codebook_size": 16, "latent_dim": 8, "frame_rate": 86, "sampling_rate": 44100
}"#;

/// The coder of sounds, of fixed size and not called here, with few channels.
fn size(name: &str, _: usize, size: usize) -> usize {
    let is_wide = name.starts_with("audio_encoder") && size.is_multiple_of(96);
    if is_wide { size / 96 } else { size }
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            parler_tts: "decoder",
            build: |weights| parler_tts::Decoder::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.ids(60, (1, 2, at.seq))?, at.uniform((1, 5, 32))?]),
            call: |model, x, position| model.forward(&x[0], None, None, &x[1], None, position),
        },
        case! {
            parler_tts: "description and prompt",
            build: |weights| parler_tts::Model::new(&config(&format!(
                r#"{{
                    "decoder_start_token_id": 1, "pad_token_id": 0, "vocab_size": 60, "decoder": {CONFIG},
                    "text_encoder": {TEXT}, "audio_encoder": {SOUND}
                }}"#
            ))?, resized(weights, size)),
            inputs: |at| Ok([at.ids(60, (1, 5))?, at.ids(60, (1, at.seq))?, at.ids(60, (1, 2, 1))?]),
            call: |model, x| {
                let description = model.text_encoder.forward(&x[0])?;
                let description = match &model.enc_to_dec_proj {
                    Some(projection) => description.apply(projection)?,
                    None => description,
                };
                let prompt = x[1].apply(&model.embed_prompts)?;
                model.decoder.forward(&x[2], Some(&prompt), None, &description, None, 0)
            },
        },
    ]
}
