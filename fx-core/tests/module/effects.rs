//! What calls of layers do besides computing their result: dead code, merging, and the option `train` by position.

use std::sync::Arc;

use candle_core::DType;
use candle_nn::{BatchNorm, Dropout};
use fx_core::ir::{Argument, Graph};
use fx_core::module::{Attribute, Attributes, Called, GraphModule, LayerModule, LayerState};
use fx_core::ops::{Effect, InferError};
use fx_core::passes::{CommonSubexpressions, DeadCode, Fuel, Pass};
use fx_core::value::{Fact, Value};

use crate::support::{Scale, chain, floats, module, tensor};

/// Returns its input; tells what it is made of if it is to, and panics when it is asked for a shape.
struct Untold(bool);

impl LayerModule for Untold {
    fn type_name(&self) -> &str {
        "Untold"
    }

    fn called(&self) -> Called {
        Called::FORWARD
    }

    fn call(&self, args: &[&Value]) -> candle_core::Result<Value> {
        Ok(args[0].clone())
    }

    fn infer(&self, _: &[&Fact]) -> Result<Fact, InferError> {
        panic!("no rule")
    }

    fn state(&self) -> Option<LayerState> {
        self.0.then(|| LayerState { options: Vec::new(), tensors: Vec::new() })
    }
}

fn batch_norm() -> Attribute {
    let statistics = BatchNorm::new_no_bias(2, tensor(&[0.0, 0.0]), tensor(&[1.0, 1.0]), 1e-5);
    Attribute::Layer(Arc::new(statistics.expect("two channels")))
}

fn dropout() -> Attribute {
    Attribute::Layer(Arc::new(Dropout::new(0.5)))
}

/// Calls a layer twice, and reads neither.
fn unread(layer: Attribute, train: Option<Argument>, by_position: bool) -> GraphModule {
    let mut graph = chain("model", &["neg"]);
    let x = graph.node_named("x").expect("x");
    let neg = graph.node_named("neg").expect("neg");
    for _ in 0..2 {
        let (mut args, mut kwargs) = (vec![x.into()], Vec::new());
        match &train {
            Some(train) if by_position => args.push(train.clone()),
            Some(train) => kwargs.push(("train".into(), train.clone())),
            None => {}
        }
        graph.inserting_before(neg).call_module("layer", args, kwargs);
    }
    module(graph, Attributes::from_iter([("layer", layer)]))
}

#[test]
fn unread_calls_go_or_stay_by_what_the_layer_does() {
    let told = |told| Attribute::Layer(Arc::new(Untold(told)));
    let (on, off) = (Some(Argument::Bool(true)), Some(Argument::Bool(false)));
    let cases = [
        (told(true), None, Effect::Pure),
        (told(false), None, Effect::Changes),
        (dropout(), off.clone(), Effect::Pure),
        (dropout(), on.clone(), Effect::Random),
        (batch_norm(), off, Effect::Pure),
        (batch_norm(), on, Effect::Changes),
    ];
    for (layer, train, effect) in cases {
        for by_position in [false, true] {
            let model = unread(layer.clone(), train.clone(), by_position);
            let label = format!("{layer} {train:?}");
            assert_eq!(model.is_impure(true), effect != Effect::Pure, "{label}");
            assert_eq!(model.is_impure(false), effect == Effect::Changes, "{label}");

            let mut left = model.clone();
            assert_eq!(left.eliminate_dead_code().is_empty(), effect != Effect::Pure, "{label}");
            for keep in [false, true] {
                let mut left = model.clone();
                let changed = DeadCode::new().keep_random(keep).run(&mut left, &mut Fuel::unlimited());
                let stays = effect == Effect::Changes || (keep && effect == Effect::Random);
                assert_eq!(changed.expect("it runs"), !stays, "{label}");
                assert_eq!(left.attributes().is_empty(), !stays, "{label}");
            }
            let merged = CommonSubexpressions::new().run(&mut model.clone(), &mut Fuel::unlimited());
            assert_eq!(merged.expect("it runs"), effect == Effect::Pure, "{label}");
        }
    }
}

#[test]
fn the_effects_of_layers_count_through_children() {
    let child = unread(batch_norm(), Some(Argument::Bool(true)), false);
    let mut graph = chain("outer", &["neg"]);
    let x = graph.node_named("x").expect("x");
    graph.at_end().call_module("child", [x.into()], []);
    let mut model = module(graph, Attributes::from_iter([("child", child)]));
    assert!(model.is_impure(false));
    assert!(model.eliminate_dead_code().is_empty());
    model.eval();
    assert_eq!(model.eliminate_dead_code().len(), 2);
    assert_eq!(model.graph().len(), 3);
}

#[test]
fn whether_it_trains_can_be_given_by_position() {
    let mut graph = Graph::new("model");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let y = cursor.call_module("s", [x.into(), Argument::Bool(true)], []);
    cursor.output(y);
    let mut model = module(graph, Attributes::from_iter([("s", Scale::layer(&tensor(&[2.0])))]));
    assert!(model.is_training());
    for (train, expected) in [(false, 2.0), (true, 4.0)] {
        model.train(train);
        assert_eq!(model.is_training(), train);
        assert_eq!(floats(&model.run(&[tensor(&[1.0]).into()]).expect("it runs")), [expected]);
    }
}

#[test]
fn a_layer_that_panics_when_asked_for_its_shape_is_an_error() {
    let mut model = unread(Attribute::Layer(Arc::new(Untold(true))), None, false);
    let x = model.graph().node_named("x").expect("x");
    model.graph_mut().meta_mut(x).fact = Fact::tensor(1, DType::F32);
    let before = model.to_string();
    let error = model.infer_facts().unwrap_err().to_string();
    assert!(error.contains("Untold: it panicked: no rule"), "{error}");
    assert_eq!(model.to_string(), before);
}
