//! [`Value`]: what a node computes when the graph runs, and what an op's arguments are once they are resolved.
//!
//! Invariant: cloning a `Value` never copies tensor data.

use std::fmt;
use std::sync::Arc;

use candle_core::{DType, Tensor};

use super::literal::{Decimal, dtype_name};

/// Where a tensor lives. candle's own type, compared by location so that values can be compared.
///
/// Two are equal if they are at one place, and they are printed as the graph's text has them: `cpu`, `cuda:0`, `metal:1`.
#[derive(Debug, Clone)]
pub struct Device(pub candle_core::Device);

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.0.location() == other.0.location()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.location() {
            candle_core::DeviceLocation::Cpu => f.write_str("cpu"),
            candle_core::DeviceLocation::Cuda { gpu_id } => write!(f, "cuda:{gpu_id}"),
            candle_core::DeviceLocation::Metal { gpu_id } => write!(f, "metal:{gpu_id}"),
        }
    }
}

/// A value of a running graph.
///
/// Arguments and results of graphs are values, and so is what each node computes. Tensors become one by `into`; the
/// other kinds are written by their variants. Two are equal if they are of one kind and content, floats by their bits;
/// tensors only if they are the same tensor ([`Tensor::id`]), whatever numbers they hold.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use fx_core::value::Value;
///
/// let x = Tensor::new(&[1f32, 2.0], &Device::Cpu)?;
/// let pair = Value::Tuple(vec![Value::from(&x), Value::Int(3)]);
/// // Tensors are shown by dtype and shape.
/// assert_eq!((pair.kind(), pair.to_string().as_str()), ("tuple", "(f32[2], 3)"));
/// assert_eq!(pair.tensors()[0].id(), x.id());
///
/// // Every tensor, wherever it stands.
/// let on_cpu = pair.map_tensors(&mut |tensor| tensor.to_device(&Device::Cpu))?;
/// assert_eq!(on_cpu.to_string(), pair.to_string());
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// An absent optional.
    #[default]
    None,
    /// A flag.
    Bool(bool),
    /// An integer: an extent, an index, an axis (negative from the end, -1 the last).
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Str(Arc<str>),
    /// An element type.
    DType(DType),
    /// A device.
    Device(Device),
    /// A tensor.
    Tensor(Tensor),
    /// `start..stop`; an absent end is open.
    Range(Option<i64>, Option<i64>),
    /// Values of one kind, in order.
    List(Vec<Value>),
    /// Values of any kinds, in order.
    Tuple(Vec<Value>),
    /// A structure with named fields, in order of declaration.
    Struct(Arc<str>, Vec<(Arc<str>, Value)>),
}

impl Value {
    /// Name of the kind of value, for messages.
    ///
    /// `"none"`, `"bool"`, `"int"`, `"float"`, `"string"`, `"dtype"`, `"device"`, `"tensor"`, `"range"`, `"list"`,
    /// `"tuple"` or `"struct"`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "string",
            Self::DType(_) => "dtype",
            Self::Device(_) => "device",
            Self::Tensor(_) => "tensor",
            Self::Range(..) => "range",
            Self::List(_) => "list",
            Self::Tuple(_) => "tuple",
            Self::Struct(..) => "struct",
        }
    }

    /// The tensor, if this is one.
    ///
    /// None of a tuple or list that holds one: [`Value::tensors`] looks into those.
    #[must_use]
    pub fn as_tensor(&self) -> Option<&Tensor> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The same with other tensors.
    ///
    /// Lists, tuples and structures keep their form; plain data is copied. The first error ends it.
    ///
    /// # Errors
    /// What `map` refuses.
    pub fn map_tensors<E>(&self, map: &mut impl FnMut(&Tensor) -> Result<Tensor, E>) -> Result<Self, E> {
        Ok(match self {
            Self::Tensor(tensor) => Self::Tensor(map(tensor)?),
            Self::List(items) => Self::List(items.iter().map(|item| item.map_tensors(map)).collect::<Result<_, E>>()?),
            Self::Tuple(items) => {
                Self::Tuple(items.iter().map(|item| item.map_tensors(map)).collect::<Result<_, E>>()?)
            }
            Self::Struct(name, fields) => {
                let fields = fields.iter().map(|(field, item)| Ok((field.clone(), item.map_tensors(map)?)));
                Self::Struct(name.clone(), fields.collect::<Result<_, E>>()?)
            }
            plain => plain.clone(),
        })
    }

    /// Whether it is nested more than `limit` deep. A tensor or a number is 0 deep, a list of them is 1 deep.
    pub(crate) fn is_deeper_than(&self, limit: usize) -> bool {
        match self {
            Self::List(items) | Self::Tuple(items) => {
                limit == 0 || items.iter().any(|item| item.is_deeper_than(limit - 1))
            }
            Self::Struct(_, fields) => limit == 0 || fields.iter().any(|(_, item)| item.is_deeper_than(limit - 1)),
            _ => false,
        }
    }

    /// Every tensor in this value, depth first.
    ///
    /// As often as it is there; an empty list if there is none.
    #[must_use]
    pub fn tensors(&self) -> Vec<&Tensor> {
        let mut found = Vec::new();
        let mut pending = vec![self];
        while let Some(value) = pending.pop() {
            match value {
                Self::Tensor(tensor) => found.push(tensor),
                Self::List(items) | Self::Tuple(items) => pending.extend(items.iter().rev()),
                Self::Struct(_, fields) => pending.extend(fields.iter().rev().map(|(_, value)| value)),
                _ => {}
            }
        }
        found
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl From<&Tensor> for Value {
    fn from(tensor: &Tensor) -> Self {
        Self::Tensor(tensor.clone())
    }
}

/// Tensors are equal if they are the same tensor; everything else by content, floats by bits.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::DType(a), Self::DType(b)) => a == b,
            (Self::Device(a), Self::Device(b)) => a == b,
            (Self::Tensor(a), Self::Tensor(b)) => a.id() == b.id(),
            (Self::Range(a, b), Self::Range(c, d)) => a == c && b == d,
            (Self::List(a), Self::List(b)) | (Self::Tuple(a), Self::Tuple(b)) => a == b,
            (Self::Struct(n, a), Self::Struct(m, b)) => n == m && a == b,
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => Decimal(*value).fmt(f),
            Self::Str(value) => write!(f, "{value:?}"),
            Self::DType(dtype) => f.write_str(dtype_name(*dtype)),
            Self::Device(device) => device.fmt(f),
            Self::Tensor(tensor) => super::fact::TensorFact::new(tensor.shape(), tensor.dtype()).fmt(f),
            Self::Range(start, stop) => {
                if let Some(start) = start {
                    start.fmt(f)?;
                }
                f.write_str("..")?;
                stop.map_or(Ok(()), |stop| stop.fmt(f))
            }
            Self::List(items) => {
                f.write_str("[")?;
                separated(f, items, |f, item| item.fmt(f))?;
                f.write_str("]")
            }
            Self::Tuple(items) => {
                f.write_str("(")?;
                separated(f, items, |f, item| item.fmt(f))?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Self::Struct(name, fields) => {
                write!(f, "{name} {{ ")?;
                separated(f, fields, |f, (name, value)| write!(f, "{name}: {value}"))?;
                f.write_str(" }")
            }
        }
    }
}

fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    mut write: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write(f, item)?;
    }
    Ok(())
}
