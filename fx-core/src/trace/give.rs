//! [`Give`]: values that can be given for a parameter, and [`PH`], an input in one.
//!
//! Invariant: what a parameter is made of has the structure of what was given.

use std::sync::Arc;

use candle_core::{DType, Shape, Tensor};

use crate::value::Value;

use super::held::{Held, Holding};
use super::inputs::Inputs;
use super::proxy::Proxy;
use super::scope::Scope;
use super::traceable::Traceable;

/// A value that can be given for a parameter.
///
/// Tensors, layers and everything that is [`Traceable`](super::Traceable), references to it, [`PH`], and options, lists
/// and tuples of these.
pub trait Give {
    /// Type of its mirror.
    type Symbolic: 'static;

    /// Its mirror, as an input of the graph.
    fn as_input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic;

    /// Its mirror, baked into the graph, but for placeholders in it.
    fn as_constant(&self, inputs: &mut Inputs<'_>, scope: &Scope) -> Self::Symbolic;

    /// What its mirror holds, as [`Traceable::held`].
    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held;
}

/// A tensor input in the value of a parameter, for [`Tracer::concrete_arg`](super::Tracer::concrete_arg): torch.fx's `PH`.
///
/// It stands for a tensor anywhere in tuples, vectors and options, beside values that are baked in. The inputs are named
/// after the parameter and where they are in it: `xs_0`, `xs_1_0`.
///
/// ```
/// use fx_core::trace::{PH, Proxy, Tracer};
///
/// let module = Tracer::new().concrete_arg("xs", vec![PH, PH]).trace_fn(|inputs| {
///     let xs = inputs.take::<Vec<Proxy>>("xs", "Vec<Tensor>")?;
///     xs[0].add(&xs[1])
/// })?;
/// assert_eq!(module.graph().placeholders().len(), 2);
/// let (name, made_of) = &module.graph().signature().unwrap().parameters[0];
/// assert_eq!((&**name, made_of.parts().count()), ("xs", 2));
/// # Ok::<(), fx_core::trace::TraceError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PH;

/// A tensor input whose node gets annotations: torch.fx's `PHWithMeta`.
///
/// They are those of [`Meta::annotations`](crate::ir::Meta::annotations); of two of one key the first stays.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PHWithMeta(pub Vec<(Arc<str>, Value)>);

macro_rules! give_placeholder {
    ($($type:ty, $this:ident => $annotations:expr;)*) => {$(
        impl Give for $type {
            type Symbolic = Proxy;

            fn as_input(&self, inputs: &mut Inputs<'_>, name: &str) -> Proxy {
                let $this = self;
                inputs.given_placeholder(name, $annotations)
            }

            fn as_constant(&self, inputs: &mut Inputs<'_>, scope: &Scope) -> Proxy {
                self.as_input(inputs, &scope.path().as_str().replace('.', "_"))
            }

            fn held(mirror: &Proxy, _: &mut Holding) -> Held {
                Held::Tensor(mirror.clone())
            }
        }
    )*};
}
give_placeholder! {
    PH, _this => &[];
    PHWithMeta, this => &this.0;
}

impl<T: Traceable> Give for &T
where
    T::Symbolic: 'static,
{
    type Symbolic = T::Symbolic;

    fn as_input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        (*self).input(inputs, name)
    }

    fn as_constant(&self, _: &mut Inputs<'_>, scope: &Scope) -> Self::Symbolic {
        (*self).symbolic(scope)
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        T::held(mirror, holding)
    }
}

impl Give for &str {
    type Symbolic = String;

    fn as_input(&self, _: &mut Inputs<'_>, _: &str) -> String {
        (*self).to_owned()
    }

    fn as_constant(&self, _: &mut Inputs<'_>, _: &Scope) -> String {
        (*self).to_owned()
    }

    fn held(mirror: &String, holding: &mut Holding) -> Held {
        <String as Traceable>::held(mirror, holding)
    }
}

impl<T: Give> Give for Option<T> {
    type Symbolic = Option<T::Symbolic>;

    fn as_input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        self.as_ref().map(|value| value.as_input(inputs, name))
    }

    fn as_constant(&self, inputs: &mut Inputs<'_>, scope: &Scope) -> Self::Symbolic {
        self.as_ref().map(|value| value.as_constant(inputs, scope))
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        mirror.as_ref().map_or(Held::NOTHING, |value| T::held(value, holding))
    }
}

impl<T: Give> Give for Vec<T> {
    type Symbolic = Vec<T::Symbolic>;

    fn as_input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
        self.iter().enumerate().map(|(i, value)| value.as_input(inputs, &format!("{name}_{i}"))).collect()
    }

    fn as_constant(&self, inputs: &mut Inputs<'_>, scope: &Scope) -> Self::Symbolic {
        self.iter().enumerate().map(|(i, value)| value.as_constant(inputs, &scope.child(&i.to_string()))).collect()
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        Held::list(mirror.iter().map(|value| T::held(value, holding)).collect())
    }
}

macro_rules! give_tuple {
    ($(($($name:ident $index:tt)+))*) => {$(
        impl<$($name: Give),+> Give for ($($name,)+) {
            type Symbolic = ($($name::Symbolic,)+);

            fn as_input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                ($(self.$index.as_input(inputs, &format!("{name}_{}", $index)),)+)
            }

            fn as_constant(&self, inputs: &mut Inputs<'_>, scope: &Scope) -> Self::Symbolic {
                ($(self.$index.as_constant(inputs, &scope.child(stringify!($index))),)+)
            }

            fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
                Held::Tuple(vec![$($name::held(&mirror.$index, holding)),+])
            }
        }
    )*};
}
give_tuple! { (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) }

macro_rules! give_by_value {
    ($($type:ty),*) => {$(
        impl Give for $type {
            type Symbolic = <$type as Traceable>::Symbolic;

            fn as_input(&self, inputs: &mut Inputs<'_>, name: &str) -> Self::Symbolic {
                Traceable::input(self, inputs, name)
            }

            fn as_constant(&self, _: &mut Inputs<'_>, scope: &Scope) -> Self::Symbolic {
                Traceable::symbolic(self, scope)
            }

            fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
                <Self as Traceable>::held(mirror, holding)
            }
        }
    )*};
}
give_by_value!(
    Tensor,
    bool,
    usize,
    u8,
    u16,
    u32,
    u64,
    i16,
    i32,
    i64,
    isize,
    f32,
    f64,
    String,
    DType,
    candle_core::Device,
    Shape
);
