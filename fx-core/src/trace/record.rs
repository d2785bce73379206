//! candle's methods and functions on proxies, one for each operation described in `ops/`.
//!
//! Invariant: signatures are candle's, so that code written for candle compiles; which operations there are is said in
//! `ops/` alone.

/// Type of a parameter in candle's signature.
macro_rules! signature_type {
    (Tensor) => { &$crate::trace::Proxy };
    (OptTensor) => { Option<&$crate::trace::Proxy> };
    (Tensors) => { &[impl AsRef<$crate::trace::Proxy>] };
    (Operand) => { impl Into<$crate::trace::Given> };
    (Scalar) => { impl $crate::trace::encode::TensorOrScalar };
    (Axis) => { impl candle_core::shape::Dim };
    (Axes) => { impl candle_core::shape::Dims };
    (Shape) => { impl Into<candle_core::Shape> };
    (HoledShape) => { impl candle_core::shape::ShapeWithOneHole };
    (Index) => { impl $crate::trace::encode::Index };
    (Ranges) => { &[impl std::ops::RangeBounds<usize>] };
    (Size) => { usize };
    (Pair) => { impl candle_core::ToUsize2 };
    (Sizes) => { &[usize] };
    (Int) => { i32 };
    (Float) => { f64 };
    (Single) => { f32 };
    (Flag) => { bool };
    (DType) => { candle_core::DType };
    (Device) => { &candle_core::Device };
}

/// An argument of a kind, encoded. Some kinds need the receiver.
macro_rules! encoded {
    ($param:ident: Tensor, $x:expr) => {
        $crate::trace::encode::tensor($param)
    };
    ($param:ident: OptTensor, $x:expr) => {
        $crate::trace::encode::optional($param)
    };
    ($param:ident: Tensors, $x:expr) => {
        $crate::trace::encode::tensors($param)
    };
    ($param:ident: Operand, $x:expr) => {
        Ok($param.into())
    };
    ($param:ident: Scalar, $x:expr) => {
        $crate::trace::encode::TensorOrScalar::encode($param)
    };
    ($param:ident: Axis, $x:expr) => {
        $crate::trace::encode::axis($param)
    };
    ($param:ident: Axes, $x:expr) => {
        $crate::trace::encode::axes($param)
    };
    ($param:ident: Shape, $x:expr) => {
        $crate::trace::encode::shape($param)
    };
    ($param:ident: HoledShape, $x:expr) => {
        $crate::trace::encode::holed_shape($param, $x)
    };
    ($param:ident: Index, $x:expr) => {
        $crate::trace::encode::index($param)
    };
    ($param:ident: Ranges, $x:expr) => {
        $crate::trace::encode::ranges($param, $x)
    };
    ($param:ident: Size, $x:expr) => {
        $crate::trace::encode::size($param)
    };
    ($param:ident: Pair, $x:expr) => {
        $crate::trace::encode::pair($param)
    };
    ($param:ident: Sizes, $x:expr) => {
        $crate::trace::encode::sizes($param)
    };
    ($param:ident: Int, $x:expr) => {
        $crate::trace::encode::signed($param)
    };
    ($param:ident: Float, $x:expr) => {
        $crate::trace::encode::float($param)
    };
    ($param:ident: Single, $x:expr) => {
        $crate::trace::encode::single($param)
    };
    ($param:ident: Number, $x:expr) => {
        $crate::trace::encode::number($param)
    };
    ($param:ident: Flag, $x:expr) => {
        $crate::trace::encode::flag($param)
    };
    ($param:ident: DType, $x:expr) => {
        $crate::trace::encode::dtype($param)
    };
    ($param:ident: Device, $x:expr) => {
        $crate::trace::encode::device($param)
    };
}

/// What a recorded call gives back.
macro_rules! result_type {
    (Tensor) => { candle_core::Result<$crate::trace::Proxy> };
    (BareTensor) => { $crate::trace::Proxy };
    (Tensors) => { candle_core::Result<Vec<$crate::trace::Proxy>> };
    (TensorPair) => { candle_core::Result<($crate::trace::Proxy, $crate::trace::Proxy)> };
}

/// Makes the recording method or function of each entry; see `ops/define.rs` for the form of an entry.
macro_rules! record {
    ($file:ident: $(
        $(#[doc = $doc:literal])+
        $how:ident $name:ident $(in $($module:ident)::+)? ($($param:ident: $kind:ident),* $(,)?) -> $result:ident {
            $($body:tt)*
        }
    )*) => {
        $(record!(@$how [$(#[doc = $doc])+] $file $name [$($($module)::+)?] ($($param: $kind),*) $result);)*
    };
    (@method [$($docs:tt)+] $file:ident $name:ident [] ($x:ident: Tensor $(, $param:ident: $kind:ident)*) $result:ident) => {
        impl $crate::trace::Proxy {
            $($docs)+
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn $name(&self $(, $param: signature_type!($kind))*) -> result_type!($result) {
                $crate::trace::record(&$crate::ops::$file::$name::OP, [
                    $crate::trace::encode::tensor(self),
                    $(encoded!($param: $kind, self)),*
                ])
            }
        }
    };
    (@function [$($docs:tt)+] $file:ident $name:ident [Tensor] ($($params:tt)*) $result:ident) => {
        impl $crate::trace::Proxy {
            record!(@sign [$($docs)+] [pub] $file $name $name [] [] [] ($($params)*,) $result);
        }
    };
    (@function [$($docs:tt)+] $file:ident $name:ident [$($module:ident)::+] ($($params:tt)*) $result:ident) => {
        record!(@sign [$($docs)+] [pub] $file $name $name [] [] [] ($($params)*,) $result);
    };
    (@operator [$($docs:tt)+] $file:ident $name:ident [] ($($params:tt)*) $result:ident) => {
        record!(@sign [$($docs)+] [pub(crate)] $file $name $name [] [] [] ($($params)*,) $result);
    };
    // Only ever made while recording: there is no candle function of this name.
    (@internal $($rest:tt)*) => {};

    // A signature, parameter by parameter: numbers share one generic type, which stands for the dtype.
    (@sign $docs:tt $vis:tt $file:ident $name:ident $as:ident [$($generics:tt)*] [$($signature:tt)*] [$($encoded:tt)*]
        ($param:ident: Number, $($rest:tt)*) $result:ident) => {
        record!(@sign $docs $vis $file $name $as [T: candle_core::WithDType] [$($signature)* $param: T,]
            [$($encoded)* encoded!($param: Number, ()),] ($($rest)*) $result);
    };
    (@sign $docs:tt $vis:tt $file:ident $name:ident $as:ident [$($generics:tt)*] [$($signature:tt)*] [$($encoded:tt)*]
        ($param:ident: NumberType, $($rest:tt)*) $result:ident) => {
        record!(@sign $docs $vis $file $name $as [$($generics)*] [$($signature)*]
            [$($encoded)* $crate::trace::encode::dtype(<T as candle_core::WithDType>::DTYPE),] ($($rest)*) $result);
    };
    (@sign $docs:tt $vis:tt $file:ident $name:ident $as:ident [$($generics:tt)*] [$($signature:tt)*] [$($encoded:tt)*]
        ($param:ident: $kind:ident, $($rest:tt)*) $result:ident) => {
        record!(@sign $docs $vis $file $name $as [$($generics)*] [$($signature)* $param: signature_type!($kind),]
            [$($encoded)* encoded!($param: $kind, ()),] ($($rest)*) $result);
    };
    (@sign [$($docs:tt)+] [$($vis:tt)+] $file:ident $name:ident $as:ident [$($generics:tt)*] [$($signature:tt)*]
        [$($encoded:tt)*] ($(,)?) $result:ident) => {
        $($docs)+
        ///
        /// # Errors
        /// What candle refuses.
        #[track_caller]
        $($vis)+ fn $as<$($generics)*>($($signature)*) -> result_type!($result) {
            $crate::trace::record(&$crate::ops::$file::$name::OP, [$($encoded)*])
        }
    };
}

/// For each function, a type of its name: what a twin finds when it calls a function by its bare name and the user has
/// none of that name with `#[fx::module]`, see `fx-macros`.
macro_rules! bare {
    ($file:ident: $(
        $(#[doc = $doc:literal])+
        function $name:ident in $($module:ident)::+ ($($params:tt)*) -> $result:ident { $($body:tt)* }
    )*) => {
        $(
            #[allow(non_camel_case_types, reason = "named after the function")]
            pub struct $name {}

            impl $name {
                record!(@sign [$(#[doc = $doc])+] [pub] $file $name __fx_call [] [] [] ($($params)*,) $result);
                bare!(@checked $file $name [$($module)::+] ($($params)*));
            }
        )*
    };
    (@checked $file:ident $name:ident [$($module:ident)::+] ($($param:ident: $kind:ident),* $(,)?)) => {
        /// The same, if `function`, which has that name where the user calls it, is candle's.
        ///
        /// # Errors
        /// What candle refuses, and that the function is another.
        #[allow(clippy::too_many_arguments, reason = "candle's, and the function")]
        #[track_caller]
        pub fn __fx_checked<F>(function: F, $($param: signature_type!($kind)),*) -> candle_core::Result<$crate::trace::Proxy>
        where
            F: Fn($(candle_type!($kind)),*) -> candle_core::Result<candle_core::Tensor> + 'static,
        {
            fn identity<G>(_: &G) -> std::any::TypeId
            where
                G: Fn($(candle_type!($kind)),*) -> candle_core::Result<candle_core::Tensor> + 'static,
            {
                std::any::TypeId::of::<G>()
            }
            if identity(&function) != identity(&::$($module)::+::$name) {
                return Err($crate::trace::functions::unannotated(stringify!($name)));
            }
            $crate::trace::record(&$crate::ops::$file::$name::OP, [$(encoded!($param: $kind, ())),*])
        }
    };
}

/// Type of a parameter of candle's own function; where that is generic, one that fits.
macro_rules! candle_type {
    (Tensor) => { &candle_core::Tensor };
    (OptTensor) => { Option<&candle_core::Tensor> };
    (Axis) => { usize };
    (Size) => { usize };
    (Float) => { f64 };
    (Single) => { f32 };
    (Flag) => { bool };
}

crate::ops::elementwise::elementwise!(record);
crate::ops::compare::compare!(record);
crate::ops::reduce::reduce!(record);
crate::ops::linalg::linalg!(record);
crate::ops::shape::shape!(record);
crate::ops::index::index!(record);
crate::ops::create::create!(record);
crate::ops::random::random!(record);
crate::ops::conv::conv!(record);
crate::ops::pool::pool!(record);

/// The operations behind Rust's operators.
pub(crate) mod operator {
    crate::ops::operators::operators!(record);
}
