//! [`CodeGen`]: how a graph is written as Rust, and [`Code`], what was written, line by line.
//!
//! Each statement is preceded by a mark, a macro call that the formatter leaves on a line of its own. The marks are then
//! taken out, so that every line is known to be of a node, however the formatter broke the statement.
//!
//! Invariant: without a transformer, code generation does not fail, and the text depends on the module alone.

use std::fmt;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::ir::NodeId;
use crate::module::GraphModule;

use super::method::Method;

/// What a mark starts with; nothing else in generated code does.
const MARK: &str = "__fx_statement!(";

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
///         let relu = x.relu()?;
///         Ok(relu)
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The node that it computes, or after whose call it drops a value.
    pub node: Option<NodeId>,
    /// Rust source.
    pub code: String,
}

impl Statement {
    /// A statement of no node.
    pub fn new(code: impl Into<String>) -> Self {
        Self { node: None, code: code.into() }
    }

    /// The same, closed and formatted.
    pub(super) fn checked(self) -> Result<Self, CodeError> {
        match statements(&self.code) {
            Ok(parsed) => Ok(Self { node: self.node, code: formatted(&quote!(#(#parsed)*)) }),
            Err(reason) => Err(CodeError { statement: self.code, reason }),
        }
    }
}

/// Why no code was generated.
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
    /// # Errors
    /// When the transformer made something that is not a statement in Rust.
    pub fn write(&self, module: &GraphModule) -> Result<Code, CodeError> {
        let method = Method::new(module);
        let statements = match &self.transform {
            Some(transform) => transformed(&method, &**transform)?,
            None => method.statements.iter().map(|(id, code)| (Some(*id), code.clone())).collect(),
        };
        Ok(self.formatted(module, &method, &statements))
    }

    fn formatted(&self, module: &GraphModule, method: &Method, statements: &[(Option<NodeId>, TokenStream)]) -> Code {
        let marked = statements.iter().enumerate().map(|(i, (_, code))| {
            let i = Literal::usize_unsuffixed(i);
            quote!(__fx_statement!(#i); #code)
        });
        let marked: Vec<TokenStream> = marked.collect();
        let (output, result) = &method.result;
        let end = Literal::usize_unsuffixed(statements.len());
        let text = prettyplease::unparse(&method.file(&marked, &quote!(__fx_statement!(#end); Ok(#result))));

        let mut code = Code { text: String::with_capacity(text.len()), nodes: Vec::new() };
        let (mut node, mut inside, mut commented) = (None, false, None);
        for line in text.lines() {
            let indented = line.trim_start();
            if let Some(mark) = indented.strip_prefix(MARK) {
                let index = mark.split(')').next().and_then(|index| index.parse::<usize>().ok());
                node = index.and_then(|index| statements.get(index).map_or(*output, |(node, _)| *node));
                inside = true;
                let source = node.and_then(|id| module.graph().node(id).meta().source.as_ref());
                // Several steps can be of one line.
                let at = source.map(|source| source.to_string());
                if self.comments && at.is_some() && at != commented {
                    let indent = &line[..line.len() - indented.len()];
                    code.push(&format!("{indent}// {}", at.as_deref().unwrap_or_default().escape_debug()), node);
                    commented = at;
                }
                continue;
            }
            // The braces after the value of the method are of no node.
            let closes = inside && indented == "}" && !line.starts_with("        ");
            inside &= !closes;
            code.push(line, node.filter(|_| inside));
        }
        code
    }
}

/// The statements after a transformer changed them.
fn transformed(method: &Method, transform: &Transform<'_>) -> Result<Vec<(Option<NodeId>, TokenStream)>, CodeError> {
    let mut body: Vec<Statement> =
        method.statements.iter().map(|(id, code)| Statement { node: Some(*id), code: formatted(code) }).collect();
    transform(&mut body);
    body.into_iter()
        .map(|Statement { node, code }| match statements(&code) {
            Ok(statements) => Ok((node, quote!(#(#statements)*))),
            Err(reason) => Err(CodeError { statement: code, reason }),
        })
        .collect()
}

/// The statements in a text, each closed.
fn statements(code: &str) -> Result<Vec<syn::Stmt>, String> {
    if code.contains(MARK.trim_end_matches('(')) {
        return Err(format!("{MARK}…) is what code generation marks statements with"));
    }
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
    #[must_use]
    pub fn node_at(&self, line: usize) -> Option<NodeId> {
        self.nodes.get(line.checked_sub(1)?).copied().flatten()
    }

    /// The lines with their nodes, in order.
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
    /// their paths in the original model. [`CodeGen`] writes it with comments, changes and a map of lines.
    #[must_use]
    pub fn code(&self) -> String {
        let method = Method::new(self);
        let statements: Vec<_> = method.statements.iter().map(|(id, code)| (Some(*id), code.clone())).collect();
        CodeGen::new().formatted(self, &method, &statements).text
    }
}
