//! torch.fx's own language-neutral tests that need annotated models, carried over: each test is named after its row.
#![allow(dead_code, reason = "the models have fields that exist for their form")]

mod enums;
mod functions;
mod leaves;
mod owners;
mod parameters;
mod rules;
