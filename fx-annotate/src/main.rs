//! The annotator as a command: `fx-annotate src annotated`.
//!
//! Exit codes: 0 if all is well, 1 if a file could not be read or written, 2 for a wrong command line.

use std::ffi::OsString;
use std::process::ExitCode;

const USAGE: &str = "\
usage: fx-annotate FROM TO   write an annotated copy of a Rust file or of a directory with a crate's source; other files
                             are copied as they are, `.git` and `target` are left out
       fx-annotate help      print this";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match &arguments[..] {
        [word] if ["help", "--help", "-h"].iter().any(|help| word == help) => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        [from, to] => fx_annotate::command(from.as_ref(), to.as_ref()),
        _ => {
            eprintln!("error: two paths are needed, and {} given\n\n{USAGE}", arguments.len());
            ExitCode::from(2)
        }
    }
}
