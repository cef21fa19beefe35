//! Which kept unit does the buffer evict next?
//!
//! A written unit that leaves is programmed; a clean one, whose data the flash holds too, is dropped. With
//! `ftl.buffer.keep_ratio` 0 nothing is kept: written units leave in the order of arrival as dies take them.

mod order;

use super::{Slot, SlotState};
use engine::RandomStream;
pub(crate) use order::Order;
use units::Lpn;

/// Units of a logical block for eviction, where the map does not use blocks.
pub const BLOCK_UNITS: u32 = 64;
const BLOCK_UNITS_HELP: &str =
    "mapping units of a logical block; 0: of a block of the map, 64 where it has none";

/// How the host used a unit that the buffer keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The host read the unit.
    Read,
    /// The host overwrote the unit.
    Write,
}

/// The information that an eviction policy may use.
pub struct EvictionView<'a> {
    /// Every slot of the buffer, by number; only kept ones may be chosen.
    pub slots: &'a [Slot],
    /// Number of buffer slots that are kept now.
    pub kept: u32,
    /// The most units that may be kept.
    pub keep: u32,
}

impl EvictionView<'_> {
    /// Returns the unit that a slot holds.
    #[inline]
    pub fn lpn(&self, slot: u32) -> Lpn {
        self.slots[slot as usize].lpn
    }

    /// True when a slot holds data that the flash does not.
    #[inline]
    pub fn is_dirty(&self, slot: u32) -> bool {
        self.slots[slot as usize].state == SlotState::Held
    }

    /// True when the eviction policy may choose a slot.
    #[inline]
    pub fn is_kept(&self, slot: u32) -> bool {
        matches!(self.slots[slot as usize].state, SlotState::Held | SlotState::Clean)
    }
}

/// The policy that chooses the next unit to leave the buffer. One instance for the drive.
pub trait EvictionPolicy: Send {
    /// Gives a policy that draws at random a random stream of its own. Called before anything else on a drive.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Tells the policy the number of slots, and the units of a block of the map. Called once, before the buffer is
    /// used.
    fn attach(&mut self, slots: u32, block_units: u32);

    /// Reports that a slot is kept from now on: [`SlotState::Held`], with data that the flash does not hold,
    /// or [`SlotState::Clean`].
    fn on_keep(&mut self, slot: u32, lpn: Lpn, state: SlotState);

    /// Reports that the host used a kept slot again.
    fn on_use(&mut self, slot: u32, lpn: Lpn, access: Access);

    /// Reports that a slot is kept no longer: chosen, trimmed, flushed or about to be programmed.
    fn on_leave(&mut self, slot: u32, lpn: Lpn);

    /// Chooses one of the kept slots; none only when there is none.
    fn choose(&mut self, view: &EvictionView<'_>) -> Option<u32>;

    /// True when the policy is a queue that nothing need wait in: unless told otherwise, the buffer keeps nothing.
    fn is_drain(&self) -> bool {
        false
    }

    /// True when a block whose units leave must be written as a whole, including units on flash; a page map ignores
    /// this.
    fn pads(&self) -> bool {
        false
    }

    /// True when a unit should leave although there is room, because the rest of its block is leaving.
    fn is_overdue(&self) -> bool {
        false
    }
}

config::policies! {
    seam: "ftl.buffer.eviction",
    question: "Which kept unit does the buffer evict next?",
    default: "fifo",
    dyn EvictionPolicy;
    block_buffer::BlockBuffer,
    bplru::Bplru,
    cflru::Cflru,
    fifo::Fifo,
    lru::Lru,
}
