//! Child graphs: reaching them, changing them, and how they are printed.
//!
//! Invariant: changing a child changes it for this module only, not for others that share it.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use crate::ir::ModulePath;

use super::attributes::Attribute;
use super::graph_module::GraphModule;

impl GraphModule {
    /// Its child graphs, in order of first use.
    ///
    /// Only those that are held here; a child's own children are reached through it, or listed by
    /// [`GraphModule::named_modules`].
    pub fn children(&self) -> impl Iterator<Item = (&ModulePath, &GraphModule)> {
        self.attributes().iter().filter_map(|(path, attribute)| match attribute {
            Attribute::Module(child) => Some((path, &**child)),
            _ => None,
        })
    }

    /// The child graph that a path leads to, also inside other children, to be changed.
    ///
    /// If other modules hold it, or it is held under several paths, this one path gets a copy of its own. None if the
    /// path leads to no graph.
    pub fn child_mut(&mut self, path: impl Into<ModulePath>) -> Option<&mut GraphModule> {
        let (mut module, mut path) = (self, path.into());
        loop {
            let mut rest = None;
            if !module.attributes().contains(&path) {
                let text = path.as_str();
                let is_held = |end: &usize| module.attributes().contains(&ModulePath::new(&text[..*end]));
                let end = ModulePath::ends_of_parts(text).find(is_held)?;
                (path, rest) = (ModulePath::new(&text[..end]), Some(ModulePath::new(&text[end + 1..])));
            }
            let Attribute::Module(child) = module.attributes_mut().get_mut(&path)? else { return None };
            module = Arc::make_mut(child);
            match rest {
                None => return Some(module),
                Some(rest) => path = rest,
            }
        }
    }

    /// Writes the graph, which is at `path` and inside of so many others; `written` says where which child was written.
    fn write_at(
        &self,
        path: &ModulePath,
        depth: usize,
        written: &mut HashMap<*const Self, ModulePath>,
        f: &mut dyn Write,
    ) -> fmt::Result {
        write!(f, "{}", self.graph())?;
        for (held, child) in self.children() {
            if let Some(first) = written.get(&std::ptr::from_ref(child)) {
                write!(f, "\n\n    // {held}: the same graph as {first}")?;
                continue;
            }
            write!(f, "\n\n    // {held}\n")?;
            let mut inside = Indented { out: &mut *f, at_line_start: true };
            if depth == Self::MAX_DEPTH {
                write!(inside, "// graphs are nested deeper")?;
            } else {
                let full = path.join(held);
                written.insert(std::ptr::from_ref(child), full.clone());
                child.write_at(&full, depth + 1, written, &mut inside)?;
            }
        }
        Ok(())
    }
}

/// The graph, then each child graph, indented, under its path; one that has several paths once, under the first. No line
/// ends in a blank.
impl fmt::Display for GraphModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_at(&ModulePath::ROOT, 0, &mut HashMap::new(), f)
    }
}

/// Indents every line that is not empty.
struct Indented<'w> {
    out: &'w mut dyn Write,
    at_line_start: bool,
}

impl Write for Indented<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for line in text.split_inclusive('\n') {
            if self.at_line_start && line != "\n" {
                self.out.write_str("    ")?;
            }
            self.out.write_str(line)?;
            self.at_line_start = line.ends_with('\n');
        }
        Ok(())
    }
}
