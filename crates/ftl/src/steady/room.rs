//! Where there is room for units that are written or moved without simulated time.

use super::untimed::TURNS_MOST;
use crate::core::Core;

/// Implements, for the core state of a drive, checks of free space during preconditioning without simulated time, which
/// change nothing.
impl Core {
    /// Returns true if, during preconditioning without simulated time, more superblocks were erased since the host last
    /// wrote a unit than any useful garbage collection needs: the drive is stuck.
    #[inline]
    pub fn turns_in_vain(&self) -> bool {
        self.erased_in_a_row > TURNS_MOST * u64::from(self.store.space.per_die)
    }

    /// Returns true when a write stream may open a superblock for host data as in [`Self::has_own_room`] and, where
    /// several write streams take moved data, space to pad their programs remains. Called seldom: once for each
    /// superblock, unless host data and moved data share superblocks.
    #[inline(never)]
    pub(super) fn has_room_to_open_untimed(&self, die: usize, stream: usize) -> bool {
        self.has_own_room(die, stream)
            && (self.assembly.streams.spare() == 0
                || self.has_room_untimed(die, 2 * self.store.layout.data_units()))
    }

    /// Returns true when a die has space to move `units` units by garbage collection. Where several write streams take
    /// moved units, space to pad each stream's program is included.
    pub fn has_room_untimed(&self, die: usize, units: u32) -> bool {
        let layout = &self.store.layout;
        let kept = match self.assembly.streams.moved_count() {
            1 => 0,
            streams => self.assembly.streams.unusable_units() + streams * layout.program_units,
        };
        self.assembly.streams.moving_left(&self.store, die) + self.free_superblocks(die) * layout.data_units()
            >= units + kept
    }
}
