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

    /// The part of the project's front page that the table is, without what only the page of its own has.
    fn short(&self) -> String {
        let mut lines = vec![
            "| model | case | captured | dynamic | later calls | nodes |".to_owned(),
            "|---|---|---|---|---|---|".to_owned(),
        ];
        for line in self.to_string().lines().filter(|line| line.starts_with("| ")).skip(1) {
            let [model, case, captured, _, _, dynamic, later, nodes] = cells(line)[..] else { continue };
            lines.push(format!("| {model} | {case} | {captured} | {dynamic} | {later} | {nodes} |"));
        }
        lines.join("\n")
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
        writeln!(f, "| model | case | captured | reads of data | without data | dynamic | later calls | nodes |")?;
        writeln!(f, "|---|---|---|---|---|---|---|---|")?;
        for model in MODELS {
            let mut tried = false;
            for row in self.cases(model) {
                tried = true;
                write!(f, "| {model} | {} | ", row.name)?;
                match &row.outcome {
                    Ok(report) if report.is_equal() => {
                        let without = report.without_data.as_ref().err().map_or("yes".to_owned(), |why| one_line(why));
                        let Report { reads, dynamic, later, nodes, .. } = report;
                        writeln!(f, "yes | {reads} | {without} | {dynamic} | {later} | {nodes} |")?;
                    }
                    _ => writeln!(f, "no: {} | | | | | |", row.reason())?,
                }
            }
            if !tried {
                let reason = REASONS.lines().find_map(|line| line.strip_prefix(model)?.strip_prefix(": "));
                writeln!(f, "| {model} | | no: {} | | | | | |", reason.unwrap_or("not tried"))?;
            }
        }
        Ok(())
    }
}

/// The cells of a row; a bar behind a backslash is part of a cell.
fn cells(row: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let (mut start, mut before) = (0, ' ');
    for (at, letter) in row.char_indices() {
        if letter == '|' && before != '\\' {
            cells.push(row[start..at].trim());
            start = at + 1;
        }
        before = letter;
    }
    // What stands before the first bar.
    cells.drain(..cells.len().min(1));
    cells
}

/// What a stored page says of a case, and a new one no longer: it was captured, a size could vary, or later calls were answered.
pub fn regressions(stored: &str, now: &str) -> Vec<String> {
    fn rows(page: &str) -> impl Iterator<Item = Vec<&str>> {
        page.lines().filter(|line| line.starts_with("| ")).map(cells).filter(|cells| cells.len() == 8)
    }
    fn sizes(dynamic: &str) -> Vec<&str> {
        dynamic
            .split(';')
            .next()
            .unwrap_or_default()
            .split(", ")
            .filter(|size| ["batch", "seq"].contains(size))
            .collect()
    }
    /// How many later calls were answered, and by how many graphs: `4 by 3 graphs`.
    fn answered(later: &str) -> Option<(usize, usize)> {
        let (calls, graphs) = later.strip_suffix(" graphs")?.split_once(" by ")?;
        Some((calls.parse().ok()?, graphs.parse().ok()?))
    }
    let mut lost = Vec::new();
    for row in rows(stored).filter(|row| row[2] == "yes") {
        let (model, case) = (row[0], row[1]);
        match rows(now).find(|now| now[..2] == row[..2]) {
            None => lost.push(format!("{model}, {case}: was captured, and is no longer tried")),
            Some(now) if now[2] != "yes" => lost.push(format!("{model}, {case}: was captured, and now: {}", now[2])),
            Some(now) => {
                let remaining = sizes(now[5]);
                let missing: Vec<_> = sizes(row[5]).into_iter().filter(|size| !remaining.contains(size)).collect();
                if !missing.is_empty() {
                    lost.push(format!("{model}, {case}: {} could vary, and now: {}", missing.join(", "), now[5]));
                }
                let is_less = |(calls, graphs)| {
                    answered(now[6]).is_none_or(|(calls_now, graphs_now)| calls_now < calls || graphs_now > graphs)
                };
                if answered(row[6]).is_some_and(is_less) {
                    lost.push(format!("{model}, {case}: later calls were {}, and now: {}", row[6], now[6]));
                }
            }
        }
    }
    lost
}

/// What the front page has before and behind the table.
const MARKS: [&str; 2] = ["<!-- models: written by the tests -->\n", "<!-- models end -->\n"];

/// The front page with the table in its place. `None` if it has no place for it.
pub fn front_page(readme: &str, table: &Table) -> Option<String> {
    let (before, rest) = readme.split_once(MARKS[0])?;
    let (_, behind) = rest.split_once(MARKS[1])?;
    let (captured, all, short) = (table.captured(), MODELS.len(), table.short());
    let summary = format!("<details>\n<summary>The table: {captured} of {all} captured</summary>");
    Some(format!("{before}{}{summary}\n\n{short}\n\n</details>\n{}{behind}", MARKS[0], MARKS[1]))
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
a dash stands for inputs without a size that varies. *Later calls* are of a model that keeps something: a prompt and then single
tokens, or the same kind of input again, each equal to the original's, by so many graphs on one state (`fx::compile`); a dash
stands for a model that keeps nothing.

`cargo test --workspace --test models` compares this page, and the table in the README, with what it finds; with
`UPDATE_GENERATED=1` it writes them anew, but not if a model has lost something: the row that is to go is removed by hand first.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_captured_and_is_not_is_a_regression() {
        let stored =
            "Captured: 3 of 4.\n\n| model | case | captured | reads of data | without data | dynamic | later calls | nodes |\n\
            |---|---|---|---|---|---|---|---|\n\
            | a | x | yes | none | yes | batch, seq | 4 by 3 graphs | 5 |\n\
            | a | y | yes | none | yes | none: a \\| b | - | 5 |\n\
            | b | x | yes | none | yes | batch; not all: why | - | 5 |\n\
            | c | | no: why | | | | | |\n";
        assert_eq!(regressions(stored, stored), Vec::<String>::new());
        assert_eq!(regressions("", stored), Vec::<String>::new());
        for (now, is_less) in [("4 by 2 graphs", false), ("4 by 4 graphs", true), ("3 by 3 graphs", true), ("", true)] {
            let now = stored.replace("4 by 3 graphs", now);
            assert_eq!(!regressions(stored, &now).is_empty(), is_less, "{now}");
        }
        let now = "| a | x | yes | none | yes | seq; not all: why | no: why | 9 |\n\
            | a | y | no: differs by 1 | | | | | |\n\
            | c | x | yes | none | yes | batch | - | 9 |\n";
        assert_eq!(
            regressions(stored, now),
            [
                "a, x: batch could vary, and now: seq; not all: why",
                "a, x: later calls were 4 by 3 graphs, and now: no: why",
                "a, y: was captured, and now: no: differs by 1",
                "b, x: was captured, and is no longer tried",
            ]
        );
        assert_eq!(regressions(now, stored), ["c, x: was captured, and is no longer tried"]);
    }

    #[test]
    fn the_front_page_keeps_what_is_around_the_table() {
        let table = Table { rows: Vec::new() };
        let readme = format!("before\n{}old\n{}behind\n", MARKS[0], MARKS[1]);
        let page = front_page(&readme, &table).expect("it has the marks");
        assert!(page.starts_with("before\n<!-- models") && page.ends_with("<!-- models end -->\nbehind\n"), "{page}");
        assert!(page.contains("| llama |  | no: not tried |  |  |  |") && !page.contains("old"), "{page}");
        assert_eq!(front_page(&page, &table).as_deref(), Some(&*page));
        assert_eq!(front_page("no marks", &table), None);
    }
}
