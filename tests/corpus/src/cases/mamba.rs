//! Mamba reading one token.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        mamba: "one token",
        build: |weights| {
            let config = config::<mamba::Config>(
                r#"{ "d_model": 32, "n_layer": 2, "vocab_size": 60, "pad_vocab_size_multiple": 8 }"#,
            )?;
            let state = mamba::State::new(1, &config, DType::F32, &Device::Cpu)?;
            Ok((mamba::Model::new(&config, weights.pp("backbone"))?, state))
        },
        inputs: |at| Ok([at.ids(60, 1)?]),
        call: |model, x| model.0.forward(&x[0], &mut model.1),
    }]
}
