//! Recurrent layers over sequences: [`RNN`], [`LSTM`], [`GRU`].
//!
//! Invariant: a sequence is `(length, batch, features)` inside, whatever it is outside.

use std::fmt;

use candle_core::{Result, Tensor, bail};
use candle_nn::VarBuilder;
use fx_core::module::Called;
use fx_core::ops::IntoValue;
use fx_core::trace::{Given, Proxy, Scope};
use fx_core::value::{Fact, Value};

use crate::dims::{extent, rank};
use crate::dropout::{Dropout, dropped_in};
use crate::leaf::{Several, leaf, of_matrices, optional, rows};
use crate::linear::uniform;
use crate::options::{float, options};
use crate::rnn_cell::{Nonlinearity, Step, Weights, affine, both, pair};
use crate::twice::twice;

options! {
    /// Options of [`RNN`].
    RNNConfig {
        /// How many layers stand on each other; 1 by default.
        num_layers: usize = 1,
        /// The activation; the hyperbolic tangent by default.
        nonlinearity: Nonlinearity = Nonlinearity::Tanh,
        /// Whether something is added to the gates; true by default.
        bias: bool = true,
        /// Whether the batch stands before the length; false by default.
        batch_first: bool = false,
        /// How much is dropped between layers in training; nothing by default.
        dropout: f64 = 0.0,
        /// Whether a second direction goes from the end to the start; false by default.
        bidirectional: bool = false,
    }
}

options! {
    /// Options of [`LSTM`].
    LSTMConfig {
        /// How many layers stand on each other; 1 by default.
        num_layers: usize = 1,
        /// Whether something is added to the gates; true by default.
        bias: bool = true,
        /// Whether the batch stands before the length; false by default.
        batch_first: bool = false,
        /// How much is dropped between layers in training; nothing by default.
        dropout: f64 = 0.0,
        /// Whether a second direction goes from the end to the start; false by default.
        bidirectional: bool = false,
        /// The width to which hidden states are projected; 0, not at all, by default.
        proj_size: usize = 0,
    }
}

options! {
    /// Options of [`GRU`].
    GRUConfig {
        /// How many layers stand on each other; 1 by default.
        num_layers: usize = 1,
        /// Whether something is added to the gates; true by default.
        bias: bool = true,
        /// Whether the batch stands before the length; false by default.
        batch_first: bool = false,
        /// How much is dropped between layers in training; nothing by default.
        dropout: f64 = 0.0,
        /// Whether a second direction goes from the end to the start; false by default.
        bidirectional: bool = false,
    }
}

macro_rules! names {
    ($($layer:literal)*) => {
        &[$(
            concat!("weight_ih_l", $layer), concat!("weight_hh_l", $layer), concat!("bias_ih_l", $layer),
            concat!("bias_hh_l", $layer), concat!("weight_hr_l", $layer),
            concat!("weight_ih_l", $layer, "_reverse"), concat!("weight_hh_l", $layer, "_reverse"),
            concat!("bias_ih_l", $layer, "_reverse"), concat!("bias_hh_l", $layer, "_reverse"),
            concat!("weight_hr_l", $layer, "_reverse"),
        )*]
    };
}

/// Names of tensors: five of each direction, two directions of each layer. A layer beyond these cannot be saved.
const NAMES: &[&str] = names! { 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 };

/// What the three share.
#[derive(Debug, Clone)]
pub(crate) struct Stack {
    step: Step,
    input_size: usize,
    hidden_size: usize,
    proj_size: usize,
    num_layers: usize,
    batch_first: bool,
    bidirectional: bool,
    dropout: Dropout,
    /// By layer and direction.
    weights: Vec<Weights>,
}

impl Stack {
    /// The width of a hidden state.
    fn width(&self) -> usize {
        if self.proj_size > 0 { self.proj_size } else { self.hidden_size }
    }

    fn directions(&self) -> usize {
        if self.bidirectional { 2 } else { 1 }
    }

    fn load(mut self, layer: &str, bias: bool, vb: &VarBuilder<'_>) -> Result<Self> {
        if self.num_layers == 0 || self.hidden_size == 0 {
            bail!("{layer}: expects at least one layer and a hidden size of at least 1");
        }
        if self.proj_size >= self.hidden_size {
            bail!("{layer}: proj_size {} should be less than the hidden size {}", self.proj_size, self.hidden_size);
        }
        let (init, rows) = (uniform(self.hidden_size), self.step.gates() * self.hidden_size);
        for number in 0..self.num_layers {
            let from = if number == 0 { self.input_size } else { self.width() * self.directions() };
            for suffix in ["", "_reverse"].into_iter().take(self.directions()) {
                let get = |dims: &[usize], name| vb.get_with_hints(dims, &format!("{name}_l{number}{suffix}"), init);
                self.weights.push(Weights {
                    ih: get(&[rows, from], "weight_ih")?,
                    hh: get(&[rows, self.width()], "weight_hh")?,
                    bias_ih: bias.then(|| get(&[rows], "bias_ih")).transpose()?,
                    bias_hh: bias.then(|| get(&[rows], "bias_hh")).transpose()?,
                    hr: (self.proj_size > 0)
                        .then(|| get(&[self.proj_size, self.hidden_size], "weight_hr"))
                        .transpose()?,
                });
            }
        }
        Ok(self)
    }

    fn tensor(&self, name: &str) -> Option<Tensor> {
        let at = NAMES.iter().position(|found| *found == name)?;
        let (layer, direction, part) = (at / 10, at / 5 % 2, at % 5);
        if direction >= self.directions() {
            return None;
        }
        let weights = self.weights.get(layer * self.directions() + direction)?;
        match part {
            0 => Some(weights.ih.clone()),
            1 => Some(weights.hh.clone()),
            2 => weights.bias_ih.clone(),
            3 => weights.bias_hh.clone(),
            _ => weights.hr.clone(),
        }
    }

    /// Position of length and batch, none if there is no batch.
    fn axes(&self, layer: &str, dims: &[usize]) -> Result<(usize, Option<usize>)> {
        let meaning = if self.batch_first { "(N, L, input size)" } else { "(L, N, input size)" };
        rank(layer, dims, &[2, 3], &format!("{meaning} or (L, input size)"))?;
        extent(layer, dims, dims.len() - 1, self.input_size, "features")?;
        let axes = match (dims.len(), self.batch_first) {
            (2, _) => (0, None),
            (_, true) => (1, Some(0)),
            (_, false) => (0, Some(1)),
        };
        if dims[axes.0] == 0 {
            bail!("{layer}: expects a sequence of at least one element, but is given {dims:?}");
        }
        Ok(axes)
    }

    /// The extents of the output, and of a state of this width.
    fn shapes(&self, layer: &str, dims: &[usize]) -> Result<(Vec<usize>, impl Fn(usize) -> Vec<usize>)> {
        let (_, batch) = self.axes(layer, dims)?;
        let mut output = dims.to_vec();
        if let Some(last) = output.last_mut() {
            *last = self.width() * self.directions();
        }
        let states = self.num_layers * self.directions();
        let batch = batch.map(|batch| dims[batch]);
        Ok((output, move |width| [states].into_iter().chain(batch).chain([width]).collect()))
    }

    /// The weights, entered.
    fn entered(&self, scope: &Scope) -> Vec<crate::rnn_cell::entered::Weights> {
        let directions = self.directions();
        let suffix = |at: usize| format!("_l{}{}", at / directions, if at % directions == 1 { "_reverse" } else { "" });
        self.weights.iter().enumerate().map(|(at, weights)| weights.entered(scope, &suffix(at))).collect()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, name: &str, bias: bool) -> fmt::Result {
        write!(f, "{name}({}, {}", self.input_size, self.hidden_size)?;
        if self.proj_size > 0 {
            write!(f, ", proj_size={}", self.proj_size)?;
        }
        if self.num_layers != 1 {
            write!(f, ", num_layers={}", self.num_layers)?;
        }
        if !bias {
            f.write_str(", bias=False")?;
        }
        if self.batch_first {
            f.write_str(", batch_first=True")?;
        }
        if self.dropout != Dropout::none() {
            write!(f, ", dropout={}", float(self.dropout.p()))?;
        }
        f.write_str(if self.bidirectional { ", bidirectional=True)" } else { ")" })
    }
}

twice! {
    {
        use crate::dropout::entered::dropped_in;
        use crate::rnn_cell::entered::{Weights, affine};
    }

    /// What the layers compute with these weights, dropping between them in training.
    pub(crate) fn run(
        stack: &Stack,
        weights: &[Weights],
        layer: &str,
        input: &Tensor,
        h: Option<&Tensor>,
        c: Option<&Tensor>,
        train: bool,
    ) -> Result<(Tensor, (Tensor, Option<Tensor>))> {
        let (length, batch) = stack.axes(layer, input.dims())?;
        let (_, state) = stack.shapes(layer, input.dims())?;
        for (given, width) in [(h, stack.width()), (c, stack.hidden_size)] {
            match given {
                Some(given) if given.dims() != state(width) => {
                    bail!("{layer}: expects a state of {:?}, but is given {:?}", state(width), given.dims())
                }
                _ => {}
            }
        }
        let mut x = match batch {
            Some(0) => input.transpose(0, 1)?.contiguous()?,
            Some(_) => input.contiguous()?,
            None => input.unsqueeze(1)?.contiguous()?,
        };
        let (steps, size) = (input.dim(length)?, x.dim(1)?);
        let start = |given: Option<&Tensor>, at: usize, width: usize| match given {
            Some(given) if batch.is_some() => given.get(at)?.contiguous(),
            Some(given) => given.narrow(0, at, 1),
            None => Tensor::zeros((size, width), input.dtype(), input.device()),
        };
        let (mut last_h, mut last_c) = (Vec::new(), Vec::new());
        for number in 0..stack.num_layers {
            if number > 0 {
                x = dropped_in(train, stack.dropout.p(), &x)?;
            }
            let features = x.dim(2)?;
            let rows = x.reshape((steps * size, features))?;
            let mut sides = Vec::with_capacity(2);
            for direction in 0..stack.directions() {
                let at = number * stack.directions() + direction;
                let weights = &weights[at];
                let gates = affine(&rows, &weights.ih, weights.bias_ih.as_ref())?;
                let mut h = start(h, at, stack.width())?;
                let mut c = if stack.step == Step::Lstm { Some(start(c, at, stack.hidden_size)?) } else { None };
                let mut outputs = Vec::with_capacity(steps);
                for step in 0..steps {
                    let step = if direction == 0 { step } else { steps - 1 - step };
                    (h, c) = weights.step(stack.step, &gates.narrow(0, step * size, size)?, &h, c.as_ref())?;
                    outputs.push(h.clone());
                }
                if direction == 1 {
                    outputs.reverse();
                }
                sides.push(Tensor::stack(&outputs, 0)?);
                last_h.push(h);
                last_c.extend(c);
            }
            x = Tensor::cat(&sides, 2)?;
        }
        let output = match batch {
            Some(0) => x.transpose(0, 1)?.contiguous()?,
            Some(_) => x,
            None => x.squeeze(1)?,
        };
        let together = |states: &[Tensor]| {
            let states = Tensor::stack(states, 0)?;
            if batch.is_some() { Ok(states) } else { states.squeeze(1) }
        };
        let c = if last_c.is_empty() { None } else { Some(together(&last_c)?) };
        Ok((output, (together(&last_h)?, c)))
    }
}

macro_rules! recurrent {
    ($($(#[$doc:meta])* $layer:ident, $config:ident, |$this:ident| $step:expr, $proj:expr;)*) => {$(
        $(#[$doc])*
        #[doc = concat!(
            "\n\n`(L, N, input_size)`, with `batch_first` `(N, L, input_size)`, or `(L, input_size)` becomes the hidden states ",
            "of the last layer, `directions · hidden_size` wide, and the last states of `(num_layers · directions, N, hidden_size)`. ",
            "States are zero at first if they are not given. Sequences are of one length: torch's packed ones do not exist here.\n\n",
            "State, for each layer `k`, and with `_reverse` for the second direction: `weight_ih_lk`, `weight_hh_lk`, `bias_ih_lk`, ",
            "`bias_hh_lk`, all from `U(-√k, √k)` with `k = 1 / hidden_size`.\n\n",
            "[torch.nn.", stringify!($layer), "](https://docs.pytorch.org/docs/stable/generated/torch.nn.", stringify!($layer), ".html)"
        )]
        #[derive(Debug, Clone)]
        pub struct $layer {
            input_size: usize,
            hidden_size: usize,
            stack: Stack,
            config: $config,
        }

        impl $layer {
            /// A layer of these sizes.
            ///
            /// # Errors
            /// When a size is zero, the dropout is not in `0..=1`, or the builder has a tensor of another shape or none.
            pub fn new(input_size: usize, hidden_size: usize, config: $config, vb: VarBuilder<'_>) -> Result<Self> {
                let $this = &config;
                let stack = Stack {
                    step: $step,
                    input_size,
                    hidden_size,
                    proj_size: $proj,
                    num_layers: config.num_layers,
                    batch_first: config.batch_first,
                    bidirectional: config.bidirectional,
                    dropout: Dropout::new(config.dropout)?,
                    weights: Vec::new(),
                };
                let stack = stack.load(stringify!($layer), config.bias, &vb)?;
                Ok(Self { input_size, hidden_size, stack, config })
            }

            fn tensor(&self, name: &str) -> Option<Tensor> {
                self.stack.tensor(name)
            }
        }

        impl fmt::Display for $layer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.stack.write(f, stringify!($layer), self.config.bias)
            }
        }
    )*};
}
recurrent! {
    /// `h' = tanh(W_ih · x + b_ih + W_hh · h + b_hh)` over a sequence, or `max(0, …)`.
    RNN, RNNConfig, |config| Step::Rnn(config.nonlinearity), 0;
    /// A long short-term memory over a sequence: `c' = f · c + i · g`, `h' = o · tanh(c')`; with `proj_size` and
    /// `weight_hr_lk` the hidden states are projected.
    LSTM, LSTMConfig, |config| Step::Lstm, config.proj_size;
    /// A gated recurrent unit over a sequence: `h' = (1 − z) · n + z · h`.
    GRU, GRUConfig, |_config| Step::Gru, 0;
}

macro_rules! one_state {
    ($($layer:ident as $name:literal, $config:ident;)*) => {$(
        impl $layer {
            /// The hidden states of all steps, and the last ones of all layers; nothing is dropped.
            ///
            /// # Errors
            /// When the sizes do not fit.
            pub fn forward(&self, input: &Tensor, hx: Option<&Tensor>) -> Result<(Tensor, Tensor)> {
                self.forward_t(input, hx, false)
            }

            /// As [`forward`](Self::forward), dropping between layers in training.
            ///
            /// # Errors
            /// When the sizes do not fit.
            pub fn forward_t(&self, input: &Tensor, hx: Option<&Tensor>, train: bool) -> Result<(Tensor, Tensor)> {
                let (output, (h, _)) = run(&self.stack, &self.stack.weights, stringify!($layer), input, hx, None, train)?;
                Ok((output, h))
            }
        }

        leaf! {
            @layer [] $layer as $name, Called { method: "forward_t", options: &["hx", "train"] };
            [input_size: usize, hidden_size: usize] [config: $config] [names NAMES]
            [vb Self::new(input_size, hidden_size, config, vb)]
            |layer, args| {
                use fx_core::leaf::argument;
                layer.forward_t(argument(args, 0)?, argument(args, 1)?, argument(args, 2)?).into_value()
            };
            |layer, facts| match facts.first() {
                Some(Fact::Tensor(x)) => {
                    let (output, state) = layer.stack.shapes(stringify!($layer), x.dims())?;
                    let state = state(layer.stack.width());
                    Ok(Fact::Tuple(vec![Fact::tensor(output, x.dtype), Fact::tensor(state, x.dtype)]))
                }
                _ => Ok(Fact::Tuple(vec![Fact::Unknown; 2])),
            };
            macs |layer, facts, _result| Some(of_matrices(layer, rows(facts.first()?.as_tensor()?)));
            in_training Random;
            enters layer;
        }
        leaf!(@several $layer);

        impl Several<$layer> {
            /// Records a call of the layer; nothing is dropped.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn forward(&self, input: &Proxy, hx: Option<&Proxy>) -> Result<(Proxy, Proxy)> {
                self.forward_t(input, hx, false)
            }

            /// Records a call of the layer.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn forward_t(&self, input: &Proxy, hx: Option<&Proxy>, train: bool) -> Result<(Proxy, Proxy)> {
                let Some(inside) = self.enter() else {
                    return self.record(&[Given::Proxy(input.clone()), optional(hx), Given::Data(Value::Bool(train))]);
                };
                let stack = &inside.layer().stack;
                let weights = stack.entered(inside.scope());
                let (output, (h, _)) = entered::run(stack, &weights, stringify!($layer), input, hx, None, train)?;
                Ok((output, h))
            }
        }
    )*};
}
one_state! {
    RNN as "nn.RNN", RNNConfig;
    GRU as "nn.GRU", GRUConfig;
}

impl LSTM {
    /// The hidden states of all steps, and the last hidden and cell states of all layers; nothing is dropped.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward(&self, input: &Tensor, hx: Option<(&Tensor, &Tensor)>) -> Result<(Tensor, (Tensor, Tensor))> {
        self.forward_t(input, hx, false)
    }

    /// As [`forward`](Self::forward), dropping between layers in training.
    ///
    /// # Errors
    /// When the sizes do not fit.
    pub fn forward_t(
        &self,
        input: &Tensor,
        hx: Option<(&Tensor, &Tensor)>,
        train: bool,
    ) -> Result<(Tensor, (Tensor, Tensor))> {
        let (h, c) = hx.unzip();
        match run(&self.stack, &self.stack.weights, "LSTM", input, h, c, train)? {
            (output, (h, Some(c))) => Ok((output, (h, c))),
            (_, (_, None)) => bail!("LSTM: there is no cell state"),
        }
    }
}

leaf! {
    @layer [] LSTM as "nn.LSTM", Called { method: "forward_t", options: &["hx", "train"] };
    [input_size: usize, hidden_size: usize] [config: LSTMConfig] [names NAMES]
    [vb Self::new(input_size, hidden_size, config, vb)]
    |layer, args| {
        use fx_core::leaf::argument;
        layer.forward_t(argument(args, 0)?, pair(args.get(1).copied())?, argument(args, 2)?).into_value()
    };
    |layer, facts| match facts.first() {
        Some(Fact::Tensor(x)) => {
            let (output, state) = layer.stack.shapes("LSTM", x.dims())?;
            let [h, c] = [layer.stack.width(), layer.hidden_size].map(|width| Fact::tensor(state(width), x.dtype));
            Ok(Fact::Tuple(vec![Fact::tensor(output, x.dtype), Fact::Tuple(vec![h, c])]))
        }
        _ => Ok(Fact::Tuple(vec![Fact::Unknown; 2])),
    };
    macs |layer, facts, _result| Some(of_matrices(layer, rows(facts.first()?.as_tensor()?)));
    in_training Random;
    enters layer;
}
leaf!(@several LSTM);

impl Several<LSTM> {
    /// Records a call of the layer; nothing is dropped.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, input: &Proxy, hx: Option<(&Proxy, &Proxy)>) -> Result<(Proxy, (Proxy, Proxy))> {
        self.forward_t(input, hx, false)
    }

    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_t(
        &self,
        input: &Proxy,
        hx: Option<(&Proxy, &Proxy)>,
        train: bool,
    ) -> Result<(Proxy, (Proxy, Proxy))> {
        let Some(inside) = self.enter() else {
            return self.record(&[Given::Proxy(input.clone()), both(hx), Given::Data(Value::Bool(train))]);
        };
        let (stack, (h, c)) = (&inside.layer().stack, hx.unzip());
        let weights = stack.entered(inside.scope());
        match entered::run(stack, &weights, "LSTM", input, h, c, train)? {
            (output, (h, Some(c))) => Ok((output, (h, c))),
            _ => bail!("LSTM: there is no cell state"),
        }
    }
}
