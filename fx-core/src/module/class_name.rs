//! The name of the type that a module was captured from, torch.fx's `class_name`.
//!
//! Invariant: it is text for people and for generated code, and decides nothing.

use std::sync::Arc;

use super::graph_module::GraphModule;

impl GraphModule {
    /// Name of the type whose `forward` generated code is: the captured model's, `MLP`; else the graph's name in the case
    /// of types, `SmallBert` of `small_bert`.
    #[must_use]
    pub fn class_name(&self) -> &str {
        &self.class_name
    }

    /// Gives the type of generated code another name.
    ///
    /// It is not checked: what is no name of a type in Rust is made one where it is written.
    pub fn set_class_name(&mut self, name: impl Into<Arc<str>>) {
        self.class_name = name.into();
    }
}

/// `bert_model` as `BertModel`.
pub(super) fn of_graph(graph_name: &str) -> Arc<str> {
    let words = graph_name.split('_').filter(|word| !word.is_empty());
    let name: String = words
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
        .collect();
    if name.is_empty() { "Module".into() } else { name.into() }
}
