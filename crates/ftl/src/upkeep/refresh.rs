//! Data written anew before they are lost, superblock by superblock: because of their age, or of what a patrol found.

use crate::agenda::Work;
use crate::core::Core;
use engine::Calendar;
use units::Nanos;

/// Constant: least time after which a superblock that is due for refresh but could not be moved is checked again: its
/// last programs were in flight, or garbage collection was filling it.
const SOON: Nanos = Nanos::new(1_000_000);

impl Core {
    /// Returns true when an open superblock may be closed before it is full, because garbage collection does not rely
    /// on its free space.
    pub fn can_close(&self, die: usize, superblock: u32) -> bool {
        let frontiers = &self.store.space.dies[die].frontiers;
        let filled =
            self.assembly.streams.of_moved().any(|stream| frontiers[stream].superblock == superblock);
        let in_hand = self.collections[die].reserved_units(&self.store.space, die);
        !filled || (in_hand == 0 && self.store.space.dies[die].free.len() as u32 > self.rules.spare)
    }

    /// Schedules a later check of a superblock that is due for refresh (its data are old) and whose units could not be
    /// moved now.
    pub fn look_again(&mut self, superblock: u32, calendar: &mut Calendar) {
        if self.is_written_anew(superblock) {
            let soon = calendar.now() + self.rules.rewrite_after.max(SOON);
            self.enter_upkeep(soon, Work::Refresh(superblock), calendar);
        }
    }
}
