//! Which functions that make modules need twins: only those show what is in a module, or make it of values of the graph.
//!
//! Invariant: the owner of such a function is a module.

use std::collections::BTreeSet;

use syn::{ImplItemFn, ItemImpl, Signature};

use super::{Class, Classes, TRAITS, TypeDef, is_plain, methods};
use crate::signature::{CLOSURES, makes_from_weights, names, parameters, takes_functions};
use crate::source::SourceFile;

impl Classes {
    /// The methods of the impl that make a module from weights which hides layers: only their twins see those.
    pub(crate) fn builders<'a>(&self, file: &SourceFile, item: &'a ItemImpl) -> Vec<&'a syn::ImplItemFn> {
        let Some(owner) = self.owner(file, item).filter(|id| self.hiding.contains(id)) else { return Vec::new() };
        // Other constructors take the configuration itself, where a twin has the mirror of one with an activation in it.
        let takes_mirrors = |method: &syn::ImplItemFn| {
            parameters(&method.sig).iter().any(|path| self.is_module(file, path) && !self.is_layer(file, path))
        };
        // Nor can a twin name a function that is generic over functions: which it is, follows from the call alone.
        let names_generic = |method: &syn::ImplItemFn| {
            let named = names(&method.block).into_iter().filter_map(|path| self.find(file, &path));
            takes_functions(&method.sig) || named.into_iter().any(|id| self.types[id].generic_maker)
        };
        let makes = |method: &&syn::ImplItemFn| {
            makes_from_weights(&self.types[owner].name, &method.sig) && !takes_mirrors(method) && !names_generic(method)
        };
        if item.trait_.is_none() { methods(item).filter(makes).collect() } else { Vec::new() }
    }

    /// The modules that hold closures, a `Sequential` or any `Module`, and those that hold such modules.
    pub(super) fn find_hiding(&self) -> BTreeSet<usize> {
        let hides = |ty: &TypeDef| {
            let any_module = ty.holds(|name| name == "dyn") && ty.holds_candle(|name| TRAITS.contains(&name));
            any_module || ty.holds_candle(|name| CLOSURES.contains(&name) || name == "Sequential")
        };
        let modules = || (0..self.types.len()).filter(|&id| self.types[id].class == Some(Class::Module));
        let mut hiding: BTreeSet<usize> = modules().filter(|&id| hides(&self.types[id])).collect();
        loop {
            let before = hiding.len();
            let holds = |id: &usize| {
                // Of a trait object, the types that it can be are those that the holder's methods name.
                let ty = &self.types[*id];
                let objects = ty.names.iter().copied().filter(|_| ty.holds(|name| name == "dyn"));
                self.held_types(*id).chain(objects).any(|held| hiding.contains(&held))
            };
            let holders: Vec<usize> = modules().filter(holds).collect();
            hiding.extend(holders);
            if hiding.len() == before {
                return hiding;
            }
        }
    }

    /// Whether a type holds layers of candle's itself.
    pub(crate) fn holds_layers(&self, id: usize) -> bool {
        self.types[id].holds_candle(|name| name != "Tensor" && !is_plain(name))
    }

    /// Whether a computation calls a method of that name.
    pub(crate) fn is_reached(&self, signature: &Signature) -> bool {
        signature.receiver().is_some() && self.reached.contains(&signature.ident.to_string())
    }

    /// Whether a computation asks a module by a free function of that name.
    pub(crate) fn is_asked_by(&self, signature: &Signature) -> bool {
        self.makers.contains(None, &signature.ident.to_string())
    }

    /// Whether a path leads to a type of the crate.
    pub(crate) fn is_own(&self, file: &SourceFile, path: &[String]) -> bool {
        self.find(file, path).is_some()
    }

    /// Whether a function hands modules on while a model runs: called by a computation, to make one of tensors, say.
    pub(crate) fn is_maker(&self, file: &SourceFile, item: &ItemImpl, method: &ImplItemFn) -> bool {
        let owner = self.owner(file, item).filter(|_| item.trait_.is_none());
        let owner = owner.filter(|owner| self.types[*owner].class == Some(Class::Module));
        owner.is_some_and(|owner| self.makers.contains(Some(owner), &method.sig.ident.to_string()))
    }
}
