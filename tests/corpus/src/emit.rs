//! Writes captured models as source, builds them, and compares what they compute with their graphs.
//!
//! All models are modules of one crate, so that candle is compiled once. It has the workspace's lock file and profile and
//! uses its target directory, so that nothing is downloaded and candle is often there already.
//!
//! Invariant: what is compared was computed by the built program, from files; a warning of rustc is an error. A model that
//! cannot be written, does not build or does not run keeps no other from being tried.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use candle::{Device, Tensor};
use fx::codegen::Folder;
use fx::{Argument, GraphModule, Value};

use crate::case::{Captured, Case, Failure};
use crate::difference::{difference, Difference};

/// What came of a model that was written, built and run.
#[derive(Debug)]
pub struct Emitted {
    /// Lines of its source.
    pub lines: usize,
    /// The largest difference between what it computes and what its graph computes.
    pub difference: Difference,
}

/// What came of each graph.
pub type Outcomes = Vec<Result<Emitted, Failure>>;

/// A model that was written, and what its program is to compute.
struct Written {
    module: String,
    /// How the program calls it.
    call: String,
    lines: usize,
    /// The tensors of each run.
    wanted: Vec<Vec<Tensor>>,
}

/// A case, and what came of it.
#[derive(Debug)]
pub struct Outcome {
    /// Name of the model.
    pub model: &'static str,
    /// Name of the case, and whether it is for all sizes.
    pub name: String,
    /// What came of it.
    pub emitted: Result<Emitted, Failure>,
}

impl Outcome {
    /// Whether the program computes what the graph does, to the last bit.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.emitted.as_ref().is_ok_and(|emitted| emitted.difference == Difference::None)
    }
}

/// Writes the cases into a crate, builds it, and runs it: each as it is, and for all sizes of its inputs.
///
/// # Errors
///
/// If files cannot be written or the crate does not build; what concerns one case is told of that case.
pub fn emit(cases: &[Case], directory: &Path) -> Result<Vec<Outcome>, Failure> {
    let (mut names, mut captured) = (Vec::new(), Vec::new());
    for (i, case) in cases.iter().enumerate() {
        names.push((case.model, case.name.to_owned()));
        captured.push(case.captured().map(|captured| (format!("{}_{i}", case.model), captured)));
        // Whether there is a graph for all sizes is said by the table of models.
        if let Ok(Some(of_sizes)) = case.captured_for_all_sizes() {
            names.push((case.model, format!("{}, all sizes", case.name)));
            captured.push(Ok((format!("{}_{i}_sizes", case.model), of_sizes)));
        }
    }
    let outcomes = emit_captured(captured.into_iter(), &[], directory)?;
    let each = names.into_iter().zip(outcomes);
    Ok(each.map(|((model, name), emitted)| Outcome { model, name, emitted }).collect())
}

/// [`emit`] of graphs that are there already, each with the name of its module. The crate has these dependencies besides, as
/// [`Folder::dependency`] takes them.
///
/// # Errors
///
/// As [`emit`].
pub fn emit_captured(
    captured: impl Iterator<Item = Result<(String, Captured), Failure>>,
    dependencies: &[(&str, &str)],
    directory: &Path,
) -> Result<Outcomes, Failure> {
    let source = directory.join("src");
    if source.exists() {
        fs::remove_dir_all(&source)?;
    }
    fs::create_dir_all(&source)?;
    let folder = dependencies.iter().fold(Folder::new(), |folder, (krate, place)| folder.dependency(*krate, *place));
    let written =
        captured.map(|captured| captured.and_then(|(module, captured)| write(&module, captured, &folder, directory)));
    let written: Vec<Result<Written, Failure>> = written.collect();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // cargo takes packages of one name at two places for one, where they share a target directory.
    let mut place = DefaultHasher::new();
    std::path::absolute(directory)?.hash(&mut place);
    let name = format!("[package]\nname = \"emitted-{:016x}\"\n", place.finish());
    let others: String = dependencies.iter().map(|(krate, place)| format!("{krate} = {place}\n")).collect();
    let manifest = MANIFEST.replace("[dependencies]\n", &format!("[dependencies]\n{others}"));
    fs::write(directory.join("Cargo.toml"), format!("{name}{manifest}"))?;
    fs::copy(workspace.join("Cargo.lock"), directory.join("Cargo.lock"))?;
    let all: Vec<&Written> = written.iter().filter_map(|written| written.as_ref().ok()).collect();
    let mut broken = BTreeMap::new();
    if !all.is_empty() {
        broken = build(&all, directory, &workspace)?;
    }
    if broken.len() < all.len() {
        let ran = cargo(&["run", "--quiet"], directory, &workspace).arg("--").arg(directory).output()?;
        if !ran.status.success() {
            return Err(said(&ran).into());
        }
    }
    let outcomes = written.iter().map(|written| {
        let written = written.as_ref().map_err(ToString::to_string)?;
        match broken.get(written.module.as_str()) {
            Some(message) => Err(format!("does not build: {message}").into()),
            None => compared(written, directory),
        }
    });
    Ok(outcomes.collect())
}

/// Builds the program of these models, without those that do not build, and says what rustc says of them.
fn build<'w>(
    written: &[&'w Written],
    directory: &Path,
    workspace: &Path,
) -> Result<BTreeMap<&'w str, String>, Failure> {
    let mut broken: BTreeMap<&str, String> = BTreeMap::new();
    loop {
        let built = written.iter().filter(|written| !broken.contains_key(written.module.as_str()));
        let declared: String = built.clone().map(|written| format!("pub mod {};\n", written.module)).collect();
        let calls: String = built.map(|written| written.call.as_str()).collect();
        fs::write(directory.join("src/lib.rs"), format!("{LIBRARY}{declared}"))?;
        fs::write(directory.join("src/main.rs"), format!("{PROGRAM}\nfn main() {{\n{calls}}}\n"))?;
        let output = cargo(&["build", "--quiet", "--message-format", "short"], directory, workspace).output()?;
        if output.status.success() || broken.len() == written.len() {
            return Ok(broken);
        }
        let (said, before) = (said(&output), broken.len());
        for line in said.lines().filter(|line| line.contains(": error")) {
            let file = line.strip_prefix("src/").and_then(|rest| rest.split_once(".rs:"));
            let model = file.and_then(|(module, _)| written.iter().find(|written| written.module == module));
            if let Some(written) = model {
                broken.entry(written.module.as_str()).or_insert_with(|| line.to_owned());
            }
        }
        if broken.len() == before {
            return Err(said.into());
        }
    }
}

fn cargo(arguments: &[&str], directory: &Path, workspace: &Path) -> Command {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => PathBuf::from(target),
        None => workspace.join("target"),
    };
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).arg("--offline").arg("--target-dir").arg(target);
    command.arg("--manifest-path").arg(directory.join("Cargo.toml"));
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What the program computed, beside what it was to compute.
fn compared(written: &Written, directory: &Path) -> Result<Emitted, Failure> {
    let Written { module, lines, wanted, .. } = written;
    let file = |kind: &str| directory.join(format!("{module}.{kind}"));
    if let Ok(error) = fs::read_to_string(file("error")) {
        return Err(format!("fails: {error}").into());
    }
    let found = candle::safetensors::load(file("out"), &Device::Cpu)?;
    let mut largest = Difference::None;
    for (run, wanted) in wanted.iter().enumerate() {
        for (i, wanted) in wanted.iter().enumerate() {
            let found = found.get(&format!("{run}.{i}")).ok_or("the program gave too few tensors")?;
            largest = largest.larger(difference(found, wanted)?);
        }
    }
    Ok(Emitted { lines: *lines, difference: largest })
}

/// Makes a list of all tensors of what a graph gives, so that all models are called in one way.
fn flatten(graph: &mut GraphModule) {
    let Some(output) = graph.graph().output_node() else { return };
    let flat = |argument: &Argument| {
        let mut nodes = Vec::new();
        argument.for_each_node(&mut |node| nodes.push(Argument::Node(node)));
        Argument::List(nodes.into())
    };
    let is_kept = !graph.graph().state().is_empty();
    let flat = match graph.graph().node(output).args() {
        [Argument::Tuple(parts)] if is_kept => Argument::Tuple([&[flat(&parts[0])], &parts[1..]].concat().into()),
        [given] => flat(given),
        _ => return,
    };
    graph.graph_mut().set_args(output, [flat]);
}

/// Writes one model: its source, its weights and its inputs.
fn write(module: &str, captured: Captured, folder: &Folder<'_>, directory: &Path) -> Result<Written, Failure> {
    let Captured { mut graph, inputs } = captured;
    let wanted = inputs.iter().map(|inputs| {
        let values: Vec<Value> = inputs.iter().map(Value::from).collect();
        // The program begins each run with a model that it just loaded.
        graph.reset_state();
        Ok(graph.run(&values)?.tensors().into_iter().cloned().collect())
    });
    let wanted = wanted.collect::<Result<Vec<Vec<Tensor>>, Failure>>()?;
    flatten(&mut graph);
    let written = folder.write(&graph)?;
    let code = written.code().as_str();
    fs::write(directory.join(format!("src/{module}.rs")), code)?;
    written.save_weights(directory.join(format!("{module}.weights")))?;
    let mut tensors = HashMap::new();
    for (run, inputs) in inputs.iter().enumerate() {
        tensors.extend(inputs.iter().enumerate().map(|(i, input)| (format!("{run}.{i}"), input.clone())));
    }
    candle::safetensors::save(&tensors, directory.join(format!("{module}.in")))?;
    for left in ["out", "error"] {
        // Of a run before.
        let _ = fs::remove_file(directory.join(format!("{module}.{left}")));
    }
    let count = inputs.first().map_or(0, Vec::len);
    let arguments = (0..count).map(|i| format!("&input(run, {i})?")).collect::<Vec<_>>().join(", ");
    let (model, runs) = (written.model(), inputs.len());
    let mutable = if graph.graph().state().is_empty() { "" } else { "mut " };
    let call = format!(
        "    check(\"{module}\", {runs}, |weights, run, input| {{\n        let {mutable}model = \
         emitted::{module}::{model}::load(weights, &Device::Cpu)?;\n        model.forward({arguments})\n    }});\n"
    );
    Ok(Written { module: module.to_owned(), call, lines: code.lines().count(), wanted })
}

/// The packages after candle are not used: they ask for the same features of what candle uses as the workspace does, so
/// that candle is compiled once for both.
const MANIFEST: &str = "\
version = \"0.1.0\"
edition = \"2024\"

[lib]
name = \"emitted\"

[dependencies]
candle-core = \"0.11.1\"
candle-nn = \"0.11.1\"
half = \"2\"

candle-transformers = \"=0.11.1\"
foldhash = \"0.2\"
insta = \"1\"
proptest = \"1\"
tempfile = \"3\"
trybuild = \"1\"

[build-dependencies]
proc-macro2 = { version = \"1\", features = [\"span-locations\"] }
quote = \"1\"
syn = { version = \"3\", features = [\"full\", \"visit\", \"visit-mut\", \"extra-traits\"] }

[profile.dev]
debug = \"line-tables-only\"

[profile.dev.package.\"*\"]
opt-level = 1
debug = false

[workspace]
";

const LIBRARY: &str = "\
//! Models, each written from its graph.

#![deny(warnings)]

";

const PROGRAM: &str = "\
//! Runs the models on the inputs beside it, and writes what they give, or why they fail.

#![deny(warnings)]

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use candle_core::{Device, Result, Tensor};

type Input<'a> = &'a dyn Fn(usize, usize) -> Result<Tensor>;

fn check(name: &str, runs: usize, model: impl Fn(&Path, usize, Input<'_>) -> Result<Vec<Tensor>>) {
    let directory = PathBuf::from(std::env::args().nth(1).unwrap_or_default());
    let file = |kind: &str| directory.join(format!(\"{name}.{kind}\"));
    let run_all = || {
        let inputs = candle_core::safetensors::load(file(\"in\"), &Device::Cpu)?;
        let input = |run: usize, i: usize| match inputs.get(&format!(\"{run}.{i}\")) {
            Some(input) => Ok(input.clone()),
            None => candle_core::bail!(\"{name} has no input {i} in run {run}\"),
        };
        let mut outputs = HashMap::new();
        for run in 0..runs {
            for (i, output) in model(&file(\"weights\"), run, &input)?.into_iter().enumerate() {
                outputs.insert(format!(\"{run}.{i}\"), output);
            }
        }
        candle_core::safetensors::save(&outputs, file(\"out\"))
    };
    let error = match catch_unwind(AssertUnwindSafe(run_all)) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => \"it panics\".to_owned(),
    };
    // Without either file, nothing came of it.
    let _ = std::fs::write(file(\"error\"), error);
}
";
