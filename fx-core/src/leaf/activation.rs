//! Activation functions by name.
//!
//! Invariant: candle's own names, as its debug text has them.

use candle_core::Result;
use candle_nn::Activation;

use super::debug;

/// Name of the function.
pub(super) fn name(activation: &Activation) -> String {
    let text = format!("{activation:?}");
    text.split('(').next().unwrap_or_default().to_owned()
}

/// Its number, if it has one.
pub(super) fn parameter(activation: &Activation) -> Option<f64> {
    match activation {
        Activation::Elu(parameter) | Activation::LeakyRelu(parameter) => Some(*parameter),
        _ => None,
    }
}

/// The function of this name.
pub(super) fn named(function: &str, parameter: Option<f64>) -> Result<Activation> {
    use Activation::{
        Elu, Gelu, GeluPytorchTanh, HardSigmoid, HardSwish, LeakyRelu, Mish, NewGelu, Relu, Relu2, Relu6, Sigmoid,
        Silu, Swiglu, Swish,
    };
    let with_parameter = |make: fn(f64) -> Activation| match parameter {
        Some(parameter) => Ok(make(parameter)),
        None => candle_core::bail!("{function} needs a parameter"),
    };
    match function {
        "Elu" => with_parameter(Elu),
        "LeakyRelu" => with_parameter(LeakyRelu),
        _ => debug::named(
            function,
            [
                Gelu,
                NewGelu,
                Relu,
                Relu2,
                Relu6,
                Silu,
                Sigmoid,
                HardSigmoid,
                Swiglu,
                Swish,
                Mish,
                HardSwish,
                GeluPytorchTanh,
            ],
        ),
    }
}
