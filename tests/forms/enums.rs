//! Forms of enums: as the whole model, inside a vector, and of plain data.

use std::sync::Arc;

use candle_core::{DType, Result, Tensor};
use candle_nn::{Linear, Module};
use fx::Tracer;

use crate::support::{assert_returns, linear, tensor};

#[fx::module]
enum Root {
    One(Linear),
    Several { x: Tensor, layers: Vec<Linear> },
    Identity,
}

#[fx::module]
impl Root {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        match self {
            Self::One(layer) => layer.forward(xs),
            Self::Several { x, layers } if layers.len() > 1 => (x + layers[0].forward(xs)?)? * layers[1].forward(xs),
            Self::Several { x, .. } => x.clone() + xs,
            _ => Ok(xs.clone()),
        }
    }
}

#[test]
fn an_enum_as_the_whole_model() {
    let x = tensor(&[2, 4]);
    let several = |count| Root::Several { x: tensor(&[2, 4]), layers: vec![linear(4, 4); count] };
    for model in [Root::One(linear(4, 4)), several(2), several(0), Root::Identity] {
        let expected = model.forward(&x).unwrap();
        assert_returns(&[&expected], fx::trace(&model, (&x,)), &[&x]);
        assert_returns(&[&expected], fx::symbolic_trace(&model), &[&x]);
        assert_returns(&[&expected], Tracer::new().input("xs", DType::F32, (2, 4)).trace(&model), &[&x]);
    }
}

/// Variants named as constants are.
#[fx::module]
enum Version {
    V1(Linear),
    V2 { linear: Linear },
}

#[fx::module]
impl Version {
    const HALF: f64 = 0.5;

    fn is_first(&self) -> bool {
        matches!(self, Self::V1(_))
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = if self.is_first() { x * Self::HALF } else { x.relu() }?;
        let other = match self {
            Self::V1(linear) => Self::V2 { linear: linear.clone() },
            Self::V2 { linear } => Self::V1(linear.clone()),
        };
        match (self, other) {
            (Self::V1(first), Self::V2 { linear }) => linear.forward(&first.forward(&x)?),
            (Self::V2 { linear, .. }, _) => linear.forward(&x)?.exp(),
            _ => candle_core::bail!("it is the other"),
        }
    }
}

#[test]
fn variants_named_as_constants() {
    let x = tensor(&[2, 4]);
    for model in [Version::V1(linear(4, 4)), Version::V2 { linear: linear(4, 4) }] {
        let expected = model.forward(&x).unwrap();
        assert_returns(&[&expected], fx::trace(&model, (&x,)), &[&x]);
    }
}

#[fx::module]
enum Kind {
    Plain(Linear),
    Rectified { linear: Linear },
    Negated,
}
use Kind::*;

#[fx::constant]
#[derive(Clone, Copy)]
enum Phase {
    First,
    Second,
}
use Phase::{First, Second};

const PHASES: [Phase; 2] = [Phase::First, Phase::Second];
static SCALES: &[f64] = &[1.5, 2.5];

#[fx::module]
struct ManyKinds {
    kinds: Vec<Kind>,
    phase: Phase,
}

#[fx::module]
impl ManyKinds {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for kind in &self.kinds {
            x = match kind {
                Kind::Plain(linear) => linear.forward(&x)?,
                Kind::Rectified { linear } => linear.forward(&x)?.relu()?,
                Kind::Negated => x.neg()?,
            };
        }
        let plain = self.kinds.iter().filter(|kind| matches!(kind, Kind::Plain(_))).count();
        for phase in PHASES {
            x = match (phase, self.phase) {
                (First, Second) => (x + 1.0)?,
                (Phase::Second, _) => (x * SCALES[1])?,
                _ => x,
            }
        }
        x * plain as f64
    }
}

#[test]
fn a_vector_of_enums_with_imported_variants() {
    let kinds = vec![Plain(linear(4, 4)), Rectified { linear: linear(4, 4) }, Negated];
    assert_captured_in_every_way!(ManyKinds { kinds, phase: Second }, tensor(&[2, 4]));
}

/// What a twin makes of variants: called, passed on as functions, constants, with named fields.
#[fx::module]
#[derive(Clone)]
enum Memory {
    Empty,
    Last(Tensor),
    Sum { total: Tensor, count: usize },
    Three(Tensor, usize, f64),
}

#[fx::module]
impl Memory {
    fn step(&mut self, x: &Tensor) -> Result<()> {
        *self = match &*self {
            Self::Empty => Self::Last(x.clone()),
            Memory::Last(last) => Memory::Sum { total: (last + x)?, count: 2 },
            Self::Sum { total, count } => Self::Three((total + x)?, count + 1, 0.5),
            Self::Three(total, .., scale) if *scale > 1.0 => Self::Last(total.clone()),
            Self::Three(..) => Memory::Empty,
        };
        Ok(())
    }

    fn value(&self, otherwise: &Tensor) -> Result<Tensor> {
        match self {
            Self::Empty => Ok(otherwise.clone()),
            Self::Last(x) => Ok(x.clone()),
            Self::Sum { total, count } => total / *count as f64,
            Self::Three(total, count, scale) => total * (*count as f64 * scale),
        }
    }
}

#[fx::module]
struct Remembers {
    starts: Vec<Tensor>,
}

#[fx::module]
impl Remembers {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut all: Vec<Memory> = self.starts.iter().cloned().map(Memory::Last).collect();
        all.push(Memory::Empty);
        all.push(Memory::Sum { total: x.sqr()?, count: 3 });
        all.push(Memory::Three(x.neg()?, 1, 2.0));
        let mut sum = x.zeros_like()?;
        for memory in &mut all {
            for _ in 0..4 {
                memory.step(x)?;
                sum = (sum + memory.value(x)?)?;
            }
            if let Memory::Last(last) | Memory::Sum { total: last, .. } = memory {
                sum = (sum - &*last)?;
            }
        }
        let empty = all.iter().filter(|memory| matches!(memory, Memory::Empty)).count();
        sum * (empty + 1) as f64
    }
}

#[test]
fn variants_that_a_forward_makes() {
    assert_captured_in_every_way!(Remembers { starts: vec![tensor(&[2, 4]), tensor(&[2, 4])] }, tensor(&[2, 4]));
}

/// An enum with a parameter, made by its own methods.
#[fx::module]
#[derive(Clone)]
enum Lazy<M> {
    Built { inner: Arc<M>, scale: f64 },
    Plain(Arc<M>),
}

#[fx::module]
impl<M: Module> Lazy<M> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let twice = match self {
            Self::Plain(inner) => Self::Built { inner: inner.clone(), scale: 2.0 },
            Self::Built { inner, .. } => std::iter::once(inner.clone()).map(Self::Plain).next().unwrap(),
        };
        match (&twice, self) {
            (Self::Built { inner, scale }, _) => inner.forward(x)? * *scale,
            (Lazy::Plain(inner), Lazy::Built { scale, .. }) => inner.forward(x)? + *scale,
            (Self::Plain(_), Self::Plain(_)) => Ok(x.clone()),
        }
    }
}

#[test]
fn variants_of_an_enum_with_a_parameter() {
    assert_captured_in_every_way!(Lazy::Plain(Arc::new(linear(4, 4))), tensor(&[2, 4]));
    assert_captured_in_every_way!(Lazy::Built { inner: Arc::new(linear(4, 4)), scale: 3.0 }, tensor(&[2, 4]));
}

/// A module of its own, as another file is.
mod elsewhere {
    use candle_core::{Result, Tensor};
    use candle_nn::{Linear, Module};

    #[fx::module]
    pub(super) enum Source {
        Given(Tensor),
        Made { linear: Linear },
        Nothing,
    }

    /// Plain data that computes.
    #[fx::module]
    #[derive(Clone, Copy)]
    pub(super) enum Act {
        Relu,
        Scaled(f64),
    }

    #[fx::module]
    impl Act {
        fn forward(&self, x: &Tensor) -> Result<Tensor> {
            match self {
                Self::Relu => x.relu(),
                Self::Scaled(by) => x * *by,
            }
        }
    }

    #[fx::module]
    pub(super) fn activate(x: &Tensor, act: &Act) -> Result<Tensor> {
        act.forward(x)
    }

    /// Plain data without an attribute, which nothing takes apart.
    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Order {
        Before,
        After,
    }

    #[fx::module]
    impl Source {
        pub(super) fn own(&self, x: &Tensor) -> Result<Tensor> {
            match self {
                Self::Made { linear } => linear.forward(x),
                _ => Ok(x.clone()),
            }
        }
    }
}
use elsewhere::{Act, Order, Source, activate};

#[fx::module]
struct FromElsewhere {
    sources: Vec<Source>,
    act: Act,
    #[fx(constant)]
    order: Order,
}

#[fx::module]
impl FromElsewhere {
    fn scale(&self) -> Option<f64> {
        match self.act {
            elsewhere::Act::Scaled(by) => Some(by),
            _ => None,
        }
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut y = activate(x, &Act::Relu)?;
        for source in &self.sources {
            y = match source {
                Source::Given(given) => (y + given)?,
                Source::Made { linear } => (linear.forward(&y)? + source.own(&y)?)?,
                Source::Nothing if self.order == Order::After => y.neg()?,
                Source::Nothing => y,
            };
        }
        let y = activate(&y, &self.act)?;
        if matches!(self.sources.first(), Some(elsewhere::Source::Given(_))) {
            return elsewhere::activate(&y, &elsewhere::Act::Scaled(self.scale().unwrap_or(2.0)));
        }
        elsewhere::activate(&y, &elsewhere::Act::Relu)
    }
}

#[test]
fn enums_of_other_modules() {
    let x = tensor(&[2, 4]);
    for (act, order) in [(Act::Relu, Order::Before), (Act::Scaled(-1.5), Order::After)] {
        let given = || Source::Given(tensor(&[2, 4]));
        let made = || Source::Made { linear: linear(4, 4) };
        for sources in [vec![], vec![given(), made()], vec![Source::Nothing, made(), given()]] {
            let model = FromElsewhere { sources, act, order };
            let expected = model.forward(&x).unwrap();
            assert_returns(&[&expected], fx::trace(&model, (&x,)), &[&x]);
            assert_returns(&[&expected], fx::symbolic_trace(&model), &[&x]);
        }
    }
}
