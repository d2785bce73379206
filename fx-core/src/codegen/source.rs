//! [`CodeGen`]: how a graph is written as Rust, and [`Code`], what was written, line by line.
//!
//! Invariant: without a transformer, code generation does not fail, and the text depends on the module alone.

use std::collections::HashSet;
use std::fmt;

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::NodeId;
use crate::module::GraphModule;

use super::folder::Method;

/// How a graph is written as Rust.
///
/// ```
/// # use candle_core::DType;
/// # use fx_core::codegen::{CodeGen, Statement};
/// # let module = fx_core::trace::Tracer::new().input("x", DType::F32, 3).trace_fn(|inputs| inputs.tensor("x")?.relu())?;
/// let code = CodeGen::new()
///     .transform(|body| body.insert(0, Statement::new("eprintln!(\"running\");")))
///     .write(&module)?;
/// assert_eq!(
///     code.as_str(),
///     "\
/// impl Function {
///     pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
///         eprintln!(\"running\");
///         x.relu()
///     }
/// }
/// "
/// );
/// assert_eq!(code.node_at(4), module.graph().node_named("relu"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[must_use]
pub struct CodeGen<'a> {
    comments: bool,
    transform: Option<Box<Transform<'a>>>,
}

/// Changes the statements of a method before they are formatted.
type Transform<'a> = dyn Fn(&mut Vec<Statement>) + 'a;

/// One statement of the method.
///
/// What a transformer of the body is given a list of ([`CodeGen::transform`],
/// [`Folder::transform`](super::Folder::transform)). One that is changed or added may hold several statements of Rust,
/// without a semicolon at the end or with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The node that it computes, or after whose call it drops a value.
    pub node: Option<NodeId>,
    /// Rust source.
    pub code: String,
}

impl Statement {
    /// A statement of no node.
    ///
    /// What it says is read as Rust when the method is written.
    pub fn new(code: impl Into<String>) -> Self {
        Self { node: None, code: code.into() }
    }

    /// The same, closed and formatted.
    fn checked(self) -> Result<Self, CodeError> {
        match statements(&self.code) {
            Ok(parsed) => Ok(Self { node: self.node, code: formatted(&quote!(#(#parsed)*)) }),
            Err(reason) => Err(CodeError { statement: self.code, reason }),
        }
    }
}

/// Why no code was generated.
///
/// Only a transformer can cause it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a transformer of the body made `{statement}`, which is not a statement in Rust: {reason}")]
pub struct CodeError {
    /// The statement.
    pub statement: String,
    /// What Rust's grammar says about it.
    pub reason: String,
}

impl<'a> CodeGen<'a> {
    /// The plain method: what [`GraphModule::code`] writes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a comment before each step gives the line of the original source, where that changes.
    ///
    /// Off unless said otherwise.
    pub fn comments(mut self, comments: bool) -> Self {
        self.comments = comments;
        self
    }

    /// Changes the statements before they are formatted: torch.fx's body transformer. The value of the method is not
    /// among them.
    pub fn transform(mut self, transform: impl Fn(&mut Vec<Statement>) + 'a) -> Self {
        self.transform = Some(Box::new(transform));
        self
    }

    /// Writes the method that computes the module's graph.
    ///
    /// The text needs no rustfmt.
    ///
    /// # Errors
    /// When the transformer made something that is not a statement in Rust.
    pub fn write(&self, module: &GraphModule) -> Result<Code, CodeError> {
        let mut method = Method::new(module);
        let mut statements = std::mem::take(&mut method.statements);
        if let Some(transform) = &self.transform {
            statements = transformed(statements, transform)?;
        }
        Ok(method.code(module.graph(), statements, self.comments))
    }
}

/// The statements after a transformer changed them.
pub(super) fn transformed(
    mut statements: Vec<Statement>,
    transform: &dyn Fn(&mut Vec<Statement>),
) -> Result<Vec<Statement>, CodeError> {
    let before = statements.clone();
    transform(&mut statements);
    // What is as it was needs not be read.
    let known: HashSet<&str> = before.iter().map(|statement| statement.code.as_str()).collect();
    let each = statements
        .into_iter()
        .map(|statement| if known.contains(statement.code.as_str()) { Ok(statement) } else { statement.checked() });
    each.collect()
}

/// The statements in a text, each closed.
fn statements(code: &str) -> Result<Vec<syn::Stmt>, String> {
    let block: syn::Block = syn::parse_str(&format!("{{{code}\n}}")).map_err(|error| error.to_string())?;
    if block.stmts.is_empty() {
        return Err("there is no statement; comments are written by `CodeGen::comments`".to_owned());
    }
    let close = |statement| match statement {
        syn::Stmt::Expr(expression, None) => syn::Stmt::Expr(expression, Some(syn::token::Semi::default())),
        other => other,
    };
    Ok(block.stmts.into_iter().map(close).collect())
}

/// One statement, formatted.
fn formatted(statement: &TokenStream) -> String {
    let file: syn::File = syn::parse_quote!(fn f() { #statement });
    let text = prettyplease::unparse(&file);
    let lines = text.lines().skip(1).filter(|line| *line != "}").map(|line| line.strip_prefix("    ").unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// Rust source of a graph, and which line is of which node.
///
/// It is shown, and made a `String`, as its text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Code {
    text: String,
    nodes: Vec<Option<NodeId>>,
}

impl Code {
    pub(super) fn push(&mut self, line: &str, node: Option<NodeId>) {
        self.text.push_str(line);
        self.text.push('\n');
        self.nodes.push(node);
    }

    /// The source.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The node that a line, counted from 1, is of: what a compiler's message about generated code leads back to.
    ///
    /// None for lines of no node, such as braces, and for a line that there is not.
    #[must_use]
    pub fn node_at(&self, line: usize) -> Option<NodeId> {
        self.nodes.get(line.checked_sub(1)?).copied().flatten()
    }

    /// The lines with their nodes, in order.
    ///
    /// Without the line ends.
    pub fn lines(&self) -> impl Iterator<Item = (&str, Option<NodeId>)> {
        self.text.lines().zip(self.nodes.iter().copied())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Code> for String {
    fn from(code: Code) -> Self {
        code.text
    }
}

impl GraphModule {
    /// Rust source of the same computation: the `forward` of a type named after the graph.
    ///
    /// Values have the names of their nodes and are dropped after their last use; attributes are fields of `self`, by
    /// their paths in the original model. Parameters, the result and the state have the structure that they have there.
    /// What it calls besides candle, such as `to_size`, is in the crate that [`GraphModule::to_folder`] writes. [`CodeGen`] writes it with comments, changes and a map of lines.
    ///
    /// ```
    /// use candle_core::DType;
    /// use fx_core::trace::Tracer;
    ///
    /// let module = Tracer::new()
    ///     .name("halves")
    ///     .input("x", DType::F32, (2, 4))
    ///     .trace_fn(|inputs| inputs.tensor("x")?.chunk(2, 1))?;
    /// assert!(module.code().contains("let chunk = x.chunk(2, 1)?;"), "{}", module.code());
    /// # Ok::<(), fx_core::trace::TraceError>(())
    /// ```
    #[must_use]
    pub fn code(&self) -> String {
        let mut method = Method::new(self);
        let statements = std::mem::take(&mut method.statements);
        method.code(self.graph(), statements, false).text
    }
}
