//! The graph as a table: opcode, name, target, arguments.
//!
//! Invariant: a cell of any length makes one line longer, never all of them.

use std::fmt::Write;

use super::write::width;
use crate::ir::line::{write_argument, write_target, write_tuple};
use crate::ir::{Graph, Node};

/// Cells longer than this move what comes after them and nothing else.
const WIDEST: usize = 48;

impl Graph {
    /// The nodes as a table, in torch.fx's columns. Like its `print_tabular`, but returned, not printed.
    ///
    /// ```text
    /// opcode         name    target    args           kwargs
    /// -------------  ------  --------  -------------  ----------------------
    /// placeholder    x       x         ()             {}
    /// ```
    ///
    /// A cell longer than 48 characters makes its own line longer, and no other.
    #[must_use]
    pub fn print_tabular(&self) -> String {
        let titles = ["opcode", "name", "target", "args", "kwargs"].map(str::to_owned);
        let mut widths = titles.each_ref().map(|title| width(title));
        for (_, node) in self.nodes() {
            for (widest, cell) in widths.iter_mut().zip(row(self, node)) {
                *widest = width(&cell).min(WIDEST).max(*widest);
            }
        }
        let mut table = String::new();
        add_row(&mut table, &titles, &widths);
        add_row(&mut table, &widths.map(|width| "-".repeat(width)), &widths);
        for (_, node) in self.nodes() {
            add_row(&mut table, &row(self, node), &widths);
        }
        table
    }
}

fn row(graph: &Graph, node: &Node) -> [String; 5] {
    let (mut target, mut args, mut kwargs) = (String::new(), String::new(), String::from("{"));
    write_target(node.target(), &mut target).expect("a string takes everything");
    write_tuple(graph, node.args(), &mut args).expect("a string takes everything");
    for (i, (keyword, argument)) in node.kwargs().iter().enumerate() {
        let comma = if i > 0 { ", " } else { "" };
        write!(kwargs, "{comma}{keyword}: ").expect("a string takes everything");
        write_argument(graph, argument, &mut kwargs).expect("a string takes everything");
    }
    kwargs.push('}');
    [node.op().to_string(), node.name().to_owned(), target, args, kwargs]
}

fn add_row(table: &mut String, cells: &[String; 5], widths: &[usize; 5]) {
    for (i, (cell, wide)) in cells.iter().zip(widths).enumerate() {
        if i > 0 {
            table.push_str("  ");
        }
        table.push_str(cell);
        if i + 1 < cells.len() {
            table.extend(std::iter::repeat_n(' ', wide.saturating_sub(width(cell))));
        }
    }
    table.push('\n');
}
