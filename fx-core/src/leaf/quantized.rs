//! Quantized tensors: `QTensor`, and what `QMatMul` does besides `forward`.
//!
//! Invariant: a graph holds the quantized data and works on it when it runs, as the original does.

use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{DType, Device, Result, Shape};

use crate::module::{Called, LayerModule};
use crate::ops::infer::{Inferred, refuse};
use crate::ops::{InferError, IntoValue};
use crate::trace::{Given, Held, Holding, Proxy, Scope, Session, Traceable, call_layer};
use crate::value::{Fact, TensorFact, Value};

use super::layer::{Leaf, argument};
use super::method::Method;

/// The mirror of a `QTensor`.
///
/// The graph holds the quantized blocks as they are; a call of it is one node.
#[derive(Clone)]
pub struct QTensorLeaf {
    scope: Scope,
    original: Arc<QTensor>,
    dequantize: Arc<dyn LayerModule>,
    dequantize_f16: Arc<dyn LayerModule>,
    embedding: Arc<dyn LayerModule>,
    indexed_moe_forward: Arc<dyn LayerModule>,
}

impl Traceable for QTensor {
    type Symbolic = QTensorLeaf;

    /// The tensor that a model owns alone is copied: candle lets nobody share it.
    fn symbolic(&self, scope: &Scope) -> QTensorLeaf {
        let copy = self.data().and_then(|data| {
            let storage = QStorage::from_data(data, &self.device(), self.dtype())?;
            QTensor::new(storage, self.shape())
        });
        match copy {
            Ok(copy) => QTensorLeaf::new(Arc::new(copy), scope),
            Err(error) => Session::abort_current(&error),
        }
    }

    fn symbolic_shared(this: &Arc<Self>, scope: &Scope) -> QTensorLeaf {
        QTensorLeaf::new(this.clone(), scope)
    }

    fn held(mirror: &QTensorLeaf, _: &mut Holding) -> Held {
        Held::layer(&mirror.scope, &mirror.dequantize)
    }
}

impl QTensorLeaf {
    fn new(original: Arc<QTensor>, scope: &Scope) -> Self {
        let method = |called, call, infer| -> Arc<dyn LayerModule> {
            Arc::new(Method { of: original.clone(), type_name: "QTensor", called, call, infer })
        };
        Self {
            scope: scope.clone(),
            dequantize: method(
                Called { method: "dequantize", options: &[] },
                |weight, args| weight.dequantize(&device(args)?)?.into_value(),
                |weight, _| Ok(Fact::tensor(weight.shape(), DType::F32)),
            ),
            dequantize_f16: method(
                Called { method: "dequantize_f16", options: &[] },
                |weight, args| weight.dequantize_f16(&device(args)?)?.into_value(),
                |weight, _| Ok(Fact::tensor(weight.shape(), DType::F16)),
            ),
            embedding: method(
                Called { method: "embedding", options: &[] },
                |weight, args| weight.embedding(argument(args, 0)?)?.into_value(),
                |weight, facts| embedded(weight.shape(), facts),
            ),
            indexed_moe_forward: method(
                Called { method: "indexed_moe_forward", options: &["ids"] },
                |weight, args| weight.indexed_moe_forward(argument(args, 0)?, argument(args, 1)?)?.into_value(),
                |weight, facts| of_experts(weight.shape(), facts),
            ),
            original,
        }
    }

    /// The tensor itself, which the graph may share.
    pub(super) fn original(&self) -> &Arc<QTensor> {
        &self.original
    }

    /// How its elements are quantized.
    #[must_use]
    pub fn dtype(&self) -> GgmlDType {
        self.original.dtype()
    }

    /// Where it is.
    #[must_use]
    pub fn device(&self) -> Device {
        self.original.device()
    }

    /// Number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.original.rank()
    }

    /// Its shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        self.original.shape()
    }

    /// Its size in bytes.
    #[must_use]
    pub fn storage_size_in_bytes(&self) -> usize {
        self.original.storage_size_in_bytes()
    }

    /// Records a call: its elements as `f32`.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn dequantize(&self, device: &Device) -> Result<Proxy> {
        call_layer(&self.dequantize, &self.scope, &[Given::Data(Value::Device(crate::value::Device(device.clone())))])
    }

    /// Records a call: its elements as `f16`.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn dequantize_f16(&self, device: &Device) -> Result<Proxy> {
        call_layer(
            &self.dequantize_f16,
            &self.scope,
            &[Given::Data(Value::Device(crate::value::Device(device.clone())))],
        )
    }

    /// Records a call: its rows at these indices.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn embedding(&self, ids: &Proxy) -> Result<Proxy> {
        call_layer(&self.embedding, &self.scope, &[Given::Proxy(ids.clone())])
    }

    /// Records a call: the product with the matrices that each row chooses.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn indexed_moe_forward(&self, x: &Proxy, ids: &Proxy) -> Result<Proxy> {
        call_layer(&self.indexed_moe_forward, &self.scope, &[Given::Proxy(x.clone()), Given::Proxy(ids.clone())])
    }
}

impl std::fmt::Debug for QTensorLeaf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "QTensor({})", self.scope.path())
    }
}

fn device(args: &[&Value]) -> Result<Device> {
    match args {
        [Value::Device(device), ..] => Ok(device.0.clone()),
        _ => candle_core::bail!("a quantized tensor is dequantized on a device"),
    }
}

fn tensor<'f>(facts: &[&'f Fact], index: usize) -> std::result::Result<Option<&'f TensorFact>, InferError> {
    match facts.get(index) {
        Some(Fact::Tensor(fact)) => Ok(Some(fact)),
        Some(Fact::Unknown) => Ok(None),
        _ => Err(InferError(format!("argument {index} should be a tensor"))),
    }
}

/// Rows of a quantized matrix.
fn embedded(weight: &Shape, facts: &[&Fact]) -> Inferred {
    let (_, size) = weight.dims2()?;
    let Some(ids) = tensor(facts, 0)? else { return Ok(Fact::Unknown) };
    let dims: Vec<usize> = ids.dims().iter().copied().chain([size]).collect();
    Ok(Fact::tensor(dims, DType::F32))
}

/// Each row of `(rows, 1 or chosen, from)` times the chosen matrices of `(experts, to, from)`.
fn of_experts(weight: &Shape, facts: &[&Fact]) -> Inferred {
    let (_, to, from) = weight.dims3()?;
    let (Some(x), Some(ids)) = (tensor(facts, 0)?, tensor(facts, 1)?) else { return Ok(Fact::Unknown) };
    let &[rows, chosen] = ids.dims() else { refuse!("{ids} should be (rows, chosen experts)") };
    match *x.dims() {
        [of, each, last] if of == rows && last == from && (each == 1 || each == chosen) => {
            Ok(Fact::tensor((rows, chosen, to), x.dtype))
        }
        _ => refuse!("{x} should be ({rows}, 1 or {chosen}, {from})"),
    }
}

// ── QMatMul ────────────────────────────────────────────────────────────────────────────────────────────────────────

fn shape_of(layer: &QMatMul) -> &Shape {
    match layer {
        QMatMul::QTensor(weight) => weight.shape(),
        QMatMul::Tensor(weight) | QMatMul::TensorF16(weight) => weight.shape(),
    }
}

impl Leaf<QMatMul> {
    #[track_caller]
    fn method(
        &self,
        called: Called,
        given: &[&Proxy],
        call: fn(&QMatMul, &[&Value]) -> Result<Value>,
        infer: fn(&QMatMul, &[&Fact]) -> Inferred,
    ) -> Result<Proxy> {
        let of = Arc::new(self.original().clone());
        let layer: Arc<dyn LayerModule> = Arc::new(Method { of, type_name: "QMatMul", called, call, infer });
        let given: Vec<Given> = given.iter().map(|&proxy| Given::Proxy(proxy.clone())).collect();
        call_layer(&layer, self.scope(), &given)
    }

    /// Records a call: the matrix as `f16`.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn dequantize_f16(&self) -> Result<Proxy> {
        self.method(
            Called { method: "dequantize_f16", options: &[] },
            &[],
            |layer, _| layer.dequantize_f16()?.into_value(),
            |layer, _| Ok(Fact::tensor(shape_of(layer), DType::F16)),
        )
    }

    /// Records a call: the product, computed in `f16`.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_via_f16(&self, xs: &Proxy) -> Result<Proxy> {
        self.method(
            Called { method: "forward_via_f16", options: &[] },
            &[xs],
            |layer, args| layer.forward_via_f16(argument(args, 0)?)?.into_value(),
            |layer, facts| {
                let (to, from) = shape_of(layer).dims2()?;
                let Some(x) = tensor(facts, 0)? else { return Ok(Fact::Unknown) };
                match x.dims() {
                    [front @ .., last] if *last == from && !front.is_empty() => {
                        Ok(Fact::tensor([front, &[to]].concat(), x.dtype))
                    }
                    _ => refuse!("{x} should have a last dimension of {from}"),
                }
            },
        )
    }

    /// Records a call: rows of the matrix at these indices.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn embedding(&self, ids: &Proxy) -> Result<Proxy> {
        self.method(
            Called { method: "embedding", options: &[] },
            &[ids],
            |layer, args| layer.embedding(argument(args, 0)?)?.into_value(),
            |layer, facts| {
                Ok(match (embedded(shape_of(layer), facts)?, layer) {
                    (Fact::Tensor(rows), QMatMul::Tensor(weight) | QMatMul::TensorF16(weight)) => {
                        Fact::tensor(rows.shape, weight.dtype())
                    }
                    (fact, _) => fact,
                })
            },
        )
    }

    /// Records a call: the product with the matrices that each row chooses.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn indexed_moe_forward(&self, x: &Proxy, ids: &Proxy) -> Result<Proxy> {
        self.method(
            Called { method: "indexed_moe_forward", options: &["ids"] },
            &[x, ids],
            |layer, args| layer.indexed_moe_forward(argument(args, 0)?, argument(args, 1)?)?.into_value(),
            |layer, facts| of_experts(shape_of(layer), facts),
        )
    }
}
