//! Saving and loading graph modules: a `.fx` file of text, and the tensors beside it in a `.safetensors` file.
//!
//! | file | holds |
//! |---|---|
//! | `error` | what can go wrong |
//! | `tensors` | which tensors are the same, and are stored once |
//! | `replace` | files that appear whole or not at all |
//! | `save`, `load` | the two ways |
//!
//! Invariant: the numbers that were saved are loaded to the bit (in row-major order, whatever the order was), with everything that is remembered about nodes; nothing is captured
//! again. What cannot be saved or loaded is an error that names the path.

mod error;
mod load;
mod replace;
mod save;
mod tensors;

pub use error::{LoadModuleError, SaveError};
