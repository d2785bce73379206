//! The functions of `candle_nn::moe`: products with the matrices of the experts that each row chooses, on CUDA only.
//!
//! Invariant: each is one node, which runs candle's function.

use std::sync::Arc;

use candle_core::quantized::QTensor;
use candle_core::{DType, Result, Tensor};

use crate::module::{Called, LayerModule};
use crate::ops::{InferError, IntoValue};
use crate::trace::{Given, Proxy, Scope, call_layer};
use crate::value::{Fact, Value};

use super::layer::argument;
use super::quantized::QTensorLeaf;

/// The arguments of a call: the tensors, then how many experts are chosen and whether it is for a prompt.
const CALLED: Called = Called {
    method: "moe_gemm",
    options: &["weights", "topk_weights", "sorted_token_ids", "experts_ids", "topk", "is_prefill"],
};

/// candle's function, with the matrices among its arguments or its own.
struct Gemm {
    quantized: Option<(Arc<QTensor>, DType)>,
}

impl LayerModule for Gemm {
    fn type_name(&self) -> &str {
        if self.quantized.is_some() { "moe_gemm_gguf" } else { "moe_gemm" }
    }

    fn called(&self) -> Called {
        CALLED
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        let topk_weights: Option<Tensor> = argument(args, 2)?;
        let (input, tokens, experts) = (argument(args, 0)?, argument(args, 3)?, argument(args, 4)?);
        let (topk, is_prefill) = (argument(args, 5)?, argument(args, 6)?);
        let result = match &self.quantized {
            Some((weights, dtype)) => {
                candle_nn::moe::moe_gemm_gguf(input, weights, &topk_weights, tokens, experts, topk, is_prefill, *dtype)
            }
            None => {
                let weights = argument(args, 1)?;
                candle_nn::moe::moe_gemm(input, weights, &topk_weights, tokens, experts, topk, is_prefill)
            }
        };
        result?.into_value()
    }

    /// What it does to shapes is not known.
    fn infer(&self, _: &[&Fact]) -> std::result::Result<Fact, InferError> {
        Ok(Fact::Unknown)
    }

    fn instead_of_saving(&self) -> &'static str {
        "put the call into a function of its own with `#[fx::wrap]`"
    }
}

#[track_caller]
fn record(
    gemm: Gemm,
    weights: Given,
    tensors: [&Proxy; 3],
    topk_weights: Option<&Proxy>,
    topk: usize,
    is_prefill: bool,
) -> Result<Proxy> {
    let session = tensors[0].session();
    let path = session.state().made_path(gemm.type_name());
    let layer: Arc<dyn LayerModule> = Arc::new(gemm);
    let [input, tokens, experts] = tensors.map(|proxy| Given::Proxy(proxy.clone()));
    let topk_weights = topk_weights.map_or(Given::Data(Value::None), |proxy| Given::Proxy(proxy.clone()));
    let topk = Given::Data(Value::Int(i64::try_from(topk).unwrap_or(i64::MAX)));
    let given = [input, weights, topk_weights, tokens, experts, topk, Given::Data(Value::Bool(is_prefill))];
    call_layer(&layer, &Scope::root(session).child(path.as_str()), &given)
}

/// Records a call.
///
/// # Errors
/// What candle refuses.
#[track_caller]
pub fn moe_gemm(
    input: &Proxy,
    weights: &Proxy,
    topk_weights: &Option<Proxy>,
    sorted_token_ids: &Proxy,
    experts_ids: &Proxy,
    topk: usize,
    is_prefill: bool,
) -> Result<Proxy> {
    let tensors = [input, sorted_token_ids, experts_ids];
    let weights = Given::Proxy(weights.clone());
    record(Gemm { quantized: None }, weights, tensors, topk_weights.as_ref(), topk, is_prefill)
}

/// Records a call.
///
/// # Errors
/// What candle refuses.
#[allow(clippy::too_many_arguments, reason = "candle's")]
#[track_caller]
pub fn moe_gemm_gguf(
    input: &Proxy,
    weights: &QTensorLeaf,
    topk_weights: &Option<Proxy>,
    sorted_token_ids: &Proxy,
    experts_ids: &Proxy,
    topk: usize,
    is_prefill: bool,
    dtype: DType,
) -> Result<Proxy> {
    let gemm = Gemm { quantized: Some((weights.original().clone(), dtype)) };
    let tensors = [input, sorted_token_ids, experts_ids];
    record(gemm, Given::Data(Value::None), tensors, topk_weights.as_ref(), topk, is_prefill)
}
