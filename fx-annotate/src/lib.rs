//! Adds fx's attributes to candle code by program, as a person would by hand.
//!
//! Attributes are inserted into the text, so formatting, comments and everything else of a file stay as they are.
//! The rules are general: they look at what a type holds and what a function takes, never at which model it is.
//! - A struct or enum is a module if it holds tensors, layers or other modules, or computes on tensors; what is
//!   left is plain data, a constant.
//! - An impl of a module is annotated if one of its methods computes on tensors or is called by one that does.
//! - A free function is annotated if it takes tensors, or modules and returns tensors, and is not a constructor; or
//!   if it returns closures. A method that makes a module from weights is included, `#[fx(include)]`, if that hides layers
//!   in closures, a `Sequential` or a `Box<dyn Module>`: they are seen while it is built.
//! - A trait is annotated, and its impls with it, if its methods are about tensors and it has nothing else; so are, with
//!   `bounds`, functions and impls that are generic over it or take its objects.
//! - A method that steers the model from outside, or takes what no graph knows, is left out: `#[fx(skip)]`. So is one of a
//!   trait whose name another method of the type has, since twins of both would be one.
//! - Where a body reads numbers out of tensors, the attribute says `specialize`.
//!
//! Invariant: taking the inserted text out again gives the original file, byte for byte.
//!
//! Nothing here depends on fx or candle, so that it is built in no time.

mod account;
mod attributes;
mod classify;
mod drivers;
mod insert;
mod makers;
mod signature;
mod source;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub use account::Left;
pub use insert::{Insertion, apply};
pub use tree::annotate;

use classify::Classes;
use source::SourceFile;

/// [`annotate`] as a command: says on the terminal what came of it.
pub fn command(from: &Path, to: &Path) -> ExitCode {
    match annotate(from, to) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What can go wrong while reading the source and writing the annotated copy.
#[derive(Debug, thiserror::Error)]
pub enum AnnotateError {
    /// A file or directory could not be read or written.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// What was attempted, as a verb.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The copy would be written over its source or into it.
    #[error("`{}` lies in `{}`: the annotated copy needs a place outside of its source", to.display(), from.display())]
    Overlap {
        /// The source.
        from: PathBuf,
        /// The place asked for.
        to: PathBuf,
    },
}

/// How many items got an attribute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Rust files read and parsed, whether or not there was something to annotate in them.
    pub files: usize,
    /// Structs and enums annotated as modules.
    pub structs: usize,
    /// Structs and enums annotated as constants.
    pub constants: usize,
    /// Traits annotated.
    pub traits: usize,
    /// Impl blocks annotated.
    pub impls: usize,
    /// Free functions annotated.
    pub functions: usize,
    /// Imports added, of traits that candle-transformers gives tensors.
    pub imports: usize,
    /// What is about tensors and was left alone, with the reason.
    pub left: Vec<Left>,
    /// Rust files that did not parse and were copied as they are, with the parser's reason.
    pub unparsed: Vec<(PathBuf, String)>,
}

impl Summary {
    /// Adds another summary's counts to this one.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.structs += other.structs;
        self.constants += other.constants;
        self.traits += other.traits;
        self.impls += other.impls;
        self.functions += other.functions;
        self.imports += other.imports;
        self.left.extend(other.left);
        self.unparsed.extend(other.unparsed);
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { files, structs, constants, traits, impls, functions, imports, left, unparsed } = self;
        write!(
            f,
            "annotated {files} files; structs and enums: {structs}, constants: {constants}, traits: {traits}, \
             impls: {impls}, \
             functions: {functions}"
        )?;
        if *imports > 0 {
            write!(f, ", imports: {imports}")?;
        }
        account::write(left, f)?;
        if !unparsed.is_empty() {
            write!(f, "\ndid not parse and copied as they are: {}", unparsed.len())?;
            for (path, reason) in unparsed {
                write!(f, "\n  {}: {reason}", path.display())?;
            }
        }
        Ok(())
    }
}

/// The Rust files of one crate, read together: whether a type is a module can depend on a type in another file.
pub struct Crate {
    files: BTreeMap<PathBuf, SourceFile>,
    unparsed: Vec<(PathBuf, String)>,
    classes: Classes,
}

impl Crate {
    /// Parses and classifies files given as path (relative to the crate's root) and text.
    pub fn new(texts: impl IntoIterator<Item = (PathBuf, String)>) -> Self {
        let mut files = BTreeMap::new();
        let mut unparsed = Vec::new();
        for (path, text) in texts {
            let lines = text.lines().count();
            match SourceFile::parse(&path, text) {
                Ok(file) => drop(files.insert(path, file)),
                Err(error) => {
                    // What is missing at the end of a file has no place in it.
                    let at_end = error.to_string().starts_with("unexpected end of input");
                    let line = if at_end { lines } else { error.span().start().line };
                    unparsed.push((path, format!("line {line}: {error}")));
                }
            }
        }
        let classes = Classes::of(files.values());
        Self { files, unparsed, classes }
    }

    /// The text to insert into one file, in order of position, and the counts for it. `None` for a file that is not
    /// in this crate or did not parse.
    pub fn insertions(&self, path: &Path) -> Option<(Vec<Insertion>, Summary)> {
        let file = self.files.get(path)?;
        Some(attributes::insertions(path, file, &self.classes))
    }

    /// The files that did not parse, each with the parser's reason.
    pub fn unparsed(&self) -> &[(PathBuf, String)] {
        &self.unparsed
    }
}
