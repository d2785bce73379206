//! Normalisation by statistics that are kept: [`BatchNorm1d`], [`InstanceNorm1d`], and the same in more dimensions.
//!
//! Invariant: running statistics are variables, shared by the clones of a layer, so that a captured graph in training
//! updates those of the model.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use candle_core::{DType, ModuleT, Result, Tensor, Var, bail};
use candle_nn::{Init, VarBuilder};
use fx_core::module::LayerModule;
use fx_core::trace::{Proxy, Scope};
use fx_core::value::TensorFact;

use crate::dims::{extent, floats, rank};
use crate::keeper::{Keeps, KeepsOne, outside_training};
use crate::leaf::leaf;
use crate::norm::{affine, standardize, widely};
use crate::options::{flag, float, options};
use crate::pool::numbered;
use crate::twice::{maybe, twice};

options! {
    /// Options of [`BatchNorm1d`] and its kind.
    BatchNormConfig {
        /// Added to the variance; 1e-5 by default.
        eps: f64 = 1e-5,
        /// How much a batch counts in the running statistics, or none for their average over all batches; 0.1 by default.
        momentum: Option<f64> = Some(0.1),
        /// Whether each channel is scaled and shifted; true by default.
        affine: bool = true,
        /// Whether statistics are kept; true by default. Without them, those of the batch are always used.
        track_running_stats: bool = true,
        /// Whether channels that are scaled are shifted as well; true by default.
        bias: bool = true,
    }
}

options! {
    /// Options of [`InstanceNorm1d`] and its kind.
    InstanceNormConfig {
        /// Added to the variance; 1e-5 by default.
        eps: f64 = 1e-5,
        /// How much a batch counts in the running statistics; 0.1 by default.
        momentum: f64 = 0.1,
        /// Whether each channel is scaled and shifted; false by default.
        affine: bool = false,
        /// Whether statistics are kept; false by default.
        track_running_stats: bool = false,
        /// Whether channels that are scaled are shifted as well; true by default.
        bias: bool = true,
    }
}

/// The parameters and statistics of both.
#[derive(Debug, Clone)]
struct Kept {
    weight: Option<Tensor>,
    bias: Option<Tensor>,
    running: Option<Running>,
}

#[derive(Debug, Clone)]
struct Running {
    mean: Var,
    var: Var,
    batches: Var,
}

impl Kept {
    fn new(features: usize, [scaled, shifted, tracked]: [bool; 3], vb: &VarBuilder<'_>) -> Result<Self> {
        let get = |name, init| vb.get_with_hints(features, name, Init::Const(init));
        let weight = scaled.then(|| get("weight", 1.0)).transpose()?;
        let bias = (scaled && shifted).then(|| get("bias", 0.0)).transpose()?;
        let running = tracked.then(|| Running::new(features, vb)).transpose()?;
        Ok(Self { weight, bias, running })
    }

    fn channels(&self, count: usize) -> Channels {
        let running = self.running.as_ref().map(|running| running.detached(count));
        Channels { weight: self.weight.clone(), bias: self.bias.clone(), running }
    }

    /// The same, entered, with these running statistics.
    fn entered(&self, scope: &Scope, kept: &[Proxy]) -> entered::Channels {
        let [weight, bias] =
            [(&self.weight, "weight"), (&self.bias, "bias")].map(|(tensor, name)| maybe(tensor.as_ref(), scope, name));
        entered::Channels { weight, bias, running: (!kept.is_empty()).then(|| kept.to_vec()) }
    }

    /// So many of the running statistics, by name.
    fn running(&self, count: usize) -> Vec<(&'static str, Tensor)> {
        let vars = self.running.as_ref().map(Running::vars);
        let tensors = vars.into_iter().flatten().take(count).map(|var| var.as_tensor().clone());
        RUNNING.iter().copied().zip(tensors).collect()
    }

    /// Keeps running statistics that are new.
    fn count(&self, new: Option<Vec<Tensor>>) -> Result<()> {
        match (&self.running, new) {
            (Some(running), Some(new)) => running.set(&new),
            _ => Ok(()),
        }
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        let running = |get: fn(&Running) -> &Var| self.running.as_ref().map(|kept| get(kept).as_tensor().clone());
        match name {
            "weight" => self.weight.clone(),
            "bias" => self.bias.clone(),
            "running_mean" => running(|kept| &kept.mean),
            "running_var" => running(|kept| &kept.var),
            _ => running(|kept| &kept.batches),
        }
    }
}

twice! {
    {
        use crate::norm::entered::{affine, standardize, widely};
    }

    /// A shape that broadcasts a value for each channel.
    pub(crate) fn beside(x: &Tensor, at: usize) -> Result<Vec<usize>> {
        let channels = x.dim(at)?;
        Ok((0..x.rank()).map(|i| if i == at { channels } else { 1 }).collect())
    }

    /// Tensors for each channel, in both worlds.
    #[derive(Clone)]
    pub(crate) struct Channels {
        pub(crate) weight: Option<Tensor>,
        pub(crate) bias: Option<Tensor>,
        /// The running mean and the running variance, and, if they are counted, the number of batches.
        pub(crate) running: Option<Vec<Tensor>>,
    }

    /// Running statistics when a batch with this mean and this variance is counted in, the variance over one element less.
    /// Without a momentum they are the averages of all batches.
    pub(crate) fn counted(running: &[Tensor], seen: &[Tensor; 2], momentum: Option<f64>) -> Result<Vec<Tensor>> {
        let batches = running.get(2).map(|batches| batches + 1.0).transpose()?;
        let blend = |(kept, seen): (&Tensor, &Tensor)| -> Result<Tensor> {
            let seen = seen.to_dtype(kept.dtype())?;
            match (momentum, &batches) {
                (Some(momentum), _) => (kept * (1.0 - momentum))? + (seen * momentum)?,
                (None, Some(batches)) => {
                    let share = batches.to_dtype(kept.dtype())?.recip()?;
                    kept + (seen - kept)?.broadcast_mul(&share)?
                }
                (None, None) => Ok(seen),
            }
        };
        let mut new = running.iter().zip(seen).map(blend).collect::<Result<Vec<_>>>()?;
        new.extend(batches);
        Ok(new)
    }

    /// Scales and shifts the channels, which stand in this dimension.
    pub(crate) fn scaled(channels: &Channels, x: Tensor, at: usize) -> Result<Tensor> {
        let dims = beside(&x, at)?;
        affine(x, channels.weight.as_ref(), channels.bias.as_ref(), &dims)
    }

    /// `x` by the running mean and variance.
    pub(crate) fn by_running(running: &[Tensor], x: &Tensor, at: usize, eps: f64) -> Result<Tensor> {
        let dims = beside(x, at)?;
        let of = |kept: &Tensor| kept.to_dtype(x.dtype())?.reshape(dims.as_slice());
        x.broadcast_sub(&of(&running[0])?)?.broadcast_div(&(of(&running[1])? + eps)?.sqrt()?)
    }

    /// [`BatchNorm`], and its running statistics in training.
    pub(crate) fn batch_norm<const N: usize>(
        layer: &BatchNorm<N>,
        channels: &Channels,
        xs: &Tensor,
        train: bool,
    ) -> Result<(Tensor, Option<Vec<Tensor>>)> {
        layer.shape(xs.dims())?;
        let eps = layer.config.eps;
        let seen = RefCell::new(None);
        let normalized = match &channels.running {
            Some(running) if !train => widely(xs, |xs| by_running(running, xs, 1, eps))?,
            running => {
                if train {
                    layer.several(xs.dims())?;
                }
                let tracked = train && running.is_some();
                widely(xs, |xs| by_batch(xs, eps, |rows| {
                    if tracked {
                        seen.replace(Some([rows.mean(1)?, rows.var(1)?]));
                    }
                    Ok(())
                }))?
            }
        };
        let running = match (&channels.running, seen.into_inner()) {
            (Some(running), Some(seen)) => Some(counted(running, &seen, layer.config.momentum)?),
            _ => None,
        };
        Ok((scaled(channels, normalized, 1)?, running))
    }

    /// `x` by the statistics of its channels, of which `seen` is told.
    pub(crate) fn by_batch(xs: &Tensor, eps: f64, seen: impl Fn(&Tensor) -> Result<()>) -> Result<Tensor> {
        let by_channel = xs.transpose(0, 1)?.contiguous()?;
        let rows = by_channel.flatten_from(1)?;
        seen(&rows)?;
        standardize(&rows, eps)?.reshape(by_channel.shape())?.transpose(0, 1)?.contiguous()
    }

    /// `x` by the statistics of each sample's channels, of which `seen` is told.
    pub(crate) fn by_sample(xs: &Tensor, at: usize, eps: f64, seen: impl Fn(&Tensor) -> Result<()>) -> Result<Tensor> {
        let width: usize = xs.dims()[at + 1..].iter().product();
        let rows = xs.contiguous()?.reshape(((), xs.dim(at)?, width))?;
        seen(&rows)?;
        standardize(&rows, eps)?.reshape(xs.shape())
    }

    /// [`InstanceNorm`], and its running statistics in training. torch does not count the batches.
    pub(crate) fn instance_norm<const N: usize>(
        layer: &InstanceNorm<N>,
        channels: &Channels,
        xs: &Tensor,
        train: bool,
    ) -> Result<(Tensor, Option<Vec<Tensor>>)> {
        let at = layer.shape(xs.dims())?;
        let eps = layer.config.eps;
        let seen = RefCell::new(None);
        let normalized = match &channels.running {
            Some(running) if !train => widely(xs, |xs| by_running(running, xs, at, eps))?,
            running => {
                layer.several(xs.dims(), at)?;
                let tracked = train && running.is_some();
                widely(xs, |xs| by_sample(xs, at, eps, |rows| {
                    if tracked {
                        seen.replace(Some([rows.mean(2)?.mean(0)?, rows.var(2)?.mean(0)?]));
                    }
                    Ok(())
                }))?
            }
        };
        let running = match (&channels.running, seen.into_inner()) {
            (Some(running), Some(seen)) => Some(counted(running, &seen, Some(layer.config.momentum))?),
            _ => None,
        };
        Ok((scaled(channels, normalized, at)?, running))
    }
}

/// Names of the statistics.
const RUNNING: &[&str] = &["running_mean", "running_var", "num_batches_tracked"];

impl Running {
    fn new(features: usize, vb: &VarBuilder<'_>) -> Result<Self> {
        let mean = vb.get_with_hints(features, "running_mean", Init::Const(0.0))?;
        let var = vb.get_with_hints(features, "running_var", Init::Const(1.0))?;
        let name = "num_batches_tracked";
        // Checkpoints of old do not have it.
        let batches = match vb.get_with_hints_dtype((), name, Init::Const(0.0), DType::I64) {
            Err(_) if !vb.contains_tensor(name) => Tensor::zeros((), DType::I64, vb.device())?,
            found => found?,
        };
        Ok(Self { mean: Var::from_tensor(&mean)?, var: Var::from_tensor(&var)?, batches: Var::from_tensor(&batches)? })
    }

    fn vars(&self) -> [&Var; 3] {
        [&self.mean, &self.var, &self.batches]
    }

    /// So many of them as they are now; gradients do not reach them.
    fn detached(&self, count: usize) -> Vec<Tensor> {
        self.vars().into_iter().take(count).map(Var::as_detached_tensor).collect()
    }

    /// Replaces them, or the first of them.
    fn set(&self, new: &[Tensor]) -> Result<()> {
        self.vars().into_iter().zip(new).try_for_each(|(var, new)| var.set(&new.detach()))
    }
}

/// `(x − mean) / √(variance + eps) · weight + bias` for each channel; in training by the batch's statistics, which are
/// counted into the running ones, else by the running ones. See [`BatchNorm2d`].
///
/// `(N, C, …)` with as many dimensions as the name says; `BatchNorm1d` takes `(N, C)` and `(N, C, L)`.
///
/// State: `weight` and `running_var` of ones, `bias` and `running_mean` of zeros, all of `(num_features)`, and
/// `num_batches_tracked`, a number (i64).
///
/// [torch.nn.BatchNorm2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html)
///
/// ```
/// use candle_core::{DType, Device, ModuleT, Tensor};
/// use candle_nn::{VarBuilder, VarMap};
///
/// let vars = VarMap::new();
/// let vb = VarBuilder::from_varmap(&vars, DType::F32, &Device::Cpu);
/// let norm = fx_nn::BatchNorm1d::new(2, Default::default(), vb)?;
/// let x = Tensor::new(&[[1f32, 2.0], [3.0, 6.0]], &Device::Cpu)?;
/// norm.forward_t(&x, true)?;
/// assert_eq!(norm.running_mean().expect("it is tracked").to_vec1::<f32>()?, [0.2, 0.4]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BatchNorm<const N: usize> {
    num_features: usize,
    kept: Kept,
    config: BatchNormConfig,
}

/// Batch normalisation of `(N, C)` or `(N, C, L)`.
pub type BatchNorm1d = BatchNorm<1>;
/// Batch normalisation of `(N, C, H, W)`.
pub type BatchNorm2d = BatchNorm<2>;
/// Batch normalisation of `(N, C, D, H, W)`.
pub type BatchNorm3d = BatchNorm<3>;

impl<const N: usize> BatchNorm<N> {
    const NAME: &'static str = numbered!("BatchNorm", N);

    /// A layer of so many channels.
    ///
    /// # Errors
    /// When the builder has a tensor of another shape, or none.
    pub fn new(num_features: usize, config: BatchNormConfig, vb: VarBuilder<'_>) -> Result<Self> {
        let kept = Kept::new(num_features, [config.affine, config.bias, config.track_running_stats], &vb)?;
        Ok(Self { num_features, kept, config })
    }

    /// The running mean, if it is tracked.
    #[must_use]
    pub fn running_mean(&self) -> Option<&Tensor> {
        self.kept.running.as_ref().map(|running| running.mean.as_tensor())
    }

    /// The running variance, if it is tracked.
    #[must_use]
    pub fn running_var(&self) -> Option<&Tensor> {
        self.kept.running.as_ref().map(|running| running.var.as_tensor())
    }

    fn shape(&self, dims: &[usize]) -> Result<()> {
        match N {
            1 => rank(&Self::NAME[3..], dims, &[2, 3], "(N, C) or (N, C, L)")?,
            2 => rank(&Self::NAME[3..], dims, &[4], "(N, C, H, W)")?,
            _ => rank(&Self::NAME[3..], dims, &[5], "(N, C, D, H, W)")?,
        }
        extent(&Self::NAME[3..], dims, 1, self.num_features, "channels")
    }

    /// Refuses a batch of no or one element in training, which has no variance.
    fn several(&self, dims: &[usize]) -> Result<()> {
        let count: usize = dims.iter().product();
        if count <= self.num_features {
            bail!("{}: expects more than one value per channel in training, but is given {dims:?}", &Self::NAME[3..]);
        }
        Ok(())
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        self.kept.tensor(name)
    }

    /// The same as a layer of candle's, outside of training.
    fn in_candle(&self, x: &TensorFact) -> Option<Arc<dyn LayerModule>> {
        let Channels { weight, bias, running } = self.kept.channels(2);
        let [mean, var] = <[Tensor; 2]>::try_from(running?).ok()?;
        // Where a dtype is shorter, torch computes in f32 and candle does not.
        if !matches!(x.dtype, DType::F32 | DType::F64) || mean.dtype() != x.dtype {
            return None;
        }
        let (features, eps) = (self.num_features, self.config.eps);
        let layer = match (weight, bias) {
            (Some(weight), Some(bias)) => candle_nn::BatchNorm::new(features, mean, var, weight, bias, eps),
            (None, None) => candle_nn::BatchNorm::new_no_bias(features, mean, var, eps),
            _ => return None,
        };
        Some(Arc::new(layer.ok()?))
    }
}

impl<const N: usize> ModuleT for BatchNorm<N> {
    /// # Errors
    /// When the tensor has another number of dimensions or of channels, or the batch's statistics are of one element.
    fn forward_t(&self, xs: &Tensor, train: bool) -> Result<Tensor> {
        floats(&Self::NAME[3..], xs.dtype())?;
        let (result, running) = batch_norm(self, &self.kept.channels(3), xs, train)?;
        self.kept.count(running)?;
        Ok(result)
    }
}

impl<const N: usize> fmt::Display for BatchNorm<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BatchNormConfig { eps, momentum, affine, track_running_stats, bias } = &self.config;
        let (name, features, eps) = (&Self::NAME[3..], self.num_features, float(*eps));
        let momentum = momentum.map_or_else(|| "None".to_owned(), float);
        let (bias, affine, tracked) = (flag(*affine && *bias), flag(*affine), flag(*track_running_stats));
        write!(f, "{name}({features}, eps={eps}, momentum={momentum}, affine={affine}, bias={bias}, ")?;
        write!(f, "track_running_stats={tracked})")
    }
}

leaf! {
    const N => BatchNorm<N> as Self::NAME, kept_t;
    arguments { num_features: usize }
    config config: BatchNormConfig;
    tensors { "weight", "bias", "running_mean", "running_var", "num_batches_tracked" }
    make |vb| Self::new(num_features, config, vb);
    shape |layer, x| floats(&Self::NAME[3..], x.dtype).and_then(|()| layer.shape(x.dims()));
    buffers RUNNING;
    in_training Changes;
    enters layer;
    through_all |layer, scope, xs| outside_training(layer, scope, xs);
    candle |layer, x| layer.in_candle(x);
}

impl<const N: usize> Keeps for BatchNorm<N> {
    fn kept(&self) -> Vec<(&'static str, Tensor)> {
        self.kept.running(3)
    }
}

impl<const N: usize> KeepsOne for BatchNorm<N> {
    fn through_kept(
        &self,
        scope: &Scope,
        kept: &[Proxy],
        xs: &Proxy,
        train: bool,
    ) -> Result<(Proxy, Option<Vec<Proxy>>)> {
        entered::batch_norm(self, &self.kept.entered(scope, kept), xs, train)
    }
}

/// `(x − mean) / √(variance + eps) · weight + bias` for each channel of each sample; see [`InstanceNorm2d`].
///
/// `(N, C, …)` or `(C, …)`, with as many dimensions as the name says.
///
/// State: with `affine`, `weight` of ones and `bias` of zeros; with `track_running_stats`, as [`BatchNorm2d`].
///
/// [torch.nn.InstanceNorm2d](https://docs.pytorch.org/docs/stable/generated/torch.nn.InstanceNorm2d.html)
#[derive(Debug, Clone)]
pub struct InstanceNorm<const N: usize> {
    num_features: usize,
    kept: Kept,
    config: InstanceNormConfig,
}

/// Instance normalisation of `(N, C, L)` or `(C, L)`.
pub type InstanceNorm1d = InstanceNorm<1>;
/// Instance normalisation of `(N, C, H, W)` or `(C, H, W)`.
pub type InstanceNorm2d = InstanceNorm<2>;
/// Instance normalisation of `(N, C, D, H, W)` or `(C, D, H, W)`.
pub type InstanceNorm3d = InstanceNorm<3>;

impl<const N: usize> InstanceNorm<N> {
    const NAME: &'static str = numbered!("InstanceNorm", N);

    /// A layer of so many channels.
    ///
    /// # Errors
    /// When the builder has a tensor of another shape, or none.
    pub fn new(num_features: usize, config: InstanceNormConfig, vb: VarBuilder<'_>) -> Result<Self> {
        let kept = Kept::new(num_features, [config.affine, config.bias, config.track_running_stats], &vb)?;
        Ok(Self { num_features, kept, config })
    }

    /// The position of the channels. torch accepts any number of them where it has nothing of each.
    fn shape(&self, dims: &[usize]) -> Result<usize> {
        let at = crate::dims::channels(&Self::NAME[3..], dims, N)?;
        if self.config.affine || self.config.track_running_stats {
            extent(&Self::NAME[3..], dims, at, self.num_features, "channels")?;
        }
        Ok(at)
    }

    /// Refuses samples of no or one element, which have no variance.
    fn several(&self, dims: &[usize], at: usize) -> Result<()> {
        if dims[at + 1..].iter().product::<usize>() <= 1 {
            let layer = &Self::NAME[3..];
            bail!("{layer}: expects more than one value per channel and sample, but is given {dims:?}");
        }
        Ok(())
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        self.kept.tensor(name)
    }
}

impl<const N: usize> ModuleT for InstanceNorm<N> {
    /// # Errors
    /// When the tensor has another number of dimensions or of channels, or a sample has one element in training.
    fn forward_t(&self, xs: &Tensor, train: bool) -> Result<Tensor> {
        floats(&Self::NAME[3..], xs.dtype())?;
        let (result, running) = instance_norm(self, &self.kept.channels(2), xs, train)?;
        self.kept.count(running)?;
        Ok(result)
    }
}

impl<const N: usize> fmt::Display for InstanceNorm<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InstanceNormConfig { eps, momentum, affine, track_running_stats, bias } = &self.config;
        let (name, features, eps, momentum) = (&Self::NAME[3..], self.num_features, float(*eps), float(*momentum));
        let (bias, affine, tracked) = (flag(*affine && *bias), flag(*affine), flag(*track_running_stats));
        write!(f, "{name}({features}, eps={eps}, momentum={momentum}, affine={affine}, bias={bias}, ")?;
        write!(f, "track_running_stats={tracked})")
    }
}

leaf! {
    const N => InstanceNorm<N> as Self::NAME, kept_t;
    arguments { num_features: usize }
    config config: InstanceNormConfig;
    tensors { "weight", "bias", "running_mean", "running_var", "num_batches_tracked" }
    make |vb| Self::new(num_features, config, vb);
    shape |layer, x| floats(&Self::NAME[3..], x.dtype).and_then(|()| layer.shape(x.dims())).map(|_| ());
    buffers RUNNING;
    in_training Changes;
    enters layer;
    through_all |layer, scope, xs| outside_training(layer, scope, xs);
}

impl<const N: usize> Keeps for InstanceNorm<N> {
    fn kept(&self) -> Vec<(&'static str, Tensor)> {
        self.kept.running(2)
    }
}

impl<const N: usize> KeepsOne for InstanceNorm<N> {
    fn through_kept(
        &self,
        scope: &Scope,
        kept: &[Proxy],
        xs: &Proxy,
        train: bool,
    ) -> Result<(Proxy, Option<Vec<Proxy>>)> {
        entered::instance_norm(self, &self.kept.entered(scope, kept), xs, train)
    }
}
