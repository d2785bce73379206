//! Forms of structs: nesting, containers, generics, plain fields, attributes, and the traits beside them.

use std::collections::{BTreeMap, HashMap};

use crate::support::{linear, tensor};
use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{Activation, LayerNorm, Linear, Module};

#[fx::module]
struct TupleStruct(Linear, Activation);

#[fx::module]
impl Module for TupleStruct {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.0.forward(x)?.apply(&self.1)
    }
}

#[fx::module]
struct UnitStruct;

#[fx::module]
impl Module for UnitStruct {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        1.0 - &(x * 2.0)?
    }
}

#[fx::module]
struct Containers {
    grid: Vec<Vec<TupleStruct>>,
    sorted: BTreeMap<String, Linear>,
    hashed: HashMap<String, Linear>,
    unit: UnitStruct,
    pair: Option<(Tensor, Tensor)>,
    array: [Linear; 2],
    boxed: Box<TupleStruct>,
    tuple: (Linear, UnitStruct),
    list: Vec<Linear>,
}

#[fx::module]
impl Containers {
    #[expect(clippy::manual_try_fold, reason = "the form under test")]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for row in &self.grid {
            let outs = row.iter().map(|layer| layer.forward(&x)).collect::<Result<Vec<_>>>()?;
            x = outs.iter().try_fold(x.zeros_like()?, |a, b| a + b)?;
        }
        for (name, layer) in &self.sorted {
            if name.starts_with("b") {
                x = x.apply(layer)?;
            }
        }
        if let Some(layer) = self.hashed.get("only") {
            x = layer.forward(&x)?;
        }
        let layer = &self.hashed["only"];
        x = Module::forward(layer, &x)?;
        let x = candle_nn::Module::forward(&self.unit, &x)?;
        let Some((scale, shift)) = &self.pair else { candle_core::bail!("none") };
        let x = x.broadcast_mul(scale)?.broadcast_add(shift)?;
        let x = self.array[0].forward(&x)?;
        let x = self.boxed.forward(&x)?;
        let x = self.tuple.1.forward(&self.tuple.0.forward(&x)?)?;
        self.list.iter().fold(Ok(x), |x, layer| x.and_then(|x| layer.forward(&x)))
    }
}

#[test]
fn a_unit_struct() {
    assert_captured_in_every_way!(UnitStruct, tensor(&[2, 4]));
}

#[test]
fn a_vector_of_vectors_of_layers_and_other_containers() {
    let block = || TupleStruct(linear(4, 4), Activation::Gelu);
    let model = Containers {
        grid: vec![vec![block(), block()], vec![block()]],
        sorted: [("a".to_owned(), linear(4, 4)), ("b.x".to_owned(), linear(4, 4))].into_iter().collect(),
        hashed: [("only".to_owned(), linear(4, 4))].into_iter().collect(),
        unit: UnitStruct,
        pair: Some((tensor(&[4]), tensor(&[1]))),
        array: [linear(4, 4), linear(4, 4)],
        boxed: Box::new(block()),
        tuple: (linear(4, 4), UnitStruct),
        list: vec![linear(4, 4)],
    };
    assert_captured_in_every_way!(model, tensor(&[2, 4]));
}

// ── Generics ────────────────────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct Residual<M: Module> {
    inner: M,
}

#[fx::module]
impl<M: Module> Module for Residual<M> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x + self.inner.forward(x)?
    }
}

#[fx::module]
struct Stack<A, B, const N: usize> {
    layers: [A; N],
    last: B,
}

#[fx::module]
impl<A: Module, B: Module, const N: usize> Module for Stack<A, B, N> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = x.clone();
        for layer in self.layers.iter() {
            x = layer.forward(&x)?;
        }
        (self.last.forward(&x)? * N as f64)?.apply(&self.last)
    }
}

#[test]
fn generic_over_layers_and_their_number() {
    let residual = || Residual { inner: linear(4, 4) };
    let model = Stack { layers: [residual(), residual()], last: Residual { inner: Activation::Gelu } };
    assert_captured_in_every_way!(model, tensor(&[2, 4]));
}

#[fx::module]
struct WhereBound<M>
where
    M: Module,
{
    inner: M,
}

#[fx::module]
impl<M> Module for WhereBound<M>
where
    M: Module,
{
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.inner.forward(x)?.neg()
    }
}

#[fx::module]
struct ManyBounds<M> {
    inner: M,
}

#[fx::module]
impl<M: candle_core::Module + Send + Sync + 'static> candle_core::Module for ManyBounds<M> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.inner.forward(x)?.neg()
    }
}

#[test]
fn bounds_in_a_where_clause_or_with_a_path() {
    assert_captured_in_every_way!(WhereBound { inner: linear(4, 4) }, tensor(&[2, 4]));
    assert_captured_in_every_way!(ManyBounds { inner: linear(4, 4) }, tensor(&[2, 4]));
}

#[fx::module]
struct BorrowedName<'a> {
    #[fx(constant)]
    name: &'a str,
    linear: Linear,
    owned: String,
}

#[fx::module]
impl<'a> BorrowedName<'a> {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if self.name == "q" && self.owned.len() == 1 { x.apply(&self.linear) } else { Ok(x.clone()) }
    }
}

#[test]
fn a_lifetime() {
    let name = String::from("q");
    let model = BorrowedName { linear: linear(4, 4), name: &name, owned: "r".into() };
    assert_captured_in_every_way!(model, tensor(&[2, 4]));
}

// ── Depth and dtype ─────────────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct Tied {
    layers: Vec<Linear>,
    tied: Linear,
}

#[fx::module]
impl Tied {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.layers.iter().try_fold(x.clone(), |x, layer| layer.forward(&x)?.tanh())?;
        x.matmul(self.tied.weight())?.apply(&self.tied)?.apply(&self.tied)
    }
}

#[test]
fn a_thousand_tied_layers() {
    let layer = linear(4, 4);
    assert_captured!(Tied { layers: vec![layer.clone(); 1000], tied: layer }, tensor(&[2, 4]));
}

#[test]
fn weights_of_other_dtypes() {
    let layer = |dtype| {
        let weight = |shape: &[usize]| tensor(shape).to_dtype(dtype).unwrap();
        Linear::new(weight(&[4, 4]), Some(weight(&[4])))
    };
    for dtype in [DType::F16, DType::BF16, DType::F64] {
        let model = Tied { layers: vec![layer(dtype)], tied: layer(dtype) };
        assert_captured_in_every_way!(model, tensor(&[2, 4]).to_dtype(dtype).unwrap());
    }
}

#[fx::module]
struct Chain {
    linear: Option<Linear>,
    next: Option<Box<Chain>>,
}

#[fx::module]
impl Chain {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = match &self.linear {
            Some(linear) => linear.forward(x)?,
            None => x.clone(),
        };
        match self.next {
            Some(ref next) => next.forward(&x),
            None => Ok(x),
        }
    }
}

#[test]
fn a_struct_that_holds_itself() {
    let mut model = Chain { linear: Some(linear(4, 4)), next: None };
    for _ in 0..200 {
        model = Chain { linear: None, next: Some(Box::new(model)) };
    }
    assert_captured_in_every_way!(model, tensor(&[2, 4]));
}

#[fx::module]
struct Tree {
    children: Vec<Tree>,
    weight: Option<Tensor>,
}

#[fx::module]
impl Tree {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let mut x = match &self.weight {
            Some(weight) => (x + weight)?,
            None => x.clone(),
        };
        for child in &self.children {
            x = child.forward(&x)?;
        }
        Ok(x)
    }
}

#[test]
fn a_tree_a_thousand_levels_deep() {
    let deep = || {
        let mut model = Tree { children: vec![], weight: Some(tensor(&[2, 4])) };
        for _ in 0..1000 {
            model = Tree { children: vec![model], weight: None };
        }
        assert_captured!(model, tensor(&[2, 4]));
    };
    std::thread::Builder::new().stack_size(64 << 20).spawn(deep).unwrap().join().unwrap();
}

#[test]
fn tensors_without_elements() {
    assert_captured_in_every_way!(Tree { children: vec![], weight: Some(tensor(&[0, 4])) }, tensor(&[0, 4]));
}

// ── Plain fields and attributes ─────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
#[derive(Debug, Clone)]
/// Documentation between the attributes and the struct.
pub(crate) struct PlainFields {
    /// The layer.
    #[fx(rename = "dense")]
    pub(crate) linear: Linear,
    #[cfg(test)]
    norm: LayerNorm,
    #[cfg(not(test))]
    missing: NoSuchType,
    marker: std::marker::PhantomData<f32>,
    device: Device,
    dtype: DType,
    shape: candle_core::Shape,
    name: String,
    text: &'static str,
    range: std::ops::Range<usize>,
    duration: std::time::Duration,
    flags: Vec<bool>,
}

#[fx::module]
impl PlainFields {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = x.apply(&self.linear)?.apply(&self.norm)?;
        let y = y.to_dtype(self.dtype)?.to_device(&self.device)?.reshape(&self.shape)?;
        let y = if self.name == self.text { y } else { y.narrow(0, self.range.start, self.range.len())? };
        if self.flags.iter().all(|flag| *flag) { y.neg() } else { Ok(y) }
    }
}

#[test]
fn fields_of_plain_data() {
    let model = PlainFields {
        linear: linear(4, 4),
        norm: LayerNorm::new(tensor(&[4]), tensor(&[4]), 1e-5),
        marker: std::marker::PhantomData,
        device: Device::Cpu,
        dtype: DType::F32,
        shape: (2, 4).into(),
        name: "a".into(),
        text: "b",
        range: 0..1,
        duration: std::time::Duration::default(),
        flags: vec![true],
    };
    assert_captured_in_every_way!(model, tensor(&[2, 4]));
}

#[fx::module]
struct Attributed {
    linear: Linear,
}

#[fx::module]
impl Attributed {
    #[inline(always)]
    #[must_use]
    fn scaled(&self, x: &Tensor) -> Tensor {
        (x * 2.0).unwrap()
    }

    #[track_caller]
    #[cold]
    fn shifted(&self, x: &Tensor) -> Result<Tensor> {
        x + 1.0
    }

    #[doc(hidden)]
    #[cfg(not(test))]
    fn chosen(&self, x: &Tensor) -> Result<Tensor> {
        x.neg()
    }

    #[cfg(test)]
    fn chosen(&self, x: &Tensor, y: &Tensor) -> Result<Tensor> {
        x + y
    }
}

#[fx::module]
impl Module for Attributed {
    #[inline]
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = self.shifted(&self.scaled(x))?;
        self.chosen(&x, &x)?.apply(&self.linear)
    }
}

#[test]
fn methods_with_attributes() {
    assert_captured_in_every_way!(Attributed { linear: linear(4, 4) }, tensor(&[2, 4]));
}

// ── Traits, macros and names ────────────────────────────────────────────────────────────────────────────────────────

#[fx::module]
struct WithDropAndIndex {
    linear: Linear,
    layers: Vec<Linear>,
}

impl Drop for WithDropAndIndex {
    fn drop(&mut self) {}
}

impl std::ops::Index<usize> for WithDropAndIndex {
    type Output = Linear;

    fn index(&self, index: usize) -> &Linear {
        &self.layers[index]
    }
}

#[fx::module]
impl WithDropAndIndex {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

#[test]
fn a_struct_that_implements_drop_and_index() {
    assert_captured_in_every_way!(WithDropAndIndex { linear: linear(4, 4), layers: vec![] }, tensor(&[2, 4]));
}

macro_rules! scaled_model {
    ($name:ident, $field:ident, $scale:expr) => {
        #[fx::module]
        #[derive(Debug)]
        struct $name {
            $field: Linear,
        }

        #[fx::module]
        impl Module for $name {
            fn forward(&self, x: &Tensor) -> Result<Tensor> {
                let y = self.$field.forward(x)?;
                y * $scale
            }
        }
    };
}

scaled_model!(Doubled, first, 2.0);
scaled_model!(Tripled, second, 3.0);

#[test]
fn structs_written_by_a_macro() {
    assert_captured_in_every_way!(Doubled { first: linear(4, 4) }, tensor(&[2, 4]));
    assert_captured_in_every_way!(Tripled { second: linear(4, 4) }, tensor(&[2, 4]));
}

#[derive(Clone)]
#[fx::module]
struct TwoForwards {
    linear: Linear,
}

#[fx::module]
impl TwoForwards {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x * 2.0
    }
}

#[fx::module]
impl Module for TwoForwards {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.linear.forward(x)
    }
}

#[fx::module]
struct CallsBoth {
    inner: TwoForwards,
}

#[fx::module]
impl CallsBoth {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let own = self.inner.forward(x)?;
        let of_trait = Module::forward(&self.inner, x)?;
        let applied = x.apply(&self.inner)?;
        (own + of_trait)? - applied * 3.0
    }
}

#[test]
fn an_own_forward_beside_that_of_module() {
    assert_captured_in_every_way!(CallsBoth { inner: TwoForwards { linear: linear(4, 4) } }, tensor(&[2, 4]));
}

mod renamed_imports {
    use candle_core as cc;
    use candle_core::Tensor as Array;
    use candle_nn::{Linear, Module};

    use crate::support::{linear, tensor};

    #[fx::module]
    struct RenamedTensor {
        linear: Linear,
        weight: Array,
    }

    #[fx::module]
    impl RenamedTensor {
        fn forward(&self, x: &Array) -> cc::Result<Array> {
            self.linear.forward(x)?.broadcast_add(&self.weight)
        }
    }

    #[fx::module]
    struct RenamedCrate {
        linear: Linear,
        weight: cc::Tensor,
    }

    #[fx::module]
    impl RenamedCrate {
        fn forward(&self, x: &cc::Tensor) -> cc::Result<cc::Tensor> {
            self.linear.forward(x)?.broadcast_add(&self.weight)
        }
    }

    #[test]
    fn tensor_and_its_crate_under_other_names() {
        let (layer, weight) = (linear(4, 4), tensor(&[4]));
        assert_captured_in_every_way!(RenamedTensor { linear: layer.clone(), weight: weight.clone() }, tensor(&[2, 4]));
        assert_captured_in_every_way!(RenamedCrate { linear: layer, weight }, tensor(&[2, 4]));
    }
}
