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

/// Between two copies for observers.
const PERIOD: Duration = Duration::from_millis(500);
/// First and last power of two of the classes: times below 2^10 ns share a class, as do times above 2^34 ns (17 s);
/// each octave between has four classes.
const FIRST_BIT: u32 = 10;
const OCTAVES: usize = 24;
const PARTS_BITS: u32 = 2;
const BOUNDS: usize = (OCTAVES << PARTS_BITS) + 1;

/// Histogram of times, in classes of growing width.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeClasses {
    /// Number of times in each class; the last class has no upper bound.
    pub counts: Vec<u64>,
    /// Sum of all times, nanoseconds.
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

/// Returns the class of a time: above the bound of the class before, at most its own bound.
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

/// Returns the upper ends of all classes but the last, in nanoseconds.
fn bounds() -> Vec<u64> {
    let parts = 1u64 << PARTS_BITS;
    let bound = |class: u64| (parts + class % parts) << (u64::from(FIRST_BIT - PARTS_BITS) + class / parts);
    (0..BOUNDS as u64).map(bound).collect()
}

/// Requests of a kind that were done.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MeteredKind {
    /// Number of requests of the kind.
    pub requests: u64,
    /// Bytes that requests of the kind covered.
    pub bytes: u64,
    /// How long each took, in simulated time.
    pub latency: TimeClasses,
}

/// Superblocks with data, by the amount of host writes since their last program.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SuperblockAges {
    /// Up to 1 %, 5 %, 25 %, 100 % of the drive, and more.
    pub superblocks: [u64; 5],
    /// Superblocks last programmed before the server started.
    pub unknown: u64,
}

/// Counts and state of the drive.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DriveNow {
    /// Mapping units that the host wrote, in whole or in part.
    pub units_written: u64,
    /// Bytes of the host's writes.
    pub bytes_written: u64,
    /// Bytes of a mapping unit.
    pub unit_bytes: u64,
    /// Mapping units programmed, by origin.
    pub units_programmed: BTreeMap<&'static str, u64>,
    /// Pages programmed, by origin.
    pub pages_programmed: BTreeMap<&'static str, u64>,
    /// Pages read, by origin.
    pub pages_read: BTreeMap<&'static str, u64>,
    /// Blocks erased, by origin.
    pub blocks_erased: BTreeMap<&'static str, u64>,
    /// Mapping units that the buffer can hold.
    pub buffer_units: u64,
    /// Mapping units that the buffer holds.
    pub buffer_units_used: u64,
    /// Mapping units whose writes were acknowledged and that only the buffer holds.
    pub buffer_units_at_risk: u64,
    /// Program/erase cycles of the blocks: least, mean, most.
    pub pe_cycles: [f64; 3],
    /// Superblocks by state.
    pub superblocks: BTreeMap<&'static str, u64>,
    /// Superblocks by age.
    pub ages: SuperblockAges,
}

/// State of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ServerProgress {
    /// Number of clients that are connected to the live server.
    pub clients: usize,
    /// Memory held for the clients: requests in flight, and answers not sent yet.
    pub client_bytes: u64,
    /// Requests of clients answered.
    pub requests: u64,
    /// Simulated time, in nanoseconds.
    pub simulated_ns: u64,
    /// Requests of clients in flight.
    pub in_flight: u64,
    /// How late answers were; null at full speed.
    pub lateness: Option<Lateness>,
    /// Lateness of answers as a histogram.
    pub late: TimeClasses,
    /// Error message of the disk that holds the image, while that disk is full.
    pub refused: Option<String>,
    /// Why requests are recorded no longer.
    pub record_ended: Option<String>,
    /// Reads of the image that found damage.
    pub damaged_reads: u64,
    /// True if the image was at rest but its saved state was lost, so that the drive began as after a power
    /// cut.
    pub is_without_state: bool,
    /// Requests done, by kind.
    pub done: BTreeMap<&'static str, MeteredKind>,
    /// Requests refused, by error.
    pub refusals: BTreeMap<&'static str, u64>,
    /// Present state of the drive.
    pub drive: DriveNow,
    /// The upper ends of the classes of times.
    pub bounds_ns: Vec<u64>,
}

/// Board on which a server posts its state for observers, and observers their requests to the server.
#[derive(Debug, Default)]
pub struct Board {
    now: Mutex<ServerProgress>,
    ended: AtomicBool,
}

impl Board {
    fn locked(&self) -> MutexGuard<'_, ServerProgress> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state that the server posted last.
    pub fn progress(&self) -> ServerProgress {
        self.locked().clone()
    }

    /// Asks the server to stop serving.
    pub fn stop(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// True when the live server has ended.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Posts the state of the server for observers.
    pub fn leave(&self, progress: ServerProgress) {
        *self.locked() = progress;
    }
}

/// The server's counters.
pub struct Meter {
    /// Requests of clients answered.
    pub answered: u64,
    /// Lateness of answers.
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
    /// Makes a meter of the live server without counts.
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

    /// True when it is time to post the state again.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now >= self.due;
        if is_due {
            self.due = now + PERIOD;
        }
        is_due
    }

    /// Notes that a request was done.
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

    /// Notes that a request was refused.
    pub fn note_refused(&mut self, refusal: Refusal) {
        *self.refusals.entry(refusal.name()).or_default() += 1;
    }

    /// Notes that an answer was so late.
    pub fn note_late(&mut self, late: Duration) {
        self.late.note(late);
        self.late_classes.note(late.as_nanos() as u64);
    }

    /// Returns the state as far as this meter counts it.
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

/// Counts and state of the drive; `ages`: for each superblock, units written since its last program.
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

/// Names of the states, in the order of [`SuperblockState`].
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
