//! Capture: a model's twin runs on proxies, and what it does is recorded.
//!
//! Invariant: the twin is the user's own code; nothing here decides what a model computes.

mod error;
mod rules;
mod building;
mod notes;
mod probe;
mod session;
mod owner;
mod scope;
mod proxy;
mod given;
pub mod held;
pub(crate) mod encode;
mod call;
#[macro_use]
pub(crate) mod record;
pub mod functions;
mod operators;
mod create;
mod symbolic_module;
pub mod whole;
mod query;
pub mod custom;
mod in_place;
pub mod helper;
pub mod lift;
pub mod output;
mod give;
mod carry;
mod inputs;
mod traceable;
mod containers;
mod weights;
pub mod callee;
mod recording;
mod dynamic;
pub mod compare;
mod tracer;

pub use building::Builds;
pub(crate) use building::BuiltAt;
pub use call::{FromOutcome, FromRecorded, Outcome, record};
pub(crate) use call::{call_layer, call_layer_at};
pub use containers::MapKey;
pub use dynamic::DynamicError;
pub use encode::{Encoded, Record};
pub use error::{At, TraceError};
pub use give::{Give, PH, PHWithMeta};
pub use given::Given;
pub use held::{Held, Holding};
pub use inputs::{ExampleArgument, Examples, Inputs};
pub use output::{Output, OutputBuilder, ToOutput};
pub use owner::Part;
pub(crate) use owner::{Original, Place};
pub use proxy::Proxy;
pub(crate) use recording::state_of;
pub use rules::{ModuleCall, NewNode, TracerRules};
pub use scope::Scope;
pub use session::Session;
pub use symbolic_module::{Module, ModuleT};
pub use traceable::{Construct, InWorld, Symbolic, Traceable, World, no_mirror, not_made};
pub use tracer::{Entry, Inherent, Tracer, ViaModule, ViaModuleT, symbolic_trace, trace};
pub use weights::VarBuilder;
