//! An annotated function that a capture records whole because its rules want that (`TracerRules::is_leaf_function`), as
//! `#[fx::wrap]` does always.
//!
//! Which arguments and results a graph can hold, only rustc knows, so the description is written for every function that
//! can be called with values, and method resolution chooses in it (`fx-core`'s `trace/whole.rs`).
//!
//! Invariant: a function that has no description says why, to the capture that wants it whole.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, ItemFn, ReturnType, Type};

use crate::attributes::{allow_generated, cfgs};
use crate::dispatch::{Dispatch, call_ident, is_generic};
use crate::paths::Paths;
use crate::twin::parameters::{Parameter, parameters};
use crate::twin::select::{returns_impl, type_mentions_tensor};
use crate::twin::types::{Types, is_result};

/// The name of the description of a function.
pub(crate) fn op_ident(function: &Ident) -> Ident {
    format_ident!("__FxOp_{}", function)
}

/// What stands beside the function, and the statement that its twin begins with; `returns` is the twin's result.
pub(crate) fn expand(
    item: &ItemFn,
    dispatch: &Dispatch<'_>,
    types: &Types<'_>,
    returns: &ReturnType,
    paths: &Paths,
) -> (TokenStream, syn::Stmt) {
    let parameters = parameters(item.sig.inputs.iter(), types).filter(|_| !is_generic(&item.sig));
    let reason = match &parameters {
        None => Some("takes arguments that a graph cannot pass: they are generic, or borrow in a way of their own"),
        Some(parameters) if parameters.iter().any(|parameter| parameter.written_as.is_none()) => {
            Some("takes an argument by a pattern or to be changed, and a graph passes plain values by name")
        }
        Some(_) if returns_impl(&item.sig) => {
            Some("returns an `impl` type, which has no name that the graph's call could give back")
        }
        Some(_) => None,
    };
    let span = item.sig.ident.span();
    match (parameters, reason) {
        (Some(parameters), None) => {
            let (op, function) = (op_ident(&item.sig.ident), paths.whole("function"));
            let traits = ["RecordWhole", "RefuseWhole", "PassedToGraph", "NotPassed"].map(|name| paths.whole(name));
            let returns = match returns {
                ReturnType::Default => quote!(()),
                ReturnType::Type(_, ty) => quote!(#ty),
            };
            let arguments = parameters.iter().filter_map(|parameter| parameter.encoded(paths));
            let statement = quote_spanned! {span=>
                if let ::core::option::Option::Some(__fx_whole) = #function::<#returns>(&#op) {
                    #(use #traits as _;)*
                    return (&__fx_whole).__fx_record(::std::vec![#(#arguments),*]);
                }
            };
            (description(item, dispatch, &parameters, paths), syn::parse_quote!(#statement))
        }
        (_, reason) => {
            let (not_whole, path_end) = (paths.whole("function_not_whole"), path_end(&item.sig.ident));
            let reason = reason.unwrap_or_default();
            let statement = quote_spanned! {span=>
                #not_whole(::core::concat!(::core::module_path!(), #path_end), #reason);
            };
            (TokenStream::new(), syn::parse_quote!(#statement))
        }
    }
}

/// What follows the path of its module in the function's own.
pub(crate) fn path_end(function: &Ident) -> String {
    format!("::{}", function.unraw())
}

/// The static description, outside the shadow world: its evaluation is candle's.
fn description(item: &ItemFn, dispatch: &Dispatch<'_>, parameters: &[Parameter], paths: &Paths) -> TokenStream {
    let (op_def, param, args) = (paths.private("OpDef"), paths.private("Param"), paths.private("Args"));
    let (value, candle) = (paths.private("Value"), paths.candle());
    let result = paths.candle_result(value);
    let traits = ["TakeValue", "TakeNone", "ResultKind", "OtherResultKind"].map(|name| paths.whole(name));
    let params = parameters.iter().zip(&item.sig.inputs).map(|(parameter, input)| {
        let tensor = matches!(input, syn::FnArg::Typed(input) if type_mentions_tensor(&input.ty));
        let Parameter { name, written, .. } = parameter;
        quote!(#param::new(#name, #tensor).written(#written))
    });
    let takes = parameters.iter().enumerate().map(|(index, parameter)| {
        let (variable, take) = (&parameter.variable, parameter.taken_at_run_time(quote!(args.values), index, paths));
        quote!(let mut #variable = #take?;)
    });
    let passed = parameters.iter().map(Parameter::passed);
    let (vis, name, trait_name, call) = (&item.vis, op_ident(&item.sig.ident), &dispatch.trait_name, call_ident());
    let (cfgs, allow, path_end) = (cfgs(&item.attrs), allow_generated(), path_end(&item.sig.ident));
    let fallible = returns_result(&item.sig.output);
    quote! {
        #(#cfgs)* #[doc(hidden)] #allow
        #vis static #name: #op_def = {
            fn __fx_eval(args: #args<'_>) -> #result {
                #(use #traits as _;)*
                #(#takes)*
                match <#candle::Tensor as #trait_name>::#call(#(#passed),*) {
                    result => (&result).__fx_result().value(result),
                }
            }
            #op_def::wrapped(::core::concat!(::core::module_path!(), #path_end), &[#(#params),*], __fx_eval)
                .fallible(#fallible)
        };
    }
}

/// Whether a function returns a `Result`, as far as its name tells.
fn returns_result(output: &ReturnType) -> bool {
    match output {
        ReturnType::Type(_, ty) => match &**ty {
            Type::Path(path) => path.path.segments.last().is_some_and(|last| is_result(&last.ident)),
            _ => false,
        },
        ReturnType::Default => false,
    }
}
