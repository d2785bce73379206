//! Functions that read data, and so are called whole.

use candle_core::{DType, Device, Result, Tensor};

/// The largest numbers of each row, and where they are.
#[fx::wrap(pure)]
pub fn top(x: &Tensor, count: usize) -> Result<(Tensor, Tensor)> {
    let (mut numbers, mut places) = (Vec::new(), Vec::new());
    for row in x.to_vec2::<f32>()? {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        numbers.extend(order.iter().take(count).map(|&place| row[place]));
        places.extend(order.iter().take(count).map(|&place| place as u32));
    }
    let shape = (x.dim(0)?, count);
    Ok((Tensor::from_vec(numbers, shape, x.device())?, Tensor::from_vec(places, shape, x.device())?))
}

/// Whole numbers as floats, doubled on request.
#[fx::wrap]
pub fn widened(x: &Tensor, dtype: DType, device: &Device, how: &str) -> Result<Tensor> {
    let x = x.to_dtype(dtype)?.to_device(device)?;
    if how == "double" {
        x * 2.0
    } else {
        Ok(x)
    }
}
