//! [`Held`]: what a mirror holds, part by part. Compared before and after a capture, it tells what the model has changed.
//!
//! Invariant: parts have the names that attributes have in paths; whatever does not tell what it holds is the same before
//! and after, and a layer is what it is.

use std::collections::HashSet;
use std::fmt::{self, Debug, Write};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use crate::ir::Argument;
use crate::module::LayerModule;
use crate::value::Value;

use super::held_layer::HeldLayer;
use super::proxy::Proxy;
use super::scope::Scope;

/// What a mirror holds.
///
/// `#[fx::module]` writes [`Traceable::held`](super::Traceable::held), which gives it, field by field.
#[derive(Debug, Clone)]
pub enum Held {
    /// Something that cannot change or does not tell: a span, a trait object.
    Opaque,
    /// A layer, which cannot change, but can be moved.
    Layer(HeldLayer),
    /// A tensor.
    Tensor(Proxy),
    /// Plain data that a graph can hold; [`Argument::None`] where there is nothing.
    Data(Argument),
    /// Other plain data, as its debug form, which tells values apart.
    Text(Arc<str>),
    /// Things of one kind.
    List(Vec<Held>),
    /// Things of any kinds.
    Tuple(Vec<Held>),
    /// Things with names.
    Struct(Box<HeldStruct>),
}

/// Things with names, inside of something.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldStruct {
    name: Arc<str>,
    kind: Kind,
    fields: Vec<(Arc<str>, Held)>,
}

/// What of a structure is a part of the state, if something in it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The field that changes: a struct.
    Fields,
    /// All of it: a variant, which is a choice, and what candle keeps together.
    Whole,
    /// All of it, but for what is added and does not depend on inputs: a memo, which a run makes again.
    Memo,
}

/// A walk through what a mirror holds.
///
/// It remembers what is shared, so that each thing is told once.
#[derive(Debug, Default)]
pub struct Holding {
    shared: HashSet<usize>,
}

impl Holding {
    /// Whether what is behind a shared pointer is met for the first time.
    pub(crate) fn is_first(&mut self, pointer: *const ()) -> bool {
        self.shared.insert(pointer.addr())
    }
}

impl Held {
    /// Nothing, where there could be something.
    pub(crate) const NOTHING: Self = Self::Data(Argument::None);

    /// A layer that the model has here.
    #[must_use]
    pub fn layer(scope: &Scope, layer: &Arc<dyn LayerModule>) -> Self {
        Self::Layer(HeldLayer::new(scope.path().clone(), layer.clone()))
    }

    /// The fields of a struct. A struct of which nothing can change is as good as none.
    #[must_use]
    pub fn structure(name: &str, fields: Vec<(&str, Self)>) -> Self {
        if fields.iter().all(|(_, held)| *held == Self::Opaque) {
            return Self::Opaque;
        }
        Self::of(Kind::Fields, name, fields)
    }

    /// The fields of an enum's variant. The only one of those without names has the name `""`.
    #[must_use]
    pub fn variant(name: &str, fields: Vec<(&str, Self)>) -> Self {
        Self::of(Kind::Whole, name, fields)
    }

    /// What candle keeps together.
    pub(crate) fn whole(name: &str, fields: Vec<(&str, Self)>) -> Self {
        Self::of(Kind::Whole, name, fields)
    }

    /// What a model remembers by keys.
    pub(crate) fn memo(name: &str, mut fields: Vec<(String, Self)>) -> Self {
        // Maps have no order.
        fields.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self::of(Kind::Memo, name, fields.iter().map(|(key, held)| (&**key, held.clone())).collect())
    }

    fn of(kind: Kind, name: &str, fields: Vec<(&str, Self)>) -> Self {
        // A layer in a variant is a part of the choice if it can be told from others.
        let is_told = |held: &Self| match held {
            Self::Opaque => false,
            Self::Layer(layer) => kind == Kind::Fields || layer.told().is_some(),
            _ => true,
        };
        let told = fields.into_iter().filter(|(_, held)| is_told(held));
        let fields = told.map(|(field, held)| (Arc::from(field), held)).collect();
        Self::Struct(Box::new(HeldStruct { name: name.into(), kind, fields }))
    }

    /// A list; one of layers is as good as none.
    #[must_use]
    pub fn list(items: Vec<Self>) -> Self {
        let is_opaque = !items.is_empty() && items.iter().all(|item| *item == Self::Opaque);
        if is_opaque { Self::Opaque } else { Self::List(items) }
    }

    /// Plain data that graphs have no form for.
    pub(crate) fn text(data: &dyn Debug) -> Self {
        /// Keeps the beginning, and tells all of it by a number.
        struct Short {
            text: String,
            rest: Option<DefaultHasher>,
        }
        impl fmt::Write for Short {
            fn write_str(&mut self, more: &str) -> fmt::Result {
                const ENOUGH: usize = 256;
                if self.rest.is_none() && self.text.len() + more.len() <= ENOUGH {
                    self.text.push_str(more);
                } else {
                    self.rest.get_or_insert_default().write(more.as_bytes());
                }
                Ok(())
            }
        }
        let mut short = Short { text: String::new(), rest: None };
        if write!(short, "{data:?}").is_err() {
            return Self::Opaque;
        }
        if let Some(rest) = short.rest {
            short.text.push_str(&format!("… #{:x}", rest.finish()));
        }
        Self::Text(short.text.into())
    }

    /// What a parameter is made of, for the graph's signature: placeholders and plain data in the same structure. None if
    /// that cannot be said.
    pub(crate) fn made_of(&self) -> Option<Argument> {
        Some(match self {
            Self::Tensor(proxy) => Argument::Node(proxy.input_node()?),
            Self::Data(data) => data.clone(),
            Self::List(items) => Argument::List(items.iter().map(Self::made_of).collect::<Option<_>>()?),
            Self::Tuple(items) => Argument::Tuple(items.iter().map(Self::made_of).collect::<Option<_>>()?),
            Self::Opaque | Self::Layer(_) | Self::Text(_) | Self::Struct(_) => return None,
        })
    }

    /// As an argument of a graph, with what `leaf` gives for each tensor and all plain data, by path. None if something in
    /// it does not tell what it holds.
    pub(super) fn argument(&self, path: &str, leaf: &mut dyn FnMut(&str, Leaf<'_>) -> Argument) -> Option<Argument> {
        let mut each = |items: &[Self]| {
            let items = items.iter().enumerate();
            items.map(|(i, item)| item.argument(&joined(path, &i.to_string()), leaf)).collect::<Option<_>>()
        };
        Some(match self {
            Self::Opaque => return None,
            // One that does not tell what it is is no part of a variant.
            Self::Layer(layer) => Argument::Str(layer.told()?),
            Self::Tensor(proxy) => leaf(path, Leaf::Tensor(proxy)),
            Self::Data(data) => leaf(path, Leaf::Data(data)),
            Self::Text(text) => Argument::Str(text.clone()),
            Self::List(items) => Argument::List(each(items)?),
            Self::Tuple(items) => Argument::Tuple(each(items)?),
            Self::Struct(structure) => {
                let fields = structure.fields.iter();
                let fields = fields.map(|(name, held)| Some((name.clone(), held.argument(&joined(path, name), leaf)?)));
                Argument::structure(structure.name.clone(), fields.collect::<Option<Vec<_>>>()?)
            }
        })
    }

    /// The part at a path.
    pub(super) fn at(&self, path: &str) -> Option<&Self> {
        let mut held = self;
        for segment in path.split('.').filter(|segment| !segment.is_empty()) {
            held = match held.seen_through() {
                Self::List(items) | Self::Tuple(items) => items.get(segment.parse::<usize>().ok()?)?,
                Self::Struct(structure) => &structure.fields.iter().find(|(name, _)| **name == *segment)?.1,
                _ => return None,
            };
        }
        Some(held)
    }

    /// What a wrapper without a name of its own holds: the one field of a variant.
    fn seen_through(&self) -> &Self {
        let mut held = self;
        while let Self::Struct(structure) = held
            && let [(name, inner)] = &structure.fields[..]
            && name.is_empty()
        {
            held = inner;
        }
        held
    }

    /// Its value, where tensors are known.
    pub(super) fn value(&self) -> Value {
        let each = |items: &[Self]| items.iter().map(Self::value).collect();
        match self {
            Self::Opaque => Value::None,
            Self::Layer(layer) => layer.told().map_or(Value::None, Value::Str),
            Self::Tensor(proxy) => proxy.tensor().map_or(Value::None, Value::from),
            Self::Data(data) => data.to_value().unwrap_or_default(),
            Self::Text(text) => Value::Str(text.clone()),
            Self::List(items) => Value::List(each(items)),
            Self::Tuple(items) => Value::Tuple(each(items)),
            Self::Struct(structure) => {
                let fields = structure.fields.iter().map(|(name, held)| (name.clone(), held.value()));
                Value::Struct(structure.name.clone(), fields.collect())
            }
        }
    }

    /// Calls `visit` with every tensor in it.
    pub(super) fn for_each_tensor(&self, visit: &mut dyn FnMut(&Proxy)) {
        match self {
            Self::Tensor(proxy) => visit(proxy),
            Self::List(items) | Self::Tuple(items) => items.iter().for_each(|item| item.for_each_tensor(visit)),
            Self::Struct(structure) => structure.fields.iter().for_each(|(_, held)| held.for_each_tensor(visit)),
            Self::Opaque | Self::Layer(_) | Self::Data(_) | Self::Text(_) => {}
        }
    }

    /// What maps hold, by path, and what it is if it is plain data.
    pub(super) fn remembered(&self) -> Vec<(String, Option<&Self>)> {
        let mut found = Vec::new();
        self.for_each_leaf("", false, &mut |path, leaf, is_memo| {
            if is_memo {
                found.push((path, Some(leaf).filter(|leaf| matches!(leaf, Self::Data(_) | Self::Text(_)))));
            }
        });
        found
    }

    /// Calls `visit` with everything in it that has no parts and tells what it is, by path, and whether it is remembered by a
    /// map.
    pub(super) fn for_each_leaf<'h>(
        &'h self,
        path: &str,
        is_memo: bool,
        visit: &mut dyn FnMut(String, &'h Self, bool),
    ) {
        match self {
            Self::Opaque => {}
            Self::Layer(_) | Self::Tensor(_) | Self::Data(_) | Self::Text(_) => visit(path.to_owned(), self, is_memo),
            Self::List(items) | Self::Tuple(items) => {
                let items = items.iter().enumerate();
                items.for_each(|(i, item)| item.for_each_leaf(&joined(path, &i.to_string()), is_memo, visit));
            }
            Self::Struct(structure) => {
                let is_memo = is_memo || structure.kind == Kind::Memo;
                let fields = structure.fields.iter();
                fields.for_each(|(name, held)| held.for_each_leaf(&joined(path, name), is_memo, visit));
            }
        }
    }

    /// Whether it is one value: there is no struct in it whose fields could change by themselves, and no layer but in a
    /// variant, which is a choice of it.
    fn is_value(&self) -> bool {
        match self {
            Self::Opaque | Self::Layer(_) => false,
            Self::Tensor(_) | Self::Data(_) | Self::Text(_) => true,
            Self::List(items) | Self::Tuple(items) => items.iter().all(Self::is_value),
            Self::Struct(structure) => {
                structure.kind != Kind::Fields
                    && structure.fields.iter().all(|(_, held)| held.is_value() || held.is_of_layers())
            }
        }
    }

    /// Whether it is nothing but layers.
    fn is_of_layers(&self) -> bool {
        match self {
            Self::Layer(_) => true,
            Self::List(items) | Self::Tuple(items) => items.iter().all(Self::is_of_layers),
            _ => false,
        }
    }
}

/// Tensors are equal if they are one value of the graph.
impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Opaque, Self::Opaque) => true,
            (Self::Layer(a), Self::Layer(b)) => a == b,
            (Self::Tensor(a), Self::Tensor(b)) => a.is(b),
            (Self::Data(a), Self::Data(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) | (Self::Tuple(a), Self::Tuple(b)) => a == b,
            (Self::Struct(a), Self::Struct(b)) => a == b,
            _ => false,
        }
    }
}

/// Something without parts.
pub(super) enum Leaf<'h> {
    Tensor(&'h Proxy),
    Data(&'h Argument),
}

/// The path of a part; one without a name has the path of the whole.
fn joined(path: &str, part: &str) -> String {
    match (path, part) {
        ("", part) => part.to_owned(),
        (path, "") => path.to_owned(),
        (path, part) => format!("{path}.{part}"),
    }
}

/// A part of a mirror that is another after the capture, or that is state because the user says so.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) name: String,
    pub(super) before: Held,
    pub(super) after: Held,
}

/// A map that is no state.
#[derive(Debug)]
pub(crate) struct Memo {
    /// Where the model has it.
    pub(crate) path: String,
    /// Whether there was something in it before.
    pub(crate) had_entries: bool,
    /// Whether something was added that is constant, and is therefore taken to be only remembered.
    pub(crate) grows: bool,
}

/// A comparison of what mirrors hold before and after a capture.
pub(super) struct Differences<'c> {
    /// Whether what is at a path is state even if it is as it was.
    pub(super) is_state: &'c dyn Fn(&str) -> bool,
    /// Whether something is made of constants alone, so that a run makes it again.
    pub(super) is_constant: &'c dyn Fn(&Held) -> bool,
    pub(super) found: Vec<Change>,
    /// The maps that are not found to be state.
    pub(super) memos: Vec<Memo>,
}

impl Differences<'_> {
    /// Finds the parts that differ.
    pub(super) fn compare(&mut self, path: &str, before: &Held, after: &Held) {
        let at = |part: &str| joined(path, part);
        match (before, after) {
            (Held::Opaque, Held::Opaque) => {}
            // A layer that stays where it is is no state, whatever is around it.
            (Held::Layer(old), Held::Layer(new)) if old == new => {}
            (Held::Struct(old), Held::Struct(new)) if old.kind == Kind::Memo && new.kind == Kind::Memo => {
                // A memo's keys are in order.
                let at_key = |key: &Arc<str>| {
                    old.fields.binary_search_by(|(known, _)| known.cmp(key)).ok().map(|at| &old.fields[at].1)
                };
                let is_state = (self.is_state)(path);
                let kept =
                    |(key, held): &&(Arc<str>, Held)| is_state || at_key(key).is_some() || !(self.is_constant)(held);
                let fields: Vec<(Arc<str>, Held)> = new.fields.iter().filter(kept).cloned().collect();
                if !is_state && !new.fields.is_empty() {
                    let (had_entries, grows) = (!old.fields.is_empty(), fields.len() < new.fields.len());
                    self.memos.push(Memo { path: path.to_owned(), had_entries, grows });
                }
                if fields.iter().all(|(_, held)| held.is_value()) {
                    let after = HeldStruct { name: new.name.clone(), kind: new.kind, fields };
                    self.one(path, before, &Held::Struct(Box::new(after)));
                } else {
                    for (key, held) in &fields {
                        self.compare(&at(key), at_key(key).unwrap_or(&Held::NOTHING), held);
                    }
                }
            }
            (Held::Struct(old), Held::Struct(new))
                if old.name == new.name
                    && (path.is_empty() || !before.is_value())
                    && old.fields.iter().map(|(name, _)| name).eq(new.fields.iter().map(|(name, _)| name)) =>
            {
                for ((name, before), (_, after)) in old.fields.iter().zip(&new.fields) {
                    self.compare(&at(name), before, after);
                }
            }
            (Held::List(old), Held::List(new)) | (Held::Tuple(old), Held::Tuple(new))
                if old.len() == new.len() && (path.is_empty() || !before.is_value()) =>
            {
                for (i, (before, after)) in old.iter().zip(new).enumerate() {
                    self.compare(&at(&i.to_string()), before, after);
                }
            }
            _ => self.one(path, before, after),
        }
    }

    /// Compares one value.
    pub(super) fn one(&mut self, path: &str, before: &Held, after: &Held) {
        if before != after || (self.is_state)(path) {
            // A model that is nothing but one value.
            let name = if path.is_empty() { "self" } else { path };
            self.found.push(Change { name: name.to_owned(), before: before.clone(), after: after.clone() });
        }
    }
}

/// Plain data of a type with `#[fx::constant]`: method resolution finds [`HeldText`] where its values can be told apart.
#[derive(Debug)]
#[doc(hidden)]
pub struct Described<'d, T: ?Sized>(pub &'d T);

/// Types with a debug form.
#[doc(hidden)]
pub trait HeldText {
    /// What it holds.
    fn __fx_held(&self) -> Held;
}

impl<T: Debug> HeldText for Described<'_, T> {
    fn __fx_held(&self) -> Held {
        Held::text(self.0)
    }
}

/// All other types.
#[doc(hidden)]
pub trait HeldOpaque {
    /// What it holds: that cannot be said.
    fn __fx_held(&self) -> Held;
}

impl<T: ?Sized> HeldOpaque for &Described<'_, T> {
    fn __fx_held(&self) -> Held {
        Held::Opaque
    }
}
