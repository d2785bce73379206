//! Rows about generated code. 12 has its literals here and its running in the matrix of operations; 17 (an in-place
//! operator written as one) has no meaning, because candle's tensors have no in-place operators.

use candle_core::{DType, Device, Tensor};
use fx_core::codegen::{CodeGen, Statement};
use fx_core::ir::{Argument, Graph};
use fx_core::module::{Attributes, GraphModule};
use fx_core::ops::{CallKind, OpRef, OpTable};
use fx_core::trace::Tracer;

fn method(name: &str) -> OpRef {
    OpTable::builtin().get(CallKind::Method, name).expect("a method of the table")
}

fn module(graph: Graph) -> GraphModule {
    GraphModule::new(graph, Attributes::new()).expect("a correct graph")
}

/// Non-finite literals print as Rust has them, and nodes named `inf` and `nan` hide nothing.
#[test]
fn row_12_inf_nan() {
    let mut graph = Graph::new("limits");
    let mut cursor = graph.at_end();
    let (inf, nan) = (cursor.placeholder("inf"), cursor.placeholder("nan"));
    let limits = |min: f64, max: f64| [("min".into(), Argument::Float(min)), ("max".into(), Argument::Float(max))];
    let low = cursor.call(method("clamp"), [inf.into()], limits(f64::NEG_INFINITY, f64::INFINITY)).expect("fits");
    let none = cursor.call(method("clamp"), [nan.into()], limits(f64::NAN, -0.0)).expect("fits");
    cursor.output((low, none));
    insta::assert_snapshot!(module(graph).code(), @r"
    impl Limits {
        pub fn forward(&self, inf: &Tensor, nan: &Tensor) -> Result<(Tensor, Tensor)> {
            let clamp = inf.clamp(f64::NEG_INFINITY, f64::INFINITY)?;
            let clamp_1 = nan.clamp(f64::NAN, -0.0)?;
            Ok((clamp, clamp_1))
        }
    }
    ");
}

/// A call that nothing reads but that was kept has no name: its result goes at once.
#[test]
fn row_16_delete_unused_values() {
    let traced = Tracer::new().input("x", DType::F32, 3).trace_fn(|inputs| {
        let x = inputs.tensor("x")?;
        x.neg()?;
        x.relu()
    });
    let code = traced.expect("captured").code();
    assert!(code.contains("let _ = x.neg()?;\n        x.relu()\n"), "{code}");
}

/// Every line is of its node, also where a statement takes several; a line put in by a transformer shifts the others.
#[test]
fn row_18_lineno_map() {
    let traced =
        Tracer::new().input("a_name_that_is_long_enough_to_break_lines", DType::F32, (3, 4)).trace_fn(|inputs| {
            let x = inputs.tensor("a_name_that_is_long_enough_to_break_lines")?;
            let wide = cat(&[&x, &x, &x])?;
            wide.relu()?.neg()
        });
    let module = traced.expect("captured");
    let named = |code: &fx_core::codegen::Code| -> Vec<String> {
        let name = |node| module.graph().node(node).name().to_owned();
        code.lines().map(|(line, node)| format!("{:8} {line}", node.map_or_else(String::new, name))).collect()
    };
    let plain = CodeGen::new().write(&module).expect("no transformer");
    assert_eq!(plain.as_str(), module.code());
    insta::assert_snapshot!(named(&plain).join("\n"));

    let shifted = CodeGen::new().transform(|body| body.insert(0, Statement::new("let _first = 0;")));
    let shifted = shifted.write(&module).expect("a statement");
    let (before, after) = (named(&plain), named(&shifted));
    let first = after.iter().position(|line| line.trim() == "let _first = 0;").expect("the line is there");
    assert_eq!(before[..first], after[..first]);
    assert_eq!(before[first..], after[first + 1..]);
    assert_eq!(shifted.node_at(first + 1), None);
    assert_eq!(shifted.node_at(first + 2), module.graph().node_named("cat"));
    assert_eq!(shifted.node_at(0), None);
    assert_eq!(shifted.node_at(10_000), None);

    let broken = CodeGen::new().transform(|body| body.push(Statement::new("let = ;"))).write(&module);
    insta::assert_snapshot!(broken.expect_err("not Rust"));
}

/// What a transformer writes is closed, and what is no statement is refused.
#[test]
fn statements_of_a_transformer() {
    let traced = Tracer::new().input("x", DType::F32, 3).trace_fn(|inputs| inputs.tensor("x")?.relu());
    let module = traced.expect("captured");
    let with = |code: &str| {
        let code = code.to_owned();
        CodeGen::new().transform(move |body| body.push(Statement::new(code.clone()))).write(&module)
    };
    let code = with("println!(\"x\")").expect("closed").to_string();
    assert!(code.contains("        println!(\"x\");\n        x.relu()\n"), "{code}");
    assert!(with("if true { return Ok(x.clone()) }").is_ok());
    for refused in ["", "// a comment", "} fn f() {", "let x = 1; }"] {
        assert!(with(refused).is_err(), "{refused}");
    }
}

/// candle's layers hide their fields: what is read of a layer that is called too is got as users get it.
#[test]
fn tensors_of_layers_are_read_by_their_methods() {
    let tensor = |shape: &[usize]| Tensor::ones(shape, DType::F32, &Device::Cpu).expect("a tensor");
    let model =
        (candle_nn::Embedding::new(tensor(&[7, 4]), 4), candle_nn::Linear::new(tensor(&[4, 4]), Some(tensor(&[4]))));
    let traced = Tracer::new().input("x", DType::U32, 3).trace_with(&model, |(table, linear), inputs| {
        let hidden = linear.forward(&table.forward(&inputs.tensor("x")?)?)?;
        let hidden = match linear.bias() {
            Some(bias) => hidden.broadcast_sub(bias)?,
            None => hidden,
        };
        hidden.matmul(&table.embeddings().t()?)
    });
    insta::assert_snapshot!(traced.expect("captured").code());
}

fn cat(parts: &[&fx_core::trace::Proxy]) -> candle_core::Result<fx_core::trace::Proxy> {
    fx_core::trace::Proxy::cat(parts, 0)
}

/// Comments say where a step comes from, once for each line of the original.
#[test]
fn comments_say_where_a_step_comes_from() {
    let traced = Tracer::new().input("x", DType::F32, 3).trace_fn(|inputs| {
        let x = inputs.tensor("x")?;
        let y = x.relu()?.neg()?;
        y.exp()
    });
    let module = traced.expect("captured");
    let code = CodeGen::new().comments(true).write(&module).expect("no transformer").to_string();
    assert_eq!(code.matches("// ").count(), 2, "{code}");
    assert!(code.contains("codegen.rs:"), "{code}");
}
