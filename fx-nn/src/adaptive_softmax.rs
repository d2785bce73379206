//! [`AdaptiveLogSoftmaxWithLoss`]: a softmax over many classes, the rare ones of which stand in clusters.
//!
//! Invariant: the head gives the frequent classes, then one number for each cluster; `tail[i]` the classes of cluster `i`.

use std::fmt;
use std::sync::Arc;

use candle_core::{DType, Module, Result, Tensor, bail};
use candle_nn::VarBuilder;
use fx_core::leaf::{Layer, Leaf, argument};
use fx_core::module::{Called, LayerKind, LayerState, kept_name};
use fx_core::ops::macs::product;
use fx_core::ops::{InferError, IntoValue};
use fx_core::trace::{Given, Proxy, Scope, Traceable};
use fx_core::value::{Fact, Value};

use crate::container::ModuleList;
use crate::dims::{extent, rank};
use crate::leaf::{Several, leaf};
use crate::linear::{Linear, LinearConfig};
use crate::options::{builder, options};
use crate::transformer::print;
use crate::twice::twice;

options! {
    /// Options of [`AdaptiveLogSoftmaxWithLoss`].
    AdaptiveLogSoftmaxWithLossConfig {
        /// By how much features are fewer from one cluster to the next; 4 by default.
        div_value: f64 = 4.0,
        /// Whether something is added in the head; false by default.
        head_bias: bool = false,
    }
}

/// Logarithms of probabilities of many classes, which are sorted by how frequent they are, and the loss against targets.
///
/// Classes below the first of the `cutoffs` are those of the head; from each of them to the next there is a cluster, which
/// has `in_features / div_value^(i + 1)` features. `(N, in_features)` and targets `(N)` become what is said of each target,
/// `(N)`, and the negative average of these; or `(in_features)` and a scalar become two scalars. All clusters are computed
/// for all samples.
///
/// State: `head.weight`, `head.bias` and, for each cluster, `tail.i.0.weight` and `tail.i.1.weight`, as of [`Linear`].
///
/// [torch.nn.AdaptiveLogSoftmaxWithLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveLogSoftmaxWithLoss.html)
#[derive(Debug, Clone)]
pub struct AdaptiveLogSoftmaxWithLoss {
    in_features: usize,
    n_classes: usize,
    /// With the number of classes at the end.
    cutoffs: Vec<usize>,
    head: Linear,
    tail: ModuleList<ModuleList<Linear>>,
    config: AdaptiveLogSoftmaxWithLossConfig,
}

const NAME: &str = "AdaptiveLogSoftmaxWithLoss";

impl AdaptiveLogSoftmaxWithLoss {
    /// A layer of these clusters.
    ///
    /// # Errors
    /// When the cutoffs do not rise from 1 or more to less than the number of classes, or the builder has a tensor of another shape or none.
    pub fn new(
        in_features: usize,
        n_classes: usize,
        cutoffs: &[usize],
        config: AdaptiveLogSoftmaxWithLossConfig,
        vb: VarBuilder<'_>,
    ) -> Result<Self> {
        let rises = cutoffs.windows(2).all(|pair| pair[0] < pair[1]);
        let (Some(&first), Some(&last)) = (cutoffs.first(), cutoffs.last()) else {
            bail!("{NAME}: expects at least one cutoff");
        };
        if !rises || first == 0 || last >= n_classes {
            bail!(
                "{NAME}: cutoffs {cutoffs:?} should rise from 1 or more to less than the number of classes, {n_classes}"
            );
        }
        let linear = |from, to, bias, vb| Linear::new(from, to, LinearConfig { bias }, vb);
        let head = linear(in_features, first + cutoffs.len(), config.head_bias, vb.pp("head"))?;
        if !config.div_value.is_finite() || config.div_value <= 0.0 {
            bail!("AdaptiveLogSoftmaxWithLoss: div_value {} should be positive", config.div_value);
        }
        let cutoffs: Vec<usize> = cutoffs.iter().copied().chain([n_classes]).collect();
        let tail = cutoffs.windows(2).enumerate().map(|(i, pair)| {
            let power = i32::try_from(i + 1).unwrap_or(i32::MAX);
            let width = (in_features as f64 / config.div_value.powi(power)).floor() as usize;
            let vb = vb.pp("tail").pp(i);
            let narrow = linear(in_features, width, false, vb.pp(0))?;
            Ok([narrow, linear(width, pair[1] - pair[0], false, vb.pp(1))?].into_iter().collect())
        });
        let tail = tail.collect::<Result<_>>()?;
        Ok(Self { in_features, n_classes, cutoffs, head, tail, config })
    }

    /// The extents of what is said of each target.
    fn shape(&self, input: &[usize], target: &[usize]) -> Result<Vec<usize>> {
        rank(NAME, input, &[1, 2], "(N, in_features) or (in_features)")?;
        extent(NAME, input, input.len() - 1, self.in_features, "features")?;
        if target != &input[..input.len() - 1] {
            bail!("{NAME}: expects a target of {:?} for {input:?}, but is given {target:?}", &input[..input.len() - 1]);
        }
        Ok(target.to_vec())
    }

    /// What is said of each target, and the loss.
    ///
    /// # Errors
    /// When the shapes do not fit, or a target is not among the classes.
    pub fn forward(&self, input: &Tensor, target: &Tensor) -> Result<(Tensor, Tensor)> {
        self.shape(input.dims(), target.dims())?;
        let targets = target.to_dtype(DType::I64)?.flatten_all()?.to_vec1::<i64>()?;
        let is_class = |&&target: &&i64| usize::try_from(target).is_ok_and(|target| target < self.n_classes);
        if let Some(wrong) = targets.iter().find(|target| !is_class(target)) {
            bail!("{NAME}: the target {wrong} should be in 0..{}", self.n_classes);
        }
        against(self, &self.head, &self.tail, input, target)
    }

    /// Logarithms of probabilities of all classes: `(N, in_features)` becomes `(N, n_classes)`.
    ///
    /// # Errors
    /// When the shape does not fit.
    pub fn log_prob(&self, input: &Tensor) -> Result<Tensor> {
        rank(NAME, input.dims(), &[2], "(N, in_features)")?;
        let head = candle_nn::ops::log_softmax(&self.head.forward(input)?, 1)?;
        let first = self.cutoffs[0];
        let mut parts = vec![head.narrow(1, 0, first)?];
        for (i, cluster) in self.tail.iter().enumerate() {
            let inside = candle_nn::ops::log_softmax(&cluster[1].forward(&cluster[0].forward(input)?)?, 1)?;
            parts.push(inside.broadcast_add(&head.narrow(1, first + i, 1)?)?);
        }
        Tensor::cat(&parts, 1)
    }

    /// The most probable class of each sample: `(N, in_features)` becomes `(N)`, of u32.
    ///
    /// # Errors
    /// When the shape does not fit.
    pub fn predict(&self, input: &Tensor) -> Result<Tensor> {
        self.log_prob(input)?.argmax(1)
    }
}

twice! {
    {
        type Linear = Leaf<super::Linear>;
    }

    /// What [`AdaptiveLogSoftmaxWithLoss`] computes.
    pub(crate) fn against(
        layer: &AdaptiveLogSoftmaxWithLoss,
        head: &Linear,
        tail: &ModuleList<ModuleList<Linear>>,
        input: &Tensor,
        target: &Tensor,
    ) -> Result<(Tensor, Tensor)> {
        let dims = layer.shape(input.dims(), target.dims())?;
        let input = input.reshape(((), layer.in_features))?;
        let rows = input.dim(0)?;
        let target = target.to_dtype(DType::I64)?.reshape((rows, 1))?;
        let signed = |class: usize| i64::try_from(class).unwrap_or(i64::MAX);
        let first = layer.cutoffs[0];
        // In the head a class stands for itself, or for the cluster that it is in.
        let mut place = target.minimum(signed(first) - 1)?;
        for &cutoff in &layer.cutoffs[..layer.cutoffs.len() - 1] {
            place = (place + target.ge(signed(cutoff))?.to_dtype(DType::I64)?)?;
        }
        let mut output = candle_nn::ops::log_softmax(&head.forward(&input)?, 1)?.gather(&place, 1)?;
        for (bounds, cluster) in layer.cutoffs.windows(2).zip(tail) {
            let (low, high) = (signed(bounds[0]), signed(bounds[1]));
            let inside = candle_nn::ops::log_softmax(&cluster[1].forward(&cluster[0].forward(&input)?)?, 1)?;
            let place = target.maximum(low)?.minimum(high - 1)?.affine(1.0, -(low as f64))?;
            let found = inside.gather(&place, 1)?;
            let is_inside = (target.ge(low)? * target.lt(high)?)?;
            output = (output + is_inside.where_cond(&found, &found.zeros_like()?)?)?;
        }
        let loss = output.neg()?.mean_all()?;
        Ok((output.reshape(dims)?, loss))
    }
}

/// As torch prints it: clusters are two layers in turn there.
impl fmt::Display for AdaptiveLogSoftmaxWithLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tail = self.tail.to_string().replace("): ModuleList(", "): Sequential(");
        print(f, NAME, &[("head", &self.head), ("tail", &tail)])
    }
}

impl Layer for AdaptiveLogSoftmaxWithLoss {
    const NAME: &'static str = "nn.AdaptiveLogSoftmaxWithLoss";
    const CALLED: Called = Called { method: "forward", options: &["target"] };
    const THROUGH: bool = true;
    type Parts = ();

    fn parts(&self, _: &Scope) {}

    fn call(&self, args: &[&Value]) -> Result<Value> {
        self.forward(argument(args, 0)?, argument(args, 1)?)?.into_value()
    }

    fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError> {
        Ok(Fact::Tuple(match facts {
            [Fact::Tensor(x), Fact::Tensor(target), ..] => {
                vec![Fact::tensor(self.shape(x.dims(), target.dims())?, x.dtype), Fact::tensor((), x.dtype)]
            }
            _ => vec![Fact::Unknown; 2],
        }))
    }

    fn macs(&self, facts: &[&Fact], _: &Fact) -> Option<u64> {
        let rows = crate::leaf::rows(facts.first()?.as_tensor()?);
        let matrices = Layer::state(self)?.tensors.into_iter().filter(|(_, tensor)| tensor.rank() == 2);
        Some(product([rows, matrices.map(|(_, tensor)| tensor.elem_count()).sum()]))
    }

    const KIND: Option<&'static LayerKind> = Some(&LayerKind {
        name: Self::NAME,
        options: &["in_features", "n_classes", "cutoffs", "div_value", "head_bias"],
        tensors: &["head.weight", "head.bias", "tail.*"],
        make: |state| {
            let cutoffs: Vec<usize> = state.option("cutoffs")?;
            let config = AdaptiveLogSoftmaxWithLossConfig::restored(state)?;
            let (from, classes) = (state.option("in_features")?, state.option("n_classes")?);
            Ok(Arc::new(Self::new(from, classes, &cutoffs, config, builder(state))?))
        },
    });

    fn state(&self) -> Option<LayerState> {
        let cutoffs = self.cutoffs[..self.cutoffs.len() - 1].to_vec();
        let mut options = vec![
            ("in_features", self.in_features.into_value().ok()?),
            ("n_classes", self.n_classes.into_value().ok()?),
            ("cutoffs", cutoffs.into_value().ok()?),
        ];
        options.extend(self.config.state().ok()?);
        let mut tensors = vec![("head.weight", self.head.weight().clone())];
        tensors.extend(self.head.bias().map(|bias| ("head.bias", bias.clone())));
        for (i, cluster) in self.tail.iter().enumerate() {
            let layers = cluster.iter().enumerate();
            tensors
                .extend(layers.map(|(j, layer)| (kept_name(&format!("tail.{i}.{j}.weight")), layer.weight().clone())));
        }
        Some(LayerState { options, tensors })
    }
}
leaf!(@several AdaptiveLogSoftmaxWithLoss);

impl Several<AdaptiveLogSoftmaxWithLoss> {
    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, input: &Proxy, target: &Proxy) -> Result<(Proxy, Proxy)> {
        if let Some(inside) = self.enter() {
            let (layer, scope) = (inside.layer(), inside.scope());
            let head = layer.head.symbolic(&scope.child("head"));
            let tail = layer.tail.symbolic(&scope.child("tail"));
            return entered::against(layer, &head, &tail, input, target);
        }
        self.record(&[Given::Proxy(input.clone()), Given::Proxy(target.clone())])
    }
}
