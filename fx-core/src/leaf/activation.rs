//! Activation functions by name.
//!
//! Invariant: candle's own names, as its debug text has them.

use candle_core::Result;
use candle_nn::Activation;

use super::debug;
use super::library::rule;
use crate::ops::infer::Inferred;
use crate::ops::{elementwise, nn};
use crate::value::{Fact, TensorFact, Value};

/// Shape and dtype of the result: as of the operations that it is made of.
pub(super) fn infer(activation: &Activation, x: &TensorFact) -> Inferred {
    use Activation::{
        Elu, Gelu, GeluPytorchTanh, HardSigmoid, HardSwish, LeakyRelu, Mish, NewGelu, Relu, Relu2, Relu6, Sigmoid,
        Silu, Swiglu, Swish,
    };
    let of = |op| rule(op, [Fact::Tensor(x.clone())]);
    let with = |op, number: &f64| rule(op, [Fact::Tensor(x.clone()), Fact::Data(Value::Float(*number))]);
    match activation {
        Gelu => of(&elementwise::gelu_erf::OP),
        NewGelu | GeluPytorchTanh => of(&elementwise::gelu::OP),
        Relu => of(&elementwise::relu::OP),
        Relu2 => of(&elementwise::sqr::OP),
        Relu6 => {
            let limits = [0.0, 6.0].map(|limit| Fact::Data(Value::Float(limit)));
            let [min, max] = limits;
            rule(&elementwise::clamp::OP, [Fact::Tensor(x.clone()), min, max])
        }
        Silu => of(&elementwise::silu::OP),
        Sigmoid | Swish => of(&nn::sigmoid::OP),
        HardSigmoid | HardSwish => of(&nn::hard_sigmoid::OP),
        Swiglu => of(&nn::swiglu::OP),
        Mish => of(&nn::mish::OP),
        Elu(alpha) => with(&elementwise::elu::OP, alpha),
        LeakyRelu(slope) => with(&nn::leaky_relu::OP, slope),
    }
}

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
