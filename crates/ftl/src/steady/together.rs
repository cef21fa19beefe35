//! Superblocks that are reclaimed together, while a drive is filled and overwritten fast.

use crate::core::{Core, Members};
use crate::media::Media;
use crate::store::Frontier;
use controller::Origin;

impl Media {
    /// Reclaims a superblock together with the other superblocks of its parity group without simulated time: moves
    /// their valid units and erases them. Returns false when a die has no space for its units.
    pub fn reclaim_together_untimed(&mut self, superblock: u32, origin: Origin) -> bool {
        let places = self.features.members_of(superblock, Members::WithData).unwrap_or_default();
        let fits =
            |&(die, part): &(usize, u32)| self.core.has_room_untimed(die, self.core.units_of_member(part));
        if !places.iter().all(fits) {
            return false;
        }
        self.core.erased_in_a_row += 1;
        for &(die, superblock) in &places {
            self.core.close_untimed(die, superblock);
            self.features.takes_member(&mut self.core, die, superblock);
        }
        for &(die, superblock) in &places {
            self.move_all_untimed(die, superblock, origin);
        }
        for (die, superblock) in self.features.members_of(superblock, Members::All).unwrap_or_default() {
            if self.core.store.array.next_row(superblock as usize) > 0 {
                self.erase_member(die, superblock, origin);
            }
        }
        let freed = self.give_back(superblock);
        if origin != Origin::Wear {
            for (die, superblock) in freed {
                let space = &mut self.core.store.space;
                if let Some(cold) = space.pick_relocation(die, superblock % space.per_die) {
                    let cold = space.global(die, cold) as u32;
                    self.reclaim_together_untimed(cold, Origin::Wear);
                }
            }
        }
        true
    }
}

impl Core {
    /// Closes a superblock of a die if it is open, so that it takes no more data, without simulated time.
    fn close_untimed(&mut self, die: usize, superblock: u32) {
        let (layout, space) = (&self.store.layout, &mut self.store.space);
        let within = superblock % space.per_die;
        if let Some(open) = space.dies[die].frontiers.iter_mut().find(|open| open.superblock == within) {
            let units = open.next_unit.next_multiple_of(layout.program_units);
            *open = Frontier::CLOSED;
            self.store.array.restore(superblock as usize, units / layout.row_units);
        }
    }
}
