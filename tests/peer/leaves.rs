//! Leaf policy: annotated modules as one node, and where nodes were recorded.

use candle_core::{Module, Result, Tensor};
use candle_nn::Linear;
use fx::{Tracer, TracerRules};

use crate::owners::{assert_same, linear, tensor};

/// Reads data, which no symbolic capture can follow.
#[fx::module]
#[derive(Clone)]
struct Gate {
    project: Linear,
    threshold: f64,
}

#[fx::module(specialize)]
impl Gate {
    fn forward(&self, x: &Tensor, scale: f64, mask: Option<&Tensor>) -> Result<(Tensor, Vec<Tensor>)> {
        let y = (self.project.forward(x)? * scale)?;
        let y = match mask {
            Some(mask) => y.broadcast_mul(mask)?,
            None => y,
        };
        let sum = y.sum_all()?.to_scalar::<f32>()?;
        let y = if f64::from(sum) > self.threshold { y.relu()? } else { y.neg()? };
        Ok((y.clone(), vec![x.clone(), y]))
    }
}

#[fx::module]
#[derive(Clone)]
struct Inner {
    lin: Linear,
}

#[fx::module]
impl Inner {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.twice(&self.twice(x)?)
    }

    fn twice(&self, x: &Tensor) -> Result<Tensor> {
        self.lin.forward(x)?.tanh()
    }
}

#[fx::module]
struct Wrapper(Inner, Tensor);

#[fx::module]
impl Wrapper {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.0.forward(x)?;
        if x.rank() == 7 {
            return Ok(x);
        }
        x.broadcast_add(&self.1)
    }
}

#[fx::module]
struct Outer {
    gate: Gate,
    wrapped: Wrapper,
}

#[fx::module]
impl Outer {
    fn forward(&self, x: &Tensor, mask: &Tensor) -> Result<Tensor> {
        let (a, mut list) = self.gate.forward(x, 0.5, Some(mask))?;
        let b = list.remove(0);
        let x = self.wrapped.0.forward(&(a + b)?)?;
        self.wrapped.0.forward(&x)?.relu()
    }
}

fn outer() -> Outer {
    Outer {
        gate: Gate { project: linear(4, 4), threshold: 0.0 },
        wrapped: Wrapper(Inner { lin: linear(4, 4) }, tensor(&[4])),
    }
}

struct Leaves(&'static [&'static str]);

impl TracerRules for Leaves {
    fn is_leaf_module(&self, type_name: &str, _: &str) -> bool {
        self.0.contains(&type_name)
    }
}

#[test]
fn leaf_module() {
    let (x, mask, model) = (tensor(&[2, 4]), tensor(&[2, 4]), outer());
    let expected = model.forward(&x, &mask).unwrap();
    // Entered, the gate reads data.
    assert!(fx::symbolic_trace(&model).is_err());
    // The list's length is not known without data, so this is a capture of a run.
    let module = Tracer::new().with(Leaves(&["Gate", "Inner"])).trace_examples(&model, (&x, &mask)).unwrap();
    assert_same(&expected, &module.forward(&[&x, &mask]).unwrap());
    let other = (&x * -3.0).unwrap();
    assert_same(&model.forward(&other, &mask).unwrap(), &module.forward(&[&other, &mask]).unwrap());
    insta::assert_snapshot!(module.graph(), @r#"
    graph outer(%x: f32[2, 4], %mask: f32[2, 4]) {
        %gate = call_module gate(%x, scale = 0.5, mask = %mask)    // (f32[2, 4], [f32[2, 4], f32[2, 4]]) leaves.rs:19
        %getitem = call_function getitem(%gate, index = 0)         // f32[2, 4] leaves.rs:19
        %getitem_1 = call_function getitem(%gate, index = 1)       // [f32[2, 4], f32[2, 4]] leaves.rs:19
        %getitem_2 = call_function getitem(%getitem_1, index = 0)  // f32[2, 4] leaves.rs:19
        %getitem_3 = call_function getitem(%getitem_1, index = 1)  // f32[2, 4] leaves.rs:19
        %add = call_function add(%getitem, %getitem_2)             // f32[2, 4] leaves.rs:73
        %wrapped_0 = call_module wrapped.0(%add)                   // f32[2, 4] leaves.rs:39
        %wrapped_1 = call_module wrapped.0(%wrapped_0)             // f32[2, 4] leaves.rs:39
        %relu = call_method relu(%wrapped_1)                       // f32[2, 4] leaves.rs:74
        output %relu
    }
    "#);
}

#[test]
fn a_leaf_hides_what_cannot_be_traced() {
    #[derive(Default)]
    struct One;
    impl TracerRules for One {
        fn is_leaf_module(&self, _: &str, qualname: &str) -> bool {
            qualname == "peek"
        }
    }
    let (x, model) = (tensor(&[2, 4]), Peeks { peek: Peek { lin: linear(4, 4) } });
    assert!(fx::symbolic_trace(&model).is_err());
    let module = Tracer::new().with(One).trace(&model).unwrap();
    assert_same(&model.forward(&x).unwrap(), &module.forward(&[&x]).unwrap());
    assert_eq!(module.graph().len(), 4);
}

#[fx::module]
struct Peeks {
    peek: Peek,
}

#[fx::module]
impl Module for Peeks {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.peek.forward(x)?.relu()
    }
}

#[fx::module]
#[derive(Clone)]
struct Peek {
    lin: Linear,
}

#[fx::module(specialize)]
impl Module for Peek {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.lin.forward(x)?;
        let sum = x.sum_all()?.to_scalar::<f32>()?;
        if sum > 0.0 { Ok(x) } else { x.neg() }
    }
}

/// Neither `Clone` nor behind a pointer, or the latter.
#[fx::module]
struct Uncloned<M> {
    inner: M,
}

#[fx::module]
impl<M: Module> Module for Uncloned<M> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.inner.forward(x)?.relu()
    }
}

#[fx::module]
struct Holds {
    part: Uncloned<Linear>,
}

#[fx::module]
impl Module for Holds {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.part.forward(x)
    }
}

#[test]
fn leaf_module_that_is_not_clone() {
    let (x, model) = (tensor(&[2, 4]), Holds { part: Uncloned { inner: linear(4, 4) } });
    let expected = model.forward(&x).unwrap();
    let error = Tracer::new().with(Leaves(&["Uncloned"])).trace(&model).unwrap_err();
    assert!(matches!(error, fx::TraceError::NotShareable { .. }), "{error}");
    let module = Tracer::new().with(Leaves(&["Uncloned"])).trace(&std::sync::Arc::new(model)).unwrap();
    assert_same(&expected, &module.forward(&[&x]).unwrap());
    assert_eq!(module.graph().len(), 3);
}

/// A type with a `forward` of its own and one of `Module`.
#[fx::module]
#[derive(Clone)]
struct OwnAndModule {
    lin: Linear,
}

#[fx::module]
impl OwnAndModule {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.lin.forward(x)?.tanh()
    }
}

#[fx::module]
impl Module for OwnAndModule {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.lin.forward(x)?.exp()
    }
}

/// A type with a `forward` of other arguments than its `forward_t`.
#[fx::module]
#[derive(Clone)]
struct OwnAndModuleT {
    lin: Linear,
}

#[fx::module]
impl OwnAndModuleT {
    fn forward(&self, x: &Tensor, by: f64) -> Result<Tensor> {
        self.lin.forward(x)?.tanh()? * by
    }
}

#[fx::module]
impl candle_core::ModuleT for OwnAndModuleT {
    fn forward_t(&self, x: &Tensor, train: bool) -> Result<Tensor> {
        if train { self.lin.forward(x)?.neg() } else { self.lin.forward(x)?.sqr() }
    }
}

/// Calls them in an order.
#[fx::module]
struct InOrder {
    a: OwnAndModule,
    b: OwnAndModuleT,
    order: Vec<u8>,
}

#[fx::module]
impl InOrder {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for which in &self.order {
            x = match which {
                0 => self.a.forward(&x)?,
                1 => x.apply(&self.a)?,
                2 => self.b.forward(&x, 0.5)?,
                3 => x.apply_t(&self.b, true)?,
                _ => candle_core::ModuleT::forward_t(&self.b, &x, false)?,
            };
        }
        Ok(x)
    }
}

#[test]
fn a_leaf_called_by_several_methods_runs_each() {
    let x = tensor(&[2, 4]);
    let leaves = || Leaves(&["OwnAndModule", "OwnAndModuleT"]);
    for order in
        [vec![0, 1], vec![1, 0], vec![2, 3, 4, 2], vec![4, 3, 2], vec![0, 3, 1, 2, 0, 1, 2, 3], vec![1], vec![]]
    {
        // One method is called with two values of an argument.
        let methods = order.iter().map(|&which| which.min(3)).collect::<std::collections::HashSet<u8>>().len();
        let (a, b) = (OwnAndModule { lin: linear(4, 4) }, OwnAndModuleT { lin: linear(4, 4) });
        let model = InOrder { a, b, order };
        let expected = model.forward(&x).unwrap();
        let by_example = Tracer::new().with(leaves()).trace_examples(&model, (&x,));
        for captured in [by_example, Tracer::new().with(leaves()).trace(&model)] {
            let module = captured.unwrap();
            assert_same(&expected, &module.forward(&[&x]).unwrap());
            assert_eq!(module.graph().len(), model.order.len() + 2);
            assert_eq!(module.attributes().len(), methods, "{}", module.graph());
        }
    }
}

/// Modules that a graph cannot call.
#[fx::module]
#[derive(Clone)]
struct Counts {
    count: usize,
}

#[fx::module]
impl Counts {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        self.count += 1;
        x * self.count as f64
    }
}

#[fx::module]
#[derive(Clone)]
struct Pairs {
    scale: f64,
}

#[fx::module]
impl Pairs {
    fn forward(&self, (x, y): (&Tensor, &Tensor)) -> Result<Tensor> {
        (x + y)? * self.scale
    }
}

#[fx::module]
#[derive(Clone)]
struct Generic {
    scale: f64,
}

#[fx::module]
impl Generic {
    fn forward<N: Into<f64>>(&self, x: &Tensor, by: N) -> Result<Tensor> {
        x * (self.scale * by.into())
    }
}

#[fx::module]
struct CannotBeLeaves {
    counts: Counts,
    pairs: Pairs,
    generic: Generic,
}

#[fx::module]
impl CannotBeLeaves {
    fn forward(&mut self, x: &Tensor) -> Result<Tensor> {
        let x = self.counts.forward(x)?;
        let x = self.pairs.forward((&x, &x))?;
        self.generic.forward(&x, 2.0f32)
    }
}

#[test]
fn a_leaf_that_a_graph_cannot_call_is_refused() {
    let model =
        CannotBeLeaves { counts: Counts { count: 0 }, pairs: Pairs { scale: 2.0 }, generic: Generic { scale: 2.0 } };
    assert!(fx::symbolic_trace(&model).is_ok());
    let mut messages = String::new();
    for name in [&["Counts"], &["Pairs"], &["Generic"]] {
        let error = Tracer::new().with(Leaves(name)).trace(&model).unwrap_err();
        assert!(matches!(error, fx::TraceError::NotWhole { .. }), "{error}");
        messages += &format!("{error}\n");
    }
    let messages = without_lines(&messages);
    insta::assert_snapshot!(messages, @r#"
    `Counts` (at `counts`) cannot be called whole, as `is_leaf_module` asks: its `forward` takes `&mut self`, and a graph cannot change the module: it may be run by several at once and gives the same each time
      at tests/peer/leaves.rs
      change that, or let `is_leaf_module` answer `false` for it, and the capture goes through it
    `Pairs` (at `pairs`) cannot be called whole, as `is_leaf_module` asks: its `forward` takes an argument by a pattern or to be changed, and a graph passes plain values by name
      at tests/peer/leaves.rs
      change that, or let `is_leaf_module` answer `false` for it, and the capture goes through it
    `Generic` (at `generic`) cannot be called whole, as `is_leaf_module` asks: its `forward` takes arguments that a graph cannot pass: they are generic, or borrow in a way of their own
      at tests/peer/leaves.rs
      change that, or let `is_leaf_module` answer `false` for it, and the capture goes through it
    "#);
}

/// The message without the column numbers that formatting changes.
pub(crate) fn without_lines(text: &str) -> String {
    let lines = text.lines().map(|line| match line.trim_start().strip_prefix("at ") {
        Some(place) => format!("  at {}", place.split(':').next().unwrap_or_default()),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn row_52_nn_module_stack() {
    let (x, mask, model) = (tensor(&[2, 4]), tensor(&[2, 4]), outer());
    let module = Tracer::new().with(Leaves(&["Gate"])).trace_examples(&model, (&x, &mask)).unwrap();
    let stacks: Vec<String> =
        module.graph().nodes().map(|(_, node)| format!("{}: {:?}", node.name(), node.meta().module)).collect();
    insta::assert_snapshot!(stacks.join("\n"), @r#"
    x: 
    mask: 
    gate: gate (Gate)
    getitem: 
    getitem_1: 
    getitem_2: 
    getitem_3: 
    add: 
    wrapped_0_lin: wrapped.0 (Inner) > wrapped.0.lin (Linear)
    tanh: wrapped.0 (Inner)
    wrapped_0_lin_1: wrapped.0 (Inner) > wrapped.0.lin@1 (Linear)
    tanh_1: wrapped.0 (Inner)
    wrapped_0_lin_2: wrapped.0@1 (Inner) > wrapped.0.lin@2 (Linear)
    tanh_2: wrapped.0@1 (Inner)
    wrapped_0_lin_3: wrapped.0@1 (Inner) > wrapped.0.lin@3 (Linear)
    tanh_3: wrapped.0@1 (Inner)
    relu: 
    output:
    "#);
}

#[test]
fn tuple_structs_know_where_they_are() {
    let (x, model) = (tensor(&[2, 4]), Holder { wrapped: Wrapper(Inner { lin: linear(4, 4) }, tensor(&[4])) });
    let module = fx::trace(&model, (&x,)).unwrap();
    let (_, add) = module.graph().nodes().find(|(_, node)| node.name().starts_with("broadcast_add")).unwrap();
    assert_eq!(format!("{:?}", add.meta().module), "wrapped (Wrapper)");
    assert_same(&model.forward(&x).unwrap(), &module.forward(&[&x]).unwrap());
}

#[fx::module]
struct Holder {
    wrapped: Wrapper,
}

#[fx::module]
impl Holder {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.wrapped.forward(x)
    }
}

/// One tensor read twice, and two that are equal: attributes go by identity.
#[fx::module]
struct Constants {
    one: Tensor,
    two: Tensor,
}

#[fx::module]
impl Constants {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.broadcast_add(&self.one)?.broadcast_add(&self.one)?.broadcast_add(&self.two)
    }
}

#[test]
fn row_54_tensor_attribute_coalesced() {
    let module = fx::symbolic_trace(&Constants { one: tensor(&[4]), two: tensor(&[4]) }).unwrap();
    let reads = module.graph().nodes().filter(|(_, node)| node.op() == fx::Op::GetAttr).count();
    assert_eq!((reads, module.attributes().iter().count()), (2, 2));

    // So do constants that no module holds: one tensor that is given twice, and two that are equal.
    let module = fx::symbolic_trace(&Captured).unwrap();
    let paths: Vec<&str> = module.attributes().iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["_tensor_constant0", "_tensor_constant1", "_tensor_constant2"]);
    let reads = module.graph().nodes().filter(|(_, node)| node.op() == fx::Op::GetAttr).count();
    assert_eq!(reads, 3);
    let x = tensor(&[2, 4]);
    assert_same(&Captured.forward(&x).unwrap(), &module.forward(&[&x]).unwrap());
}

/// Not annotated: what it gives is a constant of the graph.
fn kept() -> Tensor {
    static KEPT: std::sync::OnceLock<Tensor> = std::sync::OnceLock::new();
    KEPT.get_or_init(|| tensor(&[4])).clone()
}

#[fx::module]
struct Captured;

#[fx::module]
impl Captured {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = x.broadcast_add(&kept())?.broadcast_mul(&kept())?;
        x.broadcast_add(&tensor(&[4]))?.broadcast_add(&tensor(&[4]))
    }
}

mod own {
    use candle_core::{Result, Tensor};

    /// Not candle's, and not annotated.
    pub(super) fn silu(x: &Tensor) -> Result<Tensor> {
        x.neg()
    }
}

mod calls_own {
    use candle_core::{Result, Tensor};

    use super::own::silu;

    #[fx::module]
    pub(super) struct Model;

    #[fx::module]
    impl Model {
        pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
            silu(x)
        }
    }
}

mod calls_candles {
    use candle_core::{D, Result, Tensor};
    use candle_nn::ops::{leaky_relu, silu, softmax};

    #[fx::module]
    pub(super) struct Model;

    #[fx::module]
    impl Model {
        pub(super) fn forward(&self, x: &Tensor) -> Result<Tensor> {
            use candle_nn::ops::sigmoid;
            sigmoid(&softmax(&leaky_relu(&silu(x)?, 0.1)?, D::Minus1)?)
        }
    }
}

#[test]
fn a_function_named_like_candles_is_not_taken_for_it() {
    let error = fx::symbolic_trace(&calls_own::Model).unwrap_err();
    assert!(matches!(error, fx::TraceError::Unannotated { function: "silu", .. }), "{error:?}");
    let x = tensor(&[2, 4]);
    let module = fx::symbolic_trace(&calls_candles::Model).unwrap();
    assert_same(&calls_candles::Model.forward(&x).unwrap(), &module.forward(&[&x]).unwrap());
}
