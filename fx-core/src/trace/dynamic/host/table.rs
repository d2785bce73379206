//! Tensors built on the host whose elements are looked up in a table: by how much the column is more than the row (masks
//! of windows, buckets of relative positions), or by the place alone, in the corner of the largest (tables of positions).
//!
//! Along outer dimensions all parts may be the same. A size at which an element was never seen is outside of the table,
//! where the graph fails to run.
//!
//! Invariant: a table holds what was seen, and nothing made up.

use candle_core::{Device, Tensor};

use super::{Built, Call, Recipe, node};
use crate::ir::Argument;
use crate::ops::{elementwise, index, shape};
use crate::value::{SymInt, SymOp};

/// More than any mask is long: how far the column can be from the row.
const FARTHEST: usize = 1 << 20;

impl Built<'_> {
    /// Elements by the difference of column and row, from the first row and column.
    pub(super) fn by_difference(&self) -> Option<Recipe> {
        self.differences(false)
    }

    /// Elements by the difference of column and row, from the last row and column.
    pub(super) fn by_difference_from_the_end(&self) -> Option<Recipe> {
        self.differences(true)
    }

    /// The elements of one part, if all parts along the outer dimensions are the same.
    fn inner(&self, tensor: usize) -> Option<&[f64]> {
        let rank = self.dims.len();
        let (row, len) = (&self.rows[tensor], self.extent(tensor, rank - 2) * self.extent(tensor, rank - 1));
        if row.is_empty() {
            return Some(row);
        }
        let first = row.get(..len)?;
        let is_first = |part: &[f64]| part.iter().zip(first).all(|(one, other)| one.to_bits() == other.to_bits());
        (len == 0 || row.chunks(len).all(is_first)).then_some(first)
    }

    fn differences(&self, from_the_end: bool) -> Option<Recipe> {
        let rank = self.dims.len();
        if rank < 2 {
            return None;
        }
        let mut known: std::collections::HashMap<i64, f64, foldhash::fast::RandomState> = Default::default();
        for tensor in 0..self.rows.len() {
            let (rows, columns) = (self.extent(tensor, rank - 2), self.extent(tensor, rank - 1));
            if rows.max(columns) > FARTHEST {
                return None;
            }
            let shift = if from_the_end { columns as i64 - rows as i64 } else { 0 };
            for (at, value) in self.inner(tensor)?.iter().enumerate() {
                let difference = (at % columns) as i64 - (at / columns) as i64 - shift;
                let there = *known.entry(difference).or_insert(*value);
                if there.to_bits() != value.to_bits() {
                    return None;
                }
            }
        }
        let (least, most) = (*known.keys().min()?, *known.keys().max()?);
        let table: Vec<f64> =
            (least..=most).map(|difference| known.get(&difference).copied()).collect::<Option<_>>()?;
        let table = self.table(table, &[usize::try_from(most - least + 1).ok()?])?;
        let (rows, columns) = (&self.dims[rank - 2], &self.dims[rank - 1]);
        let start = match from_the_end {
            false => SymInt::from(least),
            true => SymInt::binary(SymOp::Sub, columns, rows).ok()?.plus(least).ok()?,
        };
        let count = rows.times(columns).ok()?;
        let calls = vec![
            self.counted(0.into(), columns.clone(), columns),
            reshaped(1, &[1.into(), columns.clone()]),
            self.counted(start.clone(), start.plus(rows).ok()?, rows),
            reshaped(3, &[rows.clone(), 1.into()]),
            Call {
                op: &elementwise::broadcast_sub::OP,
                arguments: vec![("x", node(2)), ("rhs", node(4))],
                extents: vec![rows.clone(), columns.clone()],
            },
            reshaped(5, std::slice::from_ref(&count)),
            Call {
                op: &index::index_select::OP,
                arguments: vec![("x", node(0)), ("indexes", node(6)), ("dim", 0.into())],
                extents: vec![count],
            },
        ];
        Some(Recipe { table: Some(table), calls: self.spread(calls, 7) })
    }

    /// Elements by their place: what is smaller is a corner of the largest.
    pub(super) fn corner(&self) -> Option<Recipe> {
        let rank = self.dims.len();
        // Outer dimensions along which all is the same are made last.
        let is_spread = rank > 2 && (0..self.rows.len()).all(|tensor| self.inner(tensor).is_some());
        let first_axis = if is_spread { rank - 2 } else { 0 };
        let extents = |tensor: usize| &self.tensors[tensor].dims()[first_axis..];
        let largest = (0..self.rows.len()).max_by_key(|&tensor| extents(tensor).iter().product::<usize>())?;
        let holds = |tensor: usize| extents(tensor).iter().zip(extents(largest)).all(|(one, most)| one <= most);
        if !(0..self.rows.len()).all(holds) {
            return None;
        }
        let count: usize = extents(largest).iter().product();
        let table = self.table(self.rows[largest].get(..count)?.to_vec(), extents(largest))?;
        let mut calls = Vec::new();
        let mut now: Vec<SymInt> = extents(largest).iter().map(|&extent| (extent as i64).into()).collect();
        for axis in 0..now.len() {
            let wanted = &self.dims[first_axis + axis];
            if now[axis] == *wanted {
                continue;
            }
            now[axis] = wanted.clone();
            let arguments = vec![
                ("x", node(calls.len())),
                ("dim", axis.into()),
                ("start", 0.into()),
                ("len", wanted.clone().into()),
            ];
            calls.push(Call { op: &shape::narrow::OP, arguments, extents: now.clone() });
        }
        if calls.is_empty() {
            return None;
        }
        let last = calls.len();
        let calls = if first_axis > 0 { self.spread(calls, last) } else { calls };
        Some(Recipe { table: Some(table), calls })
    }

    fn table(&self, elements: Vec<f64>, dims: &[usize]) -> Option<Tensor> {
        let table = Tensor::from_vec(elements, dims, &Device::Cpu).and_then(|table| table.to_dtype(self.dtype()));
        table.and_then(|table| table.to_device(self.tensors[0].device())).ok()
    }

    /// Makes the whole tensor of a part that is the same along all outer dimensions.
    fn spread(&self, mut calls: Vec<Call>, last: usize) -> Vec<Call> {
        let rank = self.dims.len();
        let inner: Vec<SymInt> =
            self.dims.iter().enumerate().map(|(i, dim)| if i + 2 < rank { 1.into() } else { dim.clone() }).collect();
        let extents = calls.last().map_or(&[][..], |call| &call.extents);
        let mut last = last;
        if extents != inner {
            calls.push(reshaped(last, &inner));
            last += 1;
        }
        if inner != self.dims {
            let arguments = vec![("x", node(last)), ("shape", self.shape())];
            calls.push(Call { op: &shape::broadcast_as::OP, arguments, extents: self.dims.clone() });
        }
        calls
    }
}

fn reshaped(call: usize, dims: &[SymInt]) -> Call {
    let shape = Argument::Tuple(dims.iter().cloned().map(Argument::from).collect());
    Call { op: &shape::reshape::OP, arguments: vec![("x", node(call)), ("s", shape)], extents: dims.to_vec() }
}
