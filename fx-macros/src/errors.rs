//! Every message the attributes can give, and the collector that gives them all in one run.
//!
//! Invariant: a message says what was found and what to write instead: lower case, no full stop.

use std::cell::{Cell, RefCell};
use std::fmt;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The wording of the errors, in one place for review.
pub(crate) enum Message {
    WrongItem { attribute: &'static str, goes_on: &'static str, found: &'static str },
    UnknownOption { place: &'static str, found: String, known: Vec<&'static str> },
    DuplicateOption(String),
    EmptyRename,
    InsideCfgAttr,
    StrayOption,
    Twice(&'static str),
    Together(&'static str, &'static str),
    OnMethod(String),
    MisplacedSpecialize(&'static str),
    MisplacedBounds,
    MisplacedBy,
    NotChosenBy(String),
    ConflictingOptions(&'static str, &'static str),
    SelfType,
    UnsafeImpl,
    SpecialFunction { name: String, keyword: &'static str },
    DataRead(String),
    NoClone(String),
    ConstantTensor,
    TensorInConstant(String),
    ReferenceField,
    FlagWithValue(String),
    OptionForm { place: &'static str, known: Vec<&'static str> },
    CratePath,
    OnPart { attribute: &'static str, place: &'static str },
    WrapMutable(String),
    GenericOverModule(String),
    ReturnsImpl(String),
    WrapMethod(String),
    WrapWithoutTensor,
    WrapGeneric,
    Mirrored,
    SupertraitOfTensors(String),
}

impl Message {
    /// Whether the item can be expanded all the same, without what is refused, so that rustc does not go on about what then lacks.
    fn leaves_the_item(&self) -> bool {
        matches!(
            self,
            Message::UnknownOption { .. }
                | Message::DuplicateOption(_)
                | Message::EmptyRename
                | Message::InsideCfgAttr
                | Message::MisplacedSpecialize(_)
                | Message::ConflictingOptions(..)
                | Message::ConstantTensor
                | Message::FlagWithValue(_)
                | Message::OptionForm { .. }
                | Message::CratePath
                | Message::OnPart { .. }
                | Message::Mirrored
        )
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::WrongItem { attribute, goes_on, found } => {
                write!(f, "`#[fx::{attribute}]` goes on {goes_on}, not on {found}")
            }
            Message::UnknownOption { place, found, known } => {
                write!(f, "unknown option `{found}`: {place} knows {}", list(known))
            }
            Message::DuplicateOption(name) => write!(f, "option `{name}` is given twice"),
            Message::EmptyRename => {
                write!(f, "`rename` needs the field's name in the graph, as in `rename = \"attn.c_attn\"`")
            }
            Message::InsideCfgAttr => write!(
                f,
                "`#[fx(…)]` is not seen inside of `cfg_attr`: write it by itself, on two fields or methods with `#[cfg(…)]` if need be"
            ),
            Message::StrayOption => write!(
                f,
                "`#[fx(…)]` goes on the fields of a type and on the methods of an impl: options of a whole item stand in \
                 its attribute, as in `#[fx::module(specialize)]`"
            ),
            Message::Twice(name) => write!(f, "`#[fx::{name}]` is given twice: keep one"),
            Message::Together(one, other) => {
                write!(f, "`#[fx::{one}]` and `#[fx::{other}]` exclude each other: keep one")
            }
            Message::OnMethod(name) => write!(
                f,
                "`{name}` takes `self`: put `#[fx::module]` on the impl that it is in, which is looked at as a whole"
            ),
            Message::MisplacedSpecialize(found) => {
                write!(
                    f,
                    "`specialize` is about code that reads data: it goes on an impl or a function, not on {found}"
                )
            }
            Message::MisplacedBounds => {
                write!(
                    f,
                    "`bounds` names traits of your own that have the attribute: it goes on an impl or a function that is \
                     generic over them or takes their objects"
                )
            }
            Message::MisplacedBy => {
                write!(f, "`by` names the parameter that a function is chosen by: it goes on a free function")
            }
            Message::NotChosenBy(name) => write!(
                f,
                "a function cannot be chosen by `{name}`: `by` names a parameter of a type with `#[fx::module]`"
            ),
            Message::ConflictingOptions(one, other) => {
                write!(f, "`{one}` and `{other}` exclude each other: keep one")
            }
            Message::SelfType => write!(
                f,
                "`#[fx::module]` needs the name of an annotated struct or enum here, as in `impl Block` or `impl Module for Block`"
            ),
            Message::UnsafeImpl => write!(f, "an unsafe impl cannot be traced: remove `#[fx::module]` from it"),
            Message::SpecialFunction { name, keyword } => write!(
                f,
                "`{name}` is `{keyword}` and cannot be traced: move the tensor computation to an ordinary fn and annotate that"
            ),
            Message::DataRead(method) => write!(
                f,
                "`{method}` reads a tensor's data, which is not there while a graph is recorded: move what depends on it into a \
                 function with `#[fx::wrap]`, which is recorded as one node and runs each time, or allow it with \
                 `#[fx::module(specialize)]` and capture with `Tracer::new().specialize(true)`, which bakes the data in"
            ),
            Message::NoClone(name) => write!(
                f,
                "`#[fx::constant]` needs `Clone`, because tracing clones the value: derive Clone, as in `#[derive(Clone)]`, on `{name}`"
            ),
            Message::ConstantTensor => {
                write!(
                    f,
                    "`constant` is for plain data, and this is a tensor, which has a mirror: leave the option out"
                )
            }
            Message::TensorInConstant(name) => write!(
                f,
                "`#[fx::constant]` is for plain data, and `{name}` holds a tensor: put `#[fx::module]` on it instead"
            ),
            Message::ReferenceField => write!(
                f,
                "a mirror cannot borrow what it mirrors: hold the value itself (to clone a `Tensor` or a layer copies no data), \
                 or write `#[fx(constant)]` if it is plain data"
            ),
            Message::FlagWithValue(name) => write!(f, "option `{name}` takes no value: write `{name}` alone"),
            Message::OptionForm { place, known } => {
                write!(f, "options stand in parentheses, by name: {place} knows {}", list(known))
            }
            Message::CratePath => {
                write!(f, "`crate` needs the path under which you have the crate, as in `crate = my_fx`")
            }
            Message::OnPart { attribute, place } => {
                write!(f, "`#[fx::{attribute}]` goes on an item, not on {place}: ")?;
                match *attribute {
                    "constant" => {
                        write!(f, "write `#[fx(constant)]` on a field, or put it on the definition of the type")
                    }
                    _ => write!(f, "put it on the definition of the type, or leave it out if the type is not yours"),
                }
            }
            Message::WrapMutable(name) => write!(
                f,
                "`{name}` changes an argument, which a node of a graph cannot: take it by value or `&`, and return what it becomes"
            ),
            Message::GenericOverModule(name) => write!(
                f,
                "`{name}` cannot be generic over `Module`, because the function is chosen by its tensors or weights only: \
                 make it a method of an annotated type, or take `impl Fn(&Tensor) -> Result<Tensor>`"
            ),
            Message::ReturnsImpl(name) => write!(
                f,
                "`{name}` builds a part of a model and returns an `impl` type that no `Func` can stand for: return `Func`, \
                 `FuncT`, `impl Module`, or one of them in a `Result`"
            ),
            Message::WrapMethod(name) => write!(
                f,
                "`#[fx::wrap]` goes on a free function, and `{name}` takes `self`: write a function that takes what it needs \
                 of `self` as arguments, or have the type's `forward` called whole, by `TracerRules::is_leaf_module`"
            ),
            Message::WrapWithoutTensor => write!(
                f,
                "`#[fx::wrap]` needs an argument with a `Tensor`, by which the call is recognised while tracing"
            ),
            Message::Mirrored => write!(f, "`mirrored` goes on the impl of a trait that has `#[fx::module]` itself"),
            Message::SupertraitOfTensors(name) => write!(
                f,
                "a trait with `#[fx::module]` cannot have the supertrait `{name}`, which is about tensors: \
                 give the trait the methods itself"
            ),
            Message::WrapGeneric => write!(
                f,
                "`#[fx::wrap]` needs concrete argument types, because the graph calls the function again later: \
                 replace the generic by the type you use"
            ),
        }
    }
}

fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Gathers the errors of one item, so that its author sees all of them at once.
///
/// An option that is refused is left out, and all else is done.
///
/// Invariant: [`Errors::finish`] is called, or dropping panics. An error that nobody looks at cannot pass a test.
pub(crate) struct Errors {
    gathered: RefCell<Option<Vec<syn::Error>>>,
    /// Whether one of them is about more than an option.
    refused: Cell<bool>,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Errors { gathered: RefCell::new(Some(Vec::new())), refused: Cell::new(false) }
    }

    pub(crate) fn report(&self, at: impl ToTokens, message: Message) {
        self.refused.set(self.refused.get() || !message.leaves_the_item());
        self.push(syn::Error::new_spanned(at, message));
    }

    pub(crate) fn report_at(&self, at: Span, message: Message) {
        self.refused.set(self.refused.get() || !message.leaves_the_item());
        self.push(syn::Error::new(at, message));
    }

    /// That the item cannot be read.
    pub(crate) fn syn(&self, error: syn::Error) {
        self.refused.set(true);
        self.push(error);
    }

    fn push(&self, error: syn::Error) {
        self.gathered.borrow_mut().as_mut().expect("errors are reported before they are finished").push(error);
    }

    /// The expansion if all went well, or all but options; the author's item beside the errors if not.
    pub(crate) fn finish(self, expansion: TokenStream, original: TokenStream) -> TokenStream {
        let errors = self.gathered.borrow_mut().take().unwrap_or_default();
        let mut output = if self.refused.get() { original } else { expansion };
        output.extend(errors.iter().map(syn::Error::to_compile_error));
        output
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        if self.gathered.borrow().is_some() && !std::thread::panicking() {
            panic!("the errors of an item were not looked at");
        }
    }
}
