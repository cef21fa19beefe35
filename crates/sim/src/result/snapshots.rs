//! Snapshots of the logical drive, since the run began.

use crate::sections::sections;
use ftl::Ftl;
use ftl::snapshots::{self, Snapshot};

sections! {
    /// Results on snapshots of the logical drive, since the run began. The time of a snapshot, or of a rollback, runs
    /// from its moment until the logical-to-physical map is on flash.
    Snapshots {
        /// Number of snapshots of the logical drive that were taken during the run.
        taken: u64 = "snapshots",
        /// Number of snapshots dropped during the run because more were taken than the drive may keep at one time.
        expired: u64 = "snapshots",
        /// Number of snapshots dropped during the run because there was no more space on flash for their data.
        dropped_full: u64 = "snapshots",
        /// List of the snapshots that exist at the end of the run, the oldest first.
        kept: Vec<KeptSnapshot>,
        /// Number of mapping units of old data that stay on flash at the end of the run only because a snapshot refers
        /// to them.
        units_kept: u64 = "mapping units",
        /// Greatest number of mapping units that were kept on flash at one time only because a snapshot refers to them.
        units_kept_max: u64 = "mapping units",
        /// Limit, given in the result, on the space of snapshots in the drive of this run: greatest number of mapping
        /// units that may stay on flash only because snapshots refer to them.
        room_units: u64 = "mapping units",
        /// Number of bytes of RAM that the snapshots' tables of differences take in the drive at the end of the run.
        ram_bytes: u64 = "bytes",
        /// Number of bytes of the logical-to-physical map that the run wrote to flash for snapshots and rollbacks.
        map_bytes_written: u64 = "bytes",
        /// Number of checkpoints for snapshots and rollbacks: times that the logical-to-physical map was written to
        /// flash completely.
        checkpoints: u64 = "checkpoints",
        /// Mean and longest time in nanoseconds, in the result, from the moment of a snapshot until the snapshot was
        /// complete.
        t_take_ns: TakeTimes = "ns",
        /// Number of times that the run moved a mapping unit to which only snapshots refer.
        units_moved: u64 = "mapping units",
        /// Number of mapping units of the host's writes that were refused for lack of space, because old data that
        /// snapshots refer to fill the space.
        units_refused: u64 = "mapping units",
        /// Number of mapping units of the host's trims that were ignored for lack of space, because old data that
        /// snapshots refer to fill the space.
        trims_ignored: u64 = "mapping units",
        /// Number of times that the drive was rolled back to a snapshot.
        rollbacks: u64 = "rollbacks",
        /// Number of rollbacks to a snapshot that were due but found no snapshot to go back to.
        rollbacks_void: u64 = "rollbacks",
        /// Number of mapping units whose entry in the logical-to-physical map was changed by a rollback of the drive to
        /// a snapshot, over all rollbacks.
        rollback_units: u64 = "mapping units",
        /// Mean time in nanoseconds from the moment of a rollback until the logical-to-physical map was on flash; null
        /// without rollbacks.
        t_rollback_ns_mean: Option<f64> = "ns",
    }

    /// Mean and longest times in nanoseconds from the moment of a snapshot until the logical-to-physical map is on
    /// flash.
    TakeTimes {
        /// Mean time in nanoseconds from the moment of a snapshot until the logical-to-physical map was on flash; null
        /// without snapshots.
        mean: Option<f64>,
        /// Longest time in nanoseconds from the moment of a snapshot of the logical drive until the logical-to-physical
        /// map was on flash; 0 without snapshots.
        max: u64,
    }

    /// Record, in the result, of one of the snapshots that exist at the end of the run.
    KeptSnapshot {
        /// Serial number, in the result, of the snapshot, counted from the first that the drive took.
        serial: u64 = "count",
        /// Simulated time in nanoseconds, in the result, at which the snapshot was taken.
        taken_ns: u64 = "ns",
        /// Number of mapping units written or trimmed after the snapshot and before the next one, each counted once:
        /// number of entries in the difference table of the snapshot.
        differences: u64 = "mapping units",
        /// Number of mapping units overwritten or trimmed between this snapshot and the next whose old version the
        /// drive retains, because the snapshot's difference table names the version. Units that held no data when the
        /// snapshot was taken do not count.
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
