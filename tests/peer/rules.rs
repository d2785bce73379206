//! What a capture asks: names, tags, vetoes, paths and arguments.

use std::sync::{Arc, Mutex};

use candle_core::{Module, Result, Tensor};
use candle_nn::Linear;
use fx::{Argument, ModuleCall, ModulePath, NewNode, TraceError, Tracer, TracerRules, Value};

use crate::owners::{assert_same, linear, tensor};

#[fx::module]
struct Mlp {
    up: Linear,
    act: Act,
}

#[fx::module]
struct Act {
    scale: Tensor,
}

#[fx::module]
impl Module for Act {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.relu()?.broadcast_mul(&self.scale)? * 2.0
    }
}

#[fx::module]
impl Module for Mlp {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.act.forward(&self.up.forward(x)?)
    }
}

fn mlp() -> Mlp {
    Mlp { up: linear(4, 4), act: Act { scale: tensor(&[4]) } }
}

#[derive(Default)]
struct Tags(Vec<String>);

impl TracerRules for Tags {
    fn call_module(&mut self, call: &ModuleCall<'_>) -> std::result::Result<(), String> {
        self.0.push(format!("{} ({}) {}", call.path, call.type_name, call.leaf));
        Ok(())
    }

    fn create_node(&mut self, node: &mut NewNode<'_>) -> std::result::Result<(), String> {
        let name = format!("n{}", self.0.len());
        self.0.push(format!("{} = {}", name, node.target()));
        node.rename(name);
        node.annotate("tag", Value::Int(1));
        Ok(())
    }

    fn path_of_module(&self, path: &ModulePath) -> ModulePath {
        ModulePath::ROOT.child("model").child(path.as_str())
    }
}

#[test]
fn names_tags_and_paths() {
    let (x, model, tags) = (tensor(&[2, 4]), mlp(), Arc::new(Mutex::new(Tags::default())));
    let module = Tracer::new().with(tags.clone()).trace(&model).unwrap();
    assert_same(&model.forward(&x).unwrap(), &module.forward(&[&x]).unwrap());
    assert!(module.graph().nodes().all(|(_, node)| node.meta().annotation("tag").is_some()));
    insta::assert_snapshot!(format!("{}\n{}", module.graph(), tags.lock().unwrap().0.join("\n")), @r#"
    graph mlp(x %n0) {
        %n2 = call_module model.up(%n0)                    // rules.rs:32
        %n4 = call_method relu(%n2)                        // rules.rs:25
        %n5 = get_attr model.act.scale()                   // f32[4]
        %n6 = call_method broadcast_mul(%n4, %n5)          // rules.rs:25
        %n7 = call_function mul(%n6, 2.0)                  // rules.rs:25
        %n8 = output %n7
    }
    n0 = x
    up (Linear) true
    n2 = model.up
    act (Act) false
    n4 = relu
    n5 = model.act.scale
    n6 = broadcast_mul
    n7 = mul
    n8 = output
    "#);
}

struct Forbid;

impl TracerRules for Forbid {
    fn create_node(&mut self, node: &mut NewNode<'_>) -> std::result::Result<(), String> {
        match node.target().operation() {
            Some(op) if op.name == "relu" => Err("the target has no relu".to_owned()),
            _ => Ok(()),
        }
    }
}

#[test]
fn an_operation_can_be_forbidden() {
    let error = Tracer::new().with(Forbid).trace(&mlp()).unwrap_err();
    assert!(matches!(&error, TraceError::Vetoed { at: Some(_), .. }), "{error:?}");
    assert!(error.to_string().contains("the target has no relu"), "{error}");
}

struct ForbidAttributes;

impl TracerRules for ForbidAttributes {
    fn create_node(&mut self, node: &mut NewNode<'_>) -> std::result::Result<(), String> {
        if node.target().op() == fx::Op::GetAttr { Err("no parameters".to_owned()) } else { Ok(()) }
    }
}

struct ForbidModules;

impl TracerRules for ForbidModules {
    fn call_module(&mut self, call: &ModuleCall<'_>) -> std::result::Result<(), String> {
        if call.type_name == "Act" { Err("no activations".to_owned()) } else { Ok(()) }
    }
}

#[test]
fn what_cannot_return_an_error_is_forbidden_too() {
    for (error, reason) in [
        (Tracer::new().with(ForbidAttributes).trace(&mlp()).unwrap_err(), "no parameters"),
        (Tracer::new().with(ForbidModules).trace(&mlp()).unwrap_err(), "no activations"),
    ] {
        assert!(error.to_string().contains(reason), "{error}");
    }
}

struct Doubled;

impl TracerRules for Doubled {
    fn create_arg(&mut self, argument: Argument) -> std::result::Result<Argument, String> {
        Ok(match argument {
            Argument::Float(number) => Argument::Float(number * 2.0),
            other => other,
        })
    }
}

#[test]
fn arguments_can_be_replaced() {
    let (x, model) = (tensor(&[2, 4]), mlp());
    let module = Tracer::new().with(Doubled).trace(&model).unwrap();
    let expected = (model.forward(&x).unwrap() * 2.0).unwrap();
    assert_same(&expected, &module.forward(&[&x]).unwrap());
}
