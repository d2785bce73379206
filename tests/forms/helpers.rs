//! Forms of helpers: free functions, modules of functions, associated functions, own functions called like candle's,
//! functions as arguments, and methods of traits.

use candle_core as candle;
use candle_core::{DType, Device, Result, Tensor};
use candle_nn as nn;
use fx::Tracer;
use nn::{Linear, VarBuilder, VarMap};

use crate::support::{assert_returns, linear, tensor};

mod functions {
    use candle_core::{Result, Tensor};

    #[fx::module]
    pub(crate) fn double(x: &Tensor) -> Result<Tensor> {
        x * 2.0
    }

    #[fx::module]
    pub(crate) fn masked(x: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
        match mask {
            Some(mask) => x.broadcast_add(mask),
            None => Ok(x.clone()),
        }
    }

    #[fx::module]
    pub(crate) fn scaled_sum(xs: &[Tensor], scale: f64) -> Result<Tensor> {
        let mut sum = xs[0].clone();
        for x in &xs[1..] {
            sum = (sum + x)?;
        }
        sum * scale
    }

    #[fx::module]
    pub(crate) fn rectified(xs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        xs.into_iter().map(|x| x.relu()).collect()
    }

    #[fx::module]
    pub(crate) fn sum_and_difference((a, b): (&Tensor, &Tensor)) -> Result<(Tensor, Option<Tensor>)> {
        Ok(((a + b)?, Some((a - b)?)))
    }

    #[fx::module]
    pub(crate) fn repeated_tanh(x: &Tensor, times: usize) -> Result<Tensor> {
        if times == 0 {
            return Ok(x.clone());
        }
        repeated_tanh(&x.tanh()?, times - 1)
    }

    #[fx::module]
    pub(crate) fn joined(xs: &[&Tensor]) -> Result<Tensor> {
        Tensor::cat(xs, 0)
    }

    #[fx::module]
    #[inline]
    pub(crate) fn owned(x: Tensor) -> candle_core::Result<Tensor> {
        x + 1.0
    }

    #[fx::module]
    pub(crate) fn without_result(x: &Tensor) -> Tensor {
        x.clone()
    }

    #[fx::module]
    pub(crate) fn generic<F: Fn(usize) -> usize>(x: &Tensor, number: F) -> Result<Tensor> {
        x * number(2) as f64
    }
}

#[fx::constant]
#[derive(Clone, Debug)]
struct Config {
    scale: f64,
    kind: Kind,
}

#[fx::constant]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Scaled,
    Shifted { by: usize },
}

#[fx::module]
struct Cache {
    seen: Vec<Tensor>,
    calls: usize,
}

#[fx::module]
fn with_config(x: &Tensor, config: &Config, cache: &mut Cache) -> Result<Tensor> {
    cache.calls += 1;
    cache.seen.push(x.clone());
    match config.kind {
        Kind::Scaled => x * config.scale,
        Kind::Shifted { by } => x + (by as f64),
    }
}

#[fx::module]
struct CallsFunctions {
    linear: nn::Linear,
    config: Config,
}

#[fx::module]
impl CallsFunctions {
    const SCALE: f64 = 1.25;

    fn scaled(x: &Tensor, scale: f64) -> Result<Tensor> {
        x * scale
    }

    fn new(vb: VarBuilder) -> Result<Self> {
        let config = Config { scale: 0.5, kind: Kind::Shifted { by: 2 } };
        Ok(Self { linear: nn::linear(4, 4, vb.pp("linear"))?, config })
    }

    fn is(&self, kind: Kind) -> bool {
        self.config.kind == kind
    }

    fn forward(&self, x: &candle::Tensor, cache: &mut Cache) -> candle::Result<candle::Tensor> {
        let x = functions::double(x)?;
        let x = crate::helpers::functions::double(&x)?;
        let x = self::functions::masked(&x, Some(&x))?;
        let x = functions::masked(&x, None)?;
        let y = functions::scaled_sum(&[x.clone(), x.clone()], 0.5)?;
        let list = functions::rectified(vec![x.clone(), y.clone()])?;
        let y = functions::scaled_sum(&list, 1.0)?;
        let (sum, difference) = functions::sum_and_difference((&x, &y))?;
        let x = match difference {
            Some(difference) => (sum * difference)?,
            None => sum,
        };
        let x = functions::repeated_tanh(&x, 3)?;
        let x = with_config(&x, &self.config, cache)?;
        let x = with_config(&x, &self.config, cache)?;
        let x = (x + cache.seen.len() as f64)?;
        let x = Self::scaled(&x, Self::SCALE)?;
        let x = functions::joined(&[&x, &x])?;
        let x = functions::owned(x)?;
        let x = functions::without_result(&x);
        let x = functions::generic(&x, |number| number + 1)?;
        if self.is(Kind::Scaled) {
            return Ok(x);
        }
        let x = nn::ops::sigmoid(&x)?;
        let dtype = candle::DType::F32;
        nn::Module::forward(&self.linear, &x.to_dtype(dtype)?)
    }
}

#[test]
fn functions_of_every_signature() {
    let variables = VarMap::new();
    let model = CallsFunctions::new(VarBuilder::from_varmap(&variables, DType::F32, &Device::Cpu)).unwrap();
    let x = tensor(&[2, 4]);
    let cache = || Cache { seen: vec![], calls: 0 };
    let expected = model.forward(&x, &mut cache()).unwrap();
    assert_returns(&[&expected], fx::trace(&model, (&x, &cache())), &[&x]);
    assert_returns(&[&expected], Tracer::new().concrete_arg("cache", &cache()).trace(&model), &[&x]);
}

#[fx::module]
fn negated(x: &Tensor) -> Result<Tensor> {
    x.neg()
}

#[fx::module]
struct FunctionsAsValues {
    linear: Linear,
}

#[fx::module]
impl FunctionsAsValues {
    fn layer(&self) -> &Linear {
        &self.linear
    }

    fn weight_shape(&self) -> Vec<usize> {
        self.linear.weight().dims().to_vec()
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let closure = |x: &Tensor| negated(x);
        let xs = [x, &closure(x)?].into_iter().map(negated).collect::<Result<Vec<_>>>()?;
        (&xs[0] * 2.0 - &xs[1])?.apply(self.layer())?.reshape(self.weight_shape())
    }
}

#[test]
fn a_function_in_a_closure_and_as_a_value() {
    assert_captured_in_every_way!(FunctionsAsValues { linear: linear(4, 4) }, tensor(&[4, 4]));
}

// ── Names like candle's ─────────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct MethodsLikeCandles;

#[fx::module]
impl MethodsLikeCandles {
    fn silu(&self, x: &Tensor) -> Result<Tensor> {
        x * 5.0
    }

    fn softmax(x: &Tensor, scale: usize) -> Result<Tensor> {
        x * scale as f64
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let silu = |x: &Tensor| x * 2.0;
        let x = silu(x)?;
        let x = self.silu(&x)?;
        Self::softmax(&x, 3)
    }
}

#[test]
fn closures_and_methods_called_like_candles_functions() {
    assert_captured_in_every_way!(MethodsLikeCandles, tensor(&[2, 4]));
}

#[fx::module]
struct InnerFunctionLikeCandles;

#[fx::module]
impl InnerFunctionLikeCandles {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        fn silu(x: &Tensor) -> Result<Tensor> {
            x * 7.0
        }
        silu(x)
    }
}

#[test]
fn a_function_inside_a_method_called_like_candles() {
    assert_captured_in_every_way!(InnerFunctionLikeCandles, tensor(&[2, 4]));
}

mod own_activations {
    use candle_core::{Result, Tensor};

    #[fx::module]
    pub(crate) fn silu(x: &Tensor) -> Result<Tensor> {
        x * 7.0
    }

    pub(crate) use self::silu as swish;
}

mod imports_own_activation {
    use candle_core::{Result, Tensor};

    use super::own_activations::{self, silu};
    use crate::support::tensor;

    #[fx::module]
    struct ImportedLikeCandles;

    #[fx::module]
    impl ImportedLikeCandles {
        fn forward(&self, x: &Tensor) -> Result<Tensor> {
            own_activations::swish(&silu(x)?)
        }
    }

    #[test]
    fn an_imported_function_called_like_candles() {
        assert_captured_in_every_way!(ImportedLikeCandles, tensor(&[2, 4]));
    }
}

#[fx::module]
struct ParametersLikeCandles;

#[fx::module]
impl ParametersLikeCandles {
    fn by_pointer(&self, x: &Tensor, sigmoid: fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
        sigmoid(x)
    }

    fn by_closure(&self, x: &Tensor, swiglu: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
        swiglu(x)
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.by_pointer(x, |x| x * 3.0)?;
        self.by_closure(&x, |y| y * 2.0)
    }
}

#[test]
fn functions_passed_under_the_names_of_candles() {
    assert_captured_in_every_way!(ParametersLikeCandles, tensor(&[2, 4]));
}

// ── Traits of the user's ────────────────────────────────────────────────────────────────────────────────────────────

trait Layer {
    const SCALE: usize;

    fn go(&self, x: &Tensor) -> Result<Tensor>;

    fn twice(&self, x: &Tensor) -> Result<Tensor> {
        self.go(&self.go(x)?)
    }
}

#[fx::module]
struct ScaledLayer {
    linear: Linear,
}

#[fx::module]
impl Layer for ScaledLayer {
    const SCALE: usize = 3;

    fn go(&self, x: &Tensor) -> Result<Tensor> {
        x.apply(&self.linear)? * Self::SCALE as f64
    }
}

#[fx::module]
struct CallsLayer {
    inner: ScaledLayer,
}

#[fx::module]
impl CallsLayer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.inner.go(x)?;
        x * ScaledLayer::SCALE as f64
    }
}

#[test]
fn a_trait_with_a_constant() {
    assert_captured_in_every_way!(CallsLayer { inner: ScaledLayer { linear: linear(4, 4) } }, tensor(&[2, 4]));
}
