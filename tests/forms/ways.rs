//! Every way of running a graph gives what its plan gives: node by node, as a copy that a transformer makes, saved and
//! loaded, and as a child graph that is called or written out.

use candle_core::Device;
use fx::interp::{Emit, Execution, TransformError};
use fx::{Argument, Attributes, Graph, GraphModule, Interpreter, ModulePath, Transformer, Value};

struct Copy;
impl Transformer for Copy {}

/// Writes out every child graph that is called.
struct WriteOut;

impl Transformer for WriteOut {
    fn call_module(
        &mut self,
        at: &mut Emit<'_>,
        path: &ModulePath,
        args: &[Argument],
        kwargs: &[(fx::ir::Keyword, Argument)],
    ) -> Result<Argument, TransformError> {
        at.inline(path, args, kwargs)
    }
}

/// The values of the parameters, those of the placeholders, and what a run of the module, as it was captured, gives.
#[track_caller]
pub(crate) fn assert_runs_alike(module: &GraphModule, inputs: &[Value], placeholders: &[Value], expected: &Value) {
    let graph = module.graph();
    let check = |way: &str, module: &GraphModule, found: Result<Value, fx::RunError>| {
        let found = found.unwrap_or_else(|error| panic!("{way}: {error}\n{module}"));
        assert!(same(&found, expected), "{way}: {found:?} instead of {expected:?}\n{module}");
    };
    let fresh = || module.clone();
    check("again", module, fresh().run(inputs));
    check("node by node", module, ().run(&fresh(), inputs));
    let mut boxed = inputs.to_vec();
    check("boxed", module, ().boxed_run(&fresh(), &mut boxed));
    assert!(boxed.is_empty());

    let copy = Copy.transform(module).unwrap_or_else(|error| panic!("{error}\n{module}"));
    assert_eq!(copy.to_string(), module.to_string());
    check("as a copy", &copy, copy.run(inputs));

    // Functions of the tests' own are not in the table that `load` reads by, and not every layer can be saved.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.fx");
    let builtin = graph.nodes().all(|(_, node)| node.target().operation().is_none_or(|op| !op.name.contains("::")));
    if builtin && module.save(&path).is_ok() {
        let loaded = GraphModule::load(&path, &Device::Cpu).unwrap_or_else(|error| panic!("{error}\n{module}"));
        assert_eq!(loaded.to_string(), module.to_string());
        check("loaded", &loaded, loaded.run(inputs));
    }

    if graph.state().is_empty() {
        let mut outer = Graph::new("outer");
        let mut cursor = outer.at_end();
        let given: Vec<Argument> =
            (0..placeholders.len()).map(|i| cursor.placeholder(&format!("given_{i}")).into()).collect();
        let result = cursor.call_module("inner", given, []);
        cursor.output(result);
        let outer = GraphModule::new(outer, Attributes::from_iter([("inner", fresh())])).unwrap();
        check("as a child", &outer, outer.run(placeholders));
        check("as a child, node by node", &outer, ().run(&outer, placeholders));
        check("looked into", &outer, Execution::new(&outer).observe(&mut Blind).run(&mut (), placeholders));
        if graph.dynamic().is_none() {
            let written = WriteOut.transform(&outer).unwrap_or_else(|error| panic!("{error}\n{outer}"));
            assert!(written.graph().len() >= graph.len(), "{written}");
            check("written out", &written, written.run(placeholders));
        }
    }
}

/// Tensors by their bits, all else as it is.
fn same(a: &Value, b: &Value) -> bool {
    let all = |a: &[Value], b: &[Value]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) => {
            a.dims() == b.dims() && a.dtype() == b.dtype() && super::bits(a) == super::bits(b)
        }
        (Value::Tuple(a), Value::Tuple(b)) | (Value::List(a), Value::List(b)) => all(a, b),
        (Value::Struct(name, a), Value::Struct(other, b)) => {
            let fields = |fields: &[(std::sync::Arc<str>, Value)]| -> (Vec<String>, Vec<Value>) {
                fields.iter().map(|(name, value)| (name.to_string(), value.clone())).unzip()
            };
            let ((a_names, a), (b_names, b)) = (fields(a), fields(b));
            name == other && a_names == b_names && all(&a, &b)
        }
        (a, b) => a == b,
    }
}

/// Looks on and sees nothing.
struct Blind;
impl fx::interp::Observer for Blind {}
