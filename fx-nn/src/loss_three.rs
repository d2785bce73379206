//! Losses of three tensors: [`MarginRankingLoss`], [`CosineEmbeddingLoss`], [`TripletMarginLoss`], [`GaussianNLLLoss`].
//!
//! Invariant: a loss is computed for each sample or element, and then reduced as its options say.

use std::fmt;

use candle_core::{Result, Tensor, bail};
use fx_core::module::Called;
use fx_core::ops::IntoValue;
use fx_core::trace::{Given, Proxy};
use fx_core::value::Fact;

use crate::dims::floats;
use crate::distance::{CosineSimilarity, PairwiseDistance, pairwise, similarity, together};
use crate::leaf::{Several, leaf};
use crate::loss::{Reduction, reduced};
use crate::options::{options, words};
use crate::transformer::print;
use crate::twice::twice;

words! {
    /// A distance of [`TripletMarginWithDistanceLoss`], by name, so that a graph can be saved with it. torch takes any
    /// function there: with one of your own, write the loss with it.
    DistanceFunction {
        /// That of [`PairwiseDistance`].
        PairwiseDistance = "pairwise_distance",
        /// One less the similarity of [`CosineSimilarity`].
        CosineDistance = "cosine_distance",
    }
}

twice! {
    {
        use crate::distance::entered::{pairwise, similarity};
    }

    /// `max(0, d(a, p) − d(a, n) + margin)`.
    pub(crate) fn triplet(
        anchor: &Tensor,
        positive: &Tensor,
        negative: &Tensor,
        margin: f64,
        swap: bool,
        distance: impl Fn(&Tensor, &Tensor) -> Result<Tensor>,
    ) -> Result<Tensor> {
        let near = distance(anchor, positive)?;
        let mut far = distance(anchor, negative)?;
        if swap {
            far = far.minimum(&distance(positive, negative)?)?;
        }
        (near - far)?.affine(1.0, margin)?.relu()
    }

    /// The distance of this name.
    pub(crate) fn distance(function: DistanceFunction, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        match function {
            DistanceFunction::PairwiseDistance => pairwise(PairwiseDistance::default(), x, y),
            DistanceFunction::CosineDistance => similarity(CosineSimilarity::new(-1, 1e-8), x, y)?.affine(-1.0, 1.0),
        }
    }

    /// The cosine along the last dimension, with something added to squares of lengths.
    pub(crate) fn cosine(first: &Tensor, second: &Tensor, eps: f64) -> Result<Tensor> {
        let last = candle_core::D::Minus1;
        let squares = |x: &Tensor| x.sqr()?.sum(last)? + eps;
        (first * second)?.sum(last)? / (squares(first)? * squares(second)?)?.sqrt()?
    }
}

macro_rules! losses {
    ($(
        $(#[$doc:meta])*
        $layer:ident, $config:ident { $($(#[$option_doc:meta])* $option:ident: $type:ty = $default:expr),* $(,)? }
        ($first:ident, $second:ident, $third:ident)
        |$this:ident| $values:expr; $shape:expr;
        $(@inside |$holder:ident| $inside:expr;)?
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
        }

        impl $layer {
            /// A loss with these options.
            #[must_use]
            pub fn new(config: $config) -> Self {
                Self { config }
            }

            /// The loss of these tensors.
            ///
            /// # Errors
            /// When the shapes do not fit.
            pub fn forward(&self, $first: &Tensor, $second: &Tensor, $third: &Tensor) -> Result<Tensor> {
                self.shape($first.dims(), $second.dims(), $third.dims())?;
                floats(stringify!($layer), $first.dtype())?;
                let $this = &self.config;
                let values: Result<Tensor> = $values;
                reduced(self.config.reduction, &values?)
            }

            fn shape(&self, first: &[usize], second: &[usize], third: &[usize]) -> Result<Vec<usize>> {
                self.config.reduction.usual(stringify!($layer))?;
                let shape: fn(&str, [&[usize]; 3]) -> Result<Vec<usize>> = $shape;
                Ok(self.config.reduction.shape(shape(stringify!($layer), [first, second, third])?))
            }
        }

        impl fmt::Display for $layer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                #[allow(unused_variables, reason = "those that have a layer inside")]
                let inside: Option<(&str, String)> = None;
                $(let inside: Option<(&str, String)> = {
                    let $holder = &self.config;
                    $inside
                };)?
                match inside {
                    Some((name, layer)) => print(f, stringify!($layer), &[(name, &layer)]),
                    None => f.write_str(concat!(stringify!($layer), "()")),
                }
            }
        }

        leaf! {
            @layer [] $layer as concat!("nn.", stringify!($layer)),
            Called { method: "forward", options: &[stringify!($second), stringify!($third)] };
            [] [config: $config] [] [_vb Ok(Self { config })]
            |layer, args| {
                use fx_core::leaf::argument;
                layer.forward(argument(args, 0)?, argument(args, 1)?, argument(args, 2)?).into_value()
            };
            |layer, facts| match facts {
                [Fact::Tensor(x), Fact::Tensor(y), Fact::Tensor(z)] => {
                    Ok(Fact::tensor(layer.shape(x.dims(), y.dims(), z.dims())?, x.dtype))
                }
                _ => Ok(Fact::Unknown),
            };
            enters layer;
        }
        leaf!(@several $layer);

        impl Several<$layer> {
            /// Records a call of the loss.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn forward(&self, $first: &Proxy, $second: &Proxy, $third: &Proxy) -> Result<Proxy> {
                if let Some(inside) = self.enter() {
                    #[allow(unused_imports, reason = "each needs some of them")]
                    use crate::distance::entered::pairwise;
                    #[allow(unused_imports, reason = "each needs some of them")]
                    use entered::{cosine, distance, triplet};
                    let layer = inside.layer();
                    layer.shape($first.dims(), $second.dims(), $third.dims())?;
                    let $this = &layer.config;
                    let values: Result<Proxy> = $values;
                    return crate::loss::entered::reduced(layer.config.reduction, &values?);
                }
                self.record(&[$first, $second, $third].map(|proxy| Given::Proxy(proxy.clone())))
            }
        }
    )*};
}
losses! {
    /// `max(0, −y · (x₁ − x₂) + margin)`, of targets 1 and -1.
    MarginRankingLoss, MarginRankingLossConfig {
        /// How far the inputs should be apart; 0 by default.
        margin: f64 = 0.0,
    } (input1, input2, target)
    |config| target.broadcast_mul(&input1.broadcast_sub(input2)?)?.affine(-1.0, config.margin)?.relu();
    |layer, [x, y, target]| together(layer, &together(layer, x, y)?, target);

    /// `1 − cos(x₁, x₂)` where the target is 1, `max(0, cos(x₁, x₂) − margin)` where it is -1; of `(N, D)` or `(D)`.
    CosineEmbeddingLoss, CosineEmbeddingLossConfig {
        /// How alike the others may be; 0 by default.
        margin: f64 = 0.0,
    } (input1, input2, target)
    |config| {
        // torch adds this to squares, not to lengths.
        let cosine = cosine(input1, input2, 1e-12)?;
        let zero = cosine.zeros_like()?;
        let near = target.eq(1.0)?.where_cond(&cosine.affine(-1.0, 1.0)?, &zero)?;
        let far = target.eq(-1.0)?.where_cond(&cosine.affine(1.0, -config.margin)?.relu()?, &zero)?;
        near + far
    };
    |layer, [x, y, target]| {
        if x != y || !matches!(x.len(), 1 | 2) || target != &x[..x.len() - 1] {
            bail!("{layer}: expects (N, D), (N, D) and (N), or (D), (D) and a scalar, but is given {x:?}, {y:?} and {target:?}");
        }
        Ok(target.to_vec())
    };

    /// `max(0, d(a, p) − d(a, n) + margin)`, the distance of norm `p` along the last dimension; with `swap` the smaller
    /// of `d(a, n)` and `d(p, n)`.
    TripletMarginLoss, TripletMarginLossConfig {
        /// How much nearer the positive should be; 1 by default.
        margin: f64 = 1.0,
        /// The norm; 2 by default.
        p: f64 = 2.0,
        /// Added to differences; 1e-6 by default.
        eps: f64 = 1e-6,
        /// Whether the distance of positive and negative counts; false by default.
        swap: bool = false,
    } (anchor, positive, negative)
    |config| {
        let distance = PairwiseDistance::new(config.p, config.eps, false);
        triplet(anchor, positive, negative, config.margin, config.swap, |x, y| pairwise(distance, x, y))
    };
    |layer, [x, y, z]| {
        let mut dims = together(layer, x, &together(layer, y, z)?)?;
        if x.len() != y.len() || x.len() != z.len() || dims.pop().is_none() {
            bail!("{layer}: expects three tensors of as many dimensions, but is given {x:?}, {y:?} and {z:?}");
        }
        Ok(dims)
    };

    /// `max(0, d(a, p) − d(a, n) + margin)` of a distance along the last dimension; with `swap` the smaller of `d(a, n)` and
    /// `d(p, n)`.
    TripletMarginWithDistanceLoss, TripletMarginWithDistanceLossConfig {
        /// The distance; that of [`PairwiseDistance`] by default.
        distance_function: DistanceFunction = DistanceFunction::PairwiseDistance,
        /// How much nearer the positive should be; 1 by default.
        margin: f64 = 1.0,
        /// Whether the distance of positive and negative counts; false by default.
        swap: bool = false,
    } (anchor, positive, negative)
    |config| {
        let function = config.distance_function;
        triplet(anchor, positive, negative, config.margin, config.swap, |x, y| distance(function, x, y))
    };
    |layer, [x, y, z]| {
        let mut dims = together(layer, x, &together(layer, y, z)?)?;
        if x.len() != y.len() || x.len() != z.len() || dims.pop().is_none() {
            bail!("{layer}: expects three tensors of as many dimensions, but is given {x:?}, {y:?} and {z:?}");
        }
        Ok(dims)
    };
    @inside |config| match config.distance_function {
        DistanceFunction::PairwiseDistance => Some(("distance_function", PairwiseDistance::default().to_string())),
        DistanceFunction::CosineDistance => None,
    };

    /// `½ (log max(var, eps) + (x − y)² / max(var, eps))`; with `full` and `½ log 2π`.
    GaussianNLLLoss, GaussianNLLLossConfig {
        /// Whether the constant is added; false by default.
        full: bool = false,
        /// The least variance; 1e-6 by default.
        eps: f64 = 1e-6,
    } (input, target, var)
    |config| {
        let var = if var.rank() + 1 == input.rank() { var.unsqueeze(var.rank())? } else { var.clone() };
        let var = var.maximum(config.eps)?;
        let values = input.broadcast_sub(target)?.sqr()?.broadcast_div(&var)?.broadcast_add(&var.log()?)?;
        let constant = if config.full { 0.5 * (2.0 * std::f64::consts::PI).ln() } else { 0.0 };
        values.affine(0.5, constant)
    };
    |layer, [x, y, var]| {
        let dims = together(layer, x, y)?;
        let fits = var == x || var == &x[..x.len().saturating_sub(1)] || (var.len() == x.len() && var.ends_with(&[1]));
        if !fits {
            bail!("{layer}: expects a variance like {x:?}, or with one for the last dimension, but is given {var:?}");
        }
        Ok(dims)
    };
}
