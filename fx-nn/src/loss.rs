//! Losses of two tensors, element by element: [`L1Loss`], [`MSELoss`], [`BCELoss`] and others.
//!
//! Invariant: a loss is computed for each element, or each sample, and then reduced as its options say.

use std::fmt;

use candle_core::{Result, Tensor, bail};
use candle_nn::VarBuilder;

use crate::dims::floats;
use crate::leaf::several;
use crate::options::{options, words};
use crate::stable;
use crate::twice::{maybe, twice};

words! {
    /// What a loss makes of its values.
    ///
    /// Whatever is averaged or summed up is a scalar.
    Reduction {
        /// Nothing: they are the result.
        None = "none",
        /// Their average.
        Mean = "mean",
        /// Their sum.
        Sum = "sum",
        /// Their sum divided by the number of samples; [`KLDivLoss`] only.
        BatchMean = "batchmean",
    }
}

impl Reduction {
    /// The extents of what is left of values of these extents.
    pub(crate) fn shape(self, dims: Vec<usize>) -> Vec<usize> {
        if self == Self::None { dims } else { Vec::new() }
    }

    /// Refuses what only one loss has.
    pub(crate) fn usual(self, layer: &str) -> Result<()> {
        if self == Self::BatchMean {
            bail!("{layer}: reduction should be `none`, `mean` or `sum`");
        }
        Ok(())
    }
}

/// Refuses tensors of different shapes.
pub(crate) fn alike(layer: &str, first: &[usize], second: &[usize]) -> Result<()> {
    if first != second {
        bail!("{layer}: expects tensors of one shape, but is given {first:?} and {second:?}");
    }
    Ok(())
}

/// A weight that a loss was saved with.
pub(crate) fn saved(vb: &VarBuilder<'_>, name: &str) -> Result<Option<Tensor>> {
    if vb.contains_tensor(name) { vb.get_unchecked(name).map(Some) } else { Ok(None) }
}

twice! {
    {}

    /// What is made of these values.
    pub(crate) fn reduced(reduction: Reduction, values: &Tensor) -> Result<Tensor> {
        match reduction {
            Reduction::None => Ok(values.clone()),
            Reduction::Mean => values.mean_all(),
            Reduction::Sum => values.sum_all(),
            Reduction::BatchMean => values.sum_all()? / values.dims().first().copied().unwrap_or(1) as f64,
        }
    }

    /// Scaled by a weight, if there is one.
    pub(crate) fn weighed(values: Tensor, weight: Option<&Tensor>) -> Result<Tensor> {
        match weight {
            Some(weight) => values.broadcast_mul(weight),
            None => Ok(values),
        }
    }

    /// `½ d² / beta` below `beta`, `d − ½ beta` above.
    pub(crate) fn smooth(difference: &Tensor, beta: f64) -> Result<Tensor> {
        if beta == 0.0 {
            return Ok(difference.clone());
        }
        let square = (difference.sqr()? * (0.5 / beta))?;
        difference.lt(beta)?.where_cond(&square, &(difference - 0.5 * beta)?)
    }

    /// `x · log x`, zero where x is.
    pub(crate) fn x_log_x(x: &Tensor) -> Result<Tensor> {
        let zero = x.zeros_like()?;
        x.gt(0.0)?.where_cond(&(x * x.log()?)?, &zero)
    }
}

macro_rules! losses {
    ($(
        $(#[$doc:meta])*
        $layer:ident, $config:ident {
            $($(#[$option_doc:meta])* $option:ident: $type:ty = $default:expr),* $(,)?
        } $(weights $weight:ident $name:literal $set:ident,)*
        |$this:ident, $x:ident, $y:ident| $values:expr; $shape:expr;
    )*) => {$(
        options! {
            #[doc = concat!("Options of [`", stringify!($layer), "`].")]
            $config {
                $($(#[$option_doc])* $option: $type = $default,)*
                /// What is made of the values; their average by default.
                reduction: Reduction = Reduction::Mean,
            }
        }

        $(#[$doc])*
        #[doc = "\n\nThese values are averaged into one number, unless the option `reduction` says otherwise ([`Reduction`])."]
        #[doc = concat!("\n\n[torch.nn.", stringify!($layer), "](https://docs.pytorch.org/docs/stable/generated/torch.nn.", stringify!($layer), ".html)")]
        #[derive(Debug, Clone, Default)]
        pub struct $layer {
            config: $config,
            $($weight: Option<Tensor>,)*
        }

        impl $layer {
            /// A loss with these options.
            #[must_use]
            pub fn new(config: $config) -> Self {
                Self { config, $($weight: None,)* }
            }

            $(
                #[doc = concat!("The loss with torch's `", $name, "`, which broadcasts against the input.")]
                #[must_use]
                pub fn $set(mut self, weight: Tensor) -> Self {
                    self.$weight = Some(weight);
                    self
                }
            )*

            /// The loss of `input` against `target`.
            ///
            /// # Errors
            /// When the shapes do not fit, or the options do not make sense.
            pub fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
                self.shape(input.dims(), target.dims())?;
                floats(stringify!($layer), input.dtype())?;
                #[allow(unused_variables, reason = "losses without settings")]
                let ($this, $x, $y) = (&self.config, input, target);
                $(let $weight = self.$weight.as_ref();)*
                let values: Result<Tensor> = $values;
                reduced(self.config.reduction, &values?)
            }

            fn shape(&self, input: &[usize], target: &[usize]) -> Result<Vec<usize>> {
                let shape: fn(&str, &[usize], &[usize], &Self) -> Result<Vec<usize>> = $shape;
                Ok(self.config.reduction.shape(shape(stringify!($layer), input, target, self)?))
            }

            #[allow(dead_code, unused_variables, reason = "losses without weights")]
            fn tensor(&self, name: &str) -> Option<Tensor> {
                $(
                    if name == $name {
                        return self.$weight.clone();
                    }
                )*
                None
            }
        }

        impl fmt::Display for $layer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($layer), "()"))
            }
        }

        several! {
            $layer as concat!("nn.", stringify!($layer)), (target);
            arguments {}
            config config: $config;
            tensors { $($name),* }
            make |_vb| Ok(Self { config, $($weight: saved(&_vb, $name)?,)* });
            call |layer, input, target| layer.forward(input, target);
            shape |layer, input, target| {
                floats(stringify!($layer), input.dtype).and_then(|()| layer.shape(input.dims(), target.dims()))
            };
            buffers &[$($name),*];
            through |layer, _scope, input, target| {
                #[allow(unused_imports, reason = "each needs some of them")]
                use {
                    crate::proxied::stable,
                    entered::{smooth, weighed, x_log_x},
                    fx_core::symbolic::Tensor,
                };
                layer.shape(input.dims(), target.dims())?;
                #[allow(unused_variables, reason = "losses without settings")]
                let ($this, $x, $y) = (&layer.config, input, target);
                $(
                    let $weight = maybe(layer.$weight.as_ref(), _scope, $name);
                    let $weight = $weight.as_ref();
                )*
                let values: Result<fx_core::trace::Proxy> = $values;
                entered::reduced(layer.config.reduction, &values?)
            };
        }
    )*};
}

/// Tensors of one shape, and values for each element.
fn elements(layer: &str, input: &[usize], target: &[usize], reduction: Reduction) -> Result<Vec<usize>> {
    reduction.usual(layer)?;
    alike(layer, input, target)?;
    Ok(input.to_vec())
}

/// Tensors that broadcast, and values for each element.
fn broadcast(layer: &str, input: &[usize], target: &[usize], reduction: Reduction) -> Result<Vec<usize>> {
    reduction.usual(layer)?;
    crate::distance::together(layer, input, target)
}

losses! {
    /// `|x − y|`.
    L1Loss, L1LossConfig {} |this, x, y| x.broadcast_sub(y)?.abs(); |layer, x, y, this| broadcast(layer, x, y, this.config.reduction);

    /// `(x − y)²`.
    MSELoss, MSELossConfig {} |this, x, y| x.broadcast_sub(y)?.sqr(); |layer, x, y, this| broadcast(layer, x, y, this.config.reduction);

    /// `½ (x − y)² / beta` where `|x − y|` is below `beta`, else `|x − y| − ½ beta`.
    SmoothL1Loss, SmoothL1LossConfig {
        /// Where the square ends; 1 by default.
        beta: f64 = 1.0,
    } |this, x, y| {
        if this.beta < 0.0 {
            bail!("SmoothL1Loss: beta {} should not be negative", this.beta);
        }
        smooth(&x.broadcast_sub(y)?.abs()?, this.beta)
    }; |layer, x, y, this| broadcast(layer, x, y, this.config.reduction);

    /// `½ (x − y)²` where `|x − y|` is below `delta`, else `delta · (|x − y| − ½ delta)`.
    HuberLoss, HuberLossConfig {
        /// Where the square ends; 1 by default.
        delta: f64 = 1.0,
    } |this, x, y| {
        if this.delta <= 0.0 {
            bail!("HuberLoss: delta {} should be positive", this.delta);
        }
        smooth(&x.broadcast_sub(y)?.abs()?, this.delta)? * this.delta
    }; |layer, x, y, this| broadcast(layer, x, y, this.config.reduction);

    /// `−(y · log x + (1 − y) · log(1 − x))`, the logarithms at least -100.
    BCELoss, BCELossConfig {} weights weight "weight" with_weight,
    |this, x, y| {
        let log = |x: &Tensor| x.log()?.maximum(-100.0);
        let values = ((y * log(x)?)? + (y.affine(-1.0, 1.0)? * log(&x.affine(-1.0, 1.0)?)?)?)?.neg()?;
        weighed(values, weight)
    }; |layer, x, y, this| elements(layer, x, y, this.config.reduction);

    /// `−(pos_weight · y · log σ(x) + (1 − y) · log(1 − σ(x)))`.
    BCEWithLogitsLoss, BCEWithLogitsLossConfig {}
    weights weight "weight" with_weight, weights pos_weight "pos_weight" with_pos_weight,
    |this, x, y| {
        // −log σ(x) is softplus(−x), and −log(1 − σ(x)) is that and x.
        let positive = stable::softplus(&x.neg()?)?;
        let negative = (y.affine(-1.0, 1.0)? * (x + &positive)?)?;
        let positive = weighed((y * positive)?, pos_weight)?;
        weighed((positive + negative)?, weight)
    }; |layer, x, y, this| elements(layer, x, y, this.config.reduction);

    /// `y · (log y − x)`, of logarithms x and of probabilities y or, with `log_target`, their logarithms.
    KLDivLoss, KLDivLossConfig {
        /// Whether the target holds logarithms; false by default.
        log_target: bool = false,
    } |this, x, y| {
        if this.log_target {
            let difference = y.broadcast_sub(x)?;
            y.exp()?.broadcast_mul(&difference)
        } else {
            // First what refuses a target of another type.
            let mixed = y.broadcast_mul(x)?;
            x_log_x(y)?.broadcast_sub(&mixed)
        }
    }; |layer, x, y, _this| crate::distance::together(layer, x, y);

    /// `exp(x) − y · x`, or with `log_input = false` `x − y · log(x + eps)`; with `full` and Stirling's approximation of
    /// `log(y!)` for targets above 1.
    PoissonNLLLoss, PoissonNLLLossConfig {
        /// Whether the input holds logarithms; true by default.
        log_input: bool = true,
        /// Whether the approximation is added; false by default.
        full: bool = false,
        /// Added in the logarithm; 1e-8 by default.
        eps: f64 = 1e-8,
    } |this, x, y| {
        let values = if this.log_input {
            x.exp()?.broadcast_sub(&y.broadcast_mul(x)?)?
        } else {
            x.broadcast_sub(&y.broadcast_mul(&(x + this.eps)?.log()?)?)?
        };
        if this.full {
            let above = y.gt(1.0)?;
            let safe = y.maximum(1.0)?;
            let stirling = (((&safe * safe.log()?)? - &safe)? + ((&safe * (2.0 * std::f64::consts::PI))?.log()? * 0.5)?)?;
            values.broadcast_add(&above.where_cond(&stirling, &y.zeros_like()?)?)
        } else {
            Ok(values)
        }
    }; |layer, x, y, this| broadcast(layer, x, y, this.config.reduction);

    /// `log(1 + exp(−y · x))`, of targets 1 and -1.
    SoftMarginLoss, SoftMarginLossConfig {}
    |this, x, y| stable::softplus(&(x * y)?.neg()?); |layer, x, y, this| elements(layer, x, y, this.config.reduction);

    /// `x` where the target is 1, `max(0, margin − x)` where it is -1.
    HingeEmbeddingLoss, HingeEmbeddingLossConfig {
        /// How far the others should be; 1 by default.
        margin: f64 = 1.0,
    } |this, x, y| {
        let zero = x.zeros_like()?;
        let far = x.affine(-1.0, this.margin)?.relu()?;
        // torch adds both parts, so a target that is neither counts as both.
        y.ne(1.0)?.where_cond(&far, &zero)? + y.ne(-1.0)?.where_cond(x, &zero)?
    }; |layer, x, y, this| elements(layer, x, y, this.config.reduction);

    /// The average over classes of `−(y · log σ(x) + (1 − y) · log(1 − σ(x)))`, for each sample of `(N, C)` or `(C)`.
    MultiLabelSoftMarginLoss, MultiLabelSoftMarginLossConfig {} weights weight "weight" with_weight,
    |this, x, y| {
        let positive = stable::softplus(&x.neg()?)?;
        let values = (y * &positive)? + (y.affine(-1.0, 1.0)? * (x + &positive)?)?;
        weighed(values?, weight)?.mean(candle_core::D::Minus1)
    }; |layer, x, y, this| {
        let mut dims = elements(layer, x, y, this.config.reduction)?;
        if dims.pop().is_none() {
            bail!("{layer}: expects classes in the last dimension, but is given a scalar");
        }
        Ok(dims)
    };
}
