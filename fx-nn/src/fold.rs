//! Windows as columns and back: [`Unfold`] and [`Fold`].
//!
//! Invariant: a column holds a window channel by channel, row by row; columns are in the order of the windows.

use std::fmt;

use candle_core::{Module, Result, Tensor, bail};

use crate::axis::{Fill, Window, pad, spread, windows};
use crate::conv::batched;
use crate::dims::rank;
use crate::leaf::leaf;
use crate::options::{Size, options};
use crate::pool::Sizes;
use crate::twice::twice;

options! {
    /// Options of [`Unfold`] and [`Fold`].
    FoldConfig {
        /// From one element that the window sees to the next; 1 by default.
        dilation: Size<2> = Size([1; 2]),
        /// How many zeros are added on both sides; none by default.
        padding: Size<2> = Size([0; 2]),
        /// By how much the window moves; 1 by default.
        stride: Size<2> = Size([1; 2]),
    }
}

fn window(kernel_size: Size<2>, config: &FoldConfig, i: usize) -> Window {
    let (stride, padding, dilation) = (config.stride.0[i], config.padding.0[i], config.dilation.0[i]);
    Window { kernel: kernel_size.0[i], stride, padding, dilation, ceil: false }
}

/// Each window of `(N, C, H, W)` as a column of `(N, C · ∏ kernel_size, windows)`; the batch may be missing.
///
/// [torch.nn.Unfold](https://docs.pytorch.org/docs/stable/generated/torch.nn.Unfold.html)
#[derive(Debug, Clone, PartialEq)]
pub struct Unfold {
    kernel_size: Size<2>,
    config: FoldConfig,
}

impl Unfold {
    /// A layer with this window.
    #[must_use]
    pub fn new(kernel_size: impl Into<Size<2>>, config: FoldConfig) -> Self {
        Self { kernel_size: kernel_size.into(), config }
    }

    fn counts(&self, dims: &[usize]) -> Result<[usize; 2]> {
        rank("Unfold", dims, &[3, 4], "(N, C, H, W) or (C, H, W)")?;
        let at = dims.len() - 2;
        let count = |i| window(self.kernel_size, &self.config, i).count("Unfold", dims[at + i]);
        Ok([count(0)?, count(1)?])
    }

    fn shape(&self, dims: &[usize]) -> Result<Vec<usize>> {
        let [rows, columns] = self.counts(dims)?;
        let at = dims.len() - 3;
        let height = dims[at] * self.kernel_size.0.iter().product::<usize>();
        Ok(dims[..at].iter().copied().chain([height, rows * columns]).collect())
    }
}

impl Module for Unfold {
    /// # Errors
    /// When the tensor has another number of dimensions or is smaller than the window.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        columns(self, xs)
    }
}

impl fmt::Display for Unfold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FoldConfig { dilation, padding, stride } = self.config;
        let [kernel, dilation, padding, stride] = [self.kernel_size, dilation, padding, stride].map(Sizes);
        write!(f, "Unfold(kernel_size={kernel}, dilation={dilation}, padding={padding}, stride={stride})")
    }
}

leaf! {
    Unfold as "nn.Unfold", forward;
    arguments { kernel_size: Size<2> }
    config config: FoldConfig;
    tensors {}
    make |_vb| Ok(Self { kernel_size, config });
    shape |layer, x| layer.shape(x.dims());
    through |layer, _scope, x| entered::columns(layer, x);
}

/// The sum of windows at their places: columns of `(N, C · ∏ kernel_size, windows)` become `(N, C, output_size…)`; the
/// batch may be missing.
///
/// [torch.nn.Fold](https://docs.pytorch.org/docs/stable/generated/torch.nn.Fold.html)
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    output_size: Size<2>,
    kernel_size: Size<2>,
    config: FoldConfig,
}

impl Fold {
    /// A layer that gives these extents from such windows.
    #[must_use]
    pub fn new(output_size: impl Into<Size<2>>, kernel_size: impl Into<Size<2>>, config: FoldConfig) -> Self {
        Self { output_size: output_size.into(), kernel_size: kernel_size.into(), config }
    }

    fn counts(&self) -> Result<[usize; 2]> {
        let count = |i: usize| window(self.kernel_size, &self.config, i).count("Fold", self.output_size.0[i]);
        Ok([count(0)?, count(1)?])
    }

    fn shape(&self, dims: &[usize]) -> Result<Vec<usize>> {
        rank("Fold", dims, &[2, 3], "(N, C · kernel size, windows) or (C · kernel size, windows)")?;
        let [rows, columns] = self.counts()?;
        let at = dims.len() - 2;
        let kernel: usize = self.kernel_size.0.iter().product();
        if !dims[at].is_multiple_of(kernel) || dims[at + 1] != rows * columns {
            let windows = rows * columns;
            bail!(
                "Fold: expects (…, C · {kernel}, {windows}) for an output of {}, but is given {dims:?}",
                self.output_size
            );
        }
        Ok(dims[..at].iter().copied().chain([dims[at] / kernel]).chain(self.output_size.0).collect())
    }
}

twice! {
    {
        use crate::axis::entered::{pad, spread, windows};
        use crate::conv::entered::batched;
    }

    pub(crate) fn columns(layer: &Unfold, xs: &Tensor) -> Result<Tensor> {
        let result = layer.shape(xs.dims())?;
        let (x, _) = batched(xs, 2)?;
        let x = windows(window(layer.kernel_size, &layer.config, 1), "Unfold", &x, 3, 0.0)?;
        let x = windows(window(layer.kernel_size, &layer.config, 0), "Unfold", &x, 2, 0.0)?;
        // (N, C, rows, kernel, columns, kernel)
        x.permute(vec![0, 1, 3, 5, 2, 4])?.reshape(result)
    }

    /// The sum along `axis` of windows whose elements stand in the axis after it.
    pub(crate) fn sum_of_windows(layer: &Fold, x: &Tensor, axis: usize, i: usize) -> Result<Tensor> {
        let window = window(layer.kernel_size, &layer.config, i);
        let size = layer.output_size.0[i];
        let (count, whole) = (x.dim(axis)?, size + 2 * window.padding);
        let mut sum: Option<Tensor> = None;
        for element in 0..window.kernel {
            let part = spread(&x.narrow(axis + 1, element, 1)?.squeeze(axis + 1)?, axis, window.stride)?;
            let signed = |extent: usize| i64::try_from(extent).unwrap_or(i64::MAX);
            let start = element * window.dilation;
            let end = signed(whole) - signed(start) - signed((count - 1) * window.stride + 1);
            let part = pad("Fold", &part, axis, signed(start), end, Fill::Constant(0.0))?;
            sum = Some(match sum {
                Some(sum) => (sum + part)?,
                None => part,
            });
        }
        match sum {
            Some(sum) => sum.narrow(axis, window.padding, size),
            None => bail!("Fold: the kernel size should be at least 1"),
        }
    }

    pub(crate) fn folded(layer: &Fold, xs: &Tensor) -> Result<Tensor> {
        let result = layer.shape(xs.dims())?;
        let [rows, columns] = layer.counts()?;
        let (images, channels) =
            (xs.elem_count() / xs.dims()[xs.rank() - 2..].iter().product::<usize>().max(1), result[result.len() - 3]);
        let [height, width] = layer.kernel_size.0;
        let x = xs.reshape(vec![images, channels, height, width, rows, columns])?.permute(vec![0, 1, 4, 2, 5, 3])?;
        let x = sum_of_windows(layer, &x.contiguous()?, 4, 1)?;
        sum_of_windows(layer, &x, 2, 0)?.reshape(result)
    }
}

impl Module for Fold {
    /// # Errors
    /// When the columns are not the windows of an output of this size.
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        folded(self, xs)
    }
}

impl fmt::Display for Fold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FoldConfig { dilation, padding, stride } = self.config;
        let [output, kernel] = [self.output_size, self.kernel_size].map(Sizes);
        let [dilation, padding, stride] = [dilation, padding, stride].map(Sizes);
        write!(
            f,
            "Fold(output_size={output}, kernel_size={kernel}, dilation={dilation}, padding={padding}, stride={stride})"
        )
    }
}

leaf! {
    Fold as "nn.Fold", forward;
    arguments { output_size: Size<2>, kernel_size: Size<2> }
    config config: FoldConfig;
    tensors {}
    make |_vb| Ok(Self { output_size, kernel_size, config });
    shape |layer, x| layer.shape(x.dims());
    through |layer, _scope, x| entered::folded(layer, x);
}
