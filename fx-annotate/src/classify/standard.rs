//! Impls of the standard library's traits that computations use without a call one sees: operators, conversions, pointers.
//!
//! Invariant: nothing that loads or configures a model is one, nor what no computation can reach.

use syn::ItemImpl;

use super::{Class, Classes, methods};
use crate::signature::{mentions_tensor, parameters, reads_data, result, takes_weights};
use crate::source::{Origin, SourceFile, segments};

/// Traits that a type has beside tensors or modules: what they are about is in their arguments and associated types.
const BESIDE: [&str; 11] =
    ["Deref", "DerefMut", "AsRef", "AsMut", "Index", "IndexMut", "Add", "Sub", "Mul", "Div", "Neg"];

impl Classes {
    /// Whether a trait of the crate's own is one of modules: some have it, or nobody that can be seen, as where a macro writes
    /// the impls. A bound by it then does not hold of mirrors.
    pub(super) fn has_module(&self, name: &str) -> bool {
        let is_module = |owner: &Option<usize>| owner.is_some_and(|id| self.types[id].class == Some(Class::Module));
        self.traits.contains(name) && self.having.get(name).is_none_or(|having| having.iter().any(is_module))
    }

    /// Whether an impl of a module is of such a trait, and computations may use it.
    pub(crate) fn is_standard(&self, file: &SourceFile, item: &ItemImpl) -> bool {
        let Some((path, _)) = &item.trait_ else { return false };
        let path = segments(path);
        let of_crate = matches!(file.origin(&path), Origin::Crate(path) if path.len() > 1);
        let Some(name) = path.last().filter(|_| !of_crate) else { return false };
        let is_module = self.owner(file, item).is_some_and(|id| self.types[id].class == Some(Class::Module));
        let follows = |method: &syn::ImplItemFn| {
            !takes_weights(&method.sig) && !self.is_out_of_reach(file, &method.sig) && !reads_data(&method.block)
        };
        if !is_module || !methods(item).all(follows) {
            return false;
        }
        let beside = || {
            methods(item).any(|method| {
                let mentioned: Vec<_> = parameters(&method.sig).into_iter().chain(result(&method.sig)).collect();
                let associated = mentioned.iter().any(|path| path.len() == 2 && path[0] == "Self");
                associated
                    || mentions_tensor(file, &mentioned)
                    || mentioned.iter().any(|path| self.is_module(file, path))
            })
        };
        match &**name {
            "From" => ["from", "into"].iter().any(|called| self.reached.contains(*called)),
            name => BESIDE.contains(&name) && beside(),
        }
    }
}
