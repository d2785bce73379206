//! Forms of results: nested containers, structs, arrays, nothing, and errors of other types.

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};

use crate::support::{assert_returns, linear, tensor};

#[fx::module]
struct Nested {
    linear: Linear,
}

#[fx::module]
impl Nested {
    #[expect(clippy::type_complexity, reason = "the form under test")]
    fn forward(&self, x: &Tensor) -> Result<((Tensor, Tensor), Vec<Vec<Tensor>>, Option<Tensor>)> {
        let once = self.linear.forward(x)?;
        let twice = self.linear.forward(&once)?;
        Ok(((once.clone(), x.clone()), vec![vec![once.clone()], vec![twice.clone(), twice]], None))
    }
}

#[test]
fn a_tuple_of_tuples_and_vectors() {
    let x = tensor(&[2, 4]);
    let model = Nested { linear: linear(4, 4) };
    let ((first, second), lists, _) = model.forward(&x).unwrap();
    let expected = [&first, &second, &lists[0][0], &lists[1][0], &lists[1][1]];
    assert_returns(&expected, fx::trace(&model, (&x,)), &[&x]);
    assert_returns(&expected, fx::symbolic_trace(&model), &[&x]);
}

#[fx::module]
struct Output {
    hidden: Tensor,
    projected: Option<Tensor>,
    pairs: Vec<(Tensor, Tensor)>,
    rank: usize,
}

#[fx::module]
struct ReturnsStruct {
    linear: Linear,
}

#[fx::module]
impl ReturnsStruct {
    fn forward(&self, x: &Tensor) -> Result<Output> {
        let hidden = x.relu()?;
        let projected = if self.linear.bias().is_some() { Some(self.linear.forward(&hidden)?) } else { None };
        let rank = hidden.dims().len();
        Ok(Output { pairs: vec![(hidden.clone(), hidden.clone())], hidden, projected, rank })
    }
}

#[test]
fn a_struct_of_tensors_and_plain_data() {
    let x = tensor(&[2, 4]);
    let model = ReturnsStruct { linear: linear(4, 4) };
    let output = model.forward(&x).unwrap();
    let expected = [&output.hidden, output.projected.as_ref().unwrap(), &output.pairs[0].0, &output.pairs[0].1];
    assert_returns(&expected, fx::trace(&model, (&x,)), &[&x]);
}

#[fx::module]
struct Identity;

#[fx::module]
impl Identity {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        Ok(x.clone())
    }
}

#[test]
fn the_input_itself() {
    assert_captured_in_every_way!(Identity, tensor(&[2, 4]));
}

#[fx::module]
struct ReturnsArray;

#[fx::module]
impl ReturnsArray {
    fn forward(&self, x: &Tensor) -> Result<[Tensor; 2]> {
        Ok([x.clone(), x.neg()?])
    }
}

#[test]
fn an_array() {
    let x = tensor(&[2, 4]);
    let [first, second] = ReturnsArray.forward(&x).unwrap();
    assert_returns(&[&first, &second], fx::symbolic_trace(&ReturnsArray), &[&x]);
}

#[fx::module]
struct WithoutResult;

#[fx::module]
impl WithoutResult {
    fn forward(&self, x: &Tensor) -> Tensor {
        x.neg().unwrap()
    }
}

#[test]
fn a_tensor_without_result() {
    let x = tensor(&[2, 4]);
    assert_returns(&[&WithoutResult.forward(&x)], fx::symbolic_trace(&WithoutResult), &[&x]);
}

#[fx::module]
struct ReturnsNothing;

#[fx::module]
impl ReturnsNothing {
    fn forward(&self, x: &Tensor) -> Result<()> {
        let _negated = x.neg()?;
        Ok(())
    }
}

#[test]
fn nothing() {
    assert_returns(&[], fx::symbolic_trace(&ReturnsNothing), &[&tensor(&[2, 4])]);
}

#[fx::module]
struct BoxedError;

#[fx::module]
impl BoxedError {
    fn forward(&self, x: &Tensor) -> std::result::Result<Tensor, Box<dyn std::error::Error>> {
        if x.rank() > 5 {
            return Err("no".into());
        }
        Ok(x.neg()?)
    }
}

#[test]
fn an_error_of_another_type() {
    assert_captured!(BoxedError, tensor(&[2, 4]));
}
