//! A crate that documents everything and lets no lint pass, clippy's included.
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic, clippy::nursery)]

/// Layers that others use.
pub mod layers {
    use candle_core::{Result, Tensor};
    use candle_nn::{Linear, Module};

    /// Settings.
    #[fx::constant]
    #[derive(Debug, Clone)]
    pub struct Config {
        /// What results are multiplied with.
        pub scale: f64,
    }

    /// Two layers.
    #[fx::module]
    #[derive(Debug)]
    pub struct Mlp {
        /// The first.
        pub up: Linear,
        /// The second.
        pub down: Linear,
        /// The settings.
        pub config: Config,
    }

    #[fx::module]
    impl Module for Mlp {
        fn forward(&self, xs: &Tensor) -> Result<Tensor> {
            scaled(&self.down.forward(&self.up.forward(xs)?.relu()?)?, self.config.scale)
        }
    }

    /// What is multiplied.
    ///
    /// # Errors
    ///
    /// candle's.
    #[fx::module]
    pub fn scaled(xs: &Tensor, scale: f64) -> Result<Tensor> {
        clamped(xs)? * scale
    }

    /// What is limited, as one node.
    ///
    /// # Errors
    ///
    /// candle's.
    #[fx::wrap(pure)]
    pub fn clamped(xs: &Tensor) -> Result<Tensor> {
        xs.clamp(0f32, 1f32)
    }
}

#[test]
fn it_compiles() {
    let _ = fx::symbolic_trace::<layers::Mlp, _>;
    let _ = fx::op_of!(layers::clamped);
}
