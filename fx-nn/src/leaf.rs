//! How a layer of this crate becomes one node of a captured graph.
//!
//! Invariant: a layer is a leaf unless the rules of a capture enter it; its shape rule is the check that its `forward` makes, so both refuse the same.

use std::panic::Location;

use candle_core::Result;
use fx_core::leaf::{ForwardT, Layer, Leaf};
use fx_core::ops::InferError;
use fx_core::ops::macs::product;
use fx_core::trace::{Given, Held, Proxy, Scope};
use fx_core::value::{Fact, TensorFact, Value};

/// Describes a layer that is called on one tensor: its settings, its tensors, how it is made from them, its shape rule.
///
/// The settings of its `config` are written after its arguments. `macs` are its multiply-accumulates where they are not
/// none, `buffers` the tensors that are no parameters, `in_training` what a call as in training does besides computing its
/// result, `through` what is recorded where a capture enters it, `candle` the layer of
/// candle's that computes the same bits on such inputs, if there is one. One that is `kept` has tensors that calls change, and
/// describes by [`KeepsOne`](crate::keeper::KeepsOne) what is recorded; `enters` says that it can be entered,
/// and `through_all` what is recorded outside of training where it is written by itself.
macro_rules! leaf {
    (
        $(const $generic:ident =>)? $type:ty as $name:expr, $how:ident;
        arguments { $($arg:ident: $arg_type:ty),* $(,)? }
        $(config $config:ident: $config_type:ty;)?
        tensors { $($tensor:literal),* $(,)? }
        make |$vb:ident| $make:expr;
        shape |$layer:ident, $x:ident| $shape:expr;
        $(macs |$counted:ident, $input:ident, $out:ident| $macs:expr;)?
        $(buffers $buffers:expr;)?
        $(in_training $effect:ident;)?
        $(effect |$acting:ident| $acts:expr;)?
        $(enters $able:ident;)?
        $(through |$entered:ident, $scope:ident, $entering:ident $(, $train:ident)?| $through:expr;)?
        $(through_all |$deep:ident, $around:ident, $all:ident| $through_all:expr;)?
        $(candle |$own:ident, $known:ident| $candle:expr;)?
    ) => {
        $crate::leaf::leaf! {
            @layer [$($generic)?] $type as $name, $crate::leaf::leaf!(@called $how);
            [$($arg: $arg_type),*] [$($config: $config_type)?] [$($tensor),*] [$vb $make]
            |layer, args| $crate::leaf::leaf!(@call $how layer args);
            |$layer, facts| {
                let $x = match $crate::leaf::input(facts)? {
                    Some(input) => input,
                    None => return Ok(fx_core::value::Fact::Unknown),
                };
                $crate::leaf::known($shape, $x)
            };
            $(macs |$counted, facts, result| {
                let ($input, $out) = (facts.first()?.as_tensor()?, result.as_tensor()?);
                Some($macs)
            };)?
            $(buffers $buffers;)?
            $(in_training $effect;)?
            $(effect |$acting| $acts;)?
            $(enters $able;)?
            $(
                enters $entered;
                through |$entered, $scope, $entering $(, $train)?| $through;
            )?
            $(through_all |$deep, $around, $all| $through_all;)?
            $(candle |$own, $known| $candle;)?
        }
        $crate::leaf::leaf!(@trait $how [$($generic)?] $type);

        $crate::leaf::leaf!(@mirrored [$($generic)?] $type, $crate::leaf::leaf!(@mirror $how $type));
    };
    (
        @layer [$($generic:ident)?] $type:ty as $name:expr, $called:expr;
        [$($arg:ident: $arg_type:ty),*] [$($config:ident: $config_type:ty)?] [$($tensors:tt)*] [$vb:ident $make:expr]
        |$call:ident, $args:ident| $calls:expr;
        |$layer:ident, $facts:ident| $infer:expr;
        $(macs |$counted:ident, $counted_facts:ident, $result:ident| $macs:expr;)?
        $(buffers $buffers:expr;)?
        $(in_training $effect:ident;)?
        $(effect |$acting:ident| $acts:expr;)?
        $(enters $able:ident;)?
        $(through |$entered:ident, $scope:ident, $entering:ident $(, $train:ident)?| $through:expr;)?
        $(through_all |$deep:ident, $around:ident, $all:ident| $through_all:expr;)?
        $(candle |$own:ident, $known:ident| $candle:expr;)?
    ) => {
        impl $(<const $generic: usize>)? $crate::leaf::Settings for $type {
            const ARGUMENTS: &'static [&'static str] = &[$(stringify!($arg)),*];
            const OPTIONS: &'static [&'static str] = $crate::leaf::leaf!(@options $($config_type)?);
        }

        impl $(<const $generic: usize>)? fx_core::leaf::Layer for $type {
            const NAME: &'static str = $name;
            const CALLED: fx_core::module::Called = $called;
            type Parts = ();

            fn parts(&self, _: &fx_core::trace::Scope) {}

            fn call(&self, $args: &[&fx_core::value::Value]) -> candle_core::Result<fx_core::value::Value> {
                let $call = self;
                $calls
            }

            fn infer(
                &self,
                $facts: &[&fx_core::value::Fact],
            ) -> std::result::Result<fx_core::value::Fact, fx_core::ops::InferError> {
                let $layer = self;
                $infer
            }

            $(
                fn macs(&self, $counted_facts: &[&fx_core::value::Fact], $result: &fx_core::value::Fact) -> Option<u64> {
                    let $counted = self;
                    $macs
                }
            )?

            $(const BUFFERS: &'static [&'static str] = $buffers;)?

            $(const IN_TRAINING: fx_core::ops::Effect = fx_core::ops::Effect::$effect;)?

            $(
                fn effect(&self, _: bool) -> fx_core::ops::Effect {
                    let $acting = self;
                    $acts
                }
            )?

            $(const THROUGH: bool = !stringify!($able).is_empty();)?

            $(
                fn through(
                    &self,
                    $scope: &fx_core::trace::Scope,
                    $entering: &fx_core::trace::Proxy,
                    in_training: bool,
                ) -> candle_core::Result<fx_core::trace::Proxy> {
                    let ($entered, _) = (self, in_training);
                    $(let $train = in_training;)?
                    $through
                }
            )?

            $(
                fn through_all(
                    &self,
                    $around: &fx_core::trace::Scope,
                    $all: &[fx_core::trace::Proxy],
                ) -> candle_core::Result<fx_core::trace::Proxy> {
                    let $deep = self;
                    $through_all
                }
            )?

            $(
                fn in_candle(
                    &self,
                    facts: &[&fx_core::value::Fact],
                ) -> Option<std::sync::Arc<dyn fx_core::module::LayerModule>> {
                    let ($own, $known) = (self, facts.first()?.as_tensor()?);
                    // A layer that does otherwise in training is the same outside of it.
                    match facts.get(1) {
                        None | Some(fx_core::value::Fact::Data(fx_core::value::Value::Bool(false))) => {
                            $candle
                        }
                        Some(_) => None,
                    }
                }
            )?

            const KIND: Option<&'static fx_core::module::LayerKind> = Some(&fx_core::module::LayerKind {
                name: Self::NAME,
                options: <Self as $crate::leaf::Settings>::NAMES,
                tensors: $crate::leaf::leaf!(@names $($tensors)*),
                make: |_state| {
                    $(let $arg: $arg_type = _state.option(stringify!($arg))?;)*
                    $(let $config = <$config_type>::restored(_state)?;)?
                    let $vb = $crate::options::builder(_state);
                    let layer: candle_core::Result<$type> = $make;
                    Ok(std::sync::Arc::new(layer?))
                },
            });

            fn state(&self) -> Option<fx_core::module::LayerState> {
                #[allow(unused_mut, reason = "a layer without settings or tensors")]
                let mut options: Vec<(&'static str, fx_core::value::Value)> = vec![
                    $((stringify!($arg), fx_core::ops::IntoValue::into_value(self.$arg.clone()).ok()?)),*
                ];
                $(options.extend(self.$config.state().ok()?);)?
                #[allow(unused_mut, reason = "a layer without tensors")]
                let mut tensors = Vec::new();
                $crate::leaf::leaf!(@tensors self tensors $($tensors)*);
                Some(fx_core::module::LayerState { options, tensors })
            }
        }
    };
    (@names names $names:expr) => { $names };
    (@names $($tensor:literal),*) => { &[$($tensor),*] };
    (@tensors $layer:ident $tensors:ident names $names:expr) => {
        for name in $names {
            $tensors.extend($layer.tensor(name).map(|tensor| (*name, tensor)));
        }
    };
    (@tensors $layer:ident $tensors:ident $($tensor:literal),*) => {
        $($tensors.extend($layer.tensor($tensor).map(|tensor| ($tensor, tensor)));)*
    };
    (@several $type:ty) => { $crate::leaf::leaf!(@mirrored [] $type, $crate::leaf::Several<$type>); };
    (@keeper $type:ty) => { $crate::leaf::leaf!(@mirrored [] $type, $crate::keeper::Keeper<$type>); };
    (@mirrored [$($generic:ident)?] $type:ty, $symbolic:ty) => {
        impl $(<const $generic: usize>)? fx_core::trace::Traceable for $type {
            type Symbolic = $symbolic;

            fn symbolic(&self, scope: &fx_core::trace::Scope) -> Self::Symbolic {
                Self::Symbolic::of(self, scope)
            }

            fn held(mirror: &Self::Symbolic, _: &mut fx_core::trace::Holding) -> fx_core::trace::Held {
                mirror.held()
            }

            fn printed(&self) -> Option<&dyn std::fmt::Display> {
                Some(self)
            }
        }
    };
    (@options) => { &[] };
    (@options $config_type:ty) => { <$config_type>::NAMES };
    (@mirror forward_or_more $type:ty) => { $crate::leaf::Several<$type> };
    (@mirror kept $type:ty) => { $crate::keeper::Keeper<$type> };
    (@mirror kept_t $type:ty) => { $crate::keeper::Keeper<$type> };
    (@mirror forward $type:ty) => { fx_core::leaf::Leaf<$type> };
    (@mirror forward_t $type:ty) => { $crate::leaf::Trained<$type> };
    (@mirror indexed $type:ty) => { $crate::pool_indices::Indexed<$type> };
    (@called forward_or_more) => { fx_core::module::Called::FORWARD };
    (@called kept) => { fx_core::module::Called::FORWARD };
    (@called kept_t) => { fx_core::module::Called::FORWARD_T };
    (@called indexed) => { fx_core::module::Called::FORWARD };
    (@called forward) => { fx_core::module::Called::FORWARD };
    (@called forward_t) => { fx_core::module::Called::FORWARD_T };
    (@trait forward_or_more [$($generic:ident)?] $type:ty) => {
        $crate::leaf::leaf!(@trait forward [$($generic)?] $type);

        impl $(<const $generic: usize>)? $crate::leaf::Several<$type> {
            /// Records a call of the layer.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn forward(&self, xs: &fx_core::trace::Proxy) -> candle_core::Result<fx_core::trace::Proxy> {
                self.whole().forward(xs)
            }
        }

        impl $(<const $generic: usize>)? fx_core::trace::Module for $crate::leaf::Several<$type> {
            #[track_caller]
            fn forward(&self, xs: &fx_core::trace::Proxy) -> candle_core::Result<fx_core::trace::Proxy> {
                self.whole().forward(xs)
            }

            fn forward_at(
                &self,
                xs: &fx_core::trace::Proxy,
                at: &'static std::panic::Location<'static>,
            ) -> candle_core::Result<fx_core::trace::Proxy> {
                self.whole().forward_at(xs, at)
            }
        }
    };
    (@trait kept [$($generic:ident)?] $type:ty) => {
        $crate::leaf::leaf!(@trait forward [$($generic)?] $type);

        impl $(<const $generic: usize>)? fx_core::trace::Module for $crate::keeper::Keeper<$type> {
            #[track_caller]
            fn forward(&self, xs: &fx_core::trace::Proxy) -> candle_core::Result<fx_core::trace::Proxy> {
                self.forward(xs)
            }

            fn forward_at(
                &self,
                xs: &fx_core::trace::Proxy,
                at: &'static std::panic::Location<'static>,
            ) -> candle_core::Result<fx_core::trace::Proxy> {
                self.call_at(xs, None, at)
            }
        }
    };
    (@trait kept_t [$($generic:ident)?] $type:ty) => {
        $crate::leaf::leaf!(@trait forward_t [$($generic)?] $type);

        impl $(<const $generic: usize>)? fx_core::trace::ModuleT for $crate::keeper::Keeper<$type> {
            #[track_caller]
            fn forward_t(
                &self,
                xs: &fx_core::trace::Proxy,
                train: bool,
            ) -> candle_core::Result<fx_core::trace::Proxy> {
                self.forward_t(xs, train)
            }

            fn forward_t_at(
                &self,
                xs: &fx_core::trace::Proxy,
                train: bool,
                at: &'static std::panic::Location<'static>,
            ) -> candle_core::Result<fx_core::trace::Proxy> {
                self.call_at(xs, Some(train), at)
            }
        }
    };
    (@trait indexed [$($generic:ident)?] $type:ty) => {
        $crate::leaf::leaf!(@trait forward [$($generic)?] $type);
    };
    (@trait forward [$($generic:ident)?] $type:ty) => {
        impl $(<const $generic: usize>)? fx_core::leaf::Forward for $type {}
    };
    (@trait forward_t [$($generic:ident)?] $type:ty) => {
        impl $(<const $generic: usize>)? fx_core::leaf::ForwardT for $type {}
    };
    (@call forward_or_more $layer:ident $args:ident) => { $crate::leaf::leaf!(@call forward $layer $args) };
    (@call kept $layer:ident $args:ident) => { $crate::leaf::leaf!(@call forward $layer $args) };
    (@call kept_t $layer:ident $args:ident) => { $crate::leaf::leaf!(@call forward_t $layer $args) };
    (@call indexed $layer:ident $args:ident) => { $crate::leaf::leaf!(@call forward $layer $args) };
    (@call forward $layer:ident $args:ident) => {
        fx_core::ops::IntoValue::into_value(candle_core::Module::forward($layer, fx_core::leaf::argument($args, 0)?))
    };
    (@call forward_t $layer:ident $args:ident) => {
        fx_core::ops::IntoValue::into_value(candle_core::ModuleT::forward_t(
            $layer,
            fx_core::leaf::argument($args, 0)?,
            fx_core::leaf::argument($args, 1)?,
        ))
    };
}
pub(crate) use leaf;

/// Describes a layer that is called on two tensors, as [`leaf`] does; the second one's name is in parentheses.
macro_rules! several {
    (
        $(const $generic:ident =>)? $type:ty as $name:expr, ($second:ident);
        arguments { $($arg:ident: $arg_type:ty),* $(,)? }
        $(config $config:ident: $config_type:ty;)?
        tensors { $($tensor:literal),* $(,)? }
        make |$vb:ident| $make:expr;
        call |$layer:ident, $a:ident, $b:ident| $call:expr;
        shape |$shaped:ident, $x:ident, $y:ident| $shape:expr;
        $(macs |$counted:ident, $input:ident, $out:ident| $macs:expr;)?
        $(buffers $buffers:expr;)?
        $(through |$entered:ident, $scope:ident, $first:ident, $other:ident| $through:expr;)?
    ) => {
        $crate::leaf::leaf! {
            @layer [$($generic)?] $type as $name,
            fx_core::module::Called { method: "forward", options: &[stringify!($second)] };
            [$($arg: $arg_type),*] [$($config: $config_type)?] [$($tensor),*] [$vb $make]
            |$layer, args| {
                let $a: &candle_core::Tensor = fx_core::leaf::argument(args, 0)?;
                let $b: &candle_core::Tensor = fx_core::leaf::argument(args, 1)?;
                fx_core::ops::IntoValue::into_value($call)
            };
            |$shaped, facts| match facts {
                [fx_core::value::Fact::Tensor($x), fx_core::value::Fact::Tensor($y), ..] => {
                    $crate::leaf::known($shape, $x)
                }
                _ => Ok(fx_core::value::Fact::Unknown),
            };
            $(macs |$counted, facts, result| {
                let ($input, $out) = (facts.first()?.as_tensor()?, result.as_tensor()?);
                Some($macs)
            };)?
            $(buffers $buffers;)?
            $(enters $entered;)?
            $(
                through_all |$entered, $scope, xs| match xs {
                    [$first, $other] => $through,
                    _ => candle_core::bail!("a layer of type {} is entered on two tensors", $name),
                };
            )?
        }

        impl $(<const $generic: usize>)? $crate::leaf::Pair for $type {
            $(
                fn through(
                    &self,
                    $scope: &fx_core::trace::Scope,
                    $first: &fx_core::trace::Proxy,
                    $other: &fx_core::trace::Proxy,
                ) -> candle_core::Result<fx_core::trace::Proxy> {
                    let $entered = self;
                    $through
                }
            )?
        }
        $crate::leaf::leaf!(@mirrored [$($generic)?] $type, $crate::leaf::Several<$type>);
    };
}
pub(crate) use several;

/// A layer that is called on two tensors: a loss of an input and a target, a distance, [`Bilinear`](crate::Bilinear).
pub trait Pair: Layer {
    /// Records what it computes; its tensors stand at their names in `scope`.
    ///
    /// # Errors
    /// What candle refuses.
    fn through(&self, scope: &Scope, first: &Proxy, second: &Proxy) -> Result<Proxy> {
        let (_, _, _) = (scope, first, second);
        candle_core::bail!("a layer of type {} cannot be entered", Self::NAME)
    }
}

impl<L: Pair> Several<L> {
    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, first: &Proxy, second: &Proxy) -> Result<Proxy> {
        match self.0.enter() {
            Some(entered) => Pair::through(entered.layer(), entered.scope(), first, second),
            None => self.record(&[Given::Proxy(first.clone()), Given::Proxy(second.clone())]),
        }
    }
}

/// So many multiply-accumulates as its matrices have numbers, for each of these rows.
pub(crate) fn of_matrices(layer: &impl Layer, rows: usize) -> u64 {
    let tensors = layer.state().map_or_else(Vec::new, |state| state.tensors);
    let matrices = tensors.iter().filter(|(_, tensor)| tensor.rank() == 2);
    product([rows, matrices.map(|(_, tensor)| tensor.elem_count()).sum()])
}

/// How many rows of the last dimension there are.
pub(crate) fn rows(x: &TensorFact) -> usize {
    x.dims().split_last().map_or(1, |(_, leading)| leading.iter().product())
}

/// Most settings that a layer has.
const MOST: usize = 24;

const fn joined(first: &[&'static str], second: &[&'static str]) -> [&'static str; MOST] {
    let mut all = [""; MOST];
    let mut i = 0;
    while i < first.len() {
        all[i] = first[i];
        i += 1;
    }
    while i < first.len() + second.len() {
        all[i] = second[i - first.len()];
        i += 1;
    }
    all
}

/// The names of a layer's settings.
pub(crate) trait Settings {
    /// What its constructor takes by position.
    const ARGUMENTS: &'static [&'static str];
    /// What it takes by name.
    const OPTIONS: &'static [&'static str];
    /// All of them, and empty places.
    const PLACES: &'static [&'static str; MOST] = &joined(Self::ARGUMENTS, Self::OPTIONS);
    /// All of them.
    const NAMES: &'static [&'static str] = Self::PLACES.split_at(Self::ARGUMENTS.len() + Self::OPTIONS.len()).0;
}

/// What is known of a layer's input; none if nothing is.
pub(crate) fn input<'f>(facts: &[&'f Fact]) -> std::result::Result<Option<&'f TensorFact>, InferError> {
    match facts.first() {
        Some(Fact::Tensor(fact)) => Ok(Some(fact)),
        Some(Fact::Unknown) => Ok(None),
        _ => Err(InferError("a layer is called on a tensor".to_owned())),
    }
}

/// What a shape rule says of the result.
pub(crate) trait Known {
    /// The fact, for an input of which this is known.
    fn known(self, x: &TensorFact) -> Fact;
}

/// The extents; of the input's dtype.
impl Known for Vec<usize> {
    fn known(self, x: &TensorFact) -> Fact {
        Fact::tensor(self, x.dtype)
    }
}

/// As the input.
impl Known for () {
    fn known(self, x: &TensorFact) -> Fact {
        Fact::Tensor(x.clone())
    }
}

impl Known for Fact {
    fn known(self, _: &TensorFact) -> Fact {
        self
    }
}

/// The fact of a result of this shape.
pub(crate) fn known(result: Result<impl Known>, x: &TensorFact) -> std::result::Result<Fact, InferError> {
    Ok(result?.known(x))
}

/// The mirror of a layer that behaves differently in training, which the option `train` of its node says.
#[derive(Debug, Clone)]
pub struct Trained<L: Layer>(Leaf<L>);

impl<L: ForwardT> Trained<L> {
    /// The mirror of this layer.
    pub fn of(layer: &L, scope: &Scope) -> Self {
        Self(Leaf::of(layer, scope))
    }

    pub(crate) fn held(&self) -> Held {
        self.0.held()
    }

    /// Records a call of the layer.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.0.forward_t(xs, train)
    }
}

impl<L: ForwardT> fx_core::trace::ModuleT for Trained<L> {
    #[track_caller]
    fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.0.forward_t(xs, train)
    }

    fn forward_t_at(&self, xs: &Proxy, train: bool, at: &'static Location<'static>) -> Result<Proxy> {
        self.0.forward_t_at(xs, train, at)
    }
}

/// The mirror of a layer that is called on several tensors, or in more than one way.
#[derive(Debug, Clone)]
pub struct Several<L: Layer>(Leaf<L>);

impl<L: Layer> Several<L> {
    /// The mirror of this layer.
    pub fn of(layer: &L, scope: &Scope) -> Self {
        Self(Leaf::of(layer, scope))
    }

    pub(crate) fn held(&self) -> Held {
        self.0.held()
    }

    /// Enters the layer, if the rules of the capture want it.
    pub(crate) fn enter(&self) -> Option<fx_core::leaf::Inside<'_, L>> {
        self.0.enter()
    }

    /// The mirror of a layer in the same place that is made of this one.
    pub(crate) fn like(&self, layer: impl FnOnce(&L) -> Result<L>) -> Result<Self> {
        Ok(Self::of(&layer(self.0.original())?, self.0.scope()))
    }

    /// The layer as it is called on one tensor.
    pub(crate) fn whole(&self) -> &Leaf<L> {
        &self.0
    }

    #[track_caller]
    pub(crate) fn record<T: fx_core::trace::FromRecorded>(&self, arguments: &[Given]) -> Result<T> {
        self.0.call(arguments)
    }
}

/// A tensor, or none, as an argument of a recorded call.
pub(crate) fn optional(tensor: Option<&Proxy>) -> Given {
    tensor.map_or(Given::Data(Value::None), |tensor| Given::Proxy(tensor.clone()))
}
