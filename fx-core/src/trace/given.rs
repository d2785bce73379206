//! [`Given`]: an argument of a recorded call, in the three forms that recording needs: for the graph, for the shape rule
//! and for candle.
//!
//! Invariant: the three forms agree.

use std::borrow::Cow;
use std::sync::Arc;

use crate::ir::{Argument, NodeId};
use crate::value::{Fact, Value};

use super::proxy::Proxy;
use super::session::{Session, State};

/// An argument of a call.
///
/// What the attributes' output and layers of libraries record calls with.
#[derive(Debug, Clone)]
pub enum Given {
    /// A tensor.
    Proxy(Proxy),
    /// A list with tensors in it.
    List(Vec<Given>),
    /// A node of several parts, such as the list that `chunk` returns. Boxed, because most arguments are small.
    Parts(Box<(NodeId, Fact, Option<Value>)>),
    /// Plain data.
    Data(Value),
}

impl Given {
    /// The session of the tensors in it.
    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        match self {
            Self::Proxy(proxy) => Some(proxy.session()),
            Self::List(items) => items.iter().find_map(Self::session),
            Self::Parts(..) | Self::Data(_) => None,
        }
    }

    /// Whether all tensors in it are of this session.
    pub(crate) fn belongs_to(&self, session: &Arc<Session>) -> bool {
        match self {
            Self::Proxy(proxy) => Arc::ptr_eq(proxy.session(), session),
            Self::List(items) => items.iter().all(|item| item.belongs_to(session)),
            Self::Parts(..) | Self::Data(_) => true,
        }
    }

    /// Whether all tensors in it are held by the model.
    pub(crate) fn is_held(&self) -> bool {
        match self {
            Self::Proxy(proxy) => proxy.held_at().is_some(),
            Self::List(items) => items.iter().all(Self::is_held),
            Self::Parts(..) => false,
            Self::Data(_) => true,
        }
    }

    /// As the graph stores it.
    pub(crate) fn argument(&self, state: &mut State) -> Argument {
        match self {
            Self::Proxy(proxy) => Argument::Node(proxy.node_in(state)),
            Self::List(items) => Argument::List(items.iter().map(|item| item.argument(state)).collect()),
            Self::Parts(parts) => Argument::Node(parts.0),
            // Tensors never come this way: they are proxies.
            Self::Data(value) => Argument::from_value(value).unwrap_or_default(),
        }
    }

    /// As the shape rule sees it.
    pub(crate) fn fact(&self) -> Cow<'_, Fact> {
        match self {
            Self::Proxy(proxy) => Cow::Borrowed(proxy.fact()),
            Self::List(items) => Cow::Owned(Fact::List(items.iter().map(|item| item.fact().into_owned()).collect())),
            Self::Parts(parts) => Cow::Borrowed(&parts.1),
            Self::Data(value) => Cow::Owned(Fact::Data(value.clone())),
        }
    }

    /// As candle sees it; `None` where the capture has no data.
    pub(crate) fn value(&self) -> Option<Value> {
        match self {
            Self::Proxy(proxy) => proxy.tensor().map(Value::from),
            Self::List(items) => items.iter().map(Self::value).collect::<Option<_>>().map(Value::List),
            Self::Parts(parts) => parts.2.clone(),
            Self::Data(value) => Some(value.clone()),
        }
    }
}
