//! [`Probe`]: one capture among several at different sizes: what its inputs are, and what is noted while it runs.
//!
//! Invariant: a capture at other sizes differs from the first in the sizes that were declared, and in nothing else.

use std::any::Any;
use std::sync::Arc;

use candle_core::Shape;

use crate::value::{Sizes, SymInt};

/// A dimension of a tensor input that differs from run to run.
#[derive(Debug, Clone)]
pub(crate) struct Dimension {
    pub(crate) input: String,
    pub(crate) axis: usize,
    /// What it is: a size, or an expression over sizes.
    pub(crate) size: SymInt,
}

impl Dimension {
    /// Whether it is a dimension of this input, or of what is at this path of the model or of an argument: the path of a
    /// structure stands for all tensors in it, and a `*` for any name.
    pub(crate) fn is_of(&self, path: &str) -> bool {
        self.leads_to(path) && self.input.split('.').count() <= path.split('.').count()
    }

    /// Whether it is a dimension of something at this path, below it or above it.
    pub(crate) fn leads_to(&self, path: &str) -> bool {
        self.input.split('.').zip(path.split('.')).all(|(wanted, found)| wanted == "*" || wanted == found)
    }
}

/// An integer that differs from run to run.
#[derive(Debug, Clone)]
pub(crate) struct Scalar {
    /// The name of the parameter, or the path of what a model keeps.
    pub(crate) path: String,
    /// The size that it is.
    pub(crate) size: Arc<str>,
}

impl Scalar {
    pub(crate) fn new(path: String) -> Self {
        Self { size: size_name(&path).into(), path }
    }
}

/// What the size is called that an integer is: as the parameter, or by the last name in the path of what a model keeps, with the
/// numbers behind it if it is a part of something.
pub(crate) fn size_name(path: &str) -> String {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = path.rsplit('.').take_while(|part| is_number(part)).count();
    let mut parts: Vec<&str> = path.rsplit('.').take(numbers + 1).collect();
    parts.reverse();
    word(&parts.join("_"))
}

/// A name as a plain word: keys of maps can be anything.
pub(crate) fn word(name: &str) -> String {
    name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect()
}

/// Which sizes differ from run to run, and where they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Declared {
    pub(crate) dimensions: Vec<Dimension>,
    /// Parameters that are integers, and integers that the model keeps.
    pub(crate) scalars: Vec<Scalar>,
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
            for dimension in self.declared.dimensions.iter().filter(|dimension| dimension.is_of(name)) {
                let extent = dims.get_mut(dimension.axis)?;
                *extent = usize::try_from(dimension.size.evaluate(sizes).ok()?).ok()?;
            }
        }
        dims.iter().try_fold(1usize, |count, &dim| count.checked_mul(dim.max(1)))?;
        Some(dims.into())
    }

    /// The dimensions that are of other sizes than given; none with a size that cannot be.
    pub(crate) fn extents(&self) -> Vec<(Dimension, usize)> {
        let Some(sizes) = &self.sizes else { return Vec::new() };
        let each = self.declared.dimensions.iter().filter_map(|dimension| {
            let extent = usize::try_from(dimension.size.evaluate(sizes).ok()?).ok()?;
            Some((dimension.clone(), extent))
        });
        each.collect()
    }

    /// Whether a parameter is an integer that differs from run to run.
    pub(crate) fn is_scalar(&self, name: &str) -> bool {
        self.declared.scalars.iter().any(|scalar| scalar.path == name)
    }

    /// What such a parameter is in this capture, if not what was given.
    pub(crate) fn scalar(&self, name: &str) -> Option<i64> {
        let scalar = self.declared.scalars.iter().find(|scalar| scalar.path == name)?;
        self.sizes.as_ref()?.get(&scalar.size)
    }

    /// The integers that differ from run to run, and what they are in this capture, if not what was given.
    pub(crate) fn scalars(&self) -> Vec<(String, Option<i64>)> {
        self.declared.scalars.iter().map(|scalar| (scalar.path.clone(), self.scalar(&scalar.path))).collect()
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
