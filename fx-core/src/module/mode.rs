//! Training and evaluation: whether layers that differ (dropout, batch norm) run as in training.
//!
//! Invariant: the mode is what the graph says: the `train` options of its calls.

use crate::ir::{Argument, Graph, NodeId, Target};

use super::attributes::{Attribute, Attributes};
use super::graph_module::GraphModule;
use super::layer::Called;

/// The option of candle's `forward_t`.
const TRAIN: &str = Called::FORWARD_T.options[0];

impl GraphModule {
    /// Whether it was last set to training, by [`GraphModule::train`] or by how it was captured: as soon as one layer
    /// is called with `train = true`.
    #[must_use]
    pub fn is_training(&self) -> bool {
        self.training
    }

    /// Sets the mode, in child graphs too: the `train` option of every call of a layer that has one. An option that is
    /// an input of the graph stays one. torch.nn's `train()`, where the mode is a flag that the layers read; candle's
    /// layers are told it at each call.
    pub fn train(&mut self, train: bool) {
        let calls: Vec<NodeId> = train_calls(self.graph(), self.attributes()).collect();
        let graph = self.graph_mut();
        for id in calls {
            let mut kwargs: Box<[_]> = graph.node(id).kwargs().into();
            for (keyword, argument) in &mut kwargs {
                if *keyword == TRAIN && matches!(argument, Argument::Bool(_)) {
                    *argument = Argument::Bool(train);
                }
            }
            graph.set_kwargs(id, kwargs);
        }
        self.training = train;
        self.for_each_child_mut(&mut |child| child.train(train));
    }

    /// Sets the mode to evaluation: `train(false)`.
    pub fn eval(&mut self) {
        self.train(false);
    }
}

/// Whether a call runs as in training.
pub(super) fn is_training(graph: &Graph, attributes: &Attributes) -> bool {
    let is_on = |id| matches!(graph.node(id).kwarg(TRAIN), Some(Argument::Bool(true)));
    train_calls(graph, attributes).any(is_on)
        || attributes.iter().any(|(_, attribute)| matches!(attribute, Attribute::Module(child) if child.training))
}

/// The calls of layers that have a mode.
fn train_calls(graph: &Graph, attributes: &Attributes) -> impl Iterator<Item = NodeId> {
    graph.nodes().filter_map(|(id, node)| match node.target() {
        Target::CallModule(path) => {
            let has_mode = matches!(attributes.fetch(path), Some(Attribute::Layer(layer)) if layer.called().options.contains(&TRAIN));
            has_mode.then_some(id)
        }
        _ => None,
    })
}
