//! Which kept unit does the buffer evict next?
//!
//! A written unit that leaves is programmed; a clean one, whose data the flash holds too, is dropped. With
//! `ftl.buffer.keep_ratio` 0 nothing is kept: written units leave in the order of arrival as dies take them.

mod order;

use super::{Slot, SlotState};
use engine::RandomStream;
pub(crate) use order::Order;
use units::Lpn;

/// Constant: default number of mapping units of a logical block (aligned range of logical units that an eviction policy
/// treats together), on a drive whose mapping does not use blocks.
pub const BLOCK_UNITS: u32 = 64;
const BLOCK_UNITS_HELP: &str =
    "mapping units of a logical block; 0: of a block of the map, 64 where it has none";

/// Kind of host access, read or write, to a mapping unit that the write buffer caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Case of access: the host read a mapping unit that the write buffer caches.
    Read,
    /// Case of access: the host overwrote a mapping unit that the write buffer caches.
    Write,
}

/// View of the write buffer (slots, number of cached slots, cache limit) that an eviction policy is shown when it
/// chooses the slot to evict.
pub struct EvictionView<'a> {
    /// List of all slots of the write buffer, by number. The policy may choose only cached slots (dirty or clean, and
    /// not queued for programming).
    pub slots: &'a [Slot],
    /// Number of write buffer slots that are cached now: dirty or clean, and not queued for programming.
    pub kept: u32,
    /// Greatest number of write buffer slots that may be cached (dirty or clean) before the policy must evict some.
    pub keep: u32,
}

impl EvictionView<'_> {
    /// Returns the logical unit whose data write buffer slot `slot` holds, for the eviction policy.
    #[inline]
    pub fn lpn(&self, slot: u32) -> Lpn {
        self.slots[slot as usize].lpn
    }

    /// Returns true when the unit in the cached write buffer slot `slot` is dirty: the flash does not hold these data
    /// yet.
    #[inline]
    pub fn is_dirty(&self, slot: u32) -> bool {
        self.slots[slot as usize].state == SlotState::Held
    }

    /// Returns true when the write buffer caches the unit in slot `slot`, dirty or clean, without having queued it for
    /// programming: the eviction policy may then choose the slot.
    #[inline]
    pub fn is_kept(&self, slot: u32) -> bool {
        matches!(self.slots[slot as usize].state, SlotState::Held | SlotState::Clean)
    }
}

/// Trait of a policy that chooses the next unit to evict from the write buffer. The drive has one instance.
pub trait EvictionPolicy: Send {
    /// Gives the policy a random number stream of its own, for policies that draw at random. Called before anything
    /// else on a drive.
    fn take_random(&mut self, _random: RandomStream) {}

    /// Tells the policy the number of buffer slots, and the number of mapping units of a block of the map. Called once,
    /// before the buffer is used.
    fn attach(&mut self, slots: u32, block_units: u32);

    /// Tells the policy that write buffer slot `slot` can be evicted from now on: the buffer caches its unit either
    /// dirty ([`SlotState::Held`], with data that the flash does not hold) or clean ([`SlotState::Clean`]).
    fn on_keep(&mut self, slot: u32, lpn: Lpn, state: SlotState);

    /// Tells the policy that the host read or overwrote the unit in the cached slot `slot`.
    fn on_use(&mut self, slot: u32, lpn: Lpn, access: Access);

    /// Tells the policy that write buffer slot `slot` is no longer cached and must not be chosen: the policy itself
    /// chose it, or its unit was trimmed, flushed or is about to be programmed.
    fn on_leave(&mut self, slot: u32, lpn: Lpn);

    /// Chooses the cached write buffer slot, dirty or clean, that is evicted next, and returns its number; `None` only
    /// when no slot is cached.
    fn choose(&mut self, view: &EvictionView<'_>) -> Option<u32>;

    /// Returns true for a policy that by default caches nothing: written units are queued for programming as they
    /// arrive and leave the write buffer as dies take them, unless the setting `keep_ratio` is given.
    fn is_drain(&self) -> bool {
        false
    }

    /// Returns true when a logical block that is evicted must be programmed as a whole, including units read from flash
    /// (page padding); a page-mapped drive ignores this.
    fn pads(&self) -> bool {
        false
    }

    /// Returns true when a unit must be evicted although the write buffer is within its cache limit: the rest of the
    /// unit's logical block is being evicted, or more logical blocks are cached than the policy allows.
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
