//! The attributes as the tree of modules that their paths make: adding, removing and listing.
//!
//! Invariant: an edit that fails leaves the tree as it was.

use std::collections::HashSet;
use std::sync::Arc;

use crate::ir::{Graph, ModulePath, Op};

use super::attributes::{Attribute, Attributes};
use super::check::CheckErrors;
use super::graph_module::GraphModule;
use super::layer::LayerModule;

/// A module of the tree.
///
/// What [`GraphModule::get_submodule`] and [`GraphModule::named_modules`] give.
#[derive(Clone, Copy)]
pub enum Submodule<'m> {
    /// Holds other modules or tensors, and is not called.
    Container,
    /// A layer that is called whole.
    Layer(&'m Arc<dyn LayerModule>),
    /// A child graph.
    Graph(&'m GraphModule),
}

/// Something else is where a module was to go.
///
/// The module was not added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot add a module at `{path}`: `{at}` is {found}")]
pub struct InTheWay {
    /// Where the module was to go.
    pub path: ModulePath,
    /// Where the other thing is.
    pub at: ModulePath,
    /// What it is.
    pub found: String,
}

impl GraphModule {
    /// A graph, and of these attributes those that it refers to, in order of first use: torch.fx's construction from a
    /// dictionary.
    ///
    /// # Errors
    /// When the graph is not well formed, or names something that is not among them.
    pub fn from_map<P: Into<ModulePath>, A: Into<Attribute>>(
        graph: Graph,
        attributes: impl IntoIterator<Item = (P, A)>,
    ) -> Result<Self, CheckErrors> {
        let attributes = referred(&graph, &attributes.into_iter().collect());
        Self::new(graph, attributes)
    }

    /// Puts a layer or graph at a path, in place of the module that was there with all it held. The modules on the way
    /// need not be there; if one is a child graph, the module goes into that.
    ///
    /// ```
    /// # use fx_core::{ir::Graph, module::{Attributes, GraphModule}};
    /// # fn graph(name: &str) -> GraphModule {
    /// #     let mut graph = Graph::new(name);
    /// #     let x = graph.at_end().placeholder("x");
    /// #     graph.at_end().output(x);
    /// #     GraphModule::new(graph, Attributes::new()).unwrap()
    /// # }
    /// let mut model = graph("model");
    /// model.add_submodule("encoder.block", graph("block"))?;
    /// let paths: Vec<String> = model.named_modules().iter().map(|(path, _)| path.to_string()).collect();
    /// assert_eq!(paths, ["", "encoder", "encoder.block"]);
    ///
    /// assert!(model.delete_submodule("encoder.block"));
    /// assert!(!model.delete_submodule("encoder.block"));
    /// # Ok::<(), fx_core::module::InTheWay>(())
    /// ```
    ///
    /// # Errors
    /// When the path or a part of it is a tensor, when a part of it is a layer, or when it is not a tensor or module of
    /// the root: the empty path.
    pub fn add_submodule(&mut self, path: impl Into<ModulePath>, module: impl Into<Attribute>) -> Result<(), InTheWay> {
        let (path, module) = (path.into(), module.into());
        let in_the_way = |at: &ModulePath, found: String| InTheWay { path: path.clone(), at: at.clone(), found };
        if path.segments().next().is_none() || path.segments().any(str::is_empty) {
            return Err(in_the_way(&path, "no path of a module".to_owned()));
        }
        if let Attribute::Tensor(_) = module {
            return Err(in_the_way(&path, "to hold a tensor, which is no module".to_owned()));
        }
        if let Some(found @ Attribute::Tensor(_)) = self.attributes().get(&path) {
            return Err(in_the_way(&path, found.to_string()));
        }
        let text = path.as_str();
        for (end, _) in text.match_indices('.') {
            let at = ModulePath::new(&text[..end]);
            match self.attributes().get(&at) {
                None => {}
                Some(Attribute::Module(_)) => {
                    let rest = &text[end + 1..];
                    // It is there, so the child is too.
                    let added = self.child_mut(at.clone()).map(|child| child.add_submodule(rest, module));
                    return added.unwrap_or(Ok(())).map_err(|error| in_the_way(&at.join(&error.at), error.found));
                }
                Some(found) => return Err(in_the_way(&at, found.to_string())),
            }
        }
        let attributes = self.attributes_mut();
        attributes.retain(|held, _| !is_below(held, &path));
        attributes.insert(path, module);
        Ok(())
    }

    /// Takes away the module at a path with all it holds, and says whether there was one. The graph is left as it is:
    /// if it still calls the module, [`GraphModule::check`] says so.
    ///
    /// The root, tensors, and what is inside of layers cannot be taken away. In a child graph that others hold, it is
    /// taken out for this module only.
    pub fn delete_submodule(&mut self, path: impl Into<ModulePath>) -> bool {
        let path = path.into();
        if path.is_root() {
            return false;
        }
        let held = self.attributes().get(&path).cloned();
        if held.is_none()
            && self.attributes().holder(&path).is_some_and(|(on_the_way, _)| matches!(on_the_way, Attribute::Module(_)))
        {
            let text = path.as_str();
            let end =
                ModulePath::ends_of_parts(text).find(|end| self.attributes().contains(&ModulePath::new(&text[..*end])));
            return end.is_some_and(|end| {
                self.child_mut(&text[..end]).is_some_and(|child| child.delete_submodule(&text[end + 1..]))
            });
        }
        if matches!(held, Some(Attribute::Tensor(_))) {
            return false;
        }
        let before = self.attributes().len();
        self.attributes_mut().retain(|held, _| *held != path && !is_below(held, &path));
        self.attributes().len() < before
    }

    /// Takes away the modules that the graph does not need, with the tensors they hold, and returns their paths. It
    /// needs those that it calls with everything inside, those that it reads a tensor of, and those around these.
    ///
    /// Child graphs are not looked into.
    pub fn delete_all_unused_submodules(&mut self) -> Vec<ModulePath> {
        let (mut used, mut called) = (HashSet::from([ModulePath::ROOT]), HashSet::new());
        for (_, node) in self.graph().nodes() {
            let Some(path) = node.target().path() else { continue };
            if node.op() == Op::CallModule {
                called.insert(path.clone());
                used.insert(path.clone());
            }
            let mut around = path.parent();
            while let Some(path) = around {
                around = path.parent();
                if !used.insert(path) {
                    break;
                }
            }
        }
        let is_inside_called = |path: &ModulePath| {
            let mut around = Some(path.clone());
            std::iter::from_fn(|| {
                let path = around.take()?;
                around = path.parent();
                Some(path)
            })
            .any(|path| called.contains(&path))
        };
        let mut deleted = Vec::new();
        self.attributes_mut().retain(|path, attribute| {
            let module = match attribute {
                Attribute::Tensor(_) => path.parent().unwrap_or_default(),
                _ => path.clone(),
            };
            let is_used = used.contains(&module) || is_inside_called(&module);
            if !is_used && deleted.last() != Some(&module) {
                deleted.push(module);
            }
            is_used
        });
        let mut seen = HashSet::new();
        deleted.retain(|path| seen.insert(path.clone()));
        deleted
    }

    /// The module that a path leads to, also inside child graphs.
    ///
    /// The root is the module itself. None if there is nothing, or a tensor.
    #[must_use]
    pub fn get_submodule(&self, path: impl Into<ModulePath>) -> Option<Submodule<'_>> {
        let (mut module, mut path) = (self, path.into());
        loop {
            if path.is_root() {
                return Some(Submodule::Graph(module));
            }
            match module.attributes().get(&path) {
                Some(Attribute::Layer(layer)) => return Some(Submodule::Layer(layer)),
                Some(Attribute::Module(child)) => return Some(Submodule::Graph(child)),
                Some(Attribute::Tensor(_)) => return None,
                None => {}
            }
            if module.attributes().iter().any(|(held, _)| is_below(held, &path)) {
                return Some(Submodule::Container);
            }
            match module.attributes().holder(&path)? {
                (Attribute::Module(child), rest) => (module, path) = (child, rest),
                _ => return None,
            }
        }
    }

    /// Every module by path, this one first, then as they are first used; children of child graphs too. A layer or child
    /// graph that has several paths comes once, under the first, as in torch.
    ///
    /// Tensors are listed by [`GraphModule::state_dict`].
    #[must_use]
    pub fn named_modules(&self) -> Vec<(ModulePath, Submodule<'_>)> {
        let (mut found, mut seen) = (vec![(ModulePath::ROOT, Submodule::Graph(self))], HashSet::new());
        let mut listed = HashSet::new();
        let mut pending = vec![(ModulePath::ROOT, self.attributes(), self.attributes().iter())];
        while let Some((prefix, attributes, rest)) = pending.last_mut() {
            let Some((path, attribute)) = rest.next() else {
                pending.pop();
                continue;
            };
            let (mut around, mut inside, attributes) = (prefix.clone(), ModulePath::ROOT, *attributes);
            let segments: Vec<&str> = path.segments().collect();
            let Some((last, on_the_way)) = segments.split_last() else { continue };
            for segment in on_the_way {
                around = around.child(segment);
                inside = inside.child(segment);
                // What the graph holds there is listed as what it is.
                if !attributes.contains(&inside) && seen.insert(around.clone()) {
                    found.push((around.clone(), Submodule::Container));
                }
            }
            let full = around.child(last);
            match attribute {
                Attribute::Layer(layer) if listed.insert(Arc::as_ptr(layer).cast::<()>()) => {
                    found.push((full, Submodule::Layer(layer)));
                }
                Attribute::Module(child) if listed.insert(Arc::as_ptr(child).cast()) => {
                    found.push((full.clone(), Submodule::Graph(child)));
                    pending.push((full, child.attributes(), child.attributes().iter()));
                }
                Attribute::Tensor(_) | Attribute::Layer(_) | Attribute::Module(_) => {}
            }
        }
        found
    }
}

impl std::fmt::Debug for Submodule<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Container => f.write_str("Container"),
            Self::Layer(layer) => write!(f, "Layer({})", layer.type_name()),
            Self::Graph(module) => write!(f, "Graph({})", module.graph().name()),
        }
    }
}

/// Of these attributes those that the graph refers to, in order of first use.
pub(crate) fn referred(graph: &Graph, attributes: &Attributes) -> Attributes {
    let mut kept = Attributes::new();
    for (_, node) in graph.nodes() {
        let Some(path) = node.target().path() else { continue };
        let mut held = Some(path.clone());
        // The path itself, or the child graph or layer that it leads into.
        while let Some(path) = held {
            if let Some(attribute) = attributes.get(&path) {
                if !kept.contains(&path) {
                    kept.insert(path, attribute.clone());
                }
                break;
            }
            held = path.parent();
        }
    }
    kept
}

fn is_below(path: &ModulePath, module: &ModulePath) -> bool {
    path.as_str().strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with('.'))
}
