//! Layers that candle lets nobody clone: called in the model that the graph shares.
#![allow(clippy::arc_with_non_send_sync, reason = "both pointers are tested; users are told to take `Rc`")]

use std::rc::Rc;
use std::sync::Arc;

use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::{Activation, Linear, Sequential};
use fx::{TraceError, Tracer};

pub(crate) fn tensor(shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let data: Vec<f32> = (0..count).map(|i| (i as f32 * 0.37).sin()).collect();
    Tensor::from_vec(data, shape, &Device::Cpu).unwrap()
}

pub(crate) fn linear(from: usize, to: usize) -> Linear {
    Linear::new(tensor(&[to, from]), Some(tensor(&[to])))
}

pub(crate) fn assert_same(expected: &Tensor, found: &Tensor) {
    assert_eq!(expected.dims(), found.dims());
    let bits = |tensor: &Tensor| -> Vec<u32> {
        tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap().into_iter().map(f32::to_bits).collect()
    };
    assert_eq!(bits(expected), bits(found));
}

fn sequential() -> Sequential {
    candle_nn::seq().add(linear(4, 6)).add(Activation::Relu).add_fn(|x| x * 2.0).add(linear(6, 4))
}

#[fx::module]
struct Model {
    layers: Sequential,
    blocks: Vec<Block>,
    maybe: Option<Box<dyn Module>>,
    any: Arc<dyn Module>,
    sendable: Arc<dyn Module + Send + Sync>,
    none: Sequential,
}

#[fx::module]
struct Block(Sequential, f64);

#[fx::module]
enum Kind {
    One(Sequential),
    Two { first: Sequential },
}

#[fx::module]
impl Module for Kind {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::One(layers) => layers.forward(x),
            Self::Two { first } => first.forward(x),
        }
    }
}

#[fx::module]
impl Module for Block {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let Self(layers, scale) = self;
        layers.forward(x)? * *scale
    }
}

#[fx::module]
impl Module for Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.apply(&self.layers)?;
        for block in &self.blocks {
            x = block.forward(&x)?;
        }
        if let Some(maybe) = &self.maybe {
            x = maybe.forward(&x)?;
        }
        let x = self.sendable.forward(&self.any.forward(&x)?)?;
        self.none.forward(&x)
    }
}

fn model() -> Model {
    Model {
        layers: sequential(),
        blocks: vec![Block(sequential(), 0.5), Block(sequential(), 2.0)],
        maybe: Some(Box::new(linear(4, 4))),
        any: Arc::new(linear(4, 4)),
        sendable: Arc::new(linear(4, 4)),
        none: candle_nn::seq(),
    }
}

#[test]
fn symbolic_trace_sequential() {
    let (x, model) = (tensor(&[2, 4]), Arc::new(model()));
    let expected = model.forward(&x).unwrap();
    for captured in [fx::symbolic_trace(&model), fx::trace(&model, (&x,))] {
        let module = captured.unwrap();
        assert_same(&expected, &module.forward(&[&x]).unwrap());
    }
    let module = fx::symbolic_trace(&model).unwrap();
    insta::assert_snapshot!(module.graph(), @r#"
    graph model(%x) {
        %layers = call_module layers(%x)                   // owners.rs:73
        %blocks_0_0 = call_module blocks.0.0(%layers)      // owners.rs:66
        %mul = call_function mul(%blocks_0_0, 0.5)         // owners.rs:66
        %blocks_1_0 = call_module blocks.1.0(%mul)         // owners.rs:66
        %mul_1 = call_function mul(%blocks_1_0, 2.0)       // owners.rs:66
        %maybe = call_module maybe(%mul_1)                 // owners.rs:78
        %any = call_module any(%maybe)                     // owners.rs:80
        %sendable = call_module sendable(%any)             // owners.rs:80
        output %sendable
    }
    "#);
    // The graph owns what it calls.
    drop(model);
    assert_same(&expected, &module.forward(&[&x]).unwrap());
}

#[test]
fn behind_any_pointer_and_in_enums() {
    let x = tensor(&[2, 4]);
    let expected = sequential().forward(&x).unwrap();
    let one = fx::symbolic_trace(&Rc::new(Kind::One(sequential()))).unwrap();
    let two = fx::symbolic_trace(&Arc::new(Kind::Two { first: sequential() })).unwrap();
    for module in [one, two] {
        assert_same(&expected, &module.forward(&[&x]).unwrap());
    }
}

#[test]
fn without_an_owner_the_error_says_what_to_write() {
    let error = fx::symbolic_trace(&Kind::One(sequential())).unwrap_err();
    assert!(matches!(error, TraceError::NotShareable { .. }), "{error:?}");
    assert!(error.to_string().contains("fx::symbolic_trace(&Rc::new(model))"), "{error}");
}

#[test]
fn a_graph_on_another_thread_says_so_and_can_be_dropped_there() {
    let x = tensor(&[2, 4]);
    let model = Arc::new(model());
    let held = Arc::downgrade(&model);
    let module = fx::symbolic_trace(&model).unwrap();
    drop(model);
    let elsewhere = module.clone();
    let message = std::thread::spawn(move || {
        let error = elsewhere.forward(&[&tensor(&[2, 4])]).unwrap_err().to_string();
        drop(elsewhere);
        error
    });
    let message = message.join().unwrap();
    assert!(message.contains("cannot leave the thread"), "{message}");
    // Here it still runs; let go of elsewhere, the model goes when this thread looks next.
    assert!(module.forward(&[&x]).is_ok());
    assert!(held.upgrade().is_some());
    std::thread::spawn(move || drop(module)).join().unwrap();
    let _ = fx::symbolic_trace(&Arc::new(Kind::One(sequential()))).unwrap();
    assert!(held.upgrade().is_none());
}

#[test]
fn errors_inside_name_the_layer() {
    let model = Arc::new(Kind::One(sequential()));
    let module = fx::symbolic_trace(&model).unwrap();
    let error = module.forward(&[&tensor(&[2, 5])]).unwrap_err().to_string();
    assert!(error.contains("call_module"), "{error}");
    // A capture with shapes knows nothing of what comes after.
    let module = Tracer::new().input("x", DType::F32, (2, 4)).trace(&model).unwrap();
    assert!(module.forward(&[&tensor(&[2, 4])]).is_ok());
}
