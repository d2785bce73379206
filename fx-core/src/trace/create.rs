//! Tensors that a twin makes from data: constants of the graph.
//!
//! Invariant: the data is read once, while recording; the graph holds the tensor.

use candle_core::shape::ShapeWithOneHole;
use candle_core::{Device, NdArray, Result, Tensor, WithDType};

use super::proxy::Proxy;
use super::session::Session;

impl Proxy {
    /// A tensor of this data.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn new<A: NdArray>(array: A, device: &Device) -> Result<Self> {
        Self::of_data("new", Tensor::new(array, device))
    }

    /// A tensor of this data.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn from_slice<S: ShapeWithOneHole, D: WithDType>(array: &[D], shape: S, device: &Device) -> Result<Self> {
        Self::of_data("from_slice", Tensor::from_slice(array, shape, device))
    }

    /// A tensor of this data.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn from_vec<S: ShapeWithOneHole, D: WithDType>(data: Vec<D>, shape: S, device: &Device) -> Result<Self> {
        Self::of_data("from_vec", Tensor::from_vec(data, shape, device))
    }

    /// A one-dimensional tensor of this data.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn from_iter<D: WithDType>(iter: impl IntoIterator<Item = D>, device: &Device) -> Result<Self> {
        Self::of_data("from_iter", Tensor::from_iter(iter, device))
    }

    /// A number or an array on the CPU, as candle's `TryFrom`.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn try_from<T>(value: T) -> Result<Self>
    where
        Tensor: TryFrom<T, Error = candle_core::Error>,
    {
        Self::of_data("try_from", Tensor::try_from(value))
    }

    #[track_caller]
    fn of_data(method: &'static str, tensor: Result<Tensor>) -> Result<Self> {
        let session = Session::current(method)?;
        Ok(Self::constant(&session, tensor?))
    }
}
