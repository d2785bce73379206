//! Tensors that a model builds from sizes on the host: what gives them at every size.
//!
//! Known are those of one number, those that count up, and triangular masks of two numbers; each in any shape that has the
//! elements in that order; and those that are looked up in a table (`table`).
//!
//! Invariant: what stands in place of a tensor gives its bits at every size that was tried.

mod table;

use candle_core::{DType, Tensor};

use super::agree::{Stop, at};
use super::domain::Domain;
use super::error::DynamicError;
use crate::ir::{Argument, Keyword, ModulePath, NodeId, Op, Target, by_parameter};
use crate::ops::{Args, OpRef};
use crate::ops::{compare, create, shape};
use crate::trace::error::TraceError;
use crate::trace::recording::Recording;
use crate::value::{Device, Fact, Fit, Fitter, FloatFit, Sizes, SymInt, TensorFact, Value};

/// Calls that give a tensor, the last of them the tensor itself. Nodes in arguments are numbers of earlier calls; if there
/// is a table, it is number 0.
pub(super) struct Recipe {
    table: Option<Tensor>,
    calls: Vec<Call>,
}

struct Call {
    op: OpRef,
    /// By the names of parameters.
    arguments: Vec<(&'static str, Argument)>,
    /// Of its result.
    extents: Vec<SymInt>,
}

/// What gives a constant of the graph at every size; none if it is the same at all.
pub(super) fn recipe(
    domain: &Domain<'_>,
    fitter: &mut Fitter,
    id: NodeId,
    path: &ModulePath,
) -> Result<Option<Recipe>, Stop> {
    let Ok(first) = domain.base().attributes.tensor(path) else { return Ok(None) };
    let others: Option<Vec<Tensor>> =
        domain.same().map(|(_, recording)| recording.attributes.tensor(path).ok()).collect();
    let tensors: Vec<Tensor> = std::iter::once(first).chain(others.unwrap_or_default()).collect();
    let first = &tensors[0];
    if tensors.iter().all(|tensor| tensor.id() == first.id() || is_equal(tensor, first)) {
        return Ok(None);
    }
    let refused = || {
        let second = tensors.iter().position(|tensor| !is_equal(tensor, first)).unwrap_or_default();
        let other = second.checked_sub(1).and_then(|second| domain.same().nth(second));
        let graph = &domain.base().graph;
        let reader = graph.users(id).next().unwrap_or(id);
        let shape = |tensor: &Tensor| Fact::tensor(tensor.shape(), tensor.dtype()).to_string();
        Stop::error(DynamicError::HostTensor {
            first: shape(first),
            base: domain.base_sizes().to_string(),
            second: shape(&tensors[second]),
            other: other.map_or_else(String::new, |(sizes, _)| sizes.to_string()),
            line: graph.node_line(reader),
            at: at(graph, reader),
        })
    };
    if tensors.iter().any(|tensor| tensor.dtype() != first.dtype() || tensor.rank() != first.rank()) {
        return Err(refused());
    }
    let mut dims = Vec::with_capacity(first.rank());
    for axis in 0..first.rank() {
        let row: Vec<i64> = tensors.iter().map(|tensor| tensor.dims()[axis] as i64).collect();
        match fitter.fit(&row) {
            Fit::Is(expression) => dims.push(expression),
            Fit::Unclear(name, size) => return Err(Stop::Unclear(name, size)),
            Fit::No => return Err(refused()),
        }
    }
    let rows: Option<Vec<Vec<f64>>> = tensors.iter().map(elements).collect();
    let points = domain.points();
    let built = Built { dims, rows: rows.ok_or_else(refused)?, tensors: &tensors, points: &points };
    for family in [Built::full, Built::counting, Built::triangle] {
        match family(&built, fitter) {
            Ok(Some(recipe)) if built.gives(&recipe) => return Ok(Some(recipe)),
            Ok(_) => {}
            Err(stop) => return Err(stop),
        }
    }
    for family in [Built::by_difference, Built::by_difference_from_the_end, Built::corner] {
        if let Some(recipe) = family(&built).filter(|recipe| built.gives(recipe)) {
            return Ok(Some(recipe));
        }
    }
    Err(refused())
}

/// The elements in order, as numbers that hold them exactly.
fn elements(tensor: &Tensor) -> Option<Vec<f64>> {
    let flat = tensor.flatten_all().ok()?;
    if flat.dtype() == DType::I64 {
        let exact = |int: i64| (int.unsigned_abs() < 1 << 53).then_some(int as f64);
        return flat.to_vec1::<i64>().ok()?.into_iter().map(exact).collect();
    }
    flat.to_dtype(DType::F64).ok()?.to_vec1::<f64>().ok()
}

/// Whether two tensors have the same shape and the same bits.
fn is_equal(one: &Tensor, other: &Tensor) -> bool {
    if one.shape() != other.shape() || one.dtype() != other.dtype() {
        return false;
    }
    bits(one).is_some_and(|one| bits(other).is_some_and(|other| one == other))
}

/// What tells tensors of one shape and dtype apart; none where the data cannot be had.
pub(in crate::trace) fn bits(tensor: &Tensor) -> Option<Vec<u64>> {
    elements(tensor).map(|row| row.into_iter().map(f64::to_bits).collect())
}

/// A tensor at every size.
struct Built<'t> {
    dims: Vec<SymInt>,
    rows: Vec<Vec<f64>>,
    tensors: &'t [Tensor],
    points: &'t [Sizes],
}

impl Built<'_> {
    fn dtype(&self) -> DType {
        self.tensors[0].dtype()
    }

    fn device(&self) -> Argument {
        Device(self.tensors[0].device().clone()).into()
    }

    fn shape(&self) -> Argument {
        Argument::Tuple(self.dims.iter().cloned().map(Argument::from).collect())
    }

    /// A number as the dtype has it.
    fn number(&self, number: f64) -> Argument {
        if self.dtype().is_float() { number.into() } else { (number as i64).into() }
    }

    /// The expression of whole numbers, one for each size.
    fn fit(fitter: &mut Fitter, row: impl Iterator<Item = Option<f64>>) -> Result<Option<SymInt>, Stop> {
        let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 1e15).then_some(number as i64);
        let row: Option<Vec<i64>> = row.map(|number| number.and_then(whole)).collect();
        match row.map(|row| fitter.fit(&row)) {
            Some(Fit::Is(expression)) => Ok(Some(expression)),
            Some(Fit::Unclear(name, size)) => Err(Stop::Unclear(name, size)),
            Some(Fit::No) | None => Ok(None),
        }
    }

    /// One number everywhere.
    fn full(&self, fitter: &mut Fitter) -> Result<Option<Recipe>, Stop> {
        if self.rows.iter().any(|row| row.iter().any(|value| value.to_bits() != row[0].to_bits())) {
            return Ok(None);
        }
        let known = self.rows.iter().find_map(|row| row.first().copied());
        let Some(known) = known else { return Ok(None) };
        let is_one = self.rows.iter().flat_map(|row| row.first()).all(|value| value.to_bits() == known.to_bits());
        let value = if is_one {
            self.number(known)
        } else {
            // What a tensor without elements would be of does not matter, but is not known.
            let row: Option<Vec<f64>> = self.rows.iter().map(|row| row.first().copied()).collect();
            let Some(row) = row else { return Ok(None) };
            if self.dtype().is_float() {
                match fitter.fit_float(&row) {
                    FloatFit::Is(value) => value.into(),
                    FloatFit::Unclear(name, size) => return Err(Stop::Unclear(name, size)),
                    FloatFit::No => return Ok(None),
                }
            } else {
                match Self::fit(fitter, row.into_iter().map(Some))? {
                    Some(value) => value.into(),
                    None => return Ok(None),
                }
            }
        };
        let arguments =
            vec![("value", value), ("shape", self.shape()), ("dtype", self.dtype().into()), ("device", self.device())];
        let extents = self.dims.clone();
        Ok(Some(Recipe { table: None, calls: vec![Call { op: &create::full::OP, arguments, extents }] }))
    }

    /// `start`, `start + step`, and so on, in the order of the elements.
    fn counting(&self, fitter: &mut Fitter) -> Result<Option<Recipe>, Stop> {
        let longest = self.rows.iter().max_by_key(|row| row.len());
        let Some(step) = longest.filter(|row| row.len() > 1).map(|row| row[1] - row[0]) else { return Ok(None) };
        if step == 0.0 || step.fract() != 0.0 {
            return Ok(None);
        }
        // Where there is nothing, counting may start anywhere: as it does at the first size.
        let first = self.rows[0].first().copied();
        let starts = self.rows.iter().map(|row| row.first().copied().or(first));
        let Some(start) = Self::fit(fitter, starts)? else { return Ok(None) };
        let counts = self.rows.iter().map(|row| Some(row.len() as f64));
        let Some(count) = Self::fit(fitter, counts)? else { return Ok(None) };
        let end = count
            .times(step as i64)
            .and_then(|length| if start.as_int() == Some(0) { Ok(length) } else { start.plus(&length) });
        let Ok(end) = end else { return Ok(None) };
        let place = [("dtype", self.dtype().into()), ("device", self.device())];
        let mut arguments: Vec<(&'static str, Argument)> = vec![("start", start.into()), ("end", end.into())];
        let op: OpRef = if step == 1.0 {
            &create::arange::OP
        } else {
            arguments.push(("step", self.number(step)));
            &create::arange_step::OP
        };
        arguments.extend(place);
        let mut calls = vec![Call { op, arguments, extents: vec![count] }];
        if self.dims.len() != 1 {
            calls.push(self.reshaped(0));
        }
        Ok(Some(Recipe { table: None, calls }))
    }

    fn reshaped(&self, call: usize) -> Call {
        let arguments = vec![("x", node(call)), ("s", self.shape())];
        Call { op: &shape::reshape::OP, arguments, extents: self.dims.clone() }
    }

    /// One number where the column is more than `offset` after the row, another elsewhere.
    fn triangle(&self, fitter: &mut Fitter) -> Result<Option<Recipe>, Stop> {
        let rank = self.dims.len();
        if rank < 2 || self.dims[..rank - 2].iter().any(|dim| dim.as_int() != Some(1)) {
            return Ok(None);
        }
        // The largest has both numbers, if any has.
        let Some(largest) = (0..self.rows.len()).max_by_key(|&i| self.rows[i].len()) else { return Ok(None) };
        let (below, above) = {
            let row = &self.rows[largest];
            let below = row.get(self.extent(largest, rank - 2).saturating_sub(1) * self.extent(largest, rank - 1));
            match (below, row.iter().find(|value| below.is_some_and(|below| value.to_bits() != below.to_bits()))) {
                (Some(below), Some(above)) => (*below, *above),
                _ => return Ok(None),
            }
        };
        // The first column of the first row that is above says the offset; without one it is not known at this size.
        let mut offsets: Vec<Option<f64>> = Vec::with_capacity(self.rows.len());
        for (i, row) in self.rows.iter().enumerate() {
            let columns = self.extent(i, rank - 1);
            let at = row.iter().position(|value| value.to_bits() == above.to_bits());
            offsets.push(at.map(|at| (at % columns) as f64 - (at / columns) as f64));
        }
        let (rows, columns) = (&self.dims[rank - 2], &self.dims[rank - 1]);
        let Some(offset) = self.offset(fitter, &offsets, rows, columns)? else { return Ok(None) };
        Ok(self.masked(&offset, below, above))
    }

    /// The offset of a mask: a number, or how many more columns than rows there are and a number. Where nothing is
    /// above, it only has to be large enough, which [`Built::gives`] checks.
    fn offset(
        &self,
        fitter: &mut Fitter,
        offsets: &[Option<f64>],
        rows: &SymInt,
        columns: &SymInt,
    ) -> Result<Option<SymInt>, Stop> {
        let Some(known) = offsets.iter().flatten().next() else { return Ok(None) };
        if offsets.iter().flatten().all(|offset| offset == known) {
            return Ok(Some((*known as i64).into()));
        }
        if let Ok(more) = SymInt::binary(crate::value::SymOp::Sub, columns, rows) {
            let over = |(offset, sizes): (&Option<f64>, &Sizes)| Some((*offset)? as i64 - more.evaluate(sizes).ok()?);
            let over: Vec<i64> = offsets.iter().zip(self.points).filter_map(over).collect();
            if let Some(first) = over.first()
                && over.iter().all(|value| value == first)
            {
                return Ok(more.plus(*first).ok());
            }
        }
        Self::fit(fitter, offsets.iter().copied())
    }

    /// `columns >= rows + offset`, of which the number above is chosen where it holds.
    fn masked(&self, offset: &SymInt, below: f64, above: f64) -> Option<Recipe> {
        let rank = self.dims.len();
        let (rows, columns) = (&self.dims[rank - 2], &self.dims[rank - 1]);
        let end = rows.plus(offset).ok()?;
        let column = Argument::Tuple([rows.clone().into(), 1.into()].into());
        let line = Argument::Tuple([1.into(), columns.clone().into()].into());
        let both = Argument::Tuple([rows.clone().into(), columns.clone().into()].into());
        let square = || vec![rows.clone(), columns.clone()];
        let full = |value: f64| {
            let arguments = vec![
                ("value", self.number(value)),
                ("shape", both.clone()),
                ("dtype", self.dtype().into()),
                ("device", self.device()),
            ];
            Call { op: &create::full::OP, arguments, extents: square() }
        };
        let mut calls = vec![
            self.counted(offset.clone(), end, rows),
            Call {
                op: &shape::reshape::OP,
                arguments: vec![("x", node(0)), ("s", column)],
                extents: vec![rows.clone(), 1.into()],
            },
            self.counted(0.into(), columns.clone(), columns),
            Call {
                op: &shape::reshape::OP,
                arguments: vec![("x", node(2)), ("s", line)],
                extents: vec![1.into(), columns.clone()],
            },
        ];
        let compared = |op: OpRef| Call { op, arguments: vec![("x", node(3)), ("rhs", node(1))], extents: square() };
        let is_flags = self.dtype() == DType::U8;
        if is_flags && (below, above) == (0.0, 1.0) {
            calls.push(compared(&compare::broadcast_ge::OP));
        } else if is_flags && (below, above) == (1.0, 0.0) {
            calls.push(compared(&compare::broadcast_lt::OP));
        } else {
            calls.push(compared(&compare::broadcast_ge::OP));
            calls.extend([full(above), full(below)]);
            let arguments = vec![("x", node(4)), ("on_true", node(5)), ("on_false", node(6))];
            calls.push(Call { op: &compare::where_cond::OP, arguments, extents: square() });
        }
        if rank > 2 {
            let last = calls.len() - 1;
            calls.push(self.reshaped(last));
        }
        Some(Recipe { table: None, calls })
    }

    /// Integers from one to another.
    fn counted(&self, start: SymInt, end: SymInt, count: &SymInt) -> Call {
        let arguments =
            vec![("start", start.into()), ("end", end.into()), ("dtype", DType::I64.into()), ("device", self.device())];
        Call { op: &create::arange::OP, arguments, extents: vec![count.clone()] }
    }

    fn extent(&self, tensor: usize, axis: usize) -> usize {
        self.tensors[tensor].dims()[axis]
    }

    /// Whether the calls give the tensor at every size.
    fn gives(&self, recipe: &Recipe) -> bool {
        self.tensors
            .iter()
            .zip(self.points)
            .all(|(tensor, sizes)| recipe.run(sizes).is_some_and(|made| is_equal(&made, tensor)))
    }
}

/// The result of an earlier call.
fn node(call: usize) -> Argument {
    use crate::entity::EntityRef;
    Argument::Node(NodeId::new(call))
}

impl Call {
    /// The arguments in the order of the parameters; none if one is missing.
    fn ordered(&self) -> Option<Vec<&Argument>> {
        let find = |name: &str| self.arguments.iter().find(|(known, _)| *known == name).map(|(_, argument)| argument);
        self.op
            .params
            .iter()
            .enumerate()
            .map(|(i, param)| {
                // Receivers are named in many ways.
                find(param.name).or_else(|| (i == 0).then(|| find("x")).flatten())
            })
            .collect()
    }
}

impl Recipe {
    /// What the last call gives at some sizes.
    fn run(&self, sizes: &Sizes) -> Option<Tensor> {
        let mut results: Vec<Value> = self.table.iter().map(Value::from).collect();
        for call in &self.calls {
            let values = call.ordered()?.into_iter().map(|argument| match argument {
                Argument::Node(id) => results.get(crate::entity::EntityRef::index(*id)).cloned(),
                other => other.evaluate(sizes).ok().flatten(),
            });
            let values: Vec<Value> = values.collect::<Option<_>>()?;
            let values: Vec<&Value> = values.iter().collect();
            let op = call.op;
            results.push(crate::ops::candle_error::caught(|| (op.eval)(Args { op, values: &values })).ok()?);
        }
        results.pop()?.as_tensor().cloned()
    }
}

/// Puts the calls in place of a constant.
pub(super) fn install(recording: &mut Recording, id: NodeId, recipe: &Recipe) -> Result<(), TraceError> {
    let graph = &mut recording.graph;
    let mut meta = graph.node(id).meta().clone();
    // A constant is of no line; what reads it is.
    meta.source = graph.users(id).next().and_then(|reader| graph.node(reader).meta().source.clone());
    let Target::GetAttr(path) = graph.node(id).target().clone() else { return Ok(()) };
    let mut made: Vec<NodeId> = Vec::new();
    let fact = std::mem::take(&mut meta.fact);
    if let Some(table) = &recipe.table {
        let name = graph.node(id).name().to_owned();
        let read = graph.inserting_before(id).get_attr(path.clone());
        graph.meta_mut(read).fact = Fact::tensor(table.shape(), table.dtype());
        recording.attributes.insert(path.clone(), table.clone());
        graph.rename(read, &format!("{name}_table"));
        made.push(read);
    }
    for call in &recipe.calls {
        let (mut args, mut kwargs): (Vec<Argument>, Vec<(Keyword, Argument)>) = Default::default();
        for (param, argument) in call.op.params.iter().zip(call.ordered().unwrap_or_default()) {
            let argument = argument.map_nodes(&mut |id| made[crate::entity::EntityRef::index(id)]);
            if param.positional { args.push(argument) } else { kwargs.push((param.name.into(), argument)) }
        }
        let new = graph
            .inserting_before(id)
            .call(call.op, args, kwargs)
            .map_err(|error| DynamicError::NotCorrect(error.to_string()))?;
        let node = graph.node(new);
        let facts: Vec<Fact> = by_parameter(call.op, node.args(), node.kwargs())
            .map(|(_, argument)| argument.fact(&mut |id| graph.node(id).meta().fact.clone()))
            .collect();
        let facts: Vec<&Fact> = facts.iter().collect();
        let fact = match (call.op.infer)(crate::ops::Facts { op: call.op, facts: &facts }).unwrap_or_default() {
            Fact::Tensor(fact) => TensorFact::symbolic(call.extents.clone(), fact.dtype).map(Fact::Tensor),
            _ => None,
        };
        let new_meta = graph.meta_mut(new);
        *new_meta = meta.clone();
        new_meta.fact = fact.unwrap_or_default();
        made.push(new);
    }
    let Some(&last) = made.last() else { return Ok(()) };
    graph.meta_mut(last).fact = fact;
    graph.replace_all_uses_with(id, last);
    graph.erase_node(id).map_err(|error| DynamicError::NotCorrect(error.to_string()))?;
    if !graph.nodes().any(|(_, node)| node.op() == Op::GetAttr && node.target().path() == Some(&path)) {
        recording.attributes.remove(&path);
    }
    Ok(())
}
