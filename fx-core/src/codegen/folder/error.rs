//! What keeps a graph from being written as a crate.
//!
//! Invariant: each error says which node it is about and what to do instead.

use std::path::PathBuf;

use crate::ir::ModulePath;

use super::super::source::CodeError;

/// Why no crate was written. Nothing was written then, except by a failure of the file system half-way.
///
/// Everything that stands against it is in one message, each with its node.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// Nodes that call what a crate of its own cannot hold; all at once.
    #[error("{}", .0.iter().map(|(line, reason)| format!("{reason}\n  in {line}")).collect::<Vec<_>>().join("\n"))]
    Unwritable(Vec<(String, Unwritable)>),
    /// Graphs are nested deeper than [`GraphModule::MAX_DEPTH`](crate::module::GraphModule::MAX_DEPTH).
    #[error("graphs are nested more than {} deep", crate::module::GraphModule::MAX_DEPTH)]
    TooDeep,
    /// The graph has no output.
    #[error("the graph `{graph}` has no output; give it one, `graph.at_end().output(…)`")]
    NoOutput {
        /// Name of the graph.
        graph: String,
    },
    /// A result or a parameter that is no type of Rust.
    #[error("{what} has parts of different kinds ({found}), which no Rust type has; return a tuple instead of a list")]
    Mixed {
        /// The parameter or the result.
        what: String,
        /// The kinds.
        found: String,
    },
    /// A part of the state that the crate cannot keep.
    #[error("the state `{slot}` of the graph `{graph}` cannot be written: {reason}")]
    State {
        /// The part of the state.
        slot: String,
        /// Name of the graph.
        graph: String,
        /// Why, and what to do.
        reason: String,
    },
    /// Two things would have one name in the weights.
    #[error("`{path}` and `{other}` are both renamed to `{name}`; give each a name of its own in `Folder::rename`")]
    Renamed {
        /// One path in the captured model.
        path: ModulePath,
        /// Another.
        other: ModulePath,
        /// The name that both were given.
        name: ModulePath,
    },
    /// A transformer of the body made something that is not Rust.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The name is not one that a package can have.
    #[error("`{name}` is no name of a package: letters, digits, `-` and `_`, not starting with a digit")]
    Name {
        /// The name.
        name: String,
    },
    /// A file cannot be written.
    #[error("`{}` cannot be written: {error}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The weights cannot be written.
    #[error("the weights cannot be written to `{}`: {error}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// What candle says.
        error: candle_core::Error,
    },
}

/// What a crate of its own cannot hold.
///
/// It is inside of [`FolderError::Unwritable`], and says what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unwritable {
    /// A function with `#[fx::wrap]`.
    #[error(
        "`{function}` is a function of your own, which the crate cannot call without the crate that it is in\n  \
         add that: `Folder::new().dependency(\"{krate}\", \"{{ path = \\\"…\\\" }}\")`, or let the capture go through the \
         function: `#[fx::module]` instead of `#[fx::wrap]`"
    )]
    Function {
        /// Its path.
        function: String,
        /// The crate in that path.
        krate: String,
    },
    /// A layer that does not say how it is written.
    #[error(
        "a layer of type {layer} cannot be written as source, because it does not tell what it is made of or computes\n  {remedy}"
    )]
    Layer {
        /// Its type.
        layer: String,
        /// What to do.
        remedy: String,
    },
    /// A layer that candle does not have, and that cannot be entered on its inputs.
    #[error(
        "a layer of type {layer} cannot be written as what it computes: {reason}\n  \
         let the capture go through it: `TracerRules::is_leaf_layer`"
    )]
    Entered {
        /// Its type.
        layer: String,
        /// Why.
        reason: String,
    },
    /// A layer with tensors of several dtypes.
    #[error("a layer of type {layer} has tensors of several dtypes; bring them to one, `module.to_dtype(…)`")]
    Dtypes {
        /// Its type.
        layer: String,
    },
    /// A path that leads to nothing.
    #[error("`{path}` leads to nothing; `module.check()` says more")]
    Missing {
        /// The path.
        path: ModulePath,
    },
}

impl Unwritable {
    pub(super) fn function(name: &str) -> Self {
        let krate = name.split("::").next().unwrap_or_default().to_owned();
        Self::Function { function: name.to_owned(), krate }
    }

    pub(super) fn layer(name: &str, remedy: &str) -> Self {
        Self::Layer { layer: name.to_owned(), remedy: remedy.to_owned() }
    }

    pub(super) fn entered(name: &str, reason: &candle_core::Error) -> Self {
        Self::Entered { layer: name.to_owned(), reason: reason.to_string() }
    }

    pub(super) fn dtypes(name: &str) -> Self {
        Self::Dtypes { layer: name.to_owned() }
    }

    pub(super) fn missing(path: &ModulePath) -> Self {
        Self::Missing { path: path.clone() }
    }
}
