//! For every operation and every sample, what candle computes and what the interpreter computes are the same bits, and a
//! call that candle refuses is refused while it is recorded, with the line of the call.
//!
//! `tests/generated/ops.rs` is generated code, committed so that it is reviewed, and compiled by `tests/generated.rs`;
//! `UPDATE_GENERATED=1 cargo test --test ops` writes it anew.

use std::fmt::Write as _;

use fx::{TraceError, Tracer, Value};

use crate::matrix::{Case, assert_same, cases};

mod matrix;

const GENERATED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generated/ops.rs");

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
        let inputs = (0..case.inputs().len())
            .fold(String::new(), |all, i| format!("{all}{}&x[{i}]", if i > 0 { ", " } else { "" }));
        let _ = write!(text, "\nstruct {type_name};\n\n{code}");
        let given = if inputs.is_empty() { "_" } else { "x" };
        let _ = writeln!(table, "    (\"{}\", |{given}| {type_name}.forward({inputs}).into_value()),", case.name);
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
    tracer.trace_fn(|inputs| -> candle_core::Result<Value> {
        let mut count = 0;
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
