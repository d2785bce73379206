//! The tensors of what a model returns.
//!
//! Invariant: depth first and in order, as a graph lists those of its result.

use candle::Tensor;

/// Something that holds tensors.
pub trait Flat {
    /// Adds its tensors to the list.
    fn flat(&self, tensors: &mut Vec<Tensor>);
}

impl Flat for Tensor {
    fn flat(&self, tensors: &mut Vec<Tensor>) {
        tensors.push(self.clone());
    }
}

impl<T: Flat> Flat for &T {
    fn flat(&self, tensors: &mut Vec<Tensor>) {
        (**self).flat(tensors);
    }
}

impl<T: Flat> Flat for Option<T> {
    fn flat(&self, tensors: &mut Vec<Tensor>) {
        self.iter().for_each(|value| value.flat(tensors));
    }
}

impl<T: Flat> Flat for Vec<T> {
    fn flat(&self, tensors: &mut Vec<Tensor>) {
        self.iter().for_each(|value| value.flat(tensors));
    }
}

macro_rules! flat_tuples {
    ($(($($name:ident $index:tt)+))*) => {$(
        impl<$($name: Flat),+> Flat for ($($name,)+) {
            fn flat(&self, tensors: &mut Vec<Tensor>) {
                $(self.$index.flat(tensors);)+
            }
        }
    )*};
}
flat_tuples! { (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3) }
