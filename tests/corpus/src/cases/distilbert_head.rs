//! The head that turns DistilBERT's states into words: it asks for no shape, so that nothing need be said of its input.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40, "activation": "gelu",
    "max_position_embeddings": 16, "initializer_range": 0.02, "pad_token_id": 0
}"#;

twice! {
    distilbert:
    pub(super) type Model = distilbert::DistilBertOnlyMLMHead;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        distilbert::DistilBertOnlyMLMHead::load(weights, &config(CONFIG)?)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0])
    }
}

fn states(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![uniform(seed, (2, 7, 24))?])
}

pub(super) fn cases() -> Vec<Case> {
    vec![family().case("head, symbolic", states, |model, _| Ok(fx::symbolic_trace(model)?))]
}
