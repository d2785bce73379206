//! Plain data as Rust literals, in the form that each kind of parameter takes.
//!
//! Invariant: the literal has the value's bits.

use candle_core::{DType, DeviceLocation};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::ops::kind::Kind;
use crate::value::Value;

use super::identifier::identifier;

/// The longest tuples that candle takes as a shape or as axes; longer ones are vectors.
const DIMENSIONS: usize = 6;
/// The longest tuples that candle takes as an index.
const INDICES: usize = 7;

/// The literal of a value, for a parameter of this kind. `dtype` is that of numbers which have the tensor's type.
pub(super) fn literal(value: &Value, kind: Kind, dtype: Option<DType>) -> TokenStream {
    match (kind, value) {
        (Kind::Axis, Value::Int(axis)) => axis_literal(*axis),
        (Kind::Axes, Value::List(items) | Value::Tuple(items)) => {
            tuple(items, DIMENSIONS, |item| literal(item, Kind::Axis, None))
        }
        (Kind::Axes, item) => literal(item, Kind::Axis, None),
        // A hole alone is the tuple of it: `()` is the shape of a scalar.
        (Kind::HoledShape, Value::List(items) | Value::Tuple(items)) if is_hole(items) => quote!(((),)),
        (Kind::HoledShape, item) if is_hole(std::slice::from_ref(item)) => quote!(((),)),
        (Kind::Shape | Kind::HoledShape, Value::List(items) | Value::Tuple(items)) => {
            tuple(items, DIMENSIONS, dimension)
        }
        (Kind::Shape | Kind::HoledShape, item) => dimension(item),
        (Kind::Index, Value::List(items) | Value::Tuple(items)) => {
            tuple(items, INDICES, |item| literal(item, Kind::Any, None))
        }
        (Kind::Ranges, Value::List(items) | Value::Tuple(items)) => ranges(items),
        (Kind::Sizes, Value::List(items) | Value::Tuple(items)) => {
            let items = items.iter().map(|item| literal(item, Kind::Any, None));
            quote!([#(#items),*])
        }
        (Kind::Pair, Value::List(items) | Value::Tuple(items)) => tuple(items, DIMENSIONS, dimension),
        (Kind::Single, Value::Float(float)) => single(*float as f32),
        (Kind::Single, Value::Int(int)) => single(*int as f32),
        (Kind::OptSingle, Value::Float(_) | Value::Int(_)) => {
            let single = literal(value, Kind::Single, None);
            quote!(Some(#single))
        }
        (Kind::Mask, Value::Int(offset)) => {
            let offset = Literal::i64_unsuffixed(*offset);
            quote!(candle_nn::attention::AttnMask::causal_with_offset(#offset))
        }
        (Kind::Mask, Value::None) => quote!(candle_nn::attention::AttnMask::None),
        (Kind::Scalar, Value::Int(int)) => {
            let int = Literal::i64_suffixed(*int);
            quote!(#int)
        }
        (Kind::Float | Kind::Operand, Value::Int(int)) => double(*int as f64),
        (Kind::Number, number) => typed(number, dtype.unwrap_or(DType::F64)),
        (_, value) => plain(value),
    }
}

/// An array of ranges, which have to be of one type: one without a start begins at 0 where another has a start.
fn ranges(items: &[Value]) -> TokenStream {
    let have_starts = items.iter().any(|item| matches!(item, Value::Range(Some(_), _)));
    let items = items.iter().map(|item| match item {
        Value::Range(None, stop) if have_starts => plain(&Value::Range(Some(0), *stop)),
        item => plain(item),
    });
    quote!([#(#items),*])
}

/// A value in the form that a user's function takes it.
fn plain(value: &Value) -> TokenStream {
    match value {
        // Tensors are never literals: they are attributes.
        Value::None | Value::Tensor(_) => quote!(None),
        Value::Bool(flag) => quote!(#flag),
        Value::Int(int) => {
            let int = Literal::i64_unsuffixed(*int);
            quote!(#int)
        }
        Value::Float(float) => double(*float),
        Value::Str(text) => {
            let text = &**text;
            quote!(#text)
        }
        Value::DType(dtype) => {
            let variant = format_ident!("{}", format!("{dtype:?}"));
            quote!(DType::#variant)
        }
        Value::Device(device) => match device.0.location() {
            DeviceLocation::Cpu => quote!(&Device::Cpu),
            DeviceLocation::Cuda { gpu_id } => quote!(&Device::new_cuda(#gpu_id)?),
            DeviceLocation::Metal { gpu_id } => quote!(&Device::new_metal(#gpu_id)?),
        },
        Value::Range(start, stop) => {
            let (start, stop) = (start.map(Literal::i64_unsuffixed), stop.map(Literal::i64_unsuffixed));
            quote!(#start..#stop)
        }
        Value::List(items) => {
            let items = items.iter().map(plain);
            quote!(&[#(#items),*])
        }
        Value::Tuple(items) => {
            let items = items.iter().map(plain);
            quote!((#(#items,)*))
        }
        Value::Struct(name, fields) => {
            let name = identifier(name);
            let fields = fields.iter().map(|(field, value)| {
                let (field, value) = (identifier(field), plain(value));
                quote!(#field: #value)
            });
            quote!(#name { #(#fields),* })
        }
    }
}

/// An axis, counted from the end as candle writes it.
fn axis_literal(axis: i64) -> TokenStream {
    match axis {
        -1 => quote!(D::Minus1),
        -2 => quote!(D::Minus2),
        axis => {
            let count = Literal::u64_unsuffixed(axis.unsigned_abs());
            if axis < 0 { quote!(D::Minus(#count)) } else { quote!(#count) }
        }
    }
}

/// Whether a shape is one hole and nothing else.
fn is_hole(items: &[Value]) -> bool {
    matches!(items, [Value::Int(dim)] if *dim < 0)
}

/// An extent, or a hole.
fn dimension(value: &Value) -> TokenStream {
    match value {
        Value::Int(dim) if *dim < 0 => quote!(()),
        other => plain(other),
    }
}

/// A tuple, a vector if it is longer than candle's tuples; one value is written alone.
fn tuple(items: &[Value], longest: usize, item: impl Fn(&Value) -> TokenStream) -> TokenStream {
    let all = items.iter().map(&item);
    match items {
        [one] => item(one),
        items if items.len() <= longest => quote!((#(#all),*)),
        _ => quote!(vec![#(#all),*]),
    }
}

fn double(float: f64) -> TokenStream {
    if float.is_finite() {
        let float = shortest(&format!("{float:?}"), || Literal::f64_unsuffixed(float));
        quote!(#float)
    } else {
        special(float, quote!(f64), (float.to_bits() != f64::NAN.to_bits()).then(|| hexadecimal(float.to_bits())))
    }
}

fn single(float: f32) -> TokenStream {
    if float.is_finite() {
        let float = shortest(&format!("{float:?}f32"), || Literal::f32_suffixed(float));
        quote!(#float)
    } else {
        let bits = float.to_bits();
        special(float.into(), quote!(f32), (bits != f32::NAN.to_bits()).then(|| hexadecimal(bits.into())))
    }
}

/// The shortest text that reads back to the same number: `1e300`, not three hundred digits.
fn shortest(text: &str, in_full: impl FnOnce() -> Literal) -> Literal {
    text.parse().unwrap_or_else(|_| in_full())
}

/// An infinity or NaN; `bits` are those of a NaN that is not Rust's own.
fn special(float: f64, ty: TokenStream, bits: Option<Literal>) -> TokenStream {
    match (float, bits) {
        (float, Some(bits)) if float.is_nan() => quote!(#ty::from_bits(#bits)),
        (float, _) if float.is_nan() => quote!(#ty::NAN),
        (float, _) if float > 0.0 => quote!(#ty::INFINITY),
        _ => quote!(#ty::NEG_INFINITY),
    }
}

fn hexadecimal(bits: u64) -> Literal {
    shortest(&format!("{bits:#x}"), || Literal::u64_unsuffixed(bits))
}

/// A number whose Rust type stands for the dtype of the tensor made from it.
fn typed(value: &Value, dtype: DType) -> TokenStream {
    let number = match value {
        Value::Int(int) => *int as f64,
        Value::Float(float) => *float,
        _ => 0.0,
    };
    let int = match value {
        Value::Int(int) => *int,
        _ => number as i64,
    };
    // As when it is evaluated: what does not fit becomes the nearest number that does.
    let literal = match dtype {
        DType::U8 => Literal::u8_suffixed(number as u8),
        DType::U32 => Literal::u32_suffixed(number as u32),
        DType::I16 => Literal::i16_suffixed(number as i16),
        DType::I32 => Literal::i32_suffixed(number as i32),
        DType::I64 => Literal::i64_suffixed(int),
        DType::F32 => return single(number as f32),
        DType::BF16 => return half(quote!(bf16), number),
        DType::F16 => return half(quote!(f16), number),
        _ if number.is_finite() => Literal::f64_suffixed(number),
        _ => return double(number),
    };
    quote!(#literal)
}

fn half(ty: TokenStream, number: f64) -> TokenStream {
    let number = double(number);
    quote!(half::#ty::from_f64(#number))
}
