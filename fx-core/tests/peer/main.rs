//! torch.fx's own language-neutral tests, carried over: one file for each area, each test named after its row.

mod module;
