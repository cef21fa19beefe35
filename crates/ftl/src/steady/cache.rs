//! The SLC cache of a drive that has long been written without pause: full.
//!
//! Nothing folds while the host leaves no idle time. A cache that the host writes past was filled once; what it got then
//! has been overwritten since. Where the host waits for folding, the cache holds what was written last, the oldest of it
//! half folded. Left out: caches of a drive that is idle now and then; its first pause brings it there.

use crate::media::Media;
use crate::pages::PageMapped;
use crate::store::{Frontier, NONE, SuperblockState};
use controller::Origin;
use engine::RandomStream;
use units::Lpn;

/// Record of the fill levels of the SLC caches of all dies in a constructed drive state, on a drive whose host writes
/// wait for folding (copying SLC data to normal superblocks) when the cache is full.
pub struct Filling {
    /// For each die: number of units written to its newest superblock in SLC mode; the same number of units of the
    /// oldest superblock in SLC mode is folded (copied to normal superblocks).
    last: Vec<u32>,
}

impl PageMapped {
    /// Fills the SLC cache of a constructed drive state with outdated data, and returns `None`, where the host bypasses
    /// a full cache. Where the host waits for folding, fills nothing, and returns how far
    /// [`Self::write_to_cache_untimed`] is to fill each die's cache. On a drive without such a cache, returns `None`
    /// and does nothing.
    pub fn fill_cache_untimed(&mut self, random: &mut RandomStream) -> Option<Filling> {
        let is_written_past = self.media.features.is_written_past()?;
        let (dies, units) =
            (self.media.core.store.layout.dies as usize, self.media.core.store.layout.slc_units());
        if is_written_past {
            for die in 0..dies {
                while self.media.features.may_open_one_bit(&self.media.core, die)
                    && self.media.open_for_host(die, self.media.core.store.space.one_bit_stream)
                {
                    self.media.end_slc_untimed(die, units);
                }
            }
            return None;
        }
        let row = self.media.core.store.layout.row_units;
        let mut part = || random.below(u64::from(units / row)) as u32 * row;
        Some(Filling { last: (0..dies).map(|_| part()).collect() })
    }

    /// Returns the number of mapping units that the host writes to the SLC cache, over all dies, between the write of a
    /// unit and its folding (copying to a normal superblock), where the host waits for folding; 0 elsewhere, or where
    /// the cache grows into free space.
    pub fn units_before_folding(&self) -> u32 {
        let layout = &self.media.core.store.layout;
        self.media.features.superblocks_before_folding().unwrap_or(0) * layout.slc_units() * layout.dies
    }

    /// Writes a unit to the SLC cache of the next die with space for it, without simulated time; returns false when all
    /// caches are filled as far as `filling` says.
    pub fn write_to_cache_untimed(&mut self, filling: &Filling, lpn: Lpn) -> bool {
        let dies = self.media.core.store.layout.dies as usize;
        let row = u64::from(self.media.core.store.layout.row_units);
        let start = (self.media.core.store.stats.units_written / row % dies as u64) as usize;
        let Some(die) = (start..dies).chain(0..start).find(|&die| self.has_cache_untimed(die, filling))
        else {
            return false;
        };
        self.media.features.looks_up_untimed(lpn);
        self.media.put_slc_untimed(die, lpn);
        self.media.core.store.count_written(1);
        self.media.core.store.stats.units_programmed[Origin::Host as usize] += 1;
        true
    }

    /// Checks whether the SLC cache of a die can take another unit; opens a superblock in SLC mode if necessary.
    fn has_cache_untimed(&mut self, die: usize, filling: &Filling) -> bool {
        let space = &self.media.core.store.space.dies[die];
        if space.live >= space.quota {
            return false;
        }
        let frontier = *space.one_bit();
        if frontier.superblock != NONE {
            return self.media.features.may_open_one_bit(&self.media.core, die)
                || frontier.next_unit < filling.last[die];
        }
        self.media.features.may_open_one_bit(&self.media.core, die)
            && (filling.last[die] > 0 || self.media.features.may_open_two(die))
            && self.media.open_for_host(die, self.media.core.store.space.one_bit_stream)
    }

    /// Folds (copies to normal superblocks), without simulated time and on each die, as many units of the oldest SLC
    /// superblock as `filling` gives for the newest SLC superblock of the die.
    pub fn fold_untimed(&mut self, filling: &Filling) {
        for (die, &part) in filling.last.iter().enumerate() {
            let open = self.media.core.store.space.dies[die].one_bit().superblock;
            let oldest = self.media.features.oldest_one_bit(die);
            let (Some(oldest), false) = (oldest, open == NONE || part == 0) else { continue };
            let global = self.media.core.store.space.global(die, oldest);
            let first = self.media.core.store.layout.first_ppa(global as u32);
            let mut done = 0;
            for at in 0..part {
                let place = units::Ppa(first + u64::from(at));
                if self.media.core.store.map.is_valid(place) {
                    let stream = self.media.core.assembly.streams.of_host();
                    if !self.make_room_untimed(die, stream) {
                        break;
                    }
                    let lpn = self.media.core.store.map.holder(place);
                    self.put_on_die_untimed((die, stream), lpn, Origin::Fold);
                }
                done = at + 1;
            }
            let rows = done / self.media.core.store.layout.row_units;
            self.media.features.folds_untimed(&mut self.media.core, die, rows);
        }
    }
}

impl Media {
    /// Closes the open superblock in SLC mode of a die, without simulated time; `units` units of it were written.
    fn end_slc_untimed(&mut self, die: usize, units: u32) {
        let superblock = self.core.store.space.dies[die].one_bit().superblock;
        let global = self.core.store.space.global(die, superblock);
        *self.core.store.space.dies[die].one_bit_mut() = Frontier::CLOSED;
        self.core.store.space.state[global] = SuperblockState::Closed;
        self.core.store.array.restore(global, units / self.core.store.layout.row_units);
        self.features.closes_one_bit(&mut self.core, die, superblock);
    }

    /// Writes a unit to the open SLC superblock of a die without simulated time, and maps the unit to its place there.
    fn put_slc_untimed(&mut self, die: usize, lpn: Lpn) {
        let old = self.core.store.map.lookup(lpn);
        let units = self.core.store.layout.slc_units();
        let space = &mut self.core.store.space.dies[die];
        space.clock += 1;
        space.live += 1;
        let frontier = space.one_bit_mut();
        let global = die as u32 * self.core.store.layout.superblocks_per_die + frontier.superblock;
        let place = units::Ppa(self.core.store.layout.first_ppa(global) + u64::from(frontier.next_unit));
        frontier.next_unit += 1;
        let is_full = frontier.next_unit == units;
        self.core.store.map.assign(place, lpn);
        self.features.changes(lpn);
        self.core.store.map.set(lpn, place);
        self.core.store.space.valid[global as usize] += 1;
        if old != units::Ppa::NONE {
            self.invalidate_host(old);
        }
        self.core.store.emptied.clear();
        if is_full {
            self.end_slc_untimed(die, units);
        }
    }

    /// Pads the open SLC superblock of a die to whole page rows, before simulated time begins.
    pub(super) fn settle_slc(&mut self, die: usize) {
        let frontier = self.core.store.space.dies[die].one_bit_mut();
        if frontier.superblock == NONE {
            return;
        }
        let (superblock, row) = (frontier.superblock, self.core.store.layout.row_units);
        frontier.next_unit = frontier.next_unit.next_multiple_of(row);
        let next_unit = frontier.next_unit;
        let global = self.core.store.space.global(die, superblock);
        if next_unit == self.core.store.layout.slc_units() {
            return self.end_slc_untimed(die, next_unit);
        }
        self.core.store.array.restore(global, next_unit / row);
    }
}
