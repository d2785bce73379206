//! [`TraceableIn`]: what is `Traceable`, in an item that has asked in one place whether all of its types are.
//!
//! What an attribute writes names the type of a field a dozen times, and the user's own `forward` uses it once more. rustc
//! would say at each place that it cannot be mirrored. So a constant asks for every type once, in `Known<{ …; true }>`, and
//! everything else asks for `TraceableIn` of that. A constant that is an error makes an error of every type that follows
//! from it, and of those rustc does not speak again.
//!
//! Invariant: of `Known<true>`, it is [`Traceable`] in all respects, and [`ConstructIn`] is [`Construct`].

use super::held::{Held, Holding};
use super::owner::Part;
use super::scope::Scope;
use super::traceable::{Construct, Traceable};

/// Whether all types of an item can be mirrored. Of those that cannot, rustc has spoken.
#[doc(hidden)]
pub struct Known<const ALL: bool>;

/// [`Traceable`], in an item of which `K` says whether its types can be mirrored.
#[doc(hidden)]
pub trait TraceableIn<K> {
    /// [`Traceable::Symbolic`].
    type Symbolic;

    /// [`Traceable::symbolic`].
    fn symbolic(&self, scope: &Scope) -> Self::Symbolic;

    /// [`Traceable::held`].
    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held;

    /// [`Traceable::part`].
    fn part(&self, step: usize) -> Option<Part<'_>>;

    /// [`Traceable::as_part`].
    fn as_part(&self) -> Part<'_>;
}

impl<T: Traceable> TraceableIn<Known<true>> for T {
    type Symbolic = T::Symbolic;

    fn symbolic(&self, scope: &Scope) -> T::Symbolic {
        Traceable::symbolic(self, scope)
    }

    fn held(mirror: &T::Symbolic, holding: &mut Holding) -> Held {
        <T as Traceable>::held(mirror, holding)
    }

    fn part(&self, step: usize) -> Option<Part<'_>> {
        Traceable::part(self, step)
    }

    fn as_part(&self) -> Part<'_> {
        Traceable::as_part(self)
    }
}

/// Whether two paths of modules are the same.
#[doc(hidden)]
#[must_use]
pub const fn is_same_module(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut same = one.len() == other.len();
    let mut at = 0;
    while same && at < one.len() {
        same = one[at] == other[at];
        at += 1;
    }
    same
}

/// [`Construct`], in an item of which `K` says whether its types can be mirrored.
#[doc(hidden)]
pub trait ConstructIn<K>: TraceableIn<K> {
    /// [`Construct::Fields`].
    type Fields: ?Sized;

    /// [`Construct::construct`].
    fn construct(fields: Self::Fields) -> <Self as TraceableIn<K>>::Symbolic;
}

impl<T: Construct> ConstructIn<Known<true>> for T
where
    T::Fields: Sized,
{
    type Fields = T::Fields;

    fn construct(fields: T::Fields) -> T::Symbolic {
        <T as Construct>::construct(fields)
    }
}
