//! What parity does at the hooks of the layer.

use super::{Remains, Stripes};
use crate::Probe;
use crate::core::{Core, Erased, Members, Remedy, SetMoment, SetPlan, Together, Wish};
use crate::features::Feature;
use crate::store::{Mark, NONE};
use controller::{Context, Origin, TimedTransaction};
use engine::RandomStream;
use nand::ProgramStatus;
use std::ops::Range;

impl Feature for Stripes {
    fn bytes(&self) -> usize {
        self.groups.len() * size_of::<super::Group>() + self.written.len() * 4
    }

    fn watches_writes(&self) -> bool {
        true
    }

    fn bars_saving(&self) -> bool {
        self.is_reclaiming()
    }

    /// Resets the recorded maximum of parity that is accumulated in RAM to the present amount when simulated time
    /// begins, so that writes of preconditioning do not count.
    fn time_begins(&mut self, _: &Core) {
        self.gathered_most = self.gathered;
    }

    fn frees(&mut self, core: &mut Core) -> bool {
        self.free_groups(core);
        true
    }

    /// Records the number of programs issued to a superblock, and requests the parity programs that can follow because
    /// all the data that they protect are known.
    fn issued(&mut self, core: &mut Core, superblock: u32, programs: u32) {
        let due = self.note_written(superblock, programs);
        self.ask_programs(superblock, due, core);
    }

    fn superblock_ended(&mut self, core: &mut Core, superblock: u32) {
        let due = self.note_ended(superblock);
        self.ask_programs(superblock, due, core);
    }

    fn died(&mut self, core: &mut Core, superblock: u32) {
        let (group, bit) = (self.group_of(superblock), 1 << self.member_of(superblock));
        if self.data_members(group) & !self.groups[group as usize].ended & bit != 0 {
            self.superblock_ended(core, superblock); // The parity of the others does not wait for it.
        }
    }

    fn emptied<P: Probe>(&mut self, core: &mut Core, superblock: u32, ctx: &mut Context<P>) -> bool {
        let (die, within) = core.store.space.place_of(superblock);
        let is_member = !core.store.space.holds_one_bit(superblock as usize);
        if is_member && core.collections[die].mover.is_pending(within) {
            self.empty_member(core, superblock, ctx);
        }
        is_member
    }

    fn programmed_own<P: Probe>(
        &mut self,
        core: &mut Core,
        superblock: u32,
        status: ProgramStatus,
        ctx: &mut Context<P>,
    ) {
        self.end_parity_program(core, superblock, status, ctx);
    }

    fn is_torn(&self, superblock: u32, row: u32) -> bool {
        self.is_torn_row(superblock, row)
    }

    /// Keeps the parity group of a superblock from being erased until the data of a failed read in it are restored.
    fn pinned(&mut self, superblock: u32) {
        let group = self.group_of(superblock);
        self.groups[group as usize].pins += 1;
    }

    fn unpinned<P: Probe>(&mut self, core: &mut Core, superblock: u32, ctx: &mut Context<P>) {
        let group = self.group_of(superblock);
        self.groups[group as usize].pins -= 1;
        self.erase_group(core, group, ctx);
    }

    fn rows_beside(&self, core: &Core, superblock: u32, row: u32) -> Option<Vec<u32>> {
        self.rows_that_sum_up(core, superblock, row)
    }

    fn unreadable(&mut self, core: &mut Core, read: &TimedTransaction) -> Option<Remedy> {
        self.rebuild(core, read)
    }

    fn reread(&mut self, read: &TimedTransaction) -> Option<(TimedTransaction, bool)> {
        self.note_reread(read)
    }

    fn gives_back(&self, core: &Core, superblock: u32, row: u32) -> bool {
        self.is_given_back(core, superblock, row)
    }

    fn protects(&self, superblock: u32) -> bool {
        self.groups[self.group_of(superblock) as usize].parity != NONE
    }

    fn torn(&mut self, core: &Core, rows: &[(u32, u32)], lost: &mut Vec<(u32, u32)>) {
        let next_row = |superblock: u32| core.store.array.next_row(superblock as usize);
        lost.extend(self.tear(&Remains { layout: &core.store.layout, torn: rows, next_row: &next_row }));
    }

    fn rows_to_read(&self, core: &Core, rows: &mut Vec<(u32, u32)>) {
        rows.extend(self.rows_to_sum(&core.store.layout));
    }

    fn holds_data(&mut self, core: &mut Core, superblock: u32, mark: &Mark) -> bool {
        self.holds_data_of(core, superblock, mark)
    }

    fn takes_more(&self, superblock: u32) -> bool {
        !self.is_ended(superblock)
    }

    fn takes_no_more(&mut self, superblock: u32) {
        self.end_found(superblock);
    }

    fn all_told(&mut self, core: &mut Core) {
        self.free_found(core);
    }

    fn map_found(&mut self, core: &mut Core) {
        for group in 0..self.groups.len() as u32 {
            self.catch_up_with(core, group);
        }
        self.move_torn(core);
    }

    fn dies_beside(&self, die: usize) -> Option<Range<usize>> {
        Some(self.dies_of(self.set_of(die)))
    }

    fn asks_anew(&mut self, core: &Core, superblock: u32, origin: Origin) -> bool {
        self.ask_anew(core, superblock, origin)
    }

    fn rescues(&mut self, superblock: u32) {
        self.ask(self.group_of(superblock), Origin::Rescue);
    }

    fn relocates(&mut self, superblock: u32) {
        self.ask(self.group_of(superblock), Origin::Wear);
    }

    fn wishes(&mut self, core: &mut Core, die: usize, wish: &Wish<'_>) {
        self.ask_forced(core, die);
        self.ask_victim(core, die, wish);
    }

    fn asked_together(&self, core: &Core, die: usize, at: usize) -> Option<Together> {
        self.asked(core, die, at)
    }

    fn none_fits(&mut self, core: &Core, die: usize) {
        self.forget_hopeless(core, die);
    }

    fn begins_together(&mut self, die: usize, at: usize) {
        self.begin_group(die, at);
    }

    fn takes_member(&mut self, core: &mut Core, die: usize, superblock: u32) -> bool {
        self.take(core, die, superblock)
    }

    fn moves_member(&mut self, superblock: u32) {
        self.count_taken(superblock);
    }

    fn erased_member(&mut self, core: &mut Core, superblock: u32, erased: Erased) {
        self.note_erased_member(core, superblock, erased);
    }

    fn erased_last(&mut self, core: &mut Core, superblock: u32) -> bool {
        self.count_erased(core, superblock)
    }

    fn gives_members_back(&mut self, core: &mut Core, superblock: u32) -> Option<Vec<(usize, u32)>> {
        Some(self.give_back_group(core, self.group_of(superblock)))
    }

    fn members_of(&self, superblock: u32, which: Members) -> Option<Vec<(usize, u32)>> {
        let group = self.group_of(superblock);
        let of = match which {
            Members::All => self.groups[group as usize].alive,
            Members::WithData => self.data_members(group),
        };
        Some(self.places(group, of).collect())
    }

    fn wrote_untimed(&mut self, core: &mut Core, superblock: u32, programs: u32) {
        self.note_written_untimed(core, superblock, programs);
    }

    fn moment_together(&self, core: &Core, worn: u32) -> Option<SetMoment> {
        Some(self.moment(core, worn))
    }

    fn plans_together(
        &self,
        core: &mut Core,
        set: usize,
        moment: &SetMoment,
        random: &mut RandomStream,
    ) -> Option<Result<SetPlan, String>> {
        Some(self.plan_groups(core, set, moment, random))
    }

    fn begins_built(&mut self, core: &mut Core, groups: &[u32]) {
        self.begin_built_groups(core, groups);
    }
}
