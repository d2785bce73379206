//! Items as they are while somebody types: an editor expands the attributes at each keystroke.
//!
//! Invariant: whatever cannot be read, the author's own tokens are in the output, in their order, so that completion and
//! types at the cursor stay as they are without the attribute.

use proc_macro2::TokenStream;

use crate::options::without_options;

type Expand = fn(TokenStream, TokenStream) -> TokenStream;

const ATTRIBUTES: [(&str, Expand); 3] =
    [("module", crate::module::expand), ("constant", crate::constant::expand), ("wrap", crate::wrap::expand)];

/// What may stand in a body while it is typed.
const BODIES: &[&str] = &[
    "self.",
    "self.linear.",
    "let y = self.linear.",
    "let",
    "let y",
    "let y =",
    "let y = ;",
    "let y: = x;",
    "let y: Vec< = x;",
    "let (a, ) = x.",
    "x.forward(",
    "x.forward(&)",
    "x.forward(&self.)?",
    "x.forward(x)?.",
    "x?..relu()",
    "Self::",
    "Self::scale::<>(",
    "candle_nn::",
    "candle_nn::ops::",
    "Tensor::",
    "Model {",
    "Model { linear: }",
    "Model { linear, .. self }",
    "if",
    "if x",
    "if x.",
    "if let",
    "if let Some(y) =",
    "if x { } else",
    "match",
    "match x {",
    "match x { Some( => }",
    "match x { Self:: }",
    "match self { Self::A(x) => x. }",
    "for",
    "for i",
    "for i in",
    "for i in 0.. {",
    "while",
    "loop {",
    "return",
    "return Ok(",
    "break 'a",
    "|x|",
    "xs.iter().map(|x| x.",
    "x +",
    "x + &",
    "&mut",
    "x as",
    "x[",
    "x[0].",
    "vec![",
    "vec![x.]",
    "println!(\"{}\", x.)",
    "matches!(self, Self::)",
    "#[",
    "#[cfg]",
    "unsafe",
    "async",
    "const",
    "fn",
    "fn inner(",
    "use",
    "use candle_core::{",
    "struct",
    "..",
    "=",
    "?",
    "=>",
    "'a",
    "\"text\"",
    "$",
    "1.",
    "x.0.",
    "",
];

/// What may stand in place of an item, or of a part of it.
const ITEMS: &[&str] = &[
    "",
    "pub",
    "pub(",
    "struct",
    "struct Model",
    "struct Model<",
    "struct Model {",
    "struct Model { linear }",
    "struct Model { linear: }",
    "struct Model { linear: Linear norm: LayerNorm }",
    "struct Model { linear: Vec< }",
    "struct Model { linear: candle_nn:: }",
    "struct Model { #[fx(leaf)] linear: }",
    "struct Model { #[fx(rename = )] linear: Linear }",
    "struct Model { #[fx(lea)] linear: Linear }",
    "struct Model { #[fx] linear: Linear, }",
    "struct Model(Linear, );",
    "struct Model(Linear, pub )",
    "struct Model where",
    "#[derive(] struct Model;",
    "#[derive(Clo)] struct Model { linear: Linear }",
    "enum",
    "enum Kind { A(, B }",
    "enum Kind { A(Linear), B { linear } }",
    "enum Kind { A = , }",
    "impl",
    "impl Module",
    "impl Module for",
    "impl Module for Model",
    "impl Module for Model {",
    "impl Module for { fn forward(&self, x: &Tensor) -> Result<Tensor> { x.relu() } }",
    "impl<M> Model<M> { fn }",
    "impl Model { fn forward }",
    "impl Model { fn forward( }",
    "impl Model { fn forward(&self, x) }",
    "impl Model { fn forward(&self, x: &) -> Result<Tensor> { x.relu() } }",
    "impl Model { fn forward(&self, x: &Tensor) -> { x.relu() } }",
    "impl Model { fn forward(&self, x: &Tensor) -> Result< { x.relu() } }",
    "impl Model { fn forward(&self, x: &Tensor) -> Result<Tensor> }",
    "impl Model { #[fx(ski)] fn forward(&self, x: &Tensor) -> Result<Tensor> { x.relu() } }",
    "impl Model { #[fx(skip)] fn forward(&self, x: &Tensor) -> Result<Tensor> { x. } }",
    "impl Model { forward() }",
    "impl Model { pub }",
    "impl Model { const }",
    "trait Block",
    "trait Block { fn forward(&self, x: &Tensor) -> Result<Tensor> }",
    "trait Block: { fn forward(&self); }",
    "trait Block: Module { fn forward(&self); }",
    "fn",
    "fn scaled",
    "fn scaled(x: &Tensor",
    "fn scaled(x: ) -> Result<Tensor> { x.relu() }",
    "fn scaled<(x: &Tensor) -> Result<Tensor> { x.relu() }",
    "fn scaled(x: &Tensor) -> Result<Tensor>;",
    "fn scaled(self, x: &Tensor) -> Result<Tensor> { x.relu() }",
    "async fn scaled(x: &Tensor) -> Result<Tensor> { x.relu() }",
    "mod",
    "use candle_core::",
    "const X: usize = ",
    "macro_rules! layers",
    "layers!",
    "1 + 1",
];

/// What may stand in an attribute's parentheses.
const OPTIONS: &[&str] = &["", "spec", "crate", "crate =", "crate = ::", "specialize,,", "mirrored", "\"x\"", "= 3"];

/// The text as an editor hands it over: brackets that are open are closed, at the end or before one that closes another.
fn tokens(text: &str) -> TokenStream {
    let (mut open, mut closed) = (Vec::new(), String::new());
    let mut in_text = false;
    for letter in text.chars() {
        match letter {
            '"' => in_text = !in_text,
            _ if in_text => {}
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' => {
                while let Some(other) = open.pop().filter(|other| *other != letter) {
                    closed.push(other);
                }
            }
            _ => {}
        }
        closed.push(letter);
    }
    closed.extend(open.into_iter().rev());
    closed.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Expands, and says what is wrong with the output.
fn fault(expand: Expand, options: &str, item: &str) -> Option<String> {
    let output = expand(tokens(options), tokens(item));
    let without_spaces = |tokens: TokenStream| tokens.to_string().replace(' ', "");
    let (written, item) = (without_spaces(output), without_spaces(without_options(tokens(item))));
    // What can be read is expanded, as other tests show.
    let is_there = written.starts_with(&item) || !written.contains("compile_error");
    (!is_there).then(|| format!("{item}\n  became {written}\n"))
}

#[test]
fn the_item_is_always_there() {
    let mut faults = String::new();
    for body in BODIES {
        let signature = "fn forward(&self, x: &Tensor) -> Result<Tensor>";
        for item in [
            format!("impl Module for Model {{ {signature} {{ {body}"),
            format!("impl Model {{ #[fx(include)] {signature} {{ let y = x.relu()?; {body}"),
            format!("fn scaled(x: &Tensor) -> Result<Tensor> {{ {body}"),
            format!("fn block(vb: VarBuilder) -> Result<Func> {{ Ok(Func::new(move |x| {{ {body}"),
            format!("trait Block {{ {signature} {{ {body}"),
        ] {
            for (_, expand) in ATTRIBUTES {
                faults.extend(fault(expand, "", &item));
            }
        }
    }
    for item in ITEMS {
        for (_, expand) in ATTRIBUTES {
            faults.extend(fault(expand, "", item));
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn options_may_be_half_typed_too() {
    let mut faults = String::new();
    for options in OPTIONS {
        for (attribute, expand) in ATTRIBUTES {
            let item = match attribute {
                // One that can be read would be expanded, without what is refused.
                "wrap" => "fn scaled(x: &Tensor) -> Result<Tensor> { x. }",
                "constant" => "#[derive(Clone)] struct Config { heads: usize }",
                _ => "impl Module for Model { fn forward(&self, x: &Tensor) -> Result<Tensor> { x.relu() } }",
            };
            faults.extend(fault(expand, options, item));
        }
    }
    assert!(faults.is_empty(), "{faults}");
}
