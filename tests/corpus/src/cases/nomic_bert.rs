//! Nomic BERT: rotary positions, pooled and normalised.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "n_embd": 32, "n_head": 4, "n_layer": 2, "n_inner": 48, "n_positions": 32, "type_vocab_size": 2,
    "layer_norm_epsilon": 1e-12, "rotary_emb_fraction": 1.0, "rotary_emb_base": 1000.0,
    "rotary_emb_interleaved": false, "qkv_proj_bias": false, "mlp_fc1_bias": false, "mlp_fc2_bias": false,
    "activation_function": "swiglu", "prenorm": false
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        nomic_bert: "pooled",
        build: |weights| nomic_bert::NomicBertModel::load(weights, &config(CONFIG)?),
        inputs: |at| {
            // The first token is never masked.
            let mask = at.ids(2, (at.batch, at.seq - 1))?.pad_with_zeros(1, 1, 0)?;
            let mask = Tensor::cat(&[mask.ones_like()?.narrow(1, 0, 1)?, mask.narrow(1, 1, at.seq - 1)?], 1)?;
            Ok([at.tokens()?, at.ids(2, (at.batch, at.seq))?, mask])
        },
        call: |model, x| {
            let states = model.forward(&x[0], Some(&x[1]), Some(&x[2]))?;
            nomic_bert::l2_normalize(&nomic_bert::mean_pooling(&states, &x[2])?)
        },
    }]
}
