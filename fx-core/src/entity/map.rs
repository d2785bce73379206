//! The two maps. Both are vectors indexed by the key.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use super::EntityRef;

/// Owns entities and gives each the next key.
///
/// ```
/// use fx_core::entity::PrimaryMap;
/// use fx_core::ir::NodeId;
///
/// let mut names: PrimaryMap<NodeId, &str> = PrimaryMap::new();
/// let (a, b) = (names.push("a"), names.push("b"));
/// assert_eq!((names[a], names.get(b), names.len()), ("a", Some(&"b"), 2));
/// ```
///
/// Indexing by a key of another map panics if this one gave out fewer; [`PrimaryMap::get`] does not.
#[derive(Debug, Clone)]
pub struct PrimaryMap<K, V> {
    items: Vec<V>,
    keys: PhantomData<fn() -> K>,
}

impl<K: EntityRef, V> PrimaryMap<K, V> {
    /// No entities.
    #[must_use]
    pub const fn new() -> Self {
        Self { items: Vec::new(), keys: PhantomData }
    }

    /// Makes room for that many more entities.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// Adds an entity and returns its key.
    ///
    /// # Panics
    /// If there are more entities than a key can number.
    pub fn push(&mut self, item: V) -> K {
        let key = K::new(self.items.len());
        self.items.push(item);
        key
    }

    /// The entity, or none if the key is of another map.
    #[must_use]
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }

    /// The entity, or none if the key is of another map.
    #[must_use]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.items.get_mut(key.index())
    }

    /// How many keys were given out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether no key was given out yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All entities in the order of their keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(index, item)| (K::new(index), item))
    }
}

impl<K: EntityRef, V> Default for PrimaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityRef, V> Index<K> for PrimaryMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: EntityRef, V> IndexMut<K> for PrimaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

/// Holds a value beside every entity; the default where none was set.
///
/// It needs no entry for each of them: what was not set is the default, and reading it makes no entry.
///
/// ```
/// use fx_core::entity::{EntityRef, SecondaryMap};
/// use fx_core::ir::NodeId;
///
/// let (first, last) = (NodeId::new(0), NodeId::new(9));
/// let mut uses: SecondaryMap<NodeId, u32> = SecondaryMap::new();
/// uses[last] += 1;
/// assert_eq!((uses[first], uses[last]), (0, 1));
/// ```
#[derive(Debug, Clone)]
pub struct SecondaryMap<K, V> {
    items: Vec<V>,
    default: V,
    keys: PhantomData<fn() -> K>,
}

impl<K: EntityRef, V: Clone> SecondaryMap<K, V> {
    /// `default` beside every entity.
    #[must_use]
    pub const fn with_default(default: V) -> Self {
        Self { items: Vec::new(), default, keys: PhantomData }
    }

    /// Makes room for what is beside that many more entities.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// The same, with room for as many entities before it has to grow.
    #[must_use]
    pub fn with_capacity(capacity: usize, default: V) -> Self {
        Self { items: Vec::with_capacity(capacity), default, keys: PhantomData }
    }
}

impl<K: EntityRef, V: Clone + Default> SecondaryMap<K, V> {
    /// The type's default beside every entity.
    #[must_use]
    pub fn new() -> Self {
        Self::with_default(V::default())
    }
}

impl<K: EntityRef, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: EntityRef, V: Clone> Index<K> for SecondaryMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        self.items.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: EntityRef, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        if index >= self.items.len() {
            self.items.resize(index + 1, self.default.clone());
        }
        &mut self.items[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::entity::entity! {
        struct Key
    }

    #[test]
    fn keys_are_given_in_order_and_cost_nothing_in_an_option() {
        let mut map = PrimaryMap::<Key, &str>::new();
        let (a, b) = (map.push("a"), map.push("b"));
        assert_eq!((a.index(), b.index(), map[a], map[b], map.len()), (0, 1, "a", "b", 2));
        assert_eq!(map.get(Key::new(2)), None);
        assert_eq!(map.iter().map(|(key, _)| key).collect::<Vec<_>>(), [a, b]);
        assert_eq!(size_of::<Option<Key>>(), 4);
        assert_eq!(format!("{b:?}"), "Key(1)");
    }

    #[test]
    fn unknown_keys_have_the_default() {
        let mut map = SecondaryMap::<Key, u32>::with_default(7);
        assert_eq!(map[Key::new(1_000_000)], 7);
        map[Key::new(3)] += 1;
        assert_eq!((map[Key::new(2)], map[Key::new(3)], map[Key::new(4)]), (7, 8, 7));
    }
}
