//! What the drive's firmware decides: where data goes, which block is reclaimed, what waits in the buffer.
//!
//! Policies answer, the FTL acts: each seam (`gc/victim`, `gc/trigger`, `wear`, `placement`, `regulator`,
//! `buffer/eviction`) is a folder with one question, a narrow trait, a read-only view and one file per answer.
//!
//! - [`Ftl`]: the translation layer of a drive, of one kind of [`mapping`] or another.
//! - [`PageMapped`]: the page-mapped translation layer at work, timed by the controller.
//! - `steady`: the same layer without time, for preconditioning and constructed states.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod agenda;
mod blocks;
pub mod buffer;
pub mod compatibility;
mod contents;
mod core;
pub mod events;
mod features;
pub mod flash_map;
pub mod gc;
mod host_side;
mod lapse;
mod layer;
mod layers;
mod layout;
mod lent;
pub mod mapping;
mod media;
mod needs;
mod output;
mod pages;
pub mod parity;
mod parts;
pub mod placement;
mod probe;
pub mod program_order;
pub mod read_ahead;
pub mod read_merge;
pub mod recovery;
pub mod refresh_order;
pub mod regulator;
mod relocate;
mod saved;
mod settings;
pub mod slc_cache;
pub mod snapshot_expiry;
mod stats;
mod steady;
mod store;
pub mod streams;
mod turnover;
mod upkeep;
pub mod wear;
mod zones;

pub use agenda::UpkeepCounts;
pub use blocks::BlockMapped;

pub use buffer::Coverage;
pub use contents::{Damage, FlashContents, SuperblockFound};
pub use core::{
    Act, CollectionInTime, HandleCounts, HandleState, HandleTotals, ReclaimGroupState, Recovery, Seen,
};
pub use features::costs::{
    CorrectionParts, CostRules, PageForecast, ReadForecast, Reckoned, Regulation, RegulationCounts,
};
pub use features::parity::Stripes;
pub use features::{Listed, snapshots};
pub use lapse::KEY_OF_TESTS;
pub use layers::{BufferView, Ftl, Placing, ZonedLayer};
pub use layout::Layout;
pub use lent::Blocks;
pub use mapping::bank::{BankView, Block, BlockRules, HostWrite, Role, Room, Step};
pub use mapping::zoning::{ZoneRules, ZoneSettings, ZoneTimes, ZoneView, Zoning};
pub use media::Found;
pub use output::{Output, Stages};
pub use pages::{DiesFailed, PageMapped};
pub use probe::{Probe, VersionEvent};
pub use saved::SavedState;
pub use settings::{
    CollectionRules, DestinationRules, FaultRules, FtlConfig, PatrolRules, ReadRules, UpkeepRules,
};
pub use stats::FtlStats;
pub use steady::{
    Filling, GroupMoment, Member, Moment, OpenBlock, RunsAhead, SetMoment, SteadyRule, SteadyWindow, Still,
    UsedBlock, VictimBlock,
};
pub use store::{Beginning, SuperblockState};
pub use turnover::{Mark, Turnover};
pub use zones::{FlashZoneState, ZoneMapped, ZonedTotals};

/// Returns the list of all policies that a drive file can choose, for all decisions of the flash translation layer, the
/// flash controller, the error-correcting code and the flash model; other crates of the simulator add theirs.
pub fn policies() -> Vec<config::PolicyEntry> {
    let seams = [
        controller::arbitration::catalogue(),
        controller::scheduler::catalogue(),
        buffer::eviction::catalogue(),
        ecc::code::catalogue(),
        ecc::flow::catalogue(),
        gc::trigger::catalogue(),
        gc::victim::catalogue(),
        mapping::catalogue(),
        nand::errors::catalogue(),
        parity::catalogue(),
        placement::catalogue(),
        program_order::catalogue(),
        read_ahead::catalogue(),
        read_merge::catalogue(),
        recovery::catalogue(),
        refresh_order::catalogue(),
        regulator::catalogue(),
        slc_cache::catalogue(),
        snapshot_expiry::catalogue(),
        streams::catalogue(),
        wear::catalogue(),
    ];
    seams.into_iter().flatten().collect()
}
