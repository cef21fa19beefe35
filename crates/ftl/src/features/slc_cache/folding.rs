//! When superblocks with one bit a cell are folded, and which.

use super::SlcCache;
use crate::core::Core;
use crate::features::Feature;
use crate::slc_cache::WhenFull;
use crate::store::{NONE, SuperblockState};
use controller::Origin;

impl SlcCache {
    /// Returns true while the host may write to the die only as many units as folding (moving data out of SLC mode into
    /// cells with all bits) frees.
    pub(super) fn is_pacing(&self, core: &Core, die: usize) -> bool {
        let folding = &core.folding[die];
        self.when_full == WhenFull::FoldFirst && folding.mover.has_victim() && !folding.background
    }

    /// Returns true if the die must erase superblocks of the SLC cache and give them to other data, because the cache
    /// uses more than its reserved superblocks and other data need the space. Superblocks that are already being folded
    /// for this purpose are left out.
    pub(super) fn is_crowded(&self, core: &Core, die: usize) -> bool {
        let kept = self.dies[die].superblocks - core.folding[die].mover.returning();
        kept > self.reserved
            && core.store.space.dies[die].live + core.store.layout.program_units
                > core.quota_beside(die, kept)
    }

    /// Begins to fold (move into cells with all bits) the oldest full superblock in SLC mode of a die, from page row
    /// `rows` on, and returns the superblock's number within the die; `None` if no full superblock waits.
    pub(super) fn take_oldest(&mut self, core: &mut Core, die: usize, rows: u32) -> Option<u32> {
        let superblock = self.dies[die].waiting.pop_front()?;
        let folding = &mut core.folding[die];
        folding.mover.take(superblock, Origin::Fold);
        folding.mover.next_row = rows;
        folding.pace.credit = 0.0;
        let global = core.store.space.global(die, superblock);
        core.store.space.state[global] = SuperblockState::Victim;
        self.dies[die].failed -= u32::from(core.store.space.failing[global]);
        Some(superblock)
    }

    /// Closes the die's open superblock in SLC mode before it is full, if the SLC cache must give up superblocks to
    /// other data and no full one is left to be folded (moved into cells with all bits).
    pub(super) fn close_open(&mut self, core: &mut Core, die: usize) {
        let frontier = core.store.space.dies[die].one_bit();
        let superblock = frontier.superblock;
        let last = self.dies[die].waiting.is_empty() && superblock != NONE && frontier.filled == 0;
        if !last || !self.is_crowded(core, die) {
            return;
        }
        let global = core.store.space.global(die, superblock);
        core.store.space.dies[die].one_bit_mut().superblock = NONE;
        core.store.space.state[global] = SuperblockState::Closed;
        if core.store.space.in_flight[global] == 0 {
            self.closes_one_bit(core, die, superblock);
        }
    }
}
