//! Many runs, in one state after the other and at the same time.

use fx::Value;

use crate::attention::decoder;
use crate::support::{assert_same, other, tensor};

#[test]
fn sequences_side_by_side_do_not_meet() {
    let mut model = decoder();
    let first = fx::trace(&model, (&tensor(&[1, 2, 4]),)).unwrap();
    model.forward(&tensor(&[1, 2, 4])).unwrap();
    let second = fx::trace(&model, (&tensor(&[1, 1, 4]),)).unwrap();
    let prompts = [tensor(&[1, 2, 4]), other(&[1, 2, 4])];
    std::thread::scope(|scope| {
        for prompt in &prompts {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (mut model, mut state) = (decoder(), first.state());
                    for x in [prompt.clone(), tensor(&[1, 1, 4])] {
                        let graph = if x.dims()[1] == 2 { &first } else { &second };
                        let found = graph.run_with_state(&mut state, &[Value::from(&x)]).unwrap();
                        assert_same(&model.forward(&x).unwrap(), found.as_tensor().unwrap());
                    }
                });
            }
        }
    });
    // Nobody has touched what they hold.
    assert_eq!(first.state().to_string(), "layers.0.kv_cache: none\nlayers.1.kv_cache: none\n");
}
