//! Any text as an identifier of generated code.
//!
//! Invariant: legal identifiers stay as they are; keywords become raw identifiers, as the original's field must have been.

use proc_macro2::{Ident, Span};

/// The identifier closest to a text.
pub(super) fn identifier(text: &str) -> Ident {
    let mut name = String::with_capacity(text.len());
    for (i, letter) in text.chars().enumerate() {
        let allowed = unicode_ident::is_xid_continue(letter);
        if i == 0 && allowed && letter != '_' && !unicode_ident::is_xid_start(letter) {
            name.push('_');
        }
        name.push(if allowed { letter } else { '_' });
    }
    match name.as_str() {
        // These cannot even be raw.
        "" | "_" => Ident::new(&format!("{name}_empty"), Span::call_site()),
        "self" | "Self" | "super" | "crate" => Ident::new(&format!("{name}_"), Span::call_site()),
        // A keyword since the edition of written crates, which syn takes for a name.
        "gen" => Ident::new_raw("gen", Span::call_site()),
        name if syn::parse_str::<Ident>(name).is_ok() => Ident::new(name, Span::call_site()),
        name => Ident::new_raw(name, Span::call_site()),
    }
}
