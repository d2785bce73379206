//! The models of the corpus, as a test: all are captured, and their graphs give the original's results.
//!
//! `UPDATE_GENERATED=1` writes `MODELS.md` anew.

use std::fs;
use std::path::Path;

use corpus::table::{self, Table};

#[test]
fn the_stored_table_is_what_the_models_give() {
    let table = Table::of(&corpus::cases::all());
    let page = table::page(&table);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("MODELS.md");
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    let changed: Vec<_> = page.lines().filter(|line| !stored.lines().any(|stored| stored == *line)).collect();
    assert!(stored == page, "MODELS.md is stale; new lines:\n{}", changed.join("\n"));
}
