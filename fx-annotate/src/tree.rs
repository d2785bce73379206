//! Annotates a file or a whole directory, from one place to another.
//!
//! Everything is copied, what is not Rust as it is; only version control and build output stay behind. Invariant: the
//! source is never written to, and a file that is up to date in the copy is not touched.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{AnnotateError, Crate, Summary, apply};

/// Directories that are not source.
const SKIPPED: [&str; 2] = [".git", "target"];

/// Writes an annotated copy of `from`, a Rust file or a directory, to `to`.
///
/// # Errors
///
/// If something cannot be read or written, or `to` lies in `from`.
pub fn annotate(from: &Path, to: &Path) -> Result<Summary, AnnotateError> {
    let from = from.canonicalize().map_err(|source| error("read", from, source))?;
    if from.is_file() {
        let name = from.file_name().map(PathBuf::from).unwrap_or_default();
        let to = if to.is_dir() { to.join(&name) } else { to.to_path_buf() };
        check_apart(&from, &to)?;
        return copy(&[(from, to, name)]);
    }
    check_apart(&from, to)?;
    let mut files = Vec::new();
    list(&from, Path::new(""), &mut files)?;
    let files: Vec<_> = files.into_iter().map(|path| (from.join(&path), to.join(&path), path)).collect();
    copy(&files)
}

/// Copies files given as source, target and path in the crate.
fn copy(files: &[(PathBuf, PathBuf, PathBuf)]) -> Result<Summary, AnnotateError> {
    let mut texts = Vec::new();
    let mut summary = Summary::default();
    for (from, to, path) in files {
        let bytes = fs::read(from).map_err(|source| error("read", from, source))?;
        if path.extension().is_none_or(|extension| extension != "rs") {
            write(to, &bytes)?;
            continue;
        }
        match String::from_utf8(bytes) {
            Ok(text) => texts.push((to, path, text)),
            Err(invalid) => {
                summary.unparsed.push((path.clone(), invalid.utf8_error().to_string()));
                write(to, invalid.as_bytes())?;
            }
        }
    }
    let source = Crate::new(texts.iter().map(|(_, path, text)| ((*path).clone(), text.clone())));
    summary.unparsed.extend(source.unparsed().iter().cloned());
    for (to, path, text) in &texts {
        match source.insertions(path) {
            Some((insertions, counts)) => {
                summary.add(counts);
                write(to, apply(text, &insertions).as_bytes())?;
            }
            None => write(to, text.as_bytes())?,
        }
    }
    Ok(summary)
}

fn check_apart(from: &Path, to: &Path) -> Result<(), AnnotateError> {
    // The target need not exist yet: what exists of it is resolved, the rest is taken as written.
    let absolute = std::path::absolute(to).map_err(|source| error("find", to, source))?;
    let existing = absolute.ancestors().find_map(|ancestor| {
        let rest = absolute.strip_prefix(ancestor).ok()?;
        Some(ancestor.canonicalize().ok()?.join(rest))
    });
    match existing {
        Some(place) if place.starts_with(from) => {
            Err(AnnotateError::Overlap { from: from.to_path_buf(), to: to.to_path_buf() })
        }
        _ => Ok(()),
    }
}

/// The files below `root`/`directory`, relative to `root`, in order of name.
fn list(root: &Path, directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), AnnotateError> {
    let place = root.join(directory);
    let read = |source| error("read", &place, source);
    let mut entries = fs::read_dir(&place).map_err(read)?.collect::<Result<Vec<_>, _>>().map_err(read)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = directory.join(entry.file_name());
        // A link to a directory is not followed, so that a cycle of links ends.
        let kind = entry.file_type().map_err(read)?;
        if kind.is_dir() {
            if !SKIPPED.iter().any(|skipped| entry.file_name() == *skipped) {
                list(root, &path, files)?;
            }
        } else if root.join(&path).is_file() {
            files.push(path);
        }
    }
    Ok(())
}

/// Writes a file and the directories it lies in, unless it has that content already.
fn write(path: &Path, content: &[u8]) -> Result<(), AnnotateError> {
    if fs::read(path).is_ok_and(|existing| existing == content) {
        return Ok(());
    }
    let parent = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(parent).map_err(|source| error("create", parent, source))?;
    fs::write(path, content).map_err(|source| error("write", path, source))
}

fn error(action: &'static str, path: &Path, source: std::io::Error) -> AnnotateError {
    AnnotateError::Io { action, path: path.to_path_buf(), source }
}
