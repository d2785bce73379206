//! Comparisons in a twin: noted, if the model is captured at several sizes, so that they become guards.
//!
//! A twin cannot know what is compared, so it lets method resolution choose: `(&Compared(&a, &b)).__fx_note(…)` finds
//! [`NoteIntegers`] for numbers and [`NoteNothing`], one reference further away, for everything else.
//!
//! Invariant: a comparison gives what Rust's operator gives, whether it is noted or not.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::panic::Location;

use smallvec::SmallVec;

use crate::value::Number;

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

/// A number of any type, or numbers together: a shape, a tuple.
pub trait AsNumbers {
    /// Whether it is one number.
    const IS_ONE: bool = false;
    /// Whether it is a number that cannot be below zero.
    const IS_UNSIGNED: bool = false;

    /// Calls `visit` with each number; none for one that is too large for a graph.
    fn for_each(&self, visit: &mut dyn FnMut(Option<Number>));
}

macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl AsNumbers for $type {
            const IS_ONE: bool = true;
            const IS_UNSIGNED: bool = <$type>::MIN == 0;

            fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
                visit(self.as_integer().map(Number::Int));
            }
        }
    )*};
    (floats: $($type:ty)*) => {$(
        impl AsNumbers for $type {
            const IS_ONE: bool = true;

            fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
                visit(Some(Number::Float((*self).into())));
            }
        }
    )*};
}
numbers!(usize isize u8 u16 u32 u64 u128 i8 i16 i32 i64 i128);
numbers!(floats: f32 f64);

impl<T: AsNumbers + ?Sized> AsNumbers for &T {
    const IS_ONE: bool = T::IS_ONE;
    const IS_UNSIGNED: bool = T::IS_UNSIGNED;

    fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
        (**self).for_each(visit);
    }
}

impl<T: AsNumbers> AsNumbers for [T] {
    fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
        visit(self.len().as_integer().map(Number::Int));
        self.iter().for_each(|number| number.for_each(visit));
    }
}

impl<T: AsNumbers, const N: usize> AsNumbers for [T; N] {
    fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
        self.as_slice().for_each(visit);
    }
}

impl<T: AsNumbers> AsNumbers for Vec<T> {
    fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
        self.as_slice().for_each(visit);
    }
}

impl<T: AsNumbers> AsNumbers for Option<T> {
    fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
        self.as_slice().for_each(visit);
    }
}

/// Numbers that something has for keys, in order, because that of a map is another each time.
fn for_each_key<'k, K: AsNumbers + 'k>(
    keys: impl ExactSizeIterator<Item = &'k K>,
    visit: &mut dyn FnMut(Option<Number>),
) {
    visit(keys.len().as_integer().map(Number::Int));
    if !K::IS_ONE {
        return;
    }
    let mut numbers = Vec::with_capacity(keys.len());
    keys.for_each(|key| key.for_each(&mut |number| numbers.push(number)));
    numbers.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    numbers.into_iter().for_each(visit);
}

macro_rules! keyed {
    ($($type:ident<$($of:ident),+> by $keys:ident;)*) => {$(
        impl<$($of),+> AsNumbers for $type<$($of),+>
        where
            K: AsNumbers,
        {
            fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
                for_each_key(self.$keys(), visit);
            }
        }
    )*};
}
keyed! { HashMap<K, V, S> by keys; BTreeMap<K, V> by keys; HashSet<K, S> by iter; BTreeSet<K> by iter; }

impl AsNumbers for candle_core::Shape {
    fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
        self.dims().for_each(visit);
    }
}

/// What a method of two numbers decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Whether the first is a multiple of the second.
    Multiple,
    /// Whether the second can be taken from the first.
    Subtraction,
    /// Whether one can divide by the second.
    Division,
    /// Which of them is larger.
    Order,
    /// Whether the second is among the first, or a key of it.
    Among,
    /// Whether they are equal.
    Equal,
    /// Whether the first begins with the second.
    Front,
    /// Whether the first ends with the second.
    Back,
}

/// Both sides of a comparison.
pub struct Compared<'a, A: ?Sized, B: ?Sized>(pub &'a A, pub &'a B);

/// Found first, for numbers.
pub trait NoteIntegers {
    /// Notes the comparison; its result.
    fn __fx_note(&self, relation: Relation, result: bool) -> bool;
    /// Notes what a method decides by.
    fn __fx_note_decision(&self, decision: Decision);
}

impl<A: AsNumbers + ?Sized, B: AsNumbers + ?Sized> NoteIntegers for Compared<'_, A, B> {
    #[track_caller]
    fn __fx_note(&self, relation: Relation, result: bool) -> bool {
        if !super::notes::is_noting() {
            return result;
        }
        let (mut left, mut right) = (SmallVec::<[_; 4]>::new(), SmallVec::<[_; 4]>::new());
        self.0.for_each(&mut |number| left.push(number));
        self.1.for_each(&mut |number| right.push(number));
        let is_equality = matches!(relation, Relation::Eq | Relation::Ne);
        for (left, right) in left.into_iter().zip(right) {
            match (A::IS_ONE, is_equality) {
                (true, _) => note(relation, left, right),
                // Of several, the result follows from how each compares, whichever of them decides.
                (false, true) => note(Relation::Eq, left, right),
                (false, false) => {
                    note(Relation::Lt, left, right);
                    note(Relation::Gt, left, right);
                }
            }
        }
        result
    }

    #[track_caller]
    fn __fx_note_decision(&self, decision: Decision) {
        if !super::notes::is_noting() {
            return;
        }
        let (mut left, mut right) = (SmallVec::<[_; 4]>::new(), SmallVec::<[_; 4]>::new());
        self.0.for_each(&mut |number| left.push(number));
        self.1.for_each(&mut |number| right.push(number));
        // Of lists, how many they have is not compared.
        let of_lists = || (left.iter().skip(1), right.iter().skip(1));
        match decision {
            Decision::Equal => {
                let pairs = left.into_iter().zip(right);
                return pairs.for_each(|(left, right)| note(Relation::Eq, left, right));
            }
            Decision::Front => {
                let (left, right) = of_lists();
                return left.zip(right).for_each(|(left, right)| note(Relation::Eq, *left, *right));
            }
            Decision::Back => {
                let (left, right) = of_lists();
                return left.rev().zip(right.rev()).for_each(|(left, right)| note(Relation::Eq, *left, *right));
            }
            _ => {}
        }
        let Some(right) = right.pop().filter(|_| B::IS_ONE) else { return };
        let zero = Some(Number::Int(0));
        // A list begins with how many it has.
        for left in left.into_iter().skip(usize::from(!A::IS_ONE)) {
            match (decision, left, right) {
                (Decision::Multiple, _, Some(Number::Int(0))) => note(Relation::Eq, left, zero),
                (Decision::Multiple, Some(Number::Int(left)), Some(Number::Int(right))) => {
                    note(Relation::Eq, left.checked_rem(right).map(Number::Int), zero);
                }
                // Signed numbers have something below zero.
                (Decision::Subtraction, ..) if A::IS_UNSIGNED => note(Relation::Ge, left, right),
                (Decision::Division, ..) => note(Relation::Ne, right, zero),
                (Decision::Order, ..) => {
                    note(Relation::Lt, left, right);
                    note(Relation::Gt, left, right);
                }
                (Decision::Among, ..) => note(Relation::Eq, right, left),
                _ => {}
            }
        }
    }
}

/// Found next, for everything.
pub trait NoteNothing {
    /// The result.
    fn __fx_note(&self, relation: Relation, result: bool) -> bool;
    /// Nothing.
    fn __fx_note_decision(&self, decision: Decision);
}

impl<A: ?Sized, B: ?Sized> NoteNothing for &Compared<'_, A, B> {
    fn __fx_note(&self, _: Relation, result: bool) -> bool {
        result
    }

    fn __fx_note_decision(&self, _: Decision) {}
}

#[track_caller]
fn note(relation: Relation, left: Option<Number>, right: Option<Number>) {
    if let (Some(left), Some(right)) = (left, right) {
        super::notes::note(Location::caller(), relation, left, right);
    }
}

/// What a `match` looks at.
pub struct Matched<'a, T: ?Sized>(pub &'a T);

/// The integers that a pattern compares with, and where in the value: positions in tuples and slices from the front, or,
/// negative, from the end. None for a constant that is no integer.
pub type Literals<'l> = &'l [(&'l [isize], Relation, Option<i64>)];

/// A constant that a pattern names.
pub struct Constant<'a, T: ?Sized>(pub &'a T);

/// Found first, for integers.
pub trait ConstantInteger {
    /// Its value; none if it is too large for a graph.
    fn __fx_integer(&self) -> Option<i64>;
}

impl<T: AsInteger> ConstantInteger for Constant<'_, T> {
    fn __fx_integer(&self) -> Option<i64> {
        self.0.as_integer()
    }
}

/// Found next, for everything.
pub trait OtherConstant {
    /// None.
    fn __fx_integer(&self) -> Option<i64>;
}

impl<T: ?Sized> OtherConstant for &Constant<'_, T> {
    fn __fx_integer(&self) -> Option<i64> {
        None
    }
}

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

impl<T: IntegerAt> IntegerAt for Option<T> {
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
macro_rules! numbers_in_tuples {
    ($(($($name:ident $index:tt)+))*) => {$(
        impl<$($name: AsNumbers),+> AsNumbers for ($($name,)+) {
            fn for_each(&self, visit: &mut dyn FnMut(Option<Number>)) {
                $(self.$index.for_each(visit);)+
            }
        }
    )*};
}
numbers_in_tuples! { (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) (A 0 B 1 C 2 D 3 E 4) }
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
            note(*relation, self.0.integer_at(place).map(Number::Int), literal.map(Number::Int));
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
