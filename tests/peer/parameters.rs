//! Parameters: values that are baked in, and structures with placeholders inside.

use candle_core::{Device, Result, Tensor};
use fx::{GraphModule, Interpreter, PH, PHWithMeta, Tracer, Transformer, Value};

use crate::owners::{assert_same, tensor};

#[fx::module]
struct Partial;

#[fx::module]
impl Partial {
    fn forward(&self, x: &Tensor, n: usize, name: Option<String>) -> Result<Tensor> {
        let x = if name.is_some() { x.neg()? } else { x.relu()? };
        x + n as f64
    }
}

#[test]
fn row_57_partial_trace() {
    let x = tensor(&[3]);
    let module = Tracer::new().concrete_arg("n", 3).concrete_arg("name", None::<&str>).trace(&Partial).unwrap();
    let expected = Partial.forward(&x, 3, None).unwrap();
    assert_same(&expected, &module.forward(&[&x]).unwrap());
    let call = |n: i64, name: Value| module.run(&[Value::from(&x), Value::Int(n), name]);
    assert_same(&expected, call(3, Value::None).unwrap().as_tensor().unwrap());
    let error = call(4, Value::None).unwrap_err().to_string();
    assert!(error.starts_with("`n` was specialised to 3 when it was captured, but 4 was given"), "{error}");
}

#[test]
fn row_57_concrete_arg_none_assert() {
    let x = tensor(&[3]);
    let module = Tracer::new().concrete_arg("n", 3).concrete_arg("name", None::<&str>).trace(&Partial).unwrap();
    let error = module.run(&[Value::from(&x), Value::Int(3), Value::Str("a".into())]).unwrap_err().to_string();
    assert!(error.starts_with("`name` was specialised to none when it was captured, but \"a\" was given"), "{error}");
}

#[test]
fn row_04_default_args() {
    let x = tensor(&[3]);
    let module = Tracer::new().concrete_arg("n", 3).concrete_arg("name", "a").trace(&Partial).unwrap();
    let all = [Value::from(&x), Value::Int(3), Value::Str("a".into())];
    for given in [1, 3] {
        let found = module.run(&all[..given]).unwrap();
        assert_same(&Partial.forward(&x, 3, Some("a".to_owned())).unwrap(), found.as_tensor().unwrap());
    }
    assert!(module.run(&all[..2]).is_err());
    assert!(module.run(&[]).is_err());
}

#[test]
fn one_placeholder_for_each_parameter_needs_no_signature() {
    let module = Tracer::new().placeholder("x").trace_fn(|inputs| inputs.tensor("x")?.relu()).unwrap();
    assert!(module.graph().signature().is_none());
}

/// The law: a graph called with the structure gives what the function gives.
fn assert_law(module: &GraphModule, structure: Value, expected: &Tensor) {
    module.check().unwrap();
    let inputs = [structure];
    for found in [module.run(&inputs), ().run(module, &inputs)] {
        let found = found.unwrap_or_else(|error| panic!("{error}\n{}", module.graph()));
        assert_same(expected, found.as_tensor().unwrap());
    }
}

fn sum(tensors: &[&Tensor]) -> Tensor {
    tensors.iter().skip(1).fold(tensors[0].clone(), |sum, next| ((sum * 2.0).unwrap() + *next).unwrap())
}

/// One structure: a model whose parameter has that type, a value with `PH` in it, the value to run on.
macro_rules! structures {
    ($($name:ident: $type:ty, |$s:ident| [$($leaf:expr),*], $with:expr, $value:expr;)*) => {
        $(
            mod $name {
                use candle_core::{Result, Tensor};
                #[fx::module]
                pub(super) struct Model;
                #[fx::module]
                impl Model {
                    #[allow(clippy::type_complexity, reason = "structures")]
                    pub(super) fn forward(&self, s: $type) -> Result<Tensor> {
                        let $s = &s;
                        let leaves = vec![$($leaf.clone()),*];
                        let mut sum = leaves[0].clone();
                        for next in leaves.iter().skip(1) {
                            sum = ((sum * 2.0)? + next)?;
                        }
                        Ok(sum)
                    }
                }
            }
        )*

        #[test]
        fn row_56_pytree_concrete() {
            let t: Vec<Tensor> = (0..6).map(|i| (tensor(&[3]) + f64::from(i)).unwrap()).collect();
            let v: Vec<Value> = t.iter().map(Value::from).collect();
            let mut structures = 0;
            $({
                let module = Tracer::new().concrete_arg("s", $with).trace(&$name::Model).unwrap();
                let count = module.graph().placeholders().count();
                let value: fn(&[Value]) -> Value = $value;
                assert_law(&module, value(&v), &sum(&t[..count].iter().collect::<Vec<_>>()));
                let expected = sum(&t[..count].iter().collect::<Vec<_>>());
                assert_law(&saved_and_loaded(&module), value(&v), &expected);
                let copied = Copy.transform(&module).unwrap();
                assert_law(&copied, value(&v), &expected);
                assert_eq!(copied.graph().to_string(), saved_and_loaded(&copied).graph().to_string());
                structures += 1;
            })*
            assert_eq!(structures, 13);
        }
    };
}

struct Copy;
impl Transformer for Copy {}

fn saved_and_loaded(module: &GraphModule) -> GraphModule {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.fx");
    module.save(&path).unwrap();
    GraphModule::load(&path, &Device::Cpu).unwrap()
}

fn list(values: &[Value]) -> Value {
    Value::List(values.to_vec())
}

fn tuple(values: &[Value]) -> Value {
    Value::Tuple(values.to_vec())
}

structures! {
    one: Tensor, |s| [s], PH, |v| v[0].clone();
    single: (Tensor,), |s| [s.0], (PH,), |v| tuple(&v[..1]);
    pair: (Tensor, Tensor), |s| [s.0, s.1], (PH, PH), |v| tuple(&v[..2]);
    vector: Vec<Tensor>, |s| [s[0], s[1], s[2]], vec![PH, PH, PH], |v| list(&v[..3]);
    constant: (Tensor, i64), |s| [s.0], (PH, 3i64), |v| tuple(&[v[0].clone(), Value::Int(3)]);
    option: Option<Tensor>, |s| [s.as_ref().unwrap()], Some(PH), |v| v[0].clone();
    option_in: (Tensor, Option<Tensor>), |s| [s.0, s.1.as_ref().unwrap()], (PH, Some(PH)), |v| tuple(&v[..2]);
    absent_in: (Tensor, Option<Tensor>), |s| [s.0], (PH, None::<PH>), |v| tuple(&[v[0].clone(), Value::None]);
    vectors: Vec<Vec<Tensor>>, |s| [s[0][0], s[0][1], s[1][0]], vec![vec![PH, PH], vec![PH]],
        |v| list(&[list(&v[..2]), list(&v[2..3])]);
    pairs: Vec<(Tensor, Tensor)>, |s| [s[0].0, s[0].1, s[1].0, s[1].1], vec![(PH, PH), (PH, PH)],
        |v| list(&[tuple(&v[..2]), tuple(&v[2..4])]);
    nested: (Tensor, (Tensor, Vec<Tensor>)), |s| [s.0, s.1.0, s.1.1[0]], (PH, (PH, vec![PH])),
        |v| tuple(&[v[0].clone(), tuple(&[v[1].clone(), list(&v[2..3])])]);
    mixed: (Vec<Tensor>, bool, (f64, Tensor)), |s| [s.0[0], s.0[1], s.2.1], (vec![PH, PH], true, (0.5, PH)),
        |v| tuple(&[list(&v[..2]), Value::Bool(true), tuple(&[Value::Float(0.5), v[2].clone()])]);
    deep: Vec<Vec<Vec<Tensor>>>, |s| [s[0][0][0], s[0][1][0]], vec![vec![vec![PH], vec![PH]]],
        |v| list(&[list(&[list(&v[..1]), list(&v[1..2])])]);
}

#[test]
fn row_56_pytree_of_another_structure_is_refused() {
    let v: Vec<Value> = (0..3).map(|_| Value::from(&tensor(&[3]))).collect();
    let module = Tracer::new().concrete_arg("s", (PH, 3i64)).trace(&constant::Model).unwrap();
    for (wrong, why) in [
        (v[0].clone(), "`s` should be a list, tuple or structure, but is f32[3]"),
        (tuple(&v[..1]), "`s` should be 2 values, but is (f32[3])"),
        (tuple(&[v[0].clone(), Value::Int(4)]), "`s[1]` was specialised to 3 when it was captured, but 4 was given"),
        (list(&v), "`s` should be 2 values, but is [f32[3], f32[3], f32[3]]"),
    ] {
        let error = module.run(&[wrong]).unwrap_err().to_string();
        assert!(error.starts_with(why), "{error}");
    }
}

#[test]
fn row_56_metadata_on_ph() {
    let marked = PHWithMeta(vec![("quantized".into(), Value::Bool(true))]);
    let module = Tracer::new().concrete_arg("s", (marked, 3i64)).trace(&constant::Model).unwrap();
    let (_, placeholder) = module.graph().nodes().next().unwrap();
    assert_eq!((placeholder.name(), placeholder.meta().annotation("quantized")), ("s_0", Some(&Value::Bool(true))));
}

#[fx::module]
struct Returns;

#[fx::module]
impl Returns {
    #[allow(clippy::type_complexity, reason = "a structure")]
    fn forward(&self, x: &Tensor) -> Result<(Tensor, Vec<(Tensor, usize)>, Option<Tensor>)> {
        Ok((x.relu()?, vec![(x.neg()?, 2)], None))
    }
}

#[test]
fn row_07_return_tuple() {
    let x = tensor(&[3]);
    let value = fx::symbolic_trace(&Returns).unwrap().run(&[Value::from(&x)]).unwrap();
    let Value::Tuple(parts) = &value else { panic!("{value:?}") };
    assert_same(&x.relu().unwrap(), parts[0].as_tensor().unwrap());
    let Value::List(pairs) = &parts[1] else { panic!("{value:?}") };
    assert!(matches!(&pairs[0], Value::Tuple(pair) if pair[1] == Value::Int(2)), "{value:?}");
    assert_eq!(parts[2], Value::None);
}

#[test]
fn row_12_inf_nan() {
    let module = Tracer::new()
        .trace_fn(|inputs| {
            let x = inputs.tensor("inf")?;
            let y = inputs.tensor("nan")?;
            ((x + f64::INFINITY)? * y)?.affine(f64::NAN, f64::NEG_INFINITY)
        })
        .unwrap();
    let x = tensor(&[3]);
    let found = module.forward(&[&x, &x]).unwrap().to_vec1::<f32>().unwrap();
    assert!(found.iter().all(|number| number.is_nan()), "{found:?}");
    assert!(module.graph().node_named("inf").is_some() && module.graph().node_named("nan").is_some());
}
