//! Arguments of torch's constructors and calls, as the header of a case has them.
//!
//! Invariant: an argument that nobody asked for is an error.

use std::cell::RefCell;

use candle_core::{Result, bail};
use serde_json::{Map, Value};

pub(crate) struct Arguments {
    positional: Vec<Value>,
    /// Those by name, as they were given.
    named: Map<String, Value>,
    keyword: RefCell<Map<String, Value>>,
    taken: RefCell<usize>,
}

/// Something that an argument can be.
pub(crate) trait Wanted: Sized {
    fn wanted(value: &Value) -> Option<Self>;
}

impl Wanted for Value {
    fn wanted(value: &Value) -> Option<Self> {
        Some(value.clone())
    }
}

impl Wanted for bool {
    fn wanted(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

impl Wanted for usize {
    fn wanted(value: &Value) -> Option<Self> {
        usize::try_from(value.as_u64()?).ok()
    }
}

impl Wanted for i64 {
    fn wanted(value: &Value) -> Option<Self> {
        value.as_i64()
    }
}

impl Wanted for f64 {
    fn wanted(value: &Value) -> Option<Self> {
        match value.as_str() {
            Some("inf") => Some(f64::INFINITY),
            Some("-inf") => Some(f64::NEG_INFINITY),
            _ => value.as_f64(),
        }
    }
}

impl Wanted for String {
    fn wanted(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl<T: Wanted> Wanted for Option<T> {
    fn wanted(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::wanted(value).map(Some) }
    }
}

impl<T: Wanted> Wanted for Vec<T> {
    fn wanted(value: &Value) -> Option<Self> {
        match value {
            Value::Array(items) => items.iter().map(T::wanted).collect(),
            one => T::wanted(one).map(|one| vec![one]),
        }
    }
}

/// One number for all, or one for each.
impl<T: Wanted + Clone, const N: usize> Wanted for [T; N] {
    fn wanted(value: &Value) -> Option<Self> {
        let items = Vec::<T>::wanted(value)?;
        match items.as_slice() {
            [one] => Some(std::array::from_fn(|_| one.clone())),
            _ => items.try_into().ok(),
        }
    }
}

impl Arguments {
    /// From `{"positional": […], "keyword": {…}}`.
    pub(crate) fn new(json: &str) -> Result<Self> {
        let parsed: Value = serde_json::from_str(json).map_err(candle_core::Error::wrap)?;
        let positional = parsed["positional"].as_array().cloned().unwrap_or_default();
        let keyword = parsed["keyword"].as_object().cloned().unwrap_or_default();
        Ok(Self { positional, named: keyword.clone(), keyword: RefCell::new(keyword), taken: RefCell::new(0) })
    }

    /// Those by position and those by name, as they were given.
    pub(crate) fn given(&self) -> (&[Value], &Map<String, Value>) {
        (&self.positional, &self.named)
    }

    /// The next argument of the signature.
    pub(crate) fn get<T: Wanted>(&self, name: &str) -> Result<Option<T>> {
        let at = self.taken.replace_with(|at| *at + 1);
        let value = match self.positional.get(at) {
            Some(value) => value.clone(),
            None => match self.keyword.borrow_mut().remove(name) {
                Some(value) => value,
                None => return Ok(None),
            },
        };
        match T::wanted(&value) {
            Some(wanted) => Ok(Some(wanted)),
            None => bail!("the argument `{name}` is {value}"),
        }
    }

    /// The next argument of the signature, which has a default.
    pub(crate) fn or<T: Wanted>(&self, name: &str, default: T) -> Result<T> {
        Ok(self.get(name)?.unwrap_or(default))
    }

    /// The next argument of the signature, one of several words.
    pub(crate) fn word<T: std::str::FromStr<Err = candle_core::Error>>(&self, name: &str, default: T) -> Result<T> {
        self.get::<String>(name)?.map_or(Ok(default), |word| word.parse())
    }

    /// The next argument of the signature, which has none.
    pub(crate) fn need<T: Wanted>(&self, name: &str) -> Result<T> {
        match self.get(name)? {
            Some(value) => Ok(value),
            None => bail!("the argument `{name}` is missing"),
        }
    }

    /// The next argument, which changes no number.
    pub(crate) fn skip(&self, name: &str) -> Result<()> {
        self.get::<Value>(name).map(|_| ())
    }

    /// The next argument of the signature, which should not be there, or be none.
    pub(crate) fn absent(&self, name: &str) -> Result<()> {
        match self.get::<Option<Value>>(name)? {
            None | Some(None) => Ok(()),
            Some(Some(value)) => bail!("the argument `{name}` is {value}"),
        }
    }

    /// An argument that is only given by name, and has a default.
    pub(crate) fn named<T: Wanted>(&self, name: &str, default: T) -> Result<T> {
        match self.keyword.borrow_mut().remove(name).map(|value| (T::wanted(&value), value)) {
            None => Ok(default),
            Some((Some(wanted), _)) => Ok(wanted),
            Some((None, value)) => bail!("the argument `{name}` is {value}"),
        }
    }

    /// Refuses what is left.
    pub(crate) fn finish(&self) -> Result<()> {
        let mut left = self.keyword.borrow_mut();
        // Where and of what type: the file says both.
        for name in ["device", "dtype"] {
            if left.get(name).is_some_and(Value::is_null) {
                left.remove(name);
            }
        }
        let more = self.positional.iter().skip(*self.taken.borrow()).any(|value| !value.is_null());
        if !left.is_empty() || more {
            bail!("arguments that are not known: {:?} of {:?}", left.keys().collect::<Vec<_>>(), self.positional);
        }
        Ok(())
    }
}
