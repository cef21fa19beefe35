//! Which snapshot of the logical drive is dropped, when there are too many or they have no more room?

use units::SimTime;

/// Kind of reason why a snapshot of the logical drive must be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiryReason {
    /// Case: reason is that a snapshot was taken, so that there are now more snapshots than `ftl.snapshots.keep`.
    Count,
    /// Case: reason is that snapshots may retain no more mapping units, and a write or trim would replace a version
    /// that the newest snapshot sees; or that failed blocks have left less space for snapshots than they retain.
    Room,
}

/// Record of a snapshot of the logical drive that may be dropped: serial number, time, and number of units changed
/// before the next snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Droppable {
    /// Serial number of the snapshot; the first snapshot of a drive is 0.
    pub serial: u32,
    /// Simulated time when the snapshot was taken; the beginning of time for a snapshot from a saved state.
    pub taken: SimTime,
    /// Number of units that were overwritten or trimmed for the first time between this snapshot and the next one.
    pub differences: u64,
}

/// Type of the read-only view of the snapshots for a policy that chooses which one is dropped.
pub struct ExpiryView<'a> {
    /// List of the snapshots that may be dropped, the oldest first. The snapshot just taken is not among them, unless
    /// space is lacking.
    pub snapshots: &'a [Droppable],
    /// Field of the view for a snapshot expiry policy: reason why a snapshot must be dropped now.
    pub reason: ExpiryReason,
    /// Present simulated time, to compare with the times when snapshots were taken.
    pub now: SimTime,
    /// Greatest number of snapshots that the drive keeps (`ftl.snapshots.keep`).
    pub keep: u32,
    /// Number of mapping units on flash that are kept valid only because snapshots see them.
    pub units: u64,
    /// Greatest number of mapping units on flash that may be kept valid only because snapshots see them.
    pub room: u64,
}

/// Interface of the snapshot expiry policies, which choose the snapshot to be dropped when there are too many or the
/// drive has no free space for them. One instance per drive.
pub trait ExpiryPolicy: Send {
    /// Chooses the snapshot to drop, as an index in `view.snapshots`, which is never empty. Versions that only this
    /// snapshot sees become invalid; versions that the snapshot before it sees, too, are kept for that one.
    fn expire(&mut self, view: &ExpiryView<'_>) -> usize;
}

config::policies! {
    seam: "ftl.snapshots.expiry",
    question: "Which snapshot is dropped, when there are too many or they have no more room?",
    default: "oldest",
    dyn ExpiryPolicy;
    oldest::Oldest,
    thinned::Thinned,
}
