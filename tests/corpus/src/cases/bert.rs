//! BERT with token types, with and without an attention mask.

use super::prelude::*;

const CONFIG: &str = r#"{
    "vocab_size": 60, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
    "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "max_position_embeddings": 16, "type_vocab_size": 2,
    "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0
}"#;

twice! {
    bert:
    pub(super) type Model = bert::BertModel;

    pub(super) fn build(weights: VarBuilder<'static>) -> Result<Model> {
        bert::BertModel::load(weights, &config(CONFIG)?)
    }

    pub(super) fn call(model: &Model, inputs: &[Tensor]) -> Result<Tensor> {
        model.forward(&inputs[0], &inputs[1], inputs.get(2))
    }
}

fn tokens(seed: u64) -> Result<Vec<Tensor>> {
    Ok(vec![ids(seed, 60, (2, 7))?, ids(seed, 2, (2, 7))?])
}

fn tokens_and_mask(seed: u64) -> Result<Vec<Tensor>> {
    Ok([tokens(seed)?, vec![ids(seed + 1, 2, (2, 7))?]].concat())
}

const SIZES: &[&[usize]] = &[&[2, 7], &[1, 1], &[3, 16], &[1, 5], &[5, 1], &[2, 12]];

fn tokens_at(seed: u64, sizes: &[usize]) -> Result<Vec<Tensor>> {
    let shape = (sizes[0], sizes[1]);
    Ok(vec![ids(seed, 60, shape)?, ids(seed, 2, shape)?, ids(seed + 1, 2, shape)?])
}

pub(super) fn cases() -> Vec<Case> {
    let family = family();
    vec![
        family.case("token types", tokens, |model, inputs| {
            Ok(fx::trace(model, (&inputs[0], &inputs[1], None::<&Tensor>))?)
        }),
        family.case("token types and mask", tokens_and_mask, |model, inputs| {
            Ok(fx::trace(model, (&inputs[0], &inputs[1], Some(&inputs[2])))?)
        }),
        family.dynamic("any size", tokens_at, SIZES, |model| {
            Ok(fx::Tracer::new()
                .input("input_ids", DType::U32, (2, 7))
                .input("token_type_ids", DType::U32, (2, 7))
                .input("attention_mask", DType::U32, (2, 7))
                .dynamic("input_ids", 0, "batch")
                .dynamic("input_ids", 1, "seq")
                .dynamic("token_type_ids", 0, "batch")
                .dynamic("token_type_ids", 1, "seq")
                .dynamic("attention_mask", 0, "batch")
                .dynamic("attention_mask", 1, "seq")
                .trace(model)?)
        }),
        family.case("abstract, with mask", tokens_and_mask, |model, _| {
            Ok(fx::Tracer::new()
                .input("input_ids", DType::U32, (2, 7))
                .input("token_type_ids", DType::U32, (2, 7))
                .input("attention_mask", DType::U32, (2, 7))
                .trace(model)?)
        }),
    ]
}
