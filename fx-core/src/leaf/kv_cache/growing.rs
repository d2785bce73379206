//! [`Cache`] and [`KvCache`]: what was appended, in order; candle's buffer for it grows when it is full.
//!
//! Invariant: the content is what candle's `current_data` gives; candle's own cache without elements keeps count.

use std::sync::OnceLock;

use candle_core::{Result, Tensor};
use candle_nn::kv_cache::Cache as Original;

use super::{Cached, empty, filled_up, fits, maybe, refuse};
use crate::trace::{Held, Proxy};

/// The mirror of a `Cache`.
///
/// Appending gives a new value of the cache; candle's writes into a buffer in place.
#[derive(Debug, Clone)]
pub struct Cache {
    data: Option<Proxy>,
    /// Filled up with zeros to candle's buffer, if somebody asked for that.
    buffer: OnceLock<Option<Proxy>>,
    count: Original,
    /// Something appended whose length is not known, so that no count is.
    uncounted: Option<Proxy>,
}

impl Cached for Original {
    type Mirror = Cache;

    fn mirror(&self, hold: &dyn Fn(&str, &Tensor) -> Result<Proxy>) -> Result<Cache> {
        let data = self.current_data()?.map(|data| hold("", &data)).transpose()?;
        let mut count = self.clone();
        // The clone lets go of the original's buffer, and keeps how far that has grown.
        count.reset();
        if let Some(data) = &data {
            // It can be of another size than the original.
            let len = data.fact().as_tensor().and_then(|fact| fact.dims().get(self.dim()).copied());
            count.append(&empty(self.dim(), len.unwrap_or_else(|| self.current_seq_len()))?)?;
        }
        Ok(Cache { data, buffer: OnceLock::new(), count, uncounted: None })
    }

    // The count is the length of what it holds.
    fn held(mirror: &Cache) -> Held {
        maybe(mirror.data.as_ref())
    }
}

impl Cache {
    /// An empty cache of this many places along a dimension, which grows by as many.
    #[must_use]
    pub fn new(dim: usize, max_seq_len: usize) -> Self {
        let count = Original::new(dim, max_seq_len);
        Self { data: None, buffer: OnceLock::new(), count, uncounted: None }
    }

    /// The dimension along which it grows.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.count.dim()
    }

    /// How much it holds; where that is not known, the capture ends with an error that says why.
    #[track_caller]
    #[must_use]
    pub fn current_seq_len(&self) -> usize {
        self.counted();
        self.count.current_seq_len()
    }

    /// How much its buffer can hold; where that is not known, the capture ends with an error that says why.
    #[track_caller]
    #[must_use]
    pub fn max_seq_len(&self) -> usize {
        self.counted();
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
        (self.data, self.buffer, self.uncounted) = (None, OnceLock::new(), None);
        self.count.reset();
    }

    /// Appends to what it holds.
    ///
    /// # Errors
    /// When the tensor does not fit, as in candle.
    #[track_caller]
    pub fn append(&mut self, src: &Proxy) -> Result<()> {
        let dim = self.dim();
        let len = match src.fact().as_tensor() {
            Some(_) => Some(src.dim(dim)?),
            None => None,
        };
        if self.count.max_seq_len() == 0 && len != Some(0) {
            let reason = "a cache made with `max_seq_len` 0 has no size to grow by";
            return Err(refuse(src, "Cache::append", reason.to_owned()));
        }
        fits(self.data.as_ref(), src, dim)?;
        let data = match &self.data {
            None => src.clone(),
            Some(data) => Proxy::cat(&[data, src], dim)?,
        };
        match len {
            Some(len) => self.count.append(&empty(dim, len)?)?,
            None => self.uncounted = Some(src.clone()),
        }
        (self.data, self.buffer) = (Some(data), OnceLock::new());
        Ok(())
    }

    #[track_caller]
    fn counted(&self) {
        if let Some(uncounted) = &self.uncounted {
            uncounted.known("current_seq_len", "the shape");
        }
    }
}

/// The mirror of a `KvCache`.
///
/// Two of [`Cache`], for keys and for values.
#[derive(Debug, Clone)]
pub struct KvCache {
    k: Cache,
    v: Cache,
}

impl Cached for candle_nn::kv_cache::KvCache {
    type Mirror = KvCache;

    fn mirror(&self, hold: &dyn Fn(&str, &Tensor) -> Result<Proxy>) -> Result<KvCache> {
        let k = self.k_cache().mirror(&|_, tensor| hold("k", tensor))?;
        let v = self.v_cache().mirror(&|_, tensor| hold("v", tensor))?;
        Ok(KvCache { k, v })
    }

    fn held(mirror: &KvCache) -> Held {
        Held::whole("KvCache", vec![("k", Original::held(&mirror.k)), ("v", Original::held(&mirror.v))])
    }
}

impl KvCache {
    /// An empty cache of this many places along a dimension, which grows by as many.
    #[must_use]
    pub fn new(dim: usize, max_seq_len: usize) -> Self {
        Self { k: Cache::new(dim, max_seq_len), v: Cache::new(dim, max_seq_len) }
    }

    /// The cache of keys.
    #[must_use]
    pub fn k_cache(&self) -> &Cache {
        &self.k
    }

    /// The cache of values.
    #[must_use]
    pub fn v_cache(&self) -> &Cache {
        &self.v
    }

    /// The cache of keys.
    pub fn k_cache_mut(&mut self) -> &mut Cache {
        &mut self.k
    }

    /// The cache of values.
    pub fn v_cache_mut(&mut self) -> &mut Cache {
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

    /// Appends keys and values, and gives all that it holds then.
    ///
    /// # Errors
    /// When a tensor does not fit, as in candle.
    #[track_caller]
    pub fn append(&mut self, k: &Proxy, v: &Proxy) -> Result<(Proxy, Proxy)> {
        self.k.append(k)?;
        self.v.append(v)?;
        // Both hold something now.
        let (all_k, all_v) = (self.k.data.as_ref().unwrap_or(k), self.v.data.as_ref().unwrap_or(v));
        Ok((all_k.clone(), all_v.clone()))
    }

    /// How much it holds; where that is not known, the capture ends with an error that says why.
    #[track_caller]
    #[must_use]
    pub fn current_seq_len(&self) -> usize {
        self.k.current_seq_len()
    }

    /// Empties it.
    pub fn reset(&mut self) {
        self.k.reset();
        self.v.reset();
    }
}
