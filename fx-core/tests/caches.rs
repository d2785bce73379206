//! candle's caches and their mirrors: one script runs on both, and everything it sees is equal to the last bit, at once
//! in a concrete capture, and when the captured graph runs.

use std::cell::RefCell;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::kv_cache as candle;
use fx_core::leaf::kv_cache as mirror;
use fx_core::module::GraphModule;
use fx_core::trace::{Proxy, TraceError, Traceable, Tracer};
use fx_core::value::Value;

/// What a script does with a cache.
#[derive(Debug, Clone, Copy)]
enum Step {
    Append(usize),
    Reset,
}
use Step::{Append, Reset};

fn numbers(dims: &[usize]) -> Tensor {
    let count: usize = dims.iter().product();
    let data: Vec<f32> = (0..count).map(|i| (i as f32 * 0.37).sin()).collect();
    Tensor::from_vec(data, dims, &Device::Cpu).expect("as many numbers")
}

fn bits(tensor: &Tensor) -> (Vec<usize>, DType, Vec<u64>) {
    let data = tensor.to_dtype(DType::F64).and_then(|data| data.flatten_all()?.to_vec1::<f64>());
    let data = data.expect("numbers").into_iter().map(f64::to_bits).collect();
    (tensor.dims().to_vec(), tensor.dtype(), data)
}

/// The keys of all steps, long enough for every script.
fn keys() -> Tensor {
    numbers(&[2, 3, 40, 4])
}

/// A script that runs on candle's cache and on its mirror: the tensors it makes, and the numbers it sees.
macro_rules! script {
    ($name:ident($cache:ident: $type:ident, $x:ident, $steps:ident, $seen:ident) $body:block) => {
        mod $name {
            use super::*;

            pub(super) fn on_candle(
                $cache: &mut candle::$type, $x: &Tensor, $steps: &[Step], $seen: &mut Vec<usize>,
            ) -> Result<Vec<Tensor>> $body

            pub(super) fn on_mirror(
                $cache: &mut mirror::$type, $x: &Proxy, $steps: &[Step], $seen: &mut Vec<usize>,
            ) -> Result<Vec<Proxy>> $body
        }
    };
}

script! { growing(cache: KvCache, x, steps, seen) {
    let (mut out, mut at) = (Vec::new(), 0);
    for step in steps {
        match *step {
            Reset => cache.reset(),
            Append(len) => {
                let k = x.narrow(2, at, len)?.contiguous()?;
                let (k, v) = cache.append(&k, &k.affine(2.0, 1.0)?)?;
                at += len;
                seen.extend([cache.current_seq_len(), cache.k_cache().max_seq_len(), cache.v_cache().dim()]);
                // What candle gives of its buffer is written over at the next call, so it is copied.
                out.extend(cache.k_cache().all_data().as_ref().map(|data| data.copy()).transpose()?);
                out.push(v.matmul(&k.transpose(2, 3)?)?);
                out.extend(cache.v()?);
            }
        }
    }
    Ok(out)
}}

script! { rotating(cache: RotatingKvCache, x, steps, seen) {
    let (mut out, mut at) = (Vec::new(), 0);
    for step in steps {
        match *step {
            Reset => cache.reset(),
            Append(len) => {
                seen.extend(cache.positions(len));
                out.extend(cache.attn_mask(len, &Device::Cpu)?);
                let k = x.narrow(2, at, len)?.contiguous()?;
                let (k, v) = cache.append(&k, &k.affine(2.0, 1.0)?)?;
                at += len;
                seen.extend([cache.current_seq_len(), cache.offset(), cache.k_cache().max_seq_len()]);
                out.push(v.matmul(&k.transpose(2, 3)?)?);
                // What candle gives is written over at the next call, so it is copied.
                out.push(k.copy()?);
                for held in [cache.k_cache().all_data().clone(), cache.v()?].into_iter().flatten() {
                    out.push(held.copy()?);
                }
            }
        }
    }
    Ok(out)
}}

script! { concatenated(cache: ConcatKvCache, x, steps, seen) {
    let (mut out, mut at) = (Vec::new(), 0);
    for step in steps {
        match *step {
            Reset => cache.reset(),
            Append(len) => {
                let k = x.narrow(2, at, len)?;
                let (k, v) = cache.append(&k, &k.affine(2.0, 1.0)?)?;
                at += len;
                seen.extend([cache.current_seq_len(), cache.dim(), usize::from(cache.is_empty())]);
                out.push(v.matmul(&k.transpose(2, 3)?)?);
                out.extend(cache.k().cloned());
                out.extend(cache.v().cloned());
            }
        }
    }
    Ok(out)
}}

script! { interleaved(cache: InterleavedKvCache, x, steps, seen) {
    let (mut out, mut at) = (Vec::new(), 0);
    for step in steps {
        match *step {
            Reset => cache.reset(),
            Append(len) => {
                let k = x.narrow(0, 0, 1)?.narrow(2, at, len)?;
                let kv = cache.append(&k, &k.affine(2.0, 1.0)?)?;
                at += len;
                seen.extend([cache.current_seq_len(), cache.head_dim(), usize::from(cache.is_empty())]);
                out.push(kv.narrow(2, 0, 4)?);
                out.extend(cache.kv().cloned());
            }
        }
    }
    Ok(out)
}}

script! { scattered(builder: ScatteredCacheBuilder, x, steps, seen) {
    let (mut out, mut at) = (Vec::new(), 0);
    let mut cache = builder.make_cache(3, 4)?;
    for step in steps {
        match *step {
            Reset => builder.reset_batch_index(1),
            Append(len) => {
                let iam = builder.indices_and_mask(len, &[true, at % 3 != 0])?;
                let k = x.narrow(2, at, len)?.contiguous()?;
                let (k, v) = cache.append(&k, &k.affine(2.0, 1.0)?, &iam)?;
                at += len;
                seen.extend(builder.positions());
                out.extend([iam.mask().clone(), k.copy()?, v.copy()?, cache.k().copy()?]);
            }
        }
    }
    Ok(out)
}}

/// The keys as the one input of a graph: with data, by shape, or unknown.
fn tracers(x: &Tensor, known_only: bool) -> Vec<Tracer<'_>> {
    let given = [Tracer::new().example("x", x), Tracer::new().input("x", x.dtype(), x.shape())];
    let unknown = (!known_only).then(Tracer::new);
    given.into_iter().chain(unknown).collect()
}

fn results(module: &GraphModule, x: &Tensor) -> Vec<Tensor> {
    module.check().unwrap_or_else(|errors| panic!("{errors}\n{}", module.graph()));
    // Each run is of the cache as it was captured.
    module.reset_state();
    let value = module.run(&[Value::from(x)]).unwrap_or_else(|error| panic!("{error}\n{}", module.graph()));
    let (Value::List(values) | Value::Tuple(values)) = &value else { panic!("a list, not {value:?}") };
    values.iter().map(|value| value.as_tensor().cloned().expect("a tensor")).collect()
}

macro_rules! assert_same {
    ($script:ident, $make:expr, $steps:expr) => {{
        let (x, other, steps) = (keys(), keys().affine(-0.5, 3.0).expect("numbers"), $steps);
        let run = |x: &Tensor| {
            let mut seen = Vec::new();
            ($script::on_candle(&mut $make, x, steps, &mut seen).expect("candle runs it"), seen)
        };
        for tracer in tracers(&x, true) {
            let seen = RefCell::new(Vec::new());
            let module = tracer
                .trace_with(&($make,), |(cache,), inputs| {
                    $script::on_mirror(cache, &inputs.tensor("x")?, steps, &mut seen.borrow_mut())
                })
                .expect("captured");
            for x in [&x, &other] {
                let (expected, expected_seen) = run(x);
                assert_eq!(expected_seen, *seen.borrow(), "{steps:?}");
                let found = results(&module, x);
                assert_eq!(expected.len(), found.len());
                for (i, (expected, found)) in expected.iter().zip(&found).enumerate() {
                    assert_eq!(bits(expected), bits(found), "result {i} of {steps:?}\n{}", module.graph());
                }
            }
        }
    }};
}

/// Runs and the same after part of it was run before the capture.
const RUNS: &[&[Step]] = &[
    &[Append(4), Append(1), Append(1)],
    &[Append(1), Append(1), Append(1), Append(1), Append(1), Append(1), Append(1)],
    &[Append(5), Append(2), Append(3), Append(4), Append(5), Append(6)],
    &[Append(3), Reset, Append(2), Append(9)],
    &[Append(11), Append(1), Append(2)],
    &[Append(2), Append(4), Append(3), Append(1), Append(7)],
    &[Reset, Append(5)],
];

#[test]
fn caches_that_grow() {
    for run in RUNS {
        for size in [1, 5, 6, 64] {
            assert_same!(growing, candle::KvCache::new(2, size), *run);
        }
        let filled = |size| {
            let mut cache = candle::KvCache::new(2, size);
            let k = numbers(&[2, 3, 7, 4]);
            cache.append(&k, &k).expect("it fits");
            cache
        };
        // Filled, filled beyond its first size, and emptied after that.
        assert_same!(growing, filled(8), *run);
        assert_same!(growing, filled(2), *run);
        let emptied = || {
            let mut cache = filled(2);
            cache.reset();
            cache
        };
        assert_same!(growing, emptied(), *run);
    }
}

#[test]
fn caches_that_rotate() {
    for run in RUNS {
        for size in [1, 5, 6, 64] {
            assert_same!(rotating, candle::RotatingKvCache::new(2, size), *run);
        }
        for lens in [&[3][..], &[6], &[9, 2], &[4, 4, 4], &[1, 6, 1], &[5, 1], &[2, 3, 4, 5]] {
            let filled = || {
                let mut cache = candle::RotatingKvCache::new(2, 6);
                for &len in lens {
                    let k = numbers(&[2, 3, len, 4]);
                    cache.append(&k, &k).expect("it fits");
                }
                cache
            };
            assert_same!(rotating, filled(), *run);
        }
    }
}

#[test]
fn caches_that_concatenate() {
    for run in RUNS {
        assert_same!(concatenated, candle::ConcatKvCache::new(2), *run);
        assert_same!(interleaved, candle::InterleavedKvCache::new(4), *run);
        let filled = || {
            let mut cache = candle::ConcatKvCache::new(2);
            let k = numbers(&[2, 3, 2, 4]);
            cache.append(&k, &k).expect("it fits");
            cache
        };
        assert_same!(concatenated, filled(), *run);
        let filled = || {
            let mut cache = candle::InterleavedKvCache::new(4);
            let k = numbers(&[1, 3, 2, 4]);
            cache.append(&k, &k).expect("it fits");
            cache
        };
        assert_same!(interleaved, filled(), *run);
    }
}

#[test]
fn caches_that_are_scattered() {
    for run in RUNS {
        for size in [3, 6, 64] {
            let builder = || candle::ScatteredCacheBuilder::new(2, size, DType::F32, &Device::Cpu).expect("a builder");
            assert_same!(scattered, builder(), *run);
            let started = || {
                let mut builder = builder();
                builder.indices_and_mask(2, &[true, false]).expect("a mask");
                builder
            };
            assert_same!(scattered, started(), *run);
        }
    }
}

#[test]
fn places_and_masks_are_given_as_arguments() {
    let made = |mask: &[bool], len| {
        let mut builder = candle::ScatteredCacheBuilder::new(2, 5, DType::F32, &Device::Cpu).expect("a builder");
        builder.indices_and_mask(4, &[true, false]).expect("a mask");
        (builder.make_cache(3, 4).expect("a cache"), builder.indices_and_mask(len, mask).expect("a mask"))
    };
    for (mask, len) in [([true, true], 3), ([false, true], 3), ([true, false], 1), ([true, true], 5)] {
        let (mut cache, iam) = made(&mask, len);
        let x = keys().narrow(2, 0, len).and_then(|x| x.contiguous()).expect("a part");
        let module = Tracer::new()
            .example("x", &x)
            .trace_with(&(made(&mask, len).0, made(&mask, len).1), |(cache, iam), inputs| {
                let x = inputs.tensor("x")?;
                let (k, v) = cache.append(&x, &x, iam)?;
                Ok::<_, candle_core::Error>(vec![k, v, iam.mask().clone()])
            })
            .expect("captured");
        let (k, v) = cache.append(&x, &x, &iam).expect("it fits");
        for (expected, found) in [k, v, iam.mask().clone()].iter().zip(&results(&module, &x)) {
            assert_eq!(bits(expected), bits(found), "{mask:?} {len}");
        }
    }
}

// ── Without shapes, refusals, what stays as it was ─────────────────────────────────────────────────────────────────

#[test]
fn growing_needs_no_shape() {
    let x = numbers(&[1, 2, 5, 4]);
    let expected = {
        let mut cache = candle::KvCache::new(2, 3);
        cache.append(&x, &x).and_then(|_| cache.append(&x, &x)).expect("it fits").0
    };
    let module = Tracer::new()
        .trace_with(&(candle::KvCache::new(2, 3),), |(cache,), inputs| {
            let x = inputs.tensor("x")?;
            cache.append(&x, &x)?;
            cache.append(&x, &x).map(|(k, _)| k)
        })
        .expect("captured");
    assert_eq!(bits(&expected), bits(&module.forward(&[&x]).expect("it runs")));
}

#[test]
fn a_count_that_is_not_known_is_asked_for() {
    let captured = Tracer::new().trace_with(&(candle::KvCache::new(2, 3),), |(cache,), inputs| {
        let x = inputs.tensor("x")?;
        cache.append(&x, &x)?;
        &x * cache.current_seq_len() as f64
    });
    let error = captured.expect_err("the length is not known");
    assert!(matches!(&error, TraceError::Unknown { query: "current_seq_len", .. }), "{error}");
    let captured = Tracer::new().trace_with(&(candle::RotatingKvCache::new(2, 3),), |(cache,), inputs| {
        let x = inputs.tensor("x")?;
        cache.append(&x, &x).map(|(k, _)| k)
    });
    let error = captured.expect_err("the length is not known");
    assert!(error.to_string().contains(".input(\"x\""), "{error}");
}

#[test]
fn what_candle_would_not_write_is_refused() {
    type Make = fn(&Tensor) -> Tensor;
    let wrong: [(&str, Make); 3] = [
        ("does not fit", |x| x.narrow(1, 0, 2).and_then(|x| x.contiguous()).expect("a part")),
        ("does not fit", |x| x.to_dtype(DType::F64).expect("numbers")),
        ("contiguous", |x| x.transpose(1, 3).and_then(|x| x.contiguous()?.transpose(1, 3)).expect("a view")),
    ];
    for (reason, make) in wrong {
        let (first, second) = (numbers(&[2, 3, 2, 4]), make(&numbers(&[2, 3, 2, 4])));
        let mut cache = candle::KvCache::new(2, 8);
        cache.append(&first, &first).expect("it fits");
        cache.append(&second, &second).expect_err("candle refuses it too");
        let captured = Tracer::new().example("first", &first).example("second", &second).trace_with(
            &(candle::KvCache::new(2, 8),),
            |(cache,), inputs| {
                let (first, second) = (inputs.tensor("first")?, inputs.tensor("second")?);
                cache.append(&first, &first)?;
                cache.append(&second, &second).map(|(k, _)| k)
            },
        );
        let error = captured.expect_err("refused");
        assert!(error.to_string().contains(reason), "{error}");
        assert!(error.to_string().contains("caches.rs"), "{error}");
    }
}

#[test]
fn a_cache_that_cannot_grow_is_refused() {
    let x = numbers(&[1, 2, 5, 4]);
    let captured = Tracer::new().example("x", &x).trace_with(&(candle::Cache::new(2, 0),), |(cache,), inputs| {
        let x = inputs.tensor("x")?;
        cache.append(&x).map(|()| x)
    });
    let error = captured.expect_err("candle would never return");
    assert!(error.to_string().contains("max_seq_len"), "{error}");
}

#[test]
fn a_capture_leaves_the_cache_as_it_was() {
    let (x, more) = (numbers(&[2, 3, 4, 4]), numbers(&[2, 3, 1, 4]));
    let (mut growing, mut rotating) = (candle::KvCache::new(2, 8), candle::RotatingKvCache::new(2, 4));
    growing.append(&x, &x).expect("it fits");
    rotating.append(&x, &x).expect("it fits");
    let module = Tracer::new()
        .example("x", &more)
        .trace_with(&(growing.clone(), rotating.clone()), |(growing, rotating), inputs| {
            let x = inputs.tensor("x")?;
            Ok::<_, candle_core::Error>(vec![growing.append(&x, &x)?.0, rotating.append(&x, &x)?.0])
        })
        .expect("captured");
    results(&module, &more);
    for held in [growing.k_cache().all_data(), rotating.k_cache().all_data()] {
        let held = held.as_ref().and_then(|held| held.narrow(2, 0, 4).ok()).expect("a buffer");
        assert_eq!(bits(&held), bits(&x));
    }
    assert_eq!((growing.current_seq_len(), rotating.current_seq_len()), (4, 4));
    // Its content is what the graph reads, under the names of the fields.
    module.reset_state();
    for path in ["0.k", "1.v"] {
        assert_eq!(module.state().get(path).map(|held| held.tensors().len()), Some(1), "{path} of {}", module.state());
    }
}

/// A graph of what a cache holds gives the same, whatever is done with the cache afterwards.
fn graph_stays<C: Traceable>(mut cache: C, mut step: impl FnMut(&mut C, f64), held: fn(&C::Symbolic) -> Vec<Proxy>) {
    let x = numbers(&[1]);
    // As an attribute, after every number of steps: empty, half full, full, written around.
    for _ in 0..8 {
        let captured = Tracer::new().example("x", &x).trace_with(&cache, |cache, inputs| {
            inputs.tensor("x")?;
            Ok::<_, candle_core::Error>(held(cache))
        });
        let module = captured.expect("a capture");
        let before: Vec<_> = results(&module, &x).iter().map(bits).collect();
        for i in 0..3 {
            step(&mut cache, f64::from(i) + 10.0);
        }
        let after: Vec<_> = results(&module, &x).iter().map(bits).collect();
        assert_eq!(before, after, "{}", module.graph());
        step(&mut cache, 1.0);
    }
}

#[test]
fn a_graph_does_not_see_what_is_written_afterwards() {
    fn new(by: f64) -> Tensor {
        (numbers(&[2, 3, 1, 4]) * by).expect("a product")
    }
    macro_rules! stays {
        ($($cache:expr => |$mirror:ident: $type:ident| $held:expr;)*) => {$(
            graph_stays(
                $cache,
                |cache, by| drop(cache.append(&new(by), &new(by + 0.5)).expect("room")),
                |$mirror: &mirror::$type| $held,
            );
        )*};
    }
    for size in [1, 2, 4, 5, 8] {
        stays! {
            candle::RotatingKvCache::new(2, size) => |cache: RotatingKvCache| {
                let held = [cache.k(), cache.v()].map(|held| held.expect("held"));
                held.into_iter().chain([cache.k_cache().all_data().clone()]).flatten().collect()
            };
            candle::KvCache::new(2, size) => |cache: KvCache| {
                [cache.k(), cache.v()].into_iter().filter_map(|held| held.expect("held")).collect()
            };
        }
    }
    stays! {
        candle::ConcatKvCache::new(2) => |cache: ConcatKvCache| cache.k().into_iter().chain(cache.v()).cloned().collect();
    }
    let mut builder = candle::ScatteredCacheBuilder::new(2, 5, DType::F32, &Device::Cpu).expect("a builder");
    let cache = builder.make_cache(3, 4).expect("a cache");
    let step = |cache: &mut candle::ScatteredKvCache, by| {
        let places = builder.indices_and_mask(1, &[true, true]).expect("places");
        cache.append(&new(by), &new(by + 0.5), &places).expect("room");
    };
    graph_stays(cache, step, |cache| vec![cache.k().clone(), cache.v().clone()]);
}

#[test]
fn a_cache_that_a_helper_gives_is_copied() {
    use fx_core::trace::lift::Lifts;
    let mut cache = candle::RotatingKvCache::new(2, 2);
    let new = numbers(&[2, 3, 1, 4]);
    for _ in 0..2 {
        cache.append(&new, &new).expect("room");
    }
    let x = numbers(&[1]);
    let captured = Tracer::new().example("x", &x).trace_fn(|inputs| {
        inputs.tensor("x")?;
        Ok::<_, candle_core::Error>(cache.clone().lifted()?.k()?.into_iter().collect::<Vec<_>>())
    });
    let module = captured.expect("a capture");
    let before: Vec<_> = results(&module, &x).iter().map(bits).collect();
    let other = (&new * 3.0).expect("a product");
    cache.append(&other, &other).expect("room");
    assert_eq!(before, results(&module, &x).iter().map(bits).collect::<Vec<_>>());
    assert_ne!(before, [bits(&cache.k().expect("held").expect("keys"))]);
}

#[test]
fn a_graph_of_a_cache_reads_like_the_code() {
    let mut cache = candle::KvCache::new(2, 8);
    let x = numbers(&[1, 2, 4, 4]);
    cache.append(&x, &x).expect("it fits");
    let module = Tracer::new()
        .input("k", DType::F32, (1, 2, 1, 4))
        .input("v", DType::F32, (1, 2, 1, 4))
        .trace_with(&(cache,), |(cache,), inputs| {
            let (k, v) = cache.append(&inputs.tensor("k")?, &inputs.tensor("v")?)?;
            k.matmul(&v.t()?)
        })
        .expect("captured");
    insta::assert_snapshot!(module.graph().to_string());
}

/// A mirror is what a helper function's cache becomes in a twin.
#[test]
fn a_cache_that_a_helper_makes_is_lifted() {
    use fx_core::trace::lift::Returned;
    let x = numbers(&[1, 2, 3, 4]);
    let module = Tracer::new()
        .example("x", &x)
        .trace_with(&(), |(), inputs| {
            let mut cache = candle::KvCache::new(2, 8);
            cache.append(&x, &x)?;
            let mut cache: <candle::KvCache as Traceable>::Symbolic = cache.lift();
            let x = inputs.tensor("x")?;
            cache.append(&x, &x).map(|(k, _)| k)
        })
        .expect("captured");
    let expected = Tensor::cat(&[&x, &x], 2).expect("they fit");
    assert_eq!(bits(&expected), bits(&module.forward(&[&x]).expect("it runs")));
}
