//! The annotator on directories and files on disk.

use std::fs;
use std::path::PathBuf;

use fx_annotate::{AnnotateError, annotate};

/// An empty directory of that name.
fn directory(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory).unwrap();
    }
    fs::create_dir_all(&directory).unwrap();
    directory
}

#[test]
fn a_directory_is_copied_with_all_files_and_the_rust_ones_annotated() {
    let root = directory("tree");
    let from = root.join("from");
    fs::create_dir_all(from.join("src/deep")).unwrap();
    fs::create_dir_all(from.join("target")).unwrap();
    fs::write(from.join("src/deep/model.rs"), "use candle_nn::Linear;\r\nstruct M(Linear);\r\n").unwrap();
    fs::write(from.join("src/broken.rs"), "\nstruct;").unwrap();
    fs::write(from.join("weights.bin"), [0, 255, 10]).unwrap();
    fs::write(from.join("target/output.rs"), "").unwrap();

    let to = root.join("to");
    let summary = annotate(&from, &to).unwrap();
    let read = |path: &str| fs::read(to.join(path)).unwrap();
    assert_eq!(read("src/deep/model.rs"), b"use candle_nn::Linear;\r\n#[fx::module]\r\nstruct M(Linear);\r\n");
    assert_eq!(read("src/broken.rs"), b"\nstruct;");
    assert_eq!(read("weights.bin"), [0, 255, 10]);
    assert!(!to.join("target").exists());
    assert_eq!(
        summary.to_string(),
        "annotated 1 files; structs and enums: 1, constants: 0, traits: 0, impls: 0, functions: 0\n\
         did not parse and copied as they are: 1\n  src/broken.rs: line 2: expected identifier"
    );
    // What is annotated already stays as it is.
    let again = root.join("again");
    assert_eq!(annotate(&to, &again).unwrap().structs, 0);
    assert_eq!(fs::read(again.join("src/deep/model.rs")).unwrap(), read("src/deep/model.rs"));
}

#[test]
fn a_file_is_copied_to_a_file_or_into_a_directory() {
    let root = directory("file");
    let from = root.join("model.rs");
    fs::write(&from, "struct M(candle_nn::Linear);").unwrap();
    fs::create_dir_all(root.join("existing")).unwrap();
    annotate(&from, &root.join("new/other.rs")).unwrap();
    annotate(&from, &root.join("existing")).unwrap();
    let wanted = "#[fx::module]\nstruct M(candle_nn::Linear);";
    assert_eq!(fs::read_to_string(root.join("new/other.rs")).unwrap(), wanted);
    assert_eq!(fs::read_to_string(root.join("existing/model.rs")).unwrap(), wanted);
}

#[test]
fn a_copy_into_its_source_is_refused() {
    let root = directory("overlap");
    fs::write(root.join("model.rs"), "").unwrap();
    for to in [root.clone(), root.join("src/annotated"), root.join("other/../here")] {
        let error = annotate(&root, &to).unwrap_err();
        assert!(matches!(error, AnnotateError::Overlap { .. }), "{error}");
    }
    let error = annotate(&root.join("missing"), &root).unwrap_err();
    assert!(matches!(error, AnnotateError::Io { action: "read", .. }), "{error}");
}
