//! The table of all models: what was captured, and the reason for what was not.
//!
//! Invariant: nothing in it depends on the machine or on the time, so that it can be compared with the stored one.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use crate::case::{Case, Report};
use crate::MODELS;

/// What came of one case.
#[derive(Debug, Clone)]
pub struct Row {
    /// The model's module.
    pub model: &'static str,
    /// What is special about the case.
    pub name: &'static str,
    /// What was measured, or why it failed.
    pub outcome: Result<Report, String>,
}

impl Row {
    /// Runs a case.
    pub fn of(case: &Case) -> Self {
        Self { model: case.model, name: case.name, outcome: case.run().map_err(|failure| failure.to_string()) }
    }

    /// Whether the graph gives the original's result to the last bit.
    pub fn is_captured(&self) -> bool {
        self.outcome.as_ref().is_ok_and(Report::is_equal)
    }

    /// The reason why not, in one line.
    fn reason(&self) -> String {
        match &self.outcome {
            Ok(report) => format!("differs by {}", report.difference),
            Err(failure) => one_line(failure),
        }
    }
}

/// Every model, with the cases that were tried of it.
#[derive(Debug, Clone)]
pub struct Table {
    rows: Vec<Row>,
}

/// Reasons of models that are not compiled, and of those that are not tried, a line each.
const REASONS: &str = concat!(include_str!("../models/uncompiled.txt"), include_str!("../models/untried.txt"));

impl Table {
    /// Runs the cases, several at a time.
    pub fn of(cases: &[Case]) -> Self {
        Self { rows: run_all(cases) }
    }

    /// The cases that ran, in order of the models' names.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    fn cases<'a>(&'a self, model: &'a str) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.model == model)
    }

    /// How many models have cases, and none that failed.
    pub fn captured(&self) -> usize {
        let captured = |model| self.cases(model).next().is_some() && self.cases(model).all(Row::is_captured);
        MODELS.iter().filter(|model| captured(model)).count()
    }
}

/// Runs all cases on two threads: the models are small, so that one thread leaves a core idle.
fn run_all(cases: &[Case]) -> Vec<Row> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Vec::new());
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let row = Row::of(case);
            rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(row);
        }
    };
    std::thread::scope(|scope| {
        let helper = scope.spawn(work);
        work();
        if let Err(panic) = helper.join() {
            resume_unwind(panic);
        }
    });
    let mut rows = rows.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    // In the order of the cases again.
    let place = |row: &Row| cases.iter().position(|case| (case.model, case.name) == (row.model, row.name));
    rows.sort_by_key(place);
    rows
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Captured: {} of {}.\n", self.captured(), MODELS.len())?;
        writeln!(f, "| model | case | captured | reads of data | without data | dynamic | nodes |")?;
        writeln!(f, "|---|---|---|---|---|---|---|")?;
        for model in MODELS {
            let mut tried = false;
            for row in self.cases(model) {
                tried = true;
                write!(f, "| {model} | {} | ", row.name)?;
                match &row.outcome {
                    Ok(report) if report.is_equal() => {
                        let without = report.without_data.as_ref().err().map_or("yes".to_owned(), |why| one_line(why));
                        writeln!(f, "yes | {} | {without} | {} | {} |", report.reads, report.dynamic, report.nodes)?;
                    }
                    _ => writeln!(f, "no: {} | | | | |", row.reason())?,
                }
            }
            if !tried {
                let reason = REASONS.lines().find_map(|line| line.strip_prefix(model)?.strip_prefix(": "));
                writeln!(f, "| {model} | | no: {} | | | | |", reason.unwrap_or("not tried"))?;
            }
        }
        Ok(())
    }
}

/// The first line of a message, with the next one if that explains it, fit for a cell of a table.
pub fn one_line(message: &str) -> String {
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default();
    let next = lines.next().filter(|_| first.trim_end().ends_with(':')).unwrap_or_default();
    let words: Vec<_> = first.split_whitespace().chain(next.split_whitespace()).collect();
    words.join(" ").replace('|', "\\|")
}

/// The page that is stored, with the table in it.
pub fn page(table: &Table) -> String {
    format!("{HEAD}\n{table}")
}

const HEAD: &str = "\
# candle-transformers' models

Every model of candle-transformers 0.11.1, annotated by program alone, at a tiny size with random weights. *Captured* means that
the graph gives the original's result to the last bit on inputs that the capture has not seen. A model that reads the data of
tensors, which a graph cannot, is captured with the modules that do so called whole, as one node each; where the model itself
reads, with what it read baked in (*specialised*). *Without data* is whether a capture which is told no more than shapes gives
the same graph. *Dynamic* lists the sizes that may vary in one graph, compared at three sizes that the capture was not told of;
a dash stands for inputs without a size that varies.

`cargo test --workspace --test models` compares this page with what it finds; with `UPDATE_GENERATED=1` it writes it anew.
";
