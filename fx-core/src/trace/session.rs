//! [`Session`]: one capture in progress. What is recorded goes through it into the graph.
//!
//! Invariant: a node is added only after candle, or the shape rule, has accepted the call.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use candle_core::{Device, Tensor, TensorId};

use crate::ir::{Argument, Graph, Keyword, ModulePath, ModuleStack, NodeId, Target};
use crate::module::{Attribute, Attributes, CONSTANT, LayerModule};
use crate::ops::candle_error::{panic_message, reason};
use crate::value::Fact;

use super::building::Building;
use super::error::{At, TraceError};
use super::probe::{Dimension, Probe};
use super::rules::{ModuleCall, NewNode, TracerRules};

/// What a proxy knows while it is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Shapes follow from parameters only; inputs are unknown.
    Symbolic,
    /// Shapes and dtypes are computed by rules; there is no data.
    Abstract,
    /// The computation runs on candle as it is recorded.
    Concrete {
        /// Whether data may be read and baked into the graph.
        specialize: bool,
    },
}

impl Mode {
    /// What it does when data is read, as a clause.
    pub(crate) fn on_data_read(self) -> &'static str {
        match self {
            Self::Symbolic => "and a symbolic capture has none",
            Self::Abstract => "and an abstract capture has none",
            Self::Concrete { .. } => "and what depends on it would hold for these inputs only",
        }
    }
}

/// One capture in progress.
///
/// It has the graph as far as it is recorded, and why a capture failed. Users meet it nowhere.
pub struct Session {
    mode: Mode,
    device: Device,
    /// That of the examples, in a capture without data for which no device was named.
    example_device: OnceLock<Device>,
    has_rules: bool,
    /// Dimensions of tensors of the model that are of another size in this capture.
    extents: Vec<(Dimension, usize)>,
    /// Integers of the model that differ from capture to capture, by path, and what they are in this one.
    integers: Vec<(String, Option<i64>)>,
    /// Maps that are mirrored without what they remember.
    forgotten: Vec<String>,
    state: Mutex<State>,
}

/// What a capture has made so far.
pub(crate) struct State {
    pub(crate) graph: Graph,
    pub(crate) attributes: Attributes,
    attribute_nodes: HashMap<ModulePath, NodeId>,
    constants: usize,
    /// Where the constants are that no module holds.
    constant_paths: HashMap<TensorId, ModulePath>,
    rules: Option<Box<dyn TracerRules>>,
    /// The modules that are running.
    modules: ModuleStack,
    /// How often each module was called, and its type.
    calls: HashMap<ModulePath, (Arc<str>, u32)>,
    /// What builds a part of the model at this moment.
    pub(super) building: Option<Building>,
    /// The function that built the first part.
    pub(super) built_by: Option<&'static str>,
    /// How many layers were made of tensors at a path.
    made: HashMap<ModulePath, usize>,
    failure: Option<TraceError>,
    /// The first failure that the model cannot mend by going another way: the original would not have had it.
    lasting: Option<TraceError>,
    closed: bool,
}

/// Unwinds out of a user's code at a query that cannot return an error; caught by the tracer, never seen by users.
struct Abort;

thread_local! {
    static CURRENT: RefCell<Vec<Current>> = const { RefCell::new(Vec::new()) };
}

/// The session that is recording on a thread, and the mirrors of what the model shares.
struct Current {
    session: Arc<Session>,
    shared: HashMap<(usize, TypeId), Box<dyn Any>>,
}

/// The mirror of something that the model holds in several places, made at the first: what is shared stays shared.
pub(crate) fn shared<S: Clone + 'static>(original: *const (), make: impl FnOnce() -> S) -> S {
    let key = (original.addr(), TypeId::of::<S>());
    let known = CURRENT.with_borrow(|sessions| sessions.last()?.shared.get(&key)?.downcast_ref::<S>().cloned());
    known.unwrap_or_else(|| {
        let mirror = make();
        CURRENT.with_borrow_mut(|sessions| {
            if let Some(current) = sessions.last_mut() {
                current.shared.insert(key, Box::new(mirror.clone()));
            }
        });
        mirror
    })
}

/// Keeps a session the current one of its thread.
pub(crate) struct Active;

impl Drop for Active {
    fn drop(&mut self) {
        CURRENT.with_borrow_mut(Vec::pop);
    }
}

impl Session {
    pub(crate) fn new(
        name: &str,
        mode: Mode,
        device: Device,
        rules: Option<Box<dyn TracerRules>>,
        probe: Option<&Probe<'_>>,
        forgotten: Vec<String>,
    ) -> Arc<Self> {
        let has_rules = rules.is_some();
        let state = State {
            graph: Graph::new(name),
            attributes: Attributes::new(),
            attribute_nodes: HashMap::new(),
            constants: 0,
            constant_paths: HashMap::new(),
            rules,
            modules: ModuleStack::ROOT,
            calls: HashMap::new(),
            building: None,
            built_by: None,
            made: HashMap::new(),
            failure: None,
            lasting: None,
            closed: false,
        };
        let extents = probe.map_or_else(Vec::new, Probe::extents);
        let integers = probe.map_or_else(Vec::new, Probe::scalars);
        let example_device = OnceLock::new();
        let state = Mutex::new(state);
        Arc::new(Self { mode, device, example_device, has_rules, extents, integers, forgotten, state })
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether somebody is asked.
    pub(crate) fn has_rules(&self) -> bool {
        self.has_rules
    }

    /// Whether the rules want this module called whole.
    pub(crate) fn is_leaf_module(&self, type_name: &str, path: &ModulePath) -> bool {
        self.state().rules.as_ref().is_some_and(|rules| rules.is_leaf_module(type_name, path.as_str()))
    }

    /// Whether the rules want this annotated function called whole.
    pub(crate) fn is_leaf_function(&self, path: &str) -> bool {
        self.state().rules.as_ref().is_some_and(|rules| rules.is_leaf_function(path))
    }

    /// What builds a part of the model at this moment.
    pub(crate) fn building(&self) -> Option<Building> {
        self.state().building.clone()
    }

    /// The path of a layer that is made of tensors: that of its variable, or of its type, in what is building.
    pub(crate) fn made_path(&self, type_name: &str) -> ModulePath {
        let state = &mut *self.state();
        let (inside, name) = match &state.building {
            Some(building) => (building.path.clone(), building.variable.map(str::to_owned)),
            None => (ModulePath::ROOT, None),
        };
        let path = inside.child(&name.unwrap_or_else(|| type_name.to_lowercase()));
        let made = state.made.entry(path.clone()).or_insert(0);
        *made += 1;
        if *made == 1 { path } else { ModulePath::new(format!("{path}_{}", *made - 1)) }
    }

    /// Whether the rules want this layer called whole.
    pub(crate) fn is_leaf_layer(&self, type_name: &str, path: &ModulePath) -> bool {
        self.state().rules.as_ref().is_none_or(|rules| rules.is_leaf_layer(type_name, path.as_str()))
    }

    /// Enters a module and gives the modules outside of it; none if it is the innermost one already.
    pub(crate) fn enter(&self, path: &ModulePath, type_name: &str) -> Option<ModuleStack> {
        let state = &mut *self.state();
        if state.modules.path() == path {
            return None;
        }
        let inside = match state.called(path, type_name, false) {
            Ok(inside) => inside,
            Err(error) => {
                state.note(error);
                return None;
            }
        };
        Some(std::mem::replace(&mut state.modules, inside))
    }

    /// Leaves a module.
    pub(crate) fn leave(&self, outer: ModuleStack) {
        self.state().modules = outer;
    }

    /// The device of values that have no data.
    pub(crate) fn device(&self) -> &Device {
        self.example_device.get().unwrap_or(&self.device)
    }

    /// Where an example is that is not used itself: there is what has no data, unless it was said before.
    pub(crate) fn set_device(&self, device: &Device) {
        self.example_device.get_or_init(|| device.clone());
    }

    /// What an integer of the model is in this capture, if not what it is in the model.
    pub(crate) fn integer(&self, path: &ModulePath) -> Option<i64> {
        self.integers.iter().find(|(integer, _)| *integer == path.as_str())?.1
    }

    /// Whether the map at a path is mirrored without what it remembers.
    pub(crate) fn forgets(&self, path: &ModulePath) -> bool {
        self.forgotten.iter().any(|map| map == path.as_str())
    }

    /// A tensor of the model, in the size that it has in this capture: another one has no data.
    pub(crate) fn sized(&self, path: &ModulePath, tensor: &Tensor) -> Tensor {
        let mut dims = tensor.dims().to_vec();
        let mut changes = false;
        for (dimension, extent) in self.extents.iter().filter(|(dimension, _)| dimension.is_of(path.as_str())) {
            if let Some(dim) = dims.get_mut(dimension.axis) {
                (changes, *dim) = (changes || *dim != *extent, *extent);
            }
        }
        if !changes {
            return tensor.clone();
        }
        let without_data = Tensor::zeros((), tensor.dtype(), tensor.device()).and_then(|zero| zero.broadcast_as(dims));
        without_data.unwrap_or_else(|error| Self::abort_current(&error))
    }

    /// What has been recorded. A user's panic inside a capture leaves it as it was, so poison does not matter.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes this the session that tensors made from nothing are recorded into, until the guard is dropped.
    pub(crate) fn activate(self: &Arc<Self>) -> Active {
        let current = Current { session: self.clone(), shared: HashMap::new() };
        CURRENT.with_borrow_mut(|sessions| sessions.push(current));
        Active
    }

    /// The session that is recording on this thread.
    #[track_caller]
    pub(crate) fn current(method: &'static str) -> candle_core::Result<Arc<Self>> {
        let at = At(Location::caller());
        Self::recording().ok_or_else(|| candle_core::Error::Msg(TraceError::NoCapture { method, at }.to_string()))
    }

    /// The same, if there is one.
    pub(crate) fn recording() -> Option<Arc<Self>> {
        CURRENT.with_borrow(|sessions| sessions.last().map(|current| current.session.clone()))
    }

    /// Notes why the capture fails, and gives the error for the user's code to pass on.
    ///
    /// candle's error type cannot carry ours, so the tracer takes the reason from here when the model returns.
    pub(crate) fn fail(&self, error: TraceError) -> candle_core::Error {
        self.state().fail(error)
    }

    /// The error of asking for what is not known of a node: which input it depends on, and how to give that.
    pub(crate) fn unknown(&self, node: NodeId, query: &'static str, what: &'static str, at: At) -> TraceError {
        let state = self.state();
        let Unknown { inputs, layers } = state.unknown_origins(node);
        let because = match (inputs.as_slice(), layers.as_slice()) {
            ([], []) => String::new(),
            ([], layers) => format!(", because nothing tells what `{}` does to shapes", layers.join("`, `")),
            ([one], _) => format!(", because the shape of input `{one}` is not"),
            (many, _) => format!(", because the shapes of inputs `{}` are not", many.join("`, `")),
        };
        let remedy = if !inputs.is_empty() {
            let given: String = inputs.iter().map(|name| format!(".input(\"{name}\", DType::F32, (2, 3))")).collect();
            format!(
                "give it, `Tracer::new(){given}.trace(&model)`, or capture with real tensors, `fx::trace(&model, …)`"
            )
        } else if !layers.is_empty() {
            "capture with real tensors, `fx::trace(&model, …)`, or, so that what is inside is seen, while the model is built: put \
             `#[fx(include)]` on its constructor, and `tracer.trace_built(&vb, |vb| fx::Symbolic::<Model>::new(vb, …))`"
                .to_owned()
        } else {
            "capture with real tensors: `fx::trace(&model, …)`".to_owned()
        };
        TraceError::Unknown { query, what, node: state.graph.node(node).name().to_owned(), because, remedy, at }
    }

    /// Ends the capture from inside a query that cannot return an error.
    pub(crate) fn abort(&self, error: TraceError) -> ! {
        self.state().note(error);
        // `resume_unwind` does not run the panic hook: nothing is printed.
        std::panic::resume_unwind(Box::new(Abort))
    }

    /// Ends the current capture with an error that was noted already, from where it cannot be returned.
    pub(crate) fn abort_current(error: &candle_core::Error) -> ! {
        if let Some(session) = Self::recording() {
            let mut state = session.state();
            state.failure.get_or_insert_with(|| TraceError::Model(reason(error)));
        }
        std::panic::resume_unwind(Box::new(Abort))
    }

    /// The error behind what the model returned.
    pub(crate) fn explain(&self, error: &candle_core::Error) -> TraceError {
        let message = reason(error);
        match self.state().failure.take() {
            Some(failure) if message.contains(&failure.to_string()) => failure,
            _ => TraceError::Model(message),
        }
    }

    /// The error behind an unwinding: our own, or the user's panic.
    pub(crate) fn explain_panic(&self, payload: Box<dyn Any + Send>) -> TraceError {
        if payload.is::<Abort>()
            && let Some(failure) = self.state().failure.take()
        {
            return failure;
        }
        TraceError::Panicked(panic_message(payload))
    }
}

impl State {
    /// Notes a failure. A refused call is candle's own error, which a model may handle; all others last.
    fn note(&mut self, error: TraceError) {
        if !matches!(error, TraceError::Refused { .. }) {
            self.lasting.get_or_insert_with(|| error.clone());
        }
        self.failure = Some(error);
    }

    /// As [`Session::fail`].
    pub(crate) fn fail(&mut self, error: TraceError) -> candle_core::Error {
        let message = error.to_string();
        self.note(error);
        candle_core::Error::Msg(message)
    }

    /// Ends the recording: takes what was recorded, or the failure that the model passed over.
    pub(crate) fn close(&mut self) -> Result<(Graph, Attributes), TraceError> {
        self.closed = true;
        let recorded = (std::mem::replace(&mut self.graph, Graph::new("")), std::mem::take(&mut self.attributes));
        match self.lasting.take() {
            Some(error) => Err(error),
            None => Ok(recorded),
        }
    }

    /// The rules, when the capture is over.
    pub(crate) fn take_rules(&mut self) -> Option<Box<dyn TracerRules>> {
        self.rules.take()
    }

    /// What is building a part of the model at this moment; none at all if the capture is over, because proxies kept
    /// beyond it cannot record.
    pub(crate) fn building_unless_closed(&self) -> Option<Option<Building>> {
        (!self.closed).then(|| self.building.clone())
    }

    /// The modules inside one that is called now.
    pub(crate) fn called(&mut self, path: &ModulePath, type_name: &str, leaf: bool) -> Result<ModuleStack, TraceError> {
        let (type_name, calls) = match self.calls.get_mut(path) {
            Some((type_name, calls)) => {
                *calls += 1;
                (type_name.clone(), *calls)
            }
            None => {
                let type_name: Arc<str> = type_name.into();
                self.calls.insert(path.clone(), (type_name.clone(), 0));
                (type_name, 0)
            }
        };
        if let Some(rules) = &mut self.rules {
            let call = ModuleCall { type_name: &type_name, path, call: calls, leaf };
            rules.call_module(&call).map_err(|reason| TraceError::Vetoed {
                what: format!("a call of `{path}` ({type_name})"),
                reason,
                at: None,
            })?;
        }
        Ok(self.modules.enter(path.clone(), type_name, calls))
    }

    /// The one way into the graph: asks the rules, and adds a node.
    pub(crate) fn add(&mut self, mut new: New) -> Result<NodeId, TraceError> {
        let module = new.module.take().unwrap_or_else(|| self.modules.clone());
        let mut annotations = Vec::new();
        if let Some(rules) = &mut self.rules {
            let veto =
                |reason| TraceError::Vetoed { what: format!("a node of `{}`", new.target), reason, at: new.at.map(At) };
            for argument in new.args.iter_mut().chain(new.kwargs.iter_mut().map(|(_, argument)| argument)) {
                *argument = rules.create_arg(std::mem::take(argument)).map_err(veto)?;
            }
            let mut node = NewNode {
                target: &new.target,
                args: &new.args,
                kwargs: &new.kwargs,
                fact: &new.fact,
                module: &module,
                source: new.at,
                name: None,
                annotations: Vec::new(),
            };
            rules.create_node(&mut node).map_err(veto)?;
            new.name = node.name.or(new.name);
            annotations = node.annotations;
        }
        let New { target, args, kwargs, fact, name, at, .. } = new;
        let what = self.rules.is_some().then(|| target.to_string());
        let mut cursor = self.graph.at_end().with_module(module);
        if let Some(at) = at {
            cursor = cursor.with_source(at);
        }
        let node = cursor.create_node(target, args, kwargs, name.as_deref()).map_err(|error| {
            // Arguments that candle accepted always fit, unless the rules have put others in their place.
            TraceError::Vetoed {
                what: format!("`{}`", what.unwrap_or_default()),
                reason: error.to_string(),
                at: at.map(At),
            }
        })?;
        let meta = self.graph.meta_mut(node);
        meta.fact = fact;
        for (key, value) in annotations {
            meta.annotate(key, value);
        }
        Ok(node)
    }

    /// Adds a node where no error can be returned: a veto ends the capture when the model is done.
    pub(crate) fn add_or_note(&mut self, new: New) -> NodeId {
        self.add(new).unwrap_or_else(|error| {
            self.note(error);
            // In a graph that nobody will see.
            self.graph.at_end().placeholder("refused")
        })
    }

    /// The `get_attr` node of a path, made at its first use.
    pub(crate) fn attribute(&mut self, path: &ModulePath, tensor: &Tensor, fact: Fact) -> NodeId {
        let is_this = |there: &Attribute| matches!(there, Attribute::Tensor(there) if there.id() == tensor.id());
        let path = &self.hold(path, Attribute::Tensor(tensor.clone()), is_this);
        if let Some(&node) = self.attribute_nodes.get(path) {
            return node;
        }
        let node = self.add_or_note(New { fact, ..New::of(Target::GetAttr(path.clone())) });
        self.attribute_nodes.insert(path.clone(), node);
        node
    }

    /// The path of a layer that is called.
    pub(crate) fn layer(&mut self, path: &ModulePath, layer: &Arc<dyn LayerModule>) -> ModulePath {
        let is_this = |there: &Attribute| matches!(there, Attribute::Layer(there) if Arc::ptr_eq(there, layer));
        self.hold(path, Attribute::Layer(layer.clone()), is_this)
    }

    /// Puts an attribute at its path, or where that is taken (a model's field and an argument may have one name, and
    /// keys of maps are written together) at the path with a number.
    fn hold(&mut self, path: &ModulePath, attribute: Attribute, is_this: impl Fn(&Attribute) -> bool) -> ModulePath {
        let path = &self.rules.as_ref().map_or_else(|| path.clone(), |rules| rules.path_of_module(path));
        let mut held = path.clone();
        let mut count = 0;
        loop {
            match self.attributes.get(&held) {
                None => {
                    self.attributes.insert(held.clone(), attribute);
                    return held;
                }
                Some(there) if is_this(there) => return held,
                Some(_) => {
                    count += 1;
                    held = ModulePath::new(format!("{path}_{count}"));
                }
            }
        }
    }

    /// A path for a constant that no module holds: `_tensor_constant0`, as torch.fx names them. The same tensor has the
    /// same path each time.
    pub(crate) fn constant_path(&mut self, tensor: &Tensor) -> ModulePath {
        if let Some(path) = self.constant_paths.get(&tensor.id()) {
            return path.clone();
        }
        let path = self.made_path(CONSTANT);
        self.constant_paths.insert(tensor.id(), path.clone());
        path
    }

    /// A path for something of this name that the model makes while it runs, `_Conv2d0`.
    pub(crate) fn made_path(&mut self, name: &str) -> ModulePath {
        let name: String = name
            .trim_start_matches('_')
            .chars()
            .map(|letter| if letter.is_alphanumeric() { letter } else { '_' })
            .collect();
        loop {
            let path = ModulePath::new(format!("_{name}{}", self.constants));
            self.constants += 1;
            if !self.attributes.contains(&path) {
                return path;
            }
        }
    }

    /// Why nothing is known of a node: the inputs without shapes, and the layers that say nothing of shapes, which it follows from.
    fn unknown_origins(&self, node: NodeId) -> Unknown {
        let mut seen = std::collections::HashSet::from([node]);
        let mut pending = vec![node];
        let mut found = Unknown::default();
        while let Some(id) = pending.pop() {
            let node = self.graph.node(id);
            let is_unknown = |id: NodeId| self.graph.node(id).meta().fact.is_unknown();
            if is_unknown(id) {
                match node.op() {
                    crate::ir::Op::Placeholder => found.inputs.push(node.name().to_owned()),
                    crate::ir::Op::CallModule if !node.all_input_nodes().any(is_unknown) => {
                        found.layers.push(node.target().to_string());
                    }
                    _ => {}
                }
            }
            for input in node.all_input_nodes() {
                if seen.insert(input) {
                    pending.push(input);
                }
            }
        }
        found.inputs.sort();
        found.layers.sort();
        found.layers.dedup();
        found
    }

    /// The output node, last.
    pub(crate) fn output(&mut self, value: Argument) {
        self.add_or_note(New { args: vec![value], module: Some(ModuleStack::ROOT), ..New::of(Target::Output) });
    }
}

/// What a value of which nothing is known follows from.
#[derive(Default)]
struct Unknown {
    inputs: Vec<String>,
    layers: Vec<String>,
}

/// A node to be added.
pub(crate) struct New {
    pub(crate) target: Target,
    pub(crate) args: Vec<Argument>,
    pub(crate) kwargs: Vec<(Keyword, Argument)>,
    pub(crate) fact: Fact,
    /// The modules it is in, if not those that are running.
    pub(crate) module: Option<ModuleStack>,
    pub(crate) name: Option<String>,
    pub(crate) at: Option<&'static Location<'static>>,
}

impl New {
    /// A node that does this, without arguments.
    pub(crate) fn of(target: Target) -> Self {
        let (args, kwargs, fact) = (Vec::new(), Vec::new(), Fact::Unknown);
        Self { target, args, kwargs, fact, module: None, name: None, at: None }
    }
}
