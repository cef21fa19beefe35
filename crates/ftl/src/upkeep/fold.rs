//! Folding: what lies in superblocks with one bit a cell moves to such with all their bits, in idle time and when the
//! cache has no room left.
//!
//! Folded units go the way of the host's, into its open superblock, under the same conditions as the host's own: so
//! that garbage collection, which paces the host, paces folding.

use crate::Probe;
use crate::media::Media;
use crate::relocate::Customer;
use crate::store::{NONE, Source};
use crate::upkeep::Upkeep;
use crate::upkeep::empty::Route;
use controller::{Context, Origin};
use units::Ppa;

impl Upkeep {
    /// Advances folding of a die's SLC cache (copying its data to superblocks that use all bits per cell). No further
    /// page row is read while a unit that was read has no new place.
    #[cold]
    pub fn fold<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        if self.place_folded(media, die, ctx) {
            self.empty(media, die, Customer::Folding, ctx);
            media.pad_folded(die, ctx);
        }
    }

    /// Adds the units that folding has read from the SLC cache to programs of superblocks with all bits per cell;
    /// returns false when units must wait for a free place.
    pub fn place_folded<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) -> bool {
        while let Some(&(ppa, _)) = media.core.mover(die, Customer::Folding).waiting.front() {
            if media.core.store.map.is_valid(ppa) && !self.place_unit(media, die, ppa, ctx) {
                return false;
            }
            media.core.mover(die, Customer::Folding).waiting.pop_front();
        }
        true
    }

    /// Adds a unit that folding moves from place `ppa` of the SLC cache to the die's open superblock for host data;
    /// returns false if host data could not be written there now.
    pub fn place_unit<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        ppa: Ppa,
        ctx: &mut Context<P>,
    ) -> bool {
        let stream = media.core.assembly.streams.of_host();
        let begun = media.core.store.space.dies[die].frontiers[stream].filled > 0;
        if !begun && !media.may_begin_program(die) {
            return false;
        }
        if !self.open_for_folding(media, die, ctx) {
            return false;
        }
        media.core.collections[die].spend();
        let lpn = media.core.store.map.holder(ppa);
        media.append(die, stream, lpn, Source::new(Origin::Fold, ppa.0), ctx);
        true
    }

    /// Opens a superblock for host data on a die to take units folded from the SLC cache, if none is open. Returns
    /// false if garbage collection filled or closed the new superblock immediately.
    pub fn open_for_folding<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        ctx: &mut Context<P>,
    ) -> bool {
        let stream = media.core.assembly.streams.of_host();
        if media.core.store.space.dies[die].frontiers[stream].superblock == NONE {
            assert!(media.core.open_own(die, stream), "die {die} has room for the host and nothing to open");
            // With one superblock fewer, garbage collection may have to begin.
            self.collect_garbage(media, die, ctx);
        }
        media.core.store.space.dies[die].frontiers[stream].superblock != NONE
    }

    /// Copies page rows of the SLC cache, `first` and the next ones up to a whole program unit, inside the die
    /// (copyback) to the host's open superblock. Returns false if that superblock does not allow it.
    pub fn fold_in_die<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        first: Ppa,
        ctx: &mut Context<P>,
    ) -> bool {
        let (rows, units) = (media.core.store.layout.program_rows, media.core.store.layout.program_units);
        let stream = media.core.assembly.streams.of_host();
        if !self.open_for_folding(media, die, ctx)
            || !media.copy_in_die(die, stream, first, units, Origin::Fold, ctx)
        {
            return false;
        }
        for _ in 0..units {
            media.core.collections[die].spend();
        }
        media.core.pass_rows(die, Customer::Folding, rows - 1);
        media.core.mover(die, Customer::Folding).reading_units -= media.core.store.layout.row_units;
        true
    }
}

impl Media {
    /// Returns true when folding (moving data of the SLC cache to superblocks with all bits per cell) may begin a new
    /// program unit on a die now.
    fn may_begin_program(&self, die: usize) -> bool {
        self.core.has_program_place(die)
            && self.core.has_own_room(die, self.core.assembly.streams.of_host())
            && !self.features.is_hosts_turn(&self.core, die)
    }

    /// Returns the way in which the next page row of the SLC superblock being folded (numbered over the drive) is
    /// moved: inside the die if the chip can do that, all rows of a program unit are valid, and no program unit is
    /// partly filled; over the bus else; or not now.
    pub fn route_of_folding(&self, die: usize, row: u32) -> Route {
        let (mover, layout) = (&self.core.folding[die].mover, &self.core.store.layout);
        let wanted = self.features.wants_folding(&self.core, die)
            && self.core.has_program_place(die)
            && self.core.has_own_room(die, self.core.assembly.streams.of_host());
        if !wanted || mover.reading_rows >= self.core.rules.read_ahead {
            return Route::Wait;
        }
        let (first, units) = (layout.first_of_row(row), layout.program_units);
        let whole = self.features.folds_in_die()
            && mover.next_row + layout.program_rows <= layout.slc_rows
            && (first..first + u64::from(units)).all(|ppa| self.core.store.map.is_valid(Ppa(ppa)));
        let frontier = self.core.store.space.dies[die].frontiers[self.core.assembly.streams.of_host()];
        let begun = frontier.filled + mover.units_in_hand();
        match (whole, begun) {
            (true, 0) if self.may_begin_program(die) => Route::InDie,
            (true, _) if begun.is_multiple_of(units) => Route::Wait,
            _ => Route::Bus,
        }
    }
}
