//! Free functions of every form.
#![deny(warnings)]
#![allow(clippy::cloned_ref_to_slice_refs, reason = "forms are tested, not style")]

use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

#[fx::module]
fn by_value(x: Tensor, mut scale: f64) -> Result<Tensor> {
    scale += 1.0;
    x * scale
}

#[fx::module]
fn many(xs: &[Tensor], more: &[&Tensor], maybe: Option<Tensor>, pair: (&Tensor, &Tensor)) -> Result<Vec<Tensor>> {
    let mut all = xs.to_vec();
    all.extend(more.iter().map(|x| (*x).clone()));
    all.extend(maybe);
    all.push((pair.0 + pair.1)?);
    Ok(all)
}

#[fx::module]
fn without_result(x: &Tensor) -> Option<Tensor> {
    x.relu().ok()
}

#[fx::module]
fn lends(x: &Tensor) -> &Tensor {
    x
}

#[fx::module]
fn maps<F>(x: &Tensor, map: F, times: usize) -> Result<Tensor>
where
    F: Fn(&Tensor) -> Result<Tensor>,
{
    (0..times).try_fold(x.clone(), |y, _| map(&y))
}

#[fx::module]
fn dynamic(x: &Tensor, map: &dyn Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
    map(x)
}

#[fx::module]
fn recursive(x: &Tensor, depth: usize) -> Result<Tensor> {
    if depth == 0 { x.tanh() } else { recursive(&(x * 0.5)?, depth - 1) }
}

#[fx::module]
fn constant_array<const N: usize>(x: &Tensor, dims: [usize; N]) -> Result<Tensor> {
    dims.iter().try_fold(x.clone(), |y, dim| y.transpose(*dim, D::Minus1))
}

#[fx::module]
fn mask(size: usize, device: &Device) -> Result<Tensor> {
    Tensor::ones((size, size), DType::F32, device)
}

#[fx::wrap(pure)]
fn whole(
    xs: &[Tensor],
    names: Vec<String>,
    range: Option<&[usize]>,
    flags: (bool, bool),
) -> Result<(Tensor, Vec<Tensor>)> {
    let by = names.len() + range.map_or(0, <[usize]>::len) + usize::from(flags.0 && !flags.1);
    Ok(((&xs[0] * by as f64)?, xs.to_vec()))
}

#[fx::module]
struct Model {
    linear: Linear,
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = by_value(self.linear.forward(x)?, 1.0)?;
        let all = many(&[y.clone()], &[x, &y], Some(x.clone()), (x, lends(&y)))?;
        let y = all.iter().try_fold(y, |sum, one| sum + one)?;
        let Some(y) = without_result(&y) else { candle_core::bail!("nothing") };
        let y = maps(&y, |y| self.linear.forward(y), 2)?;
        let y = dynamic(&y, &|y| y + 1.0)?;
        let y = recursive(&constant_array(&y, [0, 0])?, 2)?;
        let y = (y + mask(2, x.device())?)?;
        let (y, all) = whole(&[y, x.clone()], vec!["a".to_string()], Some(&[1, 2]), (true, false))?;
        y + &all[1]
    }
}

#[test]
fn it_computes_the_same() {
    same(&Model { linear: linear() }, |model, x| model.forward(x));
}
