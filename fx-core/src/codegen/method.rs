//! The method that computes a graph.
//!
//! Invariant: one statement per call, in program order; a value is dropped after the statement that reads it last.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Argument, Graph, NodeId, Op};
use crate::module::GraphModule;

use super::call::Calls;
use super::identifier::identifier;
use super::names::Names;

impl GraphModule {
    /// Rust source of the same computation: the `forward` of a type named after the graph.
    ///
    /// Values have the names of their nodes and are dropped after their last use; attributes are fields of `self`, by
    /// their paths in the original model.
    #[must_use]
    pub fn code(&self) -> String {
        let names = Names::new(self.graph());
        let calls = Calls { graph: self.graph(), attributes: self.attributes(), names: &names };
        let method = method(&calls);
        let name = identifier(&type_name(self.graph().name()));
        let file: syn::File = syn::parse_quote!(impl #name { #method });
        prettyplease::unparse(&file)
    }
}

fn method(calls: &Calls<'_>) -> TokenStream {
    let graph = calls.graph;
    let inputs = graph.placeholders().map(|id| {
        let name = calls.names.of(id);
        quote!(#name: &Tensor)
    });
    let last_reads = last_reads(graph);
    let mut statements = Vec::new();
    let mut returned = quote!(());
    let mut result = quote!(());
    for (id, node) in graph.nodes() {
        match node.op() {
            Op::Placeholder | Op::GetAttr => {}
            Op::Output => {
                if let Some(argument) = node.args().first() {
                    let mut reads = Reads::new(argument);
                    result = reads.value(calls, argument);
                    returned = returned_type(graph, argument);
                }
            }
            Op::CallFunction | Op::CallMethod | Op::CallModule => {
                let (name, expression) = (calls.names.of(id), calls.expression(id));
                if graph.users(id).next().is_none() {
                    // Kept for what it does: a result that nothing reads has no name.
                    statements.push(quote!(let _ = #expression;));
                } else {
                    statements.push(quote!(let #name = #expression;));
                }
                let dropped = last_reads.get(&id).into_iter().flatten().map(|&value| calls.names.of(value));
                statements.extend(dropped.map(|name| quote!(drop(#name);)));
            }
        }
    }
    quote! {
        pub fn forward(&self, #(#inputs),*) -> Result<#returned> {
            #(#statements)*
            Ok(#result)
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
                let name = identifier(name);
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(field, value)| {
                        let (field, value) = (identifier(field), self.value(calls, value));
                        quote!(#field: #value)
                    })
                    .collect();
                quote!(#name { #(#fields),* })
            }
            other => other
                .to_value()
                .map_or_else(|| quote!(()), |value| super::literal::literal(&value, crate::ops::kind::Kind::Any, None)),
        }
    }
}

/// Type of a result.
fn returned_type(graph: &Graph, argument: &Argument) -> TokenStream {
    match argument {
        Argument::Node(id) => match &graph.node(*id).meta().fact {
            crate::value::Fact::List(_) => quote!(Vec<Tensor>),
            crate::value::Fact::Tuple(parts) => {
                let parts = parts.iter().map(|_| quote!(Tensor));
                quote!((#(#parts,)*))
            }
            _ => quote!(Tensor),
        },
        Argument::None => quote!(Option<Tensor>),
        Argument::Bool(_) => quote!(bool),
        Argument::Int(_) => quote!(i64),
        Argument::Float(_) => quote!(f64),
        Argument::Str(_) => quote!(&'static str),
        Argument::DType(_) => quote!(DType),
        Argument::Device(_) => quote!(&'static Device),
        Argument::Range(..) => quote!(std::ops::Range<i64>),
        Argument::List(items) => {
            let item = items.first().map_or_else(|| quote!(Tensor), |item| returned_type(graph, item));
            quote!(Vec<#item>)
        }
        Argument::Tuple(items) => {
            let items = items.iter().map(|item| returned_type(graph, item));
            quote!((#(#items,)*))
        }
        Argument::Struct(structure) => {
            let name = identifier(&structure.0);
            quote!(#name)
        }
    }
}

/// `bert_model` as `BertModel`.
fn type_name(graph_name: &str) -> String {
    let words = graph_name.split('_').filter(|word| !word.is_empty());
    let name: String = words
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
        .collect();
    if name.is_empty() { "Module".to_owned() } else { name }
}
