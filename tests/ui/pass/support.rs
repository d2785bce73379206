//! What the cases have in common.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::Linear;
use fx::__private::Entry;

/// A layer of two by two, with numbers that are not all the same.
pub(crate) fn linear() -> Linear {
    let weight = Tensor::new(&[[1f32, -2.0], [0.5, 3.0]], &Device::Cpu).expect("four numbers");
    Linear::new(weight, None)
}

/// An input for it.
pub(crate) fn input() -> Tensor {
    Tensor::new(&[[0.25f32, -1.5], [2.0, 1.0]], &Device::Cpu).expect("four numbers")
}

/// Captures a model with its input, and compares what both compute.
pub(crate) fn same<M, K>(model: &M, own: impl Fn(&M, &Tensor) -> Result<Tensor>)
where
    M: fx::Traceable,
    M::Symbolic: Entry<K>,
{
    let x = input();
    let module = fx::trace(model, (&x,)).expect("it is captured");
    let (graph, own) = (module.forward(&[&x]).expect("it runs"), own(model, &x).expect("the model runs"));
    let numbers = |y: &Tensor| y.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>();
    assert_eq!(numbers(&graph).expect("numbers"), numbers(&own).expect("numbers"), "{}", module.graph());
}
