//! What the types are that no signature has told of: by what they hold, and whether a model can hold them.
//!
//! Invariant: a type is decided once, but for what turns out to be of no model.

use std::collections::BTreeSet;

use super::{Class, Classes, NOT_CLONE, Origin, TypeDef, is_function, is_optimizer, is_plain, is_weights};

impl Classes {
    /// Decides the rest by what the types hold.
    pub(super) fn settle(&mut self) {
        for ty in &mut self.types {
            let layers = ty.holds_candle(|name| !is_plain(name)) || ty.holds_parameter(&self.mirrored);
            let module = ty.class.is_some() || layers || ty.holds(|name| name == "Span");
            let loads = is_weights(&ty.name) || (ty.holds(is_weights) && !ty.forward);
            let left = match &ty.outside {
                _ if loads => Some("it is where weights come from".to_owned()),
                _ if ty.holds(is_optimizer) => Some("it trains a model".to_owned()),
                Some(outside) => Some(format!("it holds `{outside}` of another crate")),
                None if ty.holds(is_function) => Some("it holds a function that is chosen as it runs".to_owned()),
                None => None,
            };
            if loads || ty.holds(is_optimizer) || (module && (ty.outside.is_some() || ty.holds(is_function))) {
                ty.class = Some(Class::Other);
                ty.left = left.filter(|_| module && !loads);
            } else if module {
                ty.class = Some(Class::Module);
            }
        }
        loop {
            let news: Vec<usize> = (0..self.types.len()).filter(|&id| self.holds_module(id)).collect();
            if news.is_empty() {
                break;
            }
            for id in news {
                self.types[id].class = Some(Class::Module);
            }
        }
        for ty in &mut self.types {
            let clone = ty.derives.contains("Clone");
            // A `Clone` by hand is not seen by fx's attribute, and cannot be derived besides; of what is generic, it depends.
            let generic = !ty.generics.is_empty() && ty.holds(|name| ty.generics.contains(name));
            // An error is no part of a model, and holds others that nobody can clone.
            let error = ty.derives.contains("Error") || ty.holds(|name| name == "Error");
            let stuck =
                ty.clone_by_hand || generic || (!clone && (error || ty.holds(|name| NOT_CLONE.contains(&name))));
            ty.class.get_or_insert(if stuck { Class::Other } else { Class::Constant { clone } });
        }
        let reached = self.reached_types();
        for (id, ty) in self.types.iter_mut().enumerate() {
            if ty.class == Some(Class::Module) && !reached.contains(&id) {
                ty.class = Some(Class::Other);
                ty.left = Some("no layer holds, takes, gives or names it".to_owned());
            }
        }
    }

    /// The types that models are of: layers and what has them or a `forward`, what holds these, and what they hold or name.
    fn reached_types(&self) -> BTreeSet<usize> {
        let is_layer = |origin: &Origin| matches!(origin, Origin::Candle(name) if !is_plain(name) && name != "Tensor");
        let is_root = |ty: &TypeDef| {
            ty.class == Some(Class::Module)
                && (ty.forward
                    || ty.holds.iter().any(is_layer)
                    || ty.holds(|name| name == "Span")
                    || ty.holds_parameter(&self.mirrored))
        };
        let modules = || (0..self.types.len()).filter(|&id| self.types[id].class == Some(Class::Module));
        // What has a trait that layers are generic over may be a part of any.
        let having = self.mirrored.intersection(&self.bounding).filter_map(|name| self.having.get(name));
        let having: BTreeSet<usize> = having.flatten().flatten().copied().collect();
        let mut roots: BTreeSet<usize> =
            modules().filter(|&id| is_root(&self.types[id]) || having.contains(&id)).collect();
        // A state of tensors is no root, and what holds one is none.
        loop {
            let before = roots.len();
            let holders: Vec<usize> =
                modules().filter(|&id| self.held_types(id).any(|held| roots.contains(&held))).collect();
            roots.extend(holders);
            if roots.len() == before {
                break;
            }
        }
        let mut reached = BTreeSet::new();
        // Where there is no model, the crate is parts for one, a rotary embedding say.
        let mut open: Vec<usize> = if roots.is_empty() { modules().collect() } else { roots.into_iter().collect() };
        // What a model calls lends it modules.
        open.extend(self.returned.iter().filter(|(function, _)| self.reached.contains(function)).map(|(_, id)| *id));
        while let Some(id) = open.pop() {
            if reached.insert(id) {
                open.extend(self.held_types(id));
                open.extend(self.objects(id));
                open.extend(&self.types[id].names);
            }
        }
        reached
    }

    /// The types of the crate that a type holds.
    pub(super) fn held_types(&self, id: usize) -> impl Iterator<Item = usize> + '_ {
        let ty = &self.types[id];
        let others = ty.holds.iter().filter_map(move |origin| match origin {
            Origin::Crate(path) => self.elsewhere(&ty.module, path),
            _ => None,
        });
        others.chain(ty.holds_here.iter().copied())
    }

    /// The types that can be behind the trait objects that a type holds, of traits that are one for tensors and proxies.
    fn objects(&self, id: usize) -> impl Iterator<Item = usize> + '_ {
        let ty = &self.types[id];
        let traits =
            self.mirrored.iter().filter(|name| ty.holds(|held| held == "dyn") && ty.holds(|held| held == *name));
        traits.filter_map(|name| self.having.get(name)).flatten().flatten().copied()
    }

    fn holds_module(&self, id: usize) -> bool {
        let ty = &self.types[id];
        // What is behind a trait object has no mirror, but a holder that is `Clone` can be copied.
        let copied = ty.derives.contains("Clone") && ty.holds(|name| name == "dyn");
        let read = |ty: &TypeDef| ty.derives.contains("Deserialize");
        let plain = ty.derives.contains("Copy") || copied;
        let held = |id: usize| self.types[id].class == Some(Class::Module) && (!read(ty) || read(&self.types[id]));
        ty.class.is_none() && !plain && self.held_types(id).any(held)
    }
}
