//! GLM 4 reading a prompt.

use super::prelude::*;

const CONFIG: &str = r#"{
    "num_layers": 2, "padded_vocab_size": 60, "hidden_size": 32, "ffn_hidden_size": 48, "kv_channels": 8,
    "num_attention_heads": 4, "seq_length": 32, "layernorm_epsilon": 1e-5, "rmsnorm": true,
    "apply_residual_connection_post_layernorm": false, "post_layer_norm": true, "add_bias_linear": false,
    "add_qkv_bias": true, "bias_dropout_fusion": true, "multi_query_attention": true, "multi_query_group_num": 2,
    "apply_query_key_layer_scaling": true, "attention_softmax_in_fp32": true, "fp32_residual_connection": false
}"#;

pub(super) fn cases() -> Vec<Case> {
    vec![case! {
        glm4: "prefill",
        build: |weights| glm4::Model::new(&config(CONFIG)?, weights),
        inputs: |at| Ok([at.tokens()?]),
        call: |model, x| model.forward(&x[0]),
    }]
}
