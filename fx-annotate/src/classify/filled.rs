//! Generic types that are modules by what others fill them with: `Memo<usize, Tensor>`.
//!
//! Invariant: a type without parameters of its own is none of them.

use syn::visit::{self, Visit};
use syn::{Item, Path, PathArguments, Type};

use super::{Class, Classes};
use crate::signature::mentions;
use crate::source::{Origin, Segments, SourceFile, segments, walk};

impl Classes {
    /// Notes those that the fields and aliases of a file fill with tensors or layers of candle's.
    pub(super) fn note_filled(&mut self, file: &SourceFile) {
        let mut filled = Vec::new();
        walk(&file.syntax.items, &mut |item| match item {
            Item::Struct(item) => item.fields.iter().for_each(|field| fillings(&field.ty, &mut filled)),
            Item::Enum(item) => {
                let fields = item.variants.iter().flat_map(|variant| &variant.fields);
                fields.for_each(|field| fillings(&field.ty, &mut filled));
            }
            Item::Type(item) => fillings(&item.ty, &mut filled),
            _ => {}
        });
        for (of, with) in filled {
            let is_layer = |path: &Segments| match file.origin(path) {
                Origin::Candle(name) => !super::is_plain(&name),
                _ => false,
            };
            if let Some(id) = self.find(file, &of).filter(|_| with.iter().any(is_layer))
                && !self.types[id].generics.is_empty()
            {
                self.types[id].class = Some(Class::Module);
            }
        }
    }
}

/// The generic types that a type is built of, each with what it is filled with.
fn fillings(ty: &Type, found: &mut Vec<(Segments, Vec<Segments>)>) {
    struct Fillings<'a>(&'a mut Vec<(Segments, Vec<Segments>)>);
    impl<'ast> Visit<'ast> for Fillings<'_> {
        fn visit_path(&mut self, path: &'ast Path) {
            if let Some(PathArguments::AngleBracketed(arguments)) = path.segments.last().map(|last| &last.arguments) {
                let with = arguments.args.iter().filter_map(|argument| match argument {
                    syn::GenericArgument::Type(ty) => Some(mentions(ty)),
                    _ => None,
                });
                self.0.push((segments(path), with.flatten().collect()));
            }
            visit::visit_path(self, path);
        }
    }
    Fillings(found).visit_type(ty);
}
