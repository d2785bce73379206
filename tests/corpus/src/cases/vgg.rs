//! VGG-13: a struct of closures that a constructor builds, one of which reads weights when it runs.
//!
//! It has a hundred million weights, so they are made once.

use std::sync::OnceLock;

use candle::ModuleT;

use super::prelude::*;
use crate::weights::shared;

twice! {
    vgg:
    pub(super) type Model = vgg::Vgg<'static>;

    pub(super) fn build(_: VarBuilder<'static>) -> Result<Model> {
        vgg::Vgg::new(weights(), vgg::Models::Vgg13)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward_t(&inputs[0], false)
    }
}

fn weights() -> VarBuilder<'static> {
    static WEIGHTS_ONCE: OnceLock<VarBuilder<'static>> = OnceLock::new();
    WEIGHTS_ONCE.get_or_init(|| shared(var_builder(WEIGHTS))).clone()
}

fn image(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (3, 224, 224))?])
}

pub(super) fn cases() -> Vec<Case> {
    use crate::models::vgg::{Models, Vgg};
    let family = family();
    vec![
        family.case("13", image, |_, inputs| {
            let tracer = fx::Tracer::new().example("xs", &inputs[0]).concrete_arg("train", false);
            Ok(tracer.trace_built(&weights(), |vb| fx::Symbolic::<Vgg>::new(vb, Models::Vgg13))?)
        }),
        family.case("13, abstract", image, |_, _| {
            let tracer = fx::Tracer::new().input("xs", DType::F32, (3, 224, 224)).concrete_arg("train", false);
            Ok(tracer.trace_built(&weights(), |vb| fx::Symbolic::<Vgg>::new(vb, Models::Vgg13))?)
        }),
    ]
}
