//! What the output of the attributes names, in one place. Not for users: it changes with the attributes.
//!
//! Invariant: the attributes' output uses these names and those of [`symbolic`](crate::symbolic), `Traceable`, `Scope`
//! and `Inputs`, and no others.

pub use candle_core;
pub use candle_nn;

pub use crate::leaf::made;
pub use crate::module::Called;
pub use crate::ops::{Args, Effect, IntoValue, OpDef, Param};
pub use crate::trace::{
    Construct, ConstructIn, Entry, Given, Held, Holding, InWorld, InWorldMut, Inherent, Known, MapKey, Outcome, Output,
    OutputBuilder, Part, Record, Shareable, ToOutput, TraceableIn, ViaModule, ViaModuleT, World, cloned, compare,
    custom, held, helper, is_same_module, lift, no_mirror, not_made, output, output::Field, record, rounded, whole,
    whole::Mirror,
};
pub use crate::value::Value;

/// Functions that build models.
pub mod callee {
    pub use crate::leaf::{func_of, func_t_of};
    pub use crate::trace::callee::*;
}
