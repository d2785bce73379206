//! The attributes of candle-fx, re-exported as `fx::module`, `fx::constant` and `fx::wrap`, and `fx::op_of!`.
//!
//! `#[fx::module]` leaves an item as its author wrote it and adds a *symbolic twin* beside it: a mirror of the
//! type, and the same function bodies compiled once more in a scope where `Tensor` means a proxy that records.
//! rustc resolves the names and checks the types of that second copy, so the macro never guesses what a name means.
//!
//! ```text
//! module.rs     which kind of item is it?
//! ├─ mirror/    a struct or an enum, field by field           (also constant.rs)
//! ├─ twin/      an impl: which methods, which types, which body, which names in scope
//! ├─ builder.rs a function that builds a model of closures, chosen by its weights
//! ├─ traits.rs  a trait of the user's, for both worlds
//! ├─ function.rs, wrap.rs    a free function, chosen by its argument type (dispatch.rs); recorded whole (whole.rs)
//! └─ known.rs   which types must have mirrors, so that rustc says it once
//! ```
//!
//! This file holds the entry points only. Everything below works on `proc_macro2` streams, so that the tests
//! expand in process. Invariant: whatever goes wrong, the author's item is in the output.

use proc_macro::TokenStream;

mod attributes;
mod builder;
mod constant;
mod dispatch;
mod errors;
mod function;
mod helper;
mod known;
mod mirror;
mod module;
mod options;
mod paths;
mod traits;
mod twin;
mod whole;
mod wrap;

#[cfg(test)]
mod tests;

/// Makes a struct, an enum, an impl, a trait or a free function traceable; the rest of the program uses it as before.
///
/// ```rs
/// #[fx::module]
/// struct Mlp { up: Linear, down: Linear }
///
/// #[fx::module]
/// impl Module for Mlp {
///     fn forward(&self, x: &Tensor) -> Result<Tensor> {
///         x.apply(&self.up)?.gelu()?.apply(&self.down)
///     }
/// }
/// ```
///
/// A field can say `#[fx(constant)]` (plain data, cloned), `#[fx(leaf)]` (a call of it is one node of the graph) and
/// `#[fx(rename = "path")]` (its name in the graph). A method can say `#[fx(skip)]` (no twin) and `#[fx(include)]`
/// (a twin although nothing in this impl calls it).
///
/// A `forward` that reads a tensor's data does not compile. `#[fx::module(specialize)]` on the impl or function, or
/// `#[fx(specialize)]` on one method, allows it; the capture must then be told to bake the data in
/// (`Tracer::specialize`).
///
/// A trait of your own gets the attribute, and its impls `#[fx::module(mirrored)]`: then `Box<dyn Block>` can be a field, and
/// `impl Block for Tensor` be called on proxies. `#[fx::module(crate = my_fx)]` names the crate differently.
#[proc_macro_attribute]
pub fn module(options: TokenStream, item: TokenStream) -> TokenStream {
    module::expand(options.into(), item.into()).into()
}

/// Declares a type that holds no tensors: tracing clones it.
///
/// ```rs
/// #[fx::constant]
/// #[derive(Debug, Clone)]
/// struct Config { hidden_size: usize, eps: f64 }
/// ```
///
/// It is for configurations and other plain data, structs and enums, and the type has to be `Clone`. With `Debug` its values can be
/// told apart, so that a capture sees what a call has changed in one; without, changes are not seen. A field of a type of
/// another crate says `#[fx(constant)]` instead.
#[proc_macro_attribute]
pub fn constant(options: TokenStream, item: TokenStream) -> TokenStream {
    constant::expand(options.into(), item.into()).into()
}

/// Records a call of the function as one node of the graph, instead of what happens inside it.
///
/// What it does besides its result is not known, so a call whose result nothing reads is kept. `#[fx::wrap(pure)]` says
/// that it does nothing besides: such a call is dead code, and two of the same arguments are one. A capture without data, as one
/// for all sizes is, calls it on zeros and on ones to learn what shapes it gives; what it gives alike for both is known of its
/// result, and checked when the graph runs.
///
/// It returns a `Tensor`, or tuples, arrays, `Vec`s and `Option`s of them, in a `Result` or not. A number read from a
/// tensor is not known before the graph runs, so wrap the function around its use.
///
/// A graph that calls the function is saved as any other, with the function's path in its text. A program that loads it
/// gives the function itself, by [`op_of!`](macro@op_of):
///
/// ```rs
/// mod routing {
///     #[fx::wrap]
///     pub fn top_k(x: &Tensor, k: usize) -> Result<Tensor> { … }
/// }
///
/// let ops = OpTable::builtin().clone().with(&[fx::op_of!(routing::top_k)]);
/// let module = GraphModule::load_with("model.fx", &ops, LayerTable::builtin(), &Device::Cpu)?;
/// ```
#[proc_macro_attribute]
pub fn wrap(options: TokenStream, item: TokenStream) -> TokenStream {
    wrap::expand(options.into(), item.into()).into()
}

/// The operation, an `OpRef`, that a function with `#[fx::wrap]` is in a graph: what `OpTable::with` takes.
///
/// The path is that of the module where the function is written, not of an import: `fx::op_of!(crate::routing::top_k)`.
#[proc_macro]
pub fn op_of(path: TokenStream) -> TokenStream {
    wrap::expand_op_of(path.into()).into()
}
