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
//! # Grammar
//!
//! Space and comments, from `//` to the end of the line, can be between any two tokens and mean nothing: facts and
//! source lines in comments are for people. `word`, `string`, `path` and what is made of them are single tokens.
//!
//! ```ebnf
//! graph      = "graph" name "(" [ input { "," input } [ "," ] ] ")" "{" { statement } "}" ;
//! input      = [ name ] node [ ":" fact ] ;           (* with the parameter's name, if it is not the node's *)
//! statement  = node "=" ( get_attr | function | method | module | output ) | output ;
//! get_attr   = "get_attr" dotted "(" ")" ;
//! function   = "call_function" rust_path call ;
//! method     = "call_method" rust_path call ;
//! module     = "call_module" dotted call ;
//! output     = "output" argument ;                    (* a node without a name is called `output` *)
//! call       = "(" [ parameter { "," parameter } ] ")" ;
//! parameter  = argument | name "=" argument ;         (* those by position first *)
//!
//! argument   = node | "none" | "true" | "false" | integer | float | string | dtype | device | range
//!            | list | tuple | structure ;
//! range      = [ integer ] ".." [ integer ] ;
//! list       = "[" [ argument { "," argument } ] "]" ;
//! tuple      = "(" ")" | "(" argument "," ")" | "(" argument "," argument { "," argument } ")" ;
//! structure  = rust_path "{" [ field { "," field } ] "}" ;
//! field      = name ":" argument ;
//!
//! fact       = dtype "[" [ integer { "," integer } ] "]" | "[" [ fact { "," fact } ] "]" | "?" | argument ;
//! dtype      = word ;                                 (* candle's name: f32, bf16, u8, … *)
//! device     = "cpu" | ( "cuda" | "metal" ) ":" integer ;
//!
//! node       = "%" word ;
//! name       = word | string ;
//! rust_path  = word { "::" word } | string ;
//! dotted     = segment { "." segment } | string ;     (* the model itself is "" *)
//! word       = ( "_" | XID_Start ) { XID_Continue } ;
//! segment    = XID_Continue { XID_Continue } ;
//! integer    = [ "-" ] digit { digit } ;
//! float      = [ "-" ] digit { digit } ( "." digit { digit } [ exponent ] | exponent ) | [ "-" ] "inf"
//!            | "nan" [ ":0x" hex { hex } ] ;          (* the bits of an f64 that is another NaN than Rust's *)
//! exponent   = "e" [ "-" ] digit { digit } ;
//! string     = a Rust string literal with the escapes \" \' \\ \n \r \t \0 \u{…} ;
//! ```
//!
//! Invariant: text only reads graphs; it never changes one.

mod error;
mod full;
mod lex;
mod read;
mod read_argument;
mod read_meta;
mod table;
mod write;
mod write_meta;

#[cfg(test)]
mod read_tests;
#[cfg(test)]
mod tests;

pub use error::{ParseError, ParseErrorKind};
pub use full::WriteError;

/// How many modules can be inside of each other in a text. Dropping them is recursive.
const MAX_MODULES: usize = 1024;
