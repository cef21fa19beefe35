//! What follows when the flash reports that something is done, and the work of idle dies.

use super::PageMapped;
use crate::buffer::SlotState;
use crate::demand::SUMMARY;
use crate::read_path::Reads;
use crate::space::{Frontier, NONE, SuperblockState};
use crate::wear::Observed;
use crate::{Output, Stages, events};
use controller::{Class, Kind, Origin, Probe, Transaction, TransactionId};
use engine::{Calendar, Event};
use units::{DieId, Ppa, SuperblockId};

impl PageMapped {
    /// Handles an event of this crate or the controller; outputs can then be taken.
    pub fn handle<P: Probe>(&mut self, event: Event, calendar: &mut Calendar, probe: &mut P) {
        match event.kind {
            events::IDLE if event.index >= self.layout.dies => {
                self.on_fold_timer((event.index - self.layout.dies) as usize, calendar, probe);
            }
            events::IDLE => self.on_idle_timer(event.index as usize, calendar, probe),
            events::UPKEEP => self.on_upkeep(calendar, probe),
            events::REWRITE => self.on_rewrite_timer(event.index as usize, calendar, probe),
            events::FLUSH => {
                if event.index == self.flush_serial && self.current != NONE {
                    self.pad_current(calendar, probe);
                }
            }
            _ => {
                self.controller.handle(event, calendar, probe);
                while let Some(id) = self.controller.take_finished() {
                    self.on_finished(id, calendar, probe);
                }
                if self.demand.is_some() {
                    self.start_tasks(calendar, probe);
                }
                self.pump(calendar, probe);
                if self.snapshots.is_some() {
                    self.go_on_rolling_back(calendar, probe);
                }
            }
        }
    }

    pub(super) fn on_finished<P: Probe>(
        &mut self,
        id: TransactionId,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let transaction = *self.controller.transaction(id);
        self.controller.release(id);
        let die = transaction.die.index();
        match transaction.kind {
            Kind::Read => {
                self.stats.pages_read[transaction.origin as usize] += u64::from(transaction.pages);
                if transaction.origin == Origin::ReadAhead {
                    let global = self.space.global(die, transaction.superblock) as u32;
                    let first = self.layout.first_ppa(global) + transaction.row * self.layout.row_units;
                    self.on_fetched(id, Ppa(first), transaction.mask, |ftl, ppa| ftl.map.holder(ppa));
                } else if transaction.reading.uncorrectable || transaction.origin == Origin::Rebuild {
                    self.on_uncorrectable(&transaction, calendar, probe);
                } else {
                    self.on_read(&transaction, calendar, probe);
                }
            }
            Kind::Program | Kind::Copyback => self.on_programmed(&transaction, calendar, probe),
            Kind::Erase => self.on_erased(&transaction, calendar, probe),
        }
        if self.upkeep.is_some() {
            self.wake_upkeep(calendar);
            if self.regulation.is_some() && self.collections[die].is_asked() {
                self.collect(die, calendar, probe);
            }
        }
        if self.controller.is_idle(transaction.die) {
            self.arm_idle_timer(die, calendar);
            self.arm_fold_timer(die, calendar);
            self.arm_rewrite_timer(die, calendar);
            self.arm_patrol(die, calendar);
        }
    }

    /// The data of a read is there, or given up as lost.
    pub(crate) fn on_read<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        match transaction.origin {
            Origin::Host => {
                let mut reading = transaction.reading;
                reading.uncorrectable |= self.rebuilds.has_lost() && self.reads_lost(transaction);
                if !reading.uncorrectable {
                    self.keep_read(transaction);
                }
                self.outputs.push(Output::Read {
                    request: transaction.owner,
                    units: transaction.mask.count_ones(),
                    reading,
                    stages: Stages::of(transaction),
                });
            }
            Origin::ReadModifyWrite => self.on_merged(transaction.owner),
            Origin::Fold => self.on_fold_read(transaction, calendar, probe),
            Origin::Rewrite => self.on_rewrite_read(transaction, calendar, probe),
            Origin::Scrub if transaction.owner != NONE => self.on_patrol_read(transaction, calendar, probe),
            Origin::Map if transaction.owner == NONE => self.on_recovery_read(),
            Origin::Map => self.end_task(transaction.owner, calendar, probe),
            _ => self.on_moving_read(transaction, calendar, probe),
        }
    }

    pub(crate) fn on_merged(&mut self, slot: u32) {
        match self.buffer.slot(slot).state {
            SlotState::Merging => {
                self.buffer.enqueue(slot);
                self.relieve_buffer();
            }
            _ => self.release_void(slot),
        }
    }

    /// What a slot held was trimmed or overtaken and goes nowhere: a flush may have waited for nothing else.
    #[cold]
    #[inline(never)]
    pub(crate) fn release_void(&mut self, slot: u32) {
        self.buffer.release(slot, false);
        if let Some(sectors) = &mut self.sectors {
            sectors.release(slot);
        }
        self.answer_flushes();
    }

    pub(super) fn on_programmed<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let die = transaction.die.index();
        let global = self.space.global(die, transaction.superblock);
        let done = self.array.program(global, transaction.row, transaction.rows);
        self.account_risk(calendar.now());
        self.stats.pages_programmed[transaction.origin as usize] += u64::from(transaction.pages);
        if transaction.kind == Kind::Copyback {
            self.stats.pages_read[transaction.origin as usize] += u64::from(transaction.pages);
            match transaction.origin {
                Origin::Fold => self.on_folded_in_die(die),
                _ => self.on_copied_back(die),
            }
        }
        let first = self.layout.first_ppa(global as u32) + transaction.row * self.layout.row_units;
        for unit in 0..transaction.rows * self.layout.row_units {
            let ppa = Ppa(first + unit);
            let source = self.programs.get(transaction.owner, unit);
            self.stats.units_programmed[source.origin() as usize] += 1;
            match source.origin() {
                Origin::Map if source == SUMMARY => {}
                Origin::Host | Origin::Map => {
                    self.on_host_unit(ppa, source.value(), done, transaction, probe);
                }
                Origin::Padding | Origin::Parity => {}
                origin => self.on_moved_unit(ppa, Ppa(source.value()), origin, done, probe),
            }
        }
        self.programs.release(transaction.owner);
        self.go_on_with_checkpoint(calendar.now());
        self.space.in_flight[global] -= 1;
        if transaction.origin == Origin::Parity {
            self.stats.program_failures += u64::from(!done);
            self.on_parity_programmed(global as u32, done, calendar, probe);
            self.collect(die, calendar, probe);
            return;
        }
        let hosts = match &self.ordering {
            Some(ordering) => ordering.is_hosts(transaction.owner),
            None => transaction.class == Class::HostProgram,
        };
        if hosts {
            self.bound[die] -= 1;
        }
        if !done {
            self.stats.program_failures += 1;
            self.fail_superblock(die, transaction.superblock, calendar, probe);
        }
        if self.space.in_flight[global] == 0 && self.space.state[global] == SuperblockState::Closed {
            if self.holds_one_bit(global) {
                self.close_slc(die, transaction.superblock);
            } else if self.space.failing[global] {
                self.collections[die].force(transaction.superblock, Origin::Rescue);
            } else {
                self.space.close(die, transaction.superblock);
            }
        }
        self.erase_emptied(calendar, probe);
        self.collect(die, calendar, probe);
    }

    #[inline]
    pub(super) fn on_host_unit<P: Probe>(
        &mut self,
        ppa: Ppa,
        slot: u32,
        done: bool,
        transaction: &Transaction,
        probe: &mut P,
    ) {
        let die = transaction.die.index();
        let (lpn, request) = (self.buffer.slot(slot).lpn, self.buffer.slot(slot).request);
        let newest = self.buffer.is_newest(slot);
        let captured = !newest && self.is_captured(slot);
        if !done && (newest || captured || self.buffer.is_awaited(slot)) {
            self.space.dies[die].live -= 1;
            self.buffer.enqueue_first(slot);
            return;
        }
        if newest {
            let old = self.map.lookup(lpn);
            self.note_change(lpn);
            self.map.set(lpn, ppa);
            self.space.valid[self.layout.superblock_of(ppa) as usize] += 1;
            probe.on_commit(lpn, ppa, old, false);
            if old != Ppa::NONE {
                self.leave(old);
            }
        } else if captured {
            probe.on_outdated(lpn, slot);
            self.commit_captured(lpn, ppa, slot, probe);
        } else {
            if done {
                probe.on_outdated(lpn, slot);
            }
            // A newer version, or a trim, came in between: the page was garbage before it was written.
            self.stats.units_stale += 1;
            self.lower_live(die);
        }
        if let Some(demand) = &mut self.demand
            && demand.is_translation(lpn)
        {
            demand.used_slots -= 1;
            demand.note_written();
        }
        self.note_checkpoint_unit(lpn);
        if newest && self.buffer.keeps_clean(lpn) {
            self.buffer.keep_clean(slot);
            self.relieve_buffer();
        } else {
            self.buffer.release(slot, newest);
        }
        if let Some(sectors) = &mut self.sectors {
            sectors.release(slot);
        }
        if request != u32::MAX {
            self.outputs.push(Output::Durable { request, stages: Stages::of(transaction) });
        }
        if !self.flushes.is_empty() {
            self.answer_flushes();
        }
    }

    /// The host's newest version made `ppa` invalid.
    #[inline]
    pub(crate) fn invalidate_host(&mut self, ppa: Ppa) {
        let superblock = self.invalidate(ppa);
        self.lower_live((superblock / self.space.per_die) as usize);
    }

    #[inline]
    pub(super) fn lower_live(&mut self, die: usize) {
        self.space.dies[die].live -= 1;
        if self.quota_blocked[die / 64] >> (die % 64) & 1 == 1 {
            self.update_eligible(die);
        }
    }

    /// Makes `ppa` invalid; gives its superblock.
    #[inline]
    pub(crate) fn invalidate(&mut self, ppa: Ppa) -> u32 {
        self.map.invalidate(ppa);
        let superblock = self.layout.superblock_of(ppa);
        self.space.lose_unit(superblock);
        if self.space.valid[superblock as usize] == 0
            && self.space.state[superblock as usize] == SuperblockState::Victim
        {
            self.emptied.push(superblock);
        }
        superblock
    }

    /// A program failed: nothing more goes into the superblock, and what it holds moves out.
    pub(super) fn fail_superblock<P: Probe>(
        &mut self,
        die: usize,
        superblock: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let global = self.space.global(die, superblock);
        let first_failure = !std::mem::replace(&mut self.space.failing[global], true);
        self.end_superblock(die, superblock, calendar, probe);
        debug_assert!(first_failure || self.space.state[global] == SuperblockState::Closed);
    }

    /// Takes no more data into a superblock that may be open.
    pub(crate) fn end_superblock<P: Probe>(
        &mut self,
        die: usize,
        superblock: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        for stream in 0..3 {
            if self.space.dies[die].frontiers[stream].superblock == superblock {
                self.pad(die, stream, calendar, probe);
                self.space.dies[die].frontiers[stream] = Frontier::CLOSED;
                let global = self.space.global(die, superblock);
                self.space.state[global] = SuperblockState::Closed;
                if self.parity.is_some() {
                    self.note_ended(global as u32, calendar, probe);
                }
                if stream == self.host_stream && self.current == die as u32 {
                    self.current = NONE;
                }
            }
        }
    }

    pub(super) fn on_erased<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        if self.parity.is_some() {
            return self.on_member_erased(transaction, calendar, probe);
        }
        let (die, superblock) = (transaction.die.index(), transaction.superblock);
        let global = self.space.global(die, superblock);
        assert_eq!(self.space.valid[global], 0, "superblock {global} was erased with valid data");
        let slc = self.holds_one_bit(global);
        let done = match slc {
            false => self.array.erase(die as u32, superblock),
            true => self.array.erase_slc(die as u32, superblock),
        };
        self.stats.blocks_erased[transaction.origin as usize] += u64::from(self.layout.planes);
        self.stats.erase_failures += u64::from(!done);
        self.space.dies[die].erases += 1;
        if slc {
            self.free_slc(die, global);
        } else {
            self.collections[die].erasing -= 1;
        }
        probe.on_erase(global);
        let failing = std::mem::replace(&mut self.space.failing[global], false);
        let lost =
            (failing || !done) && self.array.retire(die as u32, superblock) == nand::RetireOutcome::Lost;
        if lost {
            self.lose_superblock(die, global);
            self.fit_snapshots(calendar, probe);
        } else {
            self.space.pe_cycles[global] = self.array.pe_cycles(die as u32, superblock);
            if let Some(regulation) = &mut self.regulation {
                regulation.note_wear(global, self.space.pe_cycles[global]);
            }
            self.observe_erase(die, superblock, transaction.wear);
            self.space.push_free(die, superblock);
            if let Some(cold) = self.space.pick_relocation(die, superblock) {
                self.collections[die].force(cold, Origin::Wear);
            }
        }
        self.collect(die, calendar, probe);
    }

    /// Tells wear levelling how long the erase of a superblock took, and the programs before it.
    pub(crate) fn observe_erase(&mut self, die: usize, superblock: u32, wear: u8) {
        let observed = Observed {
            superblock: SuperblockId(superblock),
            pe_cycles: self.space.pe_cycles[self.space.global(die, superblock)],
            erase: self.controller.t_bers(wear),
            program: self.controller.t_prog(0, wear, 0),
        };
        self.space.dies[die].wear.on_erase(&observed);
    }

    pub(crate) fn lose_superblock(&mut self, die: usize, global: usize) {
        self.space.state[global] = SuperblockState::Lost;
        self.space.pe_cycles[global] = 0; // Its wear is nobody's concern any more.
        self.space.dies[die].usable -= 1;
        self.stats.superblocks_lost += 1;
        self.update_quota(die);
        self.note_lost_room();
    }

    /// A drive whose good superblocks no longer hold what it must turns read-only.
    pub(crate) fn note_lost_room(&mut self) {
        self.read_only |= self.sustainable_units() < self.layout.written_units();
    }

    // ---- background work ----------------------------------------------------------------------------

    pub(super) fn arm_idle_timer(&mut self, die: usize, calendar: &mut Calendar) {
        let collection = &mut self.collections[die];
        collection.idle_since = calendar.now();
        if collection.idle_timer {
            return;
        }
        let Some(wait) = self.trigger.idle_after() else { return };
        let view = self.trigger_view(die);
        if self.trigger.background(&view) {
            self.collections[die].idle_timer = true;
            calendar.schedule_timer(calendar.now() + wait, Event { kind: events::IDLE, index: die as u32 });
        }
    }

    pub(super) fn on_idle_timer<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        self.collections[die].idle_timer = false;
        let Some(wait) = self.trigger.idle_after() else { return };
        if !self.controller.is_idle(DieId(die as u32)) {
            return;
        }
        let due = self.collections[die].idle_since + wait;
        if due > calendar.now() {
            self.collections[die].idle_timer = true;
            calendar.schedule_timer(due, Event { kind: events::IDLE, index: die as u32 });
            return;
        }
        self.collections[die].background = true;
        self.collect(die, calendar, probe);
        self.pump(calendar, probe);
    }
}
