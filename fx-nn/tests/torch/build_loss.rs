//! Losses, built from torch's arguments.

use candle_core::{Result, Tensor, bail};
use fx_nn::*;

use super::arguments::Arguments;
use super::called::{Built, built};

type Weight<'w> = &'w dyn Fn(&str) -> Result<Option<Tensor>>;

/// The reduction, which `size_average` and `reduce` said in the past.
fn reduction(a: &Arguments, [average, reduce]: [Option<bool>; 2]) -> Result<Reduction> {
    let said = a.word("reduction", Reduction::Mean)?;
    Ok(match (average, reduce) {
        (None, None) => said,
        (_, Some(false)) => Reduction::None,
        (Some(false), _) => Reduction::Sum,
        _ => Reduction::Mean,
    })
}

pub(super) fn build(class: &str, a: &Arguments, weight: Weight<'_>) -> Result<Built> {
    // Weights are buffers: they are in the state, and in the arguments only if they are none.
    let given = |layer: &str| -> Result<Option<Tensor>> {
        a.skip(layer)?;
        weight(layer)
    };
    macro_rules! weighed {
        ($layer:expr, $($set:ident $weight:expr),+) => {{
            let mut layer = $layer;
            $(if let Some(weight) = $weight { layer = layer.$set(weight); })+
            built(layer)
        }};
    }
    match class {
        "L1Loss" | "MSELoss" => {
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            let reduction = reduction(a, [average, reduce])?;
            if class == "L1Loss" {
                built(L1Loss::new(L1LossConfig { reduction }))
            } else {
                built(MSELoss::new(MSELossConfig { reduction }))
            }
        }
        "SmoothL1Loss" => {
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            let reduction = reduction(a, [average, reduce])?;
            built(SmoothL1Loss::new(SmoothL1LossConfig { beta: a.or("beta", 1.0)?, reduction }))
        }
        "HuberLoss" => {
            let reduction = reduction(a, [None; 2])?;
            built(HuberLoss::new(HuberLossConfig { delta: a.or("delta", 1.0)?, reduction }))
        }
        "BCELoss" => {
            let weight = given("weight")?;
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            weighed!(BCELoss::new(BCELossConfig { reduction: reduction(a, [average, reduce])? }), with_weight weight)
        }
        "BCEWithLogitsLoss" => {
            let weight = given("weight")?;
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            let layer = BCEWithLogitsLoss::new(BCEWithLogitsLossConfig { reduction: reduction(a, [average, reduce])? });
            let pos_weight = given("pos_weight")?;
            weighed!(layer, with_weight weight, with_pos_weight pos_weight)
        }
        "KLDivLoss" => {
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            let reduction = reduction(a, [average, reduce])?;
            built(KLDivLoss::new(KLDivLossConfig { log_target: a.or("log_target", false)?, reduction }))
        }
        "PoissonNLLLoss" => {
            let (log_input, full) = (a.or("log_input", true)?, a.or("full", false)?);
            let average = a.or("size_average", None)?;
            let eps = a.or("eps", 1e-8)?;
            let reduce = a.or("reduce", None)?;
            built(PoissonNLLLoss::new(PoissonNLLLossConfig {
                log_input,
                full,
                eps,
                reduction: reduction(a, [average, reduce])?,
            }))
        }
        "SoftMarginLoss" => {
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            built(SoftMarginLoss::new(SoftMarginLossConfig { reduction: reduction(a, [average, reduce])? }))
        }
        "HingeEmbeddingLoss" => {
            let margin = a.or("margin", 1.0)?;
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            built(HingeEmbeddingLoss::new(HingeEmbeddingLossConfig {
                margin,
                reduction: reduction(a, [average, reduce])?,
            }))
        }
        "MultiLabelSoftMarginLoss" => {
            let weight = given("weight")?;
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            let config = MultiLabelSoftMarginLossConfig { reduction: reduction(a, [average, reduce])? };
            weighed!(MultiLabelSoftMarginLoss::new(config), with_weight weight)
        }
        "NLLLoss" => {
            let weight = given("weight")?;
            let average = a.or("size_average", None)?;
            let ignore_index = a.or("ignore_index", -100)?;
            let reduce = a.or("reduce", None)?;
            weighed!(NLLLoss::new(NLLLossConfig { ignore_index, reduction: reduction(a, [average, reduce])? }), with_weight weight)
        }
        "CrossEntropyLoss" => {
            let weight = given("weight")?;
            let average = a.or("size_average", None)?;
            let ignore_index = a.or("ignore_index", -100)?;
            let reduce = a.or("reduce", None)?;
            let reduction = reduction(a, [average, reduce])?;
            let label_smoothing = a.or("label_smoothing", 0.0)?;
            let config = CrossEntropyLossConfig { ignore_index, reduction, label_smoothing };
            weighed!(CrossEntropyLoss::new(config), with_weight weight)
        }
        "MultiMarginLoss" => {
            let (p, margin) = (a.or("p", 1)?, a.or("margin", 1.0)?);
            let weight = given("weight")?;
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            let config = MultiMarginLossConfig { p, margin, reduction: reduction(a, [average, reduce])? };
            weighed!(MultiMarginLoss::new(config), with_weight weight)
        }
        "MultiLabelMarginLoss" => {
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            built(MultiLabelMarginLoss::new(MultiLabelMarginLossConfig { reduction: reduction(a, [average, reduce])? }))
        }
        "MarginRankingLoss" | "CosineEmbeddingLoss" => {
            let margin = a.or("margin", 0.0)?;
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            let reduction = reduction(a, [average, reduce])?;
            if class == "MarginRankingLoss" {
                built(MarginRankingLoss::new(MarginRankingLossConfig { margin, reduction }))
            } else {
                built(CosineEmbeddingLoss::new(CosineEmbeddingLossConfig { margin, reduction }))
            }
        }
        "TripletMarginLoss" => {
            let (margin, p, eps) = (a.or("margin", 1.0)?, a.or("p", 2.0)?, a.or("eps", 1e-6)?);
            let swap = a.or("swap", false)?;
            let average = a.or("size_average", None)?;
            let reduce = a.or("reduce", None)?;
            let config = TripletMarginLossConfig { margin, p, eps, swap, reduction: reduction(a, [average, reduce])? };
            built(TripletMarginLoss::new(config))
        }
        "TripletMarginWithDistanceLoss" => {
            let distance_function = a.word("distance_function", DistanceFunction::PairwiseDistance)?;
            let (margin, swap) = (a.or("margin", 1.0)?, a.or("swap", false)?);
            let config = TripletMarginWithDistanceLossConfig {
                distance_function,
                margin,
                swap,
                reduction: reduction(a, [None; 2])?,
            };
            built(TripletMarginWithDistanceLoss::new(config))
        }
        "CTCLoss" => {
            let (blank, reduction) = (a.or("blank", 0)?, reduction(a, [None; 2])?);
            built(CTCLoss::new(CTCLossConfig { blank, reduction, zero_infinity: a.or("zero_infinity", false)? }))
        }
        "GaussianNLLLoss" => {
            let (full, eps) = (a.or("full", false)?, a.or("eps", 1e-6)?);
            built(GaussianNLLLoss::new(GaussianNLLLossConfig { full, eps, reduction: reduction(a, [None; 2])? }))
        }
        _ => bail!("the class torch.nn.{class} is not known here"),
    }
}
