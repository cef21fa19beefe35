//! What the drive's firmware decides: where data goes, which block is reclaimed, what waits in the buffer.
//!
//! Policies answer, the FTL acts: each seam (`gc/victim`, `gc/trigger`, `wear`, `placement`, `regulator`,
//! `buffer/eviction`) is a folder with one question, a narrow trait, a read-only view and one file per answer.
//!
//! - [`Ftl`]: the translation layer of a drive, of one kind of [`mapping`] or another.
//! - [`PageMapped`]: the page-mapped translation layer at work, timed by the controller.
//! - `steady`: the same layer without time, for preconditioning and constructed states.

mod blocks;
pub mod buffer;
mod config_read;
mod demand;
pub mod events;
pub mod gc;
mod layer;
mod layout;
mod map;
pub mod mapping;
mod needs;
mod ordering;
mod output;
mod pages;
pub mod parity;
pub mod placement;
pub mod program_order;
mod programs;
pub mod read_ahead;
pub mod read_merge;
mod read_path;
mod regulation;
pub mod regulator;
mod rewrite;
mod saved;
mod sectors;
pub mod slc_cache;
mod snapshots;
mod space;
mod stats;
mod steady;
mod turnover;
mod upkeep;
mod ways;
pub mod wear;

pub use blocks::{BankView, Block, BlockMapped, BlockRules, HostWrite, Role, Room, Step};
pub use config_read::FtlConfig;
pub use demand::Recovery;
pub use layer::Ftl;
pub use layout::Layout;
pub use output::{Output, Stages};
pub use pages::PageMapped;
pub use regulation::{Regulation, RegulationParts};
pub use saved::SavedState;
pub use sectors::SectorRules;
pub use snapshots::{Seen, Snapshot, SnapshotCounts, SnapshotRules, Snapshots, WhenFull};
pub use space::SuperblockState;
pub use stats::{FtlStats, RegulationCounts};
pub use steady::{Moment, OpenBlock, SteadyRule, SteadyWindow, UsedBlock, VictimBlock};
pub use turnover::{Mark, Turnover};
pub use upkeep::{PatrolRules, UpkeepCounts};

/// Every policy of every seam of this crate and of the controller below it; the crates above add theirs.
pub fn policies() -> Vec<config::PolicyEntry> {
    let seams = [
        controller::arbitration::catalogue(),
        controller::scheduler::catalogue(),
        buffer::eviction::catalogue(),
        ecc::code::catalogue(),
        gc::trigger::catalogue(),
        gc::victim::catalogue(),
        mapping::catalogue(),
        nand::errors::catalogue(),
        parity::catalogue(),
        placement::catalogue(),
        program_order::catalogue(),
        read_ahead::catalogue(),
        read_merge::catalogue(),
        regulator::catalogue(),
        slc_cache::catalogue(),
        wear::catalogue(),
    ];
    seams.into_iter().flatten().collect()
}
