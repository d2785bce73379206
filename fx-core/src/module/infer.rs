//! Facts of a whole module: what is known of its result, and of every node, from what is known of its inputs.
//!
//! Invariant: nothing runs; what no rule can say is unknown, never guessed.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::entity::SecondaryMap;
use crate::ir::{Argument, Graph, Keyword, NodeId, Size, SizeOf, Target, by_parameter};
use crate::ops::candle_error::{caught, reason};
use crate::ops::{Facts, InferError};
use crate::value::{Fact, Sizes, Value};

use super::attributes::{Attribute, Attributes};
use super::graph_module::GraphModule;
use super::infer_sizes::Inference;
use super::inputs::{Input, bind_inputs};
use super::normalize::layer_arguments;

/// A node that would be refused.
///
/// The reason is what candle would say, without a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}\n  would be refused: {reason}")]
pub struct RefusedNode {
    /// The node as the graph prints it.
    pub line: String,
    /// Why.
    pub reason: InferError,
}

impl GraphModule {
    /// What is known of its result if this is known of its inputs, one fact for each placeholder.
    ///
    /// What a rule cannot say is [`Fact::Unknown`]; with fewer facts than placeholders the rest is unknown. Nothing is
    /// written to the nodes; [`GraphModule::infer_facts`] writes.
    ///
    /// ```
    /// use candle_core::DType;
    /// use fx_core::{trace::Tracer, value::Fact};
    ///
    /// let module = Tracer::new().trace_fn(|inputs| inputs.tensor("x")?.matmul(&inputs.tensor("w")?))?;
    /// let known = |shape: (usize, usize)| Fact::tensor(shape, DType::F32);
    /// assert_eq!(module.infer(&[&known((2, 3)), &known((3, 5))])?, known((2, 5)));
    /// let error = module.infer(&[&known((2, 3)), &known((4, 5))]).unwrap_err();
    /// assert!(error.line.starts_with("%matmul"), "{error}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a node in it would be refused.
    pub fn infer(&self, inputs: &[&Fact]) -> Result<Fact, RefusedNode> {
        self.result(inputs, 0, &mut Results::default())
    }

    /// Works out anew what is known of each node from what is known of the placeholders, and writes it to the nodes.
    /// What no rule can say becomes unknown.
    ///
    /// In a graph that follows sizes, what is found holds at all of them: `f32[2 * batch, 4]`. Rules know numbers only, so
    /// each is asked at several sizes; where what it says follows no expression, nothing is known.
    ///
    /// A fact that follows sizes stays if it says the same at the capture's. To work out facts for other inputs, write
    /// those of the placeholders first ([`Graph::meta_mut`](crate::ir::Graph::meta_mut)); what only a run can tell,
    /// [`ShapeProp`](crate::interp::ShapeProp) sees.
    ///
    /// # Errors
    /// When a node would be refused; nothing is written then.
    pub fn infer_facts(&mut self) -> Result<(), RefusedNode> {
        let graph = self.graph();
        let (mut inference, mut results) = (Inference::of(graph), Results::default());
        let mut known = SecondaryMap::<NodeId, Fact>::new();
        let mut facts = Vec::with_capacity(graph.len());
        for (id, node) in graph.nodes() {
            let (stored, mut of) = (&node.meta().fact, |id| known[id].clone());
            let fact = match node.target() {
                Target::Placeholder(_) => stored.clone(),
                // Nothing is computed there, so it is as its argument is, which may follow sizes.
                Target::Output => node.args().first().map_or(Fact::Unknown, |result| result.fact(&mut of)),
                target => {
                    let (args, kwargs) = (node.args(), node.kwargs());
                    let fact = inference.call_in(self.attributes(), target, args, kwargs, &mut results, &mut of);
                    let fact = fact.map_err(|reason| RefusedNode { line: graph.node_line(id), reason })?;
                    // What follows sizes says more.
                    if stored.is_symbolic() && stored.agrees_with(&fact) { stored.clone() } else { fact }
                }
            };
            known[id] = fact.clone();
            facts.push((id, fact));
        }
        let graph = self.graph_mut();
        facts.into_iter().for_each(|(id, fact)| graph.meta_mut(id).fact = fact);
        Ok(())
    }

    /// What is known of its result, at the sizes that these inputs are of.
    fn result(&self, inputs: &[&Fact], depth: usize, results: &mut Results) -> Result<Fact, RefusedNode> {
        let sizes = sizes_of(self.graph(), inputs);
        let mut known = SecondaryMap::<NodeId, Fact>::new();
        let (mut result, mut inputs) = (Fact::Unknown, inputs.iter());
        for (id, node) in self.graph().nodes() {
            known[id] = if let Target::Placeholder(_) = node.target() {
                inputs.next().map_or(Fact::Unknown, |fact| (*fact).clone())
            } else {
                let place = Place { attributes: self.attributes(), sizes: sizes.as_ref(), depth };
                let of = &mut |id| known[id].clone();
                let inferred = infer_in(place, node.target(), node.args(), node.kwargs(), results, of);
                inferred.map_err(|reason| RefusedNode { line: self.graph().node_line(id), reason })?
            };
            if *node.target() == Target::Output {
                result = known[id].clone();
            }
        }
        Ok(result)
    }
}

/// The sizes that a graph follows, as far as these facts of its inputs say; none if it follows none.
fn sizes_of(graph: &Graph, inputs: &[&Fact]) -> Option<Sizes> {
    let dynamic = graph.dynamic()?;
    let inputs: HashMap<NodeId, &Fact> = graph.placeholders().zip(inputs.iter().copied()).collect();
    let known = |size: &Size| size.places.iter().find_map(|place| number_at(*place, inputs.get(&place.input())?));
    Some(dynamic.sizes.iter().filter_map(|size| Some((size.name.clone(), known(size)?))).collect())
}

/// The number that is read from an input, if that is known.
pub(super) fn number_at(place: SizeOf, input: &Fact) -> Option<i64> {
    match (place, input) {
        (SizeOf::Extent(_, axis), Fact::Tensor(fact)) => i64::try_from(*fact.dims().get(axis)?).ok(),
        (SizeOf::Value(_), Fact::Data(Value::Int(int))) => Some(*int),
        (SizeOf::Value(_), Fact::SymInt(expression)) => Some(expression.hint()),
        _ => None,
    }
}

/// What a child graph is given, and what it then gives.
type Given = (Vec<Fact>, Fact);

/// What child graphs give, by what they are given, so that one that is called at several places is looked through once.
/// Children are told apart by where they are, which does not change while a module is looked through.
#[derive(Default)]
pub(super) struct Results {
    known: HashMap<(*const GraphModule, usize), VecDeque<Given>>,
}

impl Results {
    /// How many of one child are remembered: a child that is called on other facts each time is not searched for long.
    const KEPT: usize = 16;
}

/// Where a call is.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) attributes: &'p Attributes,
    /// The sizes of a run; none are those of the capture.
    pub(super) sizes: Option<&'p Sizes>,
    pub(super) depth: usize,
}

/// What is known of the value of a node that does this, at the sizes of the capture; unknown for a placeholder.
pub(crate) fn infer_call(
    attributes: &Attributes,
    target: &Target,
    args: &[Argument],
    kwargs: &[(Keyword, Argument)],
    fact_of: &mut dyn FnMut(NodeId) -> Fact,
) -> Result<Fact, InferError> {
    let place = Place { attributes, sizes: None, depth: 0 };
    infer_in(place, target, args, kwargs, &mut Results::default(), fact_of)
}

pub(super) fn infer_in(
    place: Place<'_>,
    target: &Target,
    args: &[Argument],
    kwargs: &[(Keyword, Argument)],
    results: &mut Results,
    fact_of: &mut dyn FnMut(NodeId) -> Fact,
) -> Result<Fact, InferError> {
    let Place { attributes, sizes, depth } = place;
    let mut fact = |argument: &Argument| match sizes {
        Some(sizes) => argument.fact_at(sizes, &mut |id| fact_of(id)),
        None => argument.fact(&mut |id| fact_of(id)),
    };
    match target {
        Target::Placeholder(_) => Ok(Fact::Unknown),
        Target::Output => Ok(args.first().map_or(Fact::Unknown, fact)),
        Target::GetAttr(path) => Ok(match attributes.tensor(path) {
            Ok(tensor) => Fact::of(&Value::Tensor(tensor)),
            Err(_) => Fact::Unknown,
        }),
        Target::CallFunction(op) | Target::CallMethod(op) => {
            let facts: SmallVec<[Fact; 4]> =
                by_parameter(op, args, kwargs).map(|(_, argument)| fact(argument)).collect();
            if facts.len() < op.params.len() {
                return Ok(Fact::Unknown);
            }
            (op.infer)(Facts { op, facts: &facts.iter().collect::<SmallVec<[&Fact; 4]>>() })
        }
        Target::CallModule(path) => match attributes.fetch(path) {
            Some(Attribute::Layer(layer)) => {
                let facts: SmallVec<[Fact; 4]> = layer_arguments(&*layer, args, kwargs).into_iter().map(fact).collect();
                // A layer of the user's may panic.
                let inferred = caught(|| Ok(layer.infer(&facts.iter().collect::<SmallVec<[&Fact; 4]>>())));
                inferred.unwrap_or_else(|panic| Err(InferError(format!("{}: {}", layer.type_name(), reason(&panic)))))
            }
            Some(Attribute::Module(child)) if depth < GraphModule::MAX_DEPTH => {
                let inputs = bind_inputs(child.graph(), args, kwargs).map_err(|error| InferError(error.to_string()))?;
                let facts: Vec<Fact> = inputs
                    .into_iter()
                    .map(|input| match input {
                        Input::Given(argument) => fact(argument),
                        Input::Default(value) => Fact::of(value),
                    })
                    .collect();
                let key = (Arc::as_ptr(&child), depth);
                if let Some(known) = results.known.get(&key)
                    && let Some((_, result)) = known.iter().find(|(given, _)| *given == facts)
                {
                    return Ok(result.clone());
                }
                let inferred = child.result(&facts.iter().collect::<SmallVec<[&Fact; 4]>>(), depth + 1, results);
                let result = inferred.map_err(|error| InferError(error.to_string()))?;
                // Children can wrap what others give without end.
                let result = if result.is_deeper_than(Argument::MAX_DEPTH) { Fact::Unknown } else { result };
                let known = results.known.entry(key).or_default();
                if known.len() == Results::KEPT {
                    known.pop_front();
                }
                known.push_back((facts, result.clone()));
                Ok(result)
            }
            _ => Ok(Fact::Unknown),
        },
    }
}
