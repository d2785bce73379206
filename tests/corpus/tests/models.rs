//! The models of the corpus, as a test: all are captured, their graphs give the original's results, and so does the
//! source that they are written as.

use candle::DType;
use corpus::case::{Captured, Failure};
use corpus::{cases, difference::Difference, emit, weights};

#[path = "support/hostile.rs"]
mod hostile;
#[path = "support/resnet18.rs"]
mod resnet18;

#[test]
fn every_case_is_captured_and_equals_the_original() {
    let mut failures = String::new();
    for case in cases::all() {
        let outcome = match case.run() {
            Ok(report) if report.is_equal() => continue,
            Ok(report) => format!("differs by {}", report.difference),
            Err(failure) => failure.to_string(),
        };
        failures.push_str(&format!("{}, {}: {outcome}\n", case.model, case.name));
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// ResNet-18 in its real size.
fn resnet18() -> Result<Captured, Failure> {
    let model = resnet18::ResNet::resnet18(10, weights::var_builder(1))?;
    let graph =
        fx::Tracer::new().input("x", DType::F32, (1, 3, 64, 64)).concrete_arg("train", false).trace(&model)?;
    let inputs = [2, 3].map(|seed| Ok(vec![weights::uniform(seed, (1, 3, 64, 64))?]));
    Ok(Captured { graph, inputs: inputs.into_iter().collect::<candle::Result<_>>()? })
}

/// To be read: would a person have written it so?
#[test]
fn written_source_reads_well() {
    let bert = cases::all().into_iter().find(|case| case.model == "bert").expect("a case of it");
    let graphs = [("bert", bert.capture()), ("resnet18", resnet18())];
    for (name, captured) in graphs {
        let graph = captured.unwrap_or_else(|error| panic!("{name}: {error}")).graph;
        let written = fx::codegen::Folder::new().write(&graph).unwrap_or_else(|error| panic!("{name}: {error}"));
        insta::assert_snapshot!(name, written.code().as_str());
    }
}

/// The first case of every model, and graphs that are hard to write: the graph, and the program that it is written as,
/// compute the same bits.
#[test]
fn models_are_written_as_source() {
    let mut captured: Vec<(&str, Result<Captured, Failure>)> = vec![
        ("resnet18", resnet18()),
        ("names", hostile::names()),
        ("modules", hostile::modules()),
        ("long_chain", hostile::long_chain()),
        ("torn", hostile::torn()),
    ];
    for case in cases::all() {
        if captured.iter().all(|(model, _)| *model != case.model) {
            captured.push((case.model, case.capture()));
        }
    }
    let models: Vec<&str> = captured.iter().map(|(model, _)| *model).collect();
    let captured = captured.into_iter().map(|(model, captured)| Ok((model.to_owned(), captured?)));
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("emitted");
    let outcomes = emit::emit_captured(captured, &directory).unwrap_or_else(|error| panic!("{error}"));
    let mut failures = String::new();
    for (model, outcome) in models.iter().zip(outcomes) {
        match outcome {
            Ok(emitted) if emitted.difference == Difference::None => {}
            Ok(emitted) => failures.push_str(&format!("{model}: differs by {}\n", emitted.difference)),
            Err(failure) => failures.push_str(&format!("{model}: {failure}\n")),
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
