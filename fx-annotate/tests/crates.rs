//! The annotator on crates as people have them beside candle's own: with errors of other crates, and with parts of models only.

use std::path::PathBuf;

use fx_annotate::{Crate, apply};

/// Annotates one file, and compares the result with the text whose lines `+ …` are what has to be added.
#[track_caller]
fn check(marked: &str) {
    let added = |line: &&str| line.trim_start().starts_with("+ ");
    let before: String = marked.lines().filter(|line| !added(line)).map(|line| format!("{line}\n")).collect();
    let after: String =
        marked.lines().map(|line| format!("{}\n", line.replacen("+ ", "", added(&line).into()))).collect();
    let path = PathBuf::from("src/model.rs");
    let source = Crate::new([(path.clone(), before.clone())]);
    let (insertions, _) = source.insertions(&path).unwrap();
    assert_eq!(apply(&before, &insertions), after);
}

#[test]
fn whose_result_a_function_returns_does_not_matter() {
    check(
        "use anyhow::Result;
use candle_core::{Result as CandleResult, Tensor};
use candle_nn::Linear;
type ModelResult<T> = std::result::Result<T, ModelError>;
+ #[fx::module]
struct Model { linear: Linear }
+ #[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { Ok(self.second(&x.apply(&self.linear)?)?) }
    fn second(&self, x: &Tensor) -> ModelResult<Tensor> { Ok(third(x)?) }
}
+ #[fx::module]
fn third(x: &Tensor) -> CandleResult<Tensor> { x.relu() }
",
    );
}

#[test]
fn a_crate_without_a_model_is_parts_for_one() {
    check(
        "use candle_core::{Result, Tensor};
+ #[fx::module]
pub struct Rotary { cos: Tensor, sin: Tensor }
+ #[fx::module]
impl Rotary {
    pub fn new(size: usize) -> Result<Self> { todo!() }
    pub fn apply(&self, q: &Tensor, k: &Tensor) -> Result<(Tensor, Tensor)> { todo!() }
}
",
    );
}

#[test]
fn what_a_function_lends_a_model_is_of_it() {
    check(
        "use candle_core::{Result, Tensor};
use candle_nn::Linear;
+ #[fx::module]
struct Scale { by: Tensor }
+ #[fx::module]
impl Scale {
    fn apply(&self, x: &Tensor) -> Result<Tensor> { x * &self.by }
}
fn scale() -> Option<&'static Scale> { todo!() }
struct Unused { by: Tensor }
impl Unused {
    fn apply(&self, x: &Tensor) -> Result<Tensor> { x * &self.by }
}
+ #[fx::module]
struct Model { linear: Linear }
+ #[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        scale().unwrap().apply(&x.apply(&self.linear)?)
    }
}
",
    );
}

#[test]
fn constructors_that_take_functions_have_no_twins() {
    check(
        "use candle_core::{Module, Result, Tensor};
use candle_nn::{Linear, Sequential, VarBuilder};
+ #[fx::module]
struct Row { layers: Sequential }
+ #[fx::module]
impl Row {
    fn new(make: impl Fn(usize, VarBuilder) -> Result<Linear>, vb: VarBuilder) -> Result<Self> { todo!() }
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.layers.forward(x) }
}
+ #[fx::module]
struct Rows { rows: Vec<Row>, more: Sequential }
+ #[fx::module]
impl Rows {
    fn new(vb: VarBuilder) -> Result<Self> { Row::new(linear, vb) }
    + #[fx(include)]
    fn empty(vb: VarBuilder) -> Result<Self> { todo!() }
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.rows[0].forward(x) }
}
",
    );
}
