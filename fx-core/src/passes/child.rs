//! A child graph as something that a `call_module` node calls.
//!
//! Invariant: calling the child runs its graph on the arguments, one per placeholder.

use std::sync::Arc;

use candle_core::Result;

use crate::module::{Attribute, Called, GraphModule, LayerModule};
use crate::ops::InferError;
use crate::value::{Fact, Value};

/// The child as an attribute.
pub(super) fn child(module: GraphModule) -> Attribute {
    Attribute::Layer(Arc::new(Child(module)))
}

struct Child(GraphModule);

impl LayerModule for Child {
    fn type_name(&self) -> &str {
        "GraphModule"
    }

    fn called(&self) -> Called {
        Called::FORWARD
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        let inputs: Vec<Value> = args.iter().map(|&value| value.clone()).collect();
        Ok(self.0.run(&inputs)?)
    }

    fn infer(&self, _: &[&Fact]) -> std::result::Result<Fact, InferError> {
        Ok(Fact::Unknown)
    }
}
