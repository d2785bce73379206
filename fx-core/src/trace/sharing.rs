//! Whether a model shares what can change, a cell or a lock behind an `Rc` or `Arc`, with others that are no part of it.
//!
//! What others do to it no graph sees, and they do not see what graphs do, so such a model runs itself.
//!
//! Invariant: a pointer that is met as often as it has owners belongs to the model alone.

use std::cell::RefCell;
use std::collections::HashMap;

use super::scope::Scope;

/// A pointer that was met.
struct Pointer {
    path: String,
    owners: usize,
    met: usize,
    /// Whether something behind it can change.
    has_cell: bool,
}

/// What was met while a mirror was made.
#[derive(Default)]
struct Walk {
    pointers: HashMap<usize, Pointer>,
    cells: usize,
}

thread_local! {
    static WALK: RefCell<Option<Walk>> = const { RefCell::new(None) };
}

fn walk<R>(with: impl FnOnce(&mut Walk) -> R) -> Option<R> {
    WALK.with_borrow_mut(|walk| walk.as_mut().map(with))
}

/// Mirrors what is behind a pointer that has so many owners.
pub(super) fn meet<R>(pointer: *const (), owners: usize, scope: &Scope, mirror: impl FnOnce() -> R) -> R {
    let before = walk(|walk| {
        let path = || scope.path().to_string();
        let new = || Pointer { path: path(), owners, met: 0, has_cell: false };
        walk.pointers.entry(pointer.addr()).or_insert_with(new).met += 1;
        walk.cells
    });
    let mirror = mirror();
    walk(|walk| {
        let has_cell = before.is_some_and(|before| walk.cells > before);
        if let Some(met) = walk.pointers.get_mut(&pointer.addr()) {
            met.has_cell |= has_cell;
        }
    });
    mirror
}

/// Notes that something can change that is mirrored.
pub(super) fn meet_cell() {
    walk(|walk| walk.cells += 1);
}

/// The path of something that can change and that others hold, too, in what is mirrored meanwhile.
pub(super) fn watch(mirror: impl FnOnce()) -> Option<String> {
    let outer = WALK.replace(Some(Walk::default()));
    mirror();
    let walk = WALK.replace(outer).unwrap_or_default();
    let is_shared = |pointer: &&Pointer| pointer.has_cell && pointer.owners > pointer.met;
    let shared = walk.pointers.values().filter(is_shared);
    shared.map(|pointer| pointer.path.clone()).min()
}
