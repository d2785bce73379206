//! [`ScatteredKvCache`], which is written at places given for each row, and what gives the places.
//!
//! Invariant: places and masks follow from numbers; candle's own builder computes them.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::kv_cache::ScatteredCacheBuilder as Original;

use super::Cached;
use crate::ir::Argument;
use crate::trace::lift::Lifts;
use crate::trace::{Held, Holding, Inputs, Proxy, Scope, Session, Traceable};

/// Where a step is written, and the mask of attention to all there is then.
///
/// [`ScatteredCacheBuilder::indices_and_mask`] makes it.
#[derive(Debug, Clone)]
pub struct IndicesAndMask {
    indices: Proxy,
    mask: Proxy,
}

impl IndicesAndMask {
    /// The mask.
    #[must_use]
    pub fn mask(&self) -> &Proxy {
        &self.mask
    }
}

/// The places that candle keeps to itself, found out by writing numbers there.
fn places(original: &candle_nn::kv_cache::IndicesAndMask) -> Result<Tensor> {
    let mask = original.mask();
    let (rows, len, context) = match *mask.dims() {
        [rows, 1, len, context] => (rows, len, context),
        // Of a step longer than the cache, which is not written: nobody reads the places.
        _ => return Tensor::zeros((1, mask.dim(0)?), DType::U32, mask.device()),
    };
    let numbers = Tensor::arange(1u32, u32::try_from(len).unwrap_or(u32::MAX - 1) + 1, mask.device())?;
    let numbers = numbers.reshape((1, 1, len, 1))?.broadcast_as((rows, 1, len, 1))?.contiguous()?;
    let empty = Original::new(rows, context, DType::U32, mask.device())?;
    let (written, _) = empty.make_cache(1, 1)?.append(&numbers, &numbers, original)?;
    let mut places = Vec::with_capacity(rows * len);
    for row in written.reshape((rows, context))?.to_vec2::<u32>()? {
        let place = |number: usize| row.iter().position(|&there| there as usize == number);
        // A row that is masked out has one place for the whole step, where the last number is.
        let last = place(len).unwrap_or(0);
        places.extend((1..=len).map(|number| place(number).unwrap_or(last) as u32));
    }
    Tensor::from_vec(places, (rows, len), mask.device())
}

impl Traceable for candle_nn::kv_cache::IndicesAndMask {
    type Symbolic = IndicesAndMask;

    fn symbolic(&self, scope: &Scope) -> IndicesAndMask {
        let indices = places(self).unwrap_or_else(|error| Session::abort_current(&error));
        IndicesAndMask {
            indices: indices.symbolic(&scope.child("indices")),
            mask: self.mask().symbolic(&scope.child("mask")),
        }
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> IndicesAndMask {
        let indices = places(self).unwrap_or_else(|error| Session::abort_current(&error));
        IndicesAndMask {
            indices: indices.input(inputs, &format!("{name}_indices")),
            mask: self.mask().input(inputs, &format!("{name}_mask")),
        }
    }

    fn held(mirror: &IndicesAndMask, _: &mut Holding) -> Held {
        let [indices, mask] = [&mirror.indices, &mirror.mask].map(|proxy| Held::Tensor(proxy.clone()));
        Held::whole("IndicesAndMask", vec![("indices", indices), ("mask", mask)])
    }
}

/// The mirror of a `ScatteredKvCache`.
///
/// Each row of a batch is written at a place of its own.
#[derive(Debug, Clone)]
pub struct ScatteredKvCache {
    k: Proxy,
    v: Proxy,
    context: usize,
}

impl Cached for candle_nn::kv_cache::ScatteredKvCache {
    type Mirror = ScatteredKvCache;

    fn mirror(&self, hold: &dyn Fn(&str, &Tensor) -> Result<Proxy>) -> Result<ScatteredKvCache> {
        let context = self.k().dim(2)?;
        Ok(ScatteredKvCache { k: hold("k", self.k())?, v: hold("v", self.v())?, context })
    }

    fn held(mirror: &ScatteredKvCache) -> Held {
        let [k, v] = [&mirror.k, &mirror.v].map(|proxy| Held::Tensor(proxy.clone()));
        Held::whole("ScatteredKvCache", vec![("k", k), ("v", v)])
    }
}

impl ScatteredKvCache {
    /// Writes keys and values at their places, and gives all there is then; of more than there is room for, those.
    ///
    /// # Errors
    /// When a tensor does not fit, as in candle, or its shape is not known.
    #[track_caller]
    pub fn append(&mut self, k: &Proxy, v: &Proxy, iam: &IndicesAndMask) -> Result<(Proxy, Proxy)> {
        if self.context <= k.dim(2)? {
            return Ok((k.clone(), v.clone()));
        }
        let indices = iam.indices.unsqueeze(2)?.unsqueeze(1)?;
        let indices = indices.broadcast_as(k.shape())?.contiguous()?;
        self.k = self.k.scatter(&indices, k, 2)?;
        self.v = self.v.scatter(&indices, v, 2)?;
        Ok((self.k.clone(), self.v.clone()))
    }

    /// The keys.
    #[must_use]
    pub fn k(&self) -> &Proxy {
        &self.k
    }

    /// The values.
    #[must_use]
    pub fn v(&self) -> &Proxy {
        &self.v
    }
}

/// The mirror of a `ScatteredCacheBuilder`: candle's own, which holds numbers only.
#[derive(Debug, Clone)]
pub struct ScatteredCacheBuilder(Original);

impl Cached for Original {
    type Mirror = ScatteredCacheBuilder;

    fn mirror(&self, _: &dyn Fn(&str, &Tensor) -> Result<Proxy>) -> Result<ScatteredCacheBuilder> {
        Ok(ScatteredCacheBuilder(self.clone()))
    }

    fn held(mirror: &ScatteredCacheBuilder) -> Held {
        let positions = mirror.positions().iter().map(|&position| Held::Data(Argument::from(position)));
        Held::whole("ScatteredCacheBuilder", vec![("positions", Held::List(positions.collect()))])
    }
}

impl ScatteredCacheBuilder {
    /// A builder for so many rows, each of so many places.
    ///
    /// # Errors
    /// None; candle's signature has them.
    pub fn new(batch_size: usize, context: usize, dtype: DType, device: &Device) -> Result<Self> {
        Original::new(batch_size, context, dtype, device).map(Self)
    }

    /// An empty cache.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn make_cache(&self, num_heads: usize, head_dim: usize) -> Result<ScatteredKvCache> {
        // A cache of no heads tells what the builder does not: the dtype and the number of places.
        let of_no_heads = self.0.make_cache(0, 0)?;
        let (context, dtype) = (of_no_heads.k().dim(2)?, of_no_heads.k().dtype());
        let shape = (self.batch_size(), num_heads, context, head_dim);
        let k = Proxy::zeros(shape, dtype, self.device())?;
        let v = Proxy::zeros(shape, dtype, self.device())?;
        Ok(ScatteredKvCache { k, v, context })
    }

    /// How far each row is.
    #[must_use]
    pub fn positions(&self) -> &[usize] {
        self.0.positions()
    }

    /// All rows at their beginning.
    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// Number of rows.
    #[must_use]
    pub fn batch_size(&self) -> usize {
        self.0.batch_size()
    }

    /// One row at its beginning.
    pub fn reset_batch_index(&mut self, batch_index: usize) {
        self.0.reset_batch_index(batch_index);
    }

    /// Places and mask of the next step, for the rows that take part; constants of the graph.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn indices_and_mask(&mut self, seq_len: usize, batch_mask: &[bool]) -> Result<IndicesAndMask> {
        let original = self.0.indices_and_mask(seq_len, batch_mask)?;
        Ok(IndicesAndMask { indices: places(&original)?.lifted()?, mask: original.mask().lifted()? })
    }

    /// The device of its caches.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.0.device()
    }
}
