//! What the captured method returned, as what the graph returns.
//!
//! Invariant: the structure is kept: tuples, vectors, options and annotated structs come back as they were.

use std::any::Any;
use std::sync::Arc;

use candle_core::Result;

use crate::ir::Argument;
use crate::ops::candle_error::reason;
use crate::value::Value;

use super::error::TraceError;
use super::given::Given;
use super::proxy::Proxy;
use super::session::Session;

/// What a graph returns.
///
/// Made by [`ToOutput`]; [`Inputs::finish`](super::Inputs::finish) gives it to those who call a mirror themselves.
pub struct Output(pub(crate) Argument);

/// A value that a captured method may return.
///
/// Proxies, plain numbers, flags, dtypes and text; options, lists, arrays and tuples of these; structs with
/// `#[fx::module]`; and a `Result` of any. The structure comes back when the graph runs, as a [`Value`] of the same
/// form.
#[diagnostic::on_unimplemented(
    message = "a graph cannot return `{Self}`",
    note = "return tensors, plain numbers, options, tuples and vectors of them, or a struct with `#[fx::module]`"
)]
pub trait ToOutput {
    /// As what the graph returns.
    ///
    /// # Errors
    /// The method's own error, or that there is no value in it.
    fn to_output(&self, out: &mut OutputBuilder) -> Result<Output>;
}

impl ToOutput for Proxy {
    fn to_output(&self, out: &mut OutputBuilder) -> Result<Output> {
        Ok(Output(Given::Proxy(self.clone()).argument(&mut out.session.state())))
    }
}

impl<T: ToOutput, E: std::fmt::Display + Any> ToOutput for std::result::Result<T, E> {
    fn to_output(&self, out: &mut OutputBuilder) -> Result<Output> {
        match self {
            Ok(value) => value.to_output(out),
            Err(error) => Err(candle_core::Error::Msg(match (error as &dyn Any).downcast_ref() {
                Some(candle) => reason(candle),
                None => error.to_string(),
            })),
        }
    }
}

impl<T: ToOutput> ToOutput for Option<T> {
    fn to_output(&self, out: &mut OutputBuilder) -> Result<Output> {
        self.as_ref().map_or(Ok(Output(Argument::None)), |value| value.to_output(out))
    }
}

macro_rules! to_output {
    (sequences: $([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> ToOutput for $type {
            fn to_output(&self, out: &mut OutputBuilder) -> Result<Output> {
                let items = self.iter().map(|value| Ok(value.to_output(out)?.0));
                Ok(Output(Argument::List(items.collect::<Result<_>>()?)))
            }
        }
    )*};
    (pointers: $([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> ToOutput for $type {
            fn to_output(&self, out: &mut OutputBuilder) -> Result<Output> {
                (**self).to_output(out)
            }
        }
    )*};
    (data: $($type:ty, $value:ident => $result:expr;)*) => {$(
        impl ToOutput for $type {
            fn to_output(&self, _: &mut OutputBuilder) -> Result<Output> {
                let $value = self;
                Ok(Output($result))
            }
        }
    )*};
    (tuples: $(($($name:ident $index:tt)*))*) => {$(
        impl<$($name: ToOutput),*> ToOutput for ($($name,)*) {
            fn to_output(&self, out: &mut OutputBuilder) -> Result<Output> {
                let _ = &out;
                Ok(Output(Argument::Tuple(Box::new([$(self.$index.to_output(out)?.0),*]))))
            }
        }
    )*};
}
to_output! { sequences: [T: ToOutput] Vec<T>; [T: ToOutput] [T]; [T: ToOutput, const N: usize] [T; N]; }
to_output! { pointers: [T: ToOutput + ?Sized] &T; [T: ToOutput] Box<T>; [T: ToOutput] Arc<T>; }
to_output! { data:
    bool, flag => Argument::Bool(*flag);
    usize, size => Argument::Int(i64::try_from(*size).map_err(candle_core::Error::wrap)?);
    u32, int => Argument::Int((*int).into());
    i32, int => Argument::Int((*int).into());
    i64, int => Argument::Int(*int);
    f32, float => Argument::Float((*float).into());
    f64, float => Argument::Float(*float);
    candle_core::DType, dtype => Argument::DType(*dtype);
    String, text => Argument::Str(text.as_str().into());
}
to_output! { tuples:
    () (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
}

impl ToOutput for Value {
    fn to_output(&self, out: &mut OutputBuilder) -> Result<Output> {
        Ok(Output(Given::Data(self.clone()).argument(&mut out.session.state())))
    }
}

/// Puts results together.
///
/// What [`ToOutput::to_output`] is given.
pub struct OutputBuilder {
    session: Arc<Session>,
}

impl OutputBuilder {
    pub(crate) fn new(session: &Arc<Session>) -> Self {
        Self { session: session.clone() }
    }

    /// The error of plain data with `#[fx::constant]`, which a graph cannot return.
    pub fn not_a_value(&mut self, name: &str) -> candle_core::Error {
        self.session.fail(TraceError::NotAValue { found: name.to_owned() })
    }

    /// A struct with these fields.
    ///
    /// It comes back as a [`Value::Struct`] of this name.
    pub fn structure(&mut self, name: &str, fields: Vec<(&str, Output)>) -> Output {
        let fields: Vec<(Arc<str>, Argument)> =
            fields.into_iter().map(|(field, output)| (field.into(), output.0)).collect();
        Output(Argument::structure(name, fields))
    }
}

/// A field of a mirrored struct that may or may not hold a value: method resolution finds [`ValueField`] where it does.
#[doc(hidden)]
pub struct Field<'f, T>(pub &'f T);

/// Fields that hold a value.
#[doc(hidden)]
pub trait ValueField {
    /// The value.
    ///
    /// # Errors
    /// The value's own.
    fn field(&self, out: &mut OutputBuilder) -> Result<Output>;
}

impl<T: ToOutput> ValueField for &Field<'_, T> {
    fn field(&self, out: &mut OutputBuilder) -> Result<Output> {
        self.0.to_output(out)
    }
}

/// All other fields.
#[doc(hidden)]
pub trait OtherField {
    /// Never a value.
    ///
    /// # Errors
    /// Always.
    fn field(&self, out: &mut OutputBuilder) -> Result<Output>;
}

impl<T> OtherField for Field<'_, T> {
    fn field(&self, out: &mut OutputBuilder) -> Result<Output> {
        Err(out.session.fail(TraceError::NotAValue { found: std::any::type_name::<T>().to_owned() }))
    }
}
