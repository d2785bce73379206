//! Models that keep something from one call to the next, captured as graphs with state.

#[path = "../forms/support.rs"]
#[macro_use]
#[allow(unused_macros, unused_imports, dead_code, reason = "the forms use more of it")]
mod support;

#[macro_use]
mod follow;

mod arguments;
mod attention;
mod dynamic;
mod kept;
mod layers;
mod locks;
mod saved;
mod several;
mod small;
mod written;
