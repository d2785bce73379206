//! candle's methods that are told how to compute besides what: by which of cuDNN's algorithms.
//!
//! Invariant: a graph holds what is computed; what is called is candle's method without the hint.

use candle_core::Result;
use candle_core::conv::CudnnFwdAlgo;

use super::proxy::Proxy;

macro_rules! hinted {
    ($($name:ident => $op:ident)*) => {
        impl Proxy {$(
            /// The convolution without the algorithm, which is chosen anew where a graph runs.
            ///
            /// # Errors
            /// What candle refuses.
            #[track_caller]
            pub fn $name(
                &self,
                kernel: &Self,
                padding: usize,
                stride: usize,
                dilation: usize,
                groups: usize,
                _: Option<CudnnFwdAlgo>,
            ) -> Result<Self> {
                self.$op(kernel, padding, stride, dilation, groups)
            }
        )*}
    };
}
hinted! {
    conv1d_with_algo => conv1d
    conv2d_with_algo => conv2d
}
