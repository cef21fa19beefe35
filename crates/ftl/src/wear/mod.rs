//! Which free superblock is opened next, and whether cold data must move so that its blocks wear too?

use crate::Blocks;
use engine::RandomStream;
use units::{Nanos, SuperblockId};

/// Type of the read-only view of a die for a wear levelling policy, after an erase. All slices are indexed by
/// superblock of the die.
pub struct WearView<'a> {
    /// Number, within the die, of the superblock that was just erased.
    pub erased: SuperblockId,
    /// List of the closed superblocks of the die that the wear levelling policy may choose, to have their data
    /// relocated; their order in the list has no meaning, but is the same in each run.
    pub candidates: &'a [SuperblockId],
    /// Field of the view for a wear levelling policy: valid units, wear, closing time and write stream of each
    /// superblock of the die.
    pub blocks: Blocks<'a>,
    /// Present value of the die's write clock: number of mapping units written to the die so far, by all origins.
    pub clock: u64,
    /// Number of erases of the die so far.
    pub erases: u64,
    /// Field of the view for a wear levelling policy: random number stream of the die, for random choices. The victim
    /// policy and the refresh order policy of the die draw from the same stream.
    pub random: &'a mut RandomStream,
}

/// Record of the wear of a superblock, as the drive can observe it when it erases the superblock: cycles, erase time
/// and program time.
#[derive(Clone, Copy, Debug)]
pub struct Observed {
    /// Number, within the die, of the superblock that was erased.
    pub superblock: SuperblockId,
    /// Number of program/erase cycles of the superblock, including this erase.
    pub pe_cycles: u32,
    /// Duration of the erase, as the drive observed it and reports it to the wear levelling policy.
    pub erase: Nanos,
    /// Program time of the superblock's first page at the wear before this erase, as the drive reports it to the wear
    /// levelling policy.
    pub program: Nanos,
}

/// Interface of the wear levelling policies: dynamic wear levelling (choice of the free superblock to open) and static
/// wear levelling (relocation of data). One instance per die.
pub trait WearPolicy: Send {
    /// Returns the rank of a free superblock among the die's free ones: the superblock of the lowest rank is opened
    /// next. `erases` is the die's number of erases when the superblock became free; a policy that returns this number
    /// has superblocks opened in the order in which they became free.
    fn free_rank(&self, superblock: SuperblockId, pe_cycles: u32, erases: u64) -> u64;

    /// Informs the wear levelling policy that a superblock was erased, before the superblock is ranked among the free
    /// ones.
    fn on_erase(&mut self, _observed: &Observed) {}

    /// Returns true if the wear levelling policy spreads wear over all superblocks; false if free superblocks may stay
    /// unused as long as others can be worn instead.
    fn spreads(&self) -> bool {
        true
    }

    /// Returns the fraction (0 to 0.9) of the superblocks not needed for host data that the wear levelling policy
    /// leaves unused, so that writes and wear rotate over fewer superblocks. Garbage collection has less space to work
    /// with.
    fn held_back(&self) -> f64 {
        0.0
    }

    /// Returns true if [`Self::relocate`] can ever choose a superblock: otherwise it is not called.
    fn relocates(&self) -> bool {
        true
    }

    /// Chooses the candidate whose data are to be relocated now to level wear. Returns `None` if no data are to be
    /// relocated. Called after each erase.
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
