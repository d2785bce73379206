//! A graph whose floats and tables follow a size, and what it is run at.

use candle::{DType, Tensor};
use corpus::case::{Captured, Failure};
use corpus::weights::uniform;

/// Floats of both precisions, a guard over one, a mask of a window and a buffer of one number.
pub(crate) fn sized() -> Result<Captured, Failure> {
    let mut graph =
        fx::Tracer::new().name("sized").input("x", DType::F32, (2, 6)).dynamic("x", 1, "n").trace_fn(|inputs| {
            let x = inputs.tensor("x")?;
            let n = x.dim(1)?;
            let y = (&x * (1.0 / (n as f64).sqrt()))?;
            let y = (y / f64::from(n as f32 * 0.3))?.affine(n as f64 / (n + 1) as f64, (n as f64).powf(-0.25))?;
            let y = y.clamp(-1.0 / n as f64, (n as f64).ln())?;
            let seen = (0..n * n).map(|at| if (at % n).abs_diff(at / n) < 3 { 1f32 } else { 0. }).collect::<Vec<_>>();
            let seen = fx::symbolic::Tensor::from_vec(seen, (n, n), x.device())?;
            y.matmul(&seen)?.broadcast_add(&fx::symbolic::Tensor::full(2.0 / n as f32, n, x.device())?)
        })?;
    let mut dynamic = graph.graph().dynamic().cloned().ok_or("the graph follows a size")?;
    let root = fx::value::SymFloat::function(fx::value::FloatFunction::Sqrt, &fx::SymInt::symbol("n", 6).into())?;
    dynamic.guards.push(fx::ir::Guard {
        left: root.into(),
        relation: fx::value::Relation::Lt,
        right: fx::value::SymFloat::from(20.5).into(),
        source: None,
    });
    graph.graph_mut().set_dynamic(Some(dynamic));
    let inputs = [(1, 6), (2, 1), (3, 57), (4, 301)].map(|(seed, n)| Ok(vec![uniform(seed, (2, n))?]));
    Ok(Captured { graph, inputs: inputs.into_iter().collect::<candle::Result<Vec<Vec<Tensor>>>>()? })
}
