//! Every layer's shape rule against the layer itself: both accept, with the same shape and dtype, or both refuse.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Tensor};
use candle_nn::{
    Activation, BatchNorm, Conv1d, Conv2d, Conv2dConfig, ConvTranspose1d, ConvTranspose2d, Dropout, Embedding,
    GroupNorm, LayerNorm, Linear, PReLU, RmsNorm,
};
use fx_core::module::LayerModule;
use fx_core::value::{Fact, Value};

fn tensor(dims: &[usize]) -> Tensor {
    Tensor::rand(0.1f32, 1f32, dims, &Device::Cpu).expect("a small tensor")
}

fn layers() -> Vec<Box<dyn LayerModule>> {
    let strided = Conv2dConfig { padding: 1, stride: 2, dilation: 1, groups: 2, cudnn_fwd_algo: None };
    let quantized = QTensor::quantize(&tensor(&[4, 32]), GgmlDType::Q8_0).expect("whole blocks");
    vec![
        Box::new(Linear::new(tensor(&[5, 4]), Some(tensor(&[5])))),
        Box::new(Linear::new(tensor(&[5, 4]), None)),
        Box::new(Conv1d::new(tensor(&[6, 4, 3]), Some(tensor(&[6])), Default::default())),
        Box::new(Conv2d::new(tensor(&[6, 4, 3, 3]), Some(tensor(&[6])), Default::default())),
        Box::new(Conv2d::new(tensor(&[6, 2, 3, 3]), None, strided)),
        Box::new(ConvTranspose1d::new(tensor(&[4, 6, 3]), Some(tensor(&[6])), Default::default())),
        Box::new(ConvTranspose2d::new(tensor(&[4, 6, 3, 3]), Some(tensor(&[6])), Default::default())),
        Box::new(Embedding::new(tensor(&[10, 4]), 4)),
        Box::new(LayerNorm::new(tensor(&[4]), tensor(&[4]), 1e-5)),
        Box::new(LayerNorm::new_no_bias(tensor(&[4]), 1e-5)),
        Box::new(RmsNorm::new(tensor(&[4]), 1e-5)),
        Box::new(GroupNorm::new(tensor(&[4]), tensor(&[4]), 4, 2, 1e-5).expect("whole groups")),
        Box::new(
            BatchNorm::new(4, tensor(&[4]), tensor(&[4]), tensor(&[4]), tensor(&[4]), 1e-5)
                .expect("fitting statistics"),
        ),
        Box::new(Activation::Gelu),
        Box::new(Activation::Swiglu),
        Box::new(Activation::Elu(1.0)),
        Box::new(PReLU::new(tensor(&[4]), false)),
        Box::new(PReLU::new(tensor(&[1]), true)),
        Box::new(Dropout::new(0.5)),
        Box::new(QMatMul::Tensor(tensor(&[5, 4]))),
        Box::new(QMatMul::from_qtensor(quantized).expect("a matrix")),
    ]
}

fn inputs() -> Vec<Tensor> {
    let shapes: &[&[usize]] = &[
        &[],
        &[4],
        &[5],
        &[3, 4],
        &[3, 5],
        &[3, 32],
        &[2, 3, 4],
        &[2, 4, 8],
        &[2, 3, 32],
        &[1, 4, 2],
        &[2, 3, 3, 4],
        &[2, 4, 6, 8],
        &[2, 4, 3, 3],
        &[1, 4, 1, 1],
        &[2, 5, 6, 8],
        &[2, 2, 3, 3, 4],
        &[0, 4],
        &[2, 4, 0],
    ];
    let floats = shapes.iter().map(|dims| tensor(dims));
    let of = |dims: &[usize], dtype| tensor(dims).to_dtype(dtype).expect("numbers");
    let dtypes = [DType::U32, DType::I64, DType::F64, DType::F16, DType::BF16];
    let others = dtypes.iter().flat_map(|&dtype| [&[2, 4][..], &[2, 4, 3], &[0, 4]].map(|dims| of(dims, dtype)));
    floats.chain(others).collect()
}

/// The input, and what else the layer takes.
fn arguments(layer: &dyn LayerModule, input: &Tensor, train: bool) -> Vec<Value> {
    let options = layer.called().options.iter().map(|_| Value::Bool(train));
    std::iter::once(Value::from(input)).chain(options).collect()
}

#[test]
fn rules_agree_with_layers() {
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    for layer in layers() {
        let mut accepts = false;
        for input in inputs() {
            let values = arguments(&*layer, &input, false);
            let facts: Vec<Fact> = values.iter().map(Fact::of).collect();
            let inferred = layer.infer(&facts.iter().collect::<Vec<_>>());
            // candle panics on some of what the rules refuse; what a rule accepts must run.
            if inferred.is_err() {
                refused += 1;
                continue;
            }
            let call = || layer.call(&values.iter().collect::<Vec<_>>()).map(|value| Fact::of(&value));
            let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
            let found = found.unwrap_or_else(|_| Err(candle_core::Error::Msg("the layer panicked".to_owned())));
            match (&inferred, &found) {
                (Ok(inferred), Ok(found)) if inferred == found => (accepts, accepted) = (true, accepted + 1),
                (inferred, found) => {
                    let (name, input) = (layer.type_name(), Fact::of(&values[0]));
                    wrong.push(format!("{name} on {input}: rule {inferred:?}, layer {found:?}"));
                }
            }
        }
        assert!(accepts, "{} accepts nothing", layer.type_name());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(accepted > 60 && refused > 60, "{accepted} accepted, {refused} refused");
}

#[test]
fn rules_refuse_only_what_layers_refuse() {
    let mut wrong = Vec::new();
    for layer in layers() {
        for input in inputs() {
            let values = arguments(&*layer, &input, false);
            let facts: Vec<Fact> = values.iter().map(Fact::of).collect();
            let Err(reason) = layer.infer(&facts.iter().collect::<Vec<_>>()) else { continue };
            let call = || layer.call(&values.iter().collect::<Vec<_>>());
            let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call));
            // candle compares dtypes element by element: where there are none, it finds no difference.
            let unnoticed = input.elem_count() == 0 && reason.0.starts_with("dtypes differ");
            if matches!(ran, Ok(Ok(_))) && !unnoticed {
                wrong.push(format!("{} on {}: {reason}", layer.type_name(), Fact::of(&values[0])));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
