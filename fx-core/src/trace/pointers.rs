//! The mirrors of shared pointers: of what has a mirror, and of objects of traits with the attribute.
//!
//! Invariant: what is behind a shared pointer is mirrored once in a capture, and a graph may keep the pointer.

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use super::held::{Held, Holding};
use super::inputs::Inputs;
use super::owner::{Part, Place};
use super::scope::Scope;
use super::session::shared;
use super::sharing::meet;
use super::traceable::Traceable;

/// What can stand behind an `Rc` or `Arc`: a type that has a mirror, or the objects of a trait.
///
/// `#[fx::module]` on the trait writes it for `dyn Block`.
#[diagnostic::on_unimplemented(
    message = "fx cannot mirror `{Self}` behind a shared pointer",
    label = "this type is not known to fx",
    note = "if it is an object of a trait of your own, put `#[fx::module]` on the trait, and `#[fx::module(mirrored)]` on its impls"
)]
pub trait Shareable: 'static {
    /// The mirror.
    type Mirror: ?Sized + 'static;

    /// The mirror of a part of the model.
    fn mirror(&self, scope: &Scope) -> Box<Self::Mirror>;

    /// The same of what the model shares with the graph.
    fn mirror_shared(this: &Arc<Self>, scope: &Scope) -> Box<Self::Mirror> {
        Self::mirror(this, scope)
    }

    /// The mirror of an argument.
    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Box<Self::Mirror> {
        self.mirror(&inputs.scope().child(name))
    }

    /// What a mirror holds.
    fn held(mirror: &Self::Mirror, holding: &mut Holding) -> Held;

    /// One of its parts.
    fn part(&self, step: usize) -> Option<Part<'_>>;

    /// Itself, where its type can be told at run time.
    fn whole(&self) -> Option<&dyn Any> {
        None
    }
}

impl<T: Traceable + 'static> Shareable for T
where
    T::Symbolic: 'static,
{
    type Mirror = T::Symbolic;

    fn mirror(&self, scope: &Scope) -> Box<T::Symbolic> {
        Box::new(self.symbolic(scope))
    }

    fn mirror_shared(this: &Arc<Self>, scope: &Scope) -> Box<T::Symbolic> {
        Box::new(T::symbolic_shared(this, scope))
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Box<T::Symbolic> {
        Box::new(Traceable::input(self, inputs, name))
    }

    fn held(mirror: &T::Symbolic, holding: &mut Holding) -> Held {
        T::held(mirror, holding)
    }

    fn part(&self, step: usize) -> Option<Part<'_>> {
        Traceable::part(self, step)
    }

    fn whole(&self) -> Option<&dyn Any> {
        Traceable::whole(self)
    }
}

macro_rules! shared_pointers {
    ($($type:ident $behind:ident, $this:ident, $scope:ident => $mirror:expr;)*) => {$(
        impl<T: Shareable + ?Sized> Traceable for $type<T> {
            type Symbolic = $type<T::Mirror>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                let make = || {
                    // The place is that of the pointer, which is as what it points to.
                    let ($this, $scope) = (self, &scope.at(Place::$behind(&$type::new(self.clone()))));
                    $type::from($mirror)
                };
                // Nothing holds the whole model, so its mirror stays its tracer's own.
                let pointer = $type::as_ptr(self).cast();
                let mirror = || if scope.path().is_root() { make() } else { shared(pointer, make) };
                meet(pointer, $type::strong_count(self), scope, mirror)
            }

            fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                $type::from(T::input(self, inputs, name))
            }

            fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
                // What is shared is a part of the state once, under the first path that leads to it.
                let is_first = holding.is_first($type::as_ptr(mirror).cast());
                if is_first { T::held(mirror, holding) } else { Held::Opaque }
            }

            fn part(&self, step: usize) -> Option<Part<'_>> {
                T::part(self, step)
            }

            fn whole(&self) -> Option<&dyn Any> {
                T::whole(self)
            }
        }
    )*};
}
shared_pointers! {
    Rc behind_rc, this, scope => T::mirror(this, scope);
    Arc behind_arc, this, scope => T::mirror_shared(this, scope);
}
