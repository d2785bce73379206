//! Writes captured models as source, builds them, and compares what they compute with their graphs.
//!
//! All models are modules of one crate, so that candle is compiled once. It has the workspace's lock file and profile and
//! uses its target directory, so that nothing is downloaded and candle is often there already.
//!
//! Invariant: what is compared was computed by the built program, from files; a warning of rustc is an error.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// What came of each model.
pub type Outcomes = Vec<Result<Emitted, Failure>>;

/// A model that was written, and what its program is to compute.
struct Written {
    module: String,
    lines: usize,
    /// The tensors of each run.
    wanted: Vec<Vec<Tensor>>,
}

/// Writes the cases into a crate, builds it, and runs it.
///
/// # Errors
///
/// If files cannot be written or the crate does not build; what concerns one case is told of that case.
pub fn emit(cases: &[Case], directory: &Path) -> Result<Outcomes, Failure> {
    let modules = cases.iter().enumerate().map(|(i, case)| {
        let captured = case.captured()?;
        Ok((format!("{}_{i}", case.model), captured))
    });
    emit_captured(modules, directory)
}

/// [`emit`] of graphs that are there already, each with the name of its module.
///
/// # Errors
///
/// As [`emit`].
pub fn emit_captured(
    captured: impl Iterator<Item = Result<(String, Captured), Failure>>,
    directory: &Path,
) -> Result<Outcomes, Failure> {
    let source = directory.join("src");
    if source.exists() {
        fs::remove_dir_all(&source)?;
    }
    fs::create_dir_all(&source)?;
    let (mut main, mut calls) = (String::from(HEAD), String::new());
    let mut written = Vec::new();
    for captured in captured {
        written.push(captured.and_then(|(module, captured)| {
            let (declared, call, written) = write(&module, captured, directory)?;
            main.push_str(&declared);
            calls.push_str(&call);
            Ok(written)
        }));
    }
    write!(main, "\nfn main() -> Result<()> {{\n{calls}    Ok(())\n}}\n")?;
    fs::write(source.join("main.rs"), main)?;
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::write(directory.join("Cargo.toml"), MANIFEST)?;
    fs::copy(workspace.join("Cargo.lock"), directory.join("Cargo.lock"))?;
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => PathBuf::from(target),
        None => workspace.join("target"),
    };
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--offline", "--quiet", "--target-dir"]).arg(target);
    command.arg("--manifest-path").arg(directory.join("Cargo.toml")).arg("--").arg(directory);
    let ran = command.output()?;
    if !ran.status.success() {
        return Err(String::from_utf8_lossy(&ran.stderr).into_owned().into());
    }
    let outcomes = written.into_iter().map(|written| {
        let Written { module, lines, wanted } = written?;
        let found = candle::safetensors::load(directory.join(format!("{module}.out")), &Device::Cpu)?;
        let mut largest = Difference::None;
        for (run, wanted) in wanted.iter().enumerate() {
            for (i, wanted) in wanted.iter().enumerate() {
                let found = found.get(&format!("{run}.{i}")).ok_or("the program did not run to its end")?;
                largest = largest.larger(difference(found, wanted)?);
            }
        }
        Ok(Emitted { lines, difference: largest })
    });
    Ok(outcomes.collect())
}

/// One tensor for each placeholder of the graph, called with these inputs.
fn placed(graph: &GraphModule, inputs: &[Tensor]) -> Result<Vec<Tensor>, Failure> {
    if graph.graph().state().is_empty() {
        return Ok(inputs.to_vec());
    }
    let values: Vec<Value> = inputs.iter().map(Value::from).collect();
    graph.reset_state();
    let placed = fx::interp::process_inputs(graph.graph(), &graph.state(), &values)?;
    let tensors = placed.into_iter().map(|value| value.as_tensor().cloned().ok_or("the graph keeps more than tensors"));
    Ok(tensors.collect::<Result<_, _>>()?)
}

/// Writes one model: its source, its weights and its inputs. Gives the line that declares it and the call of it.
fn write(module: &str, captured: Captured, directory: &Path) -> Result<(String, String, Written), Failure> {
    let Captured { mut graph, inputs } = captured;
    // What the graph keeps is one tensor each as well, as it was at the capture.
    let inputs = inputs.into_iter().map(|inputs| placed(&graph, &inputs)).collect::<Result<Vec<_>, Failure>>()?;
    // One tensor for each placeholder, and a list of all tensors back, so that all models are called in one way.
    graph.graph_mut().set_signature(None);
    if let Some(output) = graph.graph().output_node() {
        let mut nodes = Vec::new();
        graph.graph().node(output).args().iter().for_each(|argument| {
            argument.for_each_node(&mut |node| nodes.push(Argument::Node(node)));
        });
        graph.graph_mut().set_args(output, [Argument::List(nodes.into())]);
    }
    let written = Folder::new().comments(true).explain_errors(true).write(&graph)?;
    let code = written.code().as_str();
    fs::write(directory.join(format!("src/{module}.rs")), code)?;
    written.save_weights(directory.join(format!("{module}.weights")))?;
    let mut tensors = HashMap::new();
    for (run, inputs) in inputs.iter().enumerate() {
        tensors.extend(inputs.iter().enumerate().map(|(i, input)| (format!("{run}.{i}"), input.clone())));
    }
    candle::safetensors::save(&tensors, directory.join(format!("{module}.in")))?;
    let wanted = inputs.iter().map(|inputs| {
        let values: Vec<Value> = inputs.iter().map(Value::from).collect();
        Ok(graph.run(&values)?.tensors().into_iter().cloned().collect())
    });
    let wanted = wanted.collect::<Result<Vec<Vec<Tensor>>, Failure>>()?;
    let count = placeholders(&graph);
    let arguments = (0..count).map(|i| format!("&input(run, {i})?")).collect::<Vec<_>>().join(", ");
    let (model, runs) = (written.model(), inputs.len());
    let call = format!(
        "    check(\"{module}\", {runs}, |weights, run, input| {{\n        {module}::{model}::load(weights, \
         &Device::Cpu)?.forward({arguments})\n    }})?;\n"
    );
    let written = Written { module: module.to_owned(), lines: code.lines().count(), wanted };
    Ok((format!("mod {module};\n"), call, written))
}

fn placeholders(module: &GraphModule) -> usize {
    module.graph().placeholders().count()
}

const MANIFEST: &str = "\
[package]
name = \"emitted\"
version = \"0.1.0\"
edition = \"2024\"

[dependencies]
candle-core = \"0.11.1\"
candle-nn = \"0.11.1\"
half = \"2\"

[profile.dev]
debug = \"line-tables-only\"

[profile.dev.package.\"*\"]
opt-level = 1
debug = false

[workspace]
";

const HEAD: &str = "\
//! Runs the models of this crate on the inputs beside it, and writes what they give.

#![deny(warnings)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use candle_core::{Device, Result, Tensor};

type Input<'a> = &'a dyn Fn(usize, usize) -> Result<Tensor>;

fn check(name: &str, runs: usize, model: impl Fn(&Path, usize, Input<'_>) -> Result<Vec<Tensor>>) -> Result<()> {
    let directory = PathBuf::from(std::env::args().nth(1).unwrap_or_default());
    let file = |kind: &str| directory.join(format!(\"{name}.{kind}\"));
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
}

";
