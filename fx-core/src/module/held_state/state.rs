//! [`State`]: values by the paths of what they are in the model.
//!
//! Invariant: no name leads into the value of another, so that each thing in the model has one value. Whatever is done with
//! one name takes about the same time however many there are.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use candle_core::{DType, Device, Tensor};

use crate::ir::{Argument, ModulePath};
use crate::value::{Fact, Value};

/// What a captured model keeps from one call to the next: caches, counters, positions.
///
/// It is a value: cloning it copies no tensor, and it can be handed from one graph to another, for example from the one
/// that reads a prompt to the one that adds a token.
///
/// ```
/// use fx_core::{module::State, value::Value};
///
/// let mut state = State::new();
/// state.set("cache", Value::Tuple(vec![Value::Int(1), Value::Int(2)]));
/// state.set("pos", Value::Int(7));
/// // A path leads into values, too.
/// state.set("cache.1", Value::Int(3));
/// assert_eq!(state.get("cache"), Some(&Value::Tuple(vec![Value::Int(1), Value::Int(3)])));
/// assert_eq!(state.to_string(), "cache: (1, 3)\npos: 7\n");
/// ```
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Names and values by numbers, which rise in the order in which they came.
    values: BTreeMap<u64, (Arc<str>, Value)>,
    /// The numbers by name. The names of what is inside of something lie side by side.
    numbers: BTreeMap<Arc<str>, u64>,
}

impl State {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many names it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it has no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Names and values, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.values().map(|(name, value)| (&**name, value))
    }

    /// The value at a path: of this name, or a part of one whose name is a part of the path.
    ///
    /// Numbers lead into lists and tuples, `kv_cache.0`, names into structures. None if there is nothing.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Value> {
        if let Some(number) = self.numbers.get(path) {
            return Some(&self.values[number].1);
        }
        let (number, rest) = self.holder(path)?;
        let mut value = &self.values[&number].1;
        for segment in rest.split('.') {
            value = part(seen_through(value), segment)?;
        }
        Some(value)
    }

    /// Puts a value at a path, in place of what was there.
    ///
    /// A path into a value that is there changes that part of it. Where the value has no such part, it goes, and the
    /// path becomes a name itself; names that lead below the path go too.
    pub fn set(&mut self, path: &str, value: impl Into<Value>) {
        let value = value.into();
        if let Some((_, there)) = self.numbers.get(path).and_then(|number| self.values.get_mut(number)) {
            *there = value;
            return;
        }
        if let Some((number, rest)) = self.holder(path)
            && let Some((name, whole)) = self.values.get_mut(&number)
        {
            if let Some(there) = part_mut(whole, rest) {
                *there = value;
                return;
            }
            // It has no such part, so it is something else than was thought.
            let name = name.clone();
            self.remove(&name);
        }
        // What was at parts of it is now in it.
        let parts: Vec<Arc<str>> = self.inside(path).map(|(name, _)| name.clone()).collect();
        parts.iter().for_each(|part| _ = self.remove(part));
        let number = self.values.last_key_value().map_or(0, |(last, _)| last + 1);
        let name: Arc<str> = path.into();
        self.numbers.insert(name.clone(), number);
        self.values.insert(number, (name, value));
    }

    /// Takes away what is at a name.
    ///
    /// None if there is nothing under this name; parts of a value cannot be taken out.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let number = self.numbers.remove(name)?;
        self.values.remove(&number).map(|(_, value)| value)
    }

    /// Whether something is at this path, above it or below it.
    ///
    /// `"cache"` and `"cache.0.k"` touch a state with the name `cache.0`.
    #[must_use]
    pub fn touches(&self, path: &str) -> bool {
        self.numbers.contains_key(path) || self.holder(path).is_some() || self.inside(path).next().is_some()
    }

    /// The value at a path, put together of parts if they have names of their own, as `like` is. [`Value::None`] if there
    /// is nothing.
    pub(crate) fn put_together(&self, path: &str, like: &Argument) -> Value {
        if let Some(value) = self.get(path) {
            return value.clone();
        }
        let at = |part: &str, like: &Argument| match part {
            "" => self.put_together(path, like),
            part => self.put_together(&format!("{path}.{part}"), like),
        };
        let each = |parts: &[Argument]| parts.iter().enumerate().map(|(i, like)| at(&i.to_string(), like)).collect();
        match like {
            _ if self.inside(path).next().is_none() => Value::None,
            Argument::List(parts) => Value::List(each(parts)),
            Argument::Tuple(parts) => Value::Tuple(each(parts)),
            Argument::Struct(structure) => {
                let fields = structure.1.iter().map(|(name, like)| (name.clone(), at(name, like)));
                Value::Struct(structure.0.clone(), fields.collect())
            }
            // Something of several parts, where one thing should be.
            _ => {
                let fields = self.inside(path).map(|(name, value)| (Arc::from(&name[path.len() + 1..]), value.clone()));
                Value::Struct("State".into(), fields.collect())
            }
        }
    }

    /// Takes over what another state has under names that this one does not have.
    pub(crate) fn add_missing(&mut self, other: &Self) {
        for (name, value) in other.iter() {
            if !self.touches(name) {
                self.set(name, value.clone());
            }
        }
    }

    /// The same with other tensors.
    pub(crate) fn map_tensors<E>(&self, map: &mut impl FnMut(&str, &Tensor) -> Result<Tensor, E>) -> Result<Self, E> {
        let each = self.values.iter().map(|(number, (name, value))| {
            let value = value.map_tensors(&mut |tensor: &Tensor| map(name, tensor))?;
            Ok((*number, (name.clone(), value)))
        });
        Ok(Self { values: each.collect::<Result<_, E>>()?, numbers: self.numbers.clone() })
    }

    /// On another device.
    ///
    /// The original is left as it is.
    ///
    /// # Errors
    /// When candle cannot move a tensor.
    pub fn to_device(&self, device: &Device) -> candle_core::Result<Self> {
        self.map_tensors(&mut |_, tensor| tensor.to_device(device))
    }

    /// With all floating-point tensors as this type.
    ///
    /// Integers stay, and so does the original.
    ///
    /// # Errors
    /// When candle cannot convert a tensor.
    pub fn to_dtype(&self, dtype: DType) -> candle_core::Result<Self> {
        self.map_tensors(&mut |_, tensor| match tensor.dtype().is_float() {
            true => tensor.to_dtype(dtype),
            false => Ok(tensor.clone()),
        })
    }

    /// The number of the name whose value a path leads into, and the way from there.
    fn holder<'p>(&self, path: &'p str) -> Option<(u64, &'p str)> {
        let mut ends = ModulePath::ends_of_parts(path);
        ends.find_map(|end| Some((*self.numbers.get(&path[..end])?, &path[end + 1..])))
    }

    /// What has names of parts of what is at the path, by name.
    fn inside(&self, path: &str) -> impl Iterator<Item = (&Arc<str>, &Value)> {
        let start = format!("{path}.");
        let names = self.numbers.range::<str, _>((Bound::Included(&*start), Bound::Unbounded));
        let inside = names.take_while(move |(name, _)| name.starts_with(&start));
        inside.map(|(name, number)| (name, &self.values[number].1))
    }
}

/// Equal if the same names have the same values, in whatever order they came.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = self.numbers.iter().zip(&other.numbers);
        self.len() == other.len() && pairs.all(|(a, b)| a.0 == b.0 && self.values[a.1].1 == other.values[b.1].1)
    }
}

/// A line for each name, tensors by dtype and shape.
impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|(name, value)| writeln!(f, "{name}: {}", Fact::of(value)))
    }
}

/// What a wrapper without a name of its own holds: the one field of a variant.
fn seen_through(mut value: &Value) -> &Value {
    while let Value::Struct(_, fields) = value
        && let [(name, inner)] = &**fields
        && name.is_empty()
    {
        value = inner;
    }
    value
}

/// A part of a value.
fn part<'v>(value: &'v Value, segment: &str) -> Option<&'v Value> {
    match value {
        Value::List(items) | Value::Tuple(items) => items.get(segment.parse::<usize>().ok()?),
        Value::Struct(_, fields) => fields.iter().find(|(name, _)| **name == *segment).map(|(_, value)| value),
        _ => None,
    }
}

/// The part of a value at the end of a path.
fn part_mut<'v>(value: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    let mut value = value;
    for segment in path.split('.') {
        while matches!(value, Value::Struct(_, fields) if fields.len() == 1 && fields[0].0.is_empty()) {
            let Value::Struct(_, fields) = value else { return None };
            value = &mut fields.first_mut()?.1;
        }
        value = match value {
            Value::List(items) | Value::Tuple(items) => items.get_mut(segment.parse::<usize>().ok()?)?,
            Value::Struct(_, fields) => &mut fields.iter_mut().find(|(name, _)| **name == *segment)?.1,
            _ => return None,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(values: &[i64]) -> Value {
        Value::List(values.iter().map(|&int| Value::Int(int)).collect())
    }

    #[test]
    fn a_path_leads_to_one_value() {
        let mut state = State::new();
        state.set("a.0", Value::Int(1));
        state.set("a.1", Value::Int(2));
        // The whole takes the place of its parts, and parts are then in it.
        assert_eq!(state.put_together("a", &Argument::from([0, 0])), ints(&[1, 2]));
        state.set("a", ints(&[3, 4]));
        assert_eq!(state.len(), 1);
        state.set("a.1", Value::Int(5));
        assert_eq!((state.get("a.1"), state.len()), (Some(&Value::Int(5)), 1));
        // What is no part of it takes its place.
        state.set("a.x", Value::Int(6));
        assert_eq!(state.iter().collect::<Vec<_>>(), [("a.x", &Value::Int(6))]);
        assert!(state.touches("a") && state.touches("a.x.y") && !state.touches("a.y") && !state.touches("ab"));
        assert_eq!(state.put_together("b", &Argument::from([0])), Value::None);
    }

    #[test]
    fn names_come_in_order_whatever_is_taken_away() {
        let mut state = State::new();
        // Names that sort around those of parts.
        for (i, name) in ["b", "a-", "a.y", "a", "a0", "a.z.1", "", ".x"].into_iter().enumerate() {
            state.set(name, Value::Int(i as i64));
        }
        let names = |state: &State| state.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        // `a` took the place of `a.y`, what is inside of a number that of the number.
        assert_eq!(names(&state), ["b", "a-", "a0", "a.z.1", ".x"]);
        state.set("b", Value::Int(9));
        assert_eq!(state.remove("a0"), Some(Value::Int(4)));
        assert_eq!((state.remove("a0"), state.remove("a.z")), (None, None));
        state.set("a0", Value::Int(4));
        assert_eq!(names(&state), ["b", "a-", "a.z.1", ".x", "a0"]);
        let mut other = State::new();
        for (name, value) in state.iter().collect::<Vec<_>>().into_iter().rev() {
            other.set(name, value.clone());
        }
        assert_eq!(state, other);
        other.set("a0", Value::Int(5));
        assert_ne!(state, other);
    }

    /// Quadratic time would be noticed here.
    #[test]
    fn any_number_of_names_takes_linear_time() {
        const COUNT: usize = 40_000;
        let (mut state, mut other) = (State::new(), State::new());
        for i in 0..COUNT {
            state.set(&format!("layers.{i}.cache.0"), Value::Int(0));
            other.set(&format!("layers.{i}.cache.1"), Value::Int(1));
        }
        state.add_missing(&other);
        assert_eq!(state.len(), 2 * COUNT);
        // Each takes the place of two that are among the first.
        for i in (0..COUNT).rev() {
            let path = format!("layers.{i}.cache");
            let whole = state.put_together(&path, &Argument::from([0, 0]));
            assert_eq!(whole, ints(&[0, 1]));
            state.set(&path, whole);
            state.set(&format!("{path}.1"), Value::Int(2));
        }
        assert_eq!((state.len(), state.get("layers.7.cache.1")), (COUNT, Some(&Value::Int(2))));
        for i in 0..COUNT {
            assert!(state.touches(&format!("layers.{i}")) && state.remove(&format!("layers.{i}.cache")).is_some());
        }
        assert_eq!(state, State::new());
        // A path of very many parts.
        let long = "a.".repeat(1_000_000);
        state.set(&long, Value::Int(1));
        assert!(state.touches(&long) && !state.touches(&long.replace('a', "b")));
    }

    #[test]
    fn a_variant_s_only_field_has_the_path_of_the_variant() {
        let mut state = State::new();
        let inner = Value::Struct("Cache".into(), vec![("k".into(), Value::Int(1))]);
        state.set("cache", Value::Struct("Any::Normal".into(), vec![("".into(), inner)]));
        assert_eq!(state.get("cache.k"), Some(&Value::Int(1)));
        state.set("cache.k", Value::Int(2));
        assert_eq!(state.get("cache.k"), Some(&Value::Int(2)));
    }

    #[test]
    fn only_what_is_missing_is_added() {
        let (mut state, mut other) = (State::new(), State::new());
        state.set("a", ints(&[1]));
        for (path, value) in [("a.0", 9), ("b", 2)] {
            other.set(path, Value::Int(value));
        }
        state.add_missing(&other);
        assert_eq!(state.to_string(), "a: [1]\nb: 2\n");
    }
}
