//! Folding: what lies in superblocks with one bit a cell moves to such with all their bits, in idle time and when the
//! cache has no room left.
//!
//! Folded units go the way of the host's, into its open superblock, under the same conditions as the host's own: so
//! that garbage collection, which paces the host, paces folding.

use crate::events;
use crate::media::Media;
use crate::slc_cache::WhenFull;
use crate::store::{HOST, NONE, SLC, Source, SuperblockState};
use crate::upkeep::Upkeep;
use controller::{Class, Context, Kind, Origin, Probe, Transaction};
use engine::{Calendar, Event};
use units::Ppa;

/// Superblocks that are read completely, or are being erased, when no further one is taken: one whose data are being
/// written and one that is being erased keep the die busy.
const RETURNING_MAX: u32 = 2;

/// How rows get out of a superblock with one bit a cell.
pub(crate) enum Way {
    Bus,
    InDie,
    Wait,
}

impl Upkeep {
    /// Lets the die's folding go on.
    #[cold]
    pub(crate) fn fold<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        loop {
            if !self.place_folded(media, die, ctx) {
                return;
            }
            let Some(cache) = &media.guards.slc_cache else { return };
            if cache.dies[die].victim == NONE && !self.take_folded(media, die) {
                break;
            }
            if !self.read_folded(media, die, ctx) {
                return;
            }
        }
        media.pad_folded(die, ctx);
    }

    /// True when the die should fold: it is idle, a program failed, or the host has no room without it.
    pub(crate) fn wants_folding(&self, media: &Media, die: usize) -> bool {
        let Some(cache) = &media.guards.slc_cache else { return false };
        let of = &cache.dies[die];
        of.background
            || of.failed > 0
            || self.is_crowded(media, die)
            || (cache.when_full == WhenFull::FoldFirst && !media.may_open_slc(die))
    }

    /// True when data need the superblocks that the cache has beyond its own, those that are on their way back apart.
    pub(crate) fn is_crowded(&self, media: &Media, die: usize) -> bool {
        let Some(cache) = &media.guards.slc_cache else { return false };
        let kept = cache.dies[die].superblocks - cache.dies[die].returning();
        kept > cache.reserved
            && media.store.space.dies[die].live + media.store.layout.program_units
                > media.quota_beside(die, kept)
    }

    /// True when data wait that the host may write here, having earned it: else folding, which is told first that a
    /// program is done, would take every place until its superblock is folded.
    pub(crate) fn is_hosts_turn(&self, media: &Media, die: usize) -> bool {
        let Some(cache) = &media.guards.slc_cache else { return false };
        let of = &cache.dies[die];
        !of.background
            && of.failed == 0
            && media.buffer.first_queued().is_some()
            && media.is_within_quota(die)
            && media.has_slc_room(die)
    }

    /// Gives places to the units that were read; false when some have to wait.
    pub(crate) fn place_folded<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        ctx: &mut Context<P>,
    ) -> bool {
        loop {
            let Some(&ppa) = media.guards.slc_cache.as_ref().and_then(|cache| cache.dies[die].read.front())
            else {
                return true;
            };
            if media.store.map.is_valid(ppa) && !self.place_unit(media, die, ppa, ctx) {
                return false;
            }
            if let Some(cache) = &mut media.guards.slc_cache {
                cache.dies[die].read.pop_front();
            }
        }
    }

    /// Puts a unit into the host's open superblock, if the host could write there.
    pub(crate) fn place_unit<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        ppa: Ppa,
        ctx: &mut Context<P>,
    ) -> bool {
        let begun = media.store.space.dies[die].frontiers[HOST].filled > 0;
        if !begun && !self.may_begin_program(media, die) {
            return false;
        }
        if !self.open_for_folding(media, die, ctx) {
            return false;
        }
        media.movers[die].spend();
        let lpn = media.store.map.holder(ppa);
        media.append(die, HOST, lpn, Source::new(Origin::Fold, ppa.0), ctx);
        true
    }

    pub(crate) fn may_begin_program(&self, media: &Media, die: usize) -> bool {
        media.has_program_place(die) && media.has_own_room(die) && !self.is_hosts_turn(media, die)
    }

    /// Opens the superblock that takes what is folded, where none is open; false when a group that dies reclaim together
    /// took it along at once.
    pub(crate) fn open_for_folding<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        ctx: &mut Context<P>,
    ) -> bool {
        if media.store.space.dies[die].frontiers[HOST].superblock == NONE {
            assert!(media.open_own(die, HOST), "die {die} has room for the host and nothing to open");
            // With one superblock fewer, garbage collection may have to begin.
            self.collect_garbage(media, die, ctx);
        }
        media.store.space.dies[die].frontiers[HOST].superblock != NONE
    }

    /// How the next row of the victim goes: without the bus, if the chip can do that and so many rows as fill a program
    /// unit are valid, and once what came over the bus has filled program units of its own.
    pub(crate) fn way_of(&self, media: &Media, die: usize) -> Way {
        let Some(cache) = &media.guards.slc_cache else { return Way::Bus };
        let of = &cache.dies[die];
        let units = media.store.layout.program_units;
        let global = media.store.space.global(die, of.victim) as u32;
        let first = media.store.layout.first_ppa(global) + of.next_row * media.store.layout.row_units;
        let whole = cache.in_die
            && of.next_row + media.store.layout.program_rows <= media.store.layout.slc_rows
            && (first..first + units).all(|ppa| media.store.map.is_valid(Ppa(ppa)));
        let begun =
            media.store.space.dies[die].frontiers[HOST].filled + of.read.len() as u32 + of.reading_units;
        match (whole, begun) {
            (true, 0) => Way::InDie,
            (true, _) if begun.is_multiple_of(units) => Way::Wait,
            _ => Way::Bus,
        }
    }

    /// Moves the next rows of the victim to a whole program unit without the bus, if the superblock that takes them
    /// lies in the same planes. Like any copyback, the data do not pass the ECC; after a failed program they count as
    /// read.
    pub(crate) fn fold_in_die<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        ctx: &mut Context<P>,
    ) -> bool {
        let Some(cache) = &media.guards.slc_cache else { return false };
        let (victim, row) = (cache.dies[die].victim, cache.dies[die].next_row);
        let (rows, units) = (media.store.layout.program_rows, media.store.layout.program_units);
        let first = media.store.layout.first_ppa(media.store.space.global(die, victim) as u32)
            + row * media.store.layout.row_units;
        if !self.open_for_folding(media, die, ctx) {
            return false;
        }
        let target = media.store.space.dies[die].frontiers[HOST].superblock;
        if media.store.array.plane_of(die as u32, victim) != media.store.array.plane_of(die as u32, target) {
            return false;
        }
        let frontier = &mut media.store.space.dies[die].frontiers[HOST];
        frontier.slot = media.store.programs.take_slot();
        let (slot, from) = (frontier.slot, frontier.next_unit);
        frontier.next_unit += units;
        media.store.space.dies[die].clock += u64::from(units);
        let global = media.store.space.global(die, target) as u32;
        let to = media.store.layout.first_ppa(global) + from;
        for unit in 0..units {
            media.movers[die].spend();
            media.store.programs.set(slot, unit, Source::new(Origin::Fold, first + unit));
            let lpn = media.store.map.holder(Ppa(first + unit));
            if media.guards.regulation.is_some() {
                media.choose_cost(die, HOST, global, lpn, Origin::Fold, ctx.calendar.now());
            }
            media.store.map.assign(Ppa(to + unit), lpn);
        }
        media.issue_program(die, HOST, Kind::Copyback, ctx);
        let Some(cache) = &mut media.guards.slc_cache else { return true };
        cache.dies[die].next_row += rows;
        cache.dies[die].reading_rows += 1;
        cache.earn(die, rows, &media.store.layout);
        true
    }

    /// Takes the next superblock to be folded, if that is wanted.
    pub(crate) fn take_folded(&mut self, media: &mut Media, die: usize) -> bool {
        if !self.wants_folding(media, die) {
            return false;
        }
        self.close_open_slc(media, die);
        let Some(cache) = &mut media.guards.slc_cache else { return false };
        let of = &mut cache.dies[die];
        if of.returning() >= RETURNING_MAX {
            return false;
        }
        let Some(superblock) = of.waiting.pop_front() else { return false };
        (of.victim, of.next_row, of.credit) = (superblock, 0, 0);
        let global = media.store.space.global(die, superblock);
        of.failed -= u32::from(media.store.space.failing[global]);
        media.store.space.state[global] = SuperblockState::Victim;
        media.store.stats.slc_superblocks_folded += 1;
        media.store.stats.slc_units_folded += u64::from(media.store.space.valid[global]);
        true
    }

    /// Where the cache must give superblocks back and only the open one is left, that one ends early.
    pub(crate) fn close_open_slc(&mut self, media: &mut Media, die: usize) {
        let Some(cache) = &media.guards.slc_cache else { return };
        let frontier = &media.store.space.dies[die].frontiers[SLC];
        let superblock = frontier.superblock;
        let last = cache.dies[die].waiting.is_empty() && superblock != NONE && frontier.filled == 0;
        if !last || !self.is_crowded(media, die) {
            return;
        }
        let global = media.store.space.global(die, superblock);
        media.store.space.dies[die].frontiers[SLC].superblock = NONE;
        media.store.space.state[global] = SuperblockState::Closed;
        if media.store.space.in_flight[global] == 0 {
            media.close_slc(die, superblock);
        }
    }

    /// Keeps page rows of the victim under way; true when all of it is read.
    pub(crate) fn read_folded<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        ctx: &mut Context<P>,
    ) -> bool {
        let rows = media.store.layout.slc_rows;
        loop {
            let wanted =
                self.wants_folding(media, die) && media.has_program_place(die) && media.has_own_room(die);
            let Some(cache) = &mut media.guards.slc_cache else { return false };
            let of = &mut cache.dies[die];
            let (victim, row) = (of.victim, of.next_row);
            if row == rows {
                (of.victim, of.next_row) = (NONE, 0);
                of.pending.push(victim);
                break;
            }
            let global = die as u32 * media.store.layout.superblocks_per_die + victim;
            let first = media.store.layout.first_ppa(global) + row * media.store.layout.row_units;
            let mask = media.store.map.valid_mask(first, media.store.layout.row_units);
            if mask != 0 && (!wanted || of.reading_rows >= media.rules.read_ahead) {
                return false;
            }
            match self.way_of(media, die) {
                Way::Wait => return false,
                Way::InDie if !self.may_begin_program(media, die) => return false,
                Way::InDie if self.fold_in_die(media, die, ctx) => continue,
                _ => {}
            }
            let Some(cache) = &mut media.guards.slc_cache else { return false };
            let of = &mut cache.dies[die];
            of.next_row += 1;
            of.reading_rows += u32::from(mask != 0);
            of.reading_units += mask.count_ones();
            cache.earn(die, 1, &media.store.layout);
            if mask != 0 {
                let row = first / media.store.layout.row_units;
                media.submit_read(row, mask, Origin::Fold, Class::InternalRead, NONE, ctx);
            }
        }
        let cache = media.guards.slc_cache.as_ref().expect("a cache is folded");
        let read =
            cache.dies[die].pending.last().map(|&superblock| media.store.space.global(die, superblock));
        if let Some(global) = read.filter(|&global| media.store.space.valid[global] == 0) {
            media.store.emptied.push(global as u32);
            media.erase_emptied(ctx);
        }
        true
    }

    /// A page row of the cache was read.
    pub(crate) fn on_fold_read<P: Probe>(
        &mut self,
        media: &mut Media,
        transaction: &Transaction,
        ctx: &mut Context<P>,
    ) {
        let die = transaction.die.index();
        let units = media.store.units_of(transaction);
        let Some(cache) = &mut media.guards.slc_cache else { return };
        let of = &mut cache.dies[die];
        of.reading_rows -= 1;
        of.reading_units -= transaction.mask.count_ones();
        of.read.extend(units);
        self.collect(media, die, ctx);
    }

    /// A die has nothing to do: when that lasts, it folds.
    #[inline]
    pub(crate) fn arm_fold_timer(&mut self, media: &mut Media, die: usize, calendar: &mut Calendar) {
        let Some(cache) = &mut media.guards.slc_cache else { return };
        let Some(wait) = cache.idle_after else { return };
        if cache.dies[die].has_work() {
            let event = Event { kind: events::FOLD, index: die as u32 };
            media.movers[die].fold_timer.set(wait, event, calendar);
        }
    }
}
