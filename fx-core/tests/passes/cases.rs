//! Cases as text: the graph before, the pass, the graph after. `UPDATE_CASES=1` writes the last part anew, to be
//! reviewed.
//!
//! A case is made of parts, each after a line `== name`: `pass`, `before`, `after`, and for `replace` a `pattern` and a
//! `replacement`. Attributes that the graph names are tensors of 2 × 3 numbers.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use fx_core::ir::{Graph, Op};
use fx_core::module::{Attribute, Attributes, GraphModule};
use fx_core::ops::OpTable;
use fx_core::passes::{
    CommonSubexpressions, ConstantFolding, DeadCode, Fuel, IntoPattern, Partitioner, Pass, PatternRewriter,
    SubgraphMatcher,
};

use super::data;

const PARTS: [&str; 5] = ["pass", "pattern", "replacement", "before", "after"];

fn parts(text: &str) -> HashMap<&str, String> {
    let mut parts: HashMap<&str, String> = HashMap::new();
    let mut current = "";
    for line in text.lines() {
        match line.strip_prefix("== ") {
            Some(name) => current = PARTS.iter().find(|part| **part == name).expect("a part that there is"),
            None => writeln!(parts.entry(current).or_default(), "{line}").unwrap(),
        }
    }
    parts.into_iter().map(|(name, text)| (name, text.trim().to_owned())).collect()
}

fn graph(text: &str) -> Graph {
    Graph::parse(text, OpTable::builtin()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn module(text: &str) -> GraphModule {
    let graph = graph(text);
    let mut attributes = Attributes::new();
    for (seed, id) in graph.find_nodes(Op::GetAttr, None).enumerate() {
        let path = graph.node(id).target().path().unwrap().clone();
        if !attributes.contains(&path) {
            attributes.insert(path, Attribute::Tensor(data(&[2, 3], seed)));
        }
    }
    GraphModule::new(graph, attributes).unwrap()
}

fn run(case: &HashMap<&str, String>) -> String {
    let mut module = module(&case["before"]);
    let mut fuel = Fuel::unlimited();
    let mut words = case["pass"].split_whitespace();
    let name = words.next().unwrap();
    let banned: Vec<&str> = words.collect();
    let outcome = match name {
        "cse" => CommonSubexpressions::new().run(&mut module, &mut fuel),
        "fold" => ConstantFolding::new().run(&mut module, &mut fuel),
        "dead_code" => DeadCode::new().run(&mut module, &mut fuel),
        "fuse" => {
            let is_supported =
                |graph: &Graph, id| graph.node(id).target().operation().is_some_and(|op| !banned.contains(&op.name));
            Partitioner::new(is_supported).run(&mut module, &mut fuel)
        }
        "replace" => PatternRewriter::new(graph(&case["pattern"]))
            .unwrap()
            .replacement(graph(&case["replacement"]))
            .map_err(Into::into)
            .and_then(|mut rewriter| rewriter.run(&mut module, &mut fuel)),
        "explain" => {
            let matcher = SubgraphMatcher::new(graph(&case["pattern"]).into_pattern().unwrap()).unwrap();
            return matcher.explain(&module).map_or_else(|| "it occurs".to_owned(), |why| why.to_string());
        }
        other => panic!("no pass `{other}`"),
    };
    module.check().unwrap();
    match outcome {
        Ok(true) => module.to_string(),
        Ok(false) => {
            assert_eq!(module.graph().to_string(), graph(&case["before"]).to_string(), "said to be unchanged");
            "unchanged".to_owned()
        }
        Err(error) => {
            assert_eq!(module.graph().to_string(), graph(&case["before"]).to_string(), "said to be left alone");
            format!("error: {error}")
        }
    }
}

#[test]
fn every_case_is_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 10, "{files:?}");
    let mut wrong = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let case = parts(&text);
        let found = run(&case);
        let expected = case.get("after").map_or("", String::as_str);
        if found != expected {
            if std::env::var_os("UPDATE_CASES").is_some() {
                let kept = text.split("== after").next().unwrap();
                std::fs::write(&file, format!("{kept}== after\n{found}\n")).unwrap();
            } else {
                write!(wrong, "{}\n--- expected\n{expected}\n--- found\n{found}\n", file.display()).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
