//! One step of a recurrent layer: [`RNNCell`], [`LSTMCell`], [`GRUCell`].
//!
//! Invariant: gates stand one after the other in the first dimension of weights, in torch's order.

use std::fmt;

use candle_core::{Result, Tensor, bail};
use candle_nn::VarBuilder;
use fx_core::module::Called;
use fx_core::ops::IntoValue;
use fx_core::trace::{Given, Proxy, Scope};
use fx_core::value::Fact;

use crate::dims::{extent, rank};
use crate::leaf::{Several, leaf, of_matrices, optional, rows};
use crate::linear::uniform;
use crate::options::{options, words};
use crate::twice::{inside, maybe, twice};

words! {
    /// The activation of an [`RNN`](crate::RNN).
    Nonlinearity {
        /// The hyperbolic tangent.
        Tanh = "tanh",
        /// `max(0, x)`.
        Relu = "relu",
    }
}

/// What a step computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Rnn(Nonlinearity),
    Lstm,
    Gru,
}

impl Step {
    /// How many gates there are.
    pub(crate) fn gates(self) -> usize {
        match self {
            Self::Rnn(_) => 1,
            Self::Lstm => 4,
            Self::Gru => 3,
        }
    }
}

twice! {
    {}

    /// The next hidden and cell state, from what the input and the hidden state give to the gates.
    pub(crate) fn gated(
        step: Step,
        input: &Tensor,
        hidden: &Tensor,
        h: &Tensor,
        c: Option<&Tensor>,
    ) -> Result<[Option<Tensor>; 2]> {
        let gate = |from: &Tensor, i: usize| -> Result<Tensor> {
            let width = from.dim(1)? / step.gates();
            from.narrow(1, i * width, width)?.contiguous()
        };
        match step {
            Step::Rnn(nonlinearity) => {
                let sum = (input + hidden)?;
                Ok([Some(if nonlinearity == Nonlinearity::Tanh { sum.tanh()? } else { sum.relu()? }), None])
            }
            Step::Lstm => {
                let sum = (input + hidden)?;
                let (i, f) = (candle_nn::ops::sigmoid(&gate(&sum, 0)?)?, candle_nn::ops::sigmoid(&gate(&sum, 1)?)?);
                let (g, o) = (gate(&sum, 2)?.tanh()?, candle_nn::ops::sigmoid(&gate(&sum, 3)?)?);
                let new = (i * g)?;
                let c = match c {
                    Some(c) => ((f * c)? + new)?,
                    None => new,
                };
                Ok([Some((o * c.tanh()?)?), Some(c)])
            }
            Step::Gru => {
                let r = candle_nn::ops::sigmoid(&(gate(input, 0)? + gate(hidden, 0)?)?)?;
                let z = candle_nn::ops::sigmoid(&(gate(input, 1)? + gate(hidden, 1)?)?)?;
                let n = (gate(input, 2)? + (r * gate(hidden, 2)?)?)?.tanh()?;
                // (1 − z) · n + z · h
                Ok([Some((((h - &n)? * z)? + &n)?), None])
            }
        }
    }

    /// The weights of one direction of one layer.
    #[derive(Debug, Clone)]
    pub(crate) struct Weights {
        pub(crate) ih: Tensor,
        pub(crate) hh: Tensor,
        pub(crate) bias_ih: Option<Tensor>,
        pub(crate) bias_hh: Option<Tensor>,
        /// Makes the hidden state narrower.
        pub(crate) hr: Option<Tensor>,
    }

    /// `x · weightᵀ + bias` of rows.
    pub(crate) fn affine(x: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
        let product = x.matmul(&weight.t()?)?;
        match bias {
            Some(bias) => product.broadcast_add(bias),
            None => Ok(product),
        }
    }

    impl Weights {
        /// The next state, from what the input gives to the gates.
        pub(crate) fn step(
            &self,
            step: Step,
            input: &Tensor,
            h: &Tensor,
            c: Option<&Tensor>,
        ) -> Result<(Tensor, Option<Tensor>)> {
            let hidden = affine(h, &self.hh, self.bias_hh.as_ref())?;
            let [next, c] = gated(step, input, &hidden, h, c)?;
            let Some(next) = next else { bail!("a step gives a state") };
            match &self.hr {
                Some(hr) => Ok((affine(&next, hr, None)?, c)),
                None => Ok((next, c)),
            }
        }
    }

    /// What a cell computes with these weights.
    pub(crate) fn one_step(
        cell: &Cell,
        weights: &Weights,
        layer: &str,
        step: Step,
        input: &Tensor,
        h: Option<&Tensor>,
        c: Option<&Tensor>,
    ) -> Result<(Tensor, Option<Tensor>)> {
        let dims = cell.shape(layer, input.dims())?;
        for state in [h, c].into_iter().flatten() {
            if state.dims() != dims {
                bail!("{layer}: expects a state of {dims:?}, but is given {:?}", state.dims());
            }
        }
        let rows = |x: &Tensor, width: usize| x.reshape(((), width));
        let x = rows(input, cell.input_size)?;
        let h = match h {
            Some(h) => rows(h, cell.hidden_size)?,
            None => Tensor::zeros((x.dim(0)?, cell.hidden_size), x.dtype(), x.device())?,
        };
        let c = c.map(|c| rows(c, cell.hidden_size)).transpose()?;
        let gates = affine(&x, &weights.ih, weights.bias_ih.as_ref())?;
        let (h, c) = weights.step(step, &gates, &h, c.as_ref())?;
        Ok((h.reshape(dims.as_slice())?, c.map(|c| c.reshape(dims.as_slice())).transpose()?))
    }
}

impl Weights {
    /// The same, entered; names end so.
    pub(crate) fn entered(&self, scope: &Scope, suffix: &str) -> entered::Weights {
        let of = |tensor: Option<&Tensor>, name: &str| maybe(tensor, scope, &format!("{name}{suffix}"));
        entered::Weights {
            ih: inside(&self.ih, scope, &format!("weight_ih{suffix}")),
            hh: inside(&self.hh, scope, &format!("weight_hh{suffix}")),
            bias_ih: of(self.bias_ih.as_ref(), "bias_ih"),
            bias_hh: of(self.bias_hh.as_ref(), "bias_hh"),
            hr: of(self.hr.as_ref(), "weight_hr"),
        }
    }
}

/// What the cells share.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    input_size: usize,
    hidden_size: usize,
    weights: Weights,
}

impl Cell {
    fn new(input_size: usize, hidden_size: usize, bias: bool, step: Step, vb: &VarBuilder<'_>) -> Result<Self> {
        let (init, rows) = (uniform(hidden_size), step.gates() * hidden_size);
        let bias = |name| bias.then(|| vb.get_with_hints(rows, name, init)).transpose();
        let ih = vb.get_with_hints((rows, input_size), "weight_ih", init)?;
        let hh = vb.get_with_hints((rows, hidden_size), "weight_hh", init)?;
        let weights = Weights { ih, hh, bias_ih: bias("bias_ih")?, bias_hh: bias("bias_hh")?, hr: None };
        Ok(Self { input_size, hidden_size, weights })
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        match name {
            "weight_ih" => Some(self.weights.ih.clone()),
            "weight_hh" => Some(self.weights.hh.clone()),
            "bias_ih" => self.weights.bias_ih.clone(),
            _ => self.weights.bias_hh.clone(),
        }
    }

    /// The weights, entered.
    fn entered(&self, scope: &Scope) -> entered::Weights {
        self.weights.entered(scope, "")
    }

    /// The extents of a state.
    fn shape(&self, layer: &str, dims: &[usize]) -> Result<Vec<usize>> {
        rank(layer, dims, &[1, 2], "(N, input size) or (input size)")?;
        extent(layer, dims, dims.len() - 1, self.input_size, "features")?;
        Ok(dims[..dims.len() - 1].iter().copied().chain([self.hidden_size]).collect())
    }
}

options! {
    /// Options of [`RNNCell`].
    RNNCellConfig {
        /// Whether something is added to the gates; true by default.
        bias: bool = true,
        /// The activation; the hyperbolic tangent by default.
        nonlinearity: Nonlinearity = Nonlinearity::Tanh,
    }
}

options! {
    /// Options of [`LSTMCell`] and [`GRUCell`].
    CellConfig {
        /// Whether something is added to the gates; true by default.
        bias: bool = true,
    }
}

macro_rules! cells {
    ($($(#[$doc:meta])* $layer:ident, $config:ident, |$this:ident| $step:expr;)*) => {$(
        $(#[$doc])*
        #[doc = concat!(
            "\n\n`(N, input_size)` and a state of `(N, hidden_size)` become the next state; the batch may be missing, and the ",
            "state is zero if it is not given.\n\n",
            "State: `weight_ih` of `(gates · hidden_size, input_size)`, `weight_hh` of `(gates · hidden_size, hidden_size)`, ",
            "`bias_ih` and `bias_hh` of `(gates · hidden_size)`, all from `U(-√k, √k)` with `k = 1 / hidden_size`.\n\n",
            "[torch.nn.", stringify!($layer), "](https://docs.pytorch.org/docs/stable/generated/torch.nn.", stringify!($layer), ".html)"
        )]
        #[derive(Debug, Clone)]
        pub struct $layer {
            input_size: usize,
            hidden_size: usize,
            cell: Cell,
            config: $config,
        }

        impl $layer {
            /// A cell of these sizes.
            ///
            /// # Errors
            /// When the builder has a tensor of another shape, or none.
            pub fn new(input_size: usize, hidden_size: usize, config: $config, vb: VarBuilder<'_>) -> Result<Self> {
                let step = { let $this = &config; $step };
                let cell = Cell::new(input_size, hidden_size, config.bias, step, &vb)?;
                Ok(Self { input_size, hidden_size, cell, config })
            }

            fn step(&self) -> Step {
                let $this = &self.config;
                $step
            }

            fn tensor(&self, name: &str) -> Option<Tensor> {
                self.cell.tensor(name)
            }
        }

        impl fmt::Display for $layer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({}, {}", stringify!($layer), self.input_size, self.hidden_size)?;
                if !self.config.bias {
                    f.write_str(", bias=False")?;
                }
                if let Step::Rnn(Nonlinearity::Relu) = self.step() {
                    f.write_str(", nonlinearity=relu")?;
                }
                f.write_str(")")
            }
        }
    )*};
}
cells! {
    /// `h' = tanh(W_ih · x + b_ih + W_hh · h + b_hh)`, or `max(0, …)`.
    RNNCell, RNNCellConfig, |config| Step::Rnn(config.nonlinearity);
    /// A step of a long short-term memory, with input, forget, cell and output gates: `c' = f · c + i · g`,
    /// `h' = o · tanh(c')`.
    LSTMCell, CellConfig, |_config| Step::Lstm;
    /// A step of a gated recurrent unit, with reset, update and new gates: `h' = (1 − z) · n + z · h`.
    GRUCell, CellConfig, |_config| Step::Gru;
}

macro_rules! one_state {
    ($($layer:ident as $name:literal, $config:ident;)*) => {$(
        impl $layer {
            /// The next hidden state.
            ///
            /// # Errors
            /// When the sizes do not fit.
            pub fn forward(&self, input: &Tensor, hx: Option<&Tensor>) -> Result<Tensor> {
                one_step(&self.cell, &self.cell.weights, stringify!($layer), self.step(), input, hx, None).map(|(h, _)| h)
            }
        }

        leaf! {
            @layer [] $layer as $name, Called { method: "forward", options: &["hx"] };
            [input_size: usize, hidden_size: usize] [config: $config] ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
            [vb Self::new(input_size, hidden_size, config, vb)]
            |layer, args| {
                layer.forward(fx_core::leaf::argument(args, 0)?, fx_core::leaf::argument(args, 1)?).into_value()
            };
            |layer, facts| match facts.first() {
                Some(Fact::Tensor(x)) => {
                    Ok(Fact::tensor(layer.cell.shape(stringify!($layer), x.dims())?, x.dtype))
                }
                _ => Ok(Fact::Unknown),
            };
            macs |layer, facts, _result| Some(of_matrices(layer, rows(facts.first()?.as_tensor()?)));
            enters layer;
        }
        leaf!(@several $layer);

        impl Several<$layer> {
            /// Records a call of the cell.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn forward(&self, input: &Proxy, hx: Option<&Proxy>) -> Result<Proxy> {
                let Some(inside) = self.enter() else {
                    return self.record(&[Given::Proxy(input.clone()), optional(hx)]);
                };
                let (layer, weights) = (inside.layer(), inside.layer().cell.entered(inside.scope()));
                let name = stringify!($layer);
                entered::one_step(&layer.cell, &weights, name, layer.step(), input, hx, None).map(|(h, _)| h)
            }
        }
    )*};
}
one_state! {
    RNNCell as "nn.RNNCell", RNNCellConfig;
    GRUCell as "nn.GRUCell", CellConfig;
}

impl LSTMCell {
    /// The next hidden state and cell state.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward(&self, input: &Tensor, hx: Option<(&Tensor, &Tensor)>) -> Result<(Tensor, Tensor)> {
        let (h, c) = hx.unzip();
        match one_step(&self.cell, &self.cell.weights, "LSTMCell", Step::Lstm, input, h, c)? {
            (h, Some(c)) => Ok((h, c)),
            (_, None) => bail!("LSTMCell: there is no cell state"),
        }
    }
}

leaf! {
    @layer [] LSTMCell as "nn.LSTMCell", Called { method: "forward", options: &["hx"] };
    [input_size: usize, hidden_size: usize] [config: CellConfig] ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
    [vb Self::new(input_size, hidden_size, config, vb)]
    |layer, args| layer.forward(fx_core::leaf::argument(args, 0)?, pair(args.get(1).copied())?).into_value();
    |layer, facts| match facts.first() {
        Some(Fact::Tensor(x)) => {
            let state = Fact::tensor(layer.cell.shape("LSTMCell", x.dims())?, x.dtype);
            Ok(Fact::Tuple(vec![state.clone(), state]))
        }
        _ => Ok(Fact::Tuple(vec![Fact::Unknown; 2])),
    };
    macs |layer, facts, _result| Some(of_matrices(layer, rows(facts.first()?.as_tensor()?)));
    enters layer;
}
leaf!(@several LSTMCell);

/// The two parts of a state, if one is given.
pub(crate) fn pair(value: Option<&fx_core::value::Value>) -> Result<Option<(&Tensor, &Tensor)>> {
    use fx_core::value::Value;
    match value {
        None | Some(Value::None) => Ok(None),
        Some(Value::List(items) | Value::Tuple(items)) => match items.as_slice() {
            [Value::Tensor(h), Value::Tensor(c)] => Ok(Some((h, c))),
            _ => bail!("a state should be two tensors"),
        },
        Some(other) => bail!("a state should be two tensors, but is {}", other.kind()),
    }
}

/// Both parts of a state as an argument of a recorded call.
pub(crate) fn both(hx: Option<(&Proxy, &Proxy)>) -> Given {
    match hx {
        Some((h, c)) => Given::List(vec![Given::Proxy(h.clone()), Given::Proxy(c.clone())]),
        None => optional(None),
    }
}

impl Several<LSTMCell> {
    /// Records a call of the cell.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, input: &Proxy, hx: Option<(&Proxy, &Proxy)>) -> Result<(Proxy, Proxy)> {
        let Some(inside) = self.enter() else {
            return self.record(&[Given::Proxy(input.clone()), both(hx)]);
        };
        let (layer, weights) = (inside.layer(), inside.layer().cell.entered(inside.scope()));
        let (h, c) = hx.unzip();
        match entered::one_step(&layer.cell, &weights, "LSTMCell", Step::Lstm, input, h, c)? {
            (h, Some(c)) => Ok((h, c)),
            (_, None) => bail!("LSTMCell: there is no cell state"),
        }
    }
}
