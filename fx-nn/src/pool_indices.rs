//! Where greatest values were found: what `return_indices` of torch's max pools gives.
//!
//! Invariant: an index is the position of the value among those of its plane, row by row; of equal values the first counts.

use std::fmt;
use std::sync::Arc;

use candle_core::{DType, Result, Tensor};
use fx_core::leaf::{Forward, Layer, Leaf};
use fx_core::module::{Called, LayerKind, LayerState};
use fx_core::ops::{InferError, IntoValue};
use fx_core::trace::{Given, Held, Module, Proxy, Scope, Traceable};
use fx_core::value::{Fact, Value};

use crate::axis::select;
use crate::twice::twice;

/// A layer that gives greatest values, and can tell where they were.
pub trait Indices: Layer {
    /// Name of the layer when it gives both.
    const BOTH: &'static str;

    /// The greatest values and their indices.
    ///
    /// # Errors
    /// Those of the layer's `forward`.
    fn both(&self, xs: &Tensor) -> Result<(Tensor, Tensor)>;

    /// Records how both are computed.
    ///
    /// # Errors
    /// Those of the layer's `forward`.
    fn both_through(&self, xs: &Proxy) -> Result<(Proxy, Proxy)>;

    /// How the layer that gives both is made.
    const BOTH_KIND: &'static LayerKind;
}

twice! {
    {
        use crate::axis::entered::select;
    }

    /// The greatest values of windows over the last axes, and where they are. A window lists positions of its axis.
    pub(crate) fn greatest(x: &Tensor, windows: &[Vec<Vec<u32>>]) -> Result<(Tensor, Tensor)> {
        let first = x.rank() - windows.len();
        let plane = &x.dims()[first..];
        let count = i64::try_from(plane.iter().product::<usize>()).unwrap_or(i64::MAX);
        let positions = Tensor::arange(0i64, count, x.device())?.reshape(plane)?;
        let (mut values, mut indices) = (x.contiguous()?, positions.broadcast_as(x.shape())?.contiguous()?);
        // The last axis first: then the first of equal values is the first row by row.
        for (i, windows) in windows.iter().enumerate().rev() {
            let axis = first + i;
            let wide = windows.iter().map(Vec::len).max().unwrap_or(0).max(1);
            // A shorter window sees its first element again.
            let seen = windows.iter().flat_map(|window| {
                let again = std::iter::repeat(window.first().copied().unwrap_or(0));
                window.iter().copied().chain(again).take(wide)
            });
            let seen: Vec<u32> = seen.collect();
            let mut dims = values.dims().to_vec();
            dims[axis] = windows.len();
            dims.insert(axis + 1, wide);
            let spread = |x: &Tensor| select(x, axis, seen.clone())?.reshape(dims.as_slice())?.contiguous();
            let (all, all_indices) = (spread(&values)?, spread(&indices)?);
            let best = all.argmax_keepdim(axis + 1)?.contiguous()?;
            values = all.gather(&best, axis + 1)?.squeeze(axis + 1)?.contiguous()?;
            indices = all_indices.gather(&best, axis + 1)?.squeeze(axis + 1)?.contiguous()?;
        }
        Ok((values, indices))
    }
}

/// A layer, called for values and indices.
#[derive(Debug, Clone)]
pub struct WithIndices<L>(pub L);

impl<L: Indices> Layer for WithIndices<L> {
    const NAME: &'static str = L::BOTH;
    const CALLED: Called = Called { method: "forward_with_indices", options: &[] };
    const KIND: Option<&'static LayerKind> = Some(L::BOTH_KIND);
    const THROUGH: bool = true;
    type Parts = ();

    fn parts(&self, _: &Scope) {}

    fn call(&self, args: &[&Value]) -> Result<Value> {
        self.0.both(fx_core::leaf::argument(args, 0)?)?.into_value()
    }

    fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError> {
        Ok(match self.0.infer(facts)? {
            Fact::Tensor(values) => {
                let indices = Fact::tensor(values.shape.clone(), DType::I64);
                Fact::Tuple(vec![Fact::Tensor(values), indices])
            }
            _ => Fact::Tuple(vec![Fact::Unknown; 2]),
        })
    }

    fn state(&self) -> Option<LayerState> {
        self.0.state()
    }
}

impl<L: Indices> WithIndices<L> {
    /// The greatest values and their indices.
    ///
    /// # Errors
    /// Those of the layer's `forward`.
    pub fn forward_with_indices(&self, xs: &Tensor) -> Result<(Tensor, Tensor)> {
        self.0.both(xs)
    }
}

/// As the layer.
impl<L: fmt::Display> fmt::Display for WithIndices<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<L: Indices + Forward> Traceable for WithIndices<L> {
    type Symbolic = Indexed<L>;

    fn symbolic(&self, scope: &Scope) -> Indexed<L> {
        Indexed::of(&self.0, scope)
    }
}

/// The mirror of a layer that can tell where its values were.
#[derive(Debug, Clone)]
pub struct Indexed<L: Indices> {
    values: Leaf<L>,
    both: Leaf<WithIndices<L>>,
}

impl<L: Indices + Forward> Indexed<L> {
    /// The mirror of this layer.
    pub fn of(layer: &L, scope: &Scope) -> Self {
        Self { values: Leaf::of(layer, scope), both: Leaf::of(&WithIndices(layer.clone()), scope) }
    }

    pub(crate) fn held(&self) -> Held {
        self.values.held()
    }

    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        self.values.forward(xs)
    }

    /// Records a call of the layer that gives indices, too.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_with_indices(&self, xs: &Proxy) -> Result<(Proxy, Proxy)> {
        match self.both.enter() {
            Some(inside) => inside.layer().0.both_through(xs),
            None => self.both.call(&[Given::Proxy(xs.clone())]),
        }
    }
}

impl<L: Indices + Forward> Module for Indexed<L> {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        self.values.forward(xs)
    }
}

/// A kind of layer of another name, for values and indices.
pub(crate) fn remade<L: Indices>(layer: L) -> Arc<dyn fx_core::module::LayerModule> {
    Arc::new(WithIndices(layer))
}

/// How a layer tells where its values were: the windows that it sees of each axis of a tensor.
macro_rules! indices {
    ($layer:ident, $name:literal, |$state:ident| $make:expr; |$this:ident, $x:ident| $windows:expr;) => {
        impl<const N: usize> $layer<N> {
            /// The greatest values, and where they are in their plane, counted row by row, of i64: what torch gives with
            /// `return_indices`.
            ///
            /// # Errors
            /// Those of `forward`.
            pub fn forward_with_indices(&self, xs: &Tensor) -> Result<(Tensor, Tensor)> {
                $crate::pool_indices::greatest(xs, &self.windows_of(xs.dims())?)
            }

            /// The positions of each axis that its windows see.
            fn windows_of(&self, dims: &[usize]) -> Result<Vec<Vec<Vec<u32>>>> {
                let ($this, $x) = (self, dims);
                Ok($windows)
            }
        }

        impl<const N: usize> $crate::pool_indices::Indices for $layer<N> {
            const BOTH: &'static str = match N {
                1 => concat!("nn.", $name, "1d.with_indices"),
                2 => concat!("nn.", $name, "2d.with_indices"),
                _ => concat!("nn.", $name, "3d.with_indices"),
            };
            const BOTH_KIND: &'static fx_core::module::LayerKind = &fx_core::module::LayerKind {
                name: Self::BOTH,
                options: <Self as $crate::leaf::Settings>::NAMES,
                tensors: &[],
                make: |$state| {
                    let layer: Result<Self> = $make;
                    Ok($crate::pool_indices::remade(layer?))
                },
            };

            fn both(&self, xs: &Tensor) -> Result<(Tensor, Tensor)> {
                self.forward_with_indices(xs)
            }

            fn both_through(
                &self,
                xs: &fx_core::trace::Proxy,
            ) -> Result<(fx_core::trace::Proxy, fx_core::trace::Proxy)> {
                $crate::pool_indices::entered::greatest(xs, &self.windows_of(xs.dims())?)
            }
        }
    };
}
pub(crate) use indices;
