//! The inside of fx: graphs of candle models, how they are captured, looked at, changed, run and written back as Rust.
//!
//! Users write `fx::…`, which re-exports what is here; this page is the table of contents of the manual.
//!
//! A model becomes a [`GraphModule`](module::GraphModule): a [`Graph`](ir::Graph) of torch.fx's six opcodes, and the tensors,
//! layers and child graphs that it names. The same module can be printed, edited by hand or by passes, checked, run, saved,
//! and written as source.
//!
//! ```
//! use candle_core::{DType, Device, Tensor};
//! use fx_core::ops::elementwise::{gelu, relu};
//! use fx_core::trace::Tracer;
//!
//! // Capture: what the closure does is recorded.
//! let mut module = Tracer::new().input("x", DType::F32, (2, 3)).trace_fn(|inputs| inputs.tensor("x")?.sqr()?.gelu())?;
//!
//! // Look: nodes have names, targets, arguments, and what is known of their values.
//! let sqr = module.graph().node_named("sqr").unwrap();
//! assert_eq!(module.graph().node_line(sqr), "%sqr = call_method sqr(%x)");
//! assert_eq!(module.graph().node(sqr).meta().fact.to_string(), "f32[2, 3]");
//!
//! // Change: every call of one operation becomes one of another.
//! let graph = module.graph_mut();
//! for old in graph.calls(&gelu::OP) {
//!     let args = graph.node(old).args().to_vec();
//!     let new = graph.inserting_before(old).call(&relu::OP, args, [])?;
//!     graph.replace_all_uses_with(old, new);
//!     graph.erase_node(old)?;
//! }
//! module.check()?;
//!
//! // Run, and write as Rust.
//! let y = module.forward(&[Tensor::new(&[[-1f32, 0., 1.], [2., 3., 4.]], &Device::Cpu)?])?;
//! assert_eq!(y.to_vec2::<f32>()?, [[1., 0., 1.], [4., 9., 16.]]);
//! assert!(module.code().contains("sqr.relu()"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to read
//!
//! | to | read |
//! |---|---|
//! | capture a model | [`symbolic_trace`](trace::symbolic_trace()), [`trace`](trace::trace()), and [`Tracer`](trace::Tracer) for all else |
//! | have modules or functions as one node, name nodes, forbid things | [`TracerRules`](trace::TracerRules) |
//! | capture for all sizes | [`Tracer::dynamic`](trace::Tracer::dynamic), [`Dynamic`](ir::Dynamic) |
//! | have a model captured when it is called | [`mod@compile`] |
//! | look at a graph | [`Graph`](ir::Graph), [`Node`](ir::Node), [`text`], [`summary`] |
//! | edit a graph by hand | [`Graph`](ir::Graph), [`Cursor`](ir::Cursor), [`Walk`](ir::Walk) |
//! | replace what looks like this by that | [`replace_pattern`](passes::replace_pattern) |
//! | run passes in order, checked and undone | [`PassManager`](passes::PassManager) |
//! | cut a model into child graphs | [`split_module`](passes::split_module), [`Partitioner`](passes::Partitioner) |
//! | make another graph, node by node | [`Transformer`](interp::Transformer) |
//! | run a graph | [`GraphModule::forward`](module::GraphModule::forward), [`GraphModule::run`](module::GraphModule::run) |
//! | compute something else, or look on, while it runs | [`Interpreter`](interp::Interpreter), [`Observer`](interp::Observer) |
//! | keep caches between runs | [`State`](module::State) |
//! | train, load and save weights | [`GraphModule::named_parameters`](module::GraphModule::named_parameters) and what stands beside it |
//! | save a module as files, and load it | [`GraphModule::save`](module::GraphModule::save), [`GraphModule::load`](module::GraphModule::load) |
//! | write Rust source | [`GraphModule::code`](module::GraphModule::code), [`GraphModule::to_folder`](module::GraphModule::to_folder), [`codegen`] |
//! | write it when a program is built | [`build`] |
//! | add an operation, or a layer | [`OpDef`](ops::OpDef), [`LayerModule`](module::LayerModule) |
//!
//! # Modules, in reading order
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
//! # Words
//!
//! - A *node* is one step of a graph: a target, arguments, a name. It is named by a [`NodeId`](ir::NodeId), which is never used
//!   again, also not after the node is erased.
//! - A *call* is a node of an operation, a layer or a child graph. What is called whole is not looked into.
//! - A *fact* is what is known of a value before it exists ([`Fact`](value::Fact)); a *hint* is what a size was at the
//!   capture.
//! - A *path* says where something is in the model, by the names of Rust's fields: `encoder.layers.0.query`
//!   ([`ModulePath`](ir::ModulePath)).
//! - An *attribute* is what a path of the graph leads to: a tensor, a layer, a child graph ([`Attribute`](module::Attribute)).
//! - A *twin* is a method compiled a second time, on [`Proxy`](trace::Proxy)s in place of tensors; a *mirror* is the model that
//!   it is called on ([`Traceable`](trace::Traceable)).
//! - *State* is what a model keeps from one call to the next ([`Graph::state`](ir::Graph::state)).
//! - Whatever is called *none* is Rust's `None`, or [`Value::None`](value::Value::None) in a graph.
//!
//! # Errors
//!
//! Each stage has an error type of its own. They say which node it is, what was expected and what was found, where that is in the
//! user's source, and what to do; what failed leaves things as they were.
//!
//! | doing | fails with |
//! |---|---|
//! | capturing | [`TraceError`](trace::TraceError), for all sizes [`DynamicError`](trace::DynamicError) inside of it |
//! | adding and changing nodes | [`BindError`](ir::BindError), [`StillUsed`](ir::StillUsed), [`Cycle`](ir::Cycle) |
//! | checking | [`VerifyErrors`](ir::VerifyErrors) of a graph, [`CheckErrors`](module::CheckErrors) of a module: every fault at once |
//! | inferring and converting | [`RefusedNode`](module::RefusedNode), [`ConvertError`](module::ConvertError) |
//! | running | [`RunError`](interp::RunError) |
//! | transforming | [`TransformError`](interp::TransformError) |
//! | rewriting and grouping | [`RewriteError`](passes::RewriteError), [`FuseError`](passes::FuseError), [`ManagerError`](passes::ManagerError) |
//! | reading and writing text and files | [`ParseError`](text::ParseError), [`SaveError`](module::SaveError), [`LoadModuleError`](module::LoadModuleError) |
//! | loading weights | [`LoadError`](module::LoadError) |
//! | writing Rust | [`CodeError`](codegen::CodeError), [`FolderError`](codegen::FolderError), [`BuildError`](build::BuildError) |
//!
//! # Panics
//!
//! Nothing that a user's model, a file or a text says makes this crate panic. What panics is a mistake in the calling program: a
//! [`NodeId`](ir::NodeId) that is not, or no more, of the graph that is asked, and each such method says so. A model's own panic
//! is an error of the capture or of the run.

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
