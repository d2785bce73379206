//! The forms in which people write models: each is captured, checked, written as code and run, and gives what the
//! original gives to the last bit, or is refused by the error that says why.
#![allow(dead_code, reason = "the models have fields, methods and variants that exist for their form")]

#[path = "forms/support.rs"]
#[macro_use]
mod support;

#[path = "forms/arguments.rs"]
mod arguments;
#[path = "forms/asked.rs"]
mod asked;
#[path = "forms/bodies.rs"]
mod bodies;
#[path = "forms/builders.rs"]
mod builders;
#[path = "forms/caches.rs"]
mod caches;
#[path = "forms/compiled.rs"]
mod compiled;
#[path = "forms/crates.rs"]
mod crates;
#[path = "forms/data.rs"]
mod data;
#[path = "forms/dynamic.rs"]
mod dynamic;
#[path = "forms/edges.rs"]
mod edges;
#[path = "forms/enums.rs"]
mod enums;
#[path = "forms/errors.rs"]
mod errors;
#[path = "forms/foreign.rs"]
mod foreign;
#[path = "forms/helpers.rs"]
mod helpers;
#[path = "forms/layers.rs"]
mod layers;
#[path = "forms/objects.rs"]
mod objects;
#[path = "forms/paths.rs"]
mod paths;
#[path = "forms/programs.rs"]
mod programs;
#[path = "forms/reports.rs"]
mod reports;
#[path = "forms/results.rs"]
mod results;
#[path = "forms/sequences.rs"]
mod sequences;
#[path = "forms/sessions.rs"]
mod sessions;
#[path = "forms/shared.rs"]
mod shared;
#[path = "forms/sizes.rs"]
mod sizes;
#[path = "forms/state.rs"]
mod state;
#[path = "forms/traits.rs"]
mod traits;
#[path = "forms/structs.rs"]
mod structs;
