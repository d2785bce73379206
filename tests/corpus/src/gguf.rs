//! Quantized weights: GGUF files in memory, with blocks that depend on a seed, a name and a shape, and on nothing else.
//!
//! Some models take their tensors by name and shape from a `VarBuilder` over such a file. They are asked what they want:
//! built from a file that lacks a tensor, they say which, and of a wrong shape, which is right. Others read what llama.cpp
//! writes, whose names are the same for all of them.
//!
//! Invariant: an original model and its annotated copy, built from equal seeds, hold equal blocks.

use std::any::type_name;
use std::collections::HashMap;
use std::io::Cursor;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

use candle::quantized::gguf_file::{self, Content, Value};
use candle::quantized::{GgmlDType, QTensor};
use candle::{Device, Result};
use candle_nn::Init;

use crate::weights;

/// Seed of the blocks.
const SEED: u64 = 1;

/// A `VarBuilder` over a GGUF file.
pub trait FromGguf: Sized {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// If it is not one.
    fn from_gguf(file: &[u8]) -> Result<Self>;
}

macro_rules! var_builders {
    ($($type:ty)*) => {$(
        impl FromGguf for $type {
            fn from_gguf(file: &[u8]) -> Result<Self> {
                Self::from_gguf_buffer(file, &Device::Cpu)
            }
        }
    )*};
}
var_builders! {
    candle_transformers::quantized_var_builder::VarBuilder
    corpus_models_first::quantized_var_builder::VarBuilder
    corpus_models_second::quantized_var_builder::VarBuilder
}

/// Tensors as they are asked for: name and shape.
type Wanted = Vec<(String, Vec<usize>)>;

/// What was found out about models made before, by type.
static KNOWN: Mutex<Option<HashMap<&'static str, Wanted>>> = Mutex::new(None);

/// A model made of all that it asks a `VarBuilder` for.
///
/// # Errors
///
/// If the model fails for another reason than a tensor that is missing or of another shape.
pub fn quantized<V: FromGguf, M>(make: impl Fn(V) -> Result<M>) -> Result<M> {
    let key = type_name::<M>();
    let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut wanted = lock().as_ref().and_then(|known| known.get(key).cloned()).unwrap_or_default();
    loop {
        let weights = V::from_gguf(&file(&[], &wanted)?)?;
        // Some models unwrap the error.
        let error = match catch_unwind(AssertUnwindSafe(|| make(weights))) {
            Ok(Ok(model)) => {
                lock().get_or_insert_default().insert(key, wanted);
                return Ok(model);
            }
            Ok(Err(error)) => error,
            Err(panic) => candle::Error::Msg(panic.downcast_ref::<String>().cloned().unwrap_or_default()),
        };
        learn(&mut wanted, &error.to_string()).ok_or(error)?;
    }
}

/// Takes from a model's error what it wants; none if it is about something else.
fn learn(wanted: &mut Wanted, error: &str) -> Option<()> {
    if let Some((_, name)) = error.split_once("cannot find tensor ") {
        let name = name.split(|letter: char| letter.is_whitespace() || letter == '"').next()?.to_owned();
        let is_new = wanted.iter().all(|(known, _)| *known != name);
        return is_new.then(|| wanted.push((name, vec![1])));
    }
    let (_, of) = error.split_once("shape mismatch for ")?;
    let (name, _) = of.split_once(',')?;
    let (_, shape) = of.split_once("expected [")?;
    let (shape, _) = shape.split_once(']')?;
    let shape = shape.split(',').map(|dim| dim.trim().parse().ok()).collect::<Option<Vec<usize>>>()?;
    let (known, last) = wanted.last_mut()?;
    (known.ends_with(name) && *last != shape).then(|| *last = shape)
}

/// The sizes of the models below.
const HIDDEN: usize = 32;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const HEAD_DIM: usize = 8;
const INNER: usize = 64;
const VOCABULARY: usize = 60;
const BLOCKS: usize = 2;
const CONVOLUTION: usize = 3;
const EXPERTS: usize = 4;

/// A file as llama.cpp writes it for an architecture of this name, with these entries of metadata besides the usual ones.
/// `up` says what the perceptron's first matrix gives.
///
/// # Errors
///
/// If candle cannot make the tensors.
pub fn llama_cpp(architecture: &str, up: Up, entries: &[(&str, Value)]) -> Result<Vec<u8>> {
    let number = |value: usize| Value::U32(value as u32);
    let usual = [
        ("attention.head_count", number(HEADS)),
        ("attention.head_count_kv", number(KV_HEADS)),
        ("attention.key_length", number(HEAD_DIM)),
        ("attention.value_length", number(HEAD_DIM)),
        ("attention.layer_norm_rms_epsilon", Value::F32(1e-5)),
        ("attention.layer_norm_epsilon", Value::F32(1e-5)),
        ("attention.sliding_window", number(4)),
        ("block_count", number(BLOCKS)),
        ("context_length", number(32)),
        ("embedding_length", number(HIDDEN)),
        ("feed_forward_length", number(INNER)),
        ("expert_count", number(0)),
        ("expert_used_count", number(0)),
        ("expert_feed_forward_length", number(0)),
        ("rope.dimension_count", number(HEAD_DIM)),
        ("rope.freq_base", Value::F32(10_000.)),
        ("shortconv.l_cache", number(CONVOLUTION)),
        ("vocab_size", number(VOCABULARY)),
    ];
    let mut metadata: HashMap<String, Value> =
        usual.into_iter().map(|(name, value)| (format!("{architecture}.{name}"), value)).collect();
    metadata.insert("general.architecture".to_owned(), Value::String(architecture.to_owned()));
    let kv_heads = entries.iter().find(|(name, _)| name.ends_with(".attention.head_count_kv"));
    let kv_heads = match kv_heads {
        Some((_, Value::U32(heads))) => *heads as usize,
        _ => KV_HEADS,
    };
    metadata.extend(entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    let mut metadata: Vec<(&str, &Value)> = metadata.iter().map(|(name, value)| (name.as_str(), value)).collect();
    metadata.sort_by_key(|(name, _)| *name);
    file(&metadata, &llama_cpp_tensors(kv_heads, up))
}

/// What a perceptron's first matrix gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Up {
    /// The inner values alone.
    Alone,
    /// The gate's as well.
    WithGate,
}

fn llama_cpp_tensors(kv_heads: usize, up: Up) -> Wanted {
    let (q, kv) = (HEADS * HEAD_DIM, kv_heads * HEAD_DIM);
    let up = if up == Up::WithGate { 2 * INNER } else { INNER };
    let matrices = [
        ("attn_q", q, HIDDEN),
        ("attn_k", kv, HIDDEN),
        ("attn_v", kv, HIDDEN),
        ("attn_qkv", q + 2 * kv, HIDDEN),
        ("attn_output", HIDDEN, q),
        ("ffn_gate", INNER, HIDDEN),
        ("ffn_up", up, HIDDEN),
        ("ffn_down", HIDDEN, INNER),
        ("ffn_gate_inp", EXPERTS, HIDDEN),
        ("shortconv.in_proj", 3 * HIDDEN, HIDDEN),
        ("shortconv.out_proj", HIDDEN, HIDDEN),
        ("shortconv.conv", HIDDEN, CONVOLUTION),
    ];
    let norms = [
        ("attn_norm", HIDDEN),
        ("ffn_norm", HIDDEN),
        ("post_attention_norm", HIDDEN),
        ("post_ffw_norm", HIDDEN),
        ("attn_q_norm", HEAD_DIM),
        ("attn_k_norm", HEAD_DIM),
    ];
    let mut wanted = vec![
        ("token_embd.weight".to_owned(), vec![VOCABULARY, HIDDEN]),
        ("output.weight".to_owned(), vec![VOCABULARY, HIDDEN]),
        ("output.bias".to_owned(), vec![VOCABULARY]),
        ("output_norm.weight".to_owned(), vec![HIDDEN]),
        ("output_norm.bias".to_owned(), vec![HIDDEN]),
    ];
    for block in 0..BLOCKS {
        for (name, to, from) in matrices {
            wanted.push((format!("blk.{block}.{name}.weight"), vec![to, from]));
            wanted.push((format!("blk.{block}.{name}.bias"), vec![to]));
        }
        for (name, size) in norms {
            wanted.push((format!("blk.{block}.{name}.weight"), vec![size]));
            wanted.push((format!("blk.{block}.{name}.bias"), vec![size]));
        }
    }
    wanted
}

/// A model that reads a file itself.
///
/// # Errors
///
/// If the file cannot be read, and the model's own.
pub fn read<M>(file: Vec<u8>, make: impl FnOnce(Content, &mut Cursor<Vec<u8>>) -> Result<M>) -> Result<M> {
    let mut reader = Cursor::new(file);
    let content = Content::read(&mut reader)?;
    make(content, &mut reader)
}

/// The file with these entries of metadata and these tensors.
fn file(metadata: &[(&str, &Value)], wanted: &Wanted) -> Result<Vec<u8>> {
    let tensors = wanted.iter().map(|(name, shape)| tensor(name, shape)).collect::<Result<Vec<_>>>()?;
    let tensors: Vec<_> = wanted.iter().zip(&tensors).map(|((name, _), tensor)| (name.as_str(), tensor)).collect();
    let mut file = Cursor::new(Vec::new());
    gguf_file::write(&mut file, metadata, &tensors)?;
    Ok(file.into_inner())
}

/// A matrix of whole blocks is quantized, everything else is as it is.
fn tensor(name: &str, shape: &[usize]) -> Result<QTensor> {
    let last = shape.last().copied().unwrap_or(1);
    // The weights of normalisations are near one.
    let init = if shape.len() == 1 && name.ends_with("weight") { Init::Const(1.) } else { Init::Const(0.) };
    let values = weights::var_builder(SEED).get_with_hints(shape, name, init)?;
    let dtype = match (shape.len() > 1 && last % GgmlDType::Q8_0.block_size() == 0, name.len() % 2) {
        (false, _) => GgmlDType::F32,
        (true, 0) => GgmlDType::Q8_0,
        (true, _) => GgmlDType::Q4_0,
    };
    QTensor::quantize(&values, dtype)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_s_errors_say_what_it_wants() {
        let mut wanted = Wanted::new();
        assert_eq!(learn(&mut wanted, "cannot find tensor layers.0.weight"), Some(()));
        assert_eq!(learn(&mut wanted, "shape mismatch for weight, got [1], expected [60, 32]"), Some(()));
        assert_eq!(wanted, [("layers.0.weight".to_owned(), vec![60, 32])]);
        for error in [
            "cannot find tensor layers.0.weight",
            "shape mismatch for weight, got [60, 32], expected [60, 32]",
            "shape mismatch for bias, got [1], expected [2]",
            "out of memory",
        ] {
            assert_eq!(learn(&mut wanted, error), None, "{error}");
        }
    }

    #[test]
    fn matrices_are_quantized() -> Result<()> {
        let dtypes = |name: &str, shape: &[usize]| Ok::<_, candle::Error>(tensor(name, shape)?.dtype());
        assert_eq!(dtypes("weight", &[4, 64])?, GgmlDType::Q8_0);
        assert_eq!(dtypes("kv.weight", &[4, 32])?, GgmlDType::Q4_0);
        assert_eq!(dtypes("weight", &[64])?, GgmlDType::F32);
        assert_eq!(dtypes("weight", &[4, 30])?, GgmlDType::F32);
        Ok(())
    }
}
