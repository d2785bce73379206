//! Which functions and methods hand modules on while a model runs: those that make one of tensors, `Entry::new(key, value)`,
//! of itself, or of another; and which ask one, with values of the crate's or in a free function. They have twins, though what
//! makes a model has none.
//!
//! Invariant: what is called by nothing that computes is none of them, nor is what takes weights.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Block, Item, Signature};

use crate::classify::{Classes, methods};
use crate::signature::{
    is_computation, lends, mentions_tensor, method_calls, parameters, paths, result, takes_weights,
};
use crate::source::{SourceFile, walk};

/// Functions by type, if they are of one, and name.
#[derive(Default)]
pub(super) struct Makers(BTreeSet<(Option<usize>, String)>);

impl Makers {
    /// Those of a crate, whose impls are read.
    pub(super) fn among<'a>(classes: &Classes, files: impl Iterator<Item = &'a SourceFile>) -> Self {
        let mut candidates: BTreeMap<(Option<usize>, String), Called> = BTreeMap::new();
        let mut open = Called::default();
        for file in files {
            walk(&file.syntax.items, &mut |item| match item {
                Item::Fn(item) if mentions_tensor(file, &parameters(&item.sig)) && !takes_weights(&item.sig) => {
                    open.add(classes, file, None, &item.block);
                }
                Item::Fn(item) if asks(classes, file, &item.sig) => {
                    let calls = candidates.entry((None, item.sig.ident.to_string())).or_default();
                    calls.add(classes, file, None, &item.block);
                }
                Item::Impl(item) => {
                    let Some(owner) = classes.owner(file, item) else { return };
                    for method in methods(item) {
                        let name = classes.name(owner);
                        let own = item.trait_.is_none();
                        if own && hands_on(classes, file, owner, &method.sig) {
                            let calls = candidates.entry((Some(owner), method.sig.ident.to_string())).or_default();
                            calls.add(classes, file, Some(owner), &method.block);
                        } else if classes.is_relevant(file, item)
                            && (is_computation(file, name, &method.sig) || classes.is_reached(&method.sig))
                        {
                            open.add(classes, file, Some(owner), &method.block);
                        }
                    }
                }
                _ => {}
            });
        }
        let mut makers = BTreeSet::new();
        loop {
            let is_called = |(owner, name): &(Option<usize>, String)| {
                open.functions.contains(&(*owner, name.clone())) || (owner.is_some() && open.methods.contains(name))
            };
            let news: Vec<_> = candidates.keys().filter(|candidate| is_called(candidate)).cloned().collect();
            if news.is_empty() {
                return Self(makers);
            }
            for new in news {
                if let Some(calls) = candidates.remove(&new) {
                    open.functions.extend(calls.functions);
                    open.methods.extend(calls.methods);
                }
                makers.insert(new);
            }
        }
    }

    pub(super) fn contains(&self, owner: Option<usize>, name: &str) -> bool {
        self.0.contains(&(owner, name.to_owned()))
    }
}

/// Whether a function makes a value of its type of tensors, or a method one of its type, takes or gives another type of the
/// crate or is generic. What holds layers is made before a model runs: a mirror's layers are the model's.
fn hands_on(classes: &Classes, file: &SourceFile, owner: usize, signature: &Signature) -> bool {
    if takes_weights(signature) || classes.is_out_of_reach(file, signature) {
        return false;
    }
    let (takes, gives, name) = (parameters(signature), result(signature), classes.name(owner));
    let makes = gives.iter().any(|path| path.len() == 1 && (path[0] == "Self" || path[0] == name));
    match signature.receiver() {
        None => makes && mentions_tensor(file, &takes) && !classes.holds_layers(owner),
        Some(_) if makes => true,
        // Those that compute have twins as they are.
        Some(_) if is_computation(file, name, signature) => false,
        Some(_) => {
            let generic = signature.generics.type_params().next().is_some();
            let gives = gives.iter().filter(|_| !lends(signature));
            generic || takes.iter().chain(gives).any(|path| classes.is_own(file, path))
        }
    }
}

/// Whether a free function asks a module, and has nothing to do with tensors.
fn asks(classes: &Classes, file: &SourceFile, signature: &Signature) -> bool {
    let free = !takes_weights(signature) && !classes.is_out_of_reach(file, signature);
    free && !mentions_tensor(file, &result(signature)) && classes.chosen_by(file, signature).is_some()
}

/// What bodies call: functions, each with the type that it is of, and methods by their names.
#[derive(Default)]
struct Called {
    functions: BTreeSet<(Option<usize>, String)>,
    methods: BTreeSet<String>,
}

impl Called {
    fn add(&mut self, classes: &Classes, file: &SourceFile, own: Option<usize>, block: &Block) {
        self.methods.extend(method_calls(block));
        for mut path in paths(block) {
            let Some(name) = path.pop() else { continue };
            let of = if path.len() == 1 && path[0] == "Self" { own } else { classes.find(file, &path) };
            let is_free = path.last().is_none_or(|last| last.starts_with(|first: char| first.is_lowercase()));
            if of.is_some() || is_free {
                self.functions.insert((of, name));
            }
        }
    }
}
