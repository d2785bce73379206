//! Forms of bodies: operations, control flow, closures, iterators, macros, patterns, and numbers.

use candle_core::{Context, D, DType, Device, IndexOp, Result, Tensor, bail};
use candle_nn::ops::silu;
use candle_nn::{Linear, Module};
use fx::Tracer;

use crate::support::{assert_returns, linear, other, tensor};

#[fx::module]
struct ManyOperations;

#[fx::module]
impl ManyOperations {
    #[expect(clippy::useless_vec, reason = "the form under test")]
    fn forward(&self, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
        let y = match x.dims() {
            [rows, columns] => x.reshape((*columns, *rows))?,
            dims => candle_core::bail!("rank {}", dims.len()),
        };
        let y = match *y.dims() {
            [rows, columns] => y.reshape(&[rows, 1, columns])?,
            _ => unreachable!(),
        };
        let indexed = y.i((.., 0, ..))?.i((1.., ..=2))?;
        let indexed = (indexed + 1.0)?;
        let stacked = Tensor::stack(&[&x.i((ids, ..))?, &x.i(ids)?], 0)?.sum(0)?;
        let twice = Tensor::cat(&vec![stacked.clone(), stacked.clone()], 0)?;
        let chunks = twice.chunk(2, 0)?;
        let sum = (&chunks[0] + &chunks[1])?;
        let s = silu(&candle_nn::ops::softmax(&sum, D::Minus1)?)?;
        let s = (1f64 - &s)?;
        let s = (&s * 2.0)?;
        let s = (s.relu() + &sum)?;
        let s = (&sum + s.relu())?;
        let s = (s.relu()? - s.neg()?)?;
        let s = (2.0 / s.exp()?)?;
        let ones = s.ones_like()?;
        let s = s.gt(&ones)?.where_cond(&s, &ones)?;
        let s = s.to_dtype(DType::F64)?.to_dtype(x.dtype())?;
        let range = Tensor::arange(0u32, s.dim(0)? as u32, x.device())?.to_dtype(DType::F32)?;
        let grid = Tensor::meshgrid(&[&range, &range], false)?;
        let s = (&s + Tensor::full(2.5f32, s.shape(), s.device())?)?;
        let s = s.broadcast_add(&grid[0].sum_all()?)?;
        let s = Tensor::matmul(&s, &s.t()?)?;
        let n = s.narrow(1, 0, 2)?.transpose(D::Minus2, D::Minus1)?.contiguous()?;
        let n = n.index_select(ids, 0)?;
        let u = n.unsqueeze(D::Minus1)?.squeeze(D::Minus1)?.permute((1, 0))?;
        let u = u.broadcast_maximum(&u.mean_keepdim(D::Minus1)?)?;
        let u = u.pad_with_zeros(D::Minus1, 0, 1)?.clamp(-1.0, 1e6)?;
        let u = u.powf(2.0)?.sqrt()?.affine(1.5, -0.5)?;
        let u = u.flatten_all()?.reshape(((), 1))?.repeat((1, 2))?;
        let (rows, columns) = u.dims2()?;
        let total = indexed.sum_all()?.to_dtype(DType::F32)?.reshape(())?;
        u.reshape((1, rows * columns))?.squeeze(0)? + total.broadcast_as(rows * columns)?
    }
}

#[test]
fn many_operations() {
    let (x, y) = (tensor(&[3, 3]), other(&[3, 3]));
    let ids = Tensor::new(&[0u32, 1], &Device::Cpu).unwrap();
    let swapped = Tensor::new(&[1u32, 0], &Device::Cpu).unwrap();
    for (x_run, ids_run) in [(&x, &ids), (&y, &swapped)] {
        let expected = ManyOperations.forward(x_run, ids_run).unwrap();
        assert_returns(&[&expected], fx::trace(&ManyOperations, (&x, &ids)), &[x_run, ids_run]);
        let from_shape = Tracer::new().input("x", DType::F32, (3, 3)).input("ids", DType::U32, 2);
        assert_returns(&[&expected], from_shape.trace(&ManyOperations), &[x_run, ids_run]);
    }
}

macro_rules! add {
    ($a:expr, $b:expr) => {
        ($a + $b)?
    };
}

#[fx::module]
struct ControlFlow {
    weight: Tensor,
    layers: Vec<Linear>,
}

#[fx::module]
impl ControlFlow {
    #[expect(
        clippy::manual_try_fold,
        clippy::swap_with_temporary,
        clippy::type_complexity,
        reason = "the form under test"
    )]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let add = |y: &Tensor| -> Result<Tensor> { y.broadcast_add(&self.weight) };
        let x = add(x)?;
        let x = {
            let x = x.neg()?;
            x.neg()?
        };
        let mut outs: Vec<Tensor> = Vec::with_capacity(4);
        'layers: for (index, layer) in self.layers.iter().enumerate().rev() {
            if index == 1 {
                continue 'layers;
            }
            outs.push(layer.forward(&x)?);
            if index == 0 {
                break 'layers;
            }
        }
        let x = Tensor::cat(&outs, 0)?;
        fn inner(x: &Tensor) -> Result<Tensor> {
            x.sqr()
        }
        let x = inner(&x)?;
        let x = add!(&x, &x);
        let products = outs.iter().zip(outs.iter().skip(1)).map(|(a, b)| a * b).collect::<Result<Vec<Tensor>>>()?;
        let x = products
            .into_iter()
            .fold(Ok(x), |x: Result<Tensor>, product| x.and_then(|x| x.broadcast_add(&product.mean_all()?)))?;
        let parts: Vec<_> = x.chunk(2, 1)?;
        let [a, b] = &parts[..] else { unreachable!() };
        let (mut a, b) = (a.clone(), b.clone());
        std::mem::swap(&mut a, &mut b.clone());
        let x = Tensor::cat(&[a, b], D::Minus1)?;
        let nothing: Option<&Tensor> = None;
        let x = nothing.map(|nothing| &x + nothing).unwrap_or_else(|| x.abs())?;
        let boxed: Box<dyn Fn(&Tensor) -> Result<Tensor>> = Box::new(|x| x.sin());
        let x = boxed(&x)?;
        let x = [Tensor::exp, Tensor::tanh].iter().try_fold(x, |x, function| function(&x))?;
        let x = Some(x).as_ref().map(Tensor::relu).transpose()?.unwrap();
        let x = if let (1.., Some(layer)) = (x.rank(), self.layers.first()) { layer.forward(&x)? } else { x };
        assert_eq!(x.dims().len(), 2, "rank {:?}", x.shape());
        debug_assert!(x.rank() == 2);
        let x = x.i(0)?.unsqueeze(0)?;
        let x = (&x / &x.sum_keepdim(1)?.broadcast_as(x.shape())?)?;
        let (low, high) = (x.i((.., 0..2))?, x.i((0, 2..))?);
        let x = low.broadcast_sub(&high)?;
        let total: f64 = x.dims().iter().map(|dim| *dim as f64).sum();
        let x = (x * total)?;
        let zeros = Tensor::zeros_like(&x)?;
        x.ge(0.0)?.where_cond(&x, &zeros)
    }
}

#[test]
fn closures_loops_blocks_and_macros() {
    let model = ControlFlow { weight: tensor(&[4]), layers: vec![linear(4, 4), linear(4, 4), linear(4, 4)] };
    assert_captured!(model, tensor(&[2, 4]));
}

#[fx::module]
#[derive(Clone)]
struct Destructured {
    first: Linear,
    second: Option<Linear>,
    shift: Tensor,
    scale: usize,
}

#[fx::module]
impl Module for Destructured {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Self { first, second, .. } = self;
        let x = first.forward(x)?;
        let Destructured { shift, scale, .. } = self;
        let x = (x.broadcast_add(shift)? * *scale as f64)?;
        match second {
            Some(second) => second.forward(&x),
            None => Ok(x),
        }
    }
}

#[fx::module]
impl Destructured {
    fn layers(&self) -> impl Iterator<Item = &Linear> {
        std::iter::once(&self.first).chain(self.second.as_ref())
    }

    fn boxed<'s>(&'s self) -> Box<dyn Iterator<Item = &'s Linear> + 's> {
        Box::new(self.layers())
    }

    fn with_scale(&self, scale: usize) -> Self {
        Self { scale, ..self.clone() }
    }

    fn repeated(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.forward(x)?;
        let x = Self::forward(self, &x)?;
        let x = <Self as Module>::forward(self, &x)?;
        let mut x = Self::forward(&self.clone(), &x)?;
        for layer in self.layers().chain(self.boxed()) {
            x = layer.forward(&x)?;
        }
        Ok(x)
    }
}

#[fx::module]
struct CallsRepeated {
    inner: Destructured,
}

#[fx::module]
impl CallsRepeated {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.inner.repeated(x)
    }
}

#[test]
fn self_destructured_cloned_and_iterated() {
    let inner = Destructured { first: linear(4, 4), second: Some(linear(4, 4)), shift: tensor(&[4]), scale: 2 };
    assert_captured_in_every_way!(CallsRepeated { inner }, tensor(&[2, 4]));
}

#[fx::module]
struct ResultsInOperators {
    linear: Linear,
    shift: Option<Tensor>,
}

#[fx::module]
impl ResultsInOperators {
    #[expect(clippy::needless_borrow, reason = "the form under test")]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if x.rank() == 7 {
            bail!("rank {}", x.rank())
        }
        let shift = self.shift.as_ref().context("no shift")?;
        let y = x.broadcast_add(shift)?;
        let y = (y.neg()? + y.exp()? * 2.0)?;
        let y = ((1.0 + y)? - 0.5)?;
        let y = std::ops::Add::add(&y, &y)?;
        let pair: [Tensor; 2] = [y.clone(), y];
        let [p, q] = pair;
        let reference = (&(&p)) as &Tensor;
        let sum = (reference + &q)?;
        sum.apply(&self.linear)?.to_device(x.device())?.detach().apply(&|x: &Tensor| x.sqr())
    }
}

#[test]
fn errors_with_context_and_results_in_operators() {
    assert_captured!(ResultsInOperators { linear: linear(4, 4), shift: Some(tensor(&[4])) }, tensor(&[2, 4]));
}

#[fx::module]
struct EditedList {
    list: Vec<Tensor>,
}

#[fx::module]
impl EditedList {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut list = self.list.clone();
        list[0] = x.clone();
        list.push(x.neg()?);
        list.swap(0, 1);
        list.retain(|tensor| tensor.rank() == 2);
        let last = list.pop().unwrap();
        list.insert(0, last);
        let sum = list.iter().cloned().reduce(|a, b| (a + b).unwrap()).unwrap();
        let sum = sum.reshape((1, 2, 4))?;
        let rows = (0..2).map(|row| sum.narrow(1, row, 1)).collect::<Result<Vec<_>>>()?;
        Tensor::cat(&rows, 0)
    }
}

#[test]
fn a_list_of_tensors_edited_in_place() {
    assert_captured!(EditedList { list: vec![tensor(&[2, 4]), tensor(&[2, 4])] }, tensor(&[2, 4]));
}

trait Halves: Sized {
    fn halves(&self) -> Result<Vec<Self>>;
}

impl Halves for Tensor {
    fn halves(&self) -> Result<Vec<Tensor>> {
        self.chunk(2, 0)
    }
}

impl Halves for fx::Proxy {
    fn halves(&self) -> Result<Vec<fx::Proxy>> {
        self.chunk(2, 0)
    }
}

#[fx::module]
struct OwnMethodOnTensors;

#[fx::module]
impl OwnMethodOnTensors {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let rows = (0..2).map(|row| x.i((row, ..))).collect::<Result<Vec<_>>>()?;
        Tensor::cat(&Tensor::stack(&rows, 0)?.halves()?, 0)
    }
}

#[test]
fn a_trait_of_the_users_on_tensors() {
    assert_captured!(OwnMethodOnTensors, tensor(&[2, 4]));
}

#[fx::module]
struct Formats {
    linear: Linear,
}

#[fx::module]
impl Formats {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let texts = [format!("{x}"), format!("{x:?}"), x.to_string()];
        if texts.iter().any(String::is_empty) { x.neg() } else { x.apply(&self.linear) }
    }
}

#[test]
fn tensors_in_format_strings() {
    assert_captured_in_every_way!(Formats { linear: linear(4, 4) }, tensor(&[2, 4]));
}

#[fx::module]
struct OddFloats;

#[fx::module]
impl OddFloats {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = (((x * f64::INFINITY)? + f64::NAN)? - (-0.0))?;
        let z = x.maximum(f32::NEG_INFINITY)?.minimum(1e300f64)?;
        let z = z.affine(0.1f32 as f64, 1e-300)?.clamp(f32::MIN, f32::MAX)?;
        let z = (z * 123456789012345680f64)?;
        let signed = Tensor::new(&[[1f32, -0.0]], x.device())?;
        let nan = Tensor::full(f32::NAN, (2, 2), x.device())?.broadcast_mul(&signed)?;
        y.broadcast_add(&Tensor::new(f32::MIN, x.device())?)? + z + nan
    }
}

#[test]
fn infinities_nans_and_signed_zeros() {
    assert_captured!(OddFloats, tensor(&[2, 2]));
}

#[fx::module]
struct FiniteFloats;

#[fx::module]
impl FiniteFloats {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = x.minimum(1e300f64)?.affine(0.1f32 as f64, 1e-300)?.clamp(f32::MIN, f32::MAX)?;
        let signed = Tensor::new(&[[1f32, -0.0]], x.device())?;
        (x * 123456789012345680f64)?.broadcast_mul(&signed)
    }
}

#[test]
fn numbers_of_many_digits() {
    assert_captured!(FiniteFloats, tensor(&[2, 2]));
}

#[fx::module]
struct Random;

#[fx::module]
impl Random {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let uniform = x.rand_like(0.0, 1.0)?;
        let normal = Tensor::randn(0f32, 1f32, x.shape(), x.device())?;
        (x + ((uniform * 0.0)? + (normal * 0.0)?)?)?.clamp(-0.5f32, 0.5f32)
    }
}

#[test]
fn random_tensors() {
    assert_captured!(Random, tensor(&[2, 4]));
}
