//! Of the superblocks of a die that are to be written anew, which is next?
//!
//! A superblock waits because its data grew old, or because a patrol or its reads found too many errors. A die that gets
//! to all of them in time may take any order; the order decides what is lost when it does not.

use crate::Blocks;
use engine::RandomStream;
use units::SuperblockId;

/// The information that a refresh policy may use. Slices are indexed by superblock of this die, except `due_since_ns`.
pub struct RefreshView<'a> {
    /// The superblocks that wait, the first that fell due first.
    pub candidates: &'a [SuperblockId],
    /// Since when each candidate has been due, in its place: ns of simulated time.
    pub due_since_ns: &'a [u64],
    /// Facts about each superblock.
    pub blocks: Blocks<'a>,
    /// The write clock now: mapping units written to this die so far, by all origins.
    pub clock: u64,
    /// Simulated time, in ns.
    pub now_ns: u64,
    /// Random stream of the die for its policies.
    pub random: &'a mut RandomStream,
}

/// The order in which a die rewrites superblocks that are due. One instance per die.
pub trait RefreshOrder: Send {
    /// True when the superblock that fell due first is always next: then [`Self::next`] is not asked.
    fn is_first_due(&self) -> bool {
        false
    }

    /// Chooses one of the candidates, of which there is at least one. The chosen superblock stops being a candidate,
    /// even if it need not or cannot be rewritten now; one that cannot be rewritten falls due again.
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
