//! Parity without time: groups reclaimed while a drive is filled and overwritten fast.

use crate::guards::members;
use crate::pages::PageMapped;
use crate::store::{Frontier, NONE, SuperblockState};
use controller::Origin;

impl PageMapped {
    /// So many programs of a superblock were written.
    pub(crate) fn note_written_untimed(&mut self, superblock: u32, programs: u32) {
        let Some(stripes) = &mut self.media.guards.parity else { return };
        let due = stripes.note_written(superblock, programs);
        let group = stripes.group_of(superblock);
        let of = &stripes.groups[group as usize];
        if of.parity != NONE {
            let (at, rows) = (
                stripes.place_of(group, of.parity).1,
                of.parity_written * self.media.store.layout.program_rows,
            );
            self.media.store.array.restore(at as usize, rows);
        }
        self.media.store.stats.units_programmed[Origin::Parity as usize] +=
            u64::from(due * self.media.store.layout.program_units);
    }

    /// Moves what is valid in the group of `superblock` and erases it; false when some die has no room for its part.
    pub(crate) fn reclaim_group_untimed(&mut self, superblock: u32, origin: Origin) -> bool {
        let Some(stripes) = &self.media.guards.parity else { return false };
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
        let stripes = self.media.guards.parity.as_mut().expect("seen above");
        stripes.groups[group as usize].taken = taken;
        let used: Vec<u32> = stripes
            .superblocks_of(group)
            .filter(|&superblock| self.media.store.array.next_row(superblock as usize) > 0)
            .collect();
        for superblock in used {
            self.media.store.stats.blocks_erased[origin as usize] +=
                u64::from(self.media.store.layout.planes);
            self.media.erase_member((superblock / self.media.store.space.per_die) as usize, superblock);
        }
        let freed = self.media.give_back(group);
        if origin != Origin::Wear {
            for (die, superblock) in freed {
                if let Some(cold) =
                    self.media.store.space.pick_relocation(die, superblock % self.media.store.space.per_die)
                {
                    let cold = self.media.store.space.global(die, cold) as u32;
                    self.reclaim_group_untimed(cold, Origin::Wear);
                }
            }
        }
        true
    }

    fn has_room_for_part(&self, die: usize, superblock: u32) -> bool {
        match self.media.store.space.state[superblock as usize] {
            // It gives up the rest of its room, or leaves the free ones for a while.
            SuperblockState::Open | SuperblockState::Free => {
                self.has_room_untimed(die, self.media.store.layout.data_units())
            }
            _ => self.has_room_untimed(die, self.media.store.space.valid[superblock as usize]),
        }
    }

    /// Takes one superblock of a group out of use; gives its bit.
    fn take_part_untimed(&mut self, die: usize, superblock: u32) -> u64 {
        let (at, within) = (superblock as usize, superblock % self.media.store.space.per_die);
        match self.media.store.space.state[at] {
            SuperblockState::Free => self.media.store.space.withdraw_free(die, within),
            SuperblockState::Open => {
                let frontiers = &mut self.media.store.space.dies[die].frontiers;
                let open = frontiers.iter_mut().find(|open| open.superblock == within).expect("it is open");
                let units = open.next_unit.next_multiple_of(self.media.store.layout.program_units);
                *open = Frontier::CLOSED;
                self.media.store.array.restore(at, units / self.media.store.layout.row_units);
            }
            _ => self.media.store.space.take(die, within),
        }
        self.media.store.space.state[at] = SuperblockState::Victim;
        1 << self.media.guards.parity.as_ref().expect("a group was named").member_of(superblock)
    }
}
