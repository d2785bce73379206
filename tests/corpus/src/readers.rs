//! Captures a model some of whose modules read data, by calling those modules whole.
//!
//! Which ones is found by trying: a capture that ends because data was read says in which module it was, and the next one
//! makes that module one node. Invariant: a module that reads no data is entered.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use fx::{GraphModule, NewNode, TraceError, Tracer, TracerRules};

use crate::case::Failure;

/// How a model was captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reads {
    /// It reads no data.
    None,
    /// The modules at these paths read data, and are one node each.
    Whole(BTreeSet<String>),
    /// The values that it read are baked into the graph.
    Specialized,
}

impl fmt::Display for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Whole(paths) => {
                write!(f, "{} whole", paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", "))
            }
            Self::Specialized => f.write_str("specialised"),
        }
    }
}

/// Captures by a function that is given the tracer to do it with.
///
/// # Errors
///
/// That of the last capture, which found no module to blame.
pub fn capture(
    mut attempt: impl FnMut(bool, Rules) -> Result<GraphModule, Failure>,
) -> Result<(GraphModule, Reads), Failure> {
    let mut rules = Rules::default();
    loop {
        match attempt(false, rules.clone()) {
            Ok(graph) if rules.whole.is_empty() => return Ok((graph, Reads::None)),
            Ok(graph) => return Ok((graph, Reads::Whole(rules.whole))),
            Err(failure) if reads_data(&failure) => {
                // Where nothing was recorded, or the model itself reads, or that module cannot be one node, the data that
                // was read stays what it was.
                let last = rules.last.lock().unwrap_or_else(PoisonError::into_inner).take();
                if !last.is_some_and(|path| !path.is_empty() && rules.whole.insert(path)) {
                    return Ok((attempt(true, Rules::default())?, Reads::Specialized));
                }
            }
            Err(failure) if rules.whole.is_empty() => return Err(failure),
            Err(_) => return Ok((attempt(true, Rules::default())?, Reads::Specialized)),
        }
    }
}

fn reads_data(failure: &Failure) -> bool {
    matches!(failure.downcast_ref(), Some(TraceError::DataRead { .. }))
}

/// The rules of one attempt: which modules are one node; and what was recorded last.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    whole: BTreeSet<String>,
    last: Arc<Mutex<Option<String>>>,
}

impl Rules {
    /// A tracer that follows them.
    pub fn tracer<'a>(self, specialize: bool) -> Tracer<'a> {
        Tracer::new().specialize(specialize).with(self)
    }
}

impl TracerRules for Rules {
    fn is_leaf_module(&self, _: &str, qualname: &str) -> bool {
        self.whole.contains(qualname)
    }

    fn create_node(&mut self, node: &mut NewNode<'_>) -> Result<(), String> {
        let path = node.module().path().to_string();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(path);
        Ok(())
    }
}
