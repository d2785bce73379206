//! Names in the cases that Rust wants: types, fields and values.
//!
//! Invariant: what comes out is an identifier that rustc does not warn of.

use std::collections::HashSet;

use proc_macro2::Ident;

use super::super::identifier::identifier;
use super::super::names::TAKEN;

/// What types of generated code cannot be called, besides what is [`TAKEN`].
const TYPES: &[&str] = &[
    "Self",
    "Vec",
    "String",
    "Option",
    "Box",
    "VarBuilder",
    "Module",
    "ModuleT",
    "IndexOp",
    "AsRef",
    "Iterator",
    "From",
    "Into",
    "Clone",
    "Drop",
    "Debug",
    "Default",
    "Send",
    "Sync",
    "Fn",
    "FnOnce",
];

/// What values of generated code cannot be called, besides what is [`TAKEN`].
const VALUES: &[&str] =
    &["vb", "format", "expect", "expect_state", "at", "check_len", "to_size", "divide", "remainder", "quantized"];

/// Whether a letter stays in a name. rustc takes two names for one that Unicode writes in two ways, and warns of letters that
/// look like others: besides ASCII, those of Western European languages, Japanese, Chinese and Korean do neither.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || letter == '_'
        || matches!(letter, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '一'..='\u{9fef}' | '가'..='힣')
}

/// `my_value`, of `MyValue`, `my-value` or `my.value`.
pub(super) fn snake(text: &str) -> String {
    let mut name = String::with_capacity(text.len() + 4);
    let mut before = '_';
    for (i, letter) in text.char_indices() {
        let after = text[i + letter.len_utf8()..].chars().next();
        // `HTTPServer` is `http_server`, `B2T` is `b2t`.
        let starts = letter.is_uppercase()
            && before != '_'
            && (before.is_lowercase() || (before.is_uppercase() && after.is_some_and(char::is_lowercase)));
        if starts {
            name.push('_');
        }
        let allowed = is_plain(letter) && letter != '_';
        if allowed {
            name.extend(letter.to_lowercase());
        } else if !name.ends_with('_') {
            name.push('_');
        }
        before = if allowed { letter } else { '_' };
    }
    let trimmed = if name.len() > 1 { name.trim_end_matches('_') } else { name.as_str() };
    if trimmed.is_empty() { "value".to_owned() } else { trimmed.to_owned() }
}

/// `MyType`, of `my_type` or `a::MyType<T>`.
pub(super) fn camel(text: &str) -> String {
    let path = text.split('<').next().unwrap_or(text);
    let last = path.rsplit("::").next().unwrap_or(path);
    let mut name = String::with_capacity(last.len());
    let mut starts = true;
    for letter in last.chars() {
        if !is_plain(letter) || letter == '_' {
            starts = true;
        } else if starts {
            name.extend(letter.to_uppercase());
            starts = false;
        } else {
            name.push(letter);
        }
    }
    if name.chars().next().is_none_or(|first| first.is_ascii_digit()) { format!("Type{name}") } else { name }
}

/// The name of a node without the number that made it unique.
pub(super) fn without_number(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((base, number)) if !base.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()) => base,
        _ => name,
    }
}

/// Names that are given out once each.
#[derive(Default, Clone)]
pub(super) struct Fresh(HashSet<String>);

impl Fresh {
    /// For types.
    pub(super) fn types() -> Self {
        Self(TAKEN.iter().chain(TYPES).map(|name| (*name).to_owned()).collect())
    }

    /// For values of a function, which calls functions whose paths start with these names.
    pub(super) fn values<'n>(heads: impl Iterator<Item = &'n str>) -> Self {
        Self(TAKEN.iter().chain(VALUES).copied().chain(heads).map(str::to_owned).collect())
    }

    /// A name like this one that was not given yet: `name`, `name_1`, `name_2`.
    pub(super) fn take(&mut self, name: &str) -> Ident {
        self.take_with(name, "_")
    }

    /// The same for a type: `Name`, `Name1`.
    pub(super) fn take_type(&mut self, name: &str) -> Ident {
        self.take_with(name, "")
    }

    fn take_with(&mut self, name: &str, before_number: &str) -> Ident {
        let mut chosen = name.to_owned();
        let mut count = 1;
        while !self.0.insert(chosen.clone()) {
            count += 1;
            chosen = format!("{name}{before_number}{count}");
        }
        identifier(&chosen)
    }
}
