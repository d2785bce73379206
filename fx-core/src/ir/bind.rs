//! [`bind`]: whether arguments fit the parameters of an operation, and which is whose.
//!
//! Invariant: there is one way to write a call. Tensors, and what can be one, are arguments by position, everything
//! else by name, and every parameter has exactly one argument.

use std::collections::HashSet;

use smallvec::SmallVec;

use super::argument::Argument;
use super::graph::Graph;
use super::node::{Keyword, NodeId};
use super::target::{Op, Target};
use crate::ops::{CallKind, OpRef, Param};

/// A call that does not fit the operation.
///
/// Every message says how the operation is called. It is made where a node is added or gets another target; arguments
/// that are changed one by one are checked by [`Graph::verify`] (V7).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// More arguments by position than parameters that take one.
    #[error(
        "`{}` takes {} by position, but got {found}; it is called as `{}`",
        op.name, arguments(*expected), signature(op)
    )]
    TooMany {
        /// The operation.
        op: OpRef,
        /// How many arguments it takes by position.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A parameter without an argument.
    #[error("`{}`: argument `{parameter}` is missing; it is called as `{}`", op.name, signature(op))]
    Missing {
        /// The operation.
        op: OpRef,
        /// The parameter.
        parameter: &'static str,
    },
    /// An argument by a name that no parameter by name has.
    #[error("`{}` takes no argument `{keyword}` by name; it is called as `{}`", op.name, signature(op))]
    Unknown {
        /// The operation.
        op: OpRef,
        /// The name.
        keyword: Keyword,
    },
    /// Two arguments by the same name.
    #[error("`{}`: argument `{keyword}` is given twice", op.name)]
    Repeated {
        /// The operation.
        op: OpRef,
        /// The name.
        keyword: Keyword,
    },
    /// A method called as a function, or the other way round.
    #[error("`{}` is a {}, and cannot be the target of a {found}", op.name, kind(op))]
    WrongOpcode {
        /// The operation.
        op: OpRef,
        /// The opcode.
        found: Op,
    },
}

/// The arguments of a call in the order of the operation's parameters, one for each.
///
/// What [`bind`] returns.
pub type Bound<'a> = SmallVec<[&'a Argument; 4]>;

/// Brings the arguments of a call into the order of the operation's parameters.
///
/// One for each parameter: graphs have no defaults. [`Graph::normalized_arguments`] does it for a node.
///
/// # Errors
///
/// If an argument is missing, unknown, or given twice.
pub fn bind<'a>(op: OpRef, args: &'a [Argument], kwargs: &'a [(Keyword, Argument)]) -> Result<Bound<'a>, BindError> {
    let expected = op.params.iter().filter(|param| param.positional).count();
    if args.len() > expected {
        return Err(BindError::TooMany { op, expected, found: args.len() });
    }
    let mut bound = Bound::new();
    let mut by_position = args.iter();
    let mut by_name = 0;
    for param in op.params {
        let argument = if param.positional {
            by_position.next()
        } else {
            let named = kwargs.iter().find(|(keyword, _)| keyword == param.name);
            by_name += usize::from(named.is_some());
            named.map(|(_, argument)| argument)
        };
        bound.push(argument.ok_or(BindError::Missing { op, parameter: param.name })?);
    }
    if by_name < kwargs.len() {
        return Err(unexpected(op, kwargs));
    }
    Ok(bound)
}

/// The parameters of an operation that have an argument, with it, in their order. Unlike [`bind`] it takes what there is.
pub(crate) fn by_parameter<'a>(
    op: OpRef,
    args: &'a [Argument],
    kwargs: &'a [(Keyword, Argument)],
) -> impl Iterator<Item = (&'static Param, &'a Argument)> {
    let mut positional = args.iter();
    op.params.iter().filter_map(move |param| {
        let by_name = || kwargs.iter().find_map(|(name, argument)| (*name == param.name).then_some(argument));
        let argument = if param.positional { positional.next() } else { by_name() };
        Some((param, argument?))
    })
}

/// What is wrong when there are more arguments by name than parameters that found one.
fn unexpected(op: OpRef, kwargs: &[(Keyword, Argument)]) -> BindError {
    let is_known = |keyword: &Keyword| op.params.iter().any(|param| !param.positional && *keyword == param.name);
    match (kwargs.iter().find(|(keyword, _)| !is_known(keyword)), repeated(kwargs)) {
        (Some((keyword, _)), _) => BindError::Unknown { op, keyword: keyword.clone() },
        (None, keyword) => BindError::Repeated { op, keyword: keyword.cloned().unwrap_or("?".into()) },
    }
}

/// The first name that two arguments have.
pub(super) fn repeated(kwargs: &[(Keyword, Argument)]) -> Option<&Keyword> {
    let mut seen = HashSet::new();
    kwargs.iter().map(|(keyword, _)| keyword).find(|keyword| kwargs.len() > 1 && !seen.insert(&***keyword))
}

/// The arguments of a call, matched to the parameters of its operation, torch.fx's `ArgsKwargsPair`.
///
/// What passes read to find an argument however it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormalizedArguments {
    /// Arguments by position, in the order of the parameters.
    pub args: Vec<Argument>,
    /// Arguments by name, in the order of the parameters.
    pub kwargs: Vec<(Keyword, Argument)>,
}

impl Graph {
    /// The arguments of a node, matched to the parameters of its operation: all of them by name if `by_name_only`,
    /// otherwise those by position that graphs write so. None if the node calls no operation; of calls of layers and child
    /// graphs, [`GraphModule::normalized_arguments`](crate::module::GraphModule::normalized_arguments) knows more. Every
    /// parameter of an operation has an argument, so there are no defaults to be filled in.
    ///
    /// ```
    /// # use fx_core::ir::Graph;
    /// # use fx_core::ops::elementwise::clamp;
    /// let mut graph = Graph::new("g");
    /// let mut cursor = graph.at_end();
    /// let x = cursor.placeholder("x");
    /// let bounds = [("max".into(), 1.0.into()), ("min".into(), 0.0.into())];
    /// let clamped = cursor.call_method(&clamp::OP, [x.into()], bounds)?;
    ///
    /// let call = graph.normalized_arguments(clamped, true)?.expect("it calls an operation");
    /// let names: Vec<&str> = call.kwargs.iter().map(|(name, _)| &**name).collect();
    /// assert_eq!((call.args, names), (vec![], vec!["x", "min", "max"]));
    /// # Ok::<(), fx_core::ir::BindError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the arguments do not fit the operation, which [`Graph::verify`] reports as V7.
    ///
    /// # Panics
    ///
    /// If the node was erased or is of another graph.
    #[track_caller]
    pub fn normalized_arguments(
        &self,
        id: NodeId,
        by_name_only: bool,
    ) -> Result<Option<NormalizedArguments>, BindError> {
        let node = self.node(id);
        let Some(op) = node.target().operation() else { return Ok(None) };
        let mut normalized = NormalizedArguments { args: Vec::new(), kwargs: Vec::new() };
        for (param, argument) in op.params.iter().zip(bind(op, node.args(), node.kwargs())?) {
            if param.positional && !by_name_only {
                normalized.args.push(argument.clone());
            } else {
                normalized.kwargs.push((param.name.into(), argument.clone()));
            }
        }
        Ok(Some(normalized))
    }
}

/// Checks that a method is called as a method and a function as a function.
pub(super) fn check_opcode(target: &Target) -> Result<(), BindError> {
    match target.operation() {
        Some(op) if *target != Target::call(op) => Err(BindError::WrongOpcode { op, found: target.op() }),
        _ => Ok(()),
    }
}

/// Checks a call, if the target is an operation, and brings its arguments by name into the order of the parameters.
pub(super) fn check(target: &Target, args: &[Argument], kwargs: &mut [(Keyword, Argument)]) -> Result<(), BindError> {
    if let Some(op) = target.operation() {
        check_opcode(target)?;
        if !is_in_order(op, args, kwargs) {
            bind(op, args, kwargs)?;
            sort(op, kwargs);
        }
    }
    Ok(())
}

/// Whether each parameter has its argument, and those by name come in the order of the parameters: nearly always so.
fn is_in_order(op: OpRef, args: &[Argument], kwargs: &[(Keyword, Argument)]) -> bool {
    let (mut positional, mut by_name) = (0, kwargs.iter());
    for param in op.params {
        if param.positional {
            positional += 1;
        } else if by_name.next().is_none_or(|(keyword, _)| keyword != param.name) {
            return false;
        }
    }
    positional == args.len() && by_name.next().is_none()
}

/// Brings arguments by name into the order of the parameters.
pub(super) fn sort(op: OpRef, kwargs: &mut [(Keyword, Argument)]) {
    if kwargs.len() > 1 {
        kwargs.sort_by_key(|(keyword, _)| op.param(keyword));
    }
}

/// How an operation is called: `clamp(x, min = .., max = ..)`.
fn signature(op: OpRef) -> String {
    let by_position = op.params.iter().filter(|param| param.positional).map(|param| param.name.to_owned());
    let by_name = op.params.iter().filter(|param| !param.positional).map(|param| format!("{} = ..", param.name));
    format!("{}({})", op.name, by_position.chain(by_name).collect::<Vec<_>>().join(", "))
}

fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        _ => format!("{count} arguments"),
    }
}

fn kind(op: OpRef) -> &'static str {
    match op.kind {
        CallKind::Method => "method",
        CallKind::Function => "function",
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{ADD, CLAMP};
    use super::*;

    fn clamp(args: &[Argument], kwargs: &[(&'static str, f64)]) -> Result<String, String> {
        let kwargs: Vec<_> = kwargs.iter().map(|&(keyword, value)| (keyword.into(), value.into())).collect();
        bind(&CLAMP, args, &kwargs).map(|bound| format!("{bound:?}")).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_are_brought_into_order() {
        let bound = clamp(&[1.into()], &[("max", 3.0), ("min", 2.0)]);
        assert_eq!(bound.as_deref(), Ok("[Int(1), Float(2.0), Float(3.0)]"));
    }

    #[test]
    fn errors_name_operation_and_parameter() {
        let errors = [
            clamp(&[], &[("min", 0.0), ("max", 1.0)]),
            clamp(&[1.into()], &[("min", 0.0)]),
            clamp(&[1.into(), 0.0.into()], &[]),
            clamp(&[1.into()], &[("min", 0.0), ("max", 1.0), ("mid", 0.5)]),
            clamp(&[1.into()], &[("min", 0.0), ("max", 1.0), ("min", 0.5)]),
            clamp(&[1.into()], &[("x", 0.0), ("min", 0.0), ("max", 1.0)]),
            check(&Target::CallMethod(&ADD), &[], &mut []).map(|()| String::new()).map_err(|error| error.to_string()),
        ];
        let errors: Vec<String> = errors.into_iter().map(Result::unwrap_err).collect();
        insta::assert_snapshot!(errors.join("\n"));
    }
}
