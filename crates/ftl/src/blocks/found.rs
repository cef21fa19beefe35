//! The power is back: a fresh layer finds out which superblocks are which block, where the newest copy of each unit is, and
//! what must be merged or erased.
//!
//! A program unit in its place holds all that the drive had of that place when it was written: older copies are garbage,
//! even of what was trimmed. So is what lies behind the end of a merged block and was there before the merge. A merge that
//! was not over counts only where it holds what nothing else does.

use super::BlockMapped;
use crate::contents::FlashContents;
use crate::mapping::bank::{Block, Role};
use crate::store::Mark;
use crate::store::labels::{Label, Labels};
use crate::store::spare::{NOTHING, SpareAreas};
use crate::store::{NONE, SuperblockState};
use controller::Origin;
use std::collections::BTreeMap;
use units::{Lpn, Ppa};

/// Kind of condition in which recovery finds a block after a power cut, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Condition {
    /// Case of condition of a block that recovery finds after a power cut: all program units of the block that were
    /// programmed can be read.
    Whole,
    /// Case of condition of a block that recovery finds after a power cut: some of its programmed program units cannot
    /// be read, because the power cut interrupted their programs (torn).
    Torn,
    /// Case of condition of a block that recovery finds after a power cut: a program unit of the block was not
    /// programmed although a later program unit was, so that no more data can be programmed in order.
    Gap,
    /// Case of condition of a block that recovery finds after a power cut: a program on the block had failed before the
    /// power cut.
    Failing,
}

/// Record of one block (one superblock on each die of a bank) of a block-mapped drive, which recovery builds after a
/// power cut from the labels in spare areas.
struct FoundBlock {
    bank: usize,
    serial: u64,
    owner: u32,
    /// List of the numbers of the superblocks of the block that recovery found after a power cut, one for each die of
    /// its bank; `NONE` for a superblock of which nothing can be read.
    members: Vec<u32>,
    /// Index of the program unit directly after the last one of the block that was programmed before the power cut: the
    /// number of program units that are no longer free.
    next: u32,
    /// Number of program units that the block found after a power cut has when the merge (copy of units) that wrote it
    /// is complete; 0 if no merge wrote it.
    end: u32,
    /// Sequence number of the first program of the merge that wrote the block found after a power cut; 0 if no merge
    /// wrote the block or the merge is incomplete.
    merged: u64,
    /// Sequence number, in the drive's count of programs, of the last program to the block that recovery found after a
    /// power cut.
    last: u64,
    /// True if each readable unit of the block found after a power cut is at its fixed position in the group of logical
    /// units.
    in_place: bool,
    condition: Condition,
    /// True if recovery uses the copies of units in the block. False only if the merge that wrote the block is
    /// incomplete, no program on the block failed, and other blocks have all of its data.
    counts: bool,
}

impl FoundBlock {
    fn of(bank: usize, label: Label, span: u32) -> Self {
        let Label { serial, owner, .. } = label;
        Self {
            bank,
            serial,
            owner,
            members: vec![NONE; span as usize],
            next: 0,
            end: 0,
            merged: 0,
            last: 0,
            in_place: true,
            condition: Condition::Whole,
            counts: true,
        }
    }
}

/// Record of the readable content of the flash after a power cut: spare areas, block labels, and the extent to which
/// superblocks are programmed.
struct Flash<'a> {
    spare: &'a SpareAreas,
    labels: &'a Labels,
    /// For each superblock, the number of program units found programmed after a power cut.
    programs: Vec<u32>,
}

/// Record of the result of the search for the newest copy of each logical unit, by which recovery of a block-mapped
/// drive rebuilds the map after a power cut: the place of each newest copy, and the programs that made older copies
/// garbage.
struct Choice {
    /// For each range of logical units that fills one program unit: sequence number of the newest program that wrote
    /// all data of the range, or of the first one of a merge that found no data there; older copies are garbage to
    /// recovery.
    over: Vec<u64>,
    /// For each logical unit, three values of the newest copy that recovery found after a power cut: number of the
    /// host's write, sequence number of the program that wrote the copy, and the copy's physical place.
    newest: Vec<(u64, u64, Ppa)>,
}

impl BlockMapped {
    /// Rebuilds the map and the blocks of a fresh drive model from flash after a power cut. The simulated reads that
    /// this takes are submitted later, by `begin_finding`.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or the flash is another drive's.
    pub(super) fn find_map(&mut self, mut contents: FlashContents) {
        (self.host.risk, self.upkeep.turnover) =
            (contents.counted.risk, std::mem::take(&mut contents.counted.turnover));
        let (spare, marks) = self.media.take_back(contents);
        let programs = self.sort_superblocks(&marks);
        let labels = spare.labels.as_ref().expect("a drive whose power is cut labels blocks");
        let flash = Flash { spare: &spare, labels, programs };
        let mut blocks = self.blocks_in(&flash, &marks);
        let choice = self.choose_counting(&flash, &mut blocks);
        self.place_newest(&flash, &choice);
        for block in blocks.into_iter().filter(|block| block.counts) {
            self.put_block(block);
        }
        self.media.core.store.spare.as_mut().expect("made for power cuts").go_on(spare, NOTHING);
        (0..self.banks.len()).for_each(|bank| self.note_lost_room(bank));
    }

    /// Gives free superblocks back to their dies, in the recovery of a block-mapped drive after a power cut, and
    /// returns the number of programs in each other superblock. All superblocks belong to no block at first.
    fn sort_superblocks(&mut self, marks: &[Mark]) -> Vec<u32> {
        let mut programs = vec![0; marks.len()];
        self.block_of.fill(NONE);
        for (at, mark) in marks.iter().enumerate() {
            let (die, within) = self.place_of(at as u32);
            let Self { media, .. } = self;
            media.core.store.space.state[at] = SuperblockState::Lost;
            media.core.store.space.pe_cycles[at] = media.core.store.array.pe_cycles(die, within);
            if !media.core.store.array.is_whole(die, within) {
                continue;
            }
            media.core.store.space.dies[die as usize].usable += 1;
            media.core.store.space.failing[at] = mark.failing;
            media.core.store.space.closed_at[at] = mark.closed_at;
            let rows = media.core.store.array.next_row(at);
            if rows == 0 && !mark.half_erased && !mark.failing {
                self.push_free(at as u32);
                continue;
            }
            media.core.store.space.state[at] = SuperblockState::Closed;
            programs[at] = if mark.half_erased { 0 } else { rows / media.core.store.layout.program_rows };
        }
        programs
    }

    /// Returns the physical address of the first unit of program unit `program` of a superblock (numbered over the
    /// drive).
    fn program_at(&self, superblock: u32, program: u32) -> Ppa {
        Ppa(self.layout().first_ppa(superblock) + u64::from(program * self.layout().program_units))
    }

    /// Returns the readable program units of a block found after a power cut: position in the block, first address and
    /// label of each.
    fn readable<'a>(
        &'a self,
        flash: &'a Flash<'a>,
        block: &'a FoundBlock,
    ) -> impl Iterator<Item = (u32, Ppa, Label)> {
        let there = block.members.iter().zip(0..).filter(|(superblock, _)| **superblock != NONE);
        there.flat_map(move |(&superblock, member)| {
            (0..flash.programs[superblock as usize]).filter_map(move |program| {
                let first = self.program_at(superblock, program);
                let label = flash.labels.get(first).filter(|label| label.serial == block.serial)?;
                Some((program * self.rules.span + member, first, label))
            })
        })
    }

    /// Returns the blocks that the labels in spare areas describe, in the order in which they were opened.
    fn blocks_in(&self, flash: &Flash<'_>, marks: &[Mark]) -> Vec<FoundBlock> {
        let span = self.rules.span;
        let mut blocks: BTreeMap<u64, FoundBlock> = BTreeMap::new();
        for superblock in 0..marks.len() as u32 {
            let mut programs = 0..flash.programs[superblock as usize];
            let label = programs.find_map(|at| flash.labels.get(self.program_at(superblock, at)));
            let Some(label) = label else { continue };
            let bank = self.bank_of(superblock);
            let block = blocks.entry(label.serial).or_insert_with(|| FoundBlock::of(bank, label, span));
            block.members[(self.place_of(superblock).0 % span) as usize] = superblock;
            if marks[superblock as usize].failing {
                block.condition = Condition::Failing;
            }
        }
        let mut blocks: Vec<FoundBlock> = blocks.into_values().collect();
        blocks.iter_mut().for_each(|block| self.judge(flash, block));
        blocks
    }

    /// Determines, for a block that a block-mapped drive finds after a power cut, the number of program units that were
    /// programmed, whether each unit is at its fixed position in the group, whether a complete merge wrote the block,
    /// and the block's condition (such as torn); stores these in `block`.
    fn judge(&self, flash: &Flash<'_>, block: &mut FoundBlock) {
        let span = self.rules.span;
        let programs = |superblock: u32| match superblock {
            NONE => 0,
            superblock => flash.programs[superblock as usize],
        };
        let ends = block.members.iter().zip(0..).map(|(&superblock, member)| match programs(superblock) {
            0 => 0,
            count => (count - 1) * span + member + 1,
        });
        block.next = ends.max().unwrap_or(0);
        let is_there = |position: u32| position / span < programs(block.members[(position % span) as usize]);
        let (mut readable, mut within_end, mut merged) = (0, 0, u64::MAX);
        let labels: Vec<(u32, Label)> =
            self.readable(flash, block).map(|(position, _, label)| (position, label)).collect();
        let end = labels.iter().map(|(_, label)| label.end).max().unwrap_or(0);
        for (position, label) in labels {
            readable += 1;
            within_end += u32::from(position < end);
            block.in_place &= label.in_place;
            block.last = block.last.max(label.age);
            if label.end > 0 {
                merged = merged.min(label.age);
            }
        }
        let condition = if !(0..block.next).all(is_there) {
            Condition::Gap
        } else if readable < block.next {
            Condition::Torn
        } else {
            Condition::Whole
        };
        (block.end, block.merged) = (end, if end > 0 { merged } else { 0 });
        block.condition = block.condition.max(condition);
        // What lies behind the end was written when the merge was over.
        let is_over = within_end == end || block.next > end;
        block.counts = is_over || block.condition == Condition::Failing;
        if !is_over {
            block.merged = NOTHING;
        }
    }

    /// Chooses, after a power cut, the newest copy of each unit and the blocks to use: a block whose merge was not
    /// complete is used only if it holds data that no other block has.
    fn choose_counting(&self, flash: &Flash<'_>, blocks: &mut [FoundBlock]) -> Choice {
        let mut choice = self.choose(flash, blocks);
        for at in 0..blocks.len() {
            if !blocks[at].counts && self.holds_more(flash, &blocks[at], &choice) {
                blocks[at].counts = true;
                choice = self.choose(flash, blocks);
            }
        }
        choice
    }

    /// Returns the readable units of a block found after a power cut, each with the number of the host's write of its
    /// data, the sequence number of its program, its logical unit and its physical place.
    fn units_in<'a>(
        &'a self,
        flash: &'a Flash<'a>,
        block: &'a FoundBlock,
    ) -> impl Iterator<Item = (u64, u64, Lpn, Ppa)> {
        self.readable(flash, block).flat_map(move |(_, first, label)| {
            let places = (first.0..first.0 + u64::from(self.layout().program_units)).map(Ppa);
            places.filter_map(move |ppa| {
                let (stamp, lpn) = (flash.spare.stamps[ppa.index()], Lpn(flash.spare.holders[ppa.index()]));
                (stamp != NOTHING).then_some((stamp, label.age, lpn, ppa))
            })
        })
    }

    fn choose(&self, flash: &Flash<'_>, blocks: &[FoundBlock]) -> Choice {
        let (units, program_units) = (self.layout().logical_units, self.layout().program_units);
        let mut over = vec![NOTHING; units.div_ceil(program_units) as usize];
        let counting = || blocks.iter().filter(|block| block.counts);
        for block in counting() {
            let mut pass = |position: u32, age: u64| {
                if let Some(lpn) = self.lpn_at(block.bank, block.owner, position, 0) {
                    let over = &mut over[(lpn.0 / program_units) as usize];
                    *over = age.max(*over);
                }
            };
            let in_place = self.readable(flash, block).filter(|(.., label)| label.in_place);
            in_place.for_each(|(position, _, label)| pass(position, label.age));
            if block.merged != NOTHING {
                (block.end..self.rules.group_programs).for_each(|position| pass(position, block.merged));
            }
        }
        let mut newest = vec![(NOTHING, NOTHING, Ppa::NONE); units as usize];
        for (stamp, age, lpn, ppa) in counting().flat_map(|block| self.units_in(flash, block)) {
            if age >= over[(lpn.0 / program_units) as usize]
                && (stamp, age) > (newest[lpn.index()].0, newest[lpn.index()].1)
            {
                newest[lpn.index()] = (stamp, age, ppa);
            }
        }
        Choice { over, newest }
    }

    /// Returns true when a block found after a power cut holds a newer version of some logical unit than all blocks
    /// that recovery uses so far (`choice`).
    fn holds_more(&self, flash: &Flash<'_>, block: &FoundBlock, choice: &Choice) -> bool {
        let program_units = self.layout().program_units;
        self.units_in(flash, block).any(|(stamp, age, lpn, _)| {
            age >= choice.over[(lpn.0 / program_units) as usize] && stamp > choice.newest[lpn.index()].0
        })
    }

    /// Sets, in the recovery of a block-mapped drive after a power cut, the map so that each logical unit is at the
    /// place of its newest copy, and counts the valid units of superblocks.
    fn place_newest(&mut self, flash: &Flash<'_>, choice: &Choice) {
        for superblock in 0..flash.programs.len() as u32 {
            let units = flash.programs[superblock as usize] * self.layout().program_units;
            let first = self.layout().first_ppa(superblock);
            for ppa in (first..first + u64::from(units)).map(Ppa) {
                self.media.core.store.map.assign(ppa, Lpn(flash.spare.holders[ppa.index()]));
            }
        }
        for (lpn, &(.., ppa)) in (0..).map(Lpn).zip(&choice.newest).filter(|(_, (.., ppa))| *ppa != Ppa::NONE)
        {
            self.media.core.store.map.set(lpn, ppa);
            let superblock = self.layout().superblock_of(ppa);
            self.media.core.store.space.valid[superblock as usize] += 1;
        }
    }

    /// Returns the role that recovery gives to a block found after a power cut: data block, log block, or sealed block,
    /// which takes no more data and is to be reclaimed.
    fn role_of(&self, block: &FoundBlock) -> Role {
        let is_over = block.end == 0 || block.merged != NOTHING;
        if block.condition >= Condition::Gap || !is_over {
            return Role::Sealed;
        }
        let is_torn = block.condition == Condition::Torn;
        let has_data = |group: u32| self.banks[block.bank].data[group as usize] != NONE;
        match block.owner {
            NONE => Role::Log,
            // In a data block a unit may be missing; a log block of which one is can no longer become a data block.
            group if block.in_place && (!is_torn || block.end > 0) && !has_data(group) => Role::Data,
            _ if block.in_place && is_torn => Role::Sealed,
            _ => Role::Log,
        }
    }

    /// Adds a block found after a power cut to its bank (set of dies), with its role; a block without valid units is
    /// not added, so that its superblocks are erased.
    fn put_block(&mut self, mut found: FoundBlock) {
        let there = || found.members.iter().filter(|superblock| **superblock != NONE);
        let valid: u32 =
            there().map(|&superblock| self.media.core.store.space.valid[superblock as usize]).sum();
        if valid == 0 {
            return;
        }
        let role = self.role_of(&found);
        let role =
            if role == Role::Sealed || self.complete_members(&mut found) { role } else { Role::Sealed };
        let FoundBlock { bank, serial, owner, next, .. } = found;
        let state = &mut self.banks[bank];
        let block = state.take_unused();
        for (member, &superblock) in found.members.iter().enumerate() {
            state.members[block as usize * self.rules.span as usize + member] = superblock;
            if superblock != NONE {
                self.block_of[superblock as usize] = block;
                if role == Role::Log {
                    self.media.core.store.space.state[superblock as usize] = SuperblockState::Open;
                }
            }
        }
        state.clock = state.clock.max(found.last);
        let in_place = found.in_place && found.condition == Condition::Whole;
        let failing = found.condition == Condition::Failing;
        let used = found.last;
        state.blocks[block as usize] =
            Block { role, owner, next, in_place, failing, valid, used, serial, ..Block::UNUSED };
        match role {
            Role::Data => drop(state.set_data(owner, block)),
            Role::Log => state.logs.push(block),
            // A drive with a dead die moves nothing any more.
            _ if self.media.core.store.dead.from_start != NONE => {}
            _ => {
                let origin = if failing { Origin::Rescue } else { Origin::Gc };
                state.merging.reclaim.push_back((block, origin));
            }
        }
    }

    /// Gives a block found after a power cut a free superblock on each die where it has no readable one. Returns false
    /// when a die has no free superblock.
    fn complete_members(&mut self, block: &mut FoundBlock) -> bool {
        let (first_die, space) = (self.banks[block.bank].first_die, &mut self.media.core.store.space);
        let missing: Vec<usize> =
            (0..block.members.len()).filter(|member| block.members[*member] == NONE).collect();
        if missing.iter().any(|&member| space.dies[first_die as usize + member].free.is_empty()) {
            return false;
        }
        for member in missing {
            let die = first_die as usize + member;
            let within = space.take_free(die).expect("seen above");
            let superblock = space.global(die, within);
            space.state[superblock] = SuperblockState::Closed;
            block.members[member] = superblock as u32;
        }
        true
    }
}
