//! candle-transformers' layers as parts of other people's models: mirrors for them, with the feature `transformers`.
//!
//! Most wrap a layer of candle_nn's that they do not show, and are called whole ([`OpaqueLeaf`]). An embedding shows its
//! tensor, so its mirror is that of candle_nn's.
//!
//! Invariant: calls of these layers do nothing but compute their result.

use std::any::Any;

use candle_nn::Embedding;
use candle_transformers::{models, quantized_nn};

use crate::trace::{Held, Holding, Scope, Traceable};

use super::opaque::OpaqueLeaf;
use super::original::{SharedLayer, in_model};

macro_rules! whole {
    ($($layer:path;)*) => {$(
        impl Traceable for $layer {
            type Symbolic = OpaqueLeaf<Self>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                OpaqueLeaf::pure(self, scope)
            }

            fn held(mirror: &Self::Symbolic, _: &mut Holding) -> Held {
                mirror.held()
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

            fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
                Embedding::held(mirror, holding)
            }
        }
    )*};
}

embeddings! {
    models::with_tracing::Embedding;
    quantized_nn::Embedding;
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use candle_core::quantized::{GgmlDType, QTensor};
    use candle_core::{DType, Device, Module as _, Result, Tensor};
    use candle_transformers::models::segment_anything::LayerNorm2d;
    use candle_transformers::models::with_tracing;
    use candle_transformers::quantized_nn;

    use crate::trace::{Module, Tracer};

    fn counted(shape: &[usize]) -> Tensor {
        let numbers: Vec<f32> = (0..shape.iter().product()).map(|i| (i as f32 * 0.37).sin()).collect();
        Tensor::from_vec(numbers, shape, &Device::Cpu).unwrap()
    }

    fn quantized(shape: &[usize]) -> QTensor {
        QTensor::quantize(&counted(shape), GgmlDType::F32).unwrap()
    }

    fn bits(x: &Tensor) -> Vec<u32> {
        x.flatten_all().unwrap().to_vec1::<f32>().unwrap().into_iter().map(f32::to_bits).collect()
    }

    #[test]
    fn layers_compute_what_they_do_and_shapes_are_known_without_data() {
        let model = (
            with_tracing::Embedding::from_weights(counted(&[5, 4])).unwrap(),
            with_tracing::Linear::from_weights(counted(&[4, 4]), Some(counted(&[4]))),
            vec![with_tracing::LayerNorm::new(counted(&[4]), counted(&[4]), 1e-5)],
            quantized_nn::Linear::from_arc(Arc::new(quantized(&[6, 4])), Some(counted(&[6]))).unwrap(),
            Some(quantized_nn::RmsNorm::from_qtensor(quantized(&[6]), 1e-5).unwrap()),
        );
        let ids = Tensor::new(&[[3u32, 0, 4], [1, 1, 2]], &Device::Cpu).unwrap();
        let original = || -> Result<Tensor> {
            let x = model.2[0].forward(&model.1.forward(&model.0.forward(&ids)?)?)?;
            model.4.as_ref().expect("it is there").forward(&model.3.forward(&x)?)
        };
        let captured = Tracer::new().input("ids", DType::U32, (2, 3)).trace_with(&model, |model, inputs| {
            let x = model.0.forward(&inputs.tensor("ids")?)?;
            let x = model.3.forward(&model.2[0].forward(&model.1.forward(&x)?)?)?;
            match &model.4 {
                Some(norm) => norm.forward(&x),
                None => Ok(x),
            }
        });
        let captured = captured.unwrap();
        assert_eq!(bits(&original().unwrap()), bits(&captured.forward(&[&ids]).unwrap()));
        let text = captured.graph().to_string();
        assert!(text.contains("call_module 3(") && text.contains("f32[2, 3, 6]"), "{text}");
    }

    #[test]
    fn one_that_cannot_be_cloned_is_called_in_a_shared_model() {
        let weights = candle_nn::VarBuilder::zeros(DType::F32, &Device::Cpu);
        let model = Arc::new(LayerNorm2d::new(3, 1e-6, weights).unwrap());
        let x = counted(&[1, 3, 2, 2]);
        let captured =
            Tracer::new().example("x", &x).trace_with(&model, |norm, inputs| norm.forward(&inputs.tensor("x")?));
        let captured = captured.unwrap();
        assert_eq!(bits(&model.forward(&x).unwrap()), bits(&captured.forward(&[&x]).unwrap()));
    }
}
