//! The models of the corpus, as a test: all are captured, and their graphs give the original's results.

use corpus::cases;

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
