//! What users pass to candle's methods, as arguments of a recorded call.
//!
//! Invariant: whatever candle's signature accepts is accepted here, and an axis counted from the end stays so.

use std::ops::{Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::sync::LazyLock;

use candle_core::shape::{Dim, Dims, ShapeWithOneHole};
use candle_core::{DType, Device, Error, Shape, ToUsize2, WithDType};

use crate::ops::InferError;
use crate::value::Value;

use super::given::Given;
use super::lift::Lifts;
use super::proxy::Proxy;

/// An argument, or why it makes none.
pub type Encoded = Result<Given, InferError>;

fn data(value: Value) -> Encoded {
    Ok(Given::Data(value))
}

/// A number that fits a graph's integers.
fn int(number: impl TryInto<i64>) -> Result<Value, InferError> {
    number.try_into().map(Value::Int).map_err(|_| InferError("a number is too large".to_owned()))
}

fn ints(numbers: impl IntoIterator<Item = usize>) -> Result<Vec<Value>, InferError> {
    numbers.into_iter().map(int).collect()
}

// ── Tensors ────────────────────────────────────────────────────────────────────────────────────────────────────────

pub(crate) fn tensor(proxy: &Proxy) -> Encoded {
    Ok(Given::Proxy(proxy.clone()))
}

pub(crate) fn optional(proxy: Option<&Proxy>) -> Encoded {
    proxy.map_or_else(|| data(Value::None), tensor)
}

pub(crate) fn tensors<A: AsRef<Proxy>>(proxies: &[A]) -> Encoded {
    Ok(Given::List(proxies.iter().map(|proxy| Given::Proxy(proxy.as_ref().clone())).collect()))
}

/// A tensor or a number, as candle's trait of this name.
pub trait TensorOrScalar {
    /// As an argument.
    ///
    /// # Errors
    /// When a number does not fit.
    fn encode(self) -> Encoded;
}

impl TensorOrScalar for &Proxy {
    fn encode(self) -> Encoded {
        tensor(self)
    }
}

impl<T: WithDType> TensorOrScalar for T {
    fn encode(self) -> Encoded {
        number(self)
    }
}

/// What `AttnMask` is, candle's or its mirror.
pub trait Mask {
    /// As an argument.
    ///
    /// # Errors
    /// When a number does not fit, or no capture is running.
    fn encode(self) -> Encoded;
}

impl Mask for candle_nn::attention::AttnMask {
    #[track_caller]
    fn encode(self) -> Encoded {
        match self {
            Self::None => data(Value::None),
            Self::Causal { kv_offset } => size(kv_offset),
            Self::Mask(mask) => match mask.lifted() {
                Ok(mask) => tensor(&mask),
                Err(error) => Err(InferError(error.to_string())),
            },
        }
    }
}

/// One side of an operator.
impl From<&Proxy> for Given {
    fn from(proxy: &Proxy) -> Self {
        Self::Proxy(proxy.clone())
    }
}

impl From<f64> for Given {
    fn from(number: f64) -> Self {
        Self::Data(Value::Float(number))
    }
}

// ── Plain data ─────────────────────────────────────────────────────────────────────────────────────────────────────

/// A number of any element type.
pub(crate) fn number<T: WithDType>(number: T) -> Encoded {
    if T::DTYPE.is_float() {
        return data(Value::Float(number.to_f64()));
    }
    // Integers pass through candle's own scalar, because not all of them survive a float.
    match number.to_scalar() {
        candle_core::scalar::Scalar::I64(value) => data(Value::Int(value)),
        _ => data(Value::Int(number.to_f64() as i64)),
    }
}

pub(crate) fn size(size: usize) -> Encoded {
    int(size).and_then(data)
}

pub(crate) fn sizes(sizes: &[usize]) -> Encoded {
    ints(sizes.iter().copied()).map(Value::List).and_then(data)
}

pub(crate) fn pair(pair: impl ToUsize2) -> Encoded {
    let (first, second) = pair.to_usize2();
    ints([first, second]).map(Value::Tuple).and_then(data)
}

pub(crate) fn signed(number: i32) -> Encoded {
    data(Value::Int(number.into()))
}

pub(crate) fn float(number: f64) -> Encoded {
    data(Value::Float(number))
}

pub(crate) fn single(number: f32) -> Encoded {
    data(Value::Float(number.into()))
}

pub(crate) fn flag(flag: bool) -> Encoded {
    data(Value::Bool(flag))
}

pub(crate) fn dtype(dtype: DType) -> Encoded {
    data(Value::DType(dtype))
}

pub(crate) fn device(device: &Device) -> Encoded {
    data(Value::Device(crate::value::Device(device.clone())))
}

// ── Dimensions ─────────────────────────────────────────────────────────────────────────────────────────────────────

/// A shape of so many dimensions that an index in its upper half can only have been counted from the end: it tells how
/// an axis was written, which candle's `Dim` does not.
static PROBE: LazyLock<Shape> = LazyLock::new(|| Shape::from(vec![1; PROBE_RANK]));
const PROBE_RANK: usize = 1024;

fn relative(index: usize) -> Result<Value, InferError> {
    if index < PROBE_RANK / 2 { int(index) } else { int(index).map(|value| from_end(value, PROBE_RANK)) }
}

fn from_end(index: Value, rank: usize) -> Value {
    match index {
        Value::Int(index) => Value::Int(index - rank as i64),
        other => other,
    }
}

pub(crate) fn axis(axis: impl Dim) -> Encoded {
    relative(axis.to_index(&PROBE, "dim")?).and_then(data)
}

pub(crate) fn axes(axes: impl Dims) -> Encoded {
    let indices = axes.to_indexes_internal(&PROBE, "dims")?;
    let values: Vec<_> = indices.into_iter().map(relative).collect::<Result<_, _>>()?;
    match <[Value; 1]>::try_from(values) {
        Ok([one]) => data(one),
        Err(values) => data(Value::Tuple(values)),
    }
}

pub(crate) fn shape(shape: impl Into<Shape>) -> Encoded {
    ints(shape.into().into_dims()).map(Value::Tuple).and_then(data)
}

/// A shape with a hole; the hole is filled where the number of elements of `x` is known.
pub(crate) fn holed_shape<S: ShapeWithOneHole>(shape: S, x: &Proxy) -> Encoded {
    if let Some(fact) = x.fact().as_tensor() {
        return self::shape(shape.into_shape(fact.shape.elem_count())?);
    }
    // With no elements at all, a hole comes out as 0, and a shape without one is refused with the shape itself.
    let written = std::any::type_name::<S>();
    let dims = match shape.into_shape(0) {
        Ok(shape) => shape.into_dims(),
        Err(error) => return self::shape(refused_shape(error)?),
    };
    let holed = written.contains("()");
    let dims = dims.into_iter().map(|dim| if dim == 0 && holed { Ok(Value::Int(-1)) } else { int(dim) });
    dims.collect::<Result<_, _>>().map(Value::Tuple).and_then(data)
}

/// The shape that candle found not to hold the elements.
fn refused_shape(error: Error) -> Result<Shape, InferError> {
    match error {
        Error::ShapeMismatch { shape, .. } => Ok(shape),
        Error::WithBacktrace { inner, .. } => refused_shape(*inner),
        other => Err(other.into()),
    }
}

// ── Indices ────────────────────────────────────────────────────────────────────────────────────────────────────────

/// One item of an index, as candle's `TensorIndexer`.
pub trait IndexItem {
    /// As an argument.
    ///
    /// # Errors
    /// When a number does not fit.
    fn encode(self) -> Encoded;
}

/// What `x.i(…)` takes: an item, or a tuple of items.
pub trait Index {
    /// As an argument.
    ///
    /// # Errors
    /// When a number does not fit.
    fn encode(self) -> Encoded;
}

/// Start and stop of a range, stop exclusive.
fn bounds(range: &impl RangeBounds<usize>) -> Result<(usize, Option<usize>), InferError> {
    let too_large = || InferError("a range ends past the largest number".to_owned());
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.checked_add(1).ok_or_else(too_large)?,
        Bound::Unbounded => 0,
    };
    let stop = match range.end_bound() {
        Bound::Included(&stop) => Some(stop.checked_add(1).ok_or_else(too_large)?),
        Bound::Excluded(&stop) => Some(stop),
        Bound::Unbounded => None,
    };
    Ok((start, stop))
}

fn range(start: usize, stop: Option<usize>) -> Result<Value, InferError> {
    let too_large = |_| InferError("a range ends past the largest number".to_owned());
    let start = if start == 0 { None } else { Some(i64::try_from(start).map_err(too_large)?) };
    Ok(Value::Range(start, stop.map(i64::try_from).transpose().map_err(too_large)?))
}

macro_rules! index_ranges {
    ($($type:ty),*) => {$(
        impl IndexItem for $type {
            fn encode(self) -> Encoded {
                let (start, stop) = bounds(&self)?;
                range(start, stop).and_then(data)
            }
        }
    )*};
}
index_ranges!(
    Range<usize>,
    RangeFrom<usize>,
    RangeFull,
    RangeInclusive<usize>,
    RangeTo<usize>,
    RangeToInclusive<usize>,
    (Bound<usize>, Bound<usize>)
);

impl IndexItem for usize {
    fn encode(self) -> Encoded {
        size(self)
    }
}

impl IndexItem for &Proxy {
    fn encode(self) -> Encoded {
        tensor(self)
    }
}

impl IndexItem for &[u32] {
    #[track_caller]
    fn encode(self) -> Encoded {
        let session = super::session::Session::current("i")?;
        Ok(Given::Proxy(Proxy::constant(&session, candle_core::Tensor::new(self, &Device::Cpu)?)))
    }
}

impl IndexItem for Vec<u32> {
    #[track_caller]
    fn encode(self) -> Encoded {
        IndexItem::encode(self.as_slice())
    }
}

macro_rules! index_one {
    ($($type:ty),*) => {$(
        impl Index for $type {
            #[track_caller]
            fn encode(self) -> Encoded {
                Ok(Given::List(vec![IndexItem::encode(self)?]))
            }
        }
    )*};
}
index_one!(
    usize,
    &Proxy,
    &[u32],
    Vec<u32>,
    Range<usize>,
    RangeFrom<usize>,
    RangeFull,
    RangeInclusive<usize>,
    RangeTo<usize>,
    RangeToInclusive<usize>
);

macro_rules! index_tuple {
    ($(($($name:ident)+))*) => {$(
        impl<$($name: IndexItem),+> Index for ($($name,)+) {
            #[allow(non_snake_case, reason = "the items are named after their types")]
            #[track_caller]
            fn encode(self) -> Encoded {
                let ($($name,)+) = self;
                Ok(Given::List(vec![$($name.encode()?),+]))
            }
        }
    )*};
}
index_tuple! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) }

pub(crate) fn index(index: impl Index) -> Encoded {
    index.encode()
}

/// Ranges, one per dimension; an open end is the dimension's.
pub(crate) fn ranges<R: RangeBounds<usize>>(ranges: &[R], x: &Proxy) -> Encoded {
    let fact = x.fact();
    let ranges = ranges.iter().enumerate().map(|(i, item)| {
        let (start, stop) = bounds(item)?;
        let stop = stop.or_else(|| fact.as_tensor().and_then(|fact| fact.dims().get(i).copied()));
        range(start, stop)
    });
    ranges.collect::<Result<_, _>>().map(Value::List).and_then(data)
}

// ── Arguments of users' functions ──────────────────────────────────────────────────────────────────────────────────

/// An argument of a user's function that is recorded whole.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a function with `#[fx::wrap]`",
    note = "a graph holds tensors, numbers, flags, text, dtypes, devices, and options, lists and tuples of them"
)]
pub trait Record {
    /// As an argument.
    ///
    /// # Errors
    /// When a number does not fit.
    fn record(&self) -> Encoded;
}

impl<T: Record + ?Sized> Record for &T {
    fn record(&self) -> Encoded {
        (**self).record()
    }
}

impl<T: Record> Record for Option<T> {
    fn record(&self) -> Encoded {
        self.as_ref().map_or_else(|| data(Value::None), T::record)
    }
}

impl<T: Record> Record for [T] {
    fn record(&self) -> Encoded {
        let items: Vec<Given> = self.iter().map(T::record).collect::<Result<_, _>>()?;
        let values: Option<Vec<Value>> = items
            .iter()
            .map(|item| match item {
                Given::Data(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        match values {
            Some(values) => data(Value::List(values)),
            None => Ok(Given::List(items)),
        }
    }
}

impl<T: Record> Record for Vec<T> {
    fn record(&self) -> Encoded {
        self.as_slice().record()
    }
}

impl<T: Record, const N: usize> Record for [T; N] {
    fn record(&self) -> Encoded {
        self.as_slice().record()
    }
}

macro_rules! record_tuples {
    ($(($($name:ident $index:tt)+))*) => {$(
        impl<$($name: Record),+> Record for ($($name,)+) {
            fn record(&self) -> Encoded {
                tuple([$(self.$index.record()?),+])
            }
        }
    )*};
}
record_tuples! { (A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) }

/// A tuple of plain data.
fn tuple<const N: usize>(items: [Given; N]) -> Encoded {
    let values = items.into_iter().map(|item| match item {
        Given::Data(value) => Some(value),
        _ => None,
    });
    match values.collect() {
        Some(values) => data(Value::Tuple(values)),
        None => Err(InferError("a tuple with tensors cannot be an argument: give them one by one".to_owned())),
    }
}

macro_rules! record_data {
    ($($type:ty, $value:ident => $encoded:expr;)*) => {$(
        impl Record for $type {
            fn record(&self) -> Encoded {
                let $value = self;
                $encoded
            }
        }
    )*};
}
record_data! {
    Proxy, proxy => tensor(proxy);
    bool, value => flag(*value);
    usize, value => size(*value);
    u8, value => data(Value::Int((*value).into()));
    u16, value => data(Value::Int((*value).into()));
    u32, value => data(Value::Int((*value).into()));
    u64, value => int(*value).and_then(data);
    i8, value => data(Value::Int((*value).into()));
    i16, value => data(Value::Int((*value).into()));
    isize, value => int(*value).and_then(data);
    i32, value => signed(*value);
    i64, value => data(Value::Int(*value));
    f32, value => single(*value);
    f64, value => float(*value);
    str, value => data(Value::Str(value.into()));
    String, value => data(Value::Str(value.as_str().into()));
    DType, value => dtype(*value);
    Device, value => device(value);
    Shape, value => shape(value);
}
