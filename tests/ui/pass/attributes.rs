//! Other attributes on the same item, before and after ours.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

#[derive(Debug, Clone)]
#[fx::module]
#[must_use]
#[non_exhaustive]
#[doc(alias = "mlp")]
pub(in crate::attributes) struct Before {
    #[doc = "Weights."]
    #[allow(dead_code, reason = "a test")]
    linear: Linear,
}

#[cfg_attr(all(), fx::module)]
#[cfg_attr(any(), derive(Unknown))]
#[cfg_attr(all(), derive(Debug, Clone))]
#[repr(C)]
#[allow(clippy::large_enum_variant, reason = "a test")]
enum Choice {
    Linear(Before),
    /// Scaled.
    #[allow(dead_code, reason = "a test")]
    Scaled {
        by: f64,
    },
}

#[fx::constant]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Hash)]
#[repr(u8)]
enum Mode {
    #[default]
    Plain = 1,
    Fancy = 1 << 3,
}

#[cfg_attr(all(), fx::module)]
impl Choice {
    /// Documented.
    #[inline(always)]
    #[must_use = "it computes"]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        #[allow(unused_variables, reason = "a test")]
        let unused = 1;
        match self {
            Self::Linear(inner) => inner.forward(x),
            #[cfg(any())]
            Self::Gone => x.gone(),
            #[cfg(not(any()))]
            Choice::Scaled { by } => x * *by,
        }
    }
}

#[fx::module]
#[allow(clippy::needless_lifetimes, reason = "a test")]
impl Module for Before {
    #[cfg(not(any()))]
    #[track_caller]
    #[cold]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        #[cfg(any())]
        {
            return x.gone();
        }
        #[cfg(not(any()))]
        let y = self.linear.forward(x)?;
        #[cfg(any())]
        let y = y.gone()?;
        doubled(
            &y,
            #[cfg(any())]
            3,
            Mode::default(),
        )
    }
}

/// Documented.
#[inline]
#[fx::module]
#[must_use = "it computes"]
#[track_caller]
#[allow(unused_mut, reason = "a test")]
fn doubled(mut x: &Tensor, mode: Mode) -> Result<Tensor> {
    if mode == Mode::Plain { x * 2.0 } else { x * mode as u8 as f64 }
}

/// Of a body, and of a name.
#[fx::module]
#[expect(unused_variables, reason = "a test")]
#[expect(clippy::too_many_arguments, reason = "a test")]
fn expected(x: &Tensor, a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64) -> Result<Tensor> {
    let unused = 1;
    x * (a + b + c + d + e + f + g)
}

/// Nobody should use it any more.
#[fx::module]
#[deprecated(note = "a test")]
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "a test")]
pub(crate) struct Old {
    linear: Linear,
}

#[fx::module]
#[deprecated(note = "a test")]
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "a test")]
pub(crate) enum OldChoice {
    Linear(Linear),
}

#[fx::constant]
#[deprecated(note = "a test")]
#[derive(Debug, Clone)]
#[allow(dead_code, reason = "a test")]
pub(crate) struct OldConfig(usize);

#[fx::module]
#[deprecated(note = "a test")]
#[allow(dead_code, reason = "a test")]
fn old(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

#[fx::wrap]
#[deprecated(note = "a test")]
#[allow(dead_code, reason = "a test")]
fn old_whole(x: &Tensor) -> Result<Tensor> {
    x.relu()
}

#[fx::module]
struct Model {
    choices: Vec<Choice>,
    mode: Mode,
    #[cfg(any())]
    #[fx(leaf)]
    gone: Gone,
    #[fx(rename = "self")]
    #[cfg(not(any()))]
    last: Linear,
    #[fx(constant)]
    plain: std::num::NonZeroUsize,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut y = x.clone();
        for choice in &self.choices {
            y = choice.forward(&y)?;
        }
        let y = doubled(&self.last.forward(&(y * self.plain.get() as f64)?)?, self.mode)?;
        expected(&y, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)
    }
}

#[test]
fn it_computes_the_same() {
    let choices = vec![Choice::Linear(Before { linear: linear() }), Choice::Scaled { by: 2.0 }];
    let plain = std::num::NonZeroUsize::MIN;
    same(&Model { choices, mode: Mode::Fancy, last: linear(), plain }, |model, x| model.forward(x));
}

/// What is not read is used by the mirror: no expectation is missed.
#[fx::module]
#[expect(dead_code, reason = "a test")]
struct Unread {
    linear: candle_nn::Linear,
}

/// A part of a type likewise.
#[fx::module]
struct PartlyUnread {
    #[expect(dead_code, reason = "a test")]
    size: Sizes<usize>,
    linear: candle_nn::Linear,
}

/// Plain data of whatever can be cloned.
#[fx::constant]
#[derive(Clone)]
struct Sizes<T> {
    #[allow(dead_code, reason = "a test")]
    each: T,
}

#[fx::module]
impl candle_nn::Module for PartlyUnread {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}
