//! Which free superblock is opened next, and whether cold data must move so that its blocks wear too?

use engine::RandomStream;
use units::SuperblockId;

/// What a policy may know after an erase. All slices are indexed by superblock of this die.
pub struct WearView<'a> {
    /// The superblock just erased.
    pub erased: SuperblockId,
    /// Closed superblocks that could be relocated, in no meaningful but a repeatable order.
    pub candidates: &'a [SuperblockId],
    /// Mapping units still valid in each superblock.
    pub valid_units: &'a [u32],
    /// Program/erase cycles of each superblock.
    pub pe_cycles: &'a [u32],
    /// The write clock when each superblock was closed.
    pub closed_at: &'a [u64],
    /// The write clock now: mapping units written to this die so far, by all origins.
    pub clock: u64,
    /// Erases of this die so far.
    pub erases: u64,
    /// This policy's own random stream.
    pub random: &'a mut RandomStream,
}

/// Wear levelling, dynamic (choice of the free block) and static (relocation). One instance per die.
pub trait WearPolicy: Send {
    /// The free superblock of the lowest rank is opened next. `erases` counts the die's erases when it
    /// became free, so that returning it gives first freed, first used.
    fn free_rank(&self, pe_cycles: u32, erases: u64) -> u64;

    /// True when [`Self::relocate`] may ever choose something: else it need not be asked.
    fn relocates(&self) -> bool {
        true
    }

    /// One of the candidates whose data should move now, or `None`. Called after each erase.
    fn relocate(&mut self, _view: &mut WearView<'_>) -> Option<SuperblockId> {
        None
    }
}

config::policies! {
    seam: "ftl.wear",
    question: "Which free superblock is opened next, and must cold data move?",
    default: "dynamic",
    dyn WearPolicy;
    dynamic::Dynamic,
    none::NoLevelling,
    static_levelling::StaticLevelling,
}
