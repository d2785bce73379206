//! Graph IR, tracer, interpreter, passes and code generation of candle-fx.

pub mod entity;
pub mod ir;
pub mod ops;
pub mod text;
pub mod value;
