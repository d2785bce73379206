//! The rows of a graph: node by node, each in the modules it was recorded in.
//!
//! Invariant: child graphs are looked into on a stack of their own, once for each set of facts they are called with, so the
//! rows are as many as the nodes, however often children are shared.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::ir::{Argument, ModulePath, ModuleStack, Node, NodeId, Target, by_parameter};
use crate::module::inputs::{Input, bind_inputs};
use crate::module::{Attribute, GraphModule, LayerModule};
use crate::ops::{Facts, PART};
use crate::value::Fact;

use super::parameters::Parameters;
use super::row::{RowKind, SummaryRow, Totals, bytes};

/// The rows of a module, and what they come to.
pub(super) fn collect(module: &GraphModule) -> (Vec<SummaryRow>, Totals) {
    let mut collector = Collector {
        rows: Vec::new(),
        totals: Totals::default(),
        parameters: Parameters::of(module),
        calls: HashMap::new(),
        children: HashMap::new(),
        levels: Vec::new(),
    };
    collector.graph(module);
    (collector.rows, collector.totals)
}

/// What a child graph came to when it was called with the same facts before.
struct Known {
    given: Vec<Fact>,
    cost: Cost,
    output: Fact,
}

/// What grows with each call.
#[derive(Clone, Copy)]
struct Cost {
    macs: u64,
    unknown_macs: usize,
    unknown_shapes: usize,
    activation_bytes: u64,
}

impl Cost {
    fn so_far(totals: &Totals) -> Self {
        let Totals { macs, unknown_macs, unknown_shapes, activation_bytes, .. } = *totals;
        Self { macs, unknown_macs, unknown_shapes, activation_bytes }
    }

    fn since(self, earlier: Self) -> Self {
        Self {
            macs: self.macs - earlier.macs,
            unknown_macs: self.unknown_macs - earlier.unknown_macs,
            unknown_shapes: self.unknown_shapes - earlier.unknown_shapes,
            activation_bytes: self.activation_bytes - earlier.activation_bytes,
        }
    }
}

/// A graph that is being looked through.
struct Level {
    module: Arc<GraphModule>,
    nodes: Vec<NodeId>,
    next: usize,
    /// Where it is in the model.
    prefix: ModulePath,
    /// The modules that are open, as rows; the first is the graph's own.
    open: Vec<usize>,
    /// The frames of the open modules but the first.
    frames: Vec<(ModulePath, u32)>,
    /// The attributes that were met.
    met: std::collections::HashSet<ModulePath>,
    /// The child that this is, with the facts it was called with, and the cost before it.
    child: Option<(*const GraphModule, Vec<Fact>, Cost)>,
}

struct Collector {
    rows: Vec<SummaryRow>,
    totals: Totals,
    parameters: Parameters,
    /// How often a layer or child at a path was called.
    calls: HashMap<ModulePath, u32>,
    children: HashMap<*const GraphModule, Vec<Known>>,
    levels: Vec<Level>,
}

impl Collector {
    fn graph(&mut self, module: &GraphModule) {
        let graph = module.graph();
        for id in graph.placeholders() {
            self.totals.input_bytes += bytes(&graph.node(id).meta().fact).unwrap_or(0);
        }
        let row = self.row(RowKind::Module, 0, ModulePath::ROOT, String::new(), module.class_name().to_owned());
        self.enter(Arc::new(module.clone()), ModulePath::ROOT, row, None);
        while let Some(level) = self.levels.last_mut() {
            let Some(&id) = level.nodes.get(level.next) else {
                self.leave();
                continue;
            };
            level.next += 1;
            let module = level.module.clone();
            self.node(&module, id);
        }
    }

    fn row(&mut self, kind: RowKind, depth: usize, path: ModulePath, name: String, type_name: String) -> usize {
        let end = self.rows.len() + 1;
        self.rows.push(SummaryRow {
            kind,
            depth,
            path,
            name,
            type_name,
            call: 0,
            output: Fact::Unknown,
            parameters: Some(0),
            trainable: 0,
            shares: false,
            buffers: 0,
            macs: Some(0),
            end,
        });
        end - 1
    }

    fn enter(
        &mut self,
        module: Arc<GraphModule>,
        prefix: ModulePath,
        row: usize,
        child: Option<(*const GraphModule, Vec<Fact>, Cost)>,
    ) {
        let nodes = module.graph().nodes().map(|(id, _)| id).collect();
        let (open, frames, met) = (vec![row], Vec::new(), std::collections::HashSet::new());
        self.levels.push(Level { module, nodes, next: 0, prefix, open, frames, met, child });
    }

    /// Ends a graph: what it holds and did not name belongs to it, too.
    fn leave(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        let own = level.open[0];
        for (path, attribute) in level.module.attributes().iter() {
            if level.met.contains(path) {
                continue;
            }
            let full = level.prefix.join(path);
            match attribute {
                Attribute::Tensor(tensor) => {
                    self.parameters.tensor(&full, tensor.clone(), &mut self.rows[own], &mut self.totals);
                }
                Attribute::Layer(layer) => {
                    let depth = self.rows[own].depth + 1;
                    let type_name = layer.type_name().to_owned();
                    let row = self.row(RowKind::Layer, depth, full, path.to_string(), type_name);
                    self.parameters.layer(layer, &mut self.rows[row], &mut self.totals);
                }
                // Nothing in it runs.
                Attribute::Module(_) => {}
            }
        }
        let end = self.rows.len();
        for row in level.open {
            self.rows[row].end = end;
        }
        if let Some((child, given, before)) = level.child {
            let cost = Cost::so_far(&self.totals).since(before);
            let output = self.rows[own].output.clone();
            self.children.entry(child).or_default().push(Known { given, cost, output });
        }
    }

    /// Opens and closes modules so that those of this stack are open, and gives the row of the innermost.
    fn open(&mut self, stack: &ModuleStack, called: Option<&ModulePath>) -> usize {
        let rows = self.rows.len();
        let Some(level) = self.levels.last_mut() else { return 0 };
        let mut frames: Vec<_> = stack.frames().collect();
        // A layer that is called whole is its own innermost module.
        if let (Some(path), Some(innermost)) = (called, frames.first())
            && innermost.path == *path
        {
            frames.remove(0);
        }
        frames.reverse();
        let common = frames.iter().zip(&level.frames).take_while(|(a, b)| a.path == b.0 && a.call == b.1).count();
        for row in level.open.drain(common + 1..) {
            self.rows[row].end = rows;
        }
        level.frames.truncate(common);
        for frame in &frames[common..] {
            let Some(level) = self.levels.last() else { return 0 };
            let outer = level.open[level.open.len() - 1];
            let (depth, full) = (self.rows[outer].depth + 1, level.prefix.join(&frame.path));
            let name = below(&full, &self.rows[outer].path);
            let row = self.row(RowKind::Module, depth, full, name, frame.type_name.to_string());
            self.rows[row].call = frame.call;
            if let Some(level) = self.levels.last_mut() {
                level.open.push(row);
                level.frames.push((frame.path.clone(), frame.call));
            }
        }
        self.levels.last().map_or(0, |level| level.open[level.open.len() - 1])
    }

    fn node(&mut self, module: &GraphModule, id: NodeId) {
        let node = module.graph().node(id);
        match node.target() {
            Target::Placeholder(_) => {}
            Target::Output => {
                // What is written to the state is no result.
                let result = module.graph().result_and_written().map(|(result, _)| result);
                let fact = result.map_or(Fact::Unknown, |argument| self.fact(module, argument));
                if let Some(level) = self.levels.last() {
                    self.rows[level.open[0]].output = fact;
                }
            }
            Target::GetAttr(path) => self.tensor(module, node, path),
            Target::CallFunction(op) | Target::CallMethod(op) if *op == &PART => {}
            Target::CallFunction(op) | Target::CallMethod(op) => {
                let outer = self.open(&node.meta().module, None);
                let facts: SmallVec<[Fact; 4]> = by_parameter(op, node.args(), node.kwargs())
                    .map(|(_, argument)| self.fact(module, argument))
                    .collect();
                let facts: SmallVec<[&Fact; 4]> = facts.iter().collect();
                let macs = (op.macs)(Facts { op, facts: &facts }, &node.meta().fact);
                if macs != Some(0) {
                    let depth = self.rows[outer].depth + 1;
                    let path = self.rows[outer].path.clone();
                    let name = node.name().to_owned();
                    let row = self.row(RowKind::Operation, depth, path, name, op.short_name().to_owned());
                    self.cost(row, macs);
                    self.rows[row].output = node.meta().fact.clone();
                }
                self.result(&node.meta().fact);
            }
            Target::CallModule(path) => self.call(module, node, path),
        }
    }

    fn fact(&self, module: &GraphModule, argument: &Argument) -> Fact {
        argument.fact(&mut |id| module.graph().node(id).meta().fact.clone())
    }

    /// Notes the multiply-accumulates of a row.
    fn cost(&mut self, row: usize, macs: Option<u64>) {
        self.rows[row].macs = macs;
        match macs {
            Some(macs) => self.totals.macs = self.totals.macs.saturating_add(macs),
            None => self.totals.unknown_macs += 1,
        }
    }

    /// Notes the result of a call, which is the result of the open modules until there is another.
    fn result(&mut self, fact: &Fact) {
        match bytes(fact) {
            Some(bytes) => self.totals.activation_bytes = self.totals.activation_bytes.saturating_add(bytes),
            None => self.totals.unknown_shapes += 1,
        }
        self.give(fact);
    }

    fn give(&mut self, fact: &Fact) {
        if let Some(level) = self.levels.last()
            && let Some(&row) = level.open.get(1..).and_then(<[usize]>::last)
        {
            self.rows[row].output = fact.clone();
            // An outer module's result is that of the last module in it.
            for &outer in &level.open[1..level.open.len() - 1] {
                self.rows[outer].output = fact.clone();
            }
        }
    }

    /// A tensor that is read belongs to the innermost open module that it is in.
    fn tensor(&mut self, module: &GraphModule, node: &Node, path: &ModulePath) {
        self.open(&node.meta().module, None);
        let Some(level) = self.levels.last_mut() else { return };
        level.met.insert(path.clone());
        let full = level.prefix.join(path);
        let holds = |row: &usize| is_below(&full, &self.rows[*row].path);
        let row = level.open.iter().rev().copied().find(|row| holds(row)).unwrap_or(level.open[0]);
        // A tensor inside of a layer counts with the layer, unless that is never called.
        if let Ok(tensor) = module.attributes().tensor(path)
            && module.attributes().contains(path)
        {
            self.parameters.tensor(&full, tensor, &mut self.rows[row], &mut self.totals);
        }
    }

    fn call(&mut self, module: &GraphModule, node: &Node, path: &ModulePath) {
        let outer = self.open(&node.meta().module, Some(path));
        let depth = self.rows[outer].depth + 1;
        let Some(level) = self.levels.last_mut() else { return };
        level.met.insert(path.clone());
        let full = level.prefix.join(path);
        let name = below(&full, &self.rows[outer].path);
        let calls = self.calls.entry(full.clone()).or_default();
        let call = *calls;
        *calls += 1;
        match module.attributes().fetch(path) {
            Some(Attribute::Layer(layer)) => {
                let row = self.row(RowKind::Layer, depth, full, name, layer.type_name().to_owned());
                self.rows[row].call = call;
                self.parameters.layer(&layer, &mut self.rows[row], &mut self.totals);
                let macs = self.macs_of(module, node, &layer);
                self.cost(row, macs);
                self.rows[row].output = node.meta().fact.clone();
                self.result(&node.meta().fact);
            }
            Some(Attribute::Module(child)) => {
                let row = self.row(RowKind::Graph, depth, full.clone(), name, child.class_name().to_owned());
                self.rows[row].call = call;
                self.child(module, node, &child, full, row);
            }
            Some(Attribute::Tensor(_)) | None => {}
        }
    }

    fn macs_of(&self, module: &GraphModule, node: &Node, layer: &Arc<dyn LayerModule>) -> Option<u64> {
        let arguments = node.args().iter().chain(node.kwargs().iter().map(|(_, argument)| argument));
        let facts: SmallVec<[Fact; 4]> = arguments.map(|argument| self.fact(module, argument)).collect();
        layer.macs(&facts.iter().collect::<SmallVec<[&Fact; 4]>>(), &node.meta().fact)
    }

    fn child(&mut self, module: &GraphModule, node: &Node, child: &Arc<GraphModule>, full: ModulePath, row: usize) {
        let inputs = bind_inputs(child.graph(), node.args(), node.kwargs()).unwrap_or_default();
        let given: Vec<Fact> = inputs
            .into_iter()
            .map(|input| match input {
                Input::Given(argument) => self.fact(module, argument),
                Input::Default(value) => Fact::of(value),
            })
            .collect();
        let key = Arc::as_ptr(child);
        if let Some(known) = self.children.get(&key).and_then(|all| all.iter().find(|known| known.given == given)) {
            let Cost { macs, unknown_macs, unknown_shapes, activation_bytes } = known.cost;
            let output = known.output.clone();
            self.totals.macs = self.totals.macs.saturating_add(macs);
            self.totals.unknown_macs += unknown_macs;
            self.totals.unknown_shapes += unknown_shapes;
            self.totals.activation_bytes = self.totals.activation_bytes.saturating_add(activation_bytes);
            self.rows[row].macs = (unknown_macs == 0).then_some(macs);
            self.rows[row].shares = true;
            self.rows[row].output = output.clone();
            self.give(&output);
            return;
        }
        // What a child was captured at is worth more than nothing.
        let is_known = given.iter().any(|fact| !fact.is_unknown());
        let inferred = if is_known { child.with_inputs(given.iter().cloned()).ok() } else { None };
        let inside = inferred.map_or_else(|| child.clone(), Arc::new);
        self.give(&node.meta().fact);
        let before = Cost::so_far(&self.totals);
        self.enter(inside, full, row, Some((key, given, before)));
    }
}

/// Whether a path is that of a module or inside of it.
fn is_below(path: &ModulePath, module: &ModulePath) -> bool {
    let rest = path.as_str().strip_prefix(module.as_str());
    module.is_root() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A path as it is written inside of a module.
fn below(path: &ModulePath, module: &ModulePath) -> String {
    let inside = path.as_str().strip_prefix(module.as_str()).filter(|_| is_below(path, module) && !module.is_root());
    match inside.and_then(|rest| rest.strip_prefix('.')) {
        Some(rest) => rest.to_owned(),
        None => path.to_string(),
    }
}
