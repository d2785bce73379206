//! Captures a model some of whose modules read data, by calling those modules whole, or as it is for the data at hand.
//!
//! Which ones is found by trying: a capture that ends because data was read, or whose graph has a call that gives something of
//! another shape on other data, says in which module that was, and the next one makes that module one node. Invariant: a
//! module that reads no data is entered.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use fx::interp::{Activations, Execution};
use fx::ir::{ModuleStack, Target};
use fx::{Attribute, GraphModule, NewNode, RunError, TraceError, Tracer, TracerRules, Value};

use crate::case::Failure;

/// A module: its path and the name of its type.
pub type Place = (String, String);

/// How a model was captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reads {
    /// It reads no data.
    None,
    /// These modules read data, and are one node each.
    Whole(BTreeSet<Place>),
    /// The values that it read are baked into the graph.
    Specialized,
}

impl fmt::Display for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Whole(places) => {
                let paths: BTreeSet<_> = places.iter().map(|(path, _)| format!("`{path}`")).collect();
                let paths: Vec<_> = paths.into_iter().collect();
                write!(f, "{} whole", paths.join(", "))
            }
            Self::Specialized => f.write_str("specialised"),
        }
    }
}

impl Reads {
    /// A tracer that captures so again.
    pub fn tracer<'a>(&self, tracer: Tracer<'a>) -> Tracer<'a> {
        match self {
            Self::None => tracer,
            Self::Whole(places) => tracer.with(Rules { whole: places.clone(), ..Rules::default() }),
            Self::Specialized => tracer.specialize(true),
        }
    }
}

/// What becomes of modules that read data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Each is one node, where it can be.
    Whole,
    /// What they read is baked in: a program of candle alone cannot call a module of the model's crate.
    BakedIn,
}

/// Captures by a function that is given the tracer to do it with. `trial` are inputs other than those of the capture.
///
/// # Errors
///
/// That of the capture in which modules that read data are one node each, if something is asked of them that is not known; else
/// that of the last one, which found no module to blame.
pub fn capture(
    readers: Readers,
    trial: &[Value],
    mut attempt: impl FnMut(bool, Rules) -> Result<GraphModule, Failure>,
) -> Result<(GraphModule, Reads), Failure> {
    let mut rules = Rules::default();
    // What is asked of modules that read data and are one node each, where that is not known.
    let mut why_not_whole = None;
    loop {
        let reader = match attempt(false, rules.clone()) {
            Ok(graph) => match varies(&graph, trial) {
                Some(reader) if !rules.whole.contains(&reader) => Some(reader),
                _ if rules.whole.is_empty() => return Ok((graph, Reads::None)),
                _ => return Ok((graph, Reads::Whole(rules.whole))),
            },
            Err(failure) if reads_data(&failure) => rules.last.lock().unwrap_or_else(PoisonError::into_inner).take(),
            Err(failure) if rules.whole.is_empty() => return Err(failure),
            Err(failure) => {
                let asks = matches!(failure.downcast_ref(), Some(TraceError::Unknown { .. }));
                why_not_whole = asks.then_some(failure);
                None
            }
        };
        // Where nothing was recorded, or the model itself reads, or that module cannot be one node, the data that was read
        // stays what it was.
        if readers == Readers::BakedIn || !reader.is_some_and(|place| rules.whole.insert(place)) {
            let specialized = attempt(true, Rules::default());
            return Ok((specialized.map_err(|failure| why_not_whole.unwrap_or(failure))?, Reads::Specialized));
        }
    }
}

/// Puts constants in place of what no program can call, such as custom operations of the model's crate, in a graph that is
/// for the data at hand alone: what they give of these inputs.
///
/// # Errors
///
/// If the graph does not run on them.
pub fn bake_in(graph: &mut GraphModule, inputs: &[Value]) -> Result<(), Failure> {
    let unwritable = |target: &Target| match target.path().and_then(|path| graph.attributes().get(path)) {
        Some(Attribute::Layer(layer)) => layer.source().is_none() && layer.state().is_none(),
        _ => false,
    };
    let names: BTreeSet<String> = graph
        .graph()
        .nodes()
        .filter(|(_, node)| unwritable(node.target()))
        .map(|(_, node)| node.name().to_owned())
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let mut found = Activations::only(move |at| names.contains(at.node().name()));
    Execution::new(graph).observe(&mut found).run(&mut (), inputs)?;
    for (name, value) in found.into_values() {
        let (Some(node), Value::Tensor(tensor)) = (graph.graph().node_named(&name), value) else { continue };
        let path = format!("_baked_in.{name}");
        graph.attributes_mut().insert(path.as_str(), tensor);
        let edited = graph.graph_mut();
        let constant = edited.inserting_before(node).get_attr(path.as_str());
        edited.replace_all_uses_with(node, constant);
        edited.erase_node(node)?;
    }
    Ok(())
}

fn reads_data(failure: &Failure) -> bool {
    matches!(failure.downcast_ref(), Some(TraceError::DataRead { .. }))
}

/// The module with a call that gives something else than at the capture.
fn varies(graph: &GraphModule, trial: &[Value]) -> Option<Place> {
    let Err(RunError::OtherResult { line, .. }) = graph.run(trial) else { return None };
    let name = line.split(" = ").next()?.trim().strip_prefix('%')?;
    let node = graph.graph().node_named(name)?;
    innermost(&graph.graph().node(node).meta().module)
}

fn innermost(stack: &ModuleStack) -> Option<Place> {
    let frame = stack.innermost()?;
    Some((frame.path.to_string(), frame.type_name.to_string()))
}

/// The rules of one attempt: which modules are one node; and where something was recorded last.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    whole: BTreeSet<Place>,
    last: Arc<Mutex<Option<Place>>>,
}

impl Rules {
    /// A tracer that follows them.
    pub fn tracer<'a>(self, specialize: bool) -> Tracer<'a> {
        Tracer::new().specialize(specialize).with(self)
    }
}

impl TracerRules for Rules {
    fn is_leaf_module(&self, type_name: &str, qualname: &str) -> bool {
        // An enum and what is in it have one path.
        self.whole.contains(&(qualname.to_owned(), type_name.to_owned()))
    }

    fn create_node(&mut self, node: &mut NewNode<'_>) -> Result<(), String> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = innermost(node.module());
        Ok(())
    }
}
