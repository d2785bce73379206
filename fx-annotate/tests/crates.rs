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

#[test]
fn traits_bring_bodies_and_are_named_where_their_objects_are_taken() {
    check(
        "use candle_core::{Result, Tensor};
use candle_nn::Linear;
+ #[fx::module]
trait Layer {
    fn run(&self, x: &Tensor) -> Result<Tensor>;
    fn twice(&self, x: &Tensor) -> Result<Tensor> { self.run(&self.run(x)?) }
}
+ #[fx::module]
struct Dense { linear: Linear }
+ #[fx::module(mirrored)]
impl Layer for Dense {
    fn run(&self, x: &Tensor) -> Result<Tensor> { x.apply(&self.linear) }
}
+ #[fx::module]
struct Stack { layers: Vec<Box<dyn Layer>> }
+ #[fx::module(bounds(Layer))]
impl Stack {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { once(self.first(&*self.layers[0]), x) }
    fn first<'a>(&self, layer: &'a dyn Layer) -> &'a dyn Layer { layer }
}
+ #[fx::module(bounds(Layer))]
fn once(layer: &dyn Layer, x: &Tensor) -> Result<Tensor> { layer.run(x) }
+ #[fx::module(bounds(Layer))]
fn of_any<L: Layer>(layer: &L, x: &Tensor) -> Result<Tensor> { layer.run(x) }
",
    );
    // What it brings reads data, and what it takes is nobody's to follow.
    for brought in [
        "fn first(&self, x: &Tensor) -> Result<f32> { self.run(x)?.to_scalar() }",
        "fn write(&self, x: &Tensor, to: tokenizers::Tokenizer) {}",
    ] {
        check(&format!(
            "use candle_core::{{Result, Tensor}};
use candle_nn::Linear;
trait Layer {{
    fn run(&self, x: &Tensor) -> Result<Tensor>;
    {brought}
}}
+ #[fx::module]
struct Dense {{ linear: Linear }}
+ #[fx::module]
impl Layer for Dense {{
    fn run(&self, x: &Tensor) -> Result<Tensor> {{ x.apply(&self.linear) }}
}}
"
        ));
    }
}

#[test]
fn what_a_computation_asks_a_module_is_followed() {
    check(
        "use candle_core::{Result, Tensor};
use candle_nn::Linear;
+ #[fx::constant]
#[derive(Clone)]
enum Place { First }
+ #[fx::module]
struct Places { kept: Vec<Place>, scale: Tensor }
+ #[fx::module]
impl Places {
    fn scaled(&self, x: &Tensor) -> Result<Tensor> { x * &self.scale }
    + #[fx(include)]
    fn has(&self, place: &Place) -> bool { todo!() }
    fn forgotten(&self, place: &Place) -> bool { todo!() }
}
+ #[fx::module(by(places))]
fn count(places: &Places) -> usize { if places.has(&Place::First) { 1 } else { 0 } }
fn printed(places: &Places) -> String { todo!() }
fn measured(of: fn(&Tensor) -> Result<Tensor>) -> usize { todo!() }
+ #[fx::module]
struct Model { linear: Linear, places: Places }
+ #[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.places.scaled(&x.apply(&self.linear)?)? * count(&self.places) as f64 }
}
",
    );
}

#[test]
fn settings_of_candle_transformers_are_plain_data_and_its_models_are_not() {
    check(
        "use candle_core::{Result, Tensor};
use candle_transformers::models::{t5, whisper::Config as Settings, bert};
use candle_transformers::models::with_tracing::Linear;
+ #[fx::module]
struct Model {
    linear: Linear,
    + #[fx(constant)]
    pub config: bert::Config,
}
+ #[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.linear.forward(x) }
}
struct Whole { inner: Model, text: t5::T5EncoderModel }
impl Whole {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.inner.forward(x) }
}
",
    );
}
