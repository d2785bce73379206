//! A mixture of experts, whose router reads data: two ways to capture what depends on the values of tensors.
//!
//! The numbers that a router reads are not there while a model is captured, and what the model makes of them would hold
//! for these tokens only. So a `forward` that reads does not compile, and its message says what to do instead:
//!
//! - `#[fx::wrap]` on the function that reads: it is one node of the graph and runs each time. The graph is right for all
//!   tokens.
//! - `#[fx::module(specialize)]` on the impl that reads, and `Tracer::specialize`: what is read is baked in. The graph is
//!   that of these tokens, and each node that was read says so.

use candle_core::{D, DType, Device, IndexOp, Module, Result, Tensor};
use candle_nn::{Linear, VarBuilder, VarMap, linear};

/// A router and its experts.
#[fx::module]
struct Experts {
    router: Linear,
    experts: Vec<Linear>,
    chosen: usize,
}

/// The weight of each expert for each token: those of the largest scores, others 0. Reads the scores on the host, so it is
/// recorded whole.
#[fx::wrap(pure)]
fn route(scores: &Tensor, chosen: usize) -> Result<Tensor> {
    let rows = scores.to_vec2::<f32>()?;
    let kept = rows.iter().map(|row| {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        let is_chosen = |expert: usize| order[..chosen].contains(&expert);
        row.iter().enumerate().map(|(expert, &score)| if is_chosen(expert) { score } else { 0. }).collect::<Vec<f32>>()
    });
    Tensor::new(kept.collect::<Vec<_>>(), scores.device())
}

#[fx::module]
impl Experts {
    fn new(chosen: usize, weights: VarBuilder<'_>) -> Result<Self> {
        let experts = (0..4).map(|i| linear(8, 8, weights.pp(format!("experts.{i}")))).collect::<Result<_>>()?;
        Ok(Self { router: linear(8, 4, weights.pp("router"))?, experts, chosen })
    }

    fn scores(&self, x: &Tensor) -> Result<Tensor> {
        candle_nn::ops::softmax(&self.router.forward(x)?, D::Minus1)
    }

    /// Every expert for every token, weighted: the same result for all tokens, by one function that reads.
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let weights = route(&self.scores(x)?, self.chosen)?;
        let mut sum = x.zeros_like()?;
        for (i, expert) in self.experts.iter().enumerate() {
            sum = (sum + expert.forward(x)?.broadcast_mul(&weights.narrow(1, i, 1)?)?)?;
        }
        Ok(sum)
    }
}

#[fx::module(specialize)]
impl Experts {
    /// Each expert for its tokens only, as models do it: which tokens these are is read here.
    fn sparse(&self, x: &Tensor) -> Result<Tensor> {
        let weights = route(&self.scores(x)?, self.chosen)?;
        let rows = weights.to_vec2::<f32>()?;
        let mut sum = x.zeros_like()?;
        for (i, expert) in self.experts.iter().enumerate() {
            let tokens: Vec<u32> = (0..rows.len() as u32).filter(|&token| rows[token as usize][i] > 0.).collect();
            if tokens.is_empty() {
                continue;
            }
            let tokens = Tensor::new(tokens, x.device())?;
            let weight = weights.i((.., i))?.index_select(&tokens, 0)?.unsqueeze(1)?;
            let made = expert.forward(&x.index_select(&tokens, 0)?)?.broadcast_mul(&weight)?;
            sum = sum.index_add(&tokens, &made, 0)?;
        }
        Ok(sum)
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let device = &Device::Cpu;
    let model = Experts::new(2, VarBuilder::from_varmap(&VarMap::new(), DType::F32, device))?;
    let (x, y) = (Tensor::randn(0f32, 1., (5, 8), device)?, Tensor::randn(0f32, 1., (9, 8), device)?);
    let largest = |a: &Tensor, b: &Tensor| (a - b)?.abs()?.max_all()?.to_scalar::<f32>();

    println!("1. The function that reads is one node, for any number of tokens:\n");
    let wrapped = fx::Tracer::new().input("x", DType::F32, (5, 8)).dynamic("x", 0, "tokens").trace(&model)?;
    println!("{}\n", wrapped.graph());
    println!("largest difference: {}\n", largest(&wrapped.forward(&[&y])?, &model.sparse(&y)?)?);

    println!("2. What is read in the middle of a model is refused:\n");
    let sparse = |tracer: fx::Tracer<'_>| tracer.trace_with(&model, |model, inputs| model.sparse(&inputs.tensor("x")?));
    if let Err(error) = sparse(fx::Tracer::new().example("x", &x)) {
        println!("{error}\n");
    }

    println!("3. Unless it is to be baked in, for these tokens:\n");
    let specialized = sparse(fx::Tracer::new().example("x", &x).specialize(true))?;
    for (id, node) in specialized.graph().nodes() {
        if let Some(note) = node.meta().note() {
            println!("{}   // {note}", specialized.graph().node_line(id));
        }
    }
    println!("\nlargest difference: {}", largest(&specialized.forward(&[&x])?, &model.sparse(&x)?)?);
    Ok(())
}
