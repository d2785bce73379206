//! [`Traceable`]: types that have a mirror in the symbolic world; here tensors and plain data.
//!
//! Invariant: a mirror has the structure of its original, with proxies in place of tensors.

use std::any::Any;
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic;

use candle_core::{DType, Device, Shape, Tensor, Var};

use crate::ir::Argument;

use super::held::{Held, Holding};
use super::inputs::Inputs;
use super::owner::Part;
use super::proxy::Proxy;
use super::scope::Scope;
use super::session::Session;

/// A type that has a mirror in the symbolic world.
///
/// Tensors, candle_nn's layers, plain data, and std's containers, pointers and cells of such have one; `#[fx::module]`
/// writes it for structs and enums, `#[fx::constant]` for plain data, which is its own mirror. By hand:
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use fx_core::trace::{Proxy, Scope, Traceable, Tracer};
///
/// struct Shift {
///     by: Tensor,
///     times: usize,
/// }
///
/// struct ShiftMirror {
///     by: Proxy,
///     times: usize,
/// }
///
/// impl Traceable for Shift {
///     type Symbolic = ShiftMirror;
///
///     fn symbolic(&self, scope: &Scope) -> ShiftMirror {
///         ShiftMirror { by: self.by.symbolic(&scope.child("by")), times: self.times }
///     }
/// }
///
/// let shift = Shift { by: Tensor::ones(3, DType::F32, &Device::Cpu)?, times: 2 };
/// let module = Tracer::new().trace_with(&shift, |shift, inputs| {
///     (0..shift.times).try_fold(inputs.tensor("x")?, |x, _| x.add(&shift.by))
/// })?;
/// assert!(module.tensor("by").is_some());
/// assert_eq!(module.graph().name(), "shift");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "fx cannot mirror `{Self}`",
    label = "this type is not known to fx",
    note = "if `{Self}` holds tensors or layers, put `#[fx::module]` on its definition and its impls",
    note = "if it is plain data, put `#[fx::constant]` on its definition, or `#[fx(constant)]` on the field",
    note = "if it is a layer to be called whole, put `#[fx(leaf)]` on the field; those of candle-transformers are known with the feature `transformers`"
)]
pub trait Traceable: Sized {
    /// The mirror.
    type Symbolic;

    /// The mirror of a part of the model: its tensors are parameters, at this scope's path.
    fn symbolic(&self, scope: &Scope) -> Self::Symbolic;

    /// The mirror of what a function has just made: an error stays one.
    fn symbolic_made(self, scope: &Scope) -> Self::Symbolic {
        self.symbolic(scope)
    }

    /// The mirror of a part that the model shares: what it holds may be shared with the graph as well, not copied.
    fn symbolic_shared(this: &Arc<Self>, scope: &Scope) -> Self::Symbolic {
        (**this).symbolic(scope)
    }

    /// The mirror of an argument: its tensors are inputs of the graph, under this name.
    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        self.symbolic(&inputs.scope().child(name))
    }

    /// What a mirror holds: what of it a capture has changed becomes state of the graph, and a parameter made of tensors
    /// and plain data has its place in the signature. [`Held::Opaque`] where that cannot be said.
    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        let _ = (mirror, holding);
        Held::Opaque
    }

    /// One of its parts: the `step` that [`Scope::part`] was given for it. None if it is no part that can be lent.
    ///
    /// A graph that calls a layer which cannot be cloned finds it so, from the `Arc` or `Rc` of the model.
    fn part(&self, step: usize) -> Option<Part<'_>> {
        let _ = step;
        None
    }

    /// Itself, as a part of what holds it.
    fn as_part(&self) -> Part<'_> {
        Part::of(self)
    }

    /// Itself, where its type can be told at run time: it borrows nothing.
    fn whole(&self) -> Option<&dyn Any> {
        None
    }

    /// Itself, as a layer prints itself in the text of what holds it: with its options, and with what is inside. None of a
    /// type that has no such text.
    fn printed(&self) -> Option<&dyn fmt::Display> {
        None
    }
}

/// The mirror of a type: `fx::Symbolic::<Vgg>::new(vb, …)` is the twin of a constructor with `#[fx(include)]`.
pub type Symbolic<T> = <T as Traceable>::Symbolic;

impl Traceable for Tensor {
    type Symbolic = Proxy;

    fn symbolic(&self, scope: &Scope) -> Proxy {
        match Proxy::attribute(scope, self) {
            Some(proxy) => proxy,
            // A mirror is only made by a tracer, which has a session.
            None => Session::abort_current(&candle_core::Error::Msg("a mirror outside a capture".to_owned())),
        }
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Proxy {
        inputs.placeholder(name, Some(self))
    }

    fn held(mirror: &Proxy, _: &mut Holding) -> Held {
        Held::Tensor(mirror.clone())
    }
}

impl Traceable for Var {
    type Symbolic = Proxy;

    fn symbolic(&self, scope: &Scope) -> Proxy {
        self.as_tensor().symbolic(scope)
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Proxy {
        self.as_tensor().input(inputs, name)
    }

    fn held(mirror: &Proxy, _: &mut Holding) -> Held {
        Held::Tensor(mirror.clone())
    }
}

/// A value of a graph already.
impl Traceable for Proxy {
    type Symbolic = Self;

    fn symbolic(&self, _: &Scope) -> Self {
        self.clone()
    }

    fn held(mirror: &Self, _: &mut Holding) -> Held {
        Held::Tensor(mirror.clone())
    }
}

/// A type whose values a twin can build field by field.
///
/// `#[fx::module]` and `#[fx::constant]` write it.
pub trait Construct: Traceable {
    /// What the twin writes as a struct literal.
    type Fields: ?Sized;

    /// The mirror of these fields.
    fn construct(fields: Self::Fields) -> Self::Symbolic;
}

/// Plain data as an argument, if a graph can hold it.
pub(super) fn plain(value: &dyn Any) -> Option<Argument> {
    macro_rules! held {
        ($($type:ty, $value:ident => $argument:expr;)*) => {$(
            if let Some($value) = value.downcast_ref::<$type>() {
                return $argument;
            }
        )*};
    }
    held! {
        bool, flag => Some(Argument::Bool(*flag));
        usize, size => i64::try_from(*size).ok().map(Argument::Int);
        isize, int => i64::try_from(*int).ok().map(Argument::Int);
        u8, int => Some(Argument::Int((*int).into()));
        u16, int => Some(Argument::Int((*int).into()));
        u32, int => Some(Argument::Int((*int).into()));
        u64, int => i64::try_from(*int).ok().map(Argument::Int);
        i16, int => Some(Argument::Int((*int).into()));
        i32, int => Some(Argument::Int((*int).into()));
        i64, int => Some(Argument::Int(*int));
        f32, float => Some(Argument::Float((*float).into()));
        f64, float => Some(Argument::Float(*float));
        String, text => Some(Argument::Str(text.as_str().into()));
        DType, dtype => Some(Argument::DType(*dtype));
    }
    None
}

/// Plain data: its mirror is a copy. Integers can be others in captures at several sizes.
macro_rules! constants {
    ($($type:ty),* $(,)?) => { constants! { @each |this, _scope| this.clone() => $($type),* } };
    (@each |$this:ident, $scope:ident| $copy:expr => $($type:ty),*) => {$(
        impl Traceable for $type {
            type Symbolic = Self;

            fn symbolic(&self, $scope: &Scope) -> Self {
                let $this = self;
                $copy
            }

            fn held(mirror: &Self, _: &mut Holding) -> Held {
                plain(mirror).map_or_else(|| Held::text(mirror), Held::Data)
            }
        }

        impl Construct for $type {
            type Fields = Self;

            fn construct(fields: Self) -> Self {
                fields
            }
        }
    )*};
}
constants! { @each |this, scope| scope.integer(*this) => usize, u8, u16, u32, u64, i8, i16, i32, i64, isize }
constants! {
    (), bool, char, u128, i128, f32, f64, half::f16, half::bf16,
    std::num::NonZeroUsize, std::num::NonZeroU8, std::num::NonZeroU16, std::num::NonZeroU32, std::num::NonZeroU64,
    String, std::time::Duration, std::ops::Range<usize>, std::cmp::Ordering, std::path::PathBuf,
    DType, Device, Shape, candle_core::D, candle_core::Layout, tracing::Span,
    candle_nn::Conv1dConfig, candle_nn::Conv2dConfig, candle_nn::ConvTranspose1dConfig,
    candle_nn::ConvTranspose2dConfig, candle_nn::LayerNormConfig, candle_nn::BatchNormConfig, candle_nn::LSTMConfig,
    candle_nn::GRUConfig,
}

impl<'a> Traceable for &'a str {
    type Symbolic = &'a str;

    fn symbolic(&self, _: &Scope) -> &'a str {
        self
    }

    fn held(mirror: &&'a str, _: &mut Holding) -> Held {
        Held::Data(Argument::Str((*mirror).into()))
    }
}

impl<'a> Construct for &'a str {
    type Fields = &'a str;

    fn construct(fields: &'a str) -> &'a str {
        fields
    }
}

/// Sets of plain data, whose values are told apart by their debug form.
macro_rules! sets {
    ($($set:ident)*) => {$(
        impl<T: Clone + Debug> Traceable for $set<T> {
            type Symbolic = Self;

            fn symbolic(&self, _: &Scope) -> Self {
                self.clone()
            }

            fn held(mirror: &Self, _: &mut Holding) -> Held {
                // A set may have no order.
                let mut values: Vec<String> = mirror.iter().map(|value| format!("{value:?}")).collect();
                values.sort();
                Held::text(&values)
            }
        }
    )*};
}
sets!(HashSet BTreeSet);

impl<T: Copy + Traceable<Symbolic = T>> Traceable for Cell<T> {
    type Symbolic = Self;

    fn symbolic(&self, _: &Scope) -> Self {
        super::sharing::meet_cell();
        Self::new(self.get())
    }

    fn held(mirror: &Self, holding: &mut Holding) -> Held {
        T::held(&mirror.get(), holding)
    }
}

macro_rules! atomics {
    ($($type:ident: $value:ty),*) => {$(
        impl Traceable for atomic::$type {
            type Symbolic = Self;

            fn symbolic(&self, _: &Scope) -> Self {
                Self::new(self.load(atomic::Ordering::Relaxed))
            }

            fn held(mirror: &Self, holding: &mut Holding) -> Held {
                <$value>::held(&mirror.load(atomic::Ordering::Relaxed), holding)
            }
        }
    )*};
}
atomics!(AtomicBool: bool, AtomicU32: u32, AtomicU64: u64, AtomicUsize: usize, AtomicI32: i32, AtomicI64: i64);

impl<T: ?Sized> Traceable for PhantomData<T> {
    type Symbolic = Self;

    fn symbolic(&self, _: &Scope) -> Self {
        *self
    }
}

/// Ends the capture: an object of a trait has no mirror.
#[track_caller]
pub fn no_mirror(scope: &Scope, name: &'static str) -> ! {
    let path = scope.path();
    Session::abort_current(&candle_core::Error::Msg(format!(
        "what `{path}` holds as `dyn {name}` has no mirror: put `#[fx::module(mirrored)]` on its `impl {name}`"
    )))
}

/// Ends the capture: a mirror is made from a model, not from weights.
#[track_caller]
pub fn not_made(name: &'static str) -> ! {
    Session::abort_current(&candle_core::Error::Msg(format!(
        "`{name}` makes a layer from weights, which a capture does not have: make the layer before, as a field of the model"
    )))
}
