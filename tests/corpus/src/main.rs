//! The corpus as a command: captures and compares the models, and writes them as source.
//!
//! Exit codes: 0 if all is well, 1 if a case failed or a file could not be read or written, 2 for a wrong command line.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use corpus::case::Case;
use corpus::emit::Outcome;
use corpus::table::{one_line, Row, Table};
use corpus::{cases, emit};

const USAGE: &str = "\
usage: corpus [MODEL]            capture all models, or those whose name begins with MODEL, and compare each with
                                 its original, to the last bit
       corpus table              print the table of all models, as in MODELS.md
       corpus emit DIR [MODEL]   write the captured models as source into one crate in DIR, build it, run it, and
                                  compare each with its graph, to the last bit, also at other sizes
       corpus annotate FROM TO   what the command `fx-annotate` does, which is built without the models
       corpus help               print this";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(|argument| argument.to_str().unwrap_or_default()).collect();
    match words[..] {
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        ["table"] => {
            println!("{}", Table::of(&cases::all()));
            ExitCode::SUCCESS
        }
        [] => capture(&cases::all()),
        ["annotate", _, _] => fx_annotate::command(arguments[1].as_ref(), arguments[2].as_ref()),
        ["emit", _] => emit_command(&cases::all(), arguments[1].as_ref()),
        ["emit", _, model] => match chosen(model) {
            Ok(cases) => emit_command(&cases, arguments[1].as_ref()),
            Err(message) => usage_error(&message),
        },
        ["emit", ..] => usage_error("`emit` takes a directory, and a model if it is to be only one"),
        [model] if !model.starts_with('-') => match chosen(model) {
            Ok(cases) => capture(&cases),
            Err(message) => usage_error(&message),
        },
        _ => usage_error(&format!("unknown arguments: {}", words.join(" "))),
    }
}

/// The cases of the models whose name begins so.
fn chosen(model: &str) -> Result<Vec<Case>, String> {
    let mut chosen = cases::all();
    chosen.retain(|case| case.model.starts_with(model));
    if chosen.is_empty() {
        let mut models: Vec<_> = cases::all().iter().map(|case| case.model).collect();
        models.dedup();
        return Err(format!("there is no model `{model}`, only: {}", models.join(", ")));
    }
    Ok(chosen)
}

fn usage_error(message: &str) -> ExitCode {
    eprintln!("error: {message}\n\n{USAGE}");
    ExitCode::from(2)
}

/// Writes, builds and runs the cases as source, and says of each what came of it, and at the end of those that failed.
fn emit_command(cases: &[Case], directory: &Path) -> ExitCode {
    let outcomes = match emit::emit(cases, directory) {
        Ok(outcomes) => outcomes,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!("{:<24} {:<36} {:>6}  difference", "model", "case", "lines");
    for Outcome { model, name, emitted } in &outcomes {
        let label = format!("{model:<24} {name:<36}");
        match emitted {
            Ok(emit::Emitted { lines, difference }) => println!("{label} {lines:>6}  {difference}"),
            Err(failure) => println!("{label} failed: {}", one_line(&failure.to_string())),
        }
    }
    let equal = |outcomes: &[&Outcome]| outcomes.iter().all(|outcome| outcome.is_equal());
    let models: BTreeSet<&str> = outcomes.iter().map(|outcome| outcome.model).collect();
    let of = |model: &str| outcomes.iter().filter(|outcome| outcome.model == model).collect::<Vec<_>>();
    let (written, failed): (Vec<&str>, Vec<&str>) = models.iter().partition(|model| equal(&of(model)));
    println!("\nwritten and equal: {} of {} models", written.len(), models.len());
    for model in &failed {
        for outcome in of(model).into_iter().filter(|outcome| !outcome.is_equal()) {
            let reason = match &outcome.emitted {
                Ok(emitted) => format!("differs by {}", emitted.difference),
                Err(failure) => one_line(failure.to_string().lines().next().unwrap_or_default()),
            };
            println!("  {model}, {}: {reason}", outcome.name);
        }
    }
    if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs the cases, a line for each.
fn capture(cases: &[Case]) -> ExitCode {
    println!("{:<18} {:<32} {:>6} {:>12}  difference", "model", "case", "nodes", "capture");
    let mut captured = 0;
    for case in cases {
        let label = format!("{:<18} {:<32}", case.model, case.name);
        let row = Row::of(case);
        match &row.outcome {
            Ok(report) => {
                let time = report.capture.as_secs_f64() * 1e3;
                let without = report.without_data.as_ref().err().map(|reason| format!("; without data: {reason}"));
                let without = without.unwrap_or_default();
                println!(
                    "{label} {:>6} {time:>9.2} ms  {}{without}; dynamic: {}; later calls: {}",
                    report.nodes, report.difference, report.dynamic, report.later
                );
            }
            Err(failure) => println!("{label} failed: {failure}"),
        }
        captured += usize::from(row.is_captured());
    }
    println!("captured {captured} of {}", cases.len());
    if captured == cases.len() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
