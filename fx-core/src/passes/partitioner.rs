//! [`Partitioner`]: groups of nodes that somebody can run as one.
//!
//! Each node has a level: how often, at least, a path to it leaves the supported nodes and comes back. Supported nodes
//! of one level never depend on each other through an unsupported one, so a level can become one node; two levels
//! cannot, because there is a path out of the lower into the higher. There are as few groups as can be, found in one
//! walk. A call with effects, or that draws random numbers, counts as reading the one before.
//!
//! Invariant: groups do not overlap, and all of them can be fused at once without a cycle.

use std::collections::BTreeMap;

use super::fuse::{FuseError, fuse};
use super::pass::{Fuel, Pass, PassFailure};
use super::sequence::Sequence;
use crate::entity::SecondaryMap;
use crate::ir::{Graph, NodeId, Op};
use crate::module::GraphModule;

/// Nodes that can become one, in program order.
///
/// What [`Partitioner::propose`] gives and [`Partitioner::fuse_partitions`] takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Partition {
    /// The nodes.
    pub nodes: Vec<NodeId>,
}

impl FromIterator<NodeId> for Partition {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        Self { nodes: nodes.into_iter().collect() }
    }
}

type Accepts<'p> = Box<dyn Fn(&Graph, NodeId) -> bool + 'p>;

/// Proposes groups of supported nodes, as large and as few as can be: torch.fx's `CapabilityBasedPartitioner`.
///
/// ```
/// use fx_core::ops::elementwise::tanh;
/// use fx_core::passes::Partitioner;
/// use fx_core::trace::Tracer;
///
/// let mut module = Tracer::new().trace_fn(|inputs| {
///     let x = inputs.tensor("x")?;
///     x.relu()?.exp()?.tanh()?.relu()?.exp()
/// })?;
/// let partitioner = Partitioner::new(|graph, id| graph.node(id).target().operation() != Some(&tanh::OP));
/// assert_eq!(partitioner.propose(module.graph()).iter().map(|one| one.nodes.len()).collect::<Vec<_>>(), [2, 2]);
/// assert_eq!(partitioner.partition_and_fuse(&mut module)?.len(), 2);
/// assert!(module.graph().to_string().contains("call_module fused_1(%tanh)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Partitioner<'p> {
    supported: Accepts<'p>,
    computes: Accepts<'p>,
    single: bool,
    horizontal: bool,
}

impl<'p> Partitioner<'p> {
    /// Groups the calls that this accepts.
    ///
    /// Only calls are asked about; inputs, attributes and the output stay outside.
    pub fn new(supported: impl Fn(&Graph, NodeId) -> bool + 'p) -> Self {
        Self { supported: Box::new(supported), computes: Box::new(|_, _| true), single: false, horizontal: true }
    }

    /// Whether a single node is a group; else it is left alone.
    ///
    /// Off unless said otherwise.
    pub fn allows_single_node_partition(mut self, on: bool) -> Self {
        self.single = on;
        self
    }

    /// Calls that do not count: a group of nothing else is none.
    ///
    /// None unless said otherwise.
    pub fn non_compute(mut self, is_free: impl Fn(&Graph, NodeId) -> bool + 'p) -> Self {
        self.computes = Box::new(move |graph, id| !is_free(graph, id));
        self
    }

    /// Whether nodes that do not read each other are kept apart.
    ///
    /// Off unless said otherwise: groups are as large as can be.
    pub fn skip_horizontal_fusion(mut self, on: bool) -> Self {
        self.horizontal = !on;
        self
    }

    /// The groups, in program order of their first nodes. What called modules do is not known here: they count as
    /// having no effects.
    ///
    /// Nothing is changed.
    #[must_use]
    pub fn propose(&self, graph: &Graph) -> Vec<Partition> {
        self.propose_keeping(graph, &Sequence::of(graph, None))
    }

    /// The groups, with what is known about called modules.
    fn propose_for(&self, module: &GraphModule) -> Vec<Partition> {
        self.propose_keeping(module.graph(), &Sequence::of(module.graph(), Some(module.attributes())))
    }

    fn propose_keeping(&self, graph: &Graph, sequence: &Sequence) -> Vec<Partition> {
        let is_call = |op: Op| matches!(op, Op::CallFunction | Op::CallMethod | Op::CallModule);
        let mut levels = SecondaryMap::<NodeId, Level>::new();
        let mut connected = Connected(SecondaryMap::new());
        let mut by_group: BTreeMap<usize, Vec<NodeId>> = BTreeMap::new();
        let mut supported = Vec::new();
        for (id, node) in graph.nodes() {
            let takes_part = is_call(node.op()) && (self.supported)(graph, id);
            let mut level = 0;
            let inputs = || node.all_input_nodes().chain(sequence.prev(id));
            for input in inputs() {
                level = level.max(levels[input].after(takes_part));
            }
            levels[id] = Level { supported: takes_part, level };
            if takes_part {
                inputs().filter(|&input| levels[input] == levels[id]).for_each(|input| connected.join(input, id));
                supported.push((level, id));
            }
        }
        let mut number_of = std::collections::HashMap::new();
        for (level, id) in supported {
            let key = if self.horizontal { (level, None) } else { (level, Some(connected.root(id))) };
            let next = number_of.len();
            let number = *number_of.entry(key).or_insert(next);
            by_group.entry(number).or_default().push(id);
        }
        let is_worth_it = |nodes: &Vec<NodeId>| {
            let computing = nodes.iter().filter(|&&id| (self.computes)(graph, id)).count();
            computing > usize::from(!self.single)
        };
        by_group.into_values().filter(is_worth_it).map(|nodes| Partition { nodes }).collect()
    }

    /// Makes a child graph of each group: `fused_0`, `fused_1`, …; returns the nodes that call them.
    ///
    /// # Errors
    ///
    /// If there are groups that overlap, would form a cycle, or would change the order of effects; the module is then as it was.
    pub fn fuse_partitions(
        &self,
        module: &mut GraphModule,
        partitions: &[Partition],
    ) -> Result<Vec<NodeId>, FuseError> {
        let named: Vec<(String, &[NodeId])> =
            partitions.iter().enumerate().map(|(i, one)| (format!("fused_{i}"), &*one.nodes)).collect();
        fuse(module, &named)
    }

    /// Proposes groups and fuses them.
    ///
    /// # Errors
    ///
    /// As [`Partitioner::fuse_partitions`].
    pub fn partition_and_fuse(&self, module: &mut GraphModule) -> Result<Vec<NodeId>, FuseError> {
        let partitions = self.propose_for(module);
        self.fuse_partitions(module, &partitions)
    }
}

impl Pass for Partitioner<'_> {
    fn run(&mut self, module: &mut GraphModule, fuel: &mut Fuel) -> Result<bool, PassFailure> {
        let mut partitions = self.propose_for(module);
        partitions.retain(|_| fuel.take());
        Ok(!self.fuse_partitions(module, &partitions)?.is_empty())
    }
}

/// How often, at least, a path to a node leaves the supported nodes and comes back; one more after the first supported
/// one, so that what comes before all of them is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Level {
    supported: bool,
    level: usize,
}

impl Level {
    /// The least level of a node that reads this one.
    fn after(self, is_supported: bool) -> usize {
        match (self.supported, is_supported) {
            // Leaving: odd numbers are outside. Coming back: even ones inside.
            (true, false) => self.level + 1,
            (false, true) if self.level % 2 == 1 => self.level + 1,
            _ => self.level,
        }
    }
}

/// Which supported nodes hang together within their level.
struct Connected(SecondaryMap<NodeId, Option<NodeId>>);

impl Connected {
    fn root(&mut self, mut id: NodeId) -> NodeId {
        while let Some(parent) = self.0[id] {
            if let Some(above) = self.0[parent] {
                self.0[id] = Some(above);
            }
            id = parent;
        }
        id
    }

    fn join(&mut self, a: NodeId, b: NodeId) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.0[b] = Some(a);
        }
    }
}
