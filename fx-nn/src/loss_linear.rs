//! [`LinearCrossEntropyLoss`]: a linear layer and the loss of what it gives.
//!
//! Invariant: what it computes is what [`Linear`] and [`CrossEntropyLoss`] compute.

use std::fmt;

use candle_core::{Module, Result, Tensor, bail};
use candle_nn::VarBuilder;
use fx_core::leaf::Leaf;
use fx_core::ops::macs::product;
use fx_core::trace::Traceable;

use crate::dims::{extent, rank};
use crate::leaf::several;
use crate::linear::{Linear, LinearConfig};
use crate::loss::{Reduction, saved};
use crate::loss_class::{CrossEntropyLoss, CrossEntropyLossConfig, cross_entropy};
use crate::options::{flag, float, options, tuple};
use crate::twice::{maybe, twice};

options! {
    /// Options of [`LinearCrossEntropyLoss`].
    LinearCrossEntropyLossConfig {
        /// The extents of a target besides the samples; none by default.
        out_features: Vec<usize> = Vec::new(),
        /// Whether something is added to the scores; false by default.
        bias: bool = false,
        /// What is made of the values; their average, by weight, by default.
        reduction: Reduction = Reduction::Mean,
        /// A class that does not count; -100 by default.
        ignore_index: Option<i64> = None,
        /// How much of the target is spread over all classes, in `0..=1`; nothing by default.
        label_smoothing: f64 = 0.0,
    }
}

/// [`CrossEntropyLoss`] of the scores that a [`Linear`] gives of `(N, in_features)` or `(in_features)`.
///
/// Scores are `(N, num_classes, out_features…)`, and targets those of [`CrossEntropyLoss`] for them.
///
/// State: `linear.weight` of `(num_classes · ∏ out_features, in_features)` and `linear.bias`, as of [`Linear`], and
/// `weight` of `(num_classes)`, if it is given.
///
/// [torch.nn.LinearCrossEntropyLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.LinearCrossEntropyLoss.html)
#[derive(Debug, Clone)]
pub struct LinearCrossEntropyLoss {
    in_features: usize,
    num_classes: usize,
    linear: Linear,
    loss: CrossEntropyLoss,
    weight: Option<Tensor>,
    config: LinearCrossEntropyLossConfig,
}

impl LinearCrossEntropyLoss {
    /// A loss over so many classes.
    ///
    /// # Errors
    /// When the builder has a tensor of another shape, or none.
    pub fn new(
        in_features: usize,
        num_classes: usize,
        config: LinearCrossEntropyLossConfig,
        vb: VarBuilder<'_>,
    ) -> Result<Self> {
        let scores = config.out_features.iter().product::<usize>() * num_classes;
        let linear = Linear::new(in_features, scores, LinearConfig { bias: config.bias }, vb.pp("linear"))?;
        let loss = CrossEntropyLoss::new(CrossEntropyLossConfig {
            ignore_index: config.ignore_index.unwrap_or(-100),
            reduction: config.reduction,
            label_smoothing: config.label_smoothing,
        });
        Ok(Self { in_features, num_classes, linear, loss, weight: None, config })
    }

    /// The loss with a weight for each class.
    #[must_use]
    pub fn with_weight(self, weight: Tensor) -> Self {
        Self { loss: self.loss.with_weight(weight.clone()), weight: Some(weight), ..self }
    }

    /// The extents of the scores.
    fn scores(&self, input: &[usize]) -> Result<Vec<usize>> {
        let layer = "LinearCrossEntropyLoss";
        rank(layer, input, &[1, 2], "(N, in_features) or (in_features)")?;
        extent(layer, input, input.len() - 1, self.in_features, "features")?;
        if input.len() == 1 && !self.config.out_features.is_empty() {
            bail!("{layer}: expects (N, in_features) with out_features, but is given {input:?}");
        }
        let samples = &input[..input.len() - 1];
        Ok(samples.iter().chain([&self.num_classes]).chain(&self.config.out_features).copied().collect())
    }

    /// The loss of `input` against `target`.
    ///
    /// # Errors
    /// When the shapes do not fit, or a class is not among them.
    pub fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        of_linear(self, &self.linear, self.weight.as_ref(), input, target)
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        match name {
            "weight" => self.weight.clone(),
            "linear.weight" => Some(self.linear.weight().clone()),
            _ => self.linear.bias().cloned(),
        }
    }
}

twice! {
    {
        use crate::loss_class::entered::cross_entropy;
        type Linear = Leaf<super::Linear>;
    }

    /// What [`LinearCrossEntropyLoss`] computes.
    pub(crate) fn of_linear(
        layer: &LinearCrossEntropyLoss,
        linear: &Linear,
        weight: Option<&Tensor>,
        input: &Tensor,
        target: &Tensor,
    ) -> Result<Tensor> {
        let scores = linear.forward(input)?.reshape(layer.scores(input.dims())?)?;
        cross_entropy(&layer.loss, weight, &scores, target)
    }
}

impl fmt::Display for LinearCrossEntropyLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinearCrossEntropyLossConfig { out_features, bias, reduction, ignore_index, label_smoothing } =
            &self.config;
        let out_features = if out_features.is_empty() { "()".to_owned() } else { tuple(out_features) };
        let ignored = ignore_index.map_or_else(|| "None".to_owned(), |index| index.to_string());
        writeln!(f, "LinearCrossEntropyLoss(")?;
        write!(f, "  in_features={}, num_classes={}, ", self.in_features, self.num_classes)?;
        write!(f, "out_features={out_features}, bias={}, reduction={reduction}, ", flag(*bias))?;
        writeln!(f, "ignore_index={ignored}, label_smoothing={}, options=None", float(*label_smoothing))?;
        write!(f, "  (linear): {}\n)", self.linear)
    }
}

several! {
    LinearCrossEntropyLoss as "nn.LinearCrossEntropyLoss", (target);
    arguments { in_features: usize, num_classes: usize }
    config config: LinearCrossEntropyLossConfig;
    tensors { "weight", "linear.weight", "linear.bias" }
    make |vb| {
        let weight = saved(&vb, "weight")?;
        let loss = Self::new(in_features, num_classes, config, vb)?;
        Ok(match weight {
            Some(weight) => loss.with_weight(weight),
            None => loss,
        })
    };
    call |layer, input, target| layer.forward(input, target);
    shape |layer, input, target| layer.loss.shape(&layer.scores(input.dims())?, target.dims());
    macs |layer, input, _out| product([crate::leaf::rows(input), layer.linear.weight().elem_count()]);
    buffers &["weight"];
    through |layer, scope, input, target| {
        let linear = layer.linear.symbolic(&scope.child("linear"));
        entered::of_linear(layer, &linear, maybe(layer.weight.as_ref(), scope, "weight").as_ref(), input, target)
    };
}
