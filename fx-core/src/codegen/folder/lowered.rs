//! [`Lowered`]: the module with what its layers compute in place of those that candle does not have, as torch.nn's.
//!
//! Such a layer is written as the layer of candle's that computes the same bits on its inputs, if there is one. Any other is
//! entered: its steps stand in place of the call, as those of a module with the layer's tensors; those of a layer that has
//! none and takes a step or two stand in the function that calls it.
//!
//! Invariant: the graph computes the bits that it computed, and a tensor keeps its path.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::entity::SecondaryMap;
use crate::ir::{Argument, Graph, Keyword, ModulePath, ModuleStack, NodeId, Op, Target, by_parameter};
use crate::module::{Attribute, Attributes, GraphModule, LayerModule};
use crate::ops::Facts;
use crate::value::Fact;

use super::error::{FolderError, Unwritable};
use super::hoist::hoist;

/// How many steps of a layer without tensors are written where it is called.
const FEW: usize = 4;

/// A module whose layers are candle's, as far as they tell what they compute.
pub(super) struct Lowered {
    pub(super) module: GraphModule,
    /// The calls that the new steps of the outermost graph are of.
    pub(super) calls: HashMap<NodeId, NodeId>,
}

impl Lowered {
    /// The module as it is written.
    pub(super) fn new(module: &GraphModule) -> Result<Self, FolderError> {
        Self::within(module, 0, &mut HashMap::new())
    }

    /// The same of a module inside of so many others; `known` are those that were met before.
    fn within(
        module: &GraphModule,
        depth: usize,
        known: &mut HashMap<*const GraphModule, Arc<GraphModule>>,
    ) -> Result<Self, FolderError> {
        if depth > GraphModule::MAX_DEPTH {
            return Err(FolderError::TooDeep);
        }
        let mut lowered = Self { module: module.clone(), calls: HashMap::new() };
        for (path, child) in module.attributes().iter() {
            let Attribute::Module(child) = child else { continue };
            let one = match known.get(&Arc::as_ptr(child)) {
                Some(one) => one.clone(),
                None => {
                    let one = Arc::new(Self::within(child, depth + 1, known)?.module);
                    known.insert(Arc::as_ptr(child), one.clone());
                    one
                }
            };
            lowered.module.set_attribute(path.clone(), one);
        }
        lowered.know_calls();
        // Layers are made of layers.
        for _ in 0..GraphModule::MAX_DEPTH {
            if !lowered.lower()? {
                break;
            }
        }
        hoist(lowered.module.graph_mut());
        Ok(lowered)
    }

    /// Finds of calls of graphs, and of what is made of their values, which are tuples: facts take them for lists.
    fn know_calls(&mut self) {
        let mut known: HashMap<NodeId, Fact> = HashMap::new();
        for (id, node) in self.module.graph().nodes() {
            let fact_of = |id: NodeId| known.get(&id).cloned().unwrap_or_else(|| self.fact(id));
            let fact = match node.target() {
                Target::CallModule(path) => match self.module.attributes().get(path) {
                    Some(Attribute::Module(child)) => given(child),
                    _ => None,
                },
                Target::CallFunction(op) | Target::CallMethod(op) => {
                    let is_of_known = node.all_input_nodes().any(|input| known.contains_key(&input));
                    let arguments = by_parameter(op, node.args(), node.kwargs());
                    let facts: Vec<Fact> = arguments.map(|(_, argument)| argument.fact(&mut { fact_of })).collect();
                    let facts: Vec<&Fact> = facts.iter().collect();
                    let inferred = is_of_known.then(|| (op.infer)(Facts { op, facts: &facts }).ok());
                    inferred.flatten().filter(|fact| matches!(fact, Fact::List(_) | Fact::Tuple(_)))
                }
                _ => None,
            };
            known.extend(fact.map(|fact| (id, fact)));
        }
        for (id, fact) in known {
            self.module.graph_mut().meta_mut(id).fact = fact;
        }
    }

    fn fact(&self, id: NodeId) -> Fact {
        self.module.graph().node(id).meta().fact.clone()
    }

    /// Writes each layer that cannot be written as it is in another way; whether there was one.
    fn lower(&mut self) -> Result<bool, FolderError> {
        let (mut changed, mut refused) = (false, Vec::new());
        for Called { path, layer, calls } in called(&self.module) {
            let facts: Vec<Vec<Fact>> = calls.iter().map(|id| facts(self.module.graph(), &*layer, *id)).collect();
            if let Some(own) = candles(&*layer, &facts) {
                self.module.set_attribute(path, own);
                changed = true;
                continue;
            }
            let entered = calls.iter().zip(&facts).map(|(id, facts)| {
                let facts: Vec<&Fact> = facts.iter().collect();
                Some((*id, layer.entered(&facts)?))
            });
            // One that is not entered is still called.
            let Some(entered) = entered.collect::<Option<Vec<_>>>() else { continue };
            let mut graphs = Vec::with_capacity(entered.len());
            for (id, graph) in entered {
                match graph {
                    Ok(graph) => graphs.push((id, graph)),
                    Err(error) => {
                        let line = self.module.graph().node_line(id);
                        refused.push((line, Unwritable::entered(layer.type_name(), &error)));
                    }
                }
            }
            if refused.is_empty() {
                self.module.attributes_mut().remove(&path);
                for (i, (id, inside)) in graphs.iter().enumerate() {
                    self.put(&path, layer.type_name(), u32::try_from(i).unwrap_or(u32::MAX), *id, inside);
                }
                changed = true;
            }
        }
        if refused.is_empty() { Ok(changed) } else { Err(FolderError::Unwritable(refused)) }
    }

    /// Puts what a call computes in its place.
    fn put(&mut self, path: &ModulePath, type_name: &str, number: u32, call: NodeId, inside: &GraphModule) {
        let from = inside.graph();
        let meta = self.module.graph().node(call).meta().clone();
        let given: Vec<Argument> = tensors(self.module.graph(), call).cloned().collect();
        let is_short = from.nodes().filter(|(_, node)| node.op() != Op::Placeholder).count() <= FEW + 1
            && from.nodes().all(|(_, node)| node.op() != Op::GetAttr);
        // torch.nn's are called `nn.Conv2d`.
        let type_name = type_name.rsplit('.').next().unwrap_or(type_name);
        // A call stands inside of its layer.
        let is_inside = meta.module.innermost().is_some_and(|innermost| innermost.path == *path);
        let outside = if is_inside { meta.module.outer() } else { meta.module.clone() };
        let around = if is_short { outside } else { outside.enter(path.clone(), type_name, number) };
        let mut map = SecondaryMap::<NodeId, Option<Argument>>::new();
        for (placeholder, given) in from.placeholders().zip(given) {
            map[placeholder] = Some(given);
        }
        let original = self.calls.get(&call).copied().unwrap_or(call);
        for (id, node) in from.nodes() {
            if matches!(node.op(), Op::Placeholder | Op::Output) {
                continue;
            }
            let mapped = |argument: &Argument| {
                argument.map_nodes(&mut |id| map[id].as_ref().and_then(Argument::as_node).unwrap_or(id))
            };
            let args: Vec<Argument> = node.args().iter().map(mapped).collect();
            let kwargs: Vec<(Keyword, Argument)> =
                node.kwargs().iter().map(|(keyword, argument)| (keyword.clone(), mapped(argument))).collect();
            let target = match node.target() {
                Target::GetAttr(held) => Target::GetAttr(install(self.module.attributes_mut(), path, held, inside)),
                Target::CallModule(held) => {
                    Target::CallModule(install(self.module.attributes_mut(), path, held, inside))
                }
                other => other.clone(),
            };
            let graph = self.module.graph_mut();
            // The target has been called with these arguments before.
            let Ok(new) = graph.inserting_before(call).create_node(target, args, kwargs, Some(node.name())) else {
                continue;
            };
            let put = graph.meta_mut(new);
            *put = meta.clone();
            put.fact = node.meta().fact.clone();
            put.module = within(&around, path, &node.meta().module);
            self.calls.insert(new, original);
            map[id] = Some(Argument::Node(new));
        }
        let result = from.output_node().and_then(|output| from.node(output).args().first()?.as_node());
        if let Some(result) = result.and_then(|id| map[id].as_ref()).and_then(Argument::as_node) {
            let graph = self.module.graph_mut();
            graph.replace_all_uses_with(call, result);
            // Nothing reads it any more.
            let _ = graph.erase_node(call);
        }
    }
}

/// A layer that cannot be written as it is, and its calls.
struct Called {
    path: ModulePath,
    layer: Arc<dyn LayerModule>,
    calls: Vec<NodeId>,
}

/// The layers that cannot be written as they are, in the order of their first calls.
fn called(module: &GraphModule) -> Vec<Called> {
    let (mut found, mut places): (Vec<Called>, HashMap<&ModulePath, usize>) = (Vec::new(), HashMap::new());
    let mut written = HashSet::new();
    for (id, node) in module.graph().nodes() {
        let Target::CallModule(path) = node.target() else { continue };
        if let Some(place) = places.get(path) {
            found[*place].calls.push(id);
            continue;
        }
        let Some(Attribute::Layer(layer)) = module.attributes().get(path) else { continue };
        if written.contains(path) || layer.source().is_some() {
            written.insert(path);
            continue;
        }
        places.insert(path, found.len());
        found.push(Called { path: path.clone(), layer: layer.clone(), calls: vec![id] });
    }
    found
}

/// What is known of the value of a graph that gives several; none of one that gives one.
fn given(child: &GraphModule) -> Option<Fact> {
    fn of(graph: &Graph, argument: &Argument) -> Fact {
        match argument {
            Argument::Tuple(parts) => Fact::Tuple(parts.iter().map(|part| of(graph, part)).collect()),
            Argument::List(items) => Fact::List(items.iter().map(|item| of(graph, item)).collect()),
            other => other.fact(&mut |id| graph.node(id).meta().fact.clone()),
        }
    }
    let graph = child.graph();
    let output = graph.node(graph.output_node()?).args().first()?;
    matches!(output, Argument::Tuple(_) | Argument::List(_)).then(|| of(graph, output))
}

/// What is known of the arguments of a call, the options after the tensors.
fn facts(graph: &Graph, layer: &dyn LayerModule, call: NodeId) -> Vec<Fact> {
    let (node, called) = (graph.node(call), layer.called());
    let options = called.options.iter().filter_map(|name| called.option(name, node.args(), node.kwargs()));
    let of = |argument: &Argument| argument.fact(&mut |id| graph.node(id).meta().fact.clone());
    node.args().iter().take(1).chain(options).map(of).collect()
}

/// The tensors that a call is given.
fn tensors(graph: &Graph, call: NodeId) -> impl Iterator<Item = &Argument> {
    graph.node(call).arguments().filter(|argument| argument.as_node().is_some())
}

/// The layer of candle's that computes the same in all of these calls.
fn candles(layer: &dyn LayerModule, calls: &[Vec<Fact>]) -> Option<Arc<dyn LayerModule>> {
    let mut each = calls.iter().map(|facts| {
        let facts: Vec<&Fact> = facts.iter().collect();
        layer.in_candle(&facts).filter(|own| own.called() == layer.called() && own.source().is_some())
    });
    let first = each.next()??;
    each.all(|own| own.is_some_and(|own| own.source() == first.source())).then_some(first)
}

/// The modules around a step of a layer, which stands inside of `around` at `path`.
fn within(around: &ModuleStack, path: &ModulePath, inside: &ModuleStack) -> ModuleStack {
    let frames: Vec<_> = inside.frames().filter(|frame| !frame.path.is_root()).collect();
    frames
        .into_iter()
        .rev()
        .fold(around.clone(), |stack, frame| stack.enter(path.join(&frame.path), frame.type_name.clone(), frame.call))
}

/// Where a tensor or a layer of a layer is held from now on: at its path in there.
fn install(attributes: &mut Attributes, path: &ModulePath, held: &ModulePath, inside: &GraphModule) -> ModulePath {
    let Some(attribute) = inside.attributes().fetch(held) else { return path.join(held) };
    let mut place = path.join(held);
    // What the layer computed once may be other at another call of it.
    for count in 1.. {
        match (attributes.get(&place), &attribute) {
            (None, _) => break,
            (Some(Attribute::Tensor(there)), Attribute::Tensor(tensor)) if there.id() == tensor.id() => return place,
            (Some(Attribute::Layer(_)), Attribute::Layer(_)) => return place,
            _ => place = path.join(&ModulePath::new(format!("{held}_{count}"))),
        }
    }
    attributes.insert(place.clone(), attribute);
    place
}
