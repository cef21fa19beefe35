//! Merges: a block is filled in order, each unit read from wherever it lives or taken from the buffer.

use super::BlockMapped;
use crate::Probe;
use crate::buffer::SlotState;
use crate::mapping::bank::{Block, Merge, Planned, Purpose, Role};
use crate::store::Source;
use crate::store::{NONE, SuperblockState};
use controller::{Class, Context, Origin};
use units::{Lpn, Ppa, SimTime};

impl BlockMapped {
    /// Returns how many program units, from the first on, a merge of a group of logical units must fill: up to and
    /// including the last program unit with a unit on flash or, for `Purpose::Pad` (page padding), with a unit that
    /// waits in the write buffer; 0 if there is none.
    fn used_end(&self, bank: usize, group: u32, purpose: Purpose) -> u32 {
        let waits = |lpn| purpose == Purpose::Pad && self.waiting_slot(lpn).is_some();
        let holds = |position: &u32| {
            (0..self.layout().program_units)
                .filter_map(|unit| self.lpn_at(bank, group, *position, unit))
                .any(|lpn| self.media.core.store.map.lookup(lpn) != Ppa::NONE || waits(lpn))
        };
        (0..self.rules.group_programs).rev().find(holds).map_or(0, |position| position + 1)
    }

    /// Starts the merge that makes a log block, in which each unit is at its fixed position in the group (filled in
    /// place), the data block of the group, by copying the rest of the group to it. Returns false while programs are in
    /// flight in the bank (set of dies), because a merge must know the place of every unit.
    pub(super) fn complete(&mut self, bank: usize, block: u32, now: SimTime) -> bool {
        if self.banks[bank].in_flight > 0 {
            return false;
        }
        let Block { owner, in_place, role, .. } = self.banks[bank].blocks[block as usize];
        assert!(in_place && role == Role::Log, "only a log block filled in place can become a data block");
        let end = self.used_end(bank, owner, Purpose::Complete);
        let merge = self.merge_of(bank, Purpose::Complete, block, end);
        let state = &mut self.banks[bank];
        state.logs.retain(|&log| log != block);
        state.blocks[block as usize].role = Role::Target;
        state.merging.begin(merge, now);
        true
    }

    #[allow(clippy::too_many_arguments)]
    /// Starts the merge that copies all valid units of a group of logical units to a new block, one superblock on each
    /// die of the bank (full merge). Returns false while the merge cannot start yet.
    pub(super) fn merge_group<P: Probe>(
        &mut self,
        bank: usize,
        group: u32,
        purpose: Purpose,
        origin: Origin,
        ctx: &mut Context<P>,
    ) -> bool {
        if self.banks[bank].in_flight > 0 {
            return false;
        }
        let end = self.used_end(bank, group, purpose);
        let target = if end == 0 { NONE } else { self.open(bank, Role::Target, group).unwrap_or(NONE) };
        if end > 0 && target == NONE {
            return false;
        }
        if target != NONE {
            let merge = self.merge_of(bank, purpose, target, end);
            self.banks[bank].merging.begin(Merge { origin, ..merge }, ctx.calendar.now());
        }
        let owned = |log: &&u32| self.banks[bank].blocks[**log as usize].owner == group;
        let logs: Vec<u32> = self.banks[bank].logs.iter().filter(owned).copied().collect();
        for log in logs {
            self.seal(bank, log, ctx);
        }
        let data = self.banks[bank].data[group as usize];
        if end == 0 && data != NONE {
            self.seal(bank, data, ctx);
        }
        true
    }

    /// Reclaims a sealed block (one superblock on each die of its bank, which takes no more data): starts the merge of
    /// the first group with valid units in the block. Returns false while the merge cannot start yet.
    pub(super) fn reclaim<P: Probe>(
        &mut self,
        bank: usize,
        block: u32,
        origin: Origin,
        ctx: &mut Context<P>,
    ) -> bool {
        let Block { role, valid, in_flight, .. } = self.banks[bank].blocks[block as usize];
        if role == Role::Sealed && in_flight > 0 {
            return false;
        }
        if role != Role::Sealed || valid == 0 {
            self.banks[bank].merging.reclaim.pop_front();
            return true;
        }
        let first = (0..self.rules.group_programs)
            .find_map(|position| self.valid_in(bank, block, position))
            .expect("the block holds something valid");
        let (_, group, _) = self.split(first);
        self.merge_group(bank, group, Purpose::Full, origin, ctx)
    }

    /// Returns the logical unit of one valid mapping unit at position `position` (a program unit) of a block (one
    /// superblock on each die of its bank); `None` if that program unit holds no valid mapping unit.
    fn valid_in(&self, bank: usize, block: u32, position: u32) -> Option<Lpn> {
        if !self.is_there(bank, block, position) {
            return None;
        }
        let first = self.ppa_at(bank, block, position);
        (0..self.layout().program_units)
            .map(|unit| Ppa(first.0 + u64::from(unit)))
            .find(|&ppa| self.media.core.store.map.is_valid(ppa))
            .map(|ppa| self.media.core.store.map.holder(ppa))
    }

    /// Advances the merge in progress in a bank (set of dies): submits reads and programs, and ends the merge when all
    /// are done. Returns false while it must wait.
    pub(super) fn advance_merge<P: Probe>(&mut self, bank: usize, ctx: &mut Context<P>) -> bool {
        while self.plan_next(bank, ctx) || self.issue_planned(bank, ctx) {}
        let state = &self.banks[bank];
        let job = state.merging.job.as_ref().expect("a merge has begun");
        let block = &state.blocks[job.target as usize];
        let planned = block.next >= job.end || block.failing;
        let settled = job.purpose == Purpose::Fill || block.in_flight == 0;
        if !(planned && job.planned.is_empty() && settled) {
            return false;
        }
        self.finish_merge(bank, ctx);
        if self.is_labelled() {
            self.free_all_empty(bank, ctx);
        }
        true
    }

    /// Plans the next program unit (pages of one program operation) of the merge in progress in a bank (set of dies)
    /// and submits the reads of its units. Returns false when no program unit can be planned now.
    fn plan_next<P: Probe>(&mut self, bank: usize, ctx: &mut Context<P>) -> bool {
        let state = &self.banks[bank];
        let job = state.merging.job.as_ref().expect("a merge has begun");
        let (group, target, origin) = (job.group, job.target, job.origin);
        let copies = job.purpose == Purpose::Full && self.is_labelled();
        let block = &state.blocks[target as usize];
        let position = block.next;
        if position >= job.end
            || block.failing
            || job.planned.len() as u32 >= self.media.core.rules.read_ahead * self.rules.span
        {
            return false;
        }
        let lpns = |unit| self.lpn_at(bank, group, position, unit);
        let under_way = (0..self.layout().program_units).filter_map(lpns).any(|lpn| {
            let slot = self.media.core.buffer.find(lpn).map(|slot| self.media.core.buffer.slot(slot));
            slot.is_some_and(|slot| !slot.stays() && slot.state != SlotState::Queued)
        });
        if under_way {
            return false;
        }
        let program = self.media.core.store.programs.take_slot();
        let first = self.ppa_at(bank, target, position);
        let (mut reads, mut row, mut mask) = (0, NONE, 0u64);
        for unit in 0..self.layout().program_units {
            let lpn = self.lpn_at(bank, group, position, unit);
            let waiting = lpn.filter(|_| !copies).and_then(|lpn| self.waiting_slot(lpn));
            let home = lpn.map_or(Ppa::NONE, |lpn| self.media.core.store.map.lookup(lpn));
            if waiting.is_some() || home == Ppa::NONE {
                self.place_host_unit(bank, program, unit, waiting, first, ctx.calendar.now());
                continue;
            }
            self.media.core.store.programs.set(program, unit, Source::new(origin, home.0));
            self.media.core.store.map.assign(Ppa(first.0 + u64::from(unit)), lpn.unwrap_or(Lpn::NONE));
            let (this_row, bit) = self.layout().row_of(home);
            if mask != 0 && this_row != row {
                self.submit_read(row, mask, origin, Class::InternalRead, program, ctx);
                (reads, mask) = (reads + 1, 0);
            }
            row = this_row;
            mask |= bit;
        }
        if mask != 0 {
            self.submit_read(row, mask, origin, Class::InternalRead, program, ctx);
            reads += 1;
        }
        let state = &mut self.banks[bank];
        state.blocks[target as usize].next += 1;
        let job = state.merging.job.as_mut().expect("a merge has begun");
        job.copied |= reads > 0;
        job.planned.push_back(Planned { program, position, reads });
        true
    }

    /// Submits the program of the first planned program unit of the merge in progress in a bank (set of dies), if all
    /// its units have been read from flash; returns false if not.
    fn issue_planned<P: Probe>(&mut self, bank: usize, ctx: &mut Context<P>) -> bool {
        let state = &mut self.banks[bank];
        let job = state.merging.job.as_mut().expect("a merge has begun");
        let in_flight = state.blocks[job.target as usize].in_flight;
        let ready = job.planned.front().is_some_and(|planned| planned.reads == 0);
        if !ready || in_flight >= self.media.core.assembly.program_queue * self.rules.span {
            return false;
        }
        let (target, planned) = (job.target, job.planned.pop_front().expect("seen above"));
        let origin = self.main_origin(planned.program);
        self.issue(bank, target, planned.position, planned.program, origin, ctx);
        true
    }

    /// Returns the origin under which a program of a merge is counted: the host if the program has a unit from the
    /// host, else the origin of its copied units, else padding.
    fn main_origin(&self, program: u32) -> Origin {
        let origins = || {
            (0..self.layout().program_units)
                .map(|unit| self.media.core.store.programs.get(program, unit).origin())
        };
        if origins().any(|origin| origin == Origin::Host) {
            return Origin::Host;
        }
        origins().find(|&origin| origin != Origin::Padding).unwrap_or(Origin::Padding)
    }

    /// Counts one flash read for a planned program unit of the merge in progress as complete. It does not submit the
    /// program: `issue_planned` does once no read of the unit is left.
    pub(super) fn on_copy_read(&mut self, bank: usize, program: u32) {
        let job = self.banks[bank].merging.job.as_mut().expect("only merges read copies");
        let planned = job.planned.iter_mut().find(|planned| planned.program == program);
        planned.expect("the program waits for its reads").reads -= 1;
    }

    fn finish_merge<P: Probe>(&mut self, bank: usize, ctx: &mut Context<P>) {
        let state = &mut self.banks[bank];
        let job = state.merging.end(ctx.calendar.now());
        if state.blocks[job.target as usize].failing {
            // What it holds moves on with the rest; the write or the reclaim that wanted the merge asks again.
            self.seal(bank, job.target, ctx);
            let state = &mut self.banks[bank];
            for block in 0..state.blocks.len() as u32 {
                let Block { role, valid, .. } = state.blocks[block as usize];
                let known = state.merging.reclaim.iter().any(|(other, _)| *other == block);
                if role == Role::Sealed && valid > 0 && !known {
                    state.merging.reclaim.push_back((block, Origin::Rescue));
                }
            }
            return;
        }
        match (job.purpose, job.copied) {
            (Purpose::Fill, _) => return self.free_if_empty(bank, job.target, ctx),
            // A block written whole and in order takes the place of the data block without another copy.
            (Purpose::Complete, false) | (Purpose::Pad, _) => self.media.core.store.stats.merges_switch += 1,
            (Purpose::Complete, true) => self.media.core.store.stats.merges_partial += 1,
            (Purpose::Full, _) => self.media.core.store.stats.merges_full += 1,
        }
        if self.upkeep.turnover.is_due() {
            self.upkeep.turnover.push(self.media.core.mark());
        }
        let state = &mut self.banks[bank];
        let old = state.set_data(job.group, job.target);
        state.blocks[job.target as usize].role = Role::Data;
        for member in 0..self.rules.span {
            let superblock = state.members_of(job.target)[member as usize];
            let space = &mut self.media.core.store.space;
            space.state[superblock as usize] = SuperblockState::Closed;
            space.closed_at[superblock as usize] = space.dies[space.place_of(superblock).0].clock;
        }
        if old != NONE {
            let old_block = &mut self.banks[bank].blocks[old as usize];
            assert_eq!(old_block.valid, 0, "a merge left something in the old data block");
            old_block.role = Role::Sealed;
            self.free_if_empty(bank, old, ctx);
        }
        self.free_if_empty(bank, job.target, ctx);
    }
}
