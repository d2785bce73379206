//! Leaf policy of functions, torch.fx's `autowrap_functions` and `autowrap_modules`, and of types that have no fields.

use candle_core::{Module, Result, Tensor};
use candle_nn::Linear;
use fx::{TraceError, Tracer, TracerRules};

use crate::owners::{assert_same, linear, tensor};

mod math {
    use super::*;

    /// Reads data, which no symbolic capture can follow.
    #[fx::module(specialize)]
    pub(super) fn centred(x: &Tensor, by: f64, bias: Option<&Tensor>) -> Result<Tensor> {
        let mean = x.mean_all()?.to_scalar::<f32>()?;
        let x = ((x - f64::from(mean))? * by)?;
        match bias {
            Some(bias) => x.broadcast_add(bias),
            None => Ok(x),
        }
    }

    #[fx::module]
    pub(super) fn halves(x: &Tensor) -> Result<(Tensor, Vec<Tensor>)> {
        let parts = x.chunk(2, 1)?;
        Ok((parts[0].clone(), parts))
    }

    /// No graph can hold the second argument.
    #[fx::module]
    pub(super) fn by_layer(x: &Tensor, layer: &Linear) -> Result<Tensor> {
        layer.forward(x)
    }

    #[fx::module]
    pub(super) fn generic<D: candle_core::shape::Dim>(x: &Tensor, dim: D) -> Result<Tensor> {
        x.sum(dim)
    }

    /// A graph cannot give back a string.
    #[fx::module]
    pub(super) fn described(x: &Tensor) -> Result<(Tensor, char)> {
        Ok((x.relu()?, 'x'))
    }
}

#[fx::module]
struct Model {
    bias: Tensor,
    layer: Linear,
}

#[fx::module]
impl Model {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = math::centred(x, 0.5, Some(&self.bias))?;
        math::centred(&x, 2.0, None)?.relu()
    }

    fn split(&self, x: &Tensor) -> Result<Tensor> {
        let (first, parts) = math::halves(x)?;
        first - &parts[1]
    }

    fn by_layer(&self, x: &Tensor) -> Result<Tensor> {
        math::by_layer(x, &self.layer)
    }

    fn generic(&self, x: &Tensor) -> Result<Tensor> {
        math::generic(x, 1)
    }

    fn described(&self, x: &Tensor) -> Result<Tensor> {
        Ok(math::described(x)?.0)
    }
}

fn model() -> Model {
    Model { bias: tensor(&[4]), layer: linear(4, 4) }
}

/// Functions whose path has one of these ends.
struct Functions(&'static [&'static str]);

impl TracerRules for Functions {
    fn is_leaf_function(&self, path: &str) -> bool {
        self.0.iter().any(|end| path.ends_with(end))
    }
}

/// All functions of a module.
struct Autowrapped(&'static str);

impl TracerRules for Autowrapped {
    fn is_leaf_function(&self, path: &str) -> bool {
        path.rsplit_once("::").is_some_and(|(module, _)| module.ends_with(self.0))
    }
}

#[test]
fn autowrap_functions() {
    let (x, model) = (tensor(&[2, 4]), model());
    let expected = model.forward(&x).unwrap();
    assert!(matches!(fx::symbolic_trace(&model), Err(TraceError::DataRead { .. })));
    let module = Tracer::new().with(Functions(&["math::centred"])).trace(&model).unwrap();
    module.check().unwrap();
    assert_same(&expected, &module.forward(&[&x]).unwrap());
    let other = (&x * -3.0).unwrap();
    assert_same(&model.forward(&other).unwrap(), &module.forward(&[&other]).unwrap());
    insta::assert_snapshot!(module.graph(), @r#"
    graph model(%x) {
        %bias = get_attr bias()                                                              // f32[4]
        %centred = call_function peer::functions::math::centred(%x, %bias, by = 0.5)         // functions.rs:56
        %centred_1 = call_function peer::functions::math::centred(%centred, none, by = 2.0)  // functions.rs:57
        %relu = call_method relu(%centred_1)                                                 // functions.rs:57
        output %relu
    }
    "#);
    assert!(module.code().contains("math::centred(x, 0.5, Some(&self.bias))"), "{}", module.code());
    // Concretely, too, where the original runs while it is recorded.
    let module = Tracer::new().with(Functions(&["math::centred"])).trace_examples(&model, (&x,)).unwrap();
    assert_same(&model.forward(&other).unwrap(), &module.forward(&[&other]).unwrap());
}

#[test]
fn autowrap_modules() {
    let (x, model) = (tensor(&[2, 4]), model());
    // How many parts there are is not known without data, so this is a capture of a run.
    let module = Tracer::new()
        .with(Autowrapped("math"))
        .example("x", &x)
        .trace_with(&model, |model, inputs| model.split(&inputs.tensor("x")?))
        .unwrap();
    assert_same(&model.split(&x).unwrap(), &module.forward(&[&x]).unwrap());
    let names: Vec<&str> =
        module.graph().nodes().filter_map(|(_, node)| node.target().operation()).map(|op| op.short_name()).collect();
    assert!(names.contains(&"halves") && !names.contains(&"chunk"), "{names:?}");
    // With no rules nothing is called whole.
    let entered =
        Tracer::new().example("x", &x).trace_with(&model, |model, inputs| model.split(&inputs.tensor("x")?)).unwrap();
    assert_same(&model.split(&x).unwrap(), &entered.forward(&[&x]).unwrap());
}

#[test]
fn a_function_recorded_whole_is_saved_and_loaded() {
    let (x, model) = (tensor(&[2, 4]), model());
    let module = Tracer::new().with(Functions(&["math::centred"])).trace(&model).unwrap();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("leaf_function.fx");
    module.save(&path).unwrap();
    let ops = fx::ops::OpTable::builtin().clone().with(&[fx::op_of!(math::centred)]);
    let device = candle_core::Device::Cpu;
    let loaded = fx::GraphModule::load_with(&path, &ops, fx::LayerTable::builtin(), &device).unwrap();
    assert_same(&model.forward(&x).unwrap(), &loaded.forward(&[&x]).unwrap());
}

#[test]
fn a_function_that_cannot_be_a_leaf_says_why() {
    let model = model();
    let tracer = || Tracer::new().with(Autowrapped("math"));
    let errors = [
        tracer().trace_with(&model, |model, inputs| model.by_layer(&inputs.tensor("x")?)).unwrap_err(),
        tracer().trace_with(&model, |model, inputs| model.generic(&inputs.tensor("x")?)).unwrap_err(),
        tracer().trace_with(&model, |model, inputs| model.described(&inputs.tensor("x")?)).unwrap_err(),
    ];
    let messages: Vec<String> = errors.iter().map(|error| crate::leaves::without_lines(&error.to_string())).collect();
    insta::assert_snapshot!(messages.join("\n\n"), @r#"
    `peer::functions::math::by_layer` is refused: a graph cannot hold an argument of type `&fx_core::leaf::layer::Leaf<candle_nn::linear::Linear>`
      at tests/peer/functions.rs
      called with ?

    `peer::functions::math::generic` cannot be called whole, as `is_leaf_function` asks: it takes arguments that a graph cannot pass: they are generic, or borrow in a way of their own
      at tests/peer/functions.rs
      change that, or let `is_leaf_function` answer `false` for it, and the capture goes through it

    `peer::functions::math::described` cannot be called whole, because a graph cannot give back a `core::result::Result<(fx_core::trace::proxy::Proxy, char), candle_core::error::Error>`
      at tests/peer/functions.rs
      return tensors, tuples and vectors of them, or plain numbers
    "#);
}

/// No fields.
#[fx::module]
#[derive(Clone)]
struct Squared;

#[fx::module]
impl Module for Squared {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.again().apply(x)
    }
}

#[fx::module]
impl Squared {
    #[fx(include)]
    fn again(&self) -> Self {
        match self {
            Self => Self,
        }
    }

    fn apply(&self, x: &Tensor) -> Result<Tensor> {
        x.sqr()
    }
}

#[fx::module]
#[derive(Clone)]
enum Choice {
    Squared(Squared),
    Nothing,
}

#[fx::module]
impl Module for Choice {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Squared(squared) => squared.forward(x),
            Self::Nothing => Ok(x.clone()),
        }
    }
}

#[fx::module]
struct Holds {
    unit: Squared,
    list: Vec<Squared>,
    choice: Choice,
}

#[fx::module]
impl Holds {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let x = x.apply(&self.unit)?;
        let x = self.list.iter().try_fold(x, |x, squared| squared.forward(&x))?;
        self.choice.forward(&x)
    }
}

struct Leaf(&'static str);

impl TracerRules for Leaf {
    fn is_leaf_module(&self, type_name: &str, _: &str) -> bool {
        type_name == self.0
    }
}

#[test]
fn a_struct_without_fields_can_be_a_leaf() {
    let (x, model) =
        (tensor(&[2, 4]), Holds { unit: Squared, list: vec![Squared, Squared], choice: Choice::Squared(Squared) });
    let expected = model.forward(&x).unwrap();
    let entered = fx::symbolic_trace(&model).unwrap();
    assert_same(&expected, &entered.forward(&[&x]).unwrap());
    let modules: Vec<String> = entered
        .graph()
        .nodes()
        .map(|(_, node)| format!("{:?}", node.meta().module))
        .filter(|text| text.contains("Squared"))
        .collect();
    assert_eq!(modules.len(), 4, "{modules:?}");
    let module = Tracer::new().with(Leaf("Squared")).trace(&model).unwrap();
    assert_same(&expected, &module.forward(&[&x]).unwrap());
    insta::assert_snapshot!(module.graph(), @r#"
    graph holds(%x) {
        %unit = call_module unit(%x)                       // functions.rs:188
        %list_0 = call_module list.0(%unit)                // functions.rs:188
        %list_1 = call_module list.1(%list_0)              // functions.rs:188
        %choice = call_module choice(%list_1)              // functions.rs:188
        output %choice
    }
    "#);
}
