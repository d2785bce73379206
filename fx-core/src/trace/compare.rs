//! Comparisons in a twin: noted, if the model is captured at several sizes, so that they become guards.
//!
//! A twin cannot know what is compared, so it lets method resolution choose: `(&Compared(&a, &b)).__fx_note(…)` finds
//! [`NoteIntegers`] for integers and [`NoteNothing`], one reference further away, for everything else.
//!
//! Invariant: a comparison gives what Rust's operator gives, whether it is noted or not.

use std::panic::Location;

pub use crate::value::Relation;

/// An integer of any type.
pub trait AsInteger {
    /// Its value; none if it is too large for a graph.
    fn as_integer(&self) -> Option<i64>;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl AsInteger for $type {
            fn as_integer(&self) -> Option<i64> {
                i64::try_from(*self).ok()
            }
        }
    )*};
}
integers!(usize isize u8 u16 u32 u64 u128 i8 i16 i32 i64 i128);

impl<T: AsInteger + ?Sized> AsInteger for &T {
    fn as_integer(&self) -> Option<i64> {
        (**self).as_integer()
    }
}

/// Both sides of a comparison.
pub struct Compared<'a, A: ?Sized, B: ?Sized>(pub &'a A, pub &'a B);

/// Found first, for integers.
pub trait NoteIntegers {
    /// Notes the comparison; its result.
    fn __fx_note(&self, relation: Relation, result: bool) -> bool;
}

impl<A: AsInteger + ?Sized, B: AsInteger + ?Sized> NoteIntegers for Compared<'_, A, B> {
    #[track_caller]
    fn __fx_note(&self, relation: Relation, result: bool) -> bool {
        note(relation, self.0.as_integer(), self.1.as_integer());
        result
    }
}

/// Found next, for everything.
pub trait NoteNothing {
    /// The result.
    fn __fx_note(&self, relation: Relation, result: bool) -> bool;
}

impl<A: ?Sized, B: ?Sized> NoteNothing for &Compared<'_, A, B> {
    fn __fx_note(&self, _: Relation, result: bool) -> bool {
        result
    }
}

#[track_caller]
fn note(relation: Relation, left: Option<i64>, right: Option<i64>) {
    if let (Some(left), Some(right)) = (left, right) {
        super::notes::note(Location::caller(), relation, left, right);
    }
}

/// What a `match` looks at.
pub struct Matched<'a, T: ?Sized>(pub &'a T);

/// The integers that a pattern compares with, and where in the value: positions in tuples and slices from the front, or,
/// negative, from the end.
pub type Literals<'l> = &'l [(&'l [isize], Relation, i64)];

/// A value whose parts can be looked at.
pub trait IntegerAt {
    /// The integer at this place.
    fn integer_at(&self, place: &[isize]) -> Option<i64>;
}

macro_rules! integers_at {
    ($($type:ty)*) => {$(
        impl IntegerAt for $type {
            fn integer_at(&self, place: &[isize]) -> Option<i64> {
                if place.is_empty() { self.as_integer() } else { None }
            }
        }
    )*};
}
integers_at!(usize isize u8 u16 u32 u64 u128 i8 i16 i32 i64 i128);

impl<T: IntegerAt + ?Sized> IntegerAt for &T {
    fn integer_at(&self, place: &[isize]) -> Option<i64> {
        (**self).integer_at(place)
    }
}

impl<T: IntegerAt> IntegerAt for [T] {
    fn integer_at(&self, place: &[isize]) -> Option<i64> {
        let (&first, rest) = place.split_first()?;
        let index = if first < 0 { self.len().checked_add_signed(first)? } else { usize::try_from(first).ok()? };
        self.get(index)?.integer_at(rest)
    }
}

impl<T: IntegerAt, const N: usize> IntegerAt for [T; N] {
    fn integer_at(&self, place: &[isize]) -> Option<i64> {
        self.as_slice().integer_at(place)
    }
}

impl<T: IntegerAt> IntegerAt for Vec<T> {
    fn integer_at(&self, place: &[isize]) -> Option<i64> {
        self.as_slice().integer_at(place)
    }
}

macro_rules! integers_in_tuples {
    ($(($($name:ident $index:tt)+))*) => {$(
        impl<$($name: IntegerAt),+> IntegerAt for ($($name,)+) {
            fn integer_at(&self, place: &[isize]) -> Option<i64> {
                let (first, rest) = place.split_first()?;
                match first {
                    $($index => self.$index.integer_at(rest),)+
                    _ => None,
                }
            }
        }
    )*};
}
integers_in_tuples! { (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) }

/// Found first, for integers, and tuples and slices of them.
pub trait NoteMatch {
    /// Notes what the patterns compare with; `false`.
    fn __fx_note(&self, literals: Literals<'_>) -> bool;
}

impl<T: IntegerAt + ?Sized> NoteMatch for Matched<'_, T> {
    #[track_caller]
    fn __fx_note(&self, literals: Literals<'_>) -> bool {
        for (place, relation, literal) in literals {
            note(*relation, self.0.integer_at(place), Some(*literal));
        }
        false
    }
}

/// Found next, for everything.
pub trait NoteNoMatch {
    /// `false`.
    fn __fx_note(&self, literals: Literals<'_>) -> bool;
}

impl<T: ?Sized> NoteNoMatch for &Matched<'_, T> {
    fn __fx_note(&self, _: Literals<'_>) -> bool {
        false
    }
}
