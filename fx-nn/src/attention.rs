//! [`MultiheadAttention`].
//!
//! Invariant: a sequence is `(length, batch, features)` inside, whatever it is outside.

use std::fmt;

use candle_core::{DType, Result, Tensor, bail};
use candle_nn::{Init, VarBuilder};
use fx_core::module::Called;
use fx_core::ops::IntoValue;
use fx_core::ops::macs::product;
use fx_core::trace::{Given, Proxy, Scope};
use fx_core::value::{Fact, Value};

use crate::axis::full;
use crate::dims::{extent, rank};
use crate::dropout::{Dropout, dropped_in};
use crate::leaf::{Several, leaf, optional};
use crate::linear::uniform;
use crate::options::options;
use crate::rnn_cell::affine;
use crate::twice::{inside, maybe, twice};

options! {
    /// Options of [`MultiheadAttention`].
    MultiheadAttentionConfig {
        /// How much of the weights is dropped in training; nothing by default.
        dropout: f64 = 0.0,
        /// Whether something is added to what is projected; true by default.
        bias: bool = true,
        /// Whether a learnt element is added to keys and values; false by default.
        add_bias_kv: bool = false,
        /// Whether an element of zeros is added to keys and values; false by default.
        add_zero_attn: bool = false,
        /// How wide keys are; as the queries by default.
        kdim: Option<usize> = None,
        /// How wide values are; as the queries by default.
        vdim: Option<usize> = None,
        /// Whether the batch stands before the length; false by default.
        batch_first: bool = false,
    }
}

/// Attention of several heads: `softmax(Q · Kᵀ / √(embed_dim / num_heads)) · V`, of what queries, keys and values are
/// projected to, projected again.
///
/// Queries are `(L, N, embed_dim)`, keys `(S, N, kdim)`, values `(S, N, vdim)`; with `batch_first` the batch stands
/// first, and it may be missing. The result is `(L, N, embed_dim)` and the weights, `(N, L, S)`, or `(N, num_heads, L, S)`
/// if they are not averaged.
///
/// Masks: of numbers, which are added to the scores, or of u8, where what is not 0 is not attended to. `key_padding_mask`
/// is `(N, S)`, `attn_mask` is `(L, S)` or `(N · num_heads, L, S)`.
///
/// State: `in_proj_weight` of `(3 · embed_dim, embed_dim)`, or, if `kdim` or `vdim` differ, `q_proj_weight`,
/// `k_proj_weight` and `v_proj_weight`, all from `U(-√(6 / (rows + columns)), …)`; `in_proj_bias` of zeros;
/// `out_proj.weight` from `U(-√k, √k)` with `k = 1 / embed_dim` and `out_proj.bias` of zeros; `bias_k` and `bias_v` of
/// `(1, 1, embed_dim)` from `N(0, 1 / embed_dim)`.
///
/// [torch.nn.MultiheadAttention](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html)
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use candle_nn::{VarBuilder, VarMap};
/// use fx_nn::{MultiheadAttention, MultiheadAttentionConfig};
///
/// let vb = VarBuilder::from_varmap(&VarMap::new(), DType::F32, &Device::Cpu);
/// let attention = MultiheadAttention::new(8, 2, MultiheadAttentionConfig::default().batch_first(true), vb)?;
/// let x = Tensor::ones((1, 5, 8), DType::F32, &Device::Cpu)?;
/// let (y, weights) = attention.forward(&x, &x, &x)?;
/// assert_eq!((y.dims(), weights.dims()), (&[1, 5, 8][..], &[1, 5, 5][..]));
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MultiheadAttention {
    embed_dim: usize,
    num_heads: usize,
    projections: [Tensor; 3],
    /// The three projections in one.
    in_proj: Option<Tensor>,
    in_proj_bias: Option<Tensor>,
    out_proj: (Tensor, Option<Tensor>),
    bias_kv: Option<[Tensor; 2]>,
    dropout: Dropout,
    config: MultiheadAttentionConfig,
}

/// Names of its tensors.
pub(crate) const NAMES: &[&str] = &[
    "in_proj_weight",
    "q_proj_weight",
    "k_proj_weight",
    "v_proj_weight",
    "in_proj_bias",
    "out_proj.weight",
    "out_proj.bias",
    "bias_k",
    "bias_v",
];

/// `U(-√(6 / (rows + columns)), …)`.
pub(crate) fn xavier(rows: usize, columns: usize) -> Init {
    let bound = (6.0 / (rows + columns).max(1) as f64).sqrt();
    Init::Uniform { lo: -bound, up: bound }
}

twice! {
    {
        use crate::axis::entered::full;
        use crate::dropout::entered::dropped_in;
        use crate::rnn_cell::entered::affine;
    }

    /// Tensors of an attention.
    pub(crate) struct Parts {
        pub(crate) projections: [Tensor; 3],
        pub(crate) in_proj_bias: Option<Tensor>,
        pub(crate) out_proj: (Tensor, Option<Tensor>),
        pub(crate) bias_kv: Option<[Tensor; 2]>,
    }

    /// A mask as numbers that are added to scores.
    pub(crate) fn additive(mask: &Tensor, dtype: DType) -> Result<Tensor> {
        match mask.dtype() {
            DType::U8 => {
                let zero = Tensor::zeros(mask.shape(), dtype, mask.device())?;
                let hidden = full(mask.dims(), f64::NEG_INFINITY, dtype, mask.device())?;
                mask.where_cond(&hidden, &zero)
            }
            found if found.is_float() => mask.to_dtype(dtype),
            other => bail!("MultiheadAttention: a mask should be of u8 or of floats, but is of {}", other.as_str()),
        }
    }

    /// What an attention computes with these tensors, dropping of its weights in training.
    pub(crate) fn attend(
        layer: &MultiheadAttention,
        parts: &Parts,
        [query, key, value]: [&Tensor; 3],
        [key_padding_mask, attn_mask]: [Option<&Tensor>; 2],
        average_attn_weights: bool,
        train: bool,
    ) -> Result<(Tensor, Tensor)> {
        let Extents { targets, sources, batch } = layer.extents(query.dims(), key.dims(), value.dims())?;
        let samples = batch.unwrap_or(1);
        let (heads, width) = (layer.num_heads, layer.embed_dim / layer.num_heads);
        let inside = |x: &Tensor| match batch {
            None => x.unsqueeze(1),
            Some(_) if layer.config.batch_first => x.transpose(0, 1)?.contiguous(),
            Some(_) => x.contiguous(),
        };
        let project = |x: &Tensor, i: usize| -> Result<Tensor> {
            let x = inside(x)?;
            let (length, _, from) = x.dims3()?;
            let bias = parts.in_proj_bias.as_ref().map(|bias| bias.narrow(0, i * layer.embed_dim, layer.embed_dim));
            let rows = affine(&x.reshape((length * samples, from))?, &parts.projections[i], bias.transpose()?.as_ref())?;
            let rows = rows.reshape((length, samples, layer.embed_dim))?;
            match (&parts.bias_kv, i) {
                (Some(extra), 1 | 2) => {
                    let extra = extra[i - 1].broadcast_as((1, samples, layer.embed_dim))?;
                    Tensor::cat(&[rows, extra.contiguous()?], 0)
                }
                _ => Ok(rows),
            }
        };
        // (N · heads, length, width)
        let split = |x: Tensor| -> Result<Tensor> {
            let length = x.dim(0)?;
            x.reshape((length, samples * heads, width))?.transpose(0, 1)?.contiguous()
        };
        let q = (split(project(query, 0)?)? * (1.0 / (width as f64).sqrt()))?;
        let (mut k, mut v) = (split(project(key, 1)?)?, split(project(value, 2)?)?);
        if layer.config.add_zero_attn {
            let zeros = Tensor::zeros((samples * heads, 1, width), k.dtype(), k.device())?;
            k = Tensor::cat(&[&k, &zeros], 1)?;
            v = Tensor::cat(&[&v, &zeros], 1)?;
        }
        let all = k.dim(1)?;
        let mut scores = q.matmul(&k.transpose(1, 2)?)?.reshape((samples, heads, targets, all))?;
        if let Some(mask) = attn_mask {
            let mask = match mask.dims() {
                dims if dims == [targets, sources] => {
                    additive(mask, scores.dtype())?.reshape((1, 1, targets, sources))?
                }
                dims if dims == [samples * heads, targets, sources] => {
                    additive(mask, scores.dtype())?.reshape((samples, heads, targets, sources))?
                }
                dims => bail!(
                    "MultiheadAttention: expects an attention mask of {:?} or {:?}, but is given {dims:?}",
                    [targets, sources],
                    [samples * heads, targets, sources]
                ),
            };
            scores = scores.broadcast_add(&mask.pad_with_zeros(3, 0, all - sources)?)?;
        }
        if let Some(mask) = key_padding_mask {
            let expected: Vec<usize> = batch.into_iter().chain([sources]).collect();
            if mask.dims() != expected {
                let found = mask.dims();
                bail!("MultiheadAttention: expects a key padding mask of {expected:?}, but is given {found:?}");
            }
            let mask = additive(mask, scores.dtype())?.reshape((samples, 1, 1, sources))?;
            scores = scores.broadcast_add(&mask.pad_with_zeros(3, 0, all - sources)?)?;
        }
        let weights = candle_nn::ops::softmax(&scores, 3)?;
        let weights = dropped_in(train, layer.dropout.p(), &weights)?;
        let attended = weights.reshape((samples * heads, targets, all))?.matmul(&v)?;
        let rows = attended.transpose(0, 1)?.reshape((targets * samples, layer.embed_dim))?;
        let output = affine(&rows, &parts.out_proj.0, parts.out_proj.1.as_ref())?;
        let output = output.reshape((targets, samples, layer.embed_dim))?;
        let output = match batch {
            None => output.squeeze(1)?,
            Some(_) if layer.config.batch_first => output.transpose(0, 1)?.contiguous()?,
            Some(_) => output,
        };
        let weights = if average_attn_weights { weights.mean(1)? } else { weights };
        Ok((output, if batch.is_none() { weights.squeeze(0)? } else { weights }))
    }
}

/// What is known of the extents of a call.
struct Extents {
    targets: usize,
    sources: usize,
    batch: Option<usize>,
}

impl MultiheadAttention {
    /// Attention of so many heads.
    ///
    /// # Errors
    /// When the heads do not divide the width, the dropout is not in `0..=1`, or the builder has a tensor of another
    /// shape or none.
    pub fn new(
        embed_dim: usize,
        num_heads: usize,
        config: MultiheadAttentionConfig,
        vb: VarBuilder<'_>,
    ) -> Result<Self> {
        if num_heads == 0 || embed_dim == 0 || !embed_dim.is_multiple_of(num_heads) {
            bail!("MultiheadAttention: {num_heads} heads should divide the width {embed_dim}");
        }
        let [kdim, vdim] = [config.kdim, config.vdim].map(|dim| dim.unwrap_or(embed_dim));
        let (projections, in_proj) = if kdim == embed_dim && vdim == embed_dim {
            let init = xavier(3 * embed_dim, embed_dim);
            let whole = vb.get_with_hints((3 * embed_dim, embed_dim), "in_proj_weight", init)?;
            let part = |i: usize| whole.narrow(0, i * embed_dim, embed_dim);
            ([part(0)?, part(1)?, part(2)?], Some(whole))
        } else {
            let get = |width, name| vb.get_with_hints((embed_dim, width), name, xavier(embed_dim, width));
            ([get(embed_dim, "q_proj_weight")?, get(kdim, "k_proj_weight")?, get(vdim, "v_proj_weight")?], None)
        };
        let zeros = |size, name| config.bias.then(|| vb.get_with_hints(size, name, Init::Const(0.0))).transpose();
        let in_proj_bias = zeros(3 * embed_dim, "in_proj_bias")?;
        let out = vb.pp("out_proj");
        let weight = out.get_with_hints((embed_dim, embed_dim), "weight", uniform(embed_dim))?;
        let bias = zeros(embed_dim, "out_proj.bias")?;
        let normal = Init::Randn { mean: 0.0, stdev: 1.0 / (embed_dim as f64).sqrt() };
        let extra = |name| vb.get_with_hints((1, 1, embed_dim), name, normal);
        let bias_kv = if config.add_bias_kv { Some([extra("bias_k")?, extra("bias_v")?]) } else { None };
        let dropout = Dropout::new(config.dropout)?;
        Ok(Self {
            embed_dim,
            num_heads,
            projections,
            in_proj,
            in_proj_bias,
            out_proj: (weight, bias),
            bias_kv,
            dropout,
            config,
        })
    }

    pub(crate) fn tensor(&self, name: &str) -> Option<Tensor> {
        let apart = |i: usize| self.in_proj.is_none().then(|| self.projections[i].clone());
        match name {
            "in_proj_weight" => self.in_proj.clone(),
            "q_proj_weight" => apart(0),
            "k_proj_weight" => apart(1),
            "v_proj_weight" => apart(2),
            "in_proj_bias" => self.in_proj_bias.clone(),
            "out_proj.weight" => Some(self.out_proj.0.clone()),
            "out_proj.bias" => self.out_proj.1.clone(),
            "bias_k" => self.bias_kv.as_ref().map(|[k, _]| k.clone()),
            _ => self.bias_kv.as_ref().map(|[_, v]| v.clone()),
        }
    }

    fn extents(&self, query: &[usize], key: &[usize], value: &[usize]) -> Result<Extents> {
        let layer = "MultiheadAttention";
        let meaning = if self.config.batch_first { "(N, L, width)" } else { "(L, N, width)" };
        rank(layer, query, &[2, 3], &format!("{meaning} or (L, width)"))?;
        rank(layer, key, &[query.len()], "a key of as many dimensions as the query")?;
        rank(layer, value, &[query.len()], "a value of as many dimensions as the query")?;
        let last = query.len() - 1;
        extent(layer, query, last, self.embed_dim, "features of the query")?;
        extent(layer, key, last, self.config.kdim.unwrap_or(self.embed_dim), "features of the key")?;
        extent(layer, value, last, self.config.vdim.unwrap_or(self.embed_dim), "features of the value")?;
        if key[..last] != value[..last] {
            bail!("{layer}: key {key:?} and value {value:?} should differ in their width only");
        }
        let (length, batch) = match (last, self.config.batch_first) {
            (1, _) => (0, None),
            (_, true) => (1, Some(0)),
            (_, false) => (0, Some(1)),
        };
        if let Some(batch) = batch {
            extent(layer, key, batch, query[batch], "samples, as in the query,")?;
        }
        Ok(Extents { targets: query[length], sources: key[length], batch: batch.map(|batch| query[batch]) })
    }

    /// Those of the four projections, of queries by keys and of weights by values.
    pub(crate) fn macs_of(&self, query: &[usize], key: &[usize], value: &[usize]) -> Option<u64> {
        let Extents { targets, sources, batch } = self.extents(query, key, value).ok()?;
        let (batch, width) = (batch.unwrap_or(1), self.embed_dim);
        let [kdim, vdim] = [self.config.kdim, self.config.vdim].map(|dim| dim.unwrap_or(width));
        let all = sources + usize::from(self.config.add_bias_kv) + usize::from(self.config.add_zero_attn);
        let parts = [
            product([batch, targets, 2 * width, width]),
            product([batch, sources, kdim + vdim, width]),
            product([batch, targets, all, 2 * width]),
        ];
        Some(parts.into_iter().fold(0, u64::saturating_add))
    }

    /// The result, and the weights averaged over the heads; nothing is dropped or masked.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward(&self, query: &Tensor, key: &Tensor, value: &Tensor) -> Result<(Tensor, Tensor)> {
        self.forward_t(query, key, value, None, None, true, false)
    }

    /// The result and the weights, averaged over the heads or not.
    ///
    /// # Errors
    /// When the sizes do not fit.
    #[allow(clippy::too_many_arguments, reason = "torch's arguments, which graphs name one by one")]
    pub fn forward_t(
        &self,
        query: &Tensor,
        key: &Tensor,
        value: &Tensor,
        key_padding_mask: Option<&Tensor>,
        attn_mask: Option<&Tensor>,
        average_attn_weights: bool,
        train: bool,
    ) -> Result<(Tensor, Tensor)> {
        let parts = Parts {
            projections: self.projections.clone(),
            in_proj_bias: self.in_proj_bias.clone(),
            out_proj: self.out_proj.clone(),
            bias_kv: self.bias_kv.clone(),
        };
        let masks = [key_padding_mask, attn_mask];
        attend(self, &parts, [query, key, value], masks, average_attn_weights, train)
    }

    /// Its tensors, entered.
    fn entered(&self, scope: &Scope) -> Result<entered::Parts> {
        let whole = maybe(self.in_proj.as_ref(), scope, "in_proj_weight");
        let projection = |i: usize, name| match &whole {
            Some(whole) => whole.narrow(0, i * self.embed_dim, self.embed_dim),
            None => Ok(inside(&self.projections[i], scope, name)),
        };
        let (weight, bias) = &self.out_proj;
        let extra = |[k, v]: &[Tensor; 2]| [inside(k, scope, "bias_k"), inside(v, scope, "bias_v")];
        Ok(entered::Parts {
            projections: [
                projection(0, "q_proj_weight")?,
                projection(1, "k_proj_weight")?,
                projection(2, "v_proj_weight")?,
            ],
            in_proj_bias: maybe(self.in_proj_bias.as_ref(), scope, "in_proj_bias"),
            out_proj: (inside(weight, scope, "out_proj.weight"), maybe(bias.as_ref(), scope, "out_proj.bias")),
            bias_kv: self.bias_kv.as_ref().map(extra),
        })
    }
}

/// As torch prints it: its only layer inside.
impl fmt::Display for MultiheadAttention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, bias) = (self.embed_dim, crate::options::flag(self.config.bias));
        writeln!(f, "MultiheadAttention(")?;
        writeln!(
            f,
            "  (out_proj): NonDynamicallyQuantizableLinear(in_features={width}, out_features={width}, bias={bias})"
        )?;
        f.write_str(")")
    }
}

leaf! {
    @layer [] MultiheadAttention as "nn.MultiheadAttention",
    Called {
        method: "forward_t",
        options: &["key", "value", "key_padding_mask", "attn_mask", "average_attn_weights", "train"],
    };
    [embed_dim: usize, num_heads: usize] [config: MultiheadAttentionConfig] [names NAMES]
    [vb Self::new(embed_dim, num_heads, config, vb)]
    |layer, args| {
        use fx_core::leaf::argument;
        let (query, key, value) = (argument(args, 0)?, argument(args, 1)?, argument(args, 2)?);
        let (padding, mask) = (argument(args, 3)?, argument(args, 4)?);
        layer.forward_t(query, key, value, padding, mask, argument(args, 5)?, argument(args, 6)?).into_value()
    };
    |layer, facts| match facts {
        [Fact::Tensor(q), Fact::Tensor(k), Fact::Tensor(v), _, _, average, ..] => {
            let Extents { targets, sources, batch } = layer.extents(q.dims(), k.dims(), v.dims())?;
            let extra = usize::from(layer.config.add_bias_kv) + usize::from(layer.config.add_zero_attn);
            let heads = (*average != &Fact::Data(Value::Bool(true))).then_some(layer.num_heads);
            let weights: Vec<usize> = batch.into_iter().chain(heads).chain([targets, sources + extra]).collect();
            Ok(Fact::Tuple(vec![Fact::Tensor((*q).clone()), Fact::tensor(weights, q.dtype)]))
        }
        _ => Ok(Fact::Tuple(vec![Fact::Unknown; 2])),
    };
    macs |layer, facts, _result| {
        let [q, k, v] = [0, 1, 2].map(|at| facts.get(at).and_then(|fact| fact.as_tensor()));
        layer.macs_of(q?.dims(), k?.dims(), v?.dims())
    };
    in_training Random;
    enters layer;
}
leaf!(@several MultiheadAttention);

impl Several<MultiheadAttention> {
    /// Records a call of the layer; nothing is dropped or masked.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, query: &Proxy, key: &Proxy, value: &Proxy) -> Result<(Proxy, Proxy)> {
        self.forward_t(query, key, value, None, None, true, false)
    }

    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    #[allow(clippy::too_many_arguments, reason = "torch's arguments, which graphs name one by one")]
    pub fn forward_t(
        &self,
        query: &Proxy,
        key: &Proxy,
        value: &Proxy,
        key_padding_mask: Option<&Proxy>,
        attn_mask: Option<&Proxy>,
        average_attn_weights: bool,
        train: bool,
    ) -> Result<(Proxy, Proxy)> {
        if let Some(inside) = self.enter() {
            let (layer, inputs, masks) = (inside.layer(), [query, key, value], [key_padding_mask, attn_mask]);
            let parts = layer.entered(inside.scope())?;
            return entered::attend(layer, &parts, inputs, masks, average_attn_weights, train);
        }
        let tensor = |proxy: &Proxy| Given::Proxy(proxy.clone());
        let flag = |flag| Given::Data(Value::Bool(flag));
        self.record(&[
            tensor(query),
            tensor(key),
            tensor(value),
            optional(key_padding_mask),
            optional(attn_mask),
            flag(average_attn_weights),
            flag(train),
        ])
    }
}
