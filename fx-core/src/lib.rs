//! Graph IR, tracer, interpreter, passes and code generation of candle-fx.

pub mod ir;
pub mod ops;
pub mod value;
