//! What became of a unit's place: it turned invalid, the map changed, a superblock was closed.

use super::Core;
use crate::buffer::{Coverage, SlotState};
use crate::store::SuperblockState;
use crate::store::spare::NOTHING;
use units::{Lpn, Ppa};

impl Core {
    /// Marks the mapping unit at physical address `ppa` as invalid in the map and the counts, and returns the number of
    /// its superblock over the drive.
    #[inline]
    pub fn invalidate(&mut self, ppa: Ppa) -> u32 {
        self.store.map.invalidate(ppa);
        let superblock = self.store.layout.superblock_of(ppa);
        self.store.space.lose_unit(superblock);
        if self.store.space.valid[superblock as usize] == 0
            && self.store.space.state[superblock as usize] == SuperblockState::Victim
        {
            self.store.emptied.push(superblock);
        }
        superblock
    }

    /// Counts, for a host unit that was programmed from a write buffer slot, the bytes of the unit that no host request
    /// carried (fill-up bytes).
    #[inline]
    pub fn note_host_program(&mut self, slot: u32) {
        let unit = self.store.layout.unit.get();
        self.store.stats.bytes_filled_up += unit - self.buffer.carried_bytes(slot, unit);
    }

    /// Allocates a write buffer slot for the data of a host write of `lpn`, and returns the number of the slot.
    #[inline]
    pub fn take_in(&mut self, lpn: Lpn, request: u32, coverage: Coverage) -> u32 {
        let slot = self.buffer.insert(lpn, request, SlotState::Merging);
        let unit_bytes = self.store.layout.unit.get();
        self.buffer.note_carried(slot, coverage, unit_bytes);
        self.assembly.streams.note_arrived(slot, lpn, coverage.bytes(unit_bytes));
        self.stamp(slot);
        slot
    }

    /// Returns true if the version of `lpn` at `ppa` may be needed after a power cut: a newer version is still in the
    /// write buffer, and the version at `ppa` is newer than the version to which the map points.
    pub fn outlasts_cut(&self, lpn: Lpn, ppa: Ppa) -> bool {
        let Some(numbers) = &self.store.spare else { return false };
        self.find_unwritten(lpn).is_some() && numbers.stamps[ppa.index()] > self.stamp_at_home(lpn)
    }

    /// Returns the write number (sequence number in the spare area) of the data at the physical address to which the
    /// map points for a logical unit; `NOTHING` if the unit has no place on flash.
    pub fn stamp_at_home(&self, lpn: Lpn) -> u64 {
        let (numbers, home) = (self.store.spare.as_ref(), self.store.map.lookup(lpn));
        numbers.filter(|_| home != Ppa::NONE).map_or(NOTHING, |numbers| numbers.stamps[home.index()])
    }

    /// Marks `rows` page rows (pages of one index on all planes) of a superblock, from `row` on, as unreadable for
    /// recovery after a power cut.
    pub fn void_rows(&mut self, superblock: u32, row: u32, rows: u32) {
        let layout = &self.store.layout;
        let begin = layout.first_ppa(superblock) + u64::from(row * layout.row_units);
        if let Some(numbers) = &mut self.store.spare {
            numbers.spoil(begin as usize, (rows * layout.row_units) as usize);
        }
    }
}
