//! candle-transformers' layers as parts of other people's models: mirrors for them, with the feature `transformers`.
//!
//! Most wrap a layer of candle_nn's that they do not show, and are called whole ([`OpaqueLeaf`]). An embedding shows its
//! tensor, so its mirror is that of candle_nn's.
//!
//! Invariant: calls of these layers do nothing but compute their result.

use std::any::Any;

use candle_nn::Embedding;
use candle_transformers::{models, quantized_nn};

use crate::trace::{Scope, Traceable};

use super::opaque::OpaqueLeaf;
use super::original::{SharedLayer, in_model};

macro_rules! whole {
    ($($layer:path;)*) => {$(
        impl Traceable for $layer {
            type Symbolic = OpaqueLeaf<Self>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                OpaqueLeaf::pure(self, scope)
            }
        }
    )*};
}

whole! {
    models::with_tracing::Conv2d;
    models::with_tracing::LayerNorm;
    models::with_tracing::Linear;
    models::with_tracing::QMatMul;
    models::with_tracing::RmsNorm;
    quantized_nn::Linear;
    quantized_nn::RmsNorm;
}

/// It cannot be cloned.
impl Traceable for models::segment_anything::LayerNorm2d {
    type Symbolic = SharedLayer;

    fn symbolic(&self, scope: &Scope) -> SharedLayer {
        SharedLayer::new::<Self>("LayerNorm2d", scope, in_model(scope))
    }

    fn whole(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

macro_rules! embeddings {
    ($($layer:path;)*) => {$(
        impl Traceable for $layer {
            type Symbolic = <Embedding as Traceable>::Symbolic;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                let embeddings = self.embeddings();
                // A row for each entry: what has other dimensions is refused when it is called.
                let hidden_size = embeddings.dims().last().copied().unwrap_or_default();
                Embedding::new(embeddings.clone(), hidden_size).symbolic(scope)
            }
        }
    )*};
}

embeddings! {
    models::with_tracing::Embedding;
    quantized_nn::Embedding;
}
