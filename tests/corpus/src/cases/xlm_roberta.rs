//! XLM-RoBERTa: positions counted from the padding.

use super::prelude::*;

const CONFIG: &str = r#"{
    "hidden_size": 32, "layer_norm_eps": 1e-5, "attention_probs_dropout_prob": 0.1, "hidden_dropout_prob": 0.1,
    "num_attention_heads": 4, "position_embedding_type": "absolute", "intermediate_size": 48, "hidden_act": "gelu",
    "num_hidden_layers": 2, "vocab_size": 60, "max_position_embeddings": 32, "type_vocab_size": 1, "pad_token_id": 1
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![
        case! {
            xlm_roberta: "masked language model",
            build: |weights| xlm_roberta::XLMRobertaForMaskedLM::new(&config(CONFIG)?, weights),
            inputs: |at| Ok([at.tokens()?, at.tokens()?.ones_like()?, at.tokens()?.zeros_like()?]),
            call: |model, x| model.forward(&x[0], &x[1], &x[2], None, None, None),
        },
        case! {
            xlm_roberta: "classifier",
            build: |weights| xlm_roberta::XLMRobertaForSequenceClassification::new(3, &config(CONFIG)?, weights),
            inputs: |at| Ok([at.tokens()?, at.tokens()?.ones_like()?, at.tokens()?.zeros_like()?]),
            call: |model, x| model.forward(&x[0], &x[1], &x[2]),
        },
    ]
}
