use candle_core::{Result, Tensor};

#[fx::module]
trait Block {
    fn run(&self, x: &Tensor) -> Result<Tensor>;

    fn twice(&self, x: &Tensor) -> Result<Tensor> {
        self.run(&self.run(x)?)
    }

    fn width(&self) -> usize {
        1
    }
}

fn main() {}
