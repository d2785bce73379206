//! Rows about graph modules, the interpreter and the transformer.
//!
//! Without a meaning in Rust, and so not here:
//! - 40 `deepcopy_no_recursion`: what is remembered about a node are values, which cannot hold themselves;
//! - 48 `interpreter_star_args`: Rust has no functions of any number of arguments; the other tests of the row are here;
//! - 53, strides: a fact is shape and dtype; what depends on strides is left to the run.

use candle_core::{DType, Device, Tensor};
use fx_core::interp::{Emit, Execution, Interpreter, RunError, Running, ShapeProp, TransformError, Transformer};
use fx_core::ir::{Argument, Graph, Keyword, ModulePath, ModuleStack, NodeId, Signature, Source, Target};
use fx_core::module::{Attribute, Attributes, DEFAULT_INPUT, GraphModule, Submodule};
use fx_core::ops::OpRef;
use fx_core::value::Value;

use crate::support::{Scale, chain, floats, module, nested, op, plus, tensor};

/// Every way to run a module.
fn ways(module: &GraphModule, inputs: &[Value]) -> [Value; 3] {
    let rebuilt = Copy.transform(module).unwrap_or_else(|error| panic!("{error}"));
    [module.run(inputs), ().run(module, inputs), rebuilt.run(inputs)]
        .map(|result| result.unwrap_or_else(|e| panic!("{e}")))
}

struct Copy;
impl Transformer for Copy {}

/// All six opcodes: `scale(exp(x + w))`.
fn every_opcode() -> (GraphModule, NodeId) {
    let mut graph = Graph::new("every");
    let mut cursor = graph.at_end();
    let x = cursor.placeholder("x");
    let w = cursor.get_attr("foo.bar.w");
    let sum = cursor.call(plus(), [x.into(), w.into()], []).expect("two operands");
    let exp = cursor.call(op("exp"), [sum.into()], []).expect("a receiver");
    let scaled = cursor.call_module("foo.scale", [exp.into()], [("train".into(), false.into())]);
    cursor.output(scaled);
    let attributes: [(&str, Attribute); 3] = [
        ("foo.scale", Scale::layer(&tensor(&[3.0])).into()),
        ("foo.bar.w", tensor(&[1.0, 2.0]).into()),
        ("unused", tensor(&[0.0]).into()),
    ];
    (GraphModule::from_map(graph, attributes).unwrap_or_else(|error| panic!("{error}")), sum)
}

fn directly(x: &[f32]) -> Vec<f32> {
    let sum = (tensor(x) + tensor(&[1.0, 2.0])).expect("one shape");
    let result = sum.exp().and_then(|exp| exp.broadcast_mul(&tensor(&[3.0]))).expect("it runs");
    floats(&result.into())
}

#[test]
fn row_01_graph_fns() {
    let (module, _) = every_opcode();
    for result in ways(&module, &[tensor(&[0.5, -1.0]).into()]) {
        assert_eq!(floats(&result), directly(&[0.5, -1.0]));
    }
}

#[test]
fn row_02_construct_root_dict() {
    let (module, _) = every_opcode();
    let paths: Vec<String> = module.attributes().iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(paths, ["foo.bar.w", "foo.scale"], "what the graph refers to, in order of first use");
    let modules: Vec<String> = module.named_modules().iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(modules, ["", "foo", "foo.bar", "foo.scale"]);

    let error = GraphModule::from_map(module.graph().clone(), [("foo.bar", tensor(&[1.0]))]).unwrap_err().to_string();
    assert_eq!(
        error,
        "`foo.bar.w` should be a tensor, but is absent\n  in %foo_bar_w = get_attr foo.bar.w()\n\
         `foo.scale` should be a layer or a graph, but is absent\n  \
         in %foo_scale = call_module foo.scale(%exp, train = false)"
    );
}

/// `x + y`, with defaults for both.
fn with_defaults() -> GraphModule {
    let mut graph = Graph::new("defaults");
    let mut cursor = graph.at_end();
    let inputs = ["x", "y"].map(|name| cursor.placeholder(name));
    for (id, default) in inputs.iter().zip([1.0, 10.0]) {
        cursor.meta_mut(*id).annotate(DEFAULT_INPUT, tensor(&[default]).into());
    }
    let sum = cursor.call(plus(), inputs.map(Argument::from), []).expect("two operands");
    cursor.output(sum);
    module(graph, Attributes::new())
}

#[test]
fn row_04_single_multiple_and_regular_default_args() {
    let module = with_defaults();
    let given: Vec<Value> = [2.0, 20.0].map(|value| tensor(&[value]).into()).into();
    for (count, expected) in [(0, 11.0), (1, 12.0), (2, 22.0)] {
        for result in ways(&module, &given[..count]) {
            assert_eq!(floats(&result), [expected], "{count} given");
        }
    }
    assert!(matches!(
        module.run(&[given[0].clone(), given[0].clone(), given[0].clone()]),
        Err(RunError::InputCount { .. })
    ));
}

#[test]
fn row_05_string_literal_return() {
    let mut graph = Graph::new("literal");
    graph.at_end().output("foo");
    for result in ways(&module(graph, Attributes::new()), &[]) {
        assert_eq!(result, Value::Str("foo".into()));
    }
}

#[test]
fn row_06_empty_graph_codegen() {
    let (graph, attributes) = (Graph::new("empty"), Attributes::new());
    assert_eq!(Execution::of(&graph, &attributes).run(&mut (), &[]).expect("nothing to do"), Value::None);
    let error = GraphModule::new(graph, attributes).unwrap_err().to_string();
    assert!(error.contains("V6"), "a module has an output: {error}");
}

#[test]
fn row_07_return_tuple_and_dict() {
    let mut graph = chain("structured", &["neg"]);
    let (x, neg) = (graph.node_named("x").expect("x"), graph.node_named("neg").expect("neg"));
    let output = graph.output_node().expect("an output");
    let structure = Argument::structure("Out", [("a".into(), x.into()), ("b".into(), [neg, x].into())]);
    graph.set_args(output, [Argument::from((x, structure, 3))]);
    let module = module(graph, Attributes::new());
    for result in ways(&module, &[tensor(&[2.0]).into()]) {
        assert_eq!(result.to_string(), "(f32[1], Out { a: f32[1], b: [f32[1], f32[1]] }, 3)");
        let values: Vec<f32> =
            result.tensors().iter().flat_map(|part| part.to_vec1::<f32>().expect("floats")).collect();
        assert_eq!(values, [2.0, 2.0, -2.0, 2.0]);
    }
}

#[test]
fn row_14_print_readable_no_trailing_whitespace_with_inner_graph() {
    let text = nested().to_string();
    assert_eq!(
        text,
        "\
graph model(%x) {
    %block = call_module block(%x)
    %block_1 = call_module block(x = %block)
    output %block_1
}

    // block
    graph block(%x) {
        %neg = call_method neg(%x)
        %exp = call_method exp(%neg)
        output %exp
    }"
    );
    assert!(text.lines().all(|line| line.trim_end() == line));
}

#[test]
fn row_38_module_deepcopy_edit_nodes() {
    let module = nested();
    let mut copy = module.clone();
    let x = [Value::from(tensor(&[0.5]))];
    let before = floats(&module.run(&x).expect("it runs"));

    // Both in the graph and in a child that the two share.
    let output = copy.graph().output_node().expect("an output");
    let once = copy.graph().node_named("block").expect("a call");
    copy.graph_mut().set_args(output, [once.into()]);
    let child = copy.child_mut("block").expect("a child");
    let exp = child.graph().node_named("exp").expect("a call");
    child.graph_mut().set_target(exp, Target::call(op("sqr"))).expect("it takes one tensor");

    assert_eq!(floats(&module.run(&x).expect("it runs")), before);
    assert_eq!(floats(&copy.run(&x).expect("it runs")), [0.25]);
}

#[test]
fn row_39_deepcopy_graphmodule() {
    let (mut module, sum) = every_opcode();
    module.graph_mut().meta_mut(sum).annotate("foo", Value::Str("bar".into()));
    let copy = module.clone();
    assert_eq!(copy.graph().node(sum).meta().annotation("foo"), Some(&Value::Str("bar".into())));
    assert_eq!(copy.to_string(), module.to_string());
    for ((_, ours), (_, theirs)) in module.state_dict().iter().zip(copy.state_dict()) {
        assert_eq!(ours.id(), theirs.id(), "weights are shared");
    }
}

#[test]
fn row_43_interpreter() {
    let module = nested();
    let x = [Value::from(tensor(&[0.0, 1.0]))];
    let expected = [0.0f32, 1.0].map(|x| (-(-x).exp()).exp());
    for result in ways(&module, &x) {
        assert_eq!(floats(&result), expected);
    }
}

#[test]
fn row_44_interpreter_run_node_override() {
    struct Seen(Vec<String>);
    impl Interpreter for Seen {
        fn run_node(&mut self, at: Running<'_>) -> Result<Value, RunError> {
            self.0.push(at.node().name().to_owned());
            at.dispatch(self)
        }
    }
    let mut seen = Seen(Vec::new());
    seen.run(&every_opcode().0, &[tensor(&[0.5, -1.0]).into()]).expect("it runs");
    assert_eq!(seen.0, ["x", "foo_bar_w", "add", "exp", "foo_scale", "output"]);
}

#[test]
fn row_45_interpreter_onthefly_swap() {
    struct Swap;
    impl Interpreter for Swap {
        fn call_function(&mut self, at: Running<'_>, _: OpRef, args: &[&Value]) -> Result<Value, RunError> {
            at.call(op("mul"), args)
        }
        fn call_method(&mut self, at: Running<'_>, _: OpRef, args: &[&Value]) -> Result<Value, RunError> {
            at.call(op("neg"), args)
        }
        fn get_attr(&mut self, _: Running<'_>, path: &ModulePath) -> Result<Value, RunError> {
            assert_eq!(path.as_str(), "foo.bar.w");
            Ok(tensor(&[5.0, 6.0]).into())
        }
        fn call_module(&mut self, _: Running<'_>, _: &ModulePath, args: &[&Value]) -> Result<Value, RunError> {
            Ok(args[0].clone())
        }
        fn output(&mut self, _: Running<'_>, value: Value) -> Result<Value, RunError> {
            Ok(Value::Tuple(vec![value]))
        }
    }
    let result = Swap.run(&every_opcode().0, &[tensor(&[1.0, 2.0]).into()]).expect("it runs");
    let Value::Tuple(items) = result else { panic!("{result}") };
    assert_eq!(floats(&items[0]), [-5.0, -12.0]);
}

#[test]
fn row_46_interpreter_partial_eval() {
    let (module, sum) = every_opcode();
    let mut run = Execution::new(&module).with_value(sum, tensor(&[0.0, 0.0]));
    assert_eq!(floats(&run.run(&mut (), &[tensor(&[9.0, 9.0]).into()]).expect("it runs")), [3.0, 3.0]);
    let x = module.graph().node_named("x").expect("x");
    let mut run = Execution::new(&module).with_value(x, tensor(&[0.5, -1.0]));
    assert_eq!(floats(&run.run(&mut (), &[]).expect("no input is left")), directly(&[0.5, -1.0]));
}

#[test]
fn row_47_interpreter_gc_values() {
    let (module, _) = every_opcode();
    let inputs = [Value::from(tensor(&[0.5, -1.0]))];
    let mut run = Execution::new(&module);
    run.run(&mut (), &inputs).expect("it runs");
    let names: Vec<&str> = run.values().map(|(id, _)| module.graph().node(id).name()).collect();
    assert_eq!(names, ["output"]);
    let mut run = Execution::new(&module).keep_values();
    run.run(&mut (), &inputs).expect("it runs");
    assert_eq!(run.values().count(), module.graph().len());
}

#[test]
fn row_48_interpreter_default_args_and_not_enough_args() {
    assert_eq!(floats(&().run(&with_defaults(), &[]).expect("defaults")), [11.0]);
    let (module, _) = every_opcode();
    for error in [().run(&module, &[]).unwrap_err(), module.run(&[]).unwrap_err()] {
        assert_eq!(error.to_string(), "the graph takes 1 input (x), but was given 0");
    }
}

#[test]
fn row_49_interpreter_boxed_run_argument_validation() {
    let (module, _) = every_opcode();
    let x = Value::from(tensor(&[0.5, -1.0]));
    for wrong in [vec![], vec![x.clone(), x.clone()]] {
        let mut inputs = wrong.clone();
        assert!(matches!(().boxed_run(&module, &mut inputs), Err(RunError::InputCount { .. })));
        assert_eq!(inputs, wrong);
    }
    let mut inputs = vec![x];
    assert_eq!(floats(&().boxed_run(&module, &mut inputs).expect("it runs")), directly(&[0.5, -1.0]));
    assert!(inputs.is_empty());
}

#[test]
fn row_50_transformer_noop_op_swap_and_multi_outputs() {
    for module in [every_opcode().0, nested()] {
        assert_eq!(Copy.transform(&module).expect("a copy").to_string(), module.to_string());
    }

    struct Swap;
    impl Transformer for Swap {
        fn call_method(
            &mut self,
            at: &mut Emit<'_>,
            _: OpRef,
            args: &[Argument],
            kwargs: &[(Keyword, Argument)],
        ) -> Result<Argument, TransformError> {
            at.call(op("neg"), args, kwargs)
        }
    }
    let swapped = Swap.transform(&every_opcode().0).expect("it fits");
    assert_eq!(floats(&swapped.run(&[tensor(&[0.5, -1.0]).into()]).expect("it runs")), [-4.5, -3.0]);

    /// The output becomes a tuple.
    struct Several;
    impl Transformer for Several {
        fn output(&mut self, at: &mut Emit<'_>, value: Argument) -> Result<Argument, TransformError> {
            let negative = at.call(op("neg"), [value.clone()], [])?;
            at.emit(Target::Output, [Argument::Tuple([value, negative].into())], [])
        }
    }
    let several = Several.transform(&module(chain("m", &["sqr"]), Attributes::new())).expect("it fits");
    let result = several.run(&[tensor(&[3.0]).into()]).expect("it runs");
    let values: Vec<f32> = result.tensors().iter().flat_map(|part| part.to_vec1::<f32>().expect("floats")).collect();
    assert_eq!(values, [9.0, -9.0]);

    /// Child graphs are written out.
    struct Inline;
    impl Transformer for Inline {
        fn call_module(
            &mut self,
            at: &mut Emit<'_>,
            path: &ModulePath,
            args: &[Argument],
            kwargs: &[(Keyword, Argument)],
        ) -> Result<Argument, TransformError> {
            at.inline(path, args, kwargs)
        }
    }
    let flat = Inline.transform(&nested()).expect("it fits");
    assert_eq!((flat.graph().len(), flat.children().count()), (6, 0));
    let x = [Value::from(tensor(&[0.3]))];
    assert_eq!(floats(&flat.run(&x).expect("it runs")), floats(&nested().run(&x).expect("it runs")));
}

#[test]
fn row_51_transformer_preserves_nn_module_stack_for_get_attr_and_stack_traces() {
    let (mut module, _) = every_opcode();
    let w = module.graph().node_named("foo_bar_w").expect("a read");
    let stack = ModuleStack::ROOT.enter("foo", "Foo", 0);
    let meta = module.graph_mut().meta_mut(w);
    meta.module = stack.clone();
    meta.source = Some(Source::text("model.rs", 7));
    let copy = Copy.transform(&module).expect("a copy");
    let w = copy.graph().node_named("foo_bar_w").expect("a read");
    let meta = copy.graph().node(w).meta();
    assert_eq!(meta.module, stack);
    assert_eq!(meta.source, Some(Source::text("model.rs", 7)));
    let from: Vec<String> = meta.from().iter().map(|o| format!("{} {} {}", o.pass, o.node, o.graph)).collect();
    assert_eq!(from, ["transform foo_bar_w every"]);
}

#[test]
fn row_53_example_shape_prop_and_shape_prop_aggregate() {
    let (mut every, _) = every_opcode();
    ShapeProp::propagate(&mut every, &[tensor(&[0.5, -1.0]).into()]).expect("it runs");
    let unknown: Vec<&str> = every
        .graph()
        .nodes()
        .filter(|(_, node)| node.meta().fact.to_string() != "f32[2]")
        .map(|(_, node)| node.name())
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");

    let mut graph = chain("pair", &["neg"]);
    let (x, neg) = (graph.node_named("x").expect("x"), graph.node_named("neg").expect("neg"));
    let output = graph.output_node().expect("an output");
    graph.set_args(output, [Argument::from((x, [neg]))]);
    let mut pair = module(graph, Attributes::new());
    let x = Tensor::zeros((2, 3), DType::F64, &Device::Cpu).expect("a small tensor");
    ShapeProp::propagate(&mut pair, &[x.into()]).expect("it runs");
    assert_eq!(pair.graph().node(output).meta().fact.to_string(), "(f64[2, 3], [f64[2, 3]])");
}

#[test]
fn row_55_submodule_manipulation_api_and_delete_unused_submodules_leaf() {
    let (mut model, _) = every_opcode();
    model.add_submodule("net.b.net.c", Scale::layer(&tensor(&[1.0]))).expect("nothing is in the way");
    model.add_submodule("net.a", nested()).expect("nothing is in the way");
    model.set_attribute("net.b.buf", tensor(&[0.0]));
    // Below a layer that is called: kept.
    model.set_attribute("foo.scale.inner", Attribute::Layer(Scale::layer(&tensor(&[1.0]))));
    for (path, found) in
        [("net.b.net.c.d", "a layer of type Scale"), ("foo.bar.w.e", "a tensor"), ("foo.bar.w", "a tensor")]
    {
        let error = model.add_submodule(path, nested()).unwrap_err();
        assert_eq!(error.found, found, "{error}");
    }
    model.add_submodule("net.a.block.new", nested()).expect("into the child's child");
    assert!(matches!(model.get_submodule("net.a.block.new.block"), Some(Submodule::Graph(_))));
    assert!(matches!(model.get_submodule("net.b"), Some(Submodule::Container)));
    assert!(model.get_submodule("net.b.buf").is_none());
    assert!(model.delete_submodule("net.a.block.new"));
    assert!(model.get_submodule("net.a.block.new").is_none());
    assert!(!model.delete_submodule("net.b.buf") && !model.delete_submodule("") && !model.delete_submodule("nothing"));

    let deleted: Vec<String> = model.delete_all_unused_submodules().iter().map(ToString::to_string).collect();
    assert_eq!(deleted, ["net.b.net.c", "net.a", "net.b"]);
    let kept: Vec<String> = model.attributes().iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(kept, ["foo.bar.w", "foo.scale", "foo.scale.inner"]);
    model.check().expect("all that is called is there");
}

/// `f(hs: [Tensor; 2], n: usize)`, captured for `n = 3`.
fn with_signature() -> GraphModule {
    let mut graph = Graph::new("signed");
    let mut cursor = graph.at_end();
    let hs = ["hs_0", "hs_1"].map(|name| cursor.placeholder(name));
    let sum = cursor.call(plus(), hs.map(Argument::from), []).expect("two operands");
    cursor.output(Argument::from((sum, [hs[1]])));
    let parameters = [("hs".into(), Argument::from(hs)), ("n".into(), Argument::Int(3))];
    graph.set_signature(Some(Signature { parameters: parameters.into(), ..Signature::default() }));
    module(graph, Attributes::new())
}

#[test]
fn row_58_custom_codegen_compiled_rebuilt_and_interpreted() {
    let module = with_signature();
    let hs = Value::List(vec![tensor(&[1.0]).into(), tensor(&[2.0]).into()]);
    for inputs in [vec![hs.clone(), Value::Int(3)], vec![hs.clone()]] {
        for result in ways(&module, &inputs) {
            assert_eq!(result.to_string(), "(f32[1], [f32[1]])");
            assert_eq!(floats(&Value::from(result.tensors()[0])), [3.0]);
        }
    }
    let error = module.run(&[hs.clone(), Value::Int(4)]).unwrap_err().to_string();
    assert!(error.starts_with("`n` was specialised to 3 when it was captured, but 4 was given"), "{error}");
    let short = Value::List(vec![tensor(&[1.0]).into()]);
    let error = ().run(&module, &[short]).unwrap_err().to_string();
    assert_eq!(error, "`hs` should be 2 values, but is [f32[1]]");
    let mut flat = Execution::new(&module).without_processing();
    let result = flat.run(&mut (), &[tensor(&[1.0]).into(), tensor(&[2.0]).into()]);
    assert_eq!(floats(&result.expect("one value for each placeholder").tensors()[0].into()), [3.0]);
}

/// Inputs are given by position and by name, in any order; a name that is none, one given twice and one that is missing
/// are refused. A signature's parameters are given by their names.
#[test]
fn row_03_args_kwargs() {
    let mut graph = Graph::new("difference");
    let mut cursor = graph.at_end();
    let (x, y, n) = (cursor.placeholder("x"), cursor.placeholder("y"), cursor.placeholder("n"));
    cursor.meta_mut(n).annotate(DEFAULT_INPUT, Value::Float(2.0));
    let sum = cursor.call(plus(), [x.into(), y.into()], []).expect("two operands");
    let more = cursor.call(plus(), [sum.into(), n.into()], []).expect("two operands");
    cursor.output((more, x));
    let mut module = module(graph, Attributes::new());
    let value = |number: f32| Value::from(tensor(&[number]));
    let first = |result: Result<Value, RunError>| match result.expect("runs") {
        Value::Tuple(items) => (floats(&items[0]), floats(&items[1])),
        other => panic!("{other}"),
    };
    assert_eq!(first(module.run_named(&[("y", value(3.0)), ("x", value(1.0))])), (vec![6.0], vec![1.0]));
    assert_eq!(
        first(module.run_named(&[("n", Value::Float(0.5)), ("x", value(1.0)), ("y", value(3.0))])),
        first(module.run(&[value(1.0), value(3.0), Value::Float(0.5)]))
    );
    for (inputs, message) in [
        (vec![("x", value(1.0)), ("z", value(1.0))], "no input `z`; it takes x, y, n"),
        (vec![("x", value(1.0)), ("y", value(1.0)), ("x", value(1.0))], "`x` is given twice"),
        (vec![("x", value(1.0))], "`y` is not given"),
    ] {
        let error = module.run_named(&inputs).expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
    }

    let pair = Argument::Tuple([Argument::Node(x), y.into()].into());
    let parameters = [("pair".into(), pair), ("n".into(), n.into()), ("k".into(), 7.into())];
    module.graph_mut().set_signature(Some(Signature { parameters: parameters.into(), ..Signature::default() }));
    let both = Value::Tuple(vec![value(1.0), value(3.0)]);
    let result = module.run_named(&[("n", Value::Float(0.0)), ("pair", both)]);
    assert_eq!(first(result), (vec![4.0], vec![1.0]));
}

/// What is written out in place of a child keeps its names and what was remembered about it.
#[test]
fn nodes_of_a_child_that_is_written_out_are_remembered() {
    struct Inline;
    impl Transformer for Inline {
        fn call_module(
            &mut self,
            at: &mut Emit<'_>,
            path: &ModulePath,
            args: &[Argument],
            kwargs: &[(Keyword, Argument)],
        ) -> Result<Argument, TransformError> {
            at.inline(path, args, kwargs)
        }
    }
    let mut inside = chain("child", &["neg"]);
    let neg = inside.node_named("neg").expect("neg");
    inside.rename(neg, "special");
    let meta = inside.meta_mut(neg);
    meta.source = Some(Source::text("child.rs", 7));
    meta.module = ModuleStack::ROOT.enter("inner", "Inner", 0);
    meta.annotate("stage", Value::Int(2));
    let mut outside = chain("parent", &[]);
    let x = outside.node_named("x").expect("x");
    let call = outside.at_end().call_module("child", [x.into()], []);
    let output = outside.output_node().expect("an output");
    outside.set_args(output, [call.into()]);
    let child = module(inside, Attributes::new());
    let mut parent = module(outside, [("child", Attribute::from(child))].into_iter().collect());
    parent.set_class_name("HTTP");

    let written_out = Inline.transform(&parent).expect("transformed");
    let node = written_out.graph().node(written_out.graph().node_named("special").expect("its name"));
    assert_eq!(node.meta().source.as_ref().map(ToString::to_string).as_deref(), Some("child.rs:7"));
    assert_eq!(format!("{:?}", node.meta().module), "inner (Inner)");
    assert_eq!(node.meta().annotation("stage"), Some(&Value::Int(2)));
    assert_eq!(node.meta().from().last().map(|origin| &*origin.node), Some("child"));
    assert_eq!(written_out.class_name(), "HTTP");
}

/// An input with a default stays one when another value is there from the start.
#[test]
fn defaults_and_values_from_the_start() {
    let mut graph = chain("sum", &["neg"]);
    let neg = graph.node_named("neg").expect("neg");
    let y = graph.inserting_before(neg).placeholder("y");
    graph.meta_mut(y).annotate(DEFAULT_INPUT, tensor(&[5.0]).into());
    let output = graph.output_node().expect("an output");
    let sum = graph.at_end().call(plus(), [neg.into(), y.into()], []).expect("two operands");
    graph.set_args(output, [sum.into()]);
    let module = module(graph, Attributes::new());
    let with = || Execution::new(&module).with_value(neg, tensor(&[1.0]));
    assert_eq!(floats(&with().run(&mut (), &[tensor(&[9.0]).into()]).expect("runs")), [6.0]);
    assert_eq!(floats(&with().run(&mut (), &[tensor(&[9.0]).into(), tensor(&[2.0]).into()]).expect("runs")), [3.0]);
    assert!(with().run(&mut (), &[]).is_err());
}
