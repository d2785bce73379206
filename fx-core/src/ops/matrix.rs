//! Every operation on every sample: the rule agrees with candle. And every name that candle's models use is described.
//!
//! Invariant: a new operation is tested by being in the table; nothing here names one, but for the lists of names.

use std::collections::HashSet;

use candle_core::DType;

use super::def::{Args, CallKind, Facts, OpRef};
use super::infer::InferError;
use super::quiet::quietly;
use super::sample::Sample;
use super::table::{OpTable, files};
use crate::value::{Fact, Value};

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    Result(Fact),
    Refused(String),
    Panicked(String),
}

fn evaluated(op: OpRef, values: &[&Value]) -> Outcome {
    let call = || (op.eval)(Args { op, values });
    match quietly(call) {
        Ok(Ok(value)) => Outcome::Result(Fact::of(&value)),
        Ok(Err(error)) => Outcome::Refused(InferError::from(error).to_string()),
        Err(panic) => Outcome::Panicked(
            panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                .unwrap_or_default(),
        ),
    }
}

fn inferred(op: OpRef, facts: &[&Fact]) -> Outcome {
    let call = || (op.infer)(Facts { op, facts });
    match quietly(call) {
        Ok(Ok(fact)) => Outcome::Result(fact),
        Ok(Err(error)) => Outcome::Refused(error.to_string()),
        Err(_) => Outcome::Panicked("in the rule".to_string()),
    }
}

/// As the tracer knows arguments: tensors by their facts, plain data exactly.
fn fact(value: &Value) -> Fact {
    if value.tensors().is_empty() && !matches!(value, Value::List(items) if items.is_empty()) {
        Fact::Data(value.clone())
    } else {
        Fact::of(value)
    }
}

fn shown(sample: &Sample) -> String {
    sample.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Only another device has a kernel for these, so no sample is accepted here.
const ELSEWHERE: &[&str] = &["candle_nn::ops::sdpa"];

#[test]
fn rules_agree_with_candle() {
    let (mut failures, mut samples) = (Vec::new(), 0);
    for op in OpTable::builtin().iter() {
        let (mut accepted, mut refused) = (0, 0);
        for sample in (op.samples)() {
            samples += 1;
            let values: Vec<_> = sample.0.iter().collect();
            let facts: Vec<_> = sample.0.iter().map(fact).collect();
            let structured: Vec<_> = sample.0.iter().map(Fact::of).collect();
            let eval = evaluated(op, &values);
            let infer = inferred(op, &facts.iter().collect::<Vec<_>>());
            match (&eval, &infer) {
                (Outcome::Result(value), Outcome::Result(rule)) if value == rule => accepted += 1,
                (Outcome::Refused(_) | Outcome::Panicked(_), Outcome::Refused(_)) => refused += 1,
                _ => failures.push(format!("{}({}): candle {eval:?}, rule {infer:?}", op.name, shown(&sample))),
            }
            // The same data, given as a list of facts, means the same.
            let again = inferred(op, &structured.iter().collect::<Vec<_>>());
            if again != infer && !matches!((&again, &infer), (Outcome::Refused(_), Outcome::Refused(_))) {
                failures.push(format!("{}({}): depends on how data is given", op.name, shown(&sample)));
            }
        }
        // Of nothing known, nothing follows, and nothing is refused.
        let unknown = vec![&Fact::Unknown; op.params.len()];
        if inferred(op, &unknown) != Outcome::Result(Fact::Unknown) {
            failures.push(format!("{}: is not unknown of unknown arguments", op.name));
        }
        if accepted == 0 && !ELSEWHERE.contains(&op.name) {
            failures.push(format!("{}: no sample is accepted", op.name));
        }
        if refused == 0 {
            failures.push(format!("{}: no sample is refused", op.name));
        }
    }
    println!("{} operations, {samples} samples", OpTable::builtin().iter().len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// An argument of no kind that any parameter takes is refused, by name.
#[test]
fn arguments_of_another_kind_are_refused() {
    let other = Value::Str("text".into());
    for op in OpTable::builtin().iter() {
        for sample in (op.samples)() {
            for (index, param) in op.params.iter().enumerate() {
                let mut values: Vec<_> = sample.0.iter().collect();
                values[index] = &other;
                let facts: Vec<_> = values.iter().map(|value| fact(value)).collect();
                let message = |outcome| match outcome {
                    Outcome::Refused(message) => message,
                    outcome => panic!("{}: `{}` as text gives {outcome:?}", op.name, param.name),
                };
                message(evaluated(op, &values));
                message(inferred(op, &facts.iter().collect::<Vec<_>>()));
            }
        }
    }
}

/// Samples changed at random, always alike: the rule accepts what candle accepts, and agrees; it refuses what candle
/// refuses for what a rule can know.
#[test]
fn rules_agree_with_candle_on_changed_samples() {
    let mut random = Random(0x5EED);
    let mut failures = Vec::new();
    for op in OpTable::builtin().iter().filter(|op| !ELSEWHERE.contains(&op.name)) {
        for sample in (op.samples)() {
            for _ in 0..ROUNDS {
                let changed: Vec<_> = sample.0.iter().map(|value| random.changed(value)).collect();
                let facts: Vec<_> = changed.iter().map(fact).collect();
                let infer = inferred(op, &facts.iter().collect::<Vec<_>>());
                let eval = evaluated(op, &changed.iter().collect::<Vec<_>>());
                let agree = match (&eval, &infer) {
                    (Outcome::Result(value), Outcome::Result(rule)) => rule == value,
                    (Outcome::Result(_), Outcome::Refused(_)) => STRICTER.contains(&op.name),
                    (Outcome::Refused(reason) | Outcome::Panicked(reason), Outcome::Result(_)) => {
                        unknowable(reason, &changed)
                    }
                    (_, Outcome::Refused(_)) => true,
                    (_, Outcome::Panicked(_)) => false,
                };
                if !agree {
                    failures.push(format!("{}({}): candle {eval:?}, rule {infer:?}", op.name, shown(&Sample(changed))));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Whether candle refuses because of elements or strides, which a rule does not know: indices out of range, integers
/// that overflow or are divided by zero, matrices that would have to be copied.
fn unknowable(reason: &str, values: &[Value]) -> bool {
    let integers = values.iter().flat_map(Value::tensors).any(|tensor| tensor.dtype().is_int());
    let arithmetic = ["with overflow", "divide by zero"].iter().any(|end| reason.contains(end));
    reason.contains("invalid index") || reason.contains("UnexpectedStriding") || (integers && arithmetic)
}

/// Rules that refuse arguments for which candle's result means nothing, as their docs say.
const STRICTER: &[&str] = &[
    "unfold",
    "avg_pool2d_with_stride",
    "max_pool2d_with_stride",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "candle_nn::attention::flash_attn",
    "candle_nn::ops::rms_norm_slow",
    "candle_nn::ops::layer_norm_slow",
];

/// How often each sample is changed.
const ROUNDS: usize = 5;

/// A row of numbers that look random and are always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// The value itself, mostly; else another of its kind.
    fn changed(&mut self, value: &Value) -> Value {
        match value {
            Value::List(items) => Value::List(items.iter().map(|item| self.changed(item)).collect()),
            Value::Tuple(items) => Value::Tuple(items.iter().map(|item| self.changed(item)).collect()),
            Value::Tensor(tensor) if self.below(3) == 0 => {
                let dtypes = [DType::F32, DType::F16, DType::BF16, DType::F64, DType::U8, DType::U32, DType::I64];
                let dtype = if self.below(4) == 0 { dtypes[self.below(7) as usize] } else { tensor.dtype() };
                let mut dims = tensor.dims().to_vec();
                match self.below(4) {
                    0 => drop(dims.pop()),
                    1 => dims.push(self.below(4) as usize),
                    _ if dims.is_empty() => {}
                    _ => {
                        let index = self.below(dims.len() as u64) as usize;
                        dims[index] = self.below(5) as usize;
                    }
                }
                super::sample::tensor(dtype, dims)
            }
            Value::Int(_) if self.below(3) == 0 => Value::Int(self.below(9) as i64 - 3),
            Value::Float(_) if self.below(3) == 0 => Value::Float(self.below(9) as f64 / 2.0 - 1.0),
            value => value.clone(),
        }
    }
}

/// Extents near the largest number are refused by every rule, or counted, but are no panic.
#[test]
fn rules_do_not_panic_on_huge_extents() {
    let mut failures = HashSet::new();
    for op in OpTable::builtin().iter() {
        for sample in (op.samples)() {
            for huge in [usize::MAX, usize::MAX / 2, 1 << 33] {
                let facts: Vec<_> = sample.0.iter().map(|value| enlarged(&fact(value), huge)).collect();
                if let Outcome::Panicked(_) = inferred(op, &facts.iter().collect::<Vec<_>>()) {
                    failures.insert(op.name);
                }
            }
            for huge in [i64::MAX, i64::MIN, 1 << 40] {
                let facts: Vec<_> = sample.0.iter().map(|value| enlarged_data(&fact(value), huge)).collect();
                if let Outcome::Panicked(_) = inferred(op, &facts.iter().collect::<Vec<_>>()) {
                    failures.insert(op.name);
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:?}");
}

fn enlarged(fact: &Fact, huge: usize) -> Fact {
    match fact {
        Fact::Tensor(tensor) => Fact::tensor(vec![huge; tensor.rank()], tensor.dtype),
        Fact::List(items) => Fact::List(items.iter().map(|item| enlarged(item, huge)).collect()),
        other => other.clone(),
    }
}

fn enlarged_data(fact: &Fact, huge: i64) -> Fact {
    match fact {
        Fact::Data(Value::Int(_)) => Fact::Data(Value::Int(huge)),
        Fact::Data(Value::Tuple(items)) => Fact::Data(Value::Tuple(vec![Value::Int(huge); items.len()])),
        other => other.clone(),
    }
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    let twice: Vec<_> = files().filter(|op| !seen.insert((op.kind, op.name))).collect();
    assert!(twice.is_empty(), "{twice:?}");
    assert_eq!(OpTable::builtin().iter().len(), seen.len());
    for op in OpTable::builtin().iter() {
        assert_eq!(OpTable::builtin().get(op.kind, op.name), Some(op));
    }
}

#[test]
fn params_are_unique_and_tensors_come_first() {
    for op in OpTable::builtin().iter() {
        let names: HashSet<_> = op.params.iter().map(|param| param.name).collect();
        assert_eq!(names.len(), op.params.len(), "{}", op.name);
        assert!(op.kind != CallKind::Method || op.params[0].positional, "{}", op.name);
        for sample in (op.samples)() {
            assert_eq!(sample.0.len(), op.params.len(), "{}({})", op.name, shown(&sample));
        }
    }
}

/// The methods that candle-transformers' models call on tensors.
const METHODS: &str = "apply reshape transpose contiguous clone to_dtype narrow dim unsqueeze matmul i broadcast_mul dims3 \
    device dtype broadcast_add dims4 broadcast_as permute dims2 t shape squeeze dims flatten_from expand broadcast_div \
    sum_keepdim gelu sqr exp where_cond sqrt relu pad_with_zeros apply_t chunk flatten_all index_select to_vec1 mean neg \
    sum to_device get mean_keepdim tanh add gelu_erf flatten_to silu sin broadcast_sub to_vec2 cos rank broadcast_left \
    broadcast_matmul zeros_like clamp repeat eq flatten storage_and_layout upsample_nearest2d slice_assign affine gather \
    elem_count ones_like get_on_dim to_scalar mul log pad_with_same elu dims5 cumsum as_ref index_add interpolate2d \
    arg_sort_last_dim sort_last_dim scatter_add argmin sum_all mean_all recip gt split max floor conv1d maximum \
    topk_unsorted max_pool2d_with_stride to_owned argmax lt abs ne nonzero randn_like max_keepdim dims1 avg_pool2d roll \
    sign ceil broadcast_le broadcast_lt is_contiguous apply_op1_no_bwd bincount apply_op3_no_bwd minimum";

/// The functions that they call.
const FUNCTIONS: &str = "Tensor::cat Tensor::new Tensor::zeros Tensor::from_slice Tensor::from_vec Tensor::stack \
    Tensor::arange Tensor::ones Tensor::try_from Tensor::tril2 Tensor::apply_op2 Tensor::full Tensor::meshgrid \
    Tensor::randn candle_nn::ops::softmax_last_dim candle_nn::rotary_emb::rope candle_nn::ops::silu \
    candle_nn::ops::softmax candle_nn::ops::sigmoid candle_nn::rotary_emb::rope_i candle_nn::ops::rms_norm \
    candle_nn::rotary_emb::rope_thd candle_nn::ops::sdpa candle_nn::ops::pixel_unshuffle candle_nn::ops::pixel_shuffle";

/// What is no operation but a method of the recording tensor itself: answers about a tensor, calls of a module, data
/// made by or read to the host.
const BY_HAND: &str = "apply apply_t clone as_ref to_owned dim dims dims1 dims2 dims3 dims4 dims5 shape rank elem_count dtype \
    device is_contiguous to_vec1 to_vec2 to_scalar storage_and_layout apply_op1_no_bwd apply_op3_no_bwd Tensor::new \
    Tensor::from_slice Tensor::from_vec Tensor::try_from Tensor::apply_op2";

/// Methods that models define for themselves, in traits of their own.
const OF_MODELS: &str = "split topk_unsorted nonzero bincount";

#[test]
fn names_that_models_use_are_described() {
    let table = OpTable::builtin();
    let excused: HashSet<_> = BY_HAND.split_whitespace().chain(OF_MODELS.split_whitespace()).collect();
    let names = [(CallKind::Method, METHODS), (CallKind::Function, FUNCTIONS)];
    let names = names.iter().flat_map(|&(kind, names)| names.split_whitespace().map(move |name| (kind, name)));
    let missing: Vec<_> =
        names.clone().filter(|(kind, name)| table.get(*kind, name).is_none() && !excused.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let both: Vec<_> =
        names.filter(|(kind, name)| table.get(*kind, name).is_some() && excused.contains(name)).collect();
    assert!(both.is_empty(), "{both:?}");
}
