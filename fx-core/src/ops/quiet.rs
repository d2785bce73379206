//! [`quietly`]: calls that may well panic, and whose panics are nobody's concern.
//!
//! Rust prints every panic by one hook of the whole process, before it is known whether somebody catches it. A capture for all
//! sizes tries sizes at which a model gives up, and says itself what came of each, so the panics of its thread are not printed.
//! The hook is replaced once, when this is first needed, by one that hands on to the one that was there all panics of threads
//! that are not quiet; whoever sets a hook later has the last word.
//!
//! Invariant: the panics of other threads, and of this one before and afterwards, are told as ever.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Calls something, without a message if it panics.
pub(crate) fn quietly<T>(call: impl FnOnce() -> T) -> std::thread::Result<T> {
    static HOOK: Once = Once::new();
    // A thread that unwinds may not set a hook; then the message is printed.
    if !std::thread::panicking() {
        HOOK.call_once(|| {
            let usual = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                if !QUIET.get() {
                    usual(panic);
                }
            }));
        });
    }
    let before = QUIET.replace(true);
    // Who calls this throws away what a call that panics has left.
    let result = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(before);
    result
}
