//! [`Replacement`]: a file that appears whole or not at all.
//!
//! Invariant: until [`put_in_place`] the file that was there is untouched; whatever fails, no new file stays behind.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The new content of a file, in a file of another name in the same folder.
pub(super) struct Replacement {
    pub(super) target: PathBuf,
    temporary: PathBuf,
}

impl Replacement {
    /// For this file; nothing is written yet.
    pub(super) fn of(target: &Path) -> Self {
        Self { target: target.to_owned(), temporary: beside(target, "new") }
    }

    /// Where to write.
    pub(super) fn path(&self) -> &Path {
        &self.temporary
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // It is there only if something failed.
        let _ = std::fs::remove_file(&self.temporary);
    }
}

/// A name in the same folder that nobody else uses.
fn beside(target: &Path, what: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}.{}.{what}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    target.with_file_name(name)
}

/// Puts all files in place of what was there, or none.
///
/// # Errors
///
/// The file that could not be replaced; those before it are what they were.
pub(super) fn put_in_place(files: &[&Replacement]) -> Result<(), (PathBuf, io::Error)> {
    let mut replaced: Vec<(&Replacement, Option<PathBuf>)> = Vec::new();
    for file in files {
        match put_one(file) {
            Ok(old) => replaced.push((file, old)),
            Err(error) => {
                for (file, old) in replaced.into_iter().rev() {
                    let _ = match old {
                        Some(old) => std::fs::rename(old, &file.target),
                        None => std::fs::remove_file(&file.target),
                    };
                }
                return Err((file.target.clone(), error));
            }
        }
    }
    for old in replaced.into_iter().filter_map(|(_, old)| old) {
        let _ = std::fs::remove_file(old);
    }
    Ok(())
}

/// Puts one file in place, and returns where the old one is now.
fn put_one(file: &Replacement) -> io::Result<Option<PathBuf>> {
    let old = match std::fs::metadata(&file.target) {
        Ok(there) if there.is_dir() => return Err(io::Error::other("it is a folder")),
        Ok(_) => {
            let old = beside(&file.target, "old");
            std::fs::rename(&file.target, &old)?;
            Some(old)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match std::fs::rename(&file.temporary, &file.target) {
        Ok(()) => Ok(old),
        Err(error) => {
            if let Some(old) = old {
                let _ = std::fs::rename(old, &file.target);
            }
            Err(error)
        }
    }
}
