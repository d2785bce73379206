//! Which modules of a crate a few of its modules need.
//!
//! Paths beginning with `crate` or `super` are looked up in the tokens, macro arguments included. A unit is a module of
//! the crate's root or of `models`, as a file or as a directory with all there is in it.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module with everything below it.
pub(crate) struct Unit {
    /// Its path in the crate.
    pub(crate) path: Vec<String>,
    /// Its file or directory, relative to the source's root.
    pub(crate) file: PathBuf,
}

/// The wanted modules, given as `models::bert`, and all they need, in order of path.
pub(crate) fn closure<'a>(source: &Path, wanted: impl Iterator<Item = &'a str>) -> Result<Vec<Unit>, Box<dyn Error>> {
    let mut units: BTreeMap<Vec<String>, PathBuf> = BTreeMap::new();
    let mut open = Vec::new();
    for path in wanted {
        let segments: Vec<_> = path.split("::").map(str::to_owned).collect();
        open.push(unit(source, &segments).ok_or_else(|| format!("there is no module `{path}`"))?);
    }
    while let Some(Unit { path, file }) = open.pop() {
        if units.contains_key(&path) {
            continue;
        }
        let mut used = Vec::new();
        read(&source.join(&file), &path, &mut used)?;
        units.insert(path, file);
        open.extend(used.iter().filter_map(|path| unit(source, path)));
    }
    Ok(units.into_iter().map(|(path, file)| Unit { path, file }).collect())
}

/// The unit that a path in the crate leads into.
fn unit(source: &Path, path: &[String]) -> Option<Unit> {
    let length = if path.first()? == "models" { 2 } else { 1 };
    let path = path.get(..length)?;
    let place: PathBuf = path.iter().collect();
    let file = [place.with_extension("rs"), place].into_iter().find(|file| source.join(file).exists())?;
    Some(Unit { path: path.to_vec(), file })
}

/// Collects the paths that a file, or all files of a directory, use; `module` is its place in the crate.
fn read(file: &Path, module: &[String], used: &mut Vec<Vec<String>>) -> Result<(), Box<dyn Error>> {
    if file.is_dir() {
        for entry in fs::read_dir(file)? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let inner = if name == "mod" { module.to_vec() } else { [module, &[name]].concat() };
            read(&path, &inner, used)?;
        }
    } else if file.extension().is_some_and(|extension| extension == "rs") {
        let tokens: TokenStream =
            fs::read_to_string(file)?.parse().map_err(|error| format!("{}: {error}", file.display()))?;
        let mut paths = Vec::new();
        scan(tokens, &mut paths);
        used.extend(paths.into_iter().filter_map(|path| absolute(module, &path)));
    }
    Ok(())
}

/// A path as seen from the crate's root.
fn absolute(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|segment| *segment == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "super" => Some([&module[..module.len().checked_sub(supers)?], &path[supers..]].concat()),
        _ => None,
    }
}

fn scan(tokens: TokenStream, paths: &mut Vec<Vec<String>>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(ident) if *ident == "crate" || *ident == "super" => {
                at = follow(&tokens, at, Vec::new(), paths);
            }
            TokenTree::Group(group) => scan(group.stream(), paths),
            _ => {}
        }
        at += 1;
    }
}

/// Reads a path with groups, as in `use crate::{a::b, c}`, and returns the index of its last token.
fn follow(tokens: &[TokenTree], mut at: usize, mut prefix: Vec<String>, paths: &mut Vec<Vec<String>>) -> usize {
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(ident)) => prefix.push(ident.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace && !prefix.is_empty() => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
                for part in inner.split(comma).filter(|part| !part.is_empty()) {
                    follow(part, 0, prefix.clone(), paths);
                }
                return at;
            }
            _ => {
                paths.push(prefix);
                return at;
            }
        }
        let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        if !(colon(at + 1) && colon(at + 2)) {
            paths.push(prefix);
            return at;
        }
        at += 3;
    }
}
