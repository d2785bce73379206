//! Containers: [`Sequential`], [`ModuleList`], [`ModuleDict`].
//!
//! Invariant: a container is no node of a captured graph; what it holds stands at its path and its own name, as in torch:
//! `blocks.0.conv1`.

use std::fmt;
use std::ops::Index;
use std::panic::Location;
use std::sync::Arc;

use candle_core::{ModuleT, Result, Tensor};
use fx_core::trace::whole::enter_at;
use fx_core::trace::{self, Held, Holding, Proxy, Scope, Traceable};
use indexmap::IndexMap;

/// A layer or module of the user's that a [`Sequential`] can hold: called on one tensor, and with a mirror.
///
/// Everything that is annotated or a layer of a library is one.
pub trait Child: fmt::Debug + Send + Sync {
    /// Runs it.
    ///
    /// # Errors
    /// Its own.
    fn run(&self, xs: &Tensor, train: bool) -> Result<Tensor>;

    /// Its mirror.
    fn mirror(&self, scope: &Scope) -> Arc<dyn ChildMirror>;

    /// Its text in that of what holds it: that of a layer, or the name of its type.
    fn text(&self) -> String;
}

/// The mirror of a [`Child`].
///
/// A [`SequentialMirror`] is a list of them.
pub trait ChildMirror {
    /// Records a call at a line of the user's.
    ///
    /// # Errors
    /// What candle refuses.
    fn record(&self, xs: &Proxy, train: bool, at: &'static Location<'static>) -> Result<Proxy>;

    /// What it holds.
    fn held(&self, holding: &mut Holding) -> Held;
}

/// The mirror of a child of this type.
struct MirrorOf<M: Traceable>(M::Symbolic);

impl<M: Traceable> ChildMirror for MirrorOf<M>
where
    M::Symbolic: trace::ModuleT,
{
    fn record(&self, xs: &Proxy, train: bool, at: &'static Location<'static>) -> Result<Proxy> {
        trace::ModuleT::forward_t_at(&self.0, xs, train, at)
    }

    fn held(&self, holding: &mut Holding) -> Held {
        M::held(&self.0, holding)
    }
}

impl<M> Child for M
where
    M: ModuleT + Traceable + fmt::Debug + Send + Sync + 'static,
    M::Symbolic: trace::ModuleT + 'static,
{
    fn run(&self, xs: &Tensor, train: bool) -> Result<Tensor> {
        self.forward_t(xs, train)
    }

    fn mirror(&self, scope: &Scope) -> Arc<dyn ChildMirror> {
        Arc::new(MirrorOf::<M>(self.symbolic(scope)))
    }

    fn text(&self) -> String {
        let named = || {
            let name = std::any::type_name::<M>();
            let name = name.split('<').next().unwrap_or(name);
            format!("{}()", name.rsplit("::").next().unwrap_or(name))
        };
        self.printed().map_or_else(named, ToString::to_string)
    }
}

/// Modules one after the other, named by number or by name.
///
/// [torch.nn.Sequential](https://docs.pytorch.org/docs/stable/generated/torch.nn.Sequential.html)
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use candle_nn::{VarBuilder, VarMap};
/// use fx_nn::{Linear, ReLU, Sequential};
///
/// let vars = VarMap::new();
/// let vb = VarBuilder::from_varmap(&vars, DType::F32, &Device::Cpu);
/// let layers = Sequential::new()
///     .push(Linear::new(4, 8, Default::default(), vb.pp(0))?)
///     .push(ReLU::new())
///     .push(Linear::new(8, 2, Default::default(), vb.pp(2))?);
/// assert_eq!(layers.forward(&Tensor::zeros((3, 4), DType::F32, &Device::Cpu)?)?.dims(), [3, 2]);
/// let text = "\
/// Sequential(
///   (0): Linear(in_features=4, out_features=8, bias=True)
///   (1): ReLU()
///   (2): Linear(in_features=8, out_features=2, bias=True)
/// )";
/// assert_eq!(layers.to_string(), text);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Sequential {
    children: IndexMap<String, Arc<dyn Child>>,
}

impl Sequential {
    /// No modules: the identity.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a module at the end, named by its number.
    #[must_use]
    pub fn push(self, module: impl Child + 'static) -> Self {
        let name = self.children.len().to_string();
        self.add(name, module)
    }

    /// With a module at the end, named like this; another of this name gives way, at its place.
    #[must_use]
    pub fn add(mut self, name: impl Into<String>, module: impl Child + 'static) -> Self {
        self.children.insert(name.into(), Arc::new(module));
        self
    }

    /// How many modules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.children.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    /// One after the other, not in training.
    ///
    /// # Errors
    /// Those of the modules.
    pub fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        self.forward_t(xs, false)
    }
}

impl ModuleT for Sequential {
    fn forward_t(&self, xs: &Tensor, train: bool) -> Result<Tensor> {
        self.children.values().try_fold(xs.clone(), |xs, child| child.run(&xs, train))
    }
}

impl fmt::Display for Sequential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<(&str, String)> =
            self.children.iter().map(|(name, child)| (name.as_str(), child.text())).collect();
        write_all(f, "Sequential", rows.iter().map(|(name, text)| (*name, text as &dyn fmt::Display)).collect())
    }
}

impl Traceable for Sequential {
    type Symbolic = SequentialMirror;

    fn symbolic(&self, scope: &Scope) -> SequentialMirror {
        let children = self.children.iter().map(|(name, child)| (name.clone(), child.mirror(&scope.child(name))));
        SequentialMirror { scope: scope.clone(), children: children.collect() }
    }

    fn held(mirror: &SequentialMirror, holding: &mut Holding) -> Held {
        let children = mirror.children.iter();
        Held::structure("Sequential", children.map(|(name, child)| (name.as_str(), child.held(holding))).collect())
    }

    fn printed(&self) -> Option<&dyn fmt::Display> {
        Some(self)
    }
}

/// The mirror of a [`Sequential`].
///
/// It is entered: each module in it records its own nodes.
#[derive(Clone)]
pub struct SequentialMirror {
    scope: Scope,
    children: Vec<(String, Arc<dyn ChildMirror>)>,
}

impl SequentialMirror {
    /// Records the modules one after the other, not in training.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(&self, xs: &Proxy) -> Result<Proxy> {
        trace::ModuleT::forward_t(self, xs, false)
    }

    /// How many modules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.children.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }
}

impl trace::ModuleT for SequentialMirror {
    #[track_caller]
    fn forward_t(&self, xs: &Proxy, train: bool) -> Result<Proxy> {
        self.forward_t_at(xs, train, Location::caller())
    }

    fn forward_t_at(&self, xs: &Proxy, train: bool, at: &'static Location<'static>) -> Result<Proxy> {
        let _entered = enter_at(&self.scope, "Sequential");
        let mut result = xs.clone();
        for (_, child) in &self.children {
            result = child.record(&result, train, at)?;
        }
        Ok(result)
    }
}

impl fmt::Debug for SequentialMirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sequential of {}", self.children.len())
    }
}

/// Modules of one type in order, named by number.
///
/// [torch.nn.ModuleList](https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleList<M>(Vec<M>);

/// Modules of one type by name, in the order in which they came.
///
/// [torch.nn.ModuleDict](https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html)
#[derive(Debug, Clone)]
pub struct ModuleDict<M>(IndexMap<String, M>);

impl<M> Default for ModuleList<M> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<M> Default for ModuleDict<M> {
    fn default() -> Self {
        Self(IndexMap::new())
    }
}

impl<M> ModuleList<M> {
    /// No modules.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a module at the end.
    pub fn push(&mut self, module: M) {
        self.0.push(module);
    }

    /// How many modules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The module of this number.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&M> {
        self.0.get(index)
    }

    /// The modules in order.
    pub fn iter(&self) -> std::slice::Iter<'_, M> {
        self.0.iter()
    }
}

impl<M> FromIterator<M> for ModuleList<M> {
    fn from_iter<I: IntoIterator<Item = M>>(modules: I) -> Self {
        Self(modules.into_iter().collect())
    }
}

impl<'m, M> IntoIterator for &'m ModuleList<M> {
    type Item = &'m M;
    type IntoIter = std::slice::Iter<'m, M>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// # Panics
/// When there is no such module, as slices do.
impl<M> Index<usize> for ModuleList<M> {
    type Output = M;

    fn index(&self, index: usize) -> &M {
        &self.0[index]
    }
}

impl<M: Traceable> Traceable for ModuleList<M> {
    type Symbolic = ModuleList<M::Symbolic>;

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        self.iter().enumerate().map(|(i, module)| module.symbolic(&scope.child(&i.to_string()))).collect()
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        Held::list(mirror.iter().map(|module| M::held(module, holding)).collect())
    }
}

impl<M: fmt::Display> fmt::Display for ModuleList<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Modules in a row that print alike are printed once.
        let mut alike: Vec<(usize, usize, String)> = Vec::new();
        for (i, module) in self.0.iter().enumerate() {
            let text = module.to_string();
            match alike.last_mut() {
                Some((_, last, before)) if *before == text => *last = i,
                _ => alike.push((i, i, text)),
            }
        }
        let rows = alike.into_iter().map(|(first, last, text)| match last - first {
            0 => (first.to_string(), text),
            more => (format!("{first}-{last}"), format!("{} x {text}", more + 1)),
        });
        let rows: Vec<(String, String)> = rows.collect();
        write_all(f, "ModuleList", rows.iter().map(|(name, text)| (name.as_str(), text as &dyn fmt::Display)).collect())
    }
}

impl<M> ModuleDict<M> {
    /// No modules.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With a module of this name; another of this name gives way, and is given back.
    pub fn insert(&mut self, name: impl Into<String>, module: M) -> Option<M> {
        self.0.insert(name.into(), module)
    }

    /// How many modules there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The module of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&M> {
        self.0.get(name)
    }

    /// Whether there is a module of this name.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The names in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The modules in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &M> {
        self.0.values()
    }

    /// Names and modules in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &M)> {
        self.0.iter().map(|(name, module)| (name.as_str(), module))
    }
}

impl<M, N: Into<String>> FromIterator<(N, M)> for ModuleDict<M> {
    fn from_iter<I: IntoIterator<Item = (N, M)>>(modules: I) -> Self {
        Self(modules.into_iter().map(|(name, module)| (name.into(), module)).collect())
    }
}

/// # Panics
/// When there is no such module, as maps do.
impl<M> Index<&str> for ModuleDict<M> {
    type Output = M;

    fn index(&self, name: &str) -> &M {
        &self.0[name]
    }
}

impl<M: Traceable> Traceable for ModuleDict<M> {
    type Symbolic = ModuleDict<M::Symbolic>;

    fn symbolic(&self, scope: &Scope) -> Self::Symbolic {
        self.iter().map(|(name, module)| (name, module.symbolic(&scope.child(name)))).collect()
    }

    fn held(mirror: &Self::Symbolic, holding: &mut Holding) -> Held {
        Held::structure("ModuleDict", mirror.iter().map(|(name, module)| (name, M::held(module, holding))).collect())
    }
}

impl<M: fmt::Display> fmt::Display for ModuleDict<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_all(f, "ModuleDict", self.iter().map(|(name, module)| (name, module as &dyn fmt::Display)).collect())
    }
}

fn write_all(f: &mut fmt::Formatter<'_>, name: &str, inside: Vec<(&str, &dyn fmt::Display)>) -> fmt::Result {
    if inside.is_empty() { write!(f, "{name}()") } else { crate::transformer::print(f, name, &inside) }
}
