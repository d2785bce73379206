//! [`Traceable`]: types that have a mirror in the symbolic world; here tensors, std containers and plain data.
//!
//! Invariant: a mirror has the structure of its original, with proxies in place of tensors.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, RwLock, TryLockError, TryLockResult};

use candle_core::{DType, Device, Shape, Tensor, Var};

use super::inputs::Inputs;
use super::proxy::Proxy;
use super::scope::Scope;
use super::session::{Session, shared};

/// A type that has a mirror in the symbolic world.
#[diagnostic::on_unimplemented(
    message = "fx cannot mirror `{Self}`",
    label = "this type is not known to fx",
    note = "if `{Self}` holds tensors or layers, put `#[fx::module]` on its definition and its impls",
    note = "if it is plain data, put `#[fx::constant]` on its definition, or `#[fx(constant)]` on the field",
    note = "if it is a layer to be called whole, put `#[fx(leaf)]` on the field"
)]
pub trait Traceable {
    /// The mirror.
    type Symbolic;

    /// The mirror of a part of the model: its tensors are parameters, at this scope's path.
    fn symbolic(&self, scope: &Scope) -> Self::Symbolic;

    /// The mirror of a part that the model shares: what it holds may be shared with the graph as well, not copied.
    fn symbolic_shared(this: &Arc<Self>, scope: &Scope) -> Self::Symbolic
    where
        Self: Sized,
    {
        (**this).symbolic(scope)
    }

    /// The mirror of an argument: its tensors are inputs of the graph, under this name.
    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        self.symbolic(&inputs.scope().child(name))
    }
}

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
}

impl Traceable for Var {
    type Symbolic = Proxy;

    fn symbolic(&self, scope: &Scope) -> Proxy {
        self.as_tensor().symbolic(scope)
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Proxy {
        self.as_tensor().input(inputs, name)
    }
}

/// A value of a graph already.
impl Traceable for Proxy {
    type Symbolic = Self;

    fn symbolic(&self, _: &Scope) -> Self {
        self.clone()
    }
}

impl<T: Traceable> Traceable for Option<T> {
    type Symbolic = Option<T::Symbolic>;

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        self.as_ref().map(|value| value.symbolic(scope))
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        self.as_ref().map(|value| value.input(inputs, name))
    }
}

macro_rules! pointers {
    ($([$($generics:tt)*] $type:ty => $symbolic:ty, $make:expr, $value:ident => $inner:expr;)*) => {$(
        impl<$($generics)*> Traceable for $type {
            type Symbolic = $symbolic;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                let $value = self;
                $make($inner.symbolic(scope))
            }

            fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                let $value = self;
                $make($inner.input(inputs, name))
            }
        }
    )*};
}
pointers! {
    [T: Traceable] Box<T> => Box<T::Symbolic>, Box::new, value => (**value);
}

/// What is behind shared pointers is mirrored once.
macro_rules! shared_pointers {
    ($($type:ident, $this:ident, $scope:ident => $mirror:expr;)*) => {$(
        impl<T: Traceable> Traceable for $type<T>
        where
            T::Symbolic: 'static,
        {
            type Symbolic = $type<T::Symbolic>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                let ($this, $scope) = (self, scope);
                shared($type::as_ptr(self).cast(), || $type::new($mirror))
            }

            fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                $type::new((**self).input(inputs, name))
            }
        }
    )*};
}
shared_pointers! {
    Rc, this, scope => (**this).symbolic(scope);
    Arc, this, scope => T::symbolic_shared(this, scope);
}

/// What is behind locks is mirrored as it is; a lock that is held cannot be, and waiting for it could be for ever.
macro_rules! locks {
    ($($type:ident, $value:ident => $locked:expr;)*) => {$(
        impl<T: Traceable> Traceable for $type<T> {
            type Symbolic = $type<T::Symbolic>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                let $value = self;
                match $locked {
                    Some(inside) => $type::new(inside.symbolic(scope)),
                    None => scope.locked(),
                }
            }

            fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                let $value = self;
                match $locked {
                    Some(inside) => $type::new(inside.input(inputs, name)),
                    None => inputs.scope().child(name).locked(),
                }
            }
        }
    )*};
}
locks! {
    RefCell, value => value.try_borrow().ok();
    Mutex, value => unlocked(value.try_lock());
    RwLock, value => unlocked(value.try_read());
}

/// The guard of a lock that nobody holds. What a panic left behind is mirrored as it is.
fn unlocked<G>(tried: TryLockResult<G>) -> Option<G> {
    match tried {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

impl<T: Traceable> Traceable for OnceCell<T> {
    type Symbolic = OnceCell<T::Symbolic>;

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        self.get().map_or_else(OnceCell::new, |value| OnceCell::from(value.symbolic(scope)))
    }
}

impl<T: Traceable> Traceable for OnceLock<T> {
    type Symbolic = OnceLock<T::Symbolic>;

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        self.get().map_or_else(OnceLock::new, |value| OnceLock::from(value.symbolic(scope)))
    }
}

macro_rules! sequences {
    ($($type:ident)*) => {$(
        impl<T: Traceable> Traceable for $type<T> {
            type Symbolic = $type<T::Symbolic>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                self.iter().enumerate().map(|(i, value)| value.symbolic(&scope.child(&i.to_string()))).collect()
            }

            fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                self.iter().enumerate().map(|(i, value)| value.input(inputs, &format!("{name}_{i}"))).collect()
            }
        }
    )*};
}
sequences!(Vec VecDeque);

impl<T: Traceable, const N: usize> Traceable for [T; N] {
    type Symbolic = [T::Symbolic; N];

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        std::array::from_fn(|i| self[i].symbolic(&scope.child(&i.to_string())))
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        std::array::from_fn(|i| self[i].input(inputs, &format!("{name}_{i}")))
    }
}

macro_rules! maps {
    ($($map:ident: $($bound:ident)?;)*) => {$(
        impl<K: MapKey $(+ $bound)?, V: Traceable> Traceable for $map<K, V> {
            type Symbolic = $map<K, V::Symbolic>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                self.iter().map(|(key, value)| (key.clone(), value.symbolic(&scope.child(&key.segment())))).collect()
            }
        }
    )*};
}
maps! { HashMap:; BTreeMap: Ord; }

/// A key of a map that a model may hold.
pub trait MapKey: Clone + Eq + Hash {
    /// As a path segment.
    fn segment(&self) -> String;
}

macro_rules! map_keys {
    ($($type:ty),*) => {$(
        impl MapKey for $type {
            fn segment(&self) -> String {
                self.to_string()
            }
        }
    )*};
}
map_keys!(usize, u8, u16, u32, u64, i32, i64, bool, char, String, &'static str);

impl<A: MapKey, B: MapKey> MapKey for (A, B) {
    fn segment(&self) -> String {
        format!("{}_{}", self.0.segment(), self.1.segment())
    }
}

impl<A: MapKey, B: MapKey, C: MapKey> MapKey for (A, B, C) {
    fn segment(&self) -> String {
        format!("{}_{}_{}", self.0.segment(), self.1.segment(), self.2.segment())
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt)+))*) => {$(
        impl<$($name: Traceable),+> Traceable for ($($name,)+) {
            type Symbolic = ($($name::Symbolic,)+);

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                ($(self.$index.symbolic(&scope.child(stringify!($index))),)+)
            }

            fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                ($(self.$index.input(inputs, &format!("{name}_{}", $index)),)+)
            }
        }
    )*};
}
tuples! { (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5) }

/// A type whose values a twin can build field by field.
pub trait Construct: Traceable {
    /// What the twin writes as a struct literal.
    type Fields;

    /// The mirror of these fields.
    fn construct(fields: Self::Fields) -> Self::Symbolic;
}

/// Plain data: its mirror is a copy.
macro_rules! constants {
    ($($type:ty),* $(,)?) => {$(
        impl Traceable for $type {
            type Symbolic = Self;

            fn symbolic(&self, _: &Scope) -> Self {
                self.clone()
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
constants! {
    (), bool, char, u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, half::f16, half::bf16,
    String, &'static str, std::time::Duration, std::ops::Range<usize>, std::cmp::Ordering, std::path::PathBuf,
    DType, Device, Shape, candle_core::D, candle_core::Layout, tracing::Span,
    candle_nn::Conv1dConfig, candle_nn::Conv2dConfig, candle_nn::ConvTranspose1dConfig,
    candle_nn::ConvTranspose2dConfig, candle_nn::LayerNormConfig, candle_nn::BatchNormConfig, candle_nn::LSTMConfig,
    candle_nn::GRUConfig,
}

impl Traceable for str {
    type Symbolic = String;

    fn symbolic(&self, _: &Scope) -> String {
        self.to_owned()
    }
}

impl<T: Clone> Traceable for HashSet<T> {
    type Symbolic = Self;

    fn symbolic(&self, _: &Scope) -> Self {
        self.clone()
    }
}

impl<T: Copy> Traceable for Cell<T> {
    type Symbolic = Self;

    fn symbolic(&self, _: &Scope) -> Self {
        Self::new(self.get())
    }
}

impl<T: ?Sized> Traceable for PhantomData<T> {
    type Symbolic = Self;

    fn symbolic(&self, _: &Scope) -> Self {
        *self
    }
}

/// A type in one of the two worlds: itself beside tensors, its mirror beside proxies.
pub trait World: Sized {
    /// The type, in this world.
    type Of<T: Traceable>;
}

impl World for Tensor {
    type Of<T: Traceable> = T;
}

impl World for Proxy {
    type Of<T: Traceable> = T::Symbolic;
}
