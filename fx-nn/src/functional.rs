//! A function of torch's where candle has a method only: [`flatten`].
//!
//! Invariant: it computes what the method computes; a graph has it as a call of a function, as torch.fx has torch's.

use candle_core::{Result, Tensor};
use fx_core::ops::{CallKind, OpDef};
use fx_core::trace::{Proxy, Record, record};

use crate::dims::index;

/// A tensor, or what stands for one while a model is captured.
///
/// So [`flatten`] can be called in either world.
pub trait Flattened: Sized {
    /// See [`flatten`].
    ///
    /// # Errors
    /// What candle refuses.
    fn flattened(&self, start_dim: i64, end_dim: i64) -> Result<Self>;
}

impl Flattened for Tensor {
    fn flattened(&self, start_dim: i64, end_dim: i64) -> Result<Self> {
        let at = |dim| index("flatten", dim, self.rank());
        self.flatten(at(start_dim)?, at(end_dim)?)
    }
}

impl Flattened for Proxy {
    #[track_caller]
    fn flattened(&self, start_dim: i64, end_dim: i64) -> Result<Self> {
        record(&FLATTEN, [self.record(), start_dim.record(), end_dim.record()])
    }
}

/// The method of this name, called as a function.
pub(crate) static FLATTEN: OpDef = OpDef { kind: CallKind::Function, ..fx_core::ops::shape::flatten::OP };

/// Dimensions from `start_dim` to `end_dim` as one; negative ones count from the end. As [`Flatten`](crate::Flatten), the
/// layer, but a function: in a graph it is a `call_function`, where `x.flatten(…)` is a `call_method`.
///
/// [torch.flatten](https://docs.pytorch.org/docs/stable/generated/torch.flatten.html)
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// let x = Tensor::zeros((2, 3, 4), DType::F32, &Device::Cpu)?;
/// assert_eq!(fx_nn::flatten(&x, 1, -1)?.dims(), [2, 12]);
/// # Ok::<(), candle_core::Error>(())
/// ```
///
/// # Errors
/// When a dimension is not among those of the tensor, or the end is before the start.
#[track_caller]
pub fn flatten<T: Flattened>(input: &T, start_dim: i64, end_dim: i64) -> Result<T> {
    input.flattened(start_dim, end_dim)
}
