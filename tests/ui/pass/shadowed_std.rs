//! Modules, values and types with the names that everybody uses.
#![deny(warnings)]
#![allow(non_camel_case_types, non_upper_case_globals, dead_code, reason = "only their names matter")]

mod std {}
mod core {}
mod alloc {}
struct str;
struct usize;
struct bool;
const Ok: () = ();
const None: () = ();

mod model {
    use candle_core::{Result, Tensor};
    use candle_nn::{Linear, Module};

    #[fx::module]
    pub(crate) struct r#fn {
        pub(crate) r#type: Linear,
        pub(crate) r#match: Linear,
    }

    #[fx::module]
    impl Module for r#fn {
        fn forward(&self, r#in: &Tensor) -> Result<Tensor> {
            let r#loop = self.r#type.forward(r#in)?;
            self.r#match.forward(&r#loop)
        }
    }
}

#[test]
fn it_compiles() {
    let linear = || {
        candle_nn::Linear::new(candle_core::Tensor::new(&[[1f32]], &candle_core::Device::Cpu).unwrap(), Option::None)
    };
    let model = model::r#fn { r#type: linear(), r#match: linear() };
    let text = fx::symbolic_trace(&model).unwrap().graph().to_string();
    assert!(text.contains("call_module type(%in_1)"), "{text}");
}
