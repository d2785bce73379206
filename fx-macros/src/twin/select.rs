//! Which methods of an impl get a twin.
//!
//! Roots are `forward*`, functions whose signature mentions `Tensor`, and the type's methods on plain data (`head_dim`,
//! `clear_kv_cache`), because forwards of other types call them. From the roots, whatever is called on `self` or as
//! `Self::name`. Never constructors: they work with real weights.

use std::collections::BTreeSet;

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{
    FnArg, GenericArgument, ImplItem, ItemImpl, Path, PathArguments, PathSegment, ReturnType, Safety, Signature, Type,
};

use super::Method;
use super::names::Names;
use super::types::{is_plain, is_tensor};
use crate::errors::{Errors, Message};
use crate::options::MethodOptions;

/// What is to be done with the methods of an impl, each in the order they are written.
pub(super) struct Selected<'a> {
    /// Those that get a twin.
    pub(super) methods: Vec<Method<'a>>,
    /// Those of them that a capture certainly runs: `forward*` and what these call; without those that may read data.
    pub(super) traced: Vec<Method<'a>>,
}

/// The methods to twin; `all` of them where a trait asks for each. Reports those that should be and cannot.
pub(super) fn methods<'a>(
    item: &'a ItemImpl,
    options: &[MethodOptions],
    own: &Ident,
    all: bool,
    errors: &Errors,
) -> Selected<'a> {
    let candidates: Vec<(Method<'a>, MethodOptions)> = item
        .items
        .iter()
        .zip(options)
        .filter_map(|(item, options)| match item {
            ImplItem::Fn(method) if !options.skip => Some((method, *options)),
            _ => None,
        })
        .filter(|(method, options)| options.include || all || !is_constructor(&method.sig, own))
        .collect();

    let reached = reach(&candidates, own, |method, options| options.include || all || is_root(item, &method.sig));
    let traced = reach(&candidates, own, |method, _| is_forward(&method.sig));
    let of = |names: &BTreeSet<String>| {
        let methods = candidates.iter().filter(|(method, _)| names.contains(&method.sig.ident.to_string()));
        methods.copied().collect::<Vec<_>>()
    };
    let traced = of(&traced).into_iter().filter(|(_, options)| !options.specialize);
    Selected {
        traced: traced.map(|(method, _)| method).collect(),
        methods: of(&reached)
            .into_iter()
            .map(|(method, _)| method)
            .filter(|method| is_ordinary(&method.sig, errors))
            .collect(),
    }
}

/// The names of the roots, and of whatever is called from them on `self` or as `Self::name`.
fn reach(
    candidates: &[(Method<'_>, MethodOptions)],
    own: &Ident,
    is_root: impl Fn(Method<'_>, MethodOptions) -> bool,
) -> BTreeSet<String> {
    let roots = candidates.iter().filter(|(method, options)| is_root(method, *options));
    let mut todo: Vec<String> = roots.map(|(method, _)| method.sig.ident.to_string()).collect();
    let mut reached = BTreeSet::new();
    while let Some(name) = todo.pop() {
        if !reached.insert(name.clone()) {
            continue;
        }
        for (method, _) in candidates.iter().filter(|(method, _)| method.sig.ident == name) {
            let mut names = Names::default();
            names.block(&method.block);
            todo.extend(names.methods);
            todo.extend(names.own);
            todo.extend(names.pairs.into_iter().filter(|(head, _)| own == head).map(|(_, name)| name));
        }
    }
    reached
}

fn is_forward(sig: &Signature) -> bool {
    sig.ident.to_string().starts_with("forward")
}

fn is_root(item: &ItemImpl, sig: &Signature) -> bool {
    // A trait's methods may be about anything (`CustomOp1`, `Debug`), unless it has others about tensors (`StreamingModule`);
    // a type's own are called by its neighbours.
    let about_tensors = |member: &ImplItem| matches!(member, ImplItem::Fn(method) if is_about_tensors(&method.sig));
    let own_method = item.trait_.is_none() || item.items.iter().any(about_tensors);
    is_about_tensors(sig) || (own_method && sig.receiver().is_some() && is_about_plain_data(sig))
}

/// Whether a method computes, by its name or by what it takes and returns.
fn is_about_tensors(sig: &Signature) -> bool {
    let streams = || mentions(|segment| segment.ident == "StreamTensor", |visitor| visitor.visit_signature(sig));
    is_forward(sig) || mentions_tensor(sig) || streams()
}

/// Whether calls of a method are calls of its module, as torch.fx counts them: it computes something.
pub(super) fn is_module_call(sig: &Signature) -> bool {
    let by_reference = matches!(sig.inputs.first(), Some(FnArg::Receiver(receiver))
        if matches!(receiver.kind, syn::ReceiverKind::Reference(..)));
    by_reference && (is_forward(sig) || mentions_tensor(sig))
}

/// `fn clear_kv_cache(&mut self)`, `fn head_dim(&self) -> usize`, `fn embeddings(&self) -> &nn::Embedding`.
fn is_about_plain_data(sig: &Signature) -> bool {
    let takes_plain = sig.inputs.iter().all(|input| match input {
        FnArg::Receiver(_) => true,
        FnArg::Typed(input) => is_plain(&input.ty),
    });
    let returns_plain = match &sig.output {
        ReturnType::Default => true,
        ReturnType::Type(_, ty) => lends(ty) || is_plain(ty),
    };
    takes_plain && returns_plain && sig.generics.params.is_empty()
}

/// Whether a result is lent by the type: `&nn::Embedding`, `&mut [Block]`, `Option<&Block>`.
fn lends(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => matches!(&*reference.elem, Type::Path(_) | Type::Slice(_) | Type::Array(_)),
        Type::Path(path) if path.qself.is_none() => path.path.segments.last().is_some_and(|last| {
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
            let lent = |argument: &GenericArgument| matches!(argument, GenericArgument::Type(ty) if lends(ty));
            last.ident == "Option" && arguments.args.iter().all(lent)
        }),
        _ => false,
    }
}

/// Builds the type rather than using it: returns it, or reads weights. One that is only lent tensors,
/// `fn new(parameters: &Tensor) -> Self`, makes it of values of the graph.
fn is_constructor(sig: &Signature, own: &Ident) -> bool {
    let returns_own = match &sig.output {
        ReturnType::Type(_, ty) => {
            let mut visitor = Returns { own, found: false };
            visitor.visit_type(ty);
            visitor.found
        }
        ReturnType::Default => false,
    };
    let reads_weights =
        mentions(|segment| segment.ident.to_string().contains("VarBuilder"), |visitor| visitor.visit_signature(sig));
    (returns_own && !(sig.receiver().is_none() && is_lent_tensors(sig))) || reads_weights
}

/// Whether tensors occur in the arguments, and each as `&Tensor`.
fn is_lent_tensors(sig: &Signature) -> bool {
    let mut lent = false;
    for input in &sig.inputs {
        let FnArg::Typed(input) = input else { continue };
        match &*input.ty {
            Type::Reference(reference) if matches!(&*reference.elem, Type::Path(ty) if is_tensor(&ty.path)) => {
                lent = true
            }
            ty if type_mentions_tensor(ty) => return false,
            _ => {}
        }
    }
    lent
}

/// Looks for the impl's type as a whole path: `Self::Output` is something else, and so is a type of candle's by that name. What
/// is only lent was there before.
struct Returns<'a> {
    own: &'a Ident,
    found: bool,
}

impl<'ast> Visit<'ast> for Returns<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        const CANDLE: &[&str] = &["candle", "candle_core", "candle_nn", "candle_transformers"];
        let of_candle = path.segments.first().is_some_and(|head| CANDLE.iter().any(|name| head.ident == name));
        let is_own = path.segments.last().is_some_and(|last| last.ident == *self.own) && !of_candle;
        self.found |= path.is_ident("Self") || is_own;
        visit::visit_path(self, path);
    }

    fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {}
}

/// Whether `Tensor` occurs in a signature.
pub(crate) fn mentions_tensor(sig: &Signature) -> bool {
    mentions(|segment| segment.ident == "Tensor", |visitor| visitor.visit_signature(sig))
}

/// Whether the type of an argument or of the result has no name.
pub(crate) fn names_impl(sig: &Signature) -> bool {
    let mut find = FindImpl(false);
    find.visit_signature(sig);
    find.0
}

/// Whether the result's type has no name.
pub(crate) fn returns_impl(sig: &Signature) -> bool {
    let mut find = FindImpl(false);
    find.visit_return_type(&sig.output);
    find.0
}

/// Looks for `impl Trait`.
struct FindImpl(bool);

impl<'ast> Visit<'ast> for FindImpl {
    fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
        self.0 = true;
    }
}

/// Whether a tensor is among the arguments. A pointer to a function that takes one, `fn(&Tensor) -> Tensor`, is none.
pub(crate) fn inputs_mention_tensor(sig: &Signature) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
            self.0 |= segment.ident == "Tensor";
            visit::visit_path_segment(self, segment);
        }

        fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}
    }
    let mut find = Find(false);
    sig.inputs.iter().for_each(|input| find.visit_fn_arg(input));
    find.0
}

/// Whether a function takes weights, owned or lent.
pub(crate) fn takes_weights(sig: &Signature) -> bool {
    mentions(
        |segment| segment.ident == "VarBuilder",
        |visitor| {
            sig.inputs.iter().for_each(|input| visitor.visit_fn_arg(input));
        },
    )
}

/// Whether `Tensor` occurs in a type.
pub(crate) fn type_mentions_tensor(ty: &Type) -> bool {
    mentions(|segment| segment.ident == "Tensor", |visitor| visitor.visit_type(ty))
}

/// Whether candle's `Tensor` occurs in a type.
pub(crate) fn names_tensor(ty: &Type) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_path(&mut self, path: &'ast Path) {
            self.0 |= is_tensor(path);
            visit::visit_path(self, path);
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}

fn mentions<F: Fn(&PathSegment) -> bool>(wanted: F, walk: impl FnOnce(&mut Mentions<F>)) -> bool {
    let mut visitor = Mentions { wanted, found: false };
    walk(&mut visitor);
    visitor.found
}

struct Mentions<F> {
    wanted: F,
    found: bool,
}

impl<'ast, F: Fn(&PathSegment) -> bool> Visit<'ast> for Mentions<F> {
    fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
        self.found |= (self.wanted)(segment);
        visit::visit_path_segment(self, segment);
    }
}

/// Reports `async`, `unsafe` and `extern` functions. Those not named `forward*` are left out in silence: they may
/// well be something else than the computation.
fn is_ordinary(sig: &Signature, errors: &Errors) -> bool {
    match special_keyword(sig) {
        None => true,
        Some(keyword) => {
            let name = sig.ident.to_string();
            if is_forward(sig) {
                errors.report(&sig.ident, Message::SpecialFunction { name, keyword });
            }
            false
        }
    }
}

/// The keyword that makes a function one that cannot be traced.
pub(crate) fn special_keyword(sig: &Signature) -> Option<&'static str> {
    if sig.asyncness.is_some() {
        Some("async")
    } else if !matches!(sig.safety, Safety::Default) {
        Some("unsafe")
    } else if sig.abi.is_some() || sig.variadic.is_some() {
        Some("extern")
    } else {
        None
    }
}
