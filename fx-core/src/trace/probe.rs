//! [`Probe`]: one capture among several at different sizes: what its inputs are, and what is noted while it runs.
//!
//! Invariant: a capture at other sizes differs from the first in the sizes that were declared, and in nothing else.

use candle_core::Shape;
use std::any::Any;

use crate::value::{Sizes, SymInt};

/// A dimension of a tensor input that differs from run to run.
#[derive(Debug, Clone)]
pub(crate) struct Dimension {
    pub(crate) input: String,
    pub(crate) axis: usize,
    /// What it is: a size, or an expression over sizes.
    pub(crate) size: SymInt,
}

/// Which sizes differ from run to run, and where they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Declared {
    pub(crate) dimensions: Vec<Dimension>,
    /// Parameters that are integers; each is a size of its name.
    pub(crate) scalars: Vec<String>,
    /// The smallest and largest that are tried, by name.
    pub(crate) ranges: Vec<(String, (i64, i64))>,
}

/// One capture among several.
pub(crate) struct Probe<'d> {
    pub(crate) declared: &'d Declared,
    /// The sizes; none if they are as given.
    pub(crate) sizes: Option<Sizes>,
}

impl Probe<'_> {
    /// The shape of an input that was given with this one; none if it cannot have one.
    pub(crate) fn shape(&self, name: &str, given: &Shape) -> Option<Shape> {
        let mut dims = given.dims().to_vec();
        if let Some(sizes) = &self.sizes {
            for dimension in self.declared.dimensions.iter().filter(|dimension| dimension.input == name) {
                let extent = dims.get_mut(dimension.axis)?;
                *extent = usize::try_from(dimension.size.evaluate(sizes).ok()?).ok()?;
            }
        }
        dims.iter().try_fold(1usize, |count, &dim| count.checked_mul(dim.max(1)))?;
        Some(dims.into())
    }

    /// Whether a parameter is an integer that differs from run to run.
    pub(crate) fn is_scalar(&self, name: &str) -> bool {
        self.declared.scalars.iter().any(|scalar| scalar == name)
    }

    /// What such a parameter is in this capture, if not what was given.
    pub(crate) fn scalar(&self, name: &str) -> Option<i64> {
        self.sizes.as_ref()?.get(name)
    }
}

/// The value of an integer of any type, also in an option, and the same type with another value if one is given. None if
/// it is no integer, or its type has no such value.
pub(crate) fn replaced(integer: Box<dyn Any>, value: Option<i64>) -> Option<(Box<dyn Any>, i64)> {
    macro_rules! of_types {
        ($($type:ty)*) => {$(
            if let Some(&found) = integer.downcast_ref::<$type>() {
                let found = i64::try_from(found).ok()?;
                let value = value.unwrap_or(found);
                return Some((Box::new(<$type>::try_from(value).ok()?), value));
            }
            if let Some(&Some(found)) = integer.downcast_ref::<Option<$type>>() {
                let found = i64::try_from(found).ok()?;
                let value = value.unwrap_or(found);
                return Some((Box::new(Some(<$type>::try_from(value).ok()?)), value));
            }
        )*};
    }
    of_types!(usize isize u8 u16 u32 u64 i8 i16 i32 i64);
    None
}
