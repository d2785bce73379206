//! What a type that the user wrote means in the other world.
//!
//! `Tensor` needs no change in a twin: it is another type there. Containers of the standard library keep their name
//! and map what they hold; plain data stays; every other type goes through `<T as Traceable>::Symbolic`, so that the
//! type itself says what it becomes.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    GenericArgument, Generics, Path, PathArguments, PathSegment, ReturnType, Type, TypeParamBound, TypePath,
    parse_quote,
};

use super::in_world;
use crate::known::{self, Known};
use crate::paths::Paths;

/// Which world a type is mapped to.
#[derive(Clone)]
pub(crate) enum Target {
    /// A twin's: `Tensor` is the proxy by shadowing.
    Twin,
    /// Either, chosen by a tensor type with this name: `Self` in a dispatch trait, its type parameter in the function.
    Either(Ident),
}

/// Maps types, knowing which names in scope are type parameters, local types and the impl's own type.
pub(crate) struct Types<'a> {
    target: Target,
    pub(crate) paths: &'a Paths,
    kept: BTreeSet<String>,
    mirrored: BTreeSet<String>,
    own: Option<PathSegment>,
    associated: BTreeMap<String, Type>,
    /// Whether this is about a function that builds a model: weights are those of the world.
    builder: bool,
    /// Where the types of a signature are asked for; those of a body, which may name what only it knows, are not.
    known: Option<&'a Known>,
    /// The traits that are one for both worlds, as they are written: `dyn Block` is another object in each.
    both_worlds: Vec<Path>,
}

/// Standard types that hold values: what they hold is mapped.
const CONTAINERS: &[&str] = &[
    "Option",
    "Vec",
    "VecDeque",
    "Box",
    "Rc",
    "Arc",
    "RefCell",
    "Cell",
    "Mutex",
    "RwLock",
    "OnceCell",
    "OnceLock",
    "HashSet",
    "BTreeSet",
    "Cow",
    "PhantomData",
    "Range",
    "RangeInclusive",
    "Ref",
    "RefMut",
    "MutexGuard",
];

/// Those among them that are copied as they are.
const NO_MIRRORS: &[&str] = &["PhantomData", "HashSet", "BTreeSet", "Range", "RangeInclusive", "Cell"];

/// Maps: the key is plain data.
const MAPS: &[&str] = &["HashMap", "BTreeMap"];

/// Types that are the same in both worlds.
const PLAIN: &[&str] = &["String", "DType", "Device", "Shape", "D", "Error", "Path", "PathBuf", "Ordering"];

impl<'a> Types<'a> {
    pub(crate) fn new(target: Target, paths: &'a Paths) -> Self {
        Types {
            target,
            paths,
            kept: BTreeSet::new(),
            mirrored: BTreeSet::new(),
            own: None,
            associated: BTreeMap::new(),
            builder: false,
            known: None,
            both_worlds: Vec::new(),
        }
    }

    /// The same, for signatures whose types are asked for in one place.
    pub(crate) fn asking(mut self, known: &'a Known) -> Self {
        self.known = Some(known);
        self
    }

    /// Where they are asked for.
    pub(crate) fn known(&self) -> Option<&'a Known> {
        self.known
    }

    /// The same, for a function that builds a part of a model.
    pub(crate) fn of_builder(mut self) -> Self {
        self.builder = true;
        self
    }

    /// A type parameter of a function, or a const parameter: the caller decides what it is.
    pub(crate) fn keep_param(&mut self, name: &Ident) {
        self.kept.insert(name.to_string());
    }

    pub(crate) fn keep_generics(&mut self, generics: &Generics) {
        for param in generics.type_params() {
            self.keep_param(&param.ident);
        }
        for param in generics.const_params() {
            self.keep_param(&param.ident);
        }
    }

    /// A type parameter of the impl that stands for a layer: values of it are mirrored.
    pub(crate) fn mirror_param(&mut self, name: &Ident) {
        self.mirrored.insert(name.to_string());
    }

    /// The impl's own type, which is `Self` in the twin.
    pub(crate) fn own(&mut self, segment: &PathSegment) {
        self.own = Some(segment.clone());
    }

    /// `type Output = Tensor;` of a trait impl, whose methods become inherent.
    pub(crate) fn associated(&mut self, name: &Ident, ty: &Type) {
        self.associated.insert(name.to_string(), ty.clone());
    }

    /// A trait that is one for both worlds.
    pub(crate) fn both_worlds(&mut self, of: &Path) {
        self.both_worlds.push(of.clone());
    }

    pub(crate) fn own_name(&self) -> Option<&Ident> {
        self.own.as_ref().map(|segment| &segment.ident)
    }

    /// `Block`, or `Block<M>` with the impl's own `M`.
    fn is_own(&self, path: &Path) -> bool {
        let (Some(own), Some(segment)) = (&self.own, path.segments.first()) else {
            return false;
        };
        path.segments.len() == 1
            && segment.ident == own.ident
            && (segment.arguments.is_none()
                || segment.arguments.to_token_stream().to_string() == own.arguments.to_token_stream().to_string())
    }

    /// A copy for a function body, which may declare types of its own.
    pub(crate) fn with_locals(&self, locals: impl IntoIterator<Item = String>) -> Types<'a> {
        let mut kept = self.kept.clone();
        kept.extend(locals);
        Types {
            target: self.target.clone(),
            paths: self.paths,
            kept,
            mirrored: self.mirrored.clone(),
            own: self.own.clone(),
            associated: self.associated.clone(),
            builder: self.builder,
            known: None,
            both_worlds: self.both_worlds.clone(),
        }
    }

    /// Whether a single name means the same in both worlds, because it is a parameter or a local type.
    pub(crate) fn is_kept(&self, name: &Ident) -> bool {
        self.kept.contains(&name.to_string())
    }

    /// Maps a type in place.
    pub(crate) fn map(&self, ty: &mut Type) {
        match ty {
            Type::Reference(ty) => self.map(&mut ty.elem),
            Type::Slice(ty) => self.map(&mut ty.elem),
            Type::Array(ty) => self.map(&mut ty.elem),
            Type::Group(ty) => self.map(&mut ty.elem),
            Type::Paren(ty) => self.map(&mut ty.elem),
            Type::Tuple(ty) => ty.elems.iter_mut().for_each(|ty| self.map(ty)),
            Type::ImplTrait(ty) => ty.bounds.iter_mut().for_each(|bound| self.map_bound(bound)),
            Type::TraitObject(ty) => ty.bounds.iter_mut().for_each(|bound| self.map_bound(bound)),
            Type::FnPtr(ty) => {
                ty.inputs.iter_mut().for_each(|input| self.map(&mut input.ty));
                self.map_return(&mut ty.output);
            }
            Type::Path(path) if path.qself.is_none() => {
                if let Some(mapped) = self.map_path(path) {
                    *ty = mapped;
                }
            }
            _ => {}
        }
    }

    /// Maps the types in a bound's arguments, as in `Fn(&Tensor) -> Result<Tensor>`.
    pub(crate) fn map_bound(&self, bound: &mut TypeParamBound) {
        let TypeParamBound::Trait(bound) = bound else {
            return;
        };
        let text = |path: &Path| path.to_token_stream().to_string();
        if self.both_worlds.iter().any(|of| text(of) == text(&bound.path)) {
            let tensor = match &self.target {
                Target::Twin => self.paths.symbolic("Tensor"),
                Target::Either(name) => name.to_token_stream(),
            };
            let path = in_world(&bound.path, tensor);
            bound.path = parse_quote!(#path);
            return;
        }
        for segment in &mut bound.path.segments {
            match &mut segment.arguments {
                PathArguments::Parenthesized(args) => {
                    args.inputs.iter_mut().for_each(|input| self.map(&mut input.ty));
                    self.map_return(&mut args.output);
                }
                PathArguments::AngleBracketed(args) => {
                    for arg in &mut args.args {
                        match arg {
                            GenericArgument::Type(ty) => self.map(ty),
                            GenericArgument::AssocType(assoc) => self.map(&mut assoc.ty),
                            _ => {}
                        }
                    }
                }
                PathArguments::None => {}
            }
        }
    }

    fn map_return(&self, output: &mut ReturnType) {
        if let ReturnType::Type(_, ty) = output {
            self.map(ty);
        }
    }

    /// Maps a path in place, or gives the type that replaces it.
    fn map_path(&self, ty: &mut TypePath) -> Option<Type> {
        let single = ty.path.get_ident().cloned();
        if self.builder && is_weights(&ty.path) {
            let weights = self.paths.symbolic("VarBuilder");
            return Some(match &self.target {
                Target::Twin => parse_quote!(#weights<'static>),
                Target::Either(name) => parse_quote!(#name),
            });
        }
        if is_tensor(&ty.path) {
            return match &self.target {
                Target::Twin => None,
                // Chosen by its weights.
                Target::Either(_) if self.builder => Some(self.symbolic(ty)),
                Target::Either(name) => Some(parse_quote!(#name)),
            };
        }
        // Another type in a twin's scope, like `Tensor`.
        if ty.path.is_ident("StreamTensor") && matches!(self.target, Target::Twin) {
            return None;
        }
        if self.is_own(&ty.path) {
            let path = Ident::new("Self", ty.path.segments[0].ident.span()).into();
            return Some(Type::Path(TypePath { attrs: Vec::new(), qself: None, path }));
        }
        if single.is_some_and(|name| self.mirrored.contains(&name.to_string())) {
            return Some(self.symbolic(ty));
        }
        let head = ty.path.segments.first()?.ident.to_string();
        if head == "Self" {
            let mut associated = self.associated_type(&Type::Path(ty.clone()))?.clone();
            self.map(&mut associated);
            return Some(associated);
        }
        if self.kept.contains(&head) {
            return None;
        }
        let last = ty.path.segments.last_mut()?;
        let name = last.ident.to_string();
        if self.builder && name == "Box" && holds_trait_object(&last.arguments) {
            return Some(self.symbolic(ty));
        }
        let mapped_args = if CONTAINERS.contains(&name.as_str()) {
            0..usize::MAX
        } else if name == "Result" {
            // The error type, if written, is nobody's mirror.
            0..1
        } else if MAPS.contains(&name.as_str()) {
            1..2
        } else if is_plain_name(&name) || STANDARD_CRATES.contains(&head.as_str()) {
            return None;
        } else if cannot_be_asked(&last.arguments) {
            // Nothing but another name of a `Result` can be meant, `ModelResult<&Tensor>`.
            0..1
        } else {
            return Some(self.symbolic(ty));
        };
        if let PathArguments::AngleBracketed(args) = &mut last.arguments {
            let types = args.args.iter_mut().filter_map(|arg| match arg {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            for (position, ty) in types.enumerate() {
                if mapped_args.contains(&position) {
                    self.map(ty);
                } else if let Some(associated) = self.associated_type(ty) {
                    *ty = associated.clone();
                }
            }
        }
        None
    }

    /// What `Self::Error` is in an impl that says `type Error = …`.
    fn associated_type(&self, ty: &Type) -> Option<&Type> {
        let Type::Path(TypePath { qself: None, path, .. }) = ty else { return None };
        let mut segments = path.segments.iter();
        let (head, name) = (segments.next()?, segments.next()?);
        self.associated.get(&name.ident.to_string()).filter(|_| head.ident == "Self")
    }

    /// `<T as Traceable>::Symbolic`, spanned on the user's type.
    fn symbolic(&self, ty: &TypePath) -> Type {
        let depends = |name: &str| self.kept.contains(name) || self.mirrored.contains(name);
        let asked = self.known.and_then(|known| known.ask(&Type::Path(ty.clone()), depends));
        let tokens: TokenStream = match &self.target {
            Target::Twin => {
                // Inside the brackets the original type is meant, so its `Tensor` must not be the shadow.
                let mut ty = ty.clone();
                Unshadow(self.paths).visit_type_path_mut(&mut ty);
                known::function_of(&Type::Path(ty), known::trait_of(asked, self.paths), "Symbolic")
            }
            Target::Either(name) => known::in_world(name, &Type::Path(ty.clone()), asked, self.paths),
        };
        Type::Verbatim(tokens)
    }
}

/// Crates whose types are the same in both worlds.
const STANDARD_CRATES: &[&str] = &["std", "core", "alloc", "half"];

/// `Tensor`, by any of candle's names: what the shadow world replaces.
pub(crate) fn is_tensor(path: &Path) -> bool {
    let mut segments = path.segments.iter();
    let (Some(first), second, None) = (segments.next(), segments.next(), segments.next()) else {
        return false;
    };
    match second {
        None => first.ident == "Tensor",
        Some(second) => second.ident == "Tensor" && ["candle", "candle_core"].iter().any(|krate| first.ident == krate),
    }
}

/// `VarBuilder`, by any path.
pub(crate) fn is_weights(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "VarBuilder")
}

/// candle's layers that are made of closures.
pub(crate) const CLOSURES: [&str; 2] = ["Func", "FuncT"];

/// Whether a name is that of a standard type that holds others.
pub(crate) fn is_container(name: &str) -> bool {
    CONTAINERS.contains(&name) || MAPS.contains(&name) || name == "Result"
}

/// Whether a standard type's mirror holds the mirror of its last type argument.
pub(crate) fn holds_mirrors(name: &str) -> bool {
    (CONTAINERS.contains(&name) || MAPS.contains(&name)) && !NO_MIRRORS.contains(&name)
}

/// Whether a type is data without tensors that both worlds share.
pub(crate) fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Reference(ty) => is_plain(&ty.elem),
        Type::Slice(ty) => is_plain(&ty.elem),
        Type::Array(ty) => is_plain(&ty.elem),
        Type::Tuple(ty) => ty.elems.iter().all(is_plain),
        Type::Path(ty) if ty.qself.is_none() => ty.path.segments.last().is_some_and(|last| {
            let name = last.ident.to_string();
            let holds = CONTAINERS.contains(&name.as_str()) || MAPS.contains(&name.as_str()) || name == "Result";
            is_plain_name(&name) || (holds && arguments_are_plain(&last.arguments))
        }),
        _ => false,
    }
}

fn arguments_are_plain(arguments: &PathArguments) -> bool {
    match arguments {
        PathArguments::AngleBracketed(args) => args.args.iter().all(|arg| match arg {
            GenericArgument::Type(ty) => is_plain(ty),
            _ => true,
        }),
        _ => false,
    }
}

/// Whether what a box holds is any value of a trait that can be the user's or candle's.
fn holds_trait_object(arguments: &PathArguments) -> bool {
    const STANDARD: &[&str] = &["Any", "Debug", "Display", "Error", "Fn", "FnMut", "FnOnce", "Iterator"];
    let PathArguments::AngleBracketed(args) = arguments else { return false };
    let Some(GenericArgument::Type(Type::TraitObject(object))) = args.args.first() else { return false };
    let mut names = object.bounds.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| &last.ident),
        _ => None,
    });
    names.all(|trait_name| STANDARD.iter().all(|name| trait_name != name))
}

/// Whether a type is given arguments that no mirror can be asked of: what is lent or inferred, and `Self`, which in a twin is the
/// mirror.
fn cannot_be_asked(arguments: &PathArguments) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_type(&mut self, ty: &'ast Type) {
            self.0 |= matches!(ty, Type::Infer(_) | Type::ImplTrait(_));
            self.0 |= matches!(ty, Type::Reference(lent) if !is_plain(&lent.elem));
            self.0 |= matches!(ty, Type::Path(path) if path.path.is_ident("Self"));
            visit::visit_type(self, ty);
        }
    }
    let mut find = Find(false);
    find.visit_path_arguments(arguments);
    find.0
}

/// The name of a `Result`, or of a type that stands for one, as far as a name tells.
pub(crate) fn is_result(name: &Ident) -> bool {
    name.to_string().ends_with("Result")
}

/// Names in lower case are primitives (`usize`, `f64`, `bf16`, `str`).
fn is_plain_name(name: &str) -> bool {
    PLAIN.contains(&name) || name.starts_with(|first: char| first.is_lowercase())
}

/// Gives candle's own names back where a twin's scope has replaced them.
pub(super) struct Unshadow<'a>(pub(super) &'a Paths);

impl VisitMut for Unshadow<'_> {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        if path.leading_colon.is_some() {
            return;
        }
        let candle = self.0.candle();
        if path.is_ident("Tensor") {
            *path = parse_quote!(#candle::Tensor);
            return;
        }
        if path.is_ident("StreamTensor") {
            *path = parse_quote!(self::StreamTensor);
            return;
        }
        let replacement = match path.segments.first().map(|head| head.ident.to_string()).as_deref() {
            Some("candle" | "candle_core") => candle,
            Some("candle_nn") => self.0.private("candle_nn"),
            _ => return,
        };
        if path.segments.len() > 1 {
            let rest = path.segments.iter().skip(1);
            *path = parse_quote!(#replacement #(::#rest)*);
        }
    }
}
