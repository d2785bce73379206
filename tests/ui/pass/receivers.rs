//! Methods with every kind of receiver, parameter and result, beside those that no graph has.
#![deny(warnings)]

use std::borrow::Cow;
use std::sync::Arc;

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

#[fx::module]
#[derive(Clone)]
struct Model {
    linear: Linear,
    layers: Vec<Linear>,
}

#[fx::module]
impl Model {
    const fn of(linear: Linear) -> Self {
        Self { linear, layers: Vec::new() }
    }

    async fn later(&self) -> usize {
        self.layers.len()
    }

    extern "C" fn outside(&self) -> usize {
        self.layers.len()
    }

    fn generic<T: Into<f64>>(&self, x: &Tensor, by: T) -> Result<Tensor> {
        x * by.into()
    }

    fn closure(&self, x: &Tensor, f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
        f(x)
    }

    fn shared(self: Arc<Self>, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }

    #[allow(clippy::boxed_local, reason = "a receiver that people write")]
    fn boxed(self: Box<Self>, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }

    fn owned(mut self, x: &Tensor) -> Result<Tensor> {
        self.layers.clear();
        self.linear.forward(x)
    }

    fn lists(&self, xs: &[&Tensor], more: &mut Vec<Tensor>, last: Option<&Tensor>) -> Result<Vec<Tensor>> {
        let mut all: Vec<Tensor> = xs.iter().map(|x| self.linear.forward(x)).collect::<Result<_>>()?;
        all.append(more);
        all.extend(last.cloned());
        Ok(all)
    }

    fn cow<'a>(&self, x: &'a Tensor, copy: bool) -> Result<Cow<'a, Tensor>> {
        Ok(if copy { Cow::Owned(x.relu()?) } else { Cow::Borrowed(x) })
    }

    fn each<'a>(&'a self, x: &'a Tensor) -> impl Iterator<Item = Result<Tensor>> + 'a {
        self.layers.iter().map(move |layer| layer.forward(x))
    }

    fn chunks(&self, x: &Tensor) -> Result<[Tensor; 2]> {
        let parts = x.chunk(2, 0)?;
        let [a, b] = parts.as_slice() else { candle_core::bail!("not two: {}", parts.len()) };
        Ok([a.clone(), b.clone()])
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.generic(x, 2f32)?;
        let y = self.closure(&y, |y| y.relu())?;
        let mut more = vec![y.clone()];
        let all = self.lists(&[&y, x], &mut more, Some(x))?;
        let [a, b] = self.chunks(&all[0])?;
        let c = self.cow(&a, true)?.into_owned();
        let d = self.cow(&a, false)?.into_owned();
        let y = self.clone().owned(&((b + c)? + d)?)?;
        let y = self.each(&y).try_fold(y.clone(), |sum, y| sum + y?)?;
        Arc::new(self.clone()).shared(&Box::new(self.clone()).boxed(&y)?)
    }
}

#[test]
fn it_computes_the_same() {
    let mut model = Model::of(linear());
    assert_eq!(model.outside(), 0);
    drop(model.later());
    model.layers.push(linear());
    same(&model, |model, x| model.forward(x));
}
