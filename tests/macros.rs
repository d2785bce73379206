//! What the attributes say at compile time: each message as rustc prints it, and what must compile.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/**/*.rs");
    cases.compile_fail("tests/ui/fail/**/*.rs");
}
