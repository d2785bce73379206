//! [`CTCLoss`]: sequences of labels that are not aligned with what is said of each step.
//!
//! Invariant: probabilities are kept as logarithms; what cannot be is minus infinity, never NaN.

use std::fmt;

use candle_core::{DType, Result, Tensor, bail};
use fx_core::module::Called;
use fx_core::ops::IntoValue;
use fx_core::trace::{Given, Proxy};
use fx_core::value::Fact;

use crate::axis::full;
use crate::dims::{floats, rank};
use crate::leaf::{Several, leaf};
use crate::loss::{Reduction, reduced};
use crate::options::options;
use crate::twice::twice;

options! {
    /// Options of [`CTCLoss`].
    CTCLossConfig {
        /// The class that stands for no label; 0 by default.
        blank: usize = 0,
        /// What is made of the values; by default the average of the samples, each divided by its number of labels.
        reduction: Reduction = Reduction::Mean,
        /// Whether a sample that cannot be, because it has more labels than steps, counts as zero; false by default.
        zero_infinity: bool = false,
    }
}

/// `−log` of the probability of a sequence of labels: the sum over all ways to spread it over the steps, with blanks
/// between.
///
/// Logarithms of probabilities are `(T, N, C)`, labels `(N, S)` or those of all samples one after the other, `(∑ lengths)`,
/// and the lengths of both `(N)`; or, without a batch, `(T, C)`, `(S)` and two scalars. Lengths and labels are of any
/// integers.
///
/// [torch.nn.CTCLoss](https://docs.pytorch.org/docs/stable/generated/torch.nn.CTCLoss.html)
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CTCLoss {
    config: CTCLossConfig,
}

/// Whole numbers, in order.
fn integers(tensor: &Tensor) -> Result<Vec<usize>> {
    let numbers = tensor.flatten_all()?.to_dtype(DType::I64)?.to_vec1::<i64>()?;
    let sizes = numbers.into_iter().map(usize::try_from).collect::<std::result::Result<Vec<_>, _>>();
    sizes.map_err(|_| candle_core::Error::Msg("CTCLoss: labels and lengths should not be negative".to_owned()))
}

twice! {
    {
        use crate::axis::entered::full;
        use crate::loss::entered::reduced;
    }

    /// The logarithm of the sum of what these are logarithms of.
    pub(crate) fn sum_of_logs(logs: &[Tensor]) -> Result<Tensor> {
        let logs = Tensor::stack(logs, 0)?;
        // A finite number in place of minus infinity, so that their difference is no NaN.
        let greatest = logs.max(0)?.maximum(-1e30)?;
        logs.broadcast_sub(&greatest)?.exp()?.sum(0)?.log()? + greatest
    }

    /// The labels of each sample, up to the longest: `(N, longest)`, with blanks after those of a sample.
    pub(crate) fn labels(blank: i64, targets: &Tensor, lengths: &Tensor, longest: usize) -> Result<Tensor> {
        let (samples, device) = (lengths.dim(0)?, targets.device());
        let targets = targets.to_dtype(DType::I64)?;
        let positions = Tensor::from_vec((0i64..).take(longest).collect(), (1, longest), device)?;
        let blanks = Tensor::full(blank, (samples, longest), device)?;
        if targets.elem_count() == 0 || longest == 0 {
            return Ok(blanks);
        }
        let rows = if targets.rank() == 2 {
            targets.narrow(1, 0, longest)?
        } else {
            // One after the other: those of a sample begin after those of all before it.
            let before = (0..samples).flat_map(|row| (0..samples).map(move |column| i64::from(column < row)));
            let before = Tensor::from_vec(before.collect::<Vec<i64>>(), (samples, samples), device)?;
            let starts = before.broadcast_mul(&lengths.reshape((1, samples))?)?.sum_keepdim(1)?;
            let last = i64::try_from(targets.elem_count()).unwrap_or(i64::MAX) - 1;
            let at = starts.broadcast_add(&positions)?.minimum(last)?.flatten_all()?;
            targets.index_select(&at, 0)?.reshape((samples, longest))?
        };
        positions.broadcast_lt(lengths)?.where_cond(&rows, &blanks)
    }

    /// What [`CTCLoss`] computes, if no sample has more than so many labels.
    pub(crate) fn ctc(
        layer: &CTCLoss,
        log_probs: &Tensor,
        targets: &Tensor,
        [input_lengths, target_lengths]: [&Tensor; 2],
        longest: usize,
    ) -> Result<Tensor> {
        let dims = layer.shape(log_probs.dims())?;
        let steps = if log_probs.rank() == 2 { log_probs.unsqueeze(1)? } else { log_probs.clone() };
        let (length, samples, _) = steps.dims3()?;
        let (dtype, device) = (steps.dtype(), steps.device());
        if samples == 0 {
            return reduced(layer.config.reduction, &Tensor::zeros(dims, dtype, device)?);
        }
        let column = |lengths: &Tensor| lengths.to_dtype(DType::I64)?.reshape((samples, 1));
        let (input_lengths, target_lengths) = (column(input_lengths)?, column(target_lengths)?);
        // A blank before, between and after the labels.
        let blank = i64::try_from(layer.config.blank).unwrap_or(i64::MAX);
        let count = 2 * longest + 1;
        let between = Tensor::full(blank, (samples, longest), device)?;
        let pairs = Tensor::stack(&[between, labels(blank, targets, &target_lengths, longest)?], 2)?;
        let pairs = pairs.reshape((samples, 2 * longest))?;
        let states = Tensor::cat(&[pairs, Tensor::full(blank, (samples, 1), device)?], 1)?;
        let at = states.unsqueeze(0)?.broadcast_as((length, samples, count))?.contiguous()?;
        let scores = steps.contiguous()?.gather(&at, 2)?;
        let closed = |count: usize| full(&[samples, count], f64::NEG_INFINITY, dtype, device);
        let open = |count: usize| Tensor::zeros((samples, count), dtype, device);
        // A step stays, goes on by one, or skips a blank between two labels that differ.
        let skips = if longest > 0 {
            let (state, before) = (states.narrow(1, 2, count - 2)?, states.narrow(1, 0, count - 2)?);
            let skipped = (state.ne(&before)? * state.ne(blank)?)?;
            Tensor::cat(&[closed(2)?, skipped.where_cond(&open(count - 2)?, &closed(count - 2)?)?], 1)?
        } else {
            closed(count)?
        };
        let moved = |alpha: &Tensor, by: usize| -> Result<Tensor> {
            let by = by.min(count);
            Tensor::cat(&[closed(by)?, alpha.narrow(1, 0, count - by)?], 1)
        };
        let begins = count.min(2);
        let mut alpha = Tensor::cat(&[open(begins)?, closed(count - begins)?], 1)?;
        for step in 0..length {
            let score = scores.get(step)?;
            if step == 0 {
                alpha = (alpha + score)?;
                continue;
            }
            let skipped = (moved(&alpha, 2)? + &skips)?;
            let next = (sum_of_logs(&[alpha.clone(), moved(&alpha, 1)?, skipped])? + score)?;
            let runs = input_lengths.gt(i64::try_from(step).unwrap_or(i64::MAX))?.broadcast_as((samples, count))?;
            alpha = runs.where_cond(&next, &alpha)?;
        }
        // It ends in the last label or in the blank after it.
        let (alpha, last) = (alpha.contiguous()?, (&target_lengths * 2.0)?);
        let label = alpha.gather(&(&last - 1.0)?.maximum(0i64)?, 1)?;
        let no_labels = target_lengths.eq(0i64)?;
        let label = no_labels.where_cond(&closed(1)?, &label)?;
        let losses = sum_of_logs(&[label, alpha.gather(&last, 1)?])?.neg()?;
        let never = full(&[samples, 1], f64::INFINITY, dtype, device)?;
        let without_steps = no_labels.where_cond(&open(1)?, &never)?;
        let mut losses = input_lengths.eq(0i64)?.where_cond(&without_steps, &losses)?;
        if layer.config.zero_infinity {
            losses = losses.eq(f64::INFINITY)?.where_cond(&losses.zeros_like()?, &losses)?;
        }
        if layer.config.reduction == Reduction::Mean {
            losses = (losses / target_lengths.maximum(1i64)?.to_dtype(dtype)?)?;
        }
        reduced(layer.config.reduction, &losses.reshape(dims)?)
    }
}

impl CTCLoss {
    /// A loss with these options.
    #[must_use]
    pub fn new(config: CTCLossConfig) -> Self {
        Self { config }
    }

    /// The extents of the values of all samples.
    fn shape(&self, log_probs: &[usize]) -> Result<Vec<usize>> {
        self.config.reduction.usual("CTCLoss")?;
        rank("CTCLoss", log_probs, &[2, 3], "(T, N, C) or (T, C)")?;
        let classes = log_probs[log_probs.len() - 1];
        if self.config.blank >= classes {
            bail!("CTCLoss: the blank {} should be less than the number of classes, {classes}", self.config.blank);
        }
        Ok(log_probs[1..log_probs.len() - 1].to_vec())
    }

    /// The loss of logarithms of probabilities against labels.
    ///
    /// # Errors
    /// When shapes or lengths do not fit, or a label is not among the classes.
    pub fn forward(
        &self,
        log_probs: &Tensor,
        targets: &Tensor,
        input_lengths: &Tensor,
        target_lengths: &Tensor,
    ) -> Result<Tensor> {
        floats("CTCLoss", log_probs.dtype())?;
        let samples = self.shape(log_probs.dims())?.first().copied().unwrap_or(1);
        let (length, classes) = (log_probs.dim(0)?, log_probs.dim(log_probs.rank() - 1)?);
        let (inputs, lengths) = (integers(input_lengths)?, integers(target_lengths)?);
        for (what, lengths) in [("input", &inputs), ("target", &lengths)] {
            if lengths.len() != samples {
                bail!("CTCLoss: expects {samples} {what} lengths, but is given {}", lengths.len());
            }
        }
        if let Some(longest) = inputs.iter().find(|&&steps| steps > length) {
            bail!("CTCLoss: an input length of {longest} is more than the {length} steps there are");
        }
        let longest = check_labels(targets, &lengths, classes)?;
        // The only sample's.
        let targets = if log_probs.rank() == 2 { &targets.flatten_all()? } else { targets };
        ctc(self, log_probs, targets, [input_lengths, target_lengths], longest)
    }
}

/// Refuses labels that there are not, or that are no classes; gives the greatest number of labels of a sample.
fn check_labels(targets: &Tensor, lengths: &[usize], classes: usize) -> Result<usize> {
    let all = integers(targets)?;
    if let Some(label) = all.iter().find(|&&label| label >= classes) {
        bail!("CTCLoss: label {label} should be less than {classes}");
    }
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let room = match targets.dims() {
        &[samples, row] if samples == lengths.len() => row >= longest,
        &[count] => count >= lengths.iter().sum(),
        dims => bail!("CTCLoss: expects labels of ({}, S) or (∑ lengths), but is given {dims:?}", lengths.len()),
    };
    if !room {
        bail!("CTCLoss: there are not as many labels in {:?} as the target lengths {lengths:?} say", targets.dims());
    }
    Ok(longest)
}

impl fmt::Display for CTCLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CTCLoss()")
    }
}

leaf! {
    @layer [] CTCLoss as "nn.CTCLoss",
    Called { method: "forward", options: &["targets", "input_lengths", "target_lengths"] };
    [] [config: CTCLossConfig] [] [_vb Ok(Self { config })]
    |layer, args| {
        use fx_core::leaf::argument;
        layer.forward(argument(args, 0)?, argument(args, 1)?, argument(args, 2)?, argument(args, 3)?).into_value()
    };
    |layer, facts| Ok(match facts.first() {
        Some(Fact::Tensor(x)) => Fact::tensor(layer.config.reduction.shape(layer.shape(x.dims())?), x.dtype),
        _ => Fact::Unknown,
    });
    enters layer;
}
leaf!(@several CTCLoss);

impl Several<CTCLoss> {
    /// Records a call of the loss.
    ///
    /// # Errors
    /// What candle refuses.
    #[track_caller]
    pub fn forward(
        &self,
        log_probs: &Proxy,
        targets: &Proxy,
        input_lengths: &Proxy,
        target_lengths: &Proxy,
    ) -> Result<Proxy> {
        if let Some(inside) = self.enter() {
            // How many labels there are at most is in the data; there is no more room than this.
            let longest = targets.dims().last().copied().unwrap_or(0);
            return entered::ctc(inside.layer(), log_probs, targets, [input_lengths, target_lengths], longest);
        }
        self.record(&[log_probs, targets, input_lengths, target_lengths].map(|proxy| Given::Proxy(proxy.clone())))
    }
}
