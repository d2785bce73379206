//! Which methods and functions steer a model from outside: they read data and decide by it what to run next, as `generate`
//! does, train the model, or save it.
//!
//! Invariant: what a computation calls is none of them, so that leaving their twins out leaves no call without one.

use std::collections::BTreeSet;

use syn::{Block, Signature};

use crate::signature::{calls_of, mentions_tensor, parameters, result, returns_closure, steers};
use crate::source::SourceFile;

/// A method or function, as far as it matters here.
pub(super) struct Body {
    /// The type, of a method.
    pub(super) owner: Option<usize>,
    pub(super) name: String,
    /// Last names of what it calls.
    pub(super) calls: BTreeSet<String>,
    /// Whether it can be left out: it steers, and gives no tensors, or is a method that is no forward.
    pub(super) steers: bool,
    /// Whether it has a twin, and so calls those of others.
    pub(super) has_twin: bool,
}

impl Body {
    /// Of a free function.
    pub(super) fn of_function(file: &SourceFile, signature: &Signature, block: &Block) -> Self {
        let gives = mentions_tensor(file, &result(signature));
        Self {
            owner: None,
            name: signature.ident.to_string(),
            calls: calls_of(signature, block),
            steers: !gives && steers(signature, block).is_some(),
            has_twin: gives || mentions_tensor(file, &parameters(signature)) || returns_closure(file, signature),
        }
    }

    /// Of a method.
    pub(super) fn of_method(owner: usize, signature: &Signature, block: &Block) -> Self {
        let name = signature.ident.to_string();
        let steers = !name.starts_with("forward") && steers(signature, block).is_some();
        Self { owner: Some(owner), name, calls: calls_of(signature, block), steers, has_twin: true }
    }
}

/// Methods by type and name, functions by name.
#[derive(Default)]
pub(super) struct Drivers(BTreeSet<(Option<usize>, String)>);

impl Drivers {
    /// Those among all methods and functions of a crate.
    pub(super) fn among(bodies: Vec<Body>) -> Self {
        let bodies = bodies.into_iter().filter(|body| body.steers || body.has_twin);
        let (mut candidates, mut others): (Vec<_>, Vec<_>) = bodies.partition(|body| body.steers);
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
        Self(candidates.into_iter().map(|body| (body.owner, body.name)).collect())
    }

    /// Whether a method of the type is one of them, or a function if there is none.
    pub(super) fn contains(&self, owner: Option<usize>, name: &str) -> bool {
        self.0.contains(&(owner, name.to_owned()))
    }
}
