//! Layers that multiply by a matrix: [`Linear`] and [`Bilinear`]; and [`Identity`].
//!
//! Invariant: the last dimension holds the features, whatever stands before it.

use std::fmt;
use std::sync::Arc;

use candle_core::{Module, Result, Tensor};
use candle_nn::{Init, VarBuilder};
use fx_core::module::LayerModule;
use fx_core::ops::macs::{of_each, product};
use fx_core::trace::Traceable;
use fx_core::value::TensorFact;

use crate::dims::extent;
use crate::formula;
use crate::leaf::{leaf, several};
use crate::options::{flag, options};
use crate::twice::{inside, maybe, twice};

/// `U(-√k, √k)` with `k = 1 / fan_in`, torch's initialisation of most weights and biases.
pub(crate) fn uniform(fan_in: usize) -> Init {
    let bound = if fan_in == 0 { 0.0 } else { 1.0 / (fan_in as f64).sqrt() };
    Init::Uniform { lo: -bound, up: bound }
}

options! {
    /// Options of [`Linear`] and [`Bilinear`].
    LinearConfig {
        /// Whether something is added; true by default.
        bias: bool = true,
    }
}

/// `y = x · weightᵀ + bias`, [torch.nn.Linear](https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html).
///
/// `(…, in_features)` becomes `(…, out_features)`; any number of leading dimensions, none as well.
///
/// State: `weight` of `(out_features, in_features)` and `bias` of `(out_features)`, both from `U(-√k, √k)` with
/// `k = 1 / in_features`.
///
/// ```
/// use candle_core::{DType, Device, Module, Tensor};
/// use candle_nn::{VarBuilder, VarMap};
///
/// let vars = VarMap::new();
/// let linear = fx_nn::Linear::new(5, 3, Default::default(), VarBuilder::from_varmap(&vars, DType::F32, &Device::Cpu))?;
/// assert_eq!(linear.forward(&Tensor::zeros((2, 4, 5), DType::F32, &Device::Cpu)?)?.dims(), [2, 4, 3]);
/// assert_eq!(linear.to_string(), "Linear(in_features=5, out_features=3, bias=True)");
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Linear {
    in_features: usize,
    out_features: usize,
    weight: Tensor,
    bias: Option<Tensor>,
    config: LinearConfig,
}

impl Linear {
    /// A layer of these features.
    ///
    /// # Errors
    /// When the builder has a tensor of another shape, or none.
    pub fn new(in_features: usize, out_features: usize, config: LinearConfig, vb: VarBuilder<'_>) -> Result<Self> {
        let init = uniform(in_features);
        let weight = vb.get_with_hints((out_features, in_features), "weight", init)?;
        let bias = config.bias.then(|| vb.get_with_hints(out_features, "bias", init)).transpose()?;
        Ok(Self { in_features, out_features, weight, bias, config })
    }

    /// Its matrix, `(out_features, in_features)`.
    #[must_use]
    pub fn weight(&self) -> &Tensor {
        &self.weight
    }

    /// What it adds, `(out_features)`.
    #[must_use]
    pub fn bias(&self) -> Option<&Tensor> {
        self.bias.as_ref()
    }

    fn shape(&self, dims: &[usize]) -> Result<Vec<usize>> {
        let leading = dims.len().saturating_sub(1);
        extent("Linear", dims, leading, self.in_features, "features")?;
        Ok(dims[..leading].iter().copied().chain([self.out_features]).collect())
    }

    pub(crate) fn tensor(&self, name: &str) -> Option<Tensor> {
        match name {
            "weight" => Some(self.weight.clone()),
            _ => self.bias.clone(),
        }
    }

    /// The same as a layer of candle's, which sums in another order where there are more dimensions, or one feature.
    fn in_candle(&self, x: &TensorFact) -> Option<Arc<dyn LayerModule>> {
        let is_same = x.dims().len() == 2 && self.out_features > 1;
        is_same.then(|| -> Arc<dyn LayerModule> {
            Arc::new(candle_nn::Linear::new(self.weight.clone(), self.bias.clone()))
        })
    }
}

impl Module for Linear {
    /// # Errors
    /// When the last dimension is not `in_features` wide.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        let dims = self.shape(xs.dims())?;
        formula::linear(xs, &self.weight, self.bias.as_ref(), dims)
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { in_features, out_features, bias, .. } = self;
        write!(f, "Linear(in_features={in_features}, out_features={out_features}, bias={})", flag(bias.is_some()))
    }
}

leaf! {
    Linear as "nn.Linear", forward;
    arguments { in_features: usize, out_features: usize }
    config config: LinearConfig;
    tensors { "weight", "bias" }
    make |vb| Self::new(in_features, out_features, config, vb);
    shape |layer, x| layer.shape(x.dims());
    macs |layer, _x, out| of_each(out, layer.in_features);
    through |layer, scope, x| {
        let dims = layer.shape(x.dims())?;
        let weight = layer.weight.symbolic(&scope.child("weight"));
        let bias = layer.bias.symbolic(&scope.child("bias"));
        crate::proxied::formula::linear(x, &weight, bias.as_ref(), dims)
    };
    candle |layer, x| layer.in_candle(x);
}

/// `y = x₁ᵀ · A · x₂ + bias`, [torch.nn.Bilinear](https://docs.pytorch.org/docs/stable/generated/torch.nn.Bilinear.html).
///
/// `(…, in1_features)` and `(…, in2_features)`, equal in their leading dimensions, become `(…, out_features)`.
///
/// State: `weight` of `(out_features, in1_features, in2_features)` and `bias` of `(out_features)`, both from
/// `U(-√k, √k)` with `k = 1 / in1_features`.
#[derive(Debug, Clone)]
pub struct Bilinear {
    in1_features: usize,
    in2_features: usize,
    out_features: usize,
    weight: Tensor,
    bias: Option<Tensor>,
    config: LinearConfig,
}

impl Bilinear {
    /// A layer of these features.
    ///
    /// # Errors
    /// When the builder has a tensor of another shape, or none.
    pub fn new(
        in1_features: usize,
        in2_features: usize,
        out_features: usize,
        config: LinearConfig,
        vb: VarBuilder<'_>,
    ) -> Result<Self> {
        let init = uniform(in1_features);
        let weight = vb.get_with_hints((out_features, in1_features, in2_features), "weight", init)?;
        let bias = config.bias.then(|| vb.get_with_hints(out_features, "bias", init)).transpose()?;
        Ok(Self { in1_features, in2_features, out_features, weight, bias, config })
    }

    fn shape(&self, first: &[usize], second: &[usize]) -> Result<Vec<usize>> {
        let leading = first.len().saturating_sub(1);
        extent("Bilinear", first, leading, self.in1_features, "features of the first input")?;
        extent("Bilinear", second, second.len().saturating_sub(1), self.in2_features, "features of the second input")?;
        if first[..leading] != second[..second.len() - 1] {
            candle_core::bail!("Bilinear: the inputs {first:?} and {second:?} differ before the last dimension");
        }
        Ok(first[..leading].iter().copied().chain([self.out_features]).collect())
    }

    /// The layer on two inputs.
    ///
    /// # Errors
    /// When the inputs do not fit.
    pub fn forward(&self, input1: &Tensor, input2: &Tensor) -> Result<Tensor> {
        bilinear(self, &self.weight, self.bias.as_ref(), input1, input2)
    }

    pub(crate) fn tensor(&self, name: &str) -> Option<Tensor> {
        match name {
            "weight" => Some(self.weight.clone()),
            _ => self.bias.clone(),
        }
    }
}

twice! {
    {}

    pub(crate) fn bilinear(
        layer: &Bilinear,
        weight: &Tensor,
        bias: Option<&Tensor>,
        input1: &Tensor,
        input2: &Tensor,
    ) -> Result<Tensor> {
        let dims = layer.shape(input1.dims(), input2.dims())?;
        let first = input1.reshape(((), layer.in1_features))?;
        let second = input2.reshape(((), layer.in2_features))?;
        let rows = first.dim(0)?;
        // (rows, in1) · (in1, out · in2), then the second input along in2.
        let matrix =
            weight.transpose(0, 1)?.reshape((layer.in1_features, layer.out_features * layer.in2_features))?;
        let partial = first.matmul(&matrix)?.reshape((rows, layer.out_features, layer.in2_features))?;
        let result = partial.matmul(&second.unsqueeze(2)?)?.squeeze(2)?;
        let result = match bias {
            Some(bias) => result.broadcast_add(bias)?,
            None => result,
        };
        result.reshape(dims)
    }
}

impl fmt::Display for Bilinear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { in1_features: first, in2_features: second, out_features, bias, .. } = self;
        let bias = flag(bias.is_some());
        write!(f, "Bilinear(in1_features={first}, in2_features={second}, out_features={out_features}, bias={bias})")
    }
}

several! {
    Bilinear as "nn.Bilinear", (input2);
    arguments { in1_features: usize, in2_features: usize, out_features: usize }
    config config: LinearConfig;
    tensors { "weight", "bias" }
    make |vb| Self::new(in1_features, in2_features, out_features, config, vb);
    call |layer, first, second| layer.forward(first, second);
    shape |layer, first, second| layer.shape(first.dims(), second.dims());
    macs |layer, _x, out| product([out.shape.elem_count(), layer.in1_features + 1, layer.in2_features]);
    through |layer, scope, first, second| {
        let bias = maybe(layer.bias.as_ref(), scope, "bias");
        entered::bilinear(layer, &inside(&layer.weight, scope, "weight"), bias.as_ref(), first, second)
    };
}

/// Its input, [torch.nn.Identity](https://docs.pytorch.org/docs/stable/generated/torch.nn.Identity.html).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Identity;

impl Identity {
    /// The layer.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl Module for Identity {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        Ok(xs.clone())
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity()")
    }
}

leaf! {
    Identity as "nn.Identity", forward;
    arguments {}
    tensors {}
    make |_vb| Ok(Self);
    shape |_layer, _x| Ok(());
    through |_layer, _scope, x| Ok(x.clone());
}
