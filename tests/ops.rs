//! The op table as a test matrix: for every operation and every sample, what candle computes, what the interpreter
//! computes and what the generated source computes are the same bits; and a call that candle refuses is refused while
//! it is recorded, with the line of the call.
//!
//! `tests/generated/ops.rs` is generated code, committed so that it is reviewed and compiled; `UPDATE_GENERATED=1 cargo
//! test --test ops` writes it anew.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use candle_core::{DType, Tensor};
use fx::ops::sample::Sample;
use fx::ops::{Args, CallKind, Effect, OpRef, OpTable};
use fx::{Argument, Attributes, Graph, GraphModule, TraceError, Tracer, Value};

#[allow(clippy::all, unused_variables, reason = "generated code is checked for what it computes")]
#[path = "generated/ops.rs"]
mod generated;

const GENERATED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generated/ops.rs");

/// One call of the matrix.
struct Case {
    op: OpRef,
    sample: Sample,
    name: String,
}

fn cases() -> impl Iterator<Item = Case> {
    OpTable::builtin().iter().flat_map(|op| {
        (op.samples)().into_iter().enumerate().map(move |(i, sample)| {
            let kind = match op.kind {
                CallKind::Method => "method",
                CallKind::Function => "function",
            };
            Case { op, sample, name: format!("{kind}_{}_{i}", op.name.replace("::", "_").to_lowercase()) }
        })
    })
}

impl Case {
    /// What candle computes.
    fn on_candle(&self) -> candle_core::Result<Value> {
        let values: Vec<&Value> = self.sample.0.iter().collect();
        let call = || (self.op.eval)(Args { op: self.op, values: &values });
        match catch_unwind(AssertUnwindSafe(call)) {
            Ok(result) => result,
            Err(_) => candle_core::bail!("candle panicked"),
        }
    }

    /// A graph of this one call; the sample's tensors are its inputs.
    fn module(&self) -> GraphModule {
        let mut graph = Graph::new(&self.name);
        let mut cursor = graph.at_end();
        let mut count = 0;
        let arguments: Vec<Argument> = self
            .sample
            .0
            .iter()
            .map(|value| {
                with_nodes(value, &mut |tensor| {
                    count += 1;
                    let id = cursor.placeholder(&format!("in_{count}"));
                    cursor.graph_mut().meta_mut(id).fact = fx::Fact::of(&Value::from(tensor));
                    id
                })
            })
            .collect();
        let (mut args, mut kwargs) = (Vec::new(), Vec::new());
        for (param, argument) in self.op.params.iter().zip(arguments) {
            if param.positional {
                args.push(argument);
            } else {
                kwargs.push((param.name, argument));
            }
        }
        let call = match self.op.kind {
            CallKind::Method => cursor.call_method(self.op, args, kwargs),
            CallKind::Function => cursor.call_function(self.op, args, kwargs),
        };
        let call = call.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        cursor.output(call);
        if let Ok(value) = self.on_candle() {
            graph.meta_mut(call).fact = fx::Fact::of(&value);
        }
        GraphModule::new(graph, Attributes::new()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn inputs(&self) -> Vec<Tensor> {
        self.sample.0.iter().flat_map(|value| value.tensors().into_iter().cloned().collect::<Vec<_>>()).collect()
    }

    fn is_random(&self) -> bool {
        self.op.effect == Effect::Random
    }
}

/// A value with its tensors replaced by nodes.
fn with_nodes(value: &Value, node: &mut dyn FnMut(&Tensor) -> fx::NodeId) -> Argument {
    match value {
        Value::Tensor(tensor) => Argument::Node(node(tensor)),
        Value::List(items) => Argument::List(items.iter().map(|item| with_nodes(item, node)).collect()),
        Value::Tuple(items) => Argument::Tuple(items.iter().map(|item| with_nodes(item, node)).collect()),
        other => Argument::from_value(other).expect("no tensors are left"),
    }
}

/// The same bits, shapes and dtypes.
#[track_caller]
fn assert_same(name: &str, expected: &Value, found: &Value, random: bool) {
    let (expected, found) = (expected.tensors(), found.tensors());
    assert_eq!(expected.len(), found.len(), "{name}: number of tensors");
    for (expected, found) in expected.into_iter().zip(found) {
        assert_eq!(expected.shape(), found.shape(), "{name}: shape");
        assert_eq!(expected.dtype(), found.dtype(), "{name}: dtype");
        if !random {
            assert_eq!(bits(expected), bits(found), "{name}: data");
        }
    }
}

fn bits(tensor: &Tensor) -> Vec<u64> {
    let data = tensor.to_dtype(DType::F64).and_then(|tensor| tensor.flatten_all()?.to_vec1::<f64>());
    data.expect("a CPU tensor").into_iter().map(f64::to_bits).collect()
}

#[test]
fn interpreter_computes_what_candle_computes() {
    let mut accepted = 0;
    for case in cases() {
        let Ok(expected) = case.on_candle() else { continue };
        let inputs: Vec<Value> = case.inputs().iter().map(Value::from).collect();
        let found = case.module().run(&inputs).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_same(&case.name, &expected, &found, case.is_random());
        accepted += 1;
    }
    assert!(accepted > 150, "only {accepted} samples were accepted by candle");
}

#[test]
fn generated_source_is_current() {
    let mut text = String::from(
        "// Generated from the op table, one call per sample; see tests/ops.rs.\n\n\
         use candle_core::{D, DType, Device, IndexOp, Result, Tensor};\nuse fx::Value;\nuse fx::ops::IntoValue;\n",
    );
    let mut table = String::new();
    for case in cases().filter(|case| case.on_candle().is_ok()) {
        let code = case.module().code();
        let type_name = code.split_whitespace().nth(1).expect("`impl Name {`").to_owned();
        let inputs = (0..case.inputs().len()).fold(String::new(), |all, i| format!("{all}{}&x[{i}]", if i > 0 { ", " } else { "" }));
        let _ = write!(text, "\nstruct {type_name};\n\n{code}");
        let _ = writeln!(table, "    (\"{}\", |x| {type_name}.forward({inputs}).into_value()),", case.name);
    }
    let _ = write!(
        text,
        "\n/// Each case's name and its call.\npub type Generated = (&'static str, fn(&[Tensor]) -> Result<Value>);\n\n\
         /// All cases.\npub const CASES: &[Generated] = &[\n{table}];\n",
    );
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(GENERATED, &text).expect("the file can be written");
    }
    let committed = std::fs::read_to_string(GENERATED).expect("tests/generated/ops.rs is there");
    assert!(committed == text, "tests/generated/ops.rs is not current: UPDATE_GENERATED=1 cargo test --test ops");
}

#[test]
fn generated_source_computes_what_candle_computes() {
    let generated: std::collections::HashMap<_, _> = generated::CASES.iter().copied().collect();
    let mut compared = 0;
    for case in cases() {
        let Ok(expected) = case.on_candle() else { continue };
        let Some(run) = generated.get(case.name.as_str()) else { panic!("{} is not in the generated file", case.name) };
        let found = run(&case.inputs()).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_same(&case.name, &expected, &found, case.is_random());
        compared += 1;
    }
    assert_eq!(compared, generated.len());
}

#[test]
fn recording_refuses_what_candle_refuses() {
    for abstracted in [false, true] {
        let mut refused = 0;
        for case in cases() {
            let candle = case.on_candle();
            let recorded = record(&case, abstracted);
            match (candle, recorded) {
                (Ok(_), Ok(())) => {}
                (Err(_), Err(TraceError::Refused { at, .. })) => {
                    assert!(at.to_string().contains("ops.rs"), "{}: {at}", case.name);
                    refused += 1;
                }
                // A rule of a dtype without kernels: candle panics in the concrete capture, which is passed on.
                (Err(_), Err(TraceError::Panicked(_))) => {}
                (candle, recorded) => panic!("{}: candle {candle:?}, recorded {recorded:?}", case.name),
            }
        }
        assert!(refused > 30, "only {refused} samples were refused");
    }
}

/// Records the call, with data or with shapes only.
fn record(case: &Case, abstracted: bool) -> Result<(), TraceError> {
    let mut tracer = Tracer::new();
    for (i, tensor) in case.inputs().into_iter().enumerate() {
        tracer = if abstracted {
            tracer.input(format!("in_{i}"), tensor.dtype(), tensor.shape())
        } else {
            tracer.example(format!("in_{i}"), tensor)
        };
    }
    let mut count = 0;
    tracer.trace_with(&(), |(), inputs| -> candle_core::Result<Value> {
        let mut given = Vec::new();
        for value in &case.sample.0 {
            given.push(Ok(with_proxies(value, &mut || {
                let name = format!("in_{count}");
                count += 1;
                inputs.tensor(&name)
            })?));
        }
        fx::__private::record::<candle_core::Result<fx::__private::Outcome>>(case.op, given)?;
        Ok(Value::None)
    })?;
    Ok(())
}

fn with_proxies(
    value: &Value,
    next: &mut dyn FnMut() -> candle_core::Result<fx::Proxy>,
) -> candle_core::Result<fx::__private::Given> {
    Ok(match value {
        Value::Tensor(_) => fx::__private::Given::Proxy(next()?),
        Value::List(items) if items.iter().any(|item| !item.tensors().is_empty()) => {
            fx::__private::Given::List(items.iter().map(|item| with_proxies(item, next)).collect::<Result<_, _>>()?)
        }
        other => fx::__private::Given::Data(other.clone()),
    })
}
