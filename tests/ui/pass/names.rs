//! Parameters, fields and types with the names that generated code might use.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::linear;

#[fx::module]
#[derive(Clone)]
struct Scope {
    scope: Linear,
    fields: Tensor,
    holding: usize,
    mirror: Option<Tensor>,
    out: Vec<Linear>,
}

#[fx::module]
struct Fields(Linear, Scope);

#[fx::module]
enum Inputs {
    Scope(Scope),
    Fields { scope: Linear, fields: usize, out: Tensor },
    Self_(Linear, Linear),
    World,
}

#[fx::module]
impl Scope {
    fn forward(
        &self,
        args: &Tensor,
        original: &Tensor,
        inputs: usize,
        result: Option<&Tensor>,
        this: f64,
        out: &str,
    ) -> Result<Tensor> {
        let value = self.scope.forward(args)?;
        let fields = original * (inputs + self.holding + out.len()) as f64;
        let held = match result {
            Some(result) => (value + result)?,
            None => value,
        };
        let scope = Self { scope: self.scope.clone(), fields: fields?, holding: inputs, mirror: None, out: vec![] };
        (held + scope.fields)? * this
    }
}

#[fx::module]
impl Module for Inputs {
    fn forward(&self, scope: &Tensor) -> Result<Tensor> {
        match self {
            Self::Scope(inputs) => inputs.forward(scope, scope, 1, None, 2.0, "a"),
            Inputs::Fields { scope: layer, fields, out } => {
                (layer.forward(scope)? * *fields as f64)?.broadcast_add(out)
            }
            Inputs::Self_(fields, holding) => holding.forward(&fields.forward(scope)?),
            Inputs::World => scope.relu(),
        }
    }
}

#[fx::module]
impl Module for Fields {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Self(a, b) = self;
        let Fields(c, ..) = self;
        let y = b.forward(&a.forward(x)?, x, 2, Some(x), 1.0, "bc")?;
        c.forward(&whole(&original(&y, 1, &[2], (3, 4))?, 1, None, "x")?)
    }
}

#[fx::module]
fn original(args: &Tensor, value: usize, fields: &[usize], (result, op): (usize, usize)) -> Result<Tensor> {
    args * (value + fields[0] + result * op) as f64
}

#[fx::wrap]
fn whole(op: &Tensor, args: usize, value: Option<&Tensor>, r#type: &str) -> Result<Tensor> {
    match value {
        Some(value) => op + value,
        None => op * (args + r#type.len()) as f64,
    }
}

#[test]
fn it_computes_the_same() {
    let bias = || Tensor::new(&[3f32, 0.5], &candle_core::Device::Cpu).unwrap();
    let scope = || Scope { scope: linear(), fields: bias(), holding: 1, mirror: Some(bias()), out: vec![linear()] };
    super::support::same(&Fields(linear(), scope()), |model, x| model.forward(x));
    for model in [
        Inputs::Scope(scope()),
        Inputs::Fields { scope: linear(), fields: 2, out: bias() },
        Inputs::Self_(linear(), linear()),
        Inputs::World,
    ] {
        super::support::same(&model, |model, x| model.forward(x));
    }
}
