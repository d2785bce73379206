//! NV-Embed 2: its Mistral that reads in both directions. What pools that has seven billion parameters, in every configuration.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        nvembed_v2: "embedding",
        build: |weights| nvembed_v2::embedding::Model::new(&decoder("{}")?, weights),
        inputs: |at| Ok([at.tokens()?, Tensor::ones((at.batch, at.seq), DType::F32, &Device::Cpu)?]),
        call: |model, x| model.forward(&x[1], &x[0], DType::F32),
    }]
}
