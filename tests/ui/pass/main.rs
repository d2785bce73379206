//! Programs that must compile, without a warning that is not their authors' own, and that capture what they say.
//!
//! One topic per file, each as hostile as it can be. They are the modules of one test, so that they are linked once; the lints of
//! clippy see them too.

#![deny(future_incompatible)]

mod attributes;
mod bodies;
mod cfgd_items;
mod data_reads;
pub mod documented_library;
mod forms;
mod functions;
mod generics;
mod globs;
mod hostile_names;
mod items_in_functions;
mod macros;
mod modules;
mod names;
mod no_implicit_prelude;
mod raw_names;
mod receivers;
mod reexported_crate;
mod shadowed_std;
mod state;
mod strict_lints;
mod support;
mod traits;
mod traits_alone;
pub mod without_attributes;
