//! The models that are tried, one file for each, named like the model.
//!
//! A file says what is particular to its model: a small configuration, how it is built and called, and which inputs it
//! takes. What is done with that is in [`case`](crate::case). Files are found by the build script.

use crate::case::Case;

include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// All cases, in order of the models' names.
pub fn all() -> Vec<Case> {
    lists().into_iter().flatten().collect()
}

/// What every case uses.
mod prelude {
    #[allow(unused_imports, reason = "some models are called by it")]
    pub(super) use candle::Module;
    pub(super) use candle::{DType, Device, Tensor};

    pub(super) use super::{built, called, case, config, decoder};
    pub(super) use crate::case::Case;
    #[allow(unused_imports, reason = "few models need them")]
    pub(super) use crate::weights::{lacking, resized, without};
    #[allow(unused_imports, reason = "few models hide a layer")]
    pub(super) use crate::{case::Failure, told::Hidden};
}

/// Reads a configuration from its JSON text, the one form that fits the original's type and the copy's.
fn config<T: serde::de::DeserializeOwned>(text: &str) -> candle::Result<T> {
    serde_json::from_str(text).map_err(candle::Error::wrap)
}

/// The configuration of a small decoder, with the given text's fields in addition or instead. What a model does not have it
/// does not read.
fn decoder<T: serde::de::DeserializeOwned>(text: &str) -> candle::Result<T> {
    const DECODER: &str = r#"{
        "vocab_size": 60, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 32, "hidden_act": "silu",
        "hidden_activation": "gelu_pytorch_tanh", "rms_norm_eps": 1e-5, "layer_norm_eps": 1e-5, "rope_theta": 10000.0,
        "attention_bias": true, "tie_word_embeddings": false, "sliding_window": 16, "use_sliding_window": false,
        "max_window_layers": 2, "use_flash_attn": false, "partial_rotary_factor": 0.5
    }"#;
    let mut fields: serde_json::Map<String, serde_json::Value> = config(DECODER)?;
    fields.extend(config::<serde_json::Map<String, serde_json::Value>>(text)?);
    serde_json::from_value(fields.into()).map_err(candle::Error::wrap)
}

/// A case from one text, which is read three times: for candle-transformers' module of that name, for its annotated copy,
/// and for the copy's mirror, whose `x` are proxies. A third parameter of the call is how many tokens the model has read before.
///
/// The case is also called again and again ([`later`](crate::later)). `later: (position, inputs)` are how many tokens the first
/// call reads, and what later calls are given, where that is not what `inputs` gives for one token.
macro_rules! case {
    (
        $model:ident $(with $($other:ident),+)?: $name:literal,
        build: $build:expr,
        inputs: $inputs:expr,
        call: |$called:ident, $x:ident $(, $position:ident)?| $call:expr
        $(, later: $later:expr)? $(,)?
    ) => {{
        let original = {
            #[allow(unused_imports, reason = "named by the model's text only if it needs them")]
            use candle_transformers::models::{$model $(, $($other),+)?};
            $crate::case::Built::by($build).run(called!(|$called, $x $(, $position)?| $call))
        };
        #[allow(unused_imports, reason = "named by the model's text only if it needs them")]
        use $crate::copies::$model::{$model $(, $($other),+)?};
        let copy = $crate::case::Built::by($build);
        let run = copy.run(called!(|$called, $x $(, $position)?| $call));
        let (capture, compile) = {
            let original = copy.called(called!(|$called, $x $(, $position)?| $call));
            #[allow(unused_imports, reason = "some models are called by them")]
            use fx::symbolic::{Module as _, ModuleT as _};
            (
                copy.capture(called!(|$called, $x $(, $position)?| $call)),
                copy.compile(original, called!(|$called, $x $(, $position)?| $call)),
            )
        };
        let plan = $crate::later::Plan::new(compile, &[$(stringify!($position))?])$(.given($later))?;
        $crate::case::Case::new(stringify!($model), $name, $inputs, original, run, capture).later(plan)
    }};
}
use case;

/// A call of a model as a closure, with a position whether it has one or not.
macro_rules! called {
    (|$called:ident, $x:ident| $call:expr) => {
        |$called, $x, _: usize| $call
    };
    (|$called:ident, $x:ident, $position:ident| $call:expr) => {
        |$called, $x, $position: usize| $call
    };
}
use called;

/// A case of a model that hides layers, in closures, a `Sequential` or a `Box<dyn Module>`: captured while it is built. The
/// `twin` is built of the symbolic world's weights, from the same text where that is a function.
macro_rules! built {
    (
        $model:ident $(with $($other:ident),+)?: $name:literal,
        weights: $weights:expr,
        build: $build:expr,
        twin: $twin:expr,
        inputs: $inputs:expr,
        call: |$called:ident, $x:ident| $call:expr $(,)?
    ) => {{
        let original = {
            #[allow(unused_imports, reason = "named by the model's text only if it needs them")]
            use candle_transformers::models::{$model $(, $($other),+)?};
            let build = $build;
            $crate::case::Built::by(move |weights| build(($weights)(weights))).run(called!(|$called, $x| $call))
        };
        #[allow(unused_imports, reason = "named by the model's text only if it needs them")]
        use $crate::copies::$model::{$model $(, $($other),+)?};
        let run = {
            let build = $build;
            $crate::case::Built::by(move |weights| build(($weights)(weights))).run(called!(|$called, $x| $call))
        };
        let capture = {
            #[allow(unused_imports, reason = "some models are called by them")]
            use fx::symbolic::{Module as _, ModuleT as _};
            $crate::case::built($weights, $twin, called!(|$called, $x| $call))
        };
        $crate::case::Case::new(stringify!($model), $name, $inputs, original, run, capture)
    }};
}
use built;
