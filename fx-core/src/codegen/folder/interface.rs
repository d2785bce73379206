//! [`Interface`]: how the function of a graph is called: with the parameters and the result of the original, made of lists,
//! tuples and structures.
//!
//! Invariant: `process_outputs(graph(process_inputs(x))) == f(x)`, as in the interpreter: parameters that are wholly
//! constants are left out, and what has another structure than at the capture is refused.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::ir::{Argument, Graph, Guard, NodeId, Op, SizeOf, Target};
use crate::module::inputs::parameter;
use crate::ops::kind::Kind;
use crate::value::{Fact, Value};

use super::super::call::{Calls, Several, kind_of};
use super::super::format::{one_line, one_line_tokens};
use super::super::identifier::identifier;
use super::super::literal::literal;
use super::super::names::Names;
use super::super::size::{expression, symbolic_literal};
use super::super::source::Statement;
use super::body::written;
use super::error::FolderError;
use super::words::{Fresh, camel, snake};

/// The type of a parameter or result.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ty {
    Tensor,
    /// What is always absent.
    Nothing,
    /// Plain data, by its Rust type.
    Data(&'static str),
    Option(Box<Ty>),
    List(Box<Ty>),
    Tuple(Vec<Ty>),
    Struct(Arc<str>),
}

/// The structures that are parameters, results or parts of them: names and types of their fields.
#[derive(Default)]
pub(super) struct Structures {
    pub(super) fields: IndexMap<Arc<str>, Vec<(Arc<str>, Ty)>>,
    pub(super) names: HashMap<Arc<str>, Ident>,
}

/// How the function of a graph is called.
pub(super) struct Interface {
    parameters: Vec<Parameter>,
    output: Argument,
    result: Ty,
    structures: Structures,
    /// Whether inputs are checked: those of the model are.
    is_model: bool,
}

struct Parameter {
    name: Ident,
    made_of: Argument,
    ty: Ty,
}

impl Interface {
    /// How a graph is called; a child graph is called with one value for each placeholder.
    pub(super) fn new(graph: &Graph, is_model: bool, types: &mut Fresh) -> Result<Self, FolderError> {
        let mut structures = Structures::default();
        let read: std::collections::HashSet<NodeId> =
            graph.nodes().flat_map(|(_, node)| node.all_input_nodes()).collect();
        let mut fresh = Fresh::values(std::iter::empty());
        let signature = graph.signature().filter(|_| is_model);
        let made_of: Vec<(String, Argument)> = match signature {
            Some(signature) => {
                let open = signature.parameters.iter().filter(|(_, made_of)| made_of.to_value().is_none());
                open.map(|(name, made_of)| (name.to_string(), made_of.clone())).collect()
            }
            None => graph.placeholders().map(|id| (parameter(graph.node(id)).to_owned(), Argument::Node(id))).collect(),
        };
        let mut parameters = Vec::new();
        for (name, made_of) in made_of {
            let ty = structures.of(graph, &made_of, &name)?;
            // A name that says that nothing reads it.
            let is_read = match &made_of {
                Argument::Node(id) => {
                    read.contains(id) || (is_model && graph.node(*id).meta().fact.as_tensor().is_some())
                }
                _ => true,
            };
            let name = if is_read { snake(&name) } else { format!("_{}", snake(&name)) };
            parameters.push(Parameter { name: fresh.take(&name), made_of, ty });
        }
        let output = graph.output_node().and_then(|output| graph.node(output).args().first().cloned());
        let output = output.unwrap_or_default();
        let result = structures.of(graph, &output, "the result")?;
        for name in structures.fields.keys() {
            structures.names.insert(name.clone(), types.take_type(&camel(&name.replace("::", "_"))));
        }
        Ok(Self { parameters, output, result, structures, is_model })
    }

    /// The parameters as Rust.
    pub(super) fn parameters(&self) -> Vec<String> {
        let each = self.parameters.iter().map(|Parameter { name, ty, .. }| match ty {
            Ty::List(item) => format!("{name}: &[{}]", self.structures.text(item)),
            Ty::Data(of) => format!("{name}: {of}"),
            ty => format!("{name}: &{}", self.structures.text(ty)),
        });
        each.collect()
    }

    /// The type of the result.
    pub(super) fn returned(&self) -> String {
        self.structures.text(&self.result)
    }

    /// The structures.
    pub(super) fn structures(&self) -> &Structures {
        &self.structures
    }

    /// The statements that take the parameters apart, and the names of the placeholders.
    pub(super) fn bind(
        &self,
        graph: &Graph,
        fresh: &mut Fresh,
        names: &mut Names,
        helpers: &mut BTreeSet<&'static str>,
    ) -> Vec<Statement> {
        let mut statements = Vec::new();
        for Parameter { name, .. } in &self.parameters {
            let _ = fresh.take(name.to_string().trim_start_matches("r#"));
        }
        for Parameter { name, made_of, ty } in &self.parameters {
            let mut binder =
                Binder { graph, fresh, names, helpers, statements: &mut statements, structures: &self.structures };
            binder.bind(made_of, ty, &name.to_token_stream(), true, &name.to_string());
        }
        if self.is_model {
            statements.extend(read_sizes(graph, names));
            let guards = graph.dynamic().map_or(&[][..], |dynamic| &dynamic.guards);
            for id in graph.placeholders() {
                let Fact::Tensor(fact) = &graph.node(id).meta().fact else { continue };
                helpers.insert("expect");
                let dims: Vec<TokenStream> = match fact.extents() {
                    Some(extents) => extents.iter().map(expression).collect(),
                    None => fact.dims().iter().map(|dim| Literal::usize_unsuffixed(*dim).into_token_stream()).collect(),
                };
                let (name, dtype) = (graph.node(id).name(), literal(&Value::DType(fact.dtype), Kind::DType, None));
                let input = names.of(id);
                let check = quote!(expect(#name, #input, #dtype, &[#(#dims),*])?);
                statements.push(Statement { node: Some(id), code: written("", &check, ";", 8) });
            }
            statements.extend(guards.iter().map(check_guard));
        }
        statements
    }

    /// The value that the function gives.
    pub(super) fn value(&self, calls: &Calls<'_>) -> TokenStream {
        let mut reads = HashMap::new();
        self.output.for_each_node(&mut |id| *reads.entry(id).or_insert(0) += 1);
        self.structures.value(calls, &self.output, &self.result, &mut reads)
    }
}

/// Whether a placeholder is an integer that the graph follows.
fn is_size(graph: &Graph, id: NodeId) -> bool {
    let sizes = graph.dynamic().map_or(&[][..], |dynamic| &dynamic.sizes);
    sizes.iter().any(|size| size.places.contains(&SizeOf::Value(id)))
}

/// The statements that read the sizes of the run off the inputs.
fn read_sizes(graph: &Graph, names: &Names) -> Vec<Statement> {
    let sizes = graph.dynamic().map_or(&[][..], |dynamic| &dynamic.sizes);
    let each = sizes.iter().filter_map(|size| {
        let (name, place) = (identifier(&size.name), *size.places.first()?);
        let input = names.of(place.input());
        let value = match place {
            SizeOf::Extent(_, axis) => {
                let axis = Literal::usize_unsuffixed(axis);
                quote!(#input.dim(#axis)?)
            }
            SizeOf::Value(_) if input == name => return None,
            SizeOf::Value(_) => quote!(#input),
        };
        let code = written(&format!("let {name} ="), &value, ";", 8);
        Some(Statement { node: Some(place.input()), code })
    });
    each.collect()
}

/// The statement that refuses sizes at which the original takes another way than the graph.
fn check_guard(guard: &Guard) -> Statement {
    let (left, right) = (text(&expression(&guard.left)), text(&expression(&guard.right)));
    let escaped = |text: &str| text.replace('{', "{{").replace('}', "}}");
    let mut sizes: Vec<Arc<str>> = Vec::new();
    for side in [&guard.left, &guard.right] {
        side.for_each_symbol(&mut |name| {
            if !sizes.contains(name) {
                sizes.push(name.clone());
            }
        });
    }
    let found = sizes.iter().map(|name| format!("{name} = {{{name}}}")).collect::<Vec<_>>().join(", ");
    let at = guard.source.as_ref().map(|source| format!(" ({})", escaped(&source.to_string()))).unwrap_or_default();
    let message = format!("the model takes another way unless `{}`{at}, and here {found}", escaped(&guard.to_string()));
    let otherwise = guard.relation.negated().as_str();
    Statement::new(format!("if {left} {otherwise} {right} {{\n{}}}", bail(&message)))
}

/// Takes a parameter apart.
struct Binder<'b> {
    graph: &'b Graph,
    fresh: &'b mut Fresh,
    names: &'b mut Names,
    helpers: &'b mut BTreeSet<&'static str>,
    statements: &'b mut Vec<Statement>,
    structures: &'b Structures,
}

impl Binder<'_> {
    /// What a place is made of; `said` is what it is called in messages.
    fn bind(&mut self, made_of: &Argument, ty: &Ty, place: &TokenStream, is_reference: bool, said: &str) {
        match (made_of, ty) {
            (Argument::Node(id), ty) if !matches!(ty, Ty::Option(_)) => {
                let node = self.graph.node(*id);
                if is_reference && let Ok(name) = syn::parse2::<Ident>(place.clone()) {
                    return self.names.give(*id, name, true);
                }
                let name = self.fresh.take(&snake(node.name()));
                self.statements.push(Statement {
                    node: Some(*id),
                    code: written(&format!("let {name} ="), &quote!(&#place), ";", 8),
                });
                self.names.give(*id, name, true);
            }
            (Argument::None, Ty::Option(_) | Ty::Nothing) => {
                let message = format!("`{said}` should be absent, as it was at the capture");
                self.refuse(&format!("{}.is_some()", text(place)), &message);
            }
            (made_of, Ty::Option(inner)) => {
                let name = self.fresh.take(&snake(said));
                let message = format!("`{said}` is missing");
                let place = if is_reference { text(place) } else { format!("&{}", text(place)) };
                let code = format!("let Some({name}) = {place} else {{\n{}}};", bail(&message));
                self.statements.push(Statement::new(code));
                self.bind(made_of, inner, &name.to_token_stream(), true, said);
            }
            (Argument::List(items), Ty::List(ty)) => {
                self.helpers.insert("check_len");
                let len = Literal::usize_unsuffixed(items.len());
                let check = quote!(check_len(#said, #place.len(), #len)?);
                self.statements.push(Statement::new(written("", &check, ";", 8)));
                for (i, item) in items.iter().enumerate() {
                    let index = Literal::usize_unsuffixed(i);
                    self.bind(item, ty, &quote!(#place[#index]), false, &format!("{said}[{i}]"));
                }
            }
            (Argument::Tuple(items), Ty::Tuple(types)) => {
                for (i, (item, ty)) in items.iter().zip(types).enumerate() {
                    let index = Literal::usize_unsuffixed(i);
                    self.bind(item, ty, &quote!(#place.#index), false, &format!("{said}.{i}"));
                }
            }
            (Argument::Struct(structure), Ty::Struct(name)) => {
                let fields = self.structures.fields.get(name).cloned().unwrap_or_default();
                for ((field, item), (_, ty)) in structure.1.iter().zip(fields) {
                    let member = member(field);
                    self.bind(item, &ty, &quote!(#place.#member), false, &format!("{said}.{field}"));
                }
            }
            (constant, Ty::Data(_)) => {
                let Some(value) = constant.to_value() else { return };
                let expected = literal(&value, Kind::Any, None);
                let message = format!("`{said}` should be {value}, as it was at the capture");
                let message = message.replace('{', "{{").replace('}', "}}");
                let place = if is_reference { format!("*{}", text(place)) } else { text(place) };
                self.refuse(&format!("{place} != {expected}"), &message);
            }
            _ => {}
        }
    }

    fn refuse(&mut self, when: &str, message: &str) {
        self.statements.push(Statement::new(format!("if {when} {{\n{}}}", bail(message))));
    }
}

/// The lines that end a function with an error, one level inside of it.
fn bail(message: &str) -> String {
    let code = written("", &quote!(candle_core::bail!(#message)), ";", 12);
    code.lines().map(|line| format!("    {line}\n")).collect()
}

/// An expression as it is written.
fn text(place: &TokenStream) -> String {
    syn::parse2(place.clone()).map_or_else(|_| one_line_tokens(place), |place| one_line(&place))
}

/// A field's name.
fn member(field: &str) -> TokenStream {
    match field.parse::<usize>() {
        Ok(index) => Literal::usize_unsuffixed(index).to_token_stream(),
        Err(_) => identifier(&snake(field)).to_token_stream(),
    }
}

impl Structures {
    /// The type of what an argument stands for.
    fn of(&mut self, graph: &Graph, argument: &Argument, said: &str) -> Result<Ty, FolderError> {
        Ok(match argument {
            Argument::Node(id) if is_size(graph, *id) => Ty::Data("usize"),
            Argument::Node(id) => match kind_of(graph.node(*id)) {
                Some(Several::List) => Ty::List(Box::new(Ty::Tensor)),
                Some(Several::Tuple(len)) => Ty::Tuple(vec![Ty::Tensor; len]),
                None => Ty::Tensor,
            },
            Argument::None => Ty::Nothing,
            Argument::Bool(_) => Ty::Data("bool"),
            Argument::Int(_) => Ty::Data("i64"),
            Argument::Float(_) => Ty::Data("f64"),
            Argument::Str(_) => Ty::Data("&'static str"),
            Argument::DType(_) => Ty::Data("DType"),
            Argument::SymInt(_) => Ty::Data("usize"),
            Argument::SymRange(_) => Ty::Data("std::ops::Range<usize>"),
            Argument::Device(_) => Ty::Data("&'static Device"),
            Argument::Range(range) => Ty::Data(match **range {
                (Some(_), Some(_)) => "std::ops::Range<i64>",
                (Some(_), None) => "std::ops::RangeFrom<i64>",
                (None, Some(_)) => "std::ops::RangeTo<i64>",
                (None, None) => "std::ops::RangeFull",
            }),
            Argument::List(items) => {
                let mut item = Ty::Nothing;
                for (i, other) in items.iter().enumerate() {
                    let other = self.of(graph, other, said)?;
                    item = if i == 0 { other } else { self.both(item, other, said)? };
                }
                Ty::List(Box::new(if items.is_empty() { Ty::Tensor } else { item }))
            }
            Argument::Tuple(items) => {
                Ty::Tuple(items.iter().map(|item| self.of(graph, item, said)).collect::<Result<_, _>>()?)
            }
            Argument::Struct(structure) => {
                let (name, fields) = &**structure;
                let mut types = Vec::with_capacity(fields.len());
                for (field, value) in fields {
                    types.push((field.clone(), self.of(graph, value, said)?));
                }
                if let Some(known) = self.fields.get(name).cloned() {
                    let known_names = known.iter().map(|(field, _)| field);
                    if !known_names.eq(types.iter().map(|(field, _)| field)) {
                        return Err(mixed(said, &format!("`{name}` of different fields")));
                    }
                    for (own, (_, other)) in types.iter_mut().zip(known) {
                        own.1 = self.both(own.1.clone(), other, said)?;
                    }
                }
                self.fields.insert(name.clone(), types);
                Ty::Struct(name.clone())
            }
        })
    }

    /// The type that both can be.
    fn both(&self, one: Ty, other: Ty, said: &str) -> Result<Ty, FolderError> {
        let optional = |ty: Ty| match ty {
            Ty::Option(_) | Ty::Nothing => ty,
            ty => Ty::Option(Box::new(ty)),
        };
        Ok(match (one, other) {
            (one, other) if one == other => one,
            (Ty::Nothing, other) | (other, Ty::Nothing) => optional(other),
            (Ty::Option(one), Ty::Option(other)) => Ty::Option(Box::new(self.both(*one, *other, said)?)),
            (Ty::Option(one), other) | (other, Ty::Option(one)) => Ty::Option(Box::new(self.both(*one, other, said)?)),
            (Ty::List(one), Ty::List(other)) => Ty::List(Box::new(self.both(*one, *other, said)?)),
            (Ty::Tuple(one), Ty::Tuple(other)) if one.len() == other.len() => {
                let each = one.into_iter().zip(other).map(|(one, other)| self.both(one, other, said));
                Ty::Tuple(each.collect::<Result<_, _>>()?)
            }
            (one, other) => return Err(mixed(said, &format!("{} and {}", self.text(&one), self.text(&other)))),
        })
    }

    /// A type as Rust.
    pub(super) fn text(&self, ty: &Ty) -> String {
        match ty {
            Ty::Tensor => "Tensor".to_owned(),
            Ty::Nothing => "Option<Tensor>".to_owned(),
            Ty::Data(name) => (*name).to_owned(),
            Ty::Option(inner) => format!("Option<{}>", self.text(inner)),
            Ty::List(item) => format!("Vec<{}>", self.text(item)),
            Ty::Tuple(items) => match items.as_slice() {
                [one] => format!("({},)", self.text(one)),
                items => format!("({})", items.iter().map(|item| self.text(item)).collect::<Vec<_>>().join(", ")),
            },
            Ty::Struct(name) => self.names.get(name).map_or_else(|| camel(name), ToString::to_string),
        }
    }

    /// A value of a type.
    fn value(
        &self,
        calls: &Calls<'_>,
        argument: &Argument,
        ty: &Ty,
        reads: &mut HashMap<NodeId, usize>,
    ) -> TokenStream {
        match (argument, ty) {
            (Argument::None, _) => quote!(None),
            (argument, Ty::Option(inner)) => {
                let value = self.value(calls, argument, inner, reads);
                quote!(Some(#value))
            }
            (Argument::Node(id), _) => {
                let owned = calls.owned(*id);
                let left = reads.entry(*id).or_insert(1);
                *left -= 1;
                let node = calls.graph.node(*id);
                let is_place = node.op() == Op::GetAttr || matches!(node.target(), Target::Placeholder(_));
                if *left > 0 || is_place || calls.is_reference(*id) { quote!(#owned.clone()) } else { owned }
            }
            (Argument::List(items), Ty::List(ty)) => {
                let items: Vec<_> = items.iter().map(|item| self.value(calls, item, ty, reads)).collect();
                quote!(vec![#(#items),*])
            }
            (Argument::Tuple(items), Ty::Tuple(types)) => {
                let items = items.iter().zip(types).map(|(item, ty)| self.value(calls, item, ty, reads));
                let items: Vec<_> = items.collect();
                match items.as_slice() {
                    [one] => quote!((#one,)),
                    items => quote!((#(#items),*)),
                }
            }
            (Argument::Struct(structure), Ty::Struct(name)) => {
                let types = self.fields.get(name).cloned().unwrap_or_default();
                let ident = self.names.get(name).cloned().unwrap_or_else(|| identifier(&camel(name)));
                let is_tuple = is_tuple(&types);
                let fields = structure.1.iter().zip(&types).map(|((field, value), (_, ty))| {
                    let (field, value) = (member(field), self.value(calls, value, ty, reads));
                    if is_tuple { value } else { quote!(#field: #value) }
                });
                let fields: Vec<_> = fields.collect();
                match (is_tuple, fields.as_slice()) {
                    (_, []) => quote!(#ident),
                    (true, fields) => quote!(#ident(#(#fields),*)),
                    (false, fields) => quote!(#ident { #(#fields),* }),
                }
            }
            (other, _) => match other.to_value() {
                Some(value) => literal(&value, Kind::Any, None),
                None => symbolic_literal(other, Kind::Any, None),
            },
        }
    }

    /// The definitions of the structures, as lines.
    pub(super) fn definitions(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (name, fields) in &self.fields {
            let Some(ident) = self.names.get(name) else { continue };
            lines.push(format!("/// `{}` of the captured model.", name.escape_debug()));
            lines.push("#[derive(Debug, Clone)]".to_owned());
            if fields.is_empty() {
                lines.push(format!("pub struct {ident};"));
            } else if is_tuple(fields) {
                let types: Vec<String> = fields.iter().map(|(_, ty)| format!("pub {}", self.text(ty))).collect();
                lines.push(format!("pub struct {ident}({});", types.join(", ")));
            } else {
                lines.push(format!("pub struct {ident} {{"));
                for (field, ty) in fields {
                    lines.push(format!("    pub {}: {},", identifier(&snake(field)), self.text(ty)));
                }
                lines.push("}".to_owned());
            }
            lines.push(String::new());
        }
        lines
    }
}

/// Whether the fields are those of a tuple struct, which are named by their positions.
fn is_tuple(fields: &[(Arc<str>, Ty)]) -> bool {
    !fields.is_empty() && fields.iter().enumerate().all(|(i, (field, _))| **field == *i.to_string())
}

fn mixed(what: &str, found: &str) -> FolderError {
    FolderError::Mixed { what: what.to_owned(), found: found.to_owned() }
}
