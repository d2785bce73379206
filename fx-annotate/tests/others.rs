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

#[test]
fn what_steers_from_outside_is_left_alone() {
    let summary = check(
        "use std::path::Path;
use candle_core::{Result, Tensor, safetensors};
use candle_nn::{AdamW, ModuleT, Optimizer, VarBuilder, linear};
+#[fx::module]
struct Model { w: Tensor }
+#[fx::module]
impl Model {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> { if train { choose(x) } else { x * &self.w } }
}
+#[fx::module]
fn choose(x: &Tensor) -> Result<Tensor> { let best = best(x)?; x.narrow(0, best, 1) }
+#[fx::module(specialize)]
fn best(x: &Tensor) -> Result<usize> { Ok(x.to_vec1::<f32>()?.len()) }
fn accuracy(model: &impl ModuleT, x: &Tensor) -> Result<f32> { model.forward_t(x, false)?.to_scalar::<f32>() }
fn train(model: &Model, x: &Tensor, optimizer: &mut AdamW) -> Result<f32> {
    optimizer.backward_step(x)?;
    accuracy(model, x)
}
fn save(x: &Tensor, path: &Path) -> Result<()> { safetensors::save(&[(\"x\", x)].into(), path) }
fn show(x: &Tensor) { println!(\"{x}\") }
fn main() { train(todo!(), todo!(), todo!()) }",
    );
    assert_eq!(
        summary.left.iter().map(|left| format!("{}: {}", left.item, left.reason)).collect::<Vec<_>>(),
        [
            "fn `accuracy`: it reads data, and nothing that computes calls it",
            "fn `train`: it trains or saves, and nothing that computes calls it",
            "fn `save`: it trains or saves, and nothing that computes calls it",
            "fn `show`: it gives nothing, and nothing that computes calls it",
        ]
    );
}

#[test]
fn layers_of_a_parameter_and_functions_that_are_held_are_told_apart() {
    let summary = check(
        "use candle_nn::Module;
+#[fx::module]
struct Slot<T> where T: Module { layer: Option<T>, uses: usize }
struct Slots<T: Module> { slots: Vec<Slot<T>>, make: Box<dyn Fn(usize) -> T> }
+#[fx::module]
trait Estimator { fn estimate(&self, x: &candle_core::Tensor) -> candle_core::Tensor; }
+#[fx::module]
struct Solver<E: Estimator> { estimator: E }
+#[fx::module(bounds(Estimator))]
impl<E: Estimator> Solver<E> {
    fn solve(&self, x: &candle_core::Tensor) -> candle_core::Tensor { self.estimator.estimate(x) }
}",
    );
    let left = "src/model.rs: struct `Slots` (line 3): it holds a function that is chosen as it runs";
    assert!(summary.to_string().contains(left), "{summary}");
}

#[test]
fn what_can_be_behind_a_trait_object_is_of_the_model() {
    check(
        "use candle_core::{Module, Result, Tensor};
+#[fx::module]
trait Space { fn has(&self, x: &Tensor) -> bool; }
+#[fx::module]
struct Cube { sides: Vec<usize> }
+#[fx::module(mirrored)]
impl Space for Cube { fn has(&self, x: &Tensor) -> bool { x.dims() == self.sides } }
+#[fx::module]
struct Actor { space: Box<dyn Space>, policy: Box<dyn Module> }
+#[fx::module]
impl Actor { fn forward(&self, x: &Tensor) -> Result<Tensor> { self.policy.forward(x) } }",
    );
}

#[test]
fn aliases_stand_for_their_types_in_every_file() {
    let types = "use candle_core::Tensor;\npub struct Own { w: Tensor }\npub type Pair = (Tensor, Vec<Own>);\n\
                 pub type Pairs = Vec<Option<Pair>>;\npub type Size = usize;\n";
    let users = [
        ("src/a.rs", "use crate::types::{Pairs, Size};\nstruct A { pairs: Pairs, size: Size }\n", true),
        ("src/b.rs", "use super::types;\nstruct B { pair: types::Pair }\n", true),
        ("src/c.rs", "use super::types::*;\n#[derive(Clone)]\nstruct C { size: Size }\n", false),
        // A name of one's own goes before.
        (
            "src/d.rs",
            "use super::types::*;\n#[derive(Clone)]\nstruct Pair;\n#[derive(Clone)]\nstruct D(Pair);\n",
            false,
        ),
        ("src/e.rs", "use crate::a::A;\nstruct Loop(Circle);\ntype Circle = Vec<Circle>;\nstruct E { a: A }\n", true),
    ];
    let files = users.iter().map(|(path, text, _)| (*path, *text)).chain([("src/types.rs", types)]);
    let source = Crate::new(files.map(|(path, text)| (PathBuf::from(path), text.to_owned())));
    for (path, text, module) in users {
        let (insertions, _) = source.insertions(&PathBuf::from(path)).unwrap();
        let text = apply(text, &insertions);
        let last = text.lines().rfind(|line| line.starts_with("#[fx::")).unwrap();
        assert_eq!(last, if module { "#[fx::module]" } else { "#[fx::constant]" }, "{text}");
    }
}
