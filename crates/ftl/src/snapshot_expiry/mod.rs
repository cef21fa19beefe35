//! Which snapshot of the logical drive is dropped, when there are too many or they have no more room?

use units::SimTime;

/// Reason why a snapshot must be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiryReason {
    /// A snapshot was taken, and there are more than `ftl.snapshots.keep`.
    Count,
    /// A write would overwrite a version that the newest snapshot sees, and there is no room to keep it.
    Room,
}

/// A snapshot that may be dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Droppable {
    /// Number of the snapshot; the first of a drive is 0.
    pub serial: u32,
    /// When the snapshot was taken; the beginning of time for a snapshot from a saved state.
    pub taken: SimTime,
    /// Units that were overwritten or trimmed for the first time between this snapshot and the next one.
    pub differences: u64,
}

/// The information that an expiry policy may use.
pub struct ExpiryView<'a> {
    /// The snapshots that may go, the oldest first: the one just taken is not among them, unless room is needed.
    pub snapshots: &'a [Droppable],
    /// Reason why a snapshot must be dropped.
    pub reason: ExpiryReason,
    /// Present simulated time.
    pub now: SimTime,
    /// The most snapshots that are kept.
    pub keep: u32,
    /// Mapping units kept for snapshots only.
    pub units: u64,
    /// The most units that snapshots may keep.
    pub room: u64,
}

/// The choice of a snapshot to drop. One instance per drive.
pub trait ExpiryPolicy: Send {
    /// Returns the place in `view.snapshots`, which are one or more, of the one to drop. What it alone kept
    /// becomes invalid; what the one before it sees, too, passes to that one.
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
