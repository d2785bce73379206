//! Names that meet: renamed fields, keys of maps, and arguments called like the fields of the model.

use std::collections::BTreeMap;

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module};
use fx::Tracer;

use crate::support::{assert_returns, linear, other, tensor};

#[fx::module]
struct RenamedTensor {
    #[fx(rename = "b")]
    a: Tensor,
    b: Tensor,
}

#[fx::module]
impl RenamedTensor {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        (x * &self.a)? + &self.b
    }
}

#[fx::module]
struct RenamedLayer {
    #[fx(rename = "b")]
    a: Linear,
    b: Linear,
}

#[fx::module]
impl RenamedLayer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.b.forward(&self.a.forward(x)?)
    }
}

#[test]
fn a_field_renamed_to_the_name_of_another() {
    assert_captured_in_every_way!(RenamedTensor { a: tensor(&[2, 4]), b: other(&[2, 4]) }, tensor(&[2, 4]));
    let model = RenamedLayer { a: linear(4, 4), b: Linear::new(other(&[4, 4]), None) };
    assert_captured_in_every_way!(model, tensor(&[2, 4]));
}

// ── Keys of maps ────────────────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct MapOfMaps {
    maps: BTreeMap<String, BTreeMap<String, Tensor>>,
}

#[fx::module]
impl MapOfMaps {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for map in self.maps.values() {
            for tensor in map.values() {
                x = ((x * tensor)? + 1.0)?;
            }
        }
        Ok(x)
    }
}

fn map_of_maps(entries: Vec<(&str, &str, Tensor)>) -> MapOfMaps {
    let mut maps: BTreeMap<String, BTreeMap<String, Tensor>> = BTreeMap::new();
    for (outer, inner, tensor) in entries {
        maps.entry(outer.to_owned()).or_default().insert(inner.to_owned(), tensor);
    }
    MapOfMaps { maps }
}

#[test]
fn keys_with_dots() {
    let model = map_of_maps(vec![("a", "b.c", tensor(&[2, 4])), ("a.b", "c", other(&[2, 4]))]);
    assert_captured_in_every_way!(model, tensor(&[2, 4]));
}

#[test]
fn keys_that_are_empty_or_no_identifiers() {
    let model = map_of_maps(vec![
        ("", "", tensor(&[2, 4])),
        ("", ".", other(&[2, 4])),
        ("", "a b/é\"\n%", other(&[2, 4])),
        ("layer-1", "x", tensor(&[2, 4])),
    ]);
    assert_captured_in_every_way!(model, tensor(&[2, 4]));
}

#[fx::module]
struct KeyedLayers {
    layers: BTreeMap<String, Linear>,
}

#[fx::module]
impl KeyedLayers {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.layers.values().try_fold(x.clone(), |x, layer| layer.forward(&x))
    }
}

#[test]
fn a_layer_under_a_key_with_a_dash() {
    let layers = [("layer-1".to_owned(), linear(4, 4))].into_iter().collect();
    assert_captured_in_every_way!(KeyedLayers { layers }, tensor(&[2, 4]));
}

#[fx::module]
struct KeyedByTuples {
    words: BTreeMap<(String, String), Tensor>,
    numbers: BTreeMap<(usize, usize), Tensor>,
    signed: BTreeMap<i64, Tensor>,
}

#[fx::module]
impl KeyedByTuples {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for tensor in self.words.values().chain(self.numbers.values()).chain(self.signed.values()) {
            x = ((x * tensor)? + 1.0)?;
        }
        Ok(x)
    }
}

#[test]
fn keys_that_are_tuples_or_negative() {
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    let words = [
        (pair("a_b", "c"), tensor(&[2, 4])),
        (pair("a", "b_c"), other(&[2, 4])),
        (pair("a.b", "c"), other(&[2, 4])),
        (pair("a", "b.c"), tensor(&[2, 4])),
    ];
    let model = KeyedByTuples {
        words: words.into_iter().collect(),
        numbers: [((1, 23), tensor(&[2, 4])), ((12, 3), other(&[2, 4]))].into_iter().collect(),
        signed: [(-1, tensor(&[2, 4])), (1, other(&[2, 4]))].into_iter().collect(),
    };
    assert_captured_in_every_way!(model, tensor(&[2, 4]));
}

// ── Arguments called like fields ────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct NamedLikeTensors {
    y: Tensor,
    cache: Vec<Tensor>,
    _tensor_constant0: Tensor,
}

#[fx::module]
impl NamedLikeTensors {
    fn forward(&self, x: &Tensor, y: &Tensor, cache: &[Tensor]) -> Result<Tensor> {
        let made = Tensor::new(&[3f32, 1.0, 2.0, 4.0], x.device())?;
        let x = ((x * &self.y)? - y)?;
        let x = ((x * &self.cache[0])? + &cache[0])?;
        x.broadcast_add(&made)? - &self._tensor_constant0
    }
}

#[test]
fn given_tensors_called_like_fields() {
    let model =
        NamedLikeTensors { y: tensor(&[2, 4]), cache: vec![tensor(&[2, 4])], _tensor_constant0: other(&[2, 4]) };
    let (x, y, cache) = (tensor(&[2, 4]), other(&[2, 4]), vec![other(&[2, 4])]);
    let expected = model.forward(&x, &y, &cache).unwrap();
    let captured = Tracer::new().concrete_arg("y", &y).concrete_arg("cache", &cache).trace(&model);
    assert_returns(&[&expected], captured, &[&x]);
}

#[fx::module]
struct Cache {
    tensors: Vec<Tensor>,
}

#[fx::module]
struct NamedLikeCache {
    cache: Cache,
}

#[fx::module]
impl NamedLikeCache {
    fn forward(&self, x: &Tensor, cache: &mut Cache) -> Result<Tensor> {
        let own = (x * &self.cache.tensors[0])?;
        own - &cache.tensors[0]
    }
}

#[test]
fn a_given_cache_called_like_a_field() {
    let model = NamedLikeCache { cache: Cache { tensors: vec![tensor(&[2, 4])] } };
    let x = tensor(&[2, 4]);
    let mut cache = Cache { tensors: vec![other(&[2, 4])] };
    let expected = model.forward(&x, &mut cache).unwrap();
    assert_returns(&[&expected], fx::trace(&model, (&x, &cache)), &[&x]);
    assert_returns(&[&expected], Tracer::new().concrete_arg("cache", &cache).trace(&model), &[&x]);
}

#[fx::module]
struct NamedLikeLayer {
    mask: Linear,
}

#[fx::module]
impl NamedLikeLayer {
    fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor> {
        self.mask.forward(x)? + mask
    }
}

#[test]
fn a_given_tensor_called_like_a_layer() {
    let model = NamedLikeLayer { mask: linear(4, 4) };
    let (x, mask) = (tensor(&[2, 4]), other(&[2, 4]));
    let expected = model.forward(&x, &mask).unwrap();
    assert_returns(&[&expected], Tracer::new().concrete_arg("mask", &mask).trace(&model), &[&x]);
    assert_returns(&[&expected], fx::trace(&model, (&x, &mask)), &[&x, &mask]);
}
