//! The method that computes a graph.
//!
//! Invariant: one statement per call, in program order; a value is dropped after the statement that reads it last.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use crate::ir::{Argument, Graph, NodeId, Op};
use crate::module::GraphModule;

use super::call::{Calls, Several, Sources, kind_of};
use super::identifier::identifier;
use super::names::Names;
use super::place::Places;

/// The method of a graph, before it is put into words.
pub(super) struct Method {
    /// Name of the type that it is a method of.
    pub(super) type_name: Ident,
    inputs: Vec<TokenStream>,
    returned: TokenStream,
    /// The statements, with the nodes they are of: a call, then drops of what it was the last to read.
    pub(super) statements: Vec<(NodeId, TokenStream)>,
    /// The output node, and the value of the method.
    pub(super) result: (Option<NodeId>, TokenStream),
}

impl Method {
    /// The method that computes the module's graph.
    pub(super) fn new(module: &GraphModule) -> Self {
        let graph = module.graph();
        let names = Names::new(graph);
        let places = Places::new(graph, module.attributes());
        let (attributes, sources) = (module.attributes(), Sources::default());
        let calls = Calls { graph, attributes, names: &names, places: &places, sources: &sources };
        let inputs = graph.placeholders().map(|id| {
            let name = names.of(id);
            quote!(#name: &Tensor)
        });
        let mut method = Self {
            type_name: type_name(module.class_name()),
            inputs: inputs.collect(),
            returned: quote!(()),
            statements: Vec::new(),
            result: (None, quote!(())),
        };
        let last_reads = last_reads(graph);
        for (id, node) in graph.nodes() {
            match node.op() {
                Op::Placeholder | Op::GetAttr => {}
                Op::Output => {
                    if let Some(argument) = node.args().first() {
                        method.result = (Some(id), Reads::new(argument).value(&calls, argument));
                        method.returned = returned_type(graph, argument);
                    }
                }
                Op::CallFunction | Op::CallMethod | Op::CallModule => {
                    let (name, expression) = (names.of(id), calls.expression(id));
                    // Kept for what it does: a result that nothing reads has no name, and goes at once.
                    let is_read = graph.users(id).next().is_some();
                    let name = if is_read { name.into_token_stream() } else { quote!(_) };
                    method.statements.push((id, quote!(let #name = #expression;)));
                    let dropped = last_reads.get(&id).into_iter().flatten().map(|&value| names.of(value));
                    method.statements.extend(dropped.map(|name| (id, quote!(drop(#name);))));
                }
            }
        }
        method
    }

    /// The method as a file of its own, with these statements.
    pub(super) fn file(&self, statements: &[TokenStream], result: &TokenStream) -> syn::File {
        let Self { type_name, inputs, returned, .. } = self;
        syn::parse_quote! {
            impl #type_name {
                pub fn forward(&self, #(#inputs),*) -> Result<#returned> {
                    #(#statements)*
                    #result
                }
            }
        }
    }
}

/// For each call, the values that it is the last to read.
fn last_reads(graph: &Graph) -> std::collections::HashMap<NodeId, Vec<NodeId>> {
    let mut last: std::collections::HashMap<NodeId, Vec<NodeId>> = std::collections::HashMap::new();
    let mut seen = std::collections::HashSet::new();
    for (id, node) in graph.nodes().rev() {
        for input in node.all_input_nodes() {
            let is_value = matches!(graph.node(input).op(), Op::CallFunction | Op::CallMethod | Op::CallModule);
            if seen.insert(input) && is_value && node.op() != Op::Output {
                last.entry(id).or_default().push(input);
            }
        }
    }
    last
}

/// How often each value is still to be read by the result: the last reader takes it.
struct Reads(std::collections::HashMap<NodeId, usize>);

impl Reads {
    fn new(argument: &Argument) -> Self {
        let mut counts = std::collections::HashMap::new();
        argument.for_each_node(&mut |id| *counts.entry(id).or_insert(0) += 1);
        Self(counts)
    }

    fn value(&mut self, calls: &Calls<'_>, argument: &Argument) -> TokenStream {
        match argument {
            Argument::Node(id) => {
                let owned = calls.owned(*id);
                let left = self.0.entry(*id).or_insert(1);
                *left -= 1;
                let is_place = calls.graph.node(*id).op() == Op::GetAttr;
                if *left > 0 || is_place || calls.is_reference(*id) { quote!(#owned.clone()) } else { owned }
            }
            Argument::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.value(calls, item)).collect();
                quote!(vec![#(#items),*])
            }
            Argument::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.value(calls, item)).collect();
                match items.as_slice() {
                    [one] => quote!((#one,)),
                    items => quote!((#(#items),*)),
                }
            }
            Argument::Struct(structure) => {
                let (name, fields) = &**structure;
                let name = path(name);
                // The fields of a tuple struct are named by their positions.
                let is_tuple = fields.iter().enumerate().all(|(i, (field, _))| **field == *i.to_string());
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(field, value)| {
                        let (field, value) = (identifier(field), self.value(calls, value));
                        if is_tuple { value } else { quote!(#field: #value) }
                    })
                    .collect();
                match (is_tuple, fields.as_slice()) {
                    (_, []) => quote!(#name {}),
                    (true, fields) => quote!(#name(#(#fields),*)),
                    (false, fields) => quote!(#name { #(#fields),* }),
                }
            }
            other => match other.to_value() {
                Some(value) => super::literal::literal(&value, crate::ops::kind::Kind::Any, None),
                None => super::size::symbolic_literal(other, crate::ops::kind::Kind::Any, None),
            },
        }
    }
}

/// Type of a result.
fn returned_type(graph: &Graph, argument: &Argument) -> TokenStream {
    match argument {
        Argument::Node(id) => match kind_of(graph.node(*id)) {
            Some(Several::List) => quote!(Vec<Tensor>),
            Some(Several::Tuple(len)) => {
                let parts = std::iter::repeat_n(quote!(Tensor), len);
                quote!((#(#parts,)*))
            }
            None => quote!(Tensor),
        },
        Argument::None => quote!(Option<Tensor>),
        Argument::Bool(_) => quote!(bool),
        Argument::Int(_) => quote!(i64),
        Argument::Float(_) => quote!(f64),
        Argument::Str(_) => quote!(&'static str),
        Argument::DType(_) => quote!(DType),
        Argument::Device(_) => quote!(&'static Device),
        Argument::SymInt(_) => quote!(usize),
        Argument::SymFloat(_) => quote!(f64),
        Argument::SymRange(_) => quote!(std::ops::Range<usize>),
        Argument::Range(range) => match **range {
            (Some(_), Some(_)) => quote!(std::ops::Range<i64>),
            (Some(_), None) => quote!(std::ops::RangeFrom<i64>),
            (None, Some(_)) => quote!(std::ops::RangeTo<i64>),
            (None, None) => quote!(std::ops::RangeFull),
        },
        Argument::List(items) => {
            let item = items.first().map_or_else(|| quote!(Tensor), |item| returned_type(graph, item));
            quote!(Vec<#item>)
        }
        Argument::Tuple(items) => {
            let items = items.iter().map(|item| returned_type(graph, item));
            quote!((#(#items,)*))
        }
        Argument::Struct(structure) => {
            let name = path(&structure.0);
            // A variant is written by its path; the type is what stands before it.
            let is_variant = structure.0.split("::").filter(|part| part.starts_with(char::is_uppercase)).count() > 1;
            if !is_variant {
                return name;
            }
            path(structure.0.rsplit_once("::").map_or(&structure.0, |(before, _)| before))
        }
    }
}

/// A path, each part of it an identifier.
fn path(name: &str) -> TokenStream {
    let parts = name.split("::").map(identifier);
    quote!(#(#parts)::*)
}

/// The name of the type, unless generated code refers to another of that name, or it is in scope without being named.
fn type_name(class_name: &str) -> Ident {
    match class_name {
        "Tensor" | "Result" | "Device" | "DType" | "D" | "Vec" | "String" | "Option" | "Box" | "Ok" | "Err"
        | "Some" | "None" => identifier(&format!("{class_name}Module")),
        name => identifier(name),
    }
}
