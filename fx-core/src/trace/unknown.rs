//! What is said where the shape or dtype of a value is asked for and not known: what it follows from, and how to tell that.
//!
//! Invariant: an input whose shape was not given comes before what follows from it.

use super::error::{At, TraceError};
use super::session::{Session, State};
use crate::ir::NodeId;

/// What a value of which nothing is known follows from.
#[derive(Default)]
struct Unknown {
    inputs: Vec<String>,
    layers: Vec<String>,
    functions: Vec<&'static str>,
}

impl Session {
    /// The error of asking for what is not known of a node: which input it depends on, and how to give that.
    pub(crate) fn unknown(&self, node: NodeId, query: &'static str, what: &'static str, at: At) -> TraceError {
        let state = self.state();
        let Unknown { inputs, layers, functions } = state.unknown_origins(node);
        let because = match (inputs.as_slice(), layers.as_slice()) {
            ([], []) if !functions.is_empty() => {
                format!(", because nothing tells what the wrapped `{}` gives", functions.join("`, `"))
            }
            ([], []) => String::new(),
            ([], layers) => format!(", because nothing tells what `{}` does to shapes", layers.join("`, `")),
            ([one], _) => format!(", because the shape of input `{one}` is not"),
            (many, _) => format!(", because the shapes of inputs `{}` are not", many.join("`, `")),
        };
        let remedy = if !inputs.is_empty() {
            let given: String = inputs.iter().map(|name| format!(".input(\"{name}\", DType::F32, (2, 3))")).collect();
            format!(
                "give it, `Tracer::new(){given}.trace(&model)`, or capture with real tensors, `fx::trace(&model, …)`"
            )
        } else if !layers.is_empty() {
            "capture with real tensors, `fx::trace(&model, …)`, or, so that what is inside is seen, while the model is built: put \
             `#[fx(include)]` on its constructor, and `tracer.trace_built(&vb, |vb| fx::Symbolic::<Model>::new(vb, …))`"
                .to_owned()
        } else if !functions.is_empty() {
            "write `#[fx::wrap(pure)]` if calling it changes nothing: it is then called on zeros and on ones, and has to give \
             tensors of the same shapes for both; or capture with real tensors, `fx::trace(&model, …)`"
                .to_owned()
        } else {
            "capture with real tensors: `fx::trace(&model, …)`".to_owned()
        };
        TraceError::Unknown { query, what, node: state.graph.node(node).name().to_owned(), because, remedy, at }
    }
}

impl State {
    /// Why nothing is known of a node: the inputs without shapes, and the layers that say nothing of shapes, which it follows from.
    fn unknown_origins(&self, node: NodeId) -> Unknown {
        let mut seen = std::collections::HashSet::from([node]);
        let mut pending = vec![node];
        let mut found = Unknown::default();
        while let Some(id) = pending.pop() {
            let node = self.graph.node(id);
            let is_unknown = |id: NodeId| self.graph.node(id).meta().fact.is_unknown();
            if is_unknown(id) {
                match node.op() {
                    crate::ir::Op::Placeholder => found.inputs.push(node.name().to_owned()),
                    crate::ir::Op::CallModule if !node.all_input_nodes().any(is_unknown) => {
                        found.layers.push(node.target().to_string());
                    }
                    crate::ir::Op::CallFunction if !node.all_input_nodes().any(is_unknown) => {
                        let wrapped = node.target().operation().filter(|op| op.is_wrapped());
                        found.functions.extend(wrapped.map(|op| op.short_name()));
                    }
                    _ => {}
                }
            }
            for input in node.all_input_nodes() {
                if seen.insert(input) {
                    pending.push(input);
                }
            }
        }
        found.inputs.sort();
        found.layers.sort();
        found.layers.dedup();
        found.functions.sort_unstable();
        found.functions.dedup();
        found
    }
}
