//! The transformers that tests put graphs through.

use fx_core::interp::{Emit, TransformError, Transformer};
use fx_core::ir::{Argument, Keyword, ModulePath};

/// Copies every node.
pub(crate) struct Copy;

impl Transformer for Copy {}

/// Writes out every child graph.
pub(crate) struct WriteOut;

impl Transformer for WriteOut {
    fn call_module(
        &mut self,
        at: &mut Emit<'_>,
        path: &ModulePath,
        args: &[Argument],
        kwargs: &[(Keyword, Argument)],
    ) -> Result<Argument, TransformError> {
        at.inline(path, args, kwargs)
    }
}
