//! The models that are tried, one file per family.
//!
//! A file says what is particular to its model: a small configuration, how it is built and called, which inputs it
//! takes and how it is captured. What is done with that is in [`case`](crate::case).

mod bert;
mod convmixer;
mod convnext;
mod dinov2;
mod distilbert;
mod distilbert_head;
mod efficientnet;
mod efficientvit;
mod fastvit;
mod hiera;
mod llama;
mod mobilenetv4;
mod mobileone;
mod repvgg;
mod resnet;
mod vgg;
mod vit;

use crate::case::Case;

/// All cases.
pub fn all() -> Vec<Case> {
    let families = [
        bert::cases(),
        convmixer::cases(),
        convnext::cases(),
        dinov2::cases(),
        distilbert::cases(),
        distilbert_head::cases(),
        efficientnet::cases(),
        efficientvit::cases(),
        fastvit::cases(),
        hiera::cases(),
        llama::cases(),
        mobilenetv4::cases(),
        mobileone::cases(),
        repvgg::cases(),
        resnet::cases(),
        vgg::cases(),
        vit::cases(),
    ];
    families.into_iter().flatten().collect()
}

/// What every family uses.
mod prelude {
    pub(super) use candle::{DType, Module, Result, Tensor};
    pub(super) use candle_nn::VarBuilder;

    pub(super) use super::{built_cases, config, twice};
    pub(super) use crate::case::{Case, Family, Side, WEIGHTS};
    pub(super) use crate::weights::{ids, uniform, var_builder, without};
}

/// Reads a configuration from its JSON text, the one form that fits the original's type and the copy's.
fn config<T: serde::de::DeserializeOwned>(text: &str) -> candle::Result<T> {
    serde_json::from_str(text).map_err(candle::Error::wrap)
}

/// Defines `Model`, `build` and `call` twice from the same text: once on candle-transformers' module of that name, once
/// on its annotated copy; and `family()` of the two.
macro_rules! twice {
    ($model:ident: $($item:item)*) => {
        mod original {
            use super::*;
            use candle_transformers::models::$model;
            $($item)*
        }
        mod copy {
            use super::*;
            use crate::models::$model;
            $($item)*
        }
        fn family() -> Family<original::Model, copy::Model> {
            Family {
                model: stringify!($model),
                original: Side { build: original::build, call: original::call },
                copy: Side { build: copy::build, call: copy::call },
            }
        }
    };
}
use twice;

/// The cases of a model that a function builds of weights: captured while it runs, and from the input's shape alone.
macro_rules! built_cases {
    ($family:expr, $inputs:expr, $weights:expr, |$vb:ident| $build:expr) => {{
        let family = $family;
        vec![
            family.case("built", $inputs, |_, inputs| {
                Ok(fx::Tracer::new().example("xs", &inputs[0]).trace_built(&$weights, |$vb| $build)?)
            }),
            family.case("built, abstract", $inputs, |_, inputs| {
                let tracer = fx::Tracer::new().input("xs", inputs[0].dtype(), inputs[0].shape().clone());
                Ok(tracer.trace_built(&$weights, |$vb| $build)?)
            }),
        ]
    }};
}
use built_cases;
