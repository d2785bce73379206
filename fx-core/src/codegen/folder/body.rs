//! [`Bodies`]: the statements of functions.
//!
//! Invariant: a value is dropped after the statement that reads it last, unless the function ends there or gives it.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::Expr;
use syn::visit_mut::{self, VisitMut};

use super::super::call::Calls;
use super::super::format;
use super::super::identifier::identifier;
use super::super::names::Names;
use super::super::place::Place;
use super::super::source::Statement;
use super::cells::Cell;
use super::flow::Input;
use super::holder::Member;
use super::inline::value_of;
use super::interface::Interface;
use super::loops::Loop;
use super::naming::{Naming, value_name};
use super::pieces::piece;
use super::program::Program;
use super::region::Item;
use super::slots::Way;
use super::structure::{Reads, Structures};
use super::unit::{Unit, View};
use super::view::Views;
use super::words::Fresh;
use crate::ir::{Graph, NodeId, Target};

/// The indentation of statements.
const INDENT: usize = 8;

/// How functions are written.
pub(super) struct Bodies<'p> {
    pub(super) program: &'p Program<'p>,
    pub(super) naming: &'p Naming,
    /// What the values of every function cannot be called.
    pub(super) taken: Fresh,
    /// Whether errors name the step.
    pub(super) explain: bool,
    /// Whether a comment can stand before each step.
    pub(super) comments: bool,
    /// The calls in the model that steps in their place are of.
    pub(super) calls: &'p HashMap<NodeId, NodeId>,
    pub(super) views: Views,
    /// Traits and types that were needed.
    pub(super) used: Used,
}

/// What a program refers to besides its own types.
#[derive(Default)]
pub(super) struct Used {
    pub(super) traits: std::collections::BTreeSet<String>,
    /// Whether a function that checks or explains is called.
    pub(super) helpers: std::collections::BTreeSet<&'static str>,
}

/// A function's statements, and the value that it ends with.
pub(super) struct Body {
    pub(super) statements: Vec<Statement>,
    pub(super) result: Statement,
}

/// A function that is being written.
pub(super) struct Writer<'b, 'p> {
    pub(super) bodies: &'b mut Bodies<'p>,
    pub(super) unit: &'p Unit<'p>,
    pub(super) unit_number: usize,
    pub(super) region: usize,
    pub(super) view: View,
    /// The item that reads each value last; past the end if the function gives it.
    pub(super) last_items: HashMap<NodeId, usize>,
    pub(super) fresh: Fresh,
    /// The structures of the state.
    structures: &'b Structures,
    /// How the graph is called, if this is its function.
    interface: Option<&'b Interface>,
    /// Which items are written into the next one, as what its method is called on.
    inlined: Vec<bool>,
    /// The expression of such an item.
    pending: Option<(NodeId, TokenStream)>,
    /// The pieces of the state that are written, each with the last item that is about it.
    leaves: Vec<(usize, &'p Cell)>,
    /// How often values are still given, or put into the state.
    reads: Reads,
    /// What the state is called in which functions change their pieces, if this is the function of a graph that has such.
    pub(super) copy: Option<Ident>,
    /// By their first items.
    loops: HashMap<usize, Loop>,
    /// The values that loops begin with, which are variables.
    variables: HashSet<NodeId>,
    /// What is not a new value where it is made, but that of a variable.
    pub(super) assigned: Option<NodeId>,
    pub(super) indent: usize,
    pub(super) statements: Vec<Statement>,
}

impl<'p> Bodies<'p> {
    /// The body of a function of a type.
    pub(super) fn write(
        &mut self,
        ty: usize,
        function: usize,
        structures: &Structures,
        interface: Option<&Interface>,
    ) -> Body {
        let (unit_number, region) = self.program.types[ty].functions[&function][0];
        let unit = &self.program.units[unit_number];
        let named = &self.naming.types[ty].functions[&function];
        let (mut fresh, mut names) = (self.taken.clone(), Names::default());
        let (mut handed, mut state) = (HashMap::<&Member, TokenStream>::new(), Vec::new());
        for (input, name) in unit.flow.inputs[region].iter().zip(&named.parameters) {
            if matches!(input, Input::Size(_)) {
                continue;
            }
            let _ = fresh.take(name.to_string().trim_start_matches("r#"));
            match input {
                Input::Size(_) => {}
                Input::Value(id) => names.give(*id, name.clone(), true),
                Input::Held(member) => {
                    handed.insert(member, name.to_token_stream());
                }
                Input::State(way) => {
                    state.push((way.clone(), Place { tokens: name.to_token_stream(), is_reference: true }));
                }
            }
        }
        let (mut statements, mut copy) = (Vec::new(), None);
        if let Some(interface) = interface {
            statements = interface.bind(unit.graph(), &unit.cells, &mut fresh, &mut names, &mut self.used.helpers);
        }
        if region == 0 && unit.cells.are_handed() {
            let name = fresh.take("state");
            statements.push(Statement::new(format!("let mut {name} = self.state.clone();")));
            state.push((Way::new(), Place { tokens: name.to_token_stream(), is_reference: false }));
            copy = Some(name);
        }
        let cells: Vec<&Cell> = unit.cells.of(region).filter(|_| region != 0).collect();
        for cell in &cells {
            statements.extend(unit.read(cell, &piece(&state, &cell.way), &mut names, &mut fresh));
        }
        let items = &unit.region(region).items;
        let (mut last_items, mut made) = (HashMap::new(), HashMap::new());
        for (i, item) in items.iter().enumerate() {
            made.extend(unit.made(*item).into_iter().map(|id| (id, i)));
            match item {
                Item::Step(id) => {
                    last_items.extend(unit.graph().node(*id).all_input_nodes().map(|input| (input, i)));
                }
                Item::Call(inner) => {
                    let values = unit.flow.inputs[*inner].iter().filter_map(|input| match input {
                        Input::Value(id) => Some((*id, i)),
                        Input::Held(_) | Input::Size(_) | Input::State(_) => None,
                    });
                    last_items.extend(values);
                }
            }
        }
        let leaves = cells.into_iter().filter(|cell| !cell.stays()).map(|cell| {
            let mut last = 0;
            let mut note = |id: NodeId| {
                last = last.max(last_items.get(&id).copied().unwrap_or(0)).max(made.get(&id).copied().unwrap_or(0));
            };
            cell.reads.for_each_node(&mut note);
            cell.writes.for_each_node(&mut note);
            (last, cell)
        });
        let leaves: Vec<(usize, &Cell)> = leaves.collect();
        let given = unit.given(region);
        let mut reads = Reads::new();
        given.iter().for_each(|id| *reads.entry(*id).or_insert(0) += 1);
        last_items.extend(given.into_iter().map(|id| (id, usize::MAX)));
        let inlined: Vec<bool> =
            (0..items.len()).scan(0, |length, i| Some(self.is_inlined(unit, items, i, length))).collect();
        // What a loop goes round with is a variable, named as what its function takes. What later rounds make has no name.
        let loops = self.loops((unit_number, region), &last_items, &inlined, &mut fresh);
        let (mut variables, mut known) = (HashSet::new(), HashMap::<NodeId, Ident>::new());
        let (mut hidden, mut called) = (HashSet::<NodeId>::new(), HashSet::<usize>::new());
        for of in &loops {
            let is_own = of.takes_over && made.contains_key(&of.initial);
            let name = match known.get(&of.initial).filter(|_| is_own) {
                Some(name) => name.clone(),
                // A parameter is hidden by a variable of its name.
                None if of.takes_over && names.is_reference(of.initial) => names.of(of.initial),
                None => fresh.take(&self.passed_on(unit_number, unit, items[of.items.start])),
            };
            called.extend(of.first().filter(|i| self.element((unit_number, region), items[*i]).is_some()));
            if is_own && known.insert(of.initial, name.clone()).is_none() {
                variables.insert(of.initial);
            }
            known.insert(of.made, name.clone());
            known.insert(of.result, name);
            let later = &items[of.first().end..of.items.end];
            hidden.extend(later.iter().flat_map(|item| unit.made(*item)).filter(|id| *id != of.result));
        }
        let mut start = 0;
        for (i, item) in items.iter().enumerate() {
            if i == 0 || !inlined[i - 1] {
                start = i;
            }
            if inlined[i] {
                // It needs a name for as long as it is not there.
                if let Some(id) = value_of(unit, *item) {
                    names.give(id, identifier(PENDING), false);
                }
                continue;
            }
            let made = unit.made(*item);
            let given =
                |id: &NodeId| known.get(id).cloned().or_else(|| hidden.contains(id).then(|| identifier(PENDING)));
            if made.iter().any(|id| given(id).is_some()) {
                for id in made {
                    let name = given(&id).unwrap_or_else(|| fresh.take(&value_name(unit, region, id)));
                    names.give(id, name, false);
                }
                continue;
            }
            if let [one] = made.as_slice()
                && called.contains(&start)
            {
                // The element has its name.
                names.give(*one, fresh.take("y"), false);
                continue;
            }
            match item {
                Item::Step(id) => {
                    // A chain that starts with a layer is named after it.
                    let first = value_of(unit, items[start]).filter(|first| is_named(unit, items[start], *first));
                    let name = match first {
                        Some(first) => value_name(unit, region, first),
                        None => self.form_name(unit, region, &names, *id),
                    };
                    names.give(*id, fresh.take(&name), false);
                }
                Item::Call(inner) => {
                    for id in &unit.flow.outputs[*inner] {
                        names.give(*id, fresh.take(&value_name(unit, region, *id)), false);
                    }
                }
            }
        }
        let holder = unit.holders.of(&unit.region(region).path);
        let (program, naming) = (self.program, self.naming);
        let place = |way: &[Member]| naming.place(program, unit_number, holder, way);
        let view = unit.view(region, names, &place, &|member| handed.get(member).cloned(), state);
        let pending = None;
        let writer = Writer {
            bodies: self,
            unit,
            unit_number,
            region,
            view,
            last_items,
            fresh,
            structures,
            interface,
            inlined,
            pending,
            leaves,
            reads,
            copy,
            loops: loops.into_iter().map(|of| (of.items.start, of)).collect(),
            variables,
            assigned: None,
            indent: INDENT,
            statements,
        };
        writer.write()
    }
}

/// What stands for a value that is written into the next statement.
pub(super) const PENDING: &str = "__pending";

/// Whether what makes a value has a name in the model.
fn is_named(unit: &Unit<'_>, item: Item, id: NodeId) -> bool {
    match item {
        Item::Step(_) => matches!(unit.graph().node(id).target(), Target::CallModule(_)),
        Item::Call(inner) => !unit.region(inner).is_part,
    }
}

impl Writer<'_, '_> {
    fn write(mut self) -> Body {
        let (unit, region) = (self.unit, self.region);
        let items = &unit.region(region).items;
        let outputs = &unit.flow.outputs[region];
        let given = match (region, unit.graph().output_node()) {
            (0, Some(output)) => match unit.graph().node(output).args() {
                [argument] => argument.as_node(),
                _ => None,
            },
            _ => outputs.first().copied().filter(|_| outputs.len() == 1),
        };
        let (mut i, mut start, mut tail) = (0, 0, None);
        while i < items.len() {
            let of = self.loops.remove(&i);
            let next = of.as_ref().map_or(i + 1, |of| of.items.end);
            if of.is_none() && self.write_inlined(i) {
                i = next;
                continue;
            }
            if let Some(of) = of {
                self.write_loop(&of);
            } else if next == items.len() && self.makes(items[i], given) && self.leaves.is_empty() {
                tail = Some(self.tail(items[i]));
                break;
            } else {
                self.write_item(items[i]);
            }
            if next < items.len() {
                self.drop_after(start..next);
            }
            self.leave_before(next);
            (i, start) = (next, next);
        }
        let result = tail.unwrap_or_else(|| self.result());
        Body { statements: self.statements, result }
    }

    /// Keeps the expression of an item for the next statement, if it is written into that.
    pub(super) fn write_inlined(&mut self, i: usize) -> bool {
        let item = self.unit.region(self.region).items[i];
        let Some(value) = value_of(self.unit, item).filter(|_| self.inlined[i]) else { return false };
        let (expression, _) = self.expression(item);
        self.pending = Some((value, expression));
        true
    }

    /// Whether an item makes the one value that the function gives.
    fn makes(&self, item: Item, given: Option<NodeId>) -> bool {
        match item {
            Item::Step(id) => Some(id) == given,
            Item::Call(inner) => match self.unit.flow.outputs[inner].as_slice() {
                [one] => Some(*one) == given,
                _ => false,
            },
        }
    }

    /// Writes the pieces of the state that no item from this one on is about.
    fn leave_before(&mut self, next: usize) {
        let (ready, left): (Vec<_>, Vec<_>) = self.leaves.iter().copied().partition(|(last, _)| *last < next);
        self.leaves = left;
        let mut reads = std::mem::take(&mut self.reads);
        for (_, cell) in ready {
            let place = piece(&self.view.state, &cell.way);
            self.statements.push(self.unit.leave(cell, &place, &self.calls(), self.structures, &mut reads));
        }
        self.reads = reads;
    }

    fn calls<'w>(&'w self) -> Calls<'w> {
        self.unit.calls(&self.view, &self.bodies.program.sources)
    }

    /// The expression of an item, with the `?` that it needs and with what is written into it, and the node to blame.
    fn expression(&mut self, item: Item) -> (TokenStream, Option<NodeId>) {
        let pending = self.pending.take();
        let (expression, node) = self.own_expression(item);
        let Some((_, value)) = pending else { return (expression, node) };
        let Ok(mut parsed) = syn::parse2::<Expr>(expression.clone()) else { return (expression, node) };
        PutPending { value }.visit_expr_mut(&mut parsed);
        (parsed.into_token_stream(), node)
    }

    fn own_expression(&mut self, item: Item) -> (TokenStream, Option<NodeId>) {
        let (program, naming) = (self.bodies.program, self.bodies.naming);
        match item {
            Item::Step(id) => {
                let method = |child: usize| {
                    let (ty, function) = (program.type_of_unit(child), program.function_of[child][0]);
                    naming.types[ty].functions[&function].name.to_token_stream()
                };
                let expression = program.step(self.unit, &self.calls(), id, &method);
                self.note(id);
                (self.explained(expression, id), Some(id))
            }
            Item::Call(inner) => {
                let method = self.method_of(inner);
                let call = self.unit.call(&self.calls(), &self.view, inner, &method.to_token_stream());
                let node = self.unit.regions.steps.get(self.unit.region(inner).steps.start).copied();
                (quote!(#call?), node)
            }
        }
    }

    /// The method that another region is.
    fn method_of(&self, inner: usize) -> Ident {
        let (program, naming) = (self.bodies.program, self.bodies.naming);
        let holder = self.unit.holders.of(&self.unit.region(inner).path);
        let ty = program.type_of[self.unit_number][holder];
        naming.types[ty].functions[&program.function_of[self.unit_number][inner]].name.clone()
    }

    /// Notes the traits that a step's call needs.
    fn note(&mut self, id: NodeId) {
        use super::unit::LeafKind;
        let node = self.unit.graph().node(id);
        let called = node.target().path().and_then(|path| self.unit.leaves.get(path));
        if let Some(LeafKind::Layer { called_by: Some(by), .. }) = called.map(|leaf| &leaf.kind) {
            self.bodies.used.traits.insert((*by).to_owned());
        }
        // candle indexes by a trait's method.
        if node.target().operation().is_some_and(|op| op.source.contains(".i(")) {
            self.bodies.used.traits.insert("candle_core::IndexOp".to_owned());
        }
    }

    /// An expression whose error names the step.
    fn explained(&mut self, expression: TokenStream, id: NodeId) -> TokenStream {
        if !self.bodies.explain {
            return expression;
        }
        let Ok(Expr::Try(tried)) = syn::parse2(expression.clone()) else { return expression };
        self.bodies.used.helpers.insert("at");
        let node = self.unit.graph().node(id);
        let step = match &node.meta().source {
            Some(source) => format!("%{} ({source})", node.name()),
            None => format!("%{}", node.name()),
        };
        let inner = &tried.expr;
        quote!(#inner.map_err(at(#step))?)
    }

    pub(super) fn push(&mut self, node: Option<NodeId>, before: &str, expression: &TokenStream, after: &str) {
        let code = written(before, expression, after, self.indent);
        self.statements.push(Statement { node, code });
    }

    pub(super) fn write_item(&mut self, item: Item) {
        let (expression, node) = self.expression(item);
        let made = self.unit.made(item);
        let names: Vec<String> = made
            .iter()
            .map(|id| {
                // Kept for what it does: a result that nothing reads has no name, and goes at once.
                let is_read = self.last_items.contains_key(id);
                let mutable = if self.variables.contains(id) { "mut " } else { "" };
                if is_read { format!("{mutable}{}", self.view.names.of(*id)) } else { "_".to_owned() }
            })
            .collect();
        let before = match names.as_slice() {
            [] => String::new(),
            [one] if self.assigned == made.first().copied() => format!("{one} ="),
            [one] => format!("let {one} ="),
            several => {
                let short = format!("let ({}) =", several.join(", "));
                // The `=` may stand beyond the end of the line by one column.
                if short.len() <= format::MAX_WIDTH - self.indent + 1 {
                    short
                } else {
                    let lines: String = several.iter().map(|name| format!("    {name},\n")).collect();
                    format!("let (\n{lines}) =")
                }
            }
        };
        self.push(node, &before, &expression, ";");
    }

    /// Drops what the items were the last to read.
    pub(super) fn drop_after(&mut self, items: std::ops::Range<usize>) {
        let unit = self.unit;
        let mut dropped = Vec::new();
        for item in &unit.region(self.region).items[items.clone()] {
            let values: Vec<NodeId> = match item {
                Item::Step(id) => unit.graph().node(*id).all_input_nodes().collect(),
                Item::Call(inner) => unit.flow.inputs[*inner]
                    .iter()
                    .filter_map(|input| match input {
                        Input::Value(id) => Some(*id),
                        Input::Held(_) | Input::Size(_) | Input::State(_) => None,
                    })
                    .collect(),
            };
            for id in values {
                let is_own = unit.regions.number[id].is_some() && !self.view.names.is_reference(id);
                let is_last = self.last_items.get(&id).is_some_and(|last| items.contains(last));
                let is_named = self.view.names.of(id) != PENDING;
                if is_own && is_last && is_named && !dropped.contains(&id) && self.last_items.remove(&id).is_some() {
                    dropped.push(id);
                }
            }
        }
        for id in dropped {
            let (name, node) = (self.view.names.of(id), self.node_of(items.end - 1));
            self.statements.push(Statement { node, code: format!("drop({name});") });
        }
    }

    pub(super) fn node_of(&self, item: usize) -> Option<NodeId> {
        match self.unit.region(self.region).items.get(item)? {
            Item::Step(id) => Some(*id),
            Item::Call(inner) => self.unit.regions.steps.get(self.unit.region(*inner).steps.start).copied(),
        }
    }

    /// The last expression of a function, if it makes what the function gives.
    fn tail(&mut self, item: Item) -> Statement {
        let (expression, node) = self.expression(item);
        // Errors of a user's function are turned into candle's by `?`.
        let is_candle = match item {
            Item::Step(id) => is_candle(self.unit.graph(), id),
            Item::Call(_) => true,
        };
        Statement { node, code: written("", &ending(expression, is_candle), "", INDENT) }
    }

    /// What a function gives.
    fn result(&mut self) -> Statement {
        let (unit, region) = (self.unit, self.region);
        if region == 0
            && let Some(output) = unit.graph().output_node()
        {
            let mut fresh = std::mem::take(&mut self.fresh);
            let (last, value) = match self.interface {
                Some(interface) => interface.value(&self.calls(), &unit.cells, self.copy.as_ref(), &mut fresh),
                None => (Vec::new(), quote!(())),
            };
            self.statements.extend(last);
            let code = written("", &quote!(Ok(#value)), "", INDENT);
            return Statement { node: Some(output), code };
        }
        let names: Vec<Ident> = unit.flow.outputs[region].iter().map(|id| self.view.names.of(*id)).collect();
        let value = match names.as_slice() {
            [one] => quote!(#one),
            several => quote!((#(#several),*)),
        };
        Statement { node: None, code: written("", &quote!(Ok(#value)), "", INDENT) }
    }
}

/// Whether the error of a step is candle's, and not one of a user's function.
pub(super) fn is_candle(graph: &Graph, id: NodeId) -> bool {
    graph.node(id).target().operation().is_none_or(|op| !op.source.is_empty())
}

/// An expression as what a function ends with; `is_candle` says whether its error is candle's.
pub(super) fn ending(expression: TokenStream, is_candle: bool) -> TokenStream {
    match syn::parse2::<Expr>(expression.clone()) {
        Ok(Expr::Try(tried)) if is_candle => match *tried.expr {
            Expr::Paren(inner) => inner.expr.into_token_stream(),
            other => other.into_token_stream(),
        },
        _ => quote!(Ok(#expression)),
    }
}

/// Puts what is written into a statement where its name is.
struct PutPending {
    value: TokenStream,
}

impl VisitMut for PutPending {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Path(path) if path.path.is_ident(PENDING) => {
                let value = &self.value;
                *expression = syn::parse_quote!(#value);
            }
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }
}

/// A statement, with its lines after the first as deep as the first.
pub(super) fn written(before: &str, expression: &TokenStream, after: &str, indent: usize) -> String {
    let text = match syn::parse2::<Expr>(expression.clone()) {
        Ok(parsed) => format::statement(before, &parsed, after, indent),
        Err(_) => format!("{before} {expression}{after}"),
    };
    let margin = " ".repeat(indent);
    let lines = text.lines().map(|line| line.strip_prefix(margin.as_str()).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}
