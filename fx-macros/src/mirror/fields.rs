//! The fields of a struct or of an enum's variant, as the mirror needs them.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Member, Type, Visibility};

use super::SCOPE_FIELD;
use crate::attributes::cfgs;
use crate::errors::{Errors, Message};
use crate::known::{Known, KnownType, located};
use crate::options::{FieldOptions, take_field_options};
use crate::paths::Paths;
use crate::twin::select::names_tensor;
use crate::twin::types::is_plain;

/// How the fields are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Named,
    Tuple,
    Unit,
}

pub(super) struct Fields {
    pub(super) style: Style,
    pub(super) list: Vec<Field>,
}

pub(super) struct Field {
    cfgs: Vec<Attribute>,
    vis: Visibility,
    pub(super) member: Member,
    /// A variable for the field in a pattern.
    pub(super) binding: Ident,
    known: KnownType,
    options: FieldOptions,
}

impl Fields {
    /// Reads the fields and takes the `#[fx(…)]` attributes off them.
    pub(super) fn take(fields: &mut syn::Fields, known: &Known, errors: &Errors) -> Self {
        let style = match fields {
            syn::Fields::Named(_) => Style::Named,
            syn::Fields::Unnamed(_) => Style::Tuple,
            syn::Fields::Unit => Style::Unit,
        };
        let list = fields
            .iter_mut()
            .enumerate()
            .map(|(position, field)| {
                let mut options = take_field_options(&mut field.attrs, errors);
                if options.constant && names_tensor(&field.ty) {
                    errors.report(&field.ty, Message::ConstantTensor);
                    options.constant = false;
                }
                match &field.ty {
                    // The reference is what is copied.
                    Type::Reference(ty) if is_plain(&ty.elem) => options.constant |= !is_str(&ty.elem),
                    Type::Reference(ty) if !options.constant => errors.report(ty, Message::ReferenceField),
                    _ => {}
                }
                Field {
                    cfgs: cfgs(&field.attrs).into_iter().cloned().collect(),
                    vis: field.vis.clone(),
                    member: field.ident.clone().map_or_else(|| Member::from(position), Member::Named),
                    binding: format_ident!("__fx_{}", position),
                    known: known.of(&field.ty),
                    options,
                }
            })
            .collect();
        Fields { style, list }
    }

    /// `{ name: one, … }`, `(one, …)` or nothing.
    pub(super) fn write(&self, mut one: impl FnMut(&Field) -> TokenStream) -> TokenStream {
        let parts = self.list.iter().map(|field| self.part(field, one(field)));
        match self.style {
            Style::Named => quote!({ #(#parts),* }),
            Style::Tuple => quote!((#(#parts),*)),
            Style::Unit => TokenStream::new(),
        }
    }

    /// The same with a scope last, as a variant of a mirror has it; one without fields is a tuple then.
    pub(super) fn write_scoped(&self, mut one: impl FnMut(&Field) -> TokenStream, scope: TokenStream) -> TokenStream {
        let parts = self.list.iter().map(|field| self.part(field, one(field)));
        match self.style {
            Style::Named => {
                let scope_field = format_ident!("{}", SCOPE_FIELD);
                quote!({ #(#parts,)* #scope_field: #scope })
            }
            Style::Tuple | Style::Unit => quote!((#(#parts,)* #scope)),
        }
    }

    /// `name: content` or `content`.
    fn part(&self, field: &Field, content: TokenStream) -> TokenStream {
        let cfgs = &field.cfgs;
        match (&self.style, &field.member) {
            (Style::Named, Member::Named(name)) => quote!(#(#cfgs)* #name: #content),
            _ => quote!(#(#cfgs)* #content),
        }
    }

    /// The fields of the mirror, without braces: `pub q: <Tensor as Traceable>::Symbolic, …`.
    pub(super) fn declare(&self, paths: &Paths) -> TokenStream {
        self.list.iter().map(|field| field.declare(paths)).collect()
    }

    /// The pattern that binds every field to its [`Field::binding`].
    pub(super) fn pattern(&self) -> TokenStream {
        self.write(Field::bound)
    }

    /// The same of a mirror's variant; its scope is bound to this.
    pub(super) fn pattern_scoped(&self, scope: TokenStream) -> TokenStream {
        self.write_scoped(Field::bound, scope)
    }
}

impl Field {
    /// The type that the user wrote.
    pub(super) fn ty(&self) -> &Type {
        &self.known.ty
    }

    /// What decides whether it is there, and its type, if it must have a mirror.
    pub(super) fn asks(&self) -> Option<(Vec<&Attribute>, &KnownType)> {
        self.is_mirrored().then(|| (self.cfgs.iter().collect(), &self.known))
    }

    /// Its variable in a pattern.
    fn bound(&self) -> TokenStream {
        self.binding.to_token_stream()
    }

    fn declare(&self, paths: &Paths) -> TokenStream {
        let (cfgs, vis, ty) = (&self.cfgs, &self.vis, self.symbolic_type(paths));
        match &self.member {
            Member::Named(name) => quote!(#(#cfgs)* #vis #name: #ty,),
            Member::Unnamed(_) => quote!(#(#cfgs)* #vis #ty,),
        }
    }

    /// The type in the mirror. Spanned on the user's type, where "cannot be mirrored" belongs.
    pub(super) fn symbolic_type(&self, paths: &Paths) -> TokenStream {
        let ty = self.ty();
        if self.options.constant {
            quote!(#ty)
        } else if self.options.leaf {
            let leaf = paths.symbolic("OpaqueLeaf");
            quote_spanned!(ty.span()=> #leaf<#ty>)
        } else {
            self.known.function("Symbolic", paths)
        }
    }

    /// The value in the mirror, made from `value`, a reference to the field, at `scope`, a reference to its place.
    pub(super) fn mirror_value(&self, value: TokenStream, scope: TokenStream, paths: &Paths) -> TokenStream {
        let ty = self.ty();
        if self.options.constant {
            quote_spanned!(ty.span()=> <#ty as ::core::clone::Clone>::clone(#value))
        } else if self.options.leaf {
            let (leaf, value) = (located(paths.symbolic("OpaqueLeaf"), ty.span()), located(value, ty.span()));
            quote_spanned!(ty.span()=> #leaf::new(#value, #scope))
        } else {
            self.traceable_call("symbolic", quote!(#value, #scope), paths)
        }
    }

    /// Whether it is a layer that is called whole.
    pub(super) fn is_leaf(&self) -> bool {
        self.options.leaf
    }

    /// A call of a function of `Traceable` for its type.
    pub(super) fn traceable_call(&self, name: &str, arguments: TokenStream, paths: &Paths) -> TokenStream {
        let function = self.known.function(name, paths);
        quote!(#function(#arguments))
    }

    /// Whether it has a mirror of its own, rather than a copy or a leaf.
    pub(super) fn is_mirrored(&self) -> bool {
        !self.options.constant && !self.options.leaf
    }

    /// The name under which the owner's scope knows the field.
    pub(super) fn scope_name(&self) -> String {
        self.options.rename.clone().unwrap_or_else(|| self.text())
    }

    /// The field's own name, or its position.
    pub(super) fn text(&self) -> String {
        match &self.member {
            Member::Named(name) => name.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        }
    }

    /// Whether the field's type names a type parameter.
    pub(super) fn mentions(&self, param: &Ident) -> bool {
        struct Find<'a>(&'a Ident, bool);
        impl<'ast> Visit<'ast> for Find<'_> {
            fn visit_ident(&mut self, ident: &'ast Ident) {
                self.1 |= ident == self.0;
            }
        }
        let mut find = Find(param, false);
        find.visit_type(self.ty());
        find.1
    }

    pub(super) fn renamed(&self) -> bool {
        self.options.rename.is_some()
    }

    pub(super) fn cfgs(&self) -> &[Attribute] {
        &self.cfgs
    }
}

/// `str`, which is a value of a graph.
fn is_str(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("str"))
}
