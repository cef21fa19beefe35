//! Snapshots of the logical drive, since the run began.

use crate::sections::sections;
use ftl::Ftl;
use ftl::snapshots::{self, Snapshot};

sections! {
    /// Snapshots of the logical drive, since the run began. A snapshot, or a rollback, takes from its moment until the
    /// map is on flash.
    Snapshots {
        /// Snapshots taken.
        taken: u64 = "snapshots",
        /// Snapshots dropped because more were taken than are kept.
        expired: u64 = "snapshots",
        /// Snapshots dropped because there was no more room for their data.
        dropped_full: u64 = "snapshots",
        /// The snapshots that there are at the end of the run, the oldest first.
        kept: Vec<KeptSnapshot>,
        /// Units kept for snapshots only, at the end of the run.
        units_kept: u64 = "mapping units",
        /// The most units that were kept so at once.
        units_kept_max: u64 = "mapping units",
        /// The most units that may be kept so.
        room_units: u64 = "mapping units",
        /// RAM that the tables of differences take in the drive at the end of the run.
        ram_bytes: u64 = "bytes",
        /// Bytes of the map written to flash.
        map_bytes_written: u64 = "bytes",
        /// Times that the map was written to flash completely.
        checkpoints: u64 = "checkpoints",
        /// Time that a snapshot took.
        t_take_ns: TakeTimes = "ns",
        /// Times that a unit was moved which only snapshots see.
        units_moved: u64 = "mapping units",
        /// Units of the host's writes that were refused for lack of room.
        units_refused: u64 = "mapping units",
        /// Units of trims that were ignored for lack of room.
        trims_ignored: u64 = "mapping units",
        /// Times that the drive went back to a snapshot.
        rollbacks: u64 = "rollbacks",
        /// Times that it should have, without a snapshot to go back to.
        rollbacks_void: u64 = "rollbacks",
        /// Units that rollbacks changed.
        rollback_units: u64 = "mapping units",
        /// Time that a rollback took, on average; null without any.
        t_rollback_ns_mean: Option<f64> = "ns",
    }

    /// Times from the moment of a snapshot until the map is on flash.
    TakeTimes {
        /// The mean; null without snapshots.
        mean: Option<f64>,
        /// The longest; 0 without snapshots.
        max: u64,
    }

    /// One snapshot.
    KeptSnapshot {
        /// Its number, from the first that the drive took.
        serial: u64 = "count",
        /// Its moment in simulated time.
        taken_ns: u64 = "ns",
        /// Units overwritten or trimmed since, until the next snapshot.
        differences: u64 = "mapping units",
        /// Of those, units whose old version is kept for it.
        units_kept: u64 = "mapping units",
    }
}

pub(super) fn snapshots(ftl: &Ftl) -> Option<Snapshots> {
    let snapshots = ftl.feature::<snapshots::Snapshots>()?;
    let counts = snapshots.counts;
    let kept = |snapshot: &Snapshot| KeptSnapshot {
        serial: snapshot.serial.into(),
        taken_ns: snapshot.taken.ns(),
        differences: snapshot.differences(),
        units_kept: snapshot.units_kept(),
    };
    Some(Snapshots {
        taken: counts.taken,
        expired: counts.expired,
        dropped_full: counts.dropped_full,
        kept: snapshots.kept().map(kept).collect(),
        units_kept: snapshots.units_kept(),
        units_kept_max: counts.units_kept_max,
        room_units: snapshots.room(),
        ram_bytes: snapshots.ram_bytes(),
        map_bytes_written: counts.checkpoint_units * ftl.layout().unit.get(),
        checkpoints: counts.checkpoints,
        t_take_ns: TakeTimes { mean: counts.taking.mean_ns(), max: counts.taking.max_ns },
        units_moved: counts.units_moved,
        units_refused: counts.units_refused,
        trims_ignored: counts.trims_ignored,
        rollbacks: counts.rollbacks.done,
        rollbacks_void: counts.rollbacks.void,
        rollback_units: counts.rollbacks.units,
        t_rollback_ns_mean: counts.rollbacks.taking.mean_ns(),
    })
}
