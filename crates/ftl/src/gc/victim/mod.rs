//! Which closed superblock does garbage collection reclaim next?
//!
//! Eligibility is decided before: every candidate is closed and has no program in flight. A policy only
//! chooses. Each die has its own instance, and superblocks are numbered within the die.

mod closing_order;

use crate::Blocks;
use engine::RandomStream;
use units::SuperblockId;

/// Record of the state of a die that a victim policy is shown. All slices are indexed by superblock number within the
/// die.
pub struct VictimView<'a> {
    /// List of the closed superblocks of the die that may be picked as a victim, in an order that has no meaning and is
    /// the same in each run with the same seed.
    pub candidates: &'a [SuperblockId],
    /// Field: facts about each superblock of the die: valid units, cycles, time of closing, write stream.
    pub blocks: Blocks<'a>,
    /// Present write clock: number of mapping units written to the die so far, by all origins.
    pub clock: u64,
    /// Number of mapping units of a superblock that are for data, without the units of its summary (list of the logical
    /// units in the superblock, for recovery).
    pub units_per_superblock: u32,
    /// Field: random number stream from which the victim policy may draw.
    pub random: &'a mut RandomStream,
}

/// Trait of a victim policy, which picks the closed superblock that garbage collection reclaims next.
///
/// The notifications update a policy's own index, so that a choice never costs a walk over the die: a superblock is a
/// candidate from `on_close` to `on_reclaim`.
pub trait VictimPolicy: Send {
    /// Tells the policy, once and before anything else, the number of superblocks of the die and the number of mapping
    /// units of each.
    fn attach(&mut self, superblocks: u32, units_per_superblock: u32);

    /// Tells the policy that the simulated die has only the fraction `part` of the superblocks of the real die that it
    /// represents (a scaled-down drive): settings counted in superblocks shrink by that factor.
    fn stand_for(&mut self, _part: f64) {}

    /// Picks one of the candidates as the next victim, or `None` when there is none.
    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId>;

    /// Tells the policy that `superblock`, which is about to become a candidate, was filled by write stream number
    /// `stream`. Called right before [`Self::on_close`].
    fn on_stream(&mut self, _superblock: SuperblockId, _stream: usize) {}

    /// Tells the policy that `superblock` became a candidate, with `valid_units` valid mapping units.
    fn on_close(&mut self, _superblock: SuperblockId, _valid_units: u32) {}

    /// Tells the policy that a mapping unit of the candidate `superblock` became invalid; `valid_units` units are still
    /// valid.
    fn on_invalidate(&mut self, _superblock: SuperblockId, _valid_units: u32) {}

    /// Returns the garbage collection candidates in the order in which `on_close` must name them to a new policy when a
    /// saved state is loaded, so that it then chooses the same victims; `None` for a policy that needs only the order
    /// in which they were closed.
    fn told(&self) -> Option<Vec<SuperblockId>> {
        None
    }

    /// Returns the victim policy's internal state other than its candidates, such as the position of a scan, as numbers
    /// for a saved state.
    fn learnt(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Restores the state that [`Self::learnt`] returned, when a saved state is loaded and after all candidates were
    /// named; returns false when the numbers do not have the expected form.
    fn go_on_with(&mut self, learnt: &[u64]) -> bool {
        learnt.is_empty()
    }

    /// Tells the policy that `superblock` is no longer a candidate: it is reclaimed, for garbage collection or another
    /// reason such as wear levelling or refresh, or it failed.
    fn on_reclaim(&mut self, _superblock: SuperblockId) {}
}

config::policies! {
    seam: "ftl.gc.victim",
    question: "Which closed superblock does garbage collection reclaim next?",
    default: "greedy",
    dyn VictimPolicy;
    cost_benefit::CostBenefit,
    d_choices::DChoices,
    fifo::Fifo,
    greedy::Greedy,
    random::Random,
    two_region_fifo::TwoRegionFifo,
    two_region_greedy::TwoRegionGreedy,
    windowed_greedy::WindowedGreedy,
}
