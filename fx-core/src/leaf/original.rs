//! Layers that nobody can clone, called in the model itself: `Box<dyn Module>`, `Sequential` (`sequential.rs`), and one of
//! candle-transformers' (`transformers.rs`).
//!
//! Invariant: the graph calls the very layer that the model holds, on the thread that the model lives on.

use std::any::Any;
use std::ops::Deref;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

use candle_core::Result;

use crate::module::{Called, LayerModule};
use crate::ops::{InferError, IntoValue};
use crate::trace::{
    At, Given, Module, ModuleT, Original, Place, Proxy, Scope, TraceError, Traceable, call_layer_at, whole,
};
use crate::value::{Fact, Value};

use super::layer::argument;

/// A layer in a model that the graph shares.
struct Layer {
    name: &'static str,
    called: Called,
    original: Original,
    run: whole::Run,
}

impl LayerModule for Layer {
    fn type_name(&self) -> &str {
        self.name
    }

    fn called(&self) -> Called {
        self.called
    }

    fn call(&self, args: &[&Value]) -> Result<Value> {
        self.original.with(self.name, |layer| (self.run)(layer, args))
    }

    /// What it does to shapes is not known.
    fn infer(&self, _: &[&Fact]) -> std::result::Result<Fact, InferError> {
        Ok(Fact::Unknown)
    }

    fn instead_of_saving(&self) -> &'static str {
        "hold its layers in a `Vec`, or in a struct with `#[fx::module]`, so that each is captured by itself"
    }
}

/// The mirror of a layer that cannot be cloned. It can be called if the model stands behind an `Arc` or `Rc`.
#[derive(Clone)]
struct Shared {
    name: &'static str,
    scope: Scope,
    layer: Option<Arc<dyn LayerModule>>,
}

impl Shared {
    fn new(name: &'static str, scope: &Scope, original: Option<Original>, called: Called, run: whole::Run) -> Self {
        let layer = original.map(|original| Arc::new(Layer { name, called, original, run }) as Arc<dyn LayerModule>);
        Self { name, scope: scope.clone(), layer }
    }

    fn record(&self, given: &[Given], xs: &Proxy, at: &'static Location<'static>) -> Result<Proxy> {
        match &self.layer {
            Some(layer) => call_layer_at(layer, &self.scope, given, at),
            None => {
                let (layer, path) = (self.name.to_owned(), self.scope.path().to_string());
                let at = At(at);
                Err(xs.session().fail(TraceError::NotShareable { layer, path, at }))
            }
        }
    }
}

/// The mirror of a layer that is called as `layer.forward(x)`.
///
/// For layers that cannot be cloned, inside of an `Arc` or `Rc`: the graph keeps the pointer, and the way to the layer.
#[derive(Clone)]
pub struct SharedLayer(Shared);

impl SharedLayer {
    pub(super) fn new<M: candle_core::Module + 'static>(
        name: &'static str,
        scope: &Scope,
        original: Option<Original>,
    ) -> Self {
        let run: whole::Run = |layer, args| {
            candle_core::Module::forward(whole::original::<M>(layer)?, argument(args, 0)?)
                .and_then(IntoValue::into_value)
        };
        Self(Shared::new(name, scope, original, Called::FORWARD, run))
    }

    /// A layer behind a pointer.
    fn behind<P>(name: &'static str, scope: &Scope, original: Option<Original>) -> Self
    where
        P: Deref<Target: candle_core::Module> + 'static,
    {
        let run: whole::Run = |layer, args| {
            let layer = whole::original::<P>(layer)?.deref();
            candle_core::Module::forward(layer, argument(args, 0)?).and_then(IntoValue::into_value)
        };
        Self(Shared::new(name, scope, original, Called::FORWARD, run))
    }
}

impl Module for SharedLayer {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        self.forward_at(xs, Location::caller())
    }

    fn forward_at(&self, xs: &Proxy, at: &'static Location<'static>) -> Result<Proxy> {
        self.0.record(&[Given::Proxy(xs.clone())], xs, at)
    }
}

/// The mirror of a layer that is called as `layer.forward_t(x, train)`.
///
/// As [`SharedLayer`].
#[derive(Clone)]
pub struct SharedLayerT(Shared);

impl SharedLayerT {
    /// A layer behind a pointer.
    fn behind<P>(name: &'static str, scope: &Scope, original: Option<Original>) -> Self
    where
        P: Deref<Target: candle_core::ModuleT> + 'static,
    {
        let run: whole::Run = |layer, args| {
            let layer = whole::original::<P>(layer)?.deref();
            candle_core::ModuleT::forward_t(layer, argument(args, 0)?, argument(args, 1)?)
                .and_then(IntoValue::into_value)
        };
        Self(Shared::new(name, scope, original, Called::FORWARD_T, run))
    }
}

impl ModuleT for SharedLayerT {
    #[track_caller]
    fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.forward_t_at(xs, train, Location::caller())
    }

    fn forward_t_at(&self, xs: &Proxy, train: bool, at: &'static Location<'static>) -> Result<Proxy> {
        self.0.record(&[Given::Proxy(xs.clone()), Given::Data(Value::Bool(train))], xs, at)
    }
}

impl Module for Box<dyn Module> {
    #[track_caller]
    fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        (**self).forward_at(xs, Location::caller())
    }
}

impl ModuleT for Box<dyn ModuleT> {
    #[track_caller]
    fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        (**self).forward_t_at(xs, train, Location::caller())
    }
}

/// Layers whose type is not known. Where `$original` gives one, the graph holds it without the model. The mirror of a box is
/// one, so that twins can make it: `let layers: Vec<Box<dyn Module>> = vec![Box::new(conv), Box::new(norm)]`.
macro_rules! unknown_layers {
    ($(
        $type:ty => $symbolic:ty: $wrap:ident of $mirror:ident, $name:literal, |$layer:ident, $scope:ident| $original:expr;
    )*) => {$(
        impl Traceable for $type {
            type Symbolic = $symbolic;

            fn symbolic(&self, scope: &Scope) -> $symbolic {
                let ($layer, $scope) = (self, scope);
                unknown_layers!(@$wrap $mirror::behind::<Self>($name, scope, $original))
            }

            fn whole(&self) -> Option<&dyn Any> {
                Some(self)
            }
        }
    )*};
    (@itself $mirror:expr) => { $mirror };
    (@boxed $mirror:expr) => { Box::new($mirror) };
}
unknown_layers! {
    Box<dyn candle_core::Module> => Box<dyn Module>: boxed of SharedLayer, "Box<dyn Module>", |_layer, scope| in_model(scope);
    Box<dyn candle_core::Module + Send> => Box<dyn Module + Send>: boxed of SharedLayer, "Box<dyn Module + Send>", |_layer, scope| in_model(scope);
    Box<dyn candle_core::Module + Send + Sync> => Box<dyn Module + Send + Sync>: boxed of SharedLayer, "Box<dyn Module + Send + Sync>",
        |_layer, scope| in_model(scope);
    Box<dyn candle_core::ModuleT> => Box<dyn ModuleT>: boxed of SharedLayerT, "Box<dyn ModuleT>", |_layer, scope| in_model(scope);
    Box<dyn candle_core::ModuleT + Send> => Box<dyn ModuleT + Send>: boxed of SharedLayerT, "Box<dyn ModuleT + Send>", |_layer, scope| in_model(scope);
    Box<dyn candle_core::ModuleT + Send + Sync> => Box<dyn ModuleT + Send + Sync>: boxed of SharedLayerT, "Box<dyn ModuleT + Send + Sync>",
        |_layer, scope| in_model(scope);
    Arc<dyn candle_core::Module + Send + Sync> => SharedLayer: itself of SharedLayer, "Arc<dyn Module + Send + Sync>",
        |layer, _scope| Some(Original::Copy(Arc::new(layer.clone())));
    Arc<dyn candle_core::ModuleT + Send + Sync> => SharedLayerT: itself of SharedLayerT, "Arc<dyn ModuleT + Send + Sync>",
        |layer, _scope| Some(Original::Copy(Arc::new(layer.clone())));
    Arc<dyn candle_core::Module> => SharedLayer: itself of SharedLayer, "Arc<dyn Module>",
        |layer, _scope| Some(Original::Place(Place::behind_rc(&Rc::new(layer.clone()))));
    Arc<dyn candle_core::ModuleT> => SharedLayerT: itself of SharedLayerT, "Arc<dyn ModuleT>",
        |layer, _scope| Some(Original::Place(Place::behind_rc(&Rc::new(layer.clone()))));
    Rc<dyn candle_core::Module> => SharedLayer: itself of SharedLayer, "Rc<dyn Module>",
        |layer, _scope| Some(Original::Place(Place::behind_rc(&Rc::new(layer.clone()))));
    Rc<dyn candle_core::ModuleT> => SharedLayerT: itself of SharedLayerT, "Rc<dyn ModuleT>",
        |layer, _scope| Some(Original::Place(Place::behind_rc(&Rc::new(layer.clone()))));
}

/// Where the layer at this scope is, in a model that the graph shares.
pub(super) fn in_model(scope: &Scope) -> Option<Original> {
    scope.place().cloned().map(Original::Place)
}
