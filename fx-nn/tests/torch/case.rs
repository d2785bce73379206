//! A file of numbers that PyTorch computed.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::PoisonError;

use candle_core::{DType, Device, Result, Tensor, Var, bail};
use candle_nn::{VarBuilder, VarMap};
use serde_json::Value;

use super::arguments::{Arguments, Wanted};

pub(crate) struct Case {
    pub module: String,
    pub arguments: Arguments,
    pub training: bool,
    pub call: Call<Tensor>,
    pub state: BTreeMap<String, Tensor>,
    pub outputs: Vec<Tensor>,
    pub after: BTreeMap<String, Tensor>,
}

/// What a layer is called with: tensors, or the proxies of a capture.
pub(crate) struct Call<T> {
    inputs: Vec<T>,
    named: RefCell<BTreeMap<String, T>>,
    options: RefCell<serde_json::Map<String, Value>>,
    taken: Cell<usize>,
}

impl<T> Default for Call<T> {
    fn default() -> Self {
        Self { inputs: Vec::new(), named: RefCell::default(), options: RefCell::default(), taken: Cell::default() }
    }
}

impl<T: Clone> Call<T> {
    /// All tensors.
    pub(crate) fn all(&self) -> &[T] {
        self.taken.set(self.inputs.len());
        &self.inputs
    }

    /// The next tensor of the signature, by position or name.
    pub(crate) fn tensor(&self, name: &str) -> Option<T> {
        let at = self.taken.get();
        match self.inputs.get(at) {
            Some(tensor) => {
                self.taken.set(at + 1);
                Some(tensor.clone())
            }
            None => self.named.borrow_mut().remove(name),
        }
    }

    /// The next tensor of the signature, which there has to be.
    pub(crate) fn need(&self, name: &str) -> Result<T> {
        match self.tensor(name) {
            Some(tensor) => Ok(tensor),
            None => bail!("the input `{name}` is missing"),
        }
    }

    /// An option that is given by name.
    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        self.options.borrow_mut().remove(name).and_then(|value| value.as_bool()).unwrap_or(default)
    }

    /// Sizes that are given by name.
    pub(crate) fn sizes(&self, name: &str) -> Option<Vec<usize>> {
        let sizes = self.options.borrow_mut().remove(name)?;
        <Vec<usize> as Wanted>::wanted(&sizes)
    }

    /// Names for the inputs, and what they are, as nobody has taken them.
    pub(crate) fn parameters(&self) -> Vec<(String, T)> {
        let positional = self.inputs.iter().enumerate().map(|(i, input)| (format!("x{i}"), input.clone()));
        positional.chain(self.named.borrow().clone()).collect()
    }

    /// The same call with others in place of [`parameters`](Self::parameters), in their order.
    pub(crate) fn with<U: Clone>(&self, others: &[U]) -> Call<U> {
        let (inputs, named) = others.split_at(self.inputs.len());
        let named = self.named.borrow().keys().cloned().zip(named.iter().cloned()).collect();
        let options = self.options.clone();
        Call { inputs: inputs.to_vec(), named: RefCell::new(named), options, taken: Cell::default() }
    }

    /// Refuses what nobody asked for.
    pub(crate) fn finish(&self) -> Result<()> {
        let (named, options) = (self.named.borrow(), self.options.borrow());
        if self.taken.get() < self.inputs.len() || !named.is_empty() || options.values().any(|value| !value.is_null()) {
            let names = (named.keys().collect::<Vec<_>>(), options.keys().collect::<Vec<_>>());
            bail!("{} of {} inputs are used, and {names:?} are not", self.taken.get(), self.inputs.len());
        }
        Ok(())
    }
}

impl Case {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut bytes = std::fs::read(path)?;
        let Some(length) = bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length) as usize) else {
            bail!("not a safetensors file");
        };
        let Some(header) = bytes.get(8..8 + length) else { bail!("the header is cut off") };
        // candle has no bool: it is read as bytes, in a header of the same length.
        let plain = String::from_utf8_lossy(header).replace("\"BOOL\"", "\"U8\"  ").into_bytes();
        bytes.splice(8..8 + length, plain);
        let header: Value = serde_json::from_slice(&bytes[8..8 + length]).map_err(candle_core::Error::wrap)?;
        let text = |name: &str| match header["__metadata__"][name].as_str() {
            Some(text) => Ok(text.to_owned()),
            None => bail!("the header has no `{name}`"),
        };
        let mut case = Self {
            module: text("module")?,
            arguments: Arguments::new(&text("args")?)?,
            training: matches!(text("training")?.as_str(), "true" | "True"),
            call: Call::default(),
            state: BTreeMap::new(),
            outputs: Vec::new(),
            after: BTreeMap::new(),
        };
        case.call.options = RefCell::new(serde_json::from_str(&text("call")?).map_err(candle_core::Error::wrap)?);
        let (mut inputs, mut outputs) = (BTreeMap::new(), BTreeMap::new());
        for (name, tensor) in candle_core::safetensors::load_buffer(&bytes, &Device::Cpu)? {
            let Some((kind, rest)) = name.split_once('.') else { bail!("a tensor `{name}`") };
            match (kind, rest.parse::<usize>()) {
                ("state", _) => drop(case.state.insert(rest.to_owned(), tensor)),
                ("after", _) => drop(case.after.insert(rest.to_owned(), tensor)),
                ("input", Ok(index)) => drop(inputs.insert(index, tensor)),
                ("input", Err(_)) => drop(case.call.named.get_mut().insert(rest.to_owned(), tensor)),
                ("output", Ok(index)) => drop(outputs.insert(index, tensor)),
                _ => bail!("a tensor `{name}`"),
            }
        }
        case.call.inputs = inputs.into_values().collect();
        case.outputs = outputs.into_values().collect();
        Ok(case)
    }

    pub(crate) fn builder(&self) -> VarBuilder<'static> {
        let tensors: HashMap<String, Tensor> = self.state.clone().into_iter().collect();
        let floats = self.state.values().chain(&self.call.inputs).map(Tensor::dtype).find(|dtype| dtype.is_float());
        VarBuilder::from_tensors(tensors, floats.unwrap_or(DType::F32), &Device::Cpu)
    }
}

impl Case {
    /// The state as variables, as in training; weights of losses are none.
    pub(crate) fn variables(&self) -> Result<VarBuilder<'static>> {
        let vars = VarMap::new();
        {
            let mut data = vars.data().lock().unwrap_or_else(PoisonError::into_inner);
            let of_layers = self.state.iter().filter(|(name, _)| !self.module.ends_with("Loss") || name.contains('.'));
            for (name, tensor) in of_layers {
                data.insert(name.clone(), Var::from_tensor(tensor)?);
            }
        }
        let floats = self.state.values().map(Tensor::dtype).find(|dtype| dtype.is_float());
        Ok(VarBuilder::from_varmap(&vars, floats.unwrap_or(DType::F32), &Device::Cpu))
    }
}

/// Whether `found` is `expected`, up to a relative error and a tenth of it for what is near zero.
pub(crate) fn close(what: &str, found: &Tensor, expected: &Tensor, tolerance: f64) -> Result<()> {
    if found.dims() != expected.dims() {
        bail!("{what} is of shape {:?} instead of {:?}", found.dims(), expected.dims());
    }
    if found.dtype().is_float() != expected.dtype().is_float() {
        bail!("{what} is of {:?} instead of {:?}", found.dtype(), expected.dtype());
    }
    let numbers = |tensor: &Tensor| tensor.to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>();
    for (i, (found, expected)) in numbers(found)?.into_iter().zip(numbers(expected)?).enumerate() {
        let equal = found == expected || (found.is_nan() && expected.is_nan());
        let error = (found - expected).abs();
        let near = error <= tolerance * expected.abs() + tolerance / 10.0;
        if !equal && !near {
            bail!("{what}[{i}] is {found} instead of {expected}, which is {error} away");
        }
    }
    Ok(())
}
