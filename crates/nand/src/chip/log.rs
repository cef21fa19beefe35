//! What a rig logs of many cycles: what changed, and samples between.

use super::Rig;
use crate::cells::normal::Stream;
use std::collections::BTreeMap;

/// Kind of flash operation, program or erase, that a row of the test rig's log (results of cycling blocks on the bench)
/// records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Case of logged operation: the program of a page.
    Program,
    /// Case of logged operation: the erase of the block.
    Erase,
}

/// Record of one operation in the test rig's log: one program or erase in one cycle of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// Number, within the block, of the page that was programmed; none for an erase.
    pub page: Option<u32>,
    /// Field of a row of the test rig's log: operation that the row records, program or erase.
    pub operation: Operation,
    /// Program/erase cycle of the block in which the operation ran, counted from 1.
    pub cycle: u64,
    /// Busy time of the operation as the rig measured it, ns.
    pub busy_ns: u64,
    /// Number of program or erase pulses of the operation; 0 for a chip simulated by tables.
    pub pulses: u32,
    /// False if the operation that this row of the test rig's log records failed.
    pub ok: bool,
}

/// Record of a stretch of program/erase cycles, beginning with cycle `from`, in which an operation has the same busy
/// time, number of pulses and status in each cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogStretch {
    pub from: u64,
    pub busy_ns: u64,
    pub pulses: u32,
    pub ok: bool,
}

/// Record of the track of one operation that is repeated in every program/erase cycle of a block (the program of the
/// page `page`, or the erase if none): stretches of cycles with equal results.
pub(super) struct Track {
    pub page: Option<u32>,
    pub stretches: Vec<LogStretch>,
}

impl Track {
    /// Returns the first program/erase cycle in which the operation fails; `None` if it does not fail.
    pub fn fails(&self) -> Option<u64> {
        self.stretches.iter().find(|stretch| !stretch.ok).map(|stretch| stretch.from)
    }
}

/// Makes the rows of the test rig's log for all program/erase cycles up to `last`, and returns the rows and the total
/// busy time in nanoseconds. `logged` has, by page number (-1: the erase), the busy time and status in the last cycle
/// logged, and is updated. A cycle in which a program fails has no erase. `noise` is the random stream of the rig's
/// measurement noise.
pub(super) fn log(
    logged: &mut BTreeMap<i64, (u64, bool)>,
    tracks: &[Track],
    last: u64,
    rig: &Rig,
    noise: Stream,
) -> (Vec<LogRow>, u64) {
    let mut rows = Vec::new();
    let mut busy_total = 0;
    let program_fails = tracks.iter().any(|track| track.page.is_some() && track.fails() == Some(last));
    for (order, track) in tracks.iter().enumerate() {
        let end = if track.page.is_none() && program_fails { last - 1 } else { last };
        let operation = if track.page.is_some() { Operation::Program } else { Operation::Erase };
        for (index, stretch) in track.stretches.iter().enumerate().take_while(|(_, s)| s.from <= end) {
            let LogStretch { from, busy_ns, pulses, ok } = *stretch;
            let until = track.stretches.get(index + 1).map_or(end, |next| (next.from - 1).min(end));
            busy_total += busy_ns * (until + 1 - from);
            let key = track.page.map_or(-1, i64::from);
            let known = logged.insert(key, (busy_ns, ok));
            let draws = noise.of(key.cast_unsigned());
            let changed = std::iter::once(from)
                .filter(|_| if rig.is_exact() { known != Some((busy_ns, ok)) } else { !ok });
            let sampled: &mut dyn Iterator<Item = u64> =
                if rig.is_exact() { &mut samples(from, until) } else { &mut rig.logged(from, until) };
            let mut previous = 0;
            for cycle in changed.chain(sampled) {
                if cycle != previous {
                    let busy_ns = rig.measured(busy_ns, draws, cycle);
                    let row = LogRow { page: track.page, operation, cycle, busy_ns, pulses, ok };
                    rows.push((order, row));
                    previous = cycle;
                }
            }
        }
    }
    rows.sort_by_key(|(order, row)| (row.cycle, *order));
    (rows.into_iter().map(|(_, row)| row).collect(), busy_total)
}

/// Returns the busy time of the last erase of a block, in cycle `cycle`, as the test rig measured it, in nanoseconds.
pub(super) fn last_erase(logged: &BTreeMap<i64, (u64, bool)>, cycle: u64, rig: &Rig, noise: Stream) -> u64 {
    let busy_ns = logged.get(&-1).map_or(0, |(busy_ns, _)| *busy_ns);
    rig.measured(busy_ns, noise.of((-1i64).cast_unsigned()), cycle)
}

/// Finds the stretches of program/erase cycles from `first` to `last` in which `at`, a monotone step function of the
/// cycle, returns equal busy time (ns) and pulses. More pulses than `budget` are a failure, which is the last stretch.
pub(super) fn stretches(
    first: u64,
    last: u64,
    budget: u32,
    at: impl Fn(u64) -> (u64, u32),
) -> Vec<LogStretch> {
    let mut found = Vec::new();
    let mut from = first;
    loop {
        let value = at(from);
        let (busy_ns, pulses) = value;
        found.push(LogStretch { from, busy_ns, pulses: pulses.min(budget), ok: pulses <= budget });
        if pulses > budget {
            return found;
        }
        // Gallop to a cycle with another value, then halve the gap.
        let mut stride = 1;
        let mut same = from;
        let mut other = loop {
            let next = same.saturating_add(stride).min(last);
            if next == same {
                return found;
            }
            if at(next) != value {
                break next;
            }
            same = next;
            stride *= 2;
        };
        while other - same > 1 {
            let middle = same + (other - same) / 2;
            if at(middle) == value {
                same = middle;
            } else {
                other = middle;
            }
        }
        from = other;
    }
}

/// Returns those numbers of the series 1, 2, 5, 10, 20, 50 and so on that lie from `from` to `until`: program/erase
/// cycles that a test rig with exact measurements logs in addition to cycles with changes.
fn samples(from: u64, until: u64) -> impl Iterator<Item = u64> {
    let decades = (from.max(1).ilog10()..19).map(|power| 10u64.pow(power));
    decades
        .flat_map(|ten| [1, 2, 5].map(|digit| digit * ten))
        .skip_while(move |cycle| *cycle < from)
        .take_while(move |cycle| *cycle <= until)
}
