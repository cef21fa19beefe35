//! Of the superblocks of a die that are to be written anew, which is next?
//!
//! A superblock waits because its data grew old, or because a patrol or its reads found too many errors. A die that gets
//! to all of them in time may take any order; the order decides what is lost when it does not.

use crate::Blocks;
use engine::RandomStream;
use units::SuperblockId;

/// Type of the read-only view of a die's superblocks for a policy that orders refreshes. Slices are indexed by
/// superblock of this die, except `due_since_ns`, which has one entry for each entry of `candidates`.
pub struct RefreshView<'a> {
    /// List of the superblocks that wait for their refresh (relocation of all valid data to keep these readable), in
    /// the order in which they fell due.
    pub candidates: &'a [SuperblockId],
    /// For each candidate: simulated time, in ns, at which its refresh fell due.
    pub due_since_ns: &'a [u64],
    /// Field of the view for a refresh order policy: valid units, wear, closing time and stream of each superblock of
    /// the die.
    pub blocks: Blocks<'a>,
    /// Present value of the die's write clock, as a refresh order policy sees it: number of mapping units written to
    /// the die so far, by all origins.
    pub clock: u64,
    /// Present simulated time, in ns, as a refresh order policy sees it.
    pub now_ns: u64,
    /// Field of the view for a refresh order policy: random stream of the die, for policies with random choices.
    pub random: &'a mut RandomStream,
}

/// Interface of the refresh order policies, which choose the order in which a die refreshes superblocks that are due
/// (relocates their data to keep these readable). One instance per die.
pub trait RefreshOrder: Send {
    /// Returns true if the superblock whose refresh fell due first is always refreshed next; [`Self::next`] is then not
    /// called.
    fn is_first_due(&self) -> bool {
        false
    }

    /// Chooses the superblock to refresh next from the candidates, of which there is at least one. The chosen
    /// superblock stops being a candidate, even if it need not or cannot be refreshed now; one that cannot be refreshed
    /// falls due again.
    fn next(&mut self, view: &mut RefreshView<'_>) -> SuperblockId;
}

config::policies! {
    seam: "ftl.refresh.order",
    question: "Of the superblocks to be written anew, which is next?",
    default: "first-due",
    dyn RefreshOrder;
    first_due::FirstDue,
    least_valid::LeastValid,
    most_worn::MostWorn,
}
