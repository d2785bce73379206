//! Calls with weights in a twin: `conv2d(3, 8, 3, cfg, vb.pp("conv"))`.
//!
//! Whether the function is annotated, and takes the weights of the symbolic world, or knows nothing of fx and takes
//! candle's, only rustc knows, so method resolution chooses, as in [`lift`](super::lift): `(&callee).__fx_kind()` finds
//! [`TakesSymbolic`] for functions of the first kind, and [`TakesReal`], one reference further away, for the others. What a
//! function of the second kind returns is mirrored, where its weights are.
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
    pub fn of(_: &F) -> Self {
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
    pub fn mirror<R: Mirrors>(self, returned: R, place: Option<Scope>) -> R::Mirror {
        returned.mirror(&place.unwrap_or_else(Scope::detached))
    }
}

/// What a function returns that is mirrored: something traceable, or a `Result` of it.
pub trait Mirrors {
    /// The mirror.
    type Mirror;

    /// The mirror, at this place of the model.
    fn mirror(self, scope: &Scope) -> Self::Mirror;
}

impl<T: Traceable> Mirrors for T {
    type Mirror = T::Symbolic;

    fn mirror(self, scope: &Scope) -> T::Symbolic {
        self.symbolic(scope)
    }
}

impl<T: Traceable, E> Mirrors for Result<T, E> {
    type Mirror = Result<T::Symbolic, E>;

    fn mirror(self, scope: &Scope) -> Self::Mirror {
        self.map(|value| value.symbolic(scope))
    }
}

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
