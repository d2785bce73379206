//! What a graph is called with: the arguments of a call, brought into the order of the placeholders.
//!
//! Invariant: each placeholder gets one argument, by position, by name, or its default; or the call is refused.

use std::collections::HashMap;

use smallvec::SmallVec;

use crate::ir::{Argument, Graph, Keyword, Node, NodeId, Target};
use crate::value::Value;

/// The annotation of a placeholder that holds its default, torch.fx's default argument. What has none must be given.
///
/// ```
/// # use fx_core::{ir::Graph, module::{Attributes, DEFAULT_INPUT, GraphModule}, ops::OpTable, value::Value};
/// let mut graph = Graph::new("scaled");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// cursor.meta_mut(x).annotate(DEFAULT_INPUT, Value::Int(3));
/// cursor.output(x);
/// let module = GraphModule::new(graph, Attributes::new()).unwrap();
/// assert_eq!(module.run(&[]).unwrap(), Value::Int(3));
/// assert_eq!(module.run(&[Value::Int(4)]).unwrap(), Value::Int(4));
/// ```
pub const DEFAULT_INPUT: &str = "default";

/// A call of a graph that does not fit its placeholders.
///
/// It is about calls of child graphs by nodes; what a caller of a whole graph gets wrong is a
/// [`RunError`](crate::interp::RunError).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindInputsError {
    /// More arguments by position than placeholders.
    #[error("the graph `{graph}` takes {expected} inputs ({names}), but is called with {found} by position")]
    TooMany {
        /// Name of the graph.
        graph: String,
        /// Number of placeholders.
        expected: usize,
        /// Their names.
        names: String,
        /// Number of arguments.
        found: usize,
    },
    /// An argument by a name that no placeholder has.
    #[error("the graph `{graph}` has no input `{name}`; its inputs are {names}")]
    Unknown {
        /// Name of the graph.
        graph: String,
        /// The name.
        name: String,
        /// Names of the placeholders.
        names: String,
    },
    /// Two arguments for one placeholder.
    #[error("the input `{name}` of the graph `{graph}` is given twice")]
    Twice {
        /// Name of the graph.
        graph: String,
        /// The placeholder.
        name: String,
    },
    /// A placeholder without an argument, and without a default.
    #[error("the input `{name}` of the graph `{graph}` is not given")]
    Missing {
        /// Name of the graph.
        graph: String,
        /// The placeholder.
        name: String,
    },
}

/// What a placeholder gets.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Input<'a> {
    Given(&'a Argument),
    Default(&'a Value),
}

/// What each placeholder of a graph gets when it is called with these arguments by position and by name.
pub(crate) fn bind_inputs<'a>(
    graph: &'a Graph,
    args: &'a [Argument],
    kwargs: &'a [(Keyword, Argument)],
) -> Result<SmallVec<[Input<'a>; 4]>, BindInputsError> {
    let placeholders: SmallVec<[NodeId; 4]> = graph.placeholders().collect();
    let name = || graph.name().to_owned();
    if args.len() > placeholders.len() {
        let (expected, found) = (placeholders.len(), args.len());
        return Err(BindInputsError::TooMany { graph: name(), expected, names: input_names(graph), found });
    }
    let mut inputs: SmallVec<[Option<Input<'a>>; 4]> = args.iter().map(|given| Some(Input::Given(given))).collect();
    inputs.resize(placeholders.len(), None);
    // Most calls name none. Of placeholders of one name the first is meant.
    let named = if kwargs.is_empty() { &[][..] } else { &placeholders[..] };
    let by_name: HashMap<&str, usize> =
        named.iter().enumerate().rev().map(|(at, id)| (parameter(graph.node(*id)), at)).collect();
    for (keyword, given) in kwargs {
        let Some(&at) = by_name.get(&**keyword) else {
            return Err(BindInputsError::Unknown {
                graph: name(),
                name: keyword.to_string(),
                names: input_names(graph),
            });
        };
        if inputs[at].replace(Input::Given(given)).is_some() {
            return Err(BindInputsError::Twice { graph: name(), name: keyword.to_string() });
        }
    }
    let each = inputs.into_iter().zip(&placeholders).map(|(input, id)| {
        let placeholder = graph.node(*id);
        let missing = || BindInputsError::Missing { graph: name(), name: parameter(placeholder).to_owned() };
        input.or_else(|| default_input(placeholder).map(Input::Default)).ok_or_else(missing)
    });
    each.collect()
}

/// The default of a placeholder.
pub(crate) fn default_input(placeholder: &Node) -> Option<&Value> {
    placeholder.meta().annotation(DEFAULT_INPUT)
}

/// The names of a graph's inputs, for messages.
pub(crate) fn input_names(graph: &Graph) -> String {
    graph.placeholders().map(|id| graph.node(id).name()).collect::<Vec<_>>().join(", ")
}

/// The name of the parameter that a placeholder is.
pub(crate) fn parameter(placeholder: &Node) -> &str {
    match placeholder.target() {
        Target::Placeholder(name) => name,
        _ => placeholder.name(),
    }
}
