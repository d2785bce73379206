//! Traits of the user's that compute something themselves, and whose objects are shared, cloned, lent and passed on.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use candle_core::{Module, Result, Tensor};
use candle_nn::{Linear, ops};

use crate::support::{assert_returns, assert_same, linear, other, tensor};

/// A layer of one of several kinds.
#[fx::module]
trait Layer: std::fmt::Debug + Send + Sync {
    fn run(&self, x: &Tensor) -> Result<Tensor>;

    fn name(&self) -> String {
        "layer".to_string()
    }

    /// What it holds, if it holds one.
    fn weight(&self) -> Option<&Tensor> {
        None
    }

    fn width(&self) -> usize {
        self.weight().map_or(1, |weight| weight.dims()[0])
    }

    fn twice(&self, x: &Tensor) -> Result<Tensor> {
        let width = self.width() as f64;
        let Some(weight) = self.weight() else { return ops::sigmoid(&self.run(&self.run(x)?)?) };
        halved(&self.run(&self.run(x)?)?)?.broadcast_add(&weight.sum_all()?)? * width
    }

    fn through(&self, pair: (&Tensor, &Tensor), mut by: f64) -> Result<(Tensor, Tensor)> {
        by += 1.0;
        let scaled = |x: &Tensor| self.twice(x)? * by;
        Ok((scaled(pair.0)?, scaled(pair.1)?))
    }

    fn with<F: Fn(&Tensor) -> Result<Tensor>>(&self, x: &Tensor, f: F) -> Result<Tensor>
    where
        Self: Sized,
    {
        f(&self.run(x)?)
    }

    fn into_shared(self) -> Arc<dyn Layer>
    where
        Self: Sized + 'static,
    {
        Arc::new(self)
    }

    fn clone_box(&self) -> Box<dyn Layer>;
}

impl Clone for Box<dyn Layer> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

#[fx::module]
fn halved(x: &Tensor) -> Result<Tensor> {
    x * 0.5
}

#[fx::module]
#[derive(Debug, Clone)]
struct Dense {
    linear: Linear,
}

#[fx::module(mirrored)]
impl Layer for Dense {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }

    fn weight(&self) -> Option<&Tensor> {
        Some(self.linear.weight())
    }

    fn clone_box(&self) -> Box<dyn Layer> {
        Box::new(self.clone())
    }
}

#[fx::module]
#[derive(Debug, Clone)]
struct Shift(f64);

#[fx::module(mirrored)]
impl Layer for Shift {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        x + self.0
    }

    fn twice(&self, x: &Tensor) -> Result<Tensor> {
        x + 2.0 * self.0
    }

    fn clone_box(&self) -> Box<dyn Layer> {
        Box::new(self.clone())
    }
}

/// Adds what it saw last.
#[fx::module]
#[derive(Debug, Default)]
struct Seen {
    last: Mutex<Option<Tensor>>,
}

#[fx::module(mirrored)]
impl Layer for Seen {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        let mut last = self.last.lock().expect("nobody panicked");
        let y = match &*last {
            Some(last) => (x + last)?,
            None => x.exp()?,
        };
        *last = Some(x.clone());
        Ok(y)
    }

    fn clone_box(&self) -> Box<dyn Layer> {
        Box::new(Self { last: Mutex::new(None) })
    }
}

/// Holds objects of the trait in every way.
#[fx::module]
struct Layers {
    shared: Arc<dyn Layer>,
    again: Arc<dyn Layer>,
    counted: Rc<dyn Layer>,
    boxed: Box<dyn Layer>,
    named: HashMap<String, Arc<dyn Layer + Send + Sync>>,
}

#[fx::module(bounds(Layer))]
impl Layers {
    fn lent(&self, layer: &dyn Layer, x: &Tensor) -> Result<Tensor> {
        layer.through((x, x), 0.5)?.1 - 1.0
    }

    fn chosen(&self, first: bool) -> &Arc<dyn Layer> {
        if first { &self.shared } else { &self.again }
    }

    fn apply<L: Layer>(layer: &L, x: &Tensor) -> Result<Tensor> {
        layer.twice(x)? - 0.25
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.chosen(true).run(x)?;
        let x = self.chosen(false).twice(&x)?;
        let x = self.lent(&*self.counted, &self.boxed.clone_box().twice(&x)?)?;
        let x = self.lent(self.boxed.as_ref(), &x)?;
        let copies: Vec<Box<dyn Layer>> = vec![self.boxed.clone_box(), self.counted.clone_box()];
        let x = copies.iter().try_fold(x, |x, layer| layer.run(&x))?;
        match self.named.get("last") {
            Some(last) if last.name() == "layer" => last.twice(&x),
            _ => Ok(x),
        }
    }
}

fn layers(last: Option<Arc<dyn Layer + Send + Sync>>) -> Layers {
    let shared: Arc<dyn Layer> = Dense { linear: linear(4, 4) }.into_shared();
    let counted = Rc::new(Dense { linear: linear(4, 4) });
    let named = last.into_iter().map(|last| ("last".to_string(), last)).collect();
    Layers { again: shared.clone(), shared, counted, boxed: Box::new(Shift(0.5)), named }
}

#[test]
fn objects_are_shared_lent_and_cloned() {
    let (x, y) = (tensor(&[3, 4]), other(&[3, 4]));
    for last in [None, Some(Arc::new(Shift(2.0)) as Arc<dyn Layer + Send + Sync>)] {
        let model = layers(last);
        let captured = fx::trace(&model, (&y,)).unwrap();
        assert_same(&model.forward(&x).unwrap(), &captured.forward(&[&x]).unwrap());
        assert_returns(&[&model.forward(&x).unwrap()], fx::trace(&model, (&x,)), &[&x]);
        let graph = captured.graph().to_string();
        assert!(graph.contains("call_module shared.linear("), "{graph}");
        // What is shared is held once.
        assert!(!graph.contains("call_module again."), "{graph}");
    }
}

#[test]
fn what_a_shared_object_keeps_is_state() {
    let original = layers(Some(Arc::<Seen>::default()));
    let model = layers(Some(Arc::<Seen>::default()));
    let inputs = [tensor(&[3, 4]), other(&[3, 4])];
    let first = fx::trace(&model, (&inputs[0],)).unwrap();
    let slots: Vec<&str> = first.graph().state().iter().map(|slot| &*slot.name).collect();
    assert_eq!(slots, ["named.last.last"]);
    assert_same(&original.forward(&inputs[0]).unwrap(), &first.forward(&[&inputs[0]]).unwrap());
    model.forward(&inputs[0]).unwrap();
    let mut next = fx::trace(&model, (&inputs[0],)).unwrap();
    next.share_state(&first).unwrap();
    for x in [&inputs[1], &inputs[0]] {
        assert_same(&original.forward(x).unwrap(), &next.forward(&[x]).unwrap());
    }
}

#[fx::module]
struct Bound<L: Layer> {
    layer: L,
}

#[fx::module(bounds(Layer))]
impl<L: Layer> Bound<L> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.layer.with(&self.layer.twice(x)?, |x| x.relu())?;
        Layers::apply(&self.layer, &x)
    }
}

#[test]
fn bodies_of_a_trait_are_of_the_types_that_have_it() {
    let x = tensor(&[3, 4]);
    let dense = Bound { layer: Dense { linear: linear(4, 4) } };
    assert_returns(&[&dense.forward(&x).unwrap()], fx::trace(&dense, (&x,)), &[&x]);
    let shift = Bound { layer: Shift(0.125) };
    assert_returns(&[&shift.forward(&x).unwrap()], fx::trace(&shift, (&x,)), &[&x]);
}
