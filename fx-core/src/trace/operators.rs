//! Rust's operators on proxies: every combination that candle has, with `Result` operands and numbers.
//!
//! Invariant: an operator records the operation of its trait, nothing else.

use std::ops::{Add, Div, Mul, Sub};

use candle_core::Result;

use super::proxy::Proxy;
use super::record::operator;

macro_rules! operators {
    ($($trait:ident $method:ident)*) => {$(
        operators!(@proxies $trait $method: (Proxy, Proxy) (Proxy, &Proxy) (&Proxy, Proxy) (&Proxy, &Proxy));

        impl<B: std::borrow::Borrow<Proxy>> $trait<Result<B>> for Proxy {
            type Output = Result<Proxy>;
            #[track_caller]
            fn $method(self, rhs: Result<B>) -> Result<Proxy> {
                operator::$method(&self, rhs?.borrow())
            }
        }

        impl<B: std::borrow::Borrow<Proxy>> $trait<Result<B>> for &Proxy {
            type Output = Result<Proxy>;
            #[track_caller]
            fn $method(self, rhs: Result<B>) -> Result<Proxy> {
                operator::$method(self, rhs?.borrow())
            }
        }

        impl<B: std::borrow::Borrow<Proxy>> $trait<Proxy> for Result<B> {
            type Output = Result<Proxy>;
            #[track_caller]
            fn $method(self, rhs: Proxy) -> Result<Proxy> {
                operator::$method(self?.borrow(), &rhs)
            }
        }

        impl<B: std::borrow::Borrow<Proxy>> $trait<&Proxy> for Result<B> {
            type Output = Result<Proxy>;
            #[track_caller]
            fn $method(self, rhs: &Proxy) -> Result<Proxy> {
                operator::$method(self?.borrow(), rhs)
            }
        }

        operators!(@numbers $trait $method: Proxy, &Proxy);
    )*};
    (@proxies $trait:ident $method:ident: $(($lhs:ty, $rhs:ty))*) => {$(
        impl $trait<$rhs> for $lhs {
            type Output = Result<Proxy>;
            #[track_caller]
            fn $method(self, rhs: $rhs) -> Result<Proxy> {
                let (lhs, rhs): (&Proxy, &Proxy) = (self.as_ref(), rhs.as_ref());
                operator::$method(lhs, rhs)
            }
        }
    )*};
    (@numbers $trait:ident $method:ident: $($proxy:ty),*) => {$(
        impl $trait<f64> for $proxy {
            type Output = Result<Proxy>;
            #[track_caller]
            fn $method(self, rhs: f64) -> Result<Proxy> {
                let lhs: &Proxy = self.as_ref();
                operator::$method(lhs, rhs)
            }
        }

        impl $trait<$proxy> for f64 {
            type Output = Result<Proxy>;
            #[track_caller]
            fn $method(self, rhs: $proxy) -> Result<Proxy> {
                let rhs: &Proxy = rhs.as_ref();
                operator::$method(self, rhs)
            }
        }
    )*};
}
operators! { Add add Sub sub Mul mul Div div }
