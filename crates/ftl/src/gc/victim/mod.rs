//! Which closed superblock does garbage collection reclaim next?
//!
//! Eligibility is decided before: every candidate is closed and has no program in flight. A policy only
//! chooses. Each die has its own instance, and superblocks are numbered within the die.

mod closing_order;

use crate::Blocks;
use engine::RandomStream;
use units::SuperblockId;

/// The information that a victim policy may use. All slices are indexed by superblock of this die.
pub struct VictimView<'a> {
    /// The superblocks that may be chosen, in no meaningful but a repeatable order.
    pub candidates: &'a [SuperblockId],
    /// Facts about each superblock.
    pub blocks: Blocks<'a>,
    /// The write clock now: mapping units written to this die so far, by all origins.
    pub clock: u64,
    /// Mapping units a superblock holds.
    pub units_per_superblock: u32,
    /// Random stream of the victim policy.
    pub random: &'a mut RandomStream,
}

/// The choice of a victim.
///
/// The notifications keep a policy's own index in step, so that a choice never costs a walk over the die:
/// a superblock is a candidate from `on_close` to `on_reclaim`.
pub trait VictimPolicy: Send {
    /// Tells the policy, once and before anything else, how many superblocks the die has and how many units
    /// each holds.
    fn attach(&mut self, superblocks: u32, units_per_superblock: u32);

    /// Tells the policy that the die stands for one with more superblocks, of which it has the share `part`:
    /// numbers counted in superblocks shrink by that factor.
    fn stand_for(&mut self, _part: f64) {}

    /// Chooses one of the candidates, or `None` when there is none.
    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId>;

    /// Reports that `superblock`, which is about to become a candidate, was filled by this stream. Called
    /// right before [`Self::on_close`].
    fn on_stream(&mut self, _superblock: SuperblockId, _stream: usize) {}

    /// Reports that `superblock` became a candidate, with `valid_units` valid.
    fn on_close(&mut self, _superblock: SuperblockId, _valid_units: u32) {}

    /// Reports that a unit of the candidate `superblock` became invalid; `valid_units` are left.
    fn on_invalidate(&mut self, _superblock: SuperblockId, _valid_units: u32) {}

    /// Returns the candidates in the order in which `on_close` would have to name them for the policy to
    /// choose as it does now; none: in the order in which they were closed. A saved state keeps it.
    fn told(&self) -> Option<Vec<SuperblockId>> {
        None
    }

    /// Returns the policy's further state, for a saved state.
    fn learnt(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Restores the further state from a saved state, after all candidates were named; false when it is not of the form
    /// that [`Self::learnt`] returns.
    fn go_on_with(&mut self, learnt: &[u64]) -> bool {
        learnt.is_empty()
    }

    /// Reports that `superblock` is no longer a candidate: it was picked, here or by wear levelling, or it
    /// failed.
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
