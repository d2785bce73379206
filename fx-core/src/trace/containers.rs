//! The mirrors of std's containers, boxes, cells and locks.
//!
//! Invariant: a container of mirrors has the structure of the original, and its parts are found by the steps that their
//! scopes were made with.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Mutex, OnceLock, RwLock, TryLockError, TryLockResult};

use super::held::{Held, Holding};
use super::inputs::Inputs;
use super::owner::Part;
use super::scope::Scope;
use super::sharing::meet_cell;
use super::traceable::Traceable;

impl<T: Traceable> Traceable for Option<T> {
    type Symbolic = Option<T::Symbolic>;

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        self.as_ref().map(|value| value.symbolic(&scope.inside()))
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        self.as_ref().map(|value| value.input(inputs, name))
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        mirror.as_ref().map_or(Held::NOTHING, |value| T::held(value, holding))
    }

    fn part(&self, _: usize) -> Option<Part<'_>> {
        self.as_ref().map(Part::of)
    }
}

/// What functions return, also under a name of the user's own: `type ModelResult<T> = Result<T, …>`.
impl<T: Traceable, E> Traceable for Result<T, E> {
    type Symbolic = Result<T::Symbolic, E>;

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        match self {
            Ok(value) => Ok(value.symbolic(&scope.inside())),
            Err(_) => scope.failed(),
        }
    }

    fn symbolic_made(self, scope: &Scope) -> Self::Symbolic {
        self.map(|value| value.symbolic_made(scope))
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        match self {
            Ok(value) => Ok(value.input(inputs, name)),
            Err(_) => inputs.scope().child(name).failed(),
        }
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        mirror.as_ref().map_or(Held::Opaque, |value| T::held(value, holding))
    }

    fn part(&self, _: usize) -> Option<Part<'_>> {
        self.as_ref().ok().map(Part::of)
    }
}

impl<T: Traceable> Traceable for Box<T> {
    type Symbolic = Box<T::Symbolic>;

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        Box::new((**self).symbolic(&scope.inside()))
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        Box::new((**self).input(inputs, name))
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        T::held(mirror, holding)
    }

    fn part(&self, _: usize) -> Option<Part<'_>> {
        Some(Part::of(&**self))
    }
}

/// What is behind locks is mirrored as it is; a lock that is held cannot be, and waiting for it could be for ever.
macro_rules! locks {
    ($($type:ident, $value:ident => $locked:expr;)*) => {$(
        impl<T: Traceable> Traceable for $type<T> {
            type Symbolic = $type<T::Symbolic>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                meet_cell();
                let $value = self;
                match $locked {
                    // What is inside may change and cannot be lent.
                    Some(inside) => $type::new(inside.symbolic(&scope.adrift())),
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

            fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
                let $value = mirror;
                $locked.map_or(Held::Opaque, |inside| T::held(&inside, holding))
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
        let found = self.get().filter(|_| !scope.forgets());
        found.map_or_else(OnceCell::new, |value| OnceCell::from(value.symbolic(&scope.inside())))
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        once(mirror.get().map(|value| T::held(value, holding)))
    }

    fn part(&self, _: usize) -> Option<Part<'_>> {
        self.get().map(Part::of)
    }
}

impl<T: Traceable> Traceable for OnceLock<T> {
    type Symbolic = OnceLock<T::Symbolic>;

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        let found = self.get().filter(|_| !scope.forgets());
        found.map_or_else(OnceLock::new, |value| OnceLock::from(value.symbolic(&scope.inside())))
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        once(mirror.get().map(|value| T::held(value, holding)))
    }

    fn part(&self, _: usize) -> Option<Part<'_>> {
        self.get().map(Part::of)
    }
}

/// What is computed at first use is a memo of one entry.
fn once(held: Option<Held>) -> Held {
    Held::memo("OnceCell", held.into_iter().map(|held| (String::new(), held)).collect())
}

macro_rules! sequences {
    ($($type:ident)*) => {$(
        impl<T: Traceable> Traceable for $type<T> {
            type Symbolic = $type<T::Symbolic>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                self.iter().enumerate().map(|(i, value)| value.symbolic(&scope.part(&i.to_string(), i))).collect()
            }

            fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                self.iter().enumerate().map(|(i, value)| value.input(inputs, &format!("{name}_{i}"))).collect()
            }

            fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
                Held::list(mirror.iter().map(|value| T::held(value, holding)).collect())
            }

            fn part(&self, step: usize) -> Option<Part<'_>> {
                self.get(step).map(Part::of)
            }
        }
    )*};
}
sequences!(Vec VecDeque);

impl<T: Traceable, const N: usize> Traceable for [T; N] {
    type Symbolic = [T::Symbolic; N];

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        std::array::from_fn(|i| self[i].symbolic(&scope.part(&i.to_string(), i)))
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        std::array::from_fn(|i| self[i].input(inputs, &format!("{name}_{i}")))
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        Held::list(mirror.iter().map(|value| T::held(value, holding)).collect())
    }

    fn part(&self, step: usize) -> Option<Part<'_>> {
        self.get(step).map(Part::of)
    }
}

macro_rules! maps {
    ($($map:ident: $($bound:ident)?;)*) => {$(
        impl<K: MapKey $(+ $bound)?, V: Traceable> Traceable for $map<K, V> {
            type Symbolic = $map<K, V::Symbolic>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                let mirror = |(i, (key, value)): (usize, (&K, &V))| {
                    (key.clone(), value.symbolic(&scope.part(&key.segment(), i)))
                };
                self.iter().filter(|_| !scope.forgets()).enumerate().map(mirror).collect()
            }

            fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
                let entries = mirror.iter().map(|(key, value)| (key.segment(), V::held(value, holding)));
                Held::memo(stringify!($map), entries.collect())
            }

            // A map that does not change keeps its order.
            fn part(&self, step: usize) -> Option<Part<'_>> {
                self.values().nth(step).map(Part::of)
            }
        }
    )*};
}
maps! { HashMap:; BTreeMap: Ord; }

/// A key of a map that a model may hold.
///
/// Text, numbers, flags, and pairs and triples of these.
///
/// Keys that differ have different segments.
pub trait MapKey: Clone + Eq + Hash {
    /// Whether there may be any characters in it.
    const IS_TEXT: bool = false;

    /// As a path segment.
    fn segment(&self) -> String;
}

macro_rules! map_keys {
    ($is_text:literal: $($type:ty),*) => {$(
        impl MapKey for $type {
            const IS_TEXT: bool = $is_text;

            fn segment(&self) -> String {
                self.to_string()
            }
        }
    )*};
}
map_keys!(false: usize, u8, u16, u32, u64, i32, i64, bool);
map_keys!(true: char, String, &'static str);

/// Two parts as one segment. Before text the first part must tell where it ends.
fn joined<A: MapKey, B: MapKey>(first: &A, rest: &B) -> String {
    let (first, rest) = (first.segment(), rest.segment());
    let first = if A::IS_TEXT && B::IS_TEXT { first.replace('~', "~~").replace('_', "~_") } else { first };
    format!("{first}_{rest}")
}

impl<A: MapKey, B: MapKey> MapKey for (A, B) {
    const IS_TEXT: bool = A::IS_TEXT || B::IS_TEXT;

    fn segment(&self) -> String {
        joined(&self.0, &self.1)
    }
}

impl<A: MapKey, B: MapKey, C: MapKey> MapKey for (A, B, C) {
    const IS_TEXT: bool = A::IS_TEXT || B::IS_TEXT || C::IS_TEXT;

    fn segment(&self) -> String {
        joined(&self.0, &(self.1.clone(), self.2.clone()))
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt)+))*) => {$(
        impl<$($name: Traceable),+> Traceable for ($($name,)+) {
            type Symbolic = ($($name::Symbolic,)+);

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                ($(self.$index.symbolic(&scope.part(stringify!($index), $index)),)+)
            }

            fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                ($(self.$index.input(inputs, &format!("{name}_{}", $index)),)+)
            }

            fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
                Held::Tuple(vec![$($name::held(&mirror.$index, holding)),+])
            }

            fn part(&self, step: usize) -> Option<Part<'_>> {
                match step {
                    $($index => Some(Part::of(&self.$index)),)+
                    _ => None,
                }
            }
        }
    )*};
}
tuples! { (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) (A 0 B 1 C 2 D 3 E 4 F 5) }
