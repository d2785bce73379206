//! candle_nn's layers as Rust source: the expressions that people write to make one of a `VarBuilder`, called `vb`.
//!
//! Invariant: the layer has the settings of the one it is the source of, and the tensors of these names.

use candle_core::{Result, Shape, Tensor};

/// A shape as an argument: `3`, `(2, 3)`.
pub(super) fn shape(shape: &Shape) -> String {
    match shape.dims() {
        [one] => one.to_string(),
        dims if dims.len() <= 6 => format!("({})", joined(dims)),
        dims => format!("vec![{}]", joined(dims)),
    }
}

fn joined(dims: &[usize]) -> String {
    dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A tensor of the builder.
fn tensor(tensor: &Tensor, name: &str) -> String {
    format!("vb.get({}, \"{name}\")?", shape(tensor.shape()))
}

fn optional(bias: Option<&Tensor>) -> String {
    bias.map_or_else(|| "None".to_owned(), |bias| format!("Some({})", tensor(bias, "bias")))
}

pub(super) fn linear(weight: &Tensor, bias: Option<&Tensor>) -> Result<String> {
    let (to, from) = weight.dims2()?;
    let no_bias = if bias.is_some() { "" } else { "_no_bias" };
    Ok(format!("candle_nn::linear{no_bias}({from}, {to}, vb)?"))
}

/// A configuration: those settings that are not the defaults.
fn config(layer: &str, settings: &[(&str, usize, usize)], algorithm: Option<&str>) -> String {
    let changed = settings.iter().filter(|(_, value, default)| value != default);
    let mut fields: Vec<String> = changed.map(|(name, value, _)| format!("{name}: {value}")).collect();
    fields.extend(algorithm.map(|name| format!("cudnn_fwd_algo: Some(candle_core::conv::CudnnFwdAlgo::{name})")));
    if fields.is_empty() {
        return "Default::default()".to_owned();
    }
    fields.push("..Default::default()".to_owned());
    format!("candle_nn::{layer}Config {{ {} }}", fields.join(", "))
}

/// A convolution.
pub(super) fn conv(
    layer: &str,
    weight: &Tensor,
    bias: Option<&Tensor>,
    groups: usize,
    settings: &[(&str, usize, usize)],
    algorithm: Option<&str>,
) -> Result<String> {
    let config = config(layer, settings, algorithm);
    Ok(match weight.dims() {
        [to, from, size, rest @ ..] if rest.iter().all(|other| other == size) => {
            let no_bias = if bias.is_some() { "" } else { "_no_bias" };
            let (function, from) = (layer.to_lowercase(), from * groups);
            format!("candle_nn::{function}{no_bias}({from}, {to}, {size}, {config}, vb)?")
        }
        _ => format!("candle_nn::{layer}::new({}, {}, {config})", tensor(weight, "weight"), optional(bias)),
    })
}

/// A layer that is made of a weight, a bias and a configuration.
pub(super) fn of_tensors(
    layer: &str,
    weight: &Tensor,
    bias: Option<&Tensor>,
    settings: &[(&str, usize, usize)],
) -> Result<String> {
    let config = config(layer, settings, None);
    Ok(format!("candle_nn::{layer}::new({}, {}, {config})", tensor(weight, "weight"), optional(bias)))
}

pub(super) fn embedding(embeddings: &Tensor, hidden_size: usize) -> Result<String> {
    Ok(match embeddings.dims() {
        [rows, columns] if *columns == hidden_size => format!("candle_nn::embedding({rows}, {columns}, vb)?"),
        _ => format!("candle_nn::Embedding::new({}, {hidden_size})", tensor(embeddings, "weight")),
    })
}

pub(super) fn layer_norm(weight: &Tensor, bias: Option<&Tensor>, eps: f64, remove_mean: bool) -> Result<String> {
    let one = weight.dims1().ok().filter(|size| bias.is_none_or(|bias| bias.dims() == [*size]));
    Ok(match (one, bias, remove_mean) {
        (Some(size), Some(_), true) => format!("candle_nn::layer_norm({size}, {eps:?}, vb)?"),
        (Some(size), None, true) => format!("candle_nn::layer_norm_no_bias({size}, {eps:?}, vb)?"),
        (Some(size), Some(_), false) => format!(
            "candle_nn::layer_norm({size}, candle_nn::LayerNormConfig {{ eps: {eps:?}, remove_mean: false, affine: true }}, vb)?"
        ),
        (None, Some(bias), true) => {
            format!("candle_nn::LayerNorm::new({}, {}, {eps:?})", tensor(weight, "weight"), tensor(bias, "bias"))
        }
        (None, None, true) => format!("candle_nn::LayerNorm::new_no_bias({}, {eps:?})", tensor(weight, "weight")),
        (_, None, false) => format!("candle_nn::LayerNorm::rms_norm({}, {eps:?})", tensor(weight, "weight")),
        (None, Some(_), false) => candle_core::bail!("no constructor makes a norm of these tensors without a mean"),
    })
}

pub(super) fn rms_norm(weight: &Tensor, eps: f64) -> Result<String> {
    Ok(match weight.dims1() {
        Ok(size) => format!("candle_nn::rms_norm({size}, {eps:?}, vb)?"),
        Err(_) => format!("candle_nn::RmsNorm::new({}, {eps:?})", tensor(weight, "weight")),
    })
}

pub(super) fn batch_norm(mean: &Tensor, affine: bool, eps: f64, momentum: f64, remove_mean: bool) -> Result<String> {
    let size = mean.dims1()?;
    Ok(if affine && remove_mean && momentum == candle_nn::BatchNormConfig::default().momentum {
        format!("candle_nn::batch_norm({size}, {eps:?}, vb)?")
    } else {
        format!(
            "candle_nn::batch_norm({size}, candle_nn::BatchNormConfig {{ eps: {eps:?}, remove_mean: {remove_mean}, affine: \
             {affine}, momentum: {momentum:?} }}, vb)?"
        )
    })
}

pub(super) fn activation(function: &str, parameter: Option<f64>) -> Result<String> {
    let parameter = parameter.map_or_else(String::new, |parameter| format!("({parameter:?})"));
    Ok(format!("candle_nn::Activation::{function}{parameter}"))
}

pub(super) fn prelu(weight: &Tensor, is_scalar: bool) -> Result<String> {
    Ok(format!("candle_nn::PReLU::new({}, {is_scalar})", tensor(weight, "weight")))
}
