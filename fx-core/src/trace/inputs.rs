//! [`Inputs`]: the arguments of the method that is captured, taken one by one as its twin asks for them.
//!
//! Invariant: every tensor argument becomes a placeholder, in the order of the parameters; everything else is baked in.

use std::any::{Any, TypeId};
use std::sync::Arc;

use candle_core::{DType, Result, Shape, Tensor};

use crate::ir::{self, Graph, NodeId, Signature, StateSlot, Target};
use crate::module::inputs::parameter;
use crate::value::{Fact, Value};

use super::carry::Watched;
use super::error::TraceError;
use super::give::Give;
use super::held::{Held, Holding};
use super::output::{Output, OutputBuilder, ToOutput};
use super::probe::{Probe, replaced};
use super::proxy::Proxy;
use super::scope::Scope;
use super::session::{Mode, New, Session};
use super::traceable::plain;

/// An argument that was given for a parameter.
pub(crate) enum Argument<'a> {
    /// A tensor of known or unknown shape: a placeholder.
    Input(Option<(Shape, DType)>),
    /// Anything else, or a tensor with data: its mirror, made when it is asked for.
    Mirrored(Box<Make<'a>>),
}

/// Makes a mirror, under a name, as the type that is asked for.
type Make<'a> = dyn Fn(&mut Inputs<'_>, &str, TypeId) -> Mirrored + 'a;

/// A mirror of some type, and what it is called in messages.
pub(crate) struct Mirrored {
    /// The mirror as the type that was asked for; `Err` if it is another.
    value: std::result::Result<Box<dyn Any>, String>,
    /// What it holds.
    held: Held,
    look: Option<Look>,
}

/// Says what a mirror holds that a parameter was given; none if it is of another type than it was given as.
type Look = fn(&dyn Any) -> Option<Held>;

/// A parameter that was given.
struct GivenParameter {
    name: String,
    held: Held,
    look: Option<Look>,
    /// What it holds after the call, if it was only lent.
    after: Option<Held>,
}

/// The arguments of the method that is captured.
///
/// What closures of [`Tracer::trace_with`](super::Tracer::trace_with) and [`Tracer::trace_fn`](super::Tracer::trace_fn)
/// take arguments from. Each can be taken once, and those that are taken become inputs of the graph in that order.
///
/// ```
/// use candle_core::DType;
/// use fx_core::trace::Tracer;
///
/// let module = Tracer::new()
///     .input("x", DType::F32, (2, 3))
///     .concrete_arg("times", 3_usize)
///     .trace_fn(|inputs| {
///         let (mut x, times) = (inputs.tensor("x")?, inputs.take::<usize>("times", "usize")?);
///         for _ in 0..times {
///             x = x.relu()?;
///         }
///         candle_core::Result::Ok(x)
///     })?;
/// let names: Vec<&str> = module.graph().nodes().map(|(_, node)| node.name()).collect();
/// assert_eq!(names, ["x", "relu", "relu_1", "relu_2", "output"]);
/// # Ok::<(), fx_core::trace::TraceError>(())
/// ```
pub struct Inputs<'a> {
    session: Arc<Session>,
    method: &'static str,
    named: Vec<(&'a str, Option<&'a Argument<'a>>)>,
    positional: std::slice::Iter<'a, Argument<'a>>,
    by_position: bool,
    probe: Option<&'a Probe<'a>>,
    taken: Vec<String>,
    given: Vec<GivenParameter>,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(
        session: &Arc<Session>,
        method: &'static str,
        named: &'a [(String, Argument<'a>)],
        positional: Option<&'a [Argument<'a>]>,
        probe: Option<&'a Probe<'a>>,
    ) -> Self {
        Self {
            session: session.clone(),
            method,
            named: named.iter().map(|(name, argument)| (name.as_str(), Some(argument))).collect(),
            by_position: positional.is_some(),
            positional: positional.unwrap_or_default().iter(),
            probe,
            taken: Vec::new(),
            given: Vec::new(),
        }
    }

    /// The scope of the root.
    pub(crate) fn scope(&self) -> Scope {
        Scope::root(&self.session)
    }

    /// The capture that they are the inputs of.
    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// A new placeholder, with the tensor's data in a concrete capture.
    #[track_caller]
    pub(crate) fn placeholder(&mut self, name: &str, tensor: Option<&Tensor>) -> Proxy {
        let fact = match tensor {
            Some(tensor) => Fact::tensor(self.shape(name, tensor.shape()), tensor.dtype()),
            None => Fact::Unknown,
        };
        // A capture at other sizes has no data.
        let is_concrete = matches!(self.session.mode(), Mode::Concrete { .. });
        if let Some(tensor) = tensor.filter(|_| !is_concrete) {
            self.session.set_device(tensor.device());
        }
        let tensor = tensor.filter(|_| is_concrete);
        self.add_placeholder(name, fact, tensor.cloned())
    }

    /// The shape of an input that was given with this one.
    fn shape(&self, name: &str, given: &Shape) -> Shape {
        let Some(probe) = self.probe else { return given.clone() };
        probe.shape(name, given).unwrap_or_else(|| {
            let (name, shape) = (name.to_owned(), format!("{:?}", given.dims()));
            self.session.abort(TraceError::TooLarge { name, shape })
        })
    }

    /// A parameter that is an integer of each run: an input of the graph.
    fn scalar(&mut self, name: &str, ty: &str, integer: Box<dyn Any>) -> Result<Box<dyn Any>> {
        let value = self.probe.and_then(|probe| probe.scalar(name));
        let Some((integer, value)) = replaced(integer, value) else {
            return Err(self.wrong(name, ty, "something that is no integer, and was declared `dynamic_arg`"));
        };
        let node = self.add_placeholder(name, Fact::Data(Value::Int(value)), None).node();
        let held = Held::Data(node.into());
        self.given.push(GivenParameter { name: name.to_owned(), held, look: None, after: None });
        Ok(integer)
    }

    /// A new placeholder that a user asked for, in a capture without data.
    pub(crate) fn given_placeholder(&mut self, name: &str, annotations: &[(Arc<str>, Value)]) -> Proxy {
        if matches!(self.session.mode(), Mode::Concrete { .. }) {
            let (name, ty) = (name.to_owned(), "a tensor".to_owned());
            let found = "`PH`, in a capture that runs on data (`.example(…)`)".to_owned();
            self.session.abort(TraceError::WrongArgument { method: self.method, name, ty, found });
        }
        let proxy = self.add_placeholder(name, Fact::Unknown, None);
        let (node, state) = (proxy.node(), &mut *self.session.state());
        for (key, value) in annotations {
            let meta = state.graph.meta_mut(node);
            // torch.fx keeps what is there already.
            if meta.annotation(key).is_none() {
                meta.annotate(key.clone(), value.clone());
            }
        }
        proxy
    }

    /// What the parameters are made of, where that is more than one placeholder for each, or there is state: all but
    /// `as_state`, which are that.
    pub(crate) fn signature(&self, graph: &Graph, state: Vec<StateSlot>, as_state: &[String]) -> Option<Signature> {
        let parameters = self.given.iter().filter(|given| !as_state.contains(&given.name));
        let parameters: Vec<(Arc<str>, ir::Argument)> =
            parameters.filter_map(|given| Some((given.name.as_str().into(), given.held.made_of()?))).collect();
        let is_plain = parameters.iter().all(|(_, made_of)| matches!(made_of, ir::Argument::Node(_)));
        if state.is_empty() && is_plain {
            return None;
        }
        let mut named = Vec::new();
        parameters.iter().for_each(|(_, made_of)| made_of.for_each_node(&mut |node| named.push(node)));
        let mut of_state = std::collections::HashSet::new();
        state.iter().for_each(|slot| slot.reads.for_each_node(&mut |node| of_state.extend([node])));
        let inputs: Vec<NodeId> = graph.placeholders().filter(|node| !of_state.contains(node)).collect();
        let parameters = if inputs == named {
            parameters
        } else if state.is_empty() {
            // A parameter of which nothing can be said has placeholders of its own: the graph is called by them.
            return None;
        } else {
            inputs.iter().map(|&node| (parameter(graph.node(node)).into(), node.into())).collect()
        };
        Some(Signature { parameters: parameters.into(), state: state.into() })
    }

    /// What arguments hold that were lent, before and after the call.
    pub(super) fn lent_arguments(&mut self) -> impl Iterator<Item = Watched> {
        self.given.iter_mut().filter_map(|given| {
            let after = given.after.take()?;
            Some(Watched { name: given.name.clone(), before: given.held.clone(), after })
        })
    }

    /// The argument of this name as it is after the call: what the call has changed in it becomes state of the graph.
    ///
    /// What the attributes write does this for each argument that a method borrows.
    pub fn lent(&mut self, name: &str, mirror: &dyn Any) {
        if let Some(given) = self.given.iter_mut().rev().find(|given| given.name == name) {
            given.after = given.look.and_then(|look| look(mirror));
        }
    }

    /// Notes a placeholder that a parameter is.
    fn note(&mut self, name: &str, proxy: &Proxy) {
        let look: Look = |any| match (any.downcast_ref::<Proxy>(), any.downcast_ref::<Option<Proxy>>()) {
            (Some(proxy), _) => Some(Held::Tensor(proxy.clone())),
            (_, Some(proxy)) => Some(proxy.clone().map_or(Held::NOTHING, Held::Tensor)),
            _ => None,
        };
        let held = Held::Tensor(proxy.clone());
        self.given.push(GivenParameter { name: name.to_owned(), held, look: Some(look), after: None });
    }

    fn add_placeholder(&self, name: &str, fact: Fact, tensor: Option<Tensor>) -> Proxy {
        let new = New { fact: fact.clone(), name: Some(name.to_owned()), ..New::of(Target::Placeholder(name.into())) };
        let node = self.session.state().add_or_note(new);
        Proxy::recorded(self.session.clone(), node, fact, tensor)
    }

    /// The argument for a parameter of this name; `ty` is its type as the user wrote it, for messages.
    ///
    /// `T` is the type in the symbolic world: [`Proxy`] for a tensor, `Option<Proxy>` for one that may be absent, plain
    /// data as it is. An integer literal is taken as any integer type that it fits.
    ///
    /// # Errors
    /// When a parameter that is not a tensor was not given, or given as another type.
    pub fn take<T: 'static>(&mut self, name: &str, ty: &str) -> Result<T> {
        self.taken.push(name.to_owned());
        let given = if self.by_position {
            self.positional.next()
        } else {
            self.named.iter_mut().find(|(given, _)| *given == name).and_then(|(_, argument)| argument.take())
        };
        let wanted = TypeId::of::<T>();
        let tensor = wanted == TypeId::of::<Proxy>();
        let optional = wanted == TypeId::of::<Option<Proxy>>();
        let concrete = matches!(self.session.mode(), Mode::Concrete { .. });
        let any: Box<dyn Any> = match given {
            None if tensor && !self.by_position && !concrete => {
                let proxy = self.add_placeholder(name, Fact::Unknown, None);
                self.note(name, &proxy);
                Box::new(proxy)
            }
            // An optional tensor that was not given is absent, as candle models mean it.
            None if optional => Box::new(None::<Proxy>),
            None => return Err(self.missing(name, ty)),
            Some(Argument::Input(_)) if concrete => {
                return Err(self.wrong(
                    name,
                    ty,
                    "a shape without data, in a capture that runs on data (`.example(…)`)",
                ));
            }
            Some(Argument::Input(known)) if tensor || optional => {
                let fact = known.as_ref().map(|(shape, dtype)| Fact::tensor(self.shape(name, shape), *dtype));
                let fact = fact.unwrap_or_default();
                let proxy = self.add_placeholder(name, fact, None);
                self.note(name, &proxy);
                if optional { Box::new(Some(proxy)) } else { Box::new(proxy) }
            }
            Some(Argument::Input(_)) => return Err(self.wrong(name, ty, "Tensor")),
            Some(Argument::Mirrored(make)) => {
                let Mirrored { value, held, look } = make(self, name, wanted);
                let is_scalar = self.probe.is_some_and(|probe| probe.is_scalar(name));
                if !is_scalar {
                    self.given.push(GivenParameter { name: name.to_owned(), held, look, after: None });
                }
                match value {
                    Ok(value) if is_scalar => self.scalar(name, ty, value)?,
                    Ok(value) => value,
                    Err(found) => return Err(self.wrong(name, ty, &found)),
                }
            }
        };
        match any.downcast::<T>() {
            Ok(value) => Ok(*value),
            Err(_) => Err(self.wrong(name, ty, "a value of another type")),
        }
    }

    fn missing(&self, name: &str, ty: &str) -> candle_core::Error {
        let (name, ty) = (name.to_owned(), ty.to_owned());
        let left: Vec<_> = self.left().collect();
        let given = match left.as_slice() {
            [] => String::new(),
            names => format!(" (given besides: {})", names.join(", ")),
        };
        let remedy = if ty.contains("Tensor") {
            format!("give an example, `.example(\"{name}\", …)`, or pass it to `fx::trace`")
        } else {
            format!("give its value, `.concrete_arg(\"{name}\", …)`, or pass it to `fx::trace`")
        };
        self.session.fail(TraceError::MissingArgument { method: self.method, name, ty, remedy, given })
    }

    fn wrong(&self, name: &str, ty: &str, found: &str) -> candle_core::Error {
        let (name, ty) = (name.to_owned(), ty.to_owned());
        self.session.fail(TraceError::WrongArgument { method: self.method, name, ty, found: found.to_owned() })
    }

    /// Names of the arguments that were not asked for.
    fn left(&self) -> impl Iterator<Item = String> {
        self.named.iter().filter(|(_, left)| left.is_some()).map(|(name, _)| format!("`{name}`"))
    }

    /// Refuses arguments that no parameter asked for.
    fn check_all_taken(&mut self) -> Result<()> {
        let mut extra: Vec<String> = self.left().collect();
        let left = self.positional.by_ref().count();
        if left > 0 {
            extra.push(format!("{left} more"));
        }
        if extra.is_empty() {
            return Ok(());
        }
        let expected = match self.taken.as_slice() {
            [] => "no arguments".to_owned(),
            names => format!("`{}`", names.join("`, `")),
        };
        let extra = extra.join(", ");
        Err(self.session.fail(TraceError::ExtraArguments { method: self.method, expected, extra }))
    }

    /// The result of the method, as what the graph returns.
    ///
    /// What closures return is finished for them; this is for code that calls a mirror itself.
    ///
    /// # Errors
    /// The method's own, or that its result is nothing a graph can return.
    pub fn finish<R: ToOutput>(&mut self, returned: R) -> Result<Output> {
        let output = returned.to_output(&mut OutputBuilder::new(&self.session))?;
        self.check_all_taken()?;
        Ok(output)
    }

    /// A tensor argument of this name, for captures of closures.
    ///
    /// One that was not said anything of is an input of unknown shape; in a concrete capture every tensor needs an
    /// example.
    ///
    /// # Errors
    /// When it was given as something else.
    pub fn tensor(&mut self, name: &str) -> Result<Proxy> {
        self.take(name, "&Tensor")
    }
}

impl<'a> Argument<'a> {
    /// A value given as an example: its tensors are inputs.
    pub(crate) fn example<T: Give + 'a>(value: T) -> Self {
        Self::Mirrored(Box::new(move |inputs, name, wanted| {
            let mirror = value.as_input(inputs, name);
            Mirrored::of::<T>(mirror, wanted)
        }))
    }

    /// A value baked into the graph.
    pub(crate) fn constant<T: Give + 'a>(value: T) -> Self {
        Self::Mirrored(Box::new(move |inputs, name, wanted| {
            let scope = inputs.scope().child(name);
            let mirror = value.as_constant(inputs, &scope);
            Mirrored::of::<T>(mirror, wanted)
        }))
    }
}

impl Mirrored {
    /// The mirror of what was given, as the type that is wanted, and what it holds.
    fn of<T: Give>(mirror: T::Symbolic, wanted: TypeId) -> Self {
        let held = T::held(&mirror, &mut Holding::default());
        let look: Look = |any| match (any.downcast_ref(), any.downcast_ref::<Option<T::Symbolic>>()) {
            (Some(mirror), _) => Some(T::held(mirror, &mut Holding::default())),
            (_, Some(None)) => Some(Held::NOTHING),
            (_, Some(Some(mirror))) => Some(T::held(mirror, &mut Holding::default())),
            // A number as another type.
            _ => plain(any).map(Held::Data),
        };
        Self { value: as_wanted(mirror, wanted), held, look: Some(look) }
    }
}

/// A mirror of another type, and what that is called.
type Wanted = std::result::Result<Box<dyn Any>, String>;

/// A mirror as the type that a parameter has: the type itself, an `Option` of it, or the number as another type of
/// integer (`concrete_arg("n", 3)` for a `usize`).
fn as_wanted<S: 'static>(mirror: S, wanted: TypeId) -> Wanted {
    let found = short_type_name(std::any::type_name::<S>());
    if wanted == TypeId::of::<Option<S>>() {
        return Ok(Box::new(Some(mirror)));
    }
    let any: Box<dyn Any> = Box::new(mirror);
    if wanted == TypeId::of::<S>() {
        return Ok(any);
    }
    let literal = any.downcast_ref::<i32>().map(|&int| i64::from(int));
    let float = any.downcast_ref::<f64>().copied();
    let text = any.downcast_ref::<&'static str>().copied();
    macro_rules! converted {
        ($($from:ident => $($type:ty),+;)*) => {$($(
            if let Some(value) = $from.and_then(|value| <$type>::try_from(value).ok()) {
                if wanted == TypeId::of::<$type>() {
                    return Ok(Box::new(value));
                }
                if wanted == TypeId::of::<Option<$type>>() {
                    return Ok(Box::new(Some(value)));
                }
            }
        )+)*};
    }
    converted! { literal => usize, isize, u8, u16, u32, u64, i16, i64; text => String; }
    if let Some(value) = float
        && wanted == TypeId::of::<f32>()
    {
        return Ok(Box::new(value as f32));
    }
    Err(found)
}

/// The arguments of a concrete capture, in the order of the parameters: a tuple of what [`Give`] takes.
///
/// Up to twelve; more, or a number that is known only at run time, are a `Vec` of [`ExampleArgument`].
pub trait Examples<'a> {
    /// One argument each.
    fn into_arguments(self) -> Vec<ExampleArgument<'a>>;
}

/// One argument of a concrete capture.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use fx_core::trace::{ExampleArgument, Examples};
///
/// let x = Tensor::new(1f32, &Device::Cpu)?;
/// let examples = vec![ExampleArgument::tensor(&x), ExampleArgument::of(3_usize)];
/// assert_eq!(examples.into_arguments().len(), 2);
/// # Ok::<(), candle_core::Error>(())
/// ```
pub struct ExampleArgument<'a>(pub(crate) Argument<'a>);

impl<'a> ExampleArgument<'a> {
    /// A tensor, an input of the graph.
    #[must_use]
    pub fn tensor(tensor: &'a Tensor) -> Self {
        Self::of(tensor)
    }

    /// An example of any kind.
    ///
    /// A number or a configuration is baked in, tensors in it are inputs.
    #[must_use]
    pub fn of(value: impl Give + 'a) -> Self {
        Self(Argument::example(value))
    }
}

/// As many as there are.
impl<'a> Examples<'a> for Vec<ExampleArgument<'a>> {
    fn into_arguments(self) -> Vec<ExampleArgument<'a>> {
        self
    }
}

macro_rules! examples_tuple {
    ($(($($name:ident)*))*) => {$(
        impl<'a, $($name: Give + 'a),*> Examples<'a> for ($($name,)*) {
            #[allow(non_snake_case, reason = "the arguments are named after their types")]
            fn into_arguments(self) -> Vec<ExampleArgument<'a>> {
                let ($($name,)*) = self;
                vec![$(ExampleArgument(Argument::example($name))),*]
            }
        }
    )*};
}
examples_tuple! {
    () (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H)
    (A B C D E F G H I) (A B C D E F G H I J) (A B C D E F G H I J K) (A B C D E F G H I J K L)
}

/// `alloc::vec::Vec<candle_core::tensor::Tensor>` as `Vec<Tensor>`.
fn short_type_name(name: &str) -> String {
    name.split_inclusive(['<', '>', ',', ' ', '(', ')', '[', ']', '&'])
        .map(|part| part.rsplit("::").next().unwrap_or(part))
        .map(|part| if part.starts_with("Proxy") { part.replacen("Proxy", "Tensor", 1) } else { part.to_owned() })
        .collect()
}
