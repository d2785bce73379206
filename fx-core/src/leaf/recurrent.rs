//! `LSTM` and `GRU`: a run over a sequence is one call of the layer, which gives the states of all steps.
//!
//! candle shows no weight of a recurrent layer, so its steps cannot be recorded one operation at a time.
//!
//! Invariant: states are stacked by step in the first dimension, so that the state of a step lies as candle's own does.

use std::sync::Arc;

use candle_core::{Result, Tensor};
use candle_nn::{GRU, GRUConfig, LSTM, LSTMConfig};

use crate::ir::{Argument, Keyword};
use crate::module::{Called, LayerModule};
use crate::ops::IntoValue;
use crate::ops::infer::{Inferred, refuse};
use crate::ops::macs::product;
use crate::ops::{Effect, InferError};
use crate::trace::{Construct, Given, Held, Holding, Proxy, Scope, Session, Traceable, call_layer};
use crate::value::{Fact, TensorFact, Value};

use super::layer::argument;

/// candle_nn's `RNN` in a twin.
///
/// It has candle's methods.
pub trait RNN {
    /// What a step hands to the next.
    type State: Clone;

    /// The state before the first step.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    fn zero_state(&self, batch_dim: usize) -> Result<Self::State>;

    /// One step, on `(batch, features)`.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    fn step(&self, input: &Proxy, state: &Self::State) -> Result<Self::State>;

    /// All steps, on `(batch, length, features)`, from the zero state on.
    ///
    /// # Errors
    /// What candle refuses, or when the shape is not known.
    #[track_caller]
    fn seq(&self, input: &Proxy) -> Result<Vec<Self::State>> {
        let state = self.zero_state(input.dim(0)?)?;
        self.seq_init(input, &state)
    }

    /// All steps, on `(batch, length, features)`.
    ///
    /// # Errors
    /// What candle refuses, or when the shape is not known.
    #[track_caller]
    fn seq_init(&self, input: &Proxy, init_state: &Self::State) -> Result<Vec<Self::State>>;

    /// The outputs of these steps as one tensor.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    fn states_to_tensor(&self, states: &[Self::State]) -> Result<Proxy>;
}

/// A recurrent layer of candle_nn's.
pub trait Recurrent: candle_nn::RNN + Clone + Send + Sync + 'static {
    /// Name of its type.
    const NAME: &'static str;
    /// Names of the parts of its state.
    const PARTS: &'static [&'static str];
    /// How many gates it has: products with the input and with the state at each step.
    const GATES: usize;
    /// Mirror of its state.
    type Mirror: Clone;

    /// Its state of these parts.
    fn state(parts: &[Tensor]) -> Option<Self::State>;

    /// The parts of its state.
    fn parts(state: &Self::State) -> Vec<&Tensor>;

    /// The mirror of a state of these parts.
    fn mirror(parts: Vec<Proxy>) -> Option<Self::Mirror>;

    /// The parts of the mirror of a state.
    fn mirrored(state: &Self::Mirror) -> Vec<&Proxy>;

    /// The outputs of steps as one tensor.
    ///
    /// # Errors
    /// What candle refuses.
    fn join(outputs: &[&Proxy]) -> Result<Proxy>;
}

/// The mirror of an `LSTMState`.
///
/// Both parts are `(batch, hidden)`.
#[derive(Debug, Clone)]
pub struct LstmState {
    /// The hidden state, which is the output.
    pub h: Proxy,
    /// The cell state.
    pub c: Proxy,
}

impl LstmState {
    /// A state of these parts.
    #[must_use]
    pub fn new(h: Proxy, c: Proxy) -> Self {
        Self { h, c }
    }

    /// The hidden state, which is the output.
    #[must_use]
    pub fn h(&self) -> &Proxy {
        &self.h
    }

    /// The cell state.
    #[must_use]
    pub fn c(&self) -> &Proxy {
        &self.c
    }
}

/// The mirror of a `GRUState`.
///
/// It is `(batch, hidden)`.
#[derive(Debug, Clone)]
pub struct GruState {
    /// The hidden state, which is the output.
    pub h: Proxy,
}

impl GruState {
    /// The hidden state, which is the output.
    #[must_use]
    pub fn h(&self) -> &Proxy {
        &self.h
    }
}

impl Recurrent for LSTM {
    const NAME: &'static str = "LSTM";
    const PARTS: &'static [&'static str] = &["h", "c"];
    const GATES: usize = 4;
    type Mirror = LstmState;

    fn state(parts: &[Tensor]) -> Option<Self::State> {
        match parts {
            [h, c] => Some(candle_nn::rnn::LSTMState::new(h.clone(), c.clone())),
            _ => None,
        }
    }

    fn parts(state: &Self::State) -> Vec<&Tensor> {
        vec![&state.h, &state.c]
    }

    fn mirror(parts: Vec<Proxy>) -> Option<LstmState> {
        let [h, c] = parts.try_into().ok()?;
        Some(LstmState { h, c })
    }

    fn mirrored(state: &LstmState) -> Vec<&Proxy> {
        vec![&state.h, &state.c]
    }

    #[track_caller]
    fn join(outputs: &[&Proxy]) -> Result<Proxy> {
        Proxy::stack(outputs, 1)
    }
}

impl Recurrent for GRU {
    const NAME: &'static str = "GRU";
    const PARTS: &'static [&'static str] = &["h"];
    const GATES: usize = 3;
    type Mirror = GruState;

    fn state(parts: &[Tensor]) -> Option<Self::State> {
        match parts {
            [h] => Some(candle_nn::rnn::GRUState { h: h.clone() }),
            _ => None,
        }
    }

    fn parts(state: &Self::State) -> Vec<&Tensor> {
        vec![&state.h]
    }

    fn mirror(parts: Vec<Proxy>) -> Option<GruState> {
        let [h] = parts.try_into().ok()?;
        Some(GruState { h })
    }

    fn mirrored(state: &GruState) -> Vec<&Proxy> {
        vec![&state.h]
    }

    #[track_caller]
    fn join(outputs: &[&Proxy]) -> Result<Proxy> {
        Proxy::cat(outputs, 1)
    }
}

macro_rules! states {
    ($($name:path => $mirror:ident { $($part:ident),* })*) => {$(
        impl Traceable for $name {
            type Symbolic = $mirror;

            fn symbolic(&self, scope: &Scope) -> $mirror {
                $mirror { $($part: self.$part.symbolic(&scope.child(stringify!($part)))),* }
            }

            fn input(&self, inputs: &mut crate::trace::Inputs<'_>, name: &str) -> $mirror {
                $mirror { $($part: self.$part.input(inputs, &format!(concat!("{}_", stringify!($part)), name))),* }
            }

            fn held(mirror: &$mirror, _: &mut Holding) -> Held {
                let parts = vec![$((stringify!($part), Held::Tensor(mirror.$part.clone()))),*];
                Held::whole(stringify!($mirror), parts)
            }
        }

        /// `LSTMState { h, c }` in a forward: the mirror has the same fields.
        impl Construct for $name {
            type Fields = $mirror;

            fn construct(fields: $mirror) -> $mirror {
                fields
            }
        }
    )*};
}
states! {
    candle_nn::rnn::LSTMState => LstmState { h, c }
    candle_nn::rnn::GRUState => GruState { h }
}

/// A run over a sequence, as a graph calls it: the input, then the parts of the state before it.
struct Run<R>(R);

impl<R: Recurrent> LayerModule for Run<R> {
    fn type_name(&self) -> &str {
        R::NAME
    }

    fn called(&self) -> Called {
        Called { method: "seq_init", options: R::PARTS }
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        let input: &Tensor = argument(args, 0)?;
        let parts = (1..=R::PARTS.len()).map(|i| argument::<&Tensor>(args, i)?.contiguous());
        let parts = parts.collect::<Result<Vec<Tensor>>>()?;
        let Some(first) = R::state(&parts) else {
            candle_core::bail!("{} takes {} parts of a state", R::NAME, R::PARTS.len());
        };
        let states = self.0.seq_init(input, &first)?;
        let stacked = parts.iter().enumerate().map(|(i, part)| {
            let steps: Vec<&Tensor> = states.iter().filter_map(|state| R::parts(state).get(i).copied()).collect();
            if steps.is_empty() {
                let shape = [&[0], part.dims()].concat();
                return Tensor::zeros(shape, part.dtype(), part.device())?.into_value();
            }
            Tensor::stack(&steps, 0)?.into_value()
        });
        Ok(Value::Tuple(stacked.collect::<Result<_>>()?))
    }

    /// A run leaves the layer as it is.
    fn effect(&self, _: &[Argument], _: &[(Keyword, Argument)]) -> Effect {
        Effect::Pure
    }

    fn infer(&self, facts: &[&Fact]) -> Inferred {
        let unknown = Ok(Fact::Tuple(vec![Fact::Unknown; R::PARTS.len()]));
        let tensors: Option<Vec<&TensorFact>> = facts.iter().map(|fact| fact.as_tensor()).collect();
        let Some(tensors) = tensors else { return unknown };
        let [input, parts @ ..] = tensors.as_slice() else {
            return Err(InferError("a layer is called on a tensor".to_owned()));
        };
        let &[batch, len, features] = input.dims() else { refuse!("{input} should be (batch, length, features)") };
        let zero = self.0.zero_state(batch)?;
        // Only the layer knows how many features it takes: one step of zeros tells.
        let one = Tensor::zeros((1, features), input.dtype, R::parts(&zero)[0].device())?;
        self.0.step(&one, &self.0.zero_state(1)?)?;
        let mut stacked = Vec::with_capacity(parts.len());
        for (given, zero) in parts.iter().zip(R::parts(&zero)) {
            if given.dims() != zero.dims() || given.dtype != zero.dtype() {
                refuse!("{given} should be {}", TensorFact::new(zero.shape(), zero.dtype()));
            }
            stacked.push(Fact::tensor([&[len], zero.dims()].concat(), zero.dtype()));
        }
        Ok(Fact::Tuple(stacked))
    }

    /// Each gate, of as many features as the state, takes the input's and the state's.
    fn macs(&self, facts: &[&Fact], _: &Fact) -> Option<u64> {
        let (input, hidden) = (facts.first()?.as_tensor()?, facts.get(1)?.as_tensor()?);
        let (features, hidden) = (*input.dims().last()?, *hidden.dims().last()?);
        Some(product([input.shape.elem_count() / features.max(1), R::GATES * hidden, features + hidden]))
    }

    fn instead_of_saving(&self) -> &'static str {
        "write its step with tensors, in a struct with `#[fx::module]`, because candle tells nobody what the layer is made of"
    }
}

/// The mirror of a recurrent layer.
///
/// Of an LSTM or a GRU; what it hands from step to step is [`LstmState`] or [`GruState`].
#[derive(Clone)]
pub struct RecurrentLeaf<R: Recurrent> {
    scope: Scope,
    layer: Arc<dyn LayerModule>,
    original: R,
}

impl<R: Recurrent> std::fmt::Debug for RecurrentLeaf<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", R::NAME, self.scope.path())
    }
}

macro_rules! recurrent {
    ($($layer:ident)*) => {$(
        impl Traceable for $layer {
            type Symbolic = RecurrentLeaf<$layer>;

            fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
                let layer: Arc<dyn LayerModule> = Arc::new(Run(self.clone()));
                RecurrentLeaf { scope: scope.clone(), layer, original: self.clone() }
            }

            fn held(mirror: &Self::Symbolic, _: &mut Holding) -> Held {
                Held::layer(&mirror.scope, &mirror.layer)
            }
        }
    )*};
}
recurrent!(LSTM GRU);

impl<R: Recurrent> RNN for RecurrentLeaf<R> {
    type State = R::Mirror;

    #[track_caller]
    fn zero_state(&self, batch_dim: usize) -> Result<R::Mirror> {
        let one = self.original.zero_state(1)?;
        let Some(part) = R::parts(&one).first().copied() else {
            candle_core::bail!("{} has no state", R::NAME);
        };
        let zeros = Proxy::zeros((batch_dim, part.dim(1)?), part.dtype(), part.device())?;
        Ok(whole::<R>(vec![zeros; R::PARTS.len()]))
    }

    #[track_caller]
    fn step(&self, input: &Proxy, state: &R::Mirror) -> Result<R::Mirror> {
        let parts = self.run(&input.unsqueeze(1)?, state)?;
        of_step::<R>(&parts, 0)
    }

    #[track_caller]
    fn seq_init(&self, input: &Proxy, init_state: &R::Mirror) -> Result<Vec<R::Mirror>> {
        let (_, len, _) = input.dims3()?;
        let parts = self.run(input, init_state)?;
        let mut states = Vec::with_capacity(len);
        for step in 0..len {
            states.push(of_step::<R>(&parts, step)?);
        }
        Ok(states)
    }

    #[track_caller]
    fn states_to_tensor(&self, states: &[R::Mirror]) -> Result<Proxy> {
        let outputs: Vec<&Proxy> = states.iter().filter_map(|state| R::mirrored(state).first().copied()).collect();
        R::join(&outputs)
    }
}

/// The state of one step, of parts stacked by step.
#[track_caller]
fn of_step<R: Recurrent>(stacked: &[Proxy], step: usize) -> Result<R::Mirror> {
    let mut parts = Vec::with_capacity(stacked.len());
    for part in stacked {
        parts.push(part.get(step)?);
    }
    Ok(whole::<R>(parts))
}

/// The mirror of a state that has all its parts.
fn whole<R: Recurrent>(parts: Vec<Proxy>) -> R::Mirror {
    R::mirror(parts).unwrap_or_else(|| {
        Session::abort_current(&candle_core::Error::Msg(format!("a state of {} lacks a part", R::NAME)))
    })
}

/// The same by the names that candle's trait gives, for twins in whose scope that trait is.
impl<R: Recurrent> RecurrentLeaf<R> {
    /// The parts of the states of all steps, each stacked by step.
    #[track_caller]
    fn run(&self, input: &Proxy, state: &R::Mirror) -> Result<Vec<Proxy>> {
        let mut given = vec![Given::Proxy(input.clone())];
        given.extend(R::mirrored(state).into_iter().cloned().map(Given::Proxy));
        match R::PARTS.len() {
            1 => call_layer::<(Proxy,)>(&self.layer, &self.scope, &given).map(|(h,)| vec![h]),
            _ => call_layer::<(Proxy, Proxy)>(&self.layer, &self.scope, &given).map(|(h, c)| vec![h, c]),
        }
    }

    /// See [`RNN::zero_state`].
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn zero_state(&self, batch_dim: usize) -> Result<R::Mirror> {
        RNN::zero_state(self, batch_dim)
    }

    /// See [`RNN::step`].
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn step(&self, input: &Proxy, state: &R::Mirror) -> Result<R::Mirror> {
        RNN::step(self, input, state)
    }

    /// See [`RNN::seq`].
    ///
    /// # Errors
    /// What candle refuses, or when the shape is not known.
    #[track_caller]
    pub fn seq(&self, input: &Proxy) -> Result<Vec<R::Mirror>> {
        RNN::seq(self, input)
    }

    /// See [`RNN::seq_init`].
    ///
    /// # Errors
    /// What candle refuses, or when the shape is not known.
    #[track_caller]
    pub fn seq_init(&self, input: &Proxy, init_state: &R::Mirror) -> Result<Vec<R::Mirror>> {
        RNN::seq_init(self, input, init_state)
    }

    /// See [`RNN::states_to_tensor`].
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn states_to_tensor(&self, states: &[R::Mirror]) -> Result<Proxy> {
        RNN::states_to_tensor(self, states)
    }
}

impl RecurrentLeaf<LSTM> {
    /// Its settings.
    #[must_use]
    pub fn config(&self) -> &LSTMConfig {
        self.original.config()
    }
}

impl RecurrentLeaf<GRU> {
    /// Its settings.
    #[must_use]
    pub fn config(&self) -> &GRUConfig {
        self.original.config()
    }
}
