//! What was measured, as a table for people and as lines for programs.

use crate::cost::{CostSpread, ValueSpread};
use std::fmt::Write as _;

/// Record of a benchmark measurement of which only the wall-clock time is known.
pub struct Row {
    pub case: String,
    pub gib: u64,
    pub ns: f64,
    pub what: &'static str,
    pub wall_ns: f64,
    pub note: String,
}

/// Record of one line of the benchmark's table: a case on a drive, and its measured cost.
pub struct TableLine {
    /// Name of the benchmark case.
    pub case: String,
    /// User capacity of the benchmark's drive, in GiB.
    pub gib: u64,
    /// Name of the unit of work for which the cost is given, such as a page operation.
    pub what: &'static str,
    /// Measured cost of one unit of work.
    pub costs: CostSpread,
    /// Memory wall in ns: the cost of the bare memory accesses of one page operation on a drive of this capacity.
    pub memory_wall_ns: f64,
    /// Remark on the measurement, for the last column of the table.
    pub note: String,
}

impl From<Row> for TableLine {
    fn from(row: Row) -> Self {
        let Row { case, gib, ns, what, wall_ns, note } = row;
        Self { case, gib, what, costs: CostSpread::of_wall(ns), memory_wall_ns: wall_ns, note }
    }
}

impl TableLine {
    /// Returns the processor time of one unit of work, in multiples of the memory wall.
    fn walls(&self) -> f64 {
        self.costs.main_ns() / self.memory_wall_ns
    }
}

const HEAD: &str = "| case | drive | per | CPU (least to most) | wall clock | instructions | memory wall | walls | |\n\
                    |---|---|---|---|---|---|---|---|---|\n";

/// Formats the lines of the benchmark as a Markdown table; `no_instructions` is the text for a line without a count of
/// instructions.
pub fn markdown(lines: &[TableLine], no_instructions: &str) -> String {
    let mut text = HEAD.to_owned();
    for line in lines {
        let instructions = line.costs.instructions.map_or(no_instructions.into(), |spread| range(spread, 0));
        let _ = writeln!(
            text,
            "| {} | {} GiB | {} | {} | {} | {instructions} | {:.1} ns | {:.1} | {} |",
            line.case,
            line.gib,
            line.what,
            line.costs.cpu_ns.map_or("-".into(), |spread| range(spread, 1) + " ns"),
            range(line.costs.wall_ns, 1) + " ns",
            line.memory_wall_ns,
            line.walls(),
            line.note
        );
    }
    text
}

/// Formats a median with its least and greatest value, or alone if all are equal.
fn range(spread: ValueSpread, digits: usize) -> String {
    let ValueSpread { median, min, max } = spread;
    if min == max {
        return format!("{median:.digits$}");
    }
    format!("{median:.digits$} ({min:.digits$} to {max:.digits$})")
}

/// Formats the lines of the benchmark as CSV.
pub fn csv(lines: &[TableLine]) -> String {
    let mut text = String::from(
        "case,drive_gib,per,rounds,cpu_ns,cpu_ns_min,cpu_ns_max,wall_ns,wall_ns_min,wall_ns_max,\
         instructions,instructions_min,instructions_max,memory_wall_ns,walls,note\n",
    );
    for line in lines {
        let costs = &line.costs;
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{:.3},{:.3},\"{}\"",
            line.case.replace(',', ";"),
            line.gib,
            line.what,
            costs.rounds,
            three(costs.cpu_ns),
            three(Some(costs.wall_ns)),
            three(costs.instructions),
            line.memory_wall_ns,
            line.walls(),
            line.note
        );
    }
    text
}

/// Formats the median, least and greatest value as three CSV fields, which are empty if there is no value.
fn three(spread: Option<ValueSpread>) -> String {
    spread.map_or(",,".into(), |one| format!("{:.3},{:.3},{:.3}", one.median, one.min, one.max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Cost;

    fn line(instructions: Option<f64>) -> TableLine {
        let costs = [1.0, 2.0, 4.0].map(|ns| Cost { wall_ns: 3.0 * ns, cpu_ns: ns, instructions });
        let costs = CostSpread::of(&costs);
        TableLine {
            case: "a, b".into(),
            gib: 16,
            what: "request",
            costs,
            memory_wall_ns: 4.0,
            note: "n".into(),
        }
    }

    #[test]
    fn walls_are_of_processor_time() {
        let text = markdown(&[line(Some(100.0))], "-");
        assert!(text.ends_with(
            "| a, b | 16 GiB | request | 2.0 (1.0 to 4.0) ns | 6.0 (3.0 to 12.0) ns | 100 | 4.0 ns | 0.5 | n |\n"
        ));
    }

    #[test]
    fn the_column_says_why_it_has_no_instructions() {
        assert!(markdown(&[line(None)], "not allowed").contains("| not allowed |"));
        assert!(
            csv(&[line(None)])
                .ends_with("a; b,16,request,3,2.000,1.000,4.000,6.000,3.000,12.000,,,,4.000,0.500,\"n\"\n")
        );
    }

    #[test]
    fn every_line_has_as_many_fields_as_the_head() {
        let text = csv(&[line(Some(1.0)), line(None)]);
        let counts: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(counts, [16; 3]);
    }
}
