//! DAC: the sound of codes.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            dac: "decoder",
            build: |weights| {
                let quantizer = dac::ResidualVectorQuantizer::new(8, 2, 16, 4, weights.pp("quantizer"))?;
                let decoder = dac::Decoder::new(8, 16, &[4, 2], 1, weights.pp("decoder"))?;
                Ok((quantizer, decoder))
            },
            inputs: |at| Ok([at.ids(16, (at.batch, 2, at.seq))?]),
            call: |model, x| {
                let sound = model.0.from_codes(&x[0])?;
                model.1.forward(&sound)
            },
        },
        case! {
            dac: "encoder",
            build: |weights| dac::Encoder::new(8, &[2, 4], 8, weights),
            inputs: |at| Ok([at.uniform((at.batch, 1, 64))?]),
            call: |model, x| model.forward(&x[0]),
        },
    ]
}
