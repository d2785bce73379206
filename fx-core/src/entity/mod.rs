//! Typed indices and the two maps keyed by them: [`PrimaryMap`] owns the entities and hands out their keys,
//! [`SecondaryMap`] holds something beside each of them.
//!
//! Invariant: a key is a small integer that is given out once and never again, so whatever was erased is recognised.

mod map;

pub use map::{PrimaryMap, SecondaryMap};

use std::fmt::Debug;

/// A small integer that names an entity of one kind.
///
/// [`NodeId`](crate::ir::NodeId) is one. The index is its place in the arena that gave it out.
pub trait EntityRef: Copy + Eq + Debug {
    /// The entity with this index.
    ///
    /// # Panics
    ///
    /// If there are more than 2³² - 2 entities.
    fn new(index: usize) -> Self;

    /// Its index.
    fn index(self) -> usize;
}

/// Makes a key type of four bytes, whose `Option` has four bytes too.
macro_rules! entity {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(std::num::NonZeroU32);

        impl $crate::entity::EntityRef for $name {
            fn new(index: usize) -> Self {
                let number = u32::try_from(index).ok().and_then(|index| index.checked_add(1));
                Self(number.and_then(std::num::NonZeroU32::new).expect("fewer than 2^32 - 1 entities"))
            }

            fn index(self) -> usize {
                (self.0.get() - 1) as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}({})", stringify!($name), $crate::entity::EntityRef::index(*self))
            }
        }
    };
}
pub(crate) use entity;
