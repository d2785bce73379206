//! [`CTCLoss`]: sequences of labels that are not aligned with what is said of each step.
//!
//! Invariant: probabilities are kept as logarithms; what cannot be is minus infinity, never NaN.

use std::fmt;

use candle_core::{DType, Result, Tensor, bail};
use fx_core::module::Called;
use fx_core::ops::IntoValue;
use fx_core::trace::{Given, Proxy};
use fx_core::value::Fact;

use crate::axis;
use crate::dims::rank;
use crate::leaf::{Several, leaf};
use crate::loss::{Reduction, reduced};
use crate::options::options;

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

/// The logarithm of the sum of what these are logarithms of.
fn sum_of_logs(logs: &[Tensor]) -> Result<Tensor> {
    let logs = Tensor::stack(logs, 0)?;
    // A finite number in place of minus infinity, so that their difference is no NaN.
    let greatest = logs.max(0)?.maximum(-1e30)?;
    logs.broadcast_sub(&greatest)?.exp()?.sum(0)?.log()? + greatest
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
        let dims = self.shape(log_probs.dims())?;
        let steps = if log_probs.rank() == 2 { log_probs.unsqueeze(1)? } else { log_probs.clone() };
        let (length, samples, classes) = steps.dims3()?;
        let (input_lengths, target_lengths) = (integers(input_lengths)?, integers(target_lengths)?);
        for (what, lengths) in [("input", &input_lengths), ("target", &target_lengths)] {
            if lengths.len() != samples {
                bail!("CTCLoss: expects {samples} {what} lengths, but is given {}", lengths.len());
            }
        }
        if let Some(longest) = input_lengths.iter().find(|&&steps| steps > length) {
            bail!("CTCLoss: an input length of {longest} is more than the {length} steps there are");
        }
        let labels = self.labels(targets, &target_lengths, classes)?;
        let losses = labels.iter().enumerate().map(|(sample, labels)| {
            let steps = steps.narrow(1, sample, 1)?.squeeze(1)?.narrow(0, 0, input_lengths[sample])?;
            self.loss(&steps, labels)
        });
        let losses = losses.collect::<Result<Vec<_>>>()?;
        if losses.is_empty() {
            return reduced(self.config.reduction, &Tensor::zeros(dims, log_probs.dtype(), log_probs.device())?);
        }
        let mut losses = Tensor::stack(&losses, 0)?;
        if self.config.zero_infinity {
            losses = losses.eq(f64::INFINITY)?.where_cond(&losses.zeros_like()?, &losses)?;
        }
        if self.config.reduction == Reduction::Mean {
            let lengths: Vec<f64> = target_lengths.iter().map(|&length| length.max(1) as f64).collect();
            losses = (losses.clone() / Tensor::new(lengths, losses.device())?.to_dtype(losses.dtype())?)?;
        }
        reduced(self.config.reduction, &losses.reshape(dims)?)
    }

    /// The labels of each sample.
    fn labels(&self, targets: &Tensor, lengths: &[usize], classes: usize) -> Result<Vec<Vec<u32>>> {
        let all = integers(targets)?;
        if let Some(label) = all.iter().find(|&&label| label >= classes) {
            bail!("CTCLoss: label {label} should be less than {classes}");
        }
        let row = match targets.dims() {
            &[samples, row] if samples == lengths.len() => Some(row),
            &[_] => None,
            dims => bail!("CTCLoss: expects labels of ({}, S) or (∑ lengths), but is given {dims:?}", lengths.len()),
        };
        let mut start = 0;
        let taken = lengths.iter().enumerate().map(|(sample, &length)| {
            let begin = row.map_or(start, |row| sample * row);
            let room = row.map_or(all.len(), |row| begin + row);
            start += length;
            match all.get(begin..begin + length) {
                Some(labels) if begin + length <= room => {
                    Ok(labels.iter().map(|&label| u32::try_from(label).unwrap_or(u32::MAX)).collect())
                }
                _ => bail!("CTCLoss: there are no {length} labels for sample {sample}"),
            }
        });
        taken.collect()
    }

    /// The loss of one sample, `(steps, classes)`.
    fn loss(&self, steps: &Tensor, labels: &[u32]) -> Result<Tensor> {
        let (dtype, device) = (steps.dtype(), steps.device());
        let number = |value: f64| Tensor::new(value, device)?.to_dtype(dtype);
        let length = steps.dim(0)?;
        if length == 0 {
            return number(if labels.is_empty() { 0.0 } else { f64::INFINITY });
        }
        // A blank before, between and after the labels.
        let blank = u32::try_from(self.config.blank).unwrap_or(u32::MAX);
        let states: Vec<u32> = labels.iter().flat_map(|&label| [blank, label]).chain([blank]).collect();
        let count = states.len();
        let scores = axis::select(steps, 1, states.clone())?;
        let open = |is_open: &dyn Fn(usize) -> bool| {
            let bars = (0..count).map(|state| if is_open(state) { 0.0 } else { f64::NEG_INFINITY });
            Tensor::new(bars.collect::<Vec<f64>>(), device)?.to_dtype(dtype)
        };
        // A step stays, goes on by one, or skips a blank between two labels that differ.
        let skips = open(&|state| state >= 2 && states[state] != blank && states[state] != states[state - 2])?;
        let moved = |alpha: &Tensor, by: usize| -> Result<Tensor> {
            let before = axis::full(&[by.min(count)], f64::NEG_INFINITY, dtype, device)?;
            Tensor::cat(&[&before, &alpha.narrow(0, 0, count - by.min(count))?], 0)
        };
        let mut alpha = (scores.get(0)? + open(&|state| state < 2)?)?;
        for step in 1..length {
            let skipped = (moved(&alpha, 2)? + &skips)?;
            alpha = (sum_of_logs(&[alpha.clone(), moved(&alpha, 1)?, skipped])? + scores.get(step)?)?;
        }
        let ends = (count.saturating_sub(2)..count).map(|state| alpha.get(state)).collect::<Result<Vec<_>>>()?;
        sum_of_logs(&ends)?.neg()
    }
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
        self.record(&[log_probs, targets, input_lengths, target_lengths].map(|proxy| Given::Proxy(proxy.clone())))
    }
}
