//! [`Unit`]: one graph, taken apart for a program: its regions, its structs, and what is held as it is written.
//!
//! Invariant: everything that cannot be written is told at once.

use std::collections::HashMap;
use std::rc::Rc;

use candle_core::{DType, Tensor};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::ir::{Graph, ModulePath, NodeId, Target};
use crate::module::{Attribute, GraphModule};
use crate::value::Value;

use super::super::call::{Calls, Sources};
use super::super::device;
use super::super::identifier::identifier;
use super::super::literal::literal;
use super::super::names::Names;
use super::super::place::{Place, Places, part_of};
use super::cells::Cells;
use super::error::{FolderError, Unwritable};
use super::flow::{Flow, Input};
use super::holder::{Holders, Member};
use super::pieces::piece;
use super::region::{Item, Region, Regions};
use super::slots::{Slots, Way};
use crate::ops::kind::Kind;

/// A graph of the program.
pub(super) struct Unit<'m> {
    pub(super) module: &'m GraphModule,
    pub(super) regions: Regions,
    pub(super) holders: Holders,
    /// What it keeps, if it is the model.
    pub(super) slots: Option<Rc<Slots>>,
    pub(super) cells: Cells,
    pub(super) flow: Flow,
    pub(super) leaves: HashMap<ModulePath, Leaf>,
    /// Whether all of it is on one device, which can then be any.
    on_one_device: bool,
}

/// What a struct holds, as it is written.
#[derive(Debug, Clone)]
pub(super) struct Leaf {
    pub(super) kind: LeafKind,
    /// The tensors of the weights that it is made of, by their names from there on, in the order of making.
    pub(super) tensors: Vec<(&'static str, Tensor)>,
}

/// What kind of thing a leaf is.
#[derive(Debug, Clone)]
pub(super) enum LeafKind {
    /// A tensor.
    Tensor,
    /// A layer: its type, and what makes it of `vb`.
    Layer { type_name: String, make: String, called_by: Option<&'static str> },
    /// A child graph, by the number of its unit.
    Graph(usize),
}

/// How a function names what it reads.
pub(super) struct View {
    pub(super) names: Names,
    pub(super) places: Places,
    /// Where the modules are that it calls or passes on.
    pub(super) modules: HashMap<usize, Place>,
    /// Where pieces of the state are, what is inside of another first.
    pub(super) state: Vec<(Way, Place)>,
    /// The value whose device is that of the program.
    device_of: Option<NodeId>,
}

impl<'m> Unit<'m> {
    /// Takes a graph apart, which keeps this. `children` are the units of its child graphs, by path.
    pub(super) fn new(
        module: &'m GraphModule,
        slots: Option<Slots>,
        children: &HashMap<ModulePath, usize>,
        supplied: &dyn Fn(&str) -> bool,
    ) -> Result<Self, FolderError> {
        let graph = module.graph();
        let regions = Regions::new(graph);
        let holders = Holders::new(graph, module.attributes(), &regions);
        let cells = Cells::new(graph, &regions, slots.as_ref());
        let flow = Flow::new(graph, &regions, &holders, &cells);
        let on_one_device = device::is_one(graph, module.attributes());
        let (slots, leaves) = (slots.map(Rc::new), HashMap::new());
        let mut unit = Self { module, regions, holders, slots, cells, flow, leaves, on_one_device };
        let mut unwritable = Vec::new();
        for (id, node) in graph.nodes() {
            let leaf = match node.target() {
                Target::CallFunction(op) | Target::CallMethod(op) => {
                    let head = op.name.split("::").next().unwrap_or_default();
                    if op.source.is_empty() && !supplied(head) {
                        unwritable.push((graph.node_line(id), Unwritable::function(op.name)));
                    }
                    continue;
                }
                Target::GetAttr(path) => unit.holders.leaf(path).clone(),
                Target::CallModule(path) => path.clone(),
                _ => continue,
            };
            if unit.leaves.contains_key(&leaf) {
                continue;
            }
            match unit.written(&leaf, children) {
                Ok(written) => {
                    unit.leaves.insert(leaf, written);
                }
                Err(reason) => unwritable.push((graph.node_line(id), reason)),
            }
        }
        if unwritable.is_empty() { Ok(unit) } else { Err(FolderError::Unwritable(unwritable)) }
    }

    pub(super) fn graph(&self) -> &'m Graph {
        self.module.graph()
    }

    fn written(&self, path: &ModulePath, children: &HashMap<ModulePath, usize>) -> Result<Leaf, Unwritable> {
        match self.module.attributes().fetch(path) {
            Some(Attribute::Tensor(tensor)) => Ok(Leaf { kind: LeafKind::Tensor, tensors: vec![("", tensor)] }),
            Some(Attribute::Module(_)) => match children.get(path) {
                Some(unit) => Ok(Leaf { kind: LeafKind::Graph(*unit), tensors: Vec::new() }),
                None => Err(Unwritable::missing(path)),
            },
            Some(Attribute::Layer(layer)) => {
                let source = layer.source().zip(layer.state());
                let Some((source, state)) = source else {
                    let through = "capture it with the shapes of its inputs, so that what it computes of them is known, or let \
                                   the capture go through it: `TracerRules::is_leaf_layer`";
                    let remedy = if layer.state().is_some() { through } else { layer.instead_of_saving() };
                    return Err(Unwritable::layer(layer.type_name(), remedy));
                };
                let dtype = state.tensors.first().map(|(_, tensor)| tensor.dtype());
                if state.tensors.iter().any(|(_, tensor)| Some(tensor.dtype()) != dtype) {
                    return Err(Unwritable::dtypes(layer.type_name()));
                }
                let (type_name, make, called_by) = (source.type_name, source.make, source.called_by);
                let kind = LeafKind::Layer { type_name, make, called_by };
                Ok(Leaf { kind, tensors: state.tensors })
            }
            None => Err(Unwritable::missing(path)),
        }
    }

    /// The values that a region names: those it takes, and those it makes or gets.
    pub(super) fn locals(&self, region: usize) -> impl Iterator<Item = NodeId> + '_ {
        self.regions.all[region].items.iter().flat_map(|item| self.made(*item))
    }

    /// The values that an item makes or gets.
    pub(super) fn made(&self, item: Item) -> Vec<NodeId> {
        match item {
            Item::Step(id) => vec![id],
            Item::Call(inner) => self.flow.outputs[inner].clone(),
        }
    }

    /// The values that a region's function gives, or puts into the state, where it ends.
    pub(super) fn given(&self, region: usize) -> Vec<NodeId> {
        let mut given: Vec<NodeId> = match region {
            0 => self.cells.returned().collect(),
            region => self.flow.outputs[region].clone(),
        };
        for cell in self.cells.of(region).filter(|_| region != 0) {
            cell.writes.for_each_node(&mut |id| given.push(id));
        }
        given
    }

    /// How a region names what it reads: values by `name`, what its struct holds by `place`, what it is handed by
    /// `handed`, and pieces of the state by `state`.
    pub(super) fn view(
        &self,
        region: usize,
        names: Names,
        place: &dyn Fn(&[Member]) -> TokenStream,
        handed: &dyn Fn(&Member) -> Option<TokenStream>,
        state: Vec<(Way, Place)>,
    ) -> View {
        let graph = self.graph();
        let holder = self.holders.of(&self.regions.all[region].path);
        let at = |member: &Member| match (handed(member), self.holders.way(holder, member)) {
            (Some(tokens), _) => Place { tokens, is_reference: true },
            (None, Some(way)) if way.is_empty() => Place { tokens: quote!(self), is_reference: true },
            (None, Some(way)) => Place { tokens: place(&way), is_reference: false },
            (None, None) => Place { tokens: quote!(self), is_reference: true },
        };
        let taken = self.flow.inputs[region].iter().filter_map(|input| match input {
            Input::Value(id) => Some(*id),
            Input::Held(_) | Input::Size(_) | Input::State(_) => None,
        });
        // The function of the graph takes the placeholders.
        let values = taken.chain(graph.placeholders().take_while(|_| region == 0));
        let device_of = Some(values).filter(|_| self.on_one_device).and_then(|all| device::asked(graph, &names, all));
        let mut view = View { names, places: Places::default(), modules: HashMap::new(), state, device_of };
        let attribute = |view: &mut View, path: &ModulePath| {
            let leaf = self.holders.leaf(path);
            let at = at(&Member::Leaf(leaf.clone()));
            if leaf == path || matches!(self.module.attributes().get(leaf), Some(Attribute::Tensor(_))) {
                view.places.give(path.clone(), at);
            } else if let Some(Attribute::Layer(layer)) = self.module.attributes().get(leaf)
                && let Some(part) = path.last().and_then(|name| layer.part(name))
                && let Some(part) = part_of(part, &at.tokens)
            {
                view.places.give(path.clone(), part);
            }
        };
        let reads = |view: &mut View, id: NodeId| {
            for input in graph.node(id).all_input_nodes() {
                if let Target::GetAttr(path) = graph.node(input).target() {
                    attribute(view, path);
                }
            }
            if let Target::CallModule(path) = graph.node(id).target() {
                attribute(view, path);
            }
        };
        for item in &self.regions.all[region].items {
            match item {
                Item::Step(id) => reads(&mut view, *id),
                Item::Call(inner) => {
                    let called = self.holders.of(&self.regions.all[*inner].path);
                    view.modules.entry(called).or_insert_with(|| at(&Member::Holder(called)));
                    for input in &self.flow.inputs[*inner] {
                        match input {
                            Input::Held(Member::Holder(passed)) => {
                                view.modules.entry(*passed).or_insert_with(|| at(&Member::Holder(*passed)));
                            }
                            Input::Held(Member::Leaf(path)) => {
                                view.places.give(path.clone(), at(&Member::Leaf(path.clone())));
                            }
                            Input::Value(_) | Input::Size(_) | Input::State(_) => {}
                        }
                    }
                }
            }
        }
        if region == 0
            && let Some(output) = graph.output_node()
        {
            reads(&mut view, output);
        }
        view
    }

    /// The writer of a region's calls.
    pub(super) fn calls<'u>(&'u self, view: &'u View, sources: &'u Sources) -> Calls<'u> {
        Calls {
            graph: self.graph(),
            attributes: self.module.attributes(),
            names: &view.names,
            places: &view.places,
            sources,
            device_of: view.device_of,
        }
    }

    /// The expression of a call of another region, by the name of its method, without the `?`.
    pub(super) fn call(&self, calls: &Calls<'_>, view: &View, inner: usize, method: &TokenStream) -> TokenStream {
        let called = self.holders.of(&self.regions.all[inner].path);
        let receiver = view.modules.get(&called).map_or_else(|| quote!(self), |place| place.tokens.clone());
        let arguments = self.flow.inputs[inner].iter().map(|input| self.argument(calls, view, input));
        quote!(#receiver.#method(#(#arguments),*))
    }

    /// What another region is handed.
    pub(super) fn argument(&self, calls: &Calls<'_>, view: &View, input: &Input) -> TokenStream {
        let borrowed = |place: &Place| {
            let tokens = &place.tokens;
            if place.is_reference { quote!(#tokens) } else { quote!(&#tokens) }
        };
        match input {
            Input::Value(id) => calls.borrowed(*id),
            Input::Size(size) => identifier(size).to_token_stream(),
            Input::Held(Member::Holder(holder)) => view.modules.get(holder).map_or_else(|| quote!(self), borrowed),
            Input::Held(Member::Leaf(path)) => {
                let (tokens, is_reference) = (view.places.of(path), view.places.is_lent(path));
                borrowed(&Place { tokens, is_reference })
            }
            Input::State(way) => {
                let Place { tokens, is_reference } = piece(&view.state, way);
                if is_reference { tokens } else { quote!(&mut #tokens) }
            }
        }
    }

    /// The region.
    pub(super) fn region(&self, region: usize) -> &Region {
        &self.regions.all[region]
    }
}

/// A shape as an argument.
pub(super) fn shape(tensor: &Tensor) -> TokenStream {
    let dims = tensor.dims().iter().map(|&dim| Value::Int(i64::try_from(dim).unwrap_or(i64::MAX)));
    literal(&Value::Tuple(dims.collect()), Kind::Shape, None)
}

/// The dtype that most tensors have.
pub(super) fn main_dtype<'t>(tensors: impl Iterator<Item = &'t Tensor>) -> DType {
    let mut counts: Vec<(DType, usize)> = Vec::new();
    for tensor in tensors {
        match counts.iter_mut().find(|(dtype, _)| *dtype == tensor.dtype()) {
            Some((_, count)) => *count += 1,
            None => counts.push((tensor.dtype(), 1)),
        }
    }
    let floats = counts.iter().filter(|(dtype, _)| dtype.is_float());
    // Of two, the first.
    floats.rev().max_by_key(|(_, count)| *count).map_or(DType::F32, |(dtype, _)| *dtype)
}
