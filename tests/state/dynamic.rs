//! State whose tensors grow: one graph for all lengths.

use candle_core::{DType, Result, Tensor};
use candle_nn::kv_cache::{ConcatKvCache, KvCache};
use fx::{GraphModule, State, Tracer, Value};

use crate::attention::decoder;
use crate::support::{assert_same, tensor};

/// The graph of a call with a prompt, and that of every call with a token after it.
pub(crate) fn two_graphs() -> (GraphModule, GraphModule) {
    let mut model = decoder();
    let first = fx::trace(&model, (&tensor(&[1, 3, 4]),)).unwrap();
    model.forward(&tensor(&[1, 3, 4])).unwrap();
    let second = Tracer::new()
        .input("x", DType::F32, (1, 1, 4))
        .dynamic("layers.*.kv_cache", 1, "past")
        .trace(&model)
        .unwrap_or_else(|error| panic!("{error}"));
    (first, second)
}

#[test]
fn a_token_is_added_at_every_length() {
    let (first, second) = two_graphs();
    insta::assert_snapshot!(second.graph().to_string());
    let (mut model, mut state) = (decoder(), first.state());
    let inputs = [tensor(&[1, 3, 4])].into_iter().chain((0..20).map(|_| tensor(&[1, 1, 4])));
    for x in inputs {
        let graph = if x.dims()[1] == 1 { &second } else { &first };
        let found = graph.run_with_state(&mut state, &[Value::from(&x)]).unwrap_or_else(|error| panic!("{error}"));
        assert_same(&model.forward(&x).unwrap(), found.as_tensor().unwrap());
    }
    // What must be one length is one.
    state.set("layers.0.kv_cache.0", tensor(&[1, 2, 4]));
    let error = second.run_with_state(&mut state, &[Value::from(&tensor(&[1, 1, 4]))]).unwrap_err();
    insta::assert_snapshot!(error.to_string());
    let text = second.graph().to_text().unwrap();
    assert_eq!(text.parse::<fx::Graph>().unwrap().to_text().unwrap(), text);
}

#[fx::module]
#[derive(Debug, Clone)]
pub(crate) struct Own {
    growing: KvCache,
    concatenated: ConcatKvCache,
    used: usize,
}

#[fx::module]
impl Own {
    pub(crate) fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let (k, v) = self.growing.append(x, &x.neg()?)?;
        let (c, _) = self.concatenated.append(x, &x.exp()?)?;
        let scale = 1.0 / (self.growing.current_seq_len() as f64 + 1.0).sqrt();
        k.broadcast_add(&c.mean_keepdim(1)?)?.broadcast_sub(&v.sum_keepdim(1)?)?.affine(1.0, 0.0)?.sum_keepdim(1)? * {
            let _ = scale;
            0.5
        }
    }
}

pub(crate) fn own() -> (Own, GraphModule) {
    let mut model = Own { growing: KvCache::new(1, 4), concatenated: ConcatKvCache::new(1), used: 0 };
    model.forward(&tensor(&[1, 2, 2])).unwrap();
    let graph = Tracer::new()
        .input("x", DType::F32, (1, 1, 2))
        .dynamic("growing", 1, "past")
        .dynamic("concatenated", 1, "past")
        .trace(&model)
        .unwrap_or_else(|error| panic!("{error}"));
    (model, graph)
}

#[test]
fn candle_s_caches_of_every_length() {
    let (mut model, graph) = own();
    let mut state: State = graph.state();
    for _ in 0..9 {
        let found = graph.run_with_state(&mut state, &[Value::from(&tensor(&[1, 1, 2]))]).unwrap();
        assert_same(&model.forward(&tensor(&[1, 1, 2])).unwrap(), found.as_tensor().unwrap());
    }
    assert_eq!(model.used, 0);
}

/// Keeps its own position, and a sum.
#[fx::module]
#[derive(Debug, Clone)]
pub(crate) struct Position {
    table: Tensor,
    sum: Tensor,
    pos: usize,
}

#[fx::module]
impl Position {
    pub(crate) fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let len = x.dim(0)?;
        let rows = self.table.narrow(0, self.pos, len)?;
        self.sum = (x.sum(0)? + &self.sum)?;
        self.pos += len;
        (x + rows)?.broadcast_add(&self.sum)? * (1.0 / 4.0)
    }
}

pub(crate) fn position() -> Position {
    Position { table: tensor(&[16, 2]), sum: tensor(&[2]), pos: 0 }
}

pub(crate) fn position_graph() -> GraphModule {
    Tracer::new()
        .input("x", DType::F32, (3, 2))
        .dynamic("x", 0, "len")
        .dynamic_arg("pos")
        .trace(&position())
        .unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_position_that_the_model_keeps() {
    let graph = position_graph();
    insta::assert_snapshot!(graph.graph().to_string());
    let mut model = position();
    for len in [3, 1, 1, 4, 2] {
        let x = tensor(&[len, 2]);
        assert_same(&model.forward(&x).unwrap(), &graph.forward(&[&x]).unwrap());
    }
    assert_eq!(graph.state().get("pos"), Some(&Value::Int(11)));
    // The table has no more rows.
    let before = graph.state();
    assert!(graph.forward(&[&tensor(&[6, 2])]).is_err());
    assert_eq!(graph.state(), before);
}

/// Computes something of each input before it is read.
struct First;

impl fx::Transformer for First {
    fn placeholder(
        &mut self,
        at: &mut fx::interp::Emit<'_>,
        name: &str,
    ) -> std::result::Result<fx::Argument, fx::interp::TransformError> {
        let input = at.emit(fx::Target::Placeholder(name.into()), [], [])?;
        let negated = at.call(&fx::ops::elementwise::neg::OP, [input], [])?;
        at.call(&fx::ops::elementwise::neg::OP, [negated], [])
    }
}

#[test]
fn a_transformer_can_compute_of_inputs_and_state() {
    let (first, second) = two_graphs();
    let [first, second] = [first, second].map(|graph| {
        let computes =
            fx::Transformer::transform(&mut First, &graph).unwrap_or_else(|error| panic!("{error}\n{graph}"));
        assert_eq!(computes.graph().state().len(), graph.graph().state().len(), "{computes}");
        assert_eq!(computes.graph().placeholders().count(), graph.graph().placeholders().count());
        computes
    });
    assert_eq!(second.graph().dynamic().expect("a size").sizes.len(), 1);
    let (mut model, mut state) = (decoder(), first.state());
    let inputs = [tensor(&[1, 3, 4])].into_iter().chain((0..3).map(|_| tensor(&[1, 1, 4])));
    for x in inputs {
        let graph = if x.dims()[1] == 1 { &second } else { &first };
        let inputs = [Value::from(&x)];
        let by_node = fx::interp::Execution::new(graph).with_state(&mut state.clone()).run(&mut (), &inputs).unwrap();
        let found = graph.run_with_state(&mut state, &inputs).unwrap_or_else(|error| panic!("{error}"));
        let expected = model.forward(&x).unwrap();
        assert_same(&expected, found.as_tensor().unwrap());
        assert_same(&expected, by_node.as_tensor().unwrap());
    }
}
