//! Every form that a body can have.
#![deny(warnings)]
#![allow(clippy::type_complexity, clippy::manual_try_fold, clippy::useless_vec, reason = "forms are tested, not style")]

use candle_core::{D, IndexOp, Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

#[fx::module]
#[derive(Debug, Clone)]
struct Model {
    linear: Linear,
    layers: Vec<Linear>,
    bias: Option<Tensor>,
    scale: f64,
    depth: usize,
    r#type: Linear,
}

#[fx::module]
impl Model {
    const EPS: f64 = 0.5;
    const TWICE: f64 = Self::EPS * 4.0;

    fn closures(&self, x: &Tensor) -> Result<Tensor> {
        let by = |y: &Tensor| self.linear.forward(y);
        let mut seen = 0usize;
        let mut count = |y: Tensor| -> Result<Tensor> {
            seen += 1;
            let y = by(&y)?;
            if seen > 1 { y.relu() } else { Ok(y) }
        };
        let y = count(x.clone())?;
        let y = count(y)?;
        let boxed: Box<dyn Fn(&Tensor) -> Result<Tensor> + '_> = Box::new(move |y| y * self.scale);
        boxed(&y)
    }

    fn control(&self, x: &Tensor) -> Result<Tensor> {
        let Some(bias) = &self.bias else { candle_core::bail!("no bias") };
        let mut y = x.clone();
        let mut depth = 0;
        y = 'outer: loop {
            for (index, layer) in self.layers.iter().enumerate() {
                if index > self.depth {
                    break 'outer y;
                }
                y = layer.forward(&y)?;
                depth += 1;
                if depth == 3 {
                    continue 'outer;
                }
            }
            break y;
        };
        while let 0..=5 = depth {
            depth += 2;
            y = (y + 1.0)?;
        }
        let block = 'found: {
            if depth > 100 {
                break 'found y.neg()?;
            }
            y.broadcast_add(bias)?
        };
        let picked = if let Some(first) = self.layers.first()
            && self.depth > 0
        {
            first.forward(&block)?
        } else {
            block
        };
        match (self.depth, picked.dims()) {
            (0, _) => picked.relu(),
            (n @ 1..=3, [rows, ..]) if *rows > n - 1 => picked.narrow(0, 0, *rows)?.tanh(),
            (_, [] | [_]) => Ok(picked),
            (_, &[_, columns, ..]) => picked.reshape(((), columns)),
        }
    }

    fn places(&self, x: &Tensor) -> Result<Tensor> {
        let (mut a, mut b) = (x.clone(), x.neg()?);
        (a, b) = (b, a);
        let y;
        [y, _] = [&a - &b, &b - &a];
        let y = y?;
        let &[rows, columns] = y.dims() else { unreachable!() };
        let [first, .., last] = &*self.layers else { return Ok(y) };
        let both: Vec<Tensor> = [first, last].iter().map(|layer| layer.forward(&y)).collect::<Result<_>>()?;
        let [one, two] = both.try_into().map_err(|_| candle_core::Error::msg("two"))?;
        let part = one.i((..rows, 0..columns))?;
        let sum: Tensor = Tensor::stack(&[part, two], D::Minus1)?.sum(D::Minus1)?;
        sum * (const { 1.0 + 1.0 } * Self::TWICE)
    }

    fn calls(&self, x: &Tensor) -> Result<Tensor> {
        fn inner(x: &Tensor, times: usize) -> Result<Tensor> {
            if times == 0 { Ok(x.clone()) } else { inner(&(x * 2.0)?, times - 1) }
        }
        const TIMES: usize = 2;
        let y = inner(x, TIMES)?;
        let y = self.layers.iter().try_fold(y, |y, layer| layer.forward(&y))?;
        let y = self.layers.iter().rev().zip(0..).map(|(layer, _)| layer).fold(Ok(y), |y, layer| {
            let y: Result<Tensor> = y;
            layer.forward(&y?)
        })?;
        let y = Self::helper(&y, 3.0)?;
        let y = <Self>::helper(&y, 2f32)?;
        let y = self.generic(&y, |y| y.tanh())?;
        let y = Module::forward(&self.linear, &y)?;
        let y = <Linear as Module>::forward(&self.r#type, &y)?;
        Tensor::cat(&[&y, &y], 0)?.mean_keepdim(candle_core::D::Minus2)
    }

    fn helper<S: Into<f64>>(x: &Tensor, scale: S) -> Result<Tensor> {
        x * scale.into()
    }

    fn generic(&self, x: &Tensor, map: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
        map(&map(x)?)
    }

    fn macros(&self, x: &Tensor) -> Result<Tensor> {
        macro_rules! layer {
            ($self:ident . $field:ident ($x:expr)) => {
                $self.$field.forward(&$x)?
            };
            (@ $($layer:expr),*) => {{
                let mut y = x_of(x)?;
                $(y = $layer.forward(&y)?;)*
                y
            }};
        }
        fn x_of(x: &Tensor) -> Result<Tensor> {
            x.abs()
        }
        let y = layer!(self.linear(x.clone()));
        let z = layer!(@ self.linear, self.r#type);
        assert!(y.rank() == 2 && !self.layers.is_empty(), "{:?}", y.shape());
        assert_eq!(z.dims(), y.dims());
        debug_assert_ne!(y.rank(), 3, "{}", self.scale);
        let text = format!("{depth} {0:?} {rank:>3}", y.shape(), depth = self.depth, rank = y.rank());
        let all = vec![y.clone(); 2];
        let more = vec![z.relu()?, self.linear.forward(&y)?];
        if !matches!(self.bias, Some(ref bias) if bias.rank() == 1) {
            candle_core::bail!("{text}");
        }
        let sum = Tensor::stack(&all, 0)?.sum(0)?;
        sum + &more[1] + more.first().map_or(Ok(z), |first| first.tanh())?
    }

    fn literals(&self, x: &Tensor) -> Result<Tensor> {
        let Self { linear, scale, .. } = self;
        let other = Self { scale: *scale + 1.0, ..self.clone() };
        let Model { scale, layers: ref many, .. } = other;
        let pair = Pair { left: linear.forward(x)?, right: many[0].forward(x)? };
        let Pair { left, right: _ } = &pair;
        let swapped = Pair { left: pair.right.clone(), ..pair.clone() };
        (left + swapped.left)? * scale
    }
}

#[fx::module]
#[derive(Debug, Clone)]
struct Pair {
    left: Tensor,
    right: Tensor,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.closures(x)?;
        let y = self.control(&y)?;
        let y = self.places(&y)?;
        let y = self.literals(&y)?;
        self.calls(&self.macros(&y)?)
    }
}

#[test]
fn it_computes_the_same() {
    let model = Model {
        linear: linear(),
        layers: vec![linear(), linear(), linear()],
        bias: Some(Tensor::new(&[1f32, -1.0], &candle_core::Device::Cpu).expect("two numbers")),
        scale: 0.5,
        depth: 2,
        r#type: linear(),
    };
    same(&model, |model, x| model.forward(x));
}
