//! Copy-on-write snapshots of the logical drive: what it held at a moment, without copying it.
//!
//! A snapshot is a table of differences: for each unit that was overwritten or trimmed for the first time since, where
//! the version lives that the snapshot sees. A unit that no table from the snapshot's own to the newest one names is
//! where the map says. Such versions stay valid on flash, are moved by garbage collection like any other, and turn
//! invalid when the last snapshot that sees them is dropped.
//!
//! A snapshot sees what the drive had received at its moment, in the buffer or on flash. The drive then writes its map
//! to flash, `layout::ENTRY_BYTES` for each unit: a checkpoint, which is what a snapshot costs at once.
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

/// Constant: special entry of a snapshot's difference table, in place of a physical address, for a unit that held no
/// data when the snapshot was taken: never written, or trimmed.
const ABSENT: u64 = Ppa::NONE.0;
/// Constant: special entry of a snapshot's difference table, in place of a physical address, for a version that is
/// still in the write buffer or in flight to flash. No unit has this address: see [`Layout::read`].
const PENDING: u64 = u64::MAX - 1;
/// Constant: special value of a serial number, for no snapshot.
const NONE: u32 = u32::MAX;
/// Constant: number of bytes of controller RAM for one entry of a snapshot's difference table, a logical and a physical
/// number.
const DIFFERENCE_BYTES: u64 = 8;

/// Decodes an entry of a snapshot's difference table into the place of the version that the snapshot sees.
fn seen_at(place: u64) -> Seen {
    match place {
        ABSENT => Seen::Nowhere,
        PENDING => Seen::Buffered,
        ppa => Seen::At(Ppa(ppa)),
    }
}

/// Record of one snapshot of the logical drive.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Serial number of the snapshot; the first snapshot of a drive has number 0.
    pub serial: u32,
    /// Simulated time at which the snapshot was taken.
    pub taken: SimTime,
    /// For each logical unit overwritten or trimmed between this snapshot and the next, the place of the version that
    /// this snapshot sees (the snapshot's difference table).
    old: BTreeMap<u32, u64>,
    /// Write number (sequence number in spare areas) of the last host write before the snapshot was taken; 0 on a drive
    /// whose power is never cut.
    number: u64,
    /// Number of the write buffer's flush epoch (stretch of writes between two flushes or snapshots) that ended when
    /// the snapshot was taken: data of later epochs are newer than the snapshot.
    epoch: u32,
    /// Flag of a snapshot: true if the snapshot is recorded on flash and so survives a power cut.
    recorded: bool,
}

impl Snapshot {
    /// Makes the flash translation layer's record of a snapshot with write number and flush epoch (number of the write
    /// buffer's period between flushes) 0, as for a snapshot older than every write of the run.
    fn new(serial: u32, taken: SimTime, old: BTreeMap<u32, u64>) -> Self {
        Self { serial, taken, old, number: 0, epoch: 0, recorded: false }
    }

    /// Returns the number of entries in the snapshot's difference table (units overwritten or trimmed before the next
    /// snapshot).
    pub fn differences(&self) -> u64 {
        self.old.len() as u64
    }

    /// Returns the number of mapping units with former versions that the snapshot's own difference table names and so
    /// retains. Units that only the tables of other snapshots name do not count.
    pub fn units_kept(&self) -> u64 {
        self.old.values().filter(|place| **place != ABSENT).count() as u64
    }
}

/// Set of counters of snapshots since the drive was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotCounts {
    /// Number of snapshots that were taken.
    pub taken: u64,
    /// Number of snapshots deleted because the drive had more of them than the setting `keep` allows.
    pub expired: u64,
    /// Number of snapshots deleted because the mapping units retained for snapshots reached the limit of spare units
    /// (capacity that nothing else needs).
    pub dropped_full: u64,
    /// Greatest number of mapping units that were retained at one time only because a snapshot refers to them.
    pub units_kept_max: u64,
    /// Number of mapping units of host writes that were refused with an error because the snapshots had used up their
    /// spare units.
    pub units_refused: u64,
    /// Number of mapping units of trims that were ignored because the snapshots had used up their spare units.
    pub trims_ignored: u64,
    /// Number of relocations of mapping units that only snapshots see.
    pub units_moved: u64,
    /// Number of checkpoints of the map that were completed for snapshots and rollbacks.
    pub checkpoints: u64,
    /// Number of map units (mapping units with a page of the map) that were written in checkpoints for snapshots and
    /// rollbacks.
    pub checkpoint_units: u64,
    /// Field of the counters of snapshots: statistics of the times from the taking of a snapshot until its checkpoint
    /// of the map is on flash.
    pub taking: TimesToFlash,
    /// Counters of the rollbacks to a snapshot since the drive was built.
    pub rollbacks: RollbackCounts,
}

/// Set of counters of rollbacks to a snapshot since the drive was built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RollbackCounts {
    /// Number of rollbacks that put the map back to the state of a snapshot; each counts before its checkpoint is on
    /// flash.
    pub done: u64,
    /// Number of rollbacks that had no effect because there was no snapshot to return to.
    pub void: u64,
    /// Number of mapping units whose map entries were changed by rollbacks to a snapshot, summed over all rollbacks.
    pub units: u64,
    /// Field of the counters of rollbacks: statistics of the times from the beginning of a rollback to a snapshot until
    /// its checkpoint of the map is on flash.
    pub taking: TimesToFlash,
}

/// Record of statistics of the times from the taking of a snapshot, or from the beginning of a rollback, until its
/// checkpoint of the map was on flash: number, sum and maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimesToFlash {
    count: u64,
    sum_ns: u64,
    /// Field of the statistics: longest time from the taking of a snapshot, or from the beginning of a rollback, until
    /// its checkpoint of the map was on flash, in ns.
    pub max_ns: u64,
}

impl TimesToFlash {
    fn note(&mut self, ns: u64) {
        self.count += 1;
        self.sum_ns += ns;
        self.max_ns = self.max_ns.max(ns);
    }

    /// Returns the mean time from the taking of a snapshot, or from the beginning of a rollback, until its checkpoint
    /// of the map was on flash, in ns; `None` if no time was measured.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_ns as f64 / self.count as f64)
    }
}

/// State of the snapshots of a drive: their difference tables, the checkpoint of the map in progress, and the rollback
/// in progress.
pub struct Snapshots {
    rules: SnapshotRules,
    expiry: Box<dyn ExpiryPolicy>,
    /// List of the snapshots that exist, the oldest first.
    kept: VecDeque<Snapshot>,
    next_serial: u32,
    /// Bit set with one bit for each physical unit: set if a difference table of a snapshot names that unit.
    named: Vec<u64>,
    /// Counter: present number of mapping units, on flash or in flight to flash, that difference tables of snapshots
    /// name and so retain.
    units: u64,
    /// Limit: greatest number of mapping units that the difference tables of snapshots may name and so retain.
    room: u64,
    /// For each write buffer slot, the serial number of the snapshot whose difference table names the overwritten
    /// version in the slot; `NONE` for a slot without one.
    captured: Vec<u32>,
    checkpoint: Checkpoint,
    /// Serial number of the snapshot to which the drive is rolling back, and the time at which the rollback began;
    /// `None` without a rollback.
    rolling_back: Option<(u32, SimTime)>,
    /// Field: the times still to come at which the drive takes a snapshot, and those at which it rolls back to its
    /// newest one.
    moments: Moments,
    /// Counters of snapshots and rollbacks since the drive was built.
    pub counts: SnapshotCounts,
}

impl Snapshots {
    /// Returns the settings by which the drive takes, retains and rolls back to snapshots.
    pub fn rules(&self) -> &SnapshotRules {
        &self.rules
    }

    /// Returns the snapshots that exist, the oldest first.
    pub fn kept(&self) -> impl ExactSizeIterator<Item = &Snapshot> {
        self.kept.iter()
    }

    /// Returns the number of mapping units, on flash or in flight to flash, that are retained for snapshots.
    pub fn units_kept(&self) -> u64 {
        self.units
    }

    /// Returns the greatest number of mapping units that may be retained for snapshots.
    pub fn room(&self) -> u64 {
        self.room
    }

    /// Returns the number of bytes of controller RAM that snapshots take: their difference tables, and a bit for each
    /// physical unit.
    pub fn ram_bytes(&self) -> u64 {
        let differences: u64 = self.kept.iter().map(Snapshot::differences).sum();
        differences * DIFFERENCE_BYTES + 8 * self.named.len() as u64
    }

    /// Returns true while a checkpoint of the map is in progress, or the drive is rolling back to a snapshot.
    fn is_under_way(&self) -> bool {
        self.checkpoint.is_under_way() || self.is_rolling_back()
    }

    /// Returns true while the drive accepts no host data because it is rolling back to a snapshot.
    fn is_rolling_back(&self) -> bool {
        self.rolling_back.is_some()
    }

    /// Returns true if there is a snapshot and `lpn` has not been overwritten or trimmed since the newest one.
    #[inline]
    fn is_unchanged(&self, lpn: Lpn) -> bool {
        self.kept.back().is_some_and(|newest| !newest.old.contains_key(&lpn.0))
    }

    /// Returns true if the number of mapping units retained for snapshots has reached its limit, so that no further one
    /// may be retained.
    #[inline]
    fn is_full(&self) -> bool {
        self.units >= self.room
    }

    /// Returns true if a difference table of a snapshot names physical unit `ppa`.
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

    /// Enters the version of `lpn` at `place` in the difference table (overwritten versions) of the newest snapshot.
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

    /// Replaces the place `from` of `lpn` by `to` in a difference table (overwritten versions): in the table of
    /// snapshot `serial`, or, with `None`, of any snapshot that names it.
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

    /// Asks the expiry policy which snapshot is deleted next, and returns the snapshot's position in the list; the
    /// newest may be chosen only when snapshots have no more spare units.
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

    /// Returns the difference table entry with the place at which the snapshot at `position` sees `lpn`; `None` if no
    /// table from that snapshot on names the unit, so that its present place counts.
    fn find(&self, position: usize, lpn: Lpn) -> Option<u64> {
        self.kept.range(position..).find_map(|snapshot| snapshot.old.get(&lpn.0).copied())
    }
}
