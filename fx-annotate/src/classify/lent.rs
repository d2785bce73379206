//! By which argument a function is chosen: by the type of one that callers have as the guard of a lock or a cell, which a
//! generic function does not take for what it guards; and by a module of one that has nothing to do with tensors besides.
//!
//! Invariant: a function that takes a tensor before such an argument is chosen by the tensor.

use syn::{FnArg, Pat, Signature};

use super::{Class, Classes};
use crate::signature::{mentions, mentions_tensor, result};
use crate::source::SourceFile;

/// What gives a guard.
const GUARDED: [&str; 3] = ["Mutex", "RwLock", "RefCell"];

impl Classes {
    /// The name of that parameter, if there is one.
    pub(crate) fn chosen_by(&self, file: &SourceFile, signature: &Signature) -> Option<String> {
        let asks = !mentions_tensor(file, &result(signature));
        for input in &signature.inputs {
            let FnArg::Typed(input) = input else { return None };
            let mentioned = mentions(&input.ty);
            if mentions_tensor(file, &mentioned) {
                return None;
            }
            let chooses = |path: &Vec<String>| {
                let id = self.find(file, path)?;
                let module = self.types[id].class == Some(Class::Module);
                (module && (asks || self.is_guarded(id))).then_some(())
            };
            if let ([path], Pat::Ident(name)) = (&without_borrow(mentioned)[..], &*input.pat)
                && chooses(path).is_some()
            {
                return Some(name.ident.to_string());
            }
        }
        None
    }

    /// Whether a type of the crate holds this one behind a lock or a cell.
    fn is_guarded(&self, id: usize) -> bool {
        let guards = |name: &str| GUARDED.contains(&name);
        (0..self.types.len())
            .any(|holder| self.types[holder].holds(guards) && self.held_types(holder).any(|held| held == id))
    }
}

fn without_borrow(mentioned: Vec<Vec<String>>) -> Vec<Vec<String>> {
    mentioned.into_iter().filter(|path| path[0] != "&mut").collect()
}
