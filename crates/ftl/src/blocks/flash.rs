//! What the flash reports: reads done, programs done or failed, erases.

use super::BlockMapped;
use crate::buffer::SlotState;
use crate::core::Erased;
use crate::events;
use crate::host_side::{Reads, Serves};
use crate::mapping::bank::Role;
use crate::store::SuperblockState;
use crate::upkeep::{KeepsUp, PATROL};
use crate::{Output, Probe, Stages};
use controller::{Context, Kind, Origin, TimedTransaction, Transaction};
use engine::Event;
use nand::ProgramStatus;
use units::{Ppa, SuperblockId};

impl BlockMapped {
    /// Handles an event of the block-mapped flash translation layer or of the flash controller, and starts the work
    /// that becomes possible; the caller can then take completions of host requests and other outputs.
    pub(super) fn on_event<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) {
        if event.kind == events::FLUSH {
            self.work(event.index as usize, ctx);
            return;
        }
        if event.kind == events::UPKEEP {
            self.on_upkeep(ctx);
            return self.pump(ctx);
        }
        self.media.core.store.controller.handle(event, ctx);
        while let Some(id) = self.media.core.store.controller.take_finished() {
            let transaction = self.media.core.store.controller.end(id);
            if transaction.origin == Origin::ReadAhead {
                self.media.core.store.stats.pages_read[transaction.origin as usize] +=
                    u64::from(transaction.pages);
                self.on_fetched(id, &transaction);
            } else {
                self.on_finished(&transaction, ctx);
            }
            if self.media.core.agenda.is_some() {
                self.note_idle(transaction.die, &mut ctx.calendar);
            }
        }
        self.pump(ctx);
    }

    /// Submits a transaction to the flash controller or, without simulated time (preconditioning), adds it to the queue
    /// of transactions, which are completed without delay.
    pub(super) fn submit<P: Probe>(&mut self, transaction: Transaction, ctx: &mut Context<P>) {
        match &mut self.instant {
            Some(queue) => queue.push_back(transaction),
            None => {
                self.media.core.store.controller.submit(transaction, ctx);
            }
        }
    }

    pub(super) fn on_finished<P: Probe>(&mut self, transaction: &TimedTransaction, ctx: &mut Context<P>) {
        let bank = transaction.die.index() / self.rules.span as usize;
        match transaction.kind {
            Kind::Read => {
                self.media.core.store.stats.pages_read[transaction.origin as usize] +=
                    u64::from(transaction.pages);
                if transaction.owner == PATROL && transaction.origin == Origin::Scrub {
                    return self.upkeep.on_patrol_read(&mut self.media, transaction, ctx);
                }
                if transaction.reading.uncorrectable {
                    self.media.core.store.stats.reads_lost
                        [usize::from(transaction.origin != Origin::Host)] += 1;
                    self.media.core.mark_lost(transaction);
                }
                match transaction.origin {
                    Origin::Host => return self.end_host_read(transaction, ctx),
                    Origin::ReadModifyWrite => self.on_rest_read(transaction.owner, ctx),
                    _ => self.on_copy_read(bank, transaction.owner),
                }
            }
            Kind::Program | Kind::Copyback => self.on_programmed(transaction, ctx),
            Kind::Erase => self.on_erased(transaction, ctx),
        }
        self.work(bank, ctx);
    }

    /// Completes a write of a part of a mapping unit after the rest of the unit was read from flash: queues the unit in
    /// buffer slot `slot`, or frees the slot if the data are no longer needed.
    fn on_rest_read<P: Probe>(&mut self, slot: u32, ctx: &mut Context<P>) {
        match self.media.core.buffer.slot(slot).state {
            // A newer version may have come: only the newest may stay.
            SlotState::Merging if self.media.core.buffer.is_newest(slot) => {
                self.admit(slot, ctx.calendar.now())
            }
            SlotState::Merging => self.let_wait(slot, ctx.calendar.now()),
            _ => {
                self.media.release_slot(slot);
                self.end_overtaken_by(slot);
                self.answer_flushes();
            }
        }
        if self.host.following.is_empty() {
            return;
        }
        for follower in self.host.take_followers(slot) {
            ctx.probe.on_rest(follower, slot);
            self.on_rest_read(follower, ctx);
        }
    }

    fn on_programmed<P: Probe>(&mut self, transaction: &TimedTransaction, ctx: &mut Context<P>) {
        let superblock = transaction.die.0 * self.layout().superblocks_per_die + transaction.superblock;
        let (bank, block) = (self.bank_of(superblock), self.block_of[superblock as usize]);
        let status = self.end_program(transaction, ctx.calendar.now());
        let done = status == ProgramStatus::Done;
        let state = &mut self.banks[bank];
        state.in_flight -= 1;
        state.blocks[block as usize].in_flight -= 1;
        let (first, units) = (self.media.core.store.first_unit(transaction), self.layout().program_units);
        self.media.core.store.space.dies[transaction.die.index()].clock += u64::from(units);
        for unit in 0..units {
            let ppa = Ppa(first + u64::from(unit));
            let source = self.media.core.store.programs.get(transaction.owner, unit);
            self.media.core.store.stats.units_programmed[source.origin() as usize] += 1;
            match source.origin() {
                Origin::Host => {
                    self.media.core.note_host_program(source.slot());
                    self.on_host_unit(ppa, source.slot(), status, transaction, ctx);
                }
                Origin::Padding => {}
                _ if done => self.on_copied_unit(ppa, source.place(), ctx),
                _ => {}
            }
        }
        self.media.core.store.programs.release(transaction.owner);
        if !done {
            self.media.core.store.stats.program_failures += 1;
            self.media.core.store.space.failing[superblock as usize] = true;
            self.fail_block(bank, block, ctx);
        }
        self.free_if_empty(bank, block, ctx);
    }

    fn on_host_unit<P: Probe>(
        &mut self,
        ppa: Ppa,
        slot: u32,
        status: ProgramStatus,
        transaction: &TimedTransaction,
        ctx: &mut Context<P>,
    ) {
        let (lpn, request) =
            (self.media.core.buffer.slot(slot).lpn, self.media.core.buffer.slot(slot).request);
        let newest = self.media.core.buffer.is_newest(slot);
        let done = status == ProgramStatus::Done;
        if !done && (newest || self.is_awaited(slot)) {
            self.let_wait_first(slot, ctx.calendar.now());
            return;
        }
        let old = self.media.core.store.map.lookup(lpn);
        if done && !newest {
            ctx.probe.on_outdated(lpn, slot);
        }
        if done && (newest || self.is_next_newest(slot)) {
            self.commit(lpn, ppa);
            if newest {
                ctx.probe.on_commit(lpn, ppa, old);
            } else {
                ctx.probe.on_overtaken(lpn, ppa, old);
            }
            if old != Ppa::NONE {
                self.invalidate(old, ctx);
            }
        } else {
            self.media.core.store.stats.units_stale += 1;
        }
        if newest {
            self.end_newest(slot, lpn, ctx.calendar.now());
        } else {
            self.media.release_slot(slot);
        }
        if request != u32::MAX {
            let mut stages = Stages::of(transaction);
            stages.waits[Origin::Gc.wait_column()] += self.waits[slot as usize].merged_ns;
            self.host.outputs.push(Output::Durable { request, stages });
        }
        if !self.overtaken.is_empty() {
            self.end_overtaken_by(slot);
        }
        self.answer_flushes();
    }

    /// Returns true if the completed program of write buffer slot `slot` wrote the newest version of its unit on flash
    /// (merges rely on this): the buffer holds a newer, dirty version, and neither a trim nor another program has
    /// changed the unit's place on flash since the slot's program was submitted.
    fn is_next_newest(&self, slot: u32) -> bool {
        let lpn = self.media.core.buffer.slot(slot).lpn;
        let newer = self.media.core.buffer.find(lpn).map(|newer| self.media.core.buffer.slot(newer).state);
        newer.is_some_and(|state| state != SlotState::Clean)
            && self.media.core.store.map.lookup(lpn) == self.waits[slot as usize].home
    }

    /// Maps a unit that a merge has copied (from physical place `old`) to the unit's new place `ppa`, unless the host
    /// overwrote or trimmed the unit meanwhile.
    fn on_copied_unit<P: Probe>(&mut self, ppa: Ppa, old: Ppa, ctx: &mut Context<P>) {
        let lpn = self.media.core.store.map.holder(ppa);
        if self.media.core.store.map.lookup(lpn) != old {
            return;
        }
        self.commit(lpn, ppa);
        ctx.probe.on_moved(lpn, ppa, old);
        self.invalidate(old, ctx);
    }

    fn commit(&mut self, lpn: units::Lpn, ppa: Ppa) {
        self.media.core.store.map.set(lpn, ppa);
        let superblock = self.layout().superblock_of(ppa);
        self.media.core.store.space.valid[superblock as usize] += 1;
        let bank = self.bank_of(superblock);
        self.banks[bank].blocks[self.block_of[superblock as usize] as usize].valid += 1;
    }

    /// Marks physical unit `ppa` invalid, and erases its block (one superblock on each die of its bank) if it then
    /// holds no valid unit.
    pub(super) fn invalidate<P: Probe>(&mut self, ppa: Ppa, ctx: &mut Context<P>) {
        self.media.core.store.map.invalidate(ppa);
        let superblock = self.layout().superblock_of(ppa);
        self.media.core.store.space.valid[superblock as usize] -= 1;
        let (bank, block) = (self.bank_of(superblock), self.block_of[superblock as usize]);
        self.banks[bank].blocks[block as usize].valid -= 1;
        self.free_if_empty(bank, block, ctx);
    }

    /// Marks a block (one superblock on each die of its bank) in which a program failed: the block takes no more data
    /// (the target of the merge in progress: but those of the merge), and its valid units are to be moved out.
    fn fail_block<P: Probe>(&mut self, bank: usize, block: u32, ctx: &mut Context<P>) {
        let state = &mut self.banks[bank];
        state.blocks[block as usize].failing = true;
        if state.merging.is_target(block) || state.blocks[block as usize].role == Role::Sealed {
            return;
        }
        state.merging.reclaim.push_back((block, Origin::Rescue));
        self.seal(bank, block, ctx);
    }

    /// Turns the drive read-only when failed blocks leave a bank (set of dies over which blocks extend) too few usable
    /// blocks for its data blocks and merges.
    pub(super) fn note_lost_room(&mut self, bank: usize) {
        let bank = &self.banks[bank];
        let needed = bank.data.len() as u32 + self.rules.kind.logs_least() + 1;
        self.media.core.read_only |= bank.usable_blocks(&self.media.core.store.space.dies) < needed;
    }

    fn on_erased<P: Probe>(&mut self, transaction: &Transaction, ctx: &mut Context<P>) {
        let (die, within) = (transaction.die.0, transaction.superblock);
        let superblock = (die * self.layout().superblocks_per_die + within) as usize;
        ctx.probe.on_erase(superblock);
        let (bank, member) = ((die / self.rules.span) as usize, (die % self.rules.span) as usize);
        self.banks[bank].erasing[member] -= 1;
        if self.media.erase(die as usize, within, transaction.origin) == Erased::Lost {
            self.media.core.store.space.state[superblock] = SuperblockState::Lost;
            self.media.core.store.stats.superblocks_lost += 1;
            self.media.core.store.space.dies[die as usize].usable -= 1;
            self.note_lost_room(bank);
        } else {
            self.push_free(superblock as u32);
            self.media.note_cycles(die as usize, within);
            self.media.core.observe_erase(die as usize, within, transaction.wear);
            if self.media.core.store.space.dies[die as usize].wear.relocates() {
                self.level_wear(die, within, ctx);
            }
        }
    }

    /// Asks the wear policy, after an erase on a die, whether to relocate a data block for wear levelling, and seals
    /// the picked block to be reclaimed.
    fn level_wear<P: Probe>(&mut self, die: u32, erased: u32, ctx: &mut Context<P>) {
        let (bank, member) = ((die / self.rules.span) as usize, die % self.rules.span);
        let state = &self.banks[bank];
        let first = die * self.layout().superblocks_per_die;
        let candidates: Vec<SuperblockId> = (0..state.blocks.len() as u32)
            .filter(|&block| {
                state.blocks[block as usize].role == Role::Data && !state.merging.is_target(block)
            })
            .map(|block| SuperblockId(state.members_of(block)[member as usize] - first))
            .collect();
        let space = &mut self.media.core.store.space;
        space.dies[die as usize].candidates = candidates;
        let Some(picked) = space.ask_wear(die as usize, erased) else { return };
        let is_candidate = space.dies[die as usize].candidates.contains(&picked);
        assert!(is_candidate, "the wear policy picked {picked} of die {die}, no candidate");
        let block = self.block_of[(first + picked.0) as usize];
        self.media.core.store.stats.wear_relocations += 1;
        self.banks[bank].merging.reclaim.push_back((block, Origin::Wear));
        self.seal(bank, block, ctx);
    }
}
