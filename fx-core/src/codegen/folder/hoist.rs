//! [`hoist`]: what the elements of a list share is computed before the first of them.
//!
//! Many models make a mask in their first layer and keep it for the others. Written as it ran, the first layer would be a type
//! of its own. What does not depend on the layers is computed by the module that holds the list instead, which hands it to
//! each of them, and the layers are alike.
//!
//! Invariant: the graph computes the values that it computed, each once; what is random, changes something or is a layer's
//! stays where it is.

use std::collections::HashMap;

use crate::entity::SecondaryMap;
use crate::ir::{Graph, ModulePath, ModuleStack, NodeId, Op, Target};
use crate::ops::Effect;

/// Moves what the elements of a list share to before the list. If a module ran in pieces, so that its steps do not stand
/// together, this may have no right order; then nothing is moved.
pub(super) fn hoist(graph: &mut Graph) {
    let scopes = Scopes::new(graph);
    let hoisted = scopes.hoisted(graph);
    if hoisted.is_empty() {
        return;
    }
    let Some(anchors) = scopes.anchors(graph, &hoisted) else { return };
    for (Hoisted { id, to, out_of }, anchor) in hoisted.into_iter().zip(anchors) {
        let stack = scopes.stack(graph, id, to, out_of);
        graph.meta_mut(id).module = stack;
        let Some(anchor) = anchor else { continue };
        let inputs: Vec<NodeId> = graph.node(id).all_input_nodes().collect();
        for input in inputs {
            if graph.node(input).op() == Op::GetAttr {
                graph.prepend(anchor, input);
            }
        }
        graph.prepend(anchor, id);
    }
}

/// A step that moves.
struct Hoisted {
    id: NodeId,
    /// The scope that it belongs to from now on.
    to: usize,
    /// The element of the list that it leaves, a scope in that one.
    out_of: usize,
}

/// One call of a module.
struct Scope {
    parent: usize,
    depth: usize,
    path: ModulePath,
}

/// The calls of modules that steps stand in; the first is the graph itself.
struct Scopes {
    all: Vec<Scope>,
    of: SecondaryMap<NodeId, usize>,
}

impl Scopes {
    fn new(graph: &Graph) -> Self {
        let root = Scope { parent: 0, depth: 0, path: ModulePath::ROOT };
        let mut scopes = Self { all: vec![root], of: SecondaryMap::new() };
        let mut known: HashMap<(usize, ModulePath, u32), usize> = HashMap::new();
        for (id, node) in graph.nodes() {
            let frames: Vec<_> = node.meta().module.frames().collect();
            let mut scope = 0;
            for frame in frames.into_iter().rev() {
                scope = *known.entry((scope, frame.path.clone(), frame.call)).or_insert_with(|| {
                    let depth = scopes.all[scope].depth + 1;
                    scopes.all.push(Scope { parent: scope, depth, path: frame.path.clone() });
                    scopes.all.len() - 1
                });
            }
            scopes.of[id] = scope;
        }
        scopes
    }

    /// The innermost scope that holds both.
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.all[a].depth >= self.all[b].depth {
                a = self.all[a].parent;
            } else {
                b = self.all[b].parent;
            }
        }
        a
    }

    /// The innermost scope around `scope` whose module holds what is at a path, but for one of another place in the model
    /// than the module that called it.
    fn holding(&self, mut scope: usize, path: &ModulePath) -> usize {
        while scope != 0 {
            let Scope { parent, path: module, .. } = &self.all[scope];
            if is_inside(module, path) && is_inside(&self.all[*parent].path, module) {
                break;
            }
            scope = *parent;
        }
        scope
    }

    /// The scope directly in `outer` that holds `scope`, which is inside of it.
    fn within(&self, outer: usize, mut scope: usize) -> usize {
        while self.all[scope].depth > self.all[outer].depth + 1 {
            scope = self.all[scope].parent;
        }
        scope
    }

    /// The steps that move, in program order.
    fn hoisted(&self, graph: &Graph) -> Vec<Hoisted> {
        let is_movable = |id: NodeId| {
            let node = graph.node(id);
            node.target().operation().is_some_and(|op| op.effect == Effect::Pure)
        };
        // The outermost scope that each could be computed in.
        let mut free = SecondaryMap::<NodeId, usize>::new();
        for (id, node) in graph.nodes() {
            let own = self.of[id];
            free[id] = match node.op() {
                Op::Placeholder => 0,
                _ if is_movable(id) => {
                    let needed = node.all_input_nodes().map(|input| match graph.node(input).target() {
                        Target::GetAttr(path) => self.holding(own, path),
                        _ => self.common(free[input], own),
                    });
                    needed.max_by_key(|scope| self.all[*scope].depth).unwrap_or(0)
                }
                _ => own,
            };
        }
        let (mut to, mut hoisted) = (self.of.clone(), Vec::new());
        for (id, _) in graph.nodes().rev() {
            let own = self.of[id];
            if own == 0 || !is_movable(id) {
                continue;
            }
            let readers = || graph.users(id).map(|user| (user, to[user]));
            let at = readers().fold(own, |at, (_, reader)| self.common(at, reader));
            if at == own || self.common(free[id], at) != free[id] {
                continue;
            }
            let out_of = self.within(at, own);
            let is_read_in = |element: &dyn Fn(usize) -> bool| {
                readers().any(|(_, reader)| reader != at && element(self.within(at, reader)))
            };
            // What one element gives the next is not shared: it does not read that itself.
            let is_shared =
                is_read_in(&|element| element == out_of) && is_read_in(&|element| self.are_elements(out_of, element));
            let is_for_shared = readers().any(|(user, reader)| reader == at && reader != self.of[user]);
            if is_shared || is_for_shared {
                to[id] = at;
                hoisted.push(Hoisted { id, to: at, out_of });
            }
        }
        hoisted.reverse();
        hoisted
    }

    /// Whether two scopes are different elements of one list.
    fn are_elements(&self, a: usize, b: usize) -> bool {
        let element = |scope: usize| {
            let (list, index) = self.all[scope].path.as_str().rsplit_once('.')?;
            index.parse::<usize>().is_ok().then_some((list, index))
        };
        matches!((element(a), element(b)), (Some((a, i)), Some((b, j))) if a == b && i != j)
    }

    /// The step before which each is put, none where it stands well already; nothing if that is no order.
    fn anchors(&self, graph: &Graph, hoisted: &[Hoisted]) -> Option<Vec<Option<NodeId>>> {
        let moves: HashMap<NodeId, usize> = hoisted.iter().enumerate().map(|(i, moved)| (moved.id, i)).collect();
        let (mut number, mut first) = (SecondaryMap::<NodeId, usize>::new(), HashMap::<usize, NodeId>::new());
        for (i, (id, node)) in graph.nodes().enumerate() {
            number[id] = i;
            let stays = !moves.contains_key(&id) && !matches!(node.op(), Op::Placeholder | Op::GetAttr);
            let mut scope = self.of[id];
            while stays && scope != 0 && !first.contains_key(&scope) {
                first.insert(scope, id);
                scope = self.all[scope].parent;
            }
        }
        let anchor =
            |moved: &Hoisted| first.get(&moved.out_of).copied().filter(|first| number[*first] < number[moved.id]);
        let anchors: Vec<Option<NodeId>> = hoisted.iter().map(anchor).collect();
        // Where a step stands afterwards: what moves before it, in the order of the moves, then itself.
        let place = |id: NodeId| match moves.get(&id).and_then(|i| Some((*i, anchors[*i]?))) {
            Some((i, anchor)) => (number[anchor], i),
            None => (number[id], usize::MAX),
        };
        let is_ordered = hoisted.iter().all(|moved| {
            let inputs = graph.node(moved.id).all_input_nodes();
            let mut inputs = inputs.filter(|input| graph.node(*input).op() != Op::GetAttr);
            inputs.all(|input| place(input) < place(moved.id))
        });
        is_ordered.then_some(anchors)
    }

    /// The modules around a step that has left an element of a list: those of the list, and those that are not inside the
    /// element.
    fn stack(&self, graph: &Graph, id: NodeId, to: usize, out_of: usize) -> ModuleStack {
        let frames: Vec<_> = graph.node(id).meta().module.frames().collect();
        let stays =
            |depth: usize, path: &ModulePath| depth < self.all[to].depth || !is_inside(&self.all[out_of].path, path);
        let kept = frames.into_iter().rev().enumerate().filter(|(depth, frame)| stays(*depth, &frame.path));
        kept.fold(ModuleStack::ROOT, |stack, (_, frame)| {
            stack.enter(frame.path.clone(), frame.type_name.clone(), frame.call)
        })
    }
}

/// Whether a path begins with that of a module.
fn is_inside(module: &ModulePath, path: &ModulePath) -> bool {
    let rest = path.as_str().strip_prefix(module.as_str());
    module.is_root() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::ir::samples::{add, relu};

    /// What the first layer makes for both is made of.
    #[derive(Clone, Copy)]
    enum From {
        /// The input.
        Input,
        /// What the layer computed.
        Layer,
        /// What the model computed while the layer ran.
        Between,
    }

    /// Two layers, of which the first makes something for both, in a module of another place.
    fn layers(from: From) -> Graph {
        let model = ModuleStack::ROOT.enter("model", "Model", 0);
        let layer = |i: usize| model.enter(format!("model.layers.{i}"), "Layer", 0);
        let cache = layer(0).enter("cache", "Cache", 0);
        let mut graph = Graph::new("layers");
        let mut cursor = graph.at_end();
        let x = cursor.placeholder("x");
        let weight = cursor.get_attr("model.layers.0.weight");
        let own = add(&mut cursor, x, weight);
        let between = cursor.call_module("model.between", [x.into()], []);
        let table = cursor.get_attr("cache.table");
        let of = match from {
            From::Input => x,
            From::Layer => own,
            From::Between => between,
        };
        let made = add(&mut cursor, of, table);
        let shared = relu(&mut cursor, made);
        let first = add(&mut cursor, own, shared);
        let second = add(&mut cursor, first, shared);
        cursor.output(second);
        let inside = [
            (own, layer(0)),
            (between, model.clone()),
            (made, cache.clone()),
            (shared, cache),
            (first, layer(0)),
            (second, layer(1)),
        ];
        for (id, stack) in inside {
            graph.meta_mut(id).module = stack;
        }
        graph
    }

    fn text(graph: &Graph) -> String {
        let line = |id: NodeId| format!("{}   // {:?}\n", graph.node_line(id), graph.node(id).meta().module);
        graph.nodes().map(|(id, _)| line(id)).collect()
    }

    #[test]
    fn what_layers_share_is_computed_before_them() {
        let mut graph = layers(From::Input);
        hoist(&mut graph);
        graph.verify().expect("it is as correct as before");
        assert_snapshot!(text(&graph));
    }

    #[test]
    fn what_cannot_be_computed_before_the_layers_stays() {
        for from in [From::Layer, From::Between] {
            let mut graph = layers(from);
            let before = text(&graph);
            hoist(&mut graph);
            assert_eq!(text(&graph), before);
        }
    }
}
