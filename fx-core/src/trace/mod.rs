//! Capture: a model's twin runs on proxies, and what it does is recorded.
//!
//! A model with `#[fx::module]` has a *mirror*, of the same fields with proxies in place of tensors, and its methods
//! have *twins*, of the same tokens, which run on the mirror. Calls of tensors record nodes, layers of libraries are
//! one node each, everything else is ordinary Rust and simply runs.
//!
//! | to capture | use |
//! |---|---|
//! | a model that asks for no shapes but those of its parameters | [`symbolic_trace()`] |
//! | a model while it runs on example tensors | [`trace()`] |
//! | by shapes, without data | [`Tracer::input`] |
//! | with numbers, flags, configurations, caches as arguments | [`Tracer::concrete_arg`], with [`PH`] for tensors inside of them |
//! | another method than `forward`; a function; a model that functions build of closures | [`Tracer::trace_with`], [`Tracer::trace_fn`], [`Tracer::trace_built`] |
//! | for all sizes | [`Tracer::dynamic`], [`Tracer::dynamic_arg`], [`Tracer::size_range`] |
//! | what several graphs of one model keep | [`Tracer::state`], [`Tracer::with_state`] |
//! | with modules as one node, names, prohibitions | [`Tracer::with`] and [`TracerRules`] |
//!
//! How it is captured decides what a [`Proxy`] knows:
//!
//! | capture | made by | a proxy knows | shapes (`x.dims3()?`) | data (`to_scalar`, `to_vec1`) |
//! |---|---|---|---|---|
//! | symbolic | nothing said of inputs | shape and dtype where they follow from parameters | if known, else [`TraceError::Unknown`] | [`TraceError::DataRead`] |
//! | abstract | [`Tracer::input`], [`Tracer::dynamic`] | shape and dtype of everything | yes | [`TraceError::DataRead`] |
//! | concrete | [`trace()`], [`Tracer::example`] | its tensor: the model runs on candle as it is recorded | yes | with [`Tracer::specialize`], baked in |
//!
//! Types get a mirror by [`Traceable`], which the attributes write; [`Scope`], [`Held`](mod@held), [`Part`] and
//! [`Construct`] are what it is written in. What only the attributes' output names is not shown here.
//!
//! Invariant: the twin is the user's own code; nothing here decides what a model computes.

mod error;
mod rules;
mod building;
mod notes;
mod probe;
mod session;
mod unknown;
mod owner;
mod scope;
mod proxy;
mod given;
mod held_layer;
pub mod held;
pub(crate) mod encode;
mod trial;
mod call;
#[macro_use]
pub(crate) mod record;
pub mod functions;
mod operators;
mod create;
mod symbolic_module;
#[doc(hidden)]
pub mod whole;
mod query;
#[doc(hidden)]
pub mod custom;
mod in_place;
mod hinted;
#[doc(hidden)]
pub mod helper;
#[doc(hidden)]
pub mod lift;
pub mod output;
mod give;
mod carry;
mod inputs;
mod traceable;
mod known;
mod world;
#[doc(hidden)]
pub mod cloned;
mod sharing;
mod containers;
mod pointers;
mod weights;
#[doc(hidden)]
pub mod callee;
mod memo;
mod recording;
mod dynamic;
#[doc(hidden)]
pub mod compare;
#[doc(hidden)]
pub mod rounded;
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
pub use known::{ConstructIn, Known, TraceableIn, is_same_module};
pub(crate) use notes::{Noticed, noticing};
pub use output::{Output, OutputBuilder, ToOutput};
pub use owner::Part;
pub(crate) use owner::{Original, Place};
pub use pointers::Shareable;
pub(crate) use probe::size_name;
pub use proxy::Proxy;
pub(crate) use recording::{shared_with_others, state_of, told_besides};
pub use rules::{ModuleCall, NewNode, TracerRules};
pub use scope::Scope;
pub use session::Session;
pub use symbolic_module::{Module, ModuleT};
pub use traceable::{Construct, Symbolic, Traceable, no_mirror, not_made};
pub use tracer::{Entry, Inherent, Tracer, ViaModule, ViaModuleT, symbolic_trace, trace};
pub use weights::VarBuilder;
pub use world::{InWorld, InWorldMut, World};
