//! What a proxy answers at once: shape queries with real numbers, and reads of data where the capture has it.
//!
//! Invariant: nothing here adds a node, except where data is baked in.

use candle_core::shape::Dim;
use candle_core::{Layout, Result, StorageRef, Tensor, WithDType};

use super::proxy::Proxy;
use super::symbolic_module::{Module, ModuleT};

macro_rules! dims {
    ($($name:ident -> $type:ty)*) => {$(
        /// The extents, if there are so many dimensions.
        ///
        /// # Errors
        /// When the rank differs or the shape is not known.
        #[track_caller]
        pub fn $name(&self) -> Result<$type> {
            self.try_known(stringify!($name), "the shape")?.shape.$name()
        }
    )*};
}

macro_rules! reads {
    ($($name:ident -> $type:ty)*) => {$(
        /// The data, where the capture has it and was told to bake it in (`specialize`).
        ///
        /// # Errors
        /// When the capture has no data, or was not told to bake it in.
        #[track_caller]
        pub fn $name<S: WithDType>(&self) -> Result<$type> {
            self.data(stringify!($name))?.$name()
        }
    )*};
}

/// What candle converts a tensor into reads its data.
macro_rules! conversions {
    ($($element:ty)*) => {$(
        conversions! { $element: to_scalar, Vec<$element>: to_vec1 }
        conversions! { Vec<Vec<$element>>: to_vec2, Vec<Vec<Vec<$element>>>: to_vec3 }
    )*};
    ($($type:ty: $read:ident),*) => {$(
        impl TryFrom<&Proxy> for $type {
            type Error = candle_core::Error;

            #[track_caller]
            fn try_from(proxy: &Proxy) -> Result<Self> {
                proxy.data("try_from")?.$read()
            }
        }

        impl TryFrom<Proxy> for $type {
            type Error = candle_core::Error;

            #[track_caller]
            fn try_from(proxy: Proxy) -> Result<Self> {
                proxy.data("try_from")?.$read()
            }
        }
    )*};
}

conversions! { f64 f32 i64 i32 i16 u32 u8 }

impl Proxy {
    dims! {
        dims0 -> ()
        dims1 -> usize
        dims2 -> (usize, usize)
        dims3 -> (usize, usize, usize)
        dims4 -> (usize, usize, usize, usize)
        dims5 -> (usize, usize, usize, usize, usize)
    }

    reads! {
        to_scalar -> S
        to_vec0 -> S
        to_vec1 -> Vec<S>
        to_vec2 -> Vec<Vec<S>>
        to_vec3 -> Vec<Vec<Vec<S>>>
    }

    /// The extents, outermost first.
    ///
    /// Where the shape is not known, the capture ends with an error that says why; [`Proxy::dims2`] and its like return
    /// it.
    #[track_caller]
    pub fn dims(&self) -> &[usize] {
        self.known("dims", "the shape").dims()
    }

    /// The extent of one dimension.
    ///
    /// # Errors
    /// When there is no such dimension or the shape is not known.
    #[track_caller]
    pub fn dim(&self, dim: impl Dim) -> Result<usize> {
        let fact = self.try_known("dim", "the shape")?;
        Ok(fact.dims()[dim.to_index(&fact.shape, "dim")?])
    }

    /// Number of dimensions.
    ///
    /// Where the shape is not known, the capture ends with an error that says why.
    #[track_caller]
    pub fn rank(&self) -> usize {
        self.known("rank", "the shape").rank()
    }

    /// Number of elements.
    ///
    /// Where the shape is not known, the capture ends with an error that says why.
    #[track_caller]
    pub fn elem_count(&self) -> usize {
        self.known("elem_count", "the shape").shape.elem_count()
    }

    /// An axis that may be negative, counted from the front.
    ///
    /// # Errors
    /// When there is no such dimension or the shape is not known.
    #[track_caller]
    pub fn normalize_axis(&self, axis: i64) -> Result<usize> {
        let rank = self.try_known("normalize_axis", "the shape")?.rank() as i64;
        if axis >= rank || axis < -rank {
            candle_core::bail!("axis {axis} is not one of {rank} dimensions");
        }
        Ok(axis.rem_euclid(rank) as usize)
    }

    /// Whether the elements lie in memory in order: as candle's tensor in a concrete capture, else always.
    pub fn is_contiguous(&self) -> bool {
        super::notes::note_layout();
        self.lies_in_order()
    }

    /// The same where nothing but an error depends on it.
    pub(crate) fn lies_in_order(&self) -> bool {
        self.tensor().is_none_or(Tensor::is_contiguous)
    }

    /// How many elements lie between neighbours along each dimension: as in candle's tensor in a concrete capture, else as in
    /// one whose elements lie in memory in order.
    ///
    /// Where the shape is not known, the capture ends with an error that says why.
    #[track_caller]
    pub fn stride(&self) -> &[usize] {
        self.known_layout("stride").stride()
    }

    /// Shape, strides and offset, as [`Proxy::stride`] has them.
    #[track_caller]
    pub fn layout(&self) -> &Layout {
        self.known_layout("layout")
    }

    /// Whether the elements lie in memory in order of the last dimension first, as [`Proxy::stride`] has it.
    #[track_caller]
    pub fn is_fortran_contiguous(&self) -> bool {
        self.known_layout("is_fortran_contiguous").is_fortran_contiguous()
    }

    /// The tensor of a `Var`, which is a proxy as well.
    #[must_use]
    pub fn as_tensor(&self) -> &Self {
        self
    }

    /// Whether the value is a `Var`, which a capture makes a parameter.
    pub fn is_variable(&self) -> bool {
        self.tensor().is_some_and(Tensor::is_variable)
    }

    /// Whether gradients flow to the value, which a capture does not follow.
    pub fn track_op(&self) -> bool {
        self.tensor().is_some_and(Tensor::track_op)
    }

    /// The raw data and how it is laid out, where the capture has it and was told to bake it in.
    #[track_caller]
    pub fn storage_and_layout(&self) -> (StorageRef<'_>, &Layout) {
        match self.data("storage_and_layout") {
            Ok(tensor) => tensor.storage_and_layout(),
            Err(error) => super::session::Session::abort_current(&error),
        }
    }

    /// Calls a layer or module on this value.
    ///
    /// # Errors
    /// What the module refuses.
    #[track_caller]
    pub fn apply<M: Module>(&self, module: &M) -> Result<Self> {
        module.forward(self)
    }

    /// Calls a layer or module that behaves differently in training.
    ///
    /// # Errors
    /// What the module refuses.
    #[track_caller]
    pub fn apply_t<M: ModuleT>(&self, module: &M, train: bool) -> Result<Self> {
        module.forward_t(self, train)
    }
}
