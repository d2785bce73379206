//! [`Kept`]: what the model keeps from one call to the next: the struct `State`, how it begins, and how a call leaves it.
//!
//! Invariant: a part of the state has one type, of what is read, of what is written, and of what was there at the capture.

use std::collections::HashSet;
use std::rc::Rc;

use candle_core::{DType, Tensor};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::ops::kind::Kind;
use crate::value::Value;

use super::super::call::Calls;
use super::super::literal::literal;
use super::body::written;
use super::cells::{Cells, along};
use super::load::{get_tensor, list_lines, pattern};
use super::slots::{Part, Slots, element_path, is_default};
use super::structure::{Reads, Structures, Ty, tuple};
use super::unit::shape;
use super::words::Fresh;

/// The state of a model.
pub(super) struct Kept {
    /// The name of its struct.
    pub(super) name: Ident,
    pub(super) slots: Rc<Slots>,
    /// The tensors that it begins with, by their names in the weights, in the order of the fields.
    pub(super) weights: Vec<(String, Tensor)>,
}

impl Kept {
    /// A state. Names in the weights are others than those `taken`.
    pub(super) fn new(slots: Rc<Slots>, types: &mut Fresh, taken: &[(String, Tensor)]) -> Self {
        let mut taken: HashSet<String> = taken.iter().map(|(name, _)| name.clone()).collect();
        let mut weights = Vec::new();
        for part in &slots.parts {
            let mut tensors = Vec::new();
            match &part.initial {
                Value::List(items) if !part.numbers.is_empty() => {
                    for (number, item) in part.numbers.iter().zip(items) {
                        tensors_of(&element_path(&part.path, &number.to_string()), item, &mut tensors);
                    }
                }
                value => tensors_of(&part.path, value, &mut tensors),
            }
            for (mut name, tensor) in tensors {
                while !taken.insert(name.clone()) {
                    name.insert_str(0, "state.");
                }
                weights.push((name, tensor));
            }
        }
        Self { name: types.take_type("State"), slots, weights }
    }

    /// Whether it begins as Rust's own defaults.
    fn is_default(&self) -> bool {
        let is_default = |part: &Part| match &part.ty {
            Ty::Struct(name) => self.slots.structures.defaults.contains(name),
            _ => is_default(&part.initial),
        };
        self.slots.parts.iter().all(is_default)
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
        for part in &self.slots.parts {
            let said = part.path.escape_debug();
            lines.push(match part.numbers.is_empty() {
                true => format!("    /// `{said}` of the captured model."),
                false if part.path.is_empty() => "    /// What each part of the captured model keeps.".to_owned(),
                false => format!("    /// What each of `{said}` keeps."),
            });
            lines.push(format!("    pub {}: {},", part.name, structures.text(&part.ty)));
        }
        lines.extend(["}".to_owned(), String::new()]);
        if self.is_default() {
            return lines;
        }
        let mut initial = Initial { structures, main, weights: &self.weights, next: 0 };
        let (mut made, mut fresh) = (Vec::new(), Fresh::values(std::iter::once("i")));
        let fields = self.slots.parts.iter().map(|part| {
            let (name, value) = (&part.name, initial.part(part, &mut fresh, &mut made));
            if *name == value.to_string() { quote!(#name) } else { quote!(#name: #value) }
        });
        let fields: Vec<TokenStream> = fields.collect();
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
        lines.extend(made.into_iter().map(|line| format!("        {line}")));
        lines.extend(written("", &value, "", 8).lines().map(|line| format!("        {line}")));
        lines.extend(["    }".to_owned(), "}".to_owned(), String::new()]);
        lines
    }

    /// The assignments that leave the state to the next call. Where functions have changed their cells in a copy of it, by
    /// this name, the rest is put into that.
    pub(super) fn left(
        &self,
        structures: &Structures,
        calls: &Calls<'_>,
        cells: &Cells,
        copy: Option<&Ident>,
        reads: &mut Reads,
    ) -> Vec<(TokenStream, TokenStream)> {
        let Some(copy) = copy else {
            let fields = self.slots.parts.iter().map(|Part { name, writes, ty, .. }| {
                let value = structures.value(calls, writes, ty, reads);
                if *name == value.to_string() { quote!(#name) } else { quote!(#name: #value) }
            });
            let (name, fields) = (&self.name, fields.collect::<Vec<_>>());
            return vec![(quote!(self.state), quote!(#name { #(#fields),* }))];
        };
        let changed = cells.of(0).filter(|cell| !cell.stays());
        let each = changed.map(|cell| {
            let value = structures.value(calls, &cell.writes, &cell.ty, reads);
            (along(quote!(#copy), &cell.way), value)
        });
        each.chain([(quote!(self.state), quote!(#copy))]).collect()
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

/// Writes what the state was at the capture.
struct Initial<'k> {
    structures: &'k Structures,
    main: DType,
    weights: &'k [(String, Tensor)],
    /// Which of the weights comes next.
    next: usize,
}

impl Initial<'_> {
    /// A field; `made` gets the lines that have to stand before it.
    fn part(&mut self, part: &Part, fresh: &mut Fresh, made: &mut Vec<String>) -> TokenStream {
        let (Value::List(items), Ty::List(ty)) = (&part.initial, &part.ty) else {
            return self.value(&part.initial, &part.ty, None);
        };
        let numbers: Vec<usize> = match part.numbers.is_empty() {
            true => (0..items.len()).collect(),
            false => part.numbers.clone(),
        };
        let start = self.next;
        let numbered = items.iter().zip(&numbers).map(|(item, number)| {
            self.value(item, ty, Some((&part.path, &element_path(&part.path, &number.to_string()))))
        });
        // Written once, if all are alike.
        let numbered: Vec<TokenStream> = numbered.collect();
        let are_alike = numbered.windows(2).all(|two| two[0].to_string() == two[1].to_string());
        match numbered.first().filter(|_| are_alike && numbered.len() > 1) {
            Some(item) if self.next > start => {
                let local = fresh.take(part.name.to_string().trim_start_matches("r#"));
                made.extend(list_lines(&local, &numbers, item));
                local.to_token_stream()
            }
            Some(item) => {
                let count = Literal::usize_unsuffixed(items.len());
                quote!(vec![#item; #count])
            }
            None => {
                self.next = start;
                self.value(&part.initial, &part.ty, None)
            }
        }
    }

    /// A value. In an element of a list, which is at a path inside of that of the list, names that begin with the one are
    /// written by the number `i`.
    fn value(&mut self, value: &Value, ty: &Ty, element: Option<(&str, &str)>) -> TokenStream {
        match (value, ty) {
            (Value::None, _) => quote!(None),
            (value, Ty::Option(inner)) => {
                let value = self.value(value, inner, element);
                quote!(Some(#value))
            }
            (Value::Tensor(tensor), _) => {
                let name = self.weights.get(self.next).map_or("", |(name, _)| name);
                self.next += 1;
                let after = element.and_then(|(list, path)| Some((list, name.strip_prefix(path)?)));
                let name = match after.filter(|(_, after)| after.is_empty() || after.starts_with('.')) {
                    Some((list, after)) => {
                        let text = pattern(list, after);
                        quote!(&format!(#text))
                    }
                    None => quote!(#name),
                };
                get_tensor(&shape(tensor), &name, tensor.dtype(), self.main)
            }
            (Value::List(items), Ty::List(ty)) => {
                let items: Vec<_> = items.iter().map(|item| self.value(item, ty, element)).collect();
                quote!(vec![#(#items),*])
            }
            (Value::Tuple(items), Ty::Tuple(types)) => {
                let items = items.iter().zip(types).map(|(item, ty)| self.value(item, ty, element));
                tuple(&items.collect::<Vec<_>>())
            }
            (Value::Struct(..), Ty::Struct(name)) if self.structures.defaults.contains(name) => {
                let name = self.structures.named(name);
                quote!(#name::default())
            }
            (Value::Struct(_, fields), Ty::Struct(name)) => {
                let types = self.structures.fields.get(name).cloned().unwrap_or_default();
                let values = fields.iter().zip(&types);
                let values = values.map(|((_, value), (_, ty))| self.value(value, ty, element)).collect();
                self.structures.structure(name, values)
            }
            (value, _) => literal(value, Kind::Any, None),
        }
    }
}
