//! Calls with weights in a twin: `conv2d(3, 8, 3, cfg, vb.pp("conv"))`.
//!
//! Whether the function is annotated, and takes the weights of the symbolic world, or knows nothing of fx and takes
//! candle's, only rustc knows, so method resolution chooses, as in [`lift`](super::lift): `(&callee).__fx_kind()` finds
//! [`TakesSymbolic`] for functions of the first kind, and [`TakesReal`], one reference further away, for the others. What a
//! function of the second kind returns is mirrored, where its weights are. A function of a type, `Block::new`, is the one
//! that the type's mirror has by that name, if there is one ([`HasTwin`]): so a twin of a constructor goes through the twins of others.
//!
//! Invariant: every function that takes a `VarBuilder` can be called in a twin, if what it returns has a mirror.

use std::marker::PhantomData;

use super::building::Builds;
use super::scope::Scope;
use super::traceable::Traceable;
use super::weights::Lend;

/// A function that is called with arguments of types `A` of which number `WEIGHTS` is a `VarBuilder`.
pub struct Callee<F, A, const WEIGHTS: usize>(PhantomData<fn(F, A)>);

impl<F, A, const WEIGHTS: usize> Callee<F, A, WEIGHTS> {
    /// This function.
    #[must_use]
    pub fn of(_: &F, _: PhantomData<A>) -> Self {
        Self(PhantomData)
    }
}

/// Chosen for functions that take the weights as they are.
#[derive(Debug, Clone, Copy)]
pub struct Symbolic;

impl Symbolic {
    /// The weights.
    pub fn lend<V>(self, weights: V, _: &mut Option<Scope>) -> V {
        weights
    }

    /// What the function returned.
    pub fn mirror<R>(self, returned: R, _: Option<Scope>) -> R {
        returned
    }
}

/// Chosen for functions that take candle's weights.
#[derive(Debug, Clone, Copy)]
pub struct Real;

impl Real {
    /// candle's weights; notes where they are.
    pub fn lend<V: Lend>(self, weights: V, place: &mut Option<Scope>) -> V::Real {
        let (real, scope) = weights.lend();
        *place = Some(scope);
        real
    }

    /// The mirror of what the function returned.
    pub fn mirror<R: Traceable>(self, returned: R, place: Option<Scope>) -> R::Symbolic {
        returned.symbolic_made(&place.unwrap_or_else(Scope::detached))
    }
}

/// A function of a type, `Block::new`, and what its mirror has by that name, called with arguments of types `A` of which
/// number `WEIGHTS` is a `VarBuilder`.
pub struct Choice<T, F, A, const WEIGHTS: usize>(PhantomData<fn(T, F, A)>);

impl<T, F, A, const WEIGHTS: usize> Choice<T, F, A, WEIGHTS> {
    /// Of these two.
    #[must_use]
    pub fn of(_: &T, _: &F, _: PhantomData<A>) -> Self {
        Self(PhantomData)
    }
}

/// What a mirror has by the name of a function that has no twin: a function that nobody can call.
#[derive(Debug, Clone, Copy)]
pub enum NoTwin {}

/// Found first by method resolution, where the mirror has the twin of the function: it builds the mirror itself.
pub trait HasTwin<T, F> {
    /// The function to be called.
    fn __fx_choose<'f>(&self, twin: &'f T, _: &'f F) -> &'f T {
        twin
    }
}

/// Found next, for all other functions.
pub trait HasNoTwin<T, F> {
    /// The function to be called.
    fn __fx_choose<'f>(&self, _: &'f T, function: &'f F) -> &'f F {
        function
    }
}

impl<T, F, A, const WEIGHTS: usize> HasNoTwin<T, F> for &Choice<T, F, A, WEIGHTS> {}

/// Found first by method resolution, for functions that take the weights of the symbolic world.
pub trait TakesSymbolic {
    /// How to call it.
    fn __fx_kind(&self) -> Symbolic {
        Symbolic
    }
}

/// Found next, for functions that take candle's.
pub trait TakesReal {
    /// How to call it.
    fn __fx_kind(&self) -> Real {
        Real
    }
}

/// The weights may be the first of the arguments, the last, or any between.
macro_rules! callees {
    ($($weights:literal: $($before:ident)* | $($after:ident)*;)*) => {$(
        impl<F, $($before,)* V, $($after,)* R> TakesSymbolic for Callee<F, ($($before,)* V, $($after,)*), $weights>
        where
            F: Fn($($before,)* V, $($after),*) -> R,
        {
        }

        impl<F, $($before,)* V, $($after,)* R> TakesReal for &Callee<F, ($($before,)* V, $($after,)*), $weights>
        where
            V: Lend,
            F: Fn($($before,)* V::Real, $($after),*) -> R,
        {
        }

        impl<T, F, $($before,)* V, $($after,)* R> HasTwin<T, F> for Choice<T, F, ($($before,)* V, $($after,)*), $weights>
        where
            T: Fn($($before,)* V, $($after),*) -> R,
        {
        }
    )*};
}
callees! {
    0: |;
    0: | A; 1: A |;
    0: | A B; 1: A | B; 2: A B |;
    0: | A B C; 1: A | B C; 2: A B | C; 3: A B C |;
    0: | A B C D; 1: A | B C D; 2: A B | C D; 3: A B C | D; 4: A B C D |;
    0: | A B C D E; 1: A | B C D E; 2: A B | C D E; 3: A B C | D E; 4: A B C D | E; 5: A B C D E |;
    0: | A B C D E G; 1: A | B C D E G; 2: A B | C D E G; 3: A B C | D E G; 4: A B C D | E G; 5: A B C D E | G;
    6: A B C D E G |;
    0: | A B C D E G H; 1: A | B C D E G H; 6: A B C D E G | H; 7: A B C D E G H |;
    0: | A B C D E G H I; 1: A | B C D E G H I; 7: A B C D E G H | I; 8: A B C D E G H I |;
    0: | A B C D E G H I J; 1: A | B C D E G H I J; 8: A B C D E G H I | J; 9: A B C D E G H I J |;
    0: | A B C D E G H I J K; 1: A | B C D E G H I J K; 9: A B C D E G H I J | K; 10: A B C D E G H I J K |;
    0: | A B C D E G H I J K L; 1: A | B C D E G H I J K L; 10: A B C D E G H I J K | L; 11: A B C D E G H I J K L |;
}

/// What is made while the guard lives is made for a variable of this name.
pub fn named(variable: &'static str) -> Builds {
    Builds::named(variable)
}
