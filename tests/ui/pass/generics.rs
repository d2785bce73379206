//! Types and functions with parameters of every kind.
#![deny(warnings)]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use super::support::{linear, same};

#[fx::module]
#[derive(Debug, Clone)]
struct Residual<M = Linear, const TIMES: usize = 1>
where
    M: Debug,
{
    inner: M,
}

#[fx::module]
impl<M, const TIMES: usize> Module for Residual<M, TIMES>
where
    M: Module + Debug,
{
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut y = x.clone();
        for _ in 0..TIMES {
            y = (self.inner.forward(&y)? + x)?;
        }
        Ok(y)
    }
}

#[fx::module]
impl<M: Module + Debug, const TIMES: usize> Residual<M, TIMES> {
    const FACTOR: usize = TIMES + 1;

    fn factor(&self) -> f64 {
        Self::FACTOR as f64
    }
}

/// What is borrowed is plain data.
#[fx::module]
struct Borrowing<'a, 'b: 'a, T: Debug>
where
    T: 'static,
{
    name: &'a str,
    names: &'b [&'a str],
    sizes: &'b [usize],
    linear: Linear,
    nothing: PhantomData<&'static T>,
}

#[fx::module]
impl<'a, 'b: 'a, T> Borrowing<'a, 'b, T>
where
    T: Debug + 'static,
{
    fn forward<'c>(&'c self, x: &'c Tensor) -> Result<Tensor>
    where
        'a: 'c,
    {
        let y = if self.names.contains(&self.name) { self.linear.forward(x)? } else { x.clone() };
        y * self.sizes.iter().sum::<usize>() as f64
    }
}

#[test]
fn references_to_plain_data() {
    let names = [String::from("a"), String::from("b")];
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let model = Borrowing::<u32> { name: "b", names: &names, sizes: &[1, 2], linear: linear(), nothing: PhantomData };
    same(&model, |model, x| model.forward(x));
}

#[fx::module]
struct Sequence<'n, A, B: Module, const N: usize>
where
    A: Module,
{
    name: &'n str,
    first: A,
    rest: [B; N],
    shared: Arc<Linear>,
    counted: Rc<Residual>,
    by_name: HashMap<String, Linear>,
    in_order: BTreeMap<usize, Box<Linear>>,
    pair: (Linear, Option<Tensor>),
    nothing: PhantomData<fn() -> A>,
    unit: (),
}

#[fx::module]
impl<'n, A: Module, B, const N: usize> Module for Sequence<'n, A, B, N>
where
    B: Module,
{
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Sequence { first, rest, .. } = self;
        let mut y = first.forward(x)?;
        for layer in rest {
            y = layer.forward(&y)?;
        }
        let _unit: () = self.unit;
        let _nothing = self.nothing;
        y = self.shared.forward(&y)?;
        y = self.counted.forward(&y)?;
        if let Some(layer) = self.by_name.get(self.name) {
            y = layer.forward(&y)?;
        }
        for layer in self.in_order.values() {
            y = layer.forward(&y)?;
        }
        match &self.pair {
            (linear, Some(bias)) => linear.forward(&y)?.broadcast_add(bias),
            (linear, None) => linear.forward(&y),
        }
    }
}

/// A function with parameters.
#[fx::module]
fn folded<'a, I, const N: usize>(x: &'a Tensor, scales: [f64; N], more: I) -> Result<Tensor>
where
    I: IntoIterator<Item = f64> + 'a,
{
    let y = scales.iter().try_fold(x.clone(), |y, scale| y * *scale)?;
    more.into_iter().try_fold(y, |y, scale| y + scale)
}

/// One that borrows, and returns what it was given.
#[fx::module]
fn longest<'a>(x: &'a Tensor, y: &'a Tensor) -> &'a Tensor {
    if x.elem_count() >= y.elem_count() { x } else { y }
}

#[fx::module]
struct Functions {
    linear: Linear,
}

#[fx::module]
impl Module for Functions {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.linear.forward(longest(x, &x.sum_all()?))?;
        folded(&y, [2.0, 0.5, 3.0], vec![1.0])
    }
}

#[test]
fn it_computes_the_same() {
    let residual: Residual = Residual { inner: linear() };
    assert_eq!(residual.factor(), 2.0);
    let name = String::from("b");
    let model = Sequence {
        name: &name,
        first: Residual::<Linear, 2> { inner: linear() },
        rest: [linear(), linear()],
        shared: Arc::new(linear()),
        counted: Rc::new(residual),
        by_name: HashMap::from([("b".to_owned(), linear())]),
        in_order: BTreeMap::from([(1, Box::new(linear()))]),
        pair: (linear(), None),
        nothing: PhantomData,
        unit: (),
    };
    same(&model, |model, x| model.forward(x));
    same(&Functions { linear: linear() }, |model, x| model.forward(x));
}

#[fx::module]
struct Either<K> {
    inner: K,
}

#[fx::module]
#[derive(Debug, Clone, Default)]
struct Seen {
    count: usize,
}

#[fx::module]
impl Either<Linear> {
    fn run(&self, x: &Tensor, seen: &mut Seen) -> Result<Tensor> {
        seen.count += 1;
        self.inner.forward(x)
    }
}

#[fx::module]
impl Either<Functions> {
    fn run(&self, x: &Tensor, seen: &mut Seen) -> Result<Tensor> {
        seen.count += 2;
        self.inner.forward(x)
    }
}

#[fx::module]
struct Both(Either<Linear>, Either<Functions>);

#[fx::module]
impl Module for Both {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut seen = Seen { count: 0 };
        let y = self.0.run(x, &mut seen)?;
        self.1.run(&y, &mut seen)? * seen.count as f64
    }
}

#[test]
fn impls_of_one_type_for_two_parameters() {
    let functions = Either { inner: Functions { linear: linear() } };
    same(&Both(Either { inner: linear() }, functions), |model, x| model.forward(x));
}
