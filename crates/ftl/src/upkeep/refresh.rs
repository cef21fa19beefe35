//! Data written anew before they are lost, superblock by superblock: because of their age, or of what a patrol found.

use crate::agenda::Work;
use crate::core::Core;
use engine::Calendar;
use units::Nanos;

/// Time after which a superblock that cannot be moved yet is looked at again: its last programs are in flight, or a
/// collection fills it.
const SOON: Nanos = Nanos::new(1_000_000);

impl Core {
    /// True when collections do not need the rest of an open superblock: they count on the free space in the one that
    /// they fill.
    pub fn can_close(&self, die: usize, superblock: u32) -> bool {
        let frontiers = &self.store.space.dies[die].frontiers;
        let filled =
            self.assembly.streams.of_moved().any(|stream| frontiers[stream].superblock == superblock);
        let in_hand = self.collections[die].reserved_units(&self.store.space, die);
        !filled || (in_hand == 0 && self.store.space.dies[die].free.len() as u32 > self.rules.spare)
    }

    /// Looks again later at a superblock that is due and could not be moved.
    pub fn look_again(&mut self, superblock: u32, calendar: &mut Calendar) {
        if self.is_written_anew(superblock) {
            let soon = calendar.now() + self.rules.rewrite_after.max(SOON);
            self.enter_upkeep(soon, Work::Refresh(superblock), calendar);
        }
    }
}
