//! candle's custom operations on proxies: a call is one node, which holds the operation and runs it each time.
//!
//! Invariant: the graph runs the very operation that the model made; nothing is assumed of it but what candle asks.

use std::sync::Arc;

use candle_core::{CustomOp1, CustomOp2, CustomOp3, Result, Tensor};

use crate::module::{Called, LayerModule};
use crate::ops::{FromValue, InferError, IntoValue};
use crate::value::{Fact, Value};

use super::call::call_layer;
use super::error::{At, TraceError};
use super::given::Given;
use super::proxy::Proxy;
use super::scope::Scope;

/// An operation, as a graph calls it.
struct Custom {
    name: String,
    called: Called,
    run: Box<Run>,
}

type Run = dyn Fn(&[&Tensor]) -> Result<Tensor> + Send + Sync;

impl LayerModule for Custom {
    fn type_name(&self) -> &str {
        &self.name
    }

    fn called(&self) -> Called {
        self.called
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        let tensor = |&value| match <&Tensor>::from_value(value) {
            Some(tensor) => Ok(tensor),
            None => candle_core::bail!("`{}` is called on tensors, not on {}", self.name, value.kind()),
        };
        (self.run)(&args.iter().map(tensor).collect::<Result<Vec<_>>>()?).into_value()
    }

    /// What it does to shapes is only known where it runs.
    fn infer(&self, _: &[&Fact]) -> std::result::Result<Fact, InferError> {
        Ok(Fact::Unknown)
    }

    fn instead_of_saving(&self) -> &'static str {
        "put the call into a function of its own with `#[fx::wrap]`"
    }
}

/// Records a call of an operation of this name.
#[track_caller]
fn call(name: &str, called: Called, given: &[&Proxy], run: Box<Run>) -> Result<Proxy> {
    let session = given[0].session();
    let path = session.state().made_path(name);
    let layer: Arc<dyn LayerModule> = Arc::new(Custom { name: name.to_owned(), called, run });
    let given: Vec<Given> = given.iter().map(|&proxy| Given::Proxy(proxy.clone())).collect();
    call_layer(&layer, &Scope::root(session).child(path.as_str()), &given)
}

/// An operation that a twin lends to `…_no_bwd`, or that it made for it; none if it cannot be copied.
pub struct Kept<C>(Option<C>);

/// An operation made for the call.
pub fn made<C>(operation: C) -> Kept<C> {
    Kept(Some(operation))
}

/// An operation that is lent.
pub struct Lent<'a, C>(pub &'a C);

/// Operations that can be copied.
pub trait KeepLent<C> {
    /// A copy.
    fn __fx_keep(&self) -> Kept<C>;
}

impl<C: Clone> KeepLent<C> for Lent<'_, C> {
    fn __fx_keep(&self) -> Kept<C> {
        Kept(Some(self.0.clone()))
    }
}

/// All other operations.
pub trait LoseLent<C> {
    /// None.
    fn __fx_keep(&self) -> Kept<C>;
}

impl<C> LoseLent<C> for &Lent<'_, C> {
    fn __fx_keep(&self) -> Kept<C> {
        Kept(None)
    }
}

/// candle's methods for operations of so many tensors, and what a twin calls instead of `…_no_bwd(&operation)`.
macro_rules! custom_ops {
    ($($trait:ident $owned:ident $shared:ident $lent:ident $twin:ident($($arg:ident $index:literal),*) $called:expr;)*) => {
        impl Proxy {$(
            /// Records a call of a custom operation.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn $owned<C: 'static + $trait + Send + Sync>(&self, $($arg: &Self,)* c: C) -> Result<Self> {
                self.$shared($($arg,)* Arc::new(Box::new(c)))
            }

            /// Records a call of a custom operation.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn $shared(&self, $($arg: &Self,)* c: Arc<Box<dyn $trait + Send + Sync>>) -> Result<Self> {
                let name = c.name();
                let run = move |args: &[&Tensor]| args[0].$shared($(args[$index],)* c.clone());
                call(name, $called, &[self, $($arg),*], Box::new(run))
            }

            /// Refused: the graph cannot keep an operation that is only lent.
            ///
            /// # Errors
            /// Always, with what to write instead.
            #[track_caller]
            pub fn $lent<C: $trait>(&self, $($arg: &Self,)* c: &C) -> Result<Self> {
                let _ = ($($arg,)* c);
                self.refused(stringify!($lent))
            }

            /// Records a call of a custom operation that gradients do not flow through.
            ///
            /// # Errors
            /// What candle refuses, and that the operation is lent and cannot be copied.
            #[doc(hidden)]
            #[track_caller]
            pub fn $twin<C: 'static + $trait + Send + Sync>(&self, $($arg: &Self,)* c: Kept<C>) -> Result<Self> {
                let Some(c) = c.0 else { return self.refused(stringify!($lent)) };
                let name = c.name();
                let run = move |args: &[&Tensor]| args[0].$lent($(args[$index],)* &c);
                call(name, $called, &[self, $($arg),*], Box::new(run))
            }
        )*}
    };
}
custom_ops! {
    CustomOp1 apply_op1 apply_op1_arc apply_op1_no_bwd __fx_apply_op1() Called { method: "apply_op1", options: &[] };
    CustomOp2 apply_op2 apply_op2_arc apply_op2_no_bwd __fx_apply_op2(rhs 1)
        Called { method: "apply_op2", options: &["rhs"] };
    CustomOp3 apply_op3 apply_op3_arc apply_op3_no_bwd __fx_apply_op3(t2 1, t3 2)
        Called { method: "apply_op3", options: &["t2", "t3"] };
}

impl Proxy {
    #[track_caller]
    fn refused(&self, method: &'static str) -> Result<Self> {
        let at = At(std::panic::Location::caller());
        Err(self.session().fail(TraceError::CustomOp { method, at }))
    }
}
