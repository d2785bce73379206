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
    ///
    /// It is about the graph as a whole; single calls can be set otherwise by their `train` argument.
    #[must_use]
    pub fn is_training(&self) -> bool {
        self.training
    }

    /// Sets the mode, in child graphs too: the `train` option of every call of a layer that has one. An option that is
    /// an input of the graph stays one. torch.nn's `train()`, where the mode is a flag that the layers read; candle's
    /// layers are told it at each call.
    ///
    /// What else a model does in training, such as a branch of its own, was decided when it was captured.
    pub fn train(&mut self, train: bool) {
        self.edit_each(&mut |module| module.train_alone(train));
    }

    /// Sets the mode of this graph alone, and says whether it was another.
    fn train_alone(&mut self, train: bool) -> bool {
        let calls: Vec<(NodeId, Called)> = train_calls(self.graph(), self.attributes()).collect();
        let mut changed = std::mem::replace(&mut self.training, train) != train;
        for (id, called) in calls {
            let node = self.graph().node(id);
            let told = called.option(TRAIN, node.args(), node.kwargs());
            if !matches!(told, Some(Argument::Bool(told)) if *told != train) {
                continue;
            }
            changed = true;
            let (mut args, mut kwargs): (Box<[_]>, Box<[_]>) = (node.args().into(), node.kwargs().into());
            if let Some((_, argument)) = kwargs.iter_mut().find(|(keyword, _)| *keyword == TRAIN) {
                *argument = Argument::Bool(train);
                self.graph_mut().set_kwargs(id, kwargs);
            } else if let Some(at) = called.options.iter().position(|option| *option == TRAIN) {
                args[1 + at] = Argument::Bool(train);
                self.graph_mut().set_args(id, args);
            }
        }
        changed
    }

    /// Sets the mode to evaluation: `train(false)`.
    pub fn eval(&mut self) {
        self.train(false);
    }
}

/// Whether a call runs as in training.
pub(super) fn is_training(graph: &Graph, attributes: &Attributes) -> bool {
    let is_on = |(id, called): (NodeId, Called)| {
        let node = graph.node(id);
        matches!(called.option(TRAIN, node.args(), node.kwargs()), Some(Argument::Bool(true)))
    };
    train_calls(graph, attributes).any(is_on)
        || attributes.iter().any(|(_, attribute)| matches!(attribute, Attribute::Module(child) if child.training))
}

/// The calls of layers that have a mode, and how these are called.
fn train_calls(graph: &Graph, attributes: &Attributes) -> impl Iterator<Item = (NodeId, Called)> {
    graph.nodes().filter_map(|(id, node)| match node.target() {
        Target::CallModule(path) => match attributes.fetch(path) {
            Some(Attribute::Layer(layer)) => {
                Some((id, layer.called())).filter(|(_, called)| called.options.contains(&TRAIN))
            }
            _ => None,
        },
        _ => None,
    })
}
