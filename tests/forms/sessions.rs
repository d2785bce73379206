//! Captures beside, inside and after each other: threads, nesting, failures, and values kept too long.

use std::cell::RefCell;

use candle_core::{DType, Result, Tensor};
use candle_nn::{Linear, Module};
use fx::{Proxy, TraceError, Tracer};

use crate::support::{assert_returns, assert_same, linear, tensor};

#[fx::module]
struct Layers {
    layers: Vec<Linear>,
}

#[fx::module]
impl Layers {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.layers.iter().try_fold(x.clone(), |x, layer| layer.forward(&x)?.tanh())
    }
}

#[test]
fn captures_in_many_threads_at_once() {
    let capture = |count| move || assert_captured!(Layers { layers: vec![linear(4, 4); count] }, tensor(&[2, 4]));
    let threads: Vec<_> = (1..9).map(|count| std::thread::spawn(capture(count))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[fx::module]
struct Parallel {
    layers: Vec<Linear>,
}

#[fx::module]
impl Parallel {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let outs: Vec<Result<Tensor>> = std::thread::scope(|scope| {
            let threads: Vec<_> = self.layers.iter().map(|layer| scope.spawn(|| layer.forward(x))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        outs.into_iter().try_fold(x.clone(), |sum, out| sum + out?)
    }
}

#[test]
fn a_forward_that_starts_threads() {
    assert_captured!(Parallel { layers: vec![linear(4, 4), linear(4, 4)] }, tensor(&[2, 4]));
}

fn nodes_of_another_capture() -> f64 {
    let x = tensor(&[2, 4]);
    fx::trace(&Layers { layers: vec![linear(4, 4)] }, (&x,)).unwrap().graph().len() as f64
}

#[fx::module]
struct CapturesInside {
    linear: Linear,
}

#[fx::module]
impl CapturesInside {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let scale = crate::sessions::nodes_of_another_capture();
        self.linear.forward(x)? * scale
    }
}

#[test]
fn a_capture_inside_a_capture() {
    assert_captured_in_every_way!(CapturesInside { linear: linear(4, 4) }, tensor(&[2, 4]));
}

// ── After a failure ─────────────────────────────────────────────────────────────────────────────────────────────────

#[fx::constant]
#[derive(Clone, Copy)]
enum Fault {
    None,
    Slice,
    Panic,
    Product,
    Read,
    OwnError,
    CaughtByMatch,
    CaughtByOrElse,
}

#[fx::module]
struct Faulty {
    linear: Linear,
}

#[fx::module(specialize)]
impl Faulty {
    fn forward(&self, x: &Tensor, fault: Fault) -> Result<Tensor> {
        let y = self.linear.forward(x)?;
        let z = match fault {
            Fault::None => y.relu()?,
            Fault::Slice => y.narrow(1, 3, 3)?,
            Fault::Panic => panic!("boom"),
            Fault::Product => y.matmul(&y)?,
            Fault::Read => {
                let data: Vec<f32> = y.flatten_all()?.to_vec1()?;
                (y * data[0] as f64)?
            }
            Fault::OwnError => {
                let own: std::result::Result<Tensor, String> = Err("mine".to_owned());
                own.map_err(candle_core::Error::msg)?
            }
            Fault::CaughtByMatch => match y.matmul(&y) {
                Ok(product) => product,
                Err(_) => y.neg()?,
            },
            Fault::CaughtByOrElse => y.matmul(&y).or_else(|_| y.exp())?,
        };
        self.linear.forward(&z)
    }
}

#[test]
fn a_capture_after_a_failed_one() {
    let model = Faulty { linear: linear(4, 4) };
    let x = tensor(&[2, 4]);
    let works = || {
        let expected = model.forward(&x, Fault::None).unwrap();
        assert_returns(&[&expected], fx::trace(&model, (&x, &Fault::None)), &[&x]);
    };
    let with = |fault: Fault| fx::trace(&model, (&x, &fault));
    let without = |fault: Fault| Tracer::new().concrete_arg("fault", &fault).trace(&model);
    assert_refused!(with(Fault::Slice), TraceError::Refused { op, .. } if op == "narrow");
    works();
    assert_refused!(with(Fault::Product), TraceError::Refused { op, .. } if op == "matmul");
    works();
    for capture in [with(Fault::Panic), without(Fault::Panic)] {
        assert_refused!(capture, TraceError::Panicked(message) if message == "boom");
        works();
    }
    for capture in [with(Fault::Read), without(Fault::Read)] {
        assert_refused!(capture, TraceError::DataRead { method: "to_vec1", .. });
        works();
    }
    for capture in [with(Fault::OwnError), without(Fault::OwnError)] {
        assert_refused!(capture, TraceError::Model(message) if message == "mine");
        works();
    }
}

#[test]
fn a_refused_call_that_the_model_catches() {
    let model = Faulty { linear: linear(4, 4) };
    let x = tensor(&[2, 4]);
    for fault in [Fault::CaughtByMatch, Fault::CaughtByOrElse] {
        let expected = model.forward(&x, fault).unwrap();
        assert_returns(&[&expected], fx::trace(&model, (&x, &fault)), &[&x]);
        let from_shape = Tracer::new().input("x", DType::F32, (2, 4)).concrete_arg("fault", &fault);
        assert_returns(&[&expected], from_shape.trace(&model), &[&x]);
    }
}

// ── Values that outlive what they came from ─────────────────────────────────────────────────────────────────────────

thread_local! {
    static KEPT: RefCell<Option<Proxy>> = const { RefCell::new(None) };
}

#[test]
fn a_proxy_kept_after_its_capture_is_refused() {
    let model = Layers { layers: vec![linear(4, 4)] };
    Tracer::new()
        .trace_with(&model, |model, inputs| {
            let x = inputs.tensor("x")?;
            KEPT.with(|kept| *kept.borrow_mut() = Some(x.clone()));
            model.forward(&x)
        })
        .unwrap();
    let kept = KEPT.with(|kept| kept.borrow().clone().unwrap());
    let mixed = Tracer::new().trace_with(&model, |model, inputs| {
        let x = inputs.tensor("x")?;
        model.forward(&(x + &kept)?)
    });
    assert_refused!(mixed, TraceError::TwoCaptures { op, .. } if op == "add");
    let outside = (kept.clone() + kept).unwrap_err();
    assert!(outside.to_string().contains("no capture is running"), "{outside}");
}

#[test]
fn a_graph_that_outlives_its_model() {
    let x = tensor(&[2, 4]);
    let model = Layers { layers: vec![linear(4, 4)] };
    let expected = model.forward(&x).unwrap();
    let module = fx::trace(&model, (&x,)).unwrap();
    drop(model);
    assert_same(&expected, &module.forward(&[x]).unwrap());
}
