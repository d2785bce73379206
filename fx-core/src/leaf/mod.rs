//! Layers that a graph calls whole: the mirrors of candle_nn's layers, and the trait by which a layer becomes one.
//!
//! Invariant: a layer is described in one place: its parts, how it is called, and its shape rule.

mod layer;
mod library;
mod opaque;
mod original;

pub use layer::{Forward, ForwardT, Layer, Leaf, argument};
pub use opaque::OpaqueLeaf;
pub use original::{SequentialLeaf, SharedLayer, SharedLayerT};
