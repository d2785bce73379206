//! torch.fx's own tests, carried over: one for each row of the table that the project keeps of them.

mod text;
