//! [`Tracer`]: runs a model's twin on proxies and keeps what it recorded.
//!
//! Invariant: a capture that fails changes nothing and says why; the model is only read.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use candle_core::{DType, Device, Shape};

use crate::module::{GraphModule, Kept, State};

use super::carry::{IsState, Memory};
use super::dynamic;
use super::error::TraceError;
use super::give::Give;
use super::inputs::{Argument, Examples, Inputs};
use super::output::{Output, ToOutput};
use super::probe::Declared;
use super::recording::{Call, Recording, Run};
use super::rules::TracerRules;
use super::session::Mode;
use super::traceable::Traceable;
use super::weights::VarBuilder;

/// Where a captured method was declared; tells the entries of one type apart.
///
/// It is the `K` of [`Entry`]`<K>`, which is never written: rustc finds the one that a type has.
pub struct Inherent;
/// See [`Inherent`].
pub struct ViaModule;
/// See [`Inherent`].
pub struct ViaModuleT;

/// A mirror with a method that can be captured. Written by `#[fx::module]`.
///
/// For `forward` of the type itself, of `Module` and of `ModuleT`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `forward` that fx can capture",
    note = "put `#[fx::module]` on the `impl` that has `forward`",
    note = "a `forward` that is generic, `impl Trait` included, or takes `self` by value has no arguments that a tracer could give",
    note = "other methods are captured with `Tracer::new().trace_with(&model, |model, inputs| …)`"
)]
pub trait Entry<K> {
    /// Name of the method.
    const METHOD: &'static str;

    /// Calls it with arguments taken from the inputs.
    ///
    /// # Errors
    /// The method's own.
    fn call(&mut self, inputs: &mut Inputs<'_>) -> candle_core::Result<Output>;
}

/// The type names of pointers.
const POINTERS: [&str; 3] = ["alloc::sync::Arc", "alloc::rc::Rc", "alloc::boxed::Box"];

/// A shared model is captured as the model itself: nothing else holds its mirror.
macro_rules! pointed_entries {
    ($($pointer:ident)*) => {$(
        impl<M: Entry<K>, K> Entry<K> for $pointer<M> {
            const METHOD: &'static str = M::METHOD;

            fn call(&mut self, inputs: &mut Inputs<'_>) -> candle_core::Result<Output> {
                match $pointer::get_mut(self) {
                    Some(mirror) => mirror.call(inputs),
                    None => candle_core::bail!("the mirror of the model is shared"),
                }
            }
        }
    )*};
}
pointed_entries!(Arc Rc);

impl<M: Entry<K>, K> Entry<K> for Box<M> {
    const METHOD: &'static str = M::METHOD;

    fn call(&mut self, inputs: &mut Inputs<'_>) -> candle_core::Result<Output> {
        (**self).call(inputs)
    }
}

/// Captures a model's `forward`: shapes follow from parameters only.
///
/// Every tensor argument becomes an input of the graph; `Option<&Tensor>` arguments are absent. Where the model asks for
/// a shape that the parameters do not tell, use [`Tracer::input`] or [`trace`].
///
/// ```rs
/// let captured = fx::symbolic_trace(&model)?;
/// println!("{}", captured.graph());
/// ```
///
/// # Errors
/// [`TraceError`] says what, where in the model's source, and what to write instead.
pub fn symbolic_trace<M, K>(model: &M) -> Result<GraphModule, TraceError>
where
    M: Traceable,
    M::Symbolic: Entry<K>,
{
    Tracer::new().trace(model)
}

/// Captures a model's `forward` while it runs on these arguments: a tuple in the order of its parameters.
///
/// Tensors (also in options, vectors and tuples) become inputs of the graph; everything else is baked in. A `&mut Cache`
/// parameter is given `&cache`: its mirror changes, the cache does not.
///
/// ```rs
/// let captured = fx::trace(&model, (&tokens, 0usize, &cache))?;
/// ```
///
/// The graph is for these shapes: numbers that the model makes of them are baked in. For all sizes, see
/// [`Tracer::dynamic`].
///
/// # Errors
/// [`TraceError`] says what, where in the model's source, and what to write instead.
pub fn trace<'a, M, K>(model: &M, arguments: impl Examples<'a>) -> Result<GraphModule, TraceError>
where
    M: Traceable,
    M::Symbolic: Entry<K>,
{
    Tracer::new().trace_examples(model, arguments)
}

/// Captures models in every way there is: with abstract inputs, with values for arguments that are not tensors, and any
/// method.
///
/// ```rs
/// let graph = Tracer::new()
///     .input("x", DType::U32, (1, 8))
///     .concrete_arg("index_pos", 0)
///     .concrete_arg("cache", &cache)
///     .trace(&model)?;
/// ```
///
/// What is said about an argument is said by the name of the parameter. An argument that the method does not have, or
/// one that it needs and was not given, is an error.
///
/// ```
/// use candle_core::{DType, Device};
/// use fx_core::trace::Tracer;
///
/// // Weights without memory: nothing runs.
/// let vb = fx_core::meta::var_builder(DType::F32, &Device::Cpu);
/// let mlp = (candle_nn::linear(8, 32, vb.pp("up"))?, candle_nn::linear(32, 4, vb.pp("down"))?);
/// let module = Tracer::new().name("mlp").input("x", DType::F32, (2, 8)).trace_with(&mlp, |(up, down), inputs| {
///     down.forward(&up.forward(&inputs.tensor("x")?)?.relu()?)
/// })?;
/// let logits = module.graph().result_and_written().and_then(|(result, _)| result.as_node()).unwrap();
/// assert_eq!(module.graph().node(logits).meta().fact.to_string(), "f32[2, 4]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Tracer<'a> {
    name: Option<String>,
    device: Option<Device>,
    arguments: Vec<(String, Argument<'a>)>,
    concrete: bool,
    specialize: bool,
    rules: Option<Box<dyn TracerRules>>,
    /// Paths that are state even if the capture does not change them.
    states: BTreeSet<String>,
    /// What the model adds to maps is state, whether it shows in this capture or not.
    remembers_state: bool,
    declared: Declarations,
}

/// How a mirror is called. Behind a pointer, so that a capture is compiled once for each type of model, however it is called.
/// What was declared to differ from run to run, or what is wrong with it.
type Declarations = Result<Declared, TraceError>;

impl Default for Tracer<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Tracer<'a> {
    /// A tracer of symbolic captures.
    ///
    /// Without more it captures as [`symbolic_trace()`] does.
    pub fn new() -> Self {
        Self {
            name: None,
            device: None,
            arguments: Vec::new(),
            concrete: false,
            specialize: false,
            rules: None,
            states: BTreeSet::new(),
            remembers_state: false,
            declared: Ok(Declared::default()),
        }
    }

    /// Name of the graph; else the type's, in snake case.
    ///
    /// Generated code and files are named after the model's type all the same
    /// ([`GraphModule::class_name`](crate::module::GraphModule::class_name)).
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Device of inputs that have no data; else the CPU.
    ///
    /// It is what the model sees as `x.device()`, and with it the device of what it makes there.
    pub fn device(mut self, device: &Device) -> Self {
        self.device = Some(device.clone());
        self
    }

    /// A tensor input of this dtype and shape: shapes of everything that follows are computed, without data.
    ///
    /// The shape is in elements, the outermost dimension first. A shape of more elements than can be counted is
    /// [`TraceError::TooLarge`]. With one such input the capture is abstract: give the others, too, where the model
    /// asks for their shapes.
    pub fn input(mut self, name: impl Into<String>, dtype: DType, shape: impl Into<Shape>) -> Self {
        self.arguments.push((plain(name), Argument::Input(Some((shape.into(), dtype)))));
        self
    }

    /// A tensor input of unknown shape. Only needed for `Option<&Tensor>` parameters, which are absent otherwise.
    pub fn placeholder(mut self, name: impl Into<String>) -> Self {
        self.arguments.push((plain(name), Argument::Input(None)));
        self
    }

    /// A value for a parameter, baked into the graph; [`PH`](super::PH) in it, also deep inside, is an input.
    ///
    /// The graph remembers the value in its signature ([`Graph::signature`](crate::ir::Graph::signature)): it can be called
    /// with it or without, and not with another.
    pub fn concrete_arg(mut self, name: impl Into<String>, value: impl Give + 'a) -> Self {
        self.arguments.push((plain(name), Argument::constant(value)));
        self
    }

    /// An example for a tensor parameter: the model runs on candle as it is recorded. All tensor inputs need one then.
    ///
    /// In options, lists and tuples each tensor is an input, and the graph's signature says how the parameter is made
    /// of them.
    pub fn example(mut self, name: impl Into<String>, value: impl Give + 'a) -> Self {
        self.concrete = true;
        self.arguments.push((plain(name), Argument::example(value)));
        self
    }

    /// Whether a concrete capture may read data (`to_scalar`, `to_vec1`, …) and bake it into the graph.
    ///
    /// Off unless said otherwise. Each node whose data was read notes it ([`Meta::note`](crate::ir::Meta::note)): the
    /// graph is right only for inputs that give the same.
    pub fn specialize(mut self, specialize: bool) -> Self {
        self.specialize = specialize;
        self
    }

    /// What is at this path of the model or of an argument, and below it, is state even if this capture only reads it:
    /// `"layers.0.kv_cache"`, `"cache"`. What a capture changes is state without being named.
    pub fn state(mut self, path: impl Into<String>) -> Self {
        self.states.insert(path.into());
        self
    }

    /// What this state has names for is state of this capture too, also where it only reads it: for graphs that share
    /// their state with others ([`GraphModule::share_state`]).
    pub fn with_state(mut self, state: &State) -> Self {
        self.states.extend(state.iter().map(|(name, _)| name.to_owned()));
        self
    }

    /// What the model adds to maps is state, whether it shows in this capture that it matters or not.
    pub(crate) fn remembers_state(mut self, remembers_state: bool) -> Self {
        self.remembers_state = remembers_state;
        self
    }

    /// A dimension of a tensor input that differs from run to run: the graph then holds for all of its sizes.
    ///
    /// The input can also be what the model or an argument keeps from one call to the next, by its path, with `*` for any
    /// name: `.dynamic("layers.*.kv_cache", 2, "past")` is of all tensors there, which are then inputs
    /// ([`Graph::state`](crate::ir::Graph::state)).
    ///
    /// `size` is its name, or an expression over names (`"past + seq"`). The same name on several inputs is the same size,
    /// which is checked when the graph runs. The model is captured several times, without data, at sizes from 0 to some
    /// thousands, and everything in the graph that differs becomes an expression; where the model takes another way, the graph
    /// has a guard.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use fx_core::trace::Tracer;
    ///
    /// let module = Tracer::new()
    ///     .input("x", DType::F32, (2, 3, 4))
    ///     .dynamic("x", 0, "batch")
    ///     .trace_fn(|inputs| {
    ///         let x = inputs.tensor("x")?;
    ///         let (batch, rows, columns) = x.dims3()?;
    ///         x.reshape((batch * rows, columns))
    ///     })?;
    /// let text = module.graph().to_string();
    /// assert!(text.contains("reshape(%x, s = (3 * batch, 4))"), "{text}");
    /// let x = Tensor::zeros((5, 3, 4), DType::F32, &Device::Cpu)?;
    /// assert_eq!(module.forward(&[&x])?.dims(), [15, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A name is a plain word ([`Dynamic::is_legal_name`](crate::ir::Dynamic::is_legal_name)); what is wrong with it is
    /// said when the model is captured.
    pub fn dynamic(mut self, input: impl Into<String>, axis: usize, size: &str) -> Self {
        if let Ok(declared) = &mut self.declared
            && let Err(error) = declared.add_dimension(plain(input), axis, size)
        {
            self.declared = Err(error);
        }
        self
    }

    /// An integer parameter that is an input of the graph, in place of a number in it; its value is given by
    /// [`Tracer::concrete_arg`] or as an example. It is also a size of that name. An integer that the model or an argument
    /// keeps is given by its path, `"state.pos"`, and is the size of the last name in it.
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use fx_core::{trace::Tracer, value::Value};
    ///
    /// let module = Tracer::new()
    ///     .input("x", DType::F32, 8)
    ///     .concrete_arg("start", 2_usize)
    ///     .dynamic_arg("start")
    ///     .size_range("start", 0..=6)
    ///     .trace_fn(|inputs| inputs.tensor("x")?.narrow(0, inputs.take("start", "usize")?, 2))?;
    /// let x = Tensor::arange(0f32, 8.0, &Device::Cpu)?;
    /// let y = module.run(&[x.into(), Value::Int(5)])?;
    /// assert_eq!(y.as_tensor().unwrap().to_vec1::<f32>()?, [5.0, 6.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn dynamic_arg(mut self, name: impl Into<String>) -> Self {
        if let Ok(declared) = &mut self.declared
            && let Err(error) = declared.add_scalar(plain(name))
        {
            self.declared = Err(error);
        }
        self
    }

    /// The smallest and largest value of a size that the graph is for; else as small and as large as the model allows, up
    /// to some thousands. The capture tries both ends, and the graph refuses what is outside.
    ///
    /// A range without the value at the capture is an error of the capture.
    pub fn size_range(mut self, name: &str, range: std::ops::RangeInclusive<usize>) -> Self {
        if let Ok(declared) = &mut self.declared {
            let end = |end: usize| i64::try_from(end).unwrap_or(i64::MAX);
            declared.ranges.push((name.to_owned(), (end(*range.start()), end(*range.end()))));
        }
        self
    }

    /// Rules of this capture: which modules are one node, what nodes are called, what is forbidden. See [`TracerRules`].
    ///
    /// One set of rules; the last that was given counts.
    pub fn with(mut self, rules: impl TracerRules + 'static) -> Self {
        self.rules = Some(Box::new(rules));
        self
    }

    /// Captures a model's `forward`.
    ///
    /// It has the type's own `forward`, or that of `Module` or `ModuleT`; other methods are captured by
    /// [`Tracer::trace_with`].
    ///
    /// # Errors
    /// [`TraceError`] says what, where in the model's source, and what to write instead.
    pub fn trace<M, K>(self, model: &M) -> Result<GraphModule, TraceError>
    where
        M: Traceable,
        M::Symbolic: Entry<K>,
    {
        self.capture(model, <M::Symbolic as Entry<K>>::METHOD, None, &|mirror, inputs| mirror.call(inputs))
    }

    /// Captures a model's `forward` while it runs on these arguments, see [`trace`](fn@trace).
    ///
    /// # Errors
    /// [`TraceError`] says what, where in the model's source, and what to write instead.
    pub fn trace_examples<'e, M, K>(mut self, model: &M, examples: impl Examples<'e>) -> Result<GraphModule, TraceError>
    where
        M: Traceable,
        M::Symbolic: Entry<K>,
        'a: 'e,
    {
        self.concrete = true;
        let examples = examples.into_arguments().into_iter().map(|example| example.0).collect();
        let method = <M::Symbolic as Entry<K>>::METHOD;
        self.capture(model, method, Some(examples), &|mirror, inputs| mirror.call(inputs))
    }

    /// Captures any method, called by a closure on the model's mirror.
    ///
    /// ```rs
    /// Tracer::new().trace_with(&model, |model, inputs| model.encode(&inputs.tensor("x")?))?
    /// ```
    ///
    /// The mirror has the fields and methods of the model; arguments are taken from [`Inputs`]. With
    /// [`Tracer::dynamic`] the closure is called several times.
    ///
    /// # Errors
    /// [`TraceError`] says what, where in the model's source, and what to write instead.
    pub fn trace_with<M: Traceable, R: ToOutput>(
        self,
        model: &M,
        call: impl Fn(&mut M::Symbolic, &mut Inputs<'_>) -> R,
    ) -> Result<GraphModule, TraceError> {
        self.capture(model, "the closure", None, &|mirror, inputs| {
            let returned = call(mirror, inputs);
            inputs.finish(returned)
        })
    }

    /// Captures a function, called by a closure.
    ///
    /// ```
    /// use candle_core::DType;
    /// let module = fx_core::trace::Tracer::new()
    ///     .input("x", DType::F32, (2, 3))
    ///     .trace_fn(|inputs| inputs.tensor("x")?.relu())?;
    /// assert_eq!(module.graph().len(), 3);
    /// # Ok::<(), fx_core::trace::TraceError>(())
    /// ```
    ///
    /// As [`Tracer::trace_with`] otherwise. A tensor that it makes is a constant of the graph.
    ///
    /// # Errors
    /// [`TraceError`] says what, where in the function's source, and what to write instead.
    pub fn trace_fn<R: ToOutput>(self, call: impl Fn(&mut Inputs<'_>) -> R) -> Result<GraphModule, TraceError> {
        self.trace_with(&(), |(), inputs| call(inputs))
    }

    /// Captures a model that a function builds of these weights, as functions that return `Func` do: what it builds is
    /// built of proxies, and then called on inputs, as [`trace`](Self::trace) calls a model. The input of a `Func` is
    /// `xs`, those of a `FuncT` are `xs` and `train`.
    ///
    /// The function has `#[fx::module]`, and so have those that it calls and that return closures. Parameters have the
    /// names that the `VarBuilder` knows them by.
    ///
    /// ```rs
    /// let module = Tracer::new()
    ///     .input("xs", DType::F32, (1, 3, 224, 224))
    ///     .trace_built(&vb, |vb| resnet18(1000, vb))?;
    /// ```
    ///
    /// # Errors
    /// [`TraceError`] says what, where in the function's source, and what to write instead.
    pub fn trace_built<'w, M, K>(
        self,
        weights: &candle_nn::VarBuilder<'w>,
        build: impl Fn(VarBuilder<'w>) -> candle_core::Result<M>,
    ) -> Result<GraphModule, TraceError>
    where
        M: Entry<K>,
    {
        self.capture(&(), M::METHOD, None, &|(), inputs| build(inputs.var_builder(weights))?.call(inputs))
    }

    /// Captures a call of a model's mirror that has put its result together itself.
    pub(crate) fn trace_outputs_of<M: Traceable>(
        self,
        model: &M,
        call: impl Fn(&mut M::Symbolic, &mut Inputs<'_>) -> candle_core::Result<Output>,
    ) -> Result<GraphModule, TraceError> {
        self.capture(model, "the call", None, &call)
    }

    /// Captures a closure that has put its result together itself.
    pub(crate) fn trace_outputs(
        self,
        call: impl FnOnce(&mut Inputs<'_>) -> candle_core::Result<Output>,
    ) -> Result<GraphModule, TraceError> {
        let call = std::cell::Cell::new(Some(call));
        self.capture(&(), "the closure", None, &|(), inputs| match call.take() {
            Some(call) => call(inputs),
            // Only a capture at several sizes calls twice.
            None => candle_core::bail!("a pattern is captured at one size"),
        })
    }

    fn capture<'e, M: Traceable>(
        self,
        model: &M,
        method: &'static str,
        examples: Option<Vec<Argument<'e>>>,
        call: &Call<'_, M>,
    ) -> Result<GraphModule, TraceError>
    where
        'a: 'e,
    {
        for (name, argument) in &self.arguments {
            if let Argument::Input(Some((shape, _))) = argument
                && shape.dims().iter().try_fold(1usize, |count, &dim| count.checked_mul(dim)).is_none()
            {
                return Err(TraceError::TooLarge { name: name.clone(), shape: format!("{:?}", shape.dims()) });
            }
        }
        let abstracted = self.arguments.iter().any(|(_, argument)| matches!(argument, Argument::Input(Some(_))));
        let mode = match (self.concrete, abstracted) {
            (true, _) => Mode::Concrete { specialize: self.specialize },
            (false, true) => Mode::Abstract,
            (false, false) => Mode::Symbolic,
        };
        let Self { name, device, arguments, mut rules, declared, states, remembers_state, .. } = self;
        let own_name = name.is_some() || class_name(std::any::type_name::<M>()).is_some();
        let name = name.unwrap_or_else(|| graph_name(std::any::type_name::<M>()));
        let declared = declared?;
        let memory = Memory::default();
        memory.is_state.set(remembers_state);
        let (shown, positional) = (name.as_str(), examples.as_deref());
        let is_state = IsState { named: &states, sized: &declared, memory: &memory };
        let run = Run {
            name: shown,
            method,
            mode,
            device: device.as_ref(),
            named: &arguments,
            positional,
            probe: None,
            is_state,
        };
        let Recording { mut graph, attributes, initial, built_by, .. } = if declared.is_empty() {
            let mut recording = run.record(model, &mut rules, call)?;
            recording.graph.set_signature(recording.signature.take());
            recording
        } else {
            let run = Run { mode: Mode::Abstract, ..run };
            dynamic::capture(
                &declared,
                &mut |probe| Run { probe: Some(probe), ..run }.record(model, &mut rules, call),
                &mut |base, probes| run.only_remembers_sizes(model, call, base, probes),
            )?
        };
        if let Some(function) = built_by.filter(|_| !own_name) {
            graph.set_name(graph_name(function));
        }
        let mut module = GraphModule::from_parts(graph, attributes);
        module.set_kept(Kept::new(initial));
        if let Some(class_name) = class_name(std::any::type_name::<M>()) {
            module.set_class_name(class_name);
        }
        Ok(module)
    }
}

/// `my_crate::models::BertModel<f32>` as `BertModel`, also behind pointers; none of a type without a name, such as `()`.
fn class_name(type_name: &str) -> Option<&str> {
    let pointed = POINTERS.iter().find_map(|pointer| type_name.strip_prefix(pointer)?.strip_prefix('<'));
    if let Some(pointed) = pointed {
        return class_name(pointed.strip_suffix('>').unwrap_or(pointed));
    }
    let plain = type_name.split('<').next().unwrap_or(type_name);
    let last = plain.rsplit("::").next().unwrap_or(plain);
    (!last.is_empty() && last.chars().all(|letter| letter.is_alphanumeric() || letter == '_')).then_some(last)
}

/// `BertModel` as `bert_model`.
fn graph_name(type_name: &str) -> String {
    let last = class_name(type_name).unwrap_or("function");
    let mut name = String::with_capacity(last.len() + 4);
    let mut previous = '_';
    let mut letters = last.chars().peekable();
    while let Some(letter) = letters.next() {
        let starts_word = letter.is_uppercase()
            && previous != '_'
            && (!previous.is_uppercase() || letters.peek().is_some_and(|next| next.is_lowercase()));
        if starts_word {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
        previous = letter;
    }
    name
}

/// The name of a parameter, also if it is given as Rust writes it: `r#in`.
fn plain(name: impl Into<String>) -> String {
    let name = name.into();
    name.strip_prefix("r#").map(str::to_owned).unwrap_or(name)
}
