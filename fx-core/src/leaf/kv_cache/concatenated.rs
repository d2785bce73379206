//! [`ConcatKvCache`] and [`InterleavedKvCache`]: caches that candle itself builds by concatenation.
//!
//! Invariant: the recorded operations are those that candle runs.

use candle_core::{Result, Tensor};

use super::{Cached, maybe};
use crate::trace::{Held, Proxy};

/// The mirror of a `ConcatKvCache`.
///
/// Appending joins tensors, so the cache is as long as what was appended.
#[derive(Debug, Clone)]
pub struct ConcatKvCache {
    k: Option<Proxy>,
    v: Option<Proxy>,
    dim: usize,
}

impl Cached for candle_nn::kv_cache::ConcatKvCache {
    type Mirror = ConcatKvCache;

    fn mirror(&self, hold: &dyn Fn(&str, &Tensor) -> Result<Proxy>) -> Result<ConcatKvCache> {
        let k = self.k().map(|k| hold("k", k)).transpose()?;
        let v = self.v().map(|v| hold("v", v)).transpose()?;
        Ok(ConcatKvCache { k, v, dim: self.dim() })
    }

    fn held(mirror: &ConcatKvCache) -> Held {
        Held::whole("ConcatKvCache", vec![("k", maybe(mirror.k.as_ref())), ("v", maybe(mirror.v.as_ref()))])
    }
}

/// One more tensor after what a cache holds; no gradient flows through a cache.
#[track_caller]
fn joined(held: Option<&Proxy>, new: Proxy, dim: usize) -> Result<Proxy> {
    match held {
        None => Ok(new),
        Some(held) => Ok(Proxy::cat(&[held, &new], dim)?.detach()),
    }
}

impl ConcatKvCache {
    /// An empty cache that grows along a dimension.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Self { k: None, v: None, dim }
    }

    /// How much it holds; where that is not known, the capture ends with an error that says why.
    #[track_caller]
    #[must_use]
    pub fn current_seq_len(&self) -> usize {
        match &self.k {
            None => 0,
            Some(k) => k.dims().get(self.dim).copied().unwrap_or(0),
        }
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.k.is_none()
    }

    /// The dimension along which it grows.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Appends keys and values, and gives all that it holds then.
    ///
    /// # Errors
    /// When a tensor does not fit, as in candle.
    #[track_caller]
    pub fn append(&mut self, k: &Proxy, v: &Proxy) -> Result<(Proxy, Proxy)> {
        let (k, v) = (k.contiguous()?.detach(), v.contiguous()?.detach());
        let k = joined(self.k.as_ref(), k, self.dim)?;
        self.k = Some(k.clone());
        let v = joined(self.v.as_ref(), v, self.dim)?;
        self.v = Some(v.clone());
        Ok((k, v))
    }

    /// Empties it.
    pub fn reset(&mut self) {
        (self.k, self.v) = (None, None);
    }

    /// The keys it holds.
    #[must_use]
    pub fn k(&self) -> Option<&Proxy> {
        self.k.as_ref()
    }

    /// The values it holds.
    #[must_use]
    pub fn v(&self) -> Option<&Proxy> {
        self.v.as_ref()
    }

    /// The keys it holds.
    pub fn k_mut(&mut self) -> Option<&mut Proxy> {
        self.k.as_mut()
    }

    /// The values it holds.
    pub fn v_mut(&mut self) -> Option<&mut Proxy> {
        self.v.as_mut()
    }

    /// The keys and values it holds.
    #[must_use]
    pub fn into_inner(self) -> Option<(Proxy, Proxy)> {
        self.k.zip(self.v)
    }
}

/// The mirror of an `InterleavedKvCache`.
///
/// Keys and values are one tensor, side by side.
#[derive(Debug, Clone)]
pub struct InterleavedKvCache {
    kv: Option<Proxy>,
    head_dim: usize,
}

impl Cached for candle_nn::kv_cache::InterleavedKvCache {
    type Mirror = InterleavedKvCache;

    fn mirror(&self, hold: &dyn Fn(&str, &Tensor) -> Result<Proxy>) -> Result<InterleavedKvCache> {
        let kv = self.kv().map(|kv| hold("kv", kv)).transpose()?;
        Ok(InterleavedKvCache { kv, head_dim: self.head_dim() })
    }

    fn held(mirror: &InterleavedKvCache) -> Held {
        Held::whole("InterleavedKvCache", vec![("kv", maybe(mirror.kv.as_ref()))])
    }
}

impl InterleavedKvCache {
    /// An empty cache for heads of this size.
    #[must_use]
    pub fn new(head_dim: usize) -> Self {
        Self { kv: None, head_dim }
    }

    /// How much it holds; where that is not known, the capture ends with an error that says why.
    #[track_caller]
    #[must_use]
    pub fn current_seq_len(&self) -> usize {
        match &self.kv {
            None => 0,
            Some(kv) => kv.dims().first().copied().unwrap_or(0),
        }
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kv.is_none()
    }

    /// Appends keys and values of `(1, heads, length, size)`; gives all, of `(length, heads, twice the size)`.
    ///
    /// # Errors
    /// When a tensor does not fit, as in candle.
    #[track_caller]
    pub fn append(&mut self, k: &Proxy, v: &Proxy) -> Result<Proxy> {
        let k = k.squeeze(0)?.transpose(0, 1)?.contiguous()?.detach();
        let v = v.squeeze(0)?.transpose(0, 1)?.contiguous()?.detach();
        let kv = joined(self.kv.as_ref(), Proxy::cat(&[&k, &v], 2)?.detach(), 0)?;
        self.kv = Some(kv.clone());
        Ok(kv)
    }

    /// All that it holds.
    #[must_use]
    pub fn kv(&self) -> Option<&Proxy> {
        self.kv.as_ref()
    }

    /// The size of a head.
    #[must_use]
    pub fn head_dim(&self) -> usize {
        self.head_dim
    }

    /// Empties it.
    pub fn reset(&mut self) {
        self.kv = None;
    }
}
