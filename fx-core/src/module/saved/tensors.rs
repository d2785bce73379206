//! [`TensorPool`]: the tensors of a module, each stored once.
//!
//! Invariant: two tensors are the same if they show the same part of the same storage in the same way; all are kept
//! until the pool goes, so that no storage is taken for another that was there before.

use std::collections::HashMap;

use candle_core::{DType, Tensor};

use super::super::held_state::State;
use super::error::SaveError;
use crate::ir::Argument;
use crate::text::file::StoredTensor;
use crate::text::state::{StateText, StateTexts};
use crate::value::{TensorFact, Value};

/// Where and how the elements of a tensor lie.
#[derive(PartialEq, Eq, Hash)]
struct Identity {
    storage: usize,
    offset: usize,
    stride: Vec<usize>,
    shape: Vec<usize>,
    dtype: DType,
}

impl Identity {
    fn of(tensor: &Tensor) -> Self {
        let (storage, layout) = tensor.storage_and_layout();
        Self {
            storage: std::ptr::from_ref(&*storage).addr(),
            offset: layout.start_offset(),
            stride: layout.stride().to_vec(),
            shape: layout.dims().to_vec(),
            dtype: tensor.dtype(),
        }
    }
}

/// Tensors that are going to be stored.
#[derive(Default)]
pub(super) struct TensorPool {
    keys: HashMap<Identity, String>,
    /// The keys that are taken, each with the last number that was put after it.
    taken: HashMap<String, usize>,
    tensors: Vec<(String, Tensor)>,
}

impl TensorPool {
    /// Takes a tensor in, under its path if that is free, and says what the text has for it.
    pub(super) fn store(&mut self, path: &str, tensor: &Tensor) -> Result<StoredTensor, SaveError> {
        let dtype = tensor.dtype();
        if matches!(dtype, DType::F6E2M3 | DType::F6E3M2 | DType::F4 | DType::F8E8M0) {
            let reason = format!("candle cannot write {}; convert it before", dtype.as_str());
            return Err(SaveError::Tensor { path: path.to_owned(), reason });
        }
        let fact = TensorFact::new(tensor.shape(), dtype);
        let identity = Identity::of(tensor);
        let key = match self.keys.get(&identity) {
            Some(key) => key.clone(),
            None => {
                let key = self.free_key(path);
                self.keys.insert(identity, key.clone());
                self.tensors.push((key.clone(), tensor.clone()));
                key
            }
        };
        Ok(StoredTensor { is_variable: tensor.is_variable(), fact, key })
    }

    /// Takes the tensors of a state in, and says what the text has for it.
    pub(super) fn store_state(&mut self, state: &State) -> Result<StateTexts, SaveError> {
        state.iter().map(|(name, value)| Ok((name.into(), self.store_value(name, value)?))).collect()
    }

    fn store_value(&mut self, name: &str, value: &Value) -> Result<StateText, SaveError> {
        let mut each =
            |items: &[Value]| items.iter().map(|item| self.store_value(name, item)).collect::<Result<_, _>>();
        Ok(match value {
            Value::Tensor(tensor) => StateText::Tensor(self.store(name, tensor)?),
            Value::List(items) => StateText::List(each(items)?),
            Value::Tuple(items) => StateText::Tuple(each(items)?),
            Value::Struct(of, fields) => {
                let fields = fields.iter().map(|(field, item)| Ok((field.clone(), self.store_value(name, item)?)));
                StateText::Struct(of.clone(), fields.collect::<Result<_, SaveError>>()?)
            }
            plain => StateText::Plain(Argument::from_value(plain).unwrap_or_default()),
        })
    }

    fn free_key(&mut self, path: &str) -> String {
        let base = if path.is_empty() { "tensor" } else { path };
        let mut key = base.to_owned();
        // Counted on, because a list of any number of tensors has one path.
        let mut number = self.taken.get(base).copied().unwrap_or(1);
        while self.taken.contains_key(&key) {
            number += 1;
            key = format!("{base}#{number}");
        }
        self.taken.insert(key.clone(), 1);
        self.taken.insert(base.to_owned(), number);
        key
    }

    /// All of them by name.
    pub(super) fn into_tensors(self) -> HashMap<String, Tensor> {
        self.tensors.into_iter().collect()
    }
}
