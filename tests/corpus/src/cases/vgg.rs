//! VGG-13: a struct of closures that a constructor builds, one of which reads weights when it runs.
//!
//! It has a hundred million weights, so they are made once.

use std::sync::OnceLock;

use candle_nn::VarBuilder;

use super::prelude::*;
use crate::weights::shared;

/// The same weights for all, made once.
fn once(weights: VarBuilder<'static>) -> VarBuilder<'static> {
    static WEIGHTS: OnceLock<VarBuilder<'static>> = OnceLock::new();
    WEIGHTS.get_or_init(|| shared(weights)).clone()
}

pub(super) fn cases() -> Vec<Case> {
    #[allow(unused_imports, reason = "the twin brings its own")]
    use candle::ModuleT as _;

    vec![built! {
        vgg: "13",
        weights: once,
        build: |weights| vgg::Vgg::new(weights, vgg::Models::Vgg13),
        twin: |weights| fx::Symbolic::<vgg::Vgg>::new(weights, vgg::Models::Vgg13),
        inputs: |at| Ok([at.uniform((3, 224, 224))?]),
        call: |model, x| model.forward_t(&x[0], false),
    }]
}
