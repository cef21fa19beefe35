//! What follows when the flash reports that something is done, and the work of idle dies.

use crate::buffer::SlotState;
use crate::host_side::{Reads, Serves};
use crate::pages::PageMapped;
use crate::store::{NONE, Source, SuperblockState};
use crate::upkeep::KeepsUp;
use crate::{Output, Probe, Stages, events};
use controller::{Class, Context, Kind, Origin, TimedTransaction, TransactionId};
use engine::Event;
use nand::ProgramStatus;
use units::Ppa;

impl PageMapped {
    #[inline(never)]
    pub(crate) fn on_own_event<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) {
        match event.kind {
            events::IDLE | events::FOLD | events::REWRITE => {
                if self.upkeep.on_idle_timer(&mut self.media, event, ctx) {
                    self.pump(ctx);
                }
            }
            events::UPKEEP => self.on_upkeep(ctx),
            events::FLUSH => {
                // It may have been set for a program unit that was complete before.
                for lane in 0..self.media.core.assembly.lanes.len() {
                    if ctx.calendar.now() >= self.media.core.assembly.lanes[lane].flush_due {
                        self.media.pad_lane(lane, ctx);
                    }
                }
            }
            other => unreachable!("event kind {other} does not belong to the translation layer"),
        }
    }

    /// Handles the end of flash operation `first` and of all other operations that have ended by now, then starts the
    /// work that waited for them. With `None` the caller has handled the ends: only the waiting work is started.
    #[inline(never)]
    pub(crate) fn on_all_finished<P: Probe>(&mut self, first: Option<TransactionId>, ctx: &mut Context<P>) {
        let mut next = first;
        while let Some(id) = next {
            self.on_finished(id, ctx);
            next = self.media.core.store.controller.take_finished();
        }
        self.look_on(ctx);
        self.media.features.go_on(&mut self.media.core);
        self.carry_out(ctx);
        self.pump(ctx);
        self.media.features.finish(&mut self.media.core);
        self.carry_out(ctx);
    }

    /// Handles a flash operation that has ended, according to its kind and origin.
    #[inline(always)]
    pub(crate) fn on_finished<P: Probe>(&mut self, id: TransactionId, ctx: &mut Context<P>) {
        let transaction = self.media.core.store.controller.end(id);
        let die = transaction.die.index();
        match transaction.kind {
            Kind::Read => {
                self.media.core.store.stats.pages_read[transaction.origin as usize] +=
                    u64::from(transaction.pages);
                if transaction.origin == Origin::ReadAhead {
                    self.on_fetched(id, &transaction);
                } else if transaction.reading.uncorrectable || transaction.origin.is_remedy() {
                    self.on_uncorrectable(&transaction, ctx);
                } else {
                    self.on_read(&transaction, ctx);
                }
            }
            Kind::Program | Kind::Copyback => self.on_programmed(&transaction, ctx),
            Kind::Erase => self.upkeep.on_erased(&mut self.media, &transaction, ctx),
        }
        if self.media.core.agenda.is_some() {
            self.media.core.wake_upkeep(&mut ctx.calendar);
            if self.media.features.chooses_costs() && self.media.core.collections[die].is_asked() {
                self.upkeep.collect(&mut self.media, die, ctx);
            }
        }
        if self.media.core.store.controller.is_idle(transaction.die) {
            self.upkeep.arm_idle_timers(&mut self.media, die, &mut ctx.calendar);
        }
    }

    /// Handles the end of a flash read according to its origin (host, garbage collection, map and so on): the data are
    /// available, or marked as lost.
    pub(crate) fn on_read<P: Probe>(&mut self, transaction: &TimedTransaction, ctx: &mut Context<P>) {
        match transaction.origin {
            Origin::Host => self.end_host_read(transaction, ctx),
            Origin::ReadModifyWrite => self.on_merged(transaction.owner, &mut ctx.probe),
            Origin::Rewrite => self.upkeep.on_rewrite_read(&mut self.media, transaction, ctx),
            Origin::Scrub if transaction.owner != NONE => {
                self.upkeep.on_patrol_read(&mut self.media, transaction, ctx)
            }
            Origin::Map if transaction.owner == NONE => self.recovering -= 1,
            Origin::Map => {
                self.media.features.looked_up(&mut self.media.core, transaction.owner);
                self.look_on(ctx);
            }
            _ => self.upkeep.on_moving_read(&mut self.media, transaction, ctx),
        }
    }

    /// Handles the end of the flash read of the sectors that a partial write of the host did not contain: the unit in
    /// write buffer slot `slot` is complete and is queued for its program, or freed if it was trimmed or replaced
    /// meanwhile.
    pub(crate) fn on_merged<P: Probe>(&mut self, slot: u32, probe: &mut P) {
        match self.media.core.buffer.slot(slot).state {
            SlotState::Merging => {
                self.media.core.buffer.enqueue(slot);
                self.media.core.relieve_buffer();
            }
            _ => self.release_void(slot),
        }
        if !self.host.following.is_empty() {
            self.merge_followers(slot, probe);
        }
    }

    /// Completes the write buffer slots with newer partial writes of a unit that waited until the older version in
    /// `slot` had received the unit's missing sectors from flash.
    #[cold]
    fn merge_followers<P: Probe>(&mut self, slot: u32, probe: &mut P) {
        for follower in self.host.take_followers(slot) {
            probe.on_rest(follower, slot);
            self.on_merged(follower, probe);
        }
    }

    /// Frees a write buffer slot whose data were trimmed or replaced and so are not programmed, and reports the flushes
    /// that waited for the slot.
    #[cold]
    #[inline(never)]
    pub(crate) fn release_void(&mut self, slot: u32) {
        self.media.release_slot(slot);
        self.answer_flushes();
    }

    #[inline(always)]
    pub(super) fn on_programmed<P: Probe>(&mut self, transaction: &TimedTransaction, ctx: &mut Context<P>) {
        let die = transaction.die.index();
        let global = self.media.core.store.space.global(die, transaction.superblock);
        let status = self.end_program(transaction, ctx.calendar.now());
        if transaction.kind == Kind::Copyback {
            self.media.core.store.stats.pages_read[transaction.origin as usize] +=
                u64::from(transaction.pages);
            self.media.core.on_moved_in_die(die, transaction.origin);
        }
        self.media.features.program_ends(&self.media.core, transaction);
        self.on_programmed_units(transaction, status, ctx);
        self.media.core.store.programs.release(transaction.owner);
        self.media.features.programmed(&mut self.media.core, ctx.calendar.now());
        self.carry_out(ctx);
        if self.media.core.store.spare.is_some() {
            self.media.features.survives(&mut self.media.core, &mut ctx.probe);
        }
        self.media.core.store.space.in_flight[global] -= 1;
        if transaction.origin.holds_no_data() {
            self.media.core.store.stats.program_failures += u64::from(status == ProgramStatus::Failed);
            self.media.features.programmed_own(&mut self.media.core, global as u32, status, ctx);
            self.upkeep.collect(&mut self.media, die, ctx);
            return;
        }
        let hosts = match &self.media.core.assembly.ordering {
            Some(ordering) => ordering.is_hosts(transaction.owner),
            None => transaction.class == Class::HostProgram,
        };
        if hosts {
            self.media.core.assembly.bound[die] -= 1;
        }
        if status == ProgramStatus::Failed {
            self.media.core.store.stats.program_failures += 1;
            if !self.media.core.store.dead.has(die) {
                self.media.fail_superblock(die, transaction.superblock, ctx);
            }
        }
        self.end_programs(die, transaction.superblock);
        self.media.erase_emptied(ctx);
        self.upkeep.collect(&mut self.media, die, ctx);
    }

    /// Handles the units of a program that has ended: each has a new place on flash or, if the program failed, must be
    /// written again.
    #[inline(always)]
    fn on_programmed_units<P: Probe>(
        &mut self,
        transaction: &TimedTransaction,
        status: ProgramStatus,
        ctx: &mut Context<P>,
    ) {
        let first = self.media.core.store.first_unit(transaction);
        for unit in 0..transaction.rows * self.media.core.store.layout.row_units {
            let ppa = Ppa(first + u64::from(unit));
            let source = self.media.core.store.programs.get(transaction.owner, unit);
            self.media.core.store.stats.units_programmed[source.origin() as usize] += 1;
            match source.origin() {
                Origin::Map if source == Source::SUMMARY => {}
                Origin::Host | Origin::Map => {
                    if source.origin() == Origin::Host {
                        self.media.core.note_host_program(source.slot());
                    }
                    self.on_host_unit(ppa, source.slot(), status, transaction, ctx);
                }
                origin if origin.holds_no_data() => {}
                origin => {
                    let old = source.place();
                    if !self.media.on_moved_unit(ppa, old, status, &mut ctx.probe) {
                        self.media.move_again(old, origin, transaction.kind, ctx);
                    }
                }
            }
        }
    }

    /// Sets the state of a superblock that takes no more data, once its last program has ended: closed, queued for
    /// relocation after a failed program (rescue), or part of the SLC cache.
    #[inline(always)]
    fn end_programs(&mut self, die: usize, superblock: u32) {
        let global = self.media.core.store.space.global(die, superblock);
        if self.media.core.store.space.in_flight[global] == 0
            && self.media.core.store.space.state[global] == SuperblockState::Closed
        {
            self.media.settle_superblock(die, superblock);
        }
    }

    #[inline]
    pub(super) fn on_host_unit<P: Probe>(
        &mut self,
        ppa: Ppa,
        slot: u32,
        status: ProgramStatus,
        transaction: &TimedTransaction,
        ctx: &mut Context<P>,
    ) {
        let die = transaction.die.index();
        let (lpn, request) =
            (self.media.core.buffer.slot(slot).lpn, self.media.core.buffer.slot(slot).request);
        let newest = self.media.core.buffer.is_newest(slot);
        let done = status == ProgramStatus::Done;
        let captured = !newest && self.media.features.holds_slot(slot);
        if !done && (newest || captured || self.media.core.buffer.is_awaited(slot)) {
            self.media.core.store.space.dies[die].live -= 1;
            self.media.core.buffer.enqueue_first(slot);
            return;
        }
        if newest {
            let old = self.media.core.store.map.lookup(lpn);
            self.media.features.changes(lpn);
            self.media.core.store.map.set(lpn, ppa);
            self.media.core.store.space.valid[self.media.core.store.layout.superblock_of(ppa) as usize] += 1;
            ctx.probe.on_commit(lpn, ppa, old);
            if old != Ppa::NONE {
                self.media.leave(old);
            }
        } else if captured {
            ctx.probe.on_outdated(lpn, slot);
            self.media.features.programmed_held(&mut self.media.core, (lpn, slot, ppa), &mut ctx.probe);
        } else if done && self.media.must_outlast_cut(lpn, slot) {
            ctx.probe.on_outdated(lpn, slot);
            self.media.commit_overtaken(lpn, ppa, &mut ctx.probe);
        } else {
            if done {
                ctx.probe.on_outdated(lpn, slot);
            }
            // A newer version, or a trim, came in between: the page was garbage before it was written.
            self.media.core.store.stats.units_stale += 1;
            self.media.lower_live(die);
        }
        if !self.media.core.store.layout.is_host_unit(lpn) {
            self.media.features.wrote_own(&self.media.core, lpn, slot);
        }
        if newest {
            self.end_newest(slot, lpn, ctx.calendar.now());
        } else {
            self.media.release_slot(slot);
        }
        if request != u32::MAX {
            self.host.outputs.push(Output::Durable { request, stages: Stages::of(transaction) });
        }
        self.answer_flushes();
    }
}
