//! Which methods steer a model from outside: they read data and decide by it what to run next, as `generate` does.
//!
//! Invariant: what a computation calls is none of them, so that leaving their twins out leaves no call without one.

use std::collections::BTreeSet;

use syn::{Block, Signature};

use crate::signature::{calls, reads_data};

/// A method or function, as far as it matters here.
pub(super) struct Body {
    /// The type, of a method.
    pub(super) owner: Option<usize>,
    pub(super) name: String,
    /// Last names of what it calls.
    pub(super) calls: BTreeSet<String>,
    /// Whether it reads tensors' data.
    pub(super) reads: bool,
}

impl Body {
    /// Of a free function.
    pub(super) fn of_function(signature: &Signature, block: &Block) -> Self {
        Self { owner: None, name: signature.ident.to_string(), calls: calls(block), reads: reads_data(block) }
    }
}

/// Methods by type and name.
#[derive(Default)]
pub(super) struct Drivers(BTreeSet<(usize, String)>);

impl Drivers {
    /// Those among all methods and functions of a crate.
    pub(super) fn among(bodies: Vec<Body>) -> Self {
        let can_be = |body: &Body| body.owner.is_some() && body.reads && !body.name.starts_with("forward");
        let (mut candidates, mut others): (Vec<_>, Vec<_>) = bodies.into_iter().partition(can_be);
        loop {
            let called: BTreeSet<&String> = others.iter().flat_map(|body| &body.calls).collect();
            let called: Vec<bool> = candidates.iter().map(|body| called.contains(&body.name)).collect();
            if !called.contains(&true) {
                break;
            }
            let mut called = called.into_iter();
            let (news, rest) = candidates.into_iter().partition(|_| called.next() == Some(true));
            others.extend::<Vec<Body>>(news);
            candidates = rest;
        }
        Self(candidates.into_iter().filter_map(|body| Some((body.owner?, body.name))).collect())
    }

    pub(super) fn contains(&self, owner: usize, name: &str) -> bool {
        self.0.contains(&(owner, name.to_owned()))
    }
}
