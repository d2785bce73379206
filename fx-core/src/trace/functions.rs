//! candle_nn's functions on proxies, in modules named as candle_nn's.
//!
//! Invariant: as in `record`: signatures are candle's, and which functions there are is said in `ops/` alone.

use std::panic::Location;

use super::error::{At, TraceError};
use super::session::Session;

/// `candle_nn::ops`.
pub mod ops {
    crate::ops::nn::nn!(record);
}

/// `candle_nn::loss`.
pub mod loss {
    crate::ops::loss::loss!(record);
}

/// `candle_nn::rotary_emb`.
pub mod rotary_emb {
    crate::ops::rotary::rotary!(record);
}

/// Functions that users call by their bare name, as types of that name.
#[doc(hidden)]
#[allow(missing_docs, reason = "named after the functions")]
pub mod bare {
    pub use super::flash::bare::{flash_attn, run_flash_attn_cpu};
    pub use super::transformers::bare::repeat_kv;

    crate::ops::loss::loss!(bare);
    crate::ops::nn::nn!(bare);
    crate::ops::rotary::rotary!(bare);
}

/// Attention on the CPU: candle's function has a type parameter, the dtype of its tensors.
pub mod flash {
    use candle_core::{DType, Result, WithDType};
    use candle_nn::attention::AttnMask;

    use crate::ops::attention::flash_attn::OP;
    use crate::trace::Proxy;
    use crate::trace::call::record;
    use crate::trace::encode::{Mask, Record, single, tensor};

    /// A function with candle's type parameter, and the same as a type of its name, see [`bare`](super::bare).
    macro_rules! with_type {
        ($($(#[$doc:meta])* fn $name:ident<$type:ident>($($param:ident: $of:ty),* $(,)?) -> $result:ty $body:block)*) => {
            $(
                $(#[$doc])*
                #[track_caller]
                pub fn $name<$type: WithDType>($($param: $of),*) -> $result $body
            )*

            /// The same as types.
            #[doc(hidden)]
            #[allow(missing_docs, non_camel_case_types, reason = "named after the function")]
            pub mod bare {
                use super::{Mask, Proxy, Result, WithDType};

                $(
                    pub struct $name {}

                    impl $name {
                        #[track_caller]
                        pub fn __fx_call<$type: WithDType>($($param: $of),*) -> $result {
                            super::$name::<$type>($($param),*)
                        }
                    }
                )*
            }
        };
    }
    with_type! {
        /// Records a call, of `f32`; other types are refused. A mask may be candle's or its mirror.
        ///
        /// # Errors
        /// What candle refuses.
        fn flash_attn<T>(
            q: &Proxy, k: &Proxy, v: &Proxy, softmax_scale: f32, attn_mask: impl Mask, max_bias: Option<f32>,
            softcap: Option<f32>,
        ) -> Result<Proxy> {
            if T::DTYPE != DType::F32 {
                return Err(super::custom("flash_attn"));
            }
            let numbers = [single(softmax_scale), attn_mask.encode(), max_bias.record(), softcap.record()];
            record(&OP, [tensor(q), tensor(k), tensor(v)].into_iter().chain(numbers))
        }

        /// The same by its older name, where a mask is a tensor.
        ///
        /// # Errors
        /// What candle refuses.
        fn run_flash_attn_cpu<T>(
            q: &Proxy, k: &Proxy, v: &Proxy, mask: Option<&Proxy>, softmax_scale: f32, max_bias: Option<f32>,
            softcap: Option<f32>,
        ) -> Result<Proxy> {
            if T::DTYPE != DType::F32 {
                return Err(super::custom("run_flash_attn_cpu"));
            }
            let mask = mask.map_or_else(|| AttnMask::None.encode(), tensor);
            let numbers = [single(softmax_scale), mask, max_bias.record(), softcap.record()];
            record(&OP, [tensor(q), tensor(k), tensor(v)].into_iter().chain(numbers))
        }
    }
}

/// candle-transformers' functions on tensors.
pub mod transformers {
    use std::borrow::Borrow;

    use candle_core::Result;

    use crate::trace::Proxy;

    /// `candle_transformers::utils::repeat_kv`.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn repeat_kv(xs: impl Borrow<Proxy>, n_rep: usize) -> Result<Proxy> {
        let xs = xs.borrow();
        if n_rep == 1 {
            return Ok(xs.clone());
        }
        let (batch, heads, positions, size) = xs.dims4()?;
        Proxy::cat(&vec![xs; n_rep], 2)?.reshape((batch, heads * n_rep, positions, size))
    }

    /// The same as types.
    #[doc(hidden)]
    #[allow(missing_docs, non_camel_case_types, reason = "named after the function")]
    pub mod bare {
        use super::{Borrow, Proxy, Result};

        pub struct repeat_kv {}

        impl repeat_kv {
            #[track_caller]
            pub fn __fx_call(xs: impl Borrow<Proxy>, n_rep: usize) -> Result<Proxy> {
                super::repeat_kv(xs, n_rep)
            }

            /// The same, if `function` is candle-transformers'.
            #[track_caller]
            pub fn __fx_checked<F>(_: F, xs: impl Borrow<Proxy>, n_rep: usize) -> Result<Proxy> {
                // That crate need not be there.
                if std::any::type_name::<F>() != "candle_transformers::utils::repeat_kv" {
                    return Err(crate::trace::functions::unannotated("repeat_kv"));
                }
                super::repeat_kv(xs, n_rep)
            }
        }
    }
}

/// candle_nn's functions on tensors that run kernels of their own, with candle's parameters: refused, with what to write.
macro_rules! kernels {
    ($($name:ident $(<$generic:ident>)? ($($arg:ident: $type:ty),* $(,)?);)*) => {
        /// `candle_nn::attention`.
        pub mod attention {
            use crate::trace::Proxy;
            $(
                /// Refused: see the error.
                ///
                /// # Errors
                /// Always, with what to write instead.
                #[allow(clippy::too_many_arguments, reason = "candle's")]
                #[track_caller]
                pub fn $name $(<$generic>)? ($($arg: $type),*) -> candle_core::Result<Proxy> {
                    let _ = ($($arg,)*);
                    Err(super::custom(stringify!($name)))
                }
            )*
        }

        /// The same, as types of their names.
        #[doc(hidden)]
        #[allow(missing_docs, non_camel_case_types, reason = "named after the functions")]
        pub mod bare_kernels {
            use crate::trace::Proxy;
            $(
                pub struct $name {}

                impl $name {
                    #[allow(clippy::too_many_arguments, reason = "candle's")]
                    #[track_caller]
                    pub fn __fx_call $(<$generic>)? ($($arg: $type),*) -> candle_core::Result<Proxy> {
                        super::attention::$name $(::<$generic>)? ($($arg),*)
                    }
                }
            )*
        }
    };
}
kernels! {
    flash_attn_varlen_cpu(
        q: &Proxy, k: &Proxy, v: &Proxy, alibi_slopes: Option<&Proxy>, seqlens_q: &Proxy, seqlens_k: &Proxy,
        max_seqlen_q: usize, max_seqlen_k: usize, softmax_scale: f32, causal: bool, window_left: Option<usize>,
        window_right: Option<usize>,
    );
    flash_attn_varlen_unfused(
        q: &Proxy, k: &Proxy, v: &Proxy, alibi_slopes: Option<&Proxy>, seqlens_q: &Proxy, seqlens_k: &Proxy,
        max_seqlen_q: usize, max_seqlen_k: usize, softmax_scale: f32, causal: bool, window_left: Option<usize>,
        window_right: Option<usize>,
    );
}

/// The error of calling a function of candle's that runs a kernel of its own.
#[track_caller]
fn custom(method: &'static str) -> candle_core::Error {
    let at = At(Location::caller());
    match Session::current(method) {
        Ok(session) => session.fail(TraceError::CustomOp { method, at }),
        Err(error) => error,
    }
}

/// The error of calling a user's function that is named like one of candle's and not annotated.
#[track_caller]
pub(crate) fn unannotated(function: &'static str) -> candle_core::Error {
    let at = At(Location::caller());
    match Session::current(function) {
        Ok(session) => session.fail(TraceError::Unannotated { function, at }),
        Err(error) => error,
    }
}
