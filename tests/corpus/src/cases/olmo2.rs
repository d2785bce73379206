//! OLMo 2: normalised queries and keys.

use super::prelude::*;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        olmo2: "prefill",
        build: |weights| olmo2::Model::new(&decoder("{}")?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x, position| model.forward(&x[0], position),
    }]
}
