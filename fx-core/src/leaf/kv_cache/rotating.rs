//! [`RotatingCache`] and [`RotatingKvCache`]: the last of what was appended, in a buffer written around and around.
//!
//! Invariant: the content is what candle's `current_data` gives; candle's own cache without elements keeps count, and
//! answers what depends on counts alone (positions and masks).

use std::sync::OnceLock;

use candle_core::{Device, Result, Tensor};
use candle_nn::kv_cache::RotatingCache as Original;

use super::{Cached, empty, filled_up, fits, maybe};
use crate::ir::Argument;
use crate::trace::lift::Lifts;
use crate::trace::{Held, Proxy};

/// The mirror of a `RotatingCache`.
///
/// When it is full, what is oldest is written over.
#[derive(Debug, Clone)]
pub struct RotatingCache {
    data: Option<Proxy>,
    /// Filled up with zeros to candle's buffer, if somebody asked for that.
    buffer: OnceLock<Option<Proxy>>,
    count: Original,
}

impl Cached for Original {
    type Mirror = RotatingCache;

    fn mirror(&self, hold: &dyn Fn(&str, &Tensor) -> Result<Proxy>) -> Result<RotatingCache> {
        let data = self.current_data()?.map(|data| hold("", &data)).transpose()?;
        let (dim, len, offset) = (self.dim(), self.current_seq_len(), self.offset());
        let mut count = Self::new(dim, self.max_seq_len());
        if data.is_some() {
            // The next place to write is `offset`: in a buffer that is not full, or after whole rounds.
            let first = if len < self.max_seq_len() { len } else { len - offset };
            count.append(&empty(dim, first)?)?;
            count.append(&empty(dim, len - first)?)?;
        }
        Ok(RotatingCache { data, buffer: OnceLock::new(), count })
    }

    fn held(mirror: &RotatingCache) -> Held {
        let count = |count: usize| Held::Data(Argument::from(count));
        let (data, count) = (maybe(mirror.data.as_ref()), [mirror.offset(), mirror.current_seq_len()].map(count));
        let [offset, current_seq_len] = count;
        Held::whole("RotatingCache", vec![("", data), ("offset", offset), ("current_seq_len", current_seq_len)])
    }
}

impl RotatingCache {
    /// An empty cache of this many places along a dimension.
    #[must_use]
    pub fn new(dim: usize, max_seq_len: usize) -> Self {
        Self { data: None, buffer: OnceLock::new(), count: Original::new(dim, max_seq_len) }
    }

    /// The place that is written next.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.count.offset()
    }

    /// The dimension along which places are.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.count.dim()
    }

    /// How much was appended in all.
    #[must_use]
    pub fn current_seq_len(&self) -> usize {
        self.count.current_seq_len()
    }

    /// How much it can hold.
    #[must_use]
    pub fn max_seq_len(&self) -> usize {
        self.count.max_seq_len()
    }

    /// What it holds, filled up with zeros to the size of its buffer.
    #[track_caller]
    pub fn all_data(&self) -> &Option<Proxy> {
        filled_up(&self.buffer, self.data.as_ref(), self.dim(), self.max_seq_len())
    }

    /// What it holds.
    ///
    /// # Errors
    /// None; candle's can fail.
    pub fn current_data(&self) -> Result<Option<Proxy>> {
        Ok(self.data.clone())
    }

    /// Empties it.
    pub fn reset(&mut self) {
        (self.data, self.buffer) = (None, OnceLock::new());
        self.count.reset();
    }

    /// Appends, over what is oldest, and gives what it holds then; of more than it can hold, all of that.
    ///
    /// # Errors
    /// When the tensor does not fit, as in candle, or its shape is not known.
    #[track_caller]
    pub fn append(&mut self, src: &Proxy) -> Result<Proxy> {
        let dim = self.dim();
        let (len, start, size) = (src.dim(dim)?, self.offset(), self.max_seq_len());
        let (data, returned) = if len >= size {
            let last = src.narrow(dim, len - size, size)?.contiguous()?;
            fits(self.data.as_ref(), &last, dim)?;
            (last, src.clone())
        } else {
            let src = src.contiguous()?;
            fits(self.data.as_ref(), &src, dim)?;
            let data = match &self.data {
                None => src,
                Some(data) => Proxy::cat(&written(data, &src, dim, start, size)?, dim)?,
            };
            (data.clone(), data)
        };
        self.count.append(&empty(dim, len)?)?;
        (self.data, self.buffer) = (Some(data), OnceLock::new());
        Ok(returned)
    }

    /// The positions of all that it returns when this much is appended.
    #[must_use]
    pub fn positions(&self, seq_len: usize) -> Vec<usize> {
        self.count.positions(seq_len)
    }

    /// The mask of attention to all that it returns when this much is appended; a constant of the graph.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn attn_mask(&self, seq_len: usize, device: &Device) -> Result<Option<Proxy>> {
        self.count.attn_mask(seq_len, device)?.lifted()
    }
}

/// The parts of a buffer of `size` places, of which the first hold `data`, when `src` is written from `start` on, and
/// beyond the end from the beginning.
#[track_caller]
fn written(data: &Proxy, src: &Proxy, dim: usize, start: usize, size: usize) -> Result<Vec<Proxy>> {
    let (held, len) = (data.dim(dim)?, src.dim(dim)?);
    let fits = len.min(size - start);
    let parts = [
        part(src, dim, fits, len)?,
        part(data, dim, len - fits, start)?,
        part(src, dim, 0, fits)?,
        part(data, dim, start + fits, held)?,
    ];
    Ok(parts.into_iter().flatten().collect())
}

/// A range of a tensor, if there is anything in it.
#[track_caller]
fn part(of: &Proxy, dim: usize, from: usize, to: usize) -> Result<Option<Proxy>> {
    match to.saturating_sub(from) {
        0 => Ok(None),
        len if len == of.dim(dim)? => Ok(Some(of.clone())),
        len => Ok(Some(of.narrow(dim, from, len)?)),
    }
}

/// The mirror of a `RotatingKvCache`.
///
/// Two of [`RotatingCache`], for keys and for values.
#[derive(Debug, Clone)]
pub struct RotatingKvCache {
    k: RotatingCache,
    v: RotatingCache,
}

impl Cached for candle_nn::kv_cache::RotatingKvCache {
    type Mirror = RotatingKvCache;

    fn mirror(&self, hold: &dyn Fn(&str, &Tensor) -> Result<Proxy>) -> Result<RotatingKvCache> {
        let k = self.k_cache().mirror(&|_, tensor| hold("k", tensor))?;
        let v = self.v_cache().mirror(&|_, tensor| hold("v", tensor))?;
        Ok(RotatingKvCache { k, v })
    }

    fn held(mirror: &RotatingKvCache) -> Held {
        Held::whole("RotatingKvCache", vec![("k", Original::held(&mirror.k)), ("v", Original::held(&mirror.v))])
    }
}

impl RotatingKvCache {
    /// An empty cache of this many places along a dimension.
    #[must_use]
    pub fn new(dim: usize, max_seq_len: usize) -> Self {
        Self { k: RotatingCache::new(dim, max_seq_len), v: RotatingCache::new(dim, max_seq_len) }
    }

    /// The cache of keys.
    #[must_use]
    pub fn k_cache(&self) -> &RotatingCache {
        &self.k
    }

    /// The cache of values.
    #[must_use]
    pub fn v_cache(&self) -> &RotatingCache {
        &self.v
    }

    /// The cache of keys.
    pub fn k_cache_mut(&mut self) -> &mut RotatingCache {
        &mut self.k
    }

    /// The cache of values.
    pub fn v_cache_mut(&mut self) -> &mut RotatingCache {
        &mut self.v
    }

    /// The keys it holds.
    ///
    /// # Errors
    /// None; candle's can fail.
    pub fn k(&self) -> Result<Option<Proxy>> {
        self.k.current_data()
    }

    /// The values it holds.
    ///
    /// # Errors
    /// None; candle's can fail.
    pub fn v(&self) -> Result<Option<Proxy>> {
        self.v.current_data()
    }

    /// Appends keys and values, and gives what it holds then: see [`RotatingCache::append`].
    ///
    /// # Errors
    /// When a tensor does not fit, as in candle, or its shape is not known.
    #[track_caller]
    pub fn append(&mut self, k: &Proxy, v: &Proxy) -> Result<(Proxy, Proxy)> {
        Ok((self.k.append(k)?, self.v.append(v)?))
    }

    /// The place that is written next.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.k.offset()
    }

    /// How much was appended in all.
    #[must_use]
    pub fn current_seq_len(&self) -> usize {
        self.k.current_seq_len()
    }

    /// The mask of attention to all that it returns when this much is appended; a constant of the graph.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn attn_mask(&self, seq_len: usize, device: &Device) -> Result<Option<Proxy>> {
        self.k.attn_mask(seq_len, device)
    }

    /// The positions of all that it returns when this much is appended.
    #[must_use]
    pub fn positions(&self, seq_len: usize) -> Vec<usize> {
        self.k.positions(seq_len)
    }

    /// Empties it.
    pub fn reset(&mut self) {
        self.k.reset();
        self.v.reset();
    }
}
