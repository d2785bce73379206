//! Rows of a table by their indices: [`Embedding`] and [`EmbeddingBag`].
//!
//! Invariant: indices are u8, u32, i32 or i64; one beyond the table is an error.

use std::fmt;
use std::sync::Arc;

use candle_core::{DType, Module, Result, Tensor, Var, bail};
use candle_nn::{Init, VarBuilder};
use fx_core::module::{Called, LayerModule};
use fx_core::ops::IntoValue;
use fx_core::trace::{Given, Proxy};
use fx_core::value::Fact;

use crate::dims::{index, rank};
use crate::distance::norm;
use crate::leaf::{Several, leaf, optional};
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

fn indices(layer: &str, dtype: DType) -> Result<()> {
    match dtype {
        DType::U8 | DType::U32 | DType::I32 | DType::I64 => Ok(()),
        other => bail!("{layer}: indices should be u8, u32, i32 or i64, but are {}", other.as_str()),
    }
}

twice! {
    {
        use crate::distance::entered::norm;
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

    /// What an [`Embedding`] that leaves its table alone gives.
    pub(crate) fn embed(layer: &Embedding, weight: &Tensor, xs: &Tensor) -> Result<Tensor> {
        let rows = chosen("Embedding", weight, xs, layer.config.max_norm, layer.config.norm_type)?;
        rows.reshape(xs.dims().iter().copied().chain([layer.embedding_dim]).collect::<Vec<_>>())
    }
}

/// Shortens the rows of these indices in the table, as torch does it.
fn shorten(weight: &Tensor, x: &Tensor, max_norm: Option<f64>, norm_type: f64) -> Result<()> {
    if max_norm.is_some() && weight.is_variable() {
        let flat = flat_indices(x)?;
        let known = shortened(weight.detach(), max_norm, norm_type)?;
        let (count, width) = weight.dims2()?;
        let seen = Tensor::zeros(count, DType::F32, x.device())?;
        let seen = seen.index_add(&flat, &Tensor::ones(flat.elem_count(), DType::F32, x.device())?, 0)?;
        let seen = seen.gt(0.0)?.unsqueeze(1)?.broadcast_as((count, width))?;
        Var::from_tensor(weight)?.set(&seen.where_cond(&known, &weight.detach())?)?;
    }
    Ok(())
}

/// Rows of a table: `(…)` indices become `(…, embedding_dim)`.
///
/// State: `weight` of `(num_embeddings, embedding_dim)` from `N(0, 1)`, the padding row zero.
///
/// [torch.nn.Embedding](https://docs.pytorch.org/docs/stable/generated/torch.nn.Embedding.html)
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
        let rows = embed(self, &self.weight, xs)?;
        shorten(&self.weight, xs, self.config.max_norm, self.config.norm_type)?;
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
        f.write_str(")")
    }
}

leaf! {
    Embedding as "nn.Embedding", forward;
    arguments { num_embeddings: usize, embedding_dim: usize }
    config config: EmbeddingConfig;
    tensors { "weight" }
    make |vb| Self::new(num_embeddings, embedding_dim, config, vb);
    shape |layer, x| indices("Embedding", x.dtype).map(|()| {
        let dims: Vec<usize> = x.dims().iter().copied().chain([layer.embedding_dim]).collect();
        Fact::tensor(dims, layer.weight.dtype())
    });
    // Looking up changes a table whose rows are shortened.
    through |layer, scope, x| entered::embed(layer, &inside(&layer.weight, scope, "weight"), x),
        but whole if layer.config.max_norm.is_some();
    candle |layer, x| {
        // candle looks up by any integers but these, and leaves rows as they are.
        let is_same = x.dtype != DType::I32 && layer.config.max_norm.is_none();
        is_same.then(|| -> Arc<dyn LayerModule> {
            Arc::new(candle_nn::Embedding::new(layer.weight.clone(), layer.embedding_dim))
        })
    };
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

    /// Where the bags begin and end.
    fn bags(&self, input: &Tensor, offsets: Option<&Tensor>) -> Result<Vec<(usize, usize)>> {
        match (input.dims(), offsets) {
            (&[bags, size], None) => Ok((0..bags).map(|bag| (bag * size, (bag + 1) * size)).collect()),
            (&[count], Some(offsets)) => {
                rank("EmbeddingBag", offsets.dims(), &[1], "offsets of one dimension")?;
                let starts = offsets.to_dtype(DType::I64)?.to_vec1::<i64>()?;
                let starts = starts.into_iter().map(|start| usize::try_from(start).ok());
                let mut starts = starts.collect::<Option<Vec<_>>>().unwrap_or_default();
                if !self.config.include_last_offset {
                    starts.push(count);
                }
                let sorted = starts.windows(2).all(|pair| pair[0] <= pair[1]);
                if starts.first() != Some(&0) || !sorted || starts.last() > Some(&count) {
                    bail!("EmbeddingBag: offsets should rise from 0 to at most {count}");
                }
                Ok(starts.windows(2).map(|pair| (pair[0], pair[1])).collect())
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
        indices("EmbeddingBag", input.dtype())?;
        let bags = self.bags(input, offsets)?;
        if let Some(weights) = per_sample_weights
            && (self.config.mode != BagMode::Sum || weights.dims() != input.dims())
        {
            bail!("EmbeddingBag: weights are for mode `sum` and have the shape of the indices, {:?}", input.dims());
        }
        let flat = input.flatten_all()?;
        let (max_norm, norm_type) = (self.config.max_norm, self.config.norm_type);
        let rows = chosen("EmbeddingBag", &self.weight, input, max_norm, norm_type)?;
        shorten(&self.weight, input, max_norm, norm_type)?;
        let rows = match per_sample_weights {
            Some(weights) => rows.broadcast_mul(&weights.flatten_all()?.unsqueeze(1)?)?,
            None => rows,
        };
        let padding = padding_row("EmbeddingBag", self.config.padding_idx, self.num_embeddings)?;
        let kept: Vec<bool> = match padding {
            Some(padding) => {
                let found = flat.to_dtype(DType::I64)?.to_vec1::<i64>()?;
                found.into_iter().map(|index| usize::try_from(index) != Ok(padding)).collect()
            }
            None => vec![true; flat.elem_count()],
        };
        let result = bags.into_iter().map(|(start, end)| {
            let inside = (start..end).filter(|&at| kept[at]).map(|at| u32::try_from(at).unwrap_or(u32::MAX));
            let inside: Vec<u32> = inside.collect();
            if inside.is_empty() {
                return Tensor::zeros(self.embedding_dim, rows.dtype(), rows.device());
            }
            let rows = if inside.len() == end - start {
                rows.narrow(0, start, end - start)?
            } else {
                crate::axis::select(&rows, 0, inside)?
            };
            match self.config.mode {
                BagMode::Sum => rows.sum(0),
                BagMode::Mean => rows.mean(0),
                BagMode::Max => rows.max(0),
            }
        });
        match result.collect::<Result<Vec<_>>>()?.as_slice() {
            [] => Tensor::zeros((0, self.embedding_dim), rows.dtype(), rows.device()),
            bags => Tensor::stack(bags, 0),
        }
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
        write!(f, ", mode='{}')", self.config.mode)
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
        let of = |bags: usize| Fact::tensor((bags, layer.embedding_dim), layer.weight.dtype());
        Ok(match facts {
            [Fact::Tensor(x), ..] if x.rank() == 2 => of(x.dims()[0]),
            [Fact::Tensor(_), Fact::Tensor(offsets), ..] if offsets.rank() == 1 => {
                of(offsets.dims()[0].saturating_sub(usize::from(layer.config.include_last_offset)))
            }
            _ => Fact::Unknown,
        })
    };
}
leaf!(@several EmbeddingBag);

impl Several<EmbeddingBag> {
    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, input: &Proxy, offsets: Option<&Proxy>, per_sample_weights: Option<&Proxy>) -> Result<Proxy> {
        self.record(&[Given::Proxy(input.clone()), optional(offsets), optional(per_sample_weights)])
    }
}
