//! Rows of a rig's log, of which a life makes millions: kept as numbers, and made to Python's values or to text on demand.

use crate::errors::input;
use nand::chip::{LogRow, Operation};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Tuple of a row of the test rig's log as Python values, in the order of the fields of `floatgate.lab.Entry`, which is
/// made from such rows: block, page, operation, program/erase cycle, busy time in ns, number of program or erase
/// pulses, status, and number of bit errors (always None, as nothing was read back).
type LoggedRow<'py> =
    (u32, Option<u32>, LinesOfWord<'py>, u64, u64, Option<u32>, LinesOfWord<'py>, Option<u32>);
type LinesOfWord<'py> = Bound<'py, PyString>;
/// Tuple of the changes of one operation's busy time in the log of a block: the operation, the page, the list of
/// program/erase cycles at which the busy time changed, and the list of the new busy times in ns.
type Changes = (&'static str, Option<u32>, Vec<u64>, Vec<u64>);

/// Python class of a log that the test rig wrote while it cycled one flash block: the list of the log's rows.
#[pyclass(module = "floatgate._core", frozen, sequence)]
pub struct LogRows {
    block: u32,
    rows: Vec<LogRow>,
}

const fn name(operation: Operation) -> &'static str {
    match operation {
        Operation::Program => "program",
        Operation::Erase => "erase",
    }
}

const fn status(ok: bool) -> &'static str {
    if ok { "ok" } else { "fail" }
}

impl LogRows {
    /// Makes the log of a flash block from its rows.
    pub const fn new(block: u32, rows: Vec<LogRow>) -> Self {
        Self { block, rows }
    }

    /// Returns rows `from` to `to` (excluded) of the test rig's log of a flash block as Python tuples.
    pub fn tuples<'py>(&self, py: Python<'py>, from: usize, to: usize) -> Vec<LoggedRow<'py>> {
        // The same words in every row, and not new ones for each.
        let (program, erase) = (intern!(py, "program"), intern!(py, "erase"));
        let (ok, fail) = (intern!(py, "ok"), intern!(py, "fail"));
        let row = |row: &LogRow| {
            let operation = match row.operation {
                Operation::Program => program,
                Operation::Erase => erase,
            };
            let pulses = (row.pulses > 0).then_some(row.pulses);
            let status = if row.ok { ok } else { fail };
            (self.block, row.page, operation.clone(), row.cycle, row.busy_ns, pulses, status.clone(), None)
        };
        self.rows[from.min(self.rows.len())..to.min(self.rows.len())].iter().map(row).collect()
    }
}

#[pymethods]
impl LogRows {
    /// Makes the log of a block again from its packed rows, as `__reduce__` gives them.
    #[new]
    fn unpacked(block: u32, packed: &[u8]) -> PyResult<Self> {
        let (rows, rest) = packed.as_chunks::<PACKED>();
        if !rest.is_empty() {
            return Err(input("rows of a log: expected whole rows"));
        }
        Ok(Self { block, rows: rows.iter().map(unpack).collect() })
    }

    /// Returns, for pickling the test rig's log of a flash block, the Python class and the arguments that make the same
    /// log again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (u32, Bound<'py, PyBytes>)) {
        let packed: Vec<u8> = self.rows.iter().flat_map(pack).collect();
        (py.get_type::<Self>().into_any(), (self.block, PyBytes::new(py, &packed)))
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// Returns rows `first` to `end` (excluded) of the test rig's log of a flash block, as tuples for
    /// `floatgate.lab.Entry`.
    #[pyo3(name = "tuples")]
    fn some<'py>(&self, py: Python<'py>, first: usize, end: usize) -> Vec<LoggedRow<'py>> {
        self.tuples(py, first, end)
    }

    /// Returns rows `first` to `end` (excluded) of the test rig's log of a flash block as lines of CSV.
    fn lines(&self, first: usize, end: usize) -> String {
        let rows = &self.rows[first.min(self.rows.len())..end.min(self.rows.len())];
        let mut text = String::with_capacity(48 * rows.len());
        for LogRow { page, operation, cycle, busy_ns, pulses, ok } in rows {
            let _ = write!(text, "{},", self.block);
            if let Some(page) = page {
                let _ = write!(text, "{page}");
            }
            let _ = write!(text, ",{},{cycle},{busy_ns},", name(*operation));
            if *pulses > 0 {
                let _ = write!(text, "{pulses}");
            }
            let _ = writeln!(text, ",{},", status(*ok));
        }
        text
    }

    /// Returns the program/erase cycle and the operation of the first failed operation in the test rig's log of a flash
    /// block; None where no operation failed.
    fn failure(&self) -> Option<(u64, &'static str)> {
        self.rows.iter().find(|row| !row.ok).map(|row| (row.cycle, name(row.operation)))
    }

    /// Returns, for each operation on each page in the order of first appearance in the log, the program/erase cycles
    /// at which the operation's busy time changed, and the new busy times in ns; failed operations are left out.
    fn changes(&self) -> Vec<Changes> {
        let mut found: Vec<Changes> = Vec::new();
        let mut places: BTreeMap<Option<u32>, usize> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.ok) {
            // Only an erase has no page.
            let place = *places.entry(row.page).or_insert_with(|| {
                found.push((name(row.operation), row.page, Vec::new(), Vec::new()));
                found.len() - 1
            });
            let (_, _, cycles, busy_ns) = &mut found[place];
            if busy_ns.last() != Some(&row.busy_ns) {
                cycles.push(row.cycle);
                busy_ns.push(row.busy_ns);
            }
        }
        found
    }
}

/// Constant: number of bytes of one row of the log in the packed form that is used for pickling.
const PACKED: usize = 26;

fn pack(row: &LogRow) -> [u8; PACKED] {
    let mut packed = [0; PACKED];
    packed[..8].copy_from_slice(&row.cycle.to_le_bytes());
    packed[8..16].copy_from_slice(&row.busy_ns.to_le_bytes());
    packed[16..20].copy_from_slice(&row.pulses.to_le_bytes());
    packed[20..24].copy_from_slice(&row.page.unwrap_or(0).to_le_bytes());
    packed[24] = u8::from(row.page.is_some());
    packed[25] = u8::from(row.ok);
    packed
}

fn unpack(packed: &[u8; PACKED]) -> LogRow {
    let number = |at: usize, bytes: usize| {
        packed[at..at + bytes].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    let page = (packed[24] == 1).then_some(number(20, 4) as u32);
    LogRow {
        page,
        operation: if page.is_some() { Operation::Program } else { Operation::Erase },
        cycle: number(0, 8),
        busy_ns: number(8, 8),
        pulses: number(16, 4) as u32,
        ok: packed[25] == 1,
    }
}

/// Formats tuples of whole numbers, None (an empty field) and words without commas as CSV lines, in a function for
/// Python that is written in Rust for speed: without the search for characters to quote that makes Python's csv module
/// seven times as slow.
#[pyfunction]
pub fn plain_lines(rows: Vec<Bound<'_, PyTuple>>) -> PyResult<String> {
    let mut text = String::with_capacity(48 * rows.len());
    for row in rows {
        for (place, field) in row.iter_borrowed().enumerate() {
            if place > 0 {
                text.push(',');
            }
            if field.is_none() {
                continue;
            }
            if let Ok(word) = field.cast::<PyString>() {
                text.push_str(word.to_str()?);
            } else if let Ok(number) = field.extract::<i64>() {
                let _ = write!(text, "{number}");
            } else {
                text.push_str(field.str()?.to_str()?);
            }
        }
        text.push('\n');
    }
    Ok(text)
}
