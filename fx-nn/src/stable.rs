//! Functions whose plain formula loses digits near zero.
//!
//! Invariant: relative errors stay near the dtype's own, as in PyTorch.

use super::world::{Result, Tensor};

/// `exp(x) - 1`: `(u - 1) · x / log(u)` for `u = exp(x)`, in which the rounding of `u` cancels.
pub(crate) fn exp_m1(x: &Tensor) -> Result<Tensor> {
    let u = x.exp()?;
    let difference = (&u - 1.0)?;
    let corrected = ((&difference * x)? / u.log()?)?;
    // Where `u` is 1 the result is `x`; where it is nearly 0, or large, there is nothing to correct.
    let plain = x.abs()?.gt(1.0)?.where_cond(&difference, &corrected)?;
    difference.eq(0.0)?.where_cond(x, &plain)
}

/// `log(1 + x)`: `log(u) · x / (u - 1)` for `u = 1 + x`, in which the rounding of `u` cancels.
pub(crate) fn ln_1p(x: &Tensor) -> Result<Tensor> {
    let u = (x + 1.0)?;
    let difference = (&u - 1.0)?;
    let corrected = ((u.log()? * x)? / &difference)?;
    difference.eq(0.0)?.where_cond(x, &corrected)
}

/// `log(1 + exp(x))`.
pub(crate) fn softplus(x: &Tensor) -> Result<Tensor> {
    // exp(-|x|) is in 0..=1, whatever x is.
    x.relu()? + ln_1p(&x.abs()?.neg()?.exp()?)?
}
