//! Names in a twin that mean a generated item if there is one, and else what the user wrote.
//!
//! Variants of other enums: `match &mut self.cache { KvCache::Normal(c) => … }`. If `KvCache` is annotated, its mirror's
//! variant is meant, and if it is not (`DType::F32`), its own (`variants.rs`). Functions without arguments to be chosen by, in a function
//! that builds a model: `unroll()` is the twin of `unroll` if that has one.
//!
//! Attributes do not see each other's items, so rustc chooses: the twin says `__FxKvCache::Normal`, and stands in two blocks.
//!
//! ```text
//! { use KvCache as __FxKvCache;  { use self::*;  impl … { the twin } } }
//! ```
//!
//! The inner block has all names of the user's module, so what an attribute has generated there is found first, also where
//! `use super::*` brings it; else the outer block gives the name to the original.
//!
//! This finds items of the same module. An enum that is imported can be told by a pattern that takes a variant's values out,
//! `KvCache::Normal(c)`: what a twin matches on is a mirror, so the name then goes through `Traceable`, which gives plain
//! data itself. One written with a path (`cache::KvCache::Normal(c)`) gets an alias (`literals.rs`).
//!
//! Invariant: where no attribute has generated the item, and no pattern takes values out of it, what the user wrote is meant;
//! a constructor of candle's layers (`Conv1d::new`) then means that of the layer's mirror.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Path;
use syn::ext::IdentExt;

use super::conditions::Declared;
use super::{layers, shadow};
use crate::mirror::{mirror_ident, named_variant_ident, tuple_ident, variants_ident};
use crate::paths::Paths;

/// Names with variants or constants that are no enums of the user's, or that a module cannot import from itself.
const NEVER: &[&str] = &[
    "Self", "Tensor", "DType", "Device", "D", "Shape", "Option", "Result", "String", "Vec", "Box", "Ordering", "Error",
];

/// Enums of the standard library's, of candle's and of crates that models use: none is annotated.
const FOREIGN: &[&str] = &[
    "Activation",
    "Bound",
    "ControlFlow",
    "Cow",
    "CpuStorage",
    "DeviceLocation",
    "Either",
    "EitherOrBoth",
    "Entry",
    "Poll",
    "QMatMul",
    "Scalar",
    "Storage",
    "TensorIndexer",
    "Value",
];

/// Functions that every module has without an import.
const PRELUDE: &[&str] = &["drop", "size_of", "size_of_val", "align_of", "align_of_val"];

/// Values that every module has without an import, named as tuple structs are.
const PRELUDE_VALUES: &[&str] = &["Some", "None", "Ok", "Err"];

/// The twin of a function that stands beside it under this name.
pub(crate) fn twin_ident(function: &Ident) -> Ident {
    format_ident!("__FxTwin_{}", function)
}

/// How a variant is written.
#[derive(Clone, Copy)]
pub(super) enum Written {
    /// In a pattern.
    Pattern,
    /// In a pattern that takes its values out.
    Opened,
    /// As a value: a constant, or a function that is not called.
    Value,
    /// As a function that is called.
    Called,
    /// As a literal with named fields.
    Literal,
}

/// The generated names that twins use.
#[derive(Default)]
pub(crate) struct Fallbacks {
    /// What each stands for.
    names: Declared<Ident, Path>,
    /// The layers of candle's that they make.
    layers: BTreeSet<Ident>,
    /// Those among the names whose values are taken out by a pattern.
    opened: BTreeSet<Ident>,
    /// Whether a function of candle's is called by its bare name.
    bare: bool,
    /// The mirror of the impl's own type, as the type leads to it.
    own: Option<(Ident, TokenStream)>,
}

impl Fallbacks {
    /// Redirects `Kind::Variant`, and says whether it is one; `kept` are names that the function itself declares.
    pub(super) fn redirect(&mut self, path: &mut Path, written: Written, kept: impl Fn(&Ident) -> bool) -> bool {
        // No constant is called or has fields, whatever its letters.
        let has_fields = matches!(written, Written::Opened | Written::Literal | Written::Called);
        let Some((head, variant)) = of_enum(path, has_fields) else {
            return false;
        };
        if NEVER.iter().any(|name| head == name) || kept(head) {
            return false;
        }
        let opened = matches!(written, Written::Opened) && !FOREIGN.iter().any(|name| head == name);
        let (generated, original) = match written {
            Written::Pattern | Written::Opened => (mirror_ident(head), head.clone().into()),
            Written::Value | Written::Called => (variants_ident(head), head.clone().into()),
            Written::Literal => (named_variant_ident(head, variant), path.clone()),
        };
        match written {
            Written::Pattern | Written::Opened | Written::Value | Written::Called => {
                path.segments[0].ident = generated.clone();
            }
            Written::Literal => *path = Ident::new(&generated.to_string(), head.span()).into(),
        }
        if opened {
            self.opened.insert(generated.clone());
        }
        self.names.insert(generated, original);
        true
    }

    /// Redirects `Entry::len`, and says whether it can be of a type with a mirror.
    pub(super) fn redirect_type(&mut self, path: &mut Path) -> bool {
        let head = path.segments[0].ident.clone();
        if NEVER.iter().any(|name| head == name) {
            return false;
        }
        path.segments[0].ident = Ident::new(&mirror_ident(&head).to_string(), head.span());
        self.names.insert(path.segments[0].ident.clone(), head.into());
        true
    }

    /// Redirects what makes a value of a tuple struct, `Pair`; the value of a unit struct has no other name. `kept` are names
    /// that the function itself declares.
    pub(super) fn redirect_tuple(&mut self, path: &mut Path, kept: impl Fn(&Ident) -> bool) -> bool {
        let Some(name) = path.get_ident().cloned() else { return false };
        let of_prelude = PRELUDE_VALUES.iter().chain(NEVER).any(|known| name == known);
        if of_prelude || !is_camel_case(&name) || name.to_string().len() == 1 || kept(&name) {
            return false;
        }
        let generated = Ident::new(&tuple_ident(&name).to_string(), name.span());
        path.segments[0].ident = generated.clone();
        self.names.insert(generated, name.into());
        true
    }

    /// Redirects the tuple struct of a pattern, `Pair(a, b)`; `kept` are names that the function itself declares.
    pub(super) fn redirect_pattern(&mut self, path: &mut Path, kept: impl Fn(&Ident) -> bool) -> bool {
        let Some(name) = path.get_ident().cloned() else { return false };
        let of_prelude = PRELUDE_VALUES.iter().chain(NEVER).any(|known| name == known);
        if of_prelude || !is_camel_case(&name) || kept(&name) {
            return false;
        }
        let generated = Ident::new(&mirror_ident(&name).to_string(), name.span());
        path.segments[0].ident = generated.clone();
        self.names.insert(generated, name.into());
        true
    }

    /// Redirects the bare name of a function.
    pub(super) fn redirect_function(&mut self, path: &mut Path) {
        if let Some(original) = path.get_ident().cloned()
            && !PRELUDE.iter().any(|name| original == name)
            && !shadow::is_built(&original)
        {
            path.segments[0].ident = twin_ident(&original);
            self.names.insert(path.segments[0].ident.clone(), original.into());
        }
    }

    /// Redirects `Conv1d::new`; the name as written, if it is one.
    pub(super) fn redirect_layer(&mut self, path: &mut Path, kept: impl Fn(&Ident) -> bool) -> Option<Ident> {
        if path.leading_colon.is_some() || path.segments.len() != 2 {
            return None;
        }
        let (head, constructor) = (&path.segments[0], &path.segments[1]);
        if !head.arguments.is_none() || kept(&head.ident) || !layers::makes(&head.ident, &constructor.ident) {
            return None;
        }
        let original = head.ident.clone();
        path.segments[0].ident = mirror_ident(&original);
        self.layers.insert(original.clone());
        Some(original)
    }

    pub(crate) fn extend(&mut self, other: Fallbacks) {
        self.names.extend(other.names);
        self.layers.extend(other.layers);
        self.opened.extend(other.opened);
        self.bare |= other.bare;
        self.own = other.own.or(self.own.take());
    }

    /// The mirror of the type that an impl is of: by its name, so that other crates know what the impl is of, and where that is
    /// not found, as the type leads to it.
    pub(super) fn of_mirror(name: Ident, of_type: TokenStream) -> Self {
        Fallbacks { own: Some((name, of_type)), ..Fallbacks::default() }
    }

    /// All of them were met in code that is compiled only where this holds; candle's are there always.
    pub(super) fn only_where(&mut self, holds: &TokenStream) {
        self.names.only_where(holds);
    }

    /// Has `silu::__fx_call` be found, a *type* named like the function.
    ///
    /// An annotated `fn silu` puts such a type beside itself, and `use crate::ops::silu` brings both, so candle's own is found
    /// exactly when the user has none.
    pub(super) fn use_bare(&mut self) {
        self.bare = true;
    }

    /// Puts a twin, as items, where these names are found; what it imports stands beside it.
    pub(crate) fn around(&self, twin: TokenStream, paths: &Paths) -> TokenStream {
        match self.declare(paths) {
            None => twin,
            Some(names) => quote! {
                #names
                const _: () = {
                    use self::*;
                    #twin
                };
            },
        }
    }

    /// The same of the statements of a function.
    pub(crate) fn around_body(&self, body: TokenStream, paths: &Paths) -> TokenStream {
        match self.declare(paths) {
            None => body,
            Some(names) => quote! {
                #names
                {
                    use self::*;
                    #body
                }
            },
        }
    }

    /// What the outer block says, if anything is to be found in it.
    fn declare(&self, paths: &Paths) -> Option<TokenStream> {
        if self.names.is_empty() && self.layers.is_empty() && !self.bare && self.own.is_none() {
            return None;
        }
        let own = self.own.as_ref().map(|(name, of_type)| quote!(type #name = #of_type;));
        let traceable = paths.traceable();
        let names = self.names.iter().map(|(generated, original, cfg)| {
            if self.opened.contains(generated) {
                quote!(#cfg type #generated = <#original as #traceable>::Symbolic;)
            } else {
                quote!(#cfg use #original as #generated;)
            }
        });
        let candle_nn = paths.symbolic("candle_nn");
        let layers = self.layers.iter().map(|name| {
            let mirror = mirror_ident(name);
            quote!(use #candle_nn::#name as #mirror;)
        });
        let bare = self.bare.then(|| paths.bare()).map(|bare| quote!(use #bare::*;));
        Some(quote!(#own #(#names)* #(#layers)* #bare))
    }
}

/// The enum and the variant that a path names, if it looks like one; one with fields may be written in capitals, `Kind::V6`.
pub(super) fn of_enum(path: &Path, has_fields: bool) -> Option<(&Ident, &Ident)> {
    let is_upper_case = |name: &Ident| name.unraw().to_string().starts_with(|first: char| first.is_uppercase());
    let is_variant = |name: &Ident| is_camel_case(name) || (has_fields && is_upper_case(name));
    let plain = path.leading_colon.is_none() && path.segments.iter().all(|segment| segment.arguments.is_none());
    let mut names = path.segments.iter().map(|segment| &segment.ident);
    match (names.next(), names.next(), names.next()) {
        (Some(head), Some(variant), None) if plain && is_camel_case(head) && is_variant(variant) => {
            Some((head, variant))
        }
        _ => None,
    }
}

/// `Normal` and `A`, but not `EPS`, which is a constant.
pub(super) fn is_camel_case(name: &Ident) -> bool {
    let name = name.unraw().to_string();
    name.starts_with(|first: char| first.is_uppercase())
        && (name.len() == 1 || name.contains(|letter: char| letter.is_lowercase()))
}
