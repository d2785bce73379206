//! [`run`]: the `main` of a build script.
//!
//! Invariant: whatever goes wrong, a panic too, reaches the user as an error of cargo's, without a backtrace.

use std::collections::HashMap;
use std::error::Error;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use crate::ops::candle_error::panic_message;

/// Runs a build script: what it fails with is shown by cargo as errors of the package.
///
/// A capture that fails names the line of the model's source, as always; so does a panic in the model.
///
/// ```
/// use fx_core::build::run;
///
/// let code = run(|| Err("the checkpoint is not there\nfetch it with `make weights`".into()));
/// # assert_ne!(format!("{code:?}"), format!("{:?}", std::process::ExitCode::SUCCESS));
/// // cargo::error=the checkpoint is not there
/// // cargo::error=fetch it with `make weights`
/// ```
pub fn run(build: impl FnOnce() -> Result<(), Box<dyn Error>>) -> ExitCode {
    match outcome(build) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            let mut cargo = std::io::stdout().lock();
            let message =
                if message.trim().is_empty() { "the build script failed and did not say why" } else { &message };
            for line in message.lines() {
                // If cargo does not listen any more, nobody does.
                let _ = writeln!(cargo, "cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

/// What went wrong, in words: the error with what it comes from, or the panic with its place.
fn outcome(build: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<(), String> {
    let places = Arc::new(Mutex::new(HashMap::new()));
    let noted = places.clone();
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or("no message").to_owned();
        let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        noted.lock().unwrap_or_else(PoisonError::into_inner).insert(message, place);
    }));
    // Nothing of what the script has made is looked at after a panic.
    let outcome = panic::catch_unwind(AssertUnwindSafe(build));
    panic::set_hook(usual);
    let mut message = match outcome {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => told(&*error),
        Err(payload) => format!("the build script panicked: {}", panic_message(payload)),
    };
    // A capture has caught the panic of a model, and knows what it says, but not where it was.
    let places = places.lock().unwrap_or_else(PoisonError::into_inner);
    if message.contains("panicked")
        && let Some((_, place)) =
            places.iter().filter(|(said, _)| message.contains(*said)).max_by_key(|(said, _)| said.len())
    {
        message.push_str(&format!("\n  at {place}"));
    }
    Err(message)
}

/// The error and its sources, unless an error repeats what it comes from.
fn told(error: &dyn Error) -> String {
    let mut text = said(error);
    let mut next = error.source();
    while let Some(source) = next {
        let cause = said(source);
        if !text.contains(&cause) {
            text.push_str("\n  because ");
            text.push_str(&cause);
        }
        next = source.source();
    }
    text
}

/// What one error says, without the backtraces that candle puts into its own when `RUST_BACKTRACE` is set, also where another
/// error repeats them.
fn said(error: &dyn Error) -> String {
    let text = error.to_string();
    let mut kept: Vec<&str> = Vec::new();
    let mut in_trace = false;
    for line in text.lines() {
        // As std prints them: `   0: name`, then the place, further in, if it is known.
        let line_of_trace = line.trim_start();
        let frame = line_of_trace.split_once(": ").and_then(|(number, _)| number.parse::<usize>().ok());
        in_trace = match frame {
            Some(0) if line.starts_with("   0: ") => true,
            _ => in_trace && (frame.is_some() || line_of_trace.starts_with("at ")),
        };
        if !in_trace {
            kept.push(line);
        }
    }
    kept.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the model cannot be read")]
    struct Unreadable(#[source] std::io::Error);

    #[test]
    fn errors_are_told_with_what_they_come_from() {
        assert_eq!(outcome(|| Ok(())), Ok(()));
        let error = || Unreadable(std::io::Error::other("the disk is full"));
        assert_eq!(outcome(|| Err(error().into())), Err("the model cannot be read\n  because the disk is full".into()));
    }

    #[test]
    fn no_backtrace_is_told() {
        let trace = "   0: candle_core::error::Error::bt\n             at /candle/src/error.rs:260:25\n  1: main\n  12: start\n";
        let failed = |text: String| outcome(|| Err(text.into())).unwrap_err();
        assert_eq!(failed(format!("no tensor `w`\n{trace}")), "no tensor `w`");
        assert_eq!(
            failed(format!("a: no tensor `w`\n{trace}while `b` is read\n{trace}")),
            "a: no tensor `w`\nwhile `b` is read"
        );
        // What only looks like one.
        let listed = "3 of 4 are wrong:\n   1: shape\n   at model.rs:3";
        assert_eq!(failed(listed.to_owned()), listed);
        let real = candle_core::Error::WithBacktrace {
            inner: Box::new(candle_core::Error::Msg("no tensor".into())),
            backtrace: Box::new(std::backtrace::Backtrace::force_capture()),
        };
        assert_eq!(outcome(|| Err(real.into())), Err("no tensor".into()));
    }

    #[test]
    fn a_panic_is_told_with_its_place() {
        let line = line!() + 1;
        let said = outcome(|| panic!("no weights")).unwrap_err();
        assert!(said.starts_with("the build script panicked: no weights\n  at "), "{said}");
        assert!(said.contains(&format!("script.rs:{line}")), "{said}");
    }

    #[test]
    fn a_panic_of_the_model_is_told_with_its_place() {
        let line = line!() + 3;
        let said = outcome(|| {
            let layers: Vec<usize> = Vec::new();
            crate::trace::Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.affine(layers[7] as f64, 0.0))?;
            Ok(())
        });
        let said = said.unwrap_err();
        assert!(said.starts_with("the model panicked while it was captured: index out of bounds"), "{said}");
        assert!(said.contains(&format!("script.rs:{line}")), "{said}");
        // One that the script has handled is not what it fails with.
        let said = outcome(|| {
            let _ = panic::catch_unwind(|| panic!("handled"));
            Err("no weights".into())
        });
        assert_eq!(said, Err("no weights".into()));
    }
}
