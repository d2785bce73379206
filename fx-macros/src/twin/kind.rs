//! What an impl is of: what its twin implements follows from it.
//!
//! Invariant: a trait that is neither candle's nor std's nor annotated has methods only, which become inherent ones of the mirror.

use proc_macro2::Ident;
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, Path, ReturnType, Signature, Type};

use super::types::is_tensor;

/// What an impl is of, as far as twins differ by it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImplKind {
    Inherent,
    Module,
    ModuleT,
    /// A trait of the user's: its methods become inherent methods of the mirror.
    Other,
    /// A trait of the user's that is one for both worlds (`traits.rs`): the mirror implements it.
    Mirrored,
    /// A trait of the standard library's, which the mirror implements: `From<Tensor>`, `Deref`, `Add`.
    Standard,
}

impl ImplKind {
    /// Whether the mirror implements the trait as it stands, with all of its methods.
    pub(super) fn is_whole(self) -> bool {
        matches!(self, ImplKind::Mirrored | ImplKind::Standard)
    }
}

/// The traits of the standard library's that say how values are made, reached and put together.
const STANDARD: &[&str] = &[
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "Default",
    "Deref",
    "DerefMut",
    "AsRef",
    "AsMut",
    "Borrow",
    "BorrowMut",
    "Index",
    "IndexMut",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Neg",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "Iterator",
    "IntoIterator",
    "FromIterator",
    "Extend",
];

pub(super) fn impl_kind(item: &ItemImpl) -> ImplKind {
    let Some((path, _)) = &item.trait_ else {
        return ImplKind::Inherent;
    };
    // A trait of that name with other methods is the user's, or a mistake, of which rustc speaks where it is made.
    let is_tensor = |ty: &Type| matches!(ty, Type::Path(ty) if is_tensor(&ty.path));
    let lent_a_tensor = |sig: &Signature| match sig.inputs.iter().nth(1) {
        Some(FnArg::Typed(input)) => !is_tensor(&input.ty),
        _ => false,
    };
    let returns_a_result = |sig: &Signature| match &sig.output {
        ReturnType::Type(_, ty) => !is_tensor(ty),
        ReturnType::Default => false,
    };
    let has_only = |name: &str, arguments: usize| {
        item.items.iter().all(|member| match member {
            ImplItem::Fn(ImplItemFn { sig, .. }) => {
                let is_named = sig.ident == name && sig.inputs.len() == 1 + arguments;
                is_named && lent_a_tensor(sig) && returns_a_result(sig)
            }
            _ => false,
        })
    };
    match path.segments.last() {
        Some(segment) if segment.ident == "Module" && has_only("forward", 1) => ImplKind::Module,
        Some(segment) if segment.ident == "ModuleT" && has_only("forward_t", 2) => ImplKind::ModuleT,
        Some(segment) if is_standard(path, &segment.ident) => ImplKind::Standard,
        _ => ImplKind::Other,
    }
}

/// Whether a trait is the standard library's: by its name alone, or with the path of a crate of it.
fn is_standard(path: &Path, name: &Ident) -> bool {
    let from = path.segments.first().map(|head| &head.ident);
    let of_crate = path.segments.len() == 1 || from.is_some_and(|head| head == "std" || head == "core");
    of_crate && STANDARD.iter().any(|standard| name == standard)
}
