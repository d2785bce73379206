//! Text that goes into a file at byte positions.
//!
//! Holds no Rust syntax besides the indentation of a line. Invariant: an insertion in front of an item that begins its
//! line is a whole line of its own, so the lines around it stay what they were.

/// Text to put in front of the byte at `at`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// Byte position in the original text.
    pub at: usize,
    /// The inserted text.
    pub text: String,
}

impl Insertion {
    /// Inserts an attribute in front of the token at byte `token`: on a line of its own, with that token's indentation,
    /// or on the same line where something else stands before the token.
    pub(super) fn attribute(text: &str, token: usize, attribute: &str) -> Self {
        let line = text[..token].rfind('\n').map_or(0, |newline| newline + 1);
        let indentation = &text[line..token];
        if indentation.chars().all(char::is_whitespace) {
            let ending = line_ending(&text[token..]);
            Self { at: line, text: format!("{indentation}{attribute}{ending}") }
        } else {
            Self { at: token, text: format!("{attribute} ") }
        }
    }
}

/// The ending of the first line of `text`, so that a file keeps one kind of line ending.
fn line_ending(text: &str) -> &'static str {
    match text.find('\n') {
        Some(newline) if text[..newline].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The text with all insertions made. They must be in order of position; those at the same position keep their order.
///
/// # Panics
///
/// If a position is not one of this text, or they are out of order.
pub fn apply(text: &str, insertions: &[Insertion]) -> String {
    let mut result = String::with_capacity(text.len() + insertions.len() * 16);
    let mut copied = 0;
    for insertion in insertions {
        result.push_str(&text[copied..insertion.at]);
        result.push_str(&insertion.text);
        copied = insertion.at;
    }
    result.push_str(&text[copied..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_on_its_own_line_gets_a_line_with_its_indentation() {
        let text = "mod m {\r\n    struct A;\r\n}\r\n";
        let insertion = Insertion::attribute(text, text.find("struct").unwrap(), "#[a]");
        assert_eq!(apply(text, &[insertion]), "mod m {\r\n    #[a]\r\n    struct A;\r\n}\r\n");
    }

    #[test]
    fn an_item_behind_another_stays_on_its_line() {
        let text = "struct A; struct B;";
        let insertion = Insertion::attribute(text, text.find("struct B").unwrap(), "#[a]");
        assert_eq!(apply(text, &[insertion]), "struct A; #[a] struct B;");
    }
}
