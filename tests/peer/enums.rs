//! Leaf policy of enums: any annotated module can be one node, also one that is a choice.
#![allow(clippy::arc_with_non_send_sync, reason = "a shared pointer of either kind is to be found")]

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use candle_core::{DType, Module, Result, Tensor};
use candle_nn::{Activation, Linear, Sequential};
use fx::{GraphModule, TraceError, Tracer, TracerRules};

use crate::owners::{assert_same, linear, tensor};

#[fx::module]
#[derive(Clone)]
enum Mixer {
    Dense(Linear),
    Gated { up: Linear, gate: Tensor },
    Pair(Linear, Activation),
    Identity,
}

#[fx::module]
impl Module for Mixer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Mixer::Dense(dense) => dense.forward(x),
            Self::Gated { up, gate } => up.forward(x)?.broadcast_mul(gate),
            Self::Pair(.., activation) if x.rank() > 5 => activation.forward(x),
            Self::Pair(linear, activation) => activation.forward(&linear.forward(x)?),
            Self::Identity => Ok(x.clone()),
        }
    }
}

#[fx::module]
#[derive(Clone)]
enum Either<A, B> {
    Left(A),
    Right { inner: B },
}

#[fx::module]
impl<A: Module, B: Module> Either<A, B> {
    fn forward(&self, x: &Tensor, scale: f64) -> Result<Tensor> {
        match self {
            Self::Left(inner) => inner.forward(x)? * scale,
            Self::Right { inner } => inner.forward(x)? / scale,
        }
    }
}

/// Nobody can clone it.
#[fx::module]
enum Stack {
    Layers(Sequential),
    Nothing,
}

#[fx::module]
impl Stack {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Layers(layers) => layers.forward(x),
            Self::Nothing => x.neg(),
        }
    }
}

#[fx::module]
struct Model {
    maybe: Option<Mixer>,
    list: Vec<Mixer>,
    named: BTreeMap<String, Mixer>,
    shared: [Arc<Mixer>; 2],
    generic: Either<Mixer, Linear>,
    stacks: Arc<Vec<Stack>>,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = match &self.maybe {
            Some(mixer) => mixer.forward(x)?,
            None => x.clone(),
        };
        for mixer in self.list.iter().chain(self.named.values()).chain(self.shared.iter().map(|shared| &**shared)) {
            x = x.apply(mixer)?;
        }
        // What is a leaf can still be looked into.
        let gates = self.list.iter().filter_map(|mixer| match mixer {
            Mixer::Gated { gate, .. } => Some(gate),
            _ => None,
        });
        for gate in gates {
            x = x.broadcast_add(gate)?;
        }
        x = self.generic.forward(&x, 3.0)?;
        for stack in self.stacks.iter() {
            x = stack.forward(&x)?;
        }
        Ok(x)
    }
}

fn model() -> Rc<Model> {
    let gated = || Mixer::Gated { up: linear(4, 4), gate: tensor(&[4]) };
    let shared = Arc::new(Mixer::Pair(linear(4, 4), Activation::Silu));
    Rc::new(Model {
        maybe: Some(Mixer::Dense(linear(4, 4))),
        list: vec![Mixer::Identity, gated(), Mixer::Pair(linear(4, 4), Activation::Relu)],
        named: BTreeMap::from([("a.b".to_owned(), gated()), ("c".to_owned(), Mixer::Identity)]),
        shared: [shared.clone(), shared],
        generic: Either::Left(Mixer::Dense(linear(4, 4))),
        stacks: Arc::new(vec![Stack::Nothing, Stack::Layers(candle_nn::seq().add(linear(4, 2)))]),
    })
}

type Rule = fn(&str, &str) -> bool;

struct Leaf(Rule);

impl TracerRules for Leaf {
    fn is_leaf_module(&self, type_name: &str, qualname: &str) -> bool {
        (self.0)(type_name, qualname)
    }
}

/// The model stands behind a pointer, for what cannot be copied, or not without knowing its parameters.
fn traced(rule: Option<Rule>, model: &Rc<Model>) -> GraphModule {
    let tracer = Tracer::new().input("x", DType::F32, (2, 4));
    match rule {
        Some(rule) => tracer.with(Leaf(rule)).trace(model).unwrap(),
        None => tracer.trace(model).unwrap(),
    }
}

#[test]
fn an_enum_can_be_a_leaf_wherever_it_stands() {
    let (x, model) = (tensor(&[2, 4]), model());
    let expected = model.forward(&x).unwrap();
    let entered = traced(None, &model);
    assert_same(&expected, &entered.forward(&[&x]).unwrap());
    let module = traced(Some(|_, _| true), &model);
    assert_same(&expected, &module.forward(&[&x]).unwrap());
    insta::assert_snapshot!(module.graph());
}

#[test]
fn the_rules_are_asked_about_an_enum_and_about_what_it_holds() {
    let (x, model) = (tensor(&[2, 4]), model());
    let expected = model.forward(&x).unwrap();
    let leaves: [Rule; 2] = [|ty, _| ty == "Either", |ty, path| ty == "Mixer" && path == "generic"];
    for leaf in leaves {
        let module = traced(Some(leaf), &model);
        assert_same(&expected, &module.forward(&[&x]).unwrap());
        let whole: Vec<String> = module
            .graph()
            .nodes()
            .filter(|(_, node)| node.name() == "generic")
            .map(|(id, _)| module.graph().node_line(id))
            .collect();
        assert_eq!(whole.len(), 1, "{}", module.graph());
        assert!(whole[0].contains("call_module generic("), "{whole:?}");
    }
}

#[test]
fn a_graph_that_calls_an_enum_says_how_it_can_be_saved() {
    let module = traced(Some(|ty, _| ty == "Mixer"), &model());
    let path = std::env::temp_dir().join(format!("fx-enum-{}", std::process::id()));
    insta::assert_snapshot!(module.save(&path).unwrap_err());
    assert!(!path.with_extension("safetensors").exists());
}

#[fx::module]
struct Owns {
    stack: Stack,
}

#[fx::module]
impl Owns {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.stack.forward(x)
    }
}

#[test]
fn an_enum_that_nobody_can_clone_needs_a_pointer() {
    let error = Tracer::new().with(Leaf(|ty, _| ty == "Stack")).trace(&Owns { stack: Stack::Nothing }).unwrap_err();
    assert!(matches!(error, TraceError::NotShareable { .. }), "{error:?}");
    insta::assert_snapshot!(error);
}
