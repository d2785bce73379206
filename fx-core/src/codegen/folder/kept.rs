//! [`Kept`]: what the model keeps from one call to the next: the struct `State`, how it begins, and how a call leaves it.
//!
//! Invariant: a part of the state has one type, of what is read, of what is written, and of what was there at the capture.

use std::collections::HashSet;
use std::sync::Arc;

use candle_core::{DType, Tensor};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::ir::Argument;
use crate::module::GraphModule;
use crate::ops::kind::Kind;
use crate::value::Value;

use super::super::call::Calls;
use super::super::literal::literal;
use super::body::written;
use super::error::FolderError;
use super::load::get_tensor;
use super::structure::{Reads, Structures, Ty, tuple};
use super::unit::shape;
use super::words::{Fresh, snake};

/// The state of a model.
pub(super) struct Kept {
    /// The name of its struct.
    pub(super) name: Ident,
    pub(super) fields: Vec<KeptField>,
    /// The tensors that it begins with, by their names in the weights, in the order of the fields.
    pub(super) weights: Vec<(String, Tensor)>,
}

/// A part of the state.
pub(super) struct KeptField {
    pub(super) name: Ident,
    /// The path to it in the captured model.
    pub(super) slot: Arc<str>,
    pub(super) reads: Argument,
    pub(super) ty: Ty,
    writes: Argument,
    initial: Value,
}

impl Kept {
    /// The state of a module, none if it has none. Names in the weights are others than those `taken`.
    pub(super) fn new(
        module: &GraphModule,
        structures: &mut Structures,
        types: &mut Fresh,
        taken: &[(String, Tensor)],
    ) -> Result<Option<Self>, FolderError> {
        let graph = module.graph();
        if graph.state().is_empty() {
            return Ok(None);
        }
        let refused = |slot: &str, reason: String| FolderError::State {
            slot: slot.to_owned(),
            graph: graph.name().to_owned(),
            reason,
        };
        let written = graph.result_and_written().map_or(&[][..], |(_, written)| written);
        let mut fresh = Fresh::default();
        let mut taken: HashSet<String> = taken.iter().map(|(name, _)| name.clone()).collect();
        let (mut fields, mut weights) = (Vec::new(), Vec::new());
        for (i, slot) in graph.state().iter().enumerate() {
            let Some(writes) = written.get(i) else {
                let reason = "the output is not `(result, (written, …))`; `graph.verify()` says more";
                return Err(refused(&slot.name, reason.to_owned()));
            };
            let initial = module.kept().initial().put_together(&slot.name, &slot.reads);
            let typed = structures.of(graph, &slot.reads, &slot.name).and_then(|reads| {
                let writes = structures.of(graph, writes, &slot.name)?;
                let ty = structures.both(reads, writes, &slot.name)?;
                structures.with_value(ty, &initial, &slot.name)
            });
            let ty = typed.map_err(|error| match error {
                FolderError::Mixed { found, .. } => {
                    let reason = "no Rust type has both what is read and what is written, ";
                    let remedy = "; run the graph by `GraphModule::run`, or keep both as one type in the model";
                    refused(&slot.name, format!("{reason}{found}{remedy}"))
                }
                other => other,
            })?;
            let mut tensors = Vec::new();
            tensors_of(&slot.name, &initial, &mut tensors);
            for (mut name, tensor) in tensors {
                while !taken.insert(name.clone()) {
                    name.insert_str(0, "state.");
                }
                weights.push((name, tensor));
            }
            let name = snake(&slot.name);
            let name = if name.starts_with(|first: char| first.is_ascii_digit() || first == '_') {
                format!("slot_{}", name.trim_start_matches('_'))
            } else {
                name
            };
            let name = fresh.take(&name);
            let (slot, reads) = (slot.name.clone(), slot.reads.clone());
            fields.push(KeptField { name, slot, reads, ty, writes: writes.clone(), initial });
        }
        Ok(Some(Self { name: types.take_type("State"), fields, weights }))
    }

    /// Whether it begins as Rust's own defaults.
    fn is_default(&self) -> bool {
        let is_default = |field: &KeptField| match &field.initial {
            Value::None | Value::Bool(false) | Value::Int(0) => true,
            Value::Float(float) => float.to_bits() == 0,
            _ => false,
        };
        self.fields.iter().all(is_default)
    }

    /// Whether it is made of the weights.
    pub(super) fn is_read(&self) -> bool {
        !self.weights.is_empty()
    }

    /// The definition of its struct, as lines.
    pub(super) fn definition(&self, structures: &Structures, main: DType) -> Vec<String> {
        let name = &self.name;
        let default = if self.is_default() { ", Default" } else { "" };
        let mut lines = vec![
            "/// What the model keeps from one call to the next.".to_owned(),
            format!("#[derive(Debug, Clone{default})]"),
            format!("pub struct {name} {{"),
        ];
        for field in &self.fields {
            lines.push(format!("    /// `{}` of the captured model.", field.slot.escape_debug()));
            lines.push(format!("    pub {}: {},", field.name, structures.text(&field.ty)));
        }
        lines.extend(["}".to_owned(), String::new()]);
        if self.is_default() {
            return lines;
        }
        let mut tensors = self.weights.iter();
        let fields = self.fields.iter().map(|field| {
            let (name, value) = (&field.name, initial(structures, &field.initial, &field.ty, main, &mut tensors));
            quote!(#name: #value)
        });
        let value = quote!(Self { #(#fields),* });
        let (start, value): (&[String], _) = if self.is_read() {
            let start = [
                format!("impl {name} {{"),
                "    /// As it was at the capture.".to_owned(),
                "    ///".to_owned(),
                "    /// # Errors".to_owned(),
                "    /// When a tensor is missing or of another shape.".to_owned(),
                "    pub fn new(vb: VarBuilder) -> Result<Self> {".to_owned(),
            ];
            (&start.clone(), quote!(Ok(#value)))
        } else {
            let start = [
                format!("impl Default for {name} {{"),
                "    /// As it was at the capture.".to_owned(),
                "    fn default() -> Self {".to_owned(),
            ];
            (&start.clone(), value)
        };
        lines.extend(start.iter().cloned());
        lines.extend(written("", &value, "", 8).lines().map(|line| format!("        {line}")));
        lines.extend(["    }".to_owned(), "}".to_owned(), String::new()]);
        lines
    }

    /// What a call leaves.
    pub(super) fn left(&self, structures: &Structures, calls: &Calls<'_>, reads: &mut Reads) -> TokenStream {
        let fields = self.fields.iter().map(|KeptField { name, writes, ty, .. }| {
            let value = structures.value(calls, writes, ty, reads);
            if *name == value.to_string() { quote!(#name) } else { quote!(#name: #value) }
        });
        let (name, fields) = (&self.name, fields.collect::<Vec<_>>());
        quote!(#name { #(#fields),* })
    }
}

/// The tensors in a value by their paths.
fn tensors_of(path: &str, value: &Value, found: &mut Vec<(String, Tensor)>) {
    match value {
        Value::Tensor(tensor) => found.push((path.to_owned(), tensor.clone())),
        Value::List(items) | Value::Tuple(items) => {
            items.iter().enumerate().for_each(|(i, item)| tensors_of(&format!("{path}.{i}"), item, found));
        }
        Value::Struct(_, fields) => fields.iter().for_each(|(name, value)| match &**name {
            // The one field of a variant is at its path.
            "" => tensors_of(path, value, found),
            name => tensors_of(&format!("{path}.{name}"), value, found),
        }),
        _ => {}
    }
}

/// A value of the state at the capture, with the tensors that come next in the weights.
fn initial<'w>(
    structures: &Structures,
    value: &Value,
    ty: &Ty,
    main: DType,
    tensors: &mut impl Iterator<Item = &'w (String, Tensor)>,
) -> TokenStream {
    match (value, ty) {
        (Value::None, _) => quote!(None),
        (value, Ty::Option(inner)) => {
            let value = initial(structures, value, inner, main, tensors);
            quote!(Some(#value))
        }
        (Value::Tensor(tensor), _) => {
            let name = tensors.next().map_or("", |(name, _)| name.as_str());
            get_tensor(&shape(tensor), &quote!(#name), tensor.dtype(), main)
        }
        (Value::List(items), Ty::List(ty)) => {
            let items: Vec<_> = items.iter().map(|item| initial(structures, item, ty, main, tensors)).collect();
            quote!(vec![#(#items),*])
        }
        (Value::Tuple(items), Ty::Tuple(types)) => {
            let items = items.iter().zip(types).map(|(item, ty)| initial(structures, item, ty, main, tensors));
            tuple(&items.collect::<Vec<_>>())
        }
        (Value::Struct(_, fields), Ty::Struct(name)) => {
            let types = structures.fields.get(name).cloned().unwrap_or_default();
            let values = fields.iter().zip(&types);
            let values = values.map(|((_, value), (_, ty))| initial(structures, value, ty, main, tensors));
            structures.structure(name, values.collect())
        }
        (value, _) => literal(value, Kind::Any, None),
    }
}
