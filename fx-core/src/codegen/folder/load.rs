//! How structs are made of a `VarBuilder`: each tensor by its path in the captured model.
//!
//! Invariant: what is read of the weights is what [`weights`] says, and has the dtype that it has there.

use candle_core::{DType, Tensor};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, parse_quote};

use crate::ir::ModulePath;
use crate::ops::kind::Kind;
use crate::value::Value;

use super::super::literal::literal;
use super::body::written;
use super::holder::Member;
use super::kept::Kept;
use super::naming::{Field, Naming};
use super::program::Program;
use super::sizes::{Size, replaced};
use super::unit::{LeafKind, shape};
use super::words::Fresh;

/// The tensors that the program reads, by their names.
pub(super) fn weights(program: &Program<'_>) -> Vec<(String, Tensor)> {
    let (mut found, last) = (Vec::new(), program.units.len() - 1);
    let mut pending = vec![(last, ModulePath::ROOT)];
    while let Some((number, prefix)) = pending.pop() {
        let unit = &program.units[number];
        for holder in unit.holders.inner_first() {
            for member in &unit.holders.all[holder].members {
                let Member::Leaf(path) = member else { continue };
                let Some(leaf) = unit.leaves.get(path) else { continue };
                let path = prefix.join(path);
                match leaf.kind {
                    LeafKind::Graph(child) => pending.push((child, path)),
                    _ => found.extend(leaf.tensors.iter().map(|(name, tensor)| {
                        let name = if name.is_empty() { path.clone() } else { path.child(name) };
                        (name.to_string(), tensor.clone())
                    })),
                }
            }
        }
    }
    found
}

/// The lines of `new` of a type, and whether it reads `vb`. `kept` is its state.
pub(super) fn constructor(
    program: &Program<'_>,
    naming: &Naming,
    ty: usize,
    main: DType,
    kept: Option<&Kept>,
) -> (Vec<String>, bool) {
    let (unit, _) = program.types[ty].instances[0];
    let sizes = &naming.types[ty].sizes;
    let fields = &naming.types[ty].fields;
    let mut fresh = Fresh::values(std::iter::empty());
    ["i", "state"].into_iter().for_each(|taken| drop(fresh.take(taken)));
    sizes.iter().for_each(|size| drop(fresh.take(&size.to_string())));
    let (mut lines, mut inits, mut reads) = (Vec::new(), Vec::new(), false);
    for field in fields {
        let name = &field.name;
        let maker = Maker { program, naming, unit, ty, main };
        let init = match &field.list {
            None => {
                let (path, member, place) = &field.members[0];
                maker.make(member, *place, &At::Path(path.clone()))
            }
            Some((before, after)) => {
                let local = fresh.take(&name.to_string());
                lines.extend(maker.list(field, before, after, &local));
                local.to_token_stream()
            }
        };
        reads |= init.to_string().contains("vb") || field.list.is_some();
        inits.push(if *name == init.to_string() { quote!(#name) } else { quote!(#name: #init) });
    }
    if let Some(Kept { name, .. }) = kept.filter(|kept| kept.is_read()) {
        lines.push(format!("let state = {name}::new(vb.clone())?;"));
        inits.extend([quote!(initial_state: state.clone()), quote!(state)]);
        reads = true;
    } else if let Some(Kept { name, .. }) = kept {
        inits.push(quote!(state: #name::default()));
    }
    let value = if inits.is_empty() { quote!(Ok(Self)) } else { quote!(Ok(Self { #(#inits),* })) };
    lines.push(written("", &value, "", 8));
    (lines, reads)
}

/// Where something is in the weights.
enum At {
    /// At a path.
    Path(String),
    /// At what is before and after the number `i`.
    Element(String, String),
}

/// The path of an element, as a text for `format!`.
pub(super) fn pattern(before: &str, after: &str) -> String {
    let escaped = |text: &str| text.replace('{', "{{").replace('}', "}}");
    let dot = if before.is_empty() { "" } else { "." };
    format!("{}{dot}{{i}}{}", escaped(before), escaped(after))
}

/// Makes members of structs.
struct Maker<'p> {
    program: &'p Program<'p>,
    naming: &'p Naming,
    unit: usize,
    ty: usize,
    main: DType,
}

impl Maker<'_> {
    /// The statements that make a list.
    fn list(&self, field: &Field, before: &str, after: &str, local: &Ident) -> Vec<String> {
        let last = |path: &str| {
            path[..path.len() - after.len()].rsplit('.').next().and_then(|last| last.parse().ok()).unwrap_or(0usize)
        };
        let numbers: Vec<usize> = field.members.iter().map(|(path, _, _)| last(path)).collect();
        let element = match field.members.first() {
            Some((_, member, place)) => self.make(member, *place, &At::Element(before.to_owned(), after.to_owned())),
            None => quote!(()),
        };
        list_lines(local, &numbers, &element)
    }

    /// The numbers of a member, as they are written.
    fn sizes(&self, place: usize) -> impl Iterator<Item = TokenStream> + '_ {
        let names = &self.naming.types[self.ty].sizes;
        self.program.sizes[self.ty].of(place).iter().map(|size| match size {
            Size::Constant(size) => Literal::usize_unsuffixed(*size).into_token_stream(),
            Size::Parameter(parameter) => names[*parameter].to_token_stream(),
        })
    }

    /// The expression that makes a member, which has this place among the members.
    fn make(&self, member: &Member, place: usize, at: &At) -> TokenStream {
        let builder = match at {
            At::Path(path) if path.is_empty() => quote!(vb.clone()),
            At::Path(path) => quote!(vb.pp(#path)),
            At::Element(before, after) if before.is_empty() && after.is_empty() => quote!(vb.pp(i)),
            At::Element(before, after) => {
                let text = pattern(before, after);
                quote!(vb.pp(format!(#text)))
            }
        };
        let path = match member {
            Member::Holder(_) => {
                let ty = self.naming.member_type(self.program, self.unit, member);
                let sizes = self.sizes(place);
                return quote!(#ty::new(#(#sizes,)* #builder)?);
            }
            Member::Leaf(path) => path,
        };
        let Some(leaf) = self.program.units[self.unit].leaves.get(path) else { return quote!(()) };
        let dtype = leaf.tensors.first().map_or(self.main, |(_, tensor)| tensor.dtype());
        let as_tokens = |dtype: DType| literal(&Value::DType(dtype), Kind::DType, None);
        match &leaf.kind {
            LeafKind::Graph(_) => {
                let ty = self.naming.member_type(self.program, self.unit, member);
                quote!(#ty::new(#builder)?)
            }
            LeafKind::Tensor => {
                let shape = leaf.tensors.first().map_or_else(|| quote!(()), |(_, tensor)| shape(tensor));
                let mut sizes = self.sizes(place);
                let shape = replaced(shape, &mut |size| sizes.next().unwrap_or_else(|| quote!(#size)));
                let name = match at {
                    At::Path(path) => quote!(#path),
                    At::Element(before, after) if before.is_empty() && after.is_empty() => quote!(&i.to_string()),
                    At::Element(before, after) => {
                        let text = pattern(before, after);
                        quote!(&format!(#text))
                    }
                };
                get_tensor(&shape, &name, dtype, self.main)
            }
            LeafKind::Layer { make, .. } => {
                let builder = if dtype == self.main {
                    builder
                } else {
                    let dtype = as_tokens(dtype);
                    quote!(#builder.to_dtype(#dtype))
                };
                let mut sizes = self.sizes(place);
                let make = replaced(make.parse().unwrap_or_default(), &mut |size| {
                    sizes.next().unwrap_or_else(|| Literal::usize_unsuffixed(size).into_token_stream())
                });
                let Ok(mut make) = syn::parse2::<Expr>(make) else { return quote!(()) };
                PutBuilder { builder }.visit_expr_mut(&mut make);
                make.into_token_stream()
            }
        }
    }
}

/// The statements that make a list of elements, of which each is made by its number `i`.
pub(super) fn list_lines(local: &Ident, numbers: &[usize], element: &TokenStream) -> Vec<String> {
    let (first, count) = (numbers.first().copied().unwrap_or(0), numbers.len());
    let range = if numbers.iter().enumerate().all(|(i, number)| first + i == *number) {
        format!("{first}..{}", first + count)
    } else {
        format!("[{}]", numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    };
    let push = written("", &quote!(#local.push(#element)), ";", 12);
    let mut lines = vec![format!("let mut {local} = Vec::with_capacity({count});"), format!("for i in {range} {{")];
    lines.extend(push.lines().map(|line| format!("    {line}")));
    lines.push("}".to_owned());
    lines
}

/// The expression that reads a tensor.
pub(super) fn get_tensor(shape: &TokenStream, name: &TokenStream, dtype: DType, main: DType) -> TokenStream {
    if dtype == main {
        return quote!(vb.get(#shape, #name)?);
    }
    let dtype = literal(&Value::DType(dtype), Kind::DType, None);
    quote!(vb.get_with_hints_dtype(#shape, #name, Default::default(), #dtype)?)
}

/// Puts a builder where an expression says `vb`.
struct PutBuilder {
    builder: TokenStream,
}

impl VisitMut for PutBuilder {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Path(path) if path.path.is_ident("vb") => {
                let builder = &self.builder;
                *expression = parse_quote!(#builder);
            }
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }
}
