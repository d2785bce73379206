//! `#[fx::module]` on a free function.
//!
//! One that takes tensors, or a type that holds them and returns some or says `by`, is chosen by them (`dispatch.rs`), and its proxy side
//! is a twin of the body. One that builds a model of closures is chosen by its weights (`builder.rs`). One that takes none of
//! these is a helper (`helper.rs`): what it returns is lifted where a twin calls it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemFn;
use syn::visit_mut::VisitMut;

use crate::attributes::{allow_generated, cfgs};
use crate::builder::{self, is_builder};
use crate::dispatch::{Dispatch, map_whole_signature};
use crate::errors::Errors;
use crate::helper;
use crate::options::ModuleOptions;
use crate::paths::Paths;
use crate::twin::body::Body;
use crate::twin::data::report_reads;
use crate::twin::names::Names;
use crate::twin::shadow;
use crate::twin::types::Target;
use crate::whole;

/// The function and its twin.
pub(crate) fn expand(item: &ItemFn, options: &ModuleOptions, paths: &Paths, errors: &Errors) -> TokenStream {
    if is_builder(&item.sig) {
        return builder::expand(item, paths, errors);
    }
    let named = !options.by.is_empty();
    let dispatch = Dispatch::new(item, paths, errors).or_else(|| Dispatch::by_type(item, named, paths));
    let Some(mut dispatch) = dispatch else {
        return helper::expand(item, paths);
    };
    if let Some(parameter) = options.by.first() {
        dispatch.choose(parameter, errors);
    }
    if !options.specialize {
        report_reads(&item.block, errors);
    }
    dispatch.both_worlds(&options.bounds);
    let types = dispatch.types(Target::Twin);
    let (mut sig, mut block) = (item.sig.clone(), item.block.clone());
    let mut body = Body::new(&types, &item.sig, &item.block, &[], paths);
    body.visit_block_mut(&mut block);
    map_whole_signature(&mut sig, &types);

    let mut used = Names::default();
    used.signature(&sig);
    used.block(&block);
    let (cfgs, allow) = (cfgs(&item.attrs), allow_generated());
    let (imports, aliases) = (shadow::imports(&used, false, paths), body.aliases.declare());
    let (whole, statement) = whole::expand(item, &dispatch, &types, &sig.output, paths);
    block.stmts.insert(0, statement);
    let (public, twin) = (dispatch.write(), dispatch.proxy_impl(sig, block));
    let twin = body.fallbacks.around(quote!(#imports #aliases #twin), paths);
    quote! {
        #public
        #whole
        #(#cfgs)* #allow
        const _: () = { #twin };
    }
}
