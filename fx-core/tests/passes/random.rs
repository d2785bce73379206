//! Seeded random graphs, run before and after each pass: equal to the bit.

use candle_core::{DType, Result};
use fx_core::ir::NodeId;
use fx_core::module::GraphModule;
use fx_core::passes::{
    CommonSubexpressions, ConstantFolding, DeadCode, Fuel, Partitioner, Pass, PatternRewriter, Proxy, pattern,
    split_module,
};
use fx_core::trace::Tracer;
use fx_core::value::Value;

use super::{assert_same, data};

/// xorshift: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// A graph of so many calls on two inputs and two constants, that returns some of what it computes.
fn graph(random: &mut Random, calls: usize) -> GraphModule {
    let known = random.below(2) == 0;
    let mut tracer = Tracer::new().name("random");
    if known {
        tracer = tracer.input("x", DType::F32, (2, 3)).input("y", DType::F32, (2, 3));
    }
    let seed = random.0;
    let traced = tracer.trace_fn(|inputs| {
        let mut random = Random(seed);
        let mut values = vec![inputs.tensor("x")?, inputs.tensor("y")?];
        for seed in 0..2 {
            let device = candle_core::Device::Cpu;
            let numbers = data(&[2, 3], seed).flatten_all()?.to_vec1::<f32>()?;
            values.push(Proxy::from_slice(&numbers, (2, 3), &device)?);
        }
        for _ in 0..calls {
            let (a, b) = (values[random.below(values.len())].clone(), values[random.below(values.len())].clone());
            values.push(match random.below(9) {
                0 => a.relu()?,
                1 => a.tanh()?,
                2 => a.neg()?,
                3 => a.clamp(-0.5, 0.5)?,
                4 => (a + b)?,
                5 => (a * b)?,
                6 => (a - b)?,
                7 => a.maximum(&b)?,
                _ => (a * 0.5)?,
            });
        }
        let returned: Vec<Proxy> = (0..3).map(|_| values[random.below(values.len())].clone()).collect();
        Result::Ok(returned)
    });
    // The next graph is another one.
    random.below(2);
    traced.unwrap()
}

fn inputs() -> [Value; 2] {
    [data(&[2, 3], 7).into(), data(&[2, 3], 8).into()]
}

/// Rewrites that change no result: what is put in computes the same to the bit.
fn rewrites() -> Vec<PatternRewriter<'static>> {
    let relu_once = PatternRewriter::new(pattern(|[x]| x.relu()?.relu()).unwrap())
        .unwrap()
        .replacement(pattern(|[x]| x.relu()).unwrap())
        .unwrap();
    let swapped = PatternRewriter::new(|x: &Proxy, y: &Proxy| x + y).unwrap();
    let swapped = swapped.replacement(|x: &Proxy, y: &Proxy| y + x).unwrap();
    let cancelled = PatternRewriter::new(|x: &Proxy| x.neg()?.neg()).unwrap();
    let cancelled = cancelled.replacement(pattern(|[x]| Result::Ok(x)).unwrap()).unwrap();
    let two = PatternRewriter::new(pattern(|[x]| Result::Ok((x.relu()?, x.tanh()?))).unwrap()).unwrap();
    let two = two.replacement(pattern(|[x]| Result::Ok((x.relu()?, x.tanh()?))).unwrap()).unwrap();
    let shared = PatternRewriter::new(
        pattern(|[x, y]| {
            let a = x.relu()?;
            Result::Ok((a.clone(), (a + y)?))
        })
        .unwrap(),
    )
    .unwrap();
    let shared = shared
        .replacement(
            pattern(|[x, y]| {
                let a = x.relu()?;
                Result::Ok((a.clone(), (y + a)?))
            })
            .unwrap(),
        )
        .unwrap();
    vec![relu_once, swapped, cancelled, two, shared]
}

#[test]
fn passes_change_no_result() {
    let mut rewrites_done = 0;
    for seed in 1..=150 {
        let mut random = Random(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
        let calls = random.below(60);
        let original = graph(&mut random, calls);
        original.check().unwrap();
        let mut passes: Vec<Box<dyn Pass>> = vec![
            Box::new(CommonSubexpressions::new()),
            Box::new(ConstantFolding::new()),
            Box::new(DeadCode::new()),
            Box::new(Partitioner::new(|graph, id: NodeId| graph.node(id).name().len() % 2 == 0)),
            Box::new(Partitioner::new(|_, _| true).skip_horizontal_fusion(true).allows_single_node_partition(true)),
        ];
        passes.extend(rewrites().into_iter().map(|rewrite| Box::new(rewrite) as Box<dyn Pass>));
        let mut all = original.clone();
        for (number, pass) in passes.iter_mut().enumerate() {
            // Each alone, stopped somewhere, and on top of those before.
            for mut fuel in [Fuel::unlimited(), Fuel::new(random.below(5))] {
                let mut module = original.clone();
                pass.run(&mut module, &mut fuel).unwrap_or_else(|error| panic!("{seed}/{number}: {error}\n{original}"));
                module.check().unwrap_or_else(|error| panic!("{seed}/{number}: {error}\n{original}\n{module}"));
                assert_same(&original, &module, &inputs());
                rewrites_done += fuel.used();
            }
            pass.run(&mut all, &mut Fuel::unlimited()).unwrap();
            all.check().unwrap_or_else(|error| panic!("{seed}/{number}: {error}\n{original}\n{all}"));
            assert_same(&original, &all, &inputs());
        }
    }
    assert!(rewrites_done > 2_000, "{rewrites_done}");
}

#[test]
fn splitting_changes_no_result() {
    for seed in 1..=100 {
        let mut random = Random(0xD134_2543_DE82_EF95_u64.wrapping_mul(seed));
        let original = graph(&mut random, 40);
        let parts = 1 + random.below(5);
        let mut count = 0;
        // In order, so that no parts need each other in a ring.
        let split = split_module(&original, |_, _| {
            count += 1;
            (count % 7 != 0).then_some(count * parts / 41)
        });
        match split {
            Ok(split) => {
                split.check().unwrap();
                assert!(split.children().count() <= parts);
                assert_same(&original, &split, &inputs());
            }
            // What stays outside can be in the middle of a part.
            Err(error) => assert!(error.to_string().contains("a path leads out of it"), "{error}"),
        }
    }
}
