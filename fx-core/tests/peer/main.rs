//! The tests of torch.fx that mean something in Rust, each named after its row in the list and its name there.

mod passes;
