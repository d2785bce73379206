//! Which names a function gives to something itself, so that they mean nothing else in its twin.
//!
//! Invariant: a name that is bound anywhere in the function is bound everywhere, which leaves it as it is written.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Item, PatIdent, UseName, UseRename};

/// What a function binds and declares.
#[derive(Default)]
pub(super) struct Bindings {
    pub(super) values: BTreeSet<String>,
    pub(super) again: BTreeSet<String>,
    pub(super) types: BTreeSet<String>,
    pub(super) imported: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Bindings {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        if !self.values.insert(pat.ident.to_string()) {
            self.again.insert(pat.ident.to_string());
        }
        visit::visit_pat_ident(self, pat);
    }

    fn visit_use_name(&mut self, name: &'ast UseName) {
        self.imported.insert(name.ident.to_string());
    }

    fn visit_use_rename(&mut self, name: &'ast UseRename) {
        self.imported.insert(name.rename.to_string());
    }

    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Struct(item) => self.types.insert(item.ident.to_string()),
            Item::Enum(item) => self.types.insert(item.ident.to_string()),
            Item::Type(item) => self.types.insert(item.ident.to_string()),
            Item::Fn(item) => {
                self.values.insert(item.sig.ident.to_string());
                self.types.extend(item.sig.generics.type_params().map(|param| param.ident.to_string()));
                self.types.extend(item.sig.generics.const_params().map(|param| param.ident.to_string()));
                false
            }
            _ => false,
        };
        visit::visit_item(self, item);
    }
}
