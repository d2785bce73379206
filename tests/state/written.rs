//! Graphs with state as programs (`to_folder`): what they look like, and that they keep what the original keeps.
//!
//! `tests/state/written/` is generated code, committed so that it is reviewed, and compiled here.
//! `UPDATE_GENERATED=1 cargo test --test state` writes it anew.

use std::collections::HashMap;
use std::path::Path;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use fx::codegen::{Crate, Folder};
use fx::{Attributes, GraphModule, Tracer, Value};

use crate::attention::decoder;
use crate::dynamic::{own, position, position_graph, two_graphs};
use crate::kept::moves;
use crate::support::{assert_same, tensor};

#[rustfmt::skip]
#[deny(warnings)]
#[allow(dead_code, unreachable_pub, reason = "it is a library otherwise")]
mod candle_caches;
#[rustfmt::skip]
#[deny(warnings)]
#[allow(dead_code, unreachable_pub, reason = "it is a library otherwise")]
mod decode;
#[rustfmt::skip]
#[deny(warnings)]
#[allow(dead_code, unreachable_pub, reason = "it is a library otherwise")]
mod differences;
#[rustfmt::skip]
#[deny(warnings)]
#[allow(dead_code, unreachable_pub, reason = "it is a library otherwise")]
mod keep_position;
#[rustfmt::skip]
#[deny(warnings)]
#[allow(dead_code, unreachable_pub, reason = "it is a library otherwise")]
pub(crate) mod lasts;
#[rustfmt::skip]
#[deny(warnings)]
#[allow(dead_code, unreachable_pub, reason = "it is a library otherwise")]
mod move_about;
#[rustfmt::skip]
#[deny(warnings)]
#[allow(dead_code, unreachable_pub, reason = "it is a library otherwise")]
pub(crate) mod nested;
#[rustfmt::skip]
#[deny(warnings)]
#[allow(dead_code, unreachable_pub, reason = "it is a library otherwise")]
mod prefill;
#[rustfmt::skip]
#[deny(warnings)]
#[allow(dead_code, unreachable_pub, reason = "it is a library otherwise")]
pub(crate) mod sums;

/// The program of a graph, which is the one that is compiled here.
pub(crate) fn current(name: &str, graph: &GraphModule) -> Crate {
    let written = Folder::new().write(graph).unwrap_or_else(|error| panic!("{error}\n{}", graph.graph()));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/state/written/{name}.rs"));
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, written.code().as_str()).expect("it is written");
    }
    let committed = std::fs::read_to_string(&path).expect("it is there");
    let is_current = committed == written.code().as_str();
    assert!(is_current, "tests/state/written/{name}.rs is not current: UPDATE_GENERATED=1 cargo test --test state");
    written
}

/// What the program reads its weights from.
pub(crate) fn weights(written: &Crate) -> VarBuilder<'static> {
    let tensors: HashMap<String, Tensor> = written.weights().iter().cloned().collect();
    assert_eq!(tensors.len(), written.weights().len(), "each has a name of its own");
    VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu)
}

/// The rest is where it comes from.
fn first_line(error: &candle_core::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_prompt_and_tokens_are_read_by_two_programs() {
    let (first, second) = two_graphs();
    let mut prefill = prefill::Decoder::new(weights(&current("prefill", &first))).unwrap();
    let mut decode = decode::Decoder::new(weights(&current("decode", &second))).unwrap();
    let mut model = decoder();
    let prompt = tensor(&[1, 3, 4]);
    assert_same(&model.forward(&prompt).unwrap(), &prefill.forward(&prompt).unwrap());
    // As it was captured: after the prompt.
    let expected = second.state().get("layers.0.kv_cache").cloned().unwrap();
    assert_same(expected.tensors()[1], &decode.state.layers[0].kv_cache.1);
    for (layer, after) in decode.state.layers.iter_mut().zip(&prefill.state.layers) {
        layer.kv_cache = after.kv_cache.clone().unwrap();
    }
    for _ in 0..20 {
        let token = tensor(&[1, 1, 4]);
        assert_same(&model.forward(&token).unwrap(), &decode.forward(&token).unwrap());
    }
    // Another state than at the capture is refused, and stays.
    let mut errors = vec![first_line(&prefill.forward(&prompt).unwrap_err())];
    let before = decode.state.layers[1].kv_cache.0.clone();
    decode.state.layers[0].kv_cache.0 = prompt.clone();
    errors.push(first_line(&decode.forward(&tensor(&[1, 1, 4])).unwrap_err()));
    assert_eq!(decode.state.layers[1].kv_cache.0.id(), before.id());
    insta::assert_snapshot!(errors.join("\n"));
    prefill.reset();
    decode.reset();
    let mut model = decoder();
    for x in [prompt, tensor(&[1, 1, 4])] {
        let found = if x.dims()[1] == 1 { decode.forward(&x) } else { prefill.forward(&x) };
        assert_same(&model.forward(&x).unwrap(), &found.unwrap());
    }
}

#[test]
fn a_program_keeps_a_position() {
    let written = current("keep_position", &position_graph());
    let (mut model, mut program) = (position(), keep_position::Position::new(weights(&written)).unwrap());
    for len in [3, 1, 1, 4, 2] {
        let x = tensor(&[len, 2]);
        assert_same(&model.forward(&x).unwrap(), &program.forward(&x).unwrap());
    }
    assert_eq!(program.state.pos, 11);
    // The table has no more rows.
    let sum = program.state.sum.clone();
    assert!(program.forward(&tensor(&[6, 2])).is_err());
    assert_eq!((program.state.pos, program.state.sum.id()), (11, sum.id()));
    program.reset();
    assert_eq!(program.state.pos, 0);
}

/// Structures of the model are structures of the state.
#[test]
fn a_program_keeps_candle_s_caches() {
    let (mut model, graph) = own();
    let mut program = candle_caches::Own::new(weights(&current("candle_caches", &graph))).unwrap();
    for call in 0..9 {
        let x = tensor(&[1, 1, 2]);
        assert_same(&model.forward(&x).unwrap(), &program.forward(&x).unwrap());
        assert_eq!(program.state.concatenated.v.dims(), [1, 3 + call, 2]);
    }
}

/// Tensors that are swapped, taken and pushed, flags, texts and numbers.
#[test]
fn a_program_moves_its_state_about() {
    let (mut model, x) = (moves(), tensor(&[2]));
    let mut state = fx::trace(&model, (&x,)).unwrap().state();
    for call in 0..2 {
        let graph = Tracer::new().with_state(&state).trace_examples(&model, (&x,)).unwrap();
        let expected = model.forward(&x).unwrap();
        if call == 1 {
            let written = current("move_about", &graph);
            let mut program = move_about::Moves::new(weights(&written)).unwrap();
            assert_same(&expected, &program.forward(&x).unwrap());
            let (name, weight) = (program.state.name, program.state.weight);
            assert_eq!((name, weight.to_bits(), program.state.seen.len()), ("nxx", 6f64.to_bits(), 2));
            assert!(program.state.taken.is_none());
            // The list is longer now, and the flag another.
            let error = first_line(&program.forward(&x).unwrap_err());
            assert_eq!(error, "`seen` should have 1 items, but has 2");
            program.state.seen.truncate(1);
            program.state.taken = Some(x.clone());
            let error = first_line(&program.forward(&x).unwrap_err());
            assert_eq!(error, "state `flush` should be true, as it was at the capture, but is false");
        }
        graph.run_with_state(&mut state, &[Value::from(&x)]).unwrap();
    }
}

/// Sizes are not negative in Rust, but differences of them are.
#[test]
fn a_program_accepts_the_sizes_that_its_graph_accepts() {
    let text = "graph differences<a: 5 = %x[0], b: 3 = %x[1], n: 4 = %n[0]>(%x: f32[a, b], %n: f32[n]) takes (x = %x, n = %n) \
                where (a - b <= 3, a != b - 1, b - a >= -4, (a - b) * 2 < 7, max(a - b, 1) < n, (a - b) % 2 == 0, \
                a - n <= min(b, n) - 2 + b, (b - a - 1) / 2 > -3) {\n    output %x\n}";
    let graph: fx::Graph = text.parse().unwrap_or_else(|error| panic!("{error}"));
    let graph = GraphModule::new(graph, Attributes::new()).unwrap();
    let program = differences::Differences::new(weights(&current("differences", &graph))).unwrap();
    let (mut accepted, mut refused) = (0, 0);
    for (a, b, n) in (0..8).flat_map(|a| (0..8).flat_map(move |b| (0..6).map(move |n| (a, b, n)))) {
        let (x, sized) = (Tensor::zeros((a, b), DType::F32, &Device::Cpu).unwrap(), tensor(&[n]));
        let is_accepted = graph.run(&[Value::from(&x), Value::from(&sized)]).is_ok();
        assert_eq!(program.forward(&x, &sized).is_ok(), is_accepted, "a = {a}, b = {b}, n = {n}");
        accepted += usize::from(is_accepted);
        refused += usize::from(!is_accepted);
    }
    assert!(accepted > 10 && refused > 10, "{accepted} accepted, {refused} refused");
}
