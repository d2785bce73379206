//! [`World`]: candle's or a capture's, by which an annotated function is chosen.
//!
//! Invariant: a type is of at most one world.

use std::cell::{Ref, RefMut};
use std::rc::Rc;
use std::sync::{Arc, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use candle_core::Tensor;

use super::known::TraceableIn;
use super::proxy::Proxy;

/// A type in one of the two worlds: itself beside tensors, its mirror beside proxies.
///
/// Traits of users that are in both worlds are written over it.
#[doc(hidden)]
pub trait World: Sized {
    /// The type, in this world.
    /// `K` says whether the types of the item that asks can be mirrored ([`Known`](super::known::Known)).
    type Of<T: TraceableIn<K>, K>;
}

/// A type that is of one of the two worlds, by which a function that takes no tensors is chosen: an annotated type and its
/// mirror. Written by `#[fx::module]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether it is of candle's world or of a capture",
    label = "a function with `#[fx::module]` is chosen by this argument",
    note = "put `#[fx::module]` on the type, or take the attribute off the function"
)]
#[doc(hidden)]
pub trait InWorld {
    /// Its world.
    type World: World;
    /// The type itself, or what it lends: a guard of a lock, say, is passed on as what it guards.
    type Lent;

    /// What is passed on where `&Lent` is wanted.
    fn lent(&self) -> &Self::Lent;
}

/// [`InWorld`], where `&mut Lent` is wanted.
#[doc(hidden)]
pub trait InWorldMut: InWorld {
    /// What is passed on.
    fn lent_mut(&mut self) -> &mut Self::Lent;
}

macro_rules! lends {
    ($($pointer:ty;)*) => {$(
        impl<T: InWorld> InWorld for $pointer {
            type World = T::World;
            type Lent = T::Lent;

            fn lent(&self) -> &T::Lent {
                (**self).lent()
            }
        }
    )*};
}
lends! { &T; &mut T; Box<T>; Rc<T>; Arc<T>; Ref<'_, T>; RefMut<'_, T>; MutexGuard<'_, T>; RwLockReadGuard<'_, T>; RwLockWriteGuard<'_, T>; }

macro_rules! lends_mut {
    ($($pointer:ty;)*) => {$(
        impl<T: InWorldMut> InWorldMut for $pointer {
            fn lent_mut(&mut self) -> &mut T::Lent {
                (**self).lent_mut()
            }
        }
    )*};
}
lends_mut! { &mut T; Box<T>; RefMut<'_, T>; MutexGuard<'_, T>; RwLockWriteGuard<'_, T>; }

impl World for Tensor {
    type Of<T: TraceableIn<K>, K> = T;
}

impl World for Proxy {
    type Of<T: TraceableIn<K>, K> = T::Symbolic;
}
