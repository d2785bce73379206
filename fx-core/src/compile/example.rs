//! [`Example`]: what a call looks like, its arguments and the state it meets: shapes and numbers, without data; and what is
//! declared to differ from run to run if two calls differ in it.
//!
//! Invariant: two examples that differ in extents and integers alone have the same leaves in the same order.

use std::collections::BTreeMap;
use std::fmt;

use crate::module::State;
use crate::trace::{Tracer, size_name};
use crate::value::{Fact, Value};

/// A part of an argument or of the state without parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Leaf {
    /// The name that it has in a capture: of an input, or of a place in the state.
    name: String,
    what: What,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum What {
    /// A tensor: its dtype and device, and its extents.
    Tensor(String, Vec<i64>),
    /// An integer that can be an input: a parameter, or one that the model keeps.
    Int(i64),
    /// Anything else, as text.
    Other(String),
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(kind, dims) => write!(f, "{kind} {dims:?}"),
            Self::Int(int) => int.fmt(f),
            Self::Other(text) => text.fmt(f),
        }
    }
}

/// What a call looks like.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Example(Vec<Leaf>);

impl Example {
    /// Of these arguments; parameters have these names, as far as they are known. How tensors lie in memory is a part of it
    /// if the model asks.
    pub(super) fn new(names: &[String], values: &[Value], state: &State, with_layouts: bool) -> Self {
        let mut leaves = Vec::new();
        for (i, value) in values.iter().enumerate() {
            let name = names.get(i).cloned().unwrap_or_else(|| i.to_string());
            add(&mut leaves, name, value, &'_', true);
        }
        for (name, value) in state.iter() {
            add(&mut leaves, name.to_owned(), value, &'.', true);
        }
        if with_layouts {
            let what = What::Other(format!("{:?}", layouts(values, state)));
            leaves.push(Leaf { name: "which tensors are contiguous".to_owned(), what });
        }
        Self(leaves)
    }

    /// How many numbers differ, if nothing else does.
    pub(super) fn distance(&self, other: &Self) -> Option<usize> {
        if self.0.len() != other.0.len() {
            return None;
        }
        let each = self.0.iter().zip(&other.0).map(|(one, other)| match (&one.what, &other.what) {
            _ if one.name != other.name => None,
            (What::Tensor(a, one), What::Tensor(b, other)) if a == b && one.len() == other.len() => {
                Some(one.iter().zip(other).filter(|(a, b)| a != b).count())
            }
            (What::Int(a), What::Int(b)) => Some(usize::from(a != b)),
            (one, other) => (one == other).then_some(0),
        });
        each.sum()
    }

    /// What is not as in another example, in words.
    pub(super) fn difference(&self, other: &Self) -> String {
        let (mut one, mut two) = (self.0.iter(), other.0.iter());
        loop {
            match (one.next(), two.next()) {
                (Some(before), Some(now)) if before == now => {}
                (Some(before), Some(now)) if before.name == now.name => {
                    return format!("`{}` is {}, and was {}", now.name, now.what, before.what);
                }
                (None, None) => return "nothing differs".to_owned(),
                _ => return "the arguments, or what the model keeps, have other parts".to_owned(),
            }
        }
    }

    /// How many parts differ, whatever they are.
    pub(super) fn unlike(&self, other: &Self) -> usize {
        let differing = self.0.iter().zip(&other.0).filter(|(one, other)| one != other).count();
        differing + self.0.len().abs_diff(other.0.len())
    }

    /// What is the same in neither example is declared to differ. What was the same number in both calls can be one size
    /// (`shared`), or a size of its own.
    pub(super) fn declare<'t>(&self, now: &Self, shared: bool, mut tracer: Tracer<'t>) -> Tracer<'t> {
        let mut known: BTreeMap<(i64, i64), String> = BTreeMap::new();
        // Integers first: they name their sizes.
        for (one, other) in self.0.iter().zip(&now.0) {
            if let (What::Int(a), What::Int(b)) = (&one.what, &other.what)
                && a != b
            {
                tracer = tracer.dynamic_arg(one.name.clone());
                known.entry((*a, *b)).or_insert(size_name(&one.name));
            }
        }
        let mut names =
            (0..).map(|count| format!("s{count}")).filter(|name| !self.0.iter().any(|leaf| leaf.name == *name));
        for (one, other) in self.0.iter().zip(&now.0) {
            let (What::Tensor(_, before), What::Tensor(_, now)) = (&one.what, &other.what) else { continue };
            for (axis, pair) in before.iter().copied().zip(now.iter().copied()).enumerate() {
                if pair.0 == pair.1 {
                    continue;
                }
                let size = match known.get(&pair) {
                    Some(size) if shared => size.clone(),
                    _ => match sum(&known, pair).filter(|_| shared) {
                        Some(sum) => sum,
                        None => {
                            let size = names.next().unwrap_or_default();
                            known.insert(pair, size.clone());
                            size
                        }
                    },
                };
                tracer = tracer.dynamic(one.name.clone(), axis, &size);
            }
        }
        tracer
    }
}

/// Whether each tensor of a call is contiguous.
pub(super) fn layouts(values: &[Value], state: &State) -> Vec<bool> {
    let mut layouts = Vec::new();
    for value in values.iter().chain(state.iter().map(|(_, value)| value)) {
        layouts.extend(value.tensors().into_iter().map(candle_core::Tensor::is_contiguous));
    }
    layouts
}

/// The sum of two sizes that a number is in both calls.
fn sum(known: &BTreeMap<(i64, i64), String>, (before, now): (i64, i64)) -> Option<String> {
    known.iter().find_map(|(one, name)| {
        let rest = (before - one.0, now - one.1);
        let other = known.get(&rest)?;
        Some(format!("{name} + {other}"))
    })
}

fn add(leaves: &mut Vec<Leaf>, name: String, value: &Value, separator: &char, is_whole: bool) {
    let mut each = |items: &[Value]| {
        for (i, item) in items.iter().enumerate() {
            add(leaves, format!("{name}{separator}{i}"), item, separator, *separator == '.');
        }
    };
    let what = match value {
        Value::List(items) | Value::Tuple(items) => {
            each(items);
            What::Other(format!("{} {}", value.kind(), items.len()))
        }
        Value::Struct(of, fields) => {
            for (field, item) in fields {
                let name = if field.is_empty() { name.clone() } else { format!("{name}{separator}{field}") };
                add(leaves, name, item, separator, is_whole);
            }
            What::Other(of.to_string())
        }
        Value::Tensor(tensor) => {
            let dims = tensor.dims().iter().map(|&dim| i64::try_from(dim).unwrap_or(i64::MAX));
            What::Tensor(format!("{:?} {:?}", tensor.dtype(), tensor.device().location()), dims.collect())
        }
        Value::Int(int) if is_whole => What::Int(*int),
        other => What::Other(Fact::of(other).to_string()),
    };
    leaves.push(Leaf { name, what });
}
