//! The table as text.
//!
//! Invariant: every row is one line; each column is as wide as its widest cell, however many levels are shown.

use std::fmt;

use super::Summary;
use super::row::{RowKind, SummaryRow};

/// Columns: names on the left, numbers on the right.
const TITLES: [&str; 5] = ["layer (type)", "output", "parameters", "MACs", "trainable"];
const RIGHT: [bool; 5] = [false, false, true, true, false];
/// Nothing of its own.
const NONE: &str = "--";

/// A table, then what all of it comes to.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<[String; 5]> = vec![TITLES.map(str::to_owned)];
        let mut index = 0;
        while let Some(row) = self.rows().get(index) {
            let hides = row.depth >= self.depth && row.end > index + 1;
            let below = if hides { self.below(index) } else { &[] };
            lines.push([
                label(row),
                row.output.to_string(),
                parameters(row, below),
                macs(row, below),
                trained(row, below),
            ]);
            index = if hides { row.end } else { index + 1 };
        }
        let mut widths = [0; 5];
        for line in &lines {
            for (wide, cell) in widths.iter_mut().zip(line) {
                *wide = cell.chars().count().max(*wide);
            }
        }
        let rule = "─".repeat(widths.iter().sum::<usize>() + 2 * (widths.len() - 1));
        for (i, line) in lines.iter().enumerate() {
            let mut text = String::new();
            for ((cell, wide), right) in line.iter().zip(widths).zip(RIGHT) {
                let gap = " ".repeat(wide - cell.chars().count());
                let (before, after) = if right { (gap.as_str(), "") } else { ("", gap.as_str()) };
                text.extend([before, cell, after, "  "]);
            }
            writeln!(f, "{}", text.trim_end())?;
            if i == 0 {
                writeln!(f, "{rule}")?;
            }
        }
        writeln!(f, "{rule}")?;
        self.totals_as_text(f)
    }
}

impl Summary {
    fn totals_as_text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let totals = self.totals();
        let (all, trainable) = (separated(totals.parameters), separated(totals.trainable));
        writeln!(f, "parameters  {all}, of which {trainable} can be trained; buffers {}", separated(totals.buffers))?;
        writeln!(f, "MACs        {}", separated(totals.macs))?;
        let parts = [totals.input_bytes, totals.activation_bytes, totals.parameter_bytes, totals.buffer_bytes];
        let sum = parts.iter().fold(0u64, |sum, part| sum.saturating_add(*part));
        let [inputs, results, parameters, buffers] = parts.map(megabytes);
        write!(f, "memory      inputs {inputs}, results {results}, parameters {parameters}, buffers {buffers}: ")?;
        writeln!(f, "{} MB", megabytes(sum))?;
        for (count, what) in [
            (totals.unknown_shapes, "calls give results of unknown shape, which no memory is counted for"),
            (totals.unknown_macs, "calls have MACs that are not known and not counted"),
            (totals.untold, "layers do not tell their parameters, which are not counted"),
        ] {
            if count > 0 {
                writeln!(f, "note        {count} {what}")?;
            }
        }
        if self.totals().unknown_shapes > 0 {
            writeln!(f, "note        `summary_for` gives the shapes of the inputs")?;
        }
        Ok(())
    }
}

/// `├─ conv1 (nn.Conv2d)`, as deep as it is.
fn label(row: &SummaryRow) -> String {
    match (row.depth.checked_sub(1), row.kind) {
        (None, _) => row.type_name.clone(),
        (Some(outer), RowKind::Operation) => format!("{}├─ {}", "│  ".repeat(outer), row.name),
        (Some(outer), _) => format!("{}├─ {} ({})", "│  ".repeat(outer), row.name, row.type_name),
    }
}

fn parameters(row: &SummaryRow, below: &[SummaryRow]) -> String {
    let all = || below.iter().chain([row]);
    let sum = all().filter_map(|row| row.parameters).fold(0u64, u64::saturating_add);
    let shares = all().any(|row| row.shares);
    match (sum, all().any(|row| row.parameters.is_none())) {
        (0, true) => "?".to_owned(),
        (sum, true) => format!("{} + ?", separated(sum)),
        (0, false) if shares && row.call > 0 => "(recursive)".to_owned(),
        (0, false) if shares => "(shared)".to_owned(),
        (0, false) => NONE.to_owned(),
        (sum, false) => separated(sum),
    }
}

fn macs(row: &SummaryRow, below: &[SummaryRow]) -> String {
    let all = || below.iter().chain([row]);
    let sum = all().filter_map(|row| row.macs).fold(0u64, u64::saturating_add);
    match (sum, all().any(|row| row.macs.is_none())) {
        (0, true) => "?".to_owned(),
        (sum, true) => format!("{} + ?", separated(sum)),
        (0, false) => NONE.to_owned(),
        (sum, false) => separated(sum),
    }
}

fn trained(row: &SummaryRow, below: &[SummaryRow]) -> String {
    let sum = |of: fn(&SummaryRow) -> u64| below.iter().chain([row]).map(of).fold(0u64, u64::saturating_add);
    let (all, trainable) = (sum(|row| row.parameters.unwrap_or(0)), sum(|row| row.trainable));
    match trainable {
        _ if all == 0 => NONE,
        0 => "no",
        trainable if trainable == all => "yes",
        _ => "partly",
    }
    .to_owned()
}

/// `11,689,512`.
fn separated(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Millions of bytes, as torchinfo has them.
fn megabytes(bytes: u64) -> String {
    format!("{:.2}", bytes as f64 / 1e6)
}
