//! ConvMixer: functions that return `impl Module`, padding computed from sizes.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![built! {
        convmixer: "1024",
        weights: |weights| weights,
        build: |weights| convmixer::c1024_20(10, weights),
        twin: |weights| convmixer::c1024_20(10, weights),
        inputs: |at| Ok([at.uniform((at.batch, 3, 56, 42))?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
