//! The text form of a graph.
//!
//! ```text
//! graph my_module(%x: f32[3, 4]) {
//!     %param = get_attr param()                          // f32[3, 4]
//!     %add = call_function add(%x, %param)               // f32[3, 4] model.rs:10
//!     %linear = call_module linear(%add)
//!     %clamp = call_method clamp(%linear, min = 0.0, max = 1.0)
//!     output %clamp
//! }
//! ```
//!
//! `Display` writes this short form, for people. [`Graph::to_text`](crate::ir::Graph::to_text) writes the full form, with
//! everything that is remembered about nodes between `@{` and `}`, and with the modules that they were recorded in, each
//! declared once before the first node in it. [`Graph::parse`](crate::ir::Graph::parse) reads both.
//!
//! ```text
//! graph my_module(%x: f32[3, 4]) {
//!     #1 = encoder: Encoder
//!     #2 = encoder.layers.0: Layer in #1
//!     %linear = call_module encoder.layers.0.linear(%x) @{ fact: f32[3, 5], in: #2, at: "src/model.rs":10 }
//!     output %linear @{ from: [fuse: output of before], note: "seen", custom: { stage: 2 } }
//! }
//! ```
//!
//! # Grammar
//!
//! Space and comments, from `//` to the end of the line, can be between any two tokens and mean nothing: facts and
//! source lines in comments are for people. `word`, `string`, `path` and what is made of them are single tokens. A byte
//! order mark before the text means nothing.
//!
//! ```ebnf
//! graph      = "graph" name [ sizes ] "(" [ input { "," input } [ "," ] ] ")" [ takes ] [ guards ]
//!              "{" { module | statement } "}" ;
//! sizes      = "<" [ size { "," size } [ "," ] ] ">" ;
//! size       = word ":" integer { "=" node [ "[" digits "]" ] } ;
//!                                                     (* what it was at the capture; an integer input, or a dimension *)
//! guards     = "where" "(" [ guard { "," guard } [ "," ] ] ")" ;
//! guard      = expression ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) expression [ "at" string ":" digits ] ;
//! input      = [ name ] node [ ":" fact ] [ meta ] ;  (* with the parameter's name, if it is not the node's *)
//! takes      = "takes" "(" [ name "=" argument { "," name "=" argument } [ "," ] ] ")" [ state ] ;
//!                                                     (* how it is called, if not with one value for each input *)
//! state      = "state" "(" dotted "=" argument { "," dotted "=" argument } [ "," ] ")" ;
//!                                                     (* what it reads of its state, and after an output what it writes *)
//! module     = "#" digits "=" dotted [ "@" digits ] ":" rust_path [ "in" "#" digits ] ;
//!                                                     (* numbered from 1; behind the @ how often it had been called *)
//! statement  = ( node "=" ( placeholder | get_attr | function | method | called | output ) | output ) [ meta ] ;
//! placeholder = "placeholder" name call ;             (* an input after other nodes *)
//! get_attr   = "get_attr" dotted call ;
//! function   = "call_function" rust_path call ;
//! method     = "call_method" rust_path call ;
//! called     = "call_module" dotted call ;
//! output     = "output" argument [ state ]            (* a node without a name is called `output` *)
//!            | "output" "output" call ;               (* not correct: of no value, or of several *)
//! call       = "(" [ parameter { "," parameter } [ "," ] ] ")" ;
//! parameter  = argument | name "=" argument ;         (* those by position first *)
//!
//! meta       = "@" "{" [ entry { "," entry } [ "," ] ] "}" ;     (* each entry at most once *)
//! entry      = "fact" ":" fact
//!            | "in" ":" "#" digits
//!            | "at" ":" string ":" digits
//!            | "from" ":" "[" [ origin { "," origin } [ "," ] ] "]"
//!            | "note" ":" string
//!            | "custom" ":" "{" [ field { "," field } [ "," ] ] "}" ;    (* values without nodes *)
//! origin     = name ":" name "of" name ;              (* pass, node and graph *)
//!
//! argument   = node | "none" | "true" | "false" | expression | float | string | dtype | device | range
//!            | list | tuple | structure ;
//! range      = [ expression ] ".." [ expression ] ;
//! expression = term { ( "+" | "-" ) term } ;          (* without sizes an integer *)
//! term       = operand { ( "*" | "/" | "%" ) operand } ;
//! operand    = integer | word | ( "min" | "max" ) "(" expression "," expression ")" | "(" expression ")" ;
//! list       = "[" [ argument { "," argument } [ "," ] ] "]" ;
//! tuple      = "(" ")" | "(" argument "," ")" | "(" argument "," argument { "," argument } [ "," ] ")" ;
//! structure  = rust_path "{" [ field { "," field } [ "," ] ] "}" ;
//! field      = name ":" argument ;
//!
//! fact       = dtype "[" [ expression { "," expression } ] "]" | "[" [ fact { "," fact } ] "]" | "(" [ fact { "," fact } ] ")"
//!            | "?" | "data" ( list | tuple ) | argument ;        (* arguments that are known exactly, without nodes *)
//! dtype      = word ;                                 (* candle's name: f32, bf16, u8, … *)
//! device     = "cpu" | ( "cuda" | "metal" ) ":" digits ;
//!
//! node       = "%" word ;
//! name       = word | string ;
//! rust_path  = word { "::" word } | string ;
//! dotted     = segment { "." segment } | string ;     (* the model itself is "" *)
//! word       = ( "_" | XID_Start ) { XID_Continue } ;
//! segment    = XID_Continue { XID_Continue } ;
//! digits     = digit { digit } ;
//! integer    = [ "-" ] digits ;
//! float      = [ "-" ] digits ( "." digits [ exponent ] | exponent ) | [ "-" ] "inf"
//!            | "nan" [ ":0x" hex { hex } ] ;          (* the bits of an f64 that is another NaN than Rust's *)
//! exponent   = "e" [ "-" ] digits ;
//! string     = a Rust string literal with the escapes \" \' \\ \n \r \t \0 \u{…} ;
//! ```
//!
//! Nodes may be used before they are defined, which the verifier reports. Names are read as they are: a text with a name
//! that Rust does not allow, or that two nodes have, is an error. Nesting is at most
//! [`Argument::MAX_DEPTH`](crate::ir::Argument::MAX_DEPTH) deep, modules are at most 1024 inside of each other.
//!
//! | file | holds |
//! |---|---|
//! | `write`, `full`, `write_meta` | the short and the full form |
//! | `error`, `lex`, `read`, `read_argument`, `read_size`, `read_meta` | reading both |
//! | `file` | the text of a saved module |
//! | `table` | the graph as a table |
//!
//! [`Graph::print_tabular`](crate::ir::Graph::print_tabular) is a table instead. A whole module with its tensors is
//! saved by [`GraphModule::save`](crate::module::GraphModule::save), in files of this text.
//!
//! Invariant: what was written is read back to the same graph; a text that is not a graph is an error with a place, and
//! takes no more than linear time.

mod error;
pub(crate) mod file;
mod full;
mod lex;
mod read;
mod read_argument;
mod read_meta;
mod read_size;
pub(crate) mod state;
mod table;
mod write;
mod write_meta;

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod read_tests;
#[cfg(test)]
mod size_tests;
#[cfg(test)]
mod tests;

pub use error::{ParseError, ParseErrorKind};
pub use full::WriteError;
pub(crate) use read_size::parse_size;

/// How many modules can be inside of each other in a text. Dropping them is recursive.
const MAX_MODULES: usize = 1024;
