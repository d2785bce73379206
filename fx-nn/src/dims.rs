//! Dimensions counted from the end, and checks of shapes that many layers make.
//!
//! Invariant: an error names the layer, what it expects and what it is given.

use candle_core::{DType, Result, bail};

/// The position of dimension `dim` among `rank`; negative ones count from the end.
pub(crate) fn index(layer: &str, dim: i64, rank: usize) -> Result<usize> {
    let signed = i64::try_from(rank).unwrap_or(i64::MAX);
    let found = if dim < 0 { dim.saturating_add(signed) } else { dim };
    match usize::try_from(found) {
        Ok(index) if index < rank => Ok(index),
        _ => bail!("{layer}: dimension {dim} should be in -{rank}..{rank} for a tensor of {rank} dimensions"),
    }
}

/// Refuses a tensor whose number of dimensions is not one of these.
pub(crate) fn rank(layer: &str, dims: &[usize], ranks: &[usize], meaning: &str) -> Result<()> {
    if ranks.contains(&dims.len()) {
        return Ok(());
    }
    bail!("{layer}: expects {meaning}, but is given a tensor of shape {dims:?}")
}

/// Refuses a tensor that has not this extent in a dimension.
pub(crate) fn extent(layer: &str, dims: &[usize], at: usize, expected: usize, meaning: &str) -> Result<()> {
    match dims.get(at) {
        Some(&found) if found == expected => Ok(()),
        Some(_) => {
            bail!("{layer}: expects {expected} {meaning} in dimension {at}, but is given a tensor of shape {dims:?}")
        }
        None => bail!("{layer}: expects {meaning} in dimension {at}, but is given a tensor of shape {dims:?}"),
    }
}

/// Refuses a tensor of whole numbers, of which a layer that computes fractions makes nothing.
pub(crate) fn floats(layer: &str, dtype: DType) -> Result<()> {
    if dtype.is_float() {
        return Ok(());
    }
    bail!("{layer}: expects a tensor of floats, but is given one of {}", dtype.as_str())
}

/// The position of the channels of `(…, C, spatial…)` with or without a batch, of `spatial` dimensions.
pub(crate) fn channels(layer: &str, dims: &[usize], spatial: usize) -> Result<usize> {
    let names = ["L", "H, W", "D, H, W"].get(spatial.wrapping_sub(1)).copied().unwrap_or("…");
    rank(layer, dims, &[spatial + 1, spatial + 2], &format!("(N, C, {names}) or (C, {names})"))?;
    Ok(dims.len() - spatial - 1)
}
