//! Forms that crates on their own have: errors of their own, values made of several of their types, helpers that choose layers,
//! and code for devices that are not there.

use candle_core::Result as CandleResult;
use candle_core::{DType, Device, Module, Tensor};
use candle_nn::{Linear, VarBuilder, VarMap};
use fx::Tracer;

use crate::support::{assert_returns, assert_same, linear, tensor};

/// What goes wrong in this crate.
#[derive(Debug)]
enum ModelError {
    NoRow(usize),
    Candle(candle_core::Error),
}

impl std::fmt::Display for ModelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoRow(index) => write!(f, "no row {index}"),
            Self::Candle(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ModelError {}

impl From<candle_core::Error> for ModelError {
    fn from(error: candle_core::Error) -> Self {
        Self::Candle(error)
    }
}

/// What its functions return.
type ModelResult<T, E = ModelError> = std::result::Result<T, E>;

/// With a type whose error is not said.
#[fx::module]
fn scaled(x: &Tensor, by: f64) -> CandleResult<Tensor> {
    x * by
}

#[fx::module]
fn row(x: &Tensor, index: usize) -> ModelResult<Tensor> {
    if index >= x.dims()[0] {
        return Err(ModelError::NoRow(index));
    }
    Ok(x.get(index)?)
}

/// Its functions fail with candle's errors by another name, and with its own.
#[fx::module]
struct Fallible {
    linear: Linear,
}

#[fx::module]
impl Fallible {
    fn rows(&self, x: &Tensor) -> ModelResult<(Tensor, Option<Tensor>)> {
        let x = self.linear.forward(x)?;
        Ok((row(&x, 0)?, row(&x, 7).ok()))
    }

    fn forward(&self, x: &Tensor) -> ModelResult<Tensor> {
        let (first, last) = self.rows(x)?;
        assert!(last.is_none());
        Ok(scaled(&first, 0.5)?)
    }
}

#[test]
fn results_of_any_name_and_error() {
    let x = tensor(&[2, 4]);
    let model = Fallible { linear: linear(4, 3) };
    let expected = model.forward(&x).unwrap();
    assert_returns(&[&expected], fx::trace(&model, (&x,)), &[&x]);
    let failing = Tracer::new().input("x", DType::F32, (2, 4)).trace_with(&model, |model, inputs| {
        row(&model.linear.forward(&inputs.tensor("x")?)?, 5).map_err(candle_core::Error::wrap)
    });
    assert!(failing.unwrap_err().to_string().contains("no row 5"));
}

/// A struct whose fields have no names.
#[fx::module]
struct Gated(Linear, f64);

#[fx::module]
impl Module for Gated {
    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        let y = self.0.forward(x)?;
        (x * self.1)? * y
    }
}

/// One without fields.
#[fx::module]
#[derive(Clone, Copy)]
struct Swish;

#[fx::module]
impl Module for Swish {
    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        x * candle_nn::ops::sigmoid(x)?
    }
}

/// Two values of a forward.
#[fx::module]
struct Pair(Tensor, Tensor);

/// Made of both, while its layers are chosen by a flag.
#[fx::module]
struct Stack {
    first: Gated,
    act: Swish,
    layers: Vec<Box<dyn Module>>,
}

#[fx::module]
impl Stack {
    #[fx(include)]
    fn new(width: usize, bias: bool, vb: VarBuilder) -> CandleResult<Self> {
        let layer =
            |vb| if bias { candle_nn::linear(width, width, vb) } else { candle_nn::linear_no_bias(width, width, vb) };
        let first = Gated(layer(vb.pp("first"))?, 0.5);
        let chosen = if bias { candle_nn::linear } else { candle_nn::linear_no_bias }(width, width, vb.pp("chosen"))?;
        let last = (if bias { candle_nn::linear } else { candle_nn::linear_no_bias })(width, width, vb.pp("last"))?;
        let layers: Vec<Box<dyn Module>> = vec![Box::new(Gated(chosen, 2.0)), Box::new(Swish), Box::new(last)];
        Ok(Self { first, act: Swish, layers })
    }

    fn pair(&self, x: &Tensor) -> CandleResult<Pair> {
        let y = self.first.forward(x)?;
        let z = self.act.forward(&y)?;
        Ok(Pair(y, z))
    }

    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        let pair = self.pair(x)?;
        self.layers.iter().try_fold((pair.0 + pair.1)?, |x, layer| layer.forward(&x))
    }
}

#[test]
fn tuple_structs_and_unit_structs_are_made_in_constructors() {
    let x = tensor(&[2, 4]);
    for bias in [false, true] {
        let vb = VarBuilder::from_varmap(&VarMap::new(), DType::F32, &Device::Cpu);
        let expected = Stack::new(4, bias, vb.clone()).unwrap().forward(&x).unwrap();
        let tracer = Tracer::new().input("x", DType::F32, (2, 4));
        let captured = tracer.trace_built(&vb, |vb| fx::Symbolic::<Stack>::new(4, bias, vb)).unwrap();
        assert_same(&expected, &captured.forward(&[&x]).unwrap());
        assert!(captured.tensor("last.weight").is_some() || captured.graph().to_string().contains("last"));
    }
}

/// One of the crate's own kinds of layers.
#[fx::module]
trait Mix {
    fn mix(&self, x: &Tensor) -> CandleResult<Tensor>;
}

#[fx::module]
struct Add(f64);

#[fx::module(mirrored)]
impl Mix for Add {
    fn mix(&self, x: &Tensor) -> CandleResult<Tensor> {
        x + self.0
    }
}

#[fx::module]
struct Square;

#[fx::module(mirrored)]
impl Mix for Square {
    fn mix(&self, x: &Tensor) -> CandleResult<Tensor> {
        x.sqr()
    }
}

fn chosen(squares: bool) -> Box<dyn Mix> {
    if squares { Box::new(Square) } else { Box::new(Add(1.5)) }
}

static SHIFT: Add = Add(0.25);

fn shift_of(is_shifted: bool) -> Option<&'static Add> {
    is_shifted.then_some(&SHIFT)
}

/// Asks helpers for what it applies.
#[fx::module]
struct Chooses {
    linear: Linear,
    is_shifted: bool,
}

#[fx::module]
impl Chooses {
    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        let x = chosen(true).mix(&self.linear.forward(x)?)?;
        let x = chosen(false).mix(&x)?;
        match shift_of(self.is_shifted) {
            Some(shift) => shift.mix(&x),
            None => Ok(x),
        }
    }
}

#[test]
fn helpers_choose_layers() {
    let x = tensor(&[2, 4]);
    for is_shifted in [false, true] {
        let model = Chooses { linear: linear(4, 3), is_shifted };
        let expected = model.forward(&x).unwrap();
        assert_returns(&[&expected], fx::trace(&model, (&x,)), &[&x]);
        assert_returns(&[&expected], fx::symbolic_trace(&model), &[&x]);
    }
}

#[cfg(not(test))]
mod kernels {
    pub(super) enum Kernel {
        Fast,
    }
}

/// Computes elsewhere where that is compiled.
#[fx::module]
struct Elsewhere {
    linear: Linear,
    #[cfg(not(test))]
    kernel: kernels::Kernel,
}

#[fx::module]
impl Elsewhere {
    #[cfg(not(test))]
    fn fast(&self, x: &Tensor) -> CandleResult<Tensor> {
        kernels::fast(x, kernels::Kernel::Fast)
    }

    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        #[cfg(not(test))]
        {
            use kernels::Kernel;
            if x.device().is_cuda() {
                return kernels::fast(x, Kernel::Fast, Absent { x });
            }
        }
        match self.linear.bias() {
            #[cfg(not(test))]
            Some(bias) => kernels::biased(bias, Absent::new(x)),
            _ => self.linear.forward(x),
        }
    }
}

#[test]
fn what_is_not_compiled_is_not_looked_for() {
    let x = tensor(&[2, 4]);
    let model = Elsewhere { linear: linear(4, 3) };
    assert_returns(&[&model.forward(&x).unwrap()], fx::symbolic_trace(&model), &[&x]);
}

/// Steps through a sequence with a state that it writes down.
#[fx::module]
struct Steps {
    cell: candle_nn::LSTM,
}

#[fx::module]
impl Steps {
    fn forward(&self, x: &Tensor) -> CandleResult<(Tensor, Tensor)> {
        use candle_nn::RNN;
        let zeros = Tensor::zeros((x.dims()[0], 3), x.dtype(), x.device())?;
        let state = candle_nn::rnn::LSTMState { h: zeros.clone(), c: zeros };
        let state = self.cell.step(x, &state)?;
        Ok((state.h().clone(), state.c().clone()))
    }
}

#[test]
fn states_of_candle_s_are_written_as_literals() {
    let x = tensor(&[2, 4]);
    let vb = VarBuilder::from_varmap(&VarMap::new(), DType::F32, &Device::Cpu);
    let model = Steps { cell: candle_nn::lstm(4, 3, candle_nn::LSTMConfig::default(), vb).unwrap() };
    let (h, c) = model.forward(&x).unwrap();
    assert_returns(&[&h, &c], fx::trace(&model, (&x,)), &[&x]);
}

/// Looks at how its values lie in memory.
#[fx::module]
struct Lies {
    weight: Tensor,
}

#[fx::module]
impl Lies {
    fn forward(&self, x: &Tensor) -> CandleResult<Tensor> {
        let turned = x.t()?;
        let turned =
            if turned.is_fortran_contiguous() || turned.stride()[0] == 1 { turned } else { turned.contiguous()? };
        assert!(!turned.is_variable() && turned.layout().start_offset() == 0);
        turned.matmul(&self.weight)
    }
}

#[test]
fn where_values_lie_is_asked() {
    let x = tensor(&[2, 4]);
    let model = Lies { weight: tensor(&[2, 3]) };
    let expected = model.forward(&x).unwrap();
    assert_returns(&[&expected], fx::trace(&model, (&x,)), &[&x]);
    assert_returns(&[&expected], Tracer::new().input("x", DType::F32, (2, 4)).trace(&model), &[&x]);
}
