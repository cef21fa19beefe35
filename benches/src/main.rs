//! How fast the engine is, and how much memory it takes, beside the memory wall measured in the same run.
//!
//! `make bench` prints the table; `make bench SAVE=<name>` keeps it in `benches/runs/<name>/`, which is never
//! edited afterwards. `--quick` uses small drives only: a check that the benchmark itself works. `--only TEXT`
//! measures the cases whose name holds TEXT; those of `features` and `stepped` only so. `--callgrind` counts instructions instead.

mod callgrind;
mod cases;
mod cells;
mod cost;
mod features;
mod record;
mod regulated;
mod scaling;
mod stepped;
mod table;
mod wall;
mod workload;

use cases::{CASES, GIB, UNIT};
use cost::InstructionMeter;
use table::{Row, TableLine};

/// Record of the command-line arguments of the benchmark program.
struct Arguments {
    quick: bool,
    callgrind: bool,
    counted: Option<String>,
    save: Option<String>,
    only: Option<String>,
}

impl Arguments {
    /// Parses the command line of the benchmark program; a wrong argument ends the program with a message.
    fn of(mut words: impl Iterator<Item = String>) -> Self {
        let mut asked = Self { quick: false, callgrind: false, counted: None, save: None, only: None };
        while let Some(word) = words.next() {
            let mut value = || {
                words.next().unwrap_or_else(|| {
                    eprintln!("{word}: expected a value after it");
                    std::process::exit(2);
                })
            };
            match word.as_str() {
                "--quick" => asked.quick = true,
                "--callgrind" => asked.callgrind = true,
                "--counted" => asked.counted = Some(value()),
                "--save" => asked.save = Some(value()),
                "--only" => asked.only = Some(value()),
                _ => {
                    eprintln!("{word}: expected --quick, --callgrind, --only TEXT or --save NAME");
                    std::process::exit(2);
                }
            }
        }
        asked
    }

    fn wants(&self, case: &str) -> bool {
        self.only.as_ref().is_none_or(|text| case.contains(text.as_str()))
    }

    /// Returns true if `--only` asks for cases whose names begin with `group`; such cases are measured only on request.
    fn asks_for(&self, group: &str) -> bool {
        self.only.as_ref().is_some_and(|text| text.starts_with(group))
    }
}

/// Measures the groups of benchmark cases that are measured only if `--only` asks for them.
fn on_request(asked: &Arguments) -> Vec<TableLine> {
    let mut rows: Vec<Row> = Vec::new();
    if asked.asks_for(features::CASES) {
        let wall_ns = wall::page_operation_ns((GIB / UNIT) as usize, 1_500_000);
        rows.extend(features::measure(wall_ns, |case| asked.wants(case)));
    }
    let mut lines: Vec<TableLine> = rows.into_iter().map(TableLine::from).collect();
    if asked.asks_for(stepped::CASES) {
        lines
            .extend(stepped::measure(wall::page_operation_ns((GIB / UNIT) as usize, 1_500_000), asked.quick));
    }
    if asked.asks_for(scaling::CASES) {
        lines.extend(scaling::measure(|case| asked.wants(case)));
    }
    lines
}

/// Measures the benchmark cases of the speed budget on drives of several capacities.
fn budget(asked: &Arguments) -> Vec<TableLine> {
    let (sizes, main_gib, scale): (&[u64], u64, u64) =
        if asked.quick { (&[1, 4], 4, 20) } else { (&[16, 256, 1024], 256, 1) };
    let mut lines = Vec::new();
    for &gib in sizes {
        eprintln!("{gib} GiB ...");
        let wall_ns = wall::page_operation_ns((gib * GIB / UNIT) as usize, 30_000_000 / scale);
        if asked.wants(cases::BUILD) {
            lines.push(cases::build(gib, wall_ns));
        }
        for case in &CASES {
            if asked.wants(case.name) && (gib == main_gib || case.bytes == 4096) {
                lines.push(cases::measure(&case.shorter(scale), gib, wall_ns));
            }
        }
        if gib == sizes[0] && asked.wants(regulated::CASE) {
            lines.push(regulated::measure(gib, 3_000_000 / scale, wall_ns));
        }
        if gib == sizes[0] && !asked.quick && asked.wants(cases::TRACE) {
            lines.extend(cases::trace(wall_ns));
        }
    }
    lines
}

fn main() {
    let asked = Arguments::of(std::env::args().skip(1));
    if let Some(case) = &asked.counted {
        return callgrind::counted(case);
    }
    if asked.callgrind {
        return println!("{}", callgrind::table(|case| asked.wants(case)));
    }
    let mut lines = on_request(&asked);
    lines.extend(budget(&asked));
    let wordlines = if asked.quick { 4 } else { 64 };
    let cell_rows = if asked.wants("program cells") { cells::measure(wordlines) } else { Vec::new() };
    let no_instructions =
        if InstructionMeter::new().counts_instructions() { "-" } else { "not allowed here" };
    let report = record::report(&lines, &cell_rows, no_instructions);
    println!("{report}");
    if let Some(name) = &asked.save {
        record::save(name, &report, &lines, &cell_rows);
    }
}
