//! Rows 59 to 65, 67 and 68: subgraph rewriter, common subexpressions, matcher.

use candle_core::{Device, Result, Tensor};
use candle_nn::{Conv2d, Conv2dConfig, Linear};
use fx_core::ir::{Argument, Graph};
use fx_core::module::GraphModule;
use fx_core::ops::random::rand_like;
use fx_core::ops::{OpRef, elementwise, operators};
use fx_core::passes::{
    CommonSubexpressions, Fuel, IntoPattern, Names, Pass, Pattern, PatternError, PatternRewriter, Proxy, RewriteError,
    SubgraphMatcher, pattern, replace_pattern, replace_pattern_with_filters,
};
use fx_core::trace::{Inputs, ToOutput, Traceable, Tracer};
use fx_core::value::Value;

fn captured<R: ToOutput>(function: impl Fn(&mut Inputs<'_>) -> R) -> GraphModule {
    Tracer::new().name("model").trace_fn(function).unwrap()
}

fn calls(module: &GraphModule, op: OpRef) -> usize {
    module.graph().calls(op).count()
}

fn data(shape: &[usize]) -> Tensor {
    let count: usize = shape.iter().product();
    let data: Vec<f32> = (0..count).map(|i| ((i as f32) * 0.7).sin()).collect();
    Tensor::from_vec(data, shape, &Device::Cpu).unwrap()
}

/// Every tensor that a value holds, as bits.
fn bits(value: &Value) -> Vec<Vec<u32>> {
    let bits = |tensor: &&Tensor| {
        let data = tensor.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        data.into_iter().map(f32::to_bits).collect()
    };
    value.tensors().iter().map(bits).collect()
}

#[track_caller]
fn assert_same(a: &GraphModule, b: &GraphModule, inputs: &[Tensor]) {
    let inputs: Vec<Value> = inputs.iter().map(Value::from).collect();
    assert_eq!(bits(&a.run(&inputs).unwrap()), bits(&b.run(&inputs).unwrap()));
}

fn count(pattern: Pattern, module: &GraphModule) -> usize {
    SubgraphMatcher::new(pattern).unwrap().matches(module).unwrap().len()
}

#[test]
fn row_59_overlapping_matches() {
    let sigmoid = |x: &Proxy| x.neg()?.exp();
    let mut module = captured(|inputs| {
        let mut x = inputs.tensor("x")?;
        for _ in 0..4 {
            x = x.relu()?;
        }
        Result::Ok(x)
    });
    let replaced = replace_pattern(&mut module, pattern(|[x]| x.relu()?.relu()).unwrap(), sigmoid).unwrap();
    assert_eq!((replaced.len(), calls(&module, &elementwise::relu::OP)), (2, 0));
    module.check().unwrap();
    let expected = captured(|inputs| inputs.tensor("x")?.neg()?.exp()?.neg()?.exp());
    assert_same(&module, &expected, &[data(&[5])]);
    let lines: Vec<String> = module.graph().nodes().map(|(id, _)| module.graph().node_line(id)).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    %x = placeholder x()
    %neg = call_method neg(%x)
    %exp = call_method exp(%neg)
    %neg_1 = call_method neg(%exp)
    %exp_1 = call_method exp(%neg_1)
    output %exp_1
    ");
}

#[test]
fn row_60_internal_pattern_nodes_cannot_have_users_that_are_not_matched() {
    let mut module = captured(|inputs| {
        let (x, w) = (inputs.tensor("x")?, inputs.tensor("w")?);
        let product = x.matmul(&w)?;
        Result::Ok((product.relu()?, product.tanh()?))
    });
    let before = module.graph().to_string();
    let fused = pattern(|[x, w]| x.matmul(&w)?.relu()).unwrap();
    assert_eq!(replace_pattern(&mut module, &fused, |x: &Proxy, w: &Proxy| x.matmul(w)).unwrap().len(), 0);
    assert_eq!(module.graph().to_string(), before);
    let why = SubgraphMatcher::new(fused).unwrap().explain(&module).unwrap().to_string();
    assert!(why.contains("expected no readers outside of the match, found %tanh"), "{why}");
}

#[test]
fn row_60_pattern_output_pattern_node_can_have_users_that_are_not_matched() {
    let mut module = captured(|inputs| {
        let (x, w) = (inputs.tensor("x")?, inputs.tensor("w")?);
        let product = x.matmul(&w)?;
        Result::Ok((product.relu()?, product.tanh()?))
    });
    let before = module.clone();
    let replaced = replace_pattern(
        &mut module,
        pattern(|[x, w]| {
            let product = x.matmul(&w)?;
            Result::Ok((product.relu()?, product))
        })
        .unwrap(),
        |x: &Proxy, w: &Proxy| {
            let product = x.matmul(w)?;
            Result::Ok((product.maximum(0.0)?, product))
        },
    );
    assert_eq!(replaced.unwrap().len(), 1);
    module.check().unwrap();
    assert_eq!(calls(&module, &elementwise::relu::OP), 0);
    assert_same(&before, &module, &[data(&[2, 3]), data(&[3, 4])]);
}

/// A graph by hand: `x.clamp(min = %min, max = %max)` with wildcards for the limits.
fn clamp_of_anything() -> Graph {
    let mut graph = Graph::new("clamp");
    let mut cursor = graph.at_end();
    let (x, min, max) = (cursor.placeholder("x"), cursor.placeholder("min"), cursor.placeholder("max"));
    let limits = [("min".into(), min.into()), ("max".into(), max.into())];
    let clamp = cursor.call_method(&elementwise::clamp::OP, [x.into()], limits).unwrap();
    cursor.output(clamp);
    graph
}

#[test]
fn row_61_placeholder_matching() {
    let mut module = captured(|inputs| (inputs.tensor("x")? * 3.0)?.clamp(0.0, 1.0));
    let found = SubgraphMatcher::new(clamp_of_anything().into_pattern().unwrap()).unwrap().matches(&module).unwrap();
    assert_eq!(found[0].placeholder_nodes[1..], [Some(Argument::Float(0.0)), Some(Argument::Float(1.0))]);

    let expected = captured(|inputs| inputs.tensor("x")? + 3.0);
    let scaled = |op: OpRef| {
        let mut graph = Graph::new("pattern");
        let mut cursor = graph.at_end();
        let (x, y) = (cursor.placeholder("x"), cursor.placeholder("y"));
        let call = cursor.call_function(op, [x.into(), y.into()], []).unwrap();
        cursor.output(call);
        graph
    };
    let mut scale = captured(|inputs| inputs.tensor("x")? * 3.0);
    assert_eq!(calls(&scale, &operators::mul::OP), 1);
    assert_eq!(replace_pattern(&mut scale, scaled(&operators::mul::OP), scaled(&operators::add::OP)).unwrap().len(), 1);
    assert_same(&scale, &expected, &[data(&[4])]);

    // A literal that is returned as it is has nobody to read it.
    let x_only = pattern(|[x, _min, max]| {
        let _ = x;
        Result::Ok(max)
    });
    let error = replace_pattern(&mut module, clamp_of_anything(), x_only.unwrap()).unwrap_err();
    assert!(matches!(error, RewriteError::LiteralResult { .. }), "{error}");
}

#[test]
fn row_62_local_revert() {
    // The second of three candidates fits half-way; what was noted on the way is taken back.
    let mut module = captured(|inputs| {
        let (x, w) = (inputs.tensor("x")?, inputs.tensor("w")?);
        let first = x.matmul(&w)?.relu()?.tanh()?;
        let second = first.matmul(&w)?.neg()?.tanh()?;
        second.matmul(&w)?.relu()?.tanh()
    });
    let replaced = replace_pattern(
        &mut module,
        pattern(|[x, w]| x.matmul(&w)?.relu()?.tanh()).unwrap(),
        |x: &Proxy, w: &Proxy| x.matmul(w)?.gelu(),
    );
    assert_eq!(replaced.unwrap().len(), 2);
    assert_eq!((calls(&module, &elementwise::gelu::OP), calls(&module, &elementwise::tanh::OP)), (2, 1));
    module.check().unwrap();
}

#[test]
fn row_63_replace_with_multiple_outputs() {
    let mut module = captured(|inputs| {
        let (x, y) = (inputs.tensor("x")?, inputs.tensor("y")?);
        let (a, b) = (x.relu()?, y.tanh()?);
        (a + b)?.exp()
    });
    let before = module.clone();
    let swapped = pattern(|[x, y]| Result::Ok((x.relu()?, y.tanh()?))).unwrap();
    let replaced =
        replace_pattern(&mut module, &swapped, |x: &Proxy, y: &Proxy| Result::Ok((x.maximum(0.0)?, y.tanh()?)));
    assert_eq!(replaced.unwrap().len(), 1);
    module.check().unwrap();
    assert_same(&before, &module, &[data(&[4]), data(&[4])]);
}

#[test]
fn row_63_replace_with_duplicated_outputs() {
    let mut module = captured(|inputs| {
        let (x, y) = (inputs.tensor("x")?, inputs.tensor("y")?);
        let (a, b) = (x.relu()?, y.tanh()?);
        (&a + &b)?.exp()? + a
    });
    let replaced = replace_pattern(
        &mut module,
        pattern(|[x, y]| {
            let a = x.relu()?;
            Result::Ok((a.clone(), y.tanh()?, a))
        })
        .unwrap(),
        |x: &Proxy, y: &Proxy| {
            let a = x.abs()?;
            Result::Ok((a.clone(), y.neg()?, a))
        },
    );
    assert_eq!(replaced.unwrap().len(), 1);
    module.check().unwrap();
    let expected = captured(|inputs| {
        let (x, y) = (inputs.tensor("x")?, inputs.tensor("y")?);
        let a = x.abs()?;
        (&a + y.neg()?)?.exp()? + a
    });
    assert_same(&expected, &module, &[data(&[4]), data(&[4])]);
}

#[test]
fn row_63_with_unused_args() {
    let mut module = captured(|inputs| {
        let (x, y, _z) = (inputs.tensor("x")?, inputs.tensor("y")?, inputs.tensor("z")?);
        x + y
    });
    // The third input is used neither by the pattern nor by the replacement.
    let sum = pattern(|[x, y, _z]| x + y).unwrap();
    let difference = pattern(|[x, y, _z]| x - y).unwrap();
    assert_eq!(replace_pattern(&mut module, &sum, &difference).unwrap().len(), 1);
    assert_eq!((module.graph().placeholders().count(), calls(&module, &operators::sub::OP)), (3, 1));
    module.check().unwrap();
    // One that only the replacement uses is an error, before anything changes.
    let of_the_third = pattern(|[x, _y, z]| x - z).unwrap();
    let error = replace_pattern(&mut module, &difference, &of_the_third).unwrap_err();
    assert!(matches!(error, RewriteError::Unbound { input: 2 }), "{error}");
}

#[test]
fn row_63_with_unused_results() {
    // One of the results of the pattern is read by nobody.
    let mut module = captured(|inputs| {
        let x = inputs.tensor("x")?;
        let sum = x.relu()?;
        let _unused = sum.tanh()?;
        sum.exp()
    });
    let both = pattern(|[x]| {
        let a = x.relu()?;
        Result::Ok((a.tanh()?, a))
    });
    let replaced = replace_pattern(&mut module, both.unwrap(), |x: &Proxy| {
        let a = x.abs()?;
        Result::Ok((a.neg()?, a))
    });
    assert_eq!(replaced.unwrap().len(), 1);
    module.check().unwrap();
    assert_same(&captured(|inputs| inputs.tensor("x")?.abs()?.exp()), &module, &[data(&[4])]);
}

/// A graph module that calls a layer once.
fn of_layer<M: Traceable>(layer: &M, call: impl Fn(&mut M::Symbolic, &Proxy) -> Result<Proxy>) -> GraphModule {
    Tracer::new().name("layer").trace_with(layer, |layer, inputs| call(layer, &inputs.tensor("x")?)).unwrap()
}

#[test]
fn row_64_replace_consecutive_submodules() {
    let two = vec![Linear::new(data(&[4, 4]), None), Linear::new(data(&[4, 4]), None)];
    let mut module =
        Tracer::new().trace_with(&two, |two, inputs| two[1].forward(&two[0].forward(&inputs.tensor("x")?)?)).unwrap();
    let one = of_layer(&Linear::new(data(&[4, 4]), None), |layer, x| layer.forward(x));
    assert_eq!(replace_pattern(&mut module, &one, |x: &Proxy| x.relu()).unwrap().len(), 2);
    module.check().unwrap();
    assert_same(&captured(|inputs| inputs.tensor("x")?.relu()?.relu()), &module, &[data(&[2, 4])]);
    assert_eq!(module.attributes().iter().count(), 0);
}

#[test]
fn row_64_replaces_referenced_submodules() {
    let linear = Linear::new(data(&[4, 4]), Some(data(&[4])));
    let mut module = of_layer(&vec![linear.clone()], |layers, x| layers[0].forward(x)?.relu());
    let pattern = of_layer(&linear, |layer, x| layer.forward(x)?.relu());
    let other = Linear::new((data(&[4, 4]) * 2.0).unwrap(), None);
    let replacement = of_layer(&vec![other.clone()], |layers, x| layers[0].forward(x)?.tanh());
    assert_eq!(replace_pattern(&mut module, &pattern, &replacement).unwrap().len(), 1);
    module.check().unwrap();
    // The old layer had the path `0`, so that the new one got a path of its own; the old one is gone.
    let paths: Vec<&str> = module.attributes().iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["0_1"]);
    assert_same(&replacement, &module, &[data(&[2, 4])]);

    // A layer of another type or with other settings is another.
    let conv = |config| Conv2d::new(data(&[2, 2, 1, 1]), None, config);
    let strided = conv(Conv2dConfig { stride: 2, ..Default::default() });
    let module = of_layer(&strided, |layer, x| layer.forward(x)?.relu());
    assert_eq!(count((&pattern).into_pattern().unwrap(), &module), 0);
}

#[test]
fn row_65_replace_pattern_with_filters() {
    let mut module = captured(|inputs| {
        let (x, w) = (inputs.tensor("x")?, inputs.tensor("w")?);
        x.matmul(&w)?.clamp(0.0, 6.0)?.matmul(&w)?.clamp(0.0, 1.0)
    });
    let replaced = replace_pattern_with_filters(
        &mut module,
        pattern(|[x, w]| x.matmul(&w)?.clamp(0.0, 6.0)).unwrap(),
        |x: &Proxy, w: &Proxy| x.matmul(w)?.relu(),
        |found, graph, _| graph.node(found.anchors[0]).kwarg("max") == Some(&Argument::Float(1.0)),
        true,
    );
    assert_eq!(replaced.unwrap().len(), 1);
    assert_eq!((calls(&module, &elementwise::relu::OP), calls(&module, &elementwise::clamp::OP)), (1, 1));
}

#[test]
fn row_65_replace_pattern_with_callback() {
    let mut module = captured(|inputs| inputs.tensor("x")?.clamp(0.0, 6.0)?.clamp(-1.0, 1.0));
    let rewriter = PatternRewriter::new(clamp_of_anything()).unwrap().callback(|found, _| {
        assert_eq!(found.placeholder_nodes.len(), 3);
        let zero = found.placeholder_nodes[1] == Some(Argument::Float(0.0));
        pattern(|[x, _min, _max]| if zero { x.relu() } else { x.tanh() })
    });
    let replaced = rewriter.apply(&mut module).unwrap();
    assert_eq!(replaced.iter().map(|one| one.replacements.len()).collect::<Vec<_>>(), [1, 1]);
    module.check().unwrap();
    assert_same(&captured(|inputs| inputs.tensor("x")?.relu()?.tanh()), &module, &[data(&[4])]);
    // The names of nodes restrict the anchors.
    let named = SubgraphMatcher::new(pattern(|[x]| x.relu()).unwrap()).unwrap().node_name("tanh");
    assert_eq!(named.matches(&module).unwrap().len(), 0);
}

fn cse(module: &mut GraphModule) -> bool {
    let changed = CommonSubexpressions::new().run(module, &mut Fuel::unlimited()).unwrap();
    module.check().unwrap();
    // A second run finds nothing.
    assert!(!CommonSubexpressions::new().run(module, &mut Fuel::unlimited()).unwrap());
    changed
}

#[test]
fn row_67_cse_empty() {
    let mut module = captured(|inputs| inputs.tensor("x"));
    assert!(!cse(&mut module));
}

#[test]
fn row_67_cse_immutable_list_type() {
    let model = |inputs: &mut Inputs<'_>| {
        let x = inputs.tensor("x")?;
        let cat = || Proxy::cat(&[&x, &x], 0);
        let sum = |dims: [usize; 2]| x.sum(dims.as_slice());
        Result::Ok((cat()?, cat()?, sum([0, 1])?, sum([0, 1])?, sum([1, 0])?))
    };
    let mut module = captured(model);
    let before = module.clone();
    assert!(cse(&mut module));
    assert_eq!((before.graph().len(), module.graph().len()), (7, 5));
    assert_same(&before, &module, &[data(&[2, 3])]);
}

#[test]
fn row_67_cse_two_args_default_and_kwarg() {
    let mut module = captured(|inputs| {
        let x = inputs.tensor("x")?;
        Result::Ok((x.sum_keepdim(0)?, x.sum_keepdim(0)?, x.sum_keepdim(1)?, x.clamp(0.0, 1.0)?, x.clamp(0.0, 1.0)?))
    });
    let before = module.clone();
    assert!(cse(&mut module));
    assert_eq!(module.graph().len(), before.graph().len() - 2);
    assert_same(&before, &module, &[data(&[2, 3])]);
}

#[test]
fn row_67_cse_nested_chains_merge_in_one_run() {
    let mut module = captured(|inputs| {
        let x = inputs.tensor("x")?;
        (x.relu()?.tanh()?.exp()? + x.relu()?.tanh()?.exp()?)?.neg()
    });
    assert!(cse(&mut module));
    assert_eq!(module.graph().len(), 7);
}

#[test]
fn row_67_cse_random() {
    let mut module = captured(|inputs| {
        let x = inputs.tensor("x")?;
        x.rand_like(0.0, 1.0)? + x.rand_like(0.0, 1.0)?
    });
    assert!(!cse(&mut module));
    assert_eq!(calls(&module, &rand_like::OP), 2);
}

#[test]
fn row_67_cse_banned_list() {
    let mut module = captured(|inputs| {
        let x = inputs.tensor("x")?;
        x.relu()? + x.relu()?
    });
    let mut banned = CommonSubexpressions::new().banned([&elementwise::relu::OP as OpRef]);
    assert!(!banned.run(&mut module, &mut Fuel::unlimited()).unwrap());
    assert!(cse(&mut module));
}

#[test]
fn row_67_cse_one_attribute_is_read_once() {
    let mut graph = Graph::new("model");
    let mut cursor = graph.at_end();
    let (a, b) = (cursor.get_attr("w"), cursor.get_attr("w"));
    let sum = cursor.call_function(&operators::add::OP, [a.into(), b.into()], []).unwrap();
    cursor.output(sum);
    let mut attributes = fx_core::module::Attributes::new();
    attributes.insert("w", data(&[2]));
    let mut module = GraphModule::new(graph, attributes).unwrap();
    assert!(cse(&mut module));
    assert_eq!(module.graph().len(), 3);
}

#[test]
fn row_68_matcher_diamond() {
    // Both ways from one node meet again.
    let diamond = |x: Proxy| {
        let top = x.relu()?;
        top.tanh()? + top.exp()?
    };
    let module = captured(|inputs| diamond(inputs.tensor("x")?));
    assert_eq!(count(pattern(|[x]| diamond(x)).unwrap(), &module), 1);
    // Two ways from two nodes are no diamond.
    let open = captured(|inputs| {
        let x = inputs.tensor("x")?;
        x.relu()?.tanh()? + x.relu()?.exp()?
    });
    assert_eq!(count(pattern(|[x]| diamond(x)).unwrap(), &open), 0);
}

#[test]
fn row_68_matcher_chain_repeated() {
    let chain = captured(|inputs| {
        let mut x = inputs.tensor("x")?;
        for _ in 0..3 {
            x = x.relu()?;
        }
        Result::Ok(x)
    });
    let stacked = |times: usize| {
        let pattern = pattern(|[x]| {
            let mut x = x;
            for _ in 0..times {
                x = x.relu()?;
            }
            Result::Ok(x)
        });
        count(pattern.unwrap(), &chain)
    };
    assert_eq!([1, 2, 3, 4].map(stacked), [3, 1, 1, 0]);
    let two_then_other = pattern(|[x]| x.relu()?.relu()?.tanh());
    assert_eq!(count(two_then_other.unwrap(), &chain), 0);
}

#[test]
fn row_68_matcher_not_fully_contained() {
    // `b` is read outside, `a` and `c` are not.
    let module = captured(|inputs| {
        let x = inputs.tensor("x")?;
        let b = x.relu()?.tanh()?;
        Result::Ok((b.exp()?, b.neg()?))
    });
    assert_eq!(count(pattern(|[x]| x.relu()?.tanh()?.exp()).unwrap(), &module), 0);
    assert_eq!(count(pattern(|[x]| x.relu()?.tanh()).unwrap(), &module), 1);
}

#[test]
fn row_68_matcher_no_anchor() {
    let refused =
        |pattern: std::result::Result<Pattern, PatternError>| SubgraphMatcher::new(pattern.unwrap()).unwrap_err();
    assert!(matches!(refused(pattern(|[x]| Result::Ok(x))), PatternError::Empty { .. }));
    assert!(matches!(refused(pattern(|[_x]| Result::Ok(()))), PatternError::Empty { .. }));
    assert!(matches!(
        refused(pattern(|[x]| {
            x.relu()?;
            x.tanh()
        })),
        PatternError::DeadCode { .. }
    ));
    assert!(matches!(refused(pattern(|[x]| Result::Ok((x.relu()?, x)))), PatternError::ReturnsInput { .. }));
}

#[test]
fn row_68_matcher_several_anchors() {
    // Reading one node joins the two; each is found once.
    let module = captured(|inputs| {
        let (x, y) = (inputs.tensor("x")?, inputs.tensor("y")?);
        Result::Ok((x.relu()?, y.relu()?, y.tanh()?, x.tanh()?))
    });
    let joined = pattern(|[x]| Result::Ok((x.relu()?, x.tanh()?))).unwrap();
    let matcher = SubgraphMatcher::new(joined).unwrap();
    let found = matcher.matches(&module).unwrap();
    let names: Vec<Vec<&str>> = found
        .iter()
        .map(|one| one.returning_nodes.iter().map(|&id| module.graph().node(id).name()).collect())
        .collect();
    assert_eq!(names, [["relu", "tanh_1"], ["relu_1", "tanh"]]);

    // Where nothing joins them, anything goes, up to the budget.
    let parted = pattern(|[x, y]| Result::Ok((x.relu()?, y.sqrt()?))).unwrap();
    let many = captured(|inputs| {
        let x = inputs.tensor("x")?;
        let all: Result<Vec<Proxy>> = (0..50).map(|_| x.relu()).collect();
        all
    });
    assert_eq!(count(parted, &many), 0);
    let unconnected = || {
        let parts = pattern(|[x, y, z]| Result::Ok((x.relu()?, y.relu()?, z.exp()?.tanh()?)));
        SubgraphMatcher::new(parts.unwrap()).unwrap()
    };
    // No tanh at all: there is nothing to try.
    assert_eq!(unconnected().budget(100).matches(&many).unwrap().len(), 0);
    let many = captured(|inputs| {
        let x = inputs.tensor("x")?;
        let all: Result<Vec<Proxy>> = (0..50).map(|i| if i == 49 { x.tanh() } else { x.relu() }).collect();
        all
    });
    let error = unconnected().budget(60).matches(&many).unwrap_err().to_string();
    assert!(error.starts_with("the pattern fits in too many ways: 60 were tried around %relu;"), "{error}");
    assert_eq!(unconnected().matches(&many).unwrap().len(), 0);
}

#[test]
fn row_68_matcher_refuses_cycles() {
    // `b` reads what is made of `a` outside of the match: the two cannot become one node.
    let module = captured(|inputs| {
        let x = inputs.tensor("x")?;
        let a = x.relu()?;
        let b = (&x + a.exp()?)?.tanh()?;
        Result::Ok((a, b))
    });
    let two = pattern(|[x, y]| Result::Ok((x.relu()?, y.tanh()?))).unwrap();
    let matcher = SubgraphMatcher::new(two).unwrap();
    assert_eq!(matcher.matches(&module).unwrap().len(), 0);
    let why = matcher.explain(&module).unwrap().to_string();
    assert!(why.contains("expected nodes that can become one"), "{why}");
}

#[test]
fn row_68_matcher_names() {
    let named = pattern(|[x, w]| {
        let product = x.matmul(&w)?;
        Result::Ok((product.relu()?, Names::new([("product", product)])))
    });
    let module = captured(|inputs| inputs.tensor("x")?.matmul(&inputs.tensor("w")?)?.relu());
    let found = SubgraphMatcher::new(named.unwrap()).unwrap().matches(&module).unwrap();
    let product = found[0].name_node_map["product"].as_node().unwrap();
    assert_eq!(module.graph().node(product).name(), "matmul");
}

#[test]
fn row_68_matcher_output_and_placeholder() {
    let module = captured(|inputs| inputs.tensor("x")?.relu()?.relu()?.exp()?.relu());
    let relu = || SubgraphMatcher::new(pattern(|[x]| x.relu()).unwrap()).unwrap();
    let found = |matcher: SubgraphMatcher| -> Vec<String> {
        let found = matcher.matches(&module).unwrap();
        found.iter().map(|one| module.graph().node(one.anchors[0]).name().to_owned()).collect()
    };
    assert_eq!(found(relu()), ["relu", "relu_1", "relu_2"]);
    assert_eq!(found(relu().match_output(true)), ["relu_2"]);
    assert_eq!(found(relu().match_placeholder(true)), ["relu"]);
    let twice = || SubgraphMatcher::new(pattern(|[x]| x.relu()?.relu()).unwrap()).unwrap();
    let three = captured(|inputs| inputs.tensor("x")?.relu()?.relu()?.relu());
    assert_eq!(twice().matches(&three).unwrap().len(), 1);
    assert_eq!(twice().keep_overlapping(true).matches(&three).unwrap().len(), 2);
}
