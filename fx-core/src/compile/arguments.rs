//! [`Arguments`]: what a compiled model can be called with.
//!
//! Invariant: values, examples and named examples of arguments are in the order of the parameters; values are arguments again.

use candle_core::Result;

use crate::ops::from_value::FromValue;
use crate::ops::into_value::IntoValue;
use crate::trace::{ExampleArgument, Give, Tracer};
use crate::value::Value;

/// The arguments of a call: a tuple of tensors, numbers, flags, text, and of options, lists and tuples of them.
///
/// Of up to eight. It is implemented by whatever a call can be given; nobody else needs to.
pub trait Arguments: Clone {
    /// As a graph takes them.
    ///
    /// # Errors
    /// When a number is too large for a graph.
    fn values(&self) -> Result<Vec<Value>>;

    /// The arguments that have these values; none if they are of other kinds.
    fn of_values(values: &[Value]) -> Option<Self>;

    /// As a concrete capture takes them.
    fn examples(&self) -> Vec<ExampleArgument<'static>>;

    /// The same by name.
    fn named<'t>(&self, tracer: Tracer<'t>, names: &[&str]) -> Tracer<'t>;
}

macro_rules! arguments {
    ($(($($name:ident $index:tt)*))*) => {$(
        impl<$($name: Clone + Give + IntoValue + for<'v> FromValue<'v> + 'static),*> Arguments for ($($name,)*) {
            fn values(&self) -> Result<Vec<Value>> {
                Ok(vec![$(self.$index.clone().into_value()?),*])
            }

            #[allow(unused_variables, reason = "there may be no arguments")]
            fn of_values(values: &[Value]) -> Option<Self> {
                Some(($($name::from_value(values.get($index)?)?,)*))
            }

            fn examples(&self) -> Vec<ExampleArgument<'static>> {
                vec![$(ExampleArgument::of(self.$index.clone())),*]
            }

            #[allow(unused_mut, unused_variables, reason = "there may be no arguments")]
            fn named<'t>(&self, mut tracer: Tracer<'t>, names: &[&str]) -> Tracer<'t> {
                $(
                    if let Some(name) = names.get($index) {
                        tracer = tracer.example(*name, self.$index.clone());
                    }
                )*
                tracer
            }
        }
    )*};
}
arguments! {
    () (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
}
