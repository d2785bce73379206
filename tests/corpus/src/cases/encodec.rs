//! EnCodec: codes of a sound, and the sound of codes.

use super::prelude::*;

const CONFIG: &str = r#"{
    "target_bandwidths": [6.0], "sampling_rate": 2000, "audio_channels": 1, "normalize": false, "hidden_size": 8,
    "num_filters": 4, "num_residual_layers": 1, "upsampling_ratios": [4, 2], "norm_type": "WeightNorm",
    "kernel_size": 7, "last_kernel_size": 7, "residual_kernel_size": 3, "dilation_growth_rate": 2,
    "use_causal_conv": true, "pad_mode": "Replicate", "compress": 2, "num_lstm_layers": 2, "trim_right_ratio": 1.0,
    "codebook_size": 64, "codebook_dim": 8, "use_conv_shortcut": true
}"#;

/// The steps of a recurrent layer on its weights, which it hides: the states of all steps, stacked.
fn lstm(hidden: &Hidden) -> Result<fx::GraphModule, Failure> {
    let (part, layer) = hidden.path.split_once('.').ok_or("a path")?;
    let layer = layer.rsplit('.').next().unwrap_or_default();
    let weights = hidden.weights.pp(if part == "encoder" { "encoder.layers.7.lstm" } else { "decoder.layers.1.lstm" });
    let [sequence, state, _] = hidden.facts.as_slice() else { return Err("a sequence and a state".into()) };
    let (steps, width) = (sequence.dims()[1], state.dims()[1]);
    hidden.capture(|given, x| {
        let vb = given.var_builder(&weights);
        let gates = 4 * width;
        let of_input = vb.get((gates, width), &format!("weight_ih_l{layer}"))?;
        let of_state = vb.get((gates, width), &format!("weight_hh_l{layer}"))?;
        let shifts = [vb.get(gates, &format!("bias_ih_l{layer}"))?, vb.get(gates, &format!("bias_hh_l{layer}"))?];
        let (mut state, mut cell) = (x[1].clone(), x[2].clone());
        let (mut states, mut cells) = (Vec::new(), Vec::new());
        for step in 0..steps {
            let xs = x[0].narrow(1, step, 1)?.squeeze(1)?.contiguous()?;
            let given = xs.matmul(&of_input.t()?)?.broadcast_add(&shifts[0])?;
            let kept = state.matmul(&of_state.t()?)?.broadcast_add(&shifts[1])?;
            let all = (given + kept)?;
            let gate = |i: usize| all.narrow(1, i * width, width);
            use fx::symbolic::candle_nn::ops::sigmoid;
            cell = ((sigmoid(&gate(1)?)? * &cell)? + (sigmoid(&gate(0)?)? * gate(2)?.tanh()?)?)?;
            state = (sigmoid(&gate(3)?)? * cell.tanh()?)?;
            states.push(state.clone());
            cells.push(cell.clone());
        }
        Ok::<_, candle::Error>((fx::symbolic::Tensor::stack(&states, 0)?, fx::symbolic::Tensor::stack(&cells, 0)?))
    })
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            encodec: "encoder",
            build: |weights| encodec::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([(at.uniform((at.batch, 1, 64))? * 100.)?]),
            call: |model, x| model.encode(&x[0]),
        }
        .telling("LSTM", lstm),
        case! {
            encodec: "decoder",
            build: |weights| encodec::Model::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.ids(64, (at.batch, 2, at.seq))?]),
            call: |model, x| model.decode(&x[0]),
        }
        .telling("LSTM", lstm),
    ]
}
