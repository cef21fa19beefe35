//! What every drive has, with or without features: the store, the buffer before it, and the accounts of who may take
//! how much of a die's room.
//!
//! Nothing here knows a feature. A feature that changes what holds here says so by a fact that is kept here (a die's quota,
//! superblocks that are claimed), or is asked at its hook by the layer above.

mod agenda;
mod arriving;
mod asks;
mod assembly;
mod buffering;
mod bursts;
mod collection;
mod commit;
mod finding;
mod folding;
mod found;
mod handles;
mod idle;
mod lookups;
mod lost;
mod moments;
mod ordering;
mod read;
mod reclaim_groups;
mod reclaim_units;
mod room;
mod streams;
mod together;
mod untimed_step;
mod versions;
mod write;

pub(crate) use agenda::Round;
pub(crate) use arriving::{Arriving, Joining};
pub(crate) use asks::Ask;
pub(crate) use assembly::{Assembly, Lane};
pub(crate) use bursts::Turns;
pub(crate) use collection::Collection;
pub use collection::CollectionInTime;
pub(crate) use finding::Finding;
pub(crate) use folding::Folding;
pub use found::Recovery;
pub(crate) use found::ToldOnFlash;
pub(crate) use handles::{ANY_GROUP, Handles};
pub use handles::{HandleCounts, HandleState, HandleTotals, ReclaimGroupState};
pub(crate) use idle::Idle;
pub(crate) use lookups::{Lookup, MapEntry, Waiter};
pub(crate) use lost::LostUnits;
pub use moments::{GroupMoment, Member, Moment, OpenBlock, SetMoment, UsedBlock, VictimBlock};
pub(crate) use moments::{Roles, SetPlan, drawn, shuffle};
pub(crate) use reclaim_groups::crowded_groups;
pub(crate) use reclaim_units::UnitEnd;
pub(crate) use streams::Streams;
pub(crate) use together::{Erased, Members, Remedy, Together, Wish};
pub(crate) use untimed_step::UntimedStep;
pub use versions::{Act, Seen};
pub(crate) use versions::{Overtaken, Version};

use crate::agenda::Agenda;
use crate::buffer::Buffer;
use crate::lapse::Lapses;
use crate::store::Store;
use std::collections::VecDeque;
use units::Nanos;

/// Set of fixed rules of the FTL (flash translation layer) for garbage collection, reserved superblocks and the write
/// cache, from the settings in the drive file.
pub(crate) struct Rules {
    /// Setting: number of page rows of a victim superblock whose reads garbage collection may have in flight on a die
    /// at one time; in merges of a block-mapped drive, number of program units, for each die, that may be planned.
    pub read_ahead: u32,
    /// Setting: true if relocation may move data within a plane by copyback.
    pub copyback: bool,
    /// Number of free superblocks of each die that the host may not use, beside the one for the next garbage collection
    /// victim: for failing blocks, power cuts, superblocks reclaimed together and several streams for moved data, where
    /// garbage collection may take a superblock without gaining a free one.
    pub spare: u32,
    /// Greatest number of free superblocks of a die at which garbage collection can run in the foreground, with or
    /// without host requests.
    pub foreground_limit: u32,
    /// Setting: idle time of a die after which the die programs again the mapping units that a cost regulator queued so
    /// that later reads of them take less time.
    pub rewrite_after: Nanos,
    /// True if superblocks are reclaimed (relocated and erased) in groups with superblocks of other dies, as parity
    /// requires; all superblocks of a group are needed until the whole group is reclaimed.
    pub in_step: bool,
    /// Number of superblocks of each die that always serve another purpose than data (the SLC cache); 0 on a drive that
    /// reclaims superblocks of several dies together, where the superblocks from `apart_from` on are reserved instead.
    pub apart: u32,
    /// Number, within the die, of the first of the last superblocks that are reserved (for the SLC cache) and do not
    /// count as capacity for data; `NONE` if none are reserved.
    pub apart_from: u32,
    /// Field of the FTL's rules: number of logical units that are mapped one by one and ever written, for which garbage
    /// collection keeps room: all of the drive's but those in zones.
    pub mapped_units: u64,
    pub write_back: bool,
    pub power_loss_protection: bool,
    pub lapses: Lapses,
}

/// State of the FTL that every drive has: the flash store with its map, the write buffer, and garbage collection,
/// without the optional features.
pub(crate) struct Core {
    pub store: Store,
    pub buffer: Buffer,
    /// Number of write buffer slots that are reserved for host writes whose data have not arrived yet.
    pub reserved_slots: u32,
    /// Field: state of garbage collection, one entry for each die.
    pub collections: Vec<Collection>,
    /// Field: state of folding (the move of data out of SLC mode), one entry for each die; empty on a drive without
    /// superblocks in SLC mode.
    pub folding: Vec<Folding>,
    pub assembly: Assembly,
    /// Field: state of timer-driven work: refresh, background scrub (patrol), snapshots; `None` on a drive without such
    /// work.
    pub agenda: Option<Box<Agenda>>,
    pub rules: Rules,
    /// The record of the logical units whose data the drive has lost, because their only copy was uncorrectable; kept
    /// in the state of the drive.
    pub lost: LostUnits,
    /// Field: state of the recovery of the map after a power cut; `None` on a drive whose power is never cut.
    pub finding: Option<Box<Finding>>,
    /// Field: turns of garbage collection and the host over the drive, and dies on which collection has new work.
    pub turns: Turns,
    /// Queue of the actions that features have requested and that the FTL has not carried out yet.
    pub asks: VecDeque<Ask>,
    /// Number of bytes that the read about to be submitted transfers over the channel; 0: all bytes of its mapping
    /// units.
    pub read_bytes: u32,
    pub read_only: bool,
    /// Number of superblocks that were erased without simulated time (in preconditioning) since the host last wrote a
    /// mapping unit.
    pub erased_in_a_row: u64,
}
