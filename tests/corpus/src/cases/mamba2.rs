//! Mamba 2: one token, and a prompt in chunks.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            mamba2: "one token",
            build: |weights| {
                let config = config::<mamba2::Config>(
                    r#"{ "d_model": 32, "n_layer": 2, "vocab_size": 60, "d_state": 8, "headdim": 8, "pad_vocab_size_multiple": 8 }"#,
                )?;
                let state = mamba2::State::new(2, &config, DType::F32, &Device::Cpu)?;
                Ok((mamba2::Model::new(&config, weights.pp("backbone"))?, state))
            },
            inputs: |at| Ok([at.ids(60, at.batch)?]),
            call: |model, x| model.0.forward(&x[0], &mut model.1),
        },
        case! {
            mamba2: "prefill in chunks",
            build: |weights| {
                let config = config::<mamba2::Config>(
                    r#"{ "d_model": 32, "n_layer": 2, "vocab_size": 60, "d_state": 8, "headdim": 8, "pad_vocab_size_multiple": 8 }"#,
                )?;
                let state = mamba2::State::new(2, &config, DType::F32, &Device::Cpu)?;
                Ok((mamba2::Model::new(&config, weights.pp("backbone"))?, state))
            },
            inputs: |at| Ok([at.tokens()?]),
            call: |model, x| model.0.forward_prefill(&x[0], &mut model.1, 4),
        },
    ]
}
