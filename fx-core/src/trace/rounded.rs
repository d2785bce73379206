//! Floats that a twin makes whole: noted, if the model is captured at several sizes, as comparisons with the whole number and
//! the next one.
//!
//! `(n as f64 * 0.29) as usize` is `29 * n / 100` at nearly all `n`, but 28 at 100. What the graph has is an expression of integers;
//! the guard says where that is what the float gives.
//!
//! Invariant: what is noted holds wherever it is noted.

use std::panic::Location;

use crate::value::{Number, Relation};

/// A float of either kind.
pub trait AsFloat {
    /// Its value.
    fn as_float(&self) -> f64;
}

impl AsFloat for f32 {
    fn as_float(&self) -> f64 {
        (*self).into()
    }
}

impl AsFloat for f64 {
    fn as_float(&self) -> f64 {
        *self
    }
}

impl<T: AsFloat + ?Sized> AsFloat for &T {
    fn as_float(&self) -> f64 {
        (**self).as_float()
    }
}

/// How a float is made whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// `floor`
    Down,
    /// `ceil`
    Up,
    /// `round`
    Nearest,
    /// `trunc`, and `as` an integer.
    TowardZero,
}

/// What is made whole.
pub struct Rounded<'a, T: ?Sized>(pub &'a T);

/// Found first, for floats.
pub trait NoteRounding {
    /// Notes between which numbers it is.
    fn __fx_note(&self, rounding: Rounding);
}

impl<T: AsFloat + ?Sized> NoteRounding for Rounded<'_, T> {
    #[track_caller]
    fn __fx_note(&self, rounding: Rounding) {
        if !super::notes::is_noting() {
            return;
        }
        let (x, at) = (self.0.as_float(), Location::caller());
        let between = |from: (Relation, f64), to: (Relation, f64)| {
            for (relation, end) in [from, to] {
                super::notes::note_bound(at, relation, Number::Float(x), Number::Float(end));
            }
        };
        let rounding = match rounding {
            Rounding::TowardZero if x < 0.0 => Rounding::Up,
            Rounding::TowardZero => Rounding::Down,
            other => other,
        };
        match rounding {
            Rounding::Up => between((Relation::Le, x.ceil()), (Relation::Gt, x.ceil() - 1.0)),
            // Halves go away from zero.
            Rounding::Nearest if x < 0.0 => between((Relation::Gt, x.round() - 0.5), (Relation::Le, x.round() + 0.5)),
            Rounding::Nearest => between((Relation::Ge, x.round() - 0.5), (Relation::Lt, x.round() + 0.5)),
            _ => between((Relation::Ge, x.floor()), (Relation::Lt, x.floor() + 1.0)),
        }
    }
}

/// Found next, for everything.
pub trait NoteNoRounding {
    /// Nothing.
    fn __fx_note(&self, rounding: Rounding);
}

impl<T: ?Sized> NoteNoRounding for &Rounded<'_, T> {
    fn __fx_note(&self, _: Rounding) {}
}
