//! Sizes that are special where no try of sizes hits: constants, keys and comparisons in all words that Rust has for them, and
//! floats that are made whole. A graph of all sizes gives what the original gives, or refuses the size.

#![allow(unused_braces, clippy::op_ref, reason = "forms that people write, in all ways")]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use candle_core::{DType, Module, Result, Tensor};
use fx::{GraphModule, TraceError, Tracer};

use crate::support::{assert_same, tensor};

const LIMIT: usize = 45;

struct Limits;

impl Limits {
    const WIDE: u8 = 45;
}

/// A name, the graph of all sizes, and the original.
type Form = (&'static str, std::result::Result<GraphModule, TraceError>, fn(&Tensor) -> Result<Tensor>);

/// Models of `x`, whose dimension 1 is `n`.
macro_rules! forms {
    ($list:ident: $($name:ident |$x:ident, $n:ident| $body:block)*) => {
        $(
            #[fx::module]
            struct $name;

            #[fx::module]
            impl Module for $name {
                fn forward(&self, $x: &Tensor) -> Result<Tensor> {
                    let $n = $x.dim(1)?;
                    $body
                }
            }
        )*

        fn $list() -> Vec<Form> {
            vec![$({
                let tracer = Tracer::new().input("x", DType::F32, (2, 6, 1)).dynamic("x", 1, "n");
                (stringify!($name), tracer.trace(&$name), |x: &Tensor| $name.forward(x))
            }),*]
        }
    };
}

/// The sizes that each graph refuses though the original runs.
fn refused(forms: Vec<Form>) -> String {
    let lines = forms.into_iter().map(|(name, captured, original)| {
        let module = captured.unwrap_or_else(|error| panic!("{name}: {error}"));
        module.check().unwrap_or_else(|error| panic!("{name}: {error}"));
        let refused = (0..=300).filter(|&n| {
            let x = tensor(&[2, n, 1]);
            match (original(&x), module.forward(&[&x])) {
                (Ok(expected), Ok(found)) => assert_same(&expected, &found),
                (Err(error), Ok(_)) => panic!("{name} at {n}: the original says {error}"),
                (expected, Err(_)) => return expected.is_ok(),
            }
            false
        });
        let refused: Vec<usize> = refused.collect();
        let all = refused.iter().take(12).map(ToString::to_string).collect::<Vec<_>>().join(" ");
        format!("{name}: {} refused, {all}", refused.len())
    });
    lines.collect::<Vec<_>>().join("\n")
}

forms! { special:
    Constant |x, n| { match n { LIMIT => x.relu(), _ => x.exp() } }
    ConstantOfAType |x, n| { match n as u8 { Limits::WIDE => x.relu(), u8::MAX => x.neg(), _ => x.exp() } }
    ConstantInAShape |x, _n| { match x.dims() { [_, LIMIT, _] => x.relu(), _ => x.exp() } }
    ConstantEnds |x, n| { match n { LIMIT..=46 => x.relu(), 100.. => x.neg(), _ => x.exp() } }
    IfLet |x, n| { if let LIMIT = n { x.relu() } else { x.exp() } }
    Matches |x, n| { if matches!((n, 1), (LIMIT, 1)) { x.relu() } else { x.exp() } }
    ByMethod |x, n| { if n.eq(&45) { x.relu() } else { x.exp() } }
    ByFunction |x, n| { if usize::eq(&n, &45) { x.relu() } else { x.exp() } }
    ByTrait |x, n| { if PartialEq::ne(&n, &45) { x.exp() } else { x.relu() } }
    Ordered |x, n| { if Ord::cmp(&n, &45).is_eq() { x.relu() } else { x.exp() } }
    Less |x, n| { if n.le(&44) || n.gt(&45) { x.exp() } else { x.relu() } }
    KeyOfAMap |x, n| { let scales = HashMap::from([(45, 2.0), (1000, 3.0)]); match scales.get(&n) { Some(scale) => x * *scale, None => x.exp() } }
    HasAKey |x, n| { let scales = BTreeMap::from([(45, 2.0)]); if scales.contains_key(&n) { x.relu() } else { x.exp() } }
    OfASet |x, n| { let sizes = HashSet::from([45, 90]); if sizes.contains(&n) { x.relu() } else { x.exp() } }
    IntoASet |x, n| { let mut sizes = BTreeSet::from([45, 90]); if sizes.insert(n) { x.exp() } else { x.relu() } }
    Searched |x, n| { if [10usize, 45, 90].binary_search(&n).is_ok() { x.relu() } else { x.exp() } }
    Ends |x, _n| { if x.dims().ends_with(&[45, 1]) { x.relu() } else { x.exp() } }
    Begins |x, _n| { if x.dims().starts_with(&[2, 45]) { x.relu() } else { x.exp() } }
}

forms! { whole:
    Kept |x, n| { x.narrow(1, 0, (n as f64 * 0.29) as usize) }
    KeptMore |x, n| { x.narrow(1, 0, (n as f64 * 0.7) as usize) }
    OneMinus |x, n| { x.narrow(1, 0, (n as f64 * (1.0 - 0.9)) as usize) }
    Longer |x, n| { x.pad_with_zeros(1, 0, (n as f64 * 1.1).ceil() as usize - n) }
    Ceiled |x, n| { x.narrow(1, 0, (n as f64 * 0.55).ceil() as usize) }
    Rounded |x, n| { x.narrow(1, 0, (n as f64 * 0.35).round() as usize) }
    InVariables |x, n| { let ratio = n as f64 * 0.57; let kept = ratio.floor(); x * kept }
    Half |x, n| { x.narrow(1, 0, (n as f64 * 0.5) as usize) }
    Quarters |x, n| { x.narrow(1, 0, (n as f64 / 4.0).round() as usize) }
    Thirds |x, n| { x.narrow(1, 0, (n as f32 / 3.0).floor() as usize) }
    Cast |x, n| { let kinds = [1.0, 2.0]; (x * kinds[(n > 100) as usize])? * (n as u8 as f64 + (1u64 << 40) as f64) }
    Constants |x, _n| { let all = [0.5f64; (7.5f64 / 2.0) as usize]; x * all[(2.5f64).trunc() as usize] }
}

fn kept(n: usize) -> usize {
    (n as f64 * 0.29) as usize
}

fn kept_more(n: usize) -> usize {
    (n as f64 * 0.7) as usize
}

fn longer(n: usize) -> usize {
    (n as f64 * 1.1).ceil() as usize
}

forms! { hidden:
    HiddenKept |x, n| { x.narrow(1, 0, kept(n)) }
    HiddenKeptMore |x, n| { x.narrow(1, 0, kept_more(n)) }
    HiddenLonger |x, n| { x.pad_with_zeros(1, 0, longer(n) - n) }
}

forms! { followed:
    Clamped |x, n| { x * n.clamp(10, 200) as f64 }
    Third |x, n| { x.narrow(1, 0, n / 3) }
    Patches |x, n| { x.narrow(1, 0, n / 14 * 14) }
}

/// In functions that no attribute sees floats are made whole, too: the sizes at which that shows are tried.
#[test]
fn floats_that_are_made_whole_elsewhere() {
    for (name, captured, _) in hidden() {
        let error = captured.map(|module| module.graph().to_string()).expect_err(name).to_string();
        assert!(error.contains("edges.rs:"), "{name}: {error}");
    }
    insta::assert_snapshot!(refused(followed()));
}

#[test]
fn sizes_that_are_special() {
    insta::assert_snapshot!(refused(special()));
}

#[test]
fn floats_that_are_made_whole() {
    insta::assert_snapshot!(refused(whole()));
}
