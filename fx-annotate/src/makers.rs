//! Which functions make a module out of tensors while a model runs, `Entry::new(key, value)`: those have twins, though their
//! kind, constructors, has none.
//!
//! Invariant: what is called by nothing that computes is none of them, nor is what takes weights.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Block, Item, Signature};

use crate::classify::{Classes, methods};
use crate::signature::{is_computation, mentions_tensor, parameters, paths, result, takes_weights};
use crate::source::{SourceFile, walk};

/// Functions by type and name.
#[derive(Default)]
pub(super) struct Makers(BTreeSet<(usize, String)>);

impl Makers {
    /// Those of a crate, whose impls are read.
    pub(super) fn among<'a>(classes: &Classes, files: impl Iterator<Item = &'a SourceFile>) -> Self {
        let mut candidates = BTreeMap::new();
        let mut open = Vec::new();
        for file in files {
            walk(&file.syntax.items, &mut |item| match item {
                Item::Fn(item) if mentions_tensor(file, &parameters(&item.sig)) && !takes_weights(&item.sig) => {
                    open.extend(called(classes, file, None, &item.block));
                }
                Item::Impl(item) => {
                    let Some(owner) = classes.owner(file, item) else { return };
                    for method in methods(item) {
                        let calls = called(classes, file, Some(owner), &method.block);
                        let name = classes.name(owner);
                        if item.trait_.is_none() && is_maker(file, name, &method.sig) {
                            candidates.insert((owner, method.sig.ident.to_string()), calls);
                        } else if classes.is_relevant(file, item) && is_computation(file, name, &method.sig) {
                            open.extend(calls);
                        }
                    }
                }
                _ => {}
            });
        }
        let mut makers = BTreeSet::new();
        while let Some(next) = open.pop() {
            if let Some(calls) = candidates.remove(&next) {
                open.extend(calls);
                makers.insert(next);
            }
        }
        Self(makers)
    }

    pub(super) fn contains(&self, owner: usize, name: &str) -> bool {
        self.0.contains(&(owner, name.to_owned()))
    }
}

/// Whether a function makes a value of its type of tensors.
fn is_maker(file: &SourceFile, owner: &str, signature: &Signature) -> bool {
    let makes = result(signature).iter().any(|path| path.len() == 1 && (path[0] == "Self" || path[0] == owner));
    let takes_tensors = mentions_tensor(file, &parameters(signature));
    signature.receiver().is_none() && makes && takes_tensors && !takes_weights(signature)
}

/// The functions of types that a body names.
fn called(classes: &Classes, file: &SourceFile, own: Option<usize>, block: &Block) -> Vec<(usize, String)> {
    let named = paths(block).into_iter().filter_map(|mut path| {
        let name = path.pop()?;
        let of = if path.len() == 1 && path[0] == "Self" { own } else { classes.find(file, &path) };
        Some((of?, name))
    });
    named.collect()
}
