//! [`DynamicError`]: why a model is not captured for all sizes.
//!
//! Invariant: what differs between two sizes is named with both, and with the user's line where there is one.

use crate::trace::error::TraceError;

/// Why a model is not captured for all sizes that were declared.
///
/// It is inside of [`TraceError::Dynamic`](super::super::TraceError::Dynamic).
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicError {
    /// A size has no legal name, or is no expression.
    #[error("`{size}` cannot be a size: {reason}")]
    BadSize {
        /// As it was declared.
        size: String,
        /// Why.
        reason: String,
    },
    /// What was declared is about an input that there is not.
    #[error(
        "`{input}` is declared to differ from run to run, but is no input of known shape or, for `dynamic_arg`, no integer; \
         give it, `.input(\"{input}\", DType::F32, (2, 3))`, `.example(\"{input}\", …)` or `.concrete_arg(\"{input}\", 1)`"
    )]
    NoSuchInput {
        /// The parameter.
        input: String,
    },
    /// A dimension was declared that a tensor does not have.
    #[error("`{input}` has no dimension {axis} of known extent, it is {found}")]
    NoSuchDimension {
        /// The parameter.
        input: String,
        /// The dimension.
        axis: usize,
        /// What is known of the input.
        found: String,
    },
    /// Two places say that one size is two things.
    #[error("the size `{size}` is {known}, but {found} by input `{input}`; sizes that differ need names that differ")]
    OtherExtent {
        /// The size.
        size: String,
        /// What it is by another.
        known: i64,
        /// The parameter.
        input: String,
        /// What it is by this.
        found: i64,
    },
    /// The model works at the first size, and not at others.
    #[error(
        "`{size}` cannot differ from {hint}, at which the model was captured; at {tried}:\n  {reason}\n  if sizes are the \
         same or follow from each other, say so: `.dynamic(…, \"{size}\")` on all of them, or an expression such as \
         `\"{size} + 1\"`"
    )]
    CannotVary {
        /// The size.
        size: String,
        /// What it was at the capture.
        hint: i64,
        /// Another, at which the model fails.
        tried: i64,
        /// How it fails.
        reason: Box<TraceError>,
    },
    /// The model goes another way at nearly every other size.
    #[error(
        "`{size}` would be the same in all runs: the model goes the way it goes at {hint} at {count} of the tried sizes \
         only, because of `{comparison}`\n  at {at}\n  capture it with an example of another size, and what is special at \
         {hint} as a graph of its own"
    )]
    OneWay {
        /// The size.
        size: String,
        /// What it was at the capture.
        hint: i64,
        /// At how many sizes it goes this way.
        count: usize,
        /// The comparison that decides.
        comparison: String,
        /// The user's line.
        at: String,
    },
    /// The graphs of two sizes differ, and no comparison that can be a guard says why.
    #[error(
        "the model does something else at {other} than at {base}: {because}{because_at}\n  {here}{here_at}\n  {there}{there_at}\n  \
         capture it for one size, without `.dynamic(…)`, or let `fx::compile` capture it for each size that occurs; or put \
         what depends on the size into a function with `#[fx::wrap(pure)]`, which is one node and runs each time"
    )]
    OtherGraph {
        /// The sizes of the first capture.
        base: String,
        /// The other sizes.
        other: String,
        /// What is known of what decides it.
        because: String,
        /// Where, as a clause.
        because_at: String,
        /// The node at the first.
        here: String,
        /// Where it was written, as a clause.
        here_at: String,
        /// The node at the other.
        there: String,
        /// Where it was written, as a clause.
        there_at: String,
    },
    /// A loop goes round once for each of a size, or otherwise so that the graph is another at nearly every size.
    #[error(
        "the graph cannot follow `{size}`: {what}, each of which is a part of the graph\n  at {at}\n  a graph has no loops: \
         compute it for all of `{size}` at once, put the loop into a function with `#[fx::wrap(pure)]`, which is one node and \
         runs each time, or keep `{size}` as it is, without `.dynamic(…)`; `fx::compile` captures the model for each size that \
         occurs"
    )]
    Loop {
        /// The size.
        size: String,
        /// What goes round, and how often at two sizes.
        what: String,
        /// The user's line.
        at: String,
    },
    /// A number differs from size to size and follows no expression that is known.
    #[error(
        "{what} is {first} at {base}, and {second} at {other}, which no expression of sizes that is tried gives\n  in \
         {line}{at}\n  put what computes it and what is called with it into a function with `#[fx::wrap(pure)]`, which is one \
         node and runs each time; or, if it is one of a few, choose it by comparisons (`if n <= 64 {{ 64 }} else {{ 128 }}`), \
         which become guards"
    )]
    NotFitted {
        /// What the number is.
        what: String,
        /// What it is at the first sizes.
        first: String,
        /// The first sizes.
        base: String,
        /// What it is at the others.
        second: String,
        /// The other sizes.
        other: String,
        /// The node.
        line: String,
        /// The user's line, as a clause.
        at: String,
    },
    /// A tensor that the model builds on the host differs from size to size.
    #[error(
        "a tensor that is built on the host is {first} at {base} and {second} at {other}, and is neither of one number, nor \
         counts up, nor follows from rows and columns\n  read by {line}{at}\n  annotate the function that builds it with \
         `#[fx::module]` (it is then called again at each size; its arguments have to be numbers, flags, dtypes and devices, or \
         tuples and lists of them) \
         or give it as an input"
    )]
    HostTensor {
        /// Its shape at the first sizes.
        first: String,
        /// The first sizes.
        base: String,
        /// Its shape at the others.
        second: String,
        /// The other sizes.
        other: String,
        /// The node that reads it.
        line: String,
        /// The user's line, as a clause.
        at: String,
    },
    /// What decides a way is no expression of sizes.
    #[error(
        "the model compares numbers that follow from sizes, `{comparison}` at {base} and `{second}` at {other}, and no \
         expression of sizes that is tried gives them\n  at {at}"
    )]
    Comparison {
        /// At the first sizes.
        comparison: String,
        /// The first sizes.
        base: String,
        /// At the others.
        second: String,
        /// The other sizes.
        other: String,
        /// The user's line.
        at: String,
    },
    /// More sizes were needed than can be asked for.
    #[error(
        "after captures at {rounds} more sizes several expressions are still possible of a number, or none is found:\n  {reason}"
    )]
    Unclear {
        /// How many there were.
        rounds: usize,
        /// The number, as if it followed no expression.
        reason: Box<DynamicError>,
    },
    /// What was made is not correct.
    #[error("the graph of all sizes is not correct: {0}")]
    NotCorrect(String),
}
