//! Random graphs that follow sizes and keep a state are written and read back, and whatever becomes of their texts is a
//! graph or an error.

use candle_core::DType;

use crate::ir::random_edits::Random;
use crate::ir::{Argument, Dynamic, Graph, Guard, Keyword, NodeId, Signature, Size, SizeOf, Source, StateSlot};
use crate::value::{Fact, FloatFunction, FloatOp, Relation, SymFloat, SymInt, SymNumber, SymOp, TensorFact, Value};

/// Names that mean something elsewhere in a text are sizes all the same.
const NAMES: [&str; 7] = ["n", "k", "at", "state", "sqrt", "größe", "f_32"];

fn int(random: &mut Random, depth: usize) -> SymInt {
    loop {
        let made = match random.below(if depth < 5 { 6 } else { 2 }) {
            0 => Ok(SymInt::symbol(NAMES[random.below(NAMES.len())], 3)),
            1 => Ok([0, 1, -1, 7, i64::MAX, i64::MIN, -5][random.below(7)].into()),
            _ => {
                let op = SymOp::ALL[random.below(SymOp::ALL.len())];
                SymInt::binary(op, &int(random, depth + 1), &int(random, depth + 1))
            }
        };
        if let Ok(made) = made {
            return made;
        }
    }
}

fn float(random: &mut Random, depth: usize) -> SymFloat {
    const NUMBERS: [f64; 7] = [0.0, -0.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -2.5e-300];
    loop {
        let made = match random.below(if depth < 5 { 7 } else { 2 }) {
            0 => Ok(int(random, depth + 2).into()),
            1 => Ok(NUMBERS[random.below(NUMBERS.len())].into()),
            2 => SymFloat::function(FloatFunction::ALL[random.below(3)], &float(random, depth + 1)),
            _ => {
                let op = FloatOp::ALL[random.below(FloatOp::ALL.len())];
                SymFloat::binary(op, &float(random, depth + 1), &float(random, depth + 1))
            }
        };
        if let Ok(made) = made {
            return made;
        }
    }
}

fn number(random: &mut Random) -> SymNumber {
    if random.below(2) == 0 { int(random, 1).into() } else { float(random, 1).into() }
}

fn argument(random: &mut Random, ids: &[NodeId]) -> Argument {
    let end = |random: &mut Random| (random.below(2) == 0).then(|| int(random, 2));
    match random.below(8) {
        0 => int(random, 0).into(),
        1 => float(random, 0).into(),
        2 => Argument::range(end(random), end(random)),
        3 => Argument::List([int(random, 2).into(), float(random, 3).into(), ids[0].into()].into()),
        4 => {
            Argument::structure("S", [("state".into(), int(random, 2).into()), ("at".into(), float(random, 3).into())])
        }
        5 => (int(random, 3),).into(),
        6 => (-1.5).into(),
        _ => ids[random.below(ids.len())].into(),
    }
}

fn fact(random: &mut Random) -> Fact {
    match random.below(4) {
        0 => {
            let extents: Vec<SymInt> = (0..random.below(3)).map(|_| int(random, 3)).collect();
            let fact = TensorFact::symbolic(extents, DType::F32);
            // Not more elements than any tensor has.
            let count =
                |fact: &TensorFact| fact.dims().iter().try_fold(1_usize, |all, dim| all.checked_mul((*dim).max(1)));
            fact.filter(|fact| count(fact).is_some()).map_or(Fact::Unknown, Fact::Tensor)
        }
        1 => {
            let expression = int(random, 1);
            if expression.as_int().is_some() { Fact::Unknown } else { Fact::SymInt(expression) }
        }
        2 => Fact::List(vec![Fact::Data(Value::Int(3)), Fact::Data(Value::Str("n".into())), Fact::Unknown]),
        _ => Fact::Data(Value::List(vec![Value::Int(-4), Value::Range(Some(-3), None)])),
    }
}

/// Any graph of this kind, correct or not.
fn random_graph(random: &mut Random) -> Graph {
    let mut graph = Graph::new("g");
    let x = graph.at_end().placeholder("x");
    let size = |name: &&str| {
        let places = [SizeOf::Extent(x, random.below(3)), SizeOf::Value(x)];
        Size { name: (*name).into(), hint: 3, places: places[..random.below(3)].to_vec() }
    };
    let sizes = NAMES.iter().map(size).collect();
    let guards = (0..random.below(4)).map(|_| {
        let source = (random.below(2) == 0).then(|| Source::text("odd\n\"file\" at.rs", 3));
        Guard { left: number(random), relation: Relation::ALL[random.below(6)], right: number(random), source }
    });
    let guards = guards.collect();
    graph.set_dynamic(Some(Dynamic { sizes, guards }));
    let mut ids = vec![x];
    for _ in 0..random.below(12) {
        let args: Vec<Argument> = (0..random.below(4)).map(|_| argument(random, &ids)).collect();
        let keywords = ["n", "state", "none"].map(Keyword::from).into_iter().take(random.below(4));
        let kwargs: Vec<(Keyword, Argument)> = keywords.map(|name| (name, argument(random, &ids))).collect();
        let id = graph.at_end().call_module("m", args, kwargs);
        graph.meta_mut(id).fact = fact(random);
        ids.push(id);
    }
    let slots = ["a.b", "odd slot", ""].into_iter().take(random.below(4)).map(|name| {
        let reads = [Argument::None, (3, -2).into(), x.into(), Argument::structure("C", [("x".into(), [1, 2].into())])];
        StateSlot { name: name.into(), reads: reads[random.below(4)].clone() }
    });
    let slots: Box<[StateSlot]> = slots.collect();
    let result = argument(random, &ids);
    if random.below(2) == 0 {
        graph.at_end().output(result);
        return graph;
    }
    let written: Box<[Argument]> = slots.iter().map(|_| argument(random, &ids)).collect();
    let has_state = !slots.is_empty();
    let parameters = [("x".into(), x.into()), ("state".into(), [1.5].into())].into();
    graph.set_signature(Some(Signature { parameters, state: slots }));
    graph.at_end().output(if has_state { (result, Argument::Tuple(written)).into() } else { result });
    graph
}

#[test]
fn graphs_of_all_sizes_with_state_read_back() {
    for seed in 0..800 {
        let graph = random_graph(&mut Random(seed));
        let (short, full) = (graph.to_string(), graph.to_text().expect("no tensors"));
        for text in [&short, &full] {
            let read: Graph = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
            let same = |((_, a), (_, b)): ((_, &crate::ir::Node), (_, &crate::ir::Node))| {
                a.arguments().eq(b.arguments()) && a.kwargs() == b.kwargs() && a.name() == b.name()
            };
            assert!(read.len() == graph.len() && read.nodes().zip(graph.nodes()).all(same), "{text}");
            assert_eq!(read.signature(), graph.signature(), "{text}");
            // Guards can hold NaNs, which are equal to nothing.
            assert_eq!(format!("{:?}", read.dynamic()), format!("{:?}", graph.dynamic()), "{text}");
        }
        let read: Graph = full.parse().expect("it is a graph");
        assert_eq!((read.to_string(), read.to_text()), (short, Ok(full)));
        assert!(read.nodes().zip(graph.nodes()).all(|((_, a), (_, b))| a.meta().fact == b.meta().fact));
    }
}

/// A place where a text can be cut.
fn place(text: &str, random: &mut Random) -> usize {
    let at = random.below(text.len() + 1);
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

#[test]
fn changed_texts_of_graphs_of_all_sizes_are_graphs_or_errors() {
    const TOKENS: [&str; 28] = [
        "<",
        ">",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "%",
        "@{",
        "f64(",
        "sqrt(",
        "min(",
        "pow(",
        "..",
        "state (",
        "takes (",
        "where (",
        "n",
        "0",
        "-",
        "/ 0",
        "% 0",
        "9223372036854775807",
        " * ",
        "f32[",
        "data ",
        ",",
    ];
    let mut read = 0;
    for seed in 0..40 {
        let random = &mut Random(1000 + seed);
        let text = random_graph(random).to_text().expect("no tensors");
        for _ in 0..150 {
            let mut changed = text.clone();
            for _ in 0..=random.below(3) {
                let mut ends = [place(&changed, random), place(&changed, random)];
                ends.sort_unstable();
                let [start, end] = ends;
                let end =
                    (start..=end.min(start + 16)).rev().find(|end| changed.is_char_boundary(*end)).unwrap_or(start);
                match random.below(3) {
                    0 => changed.insert_str(start, TOKENS[random.below(TOKENS.len())]),
                    1 => changed.replace_range(start..end, ""),
                    _ => {
                        let (part, to) = (changed[start..end].to_owned(), place(&changed, random));
                        changed.insert_str(to, &part);
                    }
                }
            }
            let Ok(graph) = changed.parse::<Graph>() else { continue };
            read += 1;
            // Whatever it is, it is checked, written and read again.
            let _ = graph.verify();
            let short = graph.to_string();
            let again: Graph = short.parse().unwrap_or_else(|error| panic!("{error}\n{short}\nfrom {changed}"));
            assert_eq!(again.to_string().lines().count(), short.lines().count());
            let full = graph.to_text().expect("no tensors");
            let again: Graph = full.parse().unwrap_or_else(|error| panic!("{error}\n{full}\nfrom {changed}"));
            assert_eq!(again.to_text(), Ok(full));
        }
    }
    assert!(read > 60, "{read}");
}

/// Recursion that no depth bounds, and quadratic time, would be noticed here.
#[test]
fn large_texts_of_sizes_take_linear_time() {
    const SIZE: usize = 1_000_000;
    const START: &str = "graph g<n: 2 = %x[0]>(%x: f32[n]";
    for (start, again) in [
        (") { output ", "min(n, "),
        (") { output ", "pow(f64(n), "),
        (") { output ", "sqrt("),
        (") { output ", "("),
        (") { output ", "n + "),
        (") { output ", "n * ("),
        (") { output ", "1.."),
        (") { output ", "n.."),
        (") { output ", "..("),
        (") { output ", "n..("),
        (") { output ", "(1.."),
        (") { output [", "n..n + 1, "),
        (", %y: ", "("),
        (", %y: ", "(n + ("),
        (", %y: ", "data (("),
        (", ", "%y: [f32[n], "),
        (") where (", "n < 3 at \"f\":1, "),
        (") takes (x = %x) state (", "a = %x, "),
        (") takes (x = %x) state (a = %x) { output %x state (", "a = %x, "),
    ] {
        let text = format!("{START}{start}{}", again.repeat(SIZE / again.len()));
        let error = text.parse::<Graph>().expect_err("it has no end");
        assert!(error.to_string().len() < 2000);
    }
}
