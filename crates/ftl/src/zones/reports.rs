//! What the flash reports: reads and programs done, superblocks erased.

use super::ZoneMapped;
use crate::Probe;
use crate::core::Erased;
use crate::host_side::{Reads, Serves};
use crate::store::{NONE, SuperblockState};
use controller::{Class, Context, Kind, Origin, TimedTransaction, Transaction};
use engine::Event;
use nand::ProgramStatus;
use units::{DieId, Ppa};

impl ZoneMapped {
    /// Handles an event of the flash controller for the zone-mapped flash translation layer: processes the flash
    /// operations (reads, programs, erases) that have finished, and starts the next ones. The caller can then take the
    /// completed host requests and other outputs of the translation layer.
    pub(super) fn on_event<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) {
        self.pages.media.core.store.controller.handle(event, ctx);
        let mut is_page_work = false;
        while let Some(id) = self.pages.media.core.store.controller.take_finished() {
            let transaction = self.pages.media.core.store.controller.transaction(id);
            // Reads are the same for both.
            let global = self.superblock_of(transaction).1 as usize;
            if self.zoning.has_pages()
                && (transaction.kind == Kind::Read || !self.pages.media.core.store.space.is_of_zones(global))
            {
                self.pages.on_finished(id, ctx);
                is_page_work = true;
                continue;
            }
            let transaction = self.pages.media.core.store.controller.end(id);
            match transaction.kind {
                Kind::Read if transaction.origin == Origin::ReadAhead => {
                    self.count_read(&transaction);
                    self.on_fetched(id, &transaction);
                }
                Kind::Read => self.on_read(&transaction, ctx),
                Kind::Program | Kind::Copyback => self.on_programmed(&transaction, ctx),
                Kind::Erase => self.on_erased(&transaction, ctx),
            }
            if self.zoning.has_pages() && self.pages.media.core.store.controller.is_idle(transaction.die) {
                let (media, die) = (&mut self.pages.media, transaction.die.index());
                self.pages.upkeep.arm_idle_timers(media, die, &mut ctx.calendar);
            }
        }
        if is_page_work {
            self.pages.on_all_finished(None, ctx);
        }
        self.pump(ctx);
    }

    fn count_read(&mut self, read: &Transaction) {
        self.pages.media.core.store.stats.pages_read[read.origin as usize] += u64::from(read.pages);
    }

    fn on_read<P: Probe>(&mut self, read: &TimedTransaction, ctx: &mut Context<P>) {
        self.count_read(read);
        if read.reading.uncorrectable {
            self.pages.media.core.store.stats.reads_lost[usize::from(read.origin != Origin::Host)] += 1;
            self.pages.media.core.mark_lost(read);
        }
        self.end_host_read(read, ctx);
    }

    fn on_programmed<P: Probe>(&mut self, transaction: &Transaction, ctx: &mut Context<P>) {
        let (die, superblock) = self.superblock_of(transaction);
        let status = self.end_program(transaction, ctx.calendar.now());
        assert_eq!(status, ProgramStatus::Done, "no program of a zoned drive fails");
        self.bound[die] -= 1;
        self.pages.media.core.store.space.in_flight[superblock as usize] -= 1;
        let units = self.layout().program_units;
        self.pages.media.core.store.space.dies[die].clock += u64::from(units);
        let first = self.pages.media.core.store.first_unit(transaction);
        for unit in 0..units {
            let source = self.pages.media.core.store.programs.get(transaction.owner, unit);
            self.pages.media.core.store.stats.units_programmed[source.origin() as usize] += 1;
            if source.origin() == Origin::Host {
                self.pages.media.core.note_host_program(source.slot());
                self.on_host_unit(Ppa(first + u64::from(unit)), source.slot(), ctx);
            }
        }
        self.pages.media.core.store.programs.release(transaction.owner);
        match self.zone_of[superblock as usize] {
            NONE => self.erase_if_left(superblock, ctx),
            zone => {
                self.zones[zone as usize].in_flight -= 1;
                self.answer_finisher(zone);
            }
        }
        self.answer_flushes();
    }

    /// Handles a host unit whose program to `ppa` from write buffer slot `slot` has ended: the map gives `ppa` for the
    /// unit from now on, unless its zone was reset meanwhile.
    fn on_host_unit<P: Probe>(&mut self, ppa: Ppa, slot: u32, ctx: &mut Context<P>) {
        let lpn = self.pages.media.core.buffer.slot(slot).lpn;
        if !self.pages.media.core.buffer.is_newest(slot) {
            ctx.probe.on_outdated(lpn, slot);
            self.pages.media.core.store.stats.units_stale += 1;
            return self.pages.media.release_slot(slot);
        }
        self.pages.media.core.store.map.set(lpn, ppa);
        let superblock = self.layout().superblock_of(ppa);
        self.pages.media.core.store.space.valid[superblock as usize] += 1;
        ctx.probe.on_commit(lpn, ppa, Ppa::NONE);
        self.end_newest(slot, lpn, ctx.calendar.now());
    }

    /// Returns the die of a flash operation, and its superblock numbered over the drive.
    fn superblock_of(&self, of: &Transaction) -> (usize, u32) {
        (of.die.index(), (of.die.0 * self.layout().superblocks_per_die).wrapping_add(of.superblock))
    }

    /// Submits the erase of a superblock that no longer belongs to a zone, unless programs to it are in flight; a
    /// superblock that has never been programmed since its last erase is put on the free list at once.
    pub(super) fn erase_if_left<P: Probe>(&mut self, superblock: u32, ctx: &mut Context<P>) {
        if self.pages.media.core.store.space.in_flight[superblock as usize] > 0 {
            return;
        }
        if self.pages.media.core.store.array.next_row(superblock as usize) == 0 {
            return self.push_free(superblock);
        }
        let (die, within) = self.place_of(superblock);
        self.pages.media.core.store.space.state[superblock as usize] = SuperblockState::Erasing;
        let mut erase = Transaction::new(Kind::Erase, Origin::Gc, Class::Erase, DieId(die), within, 0);
        let store = &self.pages.media.core.store;
        erase.wear = store.controller.wear_row(|| store.array.worn(die, within));
        self.pages.media.core.store.controller.submit(erase, ctx);
    }

    fn on_erased<P: Probe>(&mut self, transaction: &Transaction, ctx: &mut Context<P>) {
        let (die, superblock) = self.superblock_of(transaction);
        ctx.probe.on_erase(superblock as usize);
        let erased = self.pages.media.erase(die, transaction.superblock, transaction.origin);
        assert_eq!(erased, Erased::Whole, "no erase of a zoned drive fails");
        self.push_free(superblock);
        self.pages.media.note_cycles(die, transaction.superblock);
        self.pages.media.core.observe_erase(die, transaction.superblock, transaction.wear);
    }
}
