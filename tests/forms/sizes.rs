//! What Rust programs do with a size: each form gives what the original gives at every size, or a guard refuses the size,
//! or the capture is refused. Nothing of a size is baked in.

#![allow(
    clippy::manual_contains,
    clippy::nonminimal_bool,
    clippy::unnecessary_lazy_evaluations,
    reason = "forms that people write, in all ways"
)]

use candle_core::{DType, Device, Module, Result, Tensor};
use fx::{GraphModule, TraceError, Tracer};

use crate::support::{is_same, tensor};

/// What a form is: its name, its graph of all sizes, and the original.
type Form = (&'static str, std::result::Result<GraphModule, TraceError>, fn(&Tensor) -> Result<Tensor>);

/// Models of `x`, whose dimension 1 is `n`, captured at an example of so many batches and rows for all of them.
macro_rules! forms {
    ($list:ident: $($name:ident |$x:ident, $n:ident| { $($body:tt)* })*) => {
        $(
            #[fx::module]
            struct $name;

            #[fx::module]
            impl Module for $name {
                fn forward(&self, $x: &Tensor) -> Result<Tensor> {
                    let $n = $x.dim(1)?;
                    $($body)*
                }
            }
        )*

        fn $list((batch, rows): (usize, usize)) -> Vec<Form> {
            vec![$({
                let tracer = Tracer::new().input("x", DType::F32, (batch, rows, 4));
                let captured = tracer.dynamic("x", 0, "batch").dynamic("x", 1, "n").trace(&$name);
                (stringify!($name), captured, |x: &Tensor| $name.forward(x))
            }),*]
        }
    };
}

const ROWS: [usize; 17] = [6, 0, 1, 2, 3, 4, 5, 7, 8, 12, 17, 31, 64, 97, 300, 1001, 2049];

/// The example of which every number is another.
const USUAL: (usize, usize) = (2, 6);

/// What came of each form, as a line.
fn report(forms: Vec<Form>) -> String {
    let lines = forms.into_iter().map(|(name, captured, original)| {
        let module = match captured {
            Ok(module) => module,
            Err(error) => {
                let text = error.to_string();
                // A panic at the example itself is told by Rust.
                assert!(text.contains("sizes.rs:") || text.contains("the model panicked"), "{name}: {text}");
                return format!("{name}: the capture is refused: {}", text.lines().next().unwrap_or_default());
            }
        };
        module.check().unwrap_or_else(|error| panic!("{name}: {error}\n{}", module.graph()));
        let text = module.graph().to_text().unwrap();
        let table = fx::ops::OpTable::builtin().clone().with(&[fx::op_of!(grid)]);
        let read = fx::Graph::parse(&text, &table).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert_eq!(read.to_text().unwrap(), text);
        assert!(module.code().contains("fn forward"), "{name}");
        let (mut refused, mut fails) = (Vec::new(), Vec::new());
        for (batch, rows) in ROWS.map(|rows| (2, rows)).into_iter().chain([(1, 6), (5, 7), (3, 8)]) {
            let x = tensor(&[batch, rows, 4]);
            let expected = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| original(&x)));
            let expected = expected.unwrap_or_else(|_| candle_core::bail!("the original panics"));
            match (expected, module.forward(&[&x])) {
                (Ok(expected), Ok(found)) => {
                    assert!(is_same(&expected, &found), "{name} at {batch}, {rows}:\n{}", module.graph());
                }
                (Err(error), Ok(_)) => panic!("{name} at {batch}, {rows}: the original says {error}"),
                (Ok(_), Err(_)) => refused.push(rows),
                (Err(_), Err(_)) => fails.push(rows),
            }
        }
        let of =
            |what: &str, rows: &[usize]| if rows.is_empty() { String::new() } else { format!(", {what} {rows:?}") };
        format!("{name}: exact{}{}", of("refuses", &refused), of("both fail at", &fails))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What no twin sees.
fn is_special(n: usize) -> bool {
    n % 64 == 1
}

/// Coordinates from the host, that follow from no row and column alone.
#[fx::module]
fn grid(size: (usize, usize), start: [usize; 2], device: &Device) -> Result<Tensor> {
    let (rows, columns) = size;
    let at = |i: usize, j: usize| (start[0] + 3 * i) as f32 / (start[1] + j) as f32;
    let all: Vec<f32> = (0..rows).flat_map(|i| (0..columns).map(move |j| at(i, j))).collect();
    Tensor::from_vec(all, (rows, columns), device)
}

/// Numbers from the host.
#[fx::module]
fn host(values: Vec<f32>, x: &Tensor) -> Result<Tensor> {
    let count = values.len();
    Tensor::from_vec(values, count, x.device())
}

forms! { numbers:
    DivCeil |x, n| { x.narrow(1, 0, n.div_ceil(3)) }
    Remainder |x, n| { x.narrow(1, 0, n % 4) }
    NextMultiple |x, n| { x.pad_with_zeros(1, 0, n.next_multiple_of(8) - n) }
    Shifted |x, n| { x.narrow(1, 0, (n << 1 >> 2) + (n & 1)) }
    Minimum |x, n| { x.narrow(1, 0, n.min(5)) }
    Clamped |x, n| { x.narrow(1, 0, n.clamp(2, 9).min(n)) }
    Maximum |x, n| { x.pad_with_zeros(1, 0, n.max(7) - n) }
    Saturating |x, n| { x.narrow(1, n.saturating_sub(3), n.min(3)) }
    Squared |x, n| { x.reshape((x.dim(0)?, n * 4))?.pad_with_zeros(1, n.pow(2), 1) }
    Casts |x, n| { x.narrow(1, 0, (n as u32 as i64 - 1) as usize) }
    Converted |x, n| { let m: i64 = n.try_into().map_err(candle_core::Error::wrap)?; x.narrow(1, 0, usize::try_from(m - m / 2).map_err(candle_core::Error::wrap)?) }
    Difference |x, n| { x.narrow(1, 0, n.abs_diff(2)) }
    AsByte |x, n| { x.narrow(1, 0, n as u8 as usize) }
    InATuple |x, n| { x.reshape(((), n * 4)) }
    Counted |x, n| { let ones = vec![1f32; n]; x.broadcast_add(&Tensor::from_vec(ones, (n, 1), x.device())?) }
    Collected |x, n| { x.broadcast_add(&Tensor::from_vec((0..n).map(|i| i as f32).collect::<Vec<_>>(), (n, 1), x.device())?) }
    Reversed |x, n| { x.index_select(&Tensor::from_vec((0..n as u32).rev().collect::<Vec<_>>(), n, x.device())?, 1) }
    Capacity |x, n| { let mut v = Vec::with_capacity(n); for i in 0..n { v.push(i as f32); } x.broadcast_add(&Tensor::from_vec(v, (n, 1), x.device())?) }
    Strided |x, n| { x.index_select(&Tensor::arange_step(0u32, n as u32, 2, x.device())?, 1) }
    Position |x, n| { x.narrow(1, n - 1, 1) }
    Halves |x, n| { let half = n / 2; let (a, b) = (x.narrow(1, 0, half)?, x.narrow(1, half, n - half)?); Tensor::cat(&[&b, &a], 1) }
    Windows |x, n| { x.narrow(1, 0, (n - 1) / 2 + 1) }
    Hidden |x, n| { x.narrow(1, 0, n.isqrt()) }
    Bits |x, n| { x.narrow(1, 0, n.ilog2() as usize) }
    Xor |x, n| { x.narrow(1, 0, (n ^ 1).min(n)) }
    FromFloat |x, n| { x.narrow(1, 0, (n as f64 * 0.5) as usize) }
    Ceiled |x, n| { x.narrow(1, 0, (n as f32 / 3.0).ceil() as usize) }
    Together |x, n| { x.reshape((x.dim(0)? * n, 4)) }
    SmallerOfTwo |x, n| { x.narrow(1, 0, n.min(x.dim(0)? + 1)) }
    MoreThanTheOther |x, n| { x.narrow(1, 0, n.saturating_sub(x.dim(0)?)) }
    PartOfTheOther |x, n| { x.narrow(1, n % x.dim(0)?, n / x.dim(0)?) }
    Elements |x, n| { x.reshape(x.elem_count() / (n * 4) * n * 4) }
    Distance |x, n| { x.narrow(1, 0, (n as i64 - 4).unsigned_abs() as usize) }
    Groups |x, n| { x.pad_with_zeros(1, 0, 60 / n) }
    Left |x, n| { x.pad_with_zeros(1, 0, 60 % n) }
}

forms! { decisions:
    AssertEq |x, n| { assert_eq!(n % 2, 0, "odd"); x.relu() }
    Assert |x, n| { assert!(n < 50); x.relu() }
    DebugAssert |x, n| { debug_assert!(n != 7); x.relu() }
    IfLet |x, n| { if let 1 = n { x.relu() } else { x.exp() } }
    LetElse |x, n| { let 4..=1000 = n else { return x.relu() }; x.exp() }
    MatchRanges |x, n| { match n { 1 => x.relu(), 2..=4 => x.neg(), 5.. => x.exp(), _ => x.abs() } }
    MatchGuard |x, n| { match n { m if m > 100 => x.relu(), _ => x.exp() } }
    MatchSome |x, n| { match Some(n) { Some(1) => x.relu(), Some(_) => x.exp(), None => x.abs() } }
    MatchOrdering |x, n| { match n.cmp(&8) { std::cmp::Ordering::Less => x.exp(), std::cmp::Ordering::Equal => x.abs(), std::cmp::Ordering::Greater => x.relu() } }
    NextMultipleOf |x, n| { match n.checked_next_multiple_of(n % 4) { Some(_) => x.exp(), None => x.relu() } }
    Divides |x, n| { let group = 6usize; if group.is_multiple_of(n) { x.relu() } else { x.exp() } }
    MultipleOf |x, n| { if n.is_multiple_of(2) { x.exp() } else { x.relu() } }
    PowerOfTwo |x, n| { if n.is_power_of_two() { x.relu() } else { x.exp() } }
    CheckedSub |x, n| { match n.checked_sub(3) { Some(m) => x.narrow(1, m, 3), None => x.exp() } }
    CheckedThen |x, n| { if let Some(m) = n.checked_sub(5) { x.narrow(1, 0, m) } else { x.relu() } }
    SignedSub |x, n| { match (n as i64).checked_sub(40) { Some(m) => x + m as f64, None => x.exp() } }
    Contains |x, n| { if (3..=40).contains(&n) { x.exp() } else { x.relu() } }
    Then |x, n| { match (n > 100).then(|| n / 2) { Some(m) => x.narrow(1, 0, m), None => x.exp() } }
    Comparison |x, n| { if 50.lt(&n) { x.relu() } else { x.exp() } }
    Greatest |x, n| { if n.max(20) == 20 { x.exp() } else { x.relu() } }
    InArray |x, n| { if [1, 2, 300].contains(&n) { x.relu() } else { x.exp() } }
    AnyOf |x, n| { if [1usize, 2, 300].iter().any(|m| *m == n) { x.relu() } else { x.exp() } }
    Looked |x, n| { let factors = [1.0, 2.0, 3.0]; x * *factors.get(n).unwrap_or(&0.5) }
    Sign |x, n| { if (n as i64 - 20).signum() < 0 { x.exp() } else { x.relu() } }
    Float |x, n| { if (n as f64).sqrt() > 10.0 { x.relu() } else { x.exp() } }
    FloatRatio |x, n| { if n as f32 / 10.0 >= 1.0 { x.relu() } else { x.exp() } }
    Dims |x, n| { if x.dims() == [2, n, 4] { x.exp() } else { x.relu() } }
    ShapeIsNot |x, n| { if x.dims() != [5, 97, 4] && n < 5000 { x.exp() } else { x.relu() } }
    ShapesDiffer |x, n| { let y = x.narrow(1, 0, n.min(40))?; if y.shape() == x.shape() { x.exp() } else { x.relu() } }
    Tuples |x, n| { if (x.dim(0)?, n) < (3, 9) { x.exp() } else { x.relu() } }
    Filtered |x, n| { match Some(n).filter(|n| *n < 60) { Some(_) => x.exp(), None => x.relu() } }
    TwoSizes |x, n| { if x.dim(0)? > n { x.relu() } else { x.exp() } }
    Window |x, n| { if n > 70 && n < 90 { x.relu() } else { x.exp() } }
    Exactly |x, n| { if n == 97 { x.relu() } else { x.exp() } }
    EvenAndFew |x, n| { if n % 2 == 0 { x.narrow(1, 0, n.min(100)) } else { x.exp() } }
    InWindows |x, n| { if n % 14 == 6 { x.narrow(1, 0, n.min(500)) } else { x.exp() } }
    Squeezed |x, n| { if n > 9 { x.squeeze(1)?.exp() } else { x.squeeze(0) } }
    InThree |x, _n| { let parts = x.chunk(3, 1)?; Tensor::cat(&[&parts[2], &parts[0], &parts[1]], 1) }
    Negated |x, n| { if !(n == 97) { x.exp() } else { x.relu() } }
    AtPosition |x, n| { let at = [8, 64, 512].iter().position(|most| n <= *most).unwrap_or(3); x.narrow(1, 0, n.min(at)) }
    PadToBucket |x, n| { let bucket = [16, 64, 256, 4096].into_iter().find(|bucket| *bucket >= n).unwrap_or(n); x.pad_with_zeros(1, 0, bucket - n) }
    Partition |x, n| { let past = [8, 64, 512].partition_point(|most| *most < n); if past == 0 { x.relu() } else { x * past as f64 } }
    Nearest |x, n| { let bucket = [16usize, 64, 256].into_iter().min_by_key(|bucket| bucket.abs_diff(n)).unwrap_or(16); x.pad_with_zeros(1, 0, bucket) }
    AllOf |x, n| { if [5usize, 40].iter().all(|m| n.gt(m)) { x.relu() } else { x.exp() } }
    Found |x, n| { match (0..3).find(|i| 1usize << (2 * i + 2) > n) { Some(i) => x + i as f64, None => x.exp() } }
    Unseen |x, n| { if is_special(n) { x.relu() } else { x.exp() } }
    UnseenNumber |x, n| { x * if is_special(n) { 2.0 } else { 3.0 } }
    Positive |x, n| { if (n as i64 - 40).is_positive() { x.relu() } else { x.exp() } }
    NotEqual |x, n| { if 97.ne(&n) && n.le(&3_000_000_000) { x.exp() } else { x.relu() } }
    ElseOfTwo |x, n| { let (2, 4..=50) = (x.dim(0)?, n) else { return x.relu() }; x.exp() }
    ElseOfOption |x, n| { let Some(0..=30) = n.checked_sub(2) else { return x.relu() }; x.exp() }
    GuardedArm |x, n| { match n { 0..=60 if x.rank() == 3 => x.exp(), _ => x.relu() } }
    TupleOfSizes |x, n| { if (n, x.dim(2)?) == (97, 4) { x.relu() } else { x.exp() } }
    FloatOver |x, n| { if n as f64 > 1.5 { x.exp() } else { x.relu() } }
    CeilOver |x, n| { if n.div_ceil(16) > 2 { x.relu() } else { x.exp() } }
    DifferenceOver |x, n| { if n.abs_diff(20) > 9 { x.exp() } else { x.relu() } }
    BitsOver |x, n| { if n & 1 == 0 && n >> 3 == 0 { x.exp() } else { x.relu() } }
    NextPower |x, n| { if n.next_power_of_two() == n { x.relu() } else { x.exp() } }
    Walked |x, n| { let mut m = n; let mut steps = 0; while m > 4 { m = m.div_ceil(2); steps += 1; } if steps > 2 { x.relu() } else { x.exp() } }
    EmptyOrNot |x, n| { if x.elem_count() == 0 { x.clone().sum_keepdim(1) } else if n == 0 { x.relu() } else { x.exp() } }
}

forms! { tables:
    Banded |x, n| { let seen = |i: usize, j: usize| if j > i || j + 3 < i { f32::MIN } else { 0. }; let mask: Vec<f32> = (0..n).flat_map(|i| (0..n).map(move |j| seen(i, j))).collect(); Tensor::from_vec(mask, (n, n), x.device())?.broadcast_as((x.dim(0)?, n, n))?.contiguous()?.matmul(x) }
    Spread |x, n| { let b = x.dim(0)?; let mask: Vec<f32> = (0..b * n * n).map(|at| if at % n > at / n % n + 1 { 1. } else { 0.5 }).collect(); Tensor::from_vec(mask, (b, n, n), x.device())?.matmul(x) }
    Buckets |x, n| { let bucket = |i: usize, j: usize| if j > i { 9 } else { (i - j).min(8).ilog2_or_zero() }; let at: Vec<u32> = (0..n).flat_map(|i| (0..n).map(move |j| bucket(i, j))).collect(); Tensor::from_vec(at, (n, n), x.device())?.to_dtype(DType::F32)?.sum_keepdim(1)?.broadcast_mul(&x.mean_keepdim(0)?) }
    Prefix |x, n| { let angles: Vec<f32> = (0..n * 4).map(|at| ((at / 4) as f32 * 0.1 * (at % 4) as f32).cos()).collect(); x.broadcast_mul(&Tensor::from_vec(angles, (n, 4), x.device())?) }
    Nothing |x, n| { let odd: Vec<f32> = (0..n).map(|i| ((i * n) % 5) as f32).collect(); x.broadcast_add(&Tensor::from_vec(odd, (n, 1), x.device())?) }
    Grid |x, n| { x.broadcast_add(&grid((n, 4), [n + 1, 2], x.device())?) }
    FromTheEnd |x, n| { let left: Vec<f32> = (0..n).map(|i| (n - i) as f32).collect(); x.broadcast_add(&Tensor::from_vec(left, (n, 1), x.device())?) }
}

/// What T5 does with distances, in short.
trait Log {
    fn ilog2_or_zero(self) -> u32;
}

impl Log for usize {
    fn ilog2_or_zero(self) -> u32 {
        self.checked_ilog2().unwrap_or(0)
    }
}

forms! { loops:
    Each |x, n| { let mut y = x.exp()?; for i in 0..n { y = (y + i as f64)?; } Ok(y) }
    Rows |x, n| { let mut rows = Vec::with_capacity(n); for i in 0..n { rows.push(x.narrow(1, i, 1)?); } Tensor::cat(&rows, 1) }
    Chunks |x, n| { let chunks = x.chunk(n.div_ceil(4), 1)?; Tensor::cat(&chunks, 1) }
    Few |x, n| { let mut y = x.exp()?; for _ in 0..n.min(3) { y = (y * 2.0)?; } Ok(y) }
    While |x, n| { let (mut y, mut m) = (x.exp()?, n); while m > 10 { m /= 2; y = (y * 0.5)?; } Ok(y) }
    Stepped |x, n| { let mut y = x.exp()?; for _ in (0..n).step_by(16) { y = (y + 1.0)?; } Ok(y) }
    Folded |x, n| { (0..n).try_fold(x.clone(), |y, _| y.relu()) }
    Summed |x, n| { x.narrow(1, 0, (0..n).filter(|i| i % 2 == 0).count()) }
    Total |x, n| { x + (0..n).sum::<usize>() as f64 }
    Split |x, n| { let sizes: Vec<usize> = (0..2).map(|i| if i == 0 { n / 2 } else { n - n / 2 }).collect(); let mut at = 0; let mut parts = Vec::new(); for size in &sizes { parts.push(x.narrow(1, at, *size)?); at += size; } parts.reverse(); Tensor::cat(&parts, 1) }
    Nested |x, n| { let mut y = x.exp()?; for i in 0..n { for _ in 0..i { y = (y + 1.0)?; } } Ok(y) }
    Broken |x, n| { let (mut y, mut i) = (x.exp()?, 0); loop { if i == n { break Ok(y); } y = (y + 1.0)?; i += 1; } }
    Mapped |x, n| { let rows = (0..n).map(|i| x.get_on_dim(1, i)?.relu()).collect::<Result<Vec<_>>>()?; Tensor::stack(&rows, 1) }
    Masked |x, n| { let mut mask = vec![0f32; n * n]; for i in 0..n { for j in i + 1..n { mask[i * n + j] = f32::MIN; } } Tensor::from_vec(mask, (n, n), x.device())?.broadcast_as((x.dim(0)?, n, n))?.contiguous()?.matmul(x) }
    Limited |x, n| { let mut y = x.exp()?; for i in 0..4 { if i * 3 < n { y = (y * 2.0)?; } } Ok(y) }
    DynamicBatch |x, _n| { let mut rows = Vec::new(); for i in 0..x.dim(0)? { rows.push(x.get(i)?.exp()?); } Tensor::stack(&rows, 0) }
}

forms! { floats:
    Scaled |x, n| { x * (1.0 / (n as f64).sqrt()) }
    Rooted |x, n| { x / (n as f64).sqrt() }
    Mean |x, n| { x.sum_keepdim(1)? / n as f64 }
    Area |x, n| { let scale = (n * x.dim(0)?) as f32; x / scale as f64 }
    Single |x, n| { let scale = 1.0 / (n as f32).sqrt(); x * scale as f64 }
    Power |x, n| { x * (n as f64).powf(-0.25) }
    Logarithm |x, n| { x * ((n as f64).ln() / 512f64.ln()) }
    Fraction |x, n| { x.affine(n as f64 / (n + 1) as f64, 0.25) }
    Constant |x, n| { x.affine(0.1 * n as f64, n as f64 + 0.5) }
    Tenth |x, n| { x * (n as f64 / 10.0) }
    Clamp |x, n| { x.clamp(-1.0 / n as f64, 1.0 / n as f64) }
    Ratio |x, n| { x * (x.dim(0)? as f64 / n as f64) }
    Tensored |x, n| { x.broadcast_mul(&Tensor::new(1.0 / (n as f32).sqrt(), x.device())?) }
    Full |x, n| { x.broadcast_mul(&Tensor::full((n as f32).sqrt(), (n, 1), x.device())?) }
    HostList |x, n| { x.broadcast_add(&host(vec![1.0 / n as f32; 4], x)?) }
    Sine |x, n| { x * (n as f64).sin() }
    SquareOfFloat |x, n| { x * (n as f64).powi(2) }
    Doubled |x, n| { let s = (n as f64).sqrt(); (x * s)? / (s * 2.0) }
    Rounded |x, n| { x * (n as f64 / 4.0).round() }
    Exponential |x, n| { x * (-(n as f64)).exp() }
    Linspace |x, n| { let step = 1.0 / n as f32; let v: Vec<f32> = (0..n).map(|i| i as f32 * step).collect(); x.broadcast_add(&Tensor::from_vec(v, (n, 1), x.device())?) }
}

#[test]
fn numbers_that_follow_a_size() {
    insta::assert_snapshot!(report(numbers(USUAL)));
}

#[test]
fn decisions_by_a_size() {
    insta::assert_snapshot!(report(decisions(USUAL)));
}

#[test]
fn tensors_built_by_a_size() {
    insta::assert_snapshot!(report(tables(USUAL)));
}

#[test]
fn loops_over_a_size() {
    insta::assert_snapshot!(report(loops(USUAL)));
}

#[test]
fn floats_that_follow_a_size() {
    insta::assert_snapshot!(report(floats(USUAL)));
}

/// An example of one, or of nothing, stands for all sizes as well as any other: what is special about it is refused or exact.
#[test]
fn examples_of_one_and_of_nothing() {
    let all = |example| [numbers, decisions, tables, loops, floats].map(|list| report(list(example))).join("\n");
    let usual = all(USUAL);
    for (name, example) in [("one", (1, 1)), ("one_batch", (1, 6)), ("nothing", (0, 0))] {
        let found = all(example);
        // Only what is not as at the usual example.
        let lines = found.lines().zip(usual.lines()).filter(|(found, usual)| found != usual);
        insta::assert_snapshot!(name, lines.map(|(found, _)| found).collect::<Vec<_>>().join("\n"));
    }
}
