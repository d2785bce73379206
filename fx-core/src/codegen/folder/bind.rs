//! [`Binder`]: the statements that take parameters and the state apart.
//!
//! Invariant: what has another structure than at the capture, or another value where the capture relied on it, is refused.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::ir::{Argument, Graph, NodeId};
use crate::ops::kind::Kind;
use crate::value::{Fact, Value};

use super::super::format::{self, TAB, one_line, one_line_tokens};
use super::super::literal::literal;
use super::super::names::Names;
use super::super::source::Statement;
use super::body::written;
use super::naming::one_of;
use super::structure::{Structures, Ty, member};
use super::words::{Fresh, snake};

/// Takes a parameter, or a part of the state, apart.
pub(super) struct Binder<'b> {
    pub(super) graph: &'b Graph,
    pub(super) fresh: &'b mut Fresh,
    pub(super) names: &'b mut Names,
    pub(super) helpers: &'b mut BTreeSet<&'static str>,
    pub(super) statements: &'b mut Vec<Statement>,
    pub(super) structures: &'b Structures,
    /// What needs a name.
    pub(super) is_named: &'b dyn Fn(NodeId) -> bool,
    /// Whether it is the state that is taken apart, and not a parameter.
    pub(super) is_state: bool,
    /// Whether everything was refused already that has to be, so that only names are left to give.
    pub(super) is_checked: bool,
    /// Whether it is an element of a list that a loop goes through.
    pub(super) is_element: bool,
    pub(super) found: &'b mut FoundAt,
}

/// Where placeholders were found.
#[derive(Default)]
pub(super) struct FoundAt {
    pub(super) by_node: IndexMap<NodeId, Found>,
    /// The lists of the state that loops go through.
    pub(super) lists: Vec<List>,
}

/// Where a placeholder was found.
pub(super) struct Found {
    /// As Rust.
    pub(super) place: TokenStream,
    /// As messages say it.
    pub(super) said: String,
    pub(super) is_state: bool,
}

/// A list of the state, by where its elements are in a loop.
pub(super) struct List {
    place: TokenStream,
    element: Ident,
    index: Ident,
    /// The placeholders in each element, by where they are in a round of the loop.
    pub(super) elements: Vec<IndexMap<NodeId, Found>>,
}

impl List {
    /// The loop that does this with each element.
    pub(super) fn each(&self, statements: &[Statement]) -> Statement {
        let Self { place, element, index, .. } = self;
        let body: String = statements
            .iter()
            .flat_map(|statement| statement.code.lines())
            .fold(String::new(), |body, line| format!("{body}    {line}\n"));
        let body = body.replace(&marked(index), &format!("{{{index}}}"));
        let start = block(&format!("for ({index}, {element}) in"), &quote!(#place.iter().enumerate()), INDENT);
        Statement::new(format!("{start}\n{body}}}"))
    }
}

/// What stands for the number of an element in a message, and is as long as that is in there.
fn marked(index: &Ident) -> String {
    format!("⟦{index}⟧")
}

/// A text as an argument: in the round of a loop, with the number of the element.
pub(super) fn numbered(said: &str, is_element: bool) -> TokenStream {
    if is_element {
        let said = escaped(said);
        quote!(&format!(#said))
    } else {
        quote!(#said)
    }
}

impl Found {
    /// What messages call it.
    pub(super) fn called(&self) -> String {
        called(&self.said, self.is_state)
    }
}

/// What messages call a part of an input or of the state.
fn called(said: &str, is_state: bool) -> String {
    format!("{}`{said}`", if is_state { "state " } else { "" })
}

/// The indentation of the statements of a function.
const INDENT: usize = 8;

impl Binder<'_> {
    /// What a place is made of; `said` is what it is called in messages.
    pub(super) fn bind(&mut self, made_of: &Argument, ty: &Ty, place: &TokenStream, is_reference: bool, said: &str) {
        if let Argument::Node(id) = made_of
            && !matches!(ty, Ty::Option(_))
        {
            let (place, said) = (place.clone(), said.to_owned());
            self.found.by_node.insert(*id, Found { place, said, is_state: self.is_state });
        }
        match (made_of, ty) {
            (Argument::Node(_), ty) if self.is_element && !matches!(ty, Ty::Option(_)) => {}
            // It is read as a size.
            (Argument::Node(id), Ty::Data(_)) => {
                if let Ok(name) = syn::parse2::<Ident>(place.clone()) {
                    self.names.give(*id, name, true);
                }
            }
            (Argument::Node(id), ty) if !matches!(ty, Ty::Option(_)) => self.name(*id, place, is_reference, said),
            (Argument::None, Ty::Option(_) | Ty::Nothing) => {
                let but = if self.is_state { ", but is present" } else { "" };
                let message =
                    format!("{} should be absent, as it was at the capture{but}", called(said, self.is_state));
                self.refuse(&format!("{}.is_some()", text(place)), &escaped(&message));
            }
            (made_of, Ty::Option(inner)) => self.unwrap(made_of, inner, place, is_reference, said),
            (Argument::List(items), Ty::List(ty)) => self.list(items, ty, place, said),
            (Argument::List(items) | Argument::Tuple(items), Ty::Tuple(types)) => {
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
            (constant, Ty::Data(_) | Ty::Count) => self.constant(constant, place, is_reference, said),
            _ => {}
        }
    }

    /// Gives a placeholder a name.
    fn name(&mut self, id: NodeId, place: &TokenStream, is_reference: bool, said: &str) {
        if is_reference && let Ok(name) = syn::parse2::<Ident>(place.clone()) {
            return self.names.give(id, name, true);
        }
        if !(self.is_named)(id) {
            return;
        }
        // A function of several layers names it after its place.
        let name = self.fresh.take(&snake(if self.is_checked { said } else { self.graph.node(id).name() }));
        let code = written(&format!("let {name} ="), &quote!(&#place), ";", INDENT);
        self.statements.push(Statement { node: Some(id), code });
        self.names.give(id, name, true);
    }

    /// Something that is there, where nothing could be.
    fn unwrap(&mut self, made_of: &Argument, inner: &Ty, place: &TokenStream, is_reference: bool, said: &str) {
        let message = match self.is_state {
            false => format!("`{said}` is missing"),
            true => {
                let expected = match made_of.fact(&mut |id| self.graph.node(id).meta().fact.clone()) {
                    Fact::Unknown => "present".to_owned(),
                    fact => fact.to_string(),
                };
                format!("{} should be {expected}, as at the capture, but is absent", called(said, true))
            }
        };
        let message = escaped(&message);
        if !self.is_looked_at(made_of) {
            return self.refuse(&format!("{}.is_none()", text(place)), &message);
        }
        let name = self.fresh.take(&snake(said));
        let place = if is_reference { text(place) } else { format!("&{}", text(place)) };
        let code = format!("let Some({name}) = {place} else {{\n{}}};", bail(&message, self.indent()));
        self.statements.push(Statement::new(code));
        // Plain data is compared and copied.
        match inner {
            Ty::Data(_) | Ty::Count => self.bind(made_of, inner, &quote!(*#name), false, said),
            _ => self.bind(made_of, inner, &name.to_token_stream(), true, said),
        }
    }

    /// Whether a statement says something of what is inside.
    fn is_looked_at(&self, made_of: &Argument) -> bool {
        match made_of {
            Argument::Node(id) => {
                let is_checked = || self.is_state && self.graph.node(*id).meta().fact.as_tensor().is_some();
                !self.is_state || (self.is_named)(*id) || (!self.is_checked && is_checked())
            }
            Argument::List(_) if !self.is_checked => true,
            Argument::List(_) | Argument::Tuple(_) | Argument::Struct(_) => {
                made_of.parts().any(|part| self.is_looked_at(part))
            }
            _ => !self.is_checked,
        }
    }

    /// The items of a list. Those of the state that need no names are checked in a loop, if they are alike.
    fn list(&mut self, items: &[Argument], ty: &Ty, place: &TokenStream, said: &str) {
        if !self.is_checked {
            self.helpers.insert("check_len");
            let (len, called) = (Literal::usize_unsuffixed(items.len()), numbered(said, self.is_element));
            let check = quote!(check_len(#called, #place.len(), #len)?);
            self.statements.push(Statement::new(written("", &check, ";", self.indent())));
        }
        let start = self.statements.len();
        for (i, item) in items.iter().enumerate() {
            let index = Literal::usize_unsuffixed(i);
            self.bind(item, ty, &quote!(#place[#index]), false, &format!("{said}[{i}]"));
        }
        let is_free = |item: &Argument| !self.is_named_in(item) && !self.is_optional(item, ty);
        if items.len() < 2 || !self.is_state || self.is_checked || self.is_element || !items.iter().all(is_free) {
            return;
        }
        let mut fresh = self.fresh.clone();
        let word = said.rsplit('.').next().unwrap_or(said);
        let (element, index) = (fresh.take(&one_of(&snake(word))), fresh.take("i"));
        let said = format!("{said}[{}]", marked(&index));
        let (mut all, mut elements) = (Vec::new(), Vec::new());
        for item in items {
            let (mut statements, mut found) = (Vec::new(), FoundAt::default());
            let mut binder = Binder {
                graph: self.graph,
                fresh: &mut fresh.clone(),
                names: self.names,
                helpers: self.helpers,
                statements: &mut statements,
                structures: self.structures,
                is_named: self.is_named,
                is_state: true,
                is_checked: false,
                is_element: true,
                found: &mut found,
            };
            binder.bind(item, ty, &element.to_token_stream(), true, &said);
            all.push(statements);
            elements.push(found.by_node);
        }
        let list = List { place: place.clone(), element, index, elements };
        let are_alike = all.windows(2).all(|two| two[0].iter().map(code).eq(two[1].iter().map(code)));
        if are_alike {
            self.statements.truncate(start);
            self.statements.extend(all.first().filter(|each| !each.is_empty()).map(|each| list.each(each)));
        }
        self.found.lists.push(list);
    }

    /// Whether something in a value stands where nothing could be.
    fn is_optional(&self, made_of: &Argument, ty: &Ty) -> bool {
        match ty {
            Ty::Option(_) => *made_of != Argument::None,
            Ty::List(item) => made_of.parts().any(|part| self.is_optional(part, item)),
            Ty::Tuple(types) => made_of.parts().zip(types).any(|(part, ty)| self.is_optional(part, ty)),
            Ty::Struct(name) => {
                let fields = self.structures.fields.get(name).map_or(&[][..], Vec::as_slice);
                made_of.parts().zip(fields).any(|(part, (_, ty))| self.is_optional(part, ty))
            }
            _ => false,
        }
    }

    fn is_named_in(&self, item: &Argument) -> bool {
        let mut is_named = false;
        item.for_each_node(&mut |id| is_named |= (self.is_named)(id));
        is_named
    }

    /// Plain data, which has to be what it was.
    fn constant(&mut self, constant: &Argument, place: &TokenStream, is_reference: bool, said: &str) {
        let Some(value) = constant.to_value().filter(|_| !self.is_checked) else { return };
        let differs = |found: &str| match &value {
            Value::Bool(true) => format!("!{found}"),
            Value::Bool(false) => found.to_owned(),
            value => format!("{found} != {}", literal(value, Kind::Any, None)),
        };
        let place = if is_reference { format!("*{}", text(place)) } else { text(place) };
        let mut message = format!("{} should be {value}, as it was at the capture", called(said, self.is_state));
        message = escaped(&message);
        if !self.is_state {
            return self.refuse(&differs(&place), &message);
        }
        let found = self.fresh.take(&snake(said));
        let value = syn::parse_str(&place).map_or_else(|_| quote!(#place), |place: syn::Expr| quote!(#place));
        self.statements.push(Statement::new(written(&format!("let {found} ="), &value, ";", self.indent())));
        self.refuse(&differs(&found.to_string()), &format!("{message}, but is {{{found}:?}}"));
    }

    fn refuse(&mut self, when: &str, message: &str) {
        if !self.is_checked {
            self.statements.push(Statement::new(refused(when, message, self.indent())));
        }
    }

    fn indent(&self) -> usize {
        if self.is_element { INDENT + TAB } else { INDENT }
    }
}

/// The text of a statement.
pub(super) fn code(statement: &Statement) -> &str {
    &statement.code
}

/// The lines that end a function with an error under a condition.
pub(super) fn refused(when: &str, message: &str, indent: usize) -> String {
    let start = match syn::parse_str::<syn::Expr>(when) {
        Ok(when) => block("if", &when.to_token_stream(), indent),
        Err(_) => format!("if {when} {{"),
    };
    format!("{start}\n{}}}", bail(message, indent))
}

/// The first lines of a block, with the brace, as deep as the first.
pub(super) fn block(before: &str, head: &TokenStream, indent: usize) -> String {
    let text = match syn::parse2(head.clone()) {
        Ok(head) => format::block(before, &head, indent),
        Err(_) => format!("{before} {head} {{"),
    };
    text.replace(&format!("\n{:indent$}", ""), "\n")
}

/// A text that is written as it is by `format!`.
pub(super) fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// The lines that end a function with an error, one level inside of a block of this indentation.
fn bail(message: &str, indent: usize) -> String {
    let code = written("", &quote!(candle_core::bail!(#message)), ";", indent + TAB);
    code.lines().map(|line| format!("    {line}\n")).collect()
}

/// An expression as it is written.
pub(super) fn text(place: &TokenStream) -> String {
    syn::parse2(place.clone()).map_or_else(|_| one_line_tokens(place), |place| one_line(&place))
}
