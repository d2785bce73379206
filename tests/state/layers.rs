//! What equal layers keep, in written programs: a list, whose elements the layers are handed.

use candle_core::{Device, Result, Tensor};
use fx::codegen::Folder;
use fx::{Attributes, Graph, GraphModule, Value};

use crate::attention::{Decoder, attention};
use crate::support::{assert_same, tensor};
use crate::written::{current, lasts, nested, sums, weights};

/// A layer that keeps three things, one of which it may leave.
#[fx::module]
#[derive(Debug, Clone)]
struct Sum {
    table: Tensor,
    sum: Tensor,
    peak: Tensor,
    last: Tensor,
    keeps_last: bool,
}

#[fx::module]
impl Sum {
    fn forward(&mut self, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
        let rows = self.table.index_select(ids, 0)?.sum(0)?;
        self.sum = (&self.sum + &rows)?;
        self.peak = rows.maximum(&self.peak)?;
        let y = ((x + &self.sum)? * &self.peak)?;
        if self.keeps_last {
            let y = (&y - &self.last)?;
            self.last = x.clone();
            return Ok(y);
        }
        Ok(y)
    }
}

#[fx::module]
#[derive(Debug, Clone)]
struct Sums {
    layers: Vec<Sum>,
}

#[fx::module]
impl Sums {
    fn forward(&mut self, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for layer in &mut self.layers {
            x = layer.forward(&x, ids)?;
        }
        Ok(x)
    }
}

/// The tables get shorter from layer to layer.
fn sums_of(keeps_last: bool) -> Sums {
    let layer = |rows| {
        let (sum, peak, last) = (tensor(&[3]), tensor(&[3]), tensor(&[3]));
        Sum { table: tensor(&[rows, 3]), sum, peak, last, keeps_last }
    };
    Sums { layers: [8, 6, 4].map(layer).to_vec() }
}

fn ids(of: [u32; 2]) -> Tensor {
    Tensor::new(&of, &Device::Cpu).unwrap()
}

/// Follows a model call by call with its program; a call that fails in the last layer leaves the state of the first ones.
macro_rules! assert_keeps {
    ($model:expr, $program:ident, $name:literal) => {{
        let mut model = $model;
        let x = tensor(&[3]);
        let graph = fx::trace(&model, (&x, &ids([0, 1]))).unwrap_or_else(|error| panic!("{error}"));
        let mut program = $program::Sums::new(weights(&current($name, &graph))).unwrap();
        for (call, of) in [[0, 1], [2, 2], [3, 0]].into_iter().enumerate() {
            let before: Vec<_> = program.state.layers.iter().map(|layer| layer.sum.id()).collect();
            let error = program.forward(&x, &ids([5, call as u32])).unwrap_err().to_string();
            assert!(error.contains("index"), "{error}");
            let after: Vec<_> = program.state.layers.iter().map(|layer| layer.sum.id()).collect();
            assert_eq!(before, after, "a call that fails half way");
            assert_same(&model.forward(&x, &ids(of)).unwrap(), &program.forward(&x, &ids(of)).unwrap());
        }
        for (layer, kept) in model.layers.iter().zip(&program.state.layers) {
            assert_same(&layer.sum, &kept.sum);
            assert_same(&layer.peak, &kept.peak);
        }
        program.reset();
        let expected = $model.forward(&x, &ids([1, 1])).unwrap();
        assert_same(&expected, &program.forward(&x, &ids([1, 1])).unwrap());
        (model, program)
    }};
}

#[test]
fn what_equal_layers_keep_is_a_list() {
    let _ = assert_keeps!(sums_of(false), sums, "sums");
}

/// What a layer keeps of what others made is written when all have run.
#[test]
fn a_layer_keeps_what_it_was_given() {
    let (_, program) = assert_keeps!(sums_of(true), lasts, "lasts");
    assert_same(&program.state.layers[0].last, &tensor(&[3]));
}

/// The sources for a few layers and for many are one text, but for the numbers.
#[test]
fn the_source_does_not_grow_with_the_layers() {
    let sources = |count: usize| {
        let mut model = Decoder { layers: vec![attention(); count] };
        let (prompt, token) = (tensor(&[1, 3, 4]), tensor(&[1, 1, 4]));
        let first = fx::trace(&model, (&prompt,)).unwrap();
        model.forward(&prompt).unwrap();
        let second = fx::trace(&model, (&token,)).unwrap();
        let written = [first, second].map(|graph| Folder::new().write(&graph).unwrap().code().to_string());
        written.map(|code| code.replace(&format!("and {} more", count - 1), "and more"))
    };
    let (few, many) = (sources(5), sources(64));
    for (few, many) in few.into_iter().zip(many) {
        assert_eq!(few.replace('5', "64"), many);
    }
}

/// A graph that is called with what it keeps, and gives it back.
#[test]
fn a_graph_that_keeps_something_is_called_by_another() {
    let module = |text: &str, attributes| {
        let graph: Graph = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
        GraphModule::new(graph, attributes).unwrap_or_else(|error| panic!("{error}\n{text}"))
    };
    let child = module(
        "graph child(%x: f32[3], %sum: f32[3]) takes (x = %x) state (sum = %sum, calls = 3) {\n    \
         %add = call_function add(%x, %sum)\n    output %add state (sum = %add, calls = 4)\n}",
        Attributes::new(),
    );
    let mut outer = module(
        "graph outer(%x: f32[3], %kept: f32[3]) takes (x = %x) state (kept = %kept) {\n    \
         %called = call_module child(%x, %kept)\n    %result = call_function getitem(%called, index = 0)\n    \
         %left = call_function getitem(%called, index = 1)\n    %sum = call_function getitem(%left, index = 0)\n    \
         %again = call_module child(%result, %sum)\n    %last = call_function getitem(%again, index = 0)\n    \
         output %last state (kept = %last)\n}",
        Attributes::from_iter([("child", child)]),
    );
    outer.infer_facts().unwrap();
    let mut state = fx::State::new();
    state.set("kept", tensor(&[3]));
    outer.set_state(state.clone());
    let mut program = nested::Outer::new(weights(&current("nested", &outer))).unwrap();
    program.state.kept = Some(tensor(&[3]));
    for _ in 0..3 {
        let x = tensor(&[3]);
        let expected = outer.run(&[Value::from(&x)]).unwrap();
        assert_same(expected.as_tensor().unwrap(), &program.forward(&x).unwrap());
    }
}
