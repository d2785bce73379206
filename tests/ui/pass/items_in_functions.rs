//! Items that are local to a function.
#![deny(warnings)]

#[test]
fn it_compiles() {
    use candle_core::{Result, Tensor};
    use candle_nn::{Linear, Module};

    #[fx::constant]
    #[derive(Clone)]
    struct Config {
        scale: f64,
    }

    #[fx::module]
    struct Model {
        linear: Linear,
        config: Config,
    }

    #[fx::wrap]
    fn whole(x: &Tensor) -> Result<Tensor> {
        x.neg()
    }

    #[fx::module]
    fn helper(x: &Tensor) -> Result<Tensor> {
        whole(x)?.relu()
    }

    #[fx::module]
    impl Module for Model {
        fn forward(&self, x: &Tensor) -> Result<Tensor> {
            helper(&self.linear.forward(x)?)? * self.config.scale
        }
    }

    let weight = Tensor::new(&[[1f32]], &candle_core::Device::Cpu).unwrap();
    let model = Model { linear: Linear::new(weight, None), config: Config { scale: 2.0 } };
    assert_eq!(fx::symbolic_trace(&model).unwrap().graph().len(), 6);
}
