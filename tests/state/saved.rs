//! State in files: with its graph, and by itself.

use candle_core::Device;
use fx::{GraphModule, State};

use crate::attention::decoder;
use crate::support::{assert_same, tensor};

fn file(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("fx_state_{}_{name}.fx", std::process::id()))
}

fn remove(file: &std::path::Path) {
    std::fs::remove_file(file).unwrap();
    std::fs::remove_file(file.with_extension("safetensors")).unwrap();
}

#[test]
fn a_saved_graph_goes_on_where_it_was() {
    let mut model = decoder();
    model.forward(&tensor(&[1, 3, 4])).unwrap();
    let graph = fx::trace(&model, (&tensor(&[1, 1, 4]),)).unwrap();
    let path = file("module");
    graph.save(&path).unwrap();
    let loaded = GraphModule::load(&path, &Device::Cpu).unwrap();
    assert_eq!(loaded.graph().to_text().unwrap(), graph.graph().to_text().unwrap());
    assert_eq!(loaded.state().to_string(), graph.state().to_string());
    let expected = graph.forward(&[&tensor(&[1, 1, 4])]).unwrap();
    assert_same(&expected, &loaded.forward(&[&tensor(&[1, 1, 4])]).unwrap());
    // Saved after a run, it is reset to what it was at the capture.
    graph.save(&path).unwrap();
    let again = GraphModule::load(&path, &Device::Cpu).unwrap();
    assert_eq!(again.state().to_string(), graph.state().to_string());
    assert!(again.forward(&[&tensor(&[1, 1, 4])]).is_err());
    again.reset_state();
    assert_same(&expected, &again.forward(&[&tensor(&[1, 1, 4])]).unwrap());
    remove(&path);
}

#[test]
fn a_state_is_a_file_of_its_own() {
    let graph = fx::trace(&decoder(), (&tensor(&[1, 3, 4]),)).unwrap();
    let path = file("state");
    for state in [State::new(), graph.state(), {
        graph.forward(&[&tensor(&[1, 3, 4])]).unwrap();
        graph.state()
    }] {
        state.save(&path).unwrap();
        let loaded = State::load(&path, &Device::Cpu).unwrap();
        assert_eq!(loaded.to_string(), state.to_string());
        for ((_, saved), (_, loaded)) in state.iter().zip(loaded.iter()) {
            saved.tensors().iter().zip(loaded.tensors()).for_each(|(saved, loaded)| assert_same(saved, loaded));
        }
    }
    let texts = [
        "fx 1\n\nstate {\n    a: [tensor f32[2] \"b\", 3,\n}\n",
        "fx 1\nstate { a: tensor f32[2] \"b\" }",
        "fx 1\nstate { a: Cache { k: none, \"\": (1, 2.5, true), } } more",
        "fx 1\nstats {}",
        "fx 2\nstate {}",
        &format!("fx 1\nstate {{ a: {} }}", "[".repeat(5000)),
    ];
    let errors = texts.map(|text| {
        std::fs::write(&path, text).unwrap();
        let error = State::load(&path, &Device::Cpu).unwrap_err();
        error
            .to_string()
            .replace(path.parent().unwrap().to_str().unwrap(), "")
            .replace(&std::process::id().to_string(), "")
    });
    insta::assert_snapshot!(errors.join("\n\n"));
    remove(&path);
}

#[test]
fn a_graph_and_its_output_have_one_state() {
    let graphs = [
        "graph g(%x, %h) takes (x = %x) state (h = %h) { output %x state (other = %h) }",
        "graph g(%x) { output %x state (h = %x) }",
        "graph g(%x, %h) takes (x = %x) state (h = %h, h = none) { output (%x, (%h, 1)) }",
        "graph g(%x, %h) takes (x = %x) state (h = %h) { output %x }",
        "graph g(%x, %h) takes (x = %x) state (h = [%h, %x]) { output %x state (h = [%x]) }",
    ];
    let faults = graphs.map(|text| match text.parse::<fx::Graph>() {
        Err(error) => error.to_string(),
        Ok(graph) => graph.verify().unwrap_err().to_string(),
    });
    insta::assert_snapshot!(faults.join("\n\n"));
}
