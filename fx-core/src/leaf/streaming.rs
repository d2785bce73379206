//! candle's streams: [`StreamTensor`], which may be empty, and what computes on it. In a twin these names mean these.
//!
//! Invariant: whether a stream is empty is known while recording; the recorded operations are those that candle runs.

use candle_core::streaming::{BinOp, Dim};
use candle_core::{D, Result, Shape};

use crate::trace::lift::{Lifts, Returned, mirrored, mirrored_or_abort};
use crate::trace::{Held, Holding, Inputs, Module, Proxy, Scope, Session, Traceable};

/// The mirror of a `StreamTensor`.
///
/// A tensor or nothing, decided when the model is captured.
#[derive(Debug, Clone)]
pub struct StreamTensor(Option<Proxy>);

impl Traceable for candle_core::StreamTensor {
    type Symbolic = StreamTensor;

    fn symbolic(&self, scope: &Scope) -> StreamTensor {
        StreamTensor(self.as_option().map(|tensor| tensor.symbolic(scope)))
    }

    fn input(&self, inputs: &mut Inputs<'_>, name: &str) -> StreamTensor {
        StreamTensor(self.as_option().map(|tensor| tensor.input(inputs, name)))
    }

    fn held(mirror: &StreamTensor, _: &mut Holding) -> Held {
        mirror.0.clone().map_or(Held::NOTHING, Held::Tensor)
    }
}

/// What a function without tensors gives, `StreamTensor::empty()`.
impl Lifts for candle_core::StreamTensor {
    type Lifted = StreamTensor;

    #[track_caller]
    fn lifted(self) -> Result<StreamTensor> {
        mirrored(&self)
    }
}

impl Returned for candle_core::StreamTensor {
    type Lifted = StreamTensor;

    #[track_caller]
    fn lift(self) -> StreamTensor {
        mirrored_or_abort(&self)
    }
}

impl From<Option<Proxy>> for StreamTensor {
    fn from(value: Option<Proxy>) -> Self {
        Self(value)
    }
}

impl From<Proxy> for StreamTensor {
    fn from(value: Proxy) -> Self {
        Self(Some(value))
    }
}

impl From<()> for StreamTensor {
    fn from((): ()) -> Self {
        Self(None)
    }
}

impl StreamTensor {
    /// Nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self(None)
    }

    /// A tensor.
    #[must_use]
    pub fn from_tensor(tensor: Proxy) -> Self {
        Self(Some(tensor))
    }

    /// The shape of its tensor.
    #[track_caller]
    #[must_use]
    pub fn shape(&self) -> Option<&Shape> {
        match &self.0 {
            None => None,
            Some(tensor) => Some(tensor.shape()),
        }
    }

    /// The two joined, of what there is.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn cat2<A: Dim>(&self, rhs: &Self, dim: A) -> Result<Self> {
        Ok(Self(match (&self.0, &rhs.0) {
            (Some(left), Some(right)) => Some(Proxy::cat(&[left, right], dim)?),
            (one, other) => one.as_ref().or(other.as_ref()).cloned(),
        }))
    }

    /// Its length, 0 for nothing.
    ///
    /// # Errors
    /// When there is no such dimension or the shape is not known.
    #[track_caller]
    pub fn seq_len<A: Dim>(&self, dim: A) -> Result<usize> {
        match &self.0 {
            None => Ok(0),
            Some(tensor) => tensor.dim(dim),
        }
    }

    /// Makes it nothing.
    pub fn reset(&mut self) {
        self.0 = None;
    }

    /// The part of it in a range, as far as there is any.
    ///
    /// # Errors
    /// What candle refuses, or when the shape is not known.
    #[track_caller]
    pub fn narrow<A: Dim>(&self, dim: A, offset: usize, len: usize) -> Result<Self> {
        let Some(tensor) = &self.0 else { return Ok(Self::empty()) };
        match tensor.dim(dim)?.saturating_sub(offset) {
            0 => Ok(Self::empty()),
            rest => Ok(Self(Some(tensor.narrow(dim, offset, len.min(rest))?))),
        }
    }

    /// Its first `lhs_len` elements, and the rest.
    ///
    /// # Errors
    /// What candle refuses, or when the shape is not known.
    #[track_caller]
    pub fn split<A: Dim>(&self, dim: A, lhs_len: usize) -> Result<(Self, Self)> {
        let Some(tensor) = &self.0 else { return Ok((Self::empty(), Self::empty())) };
        let len = tensor.dim(dim)?;
        let first = lhs_len.min(len);
        if first == 0 {
            return Ok((Self::empty(), self.clone()));
        }
        let left = Self(Some(tensor.narrow(dim, 0, first)?));
        let right = match len - first {
            0 => Self::empty(),
            rest => Self(Some(tensor.narrow(dim, first, rest)?)),
        };
        Ok((left, right))
    }

    /// Its tensor.
    #[must_use]
    pub fn as_option(&self) -> Option<&Proxy> {
        self.0.as_ref()
    }

    /// Calls a layer on it, if it is anything.
    ///
    /// # Errors
    /// What the layer refuses.
    #[track_caller]
    pub fn apply<M: Module>(&self, m: &M) -> Result<Self> {
        match &self.0 {
            None => Ok(Self::empty()),
            Some(tensor) => Ok(Self(Some(tensor.apply(m)?))),
        }
    }
}

/// candle's `StreamingModule` in a twin.
///
/// Modules that take a stream part by part, and hold back what they cannot use yet.
pub trait StreamingModule {
    /// Takes what comes, and gives what there is.
    ///
    /// # Errors
    /// What candle refuses.
    fn step(&mut self, xs: &StreamTensor) -> Result<StreamTensor>;

    /// Forgets what it holds back.
    fn reset_state(&mut self);
}

/// The mirror of a `StreamingBinOp`.
///
/// What one side has more than the other waits in it for the next step.
#[derive(Debug, Clone)]
pub struct StreamingBinOp {
    prev_lhs: StreamTensor,
    prev_rhs: StreamTensor,
    /// What it computes.
    pub op: BinOp,
    /// The dimension of time.
    pub dim: D,
}

/// What the original holds back, candle shows to nobody: with anything held back, the capture ends with an error.
impl Traceable for candle_core::streaming::StreamingBinOp {
    type Symbolic = StreamingBinOp;

    fn symbolic(&self, scope: &Scope) -> StreamingBinOp {
        // Only its debug form tells whether there is anything.
        if format!("{self:?}").matches("Empty").count() != 2 {
            let path = scope.path();
            let reason =
                format!("`{path}` holds back a part of a stream: call `reset_state` before the model is captured");
            Session::abort_current(&candle_core::Error::Msg(reason));
        }
        StreamingBinOp::new(self.op, self.dim)
    }

    fn held(mirror: &StreamingBinOp, holding: &mut Holding) -> Held {
        let [lhs, rhs] =
            [&mirror.prev_lhs, &mirror.prev_rhs].map(|held| candle_core::StreamTensor::held(held, holding));
        Held::whole("StreamingBinOp", vec![("prev_lhs", lhs), ("prev_rhs", rhs)])
    }
}

impl StreamingBinOp {
    /// An operation on two streams.
    #[must_use]
    pub fn new(op: BinOp, dim: D) -> Self {
        Self { prev_lhs: StreamTensor::empty(), prev_rhs: StreamTensor::empty(), op, dim }
    }

    /// Forgets what it holds back.
    pub fn reset_state(&mut self) {
        self.prev_lhs.reset();
        self.prev_rhs.reset();
    }

    /// The operation on two tensors.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, lhs: &Proxy, rhs: &Proxy) -> Result<Proxy> {
        match self.op {
            BinOp::Add => lhs + rhs,
            BinOp::Mul => lhs * rhs,
            BinOp::Sub => lhs - rhs,
            BinOp::Div => lhs / rhs,
        }
    }

    /// The operation on as much as there is of both.
    ///
    /// # Errors
    /// What candle refuses, or when a shape is not known.
    #[track_caller]
    pub fn step(&mut self, lhs: &StreamTensor, rhs: &StreamTensor) -> Result<StreamTensor> {
        let lhs = self.prev_lhs.cat2(lhs, self.dim)?;
        let rhs = self.prev_rhs.cat2(rhs, self.dim)?;
        let common = lhs.seq_len(self.dim)?.min(rhs.seq_len(self.dim)?);
        let (lhs, prev_lhs) = lhs.split(self.dim, common)?;
        let (rhs, prev_rhs) = rhs.split(self.dim, common)?;
        let both = lhs.as_option().zip(rhs.as_option());
        let result = both.map(|(lhs, rhs)| self.forward(lhs, rhs)).transpose()?;
        (self.prev_lhs, self.prev_rhs) = (prev_lhs, prev_rhs);
        Ok(StreamTensor(result))
    }
}

/// A module on a stream, part by part.
pub struct Map<T: Module>(T);

impl<T: Module> StreamingModule for Map<T> {
    fn reset_state(&mut self) {}

    fn step(&mut self, xs: &StreamTensor) -> Result<StreamTensor> {
        xs.apply(&self.0)
    }
}
