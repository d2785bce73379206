//! What Rust takes for the name of a variable, and how other texts are made one.
//!
//! Invariant: what is made legal is an identifier or a keyword, in the composed form by which Rust compares names.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Every run of characters that Rust does not allow becomes one underscore; what Rust takes for one name is one.
pub(super) fn legal(candidate: &str) -> Cow<'_, str> {
    if !candidate.is_ascii() && !is_nfc(candidate) {
        return legal(&candidate.nfc().collect::<String>()).into_owned().into();
    }
    if is_identifier(candidate) {
        return candidate.into();
    }
    let mut text = String::with_capacity(candidate.len() + 1);
    if candidate.chars().next().is_some_and(|c| is_continue(c) && !is_start(c)) {
        text.push('_');
    }
    let mut rest = candidate;
    loop {
        let part = rest.find(|c| !is_continue(c)).unwrap_or(rest.len());
        text.push_str(&rest[..part]);
        if part == rest.len() {
            break;
        }
        text.push('_');
        rest = rest[part..].trim_start_matches(|c| !is_continue(c));
    }
    if text.is_empty() { "_unnamed".into() } else { text.into() }
}

/// Whether Rust accepts this as the name of a variable.
///
/// Letters, digits and `_`, not beginning with a digit, and no keyword. What is no legal name is made one where a node
/// is named.
///
/// ```
/// use fx_core::ir::is_legal_name;
///
/// assert!(is_legal_name("hidden_1") && is_legal_name("größe"));
/// assert!(!is_legal_name("type") && !is_legal_name("1st") && !is_legal_name("a-b"));
/// ```
#[must_use]
pub fn is_legal_name(name: &str) -> bool {
    is_identifier(name) && !is_reserved(name) && (name.is_ascii() || is_nfc(name))
}

/// Whether Rust reads this as one identifier or keyword.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(is_start) && chars.all(is_continue)
}

/// The characters of ASCII that can stand in an identifier. Every name is looked through, and a table has no branches.
const ASCII: [bool; 128] = {
    let mut is_part = [false; 128];
    let mut c = 0;
    while c < 128 {
        is_part[c] = c == b'_' as usize || (c as u8).is_ascii_alphanumeric();
        c += 1;
    }
    is_part
};

/// Whether an identifier can start with a character.
pub(crate) fn is_start(c: char) -> bool {
    if c.is_ascii() { ASCII[c as usize] && !c.is_ascii_digit() } else { unicode_ident::is_xid_start(c) }
}

/// Whether a character can stand in an identifier, though perhaps not first.
pub(crate) fn is_continue(c: char) -> bool {
    if c.is_ascii() { ASCII[c as usize] } else { unicode_ident::is_xid_continue(c) }
}

/// Keywords of every edition, and the patterns of the prelude that no variable can shadow.
pub(super) fn is_reserved(name: &str) -> bool {
    // None is longer or ends in a digit, as most names do.
    if name.len() > "continue".len() || name.as_bytes().last().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    matches!(
        name,
        "_" | "abstract"
            | "as"
            | "async"
            | "await"
            | "become"
            | "box"
            | "break"
            | "const"
            | "continue"
            | "crate"
            | "do"
            | "dyn"
            | "else"
            | "enum"
            | "extern"
            | "false"
            | "final"
            | "fn"
            | "for"
            | "gen"
            | "if"
            | "impl"
            | "in"
            | "let"
            | "loop"
            | "macro"
            | "match"
            | "mod"
            | "move"
            | "mut"
            | "override"
            | "priv"
            | "pub"
            | "ref"
            | "return"
            | "self"
            | "Self"
            | "static"
            | "struct"
            | "super"
            | "trait"
            | "true"
            | "try"
            | "type"
            | "typeof"
            | "unsafe"
            | "unsized"
            | "use"
            | "virtual"
            | "where"
            | "while"
            | "yield"
            | "None"
            | "Some"
            | "Ok"
            | "Err"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_no_names_and_what_looks_like_them_is() {
        for word in ["_", "as", "abstract", "continue", "override", "unsized", "virtual", "yield", "Some", "Err"] {
            assert!(!is_legal_name(word), "{word}");
        }
        for word in ["__", "as1", "abstracts", "continue_", "some", "union", "auto", "raw", "inf", "nan"] {
            assert!(is_legal_name(word), "{word}");
        }
    }
}
