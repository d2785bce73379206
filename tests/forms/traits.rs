//! Traits of the user's: as trait objects, on tensors themselves, and functions and constructors beside methods.

use candle_core::{CpuStorage, CustomOp1, CustomOp2, D, Device, Layout, Module, Result, Shape, Tensor};
use candle_nn::{Conv1d, Conv1dConfig, LayerNorm, Linear, Sequential};

use crate::support::{assert_returns, linear, other, tensor};

/// Two values that belong together.
#[fx::module]
struct Pair {
    left: Tensor,
    right: Tensor,
}

#[fx::module]
trait Block {
    fn forward(&self, x: &Tensor) -> Result<Tensor>;
    fn both(&self, pair: &Pair) -> Result<Pair>;
    fn depth(&self) -> usize {
        1
    }
}

#[fx::module]
struct Narrow {
    linear: Linear,
}

#[fx::module(mirrored)]
impl Block for Narrow {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)?.relu()
    }

    fn both(&self, pair: &Pair) -> Result<Pair> {
        Ok(Pair { left: Block::forward(self, &pair.left)?, right: pair.right.clone() })
    }
}

#[fx::module]
struct Wide {
    first: Linear,
    second: Linear,
}

#[fx::module(mirrored)]
impl Block for Wide {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.apply(&self.first)?.gelu()?.apply(&self.second)
    }

    fn both(&self, pair: &Pair) -> Result<Pair> {
        Ok(Pair { left: Block::forward(self, &pair.left)?, right: Block::forward(self, &pair.right)? })
    }

    fn depth(&self) -> usize {
        2
    }
}

/// A block whose layers are candle's to hold.
#[fx::module]
struct Plain {
    layers: Sequential,
}

#[fx::module(mirrored)]
impl Block for Plain {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.layers.forward(x)
    }

    fn both(&self, pair: &Pair) -> Result<Pair> {
        Ok(Pair { left: Block::forward(self, &pair.left)?, right: pair.right.clone() })
    }
}

/// A block that adds what it was given last.
#[fx::module]
#[derive(Default)]
struct Remembering {
    seen: std::sync::Mutex<Option<Tensor>>,
}

#[fx::module(mirrored)]
impl Block for Remembering {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut seen = self.seen.lock().expect("nobody panicked");
        let y = match &*seen {
            Some(seen) => (x + seen)?,
            None => x.exp()?,
        };
        *seen = Some(x.clone());
        Ok(y)
    }

    fn both(&self, pair: &Pair) -> Result<Pair> {
        Ok(Pair { left: Block::forward(self, &pair.left)?, right: pair.right.clone() })
    }
}

/// A block that is not annotated has no mirror.
struct Foreign;

impl Block for Foreign {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        Ok(x.clone())
    }

    fn both(&self, pair: &Pair) -> Result<Pair> {
        Ok(Pair { left: pair.left.clone(), right: pair.right.clone() })
    }
}

/// Tensors in a type, and none beside it.
#[fx::module]
fn joined(pair: &Pair, scale: f64) -> Result<Tensor> {
    let together = Tensor::cat(&[&pair.left, &pair.right], D::Minus1)?;
    together * scale
}

#[fx::module]
struct Stack {
    blocks: Vec<Box<dyn Block>>,
}

#[fx::module]
impl Stack {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut pair = Pair { left: x.clone(), right: x.neg()? };
        let mut depth = 0;
        for block in &self.blocks {
            pair = block.both(&pair)?;
            depth += block.depth();
        }
        joined(&pair, depth as f64)
    }
}

#[test]
fn trait_objects_are_mirrored() {
    let wide = Wide { first: linear(4, 6), second: linear(6, 4) };
    let model = Stack { blocks: vec![Box::new(Narrow { linear: linear(4, 4) }), Box::new(wide)] };
    let x = tensor(&[3, 4]);
    assert_returns(&[&model.forward(&x).unwrap()], fx::trace(&model, (&x,)), &[&x]);
    let graph = fx::trace(&model, (&x,)).unwrap();
    assert!(graph.graph().to_string().contains("call_module blocks.1.first("), "{}", graph.graph());
    let empty = Stack { blocks: Vec::new() };
    assert_returns(&[&empty.forward(&x).unwrap()], fx::trace(&empty, (&x,)), &[&x]);
}

#[test]
fn what_a_trait_object_keeps_is_state() {
    let model = || Stack { blocks: vec![Box::new(Narrow { linear: linear(4, 4) }), Box::<Remembering>::default()] };
    let (original, captured, inputs) = (model(), model(), [tensor(&[3, 4]), other(&[3, 4])]);
    let first = fx::trace(&captured, (&inputs[0],)).unwrap();
    let slots: Vec<&str> = first.graph().state().iter().map(|slot| &*slot.name).collect();
    assert_eq!(slots, ["blocks.1.seen"]);
    // What is there from the second call on is another graph over the same state.
    captured.forward(&inputs[0]).unwrap();
    let mut next = fx::trace(&captured, (&inputs[0],)).unwrap();
    next.share_state(&first).unwrap();
    crate::support::assert_same(&original.forward(&inputs[0]).unwrap(), &first.forward(&[&inputs[0]]).unwrap());
    for x in [&inputs[1], &inputs[0]] {
        crate::support::assert_same(&original.forward(x).unwrap(), &next.forward(&[x]).unwrap());
    }
}

#[test]
fn what_trait_objects_hold_is_found_in_a_shared_model() {
    let layers = candle_nn::seq().add(linear(4, 4)).add(candle_nn::Activation::Relu);
    let narrow = Narrow { linear: linear(4, 4) };
    let model = std::rc::Rc::new(Stack { blocks: vec![Box::new(narrow), Box::new(Plain { layers })] });
    let x = tensor(&[3, 4]);
    let captured = fx::trace(&model, (&x,)).unwrap();
    crate::support::assert_same(&model.forward(&x).unwrap(), &captured.forward(&[&x]).unwrap());
}

#[test]
fn a_trait_object_without_a_mirror_is_refused() {
    let model = Stack { blocks: vec![Box::new(Foreign)] };
    let x = tensor(&[3, 4]);
    assert!(model.forward(&x).is_ok());
    let error = fx::trace(&model, (&x,)).expect_err("it has no mirror").to_string();
    assert!(error.contains("`blocks.0` holds as `dyn Block`") && error.contains("mirrored"), "{error}");
}

mod extension {
    use candle_core::{Result, Tensor, shape::Dim};

    #[fx::module]
    pub(crate) trait Split {
        fn split<D: Dim>(&self, sizes: &[usize], dim: D) -> Result<Vec<Tensor>>;
    }

    #[fx::module(mirrored)]
    impl Split for Tensor {
        fn split<D: Dim>(&self, sizes: &[usize], dim: D) -> Result<Vec<Tensor>> {
            let dim = dim.to_index(self.shape(), "split")?;
            let mut start = 0;
            let mut parts = Vec::new();
            for size in sizes {
                parts.push(self.narrow(dim, start, *size)?);
                start += size;
            }
            Ok(parts)
        }
    }
}

#[fx::module]
struct Halves {
    linear: Linear,
}

#[fx::module]
impl Halves {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        use extension::Split;
        let parts = self.linear.forward(x)?.split(&[1, 3], D::Minus1)?;
        parts[1].broadcast_mul(&parts[0])
    }
}

#[test]
fn a_trait_on_tensors_is_one_on_proxies() {
    let model = Halves { linear: linear(4, 4) };
    let x = tensor(&[3, 4]);
    assert_returns(&[&model.forward(&x).unwrap()], fx::trace(&model, (&x,)), &[&x]);
}

/// What its functions take is tensors, not a value of it.
#[fx::module]
#[derive(Clone)]
struct Moments {
    mean: Tensor,
    spread: Tensor,
}

#[fx::module]
impl Moments {
    fn of(x: &Tensor) -> Result<Self> {
        let mean = x.mean_keepdim(D::Minus1)?;
        let spread = x.broadcast_sub(&mean)?.sqr()?.mean_keepdim(D::Minus1)?;
        Ok(Self { mean, spread })
    }

    fn apply(x: &Tensor, moments: &Moments) -> Result<Tensor> {
        x.broadcast_sub(&moments.mean)?.broadcast_div(&Self::root(&moments.spread)?)
    }

    fn root(x: &Tensor) -> Result<Tensor> {
        (x + 1.0)?.sqrt()
    }

    fn fixed(mean: f32) -> Result<Moments> {
        let of = |value: f32| Tensor::full(value, (1, 1), &Device::Cpu);
        Ok(Moments { mean: of(mean)?, spread: of(3.0)? })
    }
}

#[fx::module]
struct Normed {
    linear: Linear,
}

#[fx::module]
impl Normed {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.linear.forward(x)?;
        let own = Moments::apply(&x, &Moments::of(&x)?)?;
        // What a function of plain data makes is a constant of the graph.
        let fixed = Moments::apply(&x, &Moments::fixed(0.5)?)?;
        own + fixed
    }
}

#[test]
fn functions_of_types_are_chosen_by_their_tensors() {
    let model = Normed { linear: linear(4, 4) };
    let (x, y) = (tensor(&[3, 4]), other(&[3, 4]));
    assert_returns(&[&model.forward(&x).unwrap()], fx::trace(&model, (&y,)), &[&x]);
}

#[fx::module]
struct Making {
    weight: Tensor,
}

#[fx::module]
impl Making {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let config = Conv1dConfig { padding: 1, ..Default::default() };
        let conv = Conv1d::new(self.weight.clone(), None, config).forward(x)?;
        let normed = candle_nn::LayerNorm::new_no_bias(conv.ones_like()?.narrow(2, 0, 1)?.squeeze(2)?.get(0)?, 1e-5);
        let normed = normed.forward(&conv.transpose(1, 2)?)?;
        let scaled = LayerNorm::rms_norm(self.weight.sum((1, 2))?, 1e-5).forward(&normed)?;
        Linear::new(self.weight.sum(2)?, Some(self.weight.sum((1, 2))?)).forward(&scaled.narrow(2, 0, 2)?)
    }
}

#[test]
fn layers_made_in_a_forward_are_recorded_as_what_they_compute() {
    let model = Making { weight: tensor(&[3, 2, 3]) };
    let (x, y) = (tensor(&[1, 2, 5]), other(&[1, 2, 5]));
    assert_returns(&[&model.forward(&x).unwrap()], fx::trace(&model, (&y,)), &[&x]);
}

/// Adds a number to each element.
#[derive(Clone)]
struct AddNumber(f32);

impl CustomOp1 for AddNumber {
    fn name(&self) -> &'static str {
        "add-number"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let data = storage.as_slice::<f32>()?;
        let sums = data[layout.start_offset()..][..layout.shape().elem_count()].iter().map(|x| x + self.0).collect();
        Ok((CpuStorage::F32(sums), layout.shape().clone()))
    }
}

/// The larger of two; not `Clone`.
struct Larger;

impl CustomOp2 for Larger {
    fn name(&self) -> &'static str {
        "larger"
    }

    fn cpu_fwd(&self, a: &CpuStorage, of: &Layout, b: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        let pairs = a.as_slice::<f32>()?.iter().zip(b.as_slice::<f32>()?);
        Ok((CpuStorage::F32(pairs.map(|(a, b)| a.max(*b)).collect()), of.shape().clone()))
    }
}

#[fx::module]
struct Custom {
    by: f32,
}

#[fx::module]
impl Custom {
    fn forward(&self, x: &Tensor, lent: bool) -> Result<Tensor> {
        let op = AddNumber(self.by);
        let x = x.apply_op1_no_bwd(&op)?.apply_op1_no_bwd(&AddNumber(1.0))?.apply_op1(op)?;
        let y = Tensor::apply_op2(&x, &x.neg()?, Larger)?;
        if lent {
            let larger = Larger;
            return x.apply_op2_no_bwd(&y, &larger);
        }
        Ok(y)
    }
}

#[test]
fn custom_operations_are_nodes_that_run_them() {
    let model = Custom { by: 0.25 };
    let (x, y) = (tensor(&[3, 4]), other(&[3, 4]));
    let captured = fx::trace(&model, (&y, false)).unwrap();
    let expected = model.forward(&x, false).unwrap();
    crate::support::assert_same(&expected, &captured.forward(&[&x]).unwrap());
    assert_eq!(captured.graph().to_string().matches("call_module").count(), 4, "{}", captured.graph());
    // One that is lent and cannot be copied is the caller's.
    let error = fx::trace(&model, (&y, true)).expect_err("it is only lent").to_string();
    assert!(error.contains("apply_op2_no_bwd"), "{error}");
}

/// A trait that says how its types are made, too.
#[fx::module]
trait Made: Sized {
    fn new(weights: candle_nn::VarBuilder) -> Result<Self>;
    fn run(&self, x: &Tensor) -> Result<Tensor>;
}

#[fx::module]
struct Doubled {
    linear: Linear,
}

#[fx::module(mirrored)]
impl Made for Doubled {
    fn new(weights: candle_nn::VarBuilder) -> Result<Self> {
        Ok(Self { linear: candle_nn::linear(4, 4, weights.pp("linear"))? })
    }

    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)? * 2.0
    }
}

/// A trait with types of its own, one of which is that of its errors.
trait Policy {
    type Error;
    type Output;
    fn decide(&self, x: &Tensor) -> std::result::Result<Self::Output, Self::Error>;
}

#[derive(Debug)]
struct Undecided(String);

impl From<candle_core::Error> for Undecided {
    fn from(error: candle_core::Error) -> Self {
        Self(error.to_string())
    }
}

#[fx::module]
struct Decides<M: Module> {
    inner: M,
}

#[fx::module]
impl<M: Module> Policy for Decides<M> {
    type Error = Undecided;
    type Output = (Tensor, Tensor);

    fn decide(&self, x: &Tensor) -> std::result::Result<Self::Output, Self::Error> {
        let y = self.inner.forward(x)?;
        Ok((y.relu()?, y))
    }
}

#[fx::module]
struct Both {
    made: Doubled,
    decides: Decides<Linear>,
}

#[fx::module]
impl Both {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (left, right) =
            self.decides.decide(&self.made.run(x)?).map_err(|Undecided(why)| candle_core::Error::Msg(why))?;
        left - right
    }
}

#[test]
fn traits_that_make_their_types_and_have_types_of_their_own() {
    let weights = candle_nn::VarBuilder::zeros(candle_core::DType::F32, &Device::Cpu);
    let mut made = Doubled::new(weights).unwrap();
    made.linear = linear(4, 4);
    let model = Both { made, decides: Decides { inner: linear(4, 4) } };
    let x = tensor(&[2, 4]);
    let expected = model.forward(&x).unwrap();
    assert_returns(&[&expected], fx::trace(&model, (&x,)), &[&x]);
    assert_returns(&[&expected], fx::symbolic_trace(&model), &[&x]);
}
