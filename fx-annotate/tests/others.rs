//! Rules for what crates have that know nothing of fx, and the account of what was left alone.

use std::path::PathBuf;

use fx_annotate::{Crate, Summary, apply};

/// One file with `+` in front of the lines that are to be added.
#[track_caller]
fn check(marked: &str) -> Summary {
    let is_added = |line: &&str| line.trim_start().starts_with('+');
    let before: String = marked.lines().filter(|line| !is_added(line)).map(|line| format!("{line}\n")).collect();
    let without = |line: &str| if is_added(&line) { line.replacen('+', "", 1) } else { line.to_owned() };
    let after: String = marked.lines().map(|line| without(line) + "\n").collect();
    let path = PathBuf::from("src/model.rs");
    let source = Crate::new([(path.clone(), before.clone())]);
    assert_eq!(source.unparsed(), []);
    let (insertions, summary) = source.insertions(&path).unwrap();
    assert_eq!(apply(&before, &insertions), after);
    summary
}

#[test]
fn what_hands_modules_on_while_a_model_runs_is_included() {
    check(
        "use candle_core::{Module, Result, Tensor};
use candle_nn::{Linear, VarBuilder};
+#[fx::module]
struct Entry { key: Tensor }
+#[fx::module]
impl Entry {
    +#[fx(include)]
    fn new(key: Tensor) -> Result<Self> { Self::of_rows(key, 1) }
    +#[fx(include)]
    fn of_rows(key: Tensor, rows: usize) -> Result<Self> { todo!() }
    fn unused(key: Tensor) -> Self { todo!() }
    +#[fx(include)]
    fn joined(&self, other: &Self) -> Result<Self> { todo!() }
    fn key(&self) -> &Tensor { &self.key }
}
+#[fx::module]
struct Scaled { linear: Linear }
+#[fx::module]
impl Scaled {
    fn of(weight: Tensor) -> Self { todo!() }
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.linear.forward(x) }
}
+#[fx::module]
struct Model { entry: Entry }
+#[fx::module]
impl Model {
    fn new(vb: VarBuilder) -> Result<Self> { Entry::unused(vb.get(1, \"key\")?); todo!() }
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        self.entry = self.entry.joined(&Entry::new(x.clone())?)?;
        Scaled::of(x.clone()).forward(x)
    }
}",
    );
}

#[test]
fn impls_of_standard_traits_are_annotated_where_computations_use_them() {
    check(
        "use candle_core::{Result, Tensor};
+#[fx::module]
struct Pair { left: Tensor, right: Tensor }
+#[fx::module]
impl From<Tensor> for Pair {
    fn from(x: Tensor) -> Self { Self { left: x.clone(), right: x } }
}
+#[fx::module]
impl std::ops::Deref for Pair {
    type Target = Tensor;
    fn deref(&self) -> &Self::Target { &self.left }
}
impl TryFrom<&str> for Pair {
    type Error = String;
    fn try_from(path: &str) -> std::result::Result<Self, String> { todo!() }
}
impl std::fmt::Display for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { todo!() }
}
+#[fx::module]
struct Model { w: Tensor }
+#[fx::module]
impl Model {
    fn forward(&self, x: Tensor) -> Result<Tensor> { let pair: Pair = x.into(); pair.sqr() }
}",
    );
}

#[test]
fn bounds_by_traits_of_the_crate_are_named() {
    check(
        "use candle_core::{Result, Tensor};
+#[fx::module]
trait Attention { fn attend(&self, x: &Tensor) -> Result<Tensor>; }
+#[fx::module]
struct Plain { w: Tensor }
+#[fx::module(mirrored)]
impl Attention for Plain {
    fn attend(&self, x: &Tensor) -> Result<Tensor> { x * &self.w }
}
+#[fx::module]
struct Block<A: Attention> { attention: A, w: Tensor }
+#[fx::module(bounds(Attention))]
impl<A: Attention> Block<A> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.attention.attend(x) }
}
+#[fx::module(specialize, bounds(Attention))]
impl<A> Block<A> where A: Attention + Clone {
    fn forward_reading(&self, x: &Tensor) -> Result<f32> { x.to_scalar::<f32>() }
}",
    );
}

#[test]
fn results_of_other_crates_and_what_guards_lend_are_followed() {
    check(
        "use std::sync::Mutex;
use anyhow::{Result, anyhow};
use candle_core::Tensor;
+use fx::symbolic::SplitOp as _;
use candle_transformers::models::deepseek2::{NonZeroOp, SplitOp};
+#[fx::module]
struct Buffer { k: Tensor }
+#[fx::module]
struct Cache { buffer: Mutex<Buffer> }
+#[fx::module]
fn halves(x: &Tensor) -> Result<Vec<Tensor>> { Ok(x.split(&[1, 1], 0)?) }
+#[fx::module]
fn written(x: &Tensor) -> anyhow::Result<Tensor> { Ok(x.clone()) }
+#[fx::module(by(buffer))]
fn view(buffer: &Buffer, x: &Tensor) -> Result<Tensor> { Ok((x + &buffer.k)?) }
+#[fx::module]
fn after(x: &Tensor, buffer: &Buffer) -> Result<Tensor> { Ok((x + &buffer.k)?) }
+#[fx::module]
impl Cache {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { view(&self.buffer.lock().map_err(|_| anyhow!(\"poisoned\"))?, x) }
}",
    );
}

#[test]
fn what_is_left_alone_is_told_with_its_reason() {
    let summary = check(
        "use candle_core::{Result, Tensor};
use tokenizers::Tokenizer;
+#[fx::module]
struct Model { w: Tensor }
+#[fx::module(specialize)]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { x * &self.w }
    +#[fx(skip)]
    fn generate(&self, x: &Tensor) -> Result<f32> { self.forward(x)?.to_scalar::<f32>() }
}
struct Pipeline { tokenizer: Tokenizer, model: Model, scale: Tensor }
fn encode(tokenizer: &Tokenizer, x: &Tensor) -> Result<Tensor> { todo!() }",
    );
    assert_eq!(
        summary.to_string(),
        "annotated 1 files; structs and enums: 1, constants: 0, traits: 0, impls: 1, functions: 0\n\
         left alone: 3\n  \
         src/model.rs: struct `Pipeline` (line 8): it holds `Tokenizer` of another crate\n  \
         src/model.rs: fn `generate` (line 6): it reads data, and nothing that computes calls it\n  \
         src/model.rs: fn `encode` (line 9): it takes or gives `Tokenizer`"
    );
}
