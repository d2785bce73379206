//! Quantized tensors and candle's streams: captured calls give what candle gives, to the last bit.

use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::streaming::{BinOp, StreamTensor, StreamingBinOp};
use candle_core::{D, DType, Device, Result, Tensor};
use fx_core::module::GraphModule;
use fx_core::trace::Tracer;
use fx_core::value::Value;

fn numbers(dims: &[usize]) -> Tensor {
    let count: usize = dims.iter().product();
    let data: Vec<f32> = (0..count).map(|i| (i as f32 * 0.61).sin()).collect();
    Tensor::from_vec(data, dims, &Device::Cpu).expect("as many numbers")
}

fn quantized() -> QTensor {
    QTensor::quantize(&numbers(&[6, 64]), GgmlDType::Q8_0).expect("whole blocks")
}

fn bits(tensor: &Tensor) -> (Vec<usize>, DType, Vec<u64>) {
    let data = tensor.to_dtype(DType::F64).and_then(|data| data.flatten_all()?.to_vec1::<f64>());
    (tensor.dims().to_vec(), tensor.dtype(), data.expect("numbers").into_iter().map(f64::to_bits).collect())
}

fn assert_returns(expected: &[Tensor], module: &GraphModule, x: &Tensor) {
    module.check().unwrap_or_else(|errors| panic!("{errors}\n{}", module.graph()));
    let value = module.run(&[Value::from(x)]).unwrap_or_else(|error| panic!("{error}\n{}", module.graph()));
    let (Value::List(values) | Value::Tuple(values)) = &value else { panic!("a list, not {value:?}") };
    let found: Vec<&Tensor> = values.iter().filter_map(Value::as_tensor).collect();
    assert_eq!(expected.len(), found.len());
    for (expected, found) in expected.iter().zip(found) {
        assert_eq!(bits(expected), bits(found), "{}", module.graph());
    }
}

fn tracers(x: &Tensor) -> [Tracer<'_>; 2] {
    [Tracer::new().example("x", x), Tracer::new().input("x", x.dtype(), x.shape())]
}

macro_rules! weight {
    ($weight:expr, $x:expr) => {{
        let (weight, x) = ($weight, $x);
        let rows = weight.dequantize(&weight.device())?;
        let half = weight.dequantize_f16(&Device::Cpu)?;
        let ids = x.narrow(1, 0, 3)?.abs()?.to_dtype(DType::U32)?;
        Ok(vec![x.matmul(&rows.t()?)?, half, weight.embedding(&ids)?])
    }};
}

#[test]
fn a_quantized_tensor_owned_and_shared() {
    let x = numbers(&[2, 64]);
    let expected: Result<Vec<Tensor>> = (|| weight!(quantized(), &x))();
    let expected = expected.expect("candle runs it");
    for tracer in tracers(&x) {
        let module = tracer
            .trace_with(&(quantized(),), |(weight,), inputs| -> Result<Vec<_>> {
                assert_eq!((weight.dtype(), weight.rank(), weight.shape().dims()), (GgmlDType::Q8_0, 2, &[6, 64][..]));
                weight!(&*weight, inputs.tensor("x")?)
            })
            .expect("captured");
        assert_returns(&expected, &module, &x);
    }
    for tracer in tracers(&x) {
        let module = tracer
            .trace_with(&(Arc::new(quantized()),), |(weight,), inputs| -> Result<Vec<_>> {
                weight!(&*weight, inputs.tensor("x")?)
            })
            .expect("captured");
        assert_returns(&expected, &module, &x);
    }
}

macro_rules! product {
    ($weight:expr, $x:expr) => {{
        let (weight, x) = ($weight, $x);
        let ids = x.narrow(1, 0, 3)?.abs()?.to_dtype(DType::U32)?;
        Ok(vec![weight.forward_via_f16(&x)?, weight.dequantize_f16()?, weight.embedding(&ids)?])
    }};
}

#[test]
fn a_quantized_matrix_in_half_precision() {
    let x = numbers(&[2, 64]);
    for weight in [QMatMul::from_qtensor(quantized()).expect("a matrix"), QMatMul::Tensor(numbers(&[6, 64]))] {
        let expected: Result<Vec<Tensor>> = (|| product!(&weight, &x))();
        let expected = expected.expect("candle runs it");
        for tracer in tracers(&x) {
            let module = tracer
                .trace_with(&(weight.clone(),), |(weight,), inputs| -> Result<Vec<_>> {
                    product!(&*weight, inputs.tensor("x")?)
                })
                .expect("captured");
            assert_returns(&expected, &module, &x);
        }
    }
}

// ── Streams ────────────────────────────────────────────────────────────────────────────────────────────────────────

macro_rules! stream {
    ($stream:ty, $held:expr, $op:expr, $x:expr) => {{
        let (held, op, x) = ($held, $op, $x);
        let stream = held.cat2(&<$stream>::from(x.clone()), D::Minus1)?;
        let (first, rest) = stream.split(D::Minus1, 3)?;
        let part = rest.narrow(D::Minus1, 1, 100)?;
        let sum = op.step(&first, &<$stream>::empty())?;
        let more = op.step(&part, &first)?;
        let beyond = rest.narrow(D::Minus1, 100, 1)?;
        held.reset();
        let out = [&stream, &first, &rest, &part, &sum, &more, &beyond, &*held];
        Ok(out.iter().filter_map(|stream| stream.as_option().cloned()).collect())
    }};
}

#[test]
fn streams_and_what_computes_on_them() {
    let (x, held) = (numbers(&[1, 2, 5]), numbers(&[1, 2, 4]));
    for op in [BinOp::Add, BinOp::Mul, BinOp::Sub, BinOp::Div] {
        for held in [StreamTensor::from(held.clone()), StreamTensor::empty()] {
            let expected: Result<Vec<Tensor>> = (|| {
                let (mut held, mut op) = (held.clone(), StreamingBinOp::new(op, D::Minus1));
                stream!(StreamTensor, &mut held, &mut op, &x)
            })();
            for tracer in tracers(&x) {
                let model = (held.clone(), StreamingBinOp::new(op, D::Minus1));
                let module = tracer
                    .trace_with(&model, |(held, op), inputs| -> Result<Vec<_>> {
                        stream!(fx_core::leaf::streaming::StreamTensor, held, op, inputs.tensor("x")?)
                    })
                    .expect("captured");
                assert_returns(expected.as_ref().expect("candle runs it"), &module, &x);
            }
        }
    }
}

#[test]
fn a_stream_that_is_held_back_is_refused() {
    let x = numbers(&[1, 2, 5]);
    let mut op = StreamingBinOp::new(BinOp::Add, D::Minus1);
    op.step(&x.clone().into(), &().into()).expect("nothing to add");
    let captured = Tracer::new().example("x", &x).trace_with(&(op,), |_, inputs| inputs.tensor("x"));
    let error = captured.expect_err("candle does not show what is held back");
    assert!(error.to_string().contains("reset_state"), "{error}");
}
