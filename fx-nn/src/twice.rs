//! [`twice`], for what layers compute: written once, compiled on tensors and on the proxies of a capture that enters them.
//!
//! Invariant: both come from the same text, so both compute the same.

use candle_core::Tensor;
use fx_core::trace::{Proxy, Scope, Traceable};

/// Compiles functions on tensors and, in a module `entered`, on proxies. In braces stands what that module imports instead
/// of its parent's.
macro_rules! twice {
    ({ $($import:item)* } $($item:item)*) => {
        $($item)*

        /// The same on proxies, for captures that enter a layer.
        #[allow(unused_imports, dead_code, reason = "some need more than others")]
        pub(crate) mod entered {
            use super::*;
            use fx_core::symbolic::{Tensor, candle_nn};
            $($import)*

            $($item)*
        }
    };
}
pub(crate) use twice;

/// A tensor of a layer that is entered, by the name it has there.
pub(crate) fn inside(tensor: &Tensor, scope: &Scope, name: &str) -> Proxy {
    tensor.symbolic(&name.split('.').fold(scope.clone(), |scope, step| scope.child(step)))
}

/// The same of one that may be missing.
pub(crate) fn maybe(tensor: Option<&Tensor>, scope: &Scope, name: &str) -> Option<Proxy> {
    tensor.map(|tensor| inside(tensor, scope, name))
}
