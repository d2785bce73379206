//! What the attributes say at compile time: each message as rustc prints it.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("fail/**/*.rs");
}
