//! What a function's signature and body say about it: whether it computes on tensors, whether it makes the model, and
//! which functions it calls.
//!
//! Constructors stay as they are: a model is made once, on real tensors, and only what runs afterwards is captured.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Block, FnArg, GenericArgument, PathArguments, ReturnType, Signature, Type};

use crate::classify::is_weights;
use crate::source::{Origin, Segments, SourceFile, segments};

/// All paths mentioned in a type, generic arguments and trait objects included; a trait object also as `dyn`, and what is
/// borrowed to be changed as `&mut`.
pub(super) fn mentions(ty: &Type) -> Vec<Segments> {
    struct Paths(Vec<Segments>);
    impl<'ast> Visit<'ast> for Paths {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            self.0.push(segments(path));
            visit::visit_path(self, path);
        }

        fn visit_type_trait_object(&mut self, object: &'ast syn::TypeTraitObject) {
            self.0.push(vec!["dyn".to_owned()]);
            visit::visit_type_trait_object(self, object);
        }

        fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
            if reference.mutability.is_some() {
                self.0.push(vec!["&mut".to_owned()]);
            }
            visit::visit_type_reference(self, reference);
        }
    }
    let mut paths = Paths(Vec::new());
    paths.visit_type(ty);
    paths.0
}

/// The paths mentioned in the types of a function's parameters, `self` apart.
pub(super) fn parameters(signature: &Signature) -> Vec<Segments> {
    let types = signature.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(&*typed.ty),
        FnArg::Receiver(_) => None,
    });
    // What a pointer to a function takes is not given here.
    types.filter(|ty| !matches!(ty, Type::FnPtr(_))).flat_map(mentions).collect()
}

/// The paths mentioned in the type of a function's result, where it does not fail: whose `Result` it is, and of which error,
/// says nothing of what is computed.
pub(super) fn result(signature: &Signature) -> Vec<Segments> {
    match &signature.output {
        ReturnType::Default => Vec::new(),
        ReturnType::Type(_, ty) => success(ty).map_or_else(|| mentions(ty), mentions),
    }
}

/// Whether a result is lent, `&Config` or `Option<&Config>`.
pub(super) fn lends(signature: &Signature) -> bool {
    let ReturnType::Type(_, ty) = &signature.output else { return false };
    let of_option = |ty: &Type| match ty {
        Type::Path(ty) => ty.path.segments.last().is_some_and(|last| {
            last.ident == "Option"
                && matches!(&last.arguments, PathArguments::AngleBracketed(of)
                    if matches!(of.args.first(), Some(GenericArgument::Type(Type::Reference(_)))))
        }),
        _ => false,
    };
    matches!(&**ty, Type::Reference(_)) || of_option(ty)
}

/// The type `T` of a `Result<T, …>`, candle's, `anyhow`'s or by a name like `ModelResult`.
fn success(ty: &Type) -> Option<&Type> {
    let Type::Path(ty) = ty else { return None };
    let last = ty.path.segments.last().filter(|last| last.ident.to_string().ends_with("Result"))?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Whether one of the paths is candle's tensor.
pub(super) fn mentions_tensor(file: &SourceFile, paths: &[Segments]) -> bool {
    paths.iter().any(|path| file.origin(path) == Origin::Candle("Tensor".into()))
}

/// Whether weights come in, from a `VarBuilder` or a file.
pub(super) fn takes_weights(signature: &Signature) -> bool {
    parameters(signature).iter().any(|path| path.last().is_some_and(|name| is_weights(name)))
}

/// Whether it is generic over functions that it takes.
pub(super) fn takes_functions(signature: &Signature) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_trait_bound(&mut self, bound: &'ast syn::TraitBound) {
            let last = bound.path.segments.last().map(|last| last.ident.to_string());
            self.0 |= last.is_some_and(|last| matches!(&*last, "Fn" | "FnMut" | "FnOnce"));
        }

        fn visit_type_trait_object(&mut self, _: &'ast syn::TypeTraitObject) {}
    }
    let mut find = Find(false);
    find.visit_generics(&signature.generics);
    signature.inputs.iter().for_each(|input| find.visit_fn_arg(input));
    find.0
}

/// Whether the result is made of closures: `Func`, `FuncT` or `impl Module`.
pub(super) fn returns_closure(file: &SourceFile, signature: &Signature) -> bool {
    let result = result(signature);
    let is_candle = |path: &Segments, names: &[&str]| match file.origin(path) {
        Origin::Candle(name) => names.contains(&&*name),
        _ => false,
    };
    let boxed = result.iter().any(|path| path.last().is_some_and(|name| name == "dyn"));
    result.iter().any(|path| is_candle(path, &CLOSURES))
        || (!boxed && result.iter().any(|path| is_candle(path, &["Module", "ModuleT"])))
}

/// candle's layers that are made of closures.
pub(super) const CLOSURES: [&str; 2] = ["Func", "FuncT"];

/// Whether a method makes a value of its type `owner` from weights.
pub(super) fn makes_from_weights(owner: &str, signature: &Signature) -> bool {
    let makes = result(signature).iter().any(|path| path.len() == 1 && (path[0] == "Self" || path[0] == owner));
    signature.receiver().is_none() && makes && takes_weights(signature)
}

/// Whether a method of type `owner` computes on tensors, as far as its signature tells.
pub(super) fn is_computation(file: &SourceFile, owner: &str, signature: &Signature) -> bool {
    if takes_weights(signature) {
        return false;
    }
    let result = result(signature);
    let returns_owner = result.iter().any(|path| path.len() == 1 && (path[0] == "Self" || path[0] == owner));
    if signature.receiver().is_none() && returns_owner {
        return false;
    }
    let streams = |path: &Segments| path.last().is_some_and(|name| name == "StreamTensor");
    signature.ident.to_string().starts_with("forward")
        || parameters(signature).iter().chain(&result).any(streams)
        || mentions_tensor(file, &parameters(signature))
        || mentions_tensor(file, &result)
}

/// Whether a body asks a tensor for its numbers, which fx wants to be told of. Calls inside macro arguments are not seen.
pub(super) fn reads_data(block: &Block) -> bool {
    let calls = calls(block);
    ["to_scalar", "to_vec0", "to_vec1", "to_vec2", "to_vec3"].iter().any(|read| calls.contains(*read))
}

/// Whether a body computes what no graph does: it trains, or writes a file.
fn trains_or_saves(block: &Block) -> bool {
    const CALLS: [&str; 7] =
        ["backward", "backward_step", "save_safetensors", "serialize_to_file", "write_bytes", "write_npy", "write_npz"];
    let calls = calls(block);
    let saves = paths(block).iter().any(|path| path.ends_with(&["safetensors".to_owned(), "save".to_owned()]));
    saves || CALLS.iter().any(|call| calls.contains(*call))
}

/// Why a function steers a model from outside, as long as nothing that computes calls it.
pub(super) fn steers(signature: &Signature, block: &Block) -> Option<&'static str> {
    // What a method changes behind `&self` is not seen.
    let lends = || parameters(signature).iter().all(|path| path[0] != "&mut");
    let gives_nothing = signature.receiver().is_none() && result(signature).is_empty() && lends();
    match () {
        () if trains_or_saves(block) => Some("it trains or saves, and nothing that computes calls it"),
        () if reads_data(block) => Some("it reads data, and nothing that computes calls it"),
        () if gives_nothing => Some("it gives nothing, and nothing that computes calls it"),
        () => None,
    }
}

/// The last names of all functions and methods that a body calls. Calls inside macro arguments are not seen.
pub(super) fn calls(block: &Block) -> BTreeSet<String> {
    let mut calls = Calls::default();
    calls.visit_block(block);
    calls.variables.clear();
    calls.all()
}

/// The same of a function, without the names of variables: a parameter `train` is no call of a function of that name.
pub(super) fn calls_of(signature: &Signature, block: &Block) -> BTreeSet<String> {
    let mut calls = Calls::default();
    calls.visit_signature(signature);
    calls.visit_block(block);
    calls.all()
}

#[derive(Default)]
struct Calls {
    /// What is called, and what a path of several names leads to.
    certain: BTreeSet<String>,
    /// Names handed on, which can be those of variables.
    plain: BTreeSet<String>,
    /// Names of variables.
    variables: BTreeSet<String>,
}

impl Calls {
    fn all(mut self) -> BTreeSet<String> {
        self.certain.extend(self.plain.difference(&self.variables).cloned());
        self.certain
    }
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.certain.insert(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func {
            self.certain.extend(path.path.segments.last().map(|last| last.ident.to_string()));
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        let names = if path.path.segments.len() == 1 { &mut self.plain } else { &mut self.certain };
        names.extend(path.path.segments.last().map(|last| last.ident.to_string()));
        visit::visit_expr_path(self, path);
    }

    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.variables.insert(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }
}

/// The names of all methods that a body calls as such. Calls inside macro arguments are not seen.
pub(super) fn method_calls(block: &Block) -> BTreeSet<String> {
    struct Methods(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Methods {
        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            self.0.insert(call.method.to_string());
            visit::visit_expr_method_call(self, call);
        }
    }
    let mut methods = Methods(BTreeSet::new());
    methods.visit_block(block);
    methods.0
}

/// All paths that a body names, each with and without its last segment: `Softmax::apply` names `Softmax`.
pub(super) fn names(block: &Block) -> Vec<Segments> {
    let with_owners = paths(block).into_iter().flat_map(|path| match &path[..] {
        [before @ .., _] if !before.is_empty() => vec![before.to_vec(), path],
        _ => vec![path],
    });
    with_owners.collect()
}

/// All paths that a body names.
pub(super) fn paths(block: &Block) -> Vec<Segments> {
    struct Paths(Vec<Segments>);
    impl<'ast> Visit<'ast> for Paths {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            self.0.push(segments(path));
            visit::visit_path(self, path);
        }
    }
    let mut paths = Paths(Vec::new());
    paths.visit_block(block);
    paths.0
}
