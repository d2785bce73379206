//! [`Holders`]: the structs of the generated program: one for each module that has code, and what each of them holds.
//!
//! What a module uses that stands neither in it nor below it, a shared layer or a tied weight, is moved to the struct that is
//! around all its users, and handed down to them.
//!
//! Invariant: every tensor and layer is held once; the root is around everything; paths in the weights stay those of the
//! captured model.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ir::{Graph, ModulePath, NodeId, Op, Target};
use crate::module::{Attribute, Attributes};

use super::region::{Item, Regions};

/// A struct.
#[derive(Debug)]
pub(super) struct Holder {
    pub(super) path: ModulePath,
    /// Name of the module's type, if the capture knew it.
    pub(super) type_name: Option<Arc<str>>,
    pub(super) parent: Option<usize>,
    /// What it holds, in the order of first use.
    pub(super) members: Vec<Member>,
}

/// What a struct holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Member {
    /// Another struct.
    Holder(usize),
    /// A tensor, a layer or a child graph.
    Leaf(ModulePath),
}

/// The structs of a graph; the first is the root.
pub(super) struct Holders {
    pub(super) all: Vec<Holder>,
    by_path: HashMap<ModulePath, usize>,
    /// The struct that holds each leaf.
    owners: HashMap<ModulePath, usize>,
    /// What each `get_attr` reads: a tensor, or the layer that lends it.
    leaves: HashMap<ModulePath, ModulePath>,
}

impl Holders {
    pub(super) fn new(graph: &Graph, attributes: &Attributes, regions: &Regions) -> Self {
        let root = Holder { path: ModulePath::ROOT, type_name: None, parent: None, members: Vec::new() };
        let (by_path, owners) = (HashMap::from([(ModulePath::ROOT, 0)]), HashMap::new());
        let mut holders = Self { all: vec![root], by_path, owners, leaves: leaves(graph, attributes) };
        for region in &regions.all {
            if !holders.by_path.contains_key(&region.path) {
                holders.by_path.insert(region.path.clone(), holders.all.len());
                let (path, type_name) = (region.path.clone(), region.type_name.clone());
                holders.all.push(Holder { path, type_name, parent: None, members: Vec::new() });
            }
        }
        // Where everything stands in the model, and where it must stand to be in reach of all its users.
        let uses = holders.uses(graph, regions);
        let mut places: HashMap<&Member, usize> = HashMap::new();
        for (user, member) in &uses {
            let path = match member {
                Member::Holder(holder) => holders.all[*holder].path.parent().unwrap_or_default(),
                Member::Leaf(path) => path.parent().unwrap_or_default(),
            };
            let place = places.entry(member).or_insert_with(|| holders.around(&path));
            // A module that calls itself is in its own reach.
            if *member != Member::Holder(*user) {
                *place = holders.around_both(*place, *user);
            }
        }
        for holder in 1..holders.all.len() {
            let member = Member::Holder(holder);
            let natural = || holders.around(&holders.all[holder].path.parent().unwrap_or_default());
            let parent = places.get(&member).copied().unwrap_or_else(natural);
            holders.all[holder].parent = Some(parent);
        }
        let mut held = std::collections::HashSet::new();
        for (user, member) in &uses {
            // The structs around come first.
            let mut chain = vec![Member::Holder(*user), member.clone()];
            let mut at = match member {
                Member::Leaf(_) => Some(places[member]),
                Member::Holder(holder) => holders.all[*holder].parent,
            };
            let mut outer = Vec::new();
            while let Some(holder) = at {
                outer.push(Member::Holder(holder));
                at = holders.all[holder].parent;
            }
            chain.splice(0..0, outer.into_iter().rev());
            for member in chain {
                let owner = match &member {
                    Member::Holder(0) => continue,
                    Member::Holder(holder) => holders.all[*holder].parent.unwrap_or(0),
                    Member::Leaf(_) => places[&member],
                };
                if held.insert(member.clone()) {
                    if let Member::Leaf(path) = &member {
                        holders.owners.insert(path.clone(), owner);
                    }
                    holders.all[owner].members.push(member);
                }
            }
        }
        holders
    }

    /// Who uses what, in program order: the struct whose code it is, and what that code names.
    fn uses(&self, graph: &Graph, regions: &Regions) -> Vec<(usize, Member)> {
        let mut uses = Vec::new();
        let mut pending = vec![(0, 0)];
        while let Some((region, next)) = pending.pop() {
            let user = self.of(&regions.all[region].path);
            for (i, item) in regions.all[region].items.iter().enumerate().skip(next) {
                match item {
                    Item::Step(id) => uses.extend(self.used_by(graph, *id).map(|leaf| (user, Member::Leaf(leaf)))),
                    Item::Call(inner) => {
                        let called = self.of(&regions.all[*inner].path);
                        if called != user {
                            uses.push((user, Member::Holder(called)));
                        }
                        pending.extend([(region, i + 1), (*inner, 0)]);
                        break;
                    }
                }
            }
        }
        if let Some(output) = graph.output_node() {
            uses.extend(self.used_by(graph, output).map(|leaf| (0, Member::Leaf(leaf))));
        }
        uses
    }

    /// The leaves that a node names, itself or by the attributes that it reads.
    pub(super) fn used_by(&self, graph: &Graph, id: NodeId) -> impl Iterator<Item = ModulePath> {
        let node = graph.node(id);
        let read = node.all_input_nodes().filter_map(|input| match graph.node(input).target() {
            Target::GetAttr(path) => Some(self.leaf(path).clone()),
            _ => None,
        });
        let called = match node.target() {
            Target::CallModule(path) => Some(path.clone()),
            _ => None,
        };
        called.into_iter().chain(read.collect::<Vec<_>>())
    }

    /// The struct of a module.
    pub(super) fn of(&self, path: &ModulePath) -> usize {
        self.by_path.get(path).copied().unwrap_or(0)
    }

    /// The leaf that a path of a `get_attr` is read of.
    pub(super) fn leaf<'h>(&'h self, path: &'h ModulePath) -> &'h ModulePath {
        self.leaves.get(path).unwrap_or(path)
    }

    /// The innermost struct around a path, or at it.
    fn around(&self, path: &ModulePath) -> usize {
        let mut at = Some(path.clone());
        while let Some(path) = at {
            if let Some(holder) = self.by_path.get(&path) {
                return *holder;
            }
            at = path.parent();
        }
        0
    }

    /// The innermost struct around two.
    fn around_both(&self, one: usize, other: usize) -> usize {
        let (one, other) = (&self.all[one].path, &self.all[other].path);
        let common: Vec<&str> =
            one.segments().zip(other.segments()).take_while(|(one, other)| one == other).map(|(one, _)| one).collect();
        self.around(&ModulePath::new(common.join(".")))
    }

    /// The way from a struct down to what it holds or what is held inside: the members on it. None if it is elsewhere.
    pub(super) fn way(&self, from: usize, to: &Member) -> Option<Vec<Member>> {
        if *to == Member::Holder(from) {
            return Some(Vec::new());
        }
        let mut way = vec![to.clone()];
        let mut at = match to {
            Member::Holder(holder) => self.all[*holder].parent,
            Member::Leaf(path) => self.owners.get(path).copied(),
        };
        while let Some(holder) = at {
            if holder == from {
                way.reverse();
                return Some(way);
            }
            way.push(Member::Holder(holder));
            at = self.all[holder].parent;
        }
        None
    }

    /// The path of a member.
    pub(super) fn path<'h>(&'h self, member: &'h Member) -> &'h ModulePath {
        match member {
            Member::Holder(holder) => &self.all[*holder].path,
            Member::Leaf(path) => path,
        }
    }

    /// The path of a member as seen from a struct that it is in; its whole path if it was moved out of there.
    pub(super) fn relative(&self, from: usize, member: &Member) -> String {
        let (from, path) = (self.all[from].path.as_str(), self.path(member).as_str());
        match path.strip_prefix(from) {
            Some(rest) if from.is_empty() => rest.to_owned(),
            Some("") => String::new(),
            Some(rest) => rest.strip_prefix('.').unwrap_or(path).to_owned(),
            None => path.to_owned(),
        }
    }

    /// The structs, each after those that it holds.
    pub(super) fn inner_first(&self) -> Vec<usize> {
        let (mut order, mut pending) = (Vec::with_capacity(self.all.len()), vec![(0, 0)]);
        while let Some((holder, next)) = pending.pop() {
            let inner = self.all[holder].members[next..].iter().enumerate().find_map(|(i, member)| match member {
                Member::Holder(inner) => Some((next + i + 1, *inner)),
                Member::Leaf(_) => None,
            });
            match inner {
                Some((next, inner)) => pending.extend([(holder, next), (inner, 0)]),
                None => order.push(holder),
            }
        }
        order
    }
}

/// Which attributes are read of a layer that is called too, because candle's layers hide their fields.
fn leaves(graph: &Graph, attributes: &Attributes) -> HashMap<ModulePath, ModulePath> {
    let called: std::collections::HashSet<&ModulePath> = graph
        .nodes()
        .filter(|(_, node)| node.op() == Op::CallModule)
        .filter_map(|(_, node)| node.target().path())
        .collect();
    let mut leaves = HashMap::new();
    for (_, node) in graph.nodes() {
        let Target::GetAttr(path) = node.target() else { continue };
        let Some((parent, name)) = path.parent().zip(path.last()) else { continue };
        if called.contains(&parent)
            && let Some(Attribute::Layer(layer)) = attributes.get(&parent)
            && layer.part(name).is_some()
        {
            leaves.insert(path.clone(), parent);
        }
    }
    // A capture lifts a constant each time that the model makes it; equal ones are held once.
    let mut known: HashMap<String, &ModulePath> = HashMap::new();
    for (_, node) in graph.nodes() {
        let Target::GetAttr(path) = node.target() else { continue };
        if path.as_str().starts_with(CONSTANT)
            && let Some(Attribute::Tensor(tensor)) = attributes.get(path)
            && let Ok(content) = content(tensor)
        {
            let first = *known.entry(content).or_insert(path);
            if first != path {
                leaves.insert(path.clone(), first.clone());
            }
        }
    }
    leaves
}

/// How the names of constants start that a capture lifts, as torch.fx's.
const CONSTANT: &str = "_tensor_constant";

/// Dtype, shape and elements of a tensor, as a key.
fn content(tensor: &candle_core::Tensor) -> candle_core::Result<String> {
    use candle_core::DType;
    let flat = tensor.flatten_all()?;
    let elements = match tensor.dtype() {
        DType::F32 => flat.to_vec1::<f32>()?.into_iter().map(|element| u64::from(element.to_bits())).collect(),
        DType::F64 => flat.to_vec1::<f64>()?.into_iter().map(f64::to_bits).collect(),
        DType::U8 => flat.to_vec1::<u8>()?.into_iter().map(u64::from).collect(),
        DType::U32 => flat.to_vec1::<u32>()?.into_iter().map(u64::from).collect(),
        DType::I64 => flat.to_vec1::<i64>()?.into_iter().map(i64::cast_unsigned).collect::<Vec<u64>>(),
        other => candle_core::bail!("constants of {other:?} are not compared"),
    };
    Ok(format!("{:?} {:?} {elements:x?}", tensor.dtype(), tensor.dims()))
}
