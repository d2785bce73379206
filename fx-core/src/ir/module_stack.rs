//! [`ModuleStack`]: the modules whose `forward` a node was recorded in.
//!
//! Invariant: entering a module makes a stack of its own and changes no other; stacks share what they have in common.

use std::fmt;
use std::sync::Arc;

use super::path::ModulePath;

/// The modules that were running when a node was recorded, torch.fx's `nn_module_stack`. Cloning it copies no text.
///
/// ```
/// # use fx_core::ir::ModuleStack;
/// let stack = ModuleStack::ROOT.enter("encoder", "Encoder", 0).enter("encoder.layers.0", "Layer", 1);
/// assert_eq!(stack.path().as_str(), "encoder.layers.0");
/// assert_eq!(stack.outer().path().as_str(), "encoder");
/// let types: Vec<&str> = stack.frames().map(|frame| &*frame.type_name).collect();
/// assert_eq!(types, ["Layer", "Encoder"]);
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct ModuleStack(Option<Arc<Frame>>);

/// One module that was running.
///
/// Shown as torch.fx keys it, `encoder.layers.0`, or `encoder.layers.0@1` for its second call.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame {
    outer: ModuleStack,
    /// Where it is in the captured model.
    pub path: ModulePath,
    /// Name of its type.
    pub type_name: Arc<str>,
    /// How often it had been called before in the same capture: torch.fx writes the calls after the first as `path@N`.
    pub call: u32,
}

impl ModuleStack {
    /// Outside of all modules.
    pub const ROOT: Self = Self(None);

    /// The stack inside a module that is called from here.
    ///
    /// `call` is how often the module had been called before.
    #[must_use]
    pub fn enter(&self, path: impl Into<ModulePath>, type_name: impl Into<Arc<str>>, call: u32) -> Self {
        let (path, type_name) = (path.into(), type_name.into());
        Self(Some(Arc::new(Frame { outer: self.clone(), path, type_name, call })))
    }

    /// The innermost module.
    ///
    /// None at the root.
    #[must_use]
    pub fn innermost(&self) -> Option<&Frame> {
        self.0.as_deref()
    }

    /// Path of the innermost module; that of the captured model where there is none.
    #[must_use]
    pub fn path(&self) -> &ModulePath {
        self.innermost().map_or(&ModulePath::ROOT, |frame| &frame.path)
    }

    /// The stack outside of the innermost module.
    #[must_use]
    pub fn outer(&self) -> Self {
        self.innermost().map_or(Self::ROOT, |frame| frame.outer.clone())
    }

    /// The modules, the innermost first.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> {
        std::iter::successors(self.innermost(), |frame| frame.outer.innermost())
    }

    /// How many modules there are.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.frames().count()
    }
}

/// The module as torch.fx keys it: `encoder.layers.0`, `encoder.layers.0@1` at its second call.
impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if self.call > 0 { write!(f, "@{}", self.call) } else { Ok(()) }
    }
}

/// From the outermost in: `encoder (Encoder) > encoder.layers.0 (Layer)`.
impl fmt::Debug for ModuleStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames: Vec<&Frame> = self.frames().collect();
        for (i, frame) in frames.iter().rev().enumerate() {
            write!(f, "{}{frame} ({})", if i > 0 { " > " } else { "" }, frame.type_name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_share_what_they_have_in_common() {
        let encoder = ModuleStack::ROOT.enter("encoder", "Encoder", 0);
        let (first, again) = (encoder.enter("encoder.0", "Layer", 0), encoder.enter("encoder.0", "Layer", 1));
        assert_eq!(format!("{again:?}"), "encoder (Encoder) > encoder.0@1 (Layer)");
        assert_eq!((first.outer(), again.depth()), (encoder.clone(), 2));
        assert_eq!(ModuleStack::ROOT.path(), &ModulePath::ROOT);
        assert_eq!(size_of::<ModuleStack>(), 8);
    }
}
