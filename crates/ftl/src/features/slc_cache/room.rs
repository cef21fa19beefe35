//! Which superblocks hold one bit a cell, and whether the host may write there.

use super::SlcCache;
use crate::core::Core;
use crate::slc_cache::{CacheView, WhenFull};
use crate::store::{NONE, SLC, SuperblockState};

impl SlcCache {
    /// The first of the cache's own superblocks of a die, which stand last.
    pub(super) fn first_of_own(&self) -> u32 {
        if self.own.is_some() { self.shape.superblocks.saturating_sub(self.reserved) } else { NONE }
    }

    /// Gives the cache the superblocks that stand apart for it: the last ones of each die.
    pub(super) fn free_own(&mut self, core: &mut Core) {
        let (reserved, Some(own)) = (self.reserved, &mut self.own) else { return };
        let (per_die, array) = (core.store.layout.superblocks_per_die, &core.store.array);
        for (die, own) in own.iter_mut().enumerate() {
            let first = per_die.saturating_sub(reserved);
            own.extend((first..per_die).rev().filter(|&superblock| array.is_whole(die as u32, superblock)));
            for &superblock in own.iter() {
                let global = core.store.space.global(die, superblock);
                core.store.space.state[global] = SuperblockState::Free;
            }
        }
    }

    /// True when another superblock of the die may be opened with one bit a cell.
    pub(super) fn may_open(&self, core: &Core, die: usize) -> bool {
        if let Some(own) = &self.own {
            return !own[die].is_empty();
        }
        let (count, space) = (self.dies[die].superblocks, &core.store.space.dies[die]);
        if space.free.is_empty() || count < self.reserved {
            return !space.free.is_empty();
        }
        let useful = core.useful_units();
        let room = core.quota_beside(die, self.reserved).saturating_sub(space.live);
        let view = CacheView { shape: self.shape, spare: room / useful };
        // What the host may write into it must find room once it is folded, with one superblock fewer.
        let holds = core.store.layout.slc_units() + core.store.layout.program_units;
        count < self.policy.most(&view)
            && core.free_superblocks(die) > core.rules.foreground_limit + 2 + core.rules.spare
            && space.live + holds <= core.quota_beside(die, count + 1)
    }

    /// A further superblock may be opened after the next.
    pub(super) fn may_open_another(&self, die: usize) -> bool {
        match &self.own {
            Some(own) => own[die].len() > 1,
            None => self.dies[die].superblocks + 1 < self.reserved,
        }
    }

    /// True while the host writes only as much as folding gives back.
    fn is_pacing(&self, core: &Core, die: usize) -> bool {
        let folding = &core.folding[die];
        self.when_full == WhenFull::FoldFirst && folding.mover.has_victim() && !folding.background
    }

    /// True when the host may write a program unit there.
    pub(super) fn has_room(&self, core: &Core, die: usize) -> bool {
        if core.store.space.dies[die].frontiers[SLC].superblock == NONE {
            return self.may_open(core, die);
        }
        !self.is_pacing(core, die) || core.folding[die].pace.credit >= 0.0 || self.may_open(core, die)
    }

    /// Opens a superblock for the host's data.
    pub(super) fn open(&mut self, core: &mut Core, die: usize) -> bool {
        let opened = match self.own.as_mut().map(|own| own[die].pop()) {
            None => core.store.space.open(die, SLC),
            Some(own) => own.is_some_and(|superblock| core.store.space.begin(die, SLC, superblock)),
        };
        let superblock = core.store.space.dies[die].frontiers[SLC].superblock;
        if opened {
            let global = core.store.space.global(die, superblock);
            self.add(die, global, &mut core.store.space);
            core.update_quota(die);
        }
        opened
    }

    /// The host's unit went to a stream: counted, and paid for.
    pub(super) fn count_unit(&mut self, core: &mut Core, die: usize, stream: usize) {
        if stream != SLC {
            core.store.stats.slc_units_bypassed += 1;
            return;
        }
        if self.is_pacing(core, die) {
            core.folding[die].pace.credit -= 1.0;
        }
        core.store.stats.slc_units_written += 1;
    }

    /// A full superblock with one bit a cell has no programs in flight: it waits to be folded.
    pub(super) fn close(&mut self, core: &mut Core, die: usize, superblock: u32) {
        let global = core.store.space.global(die, superblock);
        core.store.space.closed_at[global] = core.store.space.dies[die].clock;
        let of = &mut self.dies[die];
        if core.store.space.failing[global] {
            of.failed += 1;
            of.waiting.push_front(superblock);
        } else {
            of.waiting.push_back(superblock);
        }
    }

    /// A superblock was erased, and can be written again: true when it is one of the cache's own.
    pub(super) fn keep(&mut self, core: &mut Core, die: usize, superblock: u32) -> bool {
        let global = core.store.space.global(die, superblock);
        let Some(own) = &mut self.own else { return false };
        own[die].push(superblock);
        core.store.space.state[global] = SuperblockState::Free;
        true
    }

    /// A superblock with one bit a cell was erased: it is one of all again.
    pub(super) fn give_back(&mut self, core: &mut Core, die: usize, global: usize) {
        core.store.space.one_bit[global] = false;
        self.dies[die].superblocks -= 1;
        self.in_use -= 1;
        self.tell(die, &mut core.store.space);
        core.store.stats.slc_blocks_erased += u64::from(core.store.layout.planes);
        core.update_quota(die);
    }

    /// What a die's part is doing, for messages.
    pub(super) fn describe(&self, core: &Core, die: usize) -> String {
        let (of, folding) = (&self.dies[die], &core.folding[die]);
        format!(
            "; one bit a cell: {} superblocks of {} reserved, {} wait, {}, credit {}",
            of.superblocks,
            self.reserved,
            of.waiting.len(),
            folding.mover.describe(),
            folding.pace.credit,
        )
    }
}
