//! Instructions of each case by valgrind's callgrind, for machines whose kernel does not let a program count its own.
//!
//! Callgrind is told to count in `cases::stretch` alone. It is some fifty times slower than the processor, so the
//! drive is small and the runs are short: instructions of a request depend little on either.

use crate::cases::{CASES, Case, Per, stretches};
use std::path::Path;
use std::process::{Command, exit};

const GIB: u64 = 4;
const SHORTER: u64 = 40;
/// Constant: argument for callgrind that names the function in which instructions are counted; that function is not
/// inlined, so that it has a name.
const COUNTED: &str = "--toggle-collect=floatgate_bench::cases::stretch";

/// Runs one benchmark case under callgrind (option `--counted CASE`) and prints the number of page operations or
/// requests whose instructions were counted.
pub fn counted(name: &str) {
    let Some(case) = CASES.iter().find(|case| case.name == name) else {
        eprintln!("--counted {name}: expected one of {}", CASES.map(|case| case.name).join("; "));
        exit(2);
    };
    let case = case.shorter(SHORTER);
    let made = stretches(&mut case.session(GIB), case.requests, case.per);
    println!("{}", if case.per == Per::Page { made.pages } else { made.requests });
}

/// Counts the instructions of each benchmark case whose name `wanted` accepts, by callgrind (option `--callgrind`), and
/// returns a table with a line for each case.
pub fn table(wanted: impl Fn(&str) -> bool) -> String {
    let mut text = String::from("| case | drive | per | instructions |\n|---|---|---|---|\n");
    for case in CASES.iter().filter(|case| wanted(case.name)) {
        let instructions = instructions(case);
        text += &format!("| {} | {GIB} GiB | {} | {instructions:.0} |\n", case.name, case.per.name());
    }
    text
}

fn instructions(case: &Case) -> f64 {
    let folder = std::env::temp_dir().join(format!("floatgate-bench-{}", std::process::id()));
    let file = folder.with_extension("callgrind");
    let program = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    let done = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", COUNTED])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(program)
        .args(["--counted", case.name])
        .output();
    let done = done.unwrap_or_else(|error| {
        eprintln!("--callgrind: valgrind: {error}: expected valgrind to be installed");
        exit(2);
    });
    let count: Option<f64> = String::from_utf8_lossy(&done.stdout).trim().parse().ok();
    let total = total(&file);
    let _ = std::fs::remove_file(&file);
    match (total, count) {
        (Some(total), Some(count)) if total > 0.0 => total / count,
        _ => {
            eprint!("{}", String::from_utf8_lossy(&done.stderr));
            eprintln!("--callgrind: {}: callgrind counted nothing", case.name);
            exit(2);
        }
    }
}

/// Returns the total number of counted instructions from a file that callgrind wrote; none if the file has no total.
fn total(file: &Path) -> Option<f64> {
    of_text(&std::fs::read_to_string(file).ok()?)
}

fn of_text(text: &str) -> Option<f64> {
    let line = text.lines().rev().find_map(|line| line.strip_prefix("totals: "))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::of_text;

    #[test]
    fn the_total_is_read_and_a_file_without_one_is_no_zero() {
        assert_eq!(of_text("events: Ir\nsummary: 12\n\nfn=(1)\n3 4\ntotals: 1234\n"), Some(1234.0));
        assert_eq!(of_text("events: Ir\n"), None);
    }
}
