//! The inside of fx: graphs of candle models, how they are captured, run and written back as Rust.
//!
//! A program goes through these modules from top to bottom, and each uses only what stands above it:
//!
//! | module | what it holds |
//! |---|---|
//! | [`entity`] | typed numbers of things in arenas |
//! | [`value`] | what flows along edges: values when a graph runs, facts before |
//! | [`meta`] | weights that have shapes and take no memory |
//! | [`ops`] | every operation, described once |
//! | [`ir`] | the graph: six opcodes, order, users, names, verifier |
//! | [`text`] | the graph as text and as a table |
//! | [`module`] | a graph with the tensors and layers it names |
//! | [`interp`] | running it on candle |
//! | [`summary`] | a model as a table of its modules |
//! | [`codegen`] | writing it as Rust |
//! | [`trace`] | recording: proxies, mirrors, the tracer |
//! | [`leaf`] | candle_nn's layers as single nodes |
//! | [`symbolic`] | what candle's names mean while a model is recorded |
//! | [`passes`] | finding and replacing parts of graphs; the manager of passes |
//! | [`compile`](mod@compile) | a model that is captured when it is called |
//! | [`build`] | models captured by a build script |
//!
//! Users write `fx::…`; this crate is behind it.

pub mod entity;
pub mod value;
pub mod meta;
#[macro_use]
pub mod ops;
pub mod ir;
pub mod text;
pub mod module;
pub mod interp;
pub mod summary;
pub mod codegen;
pub mod trace;
pub mod leaf;
pub mod symbolic;
pub mod passes;
pub mod compile;
pub mod build;

#[doc(hidden)]
pub mod private;
