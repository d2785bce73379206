//! The rules of the code base that no compiler checks.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn sources() -> Vec<PathBuf> {
    ["src", "fx-annotate/src", "fx-core/src", "fx-macros/src", "fx-nn/src", "tests/corpus/src"]
        .iter()
        .flat_map(|directory| rust_files(&root().join(directory)))
        .collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file of the repository")
}

/// The modules of fx-core in order, as its `lib.rs` declares them.
fn modules() -> Vec<String> {
    let declared = read(&root().join("fx-core/src/lib.rs"));
    let names = declared.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    names.map(str::to_owned).collect()
}

#[test]
fn a_module_uses_only_what_stands_before_it() {
    let order = modules();
    assert!(order.len() >= 10, "{order:?}");
    let position = |module: &str| order.iter().position(|name| name == module);
    let mut wrong = Vec::new();
    for path in rust_files(&root().join("fx-core/src")) {
        let inside = path.strip_prefix(root().join("fx-core/src")).expect("below it");
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let Some(own) = position(first.trim_end_matches(".rs")) else { continue };
        for (number, line) in read(&path).lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for used in line.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if position(&name).is_some_and(|used| used > own) {
                    wrong.push(format!("{}:{}: uses `{name}`, which stands after it", inside.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_holds() {
    let silent: Vec<_> = sources().into_iter().filter(|path| !read(path).starts_with("//!")).collect();
    assert!(silent.is_empty(), "{silent:?}");
}

#[test]
fn files_hold_one_idea() {
    let long: Vec<_> = sources().into_iter().filter(|path| read(path).lines().count() > 600).collect();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn no_operation_is_named_outside_the_table() {
    let names: Vec<&str> =
        fx::ops::OpTable::builtin().iter().map(|op| op.short_name()).filter(|name| name.len() > 3).collect();
    let mut found = Vec::new();
    for directory in ["ir", "text", "interp", "codegen", "module"] {
        for path in rust_files(&root().join("fx-core/src").join(directory)) {
            let stem = path.file_stem().expect("a name").to_string_lossy();
            let declarations = ["", "pub(crate) "].map(|visible| format!("#[cfg(test)]\n{visible}mod {stem};"));
            let folder = path.parent().expect("a folder");
            let parents = [folder.join("mod.rs"), folder.with_extension("rs")];
            let is_test = |parent: &PathBuf| declarations.iter().any(|declared| read(parent).contains(declared));
            if parents.iter().any(|parent| parent.exists() && is_test(parent)) {
                continue;
            }
            let text = read(&path);
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            found.extend(
                names
                    .iter()
                    .filter(|name| code.contains(&format!("\"{name}\"")))
                    .map(|name| format!("{}: {name}", path.display())),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn twins_shadow_every_function_of_the_table() {
    let text = rust_files(&root().join("fx-macros/src")).iter().map(|path| read(path)).collect::<String>();
    let list = |name: &str| {
        let start = format!("{name}: &[&str] = &[");
        let names = text.split(&start).nth(1).and_then(|rest| rest.split(']').next()).expect("the list");
        names.split(',').map(|name| name.trim().trim_matches('"')).filter(|name| !name.is_empty()).collect::<Vec<_>>()
    };
    // The second holds functions with a type parameter.
    let mut listed = [list("SHADOWED"), list("SHADOWED_WITH_TYPE")].concat();
    // Some are several operations each, or one by another name, and have no row; they stand with the others.
    let functions = read(&root().join("fx-core/src/trace/functions.rs"));
    let imported = functions.lines().filter_map(|line| line.trim().strip_prefix("pub use ")?.split_once("::bare::"));
    let composed = imported.flat_map(|(_, names)| names.trim_matches(['{', '}', ';']).split(", "));
    let mut described: Vec<&str> = fx::ops::OpTable::builtin()
        .iter()
        .filter(|op| op.name.starts_with("candle_nn::"))
        .map(|op| op.short_name())
        .chain(composed)
        .collect();
    listed.sort_unstable();
    described.sort_unstable();
    described.dedup();
    assert_eq!(listed, described);
}

#[test]
fn twins_know_the_constructors_of_layers_that_mirrors_have() {
    let quoted = |text: &str| text.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let (mut of_weights, mut of_tensors) = (Vec::new(), Vec::new());
    let list = read(&root().join("fx-macros/src/twin/layers.rs"));
    for line in list.lines().filter(|line| line.starts_with("    (\"")) {
        let [name, weights, tensors] =
            line.splitn(3, "&[").collect::<Vec<_>>().try_into().expect("a name and two lists");
        let of =
            |list: &str| quoted(list).into_iter().map(|new| format!("{}::{new}", quoted(name)[0])).collect::<Vec<_>>();
        of_weights.extend(of(weights));
        of_tensors.extend(of(tensors));
    }
    let mirrors = |path: &str| {
        let source = read(&root().join(path));
        let inside =
            source.split("\nmade! {\n").nth(1).and_then(|rest| rest.split("\n}\n").next()).expect("the mirrors");
        inside.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };

    let built: Vec<String> = mirrors("fx-core/src/leaf/built.rs")
        .iter()
        .filter_map(|line| Some(line.split_once('(')?.0.to_owned()))
        .collect();
    assert!(built.len() > 10, "{built:?}");
    assert_eq!(of_weights, built);

    let (mut made, mut layer) = (Vec::new(), String::new());
    for line in mirrors("fx-core/src/leaf/made.rs") {
        if let Some((name, _)) = line.split_once(" {").filter(|_| line.ends_with("by {")) {
            layer = name.to_owned();
        } else if let Some((constructor, _)) = line.split_once('(').filter(|_| line.contains("=>")) {
            made.push(format!("{layer}::{constructor}"));
        }
    }
    assert!(made.len() > 5, "{made:?}");
    assert_eq!(of_tensors, made);
}

#[test]
fn the_architecture_page_shows_the_real_entry() {
    let page = read(&root().join("fx-core/ARCHITECTURE.md"));
    let shown =
        page.split("This is all there is of").nth(1).and_then(|rest| rest.split("```").nth(1)).expect("the entry");
    let entry = shown.strip_prefix("rust,ignore\n").expect("a Rust block");
    let source = read(&root().join("fx-core/src/ops/elementwise.rs"));
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&source).contains(&flat(entry)), "fx-core/ARCHITECTURE.md shows an entry that has changed");
}
