//! A bank at work: which write is next, what the rules say to it, and doing it.

use super::BlockMapped;
use crate::buffer::SlotState;
use crate::core::Joining;
use crate::events;
use crate::host_side::Serves;
use crate::mapping::bank::{Bank, BankView, Block, HostWrite, Merge, Purpose, Role, Step};
use crate::store::Source;
use crate::store::{NONE, SuperblockState};
use crate::{Output, Probe, Stages};
use controller::{Class, Context, Kind, Origin, Transaction};
use engine::{Calendar, Event};
use std::collections::VecDeque;
use units::{DieId, Lpn, Ppa, SimTime};

/// Constant: greatest number of entries in the queue of a bank (set of dies) that are searched for units to fill one
/// program.
const LOOK_AHEAD: usize = 256;
/// Constant: index of the only write stream (data with open superblocks of their own) of a block-mapped drive.
const STREAM: usize = 0;

impl BlockMapped {
    /// Advances the writes and merges of a bank (set of dies over which blocks extend) as far as possible now.
    pub(super) fn work<P: Probe>(&mut self, bank: usize, ctx: &mut Context<P>) {
        while self.take_turn(bank, ctx) {}
    }

    /// Does the next work of a bank (set of dies): continues the merge in progress, else reclaims a sealed block, else
    /// programs a group that the write buffer evicted as a whole, else a host write. Returns false when that work must
    /// wait, or none is left.
    fn take_turn<P: Probe>(&mut self, bank: usize, ctx: &mut Context<P>) -> bool {
        let Bank { merging, waiting, .. } = &self.banks[bank];
        if merging.job.is_some() {
            return self.advance_merge(bank, ctx);
        }
        if let Some(&(block, origin)) = merging.reclaim.front() {
            return self.reclaim(bank, block, origin, ctx);
        }
        if let Some(&group) = waiting.padding.front() {
            return self.write_padded(bank, group, ctx);
        }
        let Some(write) = self.next_write(bank, &mut ctx.calendar) else { return false };
        let view = BankView {
            bank: &self.banks[bank],
            dies: &self.media.core.store.space.dies,
            spare: self.media.core.rules.spare,
            logs_least: self.rules.kind.logs_least(),
            counts_erasing: self.is_labelled(),
            program_units: self.rules.group_programs,
        };
        let step = self.rules.kind.next(&view, write);
        self.take_step(bank, step, write, ctx)
    }

    /// Returns the host write of a bank (set of dies) that has waited longest in the write buffer; `None` if no slot
    /// waits, or if data may still arrive that complete the write's program unit.
    fn next_write(&mut self, bank: usize, calendar: &mut Calendar) -> Option<HostWrite> {
        let slot = loop {
            let Some(&(slot, serial)) = self.banks[bank].waiting.queue.front() else {
                (self.banks[bank].waiting.pressed, self.banks[bank].waiting.awaited) = (false, false);
                return None;
            };
            if self.is_waiting(slot, serial) && self.media.core.buffer.is_newest(slot) {
                break slot;
            }
            self.banks[bank].waiting.queue.pop_front();
            self.drop_overtaken(bank, slot, serial, calendar.now());
        };
        let (_, group, unit) = self.split(self.media.core.buffer.slot(slot).lpn);
        let position = unit / self.layout().program_units;
        // More units may still come, also where units never written would count as complete.
        let all_wait = (0..self.layout().program_units).all(|unit| {
            self.lpn_at(bank, group, position, unit).is_none_or(|lpn| {
                let slot = self.media.core.buffer.find(lpn);
                slot.is_some_and(|slot| !self.media.core.buffer.slot(slot).stays())
            })
        });
        let state = &self.banks[bank];
        let expects = state.waiting.awaited && self.media.core.expects_data();
        let pressed = state.waiting.pressed || (state.waiting.awaited && !expects);
        if !all_wait && !pressed && state.waiting.units < self.layout().program_units {
            if expects && !self.expecting.contains(&bank) {
                self.expecting.push(bank);
            }
            let due = self.waits[slot as usize].since + self.media.core.assembly.flush_after;
            if due > calendar.now() {
                let timer = &mut self.banks[bank].waiting.timer;
                if (*timer <= calendar.now() || due < *timer) && self.instant.is_none() {
                    *timer = due;
                    calendar.schedule_timer(due, Event { kind: events::FLUSH, index: bank as u32 });
                }
                return None;
            }
        }
        let complete = (0..self.layout().program_units).all(|unit| {
            self.lpn_at(bank, group, position, unit).is_none_or(|lpn| {
                match self.media.core.buffer.find(lpn) {
                    Some(slot) => self.media.core.buffer.slot(slot).state == SlotState::Queued,
                    None => self.media.core.store.map.lookup(lpn) == Ppa::NONE,
                }
            })
        });
        Some(HostWrite { group, position, complete })
    }

    /// Returns true when an entry (`slot`, `serial`) in the queue of a bank (set of dies) is still valid: the write
    /// buffer slot waits to be programmed, and its wait still has serial number `serial`.
    fn is_waiting(&self, slot: u32, serial: u32) -> bool {
        self.waits[slot as usize].serial == serial
            && self.media.core.buffer.slot(slot).state == SlotState::Queued
    }

    /// Drops an entry of a bank's queue of write buffer slots that needs no program, because its unit was programmed
    /// already, trimmed or replaced by a newer write. A request that waits for the entry's program then waits for the
    /// newer write.
    fn drop_overtaken(&mut self, bank: usize, slot: u32, serial: u32, now: SimTime) {
        let state = self.media.core.buffer.slot(slot).state;
        let stands = self.waits[slot as usize].serial == serial
            && matches!(state, SlotState::Queued | SlotState::Cancelled);
        if !stands {
            return;
        }
        self.banks[bank].waiting.units -= 1;
        self.media.core.store.stats.units_stale += 1;
        if state == SlotState::Queued && self.is_awaited(slot) && self.wait_for_newer(bank, slot, now) {
            return;
        }
        self.end_overtaken(slot);
        self.answer_flushes();
    }

    /// Returns true when a request or a flush waits for the program of a buffer slot, or for an older slot of the unit
    /// that was replaced by it.
    pub(super) fn is_awaited(&self, slot: u32) -> bool {
        self.media.core.buffer.is_awaited(slot) || self.overtaken.iter().any(|&(_, newer)| newer == slot)
    }

    /// Makes a request that waits for a replaced buffer slot wait for the newer version of its unit, which is queued
    /// for programming immediately. Returns false when the buffer holds no newer version that is not on flash.
    #[cold]
    fn wait_for_newer(&mut self, bank: usize, slot: u32, now: SimTime) -> bool {
        let newer = self.media.core.buffer.find(self.media.core.buffer.slot(slot).lpn);
        let Some(newer) = newer.filter(|&newer| self.media.core.buffer.slot(newer).state != SlotState::Clean)
        else {
            return false;
        };
        self.media.core.buffer.set_state(slot, SlotState::Bound);
        self.overtaken.push((slot, newer));
        self.media.core.buffer.leave_at_once(newer);
        self.media.core.buffer.overtake(newer);
        self.let_leave(now);
        self.banks[bank].waiting.pressed = true;
        true
    }

    /// Frees a buffer slot that needs no program, and the older slots that it replaced, and reports their requests as
    /// durable.
    fn end_overtaken(&mut self, slot: u32) {
        let request = self.media.core.buffer.slot(slot).request;
        self.media.release_slot(slot);
        if request != u32::MAX {
            self.host.outputs.push(Output::Durable { request, stages: Stages::default() });
        }
        self.end_overtaken_by(slot);
    }

    /// Frees the older write buffer slots of a unit whose requests waited for the newer version in slot `newer`, once
    /// the data of `newer` are on flash or void, and reports these requests' writes as durable.
    #[cold]
    pub(super) fn end_overtaken_by(&mut self, newer: u32) {
        while let Some(at) = self.overtaken.iter().position(|&(_, by)| by == newer) {
            let (slot, _) = self.overtaken.swap_remove(at);
            self.end_overtaken(slot);
        }
    }

    /// Carries out step `step` (append to a block, open a log block, merge, wait), which the rules of the block mapping
    /// chose for the host's next write. Returns false when the bank (set of dies) must wait.
    fn take_step<P: Probe>(
        &mut self,
        bank: usize,
        step: Step,
        write: HostWrite,
        ctx: &mut Context<P>,
    ) -> bool {
        match step {
            Step::Wait => false,
            Step::Append(block) => self.append(bank, block, write, ctx),
            Step::Fill(block) => {
                let merge = self.merge_of(bank, Purpose::Fill, block, write.position + 1);
                self.banks[bank].merging.begin(merge, ctx.calendar.now());
                true
            }
            Step::Open(owner) => {
                let opened = self.open(bank, Role::Log, owner.unwrap_or(NONE));
                let block = opened.expect("the rules open a block only where there is room");
                self.banks[bank].logs.push(block);
                self.touch(bank, block);
                true
            }
            Step::Complete(block) => self.complete(bank, block, ctx.calendar.now()),
            Step::Merge(group) => self.merge_group(bank, group, Purpose::Full, Origin::Gc, ctx),
            Step::Reclaim(block) => {
                self.seal(bank, block, ctx);
                self.banks[bank].merging.reclaim.push_back((block, Origin::Gc));
                true
            }
        }
    }

    fn touch(&mut self, bank: usize, block: u32) {
        let state = &mut self.banks[bank];
        state.clock += 1;
        state.blocks[block as usize].used = state.clock;
    }

    /// Programs units that wait in the buffer at the next position of a block (one superblock on each die of its bank).
    /// Returns false while too many programs of the block are in flight.
    fn append<P: Probe>(&mut self, bank: usize, block: u32, write: HostWrite, ctx: &mut Context<P>) -> bool {
        let state = self.banks[bank].blocks[block as usize];
        assert!(state.next < self.rules.group_programs, "the rules append to a full block");
        if state.in_flight >= self.media.core.assembly.program_queue * self.rules.span {
            return false;
        }
        let in_place =
            write.complete && state.in_place && state.owner == write.group && state.next == write.position;
        self.banks[bank].blocks[block as usize].in_place = in_place;
        let program = self.media.core.store.programs.take_slot();
        let first = self.ppa_at(bank, block, state.next);
        if in_place {
            for unit in 0..self.layout().program_units {
                let lpn = self.lpn_at(bank, write.group, write.position, unit);
                let slot = lpn.and_then(|lpn| self.media.core.buffer.find(lpn));
                self.place_host_unit(bank, program, unit, slot, first, ctx.calendar.now());
            }
        } else {
            self.place_in_order(bank, program, state.owner, first, ctx.calendar.now());
        }
        self.touch(bank, block);
        self.banks[bank].blocks[block as usize].next += 1;
        self.issue(bank, block, state.next, program, Origin::Host, ctx);
        true
    }

    /// Fills program `program` with units that wait in the write buffer, in order of arrival, and the rest with
    /// padding. It takes units of the group of logical units `owner` only, or of any group if `owner` is `NONE`.
    fn place_in_order(&mut self, bank: usize, program: u32, owner: u32, first: Ppa, now: SimTime) {
        let mut unit = 0;
        let mut at = 0;
        while unit < self.layout().program_units && at < self.banks[bank].waiting.queue.len().min(LOOK_AHEAD)
        {
            let (slot, serial) = self.banks[bank].waiting.queue[at];
            at += 1;
            if !self.is_waiting(slot, serial) || !self.media.core.buffer.is_newest(slot) {
                continue;
            }
            let (_, group, _) = self.split(self.media.core.buffer.slot(slot).lpn);
            if owner == NONE || owner == group {
                self.place_host_unit(bank, program, unit, Some(slot), first, now);
                unit += 1;
            }
        }
        assert!(unit > 0, "an append found nothing to write");
        for unit in unit..self.layout().program_units {
            self.place_host_unit(bank, program, unit, None, first, now);
        }
    }

    /// Makes the data of write buffer slot `slot`, or padding if `slot` is `None`, the content of unit `unit` of a
    /// program that is being filled.
    pub(super) fn place_host_unit(
        &mut self,
        bank: usize,
        program: u32,
        unit: u32,
        slot: Option<u32>,
        first: Ppa,
        now: SimTime,
    ) {
        let Some(slot) = slot else {
            self.media.core.store.programs.set(program, unit, Source::PADDING);
            self.media.core.store.map.assign(Ppa(first.0 + u64::from(unit)), Lpn::NONE);
            return;
        };
        self.media.core.buffer.set_state(slot, SlotState::Bound);
        let state = &mut self.banks[bank];
        state.waiting.units -= 1;
        let wait = &mut self.waits[slot as usize];
        wait.serial = wait.serial.wrapping_add(1);
        wait.merged_ns = state.merging.ns_until(now) - wait.merged_ns;
        let lpn = self.media.core.buffer.slot(slot).lpn;
        wait.home = self.media.core.store.map.lookup(lpn);
        self.media.core.store.programs.set(program, unit, Source::of_slot(Origin::Host, slot));
        self.media.core.store.map.assign(Ppa(first.0 + u64::from(unit)), lpn);
    }

    /// Submits the program of program unit `position` of a block (one superblock on each die of its bank).
    #[allow(clippy::too_many_arguments)]
    pub(super) fn issue<P: Probe>(
        &mut self,
        bank: usize,
        block: u32,
        position: u32,
        program: u32,
        origin: Origin,
        ctx: &mut Context<P>,
    ) {
        let superblock = self.banks[bank].members_of(block)[(position % self.rules.span) as usize];
        let (die, within) = self.place_of(superblock);
        let row = position / self.rules.span * self.layout().program_rows;
        // One class for all programs: a block takes the host's and copied units, and they must stay in order.
        let class = Class::HostProgram;
        let mut transaction = Transaction::new(Kind::Program, origin, class, DieId(die), within, row);
        transaction.wear =
            self.media.core.store.controller.wear_row(|| self.media.core.store.array.worn(die, within));
        transaction.rows = self.layout().program_rows;
        transaction.pages = self.layout().planes * self.layout().program_rows;
        transaction.owner = program;
        if self.instant.is_none() {
            self.media.features.programs(&self.media.core, &mut transaction, None);
        }
        if self.media.features.chooses_costs() && self.instant.is_none() {
            self.cost(superblock, &mut transaction, &mut ctx.calendar);
        }
        if self.is_labelled() {
            self.label(bank, block, position);
        }
        self.banks[bank].in_flight += 1;
        self.banks[bank].blocks[block as usize].in_flight += 1;
        ctx.probe.on_place(&transaction, self.layout().program_units, |unit| {
            self.media.core.store.programs.told(program, unit)
        });
        self.submit(transaction, ctx);
    }

    /// Sets the write cost of a program (the program step size and voltages with which the page is programmed): of the
    /// costs that the write cost regulator chooses for the program's units, the one with the finest program step.
    #[cold]
    fn cost(&mut self, superblock: u32, program: &mut Transaction, calendar: &mut Calendar) {
        let (die, layout, now) = (program.die.index(), self.layout().clone(), calendar.now());
        let first = layout.first_ppa(superblock) + u64::from(program.row * layout.row_units);
        for unit in 0..layout.program_units {
            let lpn = self.media.core.store.map.holder(Ppa(first + u64::from(unit)));
            let origin = self.media.core.store.programs.get(program.owner, unit).origin();
            if lpn != Lpn::NONE {
                let joining = Joining { die, stream: STREAM, superblock, lpn, origin };
                self.media.features.joins(&self.media.core, joining, now);
            }
        }
        self.media.features.sets_cost(&mut self.media.core, program, STREAM, calendar);
    }

    // ---- opening and sealing ------------------------------------------------------------------------

    /// Opens a block made of one free superblock of each die of the bank (set of dies); returns `None` when a die has
    /// no free superblock.
    pub(super) fn open(&mut self, bank: usize, role: Role, owner: u32) -> Option<u32> {
        let span = self.rules.span;
        let per_die = self.layout().superblocks_per_die;
        if self.banks[bank].free_blocks(&self.media.core.store.space.dies) == 0 {
            return None;
        }
        let serial = self.next_serial();
        let (state, space) = (&mut self.banks[bank], &mut self.media.core.store.space);
        let block = state.take_unused();
        state.blocks[block as usize] = Block { role, owner, serial, ..Block::UNUSED };
        for member in 0..span {
            let die = state.first_die + member;
            let within = space.take_free(die as usize).expect("a block is free");
            let superblock = die * per_die + within;
            state.members[(block * span + member) as usize] = superblock;
            self.block_of[superblock as usize] = block;
            space.state[superblock as usize] = SuperblockState::Open;
        }
        Some(block)
    }

    /// Seals a block (one superblock on each die of its bank): the block takes no more data, and is erased once it
    /// holds no valid unit.
    pub(super) fn seal<P: Probe>(&mut self, bank: usize, block: u32, ctx: &mut Context<P>) {
        let state = &mut self.banks[bank];
        state.logs.retain(|&log| log != block);
        let Block { role, owner, .. } = state.blocks[block as usize];
        if role == Role::Data && state.data[owner as usize] == block {
            state.set_data(owner, NONE);
        }
        state.blocks[block as usize].role = Role::Sealed;
        for &superblock in self.banks[bank].members_of(block).iter().filter(|at| **at != NONE) {
            self.media.core.store.space.state[superblock as usize] = SuperblockState::Closed;
        }
        self.free_if_empty(bank, block, ctx);
    }

    /// Erases the blocks of a bank (set of dies) that hold no valid unit and take no data. Called at the end of a
    /// merge: until then, on a drive whose power may be cut, emptied blocks are kept, so that a cut loses no data.
    pub(super) fn free_all_empty<P: Probe>(&mut self, bank: usize, ctx: &mut Context<P>) {
        for block in 0..self.banks[bank].blocks.len() as u32 {
            self.free_if_empty(bank, block, ctx);
        }
    }

    /// Erases a block (one superblock on each die of its bank), and frees its number, if it has no valid unit, takes no
    /// data and has no operation in flight.
    pub(super) fn free_if_empty<P: Probe>(&mut self, bank: usize, block: u32, ctx: &mut Context<P>) {
        let state = &mut self.banks[bank];
        let Block { role, owner, valid, in_flight, .. } = state.blocks[block as usize];
        // A drive with a dead die moves nothing any more, once time has begun.
        let is_dead = self.media.core.store.dead.from_start != NONE && self.instant.is_none();
        if valid > 0 || in_flight > 0 || is_dead {
            return;
        }
        if state.merging.job.is_some() && self.is_labelled() {
            return;
        }
        let state = &mut self.banks[bank];
        match role {
            Role::Sealed => {}
            Role::Data if !state.merging.is_target(block) => {
                state.set_data(owner, NONE);
            }
            _ => return,
        }
        state.blocks[block as usize].role = Role::Unused;
        state.unused.push(block);
        for member in 0..self.rules.span {
            let superblock = self.banks[bank].members_of(block)[member as usize];
            if superblock != NONE {
                self.block_of[superblock as usize] = NONE;
                self.erase_superblock(superblock, ctx);
            }
        }
    }

    /// Erases a superblock that belongs to no block any more; frees it without an erase if it is erased already.
    pub(super) fn erase_superblock<P: Probe>(&mut self, superblock: u32, ctx: &mut Context<P>) {
        let untouched = self.media.core.store.array.next_row(superblock as usize) == 0;
        if untouched && !self.media.core.store.space.failing[superblock as usize] {
            return self.push_free(superblock);
        }
        let (die, within) = self.place_of(superblock);
        let bank = self.bank_of(superblock);
        self.banks[bank].erasing[(die % self.rules.span) as usize] += 1;
        self.media.core.store.space.state[superblock as usize] = SuperblockState::Erasing;
        let mut erase = Transaction::new(Kind::Erase, Origin::Gc, Class::Erase, DieId(die), within, 0);
        erase.wear =
            self.media.core.store.controller.wear_row(|| self.media.core.store.array.worn(die, within));
        self.submit(erase, ctx);
    }

    /// Makes the record of a merge (copy of units into one block) with purpose `purpose`, which fills block `target`
    /// from its next program unit up to program unit `end` (exclusive).
    pub(super) fn merge_of(&self, bank: usize, purpose: Purpose, target: u32, end: u32) -> Merge {
        Merge {
            purpose,
            origin: Origin::Gc,
            group: self.banks[bank].blocks[target as usize].owner,
            target,
            end,
            copied: false,
            planned: VecDeque::new(),
        }
    }
}
