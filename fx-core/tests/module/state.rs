//! State: loading, saving, tied weights, training, devices and dtypes.

use candle_core::{DType, Device, Tensor, Var};
use candle_nn::{AdamW, Optimizer, ParamsAdamW};
use fx_core::ir::Graph;
use fx_core::module::{Attribute, ConvertError, GraphModule, LoadError};
use fx_core::value::Value;

use crate::support::{Scale, floats, module, op, plus, tensor};

/// `block(x * a) * b + buffer`, where the child `block` scales by the same tensor as `a`.
fn tied(weight: &Tensor, other: &Tensor) -> GraphModule {
    let mut inner = Graph::new("block");
    let mut cursor = inner.at_end();
    let x = cursor.placeholder("x");
    let scaled = cursor.call_module("scale", [x.into()], [("train".into(), false.into())]);
    cursor.output(scaled);
    let block = GraphModule::from_map(inner, [("scale", Scale::layer(weight))]).expect("a block");

    let mut graph = Graph::new("tied");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let a = cursor.get_attr("a");
    let first = cursor.call(op("mul"), [x.into(), a.into()], []).expect("two tensors");
    let second = cursor.call_module("block", [first.into()], []);
    let third = cursor.call_module("b", [second.into()], [("train".into(), false.into())]);
    let buffer = cursor.get_attr("buffer");
    let sum = cursor.call(plus(), [third.into(), buffer.into()], []).expect("two operands");
    cursor.output(sum);
    let attributes: [(&str, Attribute); 4] = [
        ("a", weight.clone().into()),
        ("block", block.into()),
        ("b", Scale::layer(other).into()),
        ("buffer", tensor(&[1.0, 1.0]).into()),
    ];
    GraphModule::from_map(graph, attributes).unwrap_or_else(|error| panic!("{error}"))
}

fn plain() -> GraphModule {
    tied(&tensor(&[2.0, 3.0]), &tensor(&[5.0, 5.0]))
}

fn run(module: &GraphModule, x: &[f32]) -> Vec<f32> {
    floats(&module.run(&[tensor(x).into()]).unwrap_or_else(|error| panic!("{error}")))
}

fn paths<T>(named: &[(fx_core::ir::ModulePath, T)]) -> Vec<&str> {
    named.iter().map(|(path, _)| path.as_str()).collect()
}

#[test]
fn the_state_holds_layers_and_children_by_path() {
    let module = plain();
    assert_eq!(paths(&module.state_dict()), ["a", "block.scale.weight", "b.weight", "buffer"]);
    assert_eq!(paths(&module.named_buffers()), ["a", "b.weight", "buffer"], "each tensor once");
    assert!(module.named_parameters().is_empty());
    assert_eq!(run(&module, &[1.0, 1.0]), [21.0, 46.0]);
    assert!(module.tensor("block.scale.weight").is_some() && module.tensor("block.scale.bias").is_none());
}

#[test]
fn a_state_is_loaded_whole_or_not_at_all() {
    let mut module = plain();
    let before = module.state_dict();
    let bad = [("a", tensor(&[1.0])), ("nothing", tensor(&[1.0])), ("buffer", tensor(&[7.0, 7.0]))];
    let error = module.load_state_dict(bad.clone(), true).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the state does not fit the module\n  `block.scale.weight` is missing\n  `b.weight` is missing\n  \
         `nothing` is not in the module\n  `a` is f32[2], but f32[1] was given"
    );
    let error = module.load_state_dict(bad, false).unwrap_err();
    assert!(matches!(&error, LoadError::Mismatch { shapes, .. } if shapes.len() == 1), "{error}");
    for ((path, before), (_, after)) in before.iter().zip(module.state_dict()) {
        assert_eq!(before.id(), after.id(), "{path}");
    }

    let loaded =
        module.load_state_dict([("buffer", tensor(&[0.0, 0.0])), ("odd", tensor(&[1.0]))], false).expect("not strict");
    assert_eq!((loaded.missing.len(), loaded.unexpected.len()), (3, 1));
    assert_eq!(run(&module, &[1.0, 1.0]), [20.0, 45.0]);
}

#[test]
fn tied_weights_stay_tied() {
    let mut module = plain();
    let copy = module.clone();
    let state = [("a", tensor(&[1.0, 1.0])), ("b.weight", tensor(&[1.0, 1.0])), ("buffer", tensor(&[0.0, 0.0]))];
    module.load_state_dict(state, true).expect("one name of a tied tensor is enough");
    let id = |module: &GraphModule, path: &str| module.tensor(path).expect("a tensor").id();
    assert_eq!(id(&module, "a"), id(&module, "block.scale.weight"));
    assert_eq!(run(&module, &[4.0, 5.0]), [4.0, 5.0]);
    assert_eq!(run(&copy, &[1.0, 1.0]), [21.0, 46.0], "tensors of a clone are not changed");

    module.to_dtype(DType::F64).expect("it can be converted");
    assert_eq!(id(&module, "a"), id(&module, "block.scale.weight"));
    assert!(module.state_dict().iter().all(|(_, tensor)| tensor.dtype() == DType::F64));
    let x = tensor(&[4.0, 5.0]).to_dtype(DType::F64).expect("a cast");
    let result = module.forward(&[&x]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(result.to_vec1::<f64>().expect("doubles"), [4.0, 5.0]);
    let before = id(&module, "a");
    module.to_device(&Device::Cpu).expect("it is there");
    assert_eq!(id(&module, "a"), before, "what is there already is not copied");
}

#[test]
fn a_failed_conversion_changes_nothing() {
    let mut module = plain();
    assert!(matches!(module.to_dtype(DType::U32), Err(ConvertError::NotFloat(DType::U32))));

    // A shape that is known, and a second input that stays: the sum would be refused.
    let mut graph = Graph::new("mixed");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let fixed = cursor.call(op("to_dtype"), [x.into()], [("dtype".into(), DType::F32.into())]).expect("a cast");
    let w = cursor.get_attr("w");
    let sum = cursor.call(plus(), [fixed.into(), w.into()], []).expect("two operands");
    cursor.output(sum);
    graph.meta_mut(x).fact = fx_core::value::Fact::tensor(2, DType::F32);
    let mut mixed = GraphModule::from_map(graph, [("w", tensor(&[1.0, 2.0]))]).expect("a module");
    let error = mixed.to_dtype(DType::F16).unwrap_err();
    assert!(matches!(error, ConvertError::Refused(_)), "{error}");
    assert_eq!(mixed.tensor("w").expect("a tensor").dtype(), DType::F32);
    assert_eq!(run(&mixed, &[1.0, 1.0]), [2.0, 3.0]);
}

#[test]
fn states_go_through_files() {
    let directory = std::env::temp_dir().join(format!("fx-state-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let file = directory.join("state.safetensors");
    let (mut module, saved) = (plain(), tied(&tensor(&[1.0, 2.0]), &tensor(&[3.0, 4.0])));
    saved.save_state(&file).expect("a file");
    module.load_state(&file, true).expect("the same names");
    assert_eq!(run(&module, &[1.0, 1.0]), run(&saved, &[1.0, 1.0]));
    let names: Vec<_> = std::fs::read_dir(&directory).expect("a directory").collect();
    assert_eq!(names.len(), 1, "nothing is left over");

    std::fs::write(&file, b"no tensors").expect("a file");
    assert!(matches!(module.load_state(&file, true), Err(LoadError::Candle(_))));
    assert!(saved.save_state(directory.join("none").join("state")).is_err());
    std::fs::remove_dir_all(&directory).expect("a directory");
}

#[test]
fn variables_keep_their_identity_and_train() {
    let (weight, other) = (Var::new(&[2f32, 3.0], &Device::Cpu).expect("a variable"), tensor(&[5.0, 5.0]));
    let mut module = tied(weight.as_tensor(), &other);
    let copy = module.clone();
    assert_eq!(paths(&module.named_parameters()), ["a"]);
    assert_eq!(paths(&module.named_buffers()), ["b.weight", "buffer"]);

    // The gradient is that of the same calls without a graph, bit for bit.
    let x = tensor(&[0.3, 0.7]);
    let gradient = |loss: Tensor| {
        let gradients = loss.sum_all().and_then(|loss| loss.backward()).expect("a graph of operations");
        gradients.get(weight.as_tensor()).expect("a gradient").to_vec1::<f32>().expect("floats")
    };
    let directly = || -> candle_core::Result<Tensor> {
        let block = x.mul(weight.as_tensor())?.broadcast_mul(weight.as_tensor())?;
        block.broadcast_mul(&other)? + tensor(&[1.0, 1.0])
    };
    assert_eq!(gradient(module.forward(&[&x]).expect("it runs")), gradient(directly().expect("it runs")));

    let mut optimizer = AdamW::new(module.var_map().all_vars(), ParamsAdamW::default()).expect("variables");
    let loss = module.forward(&[&x]).and_then(|y| Ok(y.sum_all()?)).expect("it runs");
    optimizer.backward_step(&loss).expect("a step");
    assert_ne!(weight.to_vec1::<f32>().expect("floats"), [2.0, 3.0]);

    let map = module.var_map();
    let id = weight.as_tensor().id();
    module.load_state_dict([("a", tensor(&[1.0, 1.0]))], false).expect("one name");
    assert_eq!(module.tensor("a").expect("a tensor").id(), id);
    assert_eq!(weight.to_vec1::<f32>().expect("floats"), [1.0, 1.0]);
    assert_eq!(run(&copy, &[1.0, 1.0]), [6.0, 6.0], "clones share variables");
    let own = module.state_dict();
    module.load_state_dict(own, true).expect("its own state");
    module.load_var_map(&map, false).expect("the same variable");
    assert_eq!(weight.to_vec1::<f32>().expect("floats"), [1.0, 1.0]);

    module.to_dtype(DType::F64).expect("it can be converted");
    let (_, converted) = &module.named_parameters()[0];
    assert_eq!(converted.dtype(), DType::F64);
    assert_eq!(weight.dtype(), DType::F32);
}

#[test]
fn training_is_set_at_every_call_of_a_layer_that_has_a_mode() {
    let mut module = plain();
    assert!(!module.is_training());
    module.train(true);
    assert!(module.is_training() && module.child_mut("block").is_some_and(|block| block.is_training()));
    // Both layers double.
    assert_eq!(run(&module, &[1.0, 1.0]), [81.0, 181.0]);
    assert!(module.clone().is_training());
    module.eval();
    assert_eq!(run(&module, &[1.0, 1.0]), [21.0, 46.0]);
}

#[test]
fn an_empty_state_is_a_state() {
    let mut graph = Graph::new("nothing");
    graph.at_end().output(1);
    let mut nothing = module(graph, fx_core::module::Attributes::new());
    assert!(nothing.state_dict().is_empty());
    nothing.load_state_dict(Vec::<(&str, Tensor)>::new(), true).expect("nothing is missing");
    nothing.to_dtype(DType::BF16).expect("nothing to convert");
    assert_eq!(nothing.run(&[]).expect("it runs"), Value::Int(1));
}

#[test]
fn what_inputs_are_that_are_not_given_is_converted_too() {
    let text = "graph g(%x: f32[2], %y: f32[2]) {\n    %sum = call_function add(%x, %y)\n    output %sum\n}";
    let mut graph: Graph = text.parse().expect("it is a graph");
    let y = graph.node_named("y").expect("an input");
    graph.meta_mut(y).annotate(fx_core::module::DEFAULT_INPUT, tensor(&[1.0, 2.0]).into());
    let mut module = module(graph, fx_core::module::Attributes::new());
    module.to_dtype(DType::F64).expect("it is converted");
    let x = tensor(&[1.0, 1.0]).to_dtype(DType::F64).expect("doubles");
    let sum = module.forward(&[x]).expect("it takes what it says");
    assert_eq!(sum.to_vec1::<f64>().expect("doubles"), [2.0, 3.0]);
}
