//! The counts of a served drive, for watchers: a watcher gets the last copy that the server left, so that
//! watching never holds the server up.

use crate::nbd::{Command, Refusal};
use crate::pace::{Late, Lateness};
use controller::Origin;
use ftl::{Ftl, SuperblockState};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use units::{Nanos, SimTime};

/// Constant: real time between two updates of the copy of the server's state that other threads (observers) can read.
const PERIOD: Duration = Duration::from_millis(500);
/// Logarithm to base 2 of the upper bound, in nanoseconds, of the first class of the live server's histograms of times
/// (2^10 ns).
const FIRST_BIT: u32 = 10;
/// Number of octaves of the live server's histograms of times above the first class, up to 2^34 ns (17 s).
const OCTAVES: usize = 24;
/// Logarithm to base 2 of the number of classes per octave (four) of the live server's histograms of times.
const PARTS_BITS: u32 = 2;
/// Number of classes with an upper bound of the live server's histograms of times, followed by one class without.
const BOUNDS: usize = (OCTAVES << PARTS_BITS) + 1;

/// Type of a histogram of times of the live server (latencies or lateness of answers) in nanoseconds, in classes (bins)
/// whose width grows with the time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeClasses {
    /// Number of times in each class (bin) of the histogram; the last class has no upper bound.
    pub counts: Vec<u64>,
    /// Sum of all times in this histogram of the live server, in nanoseconds.
    pub total_ns: u64,
}

impl Default for TimeClasses {
    fn default() -> Self {
        Self { counts: vec![0; BOUNDS + 1], total_ns: 0 }
    }
}

impl TimeClasses {
    fn note(&mut self, ns: u64) {
        self.counts[class_of(ns)] += 1;
        self.total_ns = self.total_ns.saturating_add(ns);
    }
}

/// Returns the index of the histogram class of a time: the first class whose upper bound is not exceeded.
fn class_of(ns: u64) -> usize {
    let Some(within) = ns.checked_sub(1).map(|below| below >> (FIRST_BIT - PARTS_BITS)) else { return 0 };
    let parts = 1 << PARTS_BITS;
    if within < parts {
        return 0;
    }
    let octave = within.ilog2() - PARTS_BITS;
    let part = (within >> octave) - parts;
    (1 + ((u64::from(octave) << PARTS_BITS) + part) as usize).min(BOUNDS)
}

/// Returns the upper bounds, in nanoseconds, of all classes except the last of the live server's histograms of times
/// (latency and lateness of answers).
fn bounds() -> Vec<u64> {
    let parts = 1u64 << PARTS_BITS;
    let bound = |class: u64| (parts + class % parts) << (u64::from(FIRST_BIT - PARTS_BITS) + class / parts);
    (0..BOUNDS as u64).map(bound).collect()
}

/// Record of the statistics of the clients' requests of one kind (read, write, trim or flush) that the server answered
/// with success.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MeteredKind {
    /// Number of requests of the kind (read, write, trim or flush) that were answered with success.
    pub requests: u64,
    /// Sum of the lengths in bytes of the kind's requests (read, write, trim or flush) that were answered with success.
    pub bytes: u64,
    /// Histogram of the latencies, in simulated time, of the answered requests of the kind.
    pub latency: TimeClasses,
}

/// Record of the ages of superblocks with data, as a histogram: the age is the amount of host writes since the last
/// program of the superblock, as a fraction of the drive's logical capacity.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SuperblockAges {
    /// Number of superblocks with data in each of five classes of age (host writes since the superblock's last
    /// program): up to 1 %, 5 %, 25 % and 100 % of the drive's logical capacity, and above.
    pub superblocks: [u64; 5],
    /// Number of superblocks whose last program was before the server started, so that their age is unknown.
    pub unknown: u64,
}

/// Record of the counters and the present state of the simulated drive: host writes, flash operations, write buffer,
/// wear and superblocks.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DriveNow {
    /// Number of mapping units that the host wrote, in whole or in part, on the drive that the live server simulates.
    pub units_written: u64,
    /// Number of bytes that the host wrote on the drive that the live server simulates.
    pub bytes_written: u64,
    /// Size of a mapping unit in bytes.
    pub unit_bytes: u64,
    /// Number of mapping units programmed on the live server's drive, by origin (host, garbage collection, map, ...).
    pub units_programmed: BTreeMap<&'static str, u64>,
    /// Number of pages programmed, by origin (host, garbage collection, map, ...).
    pub pages_programmed: BTreeMap<&'static str, u64>,
    /// Number of pages read, by origin (host, garbage collection, map, ...).
    pub pages_read: BTreeMap<&'static str, u64>,
    /// Number of blocks erased, by origin of the erase (garbage collection, map, ...).
    pub blocks_erased: BTreeMap<&'static str, u64>,
    /// Capacity of the write buffer in mapping units.
    pub buffer_units: u64,
    /// Number of mapping units in the write buffer.
    pub buffer_units_used: u64,
    /// Number of mapping units whose writes were acknowledged and whose data are only in the write buffer.
    pub buffer_units_at_risk: u64,
    /// List of three numbers: the least, mean and greatest number of program/erase cycles of the blocks of the live
    /// server's drive.
    pub pe_cycles: [f64; 3],
    /// Number of superblocks in each state (free, open, closed, ...).
    pub superblocks: BTreeMap<&'static str, u64>,
    /// Ages of the superblocks with data on the live server's drive, as a histogram; the age is measured in host writes
    /// since the superblock's last program.
    pub ages: SuperblockAges,
}

/// Record of the present state of a live server, as other threads (observers, for example for a display) read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ServerProgress {
    /// Present number of clients that are connected to the live server.
    pub clients: usize,
    /// Number of bytes of memory that all clients together occupy, with requests in flight and with answers not sent
    /// yet.
    pub client_bytes: u64,
    /// Number of clients' requests that the drive carried out and the server answered, with success or failure;
    /// requests answered without the drive are not counted.
    pub requests: u64,
    /// Simulated time of the drive, in nanoseconds.
    pub simulated_ns: u64,
    /// Number of requests of the live server's clients that are in flight.
    pub in_flight: u64,
    /// Summary of how late answers were relative to their simulated times; null at full speed.
    pub lateness: Option<Lateness>,
    /// Histogram of the lateness of answers (real time after their simulated times were due).
    pub late: TimeClasses,
    /// Error message of the disk that stores the live server's image, while that disk refuses writes, for example
    /// because it is full; null otherwise.
    pub refused: Option<String>,
    /// Error message with which the recording of requests ended; null while it continues, or if none was requested.
    pub record_ended: Option<String>,
    /// Number of the live server's reads of its image file that found damaged data or failed.
    pub damaged_reads: u64,
    /// True if the last server closed the image but the file with the drive's saved state was lost, so that the drive
    /// started as after a power cut.
    pub is_without_state: bool,
    /// Statistics of the requests answered with success, by kind (read, write, trim, flush).
    pub done: BTreeMap<&'static str, MeteredKind>,
    /// Number of clients' requests answered with an error, by name of the NBD error.
    pub refusals: BTreeMap<&'static str, u64>,
    /// Copy of the counters and the present state of the live server's drive: host writes, flash operations, write
    /// buffer, wear and superblocks.
    pub drive: DriveNow,
    /// List of the upper bounds, in nanoseconds, of the classes of all histograms of times in the live server's state;
    /// the last class of a histogram has none.
    pub bounds_ns: Vec<u64>,
}

/// Type of the board for exchange with other threads (observers): the server stores on it a copy of its state for them
/// to read, and they store on it the request to stop.
#[derive(Debug, Default)]
pub struct Board {
    now: Mutex<ServerProgress>,
    ended: AtomicBool,
}

impl Board {
    fn locked(&self) -> MutexGuard<'_, ServerProgress> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a copy of the server's state as the server last stored it on the board.
    pub fn progress(&self) -> ServerProgress {
        self.locked().clone()
    }

    /// Asks the server to stop serving clients.
    pub fn stop(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Returns true if the server was asked to stop.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Stores the state of the server on the board, from which other threads (observers) read it.
    pub fn leave(&self, progress: ServerProgress) {
        *self.locked() = progress;
    }
}

/// State of the counters of the live server for the state that other threads (observers) read: requests answered and
/// refused, latencies and lateness of answers.
pub struct Meter {
    /// Number of clients' requests that the drive carried out and the server answered, with success or failure.
    pub answered: u64,
    /// Field of the counters: statistics of the lateness of the live server's answers, in real time after their
    /// simulated times were due.
    pub late: Late,
    late_classes: TimeClasses,
    done: [MeteredKind; 4],
    refusals: BTreeMap<&'static str, u64>,
    due: Instant,
}

const READ: usize = 0;
const WRITE: usize = 1;
const TRIM: usize = 2;
const FLUSH: usize = 3;
const KINDS: [&str; 4] = ["read", "write", "trim", "flush"];

impl Meter {
    /// Makes counters of the live server that are all zero.
    pub fn new() -> Self {
        Self {
            answered: 0,
            late: Late::default(),
            late_classes: TimeClasses::default(),
            done: Default::default(),
            refusals: BTreeMap::new(),
            due: Instant::now(),
        }
    }

    /// Returns true if it is time, at the real time `now`, to store the server's state on the board for other threads
    /// (observers); then also sets the time of the next update.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now >= self.due;
        if is_due {
            self.due = now + PERIOD;
        }
        is_due
    }

    /// Counts a client's request of `bytes` bytes that the live server answered with success; `took` is its latency in
    /// simulated time.
    pub fn note_done(&mut self, command: Command, bytes: u64, took: Nanos) {
        let kind = match command {
            Command::Read => READ,
            Command::Write | Command::WriteZeroes => WRITE,
            Command::Trim => TRIM,
            _ => FLUSH,
        };
        let kind = &mut self.done[kind];
        kind.requests += 1;
        kind.bytes += bytes;
        kind.latency.note(took.ns());
    }

    /// Counts a client's request that was answered with this error.
    pub fn note_refused(&mut self, refusal: Refusal) {
        *self.refusals.entry(refusal.name()).or_default() += 1;
    }

    /// Adds the lateness of one answer to a client, in real time, to the live server's statistics; it may be zero.
    pub fn note_late(&mut self, late: Duration) {
        self.late.note(late);
        self.late_classes.note(late.as_nanos() as u64);
    }

    /// Returns a record of the server's state with the numbers that these counters give, at simulated time `now`; all
    /// other fields of the record are zero or empty.
    pub fn progress(&self, now: SimTime) -> ServerProgress {
        ServerProgress {
            requests: self.answered,
            simulated_ns: now.ns(),
            lateness: self.late.summary(),
            late: self.late_classes.clone(),
            done: KINDS.into_iter().zip(self.done.iter().cloned()).collect(),
            refusals: self.refusals.clone(),
            bounds_ns: bounds(),
            ..ServerProgress::default()
        }
    }
}

/// Returns counters and present state of the drive; `ages` gives for each superblock the number of mapping units that
/// the host has written since its last program, none if unknown.
pub fn drive_now(ftl: &Ftl, ages: impl Iterator<Item = Option<u64>>) -> DriveNow {
    let stats = ftl.stats();
    let by_origin = |counts: &[u64; Origin::COUNT]| {
        Origin::ALL.into_iter().map(|origin| (origin.name(), counts[origin as usize])).collect()
    };
    let cycles = ftl.array().pe_cycles_by_block();
    let least = cycles.iter().min().copied().unwrap_or_default();
    let most = cycles.iter().max().copied().unwrap_or_default();
    let sum: u64 = cycles.iter().map(|&cycles| u64::from(cycles)).sum();
    let mut now = DriveNow {
        units_written: stats.units_written,
        bytes_written: stats.bytes_written,
        unit_bytes: ftl.layout().unit.get(),
        units_programmed: by_origin(&stats.units_programmed),
        pages_programmed: by_origin(&stats.pages_programmed),
        pages_read: by_origin(&stats.pages_read),
        blocks_erased: by_origin(&stats.blocks_erased),
        buffer_units: ftl.buffer().units().into(),
        buffer_units_used: (ftl.buffer().units() - ftl.buffer().units_free()).into(),
        buffer_units_at_risk: ftl.buffer().units_at_risk().into(),
        pe_cycles: [least.into(), sum as f64 / cycles.len().max(1) as f64, most.into()],
        superblocks: STATES.into_iter().map(|name| (name, 0)).collect(),
        ages: SuperblockAges::default(),
    };
    let capacity = u64::from(ftl.layout().logical_units);
    for (&state, age) in ftl.superblock_states().iter().zip(ages) {
        *now.superblocks.entry(STATES[state as usize]).or_default() += 1;
        if matches!(state, SuperblockState::Open | SuperblockState::Closed | SuperblockState::Victim) {
            now.ages.add(age, capacity);
        }
    }
    now
}

/// Constant list of the names of the states of a superblock, in the order of [`SuperblockState`].
const STATES: [&str; 7] = ["free", "open", "closed", "victim", "erasing", "lost", "parity"];

impl SuperblockAges {
    fn add(&mut self, age: Option<u64>, capacity: u64) {
        let Some(age) = age else { return self.unknown += 1 };
        let limits = [capacity / 100, capacity / 20, capacity / 4, capacity];
        let class = limits.iter().position(|&limit| age <= limit).unwrap_or(limits.len());
        self.superblocks[class] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_in_the_class_whose_bounds_lie_around_it() {
        let bounds = bounds();
        assert!(bounds.windows(2).all(|two| two[0] < two[1] && two[1] * 4 <= two[0] * 5), "{bounds:?}");
        assert_eq!((bounds[0], bounds[BOUNDS - 1]), (1 << FIRST_BIT, 1 << (FIRST_BIT as usize + OCTAVES)));
        let times = bounds.iter().flat_map(|&bound| [bound - 1, bound, bound + 1]);
        for ns in times.chain([0, 1, u64::MAX]) {
            let class = class_of(ns);
            assert!(class == 0 || bounds[class - 1] < ns, "{ns}: {class}");
            assert!(class == BOUNDS || ns <= bounds[class], "{ns}: {class}");
        }
    }

    #[test]
    fn ages_are_shares_of_the_drive() {
        let mut ages = SuperblockAges::default();
        [Some(0), Some(10), Some(11), Some(250), Some(1000), Some(1001), None]
            .into_iter()
            .for_each(|age| ages.add(age, 1000));
        assert_eq!(ages, SuperblockAges { superblocks: [2, 1, 1, 1, 1], unknown: 1 });
    }

    #[test]
    fn states_are_named_in_their_order() {
        assert_eq!(STATES[SuperblockState::Free as usize], "free");
        assert_eq!(STATES[SuperblockState::Erasing as usize], "erasing");
        assert_eq!(STATES[SuperblockState::Owned as usize], "parity");
    }
}
