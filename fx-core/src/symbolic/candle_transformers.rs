//! Traits by which candle-transformers gives tensors methods, for proxies.
//!
//! A twin does not see where the method of a trait comes from. So a module that imports the trait of candle-transformers imports
//! the one here beside it, `use fx::symbolic::SplitOp as _;`.
//!
//! Invariant: a method records what the original computes.

use candle_core::Result;
use candle_core::shape::Dim;

use crate::trace::Proxy;

/// `candle_transformers::models::deepseek2::SplitOp`.
pub trait SplitOp {
    /// Parts of these sizes along a dimension.
    ///
    /// # Errors
    /// What candle refuses.
    fn split<D: Dim>(&self, splits: &[usize], dim: D) -> Result<Vec<Proxy>>;
}

impl SplitOp for Proxy {
    #[track_caller]
    fn split<D: Dim>(&self, splits: &[usize], dim: D) -> Result<Vec<Proxy>> {
        let dim = dim.to_index(self.shape(), "split")?;
        let mut start = 0;
        let mut parts = Vec::with_capacity(splits.len());
        for &size in splits {
            parts.push(self.narrow(dim, start, size)?);
            start += size;
        }
        Ok(parts)
    }
}
