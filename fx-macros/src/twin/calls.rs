//! Calls in a twin that do not mean the same thing there by name alone.

use proc_macro2::{Ident, Span};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, ExprCall, ExprMethodCall, ExprPath, PathArguments, PathSegment, Token, parse_quote_spanned};

use super::body::Body;
use super::shadow::{SHADOWED, SHADOWED_WITH_TYPE};
use crate::paths::Paths;

/// Path heads that are candle's, the standard library's or a primitive type's: nothing they return needs lifting.
const FOREIGN: &[&str] = &[
    "candle",
    "candle_core",
    "candle_nn",
    "nn",
    "ops",
    "rotary_emb",
    "std",
    "core",
    "alloc",
    "tracing",
    "rand",
    "rayon",
    "half",
    "f64",
    "f32",
    "f16",
    "bf16",
    "usize",
    "isize",
    "u128",
    "u64",
    "u32",
    "u16",
    "u8",
    "i128",
    "i64",
    "i32",
    "i16",
    "i8",
    "bool",
    "char",
    "str",
    "drop",
];

/// `moe::moe_gemm(…)` of `use candle_nn::moe` means the shadow world's. The module's name is common enough to be the user's,
/// so it is told by the functions.
pub(super) fn find_moe(func: &mut Expr) {
    let Expr::Path(ExprPath { qself: None, path, .. }) = func else { return };
    let is_moe = path.segments.len() == 2
        && path.segments[0].ident == "moe"
        && ["moe_gemm", "moe_gemm_gguf"].iter().any(|name| path.segments[1].ident == name);
    if is_moe {
        path.segments.insert(
            0,
            PathSegment { ident: Ident::new("candle_nn", Span::call_site()), arguments: PathArguments::None },
        );
    }
}

/// `candle_transformers::utils::repeat_kv(…)` means the shadow world's.
pub(super) fn find_transformers(func: &mut Expr, paths: &Paths) {
    let Expr::Path(ExprPath { qself: None, path, .. }) = func else { return };
    let names = path.segments.iter().map(|segment| segment.ident.to_string());
    if names.eq(["candle_transformers", "utils", "repeat_kv"]) {
        let (found, span) = (paths.symbolic("transformers"), path.segments[0].ident.span());
        *func = parse_quote_spanned!(span=> #found::repeat_kv);
    }
}

/// `StreamTensor::empty()`, which takes nothing of the graph, is the user's own: the name alone is that of the mirror.
pub(super) fn call_original(call: &mut ExprCall) {
    let Expr::Path(ExprPath { qself: None, path, .. }) = &mut *call.func else { return };
    if call.args.is_empty() && path.segments.len() == 2 && path.segments[0].ident == "StreamTensor" {
        let span = path.segments[0].ident.span();
        path.segments.insert(0, PathSegment { ident: Ident::new("self", span), arguments: PathArguments::None });
    }
}

/// `Conv1d::new(…)` makes the layer of the shadow world, if the name is candle's, which is asked when it runs: a type of
/// the user's by that name may come from another module.
pub(super) fn make_layer(call: &ExprCall, body: &mut Body<'_>) -> Option<Expr> {
    let Expr::Path(ExprPath { qself: None, path, .. }) = &*call.func else {
        return None;
    };
    let mut path = path.clone();
    let span = path.segments.last()?.ident.span();
    let (types, imported) = (&body.types, &body.imported);
    let kept = |name: &Ident| {
        types.is_kept(name) || imported.contains(&name.to_string()) || types.own_name().is_some_and(|own| own == name)
    };
    let named = body.fallbacks.redirect_layer(&mut path, kept)?;
    let (check, made, args) = (body.paths.private("made"), &path.segments[0].ident, &call.args);
    Some(parse_quote_spanned!(span=> {
        #check::check::<#named, #made>();
        #path(#args)
    }))
}

/// Types whose functions return nothing to lift, or nothing whose type is known at once; and traits.
const NEVER_LIFTED: &[&str] = &[
    "Self",
    "Tensor",
    "Var",
    "D",
    "DType",
    "Device",
    "Shape",
    "Error",
    "Vec",
    "VecDeque",
    "HashMap",
    "BTreeMap",
    "HashSet",
    "BTreeSet",
    "String",
    "Box",
    "Rc",
    "Arc",
    "Cow",
    "Option",
    "Result",
    "Cell",
    "RefCell",
    "Mutex",
    "RwLock",
    "OnceCell",
    "OnceLock",
    "PhantomData",
    "Range",
    "Ordering",
    "Path",
    "PathBuf",
    "Instant",
    "Duration",
    "Default",
    "Clone",
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "FromStr",
    "FromIterator",
    "Iterator",
    "IntoIterator",
    "AsRef",
    "AsMut",
    "Borrow",
    "Deref",
    "ToString",
    "ToOwned",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Neg",
    "Module",
    "ModuleT",
    "IndexOp",
    "Func",
    "FuncT",
];

/// Whether a call is of a function somebody wrote beside the model: a path in lower case, not a variable, or a function of
/// a type, `Config::tiny()`, that has no twin of its own.
pub(super) fn is_helper(func: &Expr, body: &Body<'_>) -> bool {
    let Expr::Path(ExprPath { qself: None, path, .. }) = func else {
        return false;
    };
    if path.leading_colon.is_some() {
        return false;
    }
    let is_lower_case = |segment: &PathSegment| {
        segment.ident.to_string().starts_with(|first: char| first.is_lowercase() || first == '_')
    };
    let (Some(head), Some(last)) = (path.segments.first(), path.segments.last()) else {
        return false;
    };
    let uppers = path.segments.iter().filter(|segment| !is_lower_case(segment)).count();
    if !is_lower_case(last) || FOREIGN.iter().any(|name| head.ident == name) {
        return false;
    }
    match uppers {
        0 => {
            let single = path.segments.len() == 1;
            !(single && (body.bound.contains(&head.ident.to_string()) || is_shadowed(head)))
        }
        1 => {
            let Some(ty) = path.segments.iter().rev().nth(1).filter(|ty| !is_lower_case(ty)) else { return false };
            !NEVER_LIFTED.iter().any(|name| ty.ident == name)
                && !body.types.is_kept(&ty.ident)
                && !body.is_twinned(&ty.ident, &last.ident)
        }
        _ => false,
    }
}

/// Whether a call is `Activation::Gelu.forward(&x)`: candle's type, by its name.
pub(super) fn is_of_activation(call: &ExprMethodCall) -> bool {
    let Expr::Path(ExprPath { qself: None, path, .. }) = &*call.receiver else { return false };
    let of = path.segments.iter().rev().nth(1);
    call.method == "forward" && call.args.len() == 1 && of.is_some_and(|of| of.ident == "Activation")
}

/// Says which `forward` is meant: the type has that of candle's `Module` as well.
pub(super) fn call_activation(call: &ExprMethodCall, paths: &Paths) -> Expr {
    let (module, receiver, args, span) = (paths.symbolic("Module"), &call.receiver, &call.args, call.method.span());
    parse_quote_spanned!(span=> #module::forward(&#receiver, #args))
}

/// A method of another type that is passed on, `map_or(0, Entry::len)`, is that of its mirror, if the type has one in this
/// module. Whether it is such a path.
pub(super) fn redirect_method(expr: &mut Expr, body: &mut Body<'_>) -> bool {
    let Expr::Path(ExprPath { qself: None, path, .. }) = expr else { return false };
    let [ty, method] = [path.segments.first(), path.segments.get(1)];
    let (Some(ty), Some(method), 2, None) = (ty, method, path.segments.len(), path.leading_colon) else { return false };
    let plain = ty.arguments.is_none() && method.arguments.is_none();
    let is_method = method.ident.to_string().starts_with(|first: char| first.is_lowercase());
    let own = body.types.own_name().is_some_and(|own| *own == ty.ident);
    let never = own || NEVER_LIFTED.iter().any(|name| ty.ident == name) || body.types.is_kept(&ty.ident);
    if !plain || !is_method || never || body.imported.contains(&ty.ident.to_string()) {
        return false;
    }
    super::fallbacks::is_camel_case(&ty.ident) && body.fallbacks.redirect_type(path)
}

/// The type whose function a call names, `Block` of `block::Block::new`, if it is one that may be annotated.
pub(super) fn owner(func: &Expr, body: &Body<'_>) -> Option<syn::Path> {
    let Expr::Path(ExprPath { qself: None, path, .. }) = func else { return None };
    let mut owner = path.clone();
    let function = owner.segments.pop()?;
    owner.segments.pop_punct();
    let ty = &owner.segments.last()?.ident;
    let is_type = ty.to_string().starts_with(|first: char| first.is_uppercase());
    let never = NEVER_LIFTED.iter().any(|name| ty == name) || body.types.is_kept(ty);
    (is_type && !never && function.arguments.is_none()).then_some(owner)
}

/// candle's methods that run a custom operation.
const CUSTOM_OPS: &[&str] =
    &["apply_op1", "apply_op1_no_bwd", "apply_op2", "apply_op2_no_bwd", "apply_op3", "apply_op3_no_bwd"];

/// Whether a method runs a custom operation, its last argument.
pub(super) fn is_custom_op(method: &Ident) -> bool {
    CUSTOM_OPS.iter().any(|name| method == name)
}

/// Whether a call is written `Tensor::apply_op1(x, operation)`.
pub(super) fn is_custom_op_of_tensor(func: &Expr) -> bool {
    matches!(func, Expr::Path(ExprPath { qself: None, path, .. })
        if path.segments.len() == 2 && path.segments[0].ident == "Tensor" && is_custom_op(&path.segments[1].ident))
}

/// The operation is the user's own value, not a mirror: its tokens stay. One that is only lent, `…_no_bwd(&operation)`, is
/// given to the graph instead, as it is where it is made on the spot, else as a copy if there can be one.
pub(super) fn keep_custom_op(method: &mut Ident, args: &mut Punctuated<Expr, Token![,]>, body: &mut Body<'_>) {
    let operation = args.len().saturating_sub(1);
    args.iter_mut().take(operation).for_each(|arg| body.visit_expr_mut(arg));
    let Some(Expr::Reference(lent)) = args.last() else { return };
    let Some(of) = method.to_string().strip_suffix("_no_bwd").map(str::to_owned) else { return };
    let (value, span) = (&lent.expr, method.span());
    let kept = body.paths.private("custom");
    let kept: Expr = match &**value {
        Expr::Struct(_) | Expr::Call(_) => parse_quote_spanned!(span=> #kept::made(#value)),
        _ => parse_quote_spanned!(span=> {
            use #kept::{KeepLent as _, LoseLent as _};
            (&#kept::Lent(&#value)).__fx_keep()
        }),
    };
    *method = Ident::new(&format!("__fx_{of}"), span);
    args.pop();
    args.push(kept);
}

/// Whether a value, or what is called, is a variant of an enum that is the crate's own and another than the impl's,
/// `crate::Activation::Relu`. What is called is no constant.
pub(super) fn is_variant(value: &Expr, is_called: bool, body: &Body<'_>) -> bool {
    let Expr::Path(path) = value else { return false };
    let segments = &path.path.segments;
    let count = segments.len();
    if count < 2 || path.qself.is_some() || path.path.leading_colon.is_some() {
        return false;
    }
    let head = &segments[0].ident;
    let (of, variant) = (&segments[count - 2].ident, &segments[count - 1].ident);
    let is_upper_case = variant.to_string().starts_with(|first: char| first.is_uppercase());
    super::fallbacks::is_camel_case(of)
        && (super::fallbacks::is_camel_case(variant) || (is_called && is_upper_case))
        && !FOREIGN.iter().any(|name| head == name)
        && !NEVER_LIFTED.iter().any(|name| of == name)
        && !body.types.is_kept(of)
        && !body.imported.contains(&head.to_string())
        && body.types.own_name().is_none_or(|own| own != of)
}

/// Wraps a call, or a variant, so that a tensor in its result is lifted into the graph, a value of an annotated
/// type becomes its mirror, and anything else is left alone.
///
/// Which of these it is, only rustc knows: the traits choose by autoref, on the value, so the value is bound first.
pub(super) fn lift(call: &Expr, paths: &Paths) -> Expr {
    // The user's own span: what is lifted is of this line.
    let span = match call {
        Expr::Call(call) => call.func.span(),
        other => other.span(),
    };
    let value = Ident::new("__fx_value", span);
    let lift = paths.private("lift");
    parse_quote_spanned! {span=>
        match #call {
            #value => {
                use #lift::{LiftKind as _, SameKind as _};
                (&#lift::Kind(&#value)).__fx_kind().lift(#value)
            }
        }
    }
}

/// `silu(x)` becomes `silu::__fx_checked(silu, x)`: see [`use_bare`](super::fallbacks::Fallbacks::use_bare). The function goes along so that one
/// of the user's that is not annotated is not taken for candle's.
pub(super) fn redirect_call(call: &mut ExprCall, body: &mut Body<'_>) -> bool {
    let Expr::Path(path) = &mut *call.func else {
        return false;
    };
    if !is_bare(path, body) || !path.path.segments[0].arguments.is_none() {
        return false;
    }
    let function = path.clone();
    let ident = Ident::new("__fx_checked", path.path.segments[0].ident.span());
    path.path.segments.push(PathSegment { ident, arguments: PathArguments::None });
    call.args.insert(0, Expr::Path(function));
    body.fallbacks.use_bare();
    true
}

/// `silu` that is not called here, as in `map(silu)`, becomes `silu::__fx_call`.
pub(super) fn redirect_bare(path: &mut ExprPath, body: &mut Body<'_>) {
    if !is_bare(path, body) {
        return;
    }
    let segment = &mut path.path.segments[0];
    let arguments = std::mem::take(&mut segment.arguments);
    let ident = Ident::new("__fx_call", segment.ident.span());
    path.path.segments.push(PathSegment { ident, arguments });
    body.fallbacks.use_bare();
}

/// Whether a path is the bare name of a function like candle's. What the function itself binds is meant as it is, and what
/// it imports is found in the shadow world.
fn is_bare(path: &ExprPath, body: &Body<'_>) -> bool {
    if path.qself.is_some() || path.path.leading_colon.is_some() || path.path.segments.len() != 1 {
        return false;
    }
    let segment = &path.path.segments[0];
    let name = segment.ident.to_string();
    is_shadowed(segment) && !body.bound.contains(&name) && !body.imported.contains(&name)
}

/// Whether a name is that of a function of candle's which means something else in a twin.
fn is_shadowed(segment: &PathSegment) -> bool {
    let has_type = !segment.arguments.is_none();
    let mut names = SHADOWED.iter().chain(if has_type { SHADOWED_WITH_TYPE } else { &[] });
    names.any(|name| segment.ident == name)
}
