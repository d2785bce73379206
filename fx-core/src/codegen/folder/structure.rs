//! [`Structures`]: the types of parameters, results and state, with the structures that they are made of.
//!
//! Invariant: a type has every value that is given for it: what is absent here and present there is an `Option`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::ir::{Argument, Graph, Node, NodeId, Op, SizeOf, Target};
use crate::ops::kind::Kind;
use crate::value::{Fact, SymInt, Value};

use super::super::call::{Calls, Several, kind_of};
use super::super::format::one_line_tokens;
use super::super::identifier::identifier;
use super::super::literal::literal;
use super::super::size::{expression, symbolic_literal};
use super::error::FolderError;
use super::words::{camel, snake};

/// The type of a parameter or result.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ty {
    Tensor,
    /// What is always absent.
    Nothing,
    /// What nothing is known of: an item of a list that has none.
    Unknown,
    /// Plain data, by its Rust type.
    Data(&'static str),
    /// A number that is not negative: an `i64`, or a `usize` where it follows sizes at other times.
    Count,
    Option(Box<Ty>),
    List(Box<Ty>),
    Tuple(Vec<Ty>),
    Struct(Arc<str>),
}

impl Ty {
    /// The type of a step's value.
    pub(super) fn of_node(node: &Node) -> Self {
        match (kind_of(node), &node.meta().fact) {
            (None, _) => Self::Tensor,
            (Some(_), fact @ (Fact::List(_) | Fact::Tuple(_))) => Self::of_fact(fact),
            (Some(Several::List), _) => Self::List(Box::new(Self::Tensor)),
            (Some(Several::Tuple(len)), _) => Self::Tuple(vec![Self::Tensor; len]),
        }
    }

    fn of_fact(fact: &Fact) -> Self {
        match fact {
            Fact::List(items) => Self::List(Box::new(items.first().map_or(Self::Tensor, Self::of_fact))),
            Fact::Tuple(parts) => Self::Tuple(parts.iter().map(Self::of_fact).collect()),
            Fact::Data(Value::None) => Self::Nothing,
            Fact::Data(Value::Bool(_)) => Self::Data("bool"),
            Fact::Data(Value::Int(int)) => number(*int),
            Fact::Data(Value::Float(_)) => Self::Data("f64"),
            _ => Self::Tensor,
        }
    }
}

/// How often each value is still read.
pub(super) type Reads = HashMap<NodeId, usize>;

/// The structures that are parameters, results or parts of them: names and types of their fields.
#[derive(Default, Clone)]
pub(super) struct Structures {
    pub(super) fields: IndexMap<Arc<str>, Vec<(Arc<str>, Ty)>>,
    /// Those that the captured model does not have: what one element of a list keeps, each with the path of the list.
    pub(super) rows: HashMap<Arc<str>, Arc<str>>,
    pub(super) names: HashMap<Arc<str>, Ident>,
    /// Those that begin as Rust's own defaults.
    pub(super) defaults: HashSet<Arc<str>>,
    /// Whether they are the model's own types, and not types of the program: then they are named by its paths, and a list
    /// of what no type has is shown as a tuple.
    pub(super) is_shown: bool,
}

/// The integer that a placeholder is, if the graph follows it.
pub(super) fn followed(graph: &Graph, id: NodeId) -> Option<SymInt> {
    let sizes = graph.dynamic().map_or(&[][..], |dynamic| &dynamic.sizes);
    let size = sizes.iter().find(|size| size.places.contains(&SizeOf::Value(id)));
    match (size, &graph.node(id).meta().fact) {
        (Some(size), _) => Some(SymInt::symbol(size.name.clone(), size.hint)),
        (None, Fact::SymInt(of)) if graph.node(id).op() == Op::Placeholder => Some(of.clone()),
        _ => None,
    }
}

/// A field's name.
pub(super) fn member(field: &str) -> TokenStream {
    match field.parse::<usize>() {
        Ok(index) => Literal::usize_unsuffixed(index).to_token_stream(),
        Err(_) => identifier(&snake(field)).to_token_stream(),
    }
}

impl Structures {
    /// The type of what an argument stands for.
    pub(super) fn of(&mut self, graph: &Graph, argument: &Argument, said: &str) -> Result<Ty, FolderError> {
        Ok(match argument {
            Argument::Node(id) if followed(graph, *id).is_some() => Ty::Data("usize"),
            Argument::Node(id) => Ty::of_node(graph.node(*id)),
            Argument::None => Ty::Nothing,
            Argument::Bool(_) => Ty::Data("bool"),
            Argument::Int(int) => number(*int),
            Argument::Float(_) | Argument::SymFloat(_) => Ty::Data("f64"),
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
                let types: Vec<Ty> = items.iter().map(|item| self.of(graph, item, said)).collect::<Result<_, _>>()?;
                let item = types.iter().try_fold(Ty::Unknown, |item, other| self.both(item, other.clone(), said));
                match item {
                    Err(_) if self.is_shown => Ty::Tuple(types),
                    item => Ty::List(Box::new(item?)),
                }
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
                if let Some(known) = self.fields.get(name).cloned().filter(|_| !self.is_shown) {
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

    /// Whether a structure is taken apart where it is read and written: it has lists, or is what an element keeps.
    pub(super) fn has_lists(&self, name: &str) -> bool {
        let fields = self.fields.get(name).map_or(&[][..], Vec::as_slice);
        self.rows.contains_key(name) || fields.iter().any(|(_, ty)| matches!(ty, Ty::List(_)))
    }

    /// The type that also has this value; in it, tensors are tensors.
    pub(super) fn with_value(&mut self, ty: Ty, value: &Value, said: &str) -> Result<Ty, FolderError> {
        Ok(match (ty, value) {
            (ty, Value::None) => self.both(ty, Ty::Nothing, said)?,
            (Ty::Option(inner), value) => Ty::Option(Box::new(self.with_value(*inner, value, said)?)),
            (Ty::Tensor | Ty::Unknown, Value::Tensor(_)) => Ty::Tensor,
            (Ty::Nothing, Value::Tensor(_)) => Ty::Option(Box::new(Ty::Tensor)),
            (Ty::List(item), Value::List(items)) => {
                let item = items.iter().try_fold(*item, |item, value| self.with_value(item, value, said))?;
                Ty::List(Box::new(item))
            }
            (Ty::Tuple(types), Value::Tuple(items)) if types.len() == items.len() => {
                let each = types.into_iter().zip(items).map(|(ty, value)| self.with_value(ty, value, said));
                Ty::Tuple(each.collect::<Result<_, _>>()?)
            }
            (Ty::Struct(name), Value::Struct(of, values)) if name == *of => {
                let mut fields = self.fields.get(&name).cloned().unwrap_or_default();
                if !fields.iter().map(|(field, _)| field).eq(values.iter().map(|(field, _)| field)) {
                    return Err(mixed(said, &format!("`{name}` of different fields")));
                }
                for ((_, ty), (_, value)) in fields.iter_mut().zip(values) {
                    *ty = self.with_value(ty.clone(), value, said)?;
                }
                self.fields.insert(name.clone(), fields);
                Ty::Struct(name)
            }
            (ty, Value::Int(int)) => self.both(ty, number(*int), said)?,
            (ty @ Ty::Data("bool"), Value::Bool(_))
            | (ty @ Ty::Data("f64"), Value::Float(_))
            | (ty @ Ty::Data("&'static str"), Value::Str(_))
            | (ty @ Ty::Data("DType"), Value::DType(_)) => ty,
            (ty, value) => return Err(mixed(said, &format!("{} and {}", self.text(&ty), Fact::of(value)))),
        })
    }

    /// The type that both can be.
    pub(super) fn both(&self, one: Ty, other: Ty, said: &str) -> Result<Ty, FolderError> {
        let optional = |ty: Ty| match ty {
            Ty::Option(_) | Ty::Nothing => ty,
            ty => Ty::Option(Box::new(ty)),
        };
        Ok(match (one, other) {
            (one, other) if one == other => one,
            (Ty::Unknown, ty) | (ty, Ty::Unknown) => ty,
            (Ty::Count, ty @ Ty::Data("i64" | "usize")) | (ty @ Ty::Data("i64" | "usize"), Ty::Count) => ty,
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
            Ty::Tensor | Ty::Unknown => "Tensor".to_owned(),
            Ty::Count => "i64".to_owned(),
            Ty::Nothing => "Option<Tensor>".to_owned(),
            Ty::Data(name) => (*name).to_owned(),
            Ty::Option(inner) => format!("Option<{}>", self.text(inner)),
            Ty::List(item) => format!("Vec<{}>", self.text(item)),
            Ty::Tuple(items) => match items.as_slice() {
                [one] => format!("({},)", self.text(one)),
                items => format!("({})", items.iter().map(|item| self.text(item)).collect::<Vec<_>>().join(", ")),
            },
            Ty::Struct(name) if self.is_shown => one_line_tokens(&path(type_of(name))),
            Ty::Struct(name) => self.names.get(name).map_or_else(|| camel(name), ToString::to_string),
        }
    }

    /// A value of a type. `reads` says how often each node is read from here on: the last time, it is moved.
    pub(super) fn value(&self, calls: &Calls<'_>, argument: &Argument, ty: &Ty, reads: &mut Reads) -> TokenStream {
        match (argument, ty) {
            (Argument::None, _) => quote!(None),
            (argument, Ty::Option(inner)) => {
                let value = self.value(calls, argument, inner, reads);
                quote!(Some(#value))
            }
            (Argument::Node(id), Ty::Data(_)) => {
                followed(calls.graph, *id).map_or_else(|| calls.owned(*id), |of| expression(&of))
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
            (Argument::List(items) | Argument::Tuple(items), Ty::Tuple(types)) => {
                let items = items.iter().zip(types).map(|(item, ty)| self.value(calls, item, ty, reads));
                tuple(&items.collect::<Vec<_>>())
            }
            (Argument::Struct(structure), Ty::Struct(name)) => {
                let types = self.fields.get(name).cloned().unwrap_or_default();
                let values = structure.1.iter().zip(&types);
                let values = values.map(|((_, value), (_, ty))| self.value(calls, value, ty, reads)).collect();
                self.structure(name, values)
            }
            (other, _) => match other.to_value() {
                Some(value) => literal(&value, Kind::Any, None),
                None => symbolic_literal(other, Kind::Any, None),
            },
        }
    }

    /// A structure of the values of its fields.
    pub(super) fn structure(&self, name: &Arc<str>, values: Vec<TokenStream>) -> TokenStream {
        let types = self.fields.get(name).map_or(&[][..], Vec::as_slice);
        let ident = self.named(name);
        if values.is_empty() && self.is_shown {
            return quote!(#ident {});
        }
        if values.is_empty() {
            return quote!(#ident);
        }
        if is_tuple(types) {
            return quote!(#ident(#(#values),*));
        }
        let fields = types.iter().map(|(field, _)| member(field));
        quote!(#ident { #(#fields: #values),* })
    }

    /// The name of a structure.
    pub(super) fn named(&self, name: &Arc<str>) -> TokenStream {
        match self.names.get(name) {
            _ if self.is_shown => path(name),
            Some(ident) => ident.to_token_stream(),
            None => identifier(&camel(name)).to_token_stream(),
        }
    }

    /// The definitions of the structures, as lines.
    pub(super) fn definitions(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (name, fields) in &self.fields {
            let Some(ident) = self.names.get(name) else { continue };
            lines.push(match self.rows.get(name) {
                Some(list) if list.is_empty() => "/// What one part of the captured model keeps.".to_owned(),
                Some(list) => format!("/// What one of `{}` keeps.", list.escape_debug()),
                None => format!("/// `{}` of the captured model.", name.escape_debug()),
            });
            let default = if self.defaults.contains(name) { ", Default" } else { "" };
            lines.push(format!("#[derive(Debug, Clone{default})]"));
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

/// A path, each part of it an identifier.
fn path(name: &str) -> TokenStream {
    let parts = name.split("::").map(identifier);
    quote!(#(#parts)::*)
}

/// The type that a structure is of: a variant is named by its path, and the type is what stands before it.
fn type_of(name: &str) -> &str {
    let is_variant = name.split("::").filter(|part| part.starts_with(char::is_uppercase)).count() > 1;
    name.rsplit_once("::").filter(|_| is_variant).map_or(name, |(before, _)| before)
}

/// Whether the fields are those of a tuple struct, which are named by their positions.
fn is_tuple(fields: &[(Arc<str>, Ty)]) -> bool {
    !fields.is_empty() && fields.iter().enumerate().all(|(i, (field, _))| **field == *i.to_string())
}

/// The type of a number.
fn number(int: i64) -> Ty {
    if int < 0 { Ty::Data("i64") } else { Ty::Count }
}

/// A tuple of values.
pub(super) fn tuple(items: &[TokenStream]) -> TokenStream {
    match items {
        [one] => quote!((#one,)),
        items => quote!((#(#items),*)),
    }
}

fn mixed(what: &str, found: &str) -> FolderError {
    FolderError::Mixed { what: what.to_owned(), found: found.to_owned() }
}
