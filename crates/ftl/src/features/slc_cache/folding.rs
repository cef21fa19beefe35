//! When superblocks with one bit a cell are folded, and which.

use super::SlcCache;
use crate::core::Core;
use crate::slc_cache::WhenFull;
use crate::store::{NONE, SLC, SuperblockState};
use controller::Origin;

/// Superblocks that are read completely, or are being erased, when no further one is taken: one whose data are being
/// written and one that is being erased keep the die busy.
const RETURNING_MAX: u32 = 2;

impl SlcCache {
    /// Something is there to be folded.
    pub(super) fn has_work(&self, core: &Core, die: usize) -> bool {
        let mover = &core.folding[die].mover;
        mover.has_victim() || !self.dies[die].waiting.is_empty() || !mover.waiting.is_empty()
    }

    /// True when the die should fold: it is idle, a program failed, or the host has no room without it.
    pub(super) fn must_fold(&self, core: &Core, die: usize) -> bool {
        core.folding[die].background
            || self.dies[die].failed > 0
            || self.is_crowded(core, die)
            || (self.when_full == WhenFull::FoldFirst && !self.may_open(core, die))
    }

    /// True when data need the superblocks that the cache has beyond its own, without the ones that are on their way back.
    fn is_crowded(&self, core: &Core, die: usize) -> bool {
        let kept = self.dies[die].superblocks - core.folding[die].mover.returning();
        kept > self.reserved
            && core.store.space.dies[die].live + core.store.layout.program_units
                > core.quota_beside(die, kept)
    }

    /// True when data wait that the host may write here, having earned it: else folding, which is told first that a
    /// program is done, would take every place until its superblock is folded.
    pub(super) fn is_for_host(&self, core: &Core, die: usize) -> bool {
        !core.folding[die].background
            && self.dies[die].failed == 0
            && core.buffer.first_queued().is_some()
            && core.is_within_quota(die)
            && self.has_room(core, die)
    }

    /// Takes the next superblock to be folded, if that is wanted.
    pub(super) fn take(&mut self, core: &mut Core, die: usize) -> bool {
        if !self.must_fold(core, die) {
            return false;
        }
        self.close_open(core, die);
        if core.folding[die].mover.returning() >= RETURNING_MAX {
            return false;
        }
        let Some(superblock) = self.take_oldest(core, die, 0) else { return false };
        let global = core.store.space.global(die, superblock);
        self.dies[die].failed -= u32::from(core.store.space.failing[global]);
        core.store.stats.slc_superblocks_folded += 1;
        core.store.stats.slc_units_folded += u64::from(core.store.space.valid[global]);
        true
    }

    /// The oldest superblock of a die is being folded, and so many of its rows are done.
    pub(super) fn take_oldest(&mut self, core: &mut Core, die: usize, rows: u32) -> Option<u32> {
        let superblock = self.dies[die].waiting.pop_front()?;
        let folding = &mut core.folding[die];
        folding.mover.take(superblock, Origin::Fold);
        folding.mover.next_row = rows;
        folding.pace.credit = 0.0;
        let global = core.store.space.global(die, superblock);
        core.store.space.state[global] = SuperblockState::Victim;
        Some(superblock)
    }

    /// Where the cache must give superblocks back and only the open one is left, that one ends early.
    fn close_open(&mut self, core: &mut Core, die: usize) {
        let frontier = &core.store.space.dies[die].frontiers[SLC];
        let superblock = frontier.superblock;
        let last = self.dies[die].waiting.is_empty() && superblock != NONE && frontier.filled == 0;
        if !last || !self.is_crowded(core, die) {
            return;
        }
        let global = core.store.space.global(die, superblock);
        core.store.space.dies[die].frontiers[SLC].superblock = NONE;
        core.store.space.state[global] = SuperblockState::Closed;
        if core.store.space.in_flight[global] == 0 {
            self.close(core, die, superblock);
        }
    }
}
