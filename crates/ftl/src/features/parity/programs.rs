//! Programs of parity, which follow the programs that they protect, and reads that count on them.

use super::{Stripes, members};
use crate::core::{Ask, Core};
use crate::lapse::Lapse;
use crate::store::{NONE, SuperblockState};
use controller::Origin;

impl Stripes {
    /// Frees the superblocks for data of a fresh drive on each die, and reserves the superblocks for parity;
    /// superblocks without a parity group stay out of use.
    pub(super) fn free_groups(&self, core: &mut Core) {
        let mut data = Vec::new();
        let mut parity = Vec::new();
        for group in 0..self.groups.len() as u32 {
            let of = &self.groups[group as usize];
            if of.parity != NONE {
                parity.push(self.place_of(group, of.parity).1);
            }
            data.extend(self.data_places(group));
        }
        for superblock in parity {
            core.store.space.state[superblock as usize] = SuperblockState::Owned;
        }
        for (die, superblock) in data {
            core.store.space.push_free(die, superblock % core.store.space.per_die);
            core.store.space.dies[die].usable += 1;
        }
    }

    /// Requests the last `due` of the parity programs counted as issued for the parity group of `superblock`.
    pub(super) fn ask_programs(&mut self, superblock: u32, due: u32, core: &mut Core) {
        if due == 0 {
            return;
        }
        let group = self.group_of(superblock);
        let of = &self.groups[group as usize];
        let (end, member) = (of.parity_written, of.parity);
        let (die, global) = self.place_of(group, member);
        let within = global % core.store.space.per_die;
        for program in end - due..end {
            let row = program * core.store.layout.program_rows;
            core.ask(Ask::Program { origin: Origin::Parity, die: die as u32, superblock: within, row });
        }
    }

    /// Records that a superblock has had `programs` programs without simulated time so far, and writes to flash,
    /// without simulated time, the parity that can follow from them.
    pub(super) fn note_written_untimed(&mut self, core: &mut Core, superblock: u32, programs: u32) {
        let due = self.note_written(superblock, programs);
        let group = self.group_of(superblock);
        let of = &self.groups[group as usize];
        if of.parity != NONE {
            let (at, rows) =
                (self.place_of(group, of.parity).1, of.parity_written * core.store.layout.program_rows);
            core.store.array.restore(at as usize, rows);
        }
        core.store.stats.units_programmed[Origin::Parity as usize] +=
            u64::from(due * core.store.layout.program_units);
    }

    /// Returns the page rows (numbered over the drive) that must be read to restore a page row of `superblock` by XOR,
    /// together with the data and parity still in RAM; `None` without parity, or if a power cut damaged another part of
    /// the stripe (page rows of all members of the parity group).
    pub(super) fn rows_that_sum_up(&self, core: &Core, superblock: u32, row: u32) -> Option<Vec<u32>> {
        if core.rules.lapses.has(Lapse::ForgetsRemedy) {
            return None;
        }
        let group = self.group_of(superblock);
        let others = members(self.beside(superblock, row)?);
        let programmed = others
            .map(|member| self.place_of(group, member).1)
            .filter(|&other| core.store.array.next_row(other as usize) > row);
        Some(programmed.map(|other| other * core.store.layout.rows + row).collect())
    }

    /// Returns true if a page row of a superblock can be restored from parity and the other members of its parity
    /// group, and none of their dies has failed; false for a superblock in SLC mode, which no parity protects.
    pub(super) fn is_given_back(&self, core: &Core, superblock: u32, row: u32) -> bool {
        let others = self.beside(superblock, row);
        let others = others.filter(|_| !core.store.space.holds_one_bit(superblock as usize));
        let mut places = others.into_iter().flat_map(|of| self.places(self.group_of(superblock), of));
        others.is_some() && places.all(|(die, _)| !core.store.dead.has(die))
    }
}
