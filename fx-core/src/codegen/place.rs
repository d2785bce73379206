//! Paths of attributes as places in Rust: `self.layers[0].query.weight`.
//!
//! Invariant: every path becomes a legal expression, and two paths never the same one; legal field names stay as they are.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Pat};

use crate::ir::{Graph, ModulePath, Target};
use crate::module::{Attribute, Attributes, PartSource};

use super::identifier::identifier;

/// The places of a module's attributes.
#[derive(Default)]
pub(super) struct Places {
    by_path: HashMap<ModulePath, TokenStream>,
    /// Those that are references already: what a layer lends of its own.
    lent: HashSet<ModulePath>,
}

impl Places {
    pub(super) fn new(graph: &Graph, attributes: &Attributes) -> Self {
        let mut paths: Vec<&ModulePath> = graph.nodes().filter_map(|(_, node)| node.target().path()).collect();
        let tuples = tuples(graph, attributes);
        // Field names that need no change are given first, so that an odd one never takes the place of another.
        paths.sort_by_key(|path| !path.segments().all(is_plain));
        let mut given = HashSet::new();
        let mut by_path = HashMap::new();
        for path in paths {
            if by_path.contains_key(path) {
                continue;
            }
            let mut count = 0;
            let found = loop {
                let found = place(path, count, &tuples);
                if given.insert(found.to_string()) {
                    break found;
                }
                count += 1;
            };
            by_path.insert(path.clone(), found);
        }
        let mut places = Self { by_path, lent: HashSet::new() };
        for (_, node) in graph.nodes() {
            if let Target::GetAttr(path) = node.target() {
                places.lend(path, attributes);
            }
        }
        places
    }

    /// A tensor of a layer that is called too is read as users read it: candle's layers hide their fields.
    fn lend(&mut self, path: &ModulePath, attributes: &Attributes) {
        let Some((parent, name)) = path.parent().zip(path.last()) else { return };
        let Some(Attribute::Layer(layer)) = attributes.get(&parent) else { return };
        if let Some(part) = layer.part(name).and_then(|part| part_of(part, &self.of(&parent))) {
            self.give(path.clone(), part);
        }
    }

    /// Gives an attribute a place.
    pub(super) fn give(&mut self, path: ModulePath, place: Place) {
        if place.is_reference {
            self.lent.insert(path.clone());
        }
        self.by_path.insert(path, place.tokens);
    }

    /// Whether a place is a reference already.
    pub(super) fn is_lent(&self, path: &ModulePath) -> bool {
        self.lent.contains(path)
    }

    /// The place of an attribute of the graph that these were made for.
    pub(super) fn of(&self, path: &ModulePath) -> TokenStream {
        self.by_path.get(path).cloned().unwrap_or_else(|| place(path, 0, &HashSet::new()))
    }
}

/// Where an attribute is, as an expression.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) tokens: TokenStream,
    /// Whether the expression is a reference already.
    pub(super) is_reference: bool,
}

/// The place of a tensor that a layer lends; none if the layer's source is not understood.
pub(super) fn part_of(part: PartSource, layer: &TokenStream) -> Option<Place> {
    let PartSource { get, is_optional } = part;
    let Ok(Expr::Closure(get)) = syn::parse_str::<Expr>(get) else { return None };
    let Some(Pat::Ident(parameter)) = get.inputs.first() else { return None };
    let mut body = *get.body;
    Put { name: &parameter.ident, place: layer.clone() }.visit_expr_mut(&mut body);
    let lent = match &body {
        Expr::MethodCall(call) if call.method == "clone" || call.method == "cloned" => Some(&call.receiver),
        _ => None,
    };
    let place = lent.map_or_else(|| body.to_token_stream(), |lent| lent.to_token_stream());
    let tokens = if is_optional { quote!(#place.unwrap()) } else { place };
    Some(Place { tokens, is_reference: lent.is_some() })
}

/// Puts the place of a layer where a closure names its parameter.
struct Put<'p> {
    name: &'p Ident,
    place: TokenStream,
}

impl VisitMut for Put<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Path(path) if path.path.is_ident(self.name) => {
                *expression = Expr::Verbatim(self.place.clone());
            }
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }
}

fn is_plain(segment: &str) -> bool {
    index(segment).is_some() || *identifier(segment).to_string().trim_start_matches("r#") == *segment
}

/// A number as Rust writes it, `0` but not `00`.
fn index(segment: &str) -> Option<usize> {
    segment.parse().ok().filter(|index: &usize| index.to_string() == segment)
}

/// What is a tuple and no list, of what has parts by number: modules, which are structs, and what has parts of several
/// kinds.
fn tuples(graph: &Graph, attributes: &Attributes) -> HashSet<ModulePath> {
    let frames = graph.nodes().flat_map(|(_, node)| node.meta().module.frames());
    let types: HashMap<&ModulePath, &str> = frames.map(|frame| (&frame.path, &*frame.type_name)).collect();
    let mut tuples: HashSet<ModulePath> = types.keys().map(|path| (*path).clone()).collect();
    tuples.insert(ModulePath::ROOT);
    let held = attributes.iter().map(|(path, attribute)| match attribute {
        Attribute::Layer(layer) => (path, layer.type_name()),
        Attribute::Module(_) => (path, "graph"),
        Attribute::Tensor(_) => (path, "Tensor"),
    });
    let mut kinds: HashMap<ModulePath, &str> = HashMap::new();
    for (path, kind) in held.chain(types.iter().map(|(path, kind)| (*path, *kind))) {
        let is_part = path.last().is_some_and(|last| index(last).is_some());
        if let Some(around) = path.parent().filter(|_| is_part)
            && *kinds.entry(around.clone()).or_insert(kind) != kind
        {
            tuples.insert(around);
        }
    }
    tuples
}

/// The place of a path; its last segment has a number if other places were the same so far. `tuples` are what has fields by
/// number.
fn place(path: &ModulePath, count: usize, tuples: &HashSet<ModulePath>) -> TokenStream {
    let (mut place, mut around) = (quote!(self), ModulePath::ROOT);
    // The model itself, if it is a layer that is called whole.
    let segments: Vec<&str> = if path.is_root() { vec!["module"] } else { path.segments().collect() };
    for (i, segment) in segments.iter().enumerate() {
        let number = if i + 1 == segments.len() { count } else { 0 };
        place = match (index(segment), number) {
            (Some(index), 0) => {
                let index = Literal::usize_unsuffixed(index);
                // A model cannot be indexed: what it has by number are the fields of a tuple.
                if i == 0 || tuples.contains(&around) { quote!(#place.#index) } else { quote!(#place[#index]) }
            }
            (_, 0) => {
                let field = identifier(segment);
                quote!(#place.#field)
            }
            (_, number) => {
                let field = Ident::new(&format!("{}_{number}", identifier(segment)), Span::call_site());
                quote!(#place.#field)
            }
        };
        around = around.child(segment);
    }
    place
}
