//! What all that write and read the flash share: the store, what guards it, the buffer before it, and the accounts of who
//! may take how much of a die's room. Whoever moves data, for whatever reason, does it by the functions here and in
//! `relocate`.

mod agenda;
mod assembly;
mod cache;
mod collection;
mod commit;
mod finding;
mod idle;
mod ordering;
mod parity;
mod power;
mod read;
mod room;
mod snapshots;
mod torn;
mod write;

pub(crate) use assembly::Assembly;
pub(crate) use collection::Collection;
pub use finding::Found;
pub(crate) use idle::Idle;

use crate::agenda::Agenda;
use crate::buffer::Buffer;
use crate::guards::Guards;
use crate::lapse::Lapses;
use crate::store::{NONE, Store};
use units::Nanos;

/// What the drive's file says once for all.
pub(crate) struct Rules {
    /// Moved data go where the host's do.
    pub mixed: bool,
    /// Page rows of a superblock that are read ahead of what is moved.
    pub read_ahead: u32,
    /// Data may move inside a plane.
    pub copyback: bool,
    /// Free superblocks kept back from the host beside the one for the next victim: where blocks can fail, a
    /// collection may take a superblock and give none back.
    pub spare: u32,
    /// Free superblocks of a die below which its collection begins whatever the host does.
    pub foreground_limit: u32,
    /// How long a die must have been idle before it writes units anew.
    pub rewrite_after: Nanos,
    pub write_back: bool,
    pub power_loss_protection: bool,
    pub lapses: Lapses,
}

/// The flash, and all that stands between it and those who use it.
pub(crate) struct Media {
    pub store: Store,
    pub guards: Guards,
    pub buffer: Buffer,
    /// Slots of the buffer that are promised to writes whose data are still to come.
    pub reserved_slots: u32,
    /// What each die's collection has in hand.
    pub collections: Vec<Collection>,
    pub assembly: Assembly,
    /// What only the clock brings back, where anything is.
    pub agenda: Option<Box<Agenda>>,
    pub rules: Rules,
    /// Bytes that the read about to be submitted takes over the channel; 0: its units'.
    pub read_bytes: u32,
    pub read_only: bool,
    /// Superblocks that were erased without time since the host's last unit.
    pub erased_in_a_row: u64,
}

impl Media {
    /// The map is still being read: what lies in a superblock is known, and what of it is valid is not.
    #[inline]
    pub fn is_loading(&self) -> bool {
        self.guards.demand.as_ref().is_some_and(|demand| demand.is_loading())
    }

    /// Time begins: reads depend on the wear that each superblock has by now, and a dead die is dead.
    pub fn begin(&mut self) {
        if let Some(regulation) = &mut self.guards.regulation {
            let per_die = self.store.space.per_die as usize;
            let wear = |at: usize| self.store.array.pe_cycles((at / per_die) as u32, (at % per_die) as u32);
            regulation.begin(wear);
        }
        if let Some(stripes) = &mut self.guards.parity {
            stripes.begin();
        }
        self.read_only |= self.guards.failed_die != NONE;
    }

    /// A slot holds a version of the host's that is newer than all before.
    #[inline]
    pub fn stamp(&mut self, slot: u32) {
        if let Some(power) = &mut self.guards.power {
            power.on_buffered(slot);
        }
    }

    /// Buffer slots that the host may not take.
    #[inline]
    fn slots_kept(&self) -> u32 {
        let map = self.guards.demand.as_ref().map_or(0, |demand| demand.slots - demand.used_slots);
        let trims = self.guards.trims.as_ref().map_or(0, |trims| trims.slots - trims.used_slots);
        map + trims + self.guards.snapshots.as_ref().map_or(0, |snapshots| snapshots.slots_kept())
    }

    /// Reserves up to `wanted` buffer slots; gives how many.
    #[inline]
    pub fn reserve(&mut self, wanted: u32) -> u32 {
        if !self.has_slot() {
            return 0;
        }
        let granted = wanted.min(self.buffer.free_slots() - self.reserved_slots - self.slots_kept());
        self.reserved_slots += granted;
        granted
    }

    /// True when [`Self::reserve`] would give something.
    #[inline]
    pub fn has_slot(&self) -> bool {
        self.buffer.free_slots() > self.reserved_slots + self.slots_kept()
            && self.guards.snapshots.as_ref().is_none_or(|snapshots| !snapshots.is_rolling_back())
            && self.guards.sectors.as_ref().is_none_or(|sectors| sectors.has_room())
    }

    /// True while data of a write cross the link: they may share the program of what waits.
    #[inline]
    pub fn expects_data(&self) -> bool {
        self.reserved_slots > 0
    }

    /// Lets units leave when the buffer keeps more than it may.
    #[inline]
    pub fn relieve_buffer(&mut self) {
        self.buffer.relieve(&mut self.store.stats);
    }

    /// Frees a slot that does not hold the newest version of its unit.
    #[inline]
    pub fn release_slot(&mut self, slot: u32) {
        self.buffer.release(slot);
        self.release_sectors(slot);
    }

    /// A slot holds nothing any more that the flash lacks.
    #[inline]
    pub fn release_sectors(&mut self, slot: u32) {
        if let Some(sectors) = &mut self.guards.sectors {
            sectors.release(slot);
        }
    }

    /// True while the buffer holds data that is not on flash.
    pub fn is_draining(&self) -> bool {
        self.buffer.dirty_slots() > 0
            || self.guards.demand.as_ref().is_some_and(|demand| demand.tasks.are_any())
            || self.guards.snapshots.as_ref().is_some_and(|snapshots| snapshots.is_busy())
    }

    /// Bytes of state.
    pub fn bytes(&self) -> usize {
        let agenda = self.agenda.as_ref().map_or(0, |agenda| agenda.bytes());
        self.store.bytes() + self.guards.bytes() + self.buffer.bytes() + agenda
    }

    /// The stream that moved data goes to.
    #[inline]
    pub fn moving_stream(&self) -> usize {
        usize::from(!self.rules.mixed)
    }
}
