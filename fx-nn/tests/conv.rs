//! Convolutions beyond what candle has: samples of a batch, strides and dilations that differ, padding modes, against a
//! convolution written out.

use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::{VarBuilder, VarMap};
use fx_nn::{
    Conv1d, Conv1dConfig, Conv2d, Conv2dConfig, ConvTranspose1d, ConvTranspose1dConfig, ConvTranspose2d,
    ConvTranspose2dConfig, Padding, PaddingMode, Size,
};

fn numbers(dims: &[usize]) -> Result<Tensor> {
    let count: usize = dims.iter().product();
    // No pattern that a wrong index would hide.
    let values: Vec<f32> = (0..count).map(|i| ((i * 7919 + 13) % 101) as f32 / 50.0 - 1.0).collect();
    Tensor::from_vec(values, dims, &Device::Cpu)
}

fn close(found: &Tensor, expected: &Tensor) {
    assert_eq!(found.dims(), expected.dims());
    let difference = (found - expected).and_then(|d| d.abs()?.flatten_all()?.max(0)?.to_scalar::<f32>());
    let difference = difference.expect("floats");
    assert!(difference < 1e-4, "{difference}");
}

/// Every sample alone.
fn by_sample(layer: &impl Module, x: &Tensor) -> Result<Tensor> {
    let samples = (0..x.dim(0)?).map(|i| layer.forward(&x.get(i)?));
    Tensor::stack(&samples.collect::<Result<Vec<_>>>()?, 0)
}

fn vb(vars: &VarMap) -> VarBuilder<'static> {
    VarBuilder::from_varmap(vars, DType::F32, &Device::Cpu)
}

#[test]
fn samples_of_a_batch_are_alone() -> Result<()> {
    let vars = VarMap::new();
    let (line, plane) = (numbers(&[3, 4, 9])?, numbers(&[3, 4, 7, 9])?);
    let strides = Conv1dConfig::default().stride(2).groups(2usize);
    let conv = Conv1d::new(4, 6, 3, strides, vb(&vars).pp("a"))?;
    close(&conv.forward(&line)?, &by_sample(&conv, &line)?);
    let conv = Conv2d::new(4, 6, 3, Conv2dConfig::default().dilation((2, 1)).stride((1, 2)), vb(&vars).pp("b"))?;
    close(&conv.forward(&plane)?, &by_sample(&conv, &plane)?);
    for (i, stride) in [1, 2, 3].into_iter().enumerate() {
        let config = ConvTranspose1dConfig::default().stride(stride).groups(2usize);
        let conv = ConvTranspose1d::new(4, 6, 3, config, vb(&vars).pp(format!("c{i}")))?;
        close(&conv.forward(&line)?, &by_sample(&conv, &line)?);
        let config = ConvTranspose2dConfig::default().stride((stride, 2)).dilation((1, 2));
        let conv = ConvTranspose2d::new(4, 6, 3, config, vb(&vars).pp(format!("d{i}")))?;
        close(&conv.forward(&plane)?, &by_sample(&conv, &plane)?);
    }
    Ok(())
}

/// `∑ weight · x`, element by element, of one sample and one group.
fn written_out(x: &Tensor, weight: &Tensor, stride: [usize; 2], dilation: [usize; 2]) -> Result<Tensor> {
    let (x, (to, from, kh, kw)) = (x.get(0)?, weight.dims4()?);
    let size = |axis: usize, k: usize| (x.dims()[axis + 1] - dilation[axis] * (k - 1) - 1) / stride[axis] + 1;
    let (height, width) = (size(0, kh), size(1, kw));
    let columns = x.dim(2)?;
    let (x, weight) = (x.flatten_all()?.to_vec1::<f32>()?, weight.flatten_all()?.to_vec1::<f32>()?);
    let plane = x.len() / from;
    let mut result = Vec::new();
    for o in 0..to {
        for h in 0..height {
            for w in 0..width {
                let mut sum = 0.0;
                for c in 0..from {
                    for i in 0..kh {
                        for j in 0..kw {
                            let (y, z) = (h * stride[0] + i * dilation[0], w * stride[1] + j * dilation[1]);
                            sum += x[c * plane + y * columns + z] * weight[((o * from + c) * kh + i) * kw + j];
                        }
                    }
                }
                result.push(sum);
            }
        }
    }
    Tensor::from_vec(result, (1, to, height, width), &Device::Cpu)
}

#[test]
fn strides_and_dilations_may_differ() -> Result<()> {
    let x = numbers(&[1, 2, 11, 12])?;
    for (i, (stride, dilation)) in [([2, 1], [1, 1]), ([1, 3], [2, 3]), ([4, 2], [3, 1])].into_iter().enumerate() {
        let vars = VarMap::new();
        let config = Conv2dConfig::default().stride(Size(stride)).dilation(Size(dilation)).bias(false);
        let conv = Conv2d::new(2, 3, (2, 3), config, vb(&vars).pp(i))?;
        close(&conv.forward(&x)?, &written_out(&x, conv.weight(), stride, dilation)?);
    }
    Ok(())
}

#[test]
fn a_transposed_convolution_is_the_gradient_of_one() -> Result<()> {
    for (stride, padding, dilation) in [([2, 1], [1, 0], [1, 2]), ([1, 3], [0, 1], [2, 1]), ([3, 2], [1, 1], [1, 1])] {
        let vars = VarMap::new();
        let config = ConvTranspose2dConfig::default().stride(Size(stride)).padding(Size(padding));
        let config = config.dilation(Size(dilation)).bias(false);
        let transposed = ConvTranspose2d::new(3, 2, (2, 3), config, vb(&vars).pp("t"))?;
        let y = numbers(&[1, 3, 4, 5])?;
        let x = transposed.forward(&y)?;
        // <conv(z), y> = <z, transposed(y)>, with the same weight.
        let tensors = std::collections::HashMap::from([("weight".to_owned(), transposed.weight().clone())]);
        let config =
            Conv2dConfig::default().stride(Size(stride)).padding(Size(padding)).dilation(Size(dilation)).bias(false);
        let conv = Conv2d::new(2, 3, (2, 3), config, VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu))?;
        let z = numbers(x.dims())?;
        let product = |a: &Tensor, b: &Tensor| (a * b)?.sum_all()?.to_scalar::<f32>();
        let (left, right) = (product(&conv.forward(&z)?, &y)?, product(&z, &x)?);
        assert!((left - right).abs() < 1e-3 * left.abs().max(1.0), "{left} {right}");
    }
    Ok(())
}

#[test]
fn same_padding_puts_the_odd_one_after_the_end_in_every_mode() -> Result<()> {
    let modes = [
        (PaddingMode::Zeros, [0.0, 1.0, 2.0, 3.0, 0.0, 0.0]),
        (PaddingMode::Reflect, [2.0, 1.0, 2.0, 3.0, 2.0, 1.0]),
        (PaddingMode::Replicate, [1.0, 1.0, 2.0, 3.0, 3.0, 3.0]),
        (PaddingMode::Circular, [3.0, 1.0, 2.0, 3.0, 1.0, 2.0]),
    ];
    for (mode, padded) in modes {
        let weight = Tensor::new(&[[[1f32, 10.0, 100.0, 1000.0]]], &Device::Cpu)?;
        let tensors = std::collections::HashMap::from([("weight".to_owned(), weight)]);
        let config = Conv1dConfig { padding: Padding::Same, padding_mode: mode, bias: false, ..Default::default() };
        let conv = Conv1d::new(1, 1, 4, config, VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu))?;
        let found = conv.forward(&Tensor::new(&[[1f32, 2.0, 3.0]], &Device::Cpu)?)?.to_vec2::<f32>()?;
        let expected: Vec<f32> = padded.windows(4).map(|w| w[0] + 10.0 * w[1] + 100.0 * w[2] + 1000.0 * w[3]).collect();
        assert_eq!(found, [expected], "{mode}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_is_refused_with_what_was_expected() {
    let vars = VarMap::new();
    let groups = Conv2d::new(3, 4, 3, Conv2dConfig::default().groups(2usize), vb(&vars)).expect_err("3 and 2");
    assert!(groups.to_string().contains("2 groups should divide 3 input and 4 output channels"), "{groups}");
    let same = Conv1dConfig { padding: Padding::Same, stride: Size([2]), ..Default::default() };
    let same = Conv1d::new(1, 1, 3, same, vb(&vars)).expect_err("a stride");
    assert!(same.to_string().contains("padding `same` needs strides of 1"), "{same}");
    let conv = Conv2d::new(3, 4, 3, Default::default(), vb(&vars).pp("a")).expect("it makes sense");
    let error = |dims: &[usize]| conv.forward(&numbers(dims).expect("numbers")).expect_err("refused").to_string();
    assert!(error(&[1, 2, 5, 5]).contains("expects 3 channels in dimension 1"), "{}", error(&[1, 2, 5, 5]));
    assert!(error(&[5, 5]).contains("(N, C, H, W) or (C, H, W)"), "{}", error(&[5, 5]));
    assert!(error(&[1, 3, 2, 5]).contains("a window of 3 is larger than an axis of 2"), "{}", error(&[1, 3, 2, 5]));
}
