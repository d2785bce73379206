//! The state of a quantized matrix: its blocks as bytes, as a GGUF file has them.
//!
//! Invariant: blocks are kept to the bit, never dequantized.

use std::borrow::Cow;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{DType, Device, Result, Shape, Tensor};

use super::debug;
use super::written::shape;
use crate::module::{LayerKind, LayerModule, LayerState};
use crate::value::Value;

/// How it is made again: from a matrix (`weight`), from one whose product is computed in f16 (`dtype` is `TensorF16`), or
/// from `blocks` of a GGUF type.
pub(super) const KIND: LayerKind =
    LayerKind { name: "QMatMul", options: &["dtype", "shape"], tensors: &["blocks", "weight"], make };

const PLAIN: &str = "Tensor";
const HALF: &str = "TensorF16";

/// What it is made of.
pub(super) fn state(layer: &QMatMul) -> Option<LayerState> {
    let (dtype, shape, tensor) = match layer {
        QMatMul::Tensor(weight) => (PLAIN.to_owned(), weight.shape(), ("weight", weight.clone())),
        QMatMul::TensorF16(weight) => (HALF.to_owned(), weight.shape(), ("weight", weight.clone())),
        QMatMul::QTensor(weight) => {
            let bytes = weight.data().ok()?;
            let blocks = Tensor::from_slice(&bytes, bytes.len(), &Device::Cpu).ok()?;
            let blocks = blocks.to_device(&weight.device()).ok()?;
            (format!("{:?}", weight.dtype()), weight.shape(), ("blocks", blocks))
        }
    };
    let dims = shape.dims().iter().map(|&dim| i64::try_from(dim).ok().map(Value::Int)).collect::<Option<_>>()?;
    let options = vec![("dtype", Value::Str(dtype.into())), ("shape", Value::Tuple(dims))];
    Some(LayerState { options, tensors: vec![tensor] })
}

/// Its source. The blocks of a quantized matrix are bytes in the weights, of which `quantized` makes it.
pub(super) fn written(layer: &QMatMul) -> Result<Option<String>> {
    const QUANTIZED: &str = "candle_core::quantized";
    Ok(Some(match layer {
        QMatMul::Tensor(weight) => {
            format!("{QUANTIZED}::QMatMul::Tensor(vb.get({}, \"weight\")?)", shape(weight.shape()))
        }
        QMatMul::TensorF16(weight) => {
            format!("{QUANTIZED}::QMatMul::TensorF16(vb.get({}, \"weight\")?)", shape(weight.shape()))
        }
        QMatMul::QTensor(weight) => {
            let (len, dtype, shape) = (weight.data()?.len(), weight.dtype(), shape(weight.shape()));
            format!("quantized(vb.get({len}, \"blocks\")?, {QUANTIZED}::GgmlDType::{dtype:?}, {shape})?")
        }
    }))
}

/// How many numbers its tensor holds: not as many as there are bytes.
pub(super) fn numbers(layer: &QMatMul, _: &str, tensor: &Tensor) -> usize {
    match layer {
        QMatMul::QTensor(weight) => weight.shape().elem_count(),
        QMatMul::Tensor(_) | QMatMul::TensorF16(_) => tensor.elem_count(),
    }
}

fn make(state: &LayerState) -> Result<Arc<dyn LayerModule>> {
    let (dtype, shape) = (state.option::<&str>("dtype")?, state.option::<Shape>("shape")?);
    let layer = match dtype {
        PLAIN => QMatMul::Tensor(weight(state, &shape)?),
        HALF => QMatMul::TensorF16(weight(state, &shape)?),
        _ => QMatMul::QTensor(Arc::new(from_blocks(&state.tensor("blocks")?, block_type(dtype)?, shape)?)),
    };
    Ok(Arc::new(layer))
}

fn weight(state: &LayerState, shape: &Shape) -> Result<Tensor> {
    let weight: Tensor = state.tensor("weight")?;
    if weight.shape() != shape {
        candle_core::bail!("the weight should be of shape {shape:?}, but is of {:?}", weight.shape());
    }
    Ok(weight)
}

fn block_type(name: &str) -> Result<GgmlDType> {
    use GgmlDType::{BF16, F16, F32, Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K, Q6K, Q8_0, Q8_1, Q8K};
    debug::named(name, [F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q8_1, Q2K, Q3K, Q4K, Q5K, Q6K, Q8K])
}

fn from_blocks(blocks: &Tensor, dtype: GgmlDType, shape: Shape) -> Result<QTensor> {
    if blocks.dtype() != DType::U8 {
        candle_core::bail!("the blocks should be bytes (u8), but are {}", blocks.dtype().as_str());
    }
    let count = shape.dims().iter().try_fold(1usize, |count, &dim| count.checked_mul(dim));
    let expected = count.and_then(|count| (count / dtype.block_size()).checked_mul(dtype.type_size()));
    if expected != Some(blocks.elem_count()) {
        candle_core::bail!("{dtype:?} of shape {shape:?} does not have {} bytes", blocks.elem_count());
    }
    // Candle reads the bytes where they are, and asks for them to be aligned.
    const ALIGN: usize = 16;
    let bytes = blocks.flatten_all()?.to_vec1::<u8>()?;
    let mut room = vec![0u8; bytes.len() + ALIGN];
    let start = (0..ALIGN).find(|&start| (room[start..].as_ptr() as usize).is_multiple_of(ALIGN)).unwrap_or(0);
    let aligned = &mut room[start..start + bytes.len()];
    aligned.copy_from_slice(&bytes);
    QTensor::new(QStorage::from_data(Cow::Borrowed(aligned), blocks.device(), dtype)?, shape)
}
