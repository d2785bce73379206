//! Passes: cases as text, the manager, the order of effects, seeded random graphs, and large ones.

mod cases;
mod manager;
mod order;
mod random;
mod scale;

use candle_core::{Device, Tensor};
use fx_core::module::GraphModule;
use fx_core::value::Value;

/// A tensor of numbers that are not alike.
fn data(shape: &[usize], seed: usize) -> Tensor {
    let count: usize = shape.iter().product();
    let data: Vec<f32> = (0..count).map(|i| (((i + 31 * seed) as f32) * 0.7).sin()).collect();
    Tensor::from_vec(data, shape, &Device::Cpu).unwrap()
}

/// Every tensor that a value holds, as bits.
fn bits(value: &Value) -> Vec<Vec<u32>> {
    let bits = |tensor: &&Tensor| {
        let data = tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        data.into_iter().map(f32::to_bits).collect()
    };
    value.tensors().iter().map(bits).collect()
}

/// Two modules give the same to the bit.
#[track_caller]
fn assert_same(before: &GraphModule, after: &GraphModule, inputs: &[Value]) {
    let (before, after) = (before.run(inputs).unwrap(), after.run(inputs).unwrap());
    assert_eq!(bits(&before), bits(&after));
}
