//! [`Sizes`]: the numbers by which structs of one type differ, a layer's channels and strides: what `new` takes.
//!
//! Invariant: numbers that are the same in every struct of the type are written into `new`; of the others, those that are
//! equal to each other in every struct are one parameter.

use std::collections::HashMap;
use std::ops::Range;

use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::holder::Member;
use super::program::Program;
use super::unit::LeafKind;

/// A number in what makes a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// The same in all.
    Constant(usize),
    /// A parameter, by its number.
    Parameter(usize),
}

/// The numbers of a type.
#[derive(Default)]
pub(super) struct Sizes {
    /// In the order of the members.
    sizes: Vec<Size>,
    /// Which of them each member has.
    members: Vec<Range<usize>>,
    /// What the parameters are in each struct, by unit and number.
    values: HashMap<(usize, usize), Vec<usize>>,
}

impl Sizes {
    /// The numbers of a type whose members' types are known.
    pub(super) fn new(program: &Program<'_>, ty: usize) -> Self {
        let mut members = Vec::new();
        let all: Vec<Vec<usize>> = program.types[ty]
            .instances
            .iter()
            .enumerate()
            .map(|(i, (unit, holder))| {
                let mut sizes = Vec::new();
                for member in &program.units[*unit].holders.all[*holder].members {
                    let start = sizes.len();
                    sizes.extend(of_member(program, *unit, member));
                    if i == 0 {
                        members.push(start..sizes.len());
                    }
                }
                sizes
            })
            .collect();
        let mut parameters: HashMap<Vec<usize>, usize> = HashMap::new();
        let sizes = (0..all[0].len()).map(|i| {
            let each: Vec<usize> = all.iter().map(|sizes| sizes[i]).collect();
            if each.iter().all(|size| *size == each[0]) {
                return Size::Constant(each[0]);
            }
            let next = parameters.len();
            Size::Parameter(*parameters.entry(each).or_insert(next))
        });
        let sizes = sizes.collect();
        let mut values: HashMap<(usize, usize), Vec<usize>> =
            program.types[ty].instances.iter().map(|at| (*at, vec![0; parameters.len()])).collect();
        for (each, parameter) in parameters {
            for (at, size) in program.types[ty].instances.iter().zip(each) {
                if let Some(values) = values.get_mut(at) {
                    values[parameter] = size;
                }
            }
        }
        Self { sizes, members, values }
    }

    /// How many parameters there are.
    pub(super) fn count(&self) -> usize {
        self.sizes
            .iter()
            .filter_map(|size| match size {
                Size::Parameter(parameter) => Some(parameter + 1),
                Size::Constant(_) => None,
            })
            .max()
            .unwrap_or(0)
    }

    /// The numbers of a member, by its place among the members.
    pub(super) fn of(&self, member: usize) -> &[Size] {
        self.members.get(member).and_then(|range| self.sizes.get(range.clone())).unwrap_or_default()
    }

    /// The first member that has a parameter.
    pub(super) fn first_member(&self, parameter: usize) -> Option<usize> {
        let size = self.sizes.iter().position(|size| *size == Size::Parameter(parameter))?;
        self.members.iter().position(|range| range.contains(&size))
    }
}

/// The numbers of a member.
fn of_member(program: &Program<'_>, unit: usize, member: &Member) -> Vec<usize> {
    match member {
        Member::Holder(holder) => {
            let sizes = &program.sizes[program.type_of[unit][*holder]];
            sizes.values.get(&(unit, *holder)).cloned().unwrap_or_default()
        }
        Member::Leaf(path) => match program.units[unit].leaves.get(path) {
            Some(leaf) => match &leaf.kind {
                LeafKind::Tensor => leaf.tensors.iter().flat_map(|(_, tensor)| tensor.dims().to_vec()).collect(),
                LeafKind::Layer { make, .. } => {
                    let mut sizes = Vec::new();
                    let tokens = make.parse().unwrap_or_default();
                    replaced(tokens, &mut |size| {
                        sizes.push(size);
                        Literal::usize_unsuffixed(size).into_token_stream()
                    });
                    sizes
                }
                LeafKind::Graph(_) => Vec::new(),
            },
            None => Vec::new(),
        },
    }
}

/// Tokens with each whole number replaced, in order.
pub(super) fn replaced(tokens: TokenStream, with: &mut dyn FnMut(usize) -> TokenStream) -> TokenStream {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let inside = replaced(group.stream(), with);
            TokenTree::Group(Group::new(group.delimiter(), inside)).into_token_stream()
        }
        TokenTree::Literal(literal) => match literal.to_string().parse() {
            Ok(size) => with(size),
            Err(_) => literal.into_token_stream(),
        },
        other => other.into_token_stream(),
    });
    each.collect()
}

/// Tokens without their whole numbers, as a key.
pub(super) fn without_sizes(tokens: TokenStream) -> String {
    replaced(tokens, &mut |_| quote!(_)).to_string()
}
