//! What a user may ask for when a trace is read.

use super::access::AccessOptions;
use super::format::{FormatCard, TableSpec, formats};
use crate::WorkloadError;
use serde::Deserialize;

/// Kind of mapping, as the user chooses it, of addresses of a trace to addresses of the drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Addresses {
    /// Way to map: addresses of the trace are used as they are if the drive is large enough for them; otherwise as with
    /// `Compact`, and a note says so. A trace whose touched pages do not fit either is an error that names the line and
    /// the other choices.
    #[default]
    Auto,
    /// Way to map: addresses of the trace are taken modulo the drive's capacity in whole 4 KiB pages. A request that
    /// would cross the end of the drive is not divided: it is moved back to the last place in which it fits with the
    /// same offset inside its 4 KiB page.
    Wrap,
    /// Way to map: page numbers (4 KiB) of the trace are scaled down linearly to the drive, and the offset inside the
    /// page is kept; a span that fits is left unchanged. Neighbouring requests may come to overlap.
    Scale,
    /// Way to map: the touched 4 KiB pages of the trace are numbered without gaps in the order of their addresses, so
    /// that sequential requests stay sequential. Needs memory in proportion to the footprint.
    Compact,
}

/// Kind of treatment of a trace's requests whose address or size is no whole number of 512-byte sectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    /// Case of treatment: each request of the trace that does not cover whole sectors is an error that names the line
    /// and the other choices.
    #[default]
    Refuse,
    /// Case of treatment: each request of the trace that does not cover whole sectors is extended to every sector that
    /// it touches: its begin is rounded down, its end up.
    Round,
    /// Case of treatment: all addresses of the trace are moved down by the distance of the first address from the begin
    /// of its sector. An address that is still inside a sector, or a size that is no multiple of a sector, is an error.
    Offset,
}

/// Set of options for reading and replaying a trace: format, selection, order, placement of addresses, and pace.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TraceOptions {
    /// Option: name of the trace's format; `None` to recognise the format by content.
    pub format: Option<String>,
    /// Option: the way in which addresses of the trace are mapped to the drive, for traces with addresses beyond its
    /// end.
    pub addresses: Addresses,
    /// Option with the text of `--columns`: description of the columns of a table that is in none of the known trace
    /// formats.
    pub columns: Option<String>,
    /// Option: name of the trace file in an archive, needed if the archive contains several files.
    pub member: Option<String>,
    /// Option: treatment of the trace's requests whose address or size is no whole number of sectors of 512 bytes.
    pub align: Align,
    /// True if requests are sorted by time however far they are out of order; false if a request that stands more than
    /// 262,144 requests too late is an error in a replay or conversion of a trace of one file.
    pub sort: bool,
    /// Option: number of requests that are sorted in memory at a time; a trace with more requests is sorted with a
    /// temporary file. Counts only where the whole trace is sorted, as with `sort`.
    pub sort_window: usize,
    /// Option: list of the names of the volumes of the trace to be replayed; empty for all volumes.
    pub volumes: Vec<String>,
    /// Option: factor by which the trace is replayed faster than its times say.
    pub speedup: f64,
    /// Option: number of requests to keep in flight, regardless of the times of the trace; none: requests arrive at the
    /// times of the trace.
    pub as_fast_as_possible: Option<u32>,
    /// True if lines that cannot be parsed are skipped and counted; false if reading stops at the first such line.
    pub skip_bad_lines: bool,
    /// True if the footprint of the trace is counted exactly, with memory in proportion to the footprint;
    /// false if it is estimated.
    pub exact_footprint: bool,
    /// Option: settings for counting the reads and writes of every page, with memory in proportion to the footprint;
    /// none: pages are not analysed.
    pub access: Option<AccessOptions>,
    /// Option: action whose events are taken as the requests in a block trace (blkparse, blktrace, ftrace); `None` for
    /// D (issued), or, in a trace without any, Q (queued), else C (completed).
    pub action: Option<String>,
    /// Option: start of the selected time, in nanoseconds after the trace's earliest request: earlier requests are left
    /// out. None: from the first request.
    pub from_ns: Option<u64>,
    /// Option: end of the selected time, in nanoseconds after the trace's earliest request: requests at or after it are
    /// left out. None: to the last request.
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
    /// Checks that each trace option lies in its range and that the options do not contradict each other, as far as
    /// this does not depend on the trace.
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

/// Returns the description of the trace format that is called `name`.
///
/// # Errors
/// When there is no such format; the message suggests the nearest name.
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
