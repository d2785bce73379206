//! candle's methods that write into a tensor in place.
//!
//! Other names of the same tensor would see the write, and which those are a graph of values does not know.
//!
//! Invariant: each is refused, with the method that gives a new value instead.

use candle_core::Result;
use candle_core::shape::Dim;

use super::error::{At, TraceError};
use super::proxy::Proxy;

macro_rules! in_place {
    ($($name:ident$(<$op:ident: $bound:path>)?($($arg:ident: $type:ty),*) => $instead:literal)*) => {
        impl Proxy {$(
            /// Refused: see the error.
            ///
            /// # Errors
            /// Always, with what to write instead.
            #[track_caller]
            pub fn $name$(<$op: $bound>)?(&self, $($arg: $type),*) -> Result<()> {
                let _ = ($($arg,)*);
                let at = At(std::panic::Location::caller());
                Err(self.session().fail(TraceError::InPlace { method: stringify!($name), instead: $instead, at }))
            }
        )*}
    };
}
in_place! {
    slice_set(src: &Self, dim: impl Dim, offset: usize) => "x.slice_scatter(&src, dim, offset)?"
    scatter_set(indexes: &Self, source: &Self, dim: impl Dim) => "x.scatter(&indexes, &source, dim)?"
    scatter_add_set(indexes: &Self, source: &Self, dim: impl Dim) => "x.scatter_add(&indexes, &source, dim)?"
    zero_set() => "x.zeros_like()?"
    one_set() => "x.ones_like()?"
    inplace_op1<C: candle_core::InplaceOp1>(c: &C) => "a `CustomOp1` and `x.apply_op1(op)?`"
    inplace_op2<C: candle_core::InplaceOp2>(rhs: &Self, c: &C) => "a `CustomOp2` and `x.apply_op2(&rhs, op)?`"
    inplace_op3<C: candle_core::InplaceOp3>(t2: &Self, t3: &Self, c: &C) => "a `CustomOp3` and `x.apply_op3(&t2, &t3, op)?`"
    const_set(value: candle_core::scalar::Scalar) => "Tensor::full(value, x.shape(), x.device())?"
}

#[cfg(test)]
mod tests {
    use crate::trace::{TraceError, Tracer};

    #[test]
    fn a_write_in_place_is_refused_with_what_to_write() {
        let captured = Tracer::new().trace_fn(|inputs| {
            let x = inputs.tensor("x")?;
            x.slice_set(&x, 0, 1)?;
            Ok::<_, candle_core::Error>(x)
        });
        let error = captured.expect_err("a graph cannot");
        assert!(matches!(error, TraceError::InPlace { method: "slice_set", .. }), "{error}");
        assert!(error.to_string().contains("slice_scatter"), "{error}");
        let captured = Tracer::new().trace_fn(|inputs| {
            let x = inputs.tensor("x")?;
            // A model that goes on would give another result than the original.
            let _ = x.zero_set();
            Ok::<_, candle_core::Error>(x)
        });
        assert!(matches!(captured, Err(TraceError::InPlace { .. })));
    }
}
