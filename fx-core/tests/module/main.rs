//! Graph modules beyond torch.fx's own tests: state, conversions, child graphs, and what is left as it was on failure.

#[path = "../peer/support.rs"]
mod support;

mod dynamic;
mod effects;
mod nested;
mod observers;
mod refused;
mod run;
mod scale;
mod shared;
mod sizes;
mod state;
mod summary;
mod transformers;
