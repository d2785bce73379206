//! DistilBERT with a mask per query and key.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40, "activation": "gelu",
    "max_position_embeddings": 16, "initializer_range": 0.02, "pad_token_id": 0, "model_type": "distilbert"
}"#;

twice! {
    distilbert:
    pub(super) type Model = distilbert::DistilBertModel;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        distilbert::DistilBertModel::load(weights, &config(CONFIG)?)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0], &inputs[1])
    }
}

fn inputs(seed: u64) -> Result<Vec<Tensor>> {
    // What is masked is 1. The first key never is: a query that sees nothing has no finite result.
    let mask = ids(seed, 2, (7, 6))?.pad_with_zeros(1, 1, 0)?;
    Ok(vec![ids(seed, 60, (2, 7))?, mask])
}

const SIZES: &[&[usize]] = &[&[2, 7], &[1, 1], &[3, 16], &[1, 5], &[5, 1], &[2, 12]];

fn inputs_at(seed: u64, sizes: &[usize]) -> Result<Vec<Tensor>> {
    let (batch, seq) = (sizes[0], sizes[1]);
    let mask = ids(seed, 2, (seq, seq - 1))?.pad_with_zeros(1, 1, 0)?;
    Ok(vec![ids(seed, 60, (batch, seq))?, mask])
}

pub(super) fn cases() -> Vec<Case> {
    let family = family();
    vec![
        family.case("mask", inputs, |model, inputs| Ok(fx::trace(model, (&inputs[0], &inputs[1]))?)),
        family.dynamic("any size", inputs_at, SIZES, |model| {
            Ok(fx::Tracer::new()
                .input("input_ids", DType::U32, (2, 7))
                .input("attention_mask", DType::U32, (7, 7))
                .dynamic("input_ids", 0, "batch")
                .dynamic("input_ids", 1, "seq")
                .dynamic("attention_mask", 0, "seq")
                .dynamic("attention_mask", 1, "seq")
                .trace(model)?)
        }),
        family.case("abstract", inputs, |model, _| {
            Ok(fx::Tracer::new()
                .input("input_ids", DType::U32, (2, 7))
                .input("attention_mask", DType::U32, (7, 7))
                .trace(model)?)
        }),
    ]
}
