//! Layers that a graph calls whole: the mirrors of candle_nn's layers, and the trait by which a layer becomes one.
//!
//! Every layer of candle_nn has a mirror here, [`Leaf`]`<Linear>` for `Linear`, and so have its caches ([`kv_cache`]),
//! recurrent layers ([`RecurrentLeaf`]), closures ([`Func`]), quantized matrices ([`QTensorLeaf`]) and streams
//! ([`streaming`]). A call of one records one `call_module` node.
//!
//! | to | use |
//! |---|---|
//! | use a layer of a library in a model | nothing: a field of its type is enough |
//! | have a layer of one's own called whole | `#[fx(leaf)]` on the field ([`OpaqueLeaf`]), or [`TracerRules::is_leaf_module`](crate::trace::TracerRules::is_leaf_module) |
//! | give a graph a layer by hand | [`LayerModule`](crate::module::LayerModule) |
//! | describe a layer of a library, with its mirror | [`Layer`] |
//! | look up layers by the names of their types | [`LayerTable`](crate::module::LayerTable) |
//!
//! Invariant: a layer is described in one place: its parts, how it is called, and its shape rule.

mod activation;
mod debug;
mod group_norm;
mod layer;
mod library;
mod built;
mod func;
mod norm;
mod opaque;
mod data;
mod method;
mod quantized;
mod quantized_state;
mod recurrent;
mod table;
#[cfg(feature = "transformers")]
mod transformers;
mod within;
mod written;
pub mod kv_cache;
pub mod streaming;
mod original;
mod sequential;
pub mod made;
pub mod moe;

pub use data::AttnMask;
pub use func::{Func, FuncT, func, func_of, func_t, func_t_of};
pub use layer::{Forward, ForwardT, Inside, Layer, Leaf, argument};
pub use opaque::OpaqueLeaf;
pub use original::{SharedLayer, SharedLayerT};
pub use quantized::QTensorLeaf;
pub use recurrent::{GruState, LstmState, RNN, Recurrent, RecurrentLeaf};
pub use sequential::{SequentialLeaf, seq};
