//! Parity without time: groups reclaimed while a drive is filled and overwritten fast.

use crate::core::Core;
use crate::media::Media;
use crate::store::{Frontier, NONE};
use controller::Origin;

impl Core {
    /// Takes no more data into a superblock that may be open.
    pub fn close_untimed(&mut self, die: usize, superblock: u32) {
        let (layout, space) = (&self.store.layout, &mut self.store.space);
        let within = superblock % space.per_die;
        if let Some(open) = space.dies[die].frontiers.iter_mut().find(|open| open.superblock == within) {
            let units = open.next_unit.next_multiple_of(layout.program_units);
            *open = Frontier::CLOSED;
            self.store.array.restore(superblock as usize, units / layout.row_units);
        }
    }
}

impl Media {
    /// So many programs of a superblock were written.
    pub fn note_written_untimed(&mut self, superblock: u32, programs: u32) {
        let Some(stripes) = &mut self.guards.parity else { return };
        let due = stripes.note_written(superblock, programs);
        let group = stripes.group_of(superblock);
        let of = &stripes.groups[group as usize];
        if of.parity != NONE {
            let (at, rows) = (
                stripes.place_of(group, of.parity).1,
                of.parity_written * self.core.store.layout.program_rows,
            );
            self.core.store.array.restore(at as usize, rows);
        }
        self.core.store.stats.units_programmed[Origin::Parity as usize] +=
            u64::from(due * self.core.store.layout.program_units);
    }

    /// Moves what is valid in the group of `superblock` and erases it; false when some die has no room for its part.
    pub fn reclaim_group_untimed(&mut self, superblock: u32, origin: Origin) -> bool {
        let stripes = self.stripes();
        let group = stripes.group_of(superblock);
        let places: Vec<(usize, u32)> = stripes.data_places(group).collect();
        if !places.iter().all(|&(die, part)| self.core.has_room_untimed(die, self.core.units_of_member(part)))
        {
            return false;
        }
        self.core.erased_in_a_row += 1;
        for &(die, superblock) in &places {
            self.core.close_untimed(die, superblock);
            self.take_from_group(die, superblock);
        }
        for &(die, superblock) in &places {
            self.move_all_untimed(die, superblock, origin);
        }
        for superblock in self.stripes().superblocks_of(group).collect::<Vec<_>>() {
            if self.core.store.array.next_row(superblock as usize) > 0 {
                self.erase_member((superblock / self.core.store.space.per_die) as usize, superblock, origin);
            }
        }
        let freed = self.give_back(group);
        if origin != Origin::Wear {
            for (die, superblock) in freed {
                let space = &mut self.core.store.space;
                if let Some(cold) = space.pick_relocation(die, superblock % space.per_die) {
                    let cold = space.global(die, cold) as u32;
                    self.reclaim_group_untimed(cold, Origin::Wear);
                }
            }
        }
        true
    }
}
