//! [`Proxy`]: a tensor of the symbolic world. Using it records nodes.
//!
//! Invariant: a proxy is a node, or an attribute that becomes one at its first use; what it knows of its value (fact,
//! and tensor in a concrete capture) is true of that node.

use std::fmt;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

use candle_core::{DType, Device, Layout, Shape, Tensor};

use crate::ir::{ModulePath, NodeId};
use crate::value::{Fact, TensorFact};

use super::error::{At, TraceError};
use super::scope::Scope;
use super::session::{Mode, Session, State};

/// A tensor of the symbolic world: what `Tensor` means in a twin.
///
/// It has candle's methods, with candle's signatures; each call records a node with the caller's line, and fails where
/// candle or its shape rule refuses. A clone is the same value. What it knows of its value is said at [`trace`](super).
/// Operators work as on candle's tensors: `&x + &y` is a `Result`.
///
/// ```
/// use candle_core::DType;
/// use fx_core::trace::Tracer;
///
/// let module = Tracer::new().input("x", DType::F32, (2, 3)).trace_fn(|inputs| {
///     let x = inputs.tensor("x")?;
///     let (rows, columns) = x.dims2()?;
///     (x.reshape(rows * columns)? * 2.0)?.exp()
/// })?;
/// let names: Vec<&str> = module.graph().nodes().map(|(_, node)| node.name()).collect();
/// assert_eq!(names, ["x", "reshape", "mul", "exp", "output"]);
/// # Ok::<(), fx_core::trace::TraceError>(())
/// ```
#[derive(Clone)]
pub struct Proxy(Arc<ProxyData>);

struct ProxyData {
    session: Arc<Session>,
    origin: Origin,
    /// Of a tensor, or unknown.
    fact: Fact,
    /// How a tensor of this shape lies in memory, once somebody has asked where there is no tensor.
    layout: OnceLock<Box<Layout>>,
}

/// Where the value comes from.
enum Origin {
    /// A call or an input; its tensor in a concrete capture.
    Node(NodeId, Option<Tensor>),
    /// A tensor that a module holds; its `get_attr` node, once there is one.
    Attribute(ModulePath, Tensor, OnceLock<NodeId>),
}

impl Proxy {
    /// The proxy of a recorded node.
    pub(crate) fn recorded(session: Arc<Session>, node: NodeId, fact: Fact, tensor: Option<Tensor>) -> Self {
        let fact = if fact.as_tensor().is_some() { fact } else { Fact::Unknown };
        Self(Arc::new(ProxyData { session, origin: Origin::Node(node, tensor), fact, layout: OnceLock::new() }))
    }

    /// The proxy of a tensor that a module holds; its `get_attr` node is made at first use.
    pub(crate) fn attribute(scope: &Scope, tensor: &Tensor) -> Option<Self> {
        let session = scope.session()?;
        Some(Self::held(session, scope.path().clone(), session.sized(scope.path(), tensor)))
    }

    /// A tensor that no module holds, as a constant of the graph. While a part of the model is built, it may yet become
    /// part of a layer, and is recorded at its first use.
    pub(crate) fn constant(session: &Arc<Session>, tensor: Tensor) -> Self {
        if let Some(building) = session.building() {
            return Self::held(session, building.path.child("constant"), tensor);
        }
        let path = session.state().constant_path(&tensor);
        let proxy = Self::held(session, path, tensor);
        // Recorded at once: the constant is computed here, and a branch that never uses it is dead code, not an error.
        proxy.node();
        proxy
    }

    /// A tensor at this path of the model; its `get_attr` node is made at first use.
    pub(crate) fn held(session: &Arc<Session>, path: ModulePath, tensor: Tensor) -> Self {
        let fact = Fact::tensor(tensor.shape(), tensor.dtype());
        let origin = Origin::Attribute(path, tensor, OnceLock::new());
        Self(Arc::new(ProxyData { session: session.clone(), origin, fact, layout: OnceLock::new() }))
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.0.session
    }

    /// The node of this proxy.
    pub(crate) fn node(&self) -> NodeId {
        match &self.0.origin {
            Origin::Node(node, _) => *node,
            Origin::Attribute(_, _, node) => match node.get() {
                Some(node) => *node,
                None => self.node_in(&mut self.0.session.state()),
            },
        }
    }

    /// The node, if this is not a tensor that a module holds.
    pub(crate) fn input_node(&self) -> Option<NodeId> {
        match &self.0.origin {
            Origin::Node(node, _) => Some(*node),
            Origin::Attribute(..) => None,
        }
    }

    /// The node, if there is one already.
    pub(crate) fn known_node(&self) -> Option<NodeId> {
        match &self.0.origin {
            Origin::Node(node, _) => Some(*node),
            Origin::Attribute(_, _, node) => node.get().copied(),
        }
    }

    /// Whether both are the same value of one graph.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let same_node = self.known_node().is_some() && self.known_node() == other.known_node();
        Arc::ptr_eq(&self.0, &other.0) || (same_node && Arc::ptr_eq(&self.0.session, &other.0.session))
    }

    /// The node of this proxy, recorded under a lock already held.
    pub(crate) fn node_in(&self, state: &mut State) -> NodeId {
        match &self.0.origin {
            Origin::Node(node, _) => *node,
            Origin::Attribute(path, tensor, node) => {
                *node.get_or_init(|| state.attribute(path, tensor, self.fact().clone()))
            }
        }
    }

    /// The path, if this is a tensor that a module holds.
    pub(crate) fn held_at(&self) -> Option<&ModulePath> {
        match &self.0.origin {
            Origin::Node(..) => None,
            Origin::Attribute(path, ..) => Some(path),
        }
    }

    /// What is known of the value.
    pub(crate) fn fact(&self) -> &Fact {
        &self.0.fact
    }

    /// The tensor, in a concrete capture.
    pub(crate) fn tensor(&self) -> Option<&Tensor> {
        match &self.0.origin {
            Origin::Node(_, tensor) => tensor.as_ref(),
            Origin::Attribute(_, tensor, _) => Some(tensor),
        }
    }

    /// How the value lies in memory: as candle's tensor in a concrete capture, else in order.
    #[track_caller]
    pub(crate) fn known_layout(&self, query: &'static str) -> &Layout {
        super::notes::note_layout();
        match self.tensor() {
            Some(tensor) => tensor.layout(),
            None => {
                self.0.layout.get_or_init(|| Box::new(Layout::contiguous(self.known(query, "the shape").shape.clone())))
            }
        }
    }

    /// Shape and dtype; where they are not known, the capture ends with an error that says why.
    #[track_caller]
    pub(crate) fn known(&self, query: &'static str, what: &'static str) -> &TensorFact {
        match self.0.fact.as_tensor() {
            Some(fact) => fact,
            None => self.0.session.abort(self.unknown(query, what)),
        }
    }

    /// Shape and dtype, for a query that can return an error.
    #[track_caller]
    pub(crate) fn try_known(&self, query: &'static str, what: &'static str) -> candle_core::Result<&TensorFact> {
        match self.0.fact.as_tensor() {
            Some(fact) => Ok(fact),
            None => Err(self.0.session.fail(self.unknown(query, what))),
        }
    }

    #[track_caller]
    fn unknown(&self, query: &'static str, what: &'static str) -> TraceError {
        self.0.session.unknown(self.node(), query, what, At(Location::caller()))
    }

    /// The tensor's data, where the capture has it and may bake it into the graph.
    #[track_caller]
    pub(crate) fn data(&self, method: &'static str) -> candle_core::Result<&Tensor> {
        match (self.0.session.mode(), self.tensor()) {
            // A weight, read where the model is built: the original does that once, too.
            (_, Some(tensor)) if self.held_at().is_some() && self.0.session.building().is_some() => Ok(tensor),
            (Mode::Concrete { specialize: true }, Some(tensor)) => {
                // The node list says so: whatever the model does with the number is fixed from here on.
                let node = self.node();
                self.0.session.state().graph.meta_mut(node).set_note(format!("`{method}` baked in"));
                Ok(tensor)
            }
            (mode, _) => {
                let at = At(Location::caller());
                Err(self.0.session.fail(TraceError::DataRead { method, capture: mode.on_data_read(), at }))
            }
        }
    }

    /// The device of the value. In captures without data it is what [`Tracer::device`](super::Tracer::device) says,
    /// else where examples are, else the CPU.
    pub fn device(&self) -> &Device {
        match self.tensor() {
            Some(tensor) => tensor.device(),
            None => self.0.session.device(),
        }
    }

    /// The element type.
    ///
    /// Where it is not known, the capture ends with an error that says which inputs to give
    /// ([`Tracer::input`](super::Tracer::input)).
    #[track_caller]
    pub fn dtype(&self) -> DType {
        self.known("dtype", "the dtype").dtype
    }

    /// The shape: extents, the outermost first.
    ///
    /// Where it is not known, the capture ends with an error that says which inputs to give
    /// ([`Tracer::input`](super::Tracer::input)).
    #[track_caller]
    pub fn shape(&self) -> &Shape {
        &self.known("shape", "the shape").shape
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fact = self.fact();
        match &self.0.origin {
            Origin::Node(node, _) => write!(f, "Proxy({node:?}: {fact})"),
            Origin::Attribute(path, ..) => write!(f, "Proxy({path}: {fact})"),
        }
    }
}

/// What is known of it, where the original would print numbers.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl AsRef<Proxy> for Proxy {
    fn as_ref(&self) -> &Self {
        self
    }
}
