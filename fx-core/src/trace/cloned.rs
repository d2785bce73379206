//! Copies of mirrors whose originals may or may not be `Clone`, which an attribute does not see: `#[derive(Clone)]` above it, or
//! `impl Clone` by hand.
//!
//! A forward that clones such a part only compiles where the original can be cloned, so the mirror can always be. Of a field
//! rustc chooses how, by autoref.
//!
//! Invariant: what cannot be copied ends the capture, and only where a forward asks for the copy.

use super::session::Session;

/// A field of a mirror, to be copied: `(&Cloned(&self.field)).__fx_clone()`.
pub struct Cloned<'a, T>(pub &'a T);

/// What is `Clone`.
pub trait ByClone<T> {
    /// The copy.
    fn __fx_clone(&self) -> T;
}

impl<T: Clone> ByClone<T> for Cloned<'_, T> {
    fn __fx_clone(&self) -> T {
        self.0.clone()
    }
}

/// What is not.
pub trait NoClone<T> {
    /// Ends the capture.
    #[track_caller]
    fn __fx_clone(&self) -> T;
}

impl<T> NoClone<T> for &Cloned<'_, T> {
    #[track_caller]
    fn __fx_clone(&self) -> T {
        let name = std::any::type_name::<T>();
        Session::abort_current(&candle_core::Error::Msg(format!("the mirror `{name}` cannot be cloned in a capture")))
    }
}
