//! EnCodec: codes of a sound, and the sound of codes.

use super::prelude::*;

const CONFIG: &str = r#"{
    "target_bandwidths": [6.0], "sampling_rate": 2000, "audio_channels": 1, "normalize": false, "hidden_size": 8,
    "num_filters": 4, "num_residual_layers": 1, "upsampling_ratios": [4, 2], "norm_type": "WeightNorm",
    "kernel_size": 7, "last_kernel_size": 7, "residual_kernel_size": 3, "dilation_growth_rate": 2,
    "use_causal_conv": true, "pad_mode": "Replicate", "compress": 2, "num_lstm_layers": 2, "trim_right_ratio": 1.0,
    "codebook_size": 64, "codebook_dim": 8, "use_conv_shortcut": true
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            encodec: "encoder",
            build: |weights| encodec::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([(at.uniform((at.batch, 1, 64))? * 100.)?]),
            call: |model, x| model.encode(&x[0]),
        },
        case! {
            encodec: "decoder",
            build: |weights| encodec::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.ids(64, (at.batch, 2, at.seq))?]),
            call: |model, x| model.decode(&x[0]),
        },
    ]
}
