//! [`Place`]: a part of a model that nobody can clone, reached through the shared pointer that it stands behind.
//!
//! candle's `Sequential` and `Box<dyn Module>` can neither be cloned nor sent to another thread. A graph can call one all
//! the same if it keeps the `Arc` or `Rc` that the model is in: the place says which pointer, and the way from there down.
//!
//! Invariant: what is behind a pointer never leaves its thread and is dropped there; a [`Place`] is only its number, so
//! graphs can be sent anywhere. Elsewhere using it is an error, and dropping it is put off until its thread looks.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use candle_core::Result;

use super::traceable::Traceable;

/// A part of a model, of a type that is not known.
///
/// [`Traceable::part`](super::Traceable::part) gives one, step by step down to a layer.
#[derive(Clone, Copy)]
pub struct Part<'m>(&'m dyn Parts);

/// What [`Traceable`] says about a value's parts, whatever its type.
trait Parts {
    fn part(&self, step: usize) -> Option<Part<'_>>;
    fn whole(&self) -> Option<&dyn Any>;
}

impl<T: Traceable> Parts for T {
    fn part(&self, step: usize) -> Option<Part<'_>> {
        Traceable::part(self, step)
    }

    fn whole(&self) -> Option<&dyn Any> {
        Traceable::whole(self)
    }
}

impl<'m> Part<'m> {
    /// This part.
    pub fn of<T: Traceable>(part: &'m T) -> Self {
        Self(part)
    }
}

/// A shared pointer.
#[derive(Clone)]
enum Shared {
    Arc(Arc<dyn Parts>),
    Rc(Rc<dyn Parts>),
}

/// What a thread keeps for graphs.
#[derive(Default)]
struct Kept {
    owners: HashMap<u64, Shared>,
    next: u64,
    /// Numbers of owners that were let go of elsewhere.
    released: Arc<Mutex<Vec<u64>>>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// The number of a shared pointer that a thread keeps; the last one to go lets go of it.
struct Ticket {
    number: u64,
    thread: ThreadId,
    released: Arc<Mutex<Vec<u64>>>,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.thread != thread::current().id() {
            self.released.lock().unwrap_or_else(PoisonError::into_inner).push(self.number);
            return;
        }
        // Dropping a model can run anything, so not while the table is borrowed. A thread that ends has no table any more.
        let owner = KEPT.try_with(|kept| kept.try_borrow_mut().ok()?.owners.remove(&self.number));
        drop(owner);
    }
}

/// A shared pointer and the way down from what it points to.
#[derive(Clone)]
pub(crate) struct Place {
    owner: Arc<Ticket>,
    steps: Vec<usize>,
}

impl Place {
    /// What this pointer points to.
    pub(crate) fn behind_arc<T: Traceable + 'static>(pointer: &Arc<T>) -> Self {
        Self::keep(Shared::Arc(pointer.clone()))
    }

    /// What this pointer points to.
    pub(crate) fn behind_rc<T: Traceable + 'static>(pointer: &Rc<T>) -> Self {
        Self::keep(Shared::Rc(pointer.clone()))
    }

    fn keep(shared: Shared) -> Self {
        let (ticket, gone) = KEPT.with_borrow_mut(|kept| {
            let released = std::mem::take(&mut *kept.released.lock().unwrap_or_else(PoisonError::into_inner));
            let gone: Vec<Option<Shared>> = released.iter().map(|number| kept.owners.remove(number)).collect();
            let number = kept.next;
            kept.next += 1;
            kept.owners.insert(number, shared);
            (Ticket { number, thread: thread::current().id(), released: kept.released.clone() }, gone)
        });
        drop(gone);
        Self { owner: Arc::new(ticket), steps: Vec::new() }
    }

    /// The place of a part of it.
    pub(crate) fn part(&self, step: usize) -> Self {
        let steps = self.steps.iter().copied().chain([step]).collect();
        Self { owner: self.owner.clone(), steps }
    }

    /// Lends what is there.
    ///
    /// # Errors
    /// On another thread, and where the model no longer has such a part.
    pub(crate) fn with<R>(&self, name: &str, call: impl FnOnce(&dyn Any) -> Result<R>) -> Result<R> {
        if self.owner.thread != thread::current().id() {
            candle_core::bail!(
                "`{name}` cannot leave the thread on which it was captured, because its type is not `Send` or cannot be \
                 cloned: run the graph on that thread, or hold the layers in a struct or a `Vec`"
            );
        }
        // Cloned, so that the layer itself may capture models and run graphs.
        let owner = KEPT.with_borrow(|kept| kept.owners.get(&self.owner.number).cloned());
        let mut part = match &owner {
            Some(Shared::Arc(pointer)) => Some(Part(&**pointer)),
            Some(Shared::Rc(pointer)) => Some(Part(&**pointer)),
            None => None,
        };
        for &step in &self.steps {
            part = part.and_then(|part| part.0.part(step));
        }
        match part.and_then(|part| part.0.whole()) {
            Some(whole) => call(whole),
            None => candle_core::bail!("the model has no `{name}` any more"),
        }
    }
}

/// A module that a graph calls whole and its author did not make for that.
#[derive(Clone)]
pub(crate) enum Original {
    /// A copy of it.
    Copy(Arc<dyn Any + Send + Sync>),
    /// Itself, in the model.
    Place(Place),
}

impl Original {
    /// Lends it.
    ///
    /// # Errors
    /// As [`Place::with`].
    pub(crate) fn with<R>(&self, name: &str, call: impl FnOnce(&dyn Any) -> Result<R>) -> Result<R> {
        match self {
            Self::Copy(copy) => call(&**copy),
            Self::Place(place) => place.with(name, call),
        }
    }
}
