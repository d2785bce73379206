//! Mirrors of candle_nn's caches, under candle_nn's names: what `candle_nn::kv_cache` means in a twin.
//!
//! candle writes into a buffer; a graph has values only, so a mirror's content is a value that each call replaces. Counts,
//! positions and masks follow from sizes alone, and are asked of candle's own cache of the same size without elements.
//!
//! Invariant: a mirror gives the tensors, numbers and refusals that its original would give, and shares no buffer with
//! it: using the original leaves the graph as it was. One thing differs: what a rotating or scattered cache has returned
//! stays as it was, where candle would write over it at the next call.

mod concatenated;
mod growing;
mod raw;
mod rotating;
mod scattered;

pub use candle_nn::kv_cache::{RawInterleavedKvCache, rope_i_inplace};
pub use concatenated::{ConcatKvCache, InterleavedKvCache};
pub use growing::{Cache, KvCache};
pub use rotating::{RotatingCache, RotatingKvCache};
pub use scattered::{IndicesAndMask, ScatteredCacheBuilder, ScatteredKvCache};

use std::panic::Location;
use std::sync::OnceLock;

use candle_core::{DType, Device, Error, Result, Tensor};

use crate::trace::lift::{Lifts, Returned};
use crate::trace::{At, Held, Holding, Proxy, Scope, Session, TraceError, Traceable};

/// A cache of candle's, of which there is a mirror.
trait Cached {
    type Mirror;

    /// The mirror, with each tensor that the cache holds in the form that `hold` gives it under a name.
    fn mirror(&self, hold: &dyn Fn(&str, &Tensor) -> Result<Proxy>) -> Result<Self::Mirror>;

    /// What a mirror holds, under the names of `mirror`.
    fn held(mirror: &Self::Mirror) -> Held;
}

/// What may hold a tensor.
fn maybe(held: Option<&Proxy>) -> Held {
    held.cloned().map_or(Held::NOTHING, Held::Tensor)
}

/// A cache of the model: its tensors are attributes. A cache that a helper function made: they are constants.
macro_rules! cached {
    ($($name:ident)*) => {$(
        impl Traceable for candle_nn::kv_cache::$name {
            type Symbolic = $name;

            fn symbolic(&self, scope: &Scope) -> $name {
                let hold = |name: &str, tensor: &Tensor| {
                    let scope = if name.is_empty() { scope.clone() } else { scope.child(name) };
                    Ok(kept(tensor)?.symbolic(&scope))
                };
                self.mirror(&hold).unwrap_or_else(|error| Session::abort_current(&error))
            }

            fn held(mirror: &$name, _: &mut Holding) -> Held {
                <Self as Cached>::held(mirror)
            }
        }

        impl Lifts for candle_nn::kv_cache::$name {
            type Lifted = $name;

            #[track_caller]
            fn lifted(self) -> Result<$name> {
                self.mirror(&|_, tensor| kept(tensor)?.lifted())
            }
        }

        impl Returned for candle_nn::kv_cache::$name {
            type Lifted = $name;

            #[track_caller]
            fn lift(self) -> $name {
                self.lifted().unwrap_or_else(|error| Session::abort_current(&error))
            }
        }
    )*};
}
cached! {
    Cache KvCache RotatingCache RotatingKvCache ConcatKvCache InterleavedKvCache ScatteredKvCache ScatteredCacheBuilder
}

/// A tensor of a cache as a graph keeps it: a copy, because candle writes the cache's next step into the same buffer,
/// and laid out in order, because candle joins its own buffer without regard to that, and a view of it may not fit.
fn kept(tensor: &Tensor) -> Result<Tensor> {
    // `contiguous` alone gives the same buffer where it is in order already.
    tensor.force_contiguous()
}

/// A tensor without elements that is `len` long in one dimension: what a count is kept with.
fn empty(dim: usize, len: usize) -> Result<Tensor> {
    Tensor::zeros([vec![1; dim], vec![len, 0]].concat(), DType::U8, &Device::Cpu)
}

/// What is held, filled up with zeros to the size of candle's buffer; recorded when it is first asked for.
#[track_caller]
fn filled_up<'b>(
    buffer: &'b OnceLock<Option<Proxy>>,
    held: Option<&Proxy>,
    dim: usize,
    size: usize,
) -> &'b Option<Proxy> {
    if let Some(known) = buffer.get() {
        return known;
    }
    // Not in a closure, so that the node gets the user's line.
    let filled = match held {
        None => None,
        Some(held) => match padded(held, dim, size) {
            Ok(filled) => Some(filled),
            Err(error) => Session::abort_current(&error),
        },
    };
    buffer.get_or_init(|| filled)
}

#[track_caller]
fn padded(value: &Proxy, dim: usize, size: usize) -> Result<Proxy> {
    let mut shape = value.dims().to_vec();
    let rest = size.saturating_sub(value.dim(dim)?);
    if rest == 0 {
        return Ok(value.clone());
    }
    shape[dim] = rest;
    Proxy::cat(&[value, &Proxy::zeros(shape, value.dtype(), value.device())?], dim)
}

/// The refusal of a tensor that candle would not write into its buffer.
#[track_caller]
fn refuse(src: &Proxy, op: &str, reason: String) -> Error {
    let (op, arguments, at) = (op.to_owned(), format!("{src}"), At(Location::caller()));
    src.session().fail(TraceError::Refused { op, reason, arguments, at })
}

/// Whether candle would write this tensor over a part of the buffer that the value fills.
#[track_caller]
fn fits(value: Option<&Proxy>, src: &Proxy, dim: usize) -> Result<()> {
    if !src.lies_in_order() {
        return Err(refuse(src, "slice_set", "the tensor should be contiguous: call `contiguous()`".to_owned()));
    }
    let Some(value) = value else { return Ok(()) };
    let (held, new) = (value.fact(), src.fact());
    let (Some(held), Some(new)) = (held.as_tensor(), new.as_tensor()) else { return Ok(()) };
    let same = held.rank() == new.rank()
        && held.dtype == new.dtype
        && held.dims().iter().zip(new.dims()).enumerate().all(|(i, (held, new))| i == dim || held == new);
    if same { Ok(()) } else { Err(refuse(src, "slice_set", format!("{new} does not fit a cache of {held}"))) }
}
