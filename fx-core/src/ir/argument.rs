//! [`Argument`]: what a node reads: other nodes, plain data, and structures of both.
//!
//! Invariant: there are no tensors in arguments; they are attributes of the model. Functions here recurse over nested
//! lists, never over the graph, and arguments that are in a graph are nested at most [`Argument::MAX_DEPTH`] deep.

use std::hash::{Hash, Hasher};
use std::ops::{Range, RangeFrom, RangeFull, RangeTo};
use std::sync::Arc;

use candle_core::DType;

use super::node::NodeId;
use crate::value::{Device, Fact, Sizes, SymError, SymFloat, SymInt, Value};

/// What a node reads. Equal by content, floats by bits, so that arguments can be keys.
///
/// ```
/// # use fx_core::ir::{Argument, Graph};
/// let mut graph = Graph::new("g");
/// let [a, b] = ["a", "b"].map(|name| graph.at_end().placeholder(name));
/// // Nodes, plain data and structures of both are arguments.
/// let argument = Argument::from(([a, b], 3, true));
/// let mut read = Vec::new();
/// argument.for_each_node(&mut |id| read.push(id));
/// assert_eq!(read, [a, b]);
/// assert_eq!(argument.map_nodes(&mut |_| b), Argument::from(([b, b], 3, true)));
/// ```
#[derive(Debug, Clone, Default)]
pub enum Argument {
    /// The value of another node.
    Node(NodeId),
    /// An absent optional.
    #[default]
    None,
    /// A flag.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Str(Arc<str>),
    /// An element type.
    DType(DType),
    /// A device; boxed because candle's is large where GPUs are supported.
    Device(Box<Device>),
    /// `start..stop`; an absent end is open.
    Range(Box<(Option<i64>, Option<i64>)>),
    /// An integer that follows the sizes of a run ([`Dynamic`](super::Dynamic)); never a plain number.
    SymInt(SymInt),
    /// A float that follows the sizes of a run; never a plain number.
    SymFloat(SymFloat),
    /// `start..stop` of which an end follows the sizes of a run.
    SymRange(Box<(Option<SymInt>, Option<SymInt>)>),
    /// Arguments of one kind, in order.
    List(Box<[Argument]>),
    /// Arguments of any kinds, in order.
    Tuple(Box<[Argument]>),
    /// A structure: its name, and its fields in order of declaration.
    Struct(Box<(Arc<str>, Fields)>),
}

/// Named arguments of a structure.
///
/// In the order of declaration, as a structure's value has them too.
pub type Fields = Box<[(Arc<str>, Argument)]>;

impl Argument {
    /// How deep lists, tuples and structures can be nested in the arguments of a node.
    pub const MAX_DEPTH: usize = 128;

    /// A structure of this name with these fields.
    ///
    /// The name is that of the Rust type; [`Argument::Struct`] in short.
    pub fn structure(name: impl Into<Arc<str>>, fields: impl Into<Fields>) -> Self {
        Self::Struct(Box::new((name.into(), fields.into())))
    }

    /// The node, if this is one.
    ///
    /// None of a list that holds one.
    #[must_use]
    pub fn as_node(&self) -> Option<NodeId> {
        match self {
            Self::Node(id) => Some(*id),
            _ => None,
        }
    }

    /// Calls `visit` with each node in it, in order, as often as it occurs.
    pub fn for_each_node(&self, visit: &mut impl FnMut(NodeId)) {
        match self {
            Self::Node(id) => visit(*id),
            Self::List(items) | Self::Tuple(items) => items.iter().for_each(|item| item.for_each_node(visit)),
            Self::Struct(structure) => structure.1.iter().for_each(|(_, item)| item.for_each_node(visit)),
            _ => {}
        }
    }

    /// The same with each node replaced by what `map` gives for it: torch.fx's `map_arg`.
    #[must_use]
    pub fn map_nodes(&self, map: &mut impl FnMut(NodeId) -> NodeId) -> Self {
        let mut mapped = self.clone();
        mapped.for_each_node_mut(&mut |id| *id = map(*id));
        mapped
    }

    /// The same with each node replaced by the argument that `map` gives for it: torch.fx's `map_arg`, where a node may
    /// become plain data or a list as well. None if `map` gives none for one of them.
    pub fn try_map_nodes(&self, map: &mut impl FnMut(NodeId) -> Option<Self>) -> Option<Self> {
        Some(match self {
            Self::Node(id) => return map(*id),
            Self::List(items) => Self::List(items.iter().map(|item| item.try_map_nodes(map)).collect::<Option<_>>()?),
            Self::Tuple(items) => Self::Tuple(items.iter().map(|item| item.try_map_nodes(map)).collect::<Option<_>>()?),
            Self::Struct(structure) => {
                let fields = structure.1.iter().map(|(name, item)| Some((name.clone(), item.try_map_nodes(map)?)));
                Self::structure(structure.0.clone(), fields.collect::<Option<Fields>>()?)
            }
            plain => plain.clone(),
        })
    }

    pub(crate) fn for_each_node_mut(&mut self, visit: &mut impl FnMut(&mut NodeId)) {
        match self {
            Self::Node(id) => visit(id),
            Self::List(items) | Self::Tuple(items) => items.iter_mut().for_each(|item| item.for_each_node_mut(visit)),
            Self::Struct(structure) => structure.1.iter_mut().for_each(|(_, item)| item.for_each_node_mut(visit)),
            _ => {}
        }
    }

    /// What a list, tuple or structure directly holds; nothing for anything else.
    ///
    /// Of a structure the values of its fields. It is one level; [`Argument::for_each_node`] goes all the way down.
    pub fn parts(&self) -> impl Iterator<Item = &Self> {
        let (items, fields): (&[Self], &[(Arc<str>, Self)]) = match self {
            Self::List(items) | Self::Tuple(items) => (items, &[]),
            Self::Struct(structure) => (&[], &structure.1),
            _ => (&[], &[]),
        };
        items.iter().chain(fields.iter().map(|(_, item)| item))
    }

    /// The part of this number among its [`parts`](Self::parts).
    pub(super) fn part_mut(&mut self, number: usize) -> Option<&mut Self> {
        match self {
            Self::List(items) | Self::Tuple(items) => items.get_mut(number),
            Self::Struct(structure) => structure.1.get_mut(number).map(|(_, item)| item),
            _ => None,
        }
    }

    /// Whether there are nodes in it.
    #[must_use]
    pub fn has_nodes(&self) -> bool {
        matches!(self, Self::Node(_)) || self.parts().any(Self::has_nodes)
    }

    /// Whether something in it follows the sizes of a run.
    #[must_use]
    pub fn is_symbolic(&self) -> bool {
        matches!(self, Self::SymInt(_) | Self::SymFloat(_) | Self::SymRange(_)) || self.parts().any(Self::is_symbolic)
    }

    /// Calls `visit` with each integer in it that follows sizes, those inside of floats too.
    pub fn for_each_expression(&self, visit: &mut dyn FnMut(&SymInt)) {
        match self {
            Self::SymInt(expression) => visit(expression),
            Self::SymFloat(float) => float.for_each_int(visit),
            Self::SymRange(ends) => ends.0.iter().chain(&ends.1).for_each(visit),
            Self::List(_) | Self::Tuple(_) | Self::Struct(_) => {
                self.parts().for_each(|part| part.for_each_expression(visit));
            }
            _ => {}
        }
    }

    /// The same with each integer that follows sizes replaced by what `map` gives for it; none if it gives none for one of them.
    pub fn map_expressions(&self, map: &mut impl FnMut(&SymInt) -> Option<SymInt>) -> Option<Self> {
        Some(match self {
            Self::SymInt(expression) => map(expression)?.into(),
            Self::SymFloat(float) => float.map_ints(map)?.into(),
            Self::SymRange(ends) => {
                let mut end = |end: &Option<SymInt>| match end {
                    Some(end) => map(end).map(Some),
                    None => Some(None),
                };
                Self::range(end(&ends.0)?, end(&ends.1)?)
            }
            Self::List(items) => Self::List(items.iter().map(|item| item.map_expressions(map)).collect::<Option<_>>()?),
            Self::Tuple(items) => {
                Self::Tuple(items.iter().map(|item| item.map_expressions(map)).collect::<Option<_>>()?)
            }
            Self::Struct(structure) => {
                let fields = structure.1.iter().map(|(name, item)| Some((name.clone(), item.map_expressions(map)?)));
                Self::structure(structure.0.clone(), fields.collect::<Option<Fields>>()?)
            }
            plain => plain.clone(),
        })
    }

    /// `start..stop`; an absent end is open.
    ///
    /// A [`Argument::Range`] if both ends are numbers, else a [`Argument::SymRange`].
    #[must_use]
    pub fn range(start: Option<SymInt>, stop: Option<SymInt>) -> Self {
        let plain = |end: &Option<SymInt>| end.as_ref().map(SymInt::as_int);
        match (plain(&start), plain(&stop)) {
            (Some(None), _) | (_, Some(None)) => Self::SymRange(Box::new((start, stop))),
            (start, stop) => Self::Range(Box::new((start.flatten(), stop.flatten()))),
        }
    }

    /// Whether it is nested more than `limit` deep. A plain argument is 0 deep, `[1]` is 1 deep.
    pub(crate) fn is_deeper_than(&self, limit: usize) -> bool {
        match self {
            Self::List(_) | Self::Tuple(_) | Self::Struct(_) => {
                limit == 0 || self.parts().any(|part| part.is_deeper_than(limit - 1))
            }
            _ => false,
        }
    }

    /// The value, unless there are nodes in it or it follows the sizes of a run.
    ///
    /// It is how literals are read: `Argument::from([1, 2]).to_value()` is a [`Value::List`].
    #[must_use]
    pub fn to_value(&self) -> Option<Value> {
        self.value_of(&mut |_| Ok::<_, ()>(None)).ok().flatten()
    }

    /// The value at the capture, unless there are nodes in it.
    ///
    /// As [`Argument::to_value`], with each size what it was when the model was captured.
    #[must_use]
    pub fn at_hint(&self) -> Option<Value> {
        self.value_of(&mut |expression| Ok::<_, ()>(Some(expression.hint()))).ok().flatten()
    }

    /// The value in a run of these sizes; none if there are nodes in it.
    ///
    /// Expressions are worked out with `sizes`; everything else is as it is written.
    ///
    /// # Errors
    /// When an expression has no value.
    pub fn evaluate(&self, sizes: &Sizes) -> Result<Option<Value>, SymError> {
        self.value_of(&mut |expression| expression.evaluate(sizes).map(Some))
    }

    /// The value, if `value_of` says what expressions are; none if there are nodes in it.
    pub(crate) fn value_of<E>(
        &self,
        of: &mut impl FnMut(&SymInt) -> Result<Option<i64>, E>,
    ) -> Result<Option<Value>, E> {
        Ok(Some(match self {
            Self::Node(_) => return Ok(None),
            Self::None => Value::None,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Int(int) => Value::Int(*int),
            Self::Float(float) => Value::Float(*float),
            Self::Str(text) => Value::Str(text.clone()),
            Self::DType(dtype) => Value::DType(*dtype),
            Self::Device(device) => Value::Device((**device).clone()),
            Self::Range(range) => Value::Range(range.0, range.1),
            Self::SymInt(expression) => return Ok(of(expression)?.map(Value::Int)),
            Self::SymFloat(float) => return Ok(float.value_of(of)?.map(Value::Float)),
            Self::SymRange(ends) => {
                let mut end = |end: &Option<SymInt>| end.as_ref().map(&mut *of).transpose().map(Option::flatten);
                let range = (end(&ends.0)?, end(&ends.1)?);
                if (range.0.is_some(), range.1.is_some()) != (ends.0.is_some(), ends.1.is_some()) {
                    return Ok(None);
                }
                Value::Range(range.0, range.1)
            }
            Self::List(items) | Self::Tuple(items) => {
                let each = items.iter().map(|item| item.value_of(of)).collect::<Result<Option<Vec<_>>, E>>()?;
                return Ok(each.map(if matches!(self, Self::List(_)) { Value::List } else { Value::Tuple }));
            }
            Self::Struct(structure) => {
                let fields =
                    structure.1.iter().map(|(name, item)| Ok(item.value_of(of)?.map(|item| (name.clone(), item))));
                let fields = fields.collect::<Result<Option<Vec<_>>, E>>()?;
                return Ok(fields.map(|fields| Value::Struct(structure.0.clone(), fields)));
            }
        }))
    }

    /// The argument with this value, unless there are tensors in it.
    ///
    /// The contrary of [`Argument::to_value`]. Tensors are attributes of the module, read by `get_attr`.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        Some(match value {
            Value::None => Self::None,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Int(int) => Self::Int(*int),
            Value::Float(float) => Self::Float(*float),
            Value::Str(text) => Self::Str(text.clone()),
            Value::DType(dtype) => Self::DType(*dtype),
            Value::Device(device) => Self::Device(Box::new(device.clone())),
            Value::Tensor(_) => return None,
            Value::Range(start, stop) => Self::Range(Box::new((*start, *stop))),
            Value::List(items) => Self::List(items.iter().map(Self::from_value).collect::<Option<_>>()?),
            Value::Tuple(items) => Self::Tuple(items.iter().map(Self::from_value).collect::<Option<_>>()?),
            Value::Struct(name, fields) => Self::structure(
                name.clone(),
                fields
                    .iter()
                    .map(|(name, item)| Some((name.clone(), Self::from_value(item)?)))
                    .collect::<Option<Fields>>()?,
            ),
        })
    }

    /// What is known of it at the sizes of the capture, when `fact_of` says what is known of the nodes in it.
    ///
    /// Plain data is known exactly. A list, tuple or structure with nodes in it is a [`Fact::List`] of its parts.
    pub fn fact(&self, fact_of: &mut impl FnMut(NodeId) -> Fact) -> Fact {
        self.fact_by(&mut |expression| Some(expression.hint()), fact_of)
    }

    /// The same in a run of these sizes.
    pub(crate) fn fact_at(&self, sizes: &Sizes, fact_of: &mut impl FnMut(NodeId) -> Fact) -> Fact {
        self.fact_by(&mut |expression| expression.evaluate(sizes).ok(), fact_of)
    }

    fn fact_by(&self, of: &mut impl FnMut(&SymInt) -> Option<i64>, fact_of: &mut impl FnMut(NodeId) -> Fact) -> Fact {
        if let Self::Node(id) = self {
            return fact_of(*id);
        }
        match self.value_of(&mut |expression| of(expression).map(Some).ok_or(())) {
            Ok(Some(value)) => Fact::Data(value),
            Ok(None) => Fact::List(self.parts().map(|part| part.fact_by(of, fact_of)).collect()),
            Err(()) => Fact::Unknown,
        }
    }
}

impl PartialEq for Argument {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Node(a), Self::Node(b)) => a == b,
            (Self::None, Self::None) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::DType(a), Self::DType(b)) => a == b,
            (Self::Device(a), Self::Device(b)) => a == b,
            (Self::Range(a), Self::Range(b)) => a == b,
            (Self::SymInt(a), Self::SymInt(b)) => a == b,
            (Self::SymFloat(a), Self::SymFloat(b)) => a == b,
            (Self::SymRange(a), Self::SymRange(b)) => a == b,
            (Self::List(a), Self::List(b)) | (Self::Tuple(a), Self::Tuple(b)) => a == b,
            (Self::Struct(a), Self::Struct(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Argument {}

impl Hash for Argument {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Node(id) => id.hash(state),
            Self::None => {}
            Self::Bool(flag) => flag.hash(state),
            Self::Int(int) => int.hash(state),
            Self::Float(float) => float.to_bits().hash(state),
            Self::Str(text) => text.hash(state),
            Self::DType(dtype) => dtype.hash(state),
            Self::Device(device) => device.0.location().hash(state),
            Self::Range(range) => range.hash(state),
            Self::SymInt(expression) => expression.hash(state),
            Self::SymFloat(float) => float.hash(state),
            Self::SymRange(ends) => ends.hash(state),
            Self::List(items) | Self::Tuple(items) => items.hash(state),
            Self::Struct(structure) => structure.hash(state),
        }
    }
}

macro_rules! from {
    ($($type:ty: $from:pat => $argument:expr;)*) => {$(
        impl From<$type> for Argument {
            fn from($from: $type) -> Self {
                $argument
            }
        }
    )*};
}

from! {
    NodeId: id => Self::Node(id);
    bool: flag => Self::Bool(flag);
    i32: int => Self::Int(int.into());
    i64: int => Self::Int(int);
    u32: int => Self::Int(int.into());
    // An extent beyond i64 is as impossible as the largest one that fits.
    usize: int => Self::Int(i64::try_from(int).unwrap_or(i64::MAX));
    f32: float => Self::Float(float.into());
    f64: float => Self::Float(float);
    &str: text => Self::Str(text.into());
    String: text => Self::Str(text.into());
    Arc<str>: text => Self::Str(text);
    DType: dtype => Self::DType(dtype);
    SymInt: expression => match expression.as_int() {
        Some(int) => Self::Int(int),
        None => Self::SymInt(expression),
    };
    SymFloat: float => match float.as_float() {
        Some(float) => Self::Float(float),
        None => Self::SymFloat(float),
    };
    Device: device => Self::Device(Box::new(device));
    candle_core::Device: device => Self::from(Device(device));
    &candle_core::Device: device => Self::from(device.clone());
    RangeFull: _ => Self::Range(Box::new((None, None)));
    (): () => Self::Tuple(Box::new([]));
}

macro_rules! from_range {
    ($($int:ty)*) => {$(
        impl From<Range<$int>> for Argument {
            fn from(range: Range<$int>) -> Self {
                Self::Range(Box::new((Some(integer(range.start)), Some(integer(range.end)))))
            }
        }

        impl From<RangeFrom<$int>> for Argument {
            fn from(range: RangeFrom<$int>) -> Self {
                Self::Range(Box::new((Some(integer(range.start)), None)))
            }
        }

        impl From<RangeTo<$int>> for Argument {
            fn from(range: RangeTo<$int>) -> Self {
                Self::Range(Box::new((None, Some(integer(range.end)))))
            }
        }
    )*};
}

from_range!(i32 i64 usize);

fn integer(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

macro_rules! from_tuple {
    ($($($type:ident)+;)*) => {$(
        impl<$($type: Into<Argument>),+> From<($($type,)+)> for Argument {
            fn from(tuple: ($($type,)+)) -> Self {
                #[allow(non_snake_case, reason = "the variables are named after their types")]
                let ($($type,)+) = tuple;
                Self::Tuple(Box::new([$($type.into()),+]))
            }
        }
    )*};
}

from_tuple! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }

impl<T: Into<Self>> From<Option<T>> for Argument {
    fn from(option: Option<T>) -> Self {
        option.map_or(Self::None, Into::into)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Argument {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Self> + Clone> From<&[T]> for Argument {
    fn from(items: &[T]) -> Self {
        Self::List(items.iter().cloned().map(Into::into).collect())
    }
}

impl<T: Into<Self>, const N: usize> From<[T; N]> for Argument {
    fn from(items: [T; N]) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::entity::EntityRef;

    fn node(index: usize) -> NodeId {
        NodeId::new(index)
    }

    #[test]
    fn floats_are_equal_by_bits() {
        assert_ne!(Argument::Float(0.0), Argument::Float(-0.0));
        assert_eq!(Argument::Float(f64::NAN), Argument::Float(f64::NAN));
        let set: HashSet<Argument> = [1.0.into(), 1.into(), 1.0.into(), true.into()].into();
        assert_eq!(set.len(), 3);
    }

    #[test]
    fn nodes_are_visited_in_order_and_mapped_in_place() {
        let argument = Argument::from((
            node(2),
            [node(0), node(2)],
            Argument::structure("Out", [("a".into(), node(1).into()), ("n".into(), 3.into())]),
        ));
        let mut seen = Vec::new();
        argument.for_each_node(&mut |id| seen.push(id.index()));
        assert_eq!(seen, [2, 0, 2, 1]);

        let mapped = argument.map_nodes(&mut |id| node(id.index() + 10));
        seen.clear();
        mapped.for_each_node(&mut |id| seen.push(id.index()));
        assert_eq!(seen, [12, 10, 12, 11]);
        assert_eq!(mapped.map_nodes(&mut |id| node(id.index() - 10)), argument);
    }

    #[test]
    fn plain_arguments_are_values_and_back() {
        let argument = Argument::from((
            (true, 1, -2.5, "text"),
            (DType::F32, candle_core::Device::Cpu, 1..3usize, ..),
            Argument::structure("Out", [("a".into(), Argument::None)]),
            vec![1usize, 2],
        ));
        assert_eq!(Argument::from_value(&argument.to_value().unwrap()), Some(argument));
        assert_eq!(Argument::from((1, node(0))).to_value(), None);
    }

    #[test]
    fn facts_of_structures_are_lists_of_facts() {
        let mut fact_of = |_| Fact::tensor((2, 3), DType::F32);
        assert_eq!(
            Argument::from([2, 3]).fact(&mut fact_of),
            Fact::Data(Value::List(vec![Value::Int(2), Value::Int(3)]))
        );
        assert_eq!(Argument::from([node(0), node(1)]).fact(&mut fact_of).to_string(), "[f32[2, 3], f32[2, 3]]");
    }

    #[test]
    fn depth_is_counted_to_the_limit() {
        let mut argument = Argument::from(1);
        for depth in 0..200 {
            assert!(!argument.is_deeper_than(depth));
            assert!(depth == 0 || argument.is_deeper_than(depth - 1));
            argument = Argument::from([argument]);
        }
    }
}
