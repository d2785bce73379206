//! [`Folder`]: a graph module as a crate of its own, that depends on candle alone: torch.fx's `to_folder`.
//!
//! | file | holds |
//! |---|---|
//! | `hoist` | what the elements of a list share, before the list |
//! | `lowered` | what layers compute that candle does not have |
//! | `renamed` | modules and tensors at the paths of a checkpoint |
//! | `region` | the steps of the graph as functions: where modules of the original ran |
//! | `holder` | the structs, and what each holds |
//! | `slots` | the state, what equal layers keep as one list |
//! | `cells` | which function reads and writes which piece of the state |
//! | `flow` | what each function takes and gives |
//! | `unit` | one graph, taken apart |
//! | `program` | all graphs; equal functions and types once |
//! | `sizes` | the numbers by which structs of one type differ |
//! | `words`, `naming` | names of types, fields, functions, parameters, values |
//! | `structure` | types of parameters, results and state |
//! | `bind` | parameters and state taken apart |
//! | `checks` | the sizes of a run, and what is refused |
//! | `kept` | what the model keeps from one call to the next |
//! | `pieces` | pieces of the state in the functions that change them |
//! | `interface` | the parameters and the result of the original |
//! | `view` | which operations only look at their input in another way |
//! | `forms` | names of what is another form of something |
//! | `inline` | what is written into the next statement |
//! | `body` | statements |
//! | `loops` | rounds of the same statements |
//! | `load` | structs made of weights |
//! | `lines` | lines of text with their nodes |
//! | `file` | the text |
//! | `method` | the function of a graph alone |
//! | `package` | the files |
//! | `error` | why there is none |
//!
//! Invariant: the program computes the bits that the interpreter computes, and the same module gives the same program.

mod bind;
mod body;
mod cells;
mod checks;
mod error;
mod file;
mod flow;
mod forms;
mod hoist;
mod holder;
mod inline;
mod interface;
mod kept;
mod lines;
mod load;
mod loops;
mod lowered;
mod method;
mod naming;
mod package;
mod pieces;
mod program;
mod region;
mod renamed;
mod sizes;
mod slots;
mod structure;
mod unit;
mod view;
mod words;

use std::path::Path;

use candle_core::Tensor;

use crate::module::GraphModule;

use super::source::{Code, Statement};

pub use error::{FolderError, Unwritable};
pub(super) use method::Method;

/// How a module is written as a crate.
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use fx_core::codegen::Folder;
/// use fx_core::trace::{Module, Tracer};
///
/// let linear = candle_nn::Linear::new(Tensor::ones((2, 3), DType::F32, &Device::Cpu)?, None);
/// let model = Tracer::new().input("x", DType::F32, (4, 3)).trace_with(&linear, |linear, inputs| {
///     linear.forward(&inputs.tensor("x")?)?.relu()
/// })?;
/// let written = Folder::new().write(&model)?;
/// assert!(written.code().as_str().contains("linear: candle_nn::linear_no_bias(3, 2, vb.clone())?"));
/// assert_eq!(written.weights()[0].0, "weight");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Weights are named by the fields that hold them; by [`Folder::rename`] they get the names that the model's checkpoint has.
#[derive(Default)]
#[must_use]
pub struct Folder<'a> {
    name: Option<String>,
    comments: bool,
    explain: bool,
    dependencies: Vec<(String, String)>,
    transform: Option<Box<Transform<'a>>>,
    rename: Option<Box<Rename<'a>>>,
}

/// Changes the statements of a function, which is given by the names of its type and its own: `BertLayer::forward`.
type Transform<'a> = dyn Fn(&str, &mut Vec<Statement>) + 'a;

/// Gives the path of a module or tensor another name.
type Rename<'a> = dyn Fn(&str) -> String + 'a;

impl<'a> Folder<'a> {
    /// A crate named after the module's type, without comments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the package; else it is named after the module's type, `bert_model`.
    ///
    /// It has to be a name that cargo takes: letters, digits, `-` and `_`, not beginning with a digit
    /// ([`FolderError::Name`]).
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Whether a comment before each step gives the line of the original source, where that changes.
    ///
    /// Off unless said otherwise.
    pub fn comments(mut self, comments: bool) -> Self {
        self.comments = comments;
        self
    }

    /// Whether errors of candle name the node and the line of the original source: `%matmul (src/model.rs:10)`.
    ///
    /// Off unless said otherwise, because each step is longer for it.
    pub fn explain_errors(mut self, explain: bool) -> Self {
        self.explain = explain;
        self
    }

    /// Lets the crate depend on another one, given as in a `Cargo.toml`: `("ours", "{ path = \"../ours\" }")`. Functions
    /// with `#[fx::wrap]` that are in it, and are public, are called by their paths.
    pub fn dependency(mut self, krate: impl Into<String>, requirement: impl Into<String>) -> Self {
        self.dependencies.push((krate.into(), requirement.into()));
        self
    }

    /// Changes the statements of each function: torch.fx's body transformer. The value of the function is not among
    /// them.
    ///
    /// The function is told by type and name, `BertLayer::forward`; equal modules are one function.
    pub fn transform(mut self, transform: impl Fn(&str, &mut Vec<Statement>) + 'a) -> Self {
        self.transform = Some(Box::new(transform));
        self
    }

    /// Gives modules and tensors other paths, by those that they have in the captured model: the names of its checkpoint,
    /// where the fields are called otherwise. The program takes its weights by these names, and its file has them. What is
    /// inside of a layer or a child graph keeps its name there. A model that is one tensor or layer has the path `""`.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use fx_core::codegen::Folder;
    /// use fx_core::trace::Tracer;
    ///
    /// let model = (Tensor::ones(3, DType::F32, &Device::Cpu)?,);
    /// let module = Tracer::new().trace_with(&model, |(scale,), inputs| inputs.tensor("x")?.mul(scale))?;
    /// let written = Folder::new().rename(|path| path.replace('0', "encoder.scale")).write(&module)?;
    /// assert_eq!(written.weights()[0].0, "encoder.scale");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// For candle-transformers' BERT, whose layers wrap candle's: `.rename(|path| path.replace(".inner", ""))`.
    pub fn rename(mut self, rename: impl Fn(&str) -> String + 'a) -> Self {
        self.rename = Some(Box::new(rename));
        self
    }

    /// Writes the program, without files.
    ///
    /// # Errors
    /// When nodes call what such a crate cannot hold, all of them at once; when no Rust type holds a part of the state; when
    /// two things are given one name; when a transformer made something that is not Rust.
    pub fn write(&self, module: &GraphModule) -> Result<Crate, FolderError> {
        file::write(self, module)
    }

    /// Writes the crate into a directory, which is made if it is not there: `Cargo.toml`, `src/lib.rs` and
    /// `model.safetensors`. Files of these names are replaced, others stay.
    ///
    /// # Errors
    /// As [`Folder::write`]; when the files cannot be written.
    pub fn write_to(&self, module: &GraphModule, directory: impl AsRef<Path>) -> Result<(), FolderError> {
        let written = self.write(module)?;
        package::write(self, module, &written, directory.as_ref())
    }
}

/// A program that computes a graph.
///
/// Made by [`Folder::write`].
///
/// Its files are those of [`Folder::write_to`]; without a directory, its parts are here.
#[derive(Debug, Clone)]
pub struct Crate {
    code: Code,
    weights: Vec<(String, Tensor)>,
    model: String,
}

impl Crate {
    /// The source of its library, with the node of each line.
    #[must_use]
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// The tensors that it reads, by the names of the captured model.
    #[must_use]
    pub fn weights(&self) -> &[(String, Tensor)] {
        &self.weights
    }

    /// The name of the model's type.
    ///
    /// In the case of types, `BertModel`: the struct that has `load`, `new` and `forward`.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Writes the weights as a safetensors file. What was at the path stays there until the new file is complete.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_weights(&self, path: impl AsRef<Path>) -> Result<(), FolderError> {
        package::save_weights(self, path.as_ref())
    }

    /// Writes the source as a file that can be included in a module of another crate, `mod model { include!("…"); }`. What
    /// was at the path stays there until the new file is complete.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_included(&self, path: impl AsRef<Path>) -> Result<(), FolderError> {
        package::save_included(self, path.as_ref())
    }
}

impl GraphModule {
    /// Writes the module as a crate of its own into a directory: `Cargo.toml`, `src/lib.rs` and `model.safetensors`. It
    /// depends on candle alone, has a struct for each module of the original, and computes the same bits. [`Folder`] writes
    /// it with comments, explained errors and changes.
    ///
    /// A graph with state ([`Graph::state`](crate::ir::Graph::state)) becomes a model with a public field `state`, a struct
    /// `State` with a field for each part. It begins as at the capture; `forward(&mut self, …)` leaves the new one there if
    /// it succeeds, and `reset` puts it back.
    ///
    /// # Errors
    /// When nodes call what such a crate cannot hold, a function or a layer of the user's own: all of them at once; when no
    /// Rust type holds a part of the state; or when the files cannot be written.
    pub fn to_folder(&self, directory: impl AsRef<Path>) -> Result<(), FolderError> {
        Folder::new().write_to(self, directory)
    }
}
