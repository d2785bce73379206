//! A graph of all sizes stays one when it is copied, split, written out, saved and looked at.

use candle_core::{DType, Device, Result, Tensor};
use fx_core::interp::{Execution, ShapeProp, Transformer};
use fx_core::ir::{Graph, NodeMap};
use fx_core::module::{Attributes, GraphModule};
use fx_core::passes::split_module;
use fx_core::trace::Tracer;
use fx_core::value::{Fact, Value};

use crate::transformers::{Copy, WriteOut};

/// `[batch, seq, 4]` with every other position.
fn halves(x: &fx_core::trace::Proxy, past: usize) -> Result<fx_core::trace::Proxy> {
    let (batch, seq, width) = x.dims3()?;
    let x = x.narrow(1, 0, seq.div_ceil(2))?.reshape((batch * seq.div_ceil(2), width))?;
    let positions = fx_core::trace::Proxy::arange(past as u32, (past + 3) as u32, &Device::Cpu)?;
    x.relu()?.broadcast_mul(&positions.to_dtype(DType::F32)?.sum_all()?)? * (1.0 / (seq as f64).sqrt())
}

fn captured() -> GraphModule {
    let tracer = Tracer::new().input("x", DType::F32, (2, 7, 4)).concrete_arg("past", 5usize);
    let tracer = tracer.dynamic("x", 0, "batch").dynamic("x", 1, "seq").dynamic_arg("past");
    tracer.trace_fn(|inputs| halves(&inputs.tensor("x")?, inputs.take("past", "usize")?)).unwrap()
}

fn inputs(batch: usize, seq: usize, past: i64) -> Vec<Value> {
    let x = Tensor::arange(0f32, (batch * seq * 4) as f32, &Device::Cpu).unwrap().reshape((batch, seq, 4)).unwrap();
    vec![x.into(), Value::Int(past)]
}

fn numbers(value: &Value) -> Vec<Vec<f32>> {
    value.as_tensor().unwrap().to_vec2().unwrap()
}

/// Gives the same as the capture at several sizes.
#[track_caller]
fn assert_same(module: &GraphModule) {
    module.check().unwrap_or_else(|error| panic!("{error}\n{}", module.graph()));
    let captured = captured();
    for (batch, seq, past) in [(2, 7, 5), (1, 1, 0), (3, 12, 90), (5, 2, 1)] {
        let inputs = inputs(batch, seq, past);
        let expected = numbers(&captured.run(&inputs).unwrap());
        let found = module.run(&inputs).unwrap_or_else(|error| panic!("{error}\n{}", module.graph()));
        assert_eq!(numbers(&found), expected);
        assert_eq!(expected.len(), batch * seq.div_ceil(2));
        let stepped = Execution::new(module).run(&mut (), &inputs).unwrap();
        assert_eq!(numbers(&stepped), expected);
    }
}

#[test]
fn it_runs_by_plan_and_node_by_node() {
    let module = captured();
    assert_same(&module);
    assert_same(&module.clone());
    assert!(module.accepts(&inputs(3, 4, 2)).is_ok());
    assert!(module.accepts(&[Value::Int(1), Value::Int(1)]).is_err());
    let error = module.run(&[inputs(1, 2, 3).remove(0), Value::Bool(true)]).unwrap_err().to_string();
    assert!(error.contains("input `past` is true"), "{error}");
}

#[test]
fn it_is_copied_split_and_written_out() {
    let module = captured();
    let copied = Copy.transform(&module).unwrap();
    assert_same(&copied);
    assert_eq!(copied.graph().to_string(), module.graph().to_string());
    for parts in 1..4 {
        let mut count = 0;
        let split = split_module(&module, |_, _| {
            count += 1;
            Some(count % parts)
        });
        // Parts that need each other in a ring are refused; with one there is none.
        let Ok(split) = split else { continue };
        assert_same(&split);
        let whole = WriteOut.transform(&split).unwrap();
        assert_same(&whole);
        assert!(whole.graph().to_string().contains("(seq + 1) / 2"), "{}", whole.graph());
    }
    let split = split_module(&module, |_, _| Some(0)).unwrap();
    assert!(split.graph().to_string().contains("call_module submod_0(%x, past, batch, seq)"), "{}", split.graph());

    let mut graph = Graph::new("copy");
    let result = graph.at_end().graph_copy(module.graph(), &mut NodeMap::new()).unwrap();
    graph.at_end().output(result);
    assert_eq!(graph.dynamic().map(|dynamic| dynamic.sizes.len()), Some(3));
    assert_same(&GraphModule::new(graph, module.attributes().clone()).unwrap());
}

#[test]
fn what_is_known_of_it_stays_true() {
    let mut module = captured();
    // The result is said of the output, too.
    module.infer_facts().unwrap();
    let before = module.graph().to_string();
    assert!(!before.contains("f32[8, 4]"), "{before}");
    module.infer_facts().unwrap();
    assert_eq!(module.graph().to_string(), before);
    ShapeProp::propagate(&mut module, &inputs(3, 9, 1)).unwrap();
    assert_eq!(module.graph().to_string(), before);
    assert_same(&module);
}

#[test]
fn it_is_saved_and_loaded() {
    let directory = std::env::temp_dir().join(format!("fx_core_dynamic_{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("model.fx");
    let module = captured();
    module.save(&path).unwrap();
    let loaded = GraphModule::load(&path, &Device::Cpu).unwrap();
    assert_eq!(loaded.graph().to_text().unwrap(), module.graph().to_text().unwrap());
    assert_same(&loaded);
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn an_input_that_sizes_are_read_from_cannot_go() {
    let mut module = captured();
    let past = module.graph().node_named("past").unwrap();
    module.graph_mut().erase_node(past).unwrap();
    let error = module.check().unwrap_err().to_string();
    assert!(error.contains("V13: the size `past` is read from a node that is no input any more"), "{error}");
}

/// Nothing is written down but what the inputs are; of each node it is found at all sizes, and where it cannot be, nothing.
#[test]
fn what_is_known_is_found_for_all_sizes() {
    let text = "graph g<n: 2 = %x[0], k: 2 = %k>(%x: f32[n, 4], %k: k) where (n > 1, k < 50) {
    %relu = call_method relu(%x)
    %flat = call_method reshape(%relu, s = (n * 4,))
    %twice = call_function Tensor::cat([%x, %x], dim = 0)
    %more = call_function Tensor::cat([%twice, %x], dim = 0)
    %some = call_method narrow(%x, dim = 0, start = 0, len = min(n, 5))
    %grid = call_function Tensor::zeros(shape = (k, n, 3), dtype = f32, device = cpu)
    %sum = call_method sum_keepdim(%x, sum_dims = 0)
    %block = call_module block(%twice)
    %half = call_method narrow(%twice, dim = 0, start = n, len = n / 2)
    output (%flat, %grid, %sum)
}";
    let block = "graph block<m: 7 = %x[0]>(%x: f32[m, 4]) {
    %flat = call_method reshape(%x, s = (m * 2, 2))
    output [%flat, %x]
}";
    let block = GraphModule::new(block.parse().unwrap(), Attributes::new()).unwrap();
    let mut module = GraphModule::new(text.parse().unwrap(), Attributes::from_iter([("block", block)])).unwrap();
    module.infer_facts().unwrap();
    let facts: Vec<String> = module.graph().nodes().map(|(_, node)| node.meta().fact.to_string()).collect();
    assert_eq!(
        facts,
        [
            "f32[n, 4]",
            "k",
            "f32[n, 4]",
            "f32[n * 4]",
            "f32[2 * n, 4]",
            "f32[3 * n, 4]",
            "f32[min(n, 5), 4]",
            "f32[k, n, 3]",
            "f32[1, 4]",
            "[f32[n * 4, 2], f32[2 * n, 4]]",
            "f32[n / 2, 4]",
            "[f32[n * 4], f32[k, n, 3], f32[1, 4]]",
        ]
    );
    // Of inputs that are of one size, it is that of the rest, too.
    let x = module.graph().first().unwrap();
    module.graph_mut().meta_mut(x).fact = Fact::tensor((6, 4), DType::F32);
    module.infer_facts().unwrap();
    let flat = module.graph().node_named("flat").unwrap();
    assert_eq!(module.graph().node(flat).meta().fact, Fact::tensor(24, DType::F32));
}
