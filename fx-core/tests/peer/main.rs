//! torch.fx's own tests, carried over: each is named after its row in the list of what torch.fx checks, and its name
//! there.

mod codegen;
mod folder;
mod ir;
mod module;
mod partition;
mod passes;
mod support;
mod text;
