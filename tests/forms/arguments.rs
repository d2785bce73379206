//! Forms of arguments: plain data, options, slices, tuples, patterns, and what is given for them.

use candle_core::{DType, Result, Tensor};
use fx::{TraceError, Tracer};

use crate::support::{Captured, assert_returns, other, tensor};

#[fx::constant]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Fast,
    Slow(usize),
}

#[fx::module]
struct PlainArguments;

#[fx::module]
impl PlainArguments {
    #[expect(clippy::too_many_arguments, reason = "one of every kind")]
    fn forward(
        &self,
        x: &Tensor,
        flag: bool,
        number: usize,
        float: f64,
        text: &str,
        mode: Mode,
        slice: &[usize],
        list: Vec<usize>,
        name: Option<String>,
        mut count: i64,
        tensors: &[Tensor],
    ) -> Result<Tensor> {
        count += 1;
        let x = if flag { x.relu()? } else { x.neg()? };
        let x = (x * (number as f64 + float))?;
        let x = match text {
            "a" => x.exp()?,
            _ => x,
        };
        let x = match mode {
            Mode::Fast => x,
            Mode::Slow(shift) => (x + shift as f64)?,
        };
        let x = x.reshape(slice)?.reshape(list)?;
        let x = if name.is_some() { x.tanh()? } else { x };
        let x = (x + count as f64)?;
        (&x + tensors.len() as f64)?.broadcast_add(&tensors[1])
    }
}

#[test]
fn plain_data_by_name() {
    let x = tensor(&[2, 2]);
    let tensors = vec![tensor(&[1]), other(&[1])];
    let (mode, name) = (Mode::Slow(2), Some("q".to_owned()));
    let expected = PlainArguments.forward(&x, true, 2, 0.5, "a", mode, &[4], vec![2, 2], name, 4, &tensors).unwrap();
    let captured = Tracer::new()
        .example("x", &x)
        .concrete_arg("flag", true)
        .concrete_arg("number", 2)
        .concrete_arg("float", 0.5)
        .concrete_arg("text", "a")
        .concrete_arg("mode", &mode)
        .concrete_arg("slice", vec![4usize])
        .concrete_arg("list", vec![2usize, 2])
        .concrete_arg("name", "q")
        .concrete_arg("count", 4)
        .example("tensors", &tensors)
        .trace(&PlainArguments);
    assert_returns(&[&expected], captured, &[&x, &tensors[0], &tensors[1]]);
}

#[fx::module]
struct InOrder;

#[fx::module]
impl InOrder {
    fn forward(
        &self,
        x: &Tensor,
        flag: bool,
        number: usize,
        text: &str,
        mode: &Mode,
        slice: &[usize],
    ) -> Result<Tensor> {
        let x = if flag { x.relu()? } else { x.neg()? };
        let x = (x * number as f64)?;
        let x = match text {
            "a" => x.exp()?,
            _ => x,
        };
        let x = match mode {
            Mode::Fast => x,
            Mode::Slow(shift) => (x + *shift as f64)?,
        };
        x.reshape(slice)
    }
}

#[test]
fn plain_data_in_order() {
    let x = tensor(&[2, 2]);
    let mode = Mode::Slow(2);
    let expected = InOrder.forward(&x, true, 2, "a", &mode, &[4]).unwrap();
    assert_returns(&[&expected], fx::trace(&InOrder, (&x, true, 2usize, "a", &mode, vec![4usize])), &[&x]);
    assert_returns(&[&expected], fx::trace(&InOrder, (&x, true, 2, "a", &mode, vec![4usize])), &[&x]);
}

#[fx::module]
struct TensorArguments;

#[fx::module]
impl TensorArguments {
    #[expect(clippy::too_many_arguments, reason = "one of every kind")]
    fn forward(
        &self,
        x: Tensor,
        slice: &[&Tensor],
        option: Option<Tensor>,
        pair: (Tensor, Tensor),
        borrowed: &(Tensor, Tensor),
        _: &Tensor,
        _unused: &Tensor,
        inputs: &Tensor,
        scope: Option<&Tensor>,
    ) -> Result<Tensor> {
        let mut x = (x + slice[0])?;
        if let Some(option) = option {
            x = (x * option)?;
        }
        let (first, second) = pair;
        x = ((x + first)? - second)?;
        x = (x.clone() + &borrowed.0 * &borrowed.1)?;
        if let Some(scope) = scope {
            x = (x - scope)?;
        }
        x * inputs
    }
}

#[test]
fn tensors_in_slices_options_and_tuples() {
    let (x, y) = (tensor(&[2, 2]), other(&[2, 2]));
    let pair = (x.clone(), y.clone());
    let expected =
        TensorArguments.forward(x.clone(), &[&y, &x], Some(y.clone()), pair.clone(), &pair, &x, &x, &y, None).unwrap();
    let given = (&x, vec![&y, &x], Some(&y), (&x, &y), (&x, &y), &x, &x, &y, None::<&Tensor>);
    let inputs = [&x, &y, &x, &y, &x, &y, &x, &y, &x, &x, &y];
    assert_returns(&[&expected], fx::trace(&TensorArguments, given), &inputs);
}

#[fx::module]
struct Patterns;

#[fx::module]
impl Patterns {
    fn forward(&self, (a, b): (&Tensor, &Tensor), mut x: Tensor) -> Result<Tensor> {
        x = (x + a)?;
        x * b
    }
}

#[test]
fn patterns_as_parameters() {
    let (x, y) = (tensor(&[2, 4]), other(&[2, 4]));
    let expected = Patterns.forward((&x, &y), x.clone()).unwrap();
    assert_returns(&[&expected], fx::trace(&Patterns, ((&x, &y), &x)), &[&x, &y, &x]);
}

#[fx::module]
struct TakesArray;

#[fx::module]
impl TakesArray {
    fn forward(&self, [a, b]: [Tensor; 2]) -> Result<Tensor> {
        a - b
    }
}

#[test]
fn a_vector_for_an_array_is_refused() {
    let x = tensor(&[2, 4]);
    let captured = fx::trace(&TakesArray, (vec![&x, &x],));
    assert_refused!(captured, TraceError::WrongArgument { ty, .. } if ty == "[Tensor; 2]");
}

// ── What is given ───────────────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct TwoTensors {
    weight: Tensor,
}

#[fx::module]
impl TwoTensors {
    fn forward(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        ((x - y)? * &self.weight)? + Tensor::ones_like(x)?
    }
}

#[test]
fn one_tensor_as_two_inputs() {
    let model = TwoTensors { weight: tensor(&[2, 4]) };
    let (x, y) = (tensor(&[2, 4]), other(&[2, 4]));
    let strided = y.t().unwrap().contiguous().unwrap().t().unwrap();
    for x in [&x, &strided] {
        let expected = model.forward(x, &y).unwrap();
        assert_returns(&[&expected], fx::trace(&model, (x, x)), &[x, &y]);
        assert_returns(&[&expected], fx::trace(&model, (&model.weight, &model.weight)), &[x, &y]);
    }
}

#[test]
fn a_tensor_given_as_a_value() {
    let model = TwoTensors { weight: tensor(&[2, 4]) };
    let (x, y) = (tensor(&[2, 4]), other(&[2, 4]));
    let expected = model.forward(&x, &y).unwrap();
    assert_returns(&[&expected], Tracer::new().concrete_arg("y", &y).trace(&model), &[&x]);
}

#[test]
fn tensors_that_are_missing_or_something_else() {
    let model = TwoTensors { weight: tensor(&[2, 4]) };
    let x = tensor(&[2, 4]);
    let missing = |captured: Captured, parameter: &str| {
        assert_refused!(captured, TraceError::MissingArgument { name, .. } if name == parameter);
    };
    missing(fx::trace(&model, (&x,)), "y");
    missing(Tracer::new().example("y", &x).trace(&model), "x");
    let wrong = |captured: Captured, given: &str| {
        assert_refused!(captured, TraceError::WrongArgument { name, found, .. } if name == "y" && found == given);
    };
    wrong(fx::trace(&model, (&x, 1usize)), "usize");
    wrong(fx::trace(&model, (&x, None::<&Tensor>)), "Option<Tensor>");
    let unknown = Tracer::new().input("z", DType::F32, 3).trace(&model);
    assert_refused!(unknown, TraceError::ExtraArguments { extra, .. } if extra.contains('z'));
}

#[test]
fn inputs_that_do_not_fit_each_other() {
    let model = TwoTensors { weight: tensor(&[2, 4]) };
    let subtraction = |x: Tracer| {
        let captured = x.input("y", DType::F32, (2, 4)).trace(&model);
        assert_refused!(captured, TraceError::Refused { op, .. } if op == "sub");
    };
    subtraction(Tracer::new().input("x", DType::F64, (2, 4)));
    subtraction(Tracer::new().input("x", DType::F32, (2, 5)));
}

#[test]
fn an_input_given_twice() {
    let model = TwoTensors { weight: tensor(&[2, 4]) };
    let both = Tracer::new().input("x", DType::F32, (2, 4)).input("y", DType::F32, (2, 4));
    let captured = both.input("x", DType::F32, (2, 4)).trace(&model);
    assert_refused!(captured, TraceError::ExtraArguments { extra, .. } if extra == "`x`");
}

#[fx::module]
struct TakesNumber;

#[fx::module]
impl TakesNumber {
    fn forward(&self, x: &Tensor, count: usize) -> Result<Tensor> {
        x * count as f64
    }
}

#[test]
fn a_number_that_is_missing_or_something_else() {
    let x = tensor(&[2, 4]);
    let wrong = |captured: Captured, given: &str| {
        assert_refused!(captured, TraceError::WrongArgument { name, found, .. } if name == "count" && found == given);
    };
    wrong(fx::trace(&TakesNumber, (&x, 1.5)), "f64");
    wrong(fx::trace(&TakesNumber, (&x, -1)), "i32");
    wrong(fx::trace(&TakesNumber, (&x, "a")), "String");
    wrong(fx::trace(&TakesNumber, (&x, &x)), "Tensor");
    wrong(Tracer::new().input("count", DType::F32, 1).trace(&TakesNumber), "Tensor");
    let missing = fx::symbolic_trace(&TakesNumber);
    assert_refused!(missing, TraceError::MissingArgument { name, .. } if name == "count");
}
