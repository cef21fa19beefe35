//! Which free superblock is opened next, and whether cold data must move so that its blocks wear too?

use crate::Blocks;
use engine::RandomStream;
use units::{Nanos, SuperblockId};

/// The information that a policy may use after an erase. All slices are indexed by superblock of this die.
pub struct WearView<'a> {
    /// The superblock just erased.
    pub erased: SuperblockId,
    /// Closed superblocks that could be relocated, in no meaningful but a repeatable order.
    pub candidates: &'a [SuperblockId],
    /// Facts about each superblock.
    pub blocks: Blocks<'a>,
    /// The write clock now: mapping units written to this die so far, by all origins.
    pub clock: u64,
    /// Erases of the die so far.
    pub erases: u64,
    /// Random stream of the wear policy.
    pub random: &'a mut RandomStream,
}

/// Wear of a superblock as the drive can observe it when it erases the superblock.
#[derive(Clone, Copy, Debug)]
pub struct Observed {
    /// Superblock that was erased.
    pub superblock: SuperblockId,
    /// Program/erase cycles of the superblock, this erase included.
    pub pe_cycles: u32,
    /// Duration of the erase that was observed.
    pub erase: Nanos,
    /// Duration of a program of the superblock's first page in the cycle that ends.
    pub program: Nanos,
}

/// Wear levelling, dynamic (choice of the free block) and static (relocation). One instance per die.
pub trait WearPolicy: Send {
    /// The free superblock of the lowest rank is opened next. `erases` counts the die's erases when it
    /// became free, so that returning it gives first freed, first used.
    fn free_rank(&self, superblock: SuperblockId, pe_cycles: u32, erases: u64) -> u64;

    /// Reports that a superblock was erased; called before it is ranked among the free ones.
    fn on_erase(&mut self, _observed: &Observed) {}

    /// False when free superblocks may wait as long as other superblocks can be worn instead.
    fn spreads(&self) -> bool {
        true
    }

    /// The part of the superblocks that the host's data can do without which is left free, so that fewer rotate: 0 to
    /// 0.9. Garbage collection has the less room to gain from.
    fn held_back(&self) -> f64 {
        0.0
    }

    /// True when [`Self::relocate`] may ever choose a superblock: else it is not called.
    fn relocates(&self) -> bool {
        true
    }

    /// Chooses one of the candidates whose data should be moved now, or `None`. Called after each erase.
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
    latency_guided::LatencyGuided,
    none::NoLevelling,
    static_levelling::StaticLevelling,
    wear_out::WearOut,
}
