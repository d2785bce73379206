//! Programs of random steps over sizes, captured at random examples for all of them: at other sizes each gives what the original
//! gives, or refuses; where the original fails, so does the graph.

use std::panic::{AssertUnwindSafe, catch_unwind};

use candle_core::{D, DType, IndexOp, Result, Tensor};
use fx::{Tracer, Value};

use crate::support::{assert_same, tensor};

/// Numbers that look random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// One step: what it does, two registers, and a small number.
type Step = (usize, usize, usize, usize);

/// Steps that compute numbers come first.
const NUMBERS: usize = 10;
const STEPS: usize = 43;

#[fx::module]
#[derive(Debug)]
struct Program {
    steps: Vec<Step>,
    table: Tensor,
}

/// Nothing of it is seen.
fn hidden(n: usize) -> usize {
    n / 2 + 1
}

#[fx::module]
impl Program {
    fn number(&self, (what, _, _, k): Step, p: usize, q: usize) -> usize {
        match what {
            0 => p + q,
            1 => p.saturating_sub(q),
            2 => p * q % 100_003,
            3 => p / (k + 1),
            4 => p % (k + 2),
            5 => p.min(q),
            6 => p.max(q),
            7 => p.div_ceil(k + 1),
            8 => hidden(p),
            _ => p.next_multiple_of(k + 1),
        }
    }

    fn decided(&self, x: Tensor, (what, _, _, k): Step, p: usize, q: usize) -> Result<Tensor> {
        match what {
            10 => {
                if p < q {
                    x.relu()
                } else {
                    x.abs()
                }
            }
            11 => {
                if p == k {
                    x.neg()
                } else {
                    x + 1.0
                }
            }
            12 => match p {
                0 => x.neg(),
                1 => x.abs(),
                2..=4 => x.relu(),
                90.. => x.sqr(),
                _ => x.tanh(),
            },
            13 => {
                if p.is_multiple_of(k + 2) {
                    x.neg()
                } else {
                    x.abs()
                }
            }
            14 => {
                if p as f64 / 7.0 > 3.0 && q > 1 {
                    x.clamp(0f32, 5f32)
                } else {
                    Ok(x)
                }
            }
            _ => {
                let mut x = x;
                for _ in 0..p.min(3) {
                    x = (x + 1.0)?;
                }
                Ok(x)
            }
        }
    }

    fn shaped(&self, x: Tensor, (what, _, _, k): Step, p: usize, q: usize) -> Result<Tensor> {
        let (b, n, c) = x.dims3()?;
        match what {
            16 => x.narrow(1, p.min(n), n - p.min(n)),
            17 => x.narrow(1, 0, p.min(n)),
            18 => x.pad_with_zeros(1, p.min(9), q.min(7)),
            19 => x.reshape((b * n, c))?.relu()?.reshape((b, n, c)),
            20 => Tensor::cat(&x.chunk(k + 1, 1)?, 1),
            21 => Ok(x.chunk(k + 1, 1)?[0].clone()),
            22 => Tensor::cat(&[&x, &x], k % 3),
            23 => x.repeat((1, k + 1, 1)),
            24 => x.sum_keepdim(1),
            25 => x.squeeze(1)?.unsqueeze(1),
            26 => x.squeeze(0)?.unsqueeze(0),
            27 => x.i((.., ..p.min(n), ..)),
            28 => x.reshape((b, (), c * (k % 2 + 1))),
            29 => Tensor::stack(&[&x, &x], 1)?.flatten(1, 2),
            30 => {
                if n >= 2 {
                    x.unsqueeze(0)?.avg_pool2d((2, 1))?.squeeze(0)
                } else {
                    Ok(x)
                }
            }
            31 => x.roll(p as i32 % 3, 1),
            32 => x.broadcast_add(&x.narrow(1, 0, 1)?),
            _ => Tensor::cat(&[&Tensor::zeros((b, p.min(30), c), DType::F32, x.device())?, &x], 1),
        }
    }

    fn computed(&self, x: Tensor, (what, _, _, k): Step, p: usize, q: usize) -> Result<Tensor> {
        let (b, n, _) = x.dims3()?;
        let column = |values: Vec<f32>| Tensor::from_vec(values, (1, n, 1), x.device());
        match what {
            34 => &x * (1.0 / (p as f64 + 1.0).sqrt()),
            35 => x.affine(p as f64 * 0.1, q as f64),
            36 => {
                x.broadcast_add(&Tensor::arange(0u32, n as u32, x.device())?.to_dtype(DType::F32)?.reshape((1, n, 1))?)
            }
            37 => {
                let seen = |i: usize, j: usize| if j > i + k { 0. } else { 0.5 };
                let mask: Vec<f32> = (0..n).flat_map(|i| (0..n).map(move |j| seen(i, j))).collect();
                let mask = Tensor::from_vec(mask, (1, n, n), x.device())?.broadcast_as((b, n, n))?;
                mask.contiguous()?.matmul(&x.contiguous()?)
            }
            38 => x.broadcast_add(&self.table.narrow(0, p.min(40), n)?.narrow(1, 0, 1)?.unsqueeze(0)?),
            39 => x.broadcast_div(&Tensor::full((p + 1) as f32, (1, n, 1), x.device())?),
            40 => x.broadcast_sub(&x.max_keepdim(D::Minus1)?),
            41 => x.broadcast_mul(&column((0..n).map(|i| 0.9f32.powi(i as i32)).collect())?),
            _ => x.broadcast_add(&column((0..n).map(|i| (i + p) as f32).collect())?),
        }
    }

    fn forward(&self, x: &Tensor, pos: usize) -> Result<Tensor> {
        let (b, n, _) = x.dims3()?;
        let mut registers = vec![b, n, pos, 1, 2, 3, 5, 16];
        let mut x = x.clone();
        for step in &self.steps {
            let at = |i: usize| registers[i % registers.len()];
            let (p, q) = (at(step.1), at(step.2));
            match step.0 {
                0..10 => {
                    let number = self.number(*step, p, q);
                    registers.push(number);
                    continue;
                }
                10..16 => x = self.decided(x, *step, p, q)?,
                16..34 => x = self.shaped(x, *step, p, q)?,
                _ => x = self.computed(x, *step, p, q)?,
            }
            registers.extend([x.dim(1)?, x.dim(0)?]);
        }
        Ok(x)
    }
}

fn program(random: &mut Random) -> Program {
    let count = 2 + random.below(6);
    let steps = (0..count).map(|_| {
        let what = if random.below(3) == 0 { random.below(NUMBERS) } else { random.below(STEPS) };
        (what, random.below(12), random.below(12), random.below(4))
    });
    Program { steps: steps.collect(), table: tensor(&[64, 4]) }
}

/// The original, which may panic.
fn original(program: &Program, x: &Tensor, pos: usize) -> Result<Tensor> {
    let called = catch_unwind(AssertUnwindSafe(|| program.forward(x, pos)));
    called.unwrap_or_else(|_| candle_core::bail!("the original panics"))
}

#[test]
fn programs_of_random_steps() {
    let (mut captured, mut refused, mut ran) = (0, 0, 0);
    for seed in 0..60 {
        let mut random = Random(seed);
        let program = program(&mut random);
        let example = (random.of(&[1, 2, 3, 6, 0]), random.of(&[1, 6, 7, 0, 2, 12]), random.of(&[0, 1, 5, 6, 2]));
        let (batch, rows, pos) = example;
        if original(&program, &tensor(&[batch, rows, 4]), pos).is_err() {
            continue;
        }
        let tracer = Tracer::new().input("x", DType::F32, (batch, rows, 4)).concrete_arg("pos", pos);
        let tracer = tracer.dynamic("x", 0, "batch").dynamic("x", 1, "rows").dynamic_arg("pos");
        let module = match tracer.trace(&program) {
            Ok(module) => module,
            Err(error) => {
                // What the model says itself is of no line.
                let (text, own) =
                    (error.to_string(), ["programs.rs:", "returned an error", "panicked", "more captures"]);
                assert!(own.iter().any(|own| text.contains(own)), "{text}");
                refused += 1;
                continue;
            }
        };
        captured += 1;
        let about =
            |at: (usize, usize, usize)| format!("{seed}: {program:?} of {example:?} at {at:?}\n{}", module.graph());
        module.check().unwrap_or_else(|error| panic!("{error}\n{}", about(example)));
        let text = module.graph().to_text().unwrap();
        assert_eq!(text.parse::<fx::Graph>().unwrap().to_text().unwrap(), text);
        let usual = [example, (1, 1, 0), (2, 2, 2), (6, 6, 6), (1, 6, 0), (0, 0, 0), (0, 5, 1), (4, 0, 1), (1, 2, 0)];
        let large = [(5, 1, 7), (2, 17, 3), (3, 64, 0), (1, 40, 24), (2, 101, 11), (1, 2, 130), (2, 258, 1)];
        let others: Vec<_> = (0..9).map(|_| (random.below(9), random.below(70), random.below(50))).collect();
        for at in usual.into_iter().chain(large).chain(others) {
            let x = tensor(&[at.0, at.1, 4]);
            let found = module.run(&[x.clone().into(), Value::Int(at.2 as i64)]);
            match (original(&program, &x, at.2), found) {
                (Ok(expected), Ok(found)) => {
                    let found = found.as_tensor().unwrap();
                    assert!(expected.dims() == found.dims(), "{}", about(at));
                    if expected.elem_count() > 0 {
                        assert_same(&expected, found);
                    }
                    ran += 1;
                }
                (Err(error), Ok(_)) => panic!("the original fails: {error}\n{}", about(at)),
                (_, Err(error)) => assert!(at != example, "{error}\n{}", about(at)),
            }
        }
    }
    assert!(captured > refused && ran > 10 * captured, "{captured} captured, {refused} refused, {ran} runs");
}
