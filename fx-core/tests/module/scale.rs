//! Large modules: nothing recurses, and quadratic time would be noticed, because minutes become hours.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candle_core::{Device, Tensor};
use candle_nn::Activation;
use fx_core::interp::Interpreter;
use fx_core::ir::{Argument, Graph, Keyword, NodeId, NodeMap};
use fx_core::module::{Attribute, Attributes, GraphModule, LoadModuleError, State};
use fx_core::value::Value;

use crate::support::{floats, module, op, plus, tensor};

/// Calls of an operator, a layer and a method with arguments by name, each of the one before.
fn chain(length: usize) -> GraphModule {
    let mut graph = Graph::new("chain");
    let mut cursor = graph.at_end();
    let mut x: NodeId = cursor.placeholder("x");
    for i in 0..length {
        x = match i % 3 {
            0 => cursor.call_function(plus(), [x.into(), 1.0.into()], []).expect("two arguments"),
            1 => cursor.call_module("layers.act", [x.into()], []),
            _ => {
                let bounds = [("min".into(), 0.0.into()), ("max".into(), 3.0.into())];
                cursor.call_method(op("clamp"), [x.into()], bounds).expect("three arguments")
            }
        };
    }
    cursor.output(x);
    let act = Attribute::Layer(Arc::new(Activation::Relu));
    module(graph, Attributes::from_iter([("layers.act", act)]))
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("model.fx")
    }
}

fn saved_and_loaded(module: &GraphModule, file: &Path) -> GraphModule {
    module.save(file).unwrap_or_else(|error| panic!("{error}"));
    GraphModule::load(file, &Device::Cpu).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_long_chain_goes_through_everything() {
    const LENGTH: usize = 150_000;
    let chain = chain(LENGTH);
    let graph = chain.graph();
    assert_eq!((graph.len(), graph.verify()), (LENGTH + 2, Ok(())));
    let text = graph.to_string();

    let mut copy = Graph::new("chain");
    let output = copy.at_end().graph_copy(graph, &mut NodeMap::new()).expect("an output");
    copy.at_end().output(output);
    let parsed: Graph = text.parse().expect("it was printed");
    let mut reversed = graph.clone();
    let ids: Vec<NodeId> = graph.nodes().map(|(id, _)| id).collect();
    for pair in ids.windows(2) {
        reversed.prepend(pair[0], pair[1]);
    }
    reversed.stable_topological_sort().expect("there is an order");
    for other in [&copy, &parsed, &reversed] {
        assert_eq!(other.verify(), Ok(()));
        assert!(other.to_string() == text);
    }

    let x = [Value::from(tensor(&[-5.0, 0.5]))];
    let result = floats(&chain.run(&x).expect("it runs"));
    assert_eq!(result, [3.0, 3.0]);
    assert_eq!(floats(&().run(&chain, &x).expect("it runs")), result);

    let folder = Folder::new();
    let loaded = saved_and_loaded(&chain, &folder.file());
    assert!(loaded.graph().to_string() == text);
    assert_eq!(floats(&loaded.run(&x).expect("it runs")), result);

    let mut dead = loaded;
    let (first, output) = (ids[0], ids[LENGTH + 1]);
    dead.graph_mut().set_args(output, [first.into()]);
    dead.eliminate_dead_code();
    assert_eq!(dead.graph().len(), 2);
}

const COUNT: usize = 20_000;

/// A graph `%x -> %x` after `add` has added what it wants, and its attributes.
fn around(attributes: Attributes, add: impl Fn(&mut fx_core::ir::Cursor<'_>, NodeId)) -> GraphModule {
    let mut graph = Graph::new("g");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    add(&mut cursor, x);
    cursor.output(x);
    module(graph, attributes)
}

/// A graph of so many inputs, which are what these parts of the state are made of.
fn with_state(slots: &str) -> GraphModule {
    let inputs: String = (0..COUNT).map(|i| format!("%x{i}, ")).collect();
    let text = format!("graph g(%x, {inputs}) takes (x = %x) state ({slots}) {{ output %x state ({slots}) }}");
    module(text.parse().unwrap_or_else(|error| panic!("{error}")), Attributes::new())
}

#[test]
fn modules_of_any_number_of_names_are_saved_and_loaded() {
    let names = |prefix: &str| -> Vec<String> { (0..COUNT).map(|i| format!("{prefix}.{i}.weight")).collect() };
    let small = |i: usize| tensor(&[i as f32]);
    let identity = || around(Attributes::new(), |_, _| {});
    let child: GraphModule = {
        let mut graph = Graph::new("child");
        let inputs: Vec<NodeId> = (0..COUNT).map(|i| graph.at_end().placeholder(&format!("p{i}"))).collect();
        graph.at_end().output(inputs[7]);
        module(graph, Attributes::new())
    };
    let each = |write: &dyn Fn(usize) -> String| (0..COUNT).map(write).collect::<String>();
    let one_slot = format!("cache = [{}]", each(&|i| format!("%x{i}, ")));
    let state = |path: &dyn Fn(usize) -> String| {
        let mut state = State::new();
        (0..COUNT).for_each(|i| state.set(&path(i), small(i)));
        state
    };
    let mut whole = State::new();
    whole.set("cache", Value::List((0..COUNT).map(|i| small(i).into()).collect()));
    let rows: [(&str, GraphModule, Option<State>); 7] = [
        (
            "parameters",
            around(names("layers").into_iter().enumerate().map(|(i, path)| (path, small(i))).collect(), |cursor, _| {
                names("layers").into_iter().for_each(|path| _ = cursor.get_attr(path));
            }),
            None,
        ),
        (
            "layers",
            around(
                names("layers").into_iter().map(|path| (path, Attribute::Layer(Arc::new(Activation::Relu)))).collect(),
                |cursor, x| names("layers").into_iter().for_each(|path| _ = cursor.call_module(path, [x.into()], [])),
            ),
            None,
        ),
        (
            "child graphs",
            around(names("blocks").into_iter().map(|path| (path, identity())).collect(), |cursor, x| {
                names("blocks").into_iter().for_each(|path| _ = cursor.call_module(path, [x.into()], []));
            }),
            None,
        ),
        (
            "arguments of a child graph",
            around(Attributes::from_iter([("child", child)]), |cursor, x| {
                let by_name: Vec<(Keyword, Argument)> =
                    (0..COUNT).rev().map(|i| (Keyword::shared(format!("p{i}")), x.into())).collect();
                cursor.call_module("child", [], by_name);
            }),
            None,
        ),
        (
            "parts of the state",
            with_state(&each(&|i| format!("layers.{i}.cache = %x{i}, "))),
            Some(state(&|i| format!("layers.{i}.cache"))),
        ),
        ("a part of the state with many parts", with_state(&one_slot), Some(whole)),
        ("a part of the state under many names", with_state(&one_slot), Some(state(&|i| format!("cache.{i}")))),
    ];
    let x = [Value::from(tensor(&[1.0, 2.0]))];
    for (what, module, state) in rows {
        if let Some(state) = state {
            module.set_state(state);
        }
        let folder = Folder::new();
        let loaded = saved_and_loaded(&module, &folder.file());
        assert!(loaded.to_string() == module.to_string(), "{what}");
        assert!(loaded.state().to_string() == module.state().to_string(), "{what}");
        assert_eq!(loaded.state_dict().len(), module.state_dict().len(), "{what}");
        for module in [&module, &loaded] {
            let result = module.run(&x).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(floats(&result), [1.0, 2.0], "{what}");
        }
    }
}

/// Texts that a person or a program made to be slow.
#[test]
fn hostile_files_are_read_in_linear_time() {
    let folder = Folder::new();
    let none = HashMap::<String, Tensor>::new();
    candle_core::safetensors::save(&none, folder.file().with_extension("safetensors")).expect("a file");
    let write = |text: String| std::fs::write(folder.file(), text).expect("a file");
    let each = |write: &dyn Fn(usize) -> String| (0..2 * COUNT).map(write).collect::<String>();
    let deep = "a.".repeat(500_000) + "a";

    // Each takes the place of the one before.
    write(format!("fx 1\nstate {{ {} }}", each(&|i| format!("n{}{}: {i}, ", i / 2, [".x", ""][i % 2]))));
    let state = State::load(folder.file(), &Device::Cpu).expect("a state");
    assert_eq!((state.len(), state.get("n7")), (COUNT, Some(&Value::Int(15))));
    // One takes the place of all.
    write(format!("fx 1\nstate {{ {} n: none }}", each(&|i| format!("n.{i}: {i}, "))));
    assert_eq!(State::load(folder.file(), &Device::Cpu).expect("a state").to_string(), "n: none\n");
    // Of very many parts.
    write(format!("fx 1\nstate {{ {deep}: 1, b{deep}: 2 }}"));
    assert_eq!(State::load(folder.file(), &Device::Cpu).expect("a state").len(), 2);

    // What holds it is looked for.
    let calls = format!("graph g(%x) {{ %y = call_module {deep}(%x) output %y }}");
    write(format!(
        "fx 1\nmodule 0 M\n{calls}\nattributes {{ b: module 1 }}\nmodule 1 M graph g() {{ output 1 }} attributes {{}}"
    ));
    assert!(matches!(GraphModule::load(folder.file(), &Device::Cpu), Err(LoadModuleError::Check { .. })));
}
