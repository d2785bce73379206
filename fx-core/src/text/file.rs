//! The text of a saved module: its graphs in full, and what their paths lead to.
//!
//! ```text
//! fx 1
//!
//! module 0 MyModule
//! graph my_module(%x) {
//!     …
//! }
//! attributes {
//!     param: variable f32[3, 4] "param",
//!     linear: layer Linear {} with { weight: tensor f32[5, 4] "linear.weight", bias: tensor f32[5] "linear.bias" },
//!     block: module 1,
//! }
//! state { … }
//! initial { … }
//! ```
//!
//! Invariant: a module names only modules after it, so that no module is inside of itself; text holds no tensor, only
//! the name of each in the file beside.

use std::borrow::Cow;
use std::sync::Arc;

use super::WriteError;
use super::error::{ParseError, ParseErrorKind, nearest};
use super::lex::{Lexer, Result, shortened};
use super::read::Reader;
use super::state::{StateTexts, write_states};
use super::write_meta::put;
use crate::ir::line::{is_dotted, write_argument, write_word};
use crate::ir::{Argument, Fields, Graph, ModulePath};
use crate::ops::OpTable;
use crate::value::{Device, Fact, TensorFact};
use std::fmt::Write;

/// The version that is written. Another one is refused.
pub(super) const VERSION: &str = "1";

/// A module as a file has it.
#[derive(Debug)]
pub(crate) struct ModuleText<'g> {
    /// Name of the type that it was captured from.
    pub(crate) class_name: Arc<str>,
    pub(crate) graph: Cow<'g, Graph>,
    /// In order.
    pub(crate) attributes: Vec<(ModulePath, AttributeText)>,
    /// The state of the graph, if it has one: as it is, and as it was at the capture.
    pub(crate) state: Option<(StateTexts, StateTexts)>,
}

/// What a path leads to.
#[derive(Debug)]
pub(crate) enum AttributeText {
    Tensor(StoredTensor),
    Layer {
        /// The type, and the settings as fields.
        layer: (Arc<str>, Fields),
        tensors: Vec<(String, StoredTensor)>,
    },
    /// The module of this number.
    Module(usize),
}

/// A tensor in the file beside.
#[derive(Debug, Clone)]
pub(crate) struct StoredTensor {
    /// Whether it is a candle variable: what an optimizer changes.
    pub(crate) is_variable: bool,
    pub(crate) fact: TensorFact,
    /// Its name there.
    pub(crate) key: String,
}

/// Writes modules; the first one is what was saved.
pub(crate) fn write_modules(modules: &[ModuleText<'_>]) -> std::result::Result<String, WriteError> {
    let mut out = format!("fx {VERSION}\n");
    for (number, module) in modules.iter().enumerate() {
        put(write!(out, "\nmodule {number} "));
        put(write_word(&module.class_name, crate::ir::is_identifier(&module.class_name), &mut out));
        out.push('\n');
        out.push_str(&module.graph.to_text()?);
        out.push_str("\nattributes {\n");
        for (path, attribute) in &module.attributes {
            out.push_str("    ");
            put(write_word(path.as_str(), is_dotted(path.as_str()), &mut out));
            out.push_str(": ");
            match attribute {
                AttributeText::Tensor(stored) => write_stored(stored, &mut out),
                AttributeText::Layer { layer, tensors } => {
                    out.push_str("layer ");
                    let layer = Argument::Struct(Box::new(layer.clone()));
                    put(write_argument(&module.graph, &layer, &mut out));
                    for (i, (name, stored)) in tensors.iter().enumerate() {
                        out.push_str(if i == 0 { " with { " } else { ", " });
                        put(write_word(name, crate::ir::is_identifier(name), &mut out));
                        out.push_str(": ");
                        write_stored(stored, &mut out);
                    }
                    out.push_str(if tensors.is_empty() { "" } else { " }" });
                }
                AttributeText::Module(number) => put(write!(out, "module {number}")),
            }
            out.push_str(",\n");
        }
        out.push_str("}\n");
        if let Some((now, initial)) = &module.state {
            write_states("state", now, &mut out);
            write_states("initial", initial, &mut out);
        }
    }
    Ok(out)
}

pub(super) fn write_stored(stored: &StoredTensor, out: &mut String) {
    let kind = if stored.is_variable { "variable" } else { "tensor" };
    put(write!(out, "{kind} {} {:?}", stored.fact, stored.key));
}

/// Reads modules. An accelerator that cannot be used is replaced by `substitute`.
pub(crate) fn read_modules(
    text: &str,
    ops: &OpTable,
    substitute: &Device,
) -> std::result::Result<Vec<ModuleText<'static>>, ParseError> {
    let mut file = File { lexer: Lexer::new(text), ops, substitute };
    file.modules().map_err(|fault| fault.place(text))
}

pub(super) struct File<'t, 'o> {
    pub(super) lexer: Lexer<'t>,
    pub(super) ops: &'o OpTable,
    pub(super) substitute: &'o Device,
}

impl File<'_, '_> {
    /// The first line.
    pub(super) fn version(&mut self) -> Result<()> {
        if !self.lexer.eat_word("fx") {
            return Err(self.lexer.expected("`fx 1`, the first line of a saved module"));
        }
        self.lexer.peek();
        let start = self.lexer.at;
        match self.lexer.digits() {
            Some(VERSION) => Ok(()),
            Some(other) => {
                let kind = ParseErrorKind::Invalid(format!("version {} cannot be read", shortened(other)));
                let hint = "it was saved by another version of this crate: load it there, and save it again".to_owned();
                Err(self.lexer.fault(start, kind).hint(hint))
            }
            None => Err(self.lexer.expected("the version, `1`")),
        }
    }

    fn modules(&mut self) -> Result<Vec<ModuleText<'static>>> {
        self.version()?;
        let (mut modules, mut last_named) = (Vec::new(), (0, self.lexer.at));
        while self.lexer.peek().is_some() || modules.is_empty() {
            modules.push(self.module(modules.len(), &mut last_named)?);
        }
        if last_named.0 >= modules.len() {
            self.lexer.at = last_named.1;
            return Err(self.lexer.expected("the number of a module in this file"));
        }
        Ok(modules)
    }

    fn module(&mut self, number: usize, last_named: &mut (usize, usize)) -> Result<ModuleText<'static>> {
        self.lexer.peek();
        let start = self.lexer.at;
        if !self.lexer.eat_word("module") {
            return Err(self.lexer.expected("`module` or the end"));
        }
        if self.lexer.digits().and_then(|digits| digits.parse().ok()) != Some(number) {
            let kind = ParseErrorKind::Invalid(format!("modules are numbered in order, and this should be {number}"));
            return Err(self.lexer.fault(start, kind));
        }
        let class_name = self.lexer.name("the name of a type")?.into();
        let graph = Reader::new(&mut self.lexer, self.ops, Some(self.substitute)).graph()?;
        if !self.lexer.eat_word("attributes") {
            return Err(self.lexer.expected("`attributes`"));
        }
        self.lexer.expect("{", "`{`")?;
        let mut attributes = Vec::new();
        while !self.lexer.eat("}") {
            let path = ModulePath::new(&*self.lexer.dotted("a path or `}`")?);
            self.lexer.expect(":", "`:`")?;
            attributes.push((path, self.attribute(number, last_named)?));
            if !self.lexer.eat(",") {
                self.lexer.expect("}", "`,` or `}`")?;
                break;
            }
        }
        let now = self.states("state")?;
        let initial = self.states("initial")?;
        let state = now.map(|now| (now, initial.unwrap_or_default()));
        Ok(ModuleText { class_name, graph: Cow::Owned(graph), attributes, state })
    }

    fn attribute(&mut self, number: usize, last_named: &mut (usize, usize)) -> Result<AttributeText> {
        if self.lexer.eat_word("module") {
            self.lexer.peek();
            let at = self.lexer.at;
            return match self.lexer.digits().and_then(|digits| digits.parse().ok()) {
                Some(child) if child > number => {
                    *last_named = (*last_named).max((child, at));
                    Ok(AttributeText::Module(child))
                }
                _ => {
                    self.lexer.at = at;
                    Err(self.lexer.expected("the number of a module after this one"))
                }
            };
        }
        if !self.lexer.eat_word("layer") {
            return Ok(AttributeText::Tensor(self.stored()?));
        }
        self.lexer.peek();
        let start = self.lexer.at;
        let layer = Reader::new(&mut self.lexer, self.ops, Some(self.substitute)).plain_argument()?;
        let Argument::Struct(layer) = layer else {
            self.lexer.at = start;
            return Err(self.lexer.expected("a layer with its settings, like `LayerNorm { eps: 1e-5 }`"));
        };
        let mut tensors = Vec::new();
        if self.lexer.eat_word("with") {
            self.lexer.expect("{", "`{`")?;
            while !self.lexer.eat("}") {
                let name = self.lexer.name("the name of a tensor or `}`")?.into_owned();
                self.lexer.expect(":", "`:`")?;
                tensors.push((name, self.stored()?));
                if !self.lexer.eat(",") {
                    self.lexer.expect("}", "`,` or `}`")?;
                    break;
                }
            }
        }
        Ok(AttributeText::Layer { layer: *layer, tensors })
    }

    /// `variable f32[3, 4] "param"`.
    pub(super) fn stored(&mut self) -> Result<StoredTensor> {
        let is_variable = self.lexer.eat_word("variable");
        if !is_variable && !self.lexer.eat_word("tensor") {
            let mut ahead = self.lexer;
            let word = ahead.word().unwrap_or_default();
            let near = nearest(word, ["tensor", "variable", "layer", "module"].into_iter(), 1);
            let hint = near.first().map(|near| format!("did you mean `{near}`?"));
            return Err(self.lexer.expected("`tensor`, `variable`, `layer` or `module`").hint(hint));
        }
        self.lexer.peek();
        let start = self.lexer.at;
        let fact = Reader::new(&mut self.lexer, self.ops, Some(self.substitute)).fact()?;
        let Fact::Tensor(fact) = fact else {
            self.lexer.at = start;
            return Err(self.lexer.expected("dtype and shape, like `f32[3, 4]`"));
        };
        Ok(StoredTensor { is_variable, fact, key: self.lexer.string()? })
    }
}
