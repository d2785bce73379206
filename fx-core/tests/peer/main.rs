//! torch.fx's own tests, carried over: a test `row_NN_name` for each row that has a meaning in Rust.

mod codegen;
