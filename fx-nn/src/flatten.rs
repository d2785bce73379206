//! [`Flatten`].

use candle_core::{Module, Result, Tensor};
use fx_core::leaf::{Forward, Layer, Leaf, argument};
use fx_core::module::Called;
use fx_core::ops::{InferError, IntoValue};
use fx_core::trace::{Scope, Traceable};
use fx_core::value::{Fact, Value};

/// Several dimensions as one, as torch.nn's `Flatten`.
///
/// ```
/// use candle_core::{DType, Device, Module, Tensor};
/// let x = Tensor::zeros((2, 3, 4), DType::F32, &Device::Cpu)?;
/// assert_eq!(fx_nn::Flatten::default().forward(&x)?.dims(), [2, 12]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flatten {
    start_dim: i64,
    end_dim: i64,
}

impl Default for Flatten {
    /// All dimensions after the first.
    fn default() -> Self {
        Self::new(1, -1)
    }
}

impl Flatten {
    /// Dimensions `start_dim` to `end_dim`, both included, as one; negative ones count from the end.
    #[must_use]
    pub const fn new(start_dim: i64, end_dim: i64) -> Self {
        Self { start_dim, end_dim }
    }

    /// The extents after flattening.
    fn flattened(self, dims: &[usize]) -> Result<Vec<usize>> {
        let rank = dims.len() as i64;
        let index = |dim: i64| if dim < 0 { dim + rank } else { dim };
        let (start, end) = (index(self.start_dim), index(self.end_dim));
        if !(0..rank).contains(&start) || !(start..rank).contains(&end) {
            candle_core::bail!("Flatten({}, {}) on a tensor of {rank} dimensions", self.start_dim, self.end_dim);
        }
        let (start, end) = (start as usize, end as usize);
        let middle = dims[start..=end].iter().product();
        Ok(dims[..start].iter().copied().chain([middle]).chain(dims[end + 1..].iter().copied()).collect())
    }
}

impl Module for Flatten {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        xs.reshape(self.flattened(xs.dims())?)
    }
}

impl Layer for Flatten {
    const NAME: &'static str = "Flatten";
    const CALLED: Called = Called::FORWARD;
    type Parts = ();

    fn parts(&self, _: &Scope) {}

    fn call(&self, args: &[&Value]) -> Result<Value> {
        self.forward(argument(args, 0)?).into_value()
    }

    fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError> {
        match facts {
            [Fact::Tensor(x)] => Ok(Fact::tensor(self.flattened(x.dims())?, x.dtype)),
            _ => Ok(Fact::Unknown),
        }
    }
}

impl Forward for Flatten {}

impl Traceable for Flatten {
    type Symbolic = Leaf<Self>;

    fn symbolic(&self, scope: &Scope) -> Leaf<Self> {
        Leaf::new(self, scope)
    }
}
