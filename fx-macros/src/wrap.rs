//! `#[fx::wrap]`: the call is recorded, not what happens inside.
//!
//! The graph refers to a static description of the function, which also knows how to run it on tensors again. It stands
//! beside the function, as public as that, so that a saved graph can be read elsewhere with it (`fx::op_of!`).

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::{FnArg, GenericArgument, Item, ItemFn, Pat, PathArguments, ReturnType, Signature, Type};

use crate::attributes::{allow_generated, cfgs, report_others};
use crate::dispatch::{Dispatch, call_ident, is_generic, map_whole_signature, rename};
use crate::errors::{Errors, Message};
use crate::known::{close, ends};
use crate::module::kind;
use crate::options::{report_stray, without_options, wrap_options};
use crate::paths::Paths;
use crate::twin::names::Names;
use crate::twin::select::type_mentions_tensor;
use crate::twin::shadow;
use crate::twin::types::{Target, Types};
use crate::whole::{op_ident, path_end};

/// Expands `#[fx::wrap(options)] item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let errors = Errors::new();
    let (paths, pure) = wrap_options(options, &errors);
    let mut parsed = match syn::parse2::<Item>(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.syn(error);
            return errors.finish(TokenStream::new(), without_options(item));
        }
    };
    report_others(&parsed, "wrap", &errors);
    if !matches!(parsed, Item::Fn(_)) {
        let goes_on = "a free function";
        errors.report(&parsed, Message::WrongItem { attribute: "wrap", goes_on, found: kind(&parsed) });
        return errors.finish(TokenStream::new(), without_options(item));
    }
    report_stray(&mut parsed, &errors);
    let generated = match &parsed {
        Item::Fn(function) => expand_fn(function, &paths, pure, &errors),
        _ => TokenStream::new(),
    };
    errors.finish(generated, parsed.to_token_stream())
}

fn expand_fn(item: &ItemFn, paths: &Paths, pure: bool, errors: &Errors) -> TokenStream {
    if let Some(receiver) = item.sig.receiver() {
        errors.report(receiver, Message::WrapMethod(item.sig.ident.unraw().to_string()));
        return TokenStream::new();
    }
    let Some(dispatch) = Dispatch::new(item, paths, errors) else {
        errors.report(&item.sig.ident, Message::WrapWithoutTensor);
        return TokenStream::new();
    };
    for input in &item.sig.inputs {
        if let FnArg::Typed(input) = input
            && matches!(&*input.ty, Type::Reference(reference) if reference.mutability.is_some())
        {
            errors.report(input, Message::WrapMutable(item.sig.ident.unraw().to_string()));
        }
    }
    if is_generic(&item.sig) {
        match item.sig.generics.params.is_empty() {
            false => errors.report(&item.sig.generics, Message::WrapGeneric),
            // By `impl Trait`.
            true => errors.report(&item.sig.inputs, Message::WrapGeneric),
        }
    }
    let mut sig = item.sig.clone();
    map_whole_signature(&mut sig, &Types::new(Target::Twin, paths).asking(&dispatch.known));
    rename(&mut sig, |position, _| format_ident!("__fx_{}", position));
    let mut used = Names::default();
    used.signature(&sig);

    let (candle, trait_name, call) = (paths.candle(), &dispatch.trait_name, call_ident());
    let callee = quote!(<#candle::Tensor as #trait_name>::#call);
    let (description, record) = (description(item, &callee, paths, pure), record(item, &sig, paths));
    let (cfgs, allow, imports) = (cfgs(&item.attrs), allow_generated(), shadow::imports(&used, false, paths));
    // What the description takes from a graph, in the same words: of that rustc speaks once.
    let (args, gets) =
        (paths.private("Args"), item.sig.inputs.iter().enumerate().map(|(position, input)| taken(position, input)));
    let nothing = paths.candle_result(quote!(()));
    dispatch.known.ask_by(quote! {
        let _ = |args: #args<'_>| -> #nothing { #(let _ = #gets;)* ::core::result::Result::Ok(()) };
    });
    let (public, recorded) = (dispatch.write(), dispatch.proxy_impl(sig, record));
    quote! {
        #public
        #(#cfgs)* #[doc(hidden)] #allow
        #description
        #(#cfgs)* #allow
        const _: () = {
            #imports
            #recorded
        };
    }
}

/// Expands `fx::op_of!(path::to::function)`: the description stands beside the function.
pub(crate) fn expand_op_of(path: TokenStream) -> TokenStream {
    match syn::parse2::<syn::Path>(path) {
        Ok(mut path) => {
            if let Some(last) = path.segments.last_mut() {
                *last = op_ident(&last.ident).into();
            }
            quote!(&#path)
        }
        Err(error) => {
            let message = "`fx::op_of!` takes the path of a function with `#[fx::wrap]`, as in `fx::op_of!(crate::routing::top_k)`";
            syn::Error::new(error.span(), message).to_compile_error()
        }
    }
}

/// The static description, outside the shadow world: its evaluation is a call of `callee` on candle's tensors.
pub(crate) fn description(item: &ItemFn, callee: &TokenStream, paths: &Paths, pure: bool) -> TokenStream {
    let (op_def, param, args) = (paths.private("OpDef"), paths.private("Param"), paths.private("Args"));
    let (value, into_value) = (paths.candle_result(paths.private("Value")), paths.private("IntoValue"));
    let path_end = path_end(&item.sig.ident);
    let params = item.sig.inputs.iter().enumerate().filter_map(|(position, input)| {
        let FnArg::Typed(input) = input else {
            return None;
        };
        let name = match &*input.pat {
            Pat::Ident(pat) => pat.ident.unraw().to_string(),
            _ => format!("arg{position}"),
        };
        let tensor = type_mentions_tensor(&input.ty);
        let written = input.ty.to_token_stream().to_string();
        Some(quote!(#param::new(#name, #tensor).written(#written)))
    });
    let gets = item.sig.inputs.iter().enumerate().map(|(position, input)| taken(position, input));
    let effect_type = paths.private("Effect");
    let effect = pure.then(|| quote!(.with_effect(#effect_type::Pure)));
    let returned = match &item.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => ty.to_token_stream(),
    };
    let (vis, name) = (&item.vis, op_ident(&item.sig.ident));
    quote! {
        #vis static #name: #op_def = {
            fn __fx_eval(args: #args<'_>) -> #value {
                #into_value::into_value(#callee(#(#gets),*))
            }
            #op_def::wrapped(
                ::core::concat!(::core::module_path!(), #path_end),
                &[#(#params),*],
                __fx_eval,
            )
            .fallible(<#returned as #into_value>::FALLIBLE)
            #effect
        };
    }
}

/// The argument of a parameter.
fn taken(position: usize, input: &FnArg) -> TokenStream {
    match input {
        // Of what is borrowed, how long is found out here.
        FnArg::Typed(input) => get(position, &close(&input.ty, &|_| false).unwrap_or_else(|| (*input.ty).clone())),
        FnArg::Receiver(_) => TokenStream::new(),
    }
}

/// An argument as its parameter takes it. References to what is owned while the call runs are taken here.
fn get(position: usize, ty: &Type) -> TokenStream {
    if let Some(item) = slice_in_option(ty) {
        return quote!(args.get::<::core::option::Option<::std::vec::Vec<#item>>>(#position)?.as_deref());
    }
    let Type::Reference(reference) = ty else { return quote!(args.get::<#ty>(#position)?) };
    match &*reference.elem {
        Type::Slice(slice) => {
            let item = &slice.elem;
            quote!(&*args.get::<::std::vec::Vec<#item>>(#position)?)
        }
        Type::Path(path) if path.path.is_ident("str") => quote!(args.get::<&#path>(#position)?),
        other => quote!(&args.get::<#other>(#position)?),
    }
}

/// The type of the items of an `Option<&[T]>`.
fn slice_in_option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(Type::Reference(reference)) => match &*reference.elem {
            Type::Slice(slice) => Some(&slice.elem),
            _ => None,
        },
        _ => None,
    }
}

/// The body for proxies.
fn record(item: &ItemFn, sig: &Signature, paths: &Paths) -> TokenStream {
    let op = op_ident(&item.sig.ident);
    let (record_call, record) = (paths.private("record"), paths.private("Record"));
    let arguments = (0..sig.inputs.len()).map(|position| {
        let variable = format_ident!("__fx_{}", position);
        quote!(#record::record(&#variable))
    });
    // rustc says of this call what the function cannot return, so it is where that is written.
    let written = match &item.sig.output {
        ReturnType::Default => item.sig.ident.to_token_stream(),
        ReturnType::Type(_, ty) => ty.to_token_stream(),
    };
    let (first, last) = ends(written);
    let call = record_call.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(first));
        token
    });
    let mut passed = Group::new(Delimiter::Parenthesis, quote!(&#op, ::std::vec![#(#arguments),*]));
    passed.set_span(last);
    let call: TokenStream = call.collect();
    quote!({ #call #passed })
}
