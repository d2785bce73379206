use candle_core::{Result, Tensor};

struct Gate {
    threshold: f64,
}

impl Gate {
    #[fx::wrap]
    fn open(&self, x: &Tensor) -> Result<Tensor> {
        x.ge(self.threshold)?.to_dtype(x.dtype())
    }
}

fn main() {
    let _ = Gate { threshold: 0.5 }.open(&Tensor::new(1f32, &candle_core::Device::Cpu).unwrap());
}
