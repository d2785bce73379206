//! Answers that a capture does not have: a model that catches the error, or asks only whether there is one, is refused
//! rather than recorded wrong; and a graph refuses inputs that it was not captured at.

use candle_core::{DType, Result, Tensor};
use candle_nn::{Linear, Module};
use fx::{RunError, TraceError, Tracer};

use crate::support::{Captured, assert_returns, assert_same, linear, other, tensor};

#[fx::constant]
#[derive(Clone, Copy, Debug)]
enum Caught {
    DimsIfLet,
    DimIsOk,
    DimOrDefault,
    DimsThenOwnError,
    DimsAndProduct,
    DataIsErr,
    DataOk,
    ScalarByMatch,
    DimsInCatchUnwind,
    DimsThenOwnPanic,
    DataThenSlice,
}

#[fx::module]
struct Catching {
    linear: Linear,
}

#[fx::module(specialize)]
impl Catching {
    fn forward(&self, x: &Tensor, caught: Caught) -> Result<Tensor> {
        let y = self.linear.forward(x)?;
        match caught {
            Caught::DimsIfLet => {
                if let Ok((_, _)) = y.dims2() {
                    y.exp()
                } else {
                    y.neg()
                }
            }
            Caught::DimIsOk => {
                if y.dim(5).is_ok() {
                    y.exp()
                } else {
                    y.neg()
                }
            }
            Caught::DimOrDefault => {
                let rows = y.dim(0).unwrap_or(7);
                &y * rows as f64
            }
            Caught::DimsThenOwnError => {
                let _ = y.dims3();
                candle_core::bail!("mine")
            }
            Caught::DimsAndProduct => {
                let _ = y.dims3().ok();
                let _ = y.matmul(&y).is_ok();
                y.neg()
            }
            Caught::DataIsErr => {
                if y.to_vec2::<f32>().is_err() {
                    y.neg()
                } else {
                    y.exp()
                }
            }
            Caught::DataOk => {
                let data = y.to_vec2::<f32>().ok();
                if data.is_some() { y.exp() } else { y.neg() }
            }
            Caught::ScalarByMatch => match y.mean_all()?.to_scalar::<f32>() {
                Ok(mean) if mean > 100.0 => y.neg(),
                Ok(_) => y.exp(),
                Err(_) => y.sqr(),
            },
            Caught::DimsInCatchUnwind => std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| y.dims().len()))
                .map(|_| y.exp())
                .unwrap_or_else(|_| y.neg()),
            Caught::DimsThenOwnPanic => {
                let _ = y.dims3();
                panic!("own panic")
            }
            Caught::DataThenSlice => {
                let _ = y.to_vec1::<f32>();
                y.narrow(0, 100, 100)
            }
        }
    }
}

fn with_data(caught: Caught) -> Captured {
    fx::trace(&Catching { linear: linear(4, 4) }, (&tensor(&[2, 4]), &caught))
}

fn with_shapes(caught: Caught) -> Captured {
    let tracer = Tracer::new().input("x", DType::F32, (2, 4)).concrete_arg("caught", &caught);
    tracer.trace(&Catching { linear: linear(4, 4) })
}

fn with_nothing(caught: Caught) -> Captured {
    Tracer::new().concrete_arg("caught", &caught).trace(&Catching { linear: linear(4, 4) })
}

#[test]
fn a_caught_question_about_a_shape() {
    let x = tensor(&[2, 4]);
    for (caught, question) in [
        (Caught::DimsIfLet, "dims2"),
        (Caught::DimIsOk, "dim"),
        (Caught::DimOrDefault, "dim"),
        (Caught::DimsAndProduct, "dims3"),
        (Caught::DimsInCatchUnwind, "dims"),
    ] {
        let expected = Catching { linear: linear(4, 4) }.forward(&x, caught).unwrap();
        assert_returns(&[&expected], with_data(caught), &[&x]);
        assert_returns(&[&expected], with_shapes(caught), &[&x]);
        assert_refused!(with_nothing(caught), TraceError::Unknown { query, .. } if query == question);
    }
}

#[test]
fn a_caught_read_of_data() {
    for (caught, read) in
        [(Caught::DataIsErr, "to_vec2"), (Caught::DataOk, "to_vec2"), (Caught::ScalarByMatch, "to_scalar")]
    {
        for captured in [with_data(caught), with_shapes(caught), with_nothing(caught)] {
            assert_refused!(captured, TraceError::DataRead { method, .. } if method == read);
        }
    }
}

#[test]
fn the_first_failure_is_the_one_reported() {
    assert_refused!(with_data(Caught::DimsThenOwnError), TraceError::Model(message) if message == "mine");
    assert_refused!(with_data(Caught::DimsThenOwnPanic), TraceError::Panicked(message) if message == "own panic");
    for caught in [Caught::DimsThenOwnError, Caught::DimsThenOwnPanic] {
        assert_refused!(with_nothing(caught), TraceError::Unknown { query: "dims3", .. });
    }
    for captured in [with_data(Caught::DataThenSlice), with_nothing(Caught::DataThenSlice)] {
        assert_refused!(captured, TraceError::DataRead { method: "to_vec1", .. });
    }
}

// ── Reading weights ─────────────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct ReadsWeight {
    weight: Tensor,
}

#[fx::module(specialize)]
impl ReadsWeight {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let data = self.weight.to_vec1::<f32>()?;
        let mask: Vec<f32> = data.iter().map(|value| if *value > 0.0 { 1.0 } else { 0.0 }).collect();
        let mask = Tensor::from_vec(mask, data.len(), x.device())?;
        (x * data[1] as f64)?.broadcast_mul(&mask)
    }
}

#[fx::module]
struct ReadsLayer {
    linear: Linear,
}

#[fx::module(specialize)]
impl ReadsLayer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let rows = self.linear.weight().to_vec2::<f32>()?;
        self.linear.forward(x)? * rows[0][1] as f64
    }
}

#[test]
fn a_read_of_weights() {
    let x = tensor(&[2, 4]);
    let model = ReadsWeight { weight: tensor(&[4]) };
    for captured in [fx::trace(&model, (&x,)), fx::symbolic_trace(&model)] {
        assert_refused!(captured, TraceError::DataRead { method: "to_vec1", .. });
    }
    let model = ReadsLayer { linear: linear(4, 4) };
    for captured in [fx::trace(&model, (&x,)), fx::symbolic_trace(&model)] {
        assert_refused!(captured, TraceError::DataRead { method: "to_vec2", .. });
    }
}

// ── Inputs of another shape or dtype ────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct BakesSizes;

#[fx::module]
impl BakesSizes {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (rows, columns) = x.dims2()?;
        (x.reshape((columns, rows))? * columns as f64)?.to_dtype(x.dtype())
    }
}

#[test]
fn inputs_of_another_shape_or_dtype() {
    let x = tensor(&[2, 4]);
    let module = fx::trace(&BakesSizes, (&x,)).unwrap();
    for input in [tensor(&[4, 2]), x.to_dtype(DType::F64).unwrap()] {
        let error = module.forward(&[input]).unwrap_err();
        assert!(matches!(&error, RunError::OtherInput { input, .. } if input == "x"), "{error}");
    }
    let same_shape = other(&[2, 4]);
    assert_same(&BakesSizes.forward(&same_shape).unwrap(), &module.forward(&[same_shape]).unwrap());
}

/// candle_nn's attention is one kernel on the CPU.
mod kernels {
    use candle_core::{Result, Tensor};
    use candle_nn::attention::{AttnMask, flash_attn};
    use fx::TraceError;

    use crate::support::{assert_returns, tensor};

    #[fx::module]
    struct Attention {
        by: u8,
    }

    #[fx::module]
    impl Attention {
        fn forward(&self, q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
            match self.by {
                0 => flash_attn::<f32>(q, k, v, 0.5, AttnMask::causal(), None, None),
                1 => candle_nn::attention::flash_attn::<f32>(q, k, v, 0.5, AttnMask::None, None, Some(30.)),
                2 => wrapped(q, k, v),
                _ => flash_attn::<f64>(q, k, v, 0.5, AttnMask::causal(), None, None),
            }
        }
    }

    #[fx::wrap]
    fn wrapped(q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
        flash_attn::<f32>(q, k, v, 0.5, AttnMask::causal_with_offset(1), None, None)
    }

    #[test]
    fn attention_by_a_kernel_is_one_node() {
        let x = tensor(&[1, 3, 2, 4]);
        for by in 0..3 {
            let model = Attention { by };
            let expected = model.forward(&x, &x, &x).unwrap();
            let captured = fx::trace(&model, (&x, &x, &x)).unwrap();
            assert_eq!(captured.graph().to_string().matches("call_function").count(), 1, "{}", captured.graph());
            assert_returns(&[&expected], Ok(captured), &[&x, &x, &x]);
        }
        let captured = fx::trace(&Attention { by: 3 }, (&x, &x, &x));
        assert_refused!(captured, TraceError::CustomOp { method, .. } if method.contains("flash_attn"));
    }
}
