//! Copy-on-write snapshots of the logical drive: what it held at a moment, without copying it.
//!
//! A snapshot is a table of differences: for each unit that was overwritten or trimmed for the first time since, where
//! the version lives that the snapshot sees. A unit that no table from the snapshot's own to the newest one names is
//! where the map says. Such versions stay valid on flash, are moved by garbage collection like any other, and turn
//! invalid when the last snapshot that sees them is dropped.
//!
//! A snapshot sees what the drive had received at its moment, in the buffer or on flash. The drive then writes its map
//! to flash, [`ENTRY_BYTES`](crate::layout::ENTRY_BYTES) for each unit: a checkpoint, which is what a snapshot costs at once.
//!
//! How they survive a power cut: `records`.

mod checkpoint;
mod found;
mod hooked;
mod make;
mod moments;
mod records;
mod rollback;
mod saved;
mod settings;
mod taking;
mod versions;

pub use settings::{SnapshotRules, WhenFull};

use crate::core::Seen;
use crate::snapshot_expiry::{Droppable, ExpiryPolicy, ExpiryReason, ExpiryView};
use checkpoint::Checkpoint;
use moments::Moments;
use std::collections::{BTreeMap, VecDeque};
use units::{Lpn, Ppa, SimTime};

/// The unit was not written, or trimmed, when the snapshot was taken.
const ABSENT: u64 = Ppa::NONE.0;
/// The version is still on its way from the buffer to the flash. No unit has this address: see [`Layout::read`].
const PENDING: u64 = u64::MAX - 1;
/// No snapshot.
const NONE: u32 = u32::MAX;
/// Bytes of controller RAM that one difference takes: logical and physical number.
const DIFFERENCE_BYTES: u64 = 8;

/// Decodes an entry in a table of differences.
fn seen_at(place: u64) -> Seen {
    match place {
        ABSENT => Seen::Nowhere,
        PENDING => Seen::Buffered,
        ppa => Seen::At(Ppa(ppa)),
    }
}

/// One snapshot of the logical drive.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Number of the snapshot; the first of a drive is 0.
    pub serial: u32,
    /// Time at which the snapshot was taken.
    pub taken: SimTime,
    /// By unit: the place of the version that this snapshot was the last to see as the newest.
    old: BTreeMap<u32, u64>,
    /// The number of the last write before the snapshot, and the epoch of the buffer that ended then.
    number: u64,
    /// See `number`.
    epoch: u32,
    /// True if the snapshot is recorded on flash and so survives a power cut.
    recorded: bool,
}

impl Snapshot {
    /// Makes a snapshot that is older than every write of the run: its write number and buffer epoch are 0.
    fn new(serial: u32, taken: SimTime, old: BTreeMap<u32, u64>) -> Self {
        Self { serial, taken, old, number: 0, epoch: 0, recorded: false }
    }

    /// Returns the number of units in the snapshot's table of differences.
    pub fn differences(&self) -> u64 {
        self.old.len() as u64
    }

    /// Returns the number of units kept because of the snapshot's table; units kept for earlier snapshots
    /// come on top.
    pub fn units_kept(&self) -> u64 {
        self.old.values().filter(|place| **place != ABSENT).count() as u64
    }
}

/// What was counted since the drive was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotCounts {
    /// Snapshots that were taken.
    pub taken: u64,
    /// Dropped because more were taken than are kept.
    pub expired: u64,
    /// Dropped because snapshots had no more room.
    pub dropped_full: u64,
    /// The most units kept at once for snapshots only.
    pub units_kept_max: u64,
    /// Units of writes refused for lack of room.
    pub units_refused: u64,
    /// Units of trims ignored for lack of room.
    pub trims_ignored: u64,
    /// Times that a unit which only snapshots see was moved.
    pub units_moved: u64,
    /// Checkpoints of the map that were completed, and their units.
    pub checkpoints: u64,
    /// See `checkpoints`.
    pub checkpoint_units: u64,
    /// Times from the taking of a snapshot until its checkpoint is on flash.
    pub taking: TimesToFlash,
    /// Counts of rollbacks to a snapshot.
    pub rollbacks: RollbackCounts,
}

/// Rollbacks to a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RollbackCounts {
    /// Rollbacks that were completed.
    pub done: u64,
    /// Rollbacks that were due when there was no snapshot.
    pub void: u64,
    /// Units that rollbacks changed.
    pub units: u64,
    /// Times from the beginning of a rollback until its checkpoint is on flash.
    pub taking: TimesToFlash,
}

/// Times until a checkpoint was on flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimesToFlash {
    count: u64,
    sum_ns: u64,
    /// Longest time until a checkpoint was on flash, in ns.
    pub max_ns: u64,
}

impl TimesToFlash {
    fn note(&mut self, ns: u64) {
        self.count += 1;
        self.sum_ns += ns;
        self.max_ns = self.max_ns.max(ns);
    }

    /// Returns the mean time, in ns; none if no time was measured.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }
}

/// The snapshots of a drive.
pub struct Snapshots {
    rules: SnapshotRules,
    expiry: Box<dyn ExpiryPolicy>,
    /// Snapshots that are kept, the oldest first.
    kept: VecDeque<Snapshot>,
    next_serial: u32,
    /// One bit for each physical unit: set when a snapshot's table names that unit.
    named: Vec<u64>,
    /// Number of units that snapshots' tables name, on flash or in flight to flash.
    units: u64,
    /// The most units that tables may name.
    room: u64,
    /// For each buffer slot, the snapshot whose table names the version in the slot.
    captured: Vec<u32>,
    checkpoint: Checkpoint,
    /// The snapshot that the drive is returning to, and since when.
    rolling_back: Option<(u32, SimTime)>,
    /// The times at which snapshots are taken.
    moments: Moments,
    /// Counts of events since the drive was built.
    pub counts: SnapshotCounts,
}

impl Snapshots {
    /// Returns the settings of the snapshots.
    pub fn rules(&self) -> &SnapshotRules {
        &self.rules
    }

    /// Returns the snapshots that are kept, the oldest first.
    pub fn kept(&self) -> impl ExactSizeIterator<Item = &Snapshot> {
        self.kept.iter()
    }

    /// Returns the number of units kept for snapshots, on flash or on their way there.
    pub fn units_kept(&self) -> u64 {
        self.units
    }

    /// Returns the most units that may be kept for snapshots.
    pub fn room(&self) -> u64 {
        self.room
    }

    /// Returns the number of bytes of controller RAM: the tables, and a bit for each physical unit.
    pub fn ram_bytes(&self) -> u64 {
        let differences: u64 = self.kept.iter().map(Snapshot::differences).sum();
        differences * DIFFERENCE_BYTES + 8 * self.named.len() as u64
    }

    /// True while a checkpoint is in progress, or the drive is returning to a snapshot.
    fn is_under_way(&self) -> bool {
        self.checkpoint.is_under_way() || self.is_rolling_back()
    }

    /// True while the drive takes no data because it is returning to a snapshot.
    fn is_rolling_back(&self) -> bool {
        self.rolling_back.is_some()
    }

    /// True when `lpn` was not overwritten since the newest snapshot.
    #[inline]
    fn is_unchanged(&self, lpn: Lpn) -> bool {
        self.kept.back().is_some_and(|newest| !newest.old.contains_key(&lpn.0))
    }

    /// True when no further unit may be kept for snapshots.
    #[inline]
    fn is_full(&self) -> bool {
        self.units >= self.room
    }

    /// True when a snapshot's table names `ppa`.
    #[inline]
    fn has_named(&self, ppa: Ppa) -> bool {
        self.named[ppa.index() / 64] >> (ppa.0 % 64) & 1 == 1
    }

    fn set_named(&mut self, ppa: Ppa) {
        self.named[ppa.index() / 64] |= 1u64 << (ppa.0 % 64);
    }

    fn clear_named(&mut self, ppa: Ppa) {
        self.named[ppa.index() / 64] &= !(1u64 << (ppa.0 % 64));
    }

    /// Lets the newest table name the version of `lpn` at `place` from now on.
    fn capture(&mut self, lpn: Lpn, place: u64) {
        let newest = self.kept.back_mut().expect("only a drive with a snapshot captures");
        newest.old.insert(lpn.0, place);
        if place == ABSENT {
            return;
        }
        self.units += 1;
        self.counts.units_kept_max = self.counts.units_kept_max.max(self.units);
        if place != PENDING {
            self.set_named(Ppa(place));
        }
    }

    /// Lets the table of snapshot `serial`, or of any, that names `lpn` at `from` name the unit at `to`.
    ///
    /// # Panics
    /// When none does: a broken invariant.
    fn rename(&mut self, serial: Option<u32>, lpn: Lpn, from: u64, to: Ppa) {
        let place = self
            .kept
            .iter_mut()
            .filter(|snapshot| serial.is_none_or(|serial| snapshot.serial == serial))
            .filter_map(|snapshot| snapshot.old.get_mut(&lpn.0))
            .find(|place| **place == from)
            .unwrap_or_else(|| panic!("no snapshot names {lpn} at {from}"));
        *place = to.0;
        if from != PENDING {
            self.clear_named(Ppa(from));
        }
        self.set_named(to);
    }

    /// Returns the position of the snapshot to be dropped next; the newest one may be chosen only when room
    /// is needed.
    ///
    /// # Panics
    /// When the policy's answer is none of the choices.
    fn choose_expired(&mut self, reason: ExpiryReason, now: SimTime) -> usize {
        let choices = self.kept.len() - usize::from(reason == ExpiryReason::Count);
        let told = |one: &Snapshot| Droppable {
            serial: one.serial,
            taken: one.taken,
            differences: one.differences(),
        };
        let snapshots: Vec<Droppable> = self.kept.iter().take(choices).map(told).collect();
        let (keep, units, room) = (self.rules.keep, self.units, self.room);
        let view = ExpiryView { snapshots: &snapshots, reason, now, keep, units, room };
        let chosen = self.expiry.expire(&view);
        assert!(chosen < choices, "the expiry policy chose {chosen} of {choices} snapshots");
        chosen
    }

    fn position(&self, serial: u32) -> Option<usize> {
        self.kept.iter().position(|snapshot| snapshot.serial == serial)
    }

    /// Returns where the snapshot at `position` sees `lpn`, if some table names it.
    fn find(&self, position: usize, lpn: Lpn) -> Option<u64> {
        self.kept.range(position..).find_map(|snapshot| snapshot.old.get(&lpn.0).copied())
    }
}
