//! A run of the benchmark, kept in `runs/`.

use crate::cells::{self, CellRow};
use crate::table::{self, TableLine};
use std::path::PathBuf;

/// Formats the report of a benchmark run: processor, version and the tables of measurements.
pub fn report(lines: &[TableLine], cell_rows: &[CellRow], no_instructions: &str) -> String {
    format!(
        "Processor: {}. Floatgate {}. One core. Medians, with the least and the most of {} rounds.\n\n{}\n{}",
        processor(),
        sim::version(),
        crate::cost::ROUNDS,
        table::markdown(lines, no_instructions),
        cells::table(cell_rows)
    )
}

/// Writes the report and the raw numbers of a benchmark run to the folder `runs/NAME`; an error ends the program with a
/// message of one line.
pub fn save(name: &str, report: &str, lines: &[TableLine], cell_rows: &[CellRow]) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/runs")).join(name);
    let saved = std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join("summary.md"), report))
        .and_then(|()| std::fs::write(folder.join("raw.csv"), table::csv(lines)))
        .and_then(|()| std::fs::write(folder.join("cells.csv"), cells::csv(cell_rows)));
    if let Err(error) = saved {
        eprintln!("{}: {error}", folder.display());
        std::process::exit(2);
    }
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    model
        .and_then(|line| line.split(':').nth(1))
        .map_or("unknown processor".into(), |name| name.trim().into())
}
