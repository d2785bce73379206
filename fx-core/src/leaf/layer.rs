//! [`Layer`], the description of a layer that is called whole, and [`Leaf`], its mirror.
//!
//! Invariant: calling a leaf records exactly one `call_module` node; reading one of its parts records a `get_attr`.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use candle_core::{Result, Tensor};

use crate::ir::{Argument, Keyword};
use crate::module::{Called, GraphModule, LayerKind, LayerModule, LayerSource, LayerState, PartSource};
use crate::ops::{Effect, InferError};
use crate::trace::whole::{Entered, enter_layer};
use crate::trace::{FromRecorded, Given, Held, Module, Proxy, Scope, call_layer, call_layer_at};
use crate::value::{Fact, Value};

/// A layer that a graph calls whole.
///
/// This is the form in which a library describes its layers: fx-nn and this crate's own entries for candle_nn. Whatever
/// has it is a [`LayerModule`](crate::module::LayerModule) of a graph, and [`Leaf`] of it is its mirror. For one layer
/// of a program's own, [`LayerModule`](crate::module::LayerModule) asks for less.
pub trait Layer: Clone + Send + Sync + 'static {
    /// Name of its type.
    const NAME: &'static str;
    /// How it is called.
    const CALLED: Called;
    /// Mirrors of the tensors that user code can reach into it for.
    type Parts: Clone;

    /// The mirrors of its parts.
    fn parts(&self, scope: &Scope) -> Self::Parts;

    /// Runs it on candle: the input, then the options.
    ///
    /// # Errors
    /// What candle refuses.
    fn call(&self, args: &[&Value]) -> Result<Value>;

    /// Shape and dtype of its result.
    ///
    /// # Errors
    /// What candle would refuse.
    fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError>;

    /// How user code gets a tensor of the layer that it reads by this name.
    fn part(&self, name: &str) -> Option<PartSource> {
        let _ = name;
        None
    }

    /// How such a layer is made from its state; none if it cannot be.
    const KIND: Option<&'static LayerKind> = None;

    /// What a call as in training does besides computing its result. Other calls do nothing besides, if the layer tells
    /// what it is made of and does not say otherwise in [`effect`](Self::effect).
    const IN_TRAINING: Effect = Effect::Pure;

    /// What a call does besides computing its result, as in training or not, if the layer tells what it is made of.
    fn effect(&self, train: bool) -> Effect {
        if train { Self::IN_TRAINING } else { Effect::Pure }
    }

    /// What it is made of; none if it does not tell.
    fn state(&self) -> Option<LayerState> {
        None
    }

    /// A Rust expression that makes it of the tensors of `vb`, as [`LayerSource::make`]; none if there is none.
    ///
    /// # Errors
    /// When its tensors are of unexpected shapes.
    fn written(&self) -> Result<Option<String>> {
        Ok(None)
    }

    /// Whether it tells what it computes, for captures whose rules want it entered
    /// ([`TracerRules::is_leaf_layer`](crate::trace::TracerRules::is_leaf_layer)).
    const THROUGH: bool = false;

    /// Records what it computes of its input, as in training or not; its tensors stand at their names in `scope`. A layer
    /// of several inputs, or one whose calls change it, has a method of its own, and is entered by [`Leaf::enter`].
    ///
    /// # Errors
    /// What candle refuses.
    fn through(&self, scope: &Scope, xs: &Proxy, train: bool) -> Result<Proxy> {
        let (_, _, _) = (scope, xs, train);
        candle_core::bail!("a layer of type {} cannot be entered", Self::NAME)
    }

    /// The same of a layer that is called on several tensors.
    ///
    /// # Errors
    /// What candle refuses.
    fn through_all(&self, scope: &Scope, xs: &[Proxy]) -> Result<Proxy> {
        match xs {
            [xs] => self.through(scope, xs, false),
            several => candle_core::bail!("a layer of type {} is not entered on {} tensors", Self::NAME, several.len()),
        }
    }

    /// The layer of candle's that computes the same bits on such inputs, as [`LayerModule::in_candle`].
    fn in_candle(&self, facts: &[&Fact]) -> Option<Arc<dyn LayerModule>> {
        let _ = facts;
        None
    }

    /// Which of its tensors are no parameters.
    const BUFFERS: &'static [&'static str] = &[];

    /// How many numbers the tensor of this name holds.
    fn numbers(&self, name: &str, tensor: &Tensor) -> usize {
        let _ = name;
        tensor.elem_count()
    }

    /// Multiply-accumulates of a call; none if they are not known. A layer that tells what it is made of has none unless it
    /// says so.
    fn macs(&self, facts: &[&Fact], result: &Fact) -> Option<u64> {
        let (_, _) = (facts, result);
        Self::KIND.map(|_| 0)
    }
}

impl<L: Layer> LayerModule for L {
    fn type_name(&self) -> &str {
        L::NAME
    }

    fn called(&self) -> Called {
        L::CALLED
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        Layer::call(self, args)
    }

    fn infer(&self, facts: &[&Fact]) -> std::result::Result<Fact, InferError> {
        Layer::infer(self, facts)
    }

    fn effect(&self, args: &[Argument], kwargs: &[(Keyword, Argument)]) -> Effect {
        match Layer::state(self) {
            None => Effect::Changes,
            Some(_) => Layer::effect(self, L::CALLED.may_train(args, kwargs)),
        }
    }

    fn part(&self, name: &str) -> Option<PartSource> {
        Layer::part(self, name)
    }

    fn state(&self) -> Option<LayerState> {
        Layer::state(self)
    }

    fn source(&self) -> Option<LayerSource> {
        let make = self.written().ok()??;
        let called_by = match L::CALLED {
            Called::FORWARD => "candle_core::Module",
            _ => "candle_core::ModuleT",
        };
        // candle_nn re-exports all of its layers at its root.
        let path = std::any::type_name::<L>();
        let type_name =
            if path.starts_with("candle_core::") { path.to_owned() } else { format!("candle_nn::{}", L::NAME) };
        Some(LayerSource { type_name, make, called_by: Some(called_by) })
    }

    fn in_candle(&self, facts: &[&Fact]) -> Option<Arc<dyn LayerModule>> {
        Layer::in_candle(self, facts)
    }

    fn entered(&self, facts: &[&Fact]) -> Option<Result<GraphModule>> {
        if !L::THROUGH || Layer::effect(self, false) != Effect::Pure {
            return None;
        }
        let (tensors, options) = facts.split_at(facts.iter().take_while(|fact| fact.as_tensor().is_some()).count());
        // What it does in training, or with other settings of a call, it does not tell.
        let is_plain = |fact: &&Fact| matches!(fact, Fact::Data(Value::Bool(false) | Value::None));
        if tensors.is_empty() || !options.iter().all(is_plain) {
            return None;
        }
        if tensors.iter().filter_map(|fact| fact.as_tensor()).any(|fact| fact.extents().is_some()) {
            let remedy = "let the capture go through the layer (`TracerRules::is_leaf_layer`)";
            return Some(Err(candle_core::Error::msg(format!(
                "the sizes of its input differ from run to run; {remedy}"
            ))));
        }
        Some(super::within::entered(self, tensors))
    }

    fn buffers(&self) -> &'static [&'static str] {
        L::BUFFERS
    }

    fn numbers(&self, name: &str, tensor: &Tensor) -> usize {
        Layer::numbers(self, name, tensor)
    }

    fn macs(&self, facts: &[&Fact], result: &Fact) -> Option<u64> {
        Layer::macs(self, facts, result)
    }

    fn instead_of_saving(&self) -> &'static str {
        "write what the closure does into a `forward` with `#[fx::module]`"
    }

    fn rebuild(&self, state: &LayerState) -> Result<Arc<dyn LayerModule>> {
        match L::KIND {
            Some(kind) => (kind.make)(state),
            None => candle_core::bail!("a layer of type {} cannot be made again", L::NAME),
        }
    }
}

/// The mirror of a layer that is called whole.
///
/// It has the methods by which user code calls the layer and reads it: `forward`, `weight`, `bias`, and those of single
/// layers. A tensor of the layer that is read so is a `get_attr` of its path, `linear.weight`.
#[derive(Clone)]
pub struct Leaf<L: Layer> {
    scope: Scope,
    layer: Arc<dyn LayerModule>,
    original: L,
    pub(super) parts: L::Parts,
}

impl<L: Layer> Leaf<L> {
    /// The mirror of this layer.
    pub fn of(layer: &L, scope: &Scope) -> Self {
        let parts = layer.parts(scope);
        Self { scope: scope.clone(), layer: Arc::new(layer.clone()), original: layer.clone(), parts }
    }

    /// Where it stands in the model.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Itself, as a part of what a mirror holds.
    pub fn held(&self) -> Held {
        Held::layer(&self.scope, &self.layer)
    }

    /// The layer itself, for what it knows without data.
    pub fn original(&self) -> &L {
        &self.original
    }

    /// Records a call of the layer on these arguments, the input first.
    ///
    /// Options follow the input in the order of [`Called::options`](crate::module::Called).
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn call<T: FromRecorded>(&self, given: &[Given]) -> Result<T> {
        call_layer(&self.layer, &self.scope, given)
    }

    /// Enters the layer, if it can be entered and the rules of the capture do not want it whole.
    #[must_use]
    pub fn enter(&self) -> Option<Inside<'_, L>> {
        let entered = if L::THROUGH { enter_layer(&self.scope, L::NAME)? } else { return None };
        Some(Inside { leaf: self, _entered: entered })
    }

    /// The same, at a line of the user's.
    ///
    /// # Errors
    /// What candle refuses.
    #[doc(hidden)]
    pub fn call_at<T: FromRecorded>(&self, given: &[Given], at: &'static Location<'static>) -> Result<T> {
        call_layer_at(&self.layer, &self.scope, given, at)
    }

    #[track_caller]
    pub(super) fn record(&self, xs: &Proxy, options: &[Value]) -> Result<Proxy> {
        self.record_at(xs, options, Location::caller())
    }

    fn record_at(&self, xs: &Proxy, options: &[Value], at: &'static Location<'static>) -> Result<Proxy> {
        if let Some(inside) = self.enter() {
            return inside.layer().through(inside.scope(), xs, options.contains(&Value::Bool(true)));
        }
        let mut given = vec![Given::Proxy(xs.clone())];
        given.extend(options.iter().cloned().map(Given::Data));
        self.call_at(&given, at)
    }
}

/// A layer that a capture has entered: while this lives, nodes are recorded in the layer's scope.
#[must_use]
pub struct Inside<'l, L: Layer> {
    leaf: &'l Leaf<L>,
    _entered: Entered,
}

impl<'l, L: Layer> Inside<'l, L> {
    /// The layer.
    pub fn layer(&self) -> &'l L {
        &self.leaf.original
    }

    /// Where its tensors stand.
    pub fn scope(&self) -> &'l Scope {
        &self.leaf.scope
    }
}

/// A layer that is called as `layer.forward(x)`.
///
/// `#[fx(leaf)]` is not needed for its mirror: [`Leaf`] has `forward`.
pub trait Forward: Layer {}

impl<L: Forward> Leaf<L> {
    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        self.record(xs, &[])
    }
}

impl<L: Forward> Module for Leaf<L> {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        self.record(xs, &[])
    }

    fn forward_at(&self, xs: &Proxy, at: &'static Location<'static>) -> Result<Proxy> {
        self.record_at(xs, &[], at)
    }
}

/// A layer that is called as `layer.forward_t(x, train)`.
///
/// [`Leaf`] has `forward_t`; `train` is an option of the node.
pub trait ForwardT: Layer {}

impl<L: ForwardT> Leaf<L> {
    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.record(xs, &[Value::Bool(train)])
    }

    /// The same, at a line of the user's.
    ///
    /// # Errors
    /// What candle refuses.
    #[doc(hidden)]
    pub fn forward_t_at(&self, xs: &Proxy, train: bool, at: &'static Location<'static>) -> Result<Proxy> {
        self.record_at(xs, &[Value::Bool(train)], at)
    }
}

impl<L: Layer> fmt::Debug for Leaf<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", L::NAME, self.scope.path())
    }
}

/// Describes a layer: its tensors, its settings, how it is made from them, how it is called, and its shape rule.
///
/// `parts` are tensors that user code can reach into the layer for; each is called in a state dict as it is here, unless
/// another name is given in quotes. A layer without `make` cannot be saved; one that is `kept by` a module has its state,
/// its `LayerKind` and its source there. `written` is `make` as people write it, a text over `vb`.
/// `buffers` are tensors that are no parameters, `macs` the multiply-accumulates of a call where
/// they are not none, `numbers in` a module how many numbers a tensor holds where it is quantized. `in_training` says what a call with `train = true` does besides computing its result.
macro_rules! layer {
    (
        $(#[$doc:meta])*
        $type:ty as $name:literal, $how:ident {
            $(parts $parts:ident { $($part:ident $($part_name:literal)?: $part_type:ty = $get:expr),* $(,)? })?
            $(options { $($option:ident: $option_type:ty = $get_option:expr),* $(,)? })?
            $(make $make:block)?
            $(written $written:block)?
            $(kept by $module:ident;)?
            $(in_training $effect:ident;)?
            $(buffers $($buffer:literal)*;)?
            $(numbers in $numbered:ident;)?
            infer($layer:ident, $x:ident) $infer:block
            $(macs($counted:ident, $input:ident, $out:ident) $macs:block)?
        }
    ) => {
        $(
            /// Mirrors of the layer's tensors.
            #[derive(Clone)]
            pub struct $parts {
                $($part: <$part_type as crate::trace::Traceable>::Symbolic),*
            }
        )?

        $(#[$doc])*
        impl crate::leaf::layer::Layer for $type {
            const NAME: &'static str = $name;
            const CALLED: crate::module::Called = layer!(@called $how);
            $(const IN_TRAINING: crate::ops::Effect = crate::ops::Effect::$effect;)?
            $(const BUFFERS: &'static [&'static str] = &[$($buffer),*];)?
            type Parts = layer!(@parts $($parts)?);

            #[allow(unused_variables, reason = "layers without parts")]
            fn parts(&self, scope: &crate::trace::Scope) -> Self::Parts {
                layer!(@make self scope $($parts { $($part: $part_type = $get),* })?)
            }

            $(
                fn part(&self, name: &str) -> Option<crate::module::PartSource> {
                    match name {
                        $(stringify!($part) => Some(crate::module::PartSource {
                            get: stringify!($get),
                            is_optional: stringify!($part_type).starts_with("Option"),
                        }),)*
                        _ => None,
                    }
                }
            )?

            fn call(&self, args: &[&crate::value::Value]) -> candle_core::Result<crate::value::Value> {
                layer!(@call $how self args)
            }

            fn infer(
                &self,
                facts: &[&crate::value::Fact],
            ) -> std::result::Result<crate::value::Fact, crate::ops::InferError> {
                let $layer = self;
                let $x = match facts.first() {
                    Some(crate::value::Fact::Tensor(fact)) => fact,
                    Some(crate::value::Fact::Unknown) => return Ok(crate::value::Fact::Unknown),
                    _ => return Err(crate::ops::InferError("a layer is called on a tensor".to_owned())),
                };
                $infer
            }

            $(
                fn numbers(&self, name: &str, tensor: &candle_core::Tensor) -> usize {
                    super::$numbered::numbers(self, name, tensor)
                }
            )?

            $(
                fn macs(&self, facts: &[&crate::value::Fact], result: &crate::value::Fact) -> Option<u64> {
                    let $counted = self;
                    let ($input, $out) = (facts.first()?.as_tensor()?, result.as_tensor()?);
                    Some($macs)
                }
            )?

            layer!(
                @kept $type as $name, [$($module)?]
                [$($([$part, $($part_name,)? stringify!($part)] $part_type = $get;)*)?]
                [$($($option: $option_type = $get_option;)*)?]
                [$($make)?]
            );

            layer!(
                @written [$($module)?]
                [$($($part: $part_type = $get;)*)?]
                [$($($option: $option_type = $get_option;)*)?]
                [$($written)?]
            );
        }

        layer!(@trait $how $type);

        impl crate::trace::Traceable for $type {
            type Symbolic = crate::leaf::layer::Leaf<$type>;

            fn symbolic(&self, scope: &crate::trace::Scope) -> Self::Symbolic {
                crate::leaf::layer::Leaf::of(self, scope)
            }
            fn held(mirror: &Self::Symbolic, _: &mut crate::trace::Holding) -> crate::trace::Held {
                mirror.held()
            }
        }
    };
    (@kept $type:ty as $name:literal, [$module:ident] [] [] []) => {
        const KIND: Option<&'static crate::module::LayerKind> = Some(&super::$module::KIND);

        fn state(&self) -> Option<crate::module::LayerState> {
            super::$module::state(self)
        }
    };
    (@kept $type:ty as $name:literal, [] [] [] []) => {
        const KIND: Option<&'static crate::module::LayerKind> = None;

        fn state(&self) -> Option<crate::module::LayerState> {
            None
        }
    };
    (
        @kept $type:ty as $name:literal, []
        [$([$part:ident, $part_name:expr $(, $plain_name:expr)?] $part_type:ty = $get:expr;)*]
        [$($option:ident: $option_type:ty = $get_option:expr;)*]
        [$make:block]
    ) => {
        const KIND: Option<&'static crate::module::LayerKind> = Some(&crate::module::LayerKind {
            name: $name,
            options: &[$(stringify!($option)),*],
            tensors: &[$($part_name),*],
            make: |_state| {
                $(let $option: $option_type = _state.option(stringify!($option))?;)*
                $(let $part: $part_type = _state.tensor($part_name)?;)*
                let layer: candle_core::Result<$type> = $make;
                Ok(std::sync::Arc::new(layer?))
            },
        });

        fn state(&self) -> Option<crate::module::LayerState> {
            let options = vec![$((stringify!($option), {
                let get: fn(&Self) -> $option_type = $get_option;
                crate::ops::IntoValue::into_value(get(self)).ok()?
            })),*];
            let tensors: Vec<(&'static str, Option<candle_core::Tensor>)> = vec![$(($part_name, {
                let get: fn(&Self) -> $part_type = $get;
                crate::module::LayerTensor::given(get(self))
            })),*];
            let tensors = tensors.into_iter().filter_map(|(name, tensor)| Some((name, tensor?))).collect();
            Some(crate::module::LayerState { options, tensors })
        }
    };
    (@written [$module:ident] [] [] []) => {
        fn written(&self) -> candle_core::Result<Option<String>> {
            super::$module::written(self)
        }
    };
    (@written [] [$($parts:tt)*] [$($options:tt)*] []) => {};
    (
        @written []
        [$($part:ident: $part_type:ty = $get:expr;)*]
        [$($option:ident: $option_type:ty = $get_option:expr;)*]
        [$written:block]
    ) => {
        #[allow(unused_variables, reason = "sources that do not need all settings")]
        fn written(&self) -> candle_core::Result<Option<String>> {
            $(
                let $option: $option_type = {
                    let get: fn(&Self) -> $option_type = $get_option;
                    get(self)
                };
            )*
            $(
                let $part: $part_type = {
                    let get: fn(&Self) -> $part_type = $get;
                    get(self)
                };
            )*
            $written.map(Some)
        }
    };
    (@called forward) => { crate::module::Called::FORWARD };
    (@called forward_t) => { crate::module::Called::FORWARD_T };
    (@trait forward $type:ty) => { impl crate::leaf::layer::Forward for $type {} };
    (@trait forward_t $type:ty) => { impl crate::leaf::layer::ForwardT for $type {} };
    (@parts) => { () };
    (@parts $parts:ident) => { $parts };
    (@make $self:ident $scope:ident) => { () };
    (@make $self:ident $scope:ident $parts:ident { $($part:ident: $part_type:ty = $get:expr),* }) => {
        $parts {
            $($part: {
                let get: fn(&Self) -> $part_type = $get;
                crate::trace::Traceable::symbolic(&get($self), &$scope.child(stringify!($part)))
            }),*
        }
    };
    (@call forward $self:ident $args:ident) => {
        crate::ops::IntoValue::into_value(candle_core::Module::forward($self, crate::leaf::layer::argument($args, 0)?))
    };
    (@call forward_t $self:ident $args:ident) => {
        crate::ops::IntoValue::into_value(candle_core::ModuleT::forward_t(
            $self,
            crate::leaf::layer::argument($args, 0)?,
            crate::leaf::layer::argument($args, 1)?,
        ))
    };
}
pub(super) use layer;

/// Argument `index` of a call of a layer.
///
/// What [`Layer::call`] reads its arguments with.
///
/// # Errors
/// If there is no such argument, or if it is of another kind.
pub fn argument<'v, T: crate::ops::FromValue<'v>>(args: &[&'v Value], index: usize) -> Result<T> {
    let missing = || candle_core::Error::Msg(format!("argument {index} of a layer is missing"));
    let value = args.get(index).ok_or_else(missing)?;
    let expected = T::EXPECTED;
    T::from_value(value).ok_or_else(|| {
        candle_core::Error::Msg(format!("argument {index} of a layer should be {expected}, but is {}", value.kind()))
    })
}
