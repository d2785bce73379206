//! PyTorch's own numbers: `fixtures/*.safetensors` hold inputs and outputs of torch.nn's layers.

use candle_core::{Device, Module, Tensor};
use fx_nn::Flatten;

fn case(name: &str) -> (Tensor, Tensor) {
    let path = format!("{}/tests/fixtures/{name}.safetensors", env!("CARGO_MANIFEST_DIR"));
    let tensors = candle_core::safetensors::load(path, &Device::Cpu).expect("a fixture");
    (tensors["input.0"].clone(), tensors["output.0"].clone())
}

#[test]
fn flatten() {
    for (name, layer) in [("flatten", Flatten::default()), ("flatten_dims", Flatten::new(0, 2))] {
        let (input, expected) = case(name);
        let found = layer.forward(&input).expect("torch accepts it");
        assert_eq!(found.dims(), expected.dims(), "{name}");
        let difference = (found - expected).and_then(|d| d.abs()?.flatten_all()?.max(0)?.to_scalar::<f32>());
        assert_eq!(difference.expect("floats"), 0.0, "{name}");
    }
}

#[test]
fn refused_where_torch_refuses() {
    let (input, _) = case("flatten");
    assert!(Flatten::new(2, 1).forward(&input).is_err());
    assert!(Flatten::new(0, 3).forward(&input).is_err());
}
