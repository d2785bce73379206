//! The annotator on all of candle-transformers, and on items that candle-transformers does not have.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use corpus::CANDLE_TRANSFORMERS;
use fx_annotate::{apply, Crate, Insertion, Summary};

/// All Rust files of candle-transformers by their path in the package.
fn candle_transformers() -> BTreeMap<PathBuf, String> {
    fn read(root: &Path, directory: &Path, texts: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(root.join(directory)).unwrap() {
            let path = directory.join(entry.unwrap().file_name());
            if root.join(&path).is_dir() {
                read(root, &path, texts);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                texts.insert(path.clone(), fs::read_to_string(root.join(&path)).unwrap());
            }
        }
    }
    let mut texts = BTreeMap::new();
    read(Path::new(CANDLE_TRANSFORMERS), Path::new("src"), &mut texts);
    texts
}

/// Takes the inserted text out again, by its place in the annotated text alone.
fn strip(annotated: &str, insertions: &[Insertion]) -> String {
    let mut original = String::new();
    let mut rest = annotated;
    let mut at = 0;
    for insertion in insertions {
        let (before, after) = rest.split_at(insertion.at - at);
        original.push_str(before);
        rest = after.strip_prefix(&insertion.text).unwrap();
        at = insertion.at;
    }
    original + rest
}

/// Everything that the program writes.
const ATTRIBUTES: [&str; 8] = [
    "#[fx::module]",
    "#[fx::module(specialize)]",
    "#[fx::module(mirrored)]",
    "#[fx::module(mirrored, specialize)]",
    "#[fx(skip)]",
    "#[fx(include)]",
    "#[fx::constant]",
    "#[derive(Clone)]",
];

#[test]
fn candle_transformers_is_annotated_by_whole_lines_that_can_be_taken_out_again() {
    let texts = candle_transformers();
    assert!(texts.len() > 200, "{} files", texts.len());
    let source = Crate::new(texts.clone());
    assert_eq!(source.unparsed(), []);

    let mut total = Summary::default();
    let mut annotated = BTreeMap::new();
    for (path, text) in &texts {
        let (insertions, summary) = source.insertions(path).unwrap();
        for Insertion { at, text: line } in &insertions {
            let written = line.trim();
            let has_bounds = written.starts_with("#[fx::module(bounds(") && written.ends_with("))]");
            let attribute = has_bounds || ATTRIBUTES.contains(&written);
            assert!(attribute && line.ends_with('\n'), "{}: `{line}`", path.display());
            assert!(*at == 0 || text.as_bytes()[at - 1] == b'\n', "{}: not a line of its own", path.display());
        }
        let copy = apply(text, &insertions);
        assert!(strip(&copy, &insertions) == *text, "{}: changed", path.display());
        annotated.insert(path.clone(), copy);
        total.add(summary);
    }
    // Counted in the source: about 900 module types, 950 impls with functions that compute, 170 such free functions.
    assert!(total.structs > 850 && total.impls > 900 && total.functions > 120, "{total}");

    // Annotating what is annotated changes nothing, and all of it still parses.
    let again = Crate::new(annotated.clone());
    assert_eq!(again.unparsed(), []);
    for path in annotated.keys() {
        let (insertions, _) = again.insertions(path).unwrap();
        assert_eq!(insertions, [], "{}", path.display());
    }
}

/// Annotates one file and returns the result.
#[track_caller]
fn check(before: &str, after: &str) {
    let path = PathBuf::from("src/model.rs");
    let source = Crate::new([(path.clone(), before.to_owned())]);
    let (insertions, _) = source.insertions(&path).unwrap();
    let annotated = apply(before, &insertions);
    assert_eq!(annotated, after);
}

#[test]
fn constructors_of_what_hides_layers_are_included() {
    check(
        "use candle_nn::{Linear, Sequential, VarBuilder};
struct Config { hidden: Option<Act> }
enum Act { Relu }
impl Module for Act {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { x.relu() }
}
struct Row { layers: Sequential }
impl Row {
    fn new(size: usize, vb: VarBuilder) -> Result<Self> { todo!() }
    fn configured(config: &Config, vb: VarBuilder) -> Result<Self> { todo!() }
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.layers.forward(x) }
}
struct Any { layers: Vec<Box<dyn Module>>, rows: Vec<Row> }
impl Any {
    fn new(vb: VarBuilder) -> Result<Self> { todo!() }
}
struct Plain { linear: Linear }
impl Plain {
    fn new(vb: VarBuilder) -> Result<Self> { todo!() }
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.linear.forward(x) }
}
use candle_core::{Module, Result, Tensor};
",
        "use candle_nn::{Linear, Sequential, VarBuilder};
#[fx::module]
struct Config { hidden: Option<Act> }
#[fx::module]
enum Act { Relu }
#[fx::module]
impl Module for Act {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { x.relu() }
}
#[fx::module]
struct Row { layers: Sequential }
#[fx::module]
impl Row {
    #[fx(include)]
    fn new(size: usize, vb: VarBuilder) -> Result<Self> { todo!() }
    fn configured(config: &Config, vb: VarBuilder) -> Result<Self> { todo!() }
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.layers.forward(x) }
}
#[fx::module]
struct Any { layers: Vec<Box<dyn Module>>, rows: Vec<Row> }
#[fx::module]
impl Any {
    #[fx(include)]
    fn new(vb: VarBuilder) -> Result<Self> { todo!() }
}
#[fx::module]
struct Plain { linear: Linear }
#[fx::module]
impl Plain {
    fn new(vb: VarBuilder) -> Result<Self> { todo!() }
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.linear.forward(x) }
}
use candle_core::{Module, Result, Tensor};
",
    );
}

#[test]
fn modules_are_types_that_hold_tensors_layers_or_modules() {
    check(
        "use candle::Tensor;
struct Weight(Tensor);
/// Documented.
#[derive(Debug)]
pub(crate) struct Stack {
    parts: Vec<Option<Weight>>,
}
enum Either { A(candle_nn::Linear), B(Stack) }
struct Size { width: usize }
",
        "use candle::Tensor;
#[fx::module]
struct Weight(Tensor);
/// Documented.
#[fx::module]
#[derive(Debug)]
pub(crate) struct Stack {
    parts: Vec<Option<Weight>>,
}
#[fx::module]
enum Either { A(candle_nn::Linear), B(Stack) }
#[fx::constant]
#[derive(Clone)]
struct Size { width: usize }
",
    );
}

#[test]
fn a_type_that_computes_is_a_module_even_if_it_is_plain_data() {
    check(
        "use candle_core::{Result, Tensor};
#[derive(Clone, Copy)]
enum Act { Relu }
impl Act {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { x.relu() }
}
#[derive(Clone, serde::Deserialize)]
struct Config { act: Act }
impl Config {
    fn width(&self) -> usize { 3 }
}
",
        "use candle_core::{Result, Tensor};
#[fx::module]
#[derive(Clone, Copy)]
enum Act { Relu }
#[fx::module]
impl Act {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { x.relu() }
}
#[fx::constant]
#[derive(Clone, serde::Deserialize)]
struct Config { act: Act }
impl Config {
    fn width(&self) -> usize { 3 }
}
",
    );
}

#[test]
fn what_holds_an_activation_that_is_read_from_a_file_is_a_module() {
    check(
        "use candle_core::{Result, Tensor};
#[derive(Clone, Deserialize)]
enum Act { Relu }
impl Act {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { x.relu() }
}
#[derive(Clone, Deserialize)]
struct Config { act: Act }
",
        "use candle_core::{Result, Tensor};
#[fx::module]
#[derive(Clone, Deserialize)]
enum Act { Relu }
#[fx::module]
impl Act {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { x.relu() }
}
#[fx::module]
#[derive(Clone, Deserialize)]
struct Config { act: Act }
",
    );
}

#[test]
fn a_model_beside_its_weights_is_a_module_and_what_trains_it_is_not() {
    check(
        "use candle_core::{Result, Tensor};
use candle_nn::{AdamW, Linear, Module, VarBuilder, VarMap};
struct Actor<'a> { map: VarMap, vb: VarBuilder<'a>, linear: Linear }
impl Actor<'_> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.linear.forward(x) }
}
struct Trainer<'a> { actor: Actor<'a>, optimizer: AdamW }
impl Trainer<'_> {
    fn act(&self, x: &Tensor) -> Result<Tensor> { self.actor.forward(x) }
}
struct Loader<'a> { vb: VarBuilder<'a>, scale: Tensor }
",
        "use candle_core::{Result, Tensor};
use candle_nn::{AdamW, Linear, Module, VarBuilder, VarMap};
#[fx::module]
struct Actor<'a> { map: VarMap, vb: VarBuilder<'a>, linear: Linear }
#[fx::module]
impl Actor<'_> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { self.linear.forward(x) }
}
struct Trainer<'a> { actor: Actor<'a>, optimizer: AdamW }
impl Trainer<'_> {
    fn act(&self, x: &Tensor) -> Result<Tensor> { self.actor.forward(x) }
}
struct Loader<'a> { vb: VarBuilder<'a>, scale: Tensor }
",
    );
}

#[test]
fn of_two_methods_of_a_name_one_is_left_out() {
    check(
        "use candle_core::{Result, Tensor};
trait One { type Out; fn forward(&self, x: &Tensor) -> Self::Out; }
trait Two { type Out; fn forward(&self, x: &Tensor, y: &Tensor) -> Self::Out; }
struct M { w: Tensor }
impl One for M {
    type Out = Result<Tensor>;
    fn forward(&self, x: &Tensor) -> Self::Out { x * &self.w }
}
impl Two for M {
    type Out = Result<Tensor>;
    fn forward(&self, x: &Tensor, y: &Tensor) -> Self::Out { x * y }
}
",
        "use candle_core::{Result, Tensor};
trait One { type Out; fn forward(&self, x: &Tensor) -> Self::Out; }
trait Two { type Out; fn forward(&self, x: &Tensor, y: &Tensor) -> Self::Out; }
#[fx::module]
struct M { w: Tensor }
#[fx::module]
impl One for M {
    type Out = Result<Tensor>;
    fn forward(&self, x: &Tensor) -> Self::Out { x * &self.w }
}
#[fx::module]
impl Two for M {
    type Out = Result<Tensor>;
    #[fx(skip)]
    fn forward(&self, x: &Tensor, y: &Tensor) -> Self::Out { x * y }
}
",
    );
}

#[test]
fn impls_are_annotated_if_a_capture_runs_through_them() {
    check(
        "use candle::{Module, Result, Tensor};
use candle_nn::VarBuilder;
struct M { w: Tensor }
impl M {
    fn new(vb: VarBuilder) -> Result<Self> { Ok(Self { w: vb.get(1, \"w\")? }) }
}
impl M {
    fn scale(&self) -> f64 { 2. }
}
impl M {
    fn unused(&self) -> f64 { 2. }
}
impl Module for M {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { x * self.scale() }
}
impl std::fmt::Debug for M {}
impl Own for M {
    fn own(&self, x: &Tensor) -> Result<Tensor> { self.forward(x) }
}
trait Own {
    fn own(&self, x: &Tensor) -> Result<Tensor>;
}
",
        "use candle::{Module, Result, Tensor};
use candle_nn::VarBuilder;
#[fx::module]
struct M { w: Tensor }
impl M {
    fn new(vb: VarBuilder) -> Result<Self> { Ok(Self { w: vb.get(1, \"w\")? }) }
}
#[fx::module]
impl M {
    fn scale(&self) -> f64 { 2. }
}
impl M {
    fn unused(&self) -> f64 { 2. }
}
#[fx::module]
impl Module for M {
    fn forward(&self, x: &Tensor) -> Result<Tensor> { x * self.scale() }
}
impl std::fmt::Debug for M {}
#[fx::module(mirrored)]
impl Own for M {
    fn own(&self, x: &Tensor) -> Result<Tensor> { self.forward(x) }
}
#[fx::module]
trait Own {
    fn own(&self, x: &Tensor) -> Result<Tensor>;
}
",
    );
}

#[test]
fn functions_are_annotated_if_they_take_tensors_and_make_no_layer() {
    check(
        "use candle_core::{Result, Tensor};
use candle_nn::{Linear, VarBuilder};
pub fn silu(x: &Tensor) -> Result<Tensor> { x.silu() }
fn cat(xs: &[Tensor]) -> Result<Tensor> { Tensor::cat(xs, 0) }
fn mask(size: usize) -> Result<Tensor> { todo!() }
fn layer(vb: VarBuilder, x: &Tensor) -> Result<Linear> { todo!() }
fn tied(weight: Tensor) -> Linear { Linear::new(weight, None) }
extern \"C\" fn foreign(x: &Tensor) {}
macro_rules! m { () => { fn inner(x: &Tensor) {} } }
",
        "use candle_core::{Result, Tensor};
use candle_nn::{Linear, VarBuilder};
#[fx::module]
pub fn silu(x: &Tensor) -> Result<Tensor> { x.silu() }
#[fx::module]
fn cat(xs: &[Tensor]) -> Result<Tensor> { Tensor::cat(xs, 0) }
fn mask(size: usize) -> Result<Tensor> { todo!() }
fn layer(vb: VarBuilder, x: &Tensor) -> Result<Linear> { todo!() }
fn tied(weight: Tensor) -> Linear { Linear::new(weight, None) }
extern \"C\" fn foreign(x: &Tensor) {}
macro_rules! m { () => { fn inner(x: &Tensor) {} } }
",
    );
}

#[test]
fn conditions_stay_in_front_and_inline_modules_are_entered() {
    check(
        "mod inner {
    use candle::{Result, Tensor};
    #[inline]
    #[cfg(feature = \"a\")]
    /// Doc.
    pub const fn f(x: &Tensor) -> &Tensor { x }

    #[cfg(test)]
    mod tests { struct T(super::Tensor); }
}
",
        "mod inner {
    use candle::{Result, Tensor};
    #[inline]
    #[cfg(feature = \"a\")]
    /// Doc.
    #[fx::module]
    pub const fn f(x: &Tensor) -> &Tensor { x }

    #[cfg(test)]
    mod tests { struct T(super::Tensor); }
}
",
    );
}

#[test]
fn what_a_name_means_is_looked_up_in_the_file_that_is_imported_from() {
    let texts = [
        ("src/a.rs", "pub struct Part(candle_nn::Linear);"),
        ("src/b.rs", "#[derive(Clone)]\npub struct Part(usize);"),
        ("src/uses_a.rs", "use crate::a::Part;\nstruct Whole(Part);"),
        ("src/uses_b.rs", "use super::b;\n#[derive(Clone)]\nstruct Whole(b::Part);"),
    ];
    let source = Crate::new(texts.map(|(path, text)| (PathBuf::from(path), text.to_owned())));
    let first = |path| source.insertions(Path::new(path)).unwrap().0.remove(0).text;
    assert_eq!(first("src/uses_a.rs"), "#[fx::module]\n");
    assert_eq!(first("src/uses_b.rs"), "#[fx::constant]\n");
}
