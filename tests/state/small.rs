//! Captures that change nothing, change it back, or fail.

use candle_core::{Result, Tensor};

use crate::support::tensor;

#[fx::module]
#[derive(Debug, Clone)]
struct Small {
    held: Tensor,
    count: usize,
    error: Option<Tensor>,
}

#[fx::module]
impl Small {
    fn forward(&mut self, x: &Tensor, how: usize) -> Result<Tensor> {
        match how {
            // Changes it, and puts it back.
            0 => {
                let held = std::mem::replace(&mut self.held, x.clone());
                self.count += 1;
                let y = (&self.held + &held)?;
                self.held = held;
                self.count -= 1;
                Ok(y)
            }
            // Only on the way of an error that is handled.
            1 => {
                if x.matmul(&self.held).is_err() {
                    self.error = Some(x.clone());
                }
                Ok(x.clone())
            }
            // Replaces what it has not read.
            2 => {
                self.held = x.neg()?;
                x.exp()
            }
            // Does not even look at the input.
            _ => {
                self.held = (&self.held * 2.0)?;
                Ok(self.held.clone())
            }
        }
    }
}

fn small() -> Small {
    Small { held: tensor(&[2]), count: 0, error: None }
}

#[test]
fn state_is_what_differs_at_the_end() {
    let x = tensor(&[2]);
    let mut printed = Vec::new();
    for how in 0..4 {
        let graph = fx::trace(&small(), (&x, how)).unwrap();
        graph.check().unwrap();
        let mut model = small();
        let expected = model.forward(&x, how).unwrap();
        crate::follow::assert_step(&expected, &graph, &mut graph.state(), &[fx::Value::from(&x)]);
        if how == 3 {
            // Runs on from there.
            let expected = model.forward(&x, how).unwrap();
            crate::support::assert_same(&expected, &graph.forward(&[&x]).unwrap());
        }
        printed.push(graph.graph().to_string());
    }
    insta::assert_snapshot!(printed.join("\n"));
}
