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
mod room;
mod streams;
mod together;
mod versions;
mod write;

pub(crate) use agenda::Round;
pub(crate) use arriving::{Arriving, Joining};
pub(crate) use asks::Ask;
pub(crate) use assembly::{Assembly, Lane};
pub(crate) use collection::Collection;
pub(crate) use finding::Finding;
pub(crate) use folding::Folding;
pub use found::Recovery;
pub(crate) use found::ToldOnFlash;
pub(crate) use handles::Handles;
pub use handles::{HandleCounts, HandleState, HandleTotals};
pub(crate) use idle::Idle;
pub(crate) use lookups::{Lookup, MapEntry, Waiter};
pub(crate) use lost::LostUnits;
pub use moments::{GroupMoment, Member, Moment, OpenBlock, SetMoment, UsedBlock, VictimBlock};
pub(crate) use moments::{Roles, SetPlan, drawn, shuffle};
pub(crate) use streams::Streams;
pub(crate) use together::{Erased, Members, Remedy, Together, Wish};
pub use versions::{Act, Seen};
pub(crate) use versions::{Overtaken, Version};

use crate::agenda::Agenda;
use crate::buffer::Buffer;
use crate::lapse::Lapses;
use crate::store::Store;
use std::collections::VecDeque;
use units::Nanos;

/// Rules of the drive's file that never change.
pub(crate) struct Rules {
    /// Page rows of a superblock that are read ahead of what is moved.
    pub read_ahead: u32,
    /// True if data may move inside a plane by copyback.
    pub copyback: bool,
    /// Free superblocks kept back from the host beside the one for the next victim: where blocks can fail, a
    /// collection may take a superblock and give none back.
    pub spare: u32,
    /// Free superblocks of a die below which its collection begins, with or without host requests.
    pub foreground_limit: u32,
    /// Idle time of a die after which it rewrites units.
    pub rewrite_after: Nanos,
    /// True if superblocks of a die are reclaimed together with superblocks of other dies, all of which are
    /// needed until then.
    pub in_step: bool,
    /// Superblocks of each die, among the shared ones, that serve another purpose at all times.
    pub apart: u32,
    /// The first superblock of a die that is set apart from the superblocks shared by all data.
    pub apart_from: u32,
    pub write_back: bool,
    pub power_loss_protection: bool,
    pub lapses: Lapses,
}

/// The flash and the buffer before it.
pub(crate) struct Core {
    pub store: Store,
    pub buffer: Buffer,
    /// Slots of the buffer that are promised to writes whose data are still to come.
    pub reserved_slots: u32,
    /// The garbage collection of each die.
    pub collections: Vec<Collection>,
    /// The folding of each die; empty where no superblock is in SLC mode.
    pub folding: Vec<Folding>,
    pub assembly: Assembly,
    /// The timer-driven work, where there is any.
    pub agenda: Option<Box<Agenda>>,
    pub rules: Rules,
    /// Units of the drive whose data are lost.
    pub lost: LostUnits,
    /// How the map is found again, on a drive whose power may be cut.
    pub finding: Option<Box<Finding>>,
    /// Dies with something new to collect.
    pub woken: Vec<usize>,
    /// Actions that features asked for and that were not carried out yet.
    pub asks: VecDeque<Ask>,
    /// Bytes that the read about to be submitted takes over the channel; 0: its whole units.
    pub read_bytes: u32,
    pub read_only: bool,
    /// Superblocks that were erased without time since the host's last unit.
    pub erased_in_a_row: u64,
}
