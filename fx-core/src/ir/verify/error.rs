//! [`VerifyError`]: one way in which a graph is wrong, and [`VerifyErrors`], all of them.
//!
//! Invariant: each says which rule is broken, the node as the graph's text has it, and where the user wrote it.

use std::fmt;

use super::super::meta::Source;
use super::super::node::NodeId;

/// Where a graph is wrong.
///
/// Shown as the node's line, and below it the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The node; none if it is the graph as a whole.
    pub node: Option<NodeId>,
    /// The node as the graph's text has it.
    pub line: String,
    /// Where the user wrote it.
    pub source: Option<Source>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "    {}", self.line)?;
        self.source.as_ref().map_or(Ok(()), |source| write!(f, "\n    at {source}"))
    }
}

/// One way in which a graph is wrong: the rule that is broken, and where.
///
/// In all of them `place` is where, and `why` a sentence; the numbers and names that the rule compares stand beside.
///
/// | rule | says | can be broken by |
/// |---|---|---|
/// | V1 | the links of the order agree both ways and reach every node once | a bug in this crate |
/// | V2 | the labels of the order rise | a bug in this crate |
/// | V3 | users are what the arguments say, and how often | a bug in this crate |
/// | V4 | a node is defined before it is used | moving nodes, giving arguments |
/// | V5 | names are unique and can be names of variables in Rust | a bug in this crate |
/// | V6 | placeholders come first; there is one output, and it is last | any edit |
/// | V7 | arguments fit the operation's parameters; inputs and attributes have none, the output one | giving arguments |
/// | V8 | every path leads to a module or tensor of the right kind | checked by [`GraphModule::check`](crate::module::GraphModule::check) |
/// | V9 | what is stored of a value is what the operation makes of what is known of its arguments | writing metadata |
/// | V10 | arguments name nodes that are in the graph | a bug in this crate |
/// | V11 | a signature names every placeholder once, nothing else, and no two parameters, or parts of the state, are called the same | adding and erasing placeholders |
/// | V12 | nodes are found by the target that they have | a bug in this crate |
/// | V13 | expressions are over the sizes that the graph follows, and those are read from its inputs | giving arguments, erasing inputs |
/// | V14 | the output of a graph with state is the result and one value for each part of the state | replacing the output |
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "`place` is where, `why` is a sentence in all of them")]
pub enum VerifyError {
    /// V1: the links of the order do not agree both ways, or do not reach a node once.
    #[error("V1: {why}\n{place}")]
    Links { place: Place, why: String },
    /// V2: the label is not larger than that of the node before.
    #[error("V2: label {label} does not rise, the node before has {before}\n{place}")]
    Labels { place: Place, label: u64, before: u64 },
    /// V3: the users of the node are not those whose arguments name it.
    #[error("V3: users are recorded as {recorded}, but the arguments say {expected}\n{place}")]
    Users { place: Place, recorded: String, expected: String },
    /// V4: the node uses some that are defined only later, or itself.
    #[error("V4: {} used before the definition\n{place}", are(inputs))]
    UsedBeforeDefined { place: Place, inputs: Vec<String> },
    /// V5: the name is that of another node, too, or is not legal.
    #[error("V5: {why}\n{place}")]
    Name { place: Place, why: String },
    /// V6: a placeholder that is not among the first nodes, or not exactly one output as the last node.
    #[error("V6: {why}\n{place}")]
    Position { place: Place, why: String },
    /// V7: the arguments do not fit the target.
    #[error("V7: {why}\n{place}")]
    Arguments { place: Place, why: String },
    /// V9: what is stored of the value is not what follows from the arguments.
    #[error("V9: {why}\n{place}")]
    Fact { place: Place, why: String },
    /// V10: an argument is a node that is not in the graph.
    #[error("V10: {} used, but not in the graph\n{place}", are(inputs))]
    Erased { place: Place, inputs: Vec<String> },
    /// V11: the signature does not name each placeholder once, or names something else.
    #[error("V11: {why}\n{place}")]
    Signature { place: Place, why: String },
    /// V12: what finds nodes by target does not agree with the nodes.
    #[error("V12: {why}\n{place}")]
    Table { place: Place, why: String },
    /// V13: an expression is over sizes that the graph does not follow, or a size is not read from an input.
    #[error("V13: {why}\n{place}")]
    Size { place: Place, why: String },
    /// V14: the output is not the result and one value for each part of the state.
    #[error("V14: {why}\n{place}")]
    State { place: Place, why: String },
}

impl VerifyError {
    /// The broken rule, `"V4"`.
    ///
    /// For tests and filters: the text of an error begins with it.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Links { .. } => "V1",
            Self::Labels { .. } => "V2",
            Self::Users { .. } => "V3",
            Self::UsedBeforeDefined { .. } => "V4",
            Self::Name { .. } => "V5",
            Self::Position { .. } => "V6",
            Self::Arguments { .. } => "V7",
            Self::Fact { .. } => "V9",
            Self::Erased { .. } => "V10",
            Self::Signature { .. } => "V11",
            Self::Table { .. } => "V12",
            Self::Size { .. } => "V13",
            Self::State { .. } => "V14",
        }
    }

    /// Where the graph is wrong.
    #[must_use]
    pub fn place(&self) -> &Place {
        match self {
            Self::Links { place, .. }
            | Self::Labels { place, .. }
            | Self::Users { place, .. }
            | Self::UsedBeforeDefined { place, .. }
            | Self::Name { place, .. }
            | Self::Position { place, .. }
            | Self::Arguments { place, .. }
            | Self::Fact { place, .. }
            | Self::Erased { place, .. }
            | Self::Signature { place, .. }
            | Self::Table { place, .. }
            | Self::Size { place, .. }
            | Self::State { place, .. } => place,
        }
    }
}

/// Every way in which a graph is wrong, in program order for each group of rules; never empty.
///
/// ```
/// # use fx_core::{ir::Graph, ops::elementwise::relu};
/// let mut graph = Graph::new("g");
/// let mut cursor = graph.at_end();
/// let x = cursor.placeholder("x");
/// let [y, z] = [(); 2].map(|()| cursor.call(&relu::OP, [x.into()], []).expect("one argument"));
/// graph.set_args(y, [z.into()]);
///
/// let errors = graph.verify().unwrap_err();
/// let rules: Vec<&str> = errors.0.iter().map(|error| error.rule()).collect();
/// assert!(rules.contains(&"V4"), "{errors}");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyErrors(pub Vec<VerifyError>);

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("the graph is not correct")?,
            count => write!(f, "the graph is not correct in {count} places")?,
        }
        self.0.iter().try_for_each(|error| write!(f, "\n{error}"))
    }
}

impl std::error::Error for VerifyErrors {}

fn are(names: &[String]) -> String {
    format!("{} {}", names.join(", "), if names.len() == 1 { "is" } else { "are" })
}
