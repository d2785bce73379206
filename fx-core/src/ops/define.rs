//! The form in which an operation is described, and what it becomes here: a module named after the operation that holds
//! its [`OpDef`](super::OpDef) as `OP`.
//!
//! An entry is read twice, by `define!` (below) and by the recording side (`trace/record.rs`), so each file of
//! operations wraps its entries in a macro that passes them on to whichever macro it is given:
//!
//! ```text
//! /// What it computes.
//! method narrow(x: Tensor, dim: Axis, start: Size, len: Size) -> Tensor {
//!     candle: x.narrow(dim, start, len)?,         // evaluated by the interpreter, and printed as generated code
//!     infer: narrowed(x, dim, start, len),        // shape and dtype; refuses what candle refuses
//!     decides: (extent(x, dim), Eq, 1),           // what the structure of the result depends on, if it does
//!     macs: |out| …,                              // multiply-accumulates, where they are not none
//!     effect: Pure,
//!     samples: [[tensor(F32, (2, 3)), Int(1), Int(0), Int(2)]],   // accepted and refused ones alike
//! }
//! ```
//!
//! `method` is called on its first parameter; `function name in a::b` by the path `a::b::name`; `operator` is written
//! as Rust's operator. The result is `Tensor`, `Tensors` (a `Vec`), `TensorPair` (two in a tuple) or `BareTensor` (not in
//! a `Result`). Where candle takes the dtype from the Rust type of a number, the numbers are named
//! (`numbers: dtype(start, end)`, or `floats:` if they cannot be integers) and have that type in `candle:`. Parameter kinds are [`Kind`](super::kind::Kind)s.
//!
//! Invariant: `candle:` is one expression, compiled as the evaluator and kept as text for code generation.

/// What a parameter of each kind is in a `candle:` expression.
macro_rules! value_type {
    (Tensor) => { &candle_core::Tensor };
    (OptTensor) => { Option<&candle_core::Tensor> };
    (Tensors) => { Vec<&candle_core::Tensor> };
    (Operand) => { $crate::ops::kind::Operand<'_> };
    (Scalar) => { $crate::ops::kind::Operand<'_> };
    (List) => { $crate::ops::kind::Items<'_> };
    (Axis) => { $crate::ops::kind::Axis };
    (Axes) => { $crate::ops::kind::Axes };
    (Shape) => { candle_core::Shape };
    (HoledShape) => { $crate::ops::kind::HoledShape };
    (Index) => { $crate::ops::kind::Index<'_> };
    (Ranges) => { Vec<std::ops::Range<usize>> };
    (Size) => { usize };
    (Pair) => { $crate::ops::kind::Pair };
    (Sizes) => { Vec<usize> };
    (Int) => { i32 };
    (Float) => { f64 };
    (Single) => { f32 };
    (OptSingle) => { Option<f32> };
    (Mask) => { candle_nn::attention::AttnMask };
    (Number) => { f64 };
    (Flag) => { bool };
    (DType) => { candle_core::DType };
    (NumberType) => { candle_core::DType };
    (Device) => { &candle_core::Device };
}

/// What is known of a parameter of each kind in an `infer:` rule.
macro_rules! fact_type {
    (Tensor) => { &$crate::value::TensorFact };
    (OptTensor) => { Option<&$crate::value::TensorFact> };
    (Tensors) => { Vec<&$crate::value::TensorFact> };
    (Operand) => { $crate::ops::from_fact::OperandFact<'_> };
    (Scalar) => { $crate::ops::from_fact::OperandFact<'_> };
    (List) => { &$crate::value::Fact };
    (Mask) => { &$crate::value::Fact };
    (Index) => { Vec<$crate::ops::from_fact::IndexFact<'_>> };
    ($kind:ident) => { value_type!($kind) };
}

/// Evaluates `candle:`, once for each dtype where numbers have the Rust type of the tensor.
macro_rules! evaluate {
    ($candle:expr;) => { $crate::ops::IntoValue::into_value($candle) };
    ($candle:expr; $dtype:ident($($number:ident),+)) => {
        evaluate!(@dtypes $candle; $dtype($($number),+);
            U8 u8, U32 u32, I16 i16, I32 i32, I64 i64, F32 f32, F64 f64, BF16 half::bf16, F16 half::f16)
    };
    ($candle:expr; floats $dtype:ident($($number:ident),+)) => {
        evaluate!(@dtypes $candle; $dtype($($number),+); F32 f32, F64 f64, BF16 half::bf16, F16 half::f16)
    };
    (@dtypes $candle:expr; $dtype:ident $numbers:tt; $($variant:ident $type:ty),+) => {
        match $dtype {
            $(candle_core::DType::$variant => evaluate!(@typed $candle; $type; $numbers),)+
            other => Err(candle_core::Error::UnsupportedDTypeForOp(other, "creation").bt()),
        }
    };
    (@typed $candle:expr; $type:ty; ($($number:ident),+)) => {{
        $(let $number = <$type as candle_core::WithDType>::from_f64($number);)+
        $crate::ops::IntoValue::into_value($candle)
    }};
}

/// Name of an operation in the table.
macro_rules! op_name {
    ($name:ident) => { stringify!($name) };
    ($name:ident $($module:ident)::+) => { concat!($(stringify!($module), "::",)+ stringify!($name)) };
}

macro_rules! call_kind {
    (method) => {
        $crate::ops::CallKind::Method
    };
    ($other:ident) => {
        $crate::ops::CallKind::Function
    };
}

/// Multiply-accumulates of a call: none where an entry does not say.
macro_rules! cost {
    ([$($param:ident: $kind:ident),*] $facts:ident $result:ident;) => {
        Some(0)
    };
    ([$($param:ident: $kind:ident),*] $facts:ident $result:ident; |$out:ident| $macs:expr) => {{
        let mut next = 0;
        $(let $param: fact_type!($kind) = $facts.get(next).ok()??; next += 1;)*
        let $out = $result.as_tensor()?;
        Some($macs)
    }};
}

/// What the structure of a result depends on: nothing where an entry does not say.
macro_rules! decision {
    ([$($param:ident: $kind:ident),*] $facts:ident;) => {
        None
    };
    ([$($param:ident: $kind:ident),*] $facts:ident; ($left:expr, $relation:ident, $right:expr)) => {{
        let mut next = 0;
        $(let $param: fact_type!($kind) = $facts.get(next).ok()??; next += 1;)*
        Some(($left?, $crate::value::Relation::$relation, i64::try_from($right).ok()?))
    }};
}

/// Makes the [`OpDef`](super::OpDef) of each entry.
macro_rules! define {
    ($file:ident: $(
        $(#[doc = $doc:literal])+
        $how:ident $name:ident $(in $($module:ident)::+)? ($($param:ident: $kind:ident),* $(,)?) -> $result:ident {
            $(numbers: $numbered:ident($($number:ident),+),)?
            $(floats: $floating:ident($($float:ident),+),)?
            candle: $candle:expr,
            infer: $infer:expr,
            $(decides: $decides:tt,)?
            $(macs: |$out:ident| $macs:expr,)?
            effect: $effect:ident,
            samples: [$($sample:expr),* $(,)?] $(,)?
        }
    )*) => {
        $(
            $(#[doc = $doc])+
            pub mod $name {
                #[allow(unused_imports, reason = "each operation needs some of these")]
                use super::*;

                $(#[doc = $doc])+
                pub static OP: $crate::ops::OpDef = $crate::ops::OpDef {
                    name: op_name!($name $($($module)::+)?),
                    kind: call_kind!($how),
                    params: &[$($crate::ops::Param::of(stringify!($param), $crate::ops::kind::Kind::$kind)),*],
                    doc: concat!($($doc, "\n"),+),
                    result: $crate::ops::ResultKind::$result,
                    effect: $crate::ops::Effect::$effect,
                    eval,
                    infer,
                    decides,
                    macs,
                    source: stringify!($candle),
                    samples: || vec![$($crate::ops::sample::Sample($sample.into())),*],
                };

                #[allow(unused_variables, unused_mut, unused_assignments, reason = "operations without parameters")]
                fn eval(args: $crate::ops::Args<'_>) -> candle_core::Result<$crate::value::Value> {
                    let mut next = 0;
                    $(let $param: value_type!($kind) = args.get(next)?; next += 1;)*
                    evaluate!($candle; $($numbered($($number),+))? $(floats $floating($($float),+))?)
                }

                #[allow(unused_variables, unused_mut, unused_assignments, reason = "rules that ignore a parameter")]
                fn infer(facts: $crate::ops::Facts<'_>) -> Result<$crate::value::Fact, $crate::ops::InferError> {
                    let mut next = 0;
                    $(
                        let Some($param): Option<fact_type!($kind)> = facts.get(next)? else {
                            return Ok($crate::value::Fact::Unknown);
                        };
                        next += 1;
                    )*
                    $infer
                }

                #[allow(unused_variables, unused_assignments, reason = "most operations decide nothing")]
                fn decides(facts: $crate::ops::Facts<'_>) -> Option<(i64, $crate::value::Relation, i64)> {
                    decision!([$($param: $kind),*] facts; $($decides)?)
                }

                #[allow(unused_variables, unused_assignments, reason = "most operations have none")]
                fn macs(facts: $crate::ops::Facts<'_>, result: &$crate::value::Fact) -> Option<u64> {
                    cost!([$($param: $kind),*] facts result; $(|$out| $macs)?)
                }
            }
        )*

        /// The operations of this file, in order.
        pub static ALL: &[$crate::ops::OpRef] = &[$(&$name::OP),*];
    };
}
