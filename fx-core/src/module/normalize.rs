//! The arguments of calls matched to parameters, torch.fx's `normalized_arguments`: of layers and child graphs too, which
//! only the module knows.
//!
//! Invariant: what is given is in the result, once, under the name of its parameter.

use smallvec::SmallVec;

use crate::ir::{Argument, BindError, Keyword, NodeId, NormalizedArguments, Target};

use super::attributes::{Attribute, MissingAttribute};
use super::graph_module::GraphModule;
use super::inputs::{BindInputsError, Input, bind_inputs, parameter};
use super::layer::LayerModule;

/// A call that does not fit what it calls.
///
/// It says what is called and which arguments it takes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NormalizeError {
    /// A call of an operation.
    #[error(transparent)]
    Operation(#[from] BindError),
    /// A call of a child graph.
    #[error(transparent)]
    Graph(#[from] BindInputsError),
    /// A call of a layer by more arguments than it takes.
    #[error("a layer of type {type_name} takes {expected}, but is called with {found} arguments by position")]
    TooMany {
        /// Name of its type.
        type_name: String,
        /// The names of its parameters.
        expected: String,
        /// Number of arguments.
        found: usize,
    },
    /// A call of a layer with an argument by a name that none of its parameters has.
    #[error("a layer of type {type_name} takes {expected}, but is called with `{name}`")]
    Unknown {
        /// Name of its type.
        type_name: String,
        /// The names of its parameters.
        expected: String,
        /// The name.
        name: String,
    },
    /// A call of a layer with two arguments for one parameter.
    #[error("a layer of type {type_name} is given `{name}` twice")]
    Twice {
        /// Name of its type.
        type_name: String,
        /// The parameter.
        name: String,
    },
    /// The module has nothing to call at this path.
    #[error(transparent)]
    Missing(#[from] MissingAttribute),
}

impl GraphModule {
    /// The arguments of a node, matched to the parameters of what it calls: all of them by name if `by_name_only`,
    /// otherwise those by position that graphs write so. None if the node calls nothing.
    ///
    /// - An operation: as [`Graph::normalized_arguments`](crate::ir::Graph::normalized_arguments).
    /// - A child graph: the parameters are its placeholders, and what is not given is its default.
    /// - A layer: the parameters are [`Called::parameters`](super::Called::parameters). A layer does not tell its defaults, so what is not given is left
    ///   out.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use candle_nn::BatchNorm;
    /// use fx_core::ir::Graph;
    /// use fx_core::module::{Attribute, Attributes, GraphModule, LayerModule};
    ///
    /// let ones = Tensor::ones(4, DType::F32, &Device::Cpu)?;
    /// let norm: std::sync::Arc<dyn LayerModule> = std::sync::Arc::new(BatchNorm::new_no_bias(4, ones.clone(), ones, 1e-5)?);
    /// let mut graph = Graph::new("model");
    /// let mut cursor = graph.at_end();
    /// let x = cursor.placeholder("x");
    /// let called = cursor.call_module("norm", [x.into(), false.into()], []);
    /// cursor.output(called);
    /// let module = GraphModule::new(graph, Attributes::from_iter([("norm", Attribute::from(norm))]))?;
    ///
    /// let call = module.normalized_arguments(called, true)?.expect("it calls a layer");
    /// assert_eq!(call.kwargs, [("xs".into(), x.into()), ("train".into(), false.into())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the arguments do not fit what is called, or nothing is there to be called.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn normalized_arguments(
        &self,
        id: NodeId,
        by_name_only: bool,
    ) -> Result<Option<NormalizedArguments>, NormalizeError> {
        let node = self.graph().node(id);
        let Target::CallModule(path) = node.target() else {
            return Ok(self.graph().normalized_arguments(id, by_name_only)?);
        };
        let mut normalized = NormalizedArguments { args: Vec::new(), kwargs: Vec::new() };
        match self.attributes().callee(path)? {
            Attribute::Module(child) => {
                let graph = child.graph();
                let inputs = bind_inputs(graph, node.args(), node.kwargs())?;
                for (input, id) in inputs.into_iter().zip(graph.placeholders()) {
                    let argument = match input {
                        Input::Given(argument) => Some(argument.clone()),
                        // A tensor cannot be written as an argument; the child adds it when it runs.
                        Input::Default(value) => Argument::from_value(value),
                    };
                    let Some(argument) = argument else { continue };
                    if by_name_only {
                        normalized.kwargs.push((Keyword::shared(parameter(graph.node(id))), argument));
                    } else {
                        normalized.args.push(argument);
                    }
                }
            }
            Attribute::Layer(layer) => {
                let given = bind_layer(&*layer, node.args(), node.kwargs())?;
                for (position, (name, argument)) in layer.called().parameters().zip(given).enumerate() {
                    let Some(argument) = argument.cloned() else { continue };
                    if position == 0 && !by_name_only {
                        normalized.args.push(argument);
                    } else {
                        normalized.kwargs.push((name.into(), argument));
                    }
                }
            }
            Attribute::Tensor(_) => return Ok(None),
        }
        Ok(Some(normalized))
    }
}

/// The arguments of a call of a layer in the order of its parameters, one that is left out between others as an absent one.
/// As they are written where they do not fit, for the layer to say so.
pub(crate) fn layer_arguments<'a>(
    layer: &dyn LayerModule,
    args: &'a [Argument],
    kwargs: &'a [(Keyword, Argument)],
) -> SmallVec<[&'a Argument; 4]> {
    let written = || args.iter().chain(kwargs.iter().map(|(_, argument)| argument)).collect();
    if kwargs.is_empty() {
        return written();
    }
    let Ok(given) = bind_layer(layer, args, kwargs) else { return written() };
    let count = given.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    given.into_iter().take(count).map(|argument| argument.unwrap_or(&Argument::None)).collect()
}

/// What each parameter of a layer is given.
fn bind_layer<'a>(
    layer: &dyn LayerModule,
    args: &'a [Argument],
    kwargs: &'a [(Keyword, Argument)],
) -> Result<Vec<Option<&'a Argument>>, NormalizeError> {
    let names: Vec<&str> = layer.called().parameters().collect();
    let (type_name, expected) = (|| layer.type_name().to_owned(), || names.join(", "));
    if args.len() > names.len() {
        return Err(NormalizeError::TooMany { type_name: type_name(), expected: expected(), found: args.len() });
    }
    let mut given: Vec<Option<&Argument>> = args.iter().map(Some).collect();
    given.resize(names.len(), None);
    for (keyword, argument) in kwargs {
        let Some(position) = names.iter().position(|name| *keyword == **name) else {
            return Err(NormalizeError::Unknown {
                type_name: type_name(),
                expected: expected(),
                name: keyword.to_string(),
            });
        };
        if given[position].replace(argument).is_some() {
            return Err(NormalizeError::Twice { type_name: type_name(), name: keyword.to_string() });
        }
    }
    Ok(given)
}
