//! A call as a Rust expression: the operation's own candle expression, with its parameters replaced by the arguments.
//!
//! Invariant: no operation is named here; what is written is what the interpreter evaluates.

use std::cell::RefCell;
use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, parse_quote};

use crate::ir::{Argument, Graph, Node, NodeId, Target, by_parameter};
use crate::module::{Attribute, Attributes};
use crate::ops::kind::Kind;
use crate::ops::{OpRef, Param, ResultKind};
use crate::value::{Fact, Value};

use super::literal::literal;
use super::names::Names;
use super::place::Places;
use super::size::symbolic_literal;

/// Writes calls of a graph.
pub(super) struct Calls<'g> {
    pub(super) graph: &'g Graph,
    pub(super) attributes: &'g Attributes,
    pub(super) names: &'g Names,
    pub(super) places: &'g Places,
    pub(super) sources: &'g Sources,
    /// The value whose device is that of the program; none if the devices of the graph are written as they are.
    pub(super) device_of: Option<NodeId>,
}

/// The expressions of operations, read once each; none for a user's function.
pub(super) type Sources = RefCell<HashMap<OpRef, Option<Expr>>>;

/// An argument as Rust has it.
struct Written {
    /// As the receiver of a method.
    receiver: Expr,
    /// As an argument.
    value: Expr,
    /// Whether it is a tuple.
    is_tuple: bool,
}

impl Calls<'_> {
    /// The expression of a call node.
    pub(super) fn expression(&self, id: NodeId) -> TokenStream {
        let node = self.graph.node(id);
        match node.target() {
            Target::CallFunction(op) | Target::CallMethod(op) => self.op(op, id),
            Target::CallModule(path) => {
                let called = match self.attributes.get(path) {
                    Some(Attribute::Layer(layer)) => layer.called(),
                    _ => crate::module::Called::FORWARD,
                };
                let method = Ident::new(called.method, Span::call_site());
                let layer = self.places.of(path);
                let arguments = node.args().iter().map(|argument| self.argument(argument, Kind::Tensor).value);
                let options = node.kwargs().iter().map(|(_, argument)| self.argument(argument, Kind::Any).value);
                let all = arguments.chain(options);
                quote!(#layer.#method(#(#all),*)?)
            }
            // Placeholders and attributes are names, the output is the method's value.
            _ => self.owned(id),
        }
    }

    fn op(&self, op: OpRef, id: NodeId) -> TokenStream {
        let node = self.graph.node(id);
        let dtype = node.kwargs().iter().find_map(|(_, argument)| match argument {
            Argument::DType(dtype) => Some(*dtype),
            _ => None,
        });
        let written = by_parameter(op, node.args(), node.kwargs());
        let written: Vec<(Param, Written)> =
            written.map(|(param, argument)| (*param, self.argument_typed(argument, param.kind, dtype))).collect();
        let source = self.sources.borrow_mut().entry(op).or_insert_with(|| syn::parse_str(op.source).ok()).clone();
        match source {
            Some(mut expression) => {
                Substitute { written: &written }.visit_expr_mut(&mut expression);
                expression.into_token_stream()
            }
            None => self.function(op, id),
        }
    }

    /// A plain call of a user's function.
    fn function(&self, op: OpRef, id: NodeId) -> TokenStream {
        let node = self.graph.node(id);
        let values =
            by_parameter(op, node.args(), node.kwargs()).map(|(param, argument)| match syn::parse_str(param.written) {
                Ok(ty) => self.typed(argument, &ty),
                Err(_) => self.argument(argument, param.kind).value.into_token_stream(),
            });
        let path: TokenStream = op.name.parse().unwrap_or_default();
        let call = quote!(#path(#(#values),*));
        if op.result == ResultKind::BareAny { call } else { quote!(#call?) }
    }

    /// An argument of a call of another graph, which takes references.
    pub(super) fn passed(&self, argument: &Argument) -> TokenStream {
        self.argument(argument, Kind::Any).value.into_token_stream()
    }

    fn argument(&self, argument: &Argument, kind: Kind) -> Written {
        self.argument_typed(argument, kind, None)
    }

    fn argument_typed(&self, argument: &Argument, kind: Kind, dtype: Option<candle_core::DType>) -> Written {
        if let Argument::Node(id) = argument {
            let receiver = self.owned(*id);
            let borrowed = self.borrowed(*id);
            let value = match kind {
                Kind::OptTensor => quote!(Some(#borrowed)),
                Kind::Mask => quote!(candle_nn::attention::AttnMask::Mask(#receiver.clone())),
                _ => borrowed,
            };
            let is_tuple = matches!(kind_of(self.graph.node(*id)), Some(Several::Tuple(_)));
            return Written { receiver: parse_quote!(#receiver), value: parse_quote!(#value), is_tuple };
        }
        let tokens = match (argument.to_value(), argument) {
            (Some(value), Argument::Device(_)) => self.device().unwrap_or_else(|| literal(&value, kind, dtype)),
            (Some(value), _) => literal(&value, kind, dtype),
            (None, symbolic) if !symbolic.has_nodes() => symbolic_literal(symbolic, kind, dtype),
            (None, Argument::List(items) | Argument::Tuple(items)) => {
                let items: Vec<_> = items.iter().map(|item| self.argument(item, item_kind(kind)).value).collect();
                match (kind, items.as_slice()) {
                    (Kind::Index, [one]) => one.to_token_stream(),
                    (Kind::Index, items) => quote!((#(#items),*)),
                    (_, items) => quote!([#(#items),*]),
                }
            }
            (None, _) => literal(&Value::None, kind, dtype),
        };
        let expression: Expr = parse_quote!(#tokens);
        Written { receiver: expression.clone(), value: expression, is_tuple: false }
    }

    /// The device of the program, as a reference, if it is asked for.
    pub(super) fn device(&self) -> Option<TokenStream> {
        let of = self.names.of(self.device_of?);
        Some(quote!(#of.device()))
    }

    /// A value as itself: a name, or the place of an attribute.
    pub(super) fn owned(&self, id: NodeId) -> TokenStream {
        match self.graph.node(id).target() {
            Target::GetAttr(path) => self.places.of(path),
            _ => self.names.of(id).into_token_stream(),
        }
    }

    /// A value as a reference. Inputs are references already.
    pub(super) fn borrowed(&self, id: NodeId) -> TokenStream {
        let owned = self.owned(id);
        if self.is_reference(id) { owned } else { quote!(&#owned) }
    }

    /// Whether the name of a value is a reference.
    pub(super) fn is_reference(&self, id: NodeId) -> bool {
        match self.graph.node(id).target() {
            Target::GetAttr(path) => self.places.is_lent(path),
            _ => self.names.is_reference(id),
        }
    }
}

/// A value of several.
pub(super) enum Several {
    /// A `Vec` of tensors.
    List,
    /// A tuple of so many tensors.
    Tuple(usize),
}

/// Whether the value of a node is several, as its operation says or, of a user's function, what is known of it.
pub(super) fn kind_of(node: &Node) -> Option<Several> {
    match (node.target().operation().map(|op| op.result), &node.meta().fact) {
        (Some(ResultKind::Tensors), _) => Some(Several::List),
        (Some(ResultKind::TensorPair), _) => Some(Several::Tuple(2)),
        (_, Fact::List(_)) => Some(Several::List),
        (_, Fact::Tuple(parts)) => Some(Several::Tuple(parts.len())),
        _ => None,
    }
}

/// Kind of the items of a list.
fn item_kind(kind: Kind) -> Kind {
    match kind {
        Kind::Tensors | Kind::List => Kind::Tensor,
        _ => Kind::Any,
    }
}

/// Replaces parameters by arguments.
struct Substitute<'w> {
    written: &'w [(Param, Written)],
}

impl Substitute<'_> {
    fn written(&self, expression: &Expr) -> Option<&Written> {
        let Expr::Path(path) = expression else { return None };
        let ident = path.path.get_ident()?;
        self.written.iter().find(|(param, _)| ident == param.name).map(|(_, written)| written)
    }
}

impl VisitMut for Substitute<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Some(written) = self.written(expression) {
            *expression = written.value.clone();
            return;
        }
        match expression {
            // A receiver is borrowed by the call itself, an indexed value by the index.
            Expr::MethodCall(call) => {
                match self.written(&call.receiver) {
                    Some(written) => *call.receiver = written.receiver.clone(),
                    None => self.visit_expr_mut(&mut call.receiver),
                }
                call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
            }
            Expr::Index(index) => {
                self.visit_expr_mut(&mut index.index);
                let Some(written) = self.written(&index.expr) else {
                    return self.visit_expr_mut(&mut index.expr);
                };
                let (items, position) = (written.receiver.clone(), &index.index);
                // The parts of a tuple are fields.
                *expression = if written.is_tuple {
                    let position = position.to_token_stream();
                    parse_quote!(#items.#position)
                } else {
                    parse_quote!(#items[#position])
                };
            }
            // `&args` over a list that is a name: not borrowed twice.
            Expr::Reference(reference) => match self.written(&reference.expr) {
                Some(written) => *reference.expr = written.receiver.clone(),
                None => visit_mut::visit_expr_mut(self, expression),
            },
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }
}
