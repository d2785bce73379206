//! The models that are tried, one file per family.
//!
//! A file says what is particular to its model: a small configuration, how it is built and called, which inputs it
//! takes and how it is captured. What is done with that is in [`case`](crate::case).

mod bert;
mod dinov2;
mod distilbert;
mod distilbert_head;
mod efficientnet;
mod llama;
mod vit;

use crate::case::Case;

/// All cases.
pub fn all() -> Vec<Case> {
    let families = [
        bert::cases(),
        distilbert::cases(),
        distilbert_head::cases(),
        dinov2::cases(),
        efficientnet::cases(),
        llama::cases(),
        vit::cases(),
    ];
    families.into_iter().flatten().collect()
}

/// What every family uses.
mod prelude {
    pub(super) use candle::{DType, Module, Result, Tensor};
    pub(super) use candle_nn::VarBuilder;

    pub(super) use super::{config, twice};
    pub(super) use crate::case::{Case, Family, Side};
    pub(super) use crate::weights::{ids, uniform};
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
