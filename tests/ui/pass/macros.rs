//! Items that macros of the user's write, from fragments of every kind.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

macro_rules! model {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($field:ident: $ty:ty = $made:expr),* $(,)? } |$self:ident, $x:ident| $body:block) => {
        $(#[$meta])*
        #[fx::module]
        $vis struct $name {
            $($field: $ty,)*
        }

        impl $name {
            fn made() -> Self {
                Self { $($field: $made),* }
            }
        }

        #[fx::module]
        impl Module for $name {
            fn forward(&$self, $x: &Tensor) -> Result<Tensor> $body
        }
    };
}

macro_rules! choice {
    ($name:ident { $($variant:ident($ty:ty) => $method:ident),* }) => {
        #[fx::module]
        enum $name {
            $($variant($ty)),*
        }

        #[fx::module]
        impl $name {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                match self {
                    $($name::$variant(inner) => inner.forward(x)?.$method(),)*
                }
            }
        }
    };
}

macro_rules! function {
    ($name:ident($($arg:ident: $ty:ty),*) -> $result:ty $body:block) => {
        #[fx::module]
        fn $name($($arg: $ty),*) -> $result $body
    };
}

macro_rules! with_local {
    ($x:expr, $e:expr) => {{
        let y = 3.0;
        ($e)? * y + $x
    }};
}

macro_rules! outer {
    ($($tokens:tt)*) => { inner! { $($tokens)* } };
}

macro_rules! inner {
    ($lifetime:lifetime $name:ident $literal:literal $pat:pat => $path:path) => {
        #[fx::module]
        struct $name<$lifetime> {
            name: &$lifetime str,
            linear: $path,
        }

        #[fx::module]
        impl<$lifetime> Module for $name<$lifetime> {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let $pat = $literal;
                if self.name == $literal { self.linear.forward(x) } else { Ok(x.clone()) }
            }
        }
    };
}

function!(shifted(x: &Tensor, by: f64) -> Result<Tensor> { x + by });

choice!(Either { Left(Linear) => relu, Right(Up) => neg });

model! {
    /// One.
    #[derive(Debug)]
    struct Up { first: Linear = linear(), more: Vec<Linear> = vec![linear()] } |self, x| {
        let y = self.first.forward(x)?;
        let z = with_local!(y, self.more[0].forward(&y))?;
        shifted(&z, 1.0)
    }
}

outer!('a Named "name" _ => Linear);

model! {
    pub(crate) struct Model {
        up: Up = Up::made(),
        either: Either = Either::Right(Up::made()),
        other: Either = Either::Left(linear()),
        named: Named<'static> = Named { name: "name", linear: linear() },
    } |self, tokens| {
        self.named.forward(&self.other.forward(&self.either.forward(&self.up.forward(tokens)?)?)?)
    }
}

#[test]
fn it_computes_the_same() {
    same(&Model::made(), |model, x| model.forward(x));
}
