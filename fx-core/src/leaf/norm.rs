//! Making normalisations again whose settings candle's constructors do not all take.
//!
//! Invariant: a layer is made with exactly the tensors that are given, variables as the variables they are.

use std::collections::HashMap;

use candle_core::{Result, Tensor};
use candle_nn::{BatchNorm, BatchNormConfig, LayerNorm, LayerNormConfig, VarBuilder};

use super::debug::debug_field;

/// A layer normalisation.
pub(super) fn layer_norm(weight: Tensor, bias: Option<Tensor>, eps: f64, remove_mean: bool) -> Result<LayerNorm> {
    Ok(match (bias, remove_mean) {
        (Some(bias), true) => LayerNorm::new(weight, bias, eps),
        (None, true) => LayerNorm::new_no_bias(weight, eps),
        (None, false) => LayerNorm::rms_norm(weight, eps),
        // No constructor takes this, but the builder does.
        (Some(bias), false) => {
            let (size, builder) = (weight.dims1()?, builder([("weight", weight), ("bias", bias)]));
            candle_nn::layer_norm(size, LayerNormConfig { eps, remove_mean, affine: true }, builder)?
        }
    })
}

/// Whether a batch normalisation subtracts the mean in training, which it only shows in its debug text.
pub(super) fn removes_mean(layer: &BatchNorm) -> bool {
    debug_field(layer, "remove_mean").unwrap_or(true)
}

/// A batch normalisation.
pub(super) fn batch_norm(
    [mean, var]: [Tensor; 2],
    affine: [Option<Tensor>; 2],
    eps: f64,
    momentum: f64,
    remove_mean: bool,
) -> Result<BatchNorm> {
    let size = mean.dims1()?;
    let affine = match affine {
        [Some(weight), Some(bias)] => Some((weight, bias)),
        [None, None] => None,
        _ => candle_core::bail!("a batch norm has both weight and bias or neither"),
    };
    match affine {
        Some((weight, bias)) if remove_mean => {
            BatchNorm::new_with_momentum(size, mean, var, weight, bias, eps, momentum)
        }
        None if remove_mean => BatchNorm::new_no_bias_with_momentum(size, mean, var, eps, momentum),
        affine => {
            let config = BatchNormConfig { eps, remove_mean, affine: affine.is_some(), momentum };
            let statistics = [("running_mean", mean), ("running_var", var)];
            let affine = affine.map(|(weight, bias)| [("weight", weight), ("bias", bias)]);
            candle_nn::batch_norm(size, config, builder(statistics.into_iter().chain(affine.into_iter().flatten())))
        }
    }
}

/// A builder that gives these tensors as they are.
fn builder(tensors: impl IntoIterator<Item = (&'static str, Tensor)>) -> VarBuilder<'static> {
    let tensors: HashMap<String, Tensor> =
        tensors.into_iter().map(|(name, tensor)| (name.to_owned(), tensor)).collect();
    let first = tensors.values().next();
    let (dtype, device) = first.map_or((candle_core::DType::F32, candle_core::Device::Cpu), |tensor| {
        (tensor.dtype(), tensor.device().clone())
    });
    VarBuilder::from_tensors(tensors, dtype, &device)
}
