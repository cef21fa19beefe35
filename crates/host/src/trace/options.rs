//! What a user may ask for when a trace is read.

use super::access::AccessOptions;
use super::format::{FormatCard, TableSpec, formats};
use crate::WorkloadError;
use serde::Deserialize;

/// Where addresses go on the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Addresses {
    /// As they are where the drive is large enough for them. Else as `Compact` does, which is said; a trace whose
    /// touched pages do not fit either is an error that names the line and the other choices.
    #[default]
    Auto,
    /// The address modulo the drive, in whole 4 KiB pages. A request that would cross the end stays whole:
    /// it is moved back to the last place in which it fits with the same place inside its 4 KiB page.
    Wrap,
    /// Pages of 4 KiB squeezed linearly onto the drive, the place inside the page kept; a span that fits is
    /// left alone. Neighbouring requests may come to overlap.
    Scale,
    /// The touched 4 KiB pages numbered in the order of their addresses: no gaps, sequential stays
    /// sequential. Needs memory in proportion to the footprint.
    Compact,
}

/// What happens to addresses and sizes that are no whole number of sectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    /// An error that names the line and the other choices.
    #[default]
    Refuse,
    /// A request covers every sector that it touches: its begin is rounded down, its end up.
    Round,
    /// All addresses are moved down by as much as the first lies above a sector's begin. Where that leaves one
    /// inside a sector, or a size is none of whole sectors, it is an error.
    Offset,
}

/// How a trace is to be read and replayed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TraceOptions {
    /// Name of the trace's format; `None` to recognise the format by content.
    pub format: Option<String>,
    /// What to do with addresses beyond the drive.
    pub addresses: Addresses,
    /// The columns of a table that is in none of the known formats: see `format/table.rs`.
    pub columns: Option<String>,
    /// Name of the file in the archive, where the archive holds several files.
    pub member: Option<String>,
    /// What to do with addresses inside a sector.
    pub align: Align,
    /// True if requests are put in order of time however far they are out of order; false if only within
    /// `sort_window`.
    pub sort: bool,
    /// Requests sorted in memory: as far as times may go back without `sort`, and with it before temporary files
    /// are used.
    pub sort_window: usize,
    /// Names of the volumes of the trace to be replayed; empty for all volumes.
    pub volumes: Vec<String>,
    /// Factor by which the time of the trace runs faster.
    pub speedup: f64,
    /// Number of requests to keep outstanding, in place of the times of the trace; none: the times of the
    /// trace count.
    pub as_fast_as_possible: Option<u32>,
    /// True if lines that cannot be read are counted and reported; false if reading stops at the first such
    /// line.
    pub skip_bad_lines: bool,
    /// True if the footprint of the trace is counted exactly, with memory in proportion to the footprint;
    /// false if it is estimated.
    pub exact_footprint: bool,
    /// Count the reads and writes of every page, with memory in proportion to the footprint.
    pub access: Option<AccessOptions>,
    /// The action whose events are the requests, for blkparse and blktrace; `None` for D (issued), or, in a trace
    /// without such, Q (queued), else C (completed).
    pub action: Option<String>,
    /// Leave out requests before this time after the trace's earliest request, in nanoseconds.
    pub from_ns: Option<u64>,
    /// Leave out requests at or after this time after the trace's earliest request, in nanoseconds.
    pub until_ns: Option<u64>,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self {
            format: None,
            addresses: Addresses::Auto,
            columns: None,
            member: None,
            align: Align::Refuse,
            sort: false,
            sort_window: 1 << 20,
            volumes: Vec::new(),
            speedup: 1.0,
            as_fast_as_possible: None,
            skip_bad_lines: false,
            exact_footprint: false,
            access: None,
            action: None,
            from_ns: None,
            until_ns: None,
        }
    }
}

impl TraceOptions {
    /// Refuses options that contradict themselves with any trace.
    pub(crate) fn check(&self) -> Result<(), WorkloadError> {
        if !(self.speedup.is_finite() && self.speedup > 0.0) {
            return Err(WorkloadError::of("speedup", self.speedup.to_string(), "a number above 0"));
        }
        if self.as_fast_as_possible == Some(0) {
            return Err(WorkloadError::of("as_fast_as_possible", "depth 0", "a depth of at least 1"));
        }
        if self.sort_window == 0 {
            return Err(WorkloadError::of("sort_window", "0", "at least 1 request"));
        }
        self.columns.as_deref().map_or(Ok(()), |columns| TableSpec::read(columns).map(|_| ()))?;
        self.access.map_or(Ok(()), AccessOptions::check)?;
        let action = self.action.as_deref().unwrap_or("D");
        if action.is_empty() || action.len() > 2 || !action.bytes().all(|b| b.is_ascii_alphabetic()) {
            let expected = "an action of blkparse, such as D (issued), Q (queued) or C (completed)";
            return Err(WorkloadError::of("--action", format!("{action:?}"), expected));
        }
        match (self.from_ns, self.until_ns) {
            (Some(from), Some(until)) if from >= until => Err(WorkloadError::of(
                "--since",
                format!("{from} ns"),
                format!("a time before --until, {until} ns"),
            )),
            _ => Ok(()),
        }
    }
}

/// Returns the card of the format called `name`.
///
/// # Errors
/// When there is none, with the nearest name.
pub fn format_named(name: &str) -> Result<&'static FormatCard, WorkloadError> {
    let names = || formats().iter().map(|card| card.name);
    formats().iter().find(|card| card.name == name).ok_or_else(|| {
        let hint = match config::nearest(name, names()) {
            Some(near) => format!("a trace format; did you mean {near:?}?"),
            None => format!("one of {}", names().collect::<Vec<_>>().join(", ")),
        };
        WorkloadError::of("--trace-format", format!("{name:?} is unknown"), hint)
    })
}
