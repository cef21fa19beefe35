//! What the cache does at the hooks of the layer.

use super::SlcCache;
use crate::core::{Core, Folding};
use crate::features::Feature;
use crate::slc_cache::{CacheView, WhenFull};
use crate::store::{NONE, SuperblockState};
use units::Nanos;

/// Constant: limit for a die's superblocks in SLC mode that folding has read and that are not free yet; at this number
/// folding takes no further superblock, because two keep the die busy.
const RETURNING_MAX: u32 = 2;

impl Feature for SlcCache {
    /// Prepares the flash bookkeeping of a new drive for SLC mode: no superblock is in SLC mode, and no die folds
    /// (moves data out of SLC mode).
    fn made(&mut self, core: &mut Core) {
        core.store.space.one_bit = vec![false; core.store.space.state.len()];
        core.folding = self.dies.iter().map(|_| Folding::new()).collect();
        (0..self.dies.len()).for_each(|die| self.tell(die, &mut core.store.space));
    }

    fn uses_one_bit(&self) -> bool {
        true
    }

    fn frees_own(&mut self, core: &mut Core) {
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

    fn takes_hosts(&self, core: &Core, die: usize) -> bool {
        if core.store.space.dies[die].one_bit().superblock == NONE {
            return self.may_open_one_bit(core, die);
        }
        !self.is_pacing(core, die) || core.folding[die].pace.credit >= 0.0 || self.may_open_one_bit(core, die)
    }

    /// Returns true if host data may bypass the SLC cache on the die: because the settings say so, or because no
    /// superblock is in SLC mode there whose folding could free space.
    fn lets_pass(&self, die: usize) -> bool {
        self.when_full == WhenFull::Bypass || self.dies[die].superblocks == 0
    }

    fn opens_one_bit(&mut self, core: &mut Core, die: usize) -> bool {
        let stream = core.store.space.one_bit_stream;
        let opened = match self.own.as_mut().map(|own| own[die].pop()) {
            None => core.store.space.open(die, stream),
            Some(own) => own.is_some_and(|superblock| core.store.space.begin(die, stream, superblock)),
        };
        let superblock = core.store.space.dies[die].one_bit().superblock;
        if opened {
            let global = core.store.space.global(die, superblock);
            self.add(die, global, &mut core.store.space);
            core.update_quota(die);
        }
        opened
    }

    fn wrote_host_unit(&mut self, core: &mut Core, die: usize, stream: usize) {
        if !core.store.space.is_one_bit(stream) {
            core.store.stats.slc_units_bypassed += 1;
            return;
        }
        if self.is_pacing(core, die) {
            core.folding[die].pace.credit -= 1.0;
        }
        core.store.stats.slc_units_written += 1;
    }

    /// Queues a full superblock in SLC mode without programs in flight for folding (the move into cells with all bits);
    /// one on which a program failed goes first.
    fn closes_one_bit(&mut self, core: &mut Core, die: usize, superblock: u32) {
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

    fn keeps_own(&mut self, core: &mut Core, die: usize, superblock: u32) -> bool {
        let global = core.store.space.global(die, superblock);
        let Some(own) = &mut self.own else { return false };
        own[die].push(superblock);
        core.store.space.state[global] = SuperblockState::Free;
        true
    }

    /// Marks an erased superblock as using all bits per cell again, and updates the counts of the SLC cache.
    fn erased_one_bit(&mut self, core: &mut Core, die: usize, global: usize) {
        core.store.space.one_bit[global] = false;
        self.dies[die].superblocks -= 1;
        self.in_use -= 1;
        self.tell(die, &mut core.store.space);
        core.store.stats.slc_blocks_erased += u64::from(core.store.layout.planes);
        core.update_quota(die);
    }

    fn found_one_bit(&mut self, core: &mut Core, die: usize, superblock: usize) {
        self.add(die, superblock, &mut core.store.space);
    }

    fn folds_after(&self) -> Option<Nanos> {
        self.idle_after
    }

    fn has_to_fold(&self, core: &Core, die: usize) -> bool {
        let mover = &core.folding[die].mover;
        mover.has_victim() || !self.dies[die].waiting.is_empty() || !mover.waiting.is_empty()
    }

    /// Returns true if the die should now move a superblock out of SLC mode (fold it): the die is idle, a program
    /// failed, other data need the space, or the host has no other space.
    fn wants_folding(&self, core: &Core, die: usize) -> bool {
        core.folding[die].background
            || self.dies[die].failed > 0
            || self.is_crowded(core, die)
            || (self.when_full == WhenFull::FoldFirst && !self.may_open_one_bit(core, die))
    }

    /// Returns true if queued host data should be programmed on the die before data folded out of SLC mode, because the
    /// host may write there at present. Otherwise folding, which learns of a completed program first, would issue all
    /// programs.
    fn is_hosts_turn(&self, core: &Core, die: usize) -> bool {
        !core.folding[die].background
            && self.dies[die].failed == 0
            && core.buffer.first_queued().is_some()
            && core.is_within_quota(die)
            && self.takes_hosts(core, die)
    }

    fn folds_in_die(&self) -> bool {
        self.in_die
    }

    fn takes_folded(&mut self, core: &mut Core, die: usize) -> bool {
        if !self.wants_folding(core, die) {
            return false;
        }
        self.close_open(core, die);
        if core.folding[die].mover.returning() >= RETURNING_MAX {
            return false;
        }
        let Some(superblock) = self.take_oldest(core, die, 0) else { return false };
        let global = core.store.space.global(die, superblock);
        core.store.stats.slc_superblocks_folded += 1;
        core.store.stats.slc_units_folded += u64::from(core.store.space.valid[global]);
        true
    }

    fn is_written_past(&self) -> Option<bool> {
        Some(self.when_full == WhenFull::Bypass)
    }

    fn superblocks_before_folding(&self) -> Option<u32> {
        let grows = self.policy.most(&CacheView { shape: self.shape, spare: 1 }) > self.reserved;
        let waits = self.when_full == WhenFull::FoldFirst && !grows;
        waits.then(|| self.reserved.saturating_sub(1))
    }

    fn may_open_one_bit(&self, core: &Core, die: usize) -> bool {
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

    fn may_open_two(&self, die: usize) -> bool {
        match &self.own {
            Some(own) => own[die].len() > 1,
            None => self.dies[die].superblocks + 1 < self.reserved,
        }
    }

    fn oldest_one_bit(&self, die: usize) -> Option<u32> {
        self.dies[die].waiting.front().copied()
    }

    fn folds_untimed(&mut self, core: &mut Core, die: usize, rows: u32) {
        self.take_oldest(core, die, rows);
    }

    fn one_bit_bytes(&self) -> Option<u64> {
        Some(u64::from(self.in_use) * self.shape.superblock.get())
    }

    fn apart_for(&self) -> Option<(&'static str, &'static str)> {
        Some(("the SLC cache", "ftl.slc_cache"))
    }

    fn says_of(&self, core: &Core, die: usize) -> Option<String> {
        let (of, folding) = (&self.dies[die], &core.folding[die]);
        Some(format!(
            "; one bit a cell: {} superblocks of {} reserved, {} wait, {}, credit {}",
            of.superblocks,
            self.reserved,
            of.waiting.len(),
            folding.mover.describe(),
            folding.pace.credit,
        ))
    }
}
