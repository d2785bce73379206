//! Losses against classes: [`NLLLoss`], [`CrossEntropyLoss`], [`MultiMarginLoss`], [`MultiLabelMarginLoss`].
//!
//! Invariant: classes are in dimension 1 of `(N, C, …)`, or the only one of `(C)`.

use std::fmt;

use candle_core::{DType, Result, Tensor, bail};

use crate::dims::floats;
use crate::leaf::several;
use crate::loss::{Reduction, alike, reduced, saved};
use crate::options::options;
use crate::twice::{maybe, twice};

/// The dimension of the classes.
fn classes(layer: &str, dims: &[usize]) -> Result<usize> {
    match dims.len() {
        0 => bail!("{layer}: expects (C) or (N, C, …), but is given a scalar"),
        rank => Ok(usize::from(rank > 1)),
    }
}

/// The extents without the classes, which those of indices should be.
fn samples(layer: &str, input: &[usize], target: &[usize]) -> Result<Vec<usize>> {
    let mut dims = input.to_vec();
    dims.remove(classes(layer, input)?);
    if dims != target {
        bail!("{layer}: expects a target of {dims:?} for an input of {input:?}, but is given {target:?}");
    }
    Ok(dims)
}

twice! {
    {
        use crate::loss::entered::reduced;
    }

    /// Classes as indices, and which of them count.
    pub(crate) struct Indexed {
        /// In the shape of the input, with one class.
        indices: Tensor,
        /// 1 where it counts, else 0; in the input's dtype, of the target's shape.
        counted: Tensor,
        /// The weight of each, 0 where it does not count.
        weights: Tensor,
    }

    impl Indexed {
        fn new(input: &Tensor, target: &Tensor, ignore: i64, weight: Option<&Tensor>, axis: usize) -> Result<Self> {
            let target = target.to_dtype(DType::I64)?;
            let counts = target.ne(ignore)?;
            let target = counts.where_cond(&target, &target.zeros_like()?)?;
            let counted = counts.to_dtype(input.dtype())?;
            let weights = match weight {
                Some(weight) => {
                    let chosen = weight.index_select(&target.flatten_all()?, 0)?.reshape(target.shape())?;
                    (chosen * &counted)?
                }
                None => counted.clone(),
            };
            Ok(Self { indices: target.unsqueeze(axis)?.contiguous()?, counted, weights })
        }

        /// The negative values of the classes, by their weights.
        fn values(&self, input: &Tensor, axis: usize) -> Result<Tensor> {
            let chosen = input.contiguous()?.gather(&self.indices, axis)?.squeeze(axis)?;
            // What does not count is zero, whatever stands there.
            let chosen = self.counted.ne(0.0)?.where_cond(&chosen, &chosen.zeros_like()?)?;
            (chosen * &self.weights)?.neg()
        }

        fn reduce(&self, values: &Tensor, reduction: Reduction) -> Result<Tensor> {
            match reduction {
                Reduction::Mean => values.sum_all()? / self.weights.sum_all()?,
                other => reduced(other, values),
            }
        }
    }

    /// What [`NLLLoss`] computes.
    pub(crate) fn nll(layer: &NLLLoss, weight: Option<&Tensor>, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        layer.shape(input.dims(), target.dims())?;
        let axis = classes("NLLLoss", input.dims())?;
        let indexed = Indexed::new(input, target, layer.config.ignore_index, weight, axis)?;
        indexed.reduce(&indexed.values(input, axis)?, layer.config.reduction)
    }

    /// What [`CrossEntropyLoss`] computes.
    pub(crate) fn cross_entropy(layer: &CrossEntropyLoss, weight: Option<&Tensor>, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        layer.shape(input.dims(), target.dims())?;
        let CrossEntropyLossConfig { ignore_index, reduction, label_smoothing: smoothing } = layer.config;
        let axis = classes("CrossEntropyLoss", input.dims())?;
        let count = input.dim(axis)?;
        let logs = candle_nn::ops::log_softmax(input, axis)?;
        let beside: Vec<usize> = (0..input.rank()).map(|i| if i == axis { count } else { 1 }).collect();
        let weighed = |logs: &Tensor| match weight {
            Some(weight) => logs.broadcast_mul(&weight.reshape(beside.as_slice())?),
            None => Ok(logs.clone()),
        };
        if input.dims() == target.dims() {
            let target = target.to_dtype(input.dtype())?.affine(1.0 - smoothing, smoothing / count as f64)?;
            let values = (weighed(&logs)? * target)?.sum(axis)?.neg()?;
            return match reduction {
                // Each sample counts once, whatever its classes weigh.
                Reduction::Mean => values.sum_all()? / (input.elem_count() / count.max(1)) as f64,
                other => reduced(other, &values),
            };
        }
        let indexed = Indexed::new(input, target, ignore_index, weight, axis)?;
        let values = indexed.values(&logs, axis)?;
        let loss = indexed.reduce(&values, reduction)?;
        if smoothing == 0.0 {
            return Ok(loss);
        }
        let spread = weighed(&logs)?.sum(axis)?.neg()?;
        let spread = indexed.counted.ne(0.0)?.where_cond(&spread, &spread.zeros_like()?)?;
        let spread = indexed.reduce(&spread, reduction)?;
        (loss * (1.0 - smoothing))? + (spread * (smoothing / count as f64))?
    }

    /// What [`MultiMarginLoss`] computes.
    pub(crate) fn multi_margin(layer: &MultiMarginLoss, weight: Option<&Tensor>, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        layer.shape(input.dims(), target.dims())?;
        let axis = input.rank() - 1;
        let indices = target.to_dtype(DType::I64)?.unsqueeze(axis)?.contiguous()?;
        let own = input.contiguous()?.gather(&indices, axis)?;
        let behind = input.broadcast_sub(&own)?.affine(1.0, layer.config.margin)?.relu()?;
        let behind = if layer.config.p == 2 { behind.sqr()? } else { behind };
        let others = input.ones_like()?.scatter_add(&indices, &own.ones_like()?.neg()?, axis)?;
        let mut values = ((behind * others)?.sum(axis)? / input.dim(axis)? as f64)?;
        if let Some(weight) = weight {
            values = (values * weight.index_select(&indices.flatten_all()?, 0)?.reshape(target.shape())?)?;
        }
        reduced(layer.config.reduction, &values)
    }

    /// What [`MultiLabelMarginLoss`] computes, if no target lists more than so many classes.
    pub(crate) fn multi_label_margin(layer: &MultiLabelMarginLoss, input: &Tensor, target: &Tensor, longest: usize) -> Result<Tensor> {
        layer.shape(input.dims(), target.dims())?;
        let count = input.dim(input.rank() - 1)?;
        let samples = input.elem_count() / count.max(1);
        let rows = input.reshape((samples, count))?;
        let dims = input.dims()[..input.rank() - 1].to_vec();
        if longest == 0 || samples == 0 {
            return reduced(layer.config.reduction, &Tensor::zeros(dims, input.dtype(), input.device())?);
        }
        let lists = target.to_dtype(DType::I64)?.reshape((samples, count))?;
        let classes = Tensor::from_vec((0i64..).take(count).collect(), (1, count), input.device())?;
        // A list ends before the first negative number.
        let all = classes.broadcast_as((samples, count))?.contiguous()?;
        let after = Tensor::full(i64::try_from(count).unwrap_or(i64::MAX), (samples, count), input.device())?;
        let ends = lists.lt(0i64)?.where_cond(&all, &after)?.min_keepdim(1)?;
        let listed = classes.broadcast_lt(&ends)?.narrow(1, 0, longest)?.contiguous()?;
        let lists = lists.narrow(1, 0, longest)?.contiguous()?;
        let lists = listed.where_cond(&lists, &lists.zeros_like()?)?;
        let own = rows.gather(&lists, 1)?.unsqueeze(2)?;
        let listed = listed.unsqueeze(2)?;
        let is_own = lists.unsqueeze(2)?.broadcast_eq(&classes.unsqueeze(0)?)?.broadcast_mul(&listed)?;
        let others = is_own.max_keepdim(1)?.to_dtype(input.dtype())?.affine(-1.0, 1.0)?;
        let behind = rows.unsqueeze(1)?.broadcast_sub(&own)?.affine(1.0, 1.0)?.relu()?;
        let behind = behind.broadcast_mul(&others)?.broadcast_mul(&listed.to_dtype(input.dtype())?)?;
        let values = (behind.sum(1)?.sum(1)? / count as f64)?;
        reduced(layer.config.reduction, &values.reshape(dims)?)
    }
}

/// Refuses a weight that is not one number for each class.
fn weight_fits(layer: &str, weight: Option<&Tensor>, classes: usize) -> Result<()> {
    match weight {
        Some(weight) if weight.dims() != [classes] => {
            bail!("{layer}: expects a weight for each of {classes} classes, but has {:?}", weight.dims())
        }
        _ => Ok(()),
    }
}

options! {
    /// Options of [`NLLLoss`].
    NLLLossConfig {
        /// A target that does not count; -100 by default.
        ignore_index: i64 = -100,
        /// What is made of the values; their average, by weight, by default.
        reduction: Reduction = Reduction::Mean,
    }
}

/// `−weight[y] · x[y]`, of logarithms of probabilities `(N, C, …)` or `(C)` and classes `(N, …)` or a scalar.
///
/// [torch.nn.NLLLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html)
#[derive(Debug, Clone, Default)]
pub struct NLLLoss {
    config: NLLLossConfig,
    weight: Option<Tensor>,
}

impl NLLLoss {
    /// A loss with these options.
    #[must_use]
    pub fn new(config: NLLLossConfig) -> Self {
        Self { config, weight: None }
    }

    /// The loss with a weight for each class.
    #[must_use]
    pub fn with_weight(mut self, weight: Tensor) -> Self {
        self.weight = Some(weight);
        self
    }

    fn shape(&self, input: &[usize], target: &[usize]) -> Result<Vec<usize>> {
        self.config.reduction.usual("NLLLoss")?;
        let dims = samples("NLLLoss", input, target)?;
        weight_fits("NLLLoss", self.weight.as_ref(), input[classes("NLLLoss", input)?])?;
        Ok(self.config.reduction.shape(dims))
    }

    /// The loss of `input` against the classes `target`.
    ///
    /// # Errors
    /// When the shapes do not fit, or a class is not among them.
    pub fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        floats("NLLLoss", input.dtype())?;
        nll(self, self.weight.as_ref(), input, target)
    }

    fn tensor(&self, _: &str) -> Option<Tensor> {
        self.weight.clone()
    }
}

impl fmt::Display for NLLLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NLLLoss()")
    }
}

several! {
    NLLLoss as "nn.NLLLoss", (target);
    arguments {}
    config config: NLLLossConfig;
    tensors { "weight" }
    make |vb| Ok(Self { config, weight: saved(&vb, "weight")? });
    call |layer, input, target| layer.forward(input, target);
    shape |layer, input, target| floats("NLLLoss", input.dtype).and_then(|()| layer.shape(input.dims(), target.dims()));
    buffers &["weight"];
    through |layer, scope, input, target| {
        entered::nll(layer, maybe(layer.weight.as_ref(), scope, "weight").as_ref(), input, target)
    };
}

options! {
    /// Options of [`CrossEntropyLoss`].
    CrossEntropyLossConfig {
        /// A class that does not count; -100 by default.
        ignore_index: i64 = -100,
        /// What is made of the values; their average, by weight, by default.
        reduction: Reduction = Reduction::Mean,
        /// How much of the target is spread over all classes, in `0..=1`; nothing by default.
        label_smoothing: f64 = 0.0,
    }
}

/// `−weight[y] · log softmax(x)[y]`, of `(N, C, …)` or `(C)` and classes `(N, …)` or a scalar, or of probabilities of
/// classes in the shape of the input.
///
/// [torch.nn.CrossEntropyLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html)
///
/// ```
/// use candle_core::{Device, Tensor};
/// let scores = Tensor::new(&[[0f32, 0.0]], &Device::Cpu)?;
/// let loss = fx_nn::CrossEntropyLoss::default().forward(&scores, &Tensor::new(&[1i64], &Device::Cpu)?)?;
/// assert!((loss.to_scalar::<f32>()? - 2f32.ln()).abs() < 1e-6);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CrossEntropyLoss {
    config: CrossEntropyLossConfig,
    weight: Option<Tensor>,
}

impl CrossEntropyLoss {
    /// A loss with these options.
    #[must_use]
    pub fn new(config: CrossEntropyLossConfig) -> Self {
        Self { config, weight: None }
    }

    /// The loss with a weight for each class.
    #[must_use]
    pub fn with_weight(mut self, weight: Tensor) -> Self {
        self.weight = Some(weight);
        self
    }

    pub(crate) fn shape(&self, input: &[usize], target: &[usize]) -> Result<Vec<usize>> {
        let layer = "CrossEntropyLoss";
        self.config.reduction.usual(layer)?;
        if !(0.0..=1.0).contains(&self.config.label_smoothing) {
            bail!("{layer}: label smoothing {} should be in 0..=1", self.config.label_smoothing);
        }
        let axis = classes(layer, input)?;
        weight_fits(layer, self.weight.as_ref(), input[axis])?;
        let mut dims = input.to_vec();
        dims.remove(axis);
        if input != target {
            samples(layer, input, target)?;
        }
        Ok(self.config.reduction.shape(dims))
    }

    /// The loss of `input` against `target`.
    ///
    /// # Errors
    /// When the shapes do not fit, or a class is not among them.
    pub fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        floats("CrossEntropyLoss", input.dtype())?;
        cross_entropy(self, self.weight.as_ref(), input, target)
    }

    fn tensor(&self, _: &str) -> Option<Tensor> {
        self.weight.clone()
    }
}

impl fmt::Display for CrossEntropyLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CrossEntropyLoss()")
    }
}

several! {
    CrossEntropyLoss as "nn.CrossEntropyLoss", (target);
    arguments {}
    config config: CrossEntropyLossConfig;
    tensors { "weight" }
    make |vb| Ok(Self { config, weight: saved(&vb, "weight")? });
    call |layer, input, target| layer.forward(input, target);
    shape |layer, input, target| floats("CrossEntropyLoss", input.dtype).and_then(|()| layer.shape(input.dims(), target.dims()));
    buffers &["weight"];
    through |layer, scope, input, target| {
        entered::cross_entropy(layer, maybe(layer.weight.as_ref(), scope, "weight").as_ref(), input, target)
    };
}

options! {
    /// Options of [`MultiMarginLoss`].
    MultiMarginLossConfig {
        /// The power of each difference, 1 or 2; 1 by default.
        p: usize = 1,
        /// How far the class should be ahead; 1 by default.
        margin: f64 = 1.0,
        /// What is made of the values; their average by default.
        reduction: Reduction = Reduction::Mean,
    }
}

/// `∑ weight[y] · max(0, margin − x[y] + x[i])^p / C` over the other classes, of `(N, C)` or `(C)`.
///
/// [torch.nn.MultiMarginLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiMarginLoss.html)
#[derive(Debug, Clone, Default)]
pub struct MultiMarginLoss {
    config: MultiMarginLossConfig,
    weight: Option<Tensor>,
}

impl MultiMarginLoss {
    /// A loss with these options.
    #[must_use]
    pub fn new(config: MultiMarginLossConfig) -> Self {
        Self { config, weight: None }
    }

    /// The loss with a weight for each class.
    #[must_use]
    pub fn with_weight(mut self, weight: Tensor) -> Self {
        self.weight = Some(weight);
        self
    }

    fn shape(&self, input: &[usize], target: &[usize]) -> Result<Vec<usize>> {
        let layer = "MultiMarginLoss";
        self.config.reduction.usual(layer)?;
        crate::dims::rank(layer, input, &[1, 2], "(N, C) or (C)")?;
        if !matches!(self.config.p, 1 | 2) {
            bail!("{layer}: p {} should be 1 or 2", self.config.p);
        }
        weight_fits(layer, self.weight.as_ref(), input[classes(layer, input)?])?;
        Ok(self.config.reduction.shape(samples(layer, input, target)?))
    }

    /// The loss of `input` against the classes `target`.
    ///
    /// # Errors
    /// When the shapes do not fit, or a class is not among them.
    pub fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        floats("MultiMarginLoss", input.dtype())?;
        multi_margin(self, self.weight.as_ref(), input, target)
    }

    fn tensor(&self, _: &str) -> Option<Tensor> {
        self.weight.clone()
    }
}

impl fmt::Display for MultiMarginLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MultiMarginLoss()")
    }
}

several! {
    MultiMarginLoss as "nn.MultiMarginLoss", (target);
    arguments {}
    config config: MultiMarginLossConfig;
    tensors { "weight" }
    make |vb| Ok(Self { config, weight: saved(&vb, "weight")? });
    call |layer, input, target| layer.forward(input, target);
    shape |layer, input, target| floats("MultiMarginLoss", input.dtype).and_then(|()| layer.shape(input.dims(), target.dims()));
    buffers &["weight"];
    through |layer, scope, input, target| {
        entered::multi_margin(layer, maybe(layer.weight.as_ref(), scope, "weight").as_ref(), input, target)
    };
}

options! {
    /// Options of [`MultiLabelMarginLoss`].
    MultiLabelMarginLossConfig {
        /// What is made of the values; their average by default.
        reduction: Reduction = Reduction::Mean,
    }
}

/// `∑ max(0, 1 − (x[y] − x[i])) / C` over classes `y` of the target and others `i`, of `(N, C)` or `(C)`; the target
/// lists classes up to the first -1.
///
/// [torch.nn.MultiLabelMarginLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiLabelMarginLoss.html)
#[derive(Debug, Clone, Default)]
pub struct MultiLabelMarginLoss {
    config: MultiLabelMarginLossConfig,
}

impl MultiLabelMarginLoss {
    /// A loss with these options.
    #[must_use]
    pub fn new(config: MultiLabelMarginLossConfig) -> Self {
        Self { config }
    }

    fn shape(&self, input: &[usize], target: &[usize]) -> Result<Vec<usize>> {
        let layer = "MultiLabelMarginLoss";
        self.config.reduction.usual(layer)?;
        crate::dims::rank(layer, input, &[1, 2], "(N, C) or (C)")?;
        alike(layer, input, target)?;
        Ok(self.config.reduction.shape(input[..input.len() - 1].to_vec()))
    }

    /// The loss of `input` against the classes that `target` lists.
    ///
    /// # Errors
    /// When the shapes do not fit, or a class is not among them.
    pub fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        self.shape(input.dims(), target.dims())?;
        floats("MultiLabelMarginLoss", input.dtype())?;
        let count = input.dim(input.rank() - 1)?;
        let mut longest = 0;
        for list in target.to_dtype(DType::I64)?.reshape(((), count))?.to_vec2::<i64>()? {
            let listed = list.iter().take_while(|&&class| class >= 0);
            if let Some(class) = listed.clone().find(|&&class| usize::try_from(class).is_ok_and(|class| class >= count))
            {
                bail!("MultiLabelMarginLoss: class {class} should be less than {count}");
            }
            longest = longest.max(listed.count());
        }
        multi_label_margin(self, input, target, longest)
    }
}

impl fmt::Display for MultiLabelMarginLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MultiLabelMarginLoss()")
    }
}

several! {
    MultiLabelMarginLoss as "nn.MultiLabelMarginLoss", (target);
    arguments {}
    config config: MultiLabelMarginLossConfig;
    tensors {}
    make |_vb| Ok(Self { config });
    call |layer, input, target| layer.forward(input, target);
    shape |layer, input, target| floats("MultiLabelMarginLoss", input.dtype).and_then(|()| layer.shape(input.dims(), target.dims()));
    through |layer, _scope, input, target| {
        // How many classes a target lists is in the data; there is no more room than this.
        let longest = target.dims().last().copied().unwrap_or(0);
        entered::multi_label_margin(layer, input, target, longest)
    };
}
