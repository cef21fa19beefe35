//! Units on their way from one superblock to another.

use crate::layout::Layout;
use crate::media::Media;
use crate::store::{HOST, NONE, Source};
use controller::{Class, Context, Kind, Origin, Probe};
use nand::ProgramStatus;
use units::{DieId, Ppa};

impl Media {
    pub(crate) fn begin_victim(&mut self, die: usize, superblock: u32, origin: Origin) {
        let (valid, units) =
            (self.store.space.valid[self.store.space.global(die, superblock)], self.store.space.units);
        let collection = &mut self.movers[die];
        collection.victim = superblock;
        collection.origin = origin;
        collection.next_row = 0;
        // Wear levelling and rescue move data without giving anything back: they do not pace the host.
        collection.rate = match origin {
            Origin::Gc if valid > 0 => f64::from(units - valid) / f64::from(valid),
            _ => 0.0,
        };
    }

    /// Keeps up to `read_ahead` page rows of the victim under way.
    #[inline]
    pub(crate) fn read_victim<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        while self.movers[die].reading_rows < self.rules.read_ahead
            && let Some((row, mask)) = self.next_row_of_victim(die)
        {
            let origin = self.movers[die].origin;
            let start = Ppa(row * self.store.layout.row_units);
            if self.rules.copyback && self.copy_back(die, start, origin, ctx) {
                continue;
            }
            self.submit_read(row, mask, origin, Class::InternalRead, NONE, ctx);
        }
    }

    /// The next page row of the victim (numbered over the drive) that holds something, and which units of it.
    fn next_row_of_victim(&mut self, die: usize) -> Option<(u32, u64)> {
        let Layout { rows, row_units, .. } = self.store.layout;
        let mover = &mut self.movers[die];
        let first = self.store.space.global(die, mover.victim) as u32 * rows;
        while mover.next_row < rows {
            let row = first + mover.next_row;
            mover.next_row += 1;
            let mask = self.store.map.valid_mask(row * row_units, row_units);
            if mask != 0 {
                mover.reading_rows += 1;
                mover.reading_units += mask.count_ones();
                return Some((row, mask));
            }
        }
        None
    }

    /// Moves a page inside its plane, if the open superblock lies in the same plane. Data does not pass the
    /// ECC, as on the real part: errors may add up.
    pub(crate) fn copy_back<P: Probe>(
        &mut self,
        die: usize,
        source: Ppa,
        origin: Origin,
        ctx: &mut Context<P>,
    ) -> bool {
        let stream = self.moving_stream();
        if self.store.space.dies[die].frontiers[stream].superblock == NONE && !self.open_own(die, stream) {
            return false;
        }
        self.order(die, stream);
        let from = self.store.layout.superblock_of(source) % self.store.space.per_die;
        let to = self.store.space.dies[die].frontiers[stream].superblock;
        if self.store.array.plane_of(die as u32, from) != self.store.array.plane_of(die as u32, to) {
            return false;
        }
        let lpn = self.store.map.holder(source);
        let frontier = &mut self.store.space.dies[die].frontiers[stream];
        frontier.slot = self.store.programs.take_slot();
        self.store.programs.set(frontier.slot, 0, Source::new(origin, source.0));
        let global = die as u32 * self.store.space.per_die + to;
        let target = Ppa(self.store.layout.first_ppa(global) + frontier.next_unit);
        frontier.next_unit += 1;
        self.store.space.dies[die].clock += 1;
        self.choose_cost(die, stream, global, lpn, origin, ctx.calendar.now());
        self.store.map.assign(target, lpn);
        self.issue_program(die, stream, Kind::Copyback, ctx);
        true
    }

    /// A copyback finished, for good or ill.
    pub(crate) fn on_copied_back(&mut self, die: usize) {
        self.movers[die].reading_rows -= 1;
        self.movers[die].reading_units -= 1;
        self.movers[die].earn(1.0, self.store.layout.program_units);
    }

    pub(crate) fn move_unit<P: Probe>(&mut self, die: usize, ppa: Ppa, origin: Origin, ctx: &mut Context<P>) {
        let stream = self.moving_stream();
        if self.store.space.dies[die].frontiers[stream].superblock == NONE && !self.open_own(die, stream) {
            self.movers[die].backlog.push_back((ppa, origin));
            return;
        }
        let lpn = self.store.map.holder(ppa);
        self.store.map.prefetch_lookup(lpn);
        self.append(die, stream, lpn, Source::new(origin, ppa.0), ctx);
    }

    /// A superblock became free: units that waited for one go on.
    pub(crate) fn retry_backlog<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        for _ in 0..self.movers[die].backlog.len() {
            let Some((ppa, origin)) = self.movers[die].backlog.pop_front() else { return };
            if self.store.map.is_valid(ppa) {
                self.move_unit(die, ppa, origin, ctx);
            }
        }
    }

    /// A moved unit was programmed: it is the home of its data unless the host wrote or trimmed meanwhile. False when it
    /// must be moved again.
    #[inline]
    pub(crate) fn on_moved_unit<P: Probe>(
        &mut self,
        ppa: Ppa,
        old: Ppa,
        status: ProgramStatus,
        probe: &mut P,
    ) -> bool {
        if old == Ppa::NONE {
            return true; // Overtaken, and its old place was erased.
        }
        let lpn = self.store.map.holder(ppa);
        let superblock = self.store.layout.superblock_of(ppa);
        // Where nobody needs it any more, its old place may have been erased since, and be named for what came there.
        let named = self.is_named(old) && self.store.map.holder(old) == lpn;
        let live = self.store.map.lookup(lpn) == old;
        if !live && !named {
            return true;
        }
        if status == ProgramStatus::Failed {
            return false;
        }
        if named {
            self.move_named(lpn, old, ppa);
        }
        if !live {
            self.validate_named(lpn, old, ppa, probe);
        } else {
            self.note_change(lpn);
            self.store.map.set(lpn, ppa);
            probe.on_moved(lpn, ppa, old);
        }
        self.store.space.valid[superblock as usize] += 1;
        self.invalidate(old);
        true
    }

    /// A unit could not be programmed where it was moved to: it is still where it was, and waits for another place. What
    /// a copyback moved was never in the controller, and is read for that first.
    #[cold]
    pub(crate) fn move_again<P: Probe>(
        &mut self,
        old: Ppa,
        origin: Origin,
        kind: Kind,
        ctx: &mut Context<P>,
    ) {
        let die = (self.store.layout.superblock_of(old) / self.store.space.per_die) as usize;
        match (kind, origin) {
            (Kind::Copyback, Origin::Fold) => self.await_folded(die),
            (Kind::Copyback, _) => {
                self.movers[die].reading_rows += 1;
                self.movers[die].reading_units += 1;
            }
            (_, Origin::Fold) => return self.fold_again(die, old),
            _ => return self.movers[die].backlog.push_back((old, origin)),
        }
        let (row, unit) = (old.0 / self.store.layout.row_units, old.0 % self.store.layout.row_units);
        self.submit_read(row, 1 << unit, origin, Class::InternalRead, NONE, ctx);
    }

    /// A superblock was erased: units of it that were read, and waited for a place when they became invalid, must not
    /// come back as what is written there next.
    #[inline]
    pub(crate) fn forget_waiting(&mut self, die: usize, superblock: u32) {
        let units = self.store.layout.superblock_units;
        let backlog = &mut self.movers[die].backlog;
        if !backlog.is_empty() {
            backlog.retain(|(ppa, _)| ppa.0 / units != superblock);
        }
        if let Some(cache) = &mut self.guards.slc_cache {
            cache.dies[die].read.retain(|ppa| ppa.0 / units != superblock);
        }
    }

    /// Pads a program unit that victims wait for when nothing else will fill it.
    pub(crate) fn pad_leftover<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let collection = &self.movers[die];
        let waiting =
            collection.victim == NONE && collection.reading_rows == 0 && !collection.pending.is_empty();
        if !waiting {
            return;
        }
        let stream = self.moving_stream();
        let frontier = self.store.space.dies[die].frontiers[stream];
        let moved = (0..frontier.filled)
            .any(|unit| !matches!(self.store.programs.get(frontier.slot, unit).origin(), Origin::Host));
        if moved {
            self.pad(die, stream, ctx);
        }
    }

    /// Completes a program unit when none of the units read for it is still to come and no collection will fill it.
    pub(crate) fn pad_rewrites<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let stream = self.moving_stream();
        let frontier = self.store.space.dies[die].frontiers[stream];
        if self.store.controller.is_idle(DieId(die as u32))
            && frontier.superblock != NONE
            && !self.rules.mixed
        {
            self.pad(die, stream, ctx);
        }
    }

    /// Rows were folded without the bus, for good or ill.
    pub(crate) fn on_folded_in_die(&mut self, die: usize) {
        if let Some(cache) = &mut self.guards.slc_cache {
            cache.dies[die].reading_rows -= 1;
        }
    }

    /// A folded unit could not be programmed: it is still where it was, and waits for another place.
    pub(crate) fn fold_again(&mut self, die: usize, old: Ppa) {
        if let Some(cache) = &mut self.guards.slc_cache {
            cache.dies[die].read.push_back(old);
        }
    }

    /// A unit that was folded in vain is read, to be folded again.
    fn await_folded(&mut self, die: usize) {
        if let Some(cache) = &mut self.guards.slc_cache {
            cache.dies[die].reading_rows += 1;
            cache.dies[die].reading_units += 1;
        }
    }

    /// Pads a program unit that superblocks wait for when nothing else will fill it.
    pub(crate) fn pad_folded<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let Some(cache) = &self.guards.slc_cache else { return };
        let of = &cache.dies[die];
        let waiting =
            of.victim == NONE && of.reading_rows == 0 && of.read.is_empty() && !of.pending.is_empty();
        if waiting && self.store.space.dies[die].frontiers[HOST].filled > 0 && !self.is_host_filling(die) {
            self.pad(die, HOST, ctx);
        }
    }
}
