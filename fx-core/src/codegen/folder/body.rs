//! [`Bodies`]: the statements of functions.
//!
//! Calls of one list's elements after each other, each on the result of the one before, become a loop.
//!
//! Invariant: a value is dropped after the statement that reads it last, unless the function ends there or gives it.

use std::collections::HashMap;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::Expr;
use syn::visit_mut::{self, VisitMut};

use super::super::call::Calls;
use super::super::format;
use super::super::identifier::identifier;
use super::super::names::Names;
use super::super::place::Place;
use super::super::source::Statement;
use super::bind::block;
use super::cells::Cell;
use super::flow::Input;
use super::holder::Member;
use super::inline::value_of;
use super::interface::Interface;
use super::naming::{Naming, one_of, value_name};
use super::pieces::piece;
use super::program::Program;
use super::region::Item;
use super::slots::{Step, Way};
use super::structure::{Reads, Structures};
use super::unit::{Unit, View};
use super::view::Views;
use super::words::Fresh;
use crate::ir::{NodeId, Target};

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
struct Writer<'b, 'p> {
    bodies: &'b mut Bodies<'p>,
    unit: &'p Unit<'p>,
    unit_number: usize,
    region: usize,
    view: View,
    /// The item that reads each value last; past the end if the function gives it.
    last_items: HashMap<NodeId, usize>,
    fresh: Fresh,
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
    copy: Option<Ident>,
    statements: Vec<Statement>,
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
        // What a loop passes on has no name; what it ends with is named as what its function takes.
        let (mut looped, mut i) = (HashMap::new(), 0);
        while i < items.len() {
            let count = self.repeated((unit_number, region), &last_items, i);
            looped.extend((i..i + count).filter(|_| count > 1).map(|item| (item, item + 1 == i + count)));
            i += count;
        }
        let mut start = 0;
        for (i, item) in items.iter().enumerate() {
            if let (Some(is_end), Some(id)) = (looped.get(&i), value_of(unit, *item)) {
                let name =
                    if *is_end { fresh.take(&self.passed_on(unit_number, unit, *item)) } else { identifier(PENDING) };
                names.give(id, name, false);
                continue;
            }
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
            match item {
                Item::Step(id) => {
                    // A chain that starts with a layer is named after it.
                    let first = value_of(unit, items[start]).filter(|first| is_named(unit, items[start], *first));
                    let name = value_name(unit, region, first.unwrap_or(*id));
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
            statements,
        };
        writer.write()
    }
}

/// What stands for a value that is written into the next statement.
const PENDING: &str = "__pending";

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
            let repeated = self.bodies.repeated((self.unit_number, region), &self.last_items, i);
            let next = i + repeated.max(1);
            if self.inlined[i]
                && let Some(value) = value_of(unit, items[i])
            {
                let (expression, _) = self.expression(items[i]);
                self.pending = Some((value, expression));
                i = next;
                continue;
            }
            if repeated > 1 {
                self.write_loop(i, repeated);
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

    fn push(&mut self, node: Option<NodeId>, before: &str, expression: &TokenStream, after: &str) {
        let code = written(before, expression, after, INDENT);
        self.statements.push(Statement { node, code });
    }

    fn write_item(&mut self, item: Item) {
        let (expression, node) = self.expression(item);
        let made = self.unit.made(item);
        let names: Vec<String> = made
            .iter()
            .map(|id| {
                // Kept for what it does: a result that nothing reads has no name, and goes at once.
                let is_read = self.last_items.contains_key(id);
                if is_read { self.view.names.of(*id).to_string() } else { "_".to_owned() }
            })
            .collect();
        let before = match names.as_slice() {
            [] => String::new(),
            [one] => format!("let {one} ="),
            several => {
                let short = format!("let ({}) =", several.join(", "));
                // The `=` may stand beyond the end of the line by one column.
                if short.len() <= format::MAX_WIDTH - INDENT + 1 {
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
    fn drop_after(&mut self, items: std::ops::Range<usize>) {
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

    fn node_of(&self, item: usize) -> Option<NodeId> {
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
            Item::Step(id) => self.unit.graph().node(id).target().operation().is_none_or(|op| !op.source.is_empty()),
            Item::Call(_) => true,
        };
        let result = match syn::parse2::<Expr>(expression.clone()) {
            Ok(Expr::Try(tried)) if is_candle => match *tried.expr {
                Expr::Paren(inner) => inner.expr.into_token_stream(),
                other => other.into_token_stream(),
            },
            _ => quote!(Ok(#expression)),
        };
        Statement { node, code: written("", &result, "", INDENT) }
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

    /// The pieces of the state that the calls of a loop are handed, as the first of them has it: where that is, what it is
    /// called in the loop, and the elements that the loop goes through. The loop begins with these two calls.
    fn pieces(&mut self, (first, second): (usize, usize), count: usize) -> Vec<(Way, Ident, TokenStream)> {
        let (unit, mut found) = (self.unit, Vec::new());
        let Some(slots) = &unit.slots else { return found };
        for (input, next) in unit.flow.inputs[first].iter().zip(&unit.flow.inputs[second]) {
            let (Input::State(way), Input::State(next)) = (input, next) else { continue };
            let Some(at) = way.iter().zip(next).position(|(one, other)| one != other) else { continue };
            let Step::Element(start) = &way[at] else { continue };
            let Place { tokens, is_reference } = piece(&self.view.state, &way[..at]);
            let (from, to) = (Literal::usize_unsuffixed(*start), Literal::usize_unsuffixed(start + count));
            let is_whole = (*start, count) == (0, slots.count(&way[..at]));
            let elements = match (is_whole, is_reference) {
                (true, true) => quote!(#tokens.iter_mut()),
                (true, false) => quote!(&mut #tokens),
                (false, _) => quote!(&mut #tokens[#from..#to]),
            };
            // Inside of the loop, one of its pieces is the state.
            let element = &way[..=at];
            let word = slots.word(element);
            let name = match &self.copy {
                Some(copy) if *copy == word => copy.clone(),
                _ => self.fresh.take(&word),
            };
            found.push((element.to_vec(), name, elements));
        }
        found
    }

    fn write_loop(&mut self, start: usize, count: usize) {
        let unit = self.unit;
        let items = &unit.region(self.region).items;
        let at = (self.unit_number, self.region);
        let element = |item: usize| self.bodies.element(at, items[item]);
        let parts = element(start).zip(element(start + 1)).zip(element(start + count - 1));
        let Some((((field, first, inner), (_, _, second)), (_, _, last))) = parts else { return };
        let (Some(made), Some(result)) = (unit.flow.outputs[inner].first(), unit.flow.outputs[last].first()) else {
            return;
        };
        let chained = unit.flow.inputs[second].iter().position(|input| *input == Input::Value(*made));
        let Some(Input::Value(initial)) = chained.and_then(|chained| unit.flow.inputs[inner].get(chained)) else {
            return;
        };
        let holder = unit.holders.of(&unit.region(self.region).path);
        let ty = self.bodies.program.type_of[self.unit_number][holder];
        let list = &self.bodies.naming.types[ty].fields[field];
        let (list_name, len) = (list.name.clone(), list.members.len());

        let (name, node) = (self.view.names.of(*result), self.node_of(start));
        // What is passed on has no name, and goes with the next round.
        for item in &items[start..start + count - 1] {
            value_of(unit, *item).map(|id| self.last_items.remove(&id));
        }
        let from = self.view.names.of(*initial);
        let is_own = unit.regions.number[*initial].is_some() && !self.view.names.is_reference(*initial);
        // Read by the first call alone, it is taken over.
        let is_last = self.last_items.get(initial) == Some(&start);
        let value = if is_own && is_last {
            self.last_items.remove(initial);
            quote!(#from)
        } else {
            quote!(#from.clone())
        };
        self.push(node, &format!("let mut {name} ="), &value, ";");
        let range = if (first, count) == (0, len) { String::new() } else { format!("[{first}..{}]", first + count) };
        let each = self.fresh.take(&one_of(&list_name.to_string()));
        let pieces = self.pieces((inner, second), count);
        let list = match (pieces.is_empty(), range.parse::<TokenStream>().unwrap_or_default()) {
            (true, range) => quote!(&self.#list_name #range),
            (false, range) => quote!(self.#list_name #range.iter()),
        };
        let (mut head, mut pattern) = (list, each.to_string());
        for (way, name, elements) in &pieces {
            (head, pattern) = (quote!(#head.zip(#elements)), format!("({pattern}, {name})"));
            let place = Place { tokens: name.to_token_stream(), is_reference: true };
            self.view.state.insert(0, (way.clone(), place));
        }
        let is_reference = self.view.names.is_reference(*initial);
        self.view.names.give(*initial, name.clone(), false);
        let called = unit.holders.of(&unit.region(inner).path);
        let before = self.view.modules.get(&called).cloned();
        if let Some(place) = self.view.modules.get_mut(&called) {
            place.tokens = each.to_token_stream();
        }
        let call = unit.call(&self.calls(), &self.view, inner, &self.method_of(inner).to_token_stream());
        if let Some(before) = before {
            self.view.modules.insert(called, before);
        }
        self.view.names.give(*initial, from, is_reference);
        let inside = written(&format!("{name} ="), &quote!(#call?), ";", INDENT + format::TAB);
        self.view.state.drain(..pieces.len());
        let inside: String = inside.lines().map(|line| format!("    {line}\n")).collect();
        let code = format!("{}\n{inside}}}", block(&format!("for {pattern} in"), &head, INDENT));
        self.statements.push(Statement { node, code });
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
