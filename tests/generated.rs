//! For every operation and every sample, generated source computes what candle computes, to the last bit.

use crate::matrix::{assert_same, cases};

#[rustfmt::skip]
#[path = "generated/ops.rs"]
#[allow(clippy::all, unreachable_pub, reason = "generated code is checked for what it computes")]
mod generated;
#[allow(dead_code, reason = "only a part is used here")]
mod matrix;

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
