//! Which types of a crate are modules, and which are plain data.
//!
//! Evidence is gathered type by type, then carried from field types to the types that hold them until nothing changes.
//! - It holds one of candle's tensors, layers or quantized weights, or it computes on tensors: a module.
//! - It holds a module: a module, unless it is `Copy` or read from a file, which nothing with weights is; but what is read
//!   from a file may hold what computes and is read from a file itself, an activation.
//! - It is or holds where weights come from and computes nothing, trains, cannot be cloned, or has a type of another crate
//!   beside tensors: neither. Nor is what no model holds, takes, returns, names or gets from a function, such as a sampler,
//!   unless the crate has no models at all and so is parts for one.
//! - Everything else is a constant.

mod filled;
mod lent;
mod made;
mod settle;
mod standard;
pub(crate) mod transformers;

use std::collections::{BTreeSet, HashMap};

use syn::{Attribute, Fields, ImplItem, ImplItemFn, Item, ItemImpl, Type};

use crate::drivers::{Body, Drivers};
use crate::makers::Makers;
use crate::signature::{
    calls, is_computation, mentions, mentions_tensor, names, parameters, reads_data, result, steers, takes_functions,
    takes_weights,
};
use crate::source::{Origin, Segments, SourceFile, segments, walk};

/// What a struct or enum is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It takes part in the computation.
    Module,
    /// Plain data.
    Constant {
        /// Whether it is `Clone` as written.
        clone: bool,
    },
    /// Neither: it cannot be part of a model that runs.
    Other,
}

struct TypeDef {
    name: String,
    module: Segments,
    holds: Vec<Origin>,
    /// Types of the same file that it holds.
    holds_here: Vec<usize>,
    /// Names of the traits derived.
    derives: BTreeSet<String>,
    clone_by_hand: bool,
    /// Names of its type parameters.
    generics: BTreeSet<String>,
    /// Those among them that a trait bounds, each with the trait.
    bounds: Vec<(String, Origin)>,
    /// A type that it holds of a crate that is neither candle nor known to fx.
    outside: Option<String>,
    /// Why it is neither a module nor plain data, though it holds tensors or computes.
    left: Option<String>,
    /// Types that its methods take, return or name.
    names: BTreeSet<usize>,
    /// Whether it has a method `forward…` that computes.
    forward: bool,
    /// Whether it is made of weights by a function that is generic over others.
    generic_maker: bool,
    class: Option<Class>,
}

impl TypeDef {
    /// Whether a type from elsewhere with such a name is held.
    fn holds(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.holds.iter().any(|origin| match origin {
            Origin::Candle(name) | Origin::Foreign(name) => wanted(name),
            Origin::Crate(path) => path.last().is_some_and(|name| wanted(name)),
        })
    }

    /// Whether it holds a type parameter that is a layer: candle's `Module` bounds it, or one of these traits of the crate.
    fn holds_parameter(&self, traits: &BTreeSet<String>) -> bool {
        self.bounds.iter().any(|(param, bound)| {
            let of_layers = match bound {
                Origin::Candle(name) => TRAITS.contains(&&**name),
                Origin::Crate(path) => path.last().is_some_and(|name| traits.contains(name)),
                Origin::Foreign(_) => false,
            };
            of_layers && self.holds(|held| held == param)
        })
    }

    /// Whether something of candle's with such a name is held.
    fn holds_candle(&self, wanted: impl Fn(&str) -> bool) -> bool {
        self.holds.iter().any(|origin| matches!(origin, Origin::Candle(name) if wanted(name)))
    }
}

/// The types of a crate, classified.
pub(super) struct Classes {
    types: Vec<TypeDef>,
    by_name: HashMap<String, Vec<usize>>,
    /// Names of the crate's own traits.
    traits: BTreeSet<String>,
    /// The types that have a trait of a name, tensors apart; none for those of others.
    having: HashMap<String, Vec<Option<usize>>>,
    /// Names of those among them that have methods and nothing else, which read no data.
    bare: BTreeSet<String>,
    /// Names of those among these that are one trait for tensors and proxies.
    mirrored: BTreeSet<String>,
    /// Names of the traits that types of the crate are generic over.
    bounding: BTreeSet<String>,
    /// Names of what is called, directly or not, by methods that compute on tensors.
    reached: BTreeSet<String>,
    /// What free functions return: the function's name, and a type of the crate.
    returned: Vec<(String, usize)>,
    /// Names of the crate's modules.
    modules: BTreeSet<String>,
    /// The modules that hold what nobody can look into, themselves or in a module inside.
    hiding: BTreeSet<usize>,
    drivers: Drivers,
    makers: Makers,
}

/// candle's types that are plain data or describe something; all others hold tensors or are built of them.
const PLAIN: [&str; 14] = [
    "Activation",
    "D",
    "DType",
    "Device",
    "DeviceLocation",
    "Error",
    "Init",
    "Layout",
    "Result",
    "Shape",
    "VarBuilder",
    "VarBuilderArgs",
    "VarMap",
    "WithDType",
];
/// candle's traits whose impls are part of the computation.
const TRAITS: [&str; 3] = ["Module", "ModuleT", "StreamingModule"];
/// What keeps a type from being cloned, unless it says that it can be; `dyn` is any trait object, `&mut` what is borrowed so.
const NOT_CLONE: [&str; 10] =
    ["Mutex", "RwLock", "RefCell", "AtomicBool", "AtomicUsize", "AtomicU32", "AtomicU64", "File", "dyn", "&mut"];

impl Classes {
    /// Classifies all types of the given files.
    pub(super) fn of<'a>(files: impl Iterator<Item = &'a SourceFile> + Clone) -> Self {
        let mut classes = Self {
            types: Vec::new(),
            by_name: HashMap::new(),
            traits: BTreeSet::new(),
            having: HashMap::new(),
            bare: BTreeSet::new(),
            mirrored: BTreeSet::new(),
            bounding: BTreeSet::new(),
            reached: BTreeSet::new(),
            returned: Vec::new(),
            modules: BTreeSet::new(),
            hiding: BTreeSet::new(),
            drivers: Drivers::default(),
            makers: Makers::default(),
        };
        for file in files.clone() {
            classes.modules.extend(file.module.iter().cloned());
            walk(&file.syntax.items, &mut |item| {
                if let Item::Mod(item) = item {
                    classes.modules.insert(item.ident.to_string());
                }
            });
        }
        for file in files.clone() {
            classes.define(file);
        }
        for file in files.clone() {
            classes.note_filled(file);
        }
        classes.read_impls(files.clone());
        classes.settle();
        for file in files.clone() {
            classes.leave_traits(file);
        }
        classes.makers = Makers::among(&classes, files);
        classes.hiding = classes.find_hiding();
        classes
    }

    /// The name of a type.
    pub(super) fn name(&self, id: usize) -> &str {
        &self.types[id].name
    }

    /// What the type of that name in that file is.
    pub(super) fn class(&self, file: &SourceFile, name: &str) -> Class {
        self.find(file, &[name.to_owned()]).and_then(|id| self.types[id].class).unwrap_or(Class::Other)
    }

    /// Whether the impl belongs to a module and has something that a capture runs through.
    pub(super) fn is_computation(&self, file: &SourceFile, item: &ItemImpl) -> bool {
        let Some(owner) = self.owner(file, item) else { return false };
        if self.types[owner].class != Some(Class::Module) || !self.is_relevant(file, item) {
            return false;
        }
        let name = &self.types[owner].name;
        methods(item).any(|method| {
            let called = method.sig.receiver().is_some() && self.reached.contains(&method.sig.ident.to_string());
            called || is_computation(file, name, &method.sig)
        })
    }

    /// Whether the path names a layer: a type of candle or of this crate that computes.
    pub(super) fn is_layer(&self, file: &SourceFile, path: &[String]) -> bool {
        match self.find(file, path) {
            Some(id) => self.types[id].class == Some(Class::Module) && self.types[id].forward,
            None => matches!(file.origin(path), Origin::Candle(name) if name != "Tensor" && !is_plain(&name)),
        }
    }

    /// Whether a trait of that name can be one for tensors and proxies.
    pub(super) fn is_mirrored_trait(&self, name: &str) -> bool {
        self.mirrored.contains(name)
    }

    /// Whether an impl is of such a trait, for a module or for tensors themselves.
    pub(super) fn is_mirrored(&self, file: &SourceFile, item: &ItemImpl) -> bool {
        let Some((path, _)) = &item.trait_ else { return false };
        let path = segments(path);
        let of_crate = matches!(file.origin(&path), Origin::Crate(_));
        let is_mirrored = of_crate && path.last().is_some_and(|name| self.mirrored.contains(name));
        let of_tensor = is_tensor(file, &item.self_ty);
        let of_module = || self.owner(file, item).is_some_and(|owner| self.types[owner].class == Some(Class::Module));
        is_mirrored && (of_tensor || of_module())
    }

    /// Whether the path names a module of this crate.
    pub(super) fn is_module(&self, file: &SourceFile, path: &[String]) -> bool {
        self.find(file, path).is_some_and(|id| self.types[id].class == Some(Class::Module))
    }

    /// Why the type of that name in that file was left alone.
    pub(super) fn left(&self, file: &SourceFile, name: &str) -> Option<&str> {
        self.find(file, &[name.to_owned()]).and_then(|id| self.types[id].left.as_deref())
    }

    /// Whether a function cannot be followed.
    pub(super) fn is_out_of_reach(&self, file: &SourceFile, signature: &syn::Signature) -> bool {
        self.out_of_reach(file, signature).is_some()
    }

    /// Why a function cannot be followed: it takes or returns what is neither a value of a model nor plain data, or
    /// it is generic over a trait of the crate's own.
    pub(super) fn out_of_reach(&self, file: &SourceFile, signature: &syn::Signature) -> Option<String> {
        let generics: Vec<String> = signature.generics.type_params().map(|param| param.ident.to_string()).collect();
        let types = parameters(signature).into_iter().chain(result(signature));
        let is_other = |path: &Segments| {
            let generic = path.len() == 1 && generics.contains(&path[0]);
            let class = self.find(file, path).and_then(|id| self.types[id].class);
            let outside = self.is_outside(file, path) || file.resolved(path)[0] == "candle_transformers";
            !generic && (class == Some(Class::Other) || outside)
        };
        let bounds = signature.generics.type_params().flat_map(|param| &param.bounds);
        let own_bound = |bound: &syn::TypeParamBound| match bound {
            syn::TypeParamBound::Trait(bound) => bound
                .path
                .segments
                .last()
                .map(|last| last.ident.to_string())
                .filter(|name| self.has_module(name) && !self.mirrored.contains(name)),
            _ => None,
        };
        let other = types.into_iter().find(is_other).map(|path| format!("it takes or gives `{}`", path.join("::")));
        other.or_else(|| bounds.into_iter().find_map(own_bound).map(|name| format!("it is generic over `{name}`")))
    }

    /// Why a method is left out that steers the model from outside: it reads data, say, and no computation calls it.
    pub(super) fn steers(&self, file: &SourceFile, item: &ItemImpl, method: &syn::ImplItemFn) -> Option<&'static str> {
        let owner = self.owner(file, item)?;
        let left = self.drivers.contains(Some(owner), &method.sig.ident.to_string());
        steers(&method.sig, &method.block).filter(|_| left)
    }

    /// The same of a function.
    pub(super) fn function_steers(&self, file: &SourceFile, item: &syn::ItemFn) -> Option<&'static str> {
        let left = self.drivers.contains(None, &item.sig.ident.to_string());
        steers(&item.sig, &item.block).filter(|_| left && !mentions_tensor(file, &result(&item.sig)))
    }

    /// Whether the path leads into a crate that is neither candle, std nor one that fx knows.
    fn is_outside(&self, file: &SourceFile, path: &[String]) -> bool {
        const KNOWN: [&str; 11] =
            ["crate", "self", "super", "Self", "std", "core", "alloc", "tracing", "half", "candle_transformers", "fx"];
        let path = file.resolved(path);
        let head = &path[0];
        path.len() > 1
            && !KNOWN.contains(&&**head)
            && !matches!(file.origin(&path), Origin::Candle(_))
            && head.starts_with(|first: char| first.is_lowercase())
            && !self.modules.contains(head)
    }

    fn define(&mut self, file: &SourceFile) {
        let first = self.types.len();
        let mut fields = Vec::new();
        walk(&file.syntax.items, &mut |item| {
            let (name, attributes, generics, held) = match item {
                Item::Struct(item) => (&item.ident, &item.attrs, &item.generics, held(&item.fields)),
                Item::Enum(item) => {
                    let held = item.variants.iter().flat_map(|variant| held(&variant.fields)).collect();
                    (&item.ident, &item.attrs, &item.generics, held)
                }
                Item::Trait(item) => {
                    self.traits.insert(item.ident.to_string());
                    if is_bare(item) {
                        self.bare.insert(item.ident.to_string());
                        if is_about_tensors(file, item) {
                            self.mirrored.insert(item.ident.to_string());
                        }
                    }
                    return;
                }
                _ => return,
            };
            self.by_name.entry(name.to_string()).or_default().push(self.types.len());
            self.types.push(TypeDef {
                name: name.to_string(),
                module: file.module.clone(),
                holds: Vec::new(),
                holds_here: Vec::new(),
                derives: derives(attributes),
                clone_by_hand: false,
                generics: generics.type_params().map(|param| param.ident.to_string()).collect(),
                bounds: bounds(file, generics),
                outside: None,
                left: None,
                names: BTreeSet::new(),
                forward: false,
                generic_maker: false,
                class: None,
            });
            fields.push(held);
        });
        let here = first..self.types.len();
        for (id, held) in here.clone().zip(fields) {
            for path in held {
                if self.is_outside(file, &path) || transformers::is_unknown(file, &path) {
                    self.types[id].outside.get_or_insert_with(|| path.join("::"));
                }
                let local = here.clone().find(|&id| path.len() == 1 && self.types[id].name == path[0]);
                match local {
                    Some(local) => self.types[id].holds_here.push(local),
                    None => self.types[id].holds.push(file.origin(&path)),
                }
            }
        }
    }

    /// Leaves the traits alone that bring methods which nobody can follow.
    fn leave_traits(&mut self, file: &SourceFile) {
        let mut left = Vec::new();
        walk(&file.syntax.items, &mut |item| {
            if let Item::Trait(item) = item
                && item.items.iter().any(|member| {
                    matches!(member, syn::TraitItem::Fn(method)
                        if method.default.is_some() && self.is_out_of_reach(file, &method.sig))
                })
            {
                left.push(item.ident.to_string());
            }
        });
        self.mirrored.retain(|name| !left.contains(name));
    }

    /// Notes which types are cloned and which compute, and what the computations call.
    fn read_impls<'a>(&mut self, files: impl Iterator<Item = &'a SourceFile>) {
        let mut bodies = Vec::new();
        let mut steering = Vec::new();
        for file in files {
            walk(&file.syntax.items, &mut |item| {
                if let Item::Fn(function) = item {
                    steering.push(Body::of_function(file, &function.sig, &function.block));
                    let returned = result(&function.sig).into_iter().filter_map(|path| self.find(file, &path));
                    let returned: Vec<_> = returned.map(|id| (function.sig.ident.to_string(), id)).collect();
                    self.returned.extend(returned);
                }
                if let Item::Trait(item) = item {
                    let brought = item.items.iter().filter_map(|member| match member {
                        syn::TraitItem::Fn(method) => Some((method.sig.ident.to_string(), method.default.as_ref()?)),
                        _ => None,
                    });
                    let computes = self.mirrored.contains(&item.ident.to_string());
                    bodies.extend(brought.map(|(name, body)| (computes, name, calls(body))));
                }
                let Item::Impl(item) = item else { return };
                let name = item.trait_.as_ref().and_then(|(path, _)| segments(path).pop());
                if let Some(name) = name.filter(|name| is_tensor(file, &item.self_ty) && self.bare.contains(name)) {
                    self.mirrored.insert(name);
                }
                if let Some(of) = item.trait_.as_ref().and_then(|(path, _)| segments(path).pop())
                    && !is_tensor(file, &item.self_ty)
                {
                    let owner = self.owner(file, item);
                    self.having.entry(of).or_default().push(owner);
                }
                let Some(owner) = self.owner(file, item) else { return };
                if let Some((path, _)) = &item.trait_ {
                    self.types[owner].clone_by_hand |= path.segments.last().is_some_and(|name| name.ident == "Clone");
                }
                let relevant = self.is_relevant(file, item);
                let in_computation =
                    |method: &ImplItemFn| relevant && is_computation(file, &self.types[owner].name, &method.sig);
                // An impl that computes is followed with all it does on its type, `reset_kv_cache` say.
                let followed = methods(item).any(in_computation);
                for method in methods(item) {
                    let name = method.sig.ident.to_string();
                    let computes = relevant && is_computation(file, &self.types[owner].name, &method.sig);
                    let beside = followed && method.sig.receiver().is_some() && !reads_data(&method.block);
                    if computes {
                        self.types[owner].class = Some(Class::Module);
                        self.types[owner].forward |= name.starts_with("forward");
                    }
                    self.types[owner].generic_maker |= takes_weights(&method.sig) && takes_functions(&method.sig);
                    let mentioned = parameters(&method.sig).into_iter().chain(result(&method.sig));
                    let mentioned = mentioned.chain(names(&method.block));
                    let mentioned: Vec<usize> = mentioned.filter_map(|path| self.find(file, &path)).collect();
                    self.types[owner].names.extend(mentioned);
                    steering.push(Body::of_method(owner, &method.sig, &method.block));
                    bodies.push((computes || beside, name, calls(&method.block)));
                }
            });
        }
        self.drivers = Drivers::among(steering);
        // What a reached function calls is reached.
        let mut open: Vec<_> = bodies.iter().map(|(computes, ..)| !computes).collect();
        for (_, _, calls) in bodies.iter().filter(|(computes, ..)| *computes) {
            self.reached.extend(calls.iter().cloned());
        }
        loop {
            let before = self.reached.len();
            for ((_, name, calls), open) in bodies.iter().zip(&mut open) {
                if *open && self.reached.contains(name) {
                    *open = false;
                    self.reached.extend(calls.iter().cloned());
                }
            }
            if self.reached.len() == before {
                return;
            }
        }
    }

    /// Whether the impl is inherent, or of a trait that models are made of: candle's module traits or the crate's own.
    pub(super) fn is_relevant(&self, file: &SourceFile, item: &ItemImpl) -> bool {
        let Some((path, _)) = &item.trait_ else { return true };
        let path = segments(path);
        match file.origin(&path) {
            Origin::Candle(name) => TRAITS.contains(&&*name),
            Origin::Foreign(_) => false,
            Origin::Crate(path) => path.last().is_some_and(|name| self.traits.contains(name)),
        }
    }

    /// Whether the impl is of a trait of the crate's own.
    pub(super) fn is_of_own_trait(&self, file: &SourceFile, item: &ItemImpl) -> bool {
        let path = item.trait_.as_ref().map(|(path, _)| segments(path));
        path.is_some_and(|path| matches!(file.origin(&path), Origin::Crate(_)))
    }

    pub(super) fn owner(&self, file: &SourceFile, item: &ItemImpl) -> Option<usize> {
        match &*item.self_ty {
            Type::Path(ty) if ty.qself.is_none() => self.find(file, &segments(&ty.path)),
            _ => None,
        }
    }

    /// The type that a path means in a file: one of this file, or what its imports say.
    pub(super) fn find(&self, file: &SourceFile, path: &[String]) -> Option<usize> {
        if let [name] = path {
            let here = |id: &&usize| self.types[**id].module == file.module;
            if let Some(id) = self.by_name.get(name)?.iter().find(here) {
                return Some(*id);
            }
        }
        match file.origin(path) {
            Origin::Crate(path) => self.elsewhere(&file.module, &path),
            _ => None,
        }
    }

    /// The type of that name nearest to what the path says: in the module named before it, else in a module next to
    /// this one, else the only one there is.
    fn elsewhere(&self, from: &[String], path: &[String]) -> Option<usize> {
        let (name, before) = path.split_last()?;
        let candidates = self.by_name.get(name)?;
        let parent = &from[..from.len().saturating_sub(1)];
        let named = |id: &&usize| {
            let module = &self.types[**id].module;
            before.last().is_some_and(|before| module.contains(before))
        };
        let near = |id: &&usize| self.types[**id].module.starts_with(parent);
        candidates
            .iter()
            .find(named)
            .or_else(|| candidates.iter().find(near))
            .or(if candidates.len() == 1 { candidates.first() } else { None })
            .copied()
    }
}

fn is_tensor(file: &SourceFile, ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if file.origin(&segments(&ty.path)) == Origin::Candle("Tensor".into()))
}

/// The type parameters that traits bound, beside them or in a `where` clause.
fn bounds(file: &SourceFile, generics: &syn::Generics) -> Vec<(String, Origin)> {
    let trait_of = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => Some(file.origin(&segments(&bound.path))),
        _ => None,
    };
    let beside = generics.type_params().map(|param| (Some(param.ident.to_string()), &param.bounds));
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let below = clauses.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(predicate) => match &predicate.bounded_ty {
            Type::Path(ty) => Some((ty.path.get_ident().map(ToString::to_string), &predicate.bounds)),
            _ => None,
        },
        _ => None,
    });
    let each = beside.chain(below).filter_map(|(name, bounds)| Some((name?, bounds)));
    each.flat_map(|(name, bounds)| bounds.iter().filter_map(trait_of).map(move |bound| (name.clone(), bound))).collect()
}

/// Whether a trait has methods and nothing else, and those that it brings itself read no data.
fn is_bare(item: &syn::ItemTrait) -> bool {
    let follows = |method: &syn::TraitItemFn| method.default.as_ref().is_none_or(|body| !reads_data(body));
    let bare = |member: &syn::TraitItem| matches!(member, syn::TraitItem::Fn(method) if follows(method));
    item.generics.params.is_empty() && item.items.iter().all(bare)
}

/// Whether a method of a trait takes or returns tensors.
fn is_about_tensors(file: &SourceFile, item: &syn::ItemTrait) -> bool {
    item.items.iter().any(|member| match member {
        syn::TraitItem::Fn(method) => {
            mentions_tensor(file, &parameters(&method.sig)) || mentions_tensor(file, &result(&method.sig))
        }
        _ => false,
    })
}

fn is_plain(name: &str) -> bool {
    PLAIN.contains(&name) || name.ends_with("Config")
}

/// Whether the type is where weights come from: a `VarBuilder`, candle's or a crate's own, or what a GGUF file holds.
pub(super) fn is_weights(name: &str) -> bool {
    name.starts_with("VarBuilder") || name == "Content"
}

/// Whether it is a trait of functions: behind a trait object, nobody can look into one.
fn is_function(name: &str) -> bool {
    matches!(name, "Fn" | "FnMut" | "FnOnce")
}

/// Whether the type trains a model.
fn is_optimizer(name: &str) -> bool {
    matches!(name, "AdamW" | "SGD")
}

pub(super) fn methods(item: &ItemImpl) -> impl Iterator<Item = &syn::ImplItemFn> {
    item.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

fn held(fields: &Fields) -> Vec<Segments> {
    fields.iter().flat_map(|field| mentions(&field.ty)).collect()
}

fn derives(attributes: &[Attribute]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        // A derive that does not parse is rustc's to report.
        let _ = attribute.parse_nested_meta(|meta| {
            names.extend(segments(&meta.path).pop());
            Ok(())
        });
    }
    names
}
