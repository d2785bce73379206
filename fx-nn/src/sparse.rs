//! Rows of a table by their indices: [`Embedding`] and [`EmbeddingBag`].
//!
//! Invariant: indices are u8, u32, i32 or i64; one beyond the table is an error.

use std::fmt;
use std::sync::Arc;

use candle_core::{DType, Module, Result, Tensor, Var, bail};
use candle_nn::{Init, VarBuilder};
use fx_core::module::{Called, LayerModule};
use fx_core::ops::{Effect, IntoValue, OpDef, Param};
use fx_core::trace::{Given, Proxy, Scope};
use fx_core::value::Fact;

use crate::dims::{index, rank};
use crate::distance::norm;
use crate::keeper::{Keeper, Keeps, KeepsOne, outside_training};
use crate::leaf::{leaf, optional};
use crate::options::{float, options, words};
use crate::twice::{inside, twice};

options! {
    /// Options of [`Embedding`].
    EmbeddingConfig {
        /// A row that is zero at first and is not trained in torch; negative ones count from the end; none by default.
        padding_idx: Option<i64> = None,
        /// Rows that are longer are shortened to this when they are looked up; none by default.
        max_norm: Option<f64> = None,
        /// The `p` of that norm; 2 by default.
        norm_type: f64 = 2.0,
        /// Of torch's gradients only; nothing here depends on it.
        scale_grad_by_freq: bool = false,
        /// Of torch's gradients only; nothing here depends on it.
        sparse: bool = false,
    }
}

/// The table, from `N(0, 1)`, with a row of zeros.
///
/// One whose rows are shortened when they are looked up is a variable, so that they stay so.
fn table(
    rows: usize,
    width: usize,
    padding: Option<usize>,
    max_norm: Option<f64>,
    vb: &VarBuilder<'_>,
) -> Result<Tensor> {
    let fresh = !vb.contains_tensor("weight");
    let weight = vb.get_with_hints((rows, width), "weight", Init::Randn { mean: 0.0, stdev: 1.0 })?;
    if let (Some(row), true, true) = (padding, fresh, weight.is_variable()) {
        let zeros = Tensor::zeros((1, width), weight.dtype(), weight.device())?;
        Var::from_tensor(&weight)?.set(&weight.slice_scatter0(&zeros, row)?)?;
    }
    Ok(if max_norm.is_some() { Var::from_tensor(&weight)?.as_tensor().clone() } else { weight })
}

fn padding_row(layer: &str, padding_idx: Option<i64>, rows: usize) -> Result<Option<usize>> {
    padding_idx.map(|padding| index(layer, padding, rows)).transpose()
}

/// Replaces a table by one with shorter rows.
fn renew(weight: &Tensor, table: Option<Tensor>) -> Result<()> {
    match table {
        Some(table) => Var::from_tensor(weight)?.set(&table.detach()),
        None => Ok(()),
    }
}

/// The table as what a layer keeps from call to call, which it is if its rows are shortened.
fn table_kept(weight: &Tensor, max_norm: Option<f64>) -> Vec<(&'static str, Tensor)> {
    max_norm.map(|_| ("weight", weight.clone())).into_iter().collect()
}

/// What looking up does besides.
fn looking_up(max_norm: Option<f64>) -> Effect {
    if max_norm.is_some() { Effect::Changes } else { Effect::Pure }
}

fn indices(layer: &str, dtype: DType) -> Result<()> {
    match dtype {
        DType::U8 | DType::U32 | DType::I32 | DType::I64 => Ok(()),
        other => bail!("{layer}: indices should be u8, u32, i32 or i64, but are {}", other.as_str()),
    }
}

twice! {
    {
        use crate::distance::entered::norm;
        use super::recorded::reduced_bags;
    }

    /// Rows no longer than this.
    pub(crate) fn shortened(rows: Tensor, max_norm: Option<f64>, p: f64) -> Result<Tensor> {
        let Some(max_norm) = max_norm else { return Ok(rows) };
        let lengths = norm(&rows, rows.rank() - 1, p, true)?;
        let factors = (lengths.affine(1.0, 1e-7)?.recip()? * max_norm)?;
        let factors = lengths.gt(max_norm)?.where_cond(&factors, &factors.ones_like()?)?;
        rows.broadcast_mul(&factors)
    }

    /// The rows of these indices.
    pub(crate) fn chosen(layer: &str, weight: &Tensor, x: &Tensor, max_norm: Option<f64>, norm_type: f64) -> Result<Tensor> {
        indices(layer, x.dtype())?;
        shortened(weight.index_select(&flat_indices(x)?, 0)?, max_norm, norm_type)
    }

    /// Indices one after the other.
    pub(crate) fn flat_indices(x: &Tensor) -> Result<Tensor> {
        let flat = x.flatten_all()?.contiguous()?;
        // candle looks up by any integers but these.
        if flat.dtype() == DType::I32 { flat.to_dtype(DType::I64) } else { Ok(flat) }
    }

    /// What an [`Embedding`] gives, and its table with the rows shortened that were looked up.
    pub(crate) fn embed(layer: &Embedding, weight: &Tensor, xs: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
        let (max_norm, norm_type) = (layer.config.max_norm, layer.config.norm_type);
        let rows = chosen("Embedding", weight, xs, max_norm, norm_type)?;
        let rows = rows.reshape(xs.dims().iter().copied().chain([layer.embedding_dim]).collect::<Vec<_>>())?;
        Ok((rows, shorten(weight, xs, max_norm, norm_type)?))
    }

    /// The table with the rows of these indices shortened, as torch does it; none if none are.
    pub(crate) fn shorten(weight: &Tensor, x: &Tensor, max_norm: Option<f64>, norm_type: f64) -> Result<Option<Tensor>> {
        if max_norm.is_none() {
            return Ok(None);
        }
        let flat = flat_indices(x)?;
        let known = shortened(weight.clone(), max_norm, norm_type)?;
        let (count, width) = weight.dims2()?;
        let seen = Tensor::zeros(count, DType::F32, x.device())?;
        let seen = seen.index_add(&flat, &Tensor::ones(x.elem_count(), DType::F32, x.device())?, 0)?;
        let seen = seen.gt(0.0)?.unsqueeze(1)?.broadcast_as((count, width))?;
        seen.where_cond(&known, weight).map(Some)
    }

    /// What an [`EmbeddingBag`] gives, and its table with the rows shortened that were looked up.
    pub(crate) fn embed_bags(
        layer: &EmbeddingBag,
        weight: &Tensor,
        input: &Tensor,
        offsets: Option<&Tensor>,
        per_sample_weights: Option<&Tensor>,
    ) -> Result<(Tensor, Option<Tensor>)> {
        let count = layer.bags(input.dims(), offsets.map(Tensor::dims), per_sample_weights.map(Tensor::dims))?;
        let (max_norm, norm_type) = (layer.config.max_norm, layer.config.norm_type);
        let rows = chosen("EmbeddingBag", weight, input, max_norm, norm_type)?;
        let table = shorten(weight, input, max_norm, norm_type)?;
        let rows = match per_sample_weights {
            Some(weights) => rows.broadcast_mul(&weights.flatten_all()?.unsqueeze(1)?)?,
            None => rows,
        };
        let (mode, last) = (layer.config.mode, layer.config.include_last_offset);
        let padding = padding_row("EmbeddingBag", layer.config.padding_idx, layer.num_embeddings)?;
        let result = match (offsets, padding) {
            (None, None) => {
                let bags = rows.reshape((count, input.dim(1)?, layer.embedding_dim))?;
                match mode {
                    _ if input.dim(1)? == 0 => Tensor::zeros((count, layer.embedding_dim), rows.dtype(), rows.device())?,
                    BagMode::Sum => bags.sum(1)?,
                    BagMode::Mean => bags.mean(1)?,
                    BagMode::Max => bags.max(1)?,
                }
            }
            // Which rows stand in a bag is in the data.
            _ => reduced_bags(&rows, input, offsets, mode, last, padding)?.reshape((count, layer.embedding_dim))?,
        };
        Ok((result, table))
    }
}

/// The rows of each bag together, all but those of the padding.
fn reduced_bags(
    rows: &Tensor,
    input: &Tensor,
    offsets: Option<&Tensor>,
    mode: BagMode,
    include_last_offset: bool,
    padding: Option<usize>,
) -> Result<Tensor> {
    let ends = match offsets {
        None => (0..=input.dim(0)?).map(|bag| bag * input.dims()[1]).collect(),
        Some(offsets) => bounds(offsets, input.elem_count(), include_last_offset)?,
    };
    let kept: Vec<bool> = match padding {
        Some(padding) => {
            let found = input.flatten_all()?.to_dtype(DType::I64)?.to_vec1::<i64>()?;
            found.into_iter().map(|index| usize::try_from(index) != Ok(padding)).collect()
        }
        None => vec![true; input.elem_count()],
    };
    let width = rows.dim(1)?;
    let bags = ends.windows(2).map(|pair| {
        let (start, end) = (pair[0], pair[1]);
        let inside = (start..end).filter(|&at| kept[at]).map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let inside: Vec<u32> = inside.collect();
        if inside.is_empty() {
            return Tensor::zeros(width, rows.dtype(), rows.device());
        }
        let rows = if inside.len() == end - start {
            rows.narrow(0, start, end - start)?
        } else {
            crate::axis::select(rows, 0, inside)?
        };
        match mode {
            BagMode::Sum => rows.sum(0),
            BagMode::Mean => rows.mean(0),
            BagMode::Max => rows.max(0),
        }
    });
    match bags.collect::<Result<Vec<_>>>()?.as_slice() {
        [] => Tensor::zeros((0, width), rows.dtype(), rows.device()),
        bags => Tensor::stack(bags, 0),
    }
}

/// Where bags begin, and where the last one ends.
fn bounds(offsets: &Tensor, count: usize, include_last_offset: bool) -> Result<Vec<usize>> {
    let starts = offsets.to_dtype(DType::I64)?.to_vec1::<i64>()?;
    let starts = starts.into_iter().map(|start| usize::try_from(start).ok());
    let mut starts = starts.collect::<Option<Vec<_>>>().unwrap_or_default();
    if !include_last_offset {
        starts.push(count);
    }
    let sorted = starts.windows(2).all(|pair| pair[0] <= pair[1]);
    if starts.first() != Some(&0) || !sorted || starts.last() > Some(&count) {
        bail!("EmbeddingBag: offsets should rise from 0 to at most {count}");
    }
    Ok(starts)
}

/// [`reduced_bags`] as an operation of a graph, for captures that enter a bag: it reads which rows there are.
pub(crate) static REDUCED_BAGS: OpDef = OpDef::wrapped(
    "fx_nn::reduced_bags",
    &[
        Param::new("rows", true),
        Param::new("input", true),
        Param::new("offsets", true),
        Param::new("mode", false),
        Param::new("include_last_offset", false),
        Param::new("padding", false),
    ],
    |args| {
        let (rows, input, offsets) = (args.get(0)?, args.get(1)?, args.get(2)?);
        reduced_bags(rows, input, offsets, args.get(3)?, args.get(4)?, args.get(5)?)?.into_value()
    },
)
.with_effect(Effect::Pure);

/// The same on proxies.
mod recorded {
    use super::{BagMode, Proxy, REDUCED_BAGS, Result};
    use fx_core::trace::{Record, record};

    /// A call of [`REDUCED_BAGS`].
    #[track_caller]
    pub(super) fn reduced_bags(
        rows: &Proxy,
        input: &Proxy,
        offsets: Option<&Proxy>,
        mode: BagMode,
        include_last_offset: bool,
        padding: Option<usize>,
    ) -> Result<Proxy> {
        let tensors = [rows.record(), input.record(), offsets.record()];
        let settings = [mode.as_str().record(), include_last_offset.record(), padding.record()];
        record(&REDUCED_BAGS, tensors.into_iter().chain(settings))
    }
}

/// Rows of a table: `(…)` indices become `(…, embedding_dim)`.
///
/// State: `weight` of `(num_embeddings, embedding_dim)` from `N(0, 1)`, the padding row zero.
///
/// [torch.nn.Embedding](https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html)
///
/// ```
/// use candle_core::{DType, Device, Module, Tensor};
/// use candle_nn::{VarBuilder, VarMap};
///
/// let vb = VarBuilder::from_varmap(&VarMap::new(), DType::F32, &Device::Cpu);
/// let embedding = fx_nn::Embedding::new(100, 16, Default::default(), vb)?;
/// let tokens = Tensor::new(&[[1u32, 2, 3], [4, 5, 6]], &Device::Cpu)?;
/// assert_eq!(embedding.forward(&tokens)?.dims(), [2, 3, 16]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Embedding {
    num_embeddings: usize,
    embedding_dim: usize,
    weight: Tensor,
    config: EmbeddingConfig,
}

impl Embedding {
    /// A table of so many rows of this width.
    ///
    /// # Errors
    /// When the padding row is not in the table, or the builder has a tensor of another shape or none.
    pub fn new(
        num_embeddings: usize,
        embedding_dim: usize,
        config: EmbeddingConfig,
        vb: VarBuilder<'_>,
    ) -> Result<Self> {
        let padding = padding_row("Embedding", config.padding_idx, num_embeddings)?;
        let weight = table(num_embeddings, embedding_dim, padding, config.max_norm, &vb)?;
        Ok(Self { num_embeddings, embedding_dim, weight, config })
    }

    /// The table, `(num_embeddings, embedding_dim)`.
    #[must_use]
    pub fn weight(&self) -> &Tensor {
        &self.weight
    }

    fn tensor(&self, _: &str) -> Option<Tensor> {
        Some(self.weight.clone())
    }
}

impl Module for Embedding {
    /// # Errors
    /// When the indices are not integers or one is beyond the table.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        let (rows, table) = embed(self, &self.weight, xs)?;
        renew(&self.weight, table)?;
        Ok(rows)
    }
}

impl fmt::Display for Embedding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Embedding({}, {}", self.num_embeddings, self.embedding_dim)?;
        if let Ok(Some(padding)) = padding_row("Embedding", self.config.padding_idx, self.num_embeddings) {
            write!(f, ", padding_idx={padding}")?;
        }
        if let Some(max_norm) = self.config.max_norm {
            write!(f, ", max_norm={}", float(max_norm))?;
        }
        write_rest(f, self.config.norm_type, self.config.scale_grad_by_freq)?;
        f.write_str(if self.config.sparse { ", sparse=True)" } else { ")" })
    }
}

/// Settings as torch prints them, where they are not the defaults.
fn write_rest(f: &mut fmt::Formatter<'_>, norm_type: f64, scale_grad_by_freq: bool) -> fmt::Result {
    if norm_type != 2.0 {
        write!(f, ", norm_type={}", float(norm_type))?;
    }
    f.write_str(if scale_grad_by_freq { ", scale_grad_by_freq=True" } else { "" })
}

leaf! {
    Embedding as "nn.Embedding", kept;
    arguments { num_embeddings: usize, embedding_dim: usize }
    config config: EmbeddingConfig;
    tensors { "weight" }
    make |vb| Self::new(num_embeddings, embedding_dim, config, vb);
    shape |layer, x| indices("Embedding", x.dtype).map(|()| {
        let dims: Vec<usize> = x.dims().iter().copied().chain([layer.embedding_dim]).collect();
        Fact::tensor(dims, layer.weight.dtype())
    });
    // Looking up changes a table whose rows are shortened.
    effect |layer| looking_up(layer.config.max_norm);
    enters layer;
    through_all |layer, scope, xs| outside_training(layer, scope, xs);
    candle |layer, x| {
        // candle looks up by any integers but these, and leaves rows as they are.
        let is_same = x.dtype != DType::I32 && layer.config.max_norm.is_none();
        is_same.then(|| -> Arc<dyn LayerModule> {
            Arc::new(candle_nn::Embedding::new(layer.weight.clone(), layer.embedding_dim))
        })
    };
}

impl Keeps for Embedding {
    fn kept(&self) -> Vec<(&'static str, Tensor)> {
        table_kept(&self.weight, self.config.max_norm)
    }
}

impl KeepsOne for Embedding {
    fn through_kept(&self, scope: &Scope, kept: &[Proxy], xs: &Proxy, _: bool) -> Result<(Proxy, Option<Vec<Proxy>>)> {
        let weight = kept.first().cloned().unwrap_or_else(|| inside(&self.weight, scope, "weight"));
        let (rows, table) = entered::embed(self, &weight, xs)?;
        Ok((rows, table.map(|table| vec![table])))
    }
}

words! {
    /// What [`EmbeddingBag`] makes of the rows of a bag.
    BagMode {
        /// Their sum.
        Sum = "sum",
        /// Their average.
        Mean = "mean",
        /// Their greatest values.
        Max = "max",
    }
}

options! {
    /// Options of [`EmbeddingBag`].
    EmbeddingBagConfig {
        /// Rows that are longer are shortened to this when they are looked up; none by default.
        max_norm: Option<f64> = None,
        /// The `p` of that norm; 2 by default.
        norm_type: f64 = 2.0,
        /// Of torch's gradients only; nothing here depends on it.
        scale_grad_by_freq: bool = false,
        /// What is made of the rows; their average by default.
        mode: BagMode = BagMode::Mean,
        /// Of torch's gradients only; nothing here depends on it.
        sparse: bool = false,
        /// Whether the offsets end with the number of indices; false by default.
        include_last_offset: bool = false,
        /// A row that is left out of bags; negative ones count from the end; none by default.
        padding_idx: Option<i64> = None,
    }
}

/// The sum, average or greatest values of rows of a table: bags of indices become `(bags, embedding_dim)`.
///
/// Indices are `(bags, n)`, or `(n)` with `offsets` of `(bags)` at which each bag begins. An empty bag gives zeros.
///
/// State: `weight` of `(num_embeddings, embedding_dim)` from `N(0, 1)`, the padding row zero.
///
/// [torch.nn.EmbeddingBag](https://docs.pytorch.org/docs/stable/generated/torch.nn.EmbeddingBag.html)
#[derive(Debug, Clone)]
pub struct EmbeddingBag {
    num_embeddings: usize,
    embedding_dim: usize,
    weight: Tensor,
    config: EmbeddingBagConfig,
}

impl EmbeddingBag {
    /// A table of so many rows of this width.
    ///
    /// # Errors
    /// When the padding row is not in the table, or the builder has a tensor of another shape or none.
    pub fn new(
        num_embeddings: usize,
        embedding_dim: usize,
        config: EmbeddingBagConfig,
        vb: VarBuilder<'_>,
    ) -> Result<Self> {
        let padding = padding_row("EmbeddingBag", config.padding_idx, num_embeddings)?;
        let weight = table(num_embeddings, embedding_dim, padding, config.max_norm, &vb)?;
        Ok(Self { num_embeddings, embedding_dim, weight, config })
    }

    /// How many bags there are.
    fn bags(&self, input: &[usize], offsets: Option<&[usize]>, weights: Option<&[usize]>) -> Result<usize> {
        if let Some(weights) = weights
            && (self.config.mode != BagMode::Sum || weights != input)
        {
            bail!("EmbeddingBag: weights are for mode `sum` and have the shape of the indices, {input:?}");
        }
        match (input, offsets) {
            (&[bags, _], None) => Ok(bags),
            (&[_], Some(offsets)) => {
                rank("EmbeddingBag", offsets, &[1], "offsets of one dimension")?;
                Ok(offsets[0].saturating_sub(usize::from(self.config.include_last_offset)))
            }
            (dims, _) => bail!("EmbeddingBag: expects indices (bags, n), or (n) with offsets, but is given {dims:?}"),
        }
    }

    /// The bags' rows together, each row times its weight if weights are given, of the shape of the indices.
    ///
    /// # Errors
    /// When indices, offsets or weights do not fit, or weights are given in another mode than `sum`.
    pub fn forward(
        &self,
        input: &Tensor,
        offsets: Option<&Tensor>,
        per_sample_weights: Option<&Tensor>,
    ) -> Result<Tensor> {
        let (result, table) = embed_bags(self, &self.weight, input, offsets, per_sample_weights)?;
        renew(&self.weight, table)?;
        Ok(result)
    }

    fn tensor(&self, _: &str) -> Option<Tensor> {
        Some(self.weight.clone())
    }
}

impl fmt::Display for EmbeddingBag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EmbeddingBag({}, {}", self.num_embeddings, self.embedding_dim)?;
        if let Some(max_norm) = self.config.max_norm {
            write!(f, ", max_norm={}", float(max_norm))?;
        }
        write_rest(f, self.config.norm_type, self.config.scale_grad_by_freq)?;
        write!(f, ", mode='{}'", self.config.mode)?;
        if let Ok(Some(padding)) = padding_row("EmbeddingBag", self.config.padding_idx, self.num_embeddings) {
            write!(f, ", padding_idx={padding}")?;
        }
        f.write_str(")")
    }
}

leaf! {
    @layer [] EmbeddingBag as "nn.EmbeddingBag",
    Called { method: "forward", options: &["offsets", "per_sample_weights"] };
    [num_embeddings: usize, embedding_dim: usize] [config: EmbeddingBagConfig] ["weight"]
    [vb Self::new(num_embeddings, embedding_dim, config, vb)]
    |layer, args| {
        use fx_core::leaf::argument;
        layer.forward(argument(args, 0)?, argument(args, 1)?, argument(args, 2)?).into_value()
    };
    |layer, facts| {
        let tensor = |at: usize| facts.get(at).and_then(|fact| fact.as_tensor()).map(|fact| fact.dims());
        let is_unknown = |at: usize| facts.get(at).is_some_and(|fact| **fact == Fact::Unknown);
        Ok(match tensor(0) {
            Some(input) if !is_unknown(1) && !is_unknown(2) => {
                Fact::tensor((layer.bags(input, tensor(1), tensor(2))?, layer.embedding_dim), layer.weight.dtype())
            }
            _ => Fact::Unknown,
        })
    };
    effect |layer| looking_up(layer.config.max_norm);
    enters layer;
}
leaf!(@keeper EmbeddingBag);

impl Keeps for EmbeddingBag {
    fn kept(&self) -> Vec<(&'static str, Tensor)> {
        table_kept(&self.weight, self.config.max_norm)
    }
}

impl Keeper<EmbeddingBag> {
    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, input: &Proxy, offsets: Option<&Proxy>, per_sample_weights: Option<&Proxy>) -> Result<Proxy> {
        let entered = self.enter(|inside, kept| {
            let layer = inside.layer();
            let weight =
                kept.first().cloned().unwrap_or_else(|| crate::twice::inside(&layer.weight, inside.scope(), "weight"));
            let (result, table) = entered::embed_bags(layer, &weight, input, offsets, per_sample_weights)?;
            Ok((result, table.map(|table| vec![table])))
        });
        match entered {
            Some(result) => result,
            None => self.record(&[Given::Proxy(input.clone()), optional(offsets), optional(per_sample_weights)]),
        }
    }
}
