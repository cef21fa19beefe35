//! Parity without time: groups reclaimed while a drive is filled and overwritten fast.

use super::stripes::members;
use crate::PageMapped;
use crate::space::{Frontier, NONE, SuperblockState};
use controller::Origin;

impl PageMapped {
    /// So many programs of a superblock were written.
    pub(crate) fn note_written_untimed(&mut self, superblock: u32, programs: u32) {
        let Some(stripes) = &mut self.parity else { return };
        let due = stripes.note_written(superblock, programs);
        let group = stripes.group_of(superblock);
        let of = &stripes.groups[group as usize];
        if of.parity != NONE {
            let (at, rows) =
                (stripes.place_of(group, of.parity).1, of.parity_written * self.layout.program_rows);
            self.array.restore(at as usize, rows);
        }
        self.stats.units_programmed[Origin::Parity as usize] += u64::from(due * self.layout.program_units);
    }

    /// Moves what is valid in the group of `superblock` and erases it; false when some die has no room for its part.
    pub(crate) fn reclaim_group_untimed(&mut self, superblock: u32, origin: Origin) -> bool {
        let Some(stripes) = &self.parity else { return false };
        let group = stripes.group_of(superblock);
        let places: Vec<(usize, u32)> =
            members(stripes.data_members(group)).map(|member| stripes.place_of(group, member)).collect();
        if !places.iter().all(|&(die, superblock)| self.has_room_for_part(die, superblock)) {
            return false;
        }
        let mut taken = 0;
        for &(die, superblock) in &places {
            taken |= self.take_part_untimed(die, superblock);
        }
        for &(die, superblock) in &places {
            self.move_all_untimed(die, superblock, origin);
        }
        let stripes = self.parity.as_mut().expect("seen above");
        stripes.groups[group as usize].taken = taken;
        let used: Vec<u32> = stripes
            .superblocks_of(group)
            .filter(|&superblock| self.array.next_row(superblock as usize) > 0)
            .collect();
        for superblock in used {
            self.stats.blocks_erased[origin as usize] += u64::from(self.layout.planes);
            self.erase_member((superblock / self.space.per_die) as usize, superblock);
        }
        let freed = self.give_back(group);
        if origin != Origin::Wear {
            for (die, superblock) in freed {
                if let Some(cold) = self.space.pick_relocation(die, superblock % self.space.per_die) {
                    let cold = self.space.global(die, cold) as u32;
                    self.reclaim_group_untimed(cold, Origin::Wear);
                }
            }
        }
        true
    }

    fn has_room_for_part(&self, die: usize, superblock: u32) -> bool {
        match self.space.state[superblock as usize] {
            // It gives up the rest of its room, or leaves the free ones for a while.
            SuperblockState::Open | SuperblockState::Free => {
                self.has_room_untimed(die, self.layout.data_units())
            }
            _ => self.has_room_untimed(die, self.space.valid[superblock as usize]),
        }
    }

    /// Takes one superblock of a group out of use; gives its bit.
    fn take_part_untimed(&mut self, die: usize, superblock: u32) -> u64 {
        let (at, within) = (superblock as usize, superblock % self.space.per_die);
        match self.space.state[at] {
            SuperblockState::Free => self.space.withdraw_free(die, within),
            SuperblockState::Open => {
                let frontiers = &mut self.space.dies[die].frontiers;
                let open = frontiers.iter_mut().find(|open| open.superblock == within).expect("it is open");
                let units = open.next_unit.next_multiple_of(self.layout.program_units);
                *open = Frontier::CLOSED;
                self.array.restore(at, units / self.layout.row_units);
            }
            _ => self.space.take(die, within),
        }
        self.space.state[at] = SuperblockState::Victim;
        1 << self.parity.as_ref().expect("a group was named").member_of(superblock)
    }
}
