//! Lifting: a concrete tensor that a helper function returned becomes a constant of the graph.
//!
//! A twin cannot know what a function it calls returns, so it lets method resolution choose: `(&Kind(&value)).__fx_kind()`
//! finds [`LiftKind`] for types that hold concrete tensors, and [`SameKind`], one reference further away, for all
//! others.
//!
//! Invariant: values that hold no concrete tensor pass unchanged.

use std::collections::HashMap;
use std::hash::Hash;
use std::panic::Location;

use candle_core::{Error, Result, Tensor};

use super::proxy::Proxy;
use super::scope::Scope;
use super::session::Session;
use super::traceable::Traceable;

/// A type that holds concrete tensors.
pub trait Lifts {
    /// The same with proxies in their place.
    type Lifted;

    /// Each tensor as a constant of the graph that is being recorded.
    ///
    /// # Errors
    /// When no capture is running.
    fn lifted(self) -> Result<Self::Lifted>;
}

impl Lifts for Tensor {
    type Lifted = Proxy;
    #[track_caller]
    fn lifted(self) -> Result<Proxy> {
        let session = Session::current("a helper function")?;
        let called = super::helper::proxy_of(&session, &self, Location::caller());
        Ok(called.unwrap_or_else(|| Proxy::constant(&session, self)))
    }
}

impl Lifts for &Tensor {
    type Lifted = Proxy;
    #[track_caller]
    fn lifted(self) -> Result<Proxy> {
        self.clone().lifted()
    }
}

/// The mirror of an annotated type that a function made while a twin ran: its tensors are constants of the graph. Written
/// by `#[fx::module]` as its [`Lifts`].
///
/// # Errors
/// When no capture is running.
#[track_caller]
pub fn mirrored<T: Traceable>(made: &T) -> Result<T::Symbolic> {
    let session = Session::current("a helper function")?;
    let name = std::any::type_name::<T>().split('<').next().and_then(|path| path.rsplit("::").next());
    let path = session.state().made_path(name.unwrap_or("made"));
    Ok(made.symbolic(&Scope::root(&session).child(path.as_str())))
}

/// The same where there is no `Result` to carry an error, which ends the capture.
#[track_caller]
pub fn mirrored_or_abort<T: Traceable>(made: &T) -> T::Symbolic {
    mirrored(made).unwrap_or_else(|error| Session::abort_current(&error))
}

impl<T: Lifts> Lifts for Option<T> {
    type Lifted = Option<T::Lifted>;
    #[track_caller]
    fn lifted(self) -> Result<Self::Lifted> {
        self.map(T::lifted).transpose()
    }
}

impl<T: Lifts> Lifts for Vec<T> {
    type Lifted = Vec<T::Lifted>;
    fn lifted(self) -> Result<Self::Lifted> {
        self.into_iter().map(T::lifted).collect()
    }
}

impl<K: Eq + Hash, T: Lifts> Lifts for HashMap<K, T> {
    type Lifted = HashMap<K, T::Lifted>;
    fn lifted(self) -> Result<Self::Lifted> {
        self.into_iter().map(|(key, value)| Ok((key, value.lifted()?))).collect()
    }
}

macro_rules! lifts_tuple {
    ($(($($name:ident)+))*) => {$(
        impl<$($name: Lifts),+> Lifts for ($($name,)+) {
            type Lifted = ($($name::Lifted,)+);
            #[allow(non_snake_case, reason = "the parts are named after their types")]
            fn lifted(self) -> Result<Self::Lifted> {
                let ($($name,)+) = self;
                Ok(($($name.lifted()?,)+))
            }
        }
    )*};
}
lifts_tuple! { (A) (A B) (A B C) (A B C D) }

/// What a helper function returned: something with tensors, or a `Result` of it.
pub trait Returned {
    /// The same with proxies in place of tensors.
    type Lifted;

    /// Lifts it; where there is no `Result` to carry an error, one ends the capture.
    fn lift(self) -> Self::Lifted;
}

impl<T: Lifts, E: From<Error>> Returned for std::result::Result<T, E> {
    type Lifted = std::result::Result<T::Lifted, E>;
    #[track_caller]
    fn lift(self) -> Self::Lifted {
        Ok(self?.lifted()?)
    }
}

macro_rules! returned {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Returned for $type {
            type Lifted = <Self as Lifts>::Lifted;
            #[track_caller]
            fn lift(self) -> Self::Lifted {
                self.lifted().unwrap_or_else(|error| Session::abort_current(&error))
            }
        }
    )*};
}
returned! {
    [] Tensor;
    [] &Tensor;
    [T: Lifts] Option<T>;
    [T: Lifts] Vec<T>;
    [K: Eq + Hash, T: Lifts] HashMap<K, T>;
    [A: Lifts] (A,);
    [A: Lifts, B: Lifts] (A, B);
    [A: Lifts, B: Lifts, C: Lifts] (A, B, C);
    [A: Lifts, B: Lifts, C: Lifts, D: Lifts] (A, B, C, D);
}

/// Chosen for values with tensors.
#[derive(Debug, Clone, Copy)]
pub struct Lift;

impl Lift {
    /// Lifts the value.
    #[track_caller]
    pub fn lift<T: Returned>(self, value: T) -> T::Lifted {
        value.lift()
    }
}

/// Chosen for all other values.
#[derive(Debug, Clone, Copy)]
pub struct Same;

impl Same {
    /// The value.
    pub fn lift<T>(self, value: T) -> T {
        value
    }
}

/// A value that a function returned, which may itself be a reference.
#[derive(Debug)]
pub struct Kind<'a, T>(pub &'a T);

/// Found first by method resolution, for values with tensors.
pub trait LiftKind {
    /// How to treat the value.
    fn __fx_kind(&self) -> Lift {
        Lift
    }
}

impl<T: Returned> LiftKind for Kind<'_, T> {}

/// Found next, for all values.
pub trait SameKind {
    /// How to treat the value.
    fn __fx_kind(&self) -> Same {
        Same
    }
}

impl<T> SameKind for &Kind<'_, T> {}
