//! Types with parameters of every kind.
#![deny(warnings)]

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

#[fx::module]
struct Residual<M> {
    inner: M,
}

#[fx::module]
impl<M: Module> Module for Residual<M> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.inner.forward(x)? + x
    }
}

#[fx::module]
struct Stack<M, const N: usize>
where
    M: Module,
{
    layers: [M; N],
}

#[fx::module]
impl<M, const N: usize> Module for Stack<M, N>
where
    M: Module,
{
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for layer in &self.layers {
            x = layer.forward(&x)?;
        }
        Ok(x)
    }
}

#[fx::module]
struct Named<'a> {
    name: &'a str,
    linear: Linear,
}

#[fx::module]
impl<'a> Named<'a> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if self.name.is_empty() { Ok(x.clone()) } else { self.linear.forward(x) }
    }
}

fn main() {
    let linear = || Linear::new(Tensor::new(&[[1f32]], &candle_core::Device::Cpu).unwrap(), None);
    let model = Stack { layers: [Residual { inner: linear() }, Residual { inner: linear() }] };
    assert_eq!(fx::symbolic_trace(&model).unwrap().graph().len(), 6);
    let name = String::from("named");
    let model = Named { name: &name, linear: linear() };
    assert_eq!(fx::symbolic_trace(&model).unwrap().graph().len(), 3);
}
