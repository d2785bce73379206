//! The models of the corpus, as a test: all are captured, and their graphs give the original's results.
//!
//! `UPDATE_GENERATED=1` writes `MODELS.md` and the README's table anew. A model that has lost something fails all the same, until
//! its row is removed by hand.

// What the examples call it.
extern crate candle as candle_core;

use std::fs;
use std::path::Path;

use candle::DType;
use corpus::case::{Captured, Failure};
use corpus::difference::Difference;
use corpus::table::{self, Table};
use corpus::{cases, emit, weights};

#[path = "support/hostile.rs"]
mod hostile;
#[path = "support/resnet18.rs"]
mod resnet18;
#[path = "support/routing.rs"]
mod routing;
#[path = "support/sized.rs"]
mod sized;
#[path = "support/torch_nn.rs"]
mod torch_nn;

#[test]
fn the_stored_table_is_what_the_models_give() {
    let table = Table::of(&corpus::cases::all());
    let page = table::page(&table);
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (path, readme) = (package.join("MODELS.md"), package.join("../../README.md"));
    let stored = fs::read_to_string(&path).unwrap_or_default();
    let lost = table::regressions(&stored, &page);
    assert!(lost.is_empty(), "models have lost what MODELS.md says of them:\n{}", lost.join("\n"));

    let front = fs::read_to_string(&readme).expect("the README");
    let front_now = table::front_page(&front, &table).expect("the README's place for the table");
    for (path, stored, now) in [(path, stored, page), (readme, front, front_now)] {
        if std::env::var_os("UPDATE_GENERATED").is_some() && stored != now {
            fs::write(&path, &now).unwrap();
            continue;
        }
        let changed: Vec<_> = now.lines().filter(|line| !stored.lines().any(|stored| stored == *line)).collect();
        assert!(stored == now, "{} is stale; new lines:\n{}", path.display(), changed.join("\n"));
    }
}

/// ResNet-18 in its real size.
fn resnet18() -> Result<Captured, Failure> {
    let model = resnet18::ResNet::resnet18(10, weights::var_builder(1))?;
    let graph = fx::Tracer::new().input("x", DType::F32, (1, 3, 64, 64)).concrete_arg("train", false).trace(&model)?;
    let inputs = [2, 3].map(|seed| Ok(vec![weights::uniform(seed, (1, 3, 64, 64))?]));
    Ok(Captured { graph, inputs: inputs.into_iter().collect::<candle::Result<_>>()? })
}

/// A model of each kind: encoders, decoders with caches, image models of both families, audio, both together.
const REPRESENTATIVE: [&str; 12] = [
    "bert",
    "distilbert",
    "dinov2",
    "efficientnet",
    "llama",
    "vit",
    "t5",
    "whisper",
    "qwen2",
    "mamba",
    "segformer",
    "stable_lm",
];

/// To be read: would a person have written it so?
#[test]
fn written_source_reads_well() {
    let bert = cases::all().into_iter().find(|case| case.model == "bert").expect("a case of it");
    let graphs = [("bert", bert.captured()), ("resnet18", resnet18()), ("torch_resnet18", torch_nn::resnet18())];
    for (name, captured) in graphs {
        let graph = captured.unwrap_or_else(|error| panic!("{name}: {error}")).graph;
        let written = fx::codegen::Folder::new().write(&graph).unwrap_or_else(|error| panic!("{name}: {error}"));
        insta::assert_snapshot!(name, written.code().as_str());
    }
}

/// The first case of representative models, and graphs that are hard to write: the graph, and the program that it is written as,
/// compute the same bits.
#[test]
fn models_are_written_as_source() {
    let mut captured: Vec<(&str, Result<Captured, Failure>)> = vec![
        ("resnet18", resnet18()),
        ("names", hostile::names()),
        ("modules", hostile::modules()),
        ("long_chain", hostile::long_chain()),
        ("torn", hostile::torn()),
        ("literals", hostile::literals()),
        ("torch_resnet18", torch_nn::resnet18()),
        ("torch_images", torch_nn::images()),
        ("torch_sequences", torch_nn::sequences()),
        ("sized", sized::sized()),
        ("routed", routing::routed()),
    ];
    for case in cases::all() {
        if REPRESENTATIVE.contains(&case.model) && captured.iter().all(|(model, _)| *model != case.model) {
            captured.push((case.model, case.captured()));
        }
    }
    let bert = cases::all().into_iter().find(|case| case.model == "bert").expect("a case of it");
    let of_sizes = bert.captured_for_all_sizes().and_then(|graph| graph.ok_or_else(|| "it follows no size".into()));
    captured.push(("bert_sizes", of_sizes));
    let models: Vec<&str> = captured.iter().map(|(model, _)| *model).collect();
    let captured = captured.into_iter().map(|(model, captured)| Ok((model.to_owned(), captured?)));
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("emitted");
    let functions = routing::functions(&directory.with_file_name("functions")).expect("a crate can be written");
    let dependencies = [(env!("CARGO_CRATE_NAME"), functions.as_str())];
    let outcomes = emit::emit_captured(captured, &dependencies, &directory).unwrap_or_else(|error| panic!("{error}"));
    let mut failures = String::new();
    for (model, outcome) in models.iter().zip(outcomes) {
        match outcome {
            Ok(emitted) if emitted.difference == Difference::None => {}
            Ok(emitted) => failures.push_str(&format!("{model}: differs by {}\n", emitted.difference)),
            Err(failure) => failures.push_str(&format!("{model}: {failure}\n")),
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}
