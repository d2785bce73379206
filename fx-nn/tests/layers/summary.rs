//! Tables of models, against what torchinfo 1.8 says of the same in PyTorch. Parameters are the same; torchinfo counts
//! biases, norms and tables as multiply-accumulates, and a linear layer once for each sample, however many rows it has.

use super::*;

fn captured<M: Traceable>(
    model: &M,
    input: (&str, DType, &[usize]),
    run: impl Fn(&mut M::Symbolic, &Proxy) -> Result<Proxy>,
) -> GraphModule {
    let (name, dtype, dims) = input;
    let tracer = Tracer::new().input(name, dtype, dims);
    tracer.trace_with(model, |mirror, inputs| run(mirror, &inputs.tensor(name)?)).expect("it is captured")
}

/// Parameters, those that can be trained, buffers and multiply-accumulates.
fn totals(module: &GraphModule) -> [u64; 4] {
    let summary = module.summary();
    let totals = summary.totals();
    [totals.parameters, totals.trainable, totals.buffers, totals.macs]
}

#[test]
fn a_transformer_has_torchinfo_s_parameters() -> Result<()> {
    let config = TransformerLayerConfig { dim_feedforward: 32, batch_first: true, ..Default::default() };
    let model = TransformerEncoder::new(16, 4, 2, &config, None, vb(&VarMap::new()))?;
    let module = captured(&(model,), ("src", DType::F32, &[2, 5, 16]), |(model,), src| model.forward(src, None, None));
    // By layer: four projections, queries by keys and weights by values, and two linear layers.
    let macs = 2 * (2 * 5 * 4 * 16 * 16 + 2 * 2 * 5 * 5 * 16 + 2 * 5 * 2 * 16 * 32);
    assert_eq!(totals(&module), [4448, 4448, 0, macs]);
    Ok(())
}

#[test]
fn a_recurrent_model_has_torchinfo_s_parameters() -> Result<()> {
    let vars = VarMap::new();
    let lstm = LSTMConfig { num_layers: 2, batch_first: true, bidirectional: true, ..Default::default() };
    let model = (
        Embedding::new(50, 8, EmbeddingConfig::default(), vb(&vars).pp("emb"))?,
        LSTM::new(8, 12, lstm, vb(&vars).pp("lstm"))?,
        Linear::new(24, 50, LinearConfig::default(), vb(&vars).pp("fc"))?,
    );
    let module = captured(&model, ("x", DType::I64, &[2, 7]), |(emb, lstm, fc), x| {
        fc.forward(&lstm.forward(&emb.forward(x)?, None)?.0)
    });
    let lstm = 4 * 12 * (8 + 12) * 2 + 4 * 12 * (24 + 12) * 2;
    assert_eq!(totals(&module), [7410, 7410, 0, 2 * 7 * (lstm + 24 * 50)]);
    insta::assert_snapshot!("recurrent", module.summary());
    Ok(())
}

#[test]
fn tied_weights_count_once() -> Result<()> {
    let vars = VarMap::new();
    let table = vb(&vars).pp("emb");
    let model = (
        Embedding::new(50, 8, EmbeddingConfig::default(), table.clone())?,
        LayerNorm::new(vec![8], LayerNormConfig::default(), vb(&vars).pp("norm"))?,
        Linear::new(8, 50, LinearConfig { bias: false }, table)?,
    );
    let module =
        captured(&model, ("x", DType::I64, &[2, 7]), |(emb, norm, fc), x| fc.forward(&norm.forward(&emb.forward(x)?)?));
    // torchinfo has 816 and says the table twice as well if it is called twice.
    assert_eq!(totals(&module), [400 + 16, 416, 0, 2 * 7 * 8 * 50]);
    Ok(())
}

#[test]
fn containers_have_rows_that_count_nothing() -> Result<()> {
    let vars = VarMap::new();
    let linear = |name: &str| Linear::new(4, 4, LinearConfig::default(), vb(&vars).pp(name));
    let inner = Sequential::new().push(linear("a")?).push(ReLU::new());
    let model = Sequential::new().push(inner).add("last", linear("b")?);
    let module = captured(&(model,), ("x", DType::F32, &[3, 4]), |(model,), x| model.forward(x));
    assert_eq!(totals(&module), [40, 40, 0, 3 * 2 * 16]);
    insta::assert_snapshot!("containers", module.summary());
    Ok(())
}
